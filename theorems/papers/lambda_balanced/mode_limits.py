"""How fast an aligned mode approaches its lazy and its rich limit, uniformly in time.

Both distances are functions of the value s of the mode itself: the time at which it is reached is elementary. In these
coordinates they are products of monotone functions, so that their suprema over all times are enclosed by a grid.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, fmpq

from solvers.enclosures import NoEnclosure, precision
from theorems import ByBudget, Choices, Q, eq, slope, symbols
from theorems.papers.lambda_balanced.paper import PAPER

LAZY = (10, 30, 100, 300, 1000)
RICH = (Q(3, 100), Q(1, 100), Q(3, 1000), Q(1, 1000))
MODE_BITS = 160


def clock(goal: Any, lam: Any, x: Any, root: Any, log: Any) -> Any:
    """An antiderivative of 1 / ((goal - x) sqrt(lambda^2 + 4 x^2)), for numbers of any kind."""
    c = root(lam * lam + 4 * goal * goal)
    return log((lam * lam + 4 * goal * x + c * root(lam * lam + 4 * x * x)) / (goal - x)) / c


def ball_clock(goal: arb, lam: arb, x: arb) -> arb:
    """The antiderivative in balls."""
    return clock(goal, lam, x, lambda y: y.sqrt(), lambda y: y.log())


def supremum(value: Callable[[arb, arb], arb], delay: Callable[[arb], arb], slope: arb, X: arb, halvings: int) -> arb:
    """Encloses the supremum over 0 < x <= X of value(x, delay(x)), by bisection in log x.

    Args:
        value: function of (x, d), increasing in d, with value(x, d) <= x (e^d - 1); written for balls, so that a ball x and the
            largest d on it give an upper bound.
        delay: decreasing in x; below a = X/32 it is at most delay(a) + slope log(a/x). If delay(a) > -log(1 - slope), then
            x (e^delay - 1) is largest at a there.
        slope: see `delay`.
        X: the largest x.
        halvings: how often the eight first intervals are halved; those that cannot hold the supremum are dropped.

    Raises:
        NoEnclosure: if the condition on delay(a) is not met.
    """
    known: dict[fmpq, tuple[arb, arb]] = {}

    def at(u: fmpq) -> tuple[arb, arb]:
        if u not in known:
            x = X * (arb(32).log() * -u).exp()
            known[u] = x, delay(x)
        return known[u]

    def upper(u: fmpq, v: fmpq) -> arb:
        (larger, _), (smaller, most) = at(u), at(v)
        return value(larger.union(smaller), most).abs_upper()

    intervals = [(fmpq(k, 8), fmpq(k + 1, 8)) for k in range(8)]
    best = arb(0)
    for _ in range(halvings):
        for _, v in intervals:
            best = best.max(value(*at(v)))
        intervals = [(u, v) for u, v in intervals if not upper(u, v) < best]
        intervals = [half for u, v in intervals for half in ((u, (u + v) / 2), ((u + v) / 2, v))]
    a, last = at(fmpq(1))
    if not last > -(1 - slope).log():
        raise NoEnclosure(f"supremum: the bound on the tail does not decrease (delay {last}, slope {slope})")
    top = a * last.expm1()
    for u, v in intervals:
        top = top.max(upper(u, v))
    return best.union(top)


def lazy_distance(goal: Any, start: Any, lam: Any, halvings: int) -> arb:
    """sup_t |s(t) - (s~ + (s_0 - s~) e^{-|lambda| t})|, enclosed.

    With x = s~ - s and X = s~ - s_0 the distance is x (e^g - 1), where
    g = int (1 - |lambda|/sqrt(lambda^2 + 4 s^2)) / (s~ - s) ds from s_0 to s; the quotient's numerator is largest at s~.
    """
    goal, lam, X = arb(goal), abs(arb(lam)), arb(goal - start)
    begin = ball_clock(goal, lam, arb(start))

    def gain(x: arb) -> arb:
        return (X / x).log() - lam * (ball_clock(goal, lam, goal - x) - begin)

    steepest = 1 - lam / (lam * lam + 4 * goal * goal).sqrt()
    return supremum(lambda x, g: x * g.expm1(), gain, steepest, X, halvings)


def rich_distance(goal: Any, start: Any, lam: Any, halvings: int) -> arb:
    """sup_t |s(t) - L(t)| with the logistic L of lambda = 0, enclosed.

    With x = s~ - s the distance is (1 - e^-y) / (1/s + e^-y/x) <= x (e^y - 1), where
    y = 2 s~ int (1/(2 s) - 1/sqrt(lambda^2 + 4 s^2)) / (s~ - s) ds from s_0 to s; the bracket decreases in s.
    """
    goal, lam, s0 = arb(goal), abs(arb(lam)), arb(start)
    begin, X = ball_clock(goal, lam, s0), goal - s0

    def delay(x: arb) -> arb:
        odds = ((goal - x) * X / (s0 * x)).log()
        return odds - 2 * goal * (ball_clock(goal, lam, goal - x) - begin)

    a = goal - X / 32
    steepest = 2 * goal * (1 / (2 * a) - 1 / (lam * lam + 4 * a * a).sqrt())

    def distance(x: arb, y: arb) -> arb:
        late = (-y).exp()
        return -(-y).expm1() / (1 / (goal - x) + late / x)

    return supremum(distance, delay, steepest, X, halvings)


@PAPER.rate(
    source="lazy and rich limits of the aligned dynamics; exponents derived",
    fidelity="derived",
    evidence="certified",
    domain={
        "goal": Choices(Q(1), Q(3, 2), Q(1, 2)),
        "share": Choices(Q(1, 10), Q(1, 2), Q(1, 20), Q(9, 10)),
        "halvings": ByBudget(quick=8, full=12),
    },
    quick=3,
    full=24,
    method="suprema over all times enclosed in balls, through the time as an elementary function of s; least-squares exponents",
    hypotheses="0 < s_0 < s~ fixed; an aligned mode depends on lambda through |lambda| only",
)
def aligned_mode_dynamics_limits(goal, share, halvings, *, lazy=-2, rich=2):
    r"""Let $\dot s = (\tilde s - s)\sqrt{\lambda^2 + 4s^2}$ with fixed $0 < s(0) = s_0 < \tilde s$. Lazy:
    $\sup_t |s(t) - (\tilde s + (s_0 - \tilde s) e^{-|\lambda| t})| = \Theta(\lambda^{-2})$ as $|\lambda| \to \infty$. Rich:
    $\sup_t \big|s(t) - \frac{\tilde s s_0 e^{2\tilde s t}}{\tilde s - s_0 + s_0 e^{2\tilde s t}}\big| = \Theta(\lambda^2)$ as
    $\lambda \to 0$.
    """
    start = goal * share

    def distances(law, sizes):
        def thunk():
            with precision(MODE_BITS):
                return [law(goal, start, lam, halvings) for lam in sizes]

        return thunk

    yield "lazy", slope(LAZY, distances(lazy_distance, LAZY), lazy, within=Q(7, 100))
    small = [x * goal * share for x in RICH]  # lambda is measured by 2 s_0, the smallest value of 2 s
    yield "rich", slope(small, distances(rich_distance, small), rich, within=Q(1, 100))


aligned_mode_dynamics_limits.mutant("lazy distance of exponent -1", lazy=-1, breaks="lazy")
aligned_mode_dynamics_limits.mutant("lazy distance of exponent -1.9", lazy=-Q(19, 10), breaks="lazy")
aligned_mode_dynamics_limits.mutant("rich distance of exponent 1 (as for the representation)", rich=1, breaks="rich")
aligned_mode_dynamics_limits.mutant("rich distance of exponent 1.95", rich=Q(39, 20), breaks="rich")


@aligned_mode_dynamics_limits.proof("time as a function of s", covers="all lambda > 0, all 0 < s < s~")
def _clock(*, four=4):
    import sympy

    x, gap, lam = symbols("s gap lambda", positive=True)
    goal = symbols("goal", positive=True)
    time = clock(goal, lam, x, sympy.sqrt, sympy.log).diff(x).subs(goal, x + gap)
    yield eq(time, 1 / (gap * sympy.sqrt(lam**2 + four * x**2)))


aligned_mode_dynamics_limits.mutant("sqrt(lambda^2 + s^2) in the clock", four=1, breaks="time as a function of s")
