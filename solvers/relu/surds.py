"""Sums of square roots with rational coefficients, as {D: q} for sum_D q sqrt(D); every D squarefree, every q nonzero.

Square roots of distinct squarefree integers are independent over the rationals (Besicovitch 1940), so a sum is zero
exactly if it has no terms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flint import arb, fmpq, fmpz

Surds = Mapping[int, fmpq]
MOST_BITS = 128
"""Of integers that are factored for their squarefree part."""


class Unresolved(ArithmeticError):
    """The current precision does not tell a nonzero sum from zero."""


def rational(q: fmpq) -> Surds:
    """A rational number."""
    return {1: q} if q != 0 else {}


def root(q: fmpq) -> Surds | None:
    """sqrt(q) for a rational q >= 0; None if it has more than `MOST_BITS` bits."""
    size = int(q.p) * int(q.q)
    if size.bit_length() > MOST_BITS:
        return None
    if not size:
        return {}
    outside, D = 1, 1
    for prime, power in fmpz(size).factor():
        outside *= int(prime) ** (power // 2)
        D *= int(prime) ** (power % 2)
    return {D: fmpq(outside, int(q.q))}


def combine(coefficients: Sequence[fmpq], values: Sequence[Surds]) -> Surds:
    """A rational combination."""
    total: dict[int, fmpq] = {}
    for t, value in zip(coefficients, values):
        for D, q in value.items():
            total[D] = total.get(D, fmpq(0)) + t * q
    return {D: q for D, q in total.items() if q != 0}


def ball(value: Surds) -> arb:
    """An enclosure at the current precision."""
    return sum((arb(q) * arb(D).sqrt() for D, q in value.items()), arb(0))


def sign(value: Surds) -> int:
    """The exact sign.

    Raises:
        Unresolved: where the current precision does not suffice.
    """
    if not value:
        return 0
    size = ball(value)
    if size > 0:
        return 1
    if size < 0:
        return -1
    raise Unresolved("a nonzero sum of square roots is zero to rounding")
