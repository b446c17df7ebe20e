"""Tables for `texmath`: LaTeX commands and the characters that stand for them."""

from __future__ import annotations

_GREEK = """
alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν
xi ξ pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω
Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
"""
_OTHER = """
infty ∞ partial ∂ nabla ∇ forall ∀ exists ∃ nexists ∄ emptyset ∅ varnothing ∅ ell ℓ Re Re Im Im hbar ℏ aleph ℵ
top ⊤ bot ⊥ angle ∠ dagger † ddagger ‡ star ⋆ ast ∗ prime ′ degree ° square □ Box □ blacksquare ■ checkmark ✓
ldots … cdots ⋯ dots … vdots ⋮ ddots ⋱ sum ∑ prod ∏ int ∫ oint ∮ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂
langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lVert ‖ rVert ‖ Vert ‖ lvert | rvert | vert | lbrace { rbrace }
lbrack [ rbrack ] neg ¬ lnot ¬ triangle △ imath ı jmath ȷ wp ℘ complement ∁ surd √ backslash \\
"""
_RELATIONS = """
le ≤ leq ≤ leqslant ≤ ge ≥ geq ≥ geqslant ≥ ne ≠ neq ≠ equiv ≡ approx ≈ sim ∼ simeq ≃ cong ≅ propto ∝ ll ≪ gg ≫ prec ≺ succ ≻
preceq ⪯ succeq ⪰ in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ subsetneq ⊊ supset ⊃ supseteq ⊇ to → rightarrow → leftarrow ←
gets ← mapsto ↦ longmapsto ↦ implies ⟹ iff ⟺ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ leftrightarrow ↔ longrightarrow ⟶
Longrightarrow ⟹ hookrightarrow ↪ uparrow ↑ downarrow ↓ nearrow ↗ searrow ↘ perp ⊥ parallel ∥ mid | asymp ≍ doteq ≐
triangleq ≜ coloneqq ≔ lesssim ≲ gtrsim ≳ models ⊨ vdash ⊢ colon : trianglelefteq ⊴ xrightarrow → leadsto ⇝
"""
_BINARY = """
cdot · times × div ÷ pm ± mp ∓ circ ∘ bullet • oplus ⊕ otimes ⊗ odot ⊙ ominus ⊖ cup ∪ cap ∩ setminus ∖ smallsetminus ∖ wedge ∧
land ∧ vee ∨ lor ∨ sqcup ⊔ sqcap ⊓ uplus ⊎ bmod mod
"""
_FUNCTIONS = """
log ln exp sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh min max inf sup lim det dim ker deg gcd Pr arg hom
"""


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return {"\\" + name: sign for name, sign in zip(words[::2], words[1::2])}


SYMBOLS = {
    **_pairs(_GREEK),
    **_pairs(_OTHER),
    "\\{": "{",
    "\\}": "}",
    "\\|": "‖",
    "\\%": "%",
    "\\#": "#",
    "\\&": "&",
    "\\_": "_",
    "\\$": "$",
    "\\lbrace": "{",
    "\\\\": ";",
}
RELATIONS = _pairs(_RELATIONS)
BINARY = _pairs(_BINARY)
FUNCTIONS = {
    **{"\\" + name: name for name in _FUNCTIONS.split()},
    "\\argmin": "argmin",
    "\\argmax": "argmax",
    "\\limsup": "lim sup",
    "\\liminf": "lim inf",
}
SPACES = {"\\,", "\\;", "\\:", "\\!", "\\ ", "\\>", "~", "\\quad", "\\qquad", "\\hspace"}
TRANSPARENT = {
    "\\displaystyle", "\\textstyle", "\\scriptstyle", "\\limits", "\\nolimits", "\\allowbreak", "\\nonumber", "\\strut",
}  # fmt: skip
TEXT_COMMANDS = {
    "\\text", "\\mathrm", "\\textrm", "\\textbf", "\\textit", "\\texttt", "\\mathtt", "\\mathsf", "\\textsf", "\\mbox",
    "\\operatorname", "\\emph", "\\mathop",
}  # fmt: skip
ALPHABETS = {
    "\\mathbb": "DOUBLE-STRUCK",
    "\\mathcal": "SCRIPT",
    "\\mathscr": "SCRIPT",
    "\\mathfrak": "FRAKTUR",
    "\\mathbf": "",
    "\\boldsymbol": "",
    "\\bm": "",
    "\\mathit": "",
}
ACCENTS = {
    "\\hat": ("\u0302", "hat"),
    "\\widehat": ("\u0302", "hat"),
    "\\bar": ("\u0304", "bar"),
    "\\overline": ("\u0304", "bar"),
    "\\tilde": ("\u0303", "tilde"),
    "\\widetilde": ("\u0303", "tilde"),
    "\\vec": ("\u20d7", "vec"),
    "\\dot": ("\u0307", "dot"),
    "\\ddot": ("\u0308", "ddot"),
    "\\check": ("\u030c", "check"),
    "\\breve": ("\u0306", "breve"),
    "\\underline": ("\u0332", "underline"),
}
SUPERSCRIPTS = {
    **dict(zip("0123456789+−=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾")),
    **dict(zip("abcdefghijklmnoprstuvwxyz", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")),
    **dict(zip("ABDEGHIJKLMNOPRTUVW", "ᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂ")),
    **dict(zip("βγδθφχ⊤", "ᵝᵞᵟᶿᵠᵡᵀ")),
    "′": "′",
}
SUBSCRIPTS = {
    **dict(zip("0123456789+−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")),
    **dict(zip("aehijklmnoprstuvx", "ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")),
    **dict(zip("βγρφχ", "ᵦᵧᵨᵩᵪ")),
}
