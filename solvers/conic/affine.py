"""Exact points on an affine subspace near a float point: E x = f with sparse rational rows.

Equations are solved one by one where a variable occurs in no other remaining equation; only the core that is
left needs a dense exact solve. Which variable absorbs the error of an equation is chosen by a weight: how far
the variable may move before it leaves the cone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flint import fmpq, fmpq_mat

from solvers.certificates.problem import Row, apply_row
from solvers.conic.numeric import Floats
from solvers.conic.rounding import to_float

POOR = 1e-4
"""A variable that can move less than this share of the best in its equation does not absorb the error."""
RANK = 1e-12
"""Relative size of a pivot in doubles below which equations count as dependent."""


def on_subspace(
    rows: Sequence[Row], right: Sequence[fmpq], start: Sequence[fmpq], weight: Floats
) -> tuple[fmpq, ...] | None:
    """The point of {x : E x = f} that differs from `start` in one variable per independent equation.

    Args:
        rows: E, sparse.
        right: f.
        start: an approximate solution, rational.
        weight: nonnegative; variables of large weight are the ones to be changed.

    Returns:
        x with E x = f exactly, or `None` when the equations are inconsistent.
    """
    x = list(start)
    order, core = _peel(rows, weight)
    if core and not _solve_core([rows[i] for i in core], [right[i] for i in core], x, weight):
        return None
    for i, j in reversed(order):
        coefficient = dict(rows[i])[j]
        x[j] += (right[i] - apply_row(rows[i], x)) / coefficient
    return tuple(x)


def _peel(rows: Sequence[Row], weight: Floats) -> tuple[list[tuple[int, int]], list[int]]:
    """Pairs (equation, variable), each variable absent from all later equations, and the equations left."""
    occurrences: dict[int, set[int]] = {}
    for i, row in enumerate(rows):
        for j, _ in row:
            occurrences.setdefault(j, set()).add(i)
    remaining = {i for i, row in enumerate(rows) if row}
    order: list[tuple[int, int]] = []
    pending = list(remaining)
    while pending:
        again: set[int] = set()
        for i in pending:
            if i not in remaining:
                continue
            reach = {j: weight[j] * abs(to_float(value)) for j, value in rows[i]}
            best = max((j for j in reach if len(occurrences[j]) == 1), key=reach.__getitem__, default=None)
            if best is None or reach[best] <= POOR * max(reach.values()):
                continue
            order.append((i, best))
            remaining.discard(i)
            for j, _ in rows[i]:
                occurrences[j].discard(i)
                if len(occurrences[j]) == 1:
                    again |= occurrences[j]
        pending = sorted(again & remaining)
    empty = [i for i, row in enumerate(rows) if not row]
    return order, sorted(remaining) + empty


def _solve_core(rows: Sequence[Row], right: Sequence[fmpq], x: list[fmpq], weight: Floats) -> bool:
    """Change x so that the equations hold, by well-conditioned variables, else by exact elimination."""
    columns, matrix = _matrix(rows)
    residual = [r - apply_row(row, x) for row, r in zip(rows, right)]
    weights = np.array([weight[j] for j in columns])
    change = _by_basis(matrix, residual, weights) or _by_elimination(matrix, residual, weights)
    if change is None:
        return False
    for j, delta in zip(columns, change):
        x[j] += delta
    return True


def _matrix(rows: Sequence[Row]) -> tuple[list[int], fmpq_mat]:
    """The variables that occur, and the equations in them as a dense matrix."""
    columns = sorted({j for row in rows for j, _ in row})
    place = {j: k for k, j in enumerate(columns)}
    matrix = fmpq_mat(len(rows), len(columns))
    for i, row in enumerate(rows):
        for j, value in row:
            matrix[i, place[j]] = value
    return columns, matrix


def determined_variables(rows: Sequence[Row], weight: Floats) -> list[int] | None:
    """One variable per equation, such that the equations determine these given all others; `None` if
    dependent.

    Args:
        rows: E, sparse and exact.
        weight: as in `on_subspace`; a variable of weight 0 is never chosen.
    """
    usable = [tuple((j, value) for j, value in row if weight[j] > 0) for row in rows]
    order, core = _peel(usable, weight)
    columns, matrix = _matrix([usable[i] for i in core])
    basis, _ = _pivots(matrix, np.array([weight[j] for j in columns]))
    if len(basis) < len(core):
        return None
    return sorted([j for _, j in order] + [columns[k] for k in basis])


def _by_basis(matrix: fmpq_mat, residual: Sequence[fmpq], weight: Floats) -> list[fmpq] | None:
    basis, chosen = _pivots(matrix, weight)
    rank, entries = len(basis), matrix.tolist()
    square = fmpq_mat(rank, rank, [entries[i][j] for i in chosen for j in basis])
    try:
        solution = square.solve(fmpq_mat(rank, 1, [residual[i] for i in chosen]))
    except ZeroDivisionError:
        return None
    change = [fmpq(0)] * matrix.ncols()
    for position, j in enumerate(basis):
        change[j] = solution[position, 0]
    solved = all(sum((v * d for v, d in zip(row, change)), fmpq(0)) == r for row, r in zip(entries, residual))
    return change if solved else None


def _pivots(matrix: fmpq_mat, weight: Floats) -> tuple[list[int], list[int]]:
    """As many well-conditioned columns, and rows, as the rank in doubles, by column-pivoted QR."""
    from scipy.linalg import qr

    k, n = matrix.nrows(), matrix.ncols()
    if n == 0 or k == 0:
        return [], []
    preference = np.maximum(weight / max(float(weight.max()), 1e-300), POOR)
    weighted = np.array([[to_float(value) for value in row] for row in matrix.tolist()]) * preference
    _, r, permutation = qr(weighted, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(r))
    rank = int(np.sum(diagonal > RANK * diagonal[0])) if diagonal[0] > 0 else 0
    basis = [int(j) for j in permutation[:rank]]
    if rank == k:
        return basis, list(range(k))
    _, _, order = qr(weighted[:, basis].T, mode="economic", pivoting=True)
    return basis, [int(i) for i in order[:rank]]


def _by_elimination(matrix: fmpq_mat, residual: Sequence[fmpq], weight: Floats) -> list[fmpq] | None:
    """Exact reduced row echelon form, columns of large weight first."""
    k, n = matrix.nrows(), matrix.ncols()
    order = [int(j) for j in np.argsort(-weight, kind="stable")]
    entries = matrix.tolist()
    augmented = fmpq_mat(k, n + 1, [v for row, r in zip(entries, residual) for v in (*(row[j] for j in order), r)])
    reduced, rank = augmented.rref()
    change = [fmpq(0)] * n
    for i in range(rank):
        pivot = next(j for j in range(n + 1) if reduced[i, j] != 0)
        if pivot == n:
            return None
        change[order[pivot]] = reduced[i, n]
    return change
