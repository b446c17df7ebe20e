"""LaTeX statements as terminal text: right readings are written by hand."""

from __future__ import annotations

import pytest

from theorems.texmath import plain

READINGS = [
    (r"$(1+x)^n \ge 1 + nx$ for $n \ge 0$.", "(1 + x)ⁿ ≥ 1 + nx for n ≥ 0."),
    (r"$\sum_{i=1}^n x_i^2 \le \frac{a+b}{2}$", "∑ᵢ₌₁ⁿ xᵢ² ≤ (a + b)/2"),
    (r"$\mathbb{E}\varepsilon\varepsilon^\top = \Omega$", "𝔼εεᵀ = Ω"),
    (r"$X \in \mathbb{R}^{n \times p}$", "X ∈ ℝ^(n×p)"),
    (r"$\hat\beta = X^+ y$", "β̂ = X⁺ y"),
    (r"$\frac{1}{2} \log \frac{n}{k}$", "(1/2) log n/k"),
    (r"$\frac12 x$, $\binom{n}{k}$", "(1/2) x, C(n, k)"),
    (r"$\left(\frac{a}{b}\right)^{2}$", "(a/b)²"),
    (r"$\frac{a}{b}^2$", "(a/b)²"),
    (r"$\lVert x - y\rVert^{1/2} + \|z\|_2$", "‖x − y‖^(1/2) + ‖z‖₂"),
    (r"$\sqrt{2\pi}\sqrt x \sqrt[3]{y}$", "√(2π)√x ³√y"),
    (r"$\Pr\left[|X-\mu| \ge t\right] \le 2\exp(-2nt^2)$", "Pr[|X − μ| ≥ t] ≤ 2 exp(−2nt²)"),
    (r"$f(x) = \begin{cases} 1 & x > 0 \\ 0 & \text{otherwise} \end{cases}$", "f(x) = {1 x > 0; 0 otherwise}"),
    (r"$\begin{pmatrix} a & b \\ c & d\end{pmatrix}^{-1}$", "[a, b; c, d]⁻¹"),
    (r"$x_{\max}$, $x_{t,i}$, $W_Q^{(l)}$, $w'$, $\theta^*$", "x_max, x_(t,i), W_Q⁽ˡ⁾, w′, θ*"),
    (r"$\min_{x\in C} f(x)$, $a \equiv b \pmod n$", "min_(x∈C) f(x), a ≡ b (mod n)"),
    (r"$\{0,1\}^d$, $[0, 1)$, $1, 2, \dots, N$", "{0, 1}ᵈ, [0, 1), 1, 2, …, N"),
    (r"$$x \not= y$$ and \(a \to b\) and \[c\]", "x ≠ y and a → b and c"),
    (r"$-x + y = (-1)^k$", "−x + y = (−1)ᵏ"),
    (r"$\widehat{\mathrm{Var}}$, $\bar x$, $\tilde O(d^{3/2})$", "hat(Var), x̄, Õ(d^(3/2))"),
    (r"costs \$5 at 3\% and 2 < 3, no_math", "costs $5 at 3% and 2 < 3, no_math"),
    ("two\n  lines $x_1$", "two\n  lines x₁"),
]


@pytest.mark.parametrize(("latex", "text"), READINGS)
def test_formula_reads(latex: str, text: str) -> None:
    assert plain(latex) == text


@pytest.mark.parametrize("broken", [r"$\frac{1$", r"$x_{$", "$x^$", r"$\left( x$", "$}$", r"$\begin{cases} 1$", "$ 5"])
def test_unbalanced_formulas_stay_as_they_were_written(broken: str) -> None:
    assert plain(broken) == broken


def test_unknown_commands_stay_visible() -> None:
    assert plain(r"$\zebra{x} + 1$") == r"\zebra x + 1"


@pytest.mark.parametrize("sign", ["{a+b}", "{ab}"])
def test_grouping_of_a_fraction_is_never_lost(sign: str) -> None:
    assert plain(rf"$\frac{{1}}{sign}$") in ("1/(a + b)", "1/(ab)")
