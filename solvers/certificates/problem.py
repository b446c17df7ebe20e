"""The standard form of a convex conic program with exact data.

    minimise    offset + c.x + (1/2) x.P x      over free x in R^n
    subject to  b - A x in K,                    K a product of cones, in row order.

The data are FLINT rationals, or balls (then a certificate speaks about every problem within the balls).

The dual that certificates refer to, for P positive semidefinite (P = 0: no w):

    maximise    offset - b.y - (1/2) w.P w
    subject to  P w + A^T y + c = 0,  y in K* (y free on zero rows).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from flint import arb, fmpq

from solvers.certificates.cones import Cone
from solvers.certificates.psd import is_psd
from solvers.certificates.rational import Number, dot, is_zero, number, vector

Row = tuple[tuple[int, Number], ...]
"""A sparse row: (column, nonzero entry) with increasing columns."""


ZERO = fmpq(0)


@dataclass(frozen=True)
class ConicProblem:
    """Exact data of the standard form; make it with `conic_problem`.

    Attributes:
        c: objective, length n.
        rows: the m sparse rows of A.
        b: right-hand side, length m.
        cones: factors of K, their rows adding up to m.
        P: the n sparse rows of the quadratic form, or `None` for a linear objective.
        offset: constant of the objective.
    """

    c: tuple[Number, ...]
    rows: tuple[Row, ...]
    b: tuple[Number, ...]
    cones: tuple[Cone, ...]
    P: tuple[Row, ...] | None = None
    offset: Number = ZERO

    def __post_init__(self) -> None:
        m, n = len(self.b), len(self.c)
        for kind in {type(value) for value in self.entries()} - {fmpq, arb}:
            raise TypeError(f"an entry of type {kind.__name__}; build the problem with conic_problem")
        if len(self.rows) != m:
            raise ValueError(f"A has {len(self.rows)} rows and b has {m} entries")
        if sum(cone.rows for cone in self.cones) != m:
            raise ValueError(f"the cones have {sum(cone.rows for cone in self.cones)} rows and A has {m}")
        for row in (*self.rows, *(self.P or ())):
            before = -1
            for column, _ in row:
                if not before < column < n:
                    columns = [column for column, _ in row]
                    raise ValueError(f"a row with columns {columns}; expected increasing columns in 0..{n - 1}")
                before = column
        if self.P is not None:
            entries = {(i, j): value for i, row in enumerate(self.P) for j, value in row}
            if len(self.P) != n:
                raise ValueError(f"P has {len(self.P)} rows and c has {n} entries")
            if any(entries.get((j, i), fmpq(0)) != value for (i, j), value in entries.items()):
                raise ValueError("P is not symmetric")

    @property
    def shape(self) -> tuple[int, int]:
        """(m, n): rows and variables."""
        return len(self.b), len(self.c)

    def entries(self) -> Iterator[Number]:
        """All numbers of the data."""
        yield from self.c
        yield from self.b
        yield self.offset
        for row in (*self.rows, *(self.P or ())):
            for _, value in row:
                yield value

    @cached_property
    def is_exact(self) -> bool:
        """Whether no entry is a ball."""
        return not any(isinstance(value, arb) for value in self.entries())

    @cached_property
    def is_convex(self) -> bool:
        """Whether P was shown to be positive semidefinite."""
        if self.P is None:
            return True
        n = len(self.c)
        dense = [[fmpq(0)] * n for _ in range(n)]
        for i, row in enumerate(self.P):
            for j, value in row:
                dense[i][j] = value
        return is_psd(dense)

    def slack(self, x: Sequence[Number]) -> list[Number]:
        """b - A x."""
        return [self.b[i] - apply_row(row, x) for i, row in enumerate(self.rows)]

    def objective(self, x: Sequence[Number]) -> Number:
        """offset + c.x + (1/2) x.P x."""
        return self.offset + dot(self.c, x) + self.half_quadratic(x)

    def half_quadratic(self, x: Sequence[Number]) -> Number:
        """(1/2) x.P x."""
        if self.P is None:
            return fmpq(0)
        return dot(x, [apply_row(row, x) for row in self.P]) * fmpq(1, 2)

    def gradient(self, w: Sequence[Number] | None, y: Sequence[Number]) -> list[Number]:
        """P w + A^T y + c (no w: the terms without it), length n."""
        total = list(self.c)
        for row, multiplier in zip(self.rows, y):
            if not is_zero(multiplier):
                for column, value in row:
                    total[column] = total[column] + multiplier * value
        if w is not None and self.P is not None:
            for i, row in enumerate(self.P):
                total[i] = total[i] + apply_row(row, w)
        return total

    def blocks(self) -> tuple[tuple[Cone, slice], ...]:
        """Each cone with the slice of its rows."""
        return self._blocks

    @cached_property
    def _blocks(self) -> tuple[tuple[Cone, slice], ...]:
        placed, start = [], 0
        for cone in self.cones:
            placed.append((cone, slice(start, start + cone.rows)))
            start += cone.rows
        return tuple(placed)


def apply_row(row: Row, x: Sequence[Number]) -> Number:
    """The inner product of a sparse row and a dense vector."""
    total: Number = ZERO
    for column, value in row:
        total = total + value * x[column]
    return total


def sparse_rows(matrix: object, columns: int) -> tuple[Row, ...]:
    """Sparse exact rows of a dense matrix: `fmpq_mat`, `arb_mat`, or rows of exact numbers."""
    table = matrix.tolist() if hasattr(matrix, "tolist") else matrix
    if not isinstance(table, Iterable):
        raise TypeError(f"expected a matrix, got {type(matrix).__name__}")
    rows = []
    for line in table:
        entries = [number(value) for value in line]
        if len(entries) != columns:
            raise ValueError(f"a row of {len(entries)} entries; expected {columns}")
        rows.append(tuple((j, value) for j, value in enumerate(entries) if not is_zero(value)))
    return tuple(rows)


def conic_problem(
    c: Iterable[object],
    A: object,
    b: Iterable[object],
    cones: Iterable[Cone],
    P: object | None = None,
    offset: object = 0,
) -> ConicProblem:
    """Build the standard form from exact data.

    Args:
        c: length n.
        A: m rows of n exact numbers, or an `fmpq_mat` (balls: `arb_mat` or rows with `arb` entries).
        b: length m.
        cones: factors of K with m rows altogether.
        P: symmetric n x n, or `None`.
        offset: constant of the objective.

    Raises:
        TypeError: for a float anywhere (say what it means: `solvers.conic.reconstruct`).
        ValueError: for shapes that do not fit.
    """
    objective = vector(c)
    n = len(objective)
    quadratic = None if P is None else sparse_rows(P, n)
    return ConicProblem(objective, sparse_rows(A, n), vector(b), tuple(cones), quadratic, number(offset))
