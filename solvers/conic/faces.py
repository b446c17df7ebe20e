"""Facial reduction: rewriting a program without interior on the face that holds its feasible set.

If y in K* satisfies A^T y = 0 and b.y = 0, every feasible slack s = b - A x has s.y = 0, so it lies in the
face of K orthogonal to y (Borwein and Wolkowicz 1981). Here y comes from a numerical phase one, and only the
*face* is rounded: the null space of a PSD block is read off as a small rational echelon form. Nothing needs
to be proven about it: points of the smaller program are feasible for the larger one by construction, and are
tested there.
"""

from __future__ import annotations

import numpy as np
from flint import fmpq

from solvers.certificates.cones import Cone, nonneg, psd, triangle_index, zero
from solvers.certificates.problem import ConicProblem, Row
from solvers.certificates.rational import Number, dot
from solvers.conic.numeric import Floats, triangle_matrix
from solvers.conic.rounding import small_rational

SMALL = 1e-4
MAX_DENOMINATOR = 64
TOLERANCE = 1e-5

_Line = tuple[Row, Number]


def reduce_to_face(problem: ConicProblem, exposing: Floats) -> ConicProblem | None:
    """The same program with slack restricted to the face orthogonal to `exposing`.

    Args:
        problem: exact data.
        exposing: approximate multiplier y, length m.

    Returns:
        A program in the same variables with fewer cone rows, or `None` if y exposes no face that has a
        rational description with denominators up to 64.
    """
    size = float(np.max(np.abs(exposing), initial=0.0))
    if size == 0:
        return None
    y = exposing / size
    equations: list[_Line] = []
    cones: list[Cone] = []
    lines: list[_Line] = []
    changed = False
    for cone, block in problem.blocks():
        rows = list(zip(problem.rows[block], problem.b[block]))
        part = y[block]
        if cone.kind == "zero":
            equations += rows
            continue
        split = _split(cone, rows, part)
        if split is None:
            return None
        new_equations, new_cones, new_lines = split
        changed = changed or bool(new_equations)
        equations += new_equations
        cones += new_cones
        lines += new_lines
    if not changed:
        return None
    ordered = [*equations, *lines]
    return ConicProblem(
        problem.c,
        tuple(row for row, _ in ordered),
        tuple(right for _, right in ordered),
        (*([zero(len(equations))] if equations else []), *cones),
        problem.P,
        problem.offset,
    )


def _split(cone: Cone, rows: list[_Line], y: Floats) -> tuple[list[_Line], list[Cone], list[_Line]] | None:
    """(equations, cones, cone rows) of the face of one cone."""
    if float(np.max(np.abs(y))) <= SMALL:
        return [], [cone], rows
    match cone.kind:
        case "nonneg":
            equal = [row for row, value in zip(rows, y) if value > SMALL]
            kept = [row for row, value in zip(rows, y) if value <= SMALL]
            return equal, [nonneg(len(kept))] if kept else [], kept
        case "soc":
            return _split_second_order(rows, y)
        case "psd":
            return _split_psd(cone, rows, y)
    return None


def _split_second_order(rows: list[_Line], y: Floats) -> tuple[list[_Line], list[Cone], list[_Line]] | None:
    if y[0] - float(np.linalg.norm(y[1:])) > SMALL * y[0]:
        return rows, [], []
    rounded = [small_rational(-float(value) / float(y[0]), TOLERANCE, MAX_DENOMINATOR) for value in y[1:]]
    direction = [value for value in rounded if value is not None]
    if len(direction) < len(rounded) or dot(direction, direction) != 1:
        return None
    equal = [_combine([(fmpq(1), row), (-value, rows[0])]) for row, value in zip(rows[1:], direction)]
    return equal, [nonneg(1)], [rows[0]]


def _split_psd(cone: Cone, rows: list[_Line], y: Floats) -> tuple[list[_Line], list[Cone], list[_Line]] | None:
    """S V = 0 with V = [I; F] up to order, so that S is PSD iff its block off the pivots of V is."""
    n = cone.order
    Y = triangle_matrix(y, n)
    Y[~np.eye(n, dtype=bool)] /= 2
    values, vectors = np.linalg.eigh(Y)
    basis = vectors[:, values > SMALL * max(1.0, float(values[-1]))]
    echelon = _echelon(basis)
    if echelon is None:
        return None
    pivots, columns = echelon
    equal = [
        _combine([(column[j], rows[triangle_index(i, j)]) for j in range(n) if column[j] != 0])
        for column in columns
        for i in range(n)
    ]
    kept = [i for i in range(n) if i not in pivots]
    triangle = [rows[triangle_index(kept[i], kept[j])] for j in range(len(kept)) for i in range(j + 1)]
    return equal, [psd(len(kept))] if kept else [], triangle


def _echelon(basis: Floats) -> tuple[list[int], list[list[fmpq]]] | None:
    """The reduced column echelon form of a basis, pivots chosen by size, if it is rational."""
    from scipy.linalg import qr

    n, r = basis.shape
    if r == 0:
        return None
    _, _, order = qr(basis.T, mode="economic", pivoting=True)
    pivots = [int(i) for i in order[:r]]
    reduced = basis @ np.linalg.inv(basis[pivots])
    columns: list[list[fmpq]] = []
    for k in range(r):
        column = [small_rational(float(reduced[i, k]), TOLERANCE, MAX_DENOMINATOR) for i in range(n)]
        exact = [value for value in column if value is not None]
        if len(exact) < n:
            return None
        columns.append(exact)
    return pivots, columns


def _combine(terms: list[tuple[Number, _Line]]) -> _Line:
    """A linear combination of rows with their right-hand sides."""
    total: dict[int, Number] = {}
    right: Number = fmpq(0)
    for factor, (row, value) in terms:
        right = right + factor * value
        for column, entry in row:
            total[column] = total.get(column, fmpq(0)) + factor * entry
    return tuple((column, entry) for column, entry in sorted(total.items()) if entry != 0), right
