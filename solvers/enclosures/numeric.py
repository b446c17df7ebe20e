"""Honest numbers where no enclosure exists: the same computation at p and at 2p digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath

from solvers.enclosures.exact import to_fmpq
from solvers.enclosures.precision import precision


@dataclass(frozen=True, slots=True)
class Agreement:
    """Values at working precision p and 2p bits, and how far they differ.

    Attributes:
        low, high: mpmath numbers at p and 2p bits.
        difference: |low - high|, an indication of the error of `low` and no bound on anything.
    """

    low: Any
    high: Any
    difference: Any

    def agrees(self, bits: int) -> bool:
        """Whether the values agree to this many bits, relative to the larger of 1 and |high|."""
        return bool(self.difference <= mpmath.mpf(2) ** -bits * max(mpmath.mpf(1), abs(self.high)))


def twice(f: Callable[[], Any], bits: int) -> Agreement:
    """f() evaluated with mpmath at `bits` and at 2 `bits` of working precision.

    Args:
        f: a computation with mpmath (exact inputs must be converted inside it, at the precision of the call).
        bits: p.

    Raises:
        ArithmeticError: if a value is not finite.
    """
    values = []
    for p in (bits, 2 * bits):
        with precision(p):
            value = mpmath.mpmathify(f())
            if not mpmath.isfinite(value):
                raise ArithmeticError(f"twice: the value at {p} bits is {value}")
            values.append(value)
    with precision(2 * bits):
        return Agreement(values[0], values[1], abs(values[0] - values[1]))


def flow_twice(field: Callable[[list[Any]], Sequence[Any]], x0: Sequence[Any], T: Any, bits: int) -> list[Agreement]:
    """x(T) for x' = field(x) by mpmath's Taylor series at p and 2p bits, for fields that balls cannot follow.

    Args:
        field: d mpmath numbers -> d mpmath numbers.
        x0, T: exact rational initial values and time T > 0.
        bits: p.
    """

    def number(x: Any) -> Any:
        q = to_fmpq(x)
        return mpmath.mpf(int(q.p)) / int(q.q)

    runs = []
    for p in (bits, 2 * bits):
        with precision(p):
            solution = mpmath.odefun(lambda _, x: list(field(x)), 0, [number(v) for v in x0])
            runs.append(solution(number(T)))
    with precision(2 * bits):
        return [Agreement(low, high, abs(low - high)) for low, high in zip(*runs, strict=True)]
