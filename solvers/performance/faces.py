r"""The face of the multipliers: what all feasible multipliers have in common, restricted to exactly.

Let D be a direction in which a feasible point can be moved without gain: s = -A D in K and c.D = 0. Every feasible multiplier y has s.y = 0.
So the multiplier of an inequality with s_i > 0 is 0, and the multiplier Y of a matrix with slack s = X X^T satisfies Y X = 0, that is
Y = V Y' V^T with V^T X = 0. The program in which those inequalities are dropped and those matrices M replaced by V^T M V has just these
multipliers (Borwein, Wolkowicz, 1981, applied to the dual), and its multipliers have an interior more often. Its points, moved far along D, are
points of the program given with the same value. Directions are found numerically, X is rational with small denominators, D is then solved for
exactly. Nothing is believed: what is found is brought back to the program given, and tested there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from flint import fmpq

from solvers.certificates import ConicProblem, nonneg, psd
from solvers.certificates.cones import Cone, triangle_index
from solvers.certificates.rational import dot
from solvers.conic.affine import on_subspace, plan
from solvers.conic.numeric import FloatProblem, Floats, solve, triangle_matrix
from solvers.conic.rounding import dyadic
from solvers.performance.polish import polished
from solvers.performance.subspaces import (
    POSITIVE,
    Combination,
    Sparse,
    change_of_variables,
    combined,
    complement,
    congruence,
    echelon,
    image,
    independent,
    sparse,
)

Point = tuple[fmpq, ...]

MAX_FACES = 4
FAR = (0, 8, 16, 32, 64, 96)
"""Binary logarithms of the distances that points are moved along a direction."""


@dataclass(frozen=True)
class Face:
    """A program with the same multipliers on fewer rows, and the same optimum.

    Attributes:
        given: the program that it is a face of.
        problem: the smaller program.
        order: of the Gram matrix left, which the last cone and the last variables hold; 0: nothing is left of it.
        rows: for each row of the smaller program, the combination of rows of the one given that it is.
        change: for each variable of the program given, its combination of variables of the smaller one.
        direction: D, exact; `None` if it was not found.
    """

    given: ConicProblem
    problem: ConicProblem
    order: int
    rows: tuple[Combination, ...]
    change: tuple[Combination, ...]
    direction: Point | None

    def multipliers(self, y: Sequence[fmpq]) -> Point:
        """Multipliers of the program given from those of the smaller one."""
        total = [fmpq(0)] * len(self.given.b)
        for value, combination in zip(y, self.rows):
            if value != 0:
                for i, coefficient in combination:
                    total[i] += value * coefficient
        return tuple(total)

    def point(self, x: Sequence[fmpq], accept: Callable[[Point], bool]) -> Point | None:
        """A point of the program given that is accepted, from one of the smaller program: moved as far as needed."""
        if self.direction is None:
            return None
        start = [sum((value * x[k] for k, value in c), fmpq(0)) for c in self.change]
        for k in FAR:
            moved = tuple(v + fmpq(2) ** k * d for v, d in zip(start, self.direction))
            if accept(moved):
                return moved
        return None


def faces(problem: ConicProblem) -> tuple[Face, ...]:
    """Ever smaller faces of the multipliers, each of the one before; none if the multipliers seem to have an interior.

    Args:
        problem: exact, with linear objective, zero, nonnegative and PSD cones; the last one holds the Gram matrix itself.
    """
    found: list[Face] = []
    while len(found) < MAX_FACES:
        at = found[-1].problem if found else problem
        direction = _direction(at)
        smaller = None if direction is None else _restricted(at, direction)
        if smaller is None:
            break
        found.append(smaller)
        if smaller.order == 0:
            break
    return tuple(found)


def _direction(problem: ConicProblem) -> Floats | None:
    """A numerical direction without gain, well inside the cone of such directions, with slack of size 1; or `None`."""
    floats = FloatProblem(problem)
    size: Sparse = {}
    for row, unit in zip(problem.rows, floats.identity):
        if unit != 0:
            for j, value in row:
                size[j] = size.get(j, fmpq(0)) - value * int(unit)
    objective = tuple(-size.get(j, fmpq(0)) for j in range(len(problem.c)))
    rows = (*problem.rows, sparse(dict(enumerate(problem.c))), sparse(size))
    b = (*(fmpq(0),) * len(problem.b), fmpq(0), fmpq(1))
    found = solve(FloatProblem(ConicProblem(objective, rows, b, (*problem.cones, nonneg(2)))))
    if not np.all(np.isfinite(found.x)) or -float(floats.identity @ (floats.A @ found.x)) < 0.5:
        return None
    direction = polished(floats, found.x)
    length = -float(floats.identity @ (floats.A @ direction))
    return direction / length if length > POSITIVE else found.x


def _restricted(problem: ConicProblem, direction: Floats) -> Face | None:
    """The program on the rows that a direction leaves to the multipliers, in variables that suit them."""
    s = -(FloatProblem(problem).A @ direction)
    rows: list[Combination] = []
    cones: list[Cone] = []
    pivots: list[int] = []
    lines: list[list[fmpq]] = []
    fixed: list[Combination] = []  # what a direction leaves as it is
    for cone, block in problem.blocks():
        part = s[block]
        if cone.kind == "psd":
            found = echelon(triangle_matrix(part, cone.order))
            if found is None:
                return None
            pivots, lines = found  # of the last cone in the end: the Gram matrix
            V = complement(cone.order, pivots, lines)
            rows += [congruence(V[a], V[b], block.start) for b in range(len(V)) for a in range(b + 1)]
            cones += [psd(len(V))] if V else []
            if block.stop < len(problem.rows):
                fixed += [congruence({i: fmpq(1)}, v, block.start) for i in range(cone.order) for v in V]
        else:
            kept = [i for i in range(cone.rows) if cone.kind == "zero" or part[i] <= POSITIVE]
            rows += [((block.start + i, fmpq(1)),) for i in kept]
            fixed += rows[-len(kept) :] if kept else []
            cones += [Cone(cone.kind, len(kept))] if kept else []
    if len(rows) == len(problem.rows):
        return None
    order = problem.cones[-1].order
    left = order - len(pivots)
    triangle = left * (left + 1) // 2
    change = change_of_variables(len(problem.c), order, pivots, lines)
    images = [image(combined(problem.rows, c), change) for c in rows]
    objective = image(dict(enumerate(problem.c)), change)
    free = len(problem.c) - triangle
    columns = [*independent(images, objective, free), *range(free, len(problem.c))]
    at = {j: k for k, j in enumerate(columns)}
    smaller = ConicProblem(
        tuple(objective.get(j, fmpq(0)) for j in columns),
        tuple(sparse({at[j]: v for j, v in i.items() if j in at}) for i in images),
        tuple(dot([c for _, c in combination], [problem.b[i] for i, _ in combination]) for combination in rows),
        tuple(cones),
        None,
        problem.offset,
    )
    back = tuple(sparse({at[j]: v for j, v in c.items() if j in at}) for c in change)
    stays = [*(combined(problem.rows, c) for c in fixed), dict(enumerate(problem.c))]
    return Face(problem, smaller, left, tuple(rows), back, _exactly(direction, problem, stays, pivots, lines))


def _exactly(
    direction: Floats, problem: ConicProblem, stays: list[Sparse], pivots: list[int], lines: list[list[fmpq]]
) -> Point | None:
    """The direction with the Gram matrix [I; F] D_P [I; F]^T, exactly without effect on what stays."""
    order = problem.cones[-1].order
    first = len(problem.c) - order * (order + 1) // 2
    F = {i: {i: fmpq(1)} for i in pivots}
    F |= {
        i: {p: f for p, f in zip(pivots, line) if f != 0}
        for i, line in zip((i for i in range(order) if i not in pivots), lines)
    }
    unknowns = [*range(first), *(first + triangle_index(p, q) for k, q in enumerate(pivots) for p in pivots[: k + 1])]
    place = {j: k for k, j in enumerate(unknowns)}
    entries: list[Sparse] = [{j: fmpq(1)} for j in range(first)]
    for j in range(order):
        for i in range(j + 1):
            total: Sparse = {}
            for p, f in F[i].items():
                for q, g in F[j].items():
                    k = place[first + triangle_index(min(p, q), max(p, q))]
                    total[k] = total.get(k, fmpq(0)) + f * g
            entries.append(total)
    rows = [row for row in (sparse(image(e, entries)) for e in stays) if row]
    z: Point | None = tuple(dyadic(float(direction[j]), 52) for j in unknowns)
    if rows and z is not None:
        z = on_subspace(plan(rows, np.ones(len(unknowns))), [fmpq(0)] * len(rows), z)
    return None if z is None else tuple(sum((v * z[k] for k, v in e.items()), fmpq(0)) for e in entries)
