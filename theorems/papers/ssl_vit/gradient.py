"""How masked reconstruction moves the correlations of one patch with the areas: the gradient in closed form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from theorems import Arrays, Given, Integers, Q, Rationals, eq, symbols
from theorems.papers.ssl_vit.paper import PAPER


@PAPER.identity(
    source="the lemma that gives the update of feature-position correlations, on which both phases of the masked-reconstruction theorem rest",
    fidelity="recalled",
    evidence="proved",
    method="the areas other than n and m enter through two sums only, so that one identity in symbols serves all N; a cross-check at random rational "
    "points differentiates by the quotient rule, area by area",
    hypotheses="one softmax layer over the visible patches; orthonormal features and positions; position correlations 0",
)
def mae_fp_gradient_closed_form():
    r"""A masked patch $p$ of area $n$ sees $u_a > 0$ patches of each of $N \ge 2$ areas, with contents $z_a v_a$, $z_a > 0$. Its attention on area $a$ is $A_a = u_a e^{z_a
    \phi_a} / \sum_b u_b e^{z_b \phi_b}$, its loss $l = \frac12 \bigl[z_n^2 (1 - A_n)^2 + \sum_{a \ne n} z_a^2 A_a^2\bigr]$. For all $\phi \in \mathbb R^N$ and $m \ne n$
    $$-\partial_{\phi_n} l = A_n \Bigl[z_n^3 (1 - A_n)^2 + \sum_{a \ne n} z_a^2 z_n A_a^2\Bigr],$$
    $$-\partial_{\phi_m} l = A_m \Bigl[\sum_{a \ne n, m} z_a^2 z_m A_a^2 - z_m z_n^2 (1 - A_n) A_n - z_m^3 (1 - A_m) A_m\Bigr].$$
    """


@mae_fp_gradient_closed_form.proof(
    "all N",
    covers="all N >= 2, z, u > 0, real phi",
    rests_on=(
        "phi_n and phi_m enter the other areas' terms only through the normalisation, so these terms are T/D^2 with T fixed",
    ),
)
def _all(*, square=2, cross=1, sign=1):
    r"""$R = \sum W_b$ and $T = \sum z_b^2 W_b^2$ over the areas $b \ne n, m$, $W_b = u_b e^{z_b \phi_b}$."""
    import sympy

    un, um, zn, zm = symbols("u_n u_m z_n z_m", positive=True)
    R, T = symbols("R T", nonnegative=True)
    fn, fm = symbols("phi_n phi_m")
    Wn, Wm = un * sympy.exp(zn * fn), um * sympy.exp(zm * fm)
    D = Wn + Wm + R
    An, Am, others = Wn / D, Wm / D, T / D**2
    loss = (zn**2 * (1 - An) ** 2 + zm**2 * Am**2 + others) / 2
    own = An * (zn**3 * (1 - An) ** square + cross * zn * (zm**2 * Am**2 + others))
    other = Am * (cross * zm * others - sign * zm * zn**2 * (1 - An) * An - zm**3 * (1 - Am) * Am)
    yield "own area", eq(-sympy.diff(loss, fn), own)
    yield "another area", eq(-sympy.diff(loss, fm), other)


@mae_fp_gradient_closed_form.crosscheck(
    "rational points",
    domain={
        "N": Integers(2, 5),
        "u": Given(lambda N: Arrays(Integers(1, 9), (N,))),
        "z": Given(lambda N: Arrays(Rationals(Q(1, 5), Q(2), denominator=20), (N,))),
        "E": Given(lambda N: Arrays(Rationals(Q(1, 9), Q(9), denominator=20), (N,))),
    },
    quick=60,
    full=200,
)
def _points(N, u, z, E, *, square=2, cross=1, sign=1) -> Iterator[Any]:
    """E_a = exp(z_a phi_a), own area 0, other area 1; dA_a/dphi_m = (u_a E_a)' / D - u_a E_a D' / D^2."""
    W = [a * e for a, e in zip(u, E)]
    D = sum(W)
    A = [w / D for w in W]

    def derivative(m: int) -> Any:
        moved = z[m] * W[m]
        change = [(moved if a == m else 0) / D - W[a] * moved / D**2 for a in range(N)]
        return -(z[0] ** 2) * (1 - A[0]) * change[0] + sum(z[a] ** 2 * A[a] * change[a] for a in range(1, N))

    squares = [z[a] ** 2 * A[a] ** 2 for a in range(N)]
    own = A[0] * (z[0] ** 3 * (1 - A[0]) ** square + cross * z[0] * sum(squares[1:]))
    rest = cross * z[1] * sum(squares[2:]) - sign * z[1] * z[0] ** 2 * (1 - A[0]) * A[0]
    yield "own area at points", eq(-derivative(0), own)
    yield "another area at points", eq(-derivative(1), A[1] * (rest - z[1] ** 3 * (1 - A[1]) * A[1]))


mae_fp_gradient_closed_form.mutant("1 - A_n for (1 - A_n)^2", square=1, breaks="own area")
mae_fp_gradient_closed_form.mutant("the cross terms of the other areas dropped", cross=0, breaks="another area")
mae_fp_gradient_closed_form.mutant("the cross terms dropped, own area", cross=0, breaks="own area")
mae_fp_gradient_closed_form.mutant("the sign of z_m z_n^2 (1 - A_n) A_n flipped", sign=-1, breaks="another area")
