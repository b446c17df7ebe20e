"""Real roots of functions of one variable: isolation by bisection, sign changes and slopes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb, arb_series, fmpq

from solvers.enclosures.exact import interval, to_arb, to_ball, to_fmpq, to_fraction
from solvers.enclosures.expressions import ball_function
from solvers.enclosures.expressions import derivative as derivative_of
from solvers.enclosures.precision import NoEnclosure
from solvers.enclosures.series import series_coefficient

# Uneven splits, so that roots at simple dyadic points do not fall on the ends of boxes.
_SPLITS = [fmpq(127, 256), fmpq(139, 256), fmpq(115, 256)]


@dataclass(frozen=True, slots=True)
class Isolation:
    """Roots in [a, b]: each ball of `roots` holds exactly one, simple; all others lie in `undecided`
    intervals.

    `undecided` is empty when the count is complete (multiple roots always stay undecided).
    """

    roots: tuple[arb, ...]
    undecided: tuple[tuple[Fraction, Fraction], ...]


def isolate_roots(
    f: Any,
    a: Any,
    b: Any,
    *,
    derivative: Callable[[arb], arb] | None = None,
    resolution_bits: int = 40,
    max_boxes: int = 20_000,
) -> Isolation:
    """All real roots of f in [a, b], each simple one proved to exist and to be unique in its ball.

    Args:
        f: sympy expression in one symbol, or a plain function of one ball (of a power series too, when no
            derivative is given: arithmetic and `solvers.enclosures.functions`).
        a, b: exact rationals, a < b.
        derivative: f' on balls, of an f that is continuous; by default from power series of length 2.
        resolution_bits: boxes narrower than (b - a) 2^-resolution_bits are given up as undecided.
        max_boxes: bound on the work.

    Raises:
        NoEnclosure: if `max_boxes` boxes did not suffice.
    """
    value, slope = _value_and_slope(f, derivative)
    first, last = to_fmpq(a), to_fmpq(b)
    if not first < last:
        raise ValueError(f"isolate_roots: need a < b, got [{a}, {b}]")
    narrow = (last - first) / 2**resolution_bits
    stack = [(first, last)]
    roots: list[arb] = []
    undecided: list[tuple[Fraction, Fraction]] = []
    for _ in range(max_boxes):
        if not stack:
            return Isolation(tuple(roots), tuple(undecided))
        low, high = stack.pop()
        X = interval(low, high)
        middle = to_arb((low + high) / 2)
        d = slope(X)
        bounds = (value(X), value(middle) + d * (X - middle))
        if any(_sign(v) for v in bounds):
            continue
        if _sign(d):  # monotone on X
            if value(to_arb(low)).is_zero():
                roots.append(to_arb(low))
                continue
            if high == last and value(to_arb(high)).is_zero():
                roots.append(to_arb(high))
                continue
            ends = _sign(value(to_arb(low))) * _sign(value(to_arb(high)))
            if ends < 0:
                roots.append(_newton(value, slope, X))
            if ends != 0:
                continue
            if value(to_arb(high)).is_zero():
                continue  # the root belongs to the next box
        if high - low < narrow:
            undecided.append((to_fraction(low), to_fraction(high)))
            continue
        points = [low + (high - low) * t for t in _SPLITS]
        cut = next((c for c in points if _sign(value(to_arb(c)))), points[0])
        stack += [(cut, high), (low, cut)]
    raise NoEnclosure(f"isolate_roots: {max_boxes} boxes left {len(stack)} open; narrow [a, b] or raise max_boxes")


def _newton(value: Callable[[arb], arb], slope: Callable[[arb], arb], X: arb) -> arb:
    """Interval Newton steps on a ball that contains exactly one root and on which the slope has one sign."""
    while True:
        m = X.mid()
        image = m - value(m) / slope(X)
        if not image.is_finite():
            return X
        smaller = X.intersection(image)
        if not smaller.rad() < X.rad() * arb(0.75):
            return X
        X = smaller


def slope_by_series(f: Callable[[Any], Any]) -> Callable[[arb], arb]:
    """The derivative of f on balls, from its power series of length 2."""

    return lambda x: series_coefficient(f(arb_series([x, 1], 2)), 1)


def _value_and_slope(
    f: Any, derivative: Callable[[arb], arb] | None
) -> tuple[Callable[[arb], arb], Callable[[arb], arb]]:
    if hasattr(f, "free_symbols"):
        (x,) = f.free_symbols
        return ball_function(f, [x]), derivative or ball_function(derivative_of(f, x), [x])
    return (lambda x: to_ball(f(x))), derivative or slope_by_series(f)


def _sign(x: arb) -> int:
    """1 or -1 where a finite ball excludes 0 on that side; 0 where nothing is known."""
    if not x.is_finite():
        return 0
    return 1 if x > 0 else -1 if x < 0 else 0
