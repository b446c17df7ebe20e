"""A mask and a weight that differ can change the sign of their product, at a price that is logarithmic in the difference."""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq

from solvers.enclosures import integrate, precision
from solvers.masked_flow import masked_flow, products, weights
from theorems import Choices, Q, bracket, curve, eq, le, lt, shared, slope, symbolic, symbols
from theorems.papers.mask_mirror.instances import HALF, ONE, TWO, ZERO, enclosed
from theorems.papers.mask_mirror.paper import PAPER

BITS = 300
FLOW = ((100, 24), (126, 30), (240, 44))  # bits and Taylor orders
DECADES = (3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
EIGHT = Q(8)


def flip_time(S: Any, a: Any) -> arb:
    """The time from S to -S/2 under x' = -2 sqrt(x^2 + a^2) (x + S)."""
    S, a = arb(S), arb(a)
    c = (S * S + a * a).sqrt()
    return ((2 * a * a + S * S + c * (S * S + 4 * a * a).sqrt()) / (a * a)).log() / (2 * c)


@PAPER.transition(
    source="abstract: an initialisation that allows signs to flip; time derived",
    fidelity="derived",
    evidence="certified",
    domain={"S": Choices(Q(3, 2), ONE, HALF)},
    every=True,
    part="time of the flip",
    method="construction, flow without balance and antiderivative in symbols; the elementary time in balls, its slope and rest by least squares; "
    "enclosed flows of (m, w) on both sides of the threshold",
    hypotheses="one coordinate, f = (x + S)^2/2, x_0 = S > 0, alpha = 0; a is the balance |m_0^2 - w_0^2|/2",
    not_established="signs of several coordinates at once",
)
def sign_flip(S, *, share=1, constant=EIGHT):
    r"""(a) For every $x_0$ and $a > 0$, $m_0 = \sqrt{\sqrt{x_0^2 + a^2} + a}$ and
    $w_0 = \operatorname{sign}(x_0) \sqrt{\sqrt{x_0^2 + a^2} - a}$ have $m_0w_0 = x_0$ and $\frac12(m_0^2 - w_0^2) = a$. (b) Let
    $f(x) = \frac12(x + S)^2$, $x_0 = S > 0$, $\alpha = 0$. With $a = 0$ ($m_0 = w_0$) $x_t = S/(2e^{2St} - 1) > 0$ never changes its sign and
    tends to 0; for every $a > 0$ it converges to $-S$, and reaches $-S/2$ after
    $$T(a) = \frac1{2\sqrt{S^2 + a^2}} \ln\frac{2a^2 + S^2 + \sqrt{(S^2 + a^2)(S^2 + 4a^2)}}{a^2}
    = \frac1S \ln\frac1{2a} + \frac{\ln(8S^2)}{2S} + O\big(a^2 \ln\tfrac1a\big).$$
    """
    sizes = [Q(1, 10**k) for k in DECADES]
    with precision(BITS):
        times = [flip_time(S, a) for a in sizes]
        known = (arb(constant) * S * S).log() / (2 * S)
        rests = [abs(T + (2 * arb(a)).log() / S - known) for T, a in zip(times, sizes)]
    yield "time of the flip", slope(sizes, times, -share / S, within=Q(1, 1000), axes="semilogx")
    yield "rest of the time", slope(sizes, rests, 2, within=Q(1, 20), logs=1)


@sign_flip.proof("construction", covers="all x_0 >= 0, and all x_0 <= 0; all a > 0")
def _construction(*, inner=ONE):
    import sympy

    x, a = symbols("x", nonnegative=True), symbols("a", positive=True)
    root = sympy.sqrt(x**2 + symbolic(inner) * a**2)
    m, size = sympy.sqrt(root + a), x / sympy.sqrt(root + a)
    yield "w = x/m", eq(size**2, root - a)
    for sign in (1, -1):
        yield "product", eq(m * sign * size, sign * x)
        yield "balance", eq((m**2 - (sign * size) ** 2) / 2, a)


@sign_flip.proof(
    "without balance",
    covers="all S > 0, all t >= 0",
    rests_on=("m = w stays so; x = m^2 has x' = -2 x (x + S); S/(2 e^{2St} - 1) tends to 0",),
)
def _stuck(*, two=2):
    import sympy

    S, t = symbols("S", positive=True), symbols("t", nonnegative=True)
    x = S / (two * sympy.exp(2 * S * t) - 1)
    yield "solution", eq(x.diff(t), -2 * x * (x + S))
    yield "start", eq(x.subs(t, 0), S)
    yield "positive", lt(0, x)


@sign_flip.proof(
    "time",
    covers="all a, S > 0, all x > -S",
    rests_on=(
        "mirror-flow-identity with alpha = 0: x' = -(m^2 + w^2) g = -2 sqrt(x^2 + a^2) (x + S) with a constant; it is negative for x > -S, so that x falls "
        "to -S, and passes every x > -S after a finite time",
        "a^2 - S x + sqrt((S^2 + a^2)(x^2 + a^2)) > 0, by the inequality of Cauchy and Schwarz: the logarithm is defined",
    ),
)
def _time(*, front=TWO, speed=TWO):
    import sympy

    S, a, gap = symbols("S a gap", positive=True)
    x = gap - S
    c, root = sympy.sqrt(S**2 + a**2), sympy.sqrt(x**2 + a**2)

    def inside(y, r):
        return (a**2 - S * y + c * r) / (y + S)

    clock = sympy.log(inside(x, root)) / (2 * c)  # minus the time, up to a constant
    yield "antiderivative", eq(clock.diff(gap), -1 / (symbolic(speed) * root * gap))
    quotient = inside(-S / 2, sympy.sqrt(S**2 / 4 + a**2)) / inside(S, c)
    yield "from S to -S/2", eq(quotient, (symbolic(front) * a**2 + S**2 + c * sympy.sqrt(S**2 + 4 * a**2)) / a**2)
    y = symbols("x")
    yield "x falls", lt(0, 2 * sympy.sqrt(y**2 + a**2) * gap)


@shared
def flown(S: fmpq, a: fmpq, T: fmpq) -> tuple[tuple[fmpq, ...], tuple[arb, ...]]:
    """Times and enclosed x there, from S with the balance a (0: m = w)."""
    times: list[fmpq] = []

    def run(order: int) -> list[arb]:
        start = weights([S], [a]) if a != 0 else [arb(S).sqrt()] * 2
        moments = masked_flow(lambda x: [x[0] + S], start, ((ZERO, T),), order=order)
        times[:] = [m.t for m in moments]
        return [products(m.state, 1)[0] for m in moments]

    states = enclosed(run, FLOW, narrow=Q(1, 10**9))
    return tuple(times), states


@sign_flip.check("enclosed flows", domain={"S": Choices(Q(3, 2)), "T": Choices(Q(16))}, every=True)
def _threshold(S, T, *, threshold=ZERO):
    control = [
        ZERO,
        Q(1, 10**8),
        (Q(12000001, 10**7) ** 2 - Q(12, 10) ** 2) / 2,
    ]  # the last: m_0 = 1.2000001, w_0 = 1.2
    runs = {a: flown(S, a, T) for a in control}
    yield (
        "threshold",
        bracket(
            threshold, control, lambda a: runs[a][1][-1], level=0, below=control[0], above=control[1], rising=False
        ),
    )
    yield "ends at -S", le([abs(runs[a][1][-1] + S) for a in control[1:]], Q(1, 1000))
    yield "stays positive", lt(0, list(runs[ZERO][1]))
    for a in control:
        times, x = runs[a]
        yield curve(
            "Crossing 0 needs a balance", times, x, series="a = 0" if a == 0 else f"a = {decimal(a)}", axes=("t", "x")
        )


def decimal(q: fmpq) -> str:
    """A short decimal."""
    return f"{int(q.p) / int(q.q):.2g}"


@sign_flip.crosscheck(
    "time by integration", domain={"S": Choices(Q(3, 2), ONE), "a": Choices(Q(1, 10), HALF, TWO)}, quick=2, full=6
)
def _integral(S, a):
    def difference() -> arb:
        with precision(160):
            return flip_time(S, a) - integrate(
                lambda x: 1 / (2 * (x * x + a * a).sqrt() * (x + S)), -S / 2, S, tolerance_bits=110
            )

    return eq(difference, 0, within=Q(1, 10**25))


sign_flip.mutant("slope 1/(2 S)", share=HALF, breaks="time of the flip")
sign_flip.mutant("slope 1 % off", share=Q(101, 100), breaks="time of the flip")
sign_flip.mutant("constant without the 8", constant=ONE, breaks="rest of the time")
sign_flip.mutant("constant with 7.99 for 8", constant=Q(799, 100), breaks="rest of the time")
sign_flip.mutant("a^2 with the factor 1.01 in m_0", inner=Q(101, 100), breaks="w = x/m")
sign_flip.mutant("S/(3 e^{2St} - 1)", two=3, breaks="start")
sign_flip.mutant("a^2 for 2 a^2 in the logarithm", front=ONE, breaks="from S to -S/2")
sign_flip.mutant("x' = -2.1 sqrt(x^2 + a^2)(x + S)", speed=Q(21, 10), breaks="antiderivative")
sign_flip.mutant("the sign is kept for a up to 1e-6", threshold=Q(1, 10**6), breaks="threshold")
