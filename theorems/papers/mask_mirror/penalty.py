"""The implicit penalty passes from L2 to L1: two-sided bounds, and an exponent that falls from 2 to 1."""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq

from solvers.enclosures import precision
from theorems import Choices, Q, bracket, curve, eq, le, lt, symbolic, symbols
from theorems.kernel.positivity import Combination, Minimum
from theorems.papers.mask_mirror.instances import FOUR, HALF, ONE, TWO, ZERO
from theorems.papers.mask_mirror.paper import PAPER

CRITICAL = Q(6532066514068, 10**12)
DIGIT = Q(1, 10**12)
BITS = 400
SIX = Q(6)
EVERY_T = "all t = 1/(2 sqrt(w(1 + w))), w > 0: all t > 0"


@PAPER.bound(
    source="abstract: an implicit L2 regularisation that gradually becomes L1; bounds and threshold derived",
    fidelity="derived",
    evidence="proved",
    method="minima of minima: each derivative that is shown to be >= 0 carries the one before it; for the logarithmic bounds "
    "t = 1/(2 sqrt(w(1 + w))), in which they are log(1 + w) >= 0 and log(1 + w) <= w; the threshold by signs of balls",
    rests_on=(
        "p - 1 ~ 1/(ln 2t - 1): from below by (t - 1)/(t ln 2t - t + 1), since sqrt(1 + t^2) > t and phi < t ln 2t - t + 1",
    ),
)
def penalty_interpolation():
    r"""Let $\phi(t) = t\operatorname{arcsinh} t - \sqrt{1 + t^2} + 1$, so that $R_a(x) - R_a(0) = \frac12 \sum_i a_i \phi(x_i/a_i)$. For
    $t \ge 0$: $\frac{t^2}{2\sqrt{1 + t^2}} \le \phi(t) \le \frac{t^2}2$; for $t > 0$: $t\ln 2t - t < \phi(t) < t\ln 2t - t + 1$. The local
    exponent $p(t) = \frac{d \ln\phi}{d \ln t} = \frac{t \operatorname{arcsinh} t}{\phi(t)}$ decreases strictly, with
    $$\frac{t^2}{6(1 + t^2)} \le 2 - p(t) \le \frac{t^2}6, \qquad p(t) - 1 = \frac{\sqrt{1 + t^2} - 1}{\phi(t)} \le \frac1{\ln 2t - 1}
    \quad (2t > e),$$ so that $p \to 2$ as $t \to 0$, $2 - p \sim t^2/6$, and $p \to 1$ as $t \to \infty$, $p - 1 \sim \frac1{\ln 2t - 1}$. With
    constant $\alpha$ an entry $|x| = t\,a_T$ passes from L2-like to L1-like ($p = \frac32$) at $t_* = 6.532066514068\ldots$, that is at
    $T = \frac1{4\alpha} \ln\frac{t_* a_0}{|x|}$.
    """


def functions_of(t: Any) -> tuple[Any, Any, Any]:
    """sqrt(1 + t^2), arcsinh t and phi(t)."""
    import sympy

    s, A = sympy.sqrt(1 + t**2), sympy.asinh(t)
    return s, A, t * A - s + 1


def nested(f: Any, t: Any, depth: int) -> Any:
    """f >= 0 for t >= 0 since f(0) >= 0 and f' >= 0, which holds for the same reason; the depth-th derivative shows its sign."""
    if depth == 0:
        return None
    derivative = f.diff(t)
    return Minimum(t, 0, derivative=Combination([(1, 1, (t, (derivative, nested(derivative, t, depth - 1))))]))


@penalty_interpolation.proof("at most t^2/2", covers="all t >= 0")
def _upper(*, upper=TWO):
    t = symbols("t", nonnegative=True)
    _, _, phi = functions_of(t)
    bound = t**2 / symbolic(upper)
    yield le(phi, bound, by=nested(bound - phi, t, 2))


@penalty_interpolation.proof("at least t^2/(2 sqrt(1 + t^2))", covers="all t >= 0")
def _lower(*, lower=TWO, rooted=True):
    t = symbols("t", nonnegative=True)
    s, _, phi = functions_of(t)
    bound = t**2 / (symbolic(lower) * (s if rooted else 1))
    yield le(bound, phi, by=nested(phi - bound, t, 2))


