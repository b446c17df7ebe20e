"""Gradient flow in function space, integrated in balls.

The flow is df/dt = -D lambda, d lambda/dt = -4 c f D. It is integrated in balls; when it reaches a given f is known in
closed form (A obeys a Riccati equation), which only places the times at which the enclosures are read.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from flint import arb, fmpq

from solvers.enclosures import NoEnclosure, flow, precision
from theorems import shared

BITS = 160  # precision at which enclosures are compared
ATTEMPTS = (80, 160, 320, 640)  # working precisions of the flows; Taylor steps of order bits / 4 + 2
NARROW = fmpq(1, 10**13)  # radius of the states that ends the attempts


def order_at(bits: int) -> int:
    """The Taylor order that is cheapest at a working precision, by trial."""
    return bits // 4 + 2


def times_of(f0: Any, f: list[Any], y: Any, q: Any, kappa2: Any) -> list[fmpq]:
    """Rational times near those at which the flow from f0 passes the values f (the order of f is that of the flow).

    A = (lambda + 2 q f) / 2 obeys A' = -(A - a)(A - b) with a, b = q y +- sqrt(q^2 y^2 + kappa^2 / 4).
    """
    root = (arb(q) * arb(q) * y * y + arb(kappa2) / 4).sqrt()
    a, b = q * y + root, q * y - root

    def clock(value: Any) -> arb:
        z = arb(value) * q
        A = z + (z * z + arb(kappa2) / 4).sqrt()
        return abs((A - b) / (A - a)).log() / (a - b)

    start, scale = clock(f0), 10**30
    return [fmpq(int(((clock(v) - start) * scale).mid().floor().unique_fmpz()), scale) for v in f]


@shared
def trajectory(f0: fmpq, trace2: fmpq, y: fmpq, c: fmpq, stops: tuple[fmpq, ...]) -> tuple[tuple[arb, ...], ...]:
    """Enclosures of (f, lambda) along the flow from (f0, sqrt(trace2)) at rational times near those of the stops."""

    def field(X: list[Any]) -> list[Any]:
        D = X[0] - y
        return [-(D * X[1]), -(X[0] * D) * (4 * c)]

    s = 1 if y > 0 else -1  # the clock is that of A, which vanishes along with kappa when f < 0
    for bits in ATTEMPTS:
        with precision(bits):
            kappa2 = trace2 - 4 * c * f0 * f0
            times = [fmpq(0), *times_of(s * f0, [s * f for f in stops], s * y, arb(c).sqrt(), kappa2)]
            states: list[tuple[arb, ...]] = [(arb(f0), arb(trace2).sqrt())]
            for a, b in pairwise(times):
                states.append(tuple(flow(field, states[-1], b - a, order=order_at(bits))))
            if all(v.rad() < NARROW for state in states for v in state):
                return tuple(states)
    raise NoEnclosure(f"trajectory: radii above 1e-13 at {ATTEMPTS[-1]} bits, from f = {f0} to {y}")


def between(f0: fmpq, y: fmpq, parts: int, *others: fmpq) -> tuple[fmpq, ...]:
    """`parts` - 1 equidistant values strictly between f0 and y, and others there, in the order of the flow."""
    grid = {f0 + (y - f0) * fmpq(k, parts) for k in range(1, parts)}
    grid |= {v for v in others if (v - f0) * (y - v) > 0}
    return tuple(sorted(grid, reverse=y < f0))
