r"""LaTeX mathematics as text for a terminal: `$\sum_{i=1}^n x_i^2 \le \frac{a+b}{2}$` becomes `∑ᵢ₌₁ⁿ xᵢ² ≤ (a + b)/2`.

Grouping is never lost: what has no superscript or subscript characters stays in parentheses, `x^(n/2)`. An unknown
command stays as it was written.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from theorems.texsymbols import (
    ACCENTS,
    ALPHABETS,
    BINARY,
    FUNCTIONS,
    RELATIONS,
    SPACES,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    SYMBOLS,
    TEXT_COMMANDS,
    TRANSPARENT,
)

_MATH = re.compile(r"\$\$(.+?)\$\$|(?<!\\)\$(.+?)(?<!\\)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|\d+(?:\.\d+)?|\s+|.", re.DOTALL)
_SIGNS = {"=": "rel", "<": "rel", ">": "rel", "+": "bin", "-": "bin", ",": "punct", ";": "punct", ":": "rel"}
_OPENING, _CLOSING = "([{⟨⌊⌈", ")]}⟩⌋⌉"


@dataclass(frozen=True)
class Atom:
    """A piece of text and its role: ord, op (a word such as log), big (sums), rel, bin, punct, open, close, frac, space."""

    text: str
    role: str = "ord"


class _Unreadable(Exception):
    """The source is not balanced: it is shown as it was written."""


def plain(text: str) -> str:
    """A docstring with LaTeX mathematics as readable text; everything outside of `$...$` stays, line breaks too."""

    def replaced(match: re.Match[str]) -> str:
        formula = next(g for g in match.groups() if g is not None)
        text = math(formula)
        return match.group() if text is None else text

    return _MATH.sub(replaced, text).replace(r"\$", "$").replace(r"\%", "%")


def math(source: str) -> str | None:
    """One formula (without its dollars) as text; None where its braces do not match."""
    tokens = _TOKEN.findall(source.strip())
    try:
        atoms, rest = _atoms(tokens, 0, ())
    except _Unreadable:
        return None
    return _joined(atoms) if rest == len(tokens) else None


def _atoms(tokens: list[str], i: int, stops: tuple[str, ...]) -> tuple[list[Atom], int]:
    """Atoms up to one of the stopping tokens (or the end), and the index of that token."""
    found: list[Atom] = []
    while i < len(tokens) and tokens[i] not in stops:
        token = tokens[i]
        if token in ("^", "_"):
            inside, i = _argument(tokens, i + 1)
            base = found.pop() if found else Atom("")
            found.append(Atom(_wrapped_base(base) + _script(token, inside), "big" if base.role == "big" else "ord"))
        elif token == "'":
            base = found.pop() if found else Atom("")
            found.append(Atom(base.text + "′", base.role))
            i += 1
        elif token in ("}", r"\end", r"\right"):
            raise _Unreadable(token)
        else:
            atom, i = _atom(tokens, i)
            if atom is not None:
                found.append(atom)
    return found, i


def _atom(tokens: list[str], i: int) -> tuple[Atom | None, int]:
    token = tokens[i]
    if token.isspace() or token in SPACES:
        return Atom(" ", "space"), i + 1
    if token == "{":
        inside, end = _atoms(tokens, i + 1, ("}",))
        _expect(tokens, end)
        return Atom(_joined(inside), _role_of_group(inside)), end + 1
    if not token.startswith("\\"):
        role = _SIGNS.get(token, "open" if token in "([" else "close" if token in ")]" else "ord")
        return Atom({"-": "−", "*": "*"}.get(token, token), role), i + 1
    return _command(token.rstrip("*"), tokens, i + 1)


def _command(name: str, tokens: list[str], i: int) -> tuple[Atom | None, int]:
    """The atom of a command whose arguments start at token i."""
    if name in (r"\frac", r"\dfrac", r"\tfrac"):
        over, i = _argument(tokens, i)
        under, i = _argument(tokens, i)
        return Atom(f"{_tight(over)}/{_tight(under)}", "frac"), i
    if name in (r"\binom", r"\dbinom", r"\tbinom"):
        n, i = _argument(tokens, i)
        k, i = _argument(tokens, i)
        return Atom(f"C({_joined(n)}, {_joined(k)})"), i
    if name == r"\sqrt":
        return _root(tokens, i)
    if name in (r"\left", r"\right", r"\middle") or re.fullmatch(r"\\[bB]igg?[lrm]?", name):
        return _delimiter(name, tokens, i)
    if name == r"\begin":
        return _environment(tokens, i)
    if name in TEXT_COMMANDS:
        text, i = _raw(tokens, i)
        return Atom(text, "op" if name == r"\operatorname" else "ord"), i
    if name in ALPHABETS:
        inside, i = _argument(tokens, i)
        return Atom("".join(_letter(ALPHABETS[name], c) for c in _joined(inside))), i
    if name in ACCENTS:
        inside, i = _argument(tokens, i)
        text = _joined(inside)
        mark, word = ACCENTS[name]
        return Atom(unicodedata.normalize("NFC", text + mark) if len(text) == 1 else f"{word}({text})"), i
    if name in TRANSPARENT:
        return None, i
    if name in (r"\underbrace", r"\overbrace", r"\boxed", r"\substack", r"\smash"):
        inside, i = _argument(tokens, i)
        return Atom(_joined(inside)), i
    if name == r"\pmod":
        inside, i = _argument(tokens, i)
        return Atom(f"(mod {_joined(inside)})", "op"), i
    if name == r"\not":
        inside, i = _argument(tokens, i)
        return Atom(unicodedata.normalize("NFC", _joined(inside).strip() + "\u0338"), "rel"), i
    return _symbol(name), _skip_space(tokens, i) if name in (r"\nabla", r"\partial", r"\neg") else i


def _symbol(name: str) -> Atom:
    if name in RELATIONS:
        return Atom(RELATIONS[name], "rel")
    if name in BINARY:
        return Atom(BINARY[name], "bin")
    if name in FUNCTIONS:
        return Atom(FUNCTIONS[name], "op")
    if name in SYMBOLS:
        text = SYMBOLS[name]
        opens = text in _OPENING or name in (r"\lVert", r"\lvert")
        closes = text in _CLOSING or name in (r"\rVert", r"\rvert")
        role = "big" if text in "∑∏∫⋃⋂⨁⨂" else "open" if opens else "close" if closes else "ord"
        return Atom(text, role)
    return Atom(f"{name} ")


def _argument(tokens: list[str], i: int) -> tuple[list[Atom], int]:
    """The next group, command with its arguments, or single character (one digit of a number)."""
    i = _skip_space(tokens, i)
    if i >= len(tokens):
        raise _Unreadable("an argument is missing")
    if tokens[i] == "{":
        inside, end = _atoms(tokens, i + 1, ("}",))
        _expect(tokens, end)
        return inside, end + 1
    if tokens[i] in ("}", r"\end", r"\right"):
        raise _Unreadable(tokens[i])
    if tokens[i][0].isdigit() and len(tokens[i]) > 1:
        tokens[i : i + 1] = list(tokens[i])
    atom, i = _atom(tokens, i)
    return ([atom] if atom is not None else []), i


def _raw(tokens: list[str], i: int) -> tuple[str, int]:
    """The text of a group as written, with formulas inside it converted."""
    i = _skip_space(tokens, i)
    if i >= len(tokens) or tokens[i] != "{":
        raise _Unreadable("a group is missing")
    depth, start = 1, i + 1
    i = start
    while i < len(tokens):
        depth += {"{": 1, "}": -1}.get(tokens[i], 0)
        if depth == 0:
            inside = "".join(tokens[start:i])
            return plain(inside) if "$" in inside else re.sub(r"\\[,;: ]", " ", inside), i + 1
        i += 1
    raise _Unreadable("a group is not closed")


def _root(tokens: list[str], i: int) -> tuple[Atom, int]:
    degree: list[Atom] = []
    i = _skip_space(tokens, i)
    if i < len(tokens) and tokens[i] == "[":
        degree, i = _atoms(tokens, i + 1, ("]",))
        _expect(tokens, i)
        i += 1
    inside, i = _argument(tokens, i)
    index = _mapped(_joined(degree), SUPERSCRIPTS) if degree else ""
    text = _joined(inside)
    return Atom(f"{index or ''}√{text if _single(text) else f'({text})'}"), i


def _delimiter(name: str, tokens: list[str], i: int) -> tuple[Atom | None, int]:
    i = _skip_space(tokens, i)
    if i >= len(tokens):
        raise _Unreadable("a delimiter is missing")
    if name != r"\left":
        atom, end = _atom(tokens, i)
        return (None if tokens[i] == "." else atom), end
    opening = "" if tokens[i] == "." else _delimiter_text(tokens[i])
    inside, end = _atoms(tokens, i + 1, (r"\right",))
    _expect(tokens, end)
    end = _skip_space(tokens, end + 1)
    _expect(tokens, end)
    closing = "" if tokens[end] == "." else _delimiter_text(tokens[end])
    return Atom(f"{opening}{_joined(inside)}{closing}", "group"), end + 1


def _delimiter_text(token: str) -> str:
    return _symbol(token).text if token.startswith("\\") else token


def _environment(tokens: list[str], i: int) -> tuple[Atom, int]:
    name, i = _raw(tokens, i)
    if name.rstrip("*") == "array":
        _, i = _raw(tokens, i)
    rows: list[list[str]] = [[]]
    while True:
        cell, i = _atoms(tokens, i, ("&", r"\\", r"\end"))
        _expect(tokens, i)
        rows[-1].append(_joined(cell))
        if tokens[i] == r"\end":
            break
        if tokens[i] == r"\\":
            rows.append([])
        i += 1
    _, i = _raw(tokens, i + 1)
    between = ", " if "matrix" in name or name == "array" else " "
    text = "; ".join(between.join(c for c in row if c) for row in rows if any(row))
    around = ("[", "]") if "matrix" in name or name == "array" else ("{", "}") if name == "cases" else ("", "")
    return Atom(around[0] + text + around[1]), i


def _expect(tokens: list[str], i: int) -> None:
    if i >= len(tokens):
        raise _Unreadable("a group is not closed")


def _skip_space(tokens: list[str], i: int) -> int:
    while i < len(tokens) and tokens[i].isspace():
        i += 1
    return i


def _letter(alphabet: str, character: str) -> str:
    if not (character.isascii() and character.isalnum()):
        return character
    kind = "DIGIT" if character.isdigit() else "CAPITAL" if character.isupper() else "SMALL"
    name = unicodedata.name(character).split()[-1]
    for prefix in (alphabet, f"MATHEMATICAL {alphabet}"):
        try:
            return unicodedata.lookup(f"{prefix} {kind} {name}")
        except KeyError:
            continue
    return character


def _single(text: str) -> bool:
    """Whether a text needs no parentheses: one number, one letter with marks and scripts, or bracketed already."""
    if re.fullmatch(r"\d+(\.\d+)?|[^\W\d_][\u0300-\u036f′]*[⁰-₟¹²³ᵀ⁺⁻ᵢⱼ]*", text):
        return True
    return bool(text) and text[0] in "(‖|⟨⌊⌈" and _closes_at_end(text)


def _closes_at_end(text: str) -> bool:
    if text[0] in "‖|":
        return text.count(text[0]) == 2 and text[-1] == text[0]
    depth = 0
    for i, c in enumerate(text):
        depth += (c in _OPENING) - (c in _CLOSING)
        if depth == 0:
            return i == len(text) - 1
    return False


def _tight(atoms: list[Atom]) -> str:
    """A numerator or denominator, in parentheses where it is more than one thing."""
    text = _joined(atoms)
    return text if _single(text) or (re.fullmatch(r"[^\W\d_]+", text) and len(atoms) == 1) else f"({text})"


def _wrapped_base(base: Atom) -> str:
    return f"({base.text})" if base.role == "frac" else base.text


def _script(sign: str, atoms: list[Atom]) -> str:
    text = _compact(atoms)
    if text in ("*", "⋆", "†", "∗", "∘") and sign == "^":
        return text
    word = re.fullmatch(r"[A-Za-z]{3,}", text)
    mapped = _mapped(text, SUPERSCRIPTS if sign == "^" else SUBSCRIPTS)
    if mapped is not None and not word:
        return mapped
    return f"{sign}{text}" if word or re.fullmatch(r"[^\W_]+|[^\w\s]", text) else f"{sign}({text})"


def _compact(atoms: list[Atom]) -> str:
    """Atoms of a script: spaces only beside words."""
    text = ""
    for n, atom in enumerate(a for a in atoms if a.role != "space"):
        text += (" " if n and atom.role == "op" else "") + atom.text + (" " if atom.role == "op" else "")
    return text.strip()


def _mapped(text: str, table: dict[str, str]) -> str | None:
    """A text in superscript or subscript characters, where all of them exist."""
    return "".join(table[c] for c in text) if text and all(c in table for c in text) else None


def _role_of_group(atoms: list[Atom]) -> str:
    return atoms[0].role if len(atoms) == 1 and atoms[0].role not in ("rel", "bin", "punct") else "ord"


def _joined(atoms: list[Atom]) -> str:
    """Atoms side by side, with spaces where mathematics has them."""
    solid = [a for a in atoms if a.role != "space"]
    spaced = _spaced(atoms)
    text = ""
    for n, atom in enumerate(solid):
        before = solid[n - 1] if n else None
        after = solid[n + 1] if n + 1 < len(solid) else None
        piece = atom.text
        if atom.role == "frac" and after is not None and after.role in ("ord", "big", "op", "open", "group", "frac"):
            piece = f"({piece})"
        gap = before is not None and (
            (spaced[n] and before.role != "open") or _gap(before, atom, solid[n - 2] if n > 1 else None)
        )
        text += (" " if gap and not text.endswith((" ", "\n")) else "") + piece
    return text.strip()


def _spaced(atoms: list[Atom]) -> list[bool]:
    """For each atom that is no space, whether the source has a space before it that a reader would want to see."""
    found, space = [], False
    for atom in atoms:
        if atom.role == "space":
            space = True
            continue
        found.append(space and atom.role in ("ord", "op", "big", "open", "group", "frac"))
        space = False
    return found


def _gap(before: Atom, atom: Atom, earlier: Atom | None) -> bool:
    unary = before.role == "bin" and (earlier is None or earlier.role in ("rel", "bin", "open", "punct", "op"))
    if atom.role == "rel" or before.role == "rel":
        return True
    if atom.role == "bin":
        return before.role not in ("open", "punct", "bin", "op") or before.role == "punct"
    if before.role == "bin":
        return not unary
    if before.role == "punct":
        return True
    if before.role in ("op", "big"):
        return atom.role not in ("close", "punct") and (before.role == "big" or atom.role not in ("open", "group"))
    return atom.role in ("op", "big") and before.role in ("ord", "close", "group", "frac")
