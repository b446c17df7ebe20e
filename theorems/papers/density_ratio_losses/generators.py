"""Classical losses and their generators; class-probability errors as density-ratio errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flint import fmpq_poly

from theorems import Arrays, Q, Rationals, eq, lt, symbols
from theorems.kernel.symbols import functions
from theorems.papers.density_ratio_losses.catalogue import CATALOGUE, bregman, exp, root
from theorems.papers.density_ratio_losses.paper import PAPER

SPOILED: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "boosting weight without 1/2": ("boosting", {"weight": lambda c: 1 / (c * root(c, 2))}),
    "logistic weight 1/(1+c)^2": ("logistic", {"weight": lambda c: 1 / (1 + c) ** 2}),
    "boosting link e^y": ("boosting", {"link": exp}),
    "square weight 4/(1+c)^3": ("square", {"weight": lambda c: 4 / (1 + c) ** 3}),
    "EW weight e^c": ("EW", {"weight": exp}),
}


def catalogue(spoil=""):
    """The catalogue, or what a mutant makes of it."""
    rows = dict(CATALOGUE)
    if spoil:
        name, change = SPOILED[spoil]
        rows[name] = replace(rows[name], **change)
    return rows.values()


@PAPER.identity(
    source="links the characterisation to known losses",
    fidelity="derived",
    evidence="proved",
    method="symbolic derivatives of every row",
    rests_on=(
        "the pointwise risk beta l(1, y) + l(-1, y) has the derivative l'(1, y) (beta - g(y)); with l'(1, .) < 0 and g increasing it "
        "falls before g(y) = beta and rises after it",
    ),
)
def classical_loss_generators():
    r"""For the logistic, exponential (boosting), square, KLIEP and LSIF losses, for the exponential weight (EW) and for the polynomial
    weights $k = 1, 2, 3$ (PW-$k$), with their ratio links $g$ and generators $\phi$: $\ell'(-1, y) = -g(y)\,\ell'(1, y)$ and
    $-\ell'(1, y) = \phi''(g(y))\,g'(y)$, where $\ell'(1, \cdot) < 0$ and $g' > 0$. So every row is strictly proper composite, its pointwise
    risk being minimal exactly at $g(y) = \beta$, with excess risk $\frac12 B_\phi$, and $\phi''$ is
    $\frac{1}{c(1+c)}$ (logistic), $\frac12 c^{-3/2}$ (boosting), $\frac{8}{(1+c)^3}$ (square), $\frac1c$ (KLIEP), $1$ (LSIF),
    $e^{2c}$ (EW) and $c^k$ (PW-$k$).
    """


@classical_loss_generators.proof("rows", covers="all predictions of every row")
def _rows(*, spoil=""):
    for loss in catalogue(spoil):
        y = symbols("y", **loss.range)
        plus, minus, g = loss.plus(y).diff(y), loss.minus(y).diff(y), loss.link(y)
        yield f"stationarity: {loss.name}", eq(minus, -g * plus)
        yield f"generator: {loss.name}", eq(-plus, loss.weight(g) * g.diff(y))
        yield f"monotone: {loss.name}", lt((plus, 0), (0, g.diff(y)))


@classical_loss_generators.proof("generators", covers="all ratios c > 0 of every row")
def _generators(*, spoil=""):
    c = symbols("c", positive=True)
    for loss in catalogue(spoil):
        yield "phi' and phi''", eq((loss.generator(c).diff(c), loss.slope(c).diff(c)), (loss.slope(c), loss.weight(c)))
        yield "inverse link", eq(loss.link(loss.inverse(c)), c)


for spoil, part in (
    ("boosting weight without 1/2", "generator: boosting"),
    ("logistic weight 1/(1+c)^2", "generator: logistic"),
    ("boosting link e^y", "stationarity: boosting"),
    ("square weight 4/(1+c)^3", "phi' and phi''"),
    ("EW weight e^c", "generator: EW"),
):
    classical_loss_generators.mutant(spoil, spoil=spoil, breaks=part)


POLYNOMIALS = PAPER.family(
    "class-probability-generators",
    coefficients=Arrays(Rationals(-3, 3, denominator=12), (7,)),
    a=Rationals(0, 20, denominator=30, open="left"),
    b=Rationals(0, 20, denominator=30, open="left"),
    quick=60,
    full=2000,
)


@PAPER.identity(
    source="Menon and Ong (2016), extended by the paper",
    fidelity="paper",
    evidence="proved",
    method="an identity in an undefined function f; polynomials f of degree 6 in exact rationals cross-check it",
)
def cpe_dre_bregman_identity():
    r"""For every twice differentiable $f$ on $(0, 1)$ let $F(z) = (1 + z)\,f\big(\frac{z}{1+z}\big)$. Then for all $a, b > 0$ the pointwise
    Bregman divergences satisfy
    $$(1 + a)\,B_f\Big(\frac{a}{1+a}, \frac{b}{1+b}\Big) = B_F(a, b),$$
    and $F''(z) = (1 + z)^{-3} f''\big(\frac{z}{1+z}\big)$, so that $F$ is convex iff $f$ is.
    """


@cpe_dre_bregman_identity.proof("undefined function", covers="every f; all a, b > 0")
def _undefined(*, prefactor="a", outer=1, power=3):
    f, t = functions("f"), symbols("t", above=0, below=1)
    a, b, z = symbols("a b z", positive=True)

    def F(x):
        return (1 + x if outer else 1) * f(x / (1 + x))

    def slope(u):
        return f(t).diff(t).subs(t, u)

    factor = {"a": 1 + a, "b": 1 + b, "1": 1}[prefactor]
    left = factor * bregman(f, slope, a / (1 + a), b / (1 + b))
    yield "divergences", eq(left, bregman(F, lambda x: F(z).diff(z).subs(z, x), a, b))
    yield "second derivatives", eq(F(z).diff(z, 2), f(t).diff(t, 2).subs(t, z / (1 + z)) / (1 + z) ** power)


@cpe_dre_bregman_identity.crosscheck("polynomials", family=POLYNOMIALS)
def _polynomials(coefficients, a, b, *, prefactor="a", outer=1):
    f = fmpq_poly(list(coefficients))
    slope = f.derivative()
    u, v = a / (1 + a), b / (1 + b)

    def F(x):
        return (1 + x if outer else 1) * f(x / (1 + x))

    def F_slope(x):  # the product rule, written out
        return (f(x / (1 + x)) if outer else 0) + (1 + x if outer else 1) * slope(x / (1 + x)) / (1 + x) ** 2

    factor = {"a": 1 + a, "b": 1 + b, "1": Q(1)}[prefactor]
    return eq(factor * bregman(f, slope, u, v), bregman(F, F_slope, a, b))


cpe_dre_bregman_identity.mutant("prefactor 1 + b", prefactor="b", breaks="divergences")
cpe_dre_bregman_identity.mutant("no prefactor", prefactor="1", breaks="divergences")
cpe_dre_bregman_identity.mutant("F(z) = f(z/(1+z))", outer=0, breaks="divergences")
cpe_dre_bregman_identity.mutant("prefactor 1 + b, polynomials", prefactor="b", breaks="polynomials", anywhere=True)
cpe_dre_bregman_identity.mutant("F'' with (1 + z)^-2", power=2, breaks="second derivatives")
