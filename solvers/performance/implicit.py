"""Equations that hold at every feasible point though the program does not state them.

Let e in K* have A^T e = 0 and b.e = 0. Every feasible slack s satisfies s.e = 0: inequalities with e_i > 0 are equations, and a matrix M with
multiplier X E X^T satisfies M X = 0. In the program with these equations multipliers are fewer restricted; moved far along e they are multipliers
of the program given, of the same value. This is `solvers.performance.faces` with the two sides exchanged, and nothing is believed either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from flint import fmpq

from solvers.certificates import ConicProblem, nonneg, psd, zero
from solvers.certificates.cones import Cone, triangle_index
from solvers.certificates.rational import dot
from solvers.conic.affine import on_subspace, plan
from solvers.conic.numeric import FloatProblem, Floats, solve, triangle_matrix
from solvers.conic.rounding import dyadic
from solvers.performance.faces import FAR
from solvers.performance.subspaces import POSITIVE, Combination, Sparse, combined, congruence, echelon, sparse

Point = tuple[fmpq, ...]
INTERIOR = 1e-7
"""Depth, for data of size 1, below which there is no interior."""


@dataclass(frozen=True)
class Implied:
    """A program with the same feasible points on more equations.

    Attributes:
        given: the program.
        problem: the same with implicit equations; the Gram matrix left is in its last cone and last variables.
        rows: for each of its rows, the combination of rows of the program given that it is.
        places: where each variable of the program given is.
        exposing: e, exact; `None` if it was not found.
    """

    given: ConicProblem
    problem: ConicProblem
    rows: tuple[Combination, ...]
    places: tuple[int, ...]
    exposing: Point | None

    def point(self, x: Sequence[fmpq]) -> Point:
        """The point of the program given."""
        return tuple(x[k] for k in self.places)

    def multipliers(self, y: Sequence[fmpq], accept: Callable[[Point], Point | None]) -> Point | None:
        """What becomes of multipliers in the program given: moved as far as needed to be accepted."""
        if self.exposing is None:
            return None
        start = lifted(y, self.rows, len(self.given.b))
        for k in FAR:
            found = accept(tuple(v + fmpq(2) ** k * e for v, e in zip(start, self.exposing)))
            if found is not None:
                return found
        return None


def implied(problem: ConicProblem) -> Implied | None:
    """The program with one round of implicit equations; `None` if its points seem to have an interior.

    Args:
        problem: exact, with linear objective, zero, nonnegative and PSD cones; the last one holds the Gram matrix itself.
    """
    _, depth, e = deepest(problem)
    if not np.isfinite(depth) or abs(depth) > INTERIOR:
        return None
    equations: list[Combination] = []
    rows: list[Combination] = []
    cones: list[Cone] = []
    entries: list[Sparse] = [{} for _ in problem.b]  # e as a combination of unknowns
    start: list[float] = []
    left: list[int] = []
    for cone, block in problem.blocks():
        if cone.kind != "psd":
            tight = [i for i in range(block.start, block.stop) if cone.kind == "zero" or e[i] > POSITIVE]
            for i in tight:
                entries[i] = {len(start): fmpq(1)}
                start.append(float(e[i]))
            equations += [((i, fmpq(1)),) for i in tight]
            loose = [i for i in range(block.start, block.stop) if i not in set(tight)]
            rows += [((i, fmpq(1)),) for i in loose]
            cones += [nonneg(len(loose))] if loose else []
            continue
        half = np.where(np.equal(*np.tril_indices(cone.order)), 1.0, 0.5)
        Y = triangle_matrix(e[block] * half, cone.order)
        found = echelon(Y)
        if found is None:
            return None
        pivots, lines = found
        left = [i for i in range(cone.order) if i not in pivots]
        X = _columns(pivots, left, lines)
        equations += [congruence({i: fmpq(1)}, x, block.start) for x in X for i in range(cone.order)]
        rows += [((block.start + triangle_index(a, b), fmpq(1)),) for b in left for a in left if a <= b]
        cones += [psd(len(left))] if left else []
        for q in range(len(pivots)):
            for p in range(q + 1):
                for row, value in _outer(X[p], X[q], block.start):
                    entries[row][len(start)] = entries[row].get(len(start), fmpq(0)) + value
                start.append(float(Y[pivots[p], pivots[q]]))
    if len(rows) == sum(cone.rows for cone in problem.cones if cone.kind != "zero") or not left:
        return None
    order = problem.cones[-1].order
    first = len(problem.c) - order * (order + 1) // 2
    last = [first + triangle_index(a, b) for b in left for a in left if a <= b]
    ordered = [j for j in range(len(problem.c)) if j not in set(last)] + last
    places = [0] * len(ordered)
    for k, j in enumerate(ordered):
        places[j] = k
    both = (*equations, *rows)
    smaller = ConicProblem(
        tuple(problem.c[j] for j in ordered),
        tuple(sparse({places[j]: v for j, v in combined(problem.rows, c).items()}) for c in both),
        tuple(dot([v for _, v in c], [problem.b[i] for i, _ in c]) for c in both),
        (zero(len(equations)), *cones),
        None,
        problem.offset,
    )
    return Implied(problem, smaller, both, tuple(places), _exactly(problem, entries, start))


def lifted(y: Sequence[fmpq], rows: Sequence[Combination], length: int) -> Point:
    """Multipliers of `length` rows from those of combinations of them."""
    total = [fmpq(0)] * length
    for value, combination in zip(y, rows):
        if value != 0:
            for i, coefficient in combination:
                total[i] += value * coefficient
    return tuple(total)


def deepest(problem: ConicProblem) -> tuple[Floats, float, Floats]:
    """Variables whose slack is deepest inside the cones (at most 1), its depth, and the multipliers that bound the depth."""
    floats = FloatProblem(problem)
    n = len(problem.c)
    rows = [row if e == 0 else (*row, (n, dyadic(float(e), 0))) for row, e in zip(problem.rows, floats.identity)]
    extended = ConicProblem(
        (*(fmpq(0),) * n, fmpq(-1)),
        (*rows, ((n, fmpq(1)),)),
        (*problem.b, fmpq(1)),
        (*problem.cones, nonneg(1)),
    )
    found = solve(FloatProblem(extended))
    return found.x[:n], float(found.x[n]), found.y[: len(problem.b)]


def _columns(pivots: list[int], others: list[int], lines: list[list[fmpq]]) -> list[Sparse]:
    """The columns of X = [I; F]."""
    return [{p: fmpq(1)} | {i: line[k] for i, line in zip(others, lines) if line[k] != 0} for k, p in enumerate(pivots)]


def _outer(x: Sparse, y: Sparse, first: int) -> list[tuple[int, fmpq]]:
    """x y^T + y x^T (x x^T if they are the same) as a multiplier of the triangle: entries off the diagonal count twice."""
    total: Sparse = {}
    for i, p in x.items():
        for j, q in y.items():
            k = first + triangle_index(min(i, j), max(i, j))
            total[k] = total.get(k, fmpq(0)) + p * q * (1 if x is y else 2)
    return sorted(total.items())


def _exactly(problem: ConicProblem, entries: list[Sparse], start: list[float]) -> Point | None:
    """e, exactly with A^T e = 0 and b.e = 0."""
    equations: list[Sparse] = [{} for _ in range(len(problem.c) + 1)]
    for row, value, entry in zip(problem.rows, problem.b, entries):
        for k, factor in entry.items():
            for j, a in (*row, (len(problem.c), value)):
                equations[j][k] = equations[j].get(k, fmpq(0)) + factor * a
    rows = [row for row in map(sparse, equations) if row]
    z: Point | None = tuple(dyadic(v, 52) for v in start)
    if rows and z is not None:
        z = on_subspace(plan(rows, np.ones(len(start))), [fmpq(0)] * len(rows), z)
    if z is None:
        return None
    return tuple(sum((v * z[k] for k, v in entry.items()), fmpq(0)) for entry in entries)
