"""What several claims share: the Hessian of the running example, monomials, exact numbers in symbols."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from flint import fmpq

ONE, HALF = fmpq(1), fmpq(1, 2)
HESSIAN = ((ONE, fmpq(3, 10)), (fmpq(3, 10), fmpq(-4, 5)))


def exponents(d: int, degree: int) -> list[tuple[int, ...]]:
    """Exponents of all monomials of at most a degree in d variables."""
    if d == 1:
        return [(k,) for k in range(degree + 1)]
    return [(k, *rest) for k in range(degree + 1) for rest in exponents(d - 1, degree - k)]


def monomial(x: Sequence[int], powers: Sequence[int]) -> int:
    """x to some powers."""
    return prod(v**e for v, e in zip(x, powers))
