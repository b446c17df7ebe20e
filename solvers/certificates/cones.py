"""The cones of the standard form, with exact membership tests for each cone and its dual.

| kind          | rows       | set                                                                       |
|---------------|------------|---------------------------------------------------------------------------|
| `zero`        | n          | s = 0                                                                     |
| `nonneg`      | n          | s >= 0                                                                    |
| `soc`         | n          | s_0 >= |(s_1, ..., s_{n-1})|                                              |
| `psd`         | n(n+1)/2   | the symmetric matrix with upper triangle s, column by column, is PSD      |
| `exponential` | 3          | closure of {(x, y, z): y > 0, y exp(x/y) <= z}                            |

The triangle of a PSD cone is *not* scaled by sqrt 2, so that rational matrices stay rational. The inner
product of the standard form is the plain one of vectors; hence the dual of `psd` holds the vectors whose
matrix with **halved** off-diagonal entries is PSD.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from flint import arb, ctx, fmpq

from solvers.certificates.psd import is_psd
from solvers.certificates.rational import Number

Kind = Literal["zero", "nonneg", "soc", "psd", "exponential"]
MAX_EXPONENTIAL_BITS = 1 << 14
ONE = fmpq(1)


@dataclass(frozen=True)
class Cone:
    """One factor of the product cone.

    Attributes:
        kind: which cone.
        order: matrix order for `psd`, number of rows otherwise.
    """

    kind: Kind
    order: int

    def __post_init__(self) -> None:
        if self.kind not in ("zero", "nonneg", "soc", "psd", "exponential"):
            raise ValueError(f"unknown cone {self.kind!r}; expected zero, nonneg, soc, psd or exponential")
        if isinstance(self.order, bool) or not isinstance(self.order, int) or self.order < 1:
            raise ValueError(f"a cone of order {self.order!r}; expected a positive integer")
        if self.kind == "exponential" and self.order != 3:
            raise ValueError(f"the exponential cone has 3 rows, not {self.order}")

    @property
    def rows(self) -> int:
        """Number of rows of the standard form that the cone takes."""
        return self.order * (self.order + 1) // 2 if self.kind == "psd" else self.order


def zero(rows: int) -> Cone:
    """Equalities."""
    return Cone("zero", rows)


def nonneg(rows: int) -> Cone:
    """Inequalities."""
    return Cone("nonneg", rows)


def soc(rows: int) -> Cone:
    """The second-order cone, its radius first."""
    return Cone("soc", rows)


def psd(order: int) -> Cone:
    """Positive semidefinite matrices of the given order."""
    return Cone("psd", order)


def exponential() -> Cone:
    """The exponential cone."""
    return Cone("exponential", 3)


def triangle_index(i: int, j: int) -> int:
    """Place of entry (i, j) in the column-by-column upper triangle."""
    i, j = min(i, j), max(i, j)
    return j * (j + 1) // 2 + i


def triangle_to_matrix(s: Sequence[Number], order: int, off_diagonal: fmpq = ONE) -> list[list[Number]]:
    """The symmetric matrix of a triangle, its off-diagonal entries multiplied by `off_diagonal`."""
    matrix: list[list[Number]] = [[] for _ in range(order)]
    at = 0
    for j in range(order):  # column by column: the entries above the diagonal, also as row j, then the diagonal one
        above = s[at : at + j] if off_diagonal is ONE else [value * off_diagonal for value in s[at : at + j]]
        for i in range(j):
            matrix[i].append(above[i])
        matrix[j].extend(above)
        matrix[j].append(s[at + j])
        at += j + 1
    return matrix


def in_cone(cone: Cone, s: Sequence[Number]) -> bool:
    """Whether s lies in the cone: decided for rationals; for balls, `True` is certain and `False` is not."""
    _check_length(cone, s)
    match cone.kind:
        case "zero":
            return all(value == 0 for value in s)
        case "nonneg":
            return all(value >= 0 for value in s)
        case "soc":
            return _in_second_order_cone(s)
        case "psd":
            return is_psd(triangle_to_matrix(s, cone.order))
        case "exponential":
            return _in_exponential_cone(s[0], s[1], s[2])


def in_dual_cone(cone: Cone, y: Sequence[Number]) -> bool:
    """Whether y has a nonnegative inner product with every point of the cone; same guarantee as `in_cone`."""
    _check_length(cone, y)
    match cone.kind:
        case "zero":
            return True
        case "nonneg":
            return all(value >= 0 for value in y)
        case "soc":
            return _in_second_order_cone(y)
        case "psd":
            return is_psd(triangle_to_matrix(y, cone.order, fmpq(1, 2)))
        case "exponential":
            u, v, w = y
            # -u exp(v/u) <= e w with u < 0, or u = 0 and v, w >= 0
            return _in_exponential_cone(u - v, -u, w)


def _check_length(cone: Cone, s: Sequence[Number]) -> None:
    if len(s) != cone.rows:
        raise ValueError(f"a {cone.kind} cone of order {cone.order} has {cone.rows} rows, not {len(s)}")


def _in_second_order_cone(s: Sequence[Number]) -> bool:
    squared_radius = s[0] * s[0] - sum((value * value for value in s[1:]), fmpq(0))
    return bool(s[0] >= 0 and squared_radius >= 0)


def _in_exponential_cone(x: Number, y: Number, z: Number) -> bool:
    if y == 0:
        return bool(x <= 0 and z >= 0)
    if not y > 0:
        return False
    if x == 0:
        return bool(y <= z)
    if any(isinstance(value, arb) for value in (x, y, z)):
        return bool(y * (x / y).exp() <= z) if isinstance(x / y, arb) else bool(y * arb(x / y).exp() <= z)
    # exp(x/y) is irrational for rational x/y != 0 (Lindemann), so enough bits decide.
    bits = 64
    while bits <= MAX_EXPONENTIAL_BITS:
        with ctx.workprec(bits):
            slack = z - y * arb(x / y).exp()
            if slack > 0:
                return True
            if slack < 0:
                return False
        bits *= 2
    return False