def far(w: Any) -> tuple[Any, tuple[Any, Any]]:
    """t = 1/(2 sqrt(w(1 + w))), and 1 + t - sqrt(1 + t^2) as a product of positive factors."""
    import sympy

    return 1 / (2 * sympy.sqrt(w * (1 + w))), (1 / (sympy.sqrt(w) + sympy.sqrt(1 + w)), 1 / sympy.sqrt(1 + w))


@penalty_interpolation.proof("at least t ln 2t - t", covers=EVERY_T)
def _above_line(*, slope=ONE):
    import sympy

    w = symbols("w", positive=True)
    t, rest = far(w)
    _, _, phi = functions_of(t)
    line = t * sympy.log(2 * t) - symbolic(slope) * t
    yield lt(line, phi, by=Combination([(1, 1, (t, sympy.log(1 + w))), (1, 1, rest)]))


@penalty_interpolation.proof("at most t ln 2t - t + 1", covers=EVERY_T)
def _below_line(*, gap=ONE):
    import sympy

    w = symbols("w", positive=True)
    t, _ = far(w)
    _, _, phi = functions_of(t)
    line = t * sympy.log(2 * t) - t + symbolic(gap)
    yield lt(phi, line, by=Combination([(1, 1, (t, (w - sympy.log(1 + w), Minimum(w, 0)))), (1, 1, (t, w))]))


@penalty_interpolation.proof(
    "exponent decreases",
    covers="all t > 0",
    rests_on=("p' = -(t phi'^2 - phi phi' - t phi phi'')/phi^2, and phi' = arcsinh t, phi'' = 1/sqrt(1 + t^2)",),
)
def _decreasing(*, square=2):
    t = symbols("t", positive=True)
    s, A, phi = functions_of(t)
    yield "first derivative", eq(phi.diff(t), A)
    yield "numerator", eq(t * A**square - phi * A - t * phi / s, (s - 1) * (t - A) / s)
    signs = ((t - A, Minimum(t, 0)), (s - 1, None), 1 / s)
    yield "numerator is positive", lt(0, (s - 1) * (t - A) / s, by=Combination([(1, 1, signs)]))


@penalty_interpolation.proof("2 - p at most t^2/6", covers="all t > 0, multiplied by 6 phi")
def _near_two_upper(*, six=SIX):
    t = symbols("t", nonnegative=True)
    _, A, phi = functions_of(t)
    most = t**2 * phi - symbolic(six) * (2 * phi - t * A)
    yield le(0, most, by=nested(most, t, 4))


@penalty_interpolation.proof("2 - p at least t^2/(6 (1 + t^2))", covers="all t > 0, multiplied by 6 (1 + t^2) phi")
def _near_two_lower(*, rest=ONE):
    t = symbols("t", nonnegative=True)
    _, A, phi = functions_of(t)
    least = 6 * (1 + symbolic(rest) * t**2) * (2 * phi - t * A) - t**2 * phi
    yield le(0, least, by=nested(least, t, 4))


@penalty_interpolation.proof(
    "p - 1", covers="all t > 0; where ln 2t >= 1", rests_on=("phi > 0 for t > 0 (at least t^2/(2 sqrt(1 + t^2)))",)
)
def _near_one(*, one=ONE):
    import sympy

    x, w = symbols("x w", positive=True)
    s, A, phi = functions_of(x)
    yield "as a quotient", eq(x * A / phi - 1, (s - 1) / phi)
    t, rest = far(w)
    s, _, phi = functions_of(t)
    level = sympy.log(2 * t) - symbolic(one)
    terms = [(1, 1, (t, sympy.log(1 + w))), (1, 1, rest), (1, 1, (level, *rest))]
    yield "at most 1/(ln 2t - 1)", le((s - 1) * level, phi, given=[level], by=Combination(terms))


def p_at(t: fmpq) -> arb:
    """The local exponent as a ball."""
    with precision(BITS):
        x = arb(t)
        A = x.asinh()
        return x * A / (x * A - (1 + x * x).sqrt() + 1)


