"""Vectors and scalars of a performance estimation problem: linear and quadratic in unknown vectors.

A `Vector` is an exact linear combination of unknown vectors; a `Scalar` is an exact combination of their inner products,
of unknown numbers (function values), and of 1. Nothing here knows which problem the unknowns belong to. Coefficients are rationals
(`fmpq`); for proofs by multipliers also numbers of a real field (`solvers.number_fields`) or symbolic expressions.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq

from solvers.certificates import rational
from solvers.number_fields import Irrational

Pair = tuple[int, int]
"""Indices (i, j), i <= j, of two unknown vectors."""

ZERO = fmpq(0)


def exact(value: object) -> Any:
    """A coefficient: a rational, or a number of a real field or a symbolic expression without floats as it is.

    Raises:
        TypeError: for anything else, a float in particular.
    """
    sympy = sys.modules.get("sympy")
    if isinstance(value, Irrational) or (sympy and isinstance(value, sympy.Expr) and not value.has(sympy.Float)):
        return value
    return rational(value)


def _added(a: Mapping[Any, fmpq], b: Mapping[Any, fmpq], factor: fmpq) -> dict[Any, fmpq]:
    total = dict(a)
    for key, value in b.items():
        known = total.get(key)
        changed = factor * value if known is None else known + factor * value
        if changed == 0:
            total.pop(key, None)
        else:
            total[key] = changed
    return total


@dataclass(frozen=True, eq=False)
class Vector:
    """A linear combination of unknown vectors: {index: coefficient}, without zeros."""

    terms: Mapping[int, fmpq] = field(default_factory=dict)

    def __add__(self, other: Vector) -> Vector:
        return Vector(_added(self.terms, _vector(other).terms, fmpq(1)))

    def __sub__(self, other: Vector) -> Vector:
        return Vector(_added(self.terms, _vector(other).terms, fmpq(-1)))

    def __neg__(self) -> Vector:
        return self * -1

    def __mul__(self, factor: object) -> Vector:
        if isinstance(factor, (Vector, Scalar)):
            raise TypeError(
                "a Vector is multiplied by exact numbers; products of vectors are inner(v, w) and squared(v)"
            )
        return Vector(_added({}, self.terms, exact(factor)))

    def __rmul__(self, factor: object) -> Vector:
        return self * factor

    def __truediv__(self, divisor: object) -> Vector:
        return Vector(_added({}, self.terms, 1 / exact(divisor)))

    @property
    def key(self) -> tuple[tuple[int, str], ...]:
        """Equal for equal vectors."""
        return tuple((i, str(self.terms[i])) for i in sorted(self.terms))


ORIGIN = Vector()
"""The zero vector."""


def _vector(value: Any) -> Vector:
    if isinstance(value, Vector):
        return value
    raise TypeError(
        f"expected a Vector, got {type(value).__name__}; numbers multiply vectors and are not added to them, the parts of a sample are .x, .g and .f"
    )


@dataclass(frozen=True, eq=False)
class Scalar:
    """A quadratic expression: inner products, unknown numbers, and a constant.

    Attributes:
        products: {(i, j): coefficient of the inner product of unknown vectors i <= j}, without zeros.
        values: {k: coefficient of unknown number k}, without zeros.
        constant: exact.
    """

    products: Mapping[Pair, fmpq] = field(default_factory=dict)
    values: Mapping[int, fmpq] = field(default_factory=dict)
    constant: fmpq = ZERO

    def _plus(self, other: Any, sign: fmpq) -> Scalar:
        b = scalar(other)
        return Scalar(
            _added(self.products, b.products, sign),
            _added(self.values, b.values, sign),
            self.constant + sign * b.constant,
        )

    def __add__(self, other: Any) -> Scalar:
        return self._plus(other, fmpq(1))

    def __radd__(self, other: Any) -> Scalar:
        return self._plus(other, fmpq(1))

    def __sub__(self, other: Any) -> Scalar:
        return self._plus(other, fmpq(-1))

    def __rsub__(self, other: Any) -> Scalar:
        return scalar(other)._plus(self, fmpq(-1))

    def __neg__(self) -> Scalar:
        return self * -1

    def __mul__(self, factor: object) -> Scalar:
        if isinstance(factor, (Vector, Scalar)):
            raise TypeError(
                "values and inner products are multiplied by exact numbers only: a program is linear in them"
            )
        c = exact(factor)
        return Scalar(_added({}, self.products, c), _added({}, self.values, c), c * self.constant)

    def __rmul__(self, factor: object) -> Scalar:
        return self * factor

    def __truediv__(self, divisor: object) -> Scalar:
        return self.__mul__(1 / exact(divisor))

    def coefficients(self) -> list[Any]:
        """All coefficients, the constant last."""
        return [*self.products.values(), *self.values.values(), self.constant]

    def form(self, coordinates: Sequence[Any]) -> Any:
        """The quadratic part at vectors on a line: coordinates[i] in place of unknown vector i.

        It is a sum of squares, so nonnegative for all vectors, if it is nonnegative for all coordinates.
        """
        return sum((v * coordinates[i] * coordinates[j] for (i, j), v in self.products.items()), ZERO)


def scalar(value: Any) -> Scalar:
    """A `Scalar` as it is; an exact number as a constant."""
    if isinstance(value, Vector):
        raise TypeError("a Vector is no number: take squared(v) or inner(v, w)")
    return value if isinstance(value, Scalar) else Scalar(constant=exact(value))


def inner(a: Vector, b: Vector) -> Scalar:
    """The inner product of two vectors."""
    products: dict[Pair, fmpq] = {}
    for i, p in _vector(a).terms.items():
        for j, q in _vector(b).terms.items():
            pair = (i, j) if i <= j else (j, i)
            known = products.get(pair)
            products[pair] = p * q if known is None else known + p * q
    return Scalar({pair: value for pair, value in products.items() if value != 0})


def squared(a: Vector) -> Scalar:
    """The squared norm of a vector."""
    return inner(a, a)
