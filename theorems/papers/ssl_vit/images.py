"""Images cut into areas, and their sizes."""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb, fmpq

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
