"""Validated solutions of ordinary differential equations x' = f(x): Taylor steps with a rigorous remainder.

A step [t, t + h] first finds a box B with x + [0, h] f(B) inside B (Picard: the solution exists and stays
in B), then adds the Taylor polynomial of degree K - 1 at x and the K-th coefficient over B times h^K
(Lagrange remainder). All
in balls: errors of earlier steps are carried along, growing like exp of the integral of |f'|; a wide result
asks for more bits. Source: N. Nedialkov, K. Jackson, G. Corliss, Validated solutions of initial value
problems (1999).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flint import arb, arb_series, ctx, fmpq

from solvers.enclosures.exact import interval, to_arb, to_ball, to_fmpq
from solvers.enclosures.precision import NoEnclosure
from solvers.enclosures.series import series_coefficient, series_length

Field = Callable[[list[Any]], Sequence[Any]]

PICARD_ROUNDS = 8


@dataclass(frozen=True, slots=True)
class FlowStep:
    """One validated step: the solution at time `t` and `t + h`, and a box that holds it in between."""

    t: fmpq
    h: fmpq
    start: tuple[arb, ...]
    box: tuple[arb, ...]
    end: tuple[arb, ...]


def flow(field: Field, x0: Sequence[Any], T: Any, *, order: int | None = None, max_steps: int = 20_000) -> list[arb]:
    """An enclosure of x(T) for x' = field(x), x(0) = x0.

    Args:
        field: d balls or power series -> d values, written with arithmetic and `solvers.enclosures.functions`
            (polynomial fields always work; time dependence: append a coordinate with derivative 1).
        x0: d exact numbers or balls.
        T: exact rational time, negative times too.
        order: Taylor order K (default: grows with the precision).
        max_steps: bound on the number of steps.

    Returns:
        d balls. Existence of the solution up to T is part of what is proved.

    Raises:
        NoEnclosure: if no step can be validated (near a blow-up, or x0 too wide) or `max_steps` is reached.
    """
    state = [to_arb(x) for x in x0]
    for step in flow_steps(field, x0, T, order=order, max_steps=max_steps):
        state = list(step.end)
    return state


def flow_steps(
    field: Field, x0: Sequence[Any], T: Any, *, order: int | None = None, max_steps: int = 20_000
) -> Iterator[FlowStep]:
    """The steps behind `flow`, for bounds along the whole trajectory; arguments as there."""
    K = order or max(8, ctx.prec // 5)
    end, t = to_fmpq(T), fmpq(0)
    backward = end < 0
    f: Field = (lambda x: [-v for v in field(x)]) if backward else field
    x = [to_arb(v) for v in x0]
    for _ in range(max_steps):
        left = abs(end) - t
        if left == 0:
            return
        coefficients = taylor(f, x, K)
        h = min(_step_size(coefficients), left)
        box = None
        for _ in range(64):
            box = _picard(f, x, h)
            if box is not None:
                break
            h = h / 2
        if box is None:
            raise NoEnclosure(f"flow: no step from t = {arb(t).str(10)} can be validated at {ctx.prec} bits; state {x}")
        following = _advance(coefficients, taylor(f, box, K), h)
        sign = -1 if backward else 1
        yield FlowStep(sign * t, sign * h, tuple(x), tuple(box), tuple(following))
        x, t = following, t + h
    if t != abs(end):
        raise NoEnclosure(f"flow: {max_steps} steps reached t = {arb(t).str(10)} only; raise max_steps or the order")


def taylor(field: Field, x: Sequence[arb], order: int) -> list[list[arb]]:
    """Taylor coefficients 0..order, by coordinate, of the solutions through every point of the box x."""
    coefficients = [[v] for v in x]
    with series_length(order):
        for k in range(order):
            image = field([arb_series(c, k + 1) for c in coefficients])
            for c, v in zip(coefficients, image, strict=True):
                c.append(series_coefficient(v, k) / (k + 1))
    return coefficients


def _advance(coefficients: list[list[arb]], remainder: list[list[arb]], h: fmpq) -> list[arb]:
    """Taylor polynomial at h (Horner), its last coefficient taken over the box."""
    step = to_arb(h)
    result = []
    for c, r in zip(coefficients, remainder, strict=True):
        value = r[-1]
        for a in reversed(c[:-1]):
            value = value * step + a
        result.append(value)
    if not all(v.is_finite() for v in result):
        raise NoEnclosure("flow: the remainder is not finite")
    return result


def _picard(field: Field, x: list[arb], h: fmpq) -> list[arb] | None:
    """A box B with x + [0, h] field(B) inside B, or None if a few inflations do not reach one."""
    times = interval(0, h)
    box = [_inflate(v + times * to_ball(d)) for v, d in zip(x, field(x), strict=True)]
    for _ in range(PICARD_ROUNDS):
        image = [v + times * to_ball(d) for v, d in zip(x, field(box), strict=True)]
        if all(b.is_finite() and v.is_finite() and b.contains(v) for b, v in zip(box, image, strict=True)):
            return image
        if not all(v.is_finite() for v in image):
            return None
        # only what is left is widened: a narrow coordinate would else run after the others, which widen its image
        box = [b if b.contains(v) else _inflate(b.union(v)) for b, v in zip(box, image, strict=True)]
    return None


def _inflate(b: arb) -> arb:
    return arb(b.mid(), b.rad() * arb(1.125) + arb(2) ** (4 - ctx.prec) * (1 + b.abs_upper()))


def _step_size(coefficients: list[list[arb]]) -> fmpq:
    """A power of two below the step at which the last two terms fall to the working precision."""
    K = len(coefficients[0]) - 1
    scale = max([0.0] + [_log2(c[0]) for c in coefficients])
    logs = []
    for k in (K - 1, K):
        size = max(_log2(c[k]) for c in coefficients)
        if size > -1e9:
            logs.append((scale - ctx.prec - size) / k)
    exponent = int(min(logs) // 1) if logs else 0
    exponent = max(-1000, min(20, exponent))
    return fmpq(2) ** exponent if exponent >= 0 else fmpq(1, 2**-exponent)


def _log2(x: arb) -> float:
    """log2 of the upper end of |x| to within 1, for step sizes only; -1e9 and below for 0."""
    upper = x.abs_upper()
    if not upper.is_finite() or upper == 0:
        return 1e6 if not upper.is_finite() else -2e9
    mantissa, exponent = upper.mid().man_exp()
    return float(int(exponent) + int(mantissa).bit_length())