@penalty_interpolation.proof("threshold", rests_on=("p decreases, so that it passes 3/2 once",))
def _threshold(*, critical=CRITICAL):
    yield "p above 3/2 just below", lt(Q(3, 2), lambda: p_at(critical - DIGIT))
    yield "p below 3/2 just above", lt(lambda: p_at(critical + DIGIT), Q(3, 2))


@penalty_interpolation.proof("time of the passage", covers="all a_0, alpha, |x|, t > 0")
def _passage(*, exponent=FOUR):
    import sympy

    a0, alpha, x, t = symbols("a_0 alpha x t", positive=True)
    T = sympy.log(t * a0 / x) / (4 * alpha)
    yield eq(x / (a0 * sympy.exp(-symbolic(exponent) * alpha * T)), t)


@penalty_interpolation.crosscheck("far out", domain={"k": Choices(3, 5, 20)}, every=True)
def _far_out(k):
    """2 - p = t^2/6 (1 + O(t^2)) at t = 10^-k, p - 1 = (1 + O(1/t))/(ln 2t - 1) at t = 10^k."""
    t = Q(10) ** k
    with precision(BITS):
        level = (2 * arb(t)).log() - 1
        yield "2 - p against t^2/6", le(abs((2 - p_at(1 / t)) * t * t - Q(1, 6)), 1 / t**2)
        yield "p - 1 against 1/(ln 2t - 1)", le(abs((p_at(t) - 1) * level - 1), 2 / t)


@penalty_interpolation.crosscheck("passage", domain={"level": Choices(Q(3, 2))}, every=True)
def _bracketed(level, *, critical=CRITICAL):
    control = [Q(1, 100), Q(1), Q(6), Q(6532, 1000), Q(6533, 1000), Q(7), Q(100)]
    yield "passage", bracket(critical, control, p_at, level=level, rising=False)
    grid = range(-12, 25)
    yield curve(
        "From L2 to L1: the local exponent of the penalty",
        grid,
        [p_at(Q(2) ** j) for j in grid],
        axes=("log2 |x|/a", "p"),
    )


penalty_interpolation.mutant("at most t^2/4", upper=FOUR, breaks="at most t^2/2")
penalty_interpolation.mutant("at most t^2/2.1", upper=Q(21, 10), breaks="at most t^2/2")
penalty_interpolation.mutant("at least t^2/2", rooted=False, breaks="at least t^2/(2 sqrt(1 + t^2))")
penalty_interpolation.mutant(
    "at least t^2/(1.9 sqrt(1 + t^2))", lower=Q(19, 10), breaks="at least t^2/(2 sqrt(1 + t^2))"
)
penalty_interpolation.mutant("gap 1/2 for 1", gap=HALF, breaks="at most t ln 2t - t + 1")
penalty_interpolation.mutant("gap 0.99 for 1", gap=Q(99, 100), breaks="at most t ln 2t - t + 1")
penalty_interpolation.mutant("lower bound without -t", slope=ZERO, breaks="at least t ln 2t - t")
penalty_interpolation.mutant("lower bound with -0.9 t", slope=Q(9, 10), breaks="at least t ln 2t - t")
penalty_interpolation.mutant("t phi' for t phi'^2", square=1, breaks="numerator")
penalty_interpolation.mutant("2 - p at most t^2/6.1", six=Q(61, 10), breaks="2 - p at most t^2/6")
penalty_interpolation.mutant("2 - p at least t^2/(6 + 3 t^2)", rest=HALF, breaks="2 - p at least t^2/(6 (1 + t^2))")
penalty_interpolation.mutant("p - 1 at most 1/ln 2t", one=ZERO, breaks="at most 1/(ln 2t - 1)")
penalty_interpolation.mutant("passage at 6.54", critical=Q(654, 100), breaks="passage")
penalty_interpolation.mutant(
    "threshold off in the ninth digit", critical=CRITICAL + Q(1, 10**8), breaks="p above 3/2 just below"
)
penalty_interpolation.mutant(
    "passage after ln(.)/(4 alpha) at the exponent 2", exponent=TWO, breaks="time of the passage"
)
