"""Least squares on logarithmic axes: data as balls, and the contrasts that read a slope and a drift off them.

The least-squares slope and the quadratic coefficient are linear in the transformed values: both are
*contrasts* `sum_i a_i v_i` whose weights depend on the sizes only. In ball arithmetic they are ordinary
numbers with an error bound; for means of draws the same weights carry the standard errors over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

from flint import arb, fmpq, fmpz

from theorems.kernel import exact
from theorems.kernel.outcome import Context, Evidence, KernelError
from theorems.kernel.precision import evaluations
from theorems.kernel.values import Algebraic, Array, rational

AXES = {
    "loglog": (True, True),
    "semilogx": (True, False),
    "semilogy": (False, True),
    "linear": (False, False),
}
SHOWN = 200  # points of one series in a plot
_FIRST_BITS = 64

T = TypeVar("T", arb, float)
Point = tuple[float, ...]


class Unresolved(Exception):
    """A sign that the present precision does not decide; the message says which."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The two sides of a comparison at one working precision, as flat tuples of admitted values."""

    left: tuple[Any, ...]
    right: tuple[Any, ...]
    evidence: Evidence
    bits: int


def exactly(value: Any, what: str) -> fmpq:
    """An exact rational parameter of a comparison.

    Raises:
        KernelError: for floats, bools and everything else that is not an int, Fraction or fmpq.
    """
    from fractions import Fraction

    if isinstance(value, bool) or not isinstance(value, (int, fmpz, fmpq, Fraction)):
        raise KernelError(f"{what}={value!r}: give an exact number (int, Fraction or flint.fmpq), e.g. Q(1, 20)")
    return rational(value)


def positive(value: Any, what: str) -> fmpq:
    """An exact rational parameter that must be > 0."""
    q = exactly(value, what)
    if q <= 0:
        raise KernelError(f"{what}={value}: a positive number is expected")
    return q


