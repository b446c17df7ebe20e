"""Which ratios a loss is careful about: the cost of equal errors at small and at large ratios."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb, fmpq

from theorems import Choices, Given, Minimum, Q, Rationals, eq, lt, symbols
from theorems.kernel.symbols import functions
from theorems.papers.density_ratio_losses.catalogue import CATALOGUE, DECREASING, INCREASING, RATIONAL, bregman, third
from theorems.papers.density_ratio_losses.paper import PAPER

ERRORS = PAPER.family(
    "absolute-errors",
    c1=Rationals(0, 4, denominator=60, open="left"),
    gap=Rationals(0, 4, denominator=1000, open="left"),
    h=Given(lambda c1: Rationals(max(-c1, Q(-3)), 3, denominator=200, open="left")),
    where=lambda h: h != 0,
    accept=0.5,
    quick=400,
    full=5000,
)
RELATIVE = PAPER.family(
    "relative-errors",
    c1=Rationals(0, 4, denominator=60, open="left"),
    gap=Rationals(0, 4, denominator=1000, open="left"),
    ratio=Choices(Q(3, 10), Q(1, 2), Q(9, 10), Q(11, 10), Q(3, 2), Q(3)),
    quick=60,
    full=2000,
)


@PAPER.bound(
    source="abstract: which density-ratio values a loss prioritises; made precise",
    fidelity="paper",
    evidence="proved",
    method="Taylor's formula in an undefined function; for every row the derivative of B(c, c + h) in c has its minimum or maximum "
    "0 at h = 0; instances in balls cross-check it",
    rests_on=(
        "B(c, c + h) vanishes at h = 0 and has the derivative h phi''(c + h), so it is the integral of s phi''(c + s) over 0 <= s <= h "
        "(of |s| phi''(c + s) over h <= s <= 0), monotone in c as phi'' is",
        "a function whose derivative in c is positive increases strictly",
    ),
)
def absolute_error_priority():
    r"""Let $0 < c_1 < c_2$ and let $h \ne 0$ be an absolute error with $c_1 + h > 0$. If $\phi''$ is strictly decreasing (logistic,
    boosting, square, KLIEP), then $B_\phi(c_2, c_2 + h) < B_\phi(c_1, c_1 + h)$; if it is strictly increasing (EW, PW-$k$ with
    $k = 1, 2, 3$), then $B_\phi(c_2, c_2 + h) > B_\phi(c_1, c_1 + h)$; for LSIF both are $h^2/2$. This is a statement about absolute errors:
    for equal relative errors $\hat\beta = r\beta$ logistic, boosting and KLIEP too charge more at the larger ratio.
    """


@absolute_error_priority.proof("Taylor's formula", covers="every phi; all c, h with c > 0 and c + h > 0")
def _taylor(*, power=1):
    phi, c, t = functions("phi"), symbols("c", positive=True), symbols("t", positive=True)
    h = symbols("h")

    def slope(x):
        return phi(t).diff(t).subs(t, x)

    error = bregman(phi, slope, c, c + h)
    yield "Taylor: derivative", eq(error.diff(h), h**power * phi(t).diff(t, 2).subs(t, c + h))
    yield "Taylor: start", eq(error.subs(h, 0), 0)


def derivative_in_c(loss, c, h):
    """d/dc of B(c, c + h)."""
    return loss.slope(c) - loss.slope(c + h) + h * loss.weight(c + h)


@absolute_error_priority.proof("rows", covers="all c > 0 and h != 0 with c + h > 0")
def _rows(*, reverse=False):
    c, over, under = symbols("c over under", positive=True)
    h, root = symbols("h"), symbols("a", positive=True)
    for name in (*DECREASING, *INCREASING):
        loss = CATALOGUE[name]
        yield f"derivative: {name}", eq(loss.bregman(c, c + h).diff(c), derivative_in_c(loss, c, h))
        falls = name in DECREASING
        above: tuple[Any, Minimum | None] = derivative_in_c(loss, c, over), Minimum(over, 0)  # estimates c + over
        below: tuple[Any, Minimum | None] = (
            derivative_in_c(loss, c + under, -under),
            Minimum(under, 0),
        )  # an estimate c of the ratio c + under
        if name == "boosting":  # an estimate a^2 of the ratio (a + under)^2
            below = derivative_in_c(loss, (root + under) ** 2, root**2 - (root + under) ** 2), None
        for slope, by in (above, below):
            sides = (slope, 0) if falls != reverse else (0, slope)
            yield f"{'falls' if falls else 'rises'}: {name}", lt(*sides, by=by)
    yield "LSIF is neutral", eq(CATALOGUE["LSIF"].bregman(c, c + h), h**2 / 2)


@absolute_error_priority.proof("relative errors", covers="all c > 0 and factors r > 0 other than 1")
def _relative(*, reverse=False):
    c, less, more = symbols("c", positive=True), symbols("u", above=0, below=1), symbols("u", above=1)
    for name in ("logistic", "boosting", "KLIEP", "LSIF"):
        for u in (less, more):
            slope = CATALOGUE[name].bregman(c, u**2 * c).diff(c)  # the factor is r = u^2
            sides = (slope, 0) if reverse else (0, slope)
            yield f"relative: {name}", lt(*sides, by=None if name in ("boosting", "LSIF") else Minimum(u, 1))


@absolute_error_priority.crosscheck("absolute errors", family=ERRORS)
def _absolute_errors(c1, gap, h, *, exchanged=False, neutral=True, relative=False):
    c2 = c1 + gap

    def costs(names: Sequence[str], c: fmpq) -> list[fmpq | arb]:
        estimate = c * (1 + h / 4) if relative else c + h  # 1 + h/4 > 0
        return [
            CATALOGUE[name].bregman(*((c, estimate) if name in RATIONAL else (arb(c), arb(estimate)))) for name in names
        ]

    small, large = (c2, c1) if exchanged else (c1, c2)
    yield "small ratios first", lt(lambda: (costs(DECREASING, large), costs(DECREASING, small)))
    yield "large ratios first", lt(lambda: (costs(INCREASING, small), costs(INCREASING, large)))
    lsif = [CATALOGUE["LSIF"].bregman(c, c * (1 + h / 4) if relative else c + h) for c in (c1, c2)]
    yield "equal costs", eq(*lsif) if neutral else lt(*lsif)


@absolute_error_priority.crosscheck("relative errors, instances", family=RELATIVE)
def _relative_errors(c1, gap, ratio, *, exchanged=False):
    names = ("logistic", "boosting", "KLIEP", "LSIF")

    def sides():
        first, second = (
            [third() * CATALOGUE[n].bregman(arb(c), arb(ratio * c)) for n in names] for c in (c1, c1 + gap)
        )
        return (second, first) if exchanged else (first, second)

    return lt(sides)


absolute_error_priority.mutant("order reversed", reverse=True, breaks=("falls: KLIEP", "rises: PW-1"))
absolute_error_priority.mutant(
    "order reversed, small ratios", exchanged=True, breaks="small ratios first", anywhere=True
)
absolute_error_priority.mutant(
    "order reversed, large ratios", exchanged=True, breaks="large ratios first", anywhere=True
)
absolute_error_priority.mutant("LSIF prefers large ratios", neutral=False, breaks="equal costs", anywhere=True)
absolute_error_priority.mutant("relative errors: logistic, boosting, KLIEP", relative=True, breaks="small ratios first")
absolute_error_priority.mutant("relative errors: LSIF", relative=True, breaks="equal costs", anywhere=True)
absolute_error_priority.mutant("h^2 phi'' as the derivative", power=2, breaks="Taylor: derivative")
