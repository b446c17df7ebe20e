"""Equations solved exactly and their unknowns eliminated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import fmpq, fmpq_mat

from solvers.certificates import ConicProblem
from solvers.certificates.cones import Cone
from solvers.certificates.problem import Row
from solvers.conic.numeric import FloatProblem, Floats
from solvers.performance.subspaces import Combination, combined, sparse

Point = tuple[fmpq, ...]


@dataclass(frozen=True)
class Solved:
    """A program with its equations solved.

    Attributes:
        problem: in the unknowns left, with inequalities and matrices only.
        start: of each unknown of the program given, the constant,
        change: and the combination of unknowns left.
        kept: the rows of the program given that its rows are.
    """

    problem: ConicProblem
    start: Point
    change: tuple[Combination, ...]
    kept: tuple[int, ...]

    def point(self, x: Sequence[fmpq]) -> Point:
        """The point of the program given."""
        return tuple(s + sum((v * x[k] for k, v in c), fmpq(0)) for s, c in zip(self.start, self.change))

    def multipliers(self, y: Floats, given: FloatProblem) -> Floats:
        """Multipliers of the program given, those of its equations by least squares from stationarity, in doubles."""
        full = np.zeros(len(given.b))
        full[list(self.kept)] = y
        if np.all(np.isfinite(y)) and np.any(given.is_equality):
            E = given.A[given.is_equality].toarray()
            full[given.is_equality] = np.linalg.lstsq(E.T, -given.c - given.A.T @ full, rcond=None)[0]
        return full


def solved(problem: ConicProblem) -> Solved | None:
    """The program with its zero rows solved and inequalities without unknowns left out; `None` if they contradict."""
    n = len(problem.c)
    equations = [i for cone, block in problem.blocks() if cone.kind == "zero" for i in range(block.start, block.stop)]
    start, change = _general_solution([problem.rows[i] for i in equations], [problem.b[i] for i in equations], n)
    if start is None:
        return None
    left = sorted({k for c in change for k in c})
    at = {j: k for k, j in enumerate(left)}
    back = tuple(sparse({at[k]: v for k, v in c.items()}) for c in change)
    rows: list[Row] = []
    b: list[fmpq] = []
    cones: list[Cone] = []
    places: list[int] = []
    for cone, block in problem.blocks():
        if cone.kind == "zero":
            continue
        lines = [combined(back, row) for row in problem.rows[block]]
        right = [
            v - sum((a * start[j] for j, a in row), fmpq(0)) for v, row in zip(problem.b[block], problem.rows[block])
        ]
        kept = [k for k, line in enumerate(lines) if cone.kind != "nonneg" or any(v != 0 for v in line.values())]
        places += [block.start + k for k in kept]
        rows += [sparse(lines[k]) for k in kept]
        b += [right[k] for k in kept]
        cones += [Cone(cone.kind, len(kept) if cone.kind == "nonneg" else cone.order)] if kept else []
    objective = combined(back, sparse(dict(enumerate(problem.c))))
    offset = problem.offset + sum((c * s for c, s in zip(problem.c, start)), fmpq(0))
    c = tuple(objective.get(k, fmpq(0)) for k in range(len(left)))
    return Solved(ConicProblem(c, tuple(rows), tuple(b), tuple(cones), None, offset), start, back, tuple(places))


def _general_solution(rows: Sequence[Row], right: Sequence[fmpq], n: int) -> tuple[Point | None, list[dict[int, fmpq]]]:
    """x = start + change (free unknowns), from the reduced echelon form."""
    start = [fmpq(0)] * n
    change: list[dict[int, fmpq]] = [{j: fmpq(1)} for j in range(n)]
    if not rows:
        return tuple(start), change
    matrix = fmpq_mat(len(rows), n + 1)
    for i, (row, value) in enumerate(zip(rows, right)):
        for j, a in row:
            matrix[i, n - 1 - j] = a  # entries of the Gram matrix are eliminated first
        matrix[i, n] = value
    reduced, rank = matrix.rref()
    for i in range(rank):
        line = [reduced[i, k] for k in range(n + 1)]
        pivot = next(k for k, v in enumerate(line) if v != 0)
        if pivot == n:
            return None, change
        start[n - 1 - pivot] = line[n]
        change[n - 1 - pivot] = {n - 1 - k: -line[k] for k in range(pivot + 1, n) if line[k] != 0}
    return tuple(start), change
