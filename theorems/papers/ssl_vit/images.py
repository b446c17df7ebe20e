"""Images cut into areas: their sizes, and how many patches of each area a random mask leaves visible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import arb, fmpq, fmpz

from solvers.enclosures import precision


def rounded(scale: fmpq, digits: int, exponent: fmpq) -> int:
    """The integer nearest to scale * 10^(digits * exponent), halves upwards."""
    return rounded_power(scale, 10, digits * exponent)


def rounded_power(scale: fmpq, base: int, exponent: fmpq) -> int:
    """The integer nearest to scale * base^exponent, halves upwards."""
    with precision(200):
        value = scale * arb(base) ** exponent
        nearest = (value + fmpq(1, 2)).floor()
        exact = nearest.unique_fmpz()
        if exact is None:
            raise ArithmeticError(f"{value} is not separated from a half-integer")
        return int(exact)


@dataclass(frozen=True)
class Areas:
    """An image of P patches with one global area of `large` patches and others of `small` patches, half of it visible."""

    P: int
    large: int
    small: int


def falling(n: int, i: int) -> fmpz:
    """n (n - 1) ... (n - i + 1)."""
    product = fmpz(1)
    for j in range(i):
        product *= n - j
    return product


def factorial_moment(total: int, drawn: int, sizes: Sequence[int], orders: Sequence[int]) -> fmpq:
    """E[(u_1)_{i_1} (u_2)_{i_2} ...] of falling factorials of multivariate hypergeometric counts.

    Args:
        total: population size.
        drawn: number drawn without replacement.
        sizes, orders: sizes of some disjoint classes, and an order i >= 0 for each.
    """
    order = sum(orders)
    numerator = falling(drawn, order)
    for size, i in zip(sizes, orders):
        numerator *= falling(size, i)
    return fmpq(numerator, falling(total, order))
