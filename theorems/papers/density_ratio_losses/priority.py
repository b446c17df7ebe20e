"""Which ratios a loss is careful about: the cost of equal errors, and the fit of a model that cannot fit everywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flint import arb, fmpq, fmpq_poly

from solvers.enclosures import isolate_roots, precision, real_roots
from theorems import Choices, Given, Minimum, Q, Rationals, eq, le, lt, symbols
from theorems.kernel.symbols import functions
from theorems.papers.density_ratio_losses.catalogue import CATALOGUE, DECREASING, INCREASING, bregman
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
        above = derivative_in_c(loss, c, over), Minimum(over, 0)  # estimates c + over
        below = derivative_in_c(loss, c + under, -under), Minimum(under, 0)  # an estimate c of the ratio c + under
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
def _absolute_errors(c1, gap, h, *, reverse=False, neutral=True, relative=False):
    c2 = c1 + gap

    def costs(names: Sequence[str], c: fmpq) -> list[arb]:
        estimate = c * (1 + h / 4) if relative else c + h  # 1 + h/4 > 0
        return [CATALOGUE[name].bregman(arb(c), arb(estimate)) for name in names]

    small, large = (c2, c1) if reverse else (c1, c2)
    yield "small ratios first", lt(lambda: (costs(DECREASING, large), costs(DECREASING, small)))
    yield "large ratios first", lt(lambda: (costs(INCREASING, small), costs(INCREASING, large)))
    lsif = [CATALOGUE["LSIF"].bregman(c, c * (1 + h / 4) if relative else c + h) for c in (c1, c2)]
    yield "equal costs", eq(*lsif) if neutral else lt(*lsif)


@absolute_error_priority.crosscheck("relative errors, instances", family=RELATIVE)
def _relative_errors(c1, gap, ratio, *, reverse=False):
    names = ("logistic", "boosting", "KLIEP", "LSIF")

    def sides():
        first, second = ([CATALOGUE[n].bregman(arb(c), arb(ratio * c)) for n in names] for c in (c1, c1 + gap))
        return (second, first) if reverse else (first, second)

    return lt(sides)


absolute_error_priority.mutant("order reversed", reverse=True, breaks=("falls: KLIEP", "rises: PW-1"))
absolute_error_priority.mutant("order reversed, small ratios", reverse=True, breaks="small ratios first", anywhere=True)
absolute_error_priority.mutant("order reversed, large ratios", reverse=True, breaks="large ratios first", anywhere=True)
absolute_error_priority.mutant("LSIF prefers large ratios", neutral=False, breaks="equal costs", anywhere=True)
absolute_error_priority.mutant("relative errors: logistic, boosting, KLIEP", relative=True, breaks="small ratios first")
absolute_error_priority.mutant("relative errors: LSIF", relative=True, breaks="equal costs", anywhere=True)
absolute_error_priority.mutant("h^2 phi'' as the derivative", power=2, breaks="Taylor: derivative")


# Two regions and one parameter: what the risk minimiser gives up.

CHAIN = (
    ("boosting", "KLIEP"),
    ("KLIEP", "LSIF"),
    ("LSIF", "PW-1"),
    ("PW-1", "PW-3"),
    ("boosting", "EW"),
    ("logistic", "KLIEP"),
    ("logistic", "LSIF"),
    ("logistic", "EW"),
)
NOT_MONOTONE = (("boosting", "logistic"),)


@dataclass(frozen=True)
class Regions:
    """True ratios b1 < b2 with Q-masses q, 1 - q and the model (b1 + A t, b2 - B (1 - t)), b1 + A < b2 - B."""

    b1: fmpq
    A: fmpq
    B: fmpq
    b2: fmpq
    q: fmpq


def polynomial_sign(name: str, r: Regions) -> fmpq_poly:
    """A polynomial with the sign of the derivative of the risk on (0, 1); for rational weights and for boosting.

    The derivative is a t phi''(c1) - b (1 - t) phi''(c2); it is multiplied by denominators, for boosting squared term by
    term.
    """
    t = fmpq_poly([0, 1])
    c1, c2 = r.b1 + r.A * t, r.b2 - r.B * (1 - t)
    a, b = r.q * r.A**2, (1 - r.q) * r.B**2
    if name == "logistic":
        return a * t * c2 * (1 + c2) - b * (1 - t) * c1 * (1 + c1)
    if name == "boosting":
        return a**2 * t**2 * c2**3 - b**2 * (1 - t) ** 2 * c1**3
    if name == "KLIEP":
        return a * t * c2 - b * (1 - t) * c1
    k = {"LSIF": 0, "PW-1": 1, "PW-3": 3}[name]
    return a * t * c1**k - b * (1 - t) * c2**k


def local_minima(name: str, r: Regions) -> list[Callable[[], arb]]:
    """The points of (0, 1) at which the derivative of the risk changes from - to +, in increasing order."""
    if name == "EW":
        a, b = r.q * r.A**2, (1 - r.q) * r.B**2
        shift, tilt = 2 * (r.b1 - r.b2 + r.B), 2 * (r.A - r.B)  # 2 (c1 - c2) = shift + tilt t

        def derivative(t):
            return a * (shift + tilt * t).exp() * (1 + tilt * t) + b

        with precision(160):
            found = isolate_roots(lambda t: a * t * (shift + tilt * t).exp() - b * (1 - t), 0, 1, derivative=derivative)
        if found.undecided:
            raise ArithmeticError(f"the stationary points of EW are not isolated for {r}")
        return [lambda x=x: x for x in sorted(found.roots, key=lambda x: x.mid())][::2]
    # the derivative is < 0 at 0 and > 0 at 1, so that no root lies at an end and the sign changes alternate
    changes = [x for x in real_roots(polynomial_sign(name, r)) if x.multiplicity % 2 and x.ball(64) > 0 and x.ball(64) < 1]
    return [x.ball for x in changes][::2]


def risk(name: str, r: Regions, t: arb) -> arb:
    """Twice the excess risk of the model at t."""
    loss = CATALOGUE[name]
    first, second = loss.bregman(arb(r.b1), r.b1 + r.A * t), loss.bregman(arb(r.b2), r.b2 - r.B * (1 - t))
    return r.q * first + (1 - r.q) * second


def minimiser(name: str, r: Regions) -> Callable[[], arb]:
    """The global risk minimiser."""
    points = local_minima(name, r)
    if len(points) == 1:
        return points[0]
    with precision(256):
        values = [risk(name, r, point()) for point in points]
        best = [k for k, v in enumerate(values) if all(v < w for j, w in enumerate(values) if j != k)]
    if not best:
        raise ArithmeticError(f"the least of the local minima of {name} is not decided for {r}")
    return points[best[0]]


SHARE = {"denominator": 200, "open": "both"}
REGIONS = PAPER.family(
    "two-regions",
    b1=Rationals(Q(1, 50), 1, **SHARE),
    A=Rationals(Q(1, 10), 1, **SHARE),
    B=Rationals(Q(1, 5), Q(3, 2), **SHARE),
    gap=Rationals(Q(1, 20), 1, **SHARE),
    q=Rationals(Q(1, 5), Q(19, 20), **SHARE),
    quick=200,
    full=3000,
)
STEEP = PAPER.family(
    "steep-regions",
    b1=Rationals(Q(1, 1000), Q(1, 20), denominator=2000, open="both"),
    A=Rationals(Q(1, 2), 1, **SHARE),
    B=Rationals(Q(1, 5), Q(3, 2), **SHARE),
    gap=Rationals(Q(1, 50), Q(1, 5), **SHARE),
    q=Rationals(Q(1, 50), Q(49, 50), **SHARE),
    quick=60,
    full=3000,
)
TWO_MINIMA = PAPER.family(  # the risk of boosting has two local minima here
    "two-local-minima",
    region=Choices(
        *(
            Regions(Q(b1, 2000), Q(A, 200), Q(B, 200), Q(b1, 2000) + Q(A + B + gap, 200), Q(q, 200))
            for b1, A, B, gap, q in (
                (5, 102, 53, 38, 6), (11, 110, 48, 32, 7), (4, 131, 245, 8, 72), (8, 167, 291, 40, 68), (11, 135, 145, 18, 40),
                (12, 178, 161, 17, 26), (3, 180, 265, 6, 56), (9, 113, 233, 32, 84), (17, 157, 208, 4, 61), (2, 144, 268, 24, 51),
            )
        )
    ),
    every=True,
)  # fmt: skip


def stationary_sides(r, pairs):
    """The global minimisers of the first and of the second loss of each pair."""
    found = {name: minimiser(name, r) for name in dict.fromkeys(n for pair in pairs for n in pair)}
    return lambda: ([found[a]() for a, _ in pairs], [found[b]() for _, b in pairs])


@PAPER.bound(
    source="consequence that motivates losses for large ratios",
    fidelity="derived",
    evidence="certified",
    family=(REGIONS, STEEP),
    part="order of the minimisers",
    method="all sign changes of the derivative of the risk isolated (exact polynomials; balls for EW), the global minimisers compared "
    "in balls; the quotients of the weights and the comparison of the derivatives by proofs",
    rests_on=(
        "let F(s) be the integral of D_1 from s to t_1; F <= 0 for a global minimiser t_1 of R_1, and integrating by parts the integral "
        "of w D_1 from s to t_1 is w(s) F(s) + int F dw <= 0; as D_2 < w D_1 on (0, 1), R_2(t_1) < R_2(s) for every s < t_1, "
        "and R_2'(t_1) < w D_1 = 0: every global minimiser of R_2 lies to the right of t_1",
    ),
    hypotheses="b_1 + A < b_2 - B: the model never exchanges the regions",
)
def misspecified_fit_priority(b1, A, B, gap, q, *, pairs=CHAIN, reverse=False):
    r"""Two regions have the true ratios $b_1 < b_2$ and the $Q$-masses $q$, $1 - q$; the model is
    $\hat\beta(t) = (b_1 + At,\; b_2 - B(1 - t))$, $t \in [0, 1]$, with $A, B > 0$ and $b_1 + A < b_2 - B$. Let $t_\phi$ be a global minimiser
    of the population risk. If $\phi_2''/\phi_1''$ is strictly increasing, then $t_{\phi_2} > t_{\phi_1}$: the second loss has the
    smaller error $B(1 - t)$ at the large ratio. The quotient increases along boosting, KLIEP, LSIF, PW-1, PW-3, and from boosting to
    EW and from logistic to KLIEP, LSIF and EW; it does not from boosting to logistic, whose order is not determined.
    """
    r = Regions(b1, A, B, b1 + A + B + gap, q)
    first_below_second = stationary_sides(r, [pair[::-1] for pair in pairs] if reverse else pairs)
    return lt(first_below_second)


@misspecified_fit_priority.check("two local minima", family=TWO_MINIMA)
def _two_minima(region, *, pairs=CHAIN, reverse=False, smallest=False):
    boosting = local_minima("boosting", region)
    yield "minima of boosting", eq(len(boosting), 1 if smallest else 2)
    yield "order at two minima", lt(stationary_sides(region, [p[::-1] for p in pairs] if reverse else pairs))


@misspecified_fit_priority.proof("quotients", covers="all ratios c > 0, every pair of the chain")
def _quotients(*, pairs=CHAIN):
    c = symbols("c", positive=True)
    for first, second in pairs:
        yield "quotients increase", lt(0, (CATALOGUE[second].weight(c) / CATALOGUE[first].weight(c)).diff(c))


@misspecified_fit_priority.proof("derivatives", covers="every phi, phi_1, phi_2; all parameters")
def _derivatives(*, square=2):
    phi, t, x = functions("phi"), symbols("t", above=0, below=1), symbols("x", positive=True)
    b1, A, B, gap = symbols("b1 A B gap", positive=True)
    q = symbols("q", above=0, below=1)
    c1, c2 = b1 + A * t, b1 + A + gap + B * t
    b2 = b1 + A + B + gap

    def slope(u):
        return phi(x).diff(x).subs(x, u)

    def weight(f, u):
        return f(x).diff(x, 2).subs(x, u)

    def D(f):
        return q * A**square * t * weight(f, c1) - (1 - q) * B**2 * (1 - t) * weight(f, c2)

    R = q * bregman(phi, slope, b1, c1) + (1 - q) * bregman(phi, slope, b2, c2)
    yield "derivative of the risk", eq(R.diff(t), D(phi))
    f, g = functions("phi1 phi2")
    w = weight(g, c1) / weight(f, c1)
    lead = (1 - q) * B**2 * (1 - t) * weight(f, c2)
    yield "D_2 < w D_1", eq(w * D(f) - D(g), lead * (weight(g, c2) / weight(f, c2) - w))
    yield "c_1 < c_2", lt(c1, c2)


misspecified_fit_priority.mutant(
    "order reversed", reverse=True, breaks=("order of the minimisers", "order at two minima"), anywhere=True
)
misspecified_fit_priority.mutant(
    "boosting before logistic (quotient not monotone)", pairs=NOT_MONOTONE, breaks="order of the minimisers"
)
misspecified_fit_priority.mutant("the quotient of boosting and logistic", pairs=NOT_MONOTONE, breaks="quotients increase")
misspecified_fit_priority.mutant("A in place of A^2", square=1, breaks="derivative of the risk")
misspecified_fit_priority.mutant("the risk of boosting is unimodal", smallest=True, breaks="minima of boosting")
