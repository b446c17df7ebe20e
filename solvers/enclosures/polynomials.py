"""Real roots of exact polynomials: isolated, with exact multiplicities, and compared exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from flint import arb, ctx, fmpq_poly, fmpz, fmpz_poly

from solvers.enclosures.exact import to_fmpq
from solvers.enclosures.precision import precision


@dataclass(frozen=True, slots=True)
class RealRoot:
    """The `place`-th smallest real root (from 0) of a squarefree integer polynomial.

    Attributes:
        coefficients: of the squarefree polynomial, constant term first.
        place: index among its real roots in increasing order.
        multiplicity: of the root in the polynomial that was asked about.
    """

    coefficients: tuple[int, ...]
    place: int
    multiplicity: int = 1

    def ball(self, bits: int | None = None) -> arb:
        """A ball that contains this root and no other root of the polynomial, of about `bits` bits."""
        return _isolated(self.coefficients, ctx.prec if bits is None else bits)[self.place]

    def compare(self, other: Any) -> int:
        """-1, 0 or 1, exactly, as this root is below, equal to or above another root or an exact rational."""
        if not isinstance(other, RealRoot):
            q = to_fmpq(other)
            other = RealRoot((-int(q.p), int(q.q)), 0)
        f, g = fmpz_poly(list(self.coefficients)), fmpz_poly(list(other.coefficients))
        union = _coefficients(f * (g // f.gcd(g)) if f.gcd(g).degree() > 0 else f * g)
        bits = 64
        while True:
            roots = _isolated(union, bits)
            places = [[k for k, r in enumerate(roots) if r.overlaps(x.ball(bits))] for x in (self, other)]
            if all(len(p) == 1 for p in places):
                a, b = places[0][0], places[1][0]
                return (a > b) - (a < b)
            bits *= 2

    def sign(self) -> int:
        """The exact sign of the root."""
        return self.compare(0)


def real_roots(polynomial: Any) -> tuple[RealRoot, ...]:
    """All real roots of an exact polynomial in increasing order, with exact multiplicities.

    Args:
        polynomial: fmpz_poly, fmpq_poly, or exact rational coefficients with the constant term first.

    Raises:
        ValueError: for the zero polynomial.
    """
    f = integer_polynomial(polynomial)
    if f == 0:
        raise ValueError("real_roots: every number is a root of the zero polynomial")
    roots = []
    for factor, multiplicity in f.factor_squarefree()[1]:
        coefficients = _coefficients(factor)
        count = len(_isolated(coefficients, 64))
        roots += [RealRoot(coefficients, k, multiplicity) for k in range(count)]
    return in_increasing_order(roots)


def count_real_roots(polynomial: Any) -> int:
    """Number of distinct real roots."""
    return len(real_roots(polynomial))


def integer_polynomial(polynomial: Any) -> fmpz_poly:
    """An integer polynomial with the same roots."""
    if isinstance(polynomial, fmpz_poly):
        return polynomial
    if not isinstance(polynomial, fmpq_poly):
        polynomial = fmpq_poly([to_fmpq(c) for c in polynomial])
    return polynomial.numer()


def in_increasing_order(roots: Sequence[RealRoot]) -> tuple[RealRoot, ...]:
    """Increasing order of distinct roots, at the first precision that separates them."""
    bits = 64
    while True:
        balls = [(r.ball(bits), r) for r in roots]
        balls.sort(key=lambda pair: pair[0].mid())
        if all(x < y for (x, _), (y, _) in pairwise(balls)):
            return tuple(r for _, r in balls)
        bits *= 2


def _coefficients(f: fmpz_poly) -> tuple[int, ...]:
    return tuple(int(c) for c in f.coeffs())


@lru_cache(maxsize=256)
def _isolated(coefficients: tuple[int, ...], bits: int) -> tuple[arb, ...]:
    """Disjoint balls around the real roots of a squarefree polynomial, in increasing order."""
    if len(coefficients) == 2:
        with precision(bits):
            return (arb(-fmpz(coefficients[0])) / fmpz(coefficients[1]),)
    with precision(bits):
        roots = fmpz_poly(list(coefficients)).complex_roots()
        # FLINT isolates all complex roots and sets imaginary parts of real ones to exactly 0.
        return tuple(sorted((z.real for z, _ in roots if z.imag.is_zero()), key=lambda x: x.mid()))
