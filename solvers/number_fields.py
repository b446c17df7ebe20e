"""Real number fields Q(x): exact arithmetic with one irrational algebraic number, and exact signs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import total_ordering
from math import isqrt
from typing import Any

from flint import arb, fmpq, fmpq_poly

from solvers.certificates import rational
from solvers.enclosures import RealRoot, precision, real_roots


@dataclass(frozen=True)
class RealField:
    """Q(x) for one real root x of an irreducible polynomial; made by `real_field` or `root_of`."""

    root: RealRoot

    @property
    def modulus(self) -> fmpq_poly:
        """The minimal polynomial of x."""
        return fmpq_poly(list(self.root.coefficients))

    @property
    def generator(self) -> Irrational:
        """x itself."""
        return Irrational(self, fmpq_poly([0, 1]))


@total_ordering
class Irrational:
    """A polynomial in the generator of a real field; compares and combines with exact rationals and its own kind."""

    def __init__(self, field: RealField, polynomial: fmpq_poly) -> None:
        self.field, self.polynomial = field, polynomial % field.modulus

    def _other(self, value: Any) -> fmpq_poly | None:
        if isinstance(value, Irrational):
            if value.field != self.field:
                raise ValueError(
                    "numbers of two different fields do not combine; express both in one field that holds them"
                )
            return value.polynomial
        try:
            return fmpq_poly([rational(value)])
        except TypeError:
            return None

    def __add__(self, other: Any) -> Irrational:
        q = self._other(other)
        return NotImplemented if q is None else Irrational(self.field, self.polynomial + q)

    def __mul__(self, other: Any) -> Irrational:
        q = self._other(other)
        return NotImplemented if q is None else Irrational(self.field, self.polynomial * q)

    def __neg__(self) -> Irrational:
        return Irrational(self.field, -self.polynomial)

    def __sub__(self, other: Any) -> Irrational:
        q = self._other(other)
        return NotImplemented if q is None else Irrational(self.field, self.polynomial - q)

    def inverse(self) -> Irrational:
        """1 / self.

        Raises:
            ZeroDivisionError: for 0.
        """
        if self.polynomial == 0:
            raise ZeroDivisionError("division by 0 in a number field")
        _, s, _ = self.polynomial.xgcd(self.field.modulus)
        return Irrational(self.field, s)

    def __truediv__(self, other: Any) -> Irrational:
        q = self._other(other)
        return NotImplemented if q is None else self * Irrational(self.field, q).inverse()

    def __pow__(self, n: int) -> Irrational:
        power = Irrational(self.field, fmpq_poly([1]))
        for _ in range(abs(n)):
            power = power * self
        return power if n >= 0 else power.inverse()

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: Any) -> Irrational:
        return (-self).__add__(other)

    def __rtruediv__(self, other: Any) -> Irrational:
        return self.inverse().__mul__(other)

    def __eq__(self, other: object) -> bool:
        q = self._other(other)
        return NotImplemented if q is None else bool(self.polynomial == q % self.field.modulus)

    def __lt__(self, other: Any) -> bool:
        q = self._other(other)
        return NotImplemented if q is None else (self - Irrational(self.field, q)).sign() < 0

    def __hash__(self) -> int:
        return hash((self.field, str(self)))

    def __str__(self) -> str:
        return str(self.polynomial)

    __repr__ = __str__

    def ball(self, bits: int = 64) -> arb:
        """A ball that contains the number, computed at about this precision."""
        with precision(bits):
            x, total = self.field.root.ball(bits), arb(0)
            for c in reversed(self.polynomial.coeffs()):
                total = total * x + c
            return total

    def sign(self) -> int:
        """-1, 0 or 1, exactly: 0 is recognised in the field, anything else is separated from 0 at some precision."""
        if self.polynomial == 0:
            return 0
        bits = 64
        while True:
            value = self.ball(bits)
            if value > 0 or value < 0:
                return 1 if value > 0 else -1
            bits *= 2


def real_field(coefficients: Any, near: float) -> RealField:
    """The field of the real root nearest to a number.

    Args:
        coefficients: of an irreducible polynomial of degree at least 2, exact, constant term first.
        near: tells which root is meant.

    Raises:
        ValueError: if the polynomial is reducible over the rationals, has degree below 2, or no real root.
    """
    p = fmpq_poly([rational(c) for c in coefficients])
    factors = p.factor()[1] if p != 0 else []
    if p.degree() < 2 or len(factors) != 1 or factors[0][1] != 1:
        raise ValueError(f"{p} is not irreducible of degree at least 2; give the factor whose root is meant")
    roots = real_roots(p)
    if not roots:
        raise ValueError(f"{p} has no real root")
    return RealField(min(roots, key=lambda r: abs(float(r.ball(64).mid()) - near)))  # branch


def root_of(value: object) -> Any:
    """The square root of a rational number >= 0: a rational, or the generator of its quadratic field.

    Raises:
        ValueError: for a negative number.
    """
    square = rational(value)
    if square < 0:
        raise ValueError(f"{square} has no real square root")
    p, q = int(square.p), int(square.q)
    if isqrt(p) ** 2 == p and isqrt(q) ** 2 == q:
        return fmpq(isqrt(p), isqrt(q))
    return real_field([-square, 0, 1], (p / q) ** 0.5).generator
