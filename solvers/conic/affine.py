"""Exact points on an affine subspace near a float point: E x = f with sparse rational rows.

Equations are solved one by one where a variable occurs in no other remaining equation; only the core that is left needs
a dense exact solve. Which variable absorbs the error of an equation is chosen by a weight: how far the variable may
move before it leaves the cone. The choice is a plan, made once and used for many points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import fmpq, fmpq_mat

from solvers.certificates.problem import Row, apply_row
from solvers.conic.numeric import Floats

POOR = 1e-4
"""A variable that can move less than this share of the best in its equation does not absorb the error."""
ZERO = fmpq(0)
RANK = 1e-12
"""Relative size of a pivot in doubles below which equations count as dependent."""


@dataclass(frozen=True)
class Plan:
    """How to satisfy E x = f by changing few variables.

    Attributes:
        rows: E, sparse and exact.
        order: (equation, variable) pairs; each variable is absent from all later equations and from the core.
        core: the equations that are solved together.
        columns: the variables of the core, those of large weight first.
        matrix: the core, one row per equation and one column per variable of `columns`.
        basis: positions in `columns` of well-conditioned variables.
        chosen: as many rows of `matrix`, which the basis solves.
    """

    rows: tuple[Row, ...]
    order: tuple[tuple[int, int], ...]
    core: tuple[int, ...]
    columns: tuple[int, ...]
    matrix: fmpq_mat
    basis: tuple[int, ...]
    chosen: tuple[int, ...]

    @property
    def determined(self) -> list[int] | None:
        """One variable per equation that the equations determine, given all others; `None` if they are dependent."""
        if len(self.basis) < len(self.core):
            return None
        return sorted([j for _, j in self.order] + [self.columns[k] for k in self.basis])


def plan(rows: Sequence[Row], weight: Floats) -> Plan:
    """Choose the variables that absorb the errors of the equations E x = f.

    Args:
        rows: E, sparse and exact.
        weight: nonnegative, one per variable; variables of large weight are the ones to be changed.
    """
    order, core = _peel(rows, weight)
    if not core:
        return Plan(tuple(rows), tuple(order), (), (), fmpq_mat(0, 0), (), ())
    columns = sorted({j for i in core for j, _ in rows[i]}, key=lambda j: (-weight[j], j))
    place = {j: k for k, j in enumerate(columns)}
    entries = [[ZERO] * len(columns) for _ in core]
    for line, i in zip(entries, core):
        for j, value in rows[i]:
            line[place[j]] = value
    matrix = fmpq_mat(len(core), len(columns), [value for line in entries for value in line])
    basis, chosen = _pivots(matrix, weight[columns])
    return Plan(tuple(rows), tuple(order), tuple(core), tuple(columns), matrix, tuple(basis), tuple(chosen))


def on_subspace(plan: Plan, right: Sequence[fmpq], start: Sequence[fmpq]) -> tuple[fmpq, ...] | None:
    """The point of {x : E x = f} that differs from `start` in the variables of the plan.

    Args:
        plan: of the equations.
        right: f.
        start: an approximate solution, rational.

    Returns:
        x with E x = f exactly, or `None` when the equations are inconsistent.
    """
    x = list(start)
    if plan.core:
        residual = [right[i] - apply_row(plan.rows[i], x) for i in plan.core]
        change = _by_basis(plan, residual) or _by_elimination(plan, residual)
        if change is None:
            return None
        for j, delta in zip(plan.columns, change):
            x[j] += delta
    for i, j in reversed(plan.order):
        coefficient = next(value for column, value in plan.rows[i] if column == j)
        x[j] += (right[i] - apply_row(plan.rows[i], x)) / coefficient
    return tuple(x)


def _peel(rows: Sequence[Row], weight: Floats) -> tuple[list[tuple[int, int]], list[int]]:
    """Pairs (equation, variable), each variable absent from all later equations, and the equations left."""
    room = np.maximum(weight, 1e-300).tolist()  # where nothing can move, the largest coefficient absorbs the error
    count, where = (
        [0] * len(room),
        [0] * len(room),
    )  # of each variable: in how many equations, and the sum of their numbers
    for i, row in enumerate(rows):
        for j, _ in row:
            count[j] += 1
            where[j] += i
    remaining = set(range(len(rows)))
    order: list[tuple[int, int]] = []
    pending = list(range(len(rows)))
    while pending:
        again: set[int] = set()
        for i in pending:
            best, reach, furthest = -1, -1.0, 0.0
            for j, value in rows[i]:
                r = room[j] * abs(float(value))
                furthest = max(furthest, r)
                if count[j] == 1 and r > reach:
                    best, reach = j, r
            if best < 0 or reach < POOR * furthest:
                continue
            order.append((i, best))
            remaining.discard(i)
            for j, _ in rows[i]:
                count[j] -= 1
                where[j] -= i
                if count[j] == 1:
                    again.add(where[j])
        pending = sorted(again & remaining)
    return order, sorted(remaining)


def _pivots(matrix: fmpq_mat, weight: Floats) -> tuple[list[int], list[int]]:
    """As many well-conditioned columns, and rows, as the rank in doubles, by column-pivoted QR."""
    from scipy.linalg import qr

    k, n = matrix.nrows(), matrix.ncols()
    if n == 0 or k == 0:
        return [], []
    preference = np.maximum(weight / max(float(weight.max()), 1e-300), POOR)
    weighted = np.array([float(value) for value in matrix.entries()]).reshape(k, n) * preference
    _, r, permutation = qr(weighted, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(r))
    rank = int(np.sum(diagonal > RANK * diagonal[0])) if diagonal[0] > 0 else 0
    basis = [int(j) for j in permutation[:rank]]
    if rank == k:
        return basis, list(range(k))
    _, _, order = qr(weighted[:, basis].T, mode="economic", pivoting=True)
    return basis, [int(i) for i in order[:rank]]


def _by_basis(plan: Plan, residual: Sequence[fmpq]) -> list[fmpq] | None:
    rank = len(plan.basis)
    square = fmpq_mat(rank, rank, [plan.matrix[i, j] for i in plan.chosen for j in plan.basis])
    try:
        solution = square.solve(fmpq_mat(rank, 1, [residual[i] for i in plan.chosen]))
    except ZeroDivisionError:
        return None
    change = [fmpq(0)] * len(plan.columns)
    for position, j in enumerate(plan.basis):
        change[j] = solution[position, 0]
    if rank == len(plan.core):
        return change
    image = plan.matrix * fmpq_mat(len(change), 1, change)
    return change if all(image[i, 0] == value for i, value in enumerate(residual)) else None


def _by_elimination(plan: Plan, residual: Sequence[fmpq]) -> list[fmpq] | None:
    """Exact reduced row echelon form, columns of large weight first."""
    k, n = len(plan.core), len(plan.columns)
    entries = plan.matrix.tolist() if n else [[] for _ in range(k)]
    augmented = fmpq_mat(k, n + 1, [v for row, r in zip(entries, residual) for v in (*row, r)])
    reduced, rank = augmented.rref()
    change = [fmpq(0)] * n
    for i in range(rank):
        pivot = next(j for j in range(n + 1) if reduced[i, j] != 0)
        if pivot == n:
            return None
        change[pivot] = reduced[i, n]
    return change
