"""Two regions and one parameter: which region the risk minimiser gives up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flint import arb, fmpq, fmpq_poly

from solvers.enclosures import isolate_roots, precision, real_roots
from theorems import Choices, Q, Rationals, eq, lt, symbols
from theorems.kernel.symbols import functions
from theorems.papers.density_ratio_losses.catalogue import CATALOGUE, bregman
from theorems.papers.density_ratio_losses.paper import PAPER

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


def local_minima(name: str, r: Regions) -> Sequence[Callable[[], arb]]:
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
    # the derivative is < 0 at 0 and > 0 at 1, so that no root lies at an end and there is an odd number of sign changes
    changes = [
        x for x in real_roots(polynomial_sign(name, r)) if x.multiplicity % 2 and x.ball(64) > 0 and x.ball(64) < 1
    ]
    if len(changes) % 2 == 0:
        raise ArithmeticError(f"a stationary point of {name} is too near an end of (0, 1) for {r}")
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


REGIONS = PAPER.family(
    "two-regions",
    b1=Rationals(Q(1, 50), 1, denominator=200, open="both"),
    A=Rationals(Q(1, 10), 1, denominator=200, open="both"),
    B=Rationals(Q(1, 5), Q(3, 2), denominator=200, open="both"),
    gap=Rationals(Q(1, 20), 1, denominator=200, open="both"),
    q=Rationals(Q(1, 5), Q(19, 20), denominator=200, open="both"),
    quick=200,
    full=3000,
)
STEEP = PAPER.family(
    "steep-regions",
    b1=Rationals(Q(1, 1000), Q(1, 20), denominator=2000, open="both"),
    A=Rationals(Q(1, 2), 1, denominator=200, open="both"),
    B=Rationals(Q(1, 5), Q(3, 2), denominator=200, open="both"),
    gap=Rationals(Q(1, 50), Q(1, 5), denominator=200, open="both"),
    q=Rationals(Q(1, 50), Q(49, 50), denominator=200, open="both"),
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
misspecified_fit_priority.mutant(
    "the quotient of boosting and logistic", pairs=NOT_MONOTONE, breaks="quotients increase"
)
misspecified_fit_priority.mutant("A in place of A^2", square=1, breaks="derivative of the risk")
misspecified_fit_priority.mutant("the risk of boosting is unimodal", smallest=True, breaks="minima of boosting")