def counted(value: Any, what: str, least: int) -> int:
    """A whole-number parameter that must be at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise KernelError(f"{what}={value!r}: a whole number >= {least} is expected")
    return value


def one_of(value: Any, what: str, accepted: Sequence[str]) -> str:
    """A word parameter out of a closed list."""
    if value not in accepted:
        raise KernelError(f"{what}={value!r}: accepted are {', '.join(repr(a) for a in accepted)}")
    return str(value)


def readings(left: Any, right: Any, context: Context) -> Iterator[Reading]:
    """Both sides at growing precision: thunks are evaluated again, exact numbers are read at more bits.

    Args:
        left, right: a thunk for a sequence, or a sequence of values and thunks.
        context: digits and largest precision.
    """
    bits = _FIRST_BITS
    if context.max_bits < bits:
        raise KernelError(f"max_bits={context.max_bits} is below the first working precision of {bits} bits")
    for sides in evaluations(
        _thunk(left),
        _thunk(right),
        bits=bits,
        max_bits=context.max_bits,
        digits=context.digits,
        symbolic=False,
    ):
        reading = Reading(_flat(sides.lhs), _flat(sides.rhs), sides.evidence, max(bits, 4 * context.digits))
        yield reading
        bits *= 2
    if all(isinstance(v, (fmpq, Algebraic)) for v in (*reading.left, *reading.right)):
        while (bits := 2 * reading.bits) <= context.max_bits:
            reading = Reading(reading.left, reading.right, reading.evidence, bits)
            yield reading


def _thunk(values: Any) -> Any:
    if callable(values) or not any(callable(v) for v in values):
        return values
    return lambda: [v() if callable(v) else v for v in values]


def _flat(side: Any) -> tuple[Any, ...]:
    if not isinstance(side, Array) or len(side.shape) != 1:
        shape = side.shape if isinstance(side, Array) else type(side).__name__
        raise KernelError(f"a flat sequence of numbers is expected, one for each size, not {shape}")
    return side.entries


def real_ball(value: Any) -> arb:
    """A ball around an admitted real number, at the current precision."""
    if isinstance(value, arb):
        return value
    if isinstance(value, fmpq):
        return arb(value)
    if isinstance(value, Algebraic):
        return exact.ball(value.expr)
    raise KernelError(f"{value} ({type(value).__name__}) has no logarithm or slope; give finite real numbers")


def log_of(value: Any, what: str) -> arb:
    """The logarithm of a number that must be positive.

    Raises:
        KernelError: when it is certainly not positive.
        Unresolved: when the ball reaches 0.
    """
    ball = real_ball(value)
    if ball > 0:
        return ball.log()
    if ball <= 0:
        raise KernelError(f"{what} is {value}: a logarithmic axis takes positive numbers only")
    raise Unresolved(f"{what} is not known to be positive: {ball}")


def abscissae(xs: Sequence[Any], log: bool, spread: fmpq) -> list[arb]:
    """The sizes on their axis, checked: strictly monotone and spread far enough.

    Args:
        xs: admitted sizes, in the order towards the limit (increasing, or decreasing to 0).
        log: whether the axis is logarithmic.
        spread: least quotient of the largest and the smallest size on a logarithmic axis.
    """
    u = [log_of(x, f"size number {k}") if log else real_ball(x) for k, x in enumerate(xs)]
    steps = [b - a for a, b in pairwise(u)]
    for k, step in enumerate(steps):
        if type(xs[k]) is fmpq and type(xs[k + 1]) is fmpq and xs[k] == xs[k + 1]:
            raise KernelError(f"the size {xs[k]} appears twice; give each size once")
        if not (step > 0 or step < 0):
            raise Unresolved(f"the sizes {xs[k]} and {xs[k + 1]} are not known to differ")
        if (step > 0) != (steps[0] > 0):
            raise KernelError(
                f"the sizes turn back at {xs[k + 1]}; give them in the order towards the limit, "
                "increasing or decreasing throughout"
            )
    if log:
        first, last = real_ball(xs[0]), real_ball(xs[-1])
        quotient = last / first if steps[0] > 0 else first / last
        if quotient < arb(spread):
            raise KernelError(
                f"the sizes span a factor {float(quotient.mid()):.3g} only, less than {spread}; take "
                "sizes further apart, or state spread=... if the short range is meant"
            )
    return u


def contrasts(u: Sequence[T]) -> tuple[list[T], list[T] | None]:
    """Weights a, q of the least-squares slope of v on u, `sum a_i v_i`, and of the coefficient of u^2 in the
    least-squares parabola, `sum q_i v_i` (None for two sizes).

    Args:
        u: distinct abscissae, balls or floats; with balls the weights enclose the exact ones.
    """
    n = len(u)
    mean = sum(u[1:], u[0]) / n
    c = [x - mean for x in u]
    squares = [x * x for x in c]
    total = sum(squares[1:], squares[0])
    slope = [x / total for x in c]
    if n < 3:
        return slope, None
    cubes = [x * s for x, s in zip(c, squares)]
    tilt = sum(cubes[1:], cubes[0]) / total
    bend = [s - total / n - tilt * x for x, s in zip(c, squares)]
    energies = [b * b for b in bend]
    energy = sum(energies[1:], energies[0])
    return slope, [b / energy for b in bend]


def dot(weights: Sequence[T], values: Sequence[T]) -> T:
    """The value of a contrast."""
    terms = [w * v for w, v in zip(weights, values)]
    return sum(terms[1:], terms[0])


def dyadic_mid(ball: arb) -> fmpq:
    """The midpoint of a finite ball as an exact rational."""
    mantissa, exponent = ball.mid().man_exp()
    m, e = fmpz(mantissa), int(exponent)
    return fmpq(m * fmpz(2) ** e) if e >= 0 else fmpq(m, fmpz(2) ** -e)


def above(ball: arb) -> float:
    """A double at least the upper end of a ball, and positive."""
    return max(math.nextafter(float(ball.upper()), math.inf), 5e-324)


def thinned(points: Sequence[Point]) -> tuple[Point, ...]:
    """At most `SHOWN` finite points, first, last and extremes kept."""
    finite = [p for p in points if all(math.isfinite(x) for x in p)]
    if len(finite) <= SHOWN:
        return tuple(finite)
    heights = [p[1] for p in finite]
    keep = {0, len(finite) - 1, heights.index(min(heights)), heights.index(max(heights))}
    keep |= {round(k * (len(finite) - 1) / (SHOWN - 5)) for k in range(SHOWN - 4)}
    return tuple(finite[k] for k in sorted(keep))


def lines(
    x: Sequence[float],
    u: Sequence[float],
    extra: Sequence[float],
    v: Sequence[float],
    slopes: dict[str, float],
    log: bool,
) -> tuple[tuple[str, tuple[Point, ...]], ...]:
    """Straight lines through the centre of the data, for a plot.

    Args:
        x: sizes as shown; u, v: transformed data; extra: the logarithmic factor that was taken off v.
        slopes: name of each line -> its slope.
        log: whether the vertical axis is logarithmic.
    """
    n = len(u)
    mu, mv = sum(u) / n, sum(v) / n
    shown: Callable[[float], float] = _exp if log else float
    out = []
    for name, s in slopes.items():
        heights = [shown(mv + s * (a - mu) + e) for a, e in zip(u, extra)]
        out.append((name, thinned([(a, h, h, h) for a, h in zip(x, heights)])))
    return tuple(out)


def _exp(value: float) -> float:
    return math.exp(value) if value < 709 else math.inf
