"""Programs with a rational optimum: linear programs, quadratic programs, points of small denominators."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flint import fmpq, fmpq_mat

from solvers.certificates import ConicProblem, DualBound, Infeasibility, PrimalPoint, Recession
from solvers.certificates.problem import Row
from solvers.certificates.rational import dot
from solvers.conic.affine import on_subspace, plan
from solvers.conic.dual import split
from solvers.conic.linear import LinearSolution, lp
from solvers.conic.numeric import FloatProblem, Floats, Numerical, margin
from solvers.conic.repair import Point, equations
from solvers.conic.result import Certified, accepted, assembled
from solvers.conic.rounding import small_rational, to_float


def is_linear(problem: ConicProblem) -> bool:
    """Whether the program has a linear objective and only `zero` and `nonneg` cones."""
    return problem.P is None and all(cone.kind in ("zero", "nonneg") for cone in problem.cones)


def solve_linear(problem: ConicProblem) -> tuple[LinearSolution, list[int]]:
    """`lp` for the standard form, and the row of the program for each activity of `lp` (A_ub, then A_eq)."""
    groups: dict[str, list[int]] = {"zero": [], "nonneg": []}
    for cone, block in problem.blocks():
        groups[cone.kind] += range(block.start, block.stop)
    dense = [_dense(row, len(problem.c)) for row in problem.rows]
    inequalities, equalities = groups["nonneg"], groups["zero"]
    solution = lp(
        problem.c,
        [dense[i] for i in inequalities],
        [problem.b[i] for i in inequalities],
        [dense[i] for i in equalities],
        [problem.b[i] for i in equalities],
        bounds=(None, None),
    )
    return solution, inequalities + equalities


def certify_linear(problem: ConicProblem) -> Certified:
    """The exact optimum of a linear program, with gap 0."""
    solution, place = solve_linear(problem)
    k = sum(cone.rows for cone in problem.cones if cone.kind == "nonneg")

    def in_order(inequalities: Sequence[fmpq], equalities: Sequence[fmpq]) -> tuple[fmpq, ...]:
        values = dict(zip(place, (*inequalities, *equalities)))
        return tuple(values[i] for i in range(len(place)))

    proof = solution.certificate
    if isinstance(proof, Infeasibility):  # the rows of `lp` begin with the equalities
        farkas = Infeasibility(in_order(proof.y[len(place) - k :], proof.y[: len(place) - k]))
        return Certified("infeasible", None, None, farkas, problem, method="exact simplex")
    if isinstance(proof, Recession):
        return Certified("unbounded", None, None, proof, problem, method="exact simplex")
    value = problem.objective(solution.x)
    bound = DualBound(in_order(solution.y_ub, solution.y_eq), value)
    return assembled(problem, PrimalPoint(solution.x, value), bound, method="exact vertex")


def refine(floats: FloatProblem, found: Numerical) -> Certified | None:
    """An enclosure of gap 0, if the optimum is found by an exact KKT system or has small denominators."""
    problem = floats.exact
    if not (np.all(np.isfinite(found.x)) and np.all(np.isfinite(found.y))):
        return None
    polyhedral = all(cone.kind in ("zero", "nonneg") for cone in problem.cones)
    if polyhedral:
        candidate, method = _kkt(floats, found), "exact KKT system"
    else:
        candidate, method = _simple(floats, found), "small rationals"
    if candidate is None:
        return None
    x, w, y = candidate
    value = problem.objective(x)
    upper, lower = PrimalPoint(x, value), DualBound(y, value, w)
    if accepted(problem, lower) and accepted(problem, upper):
        return assembled(problem, upper, lower, method=method)
    return None


def _kkt(floats: FloatProblem, found: Numerical) -> tuple[Point, Point | None, Point] | None:
    """Solve P x + c + A_I^T y_I = 0, A_I x = b_I exactly for the rows I that look active."""
    problem = floats.exact
    n = len(problem.c)
    slack = floats.slack(found.x)
    active: list[int] = []
    for cone, block in problem.blocks():
        active += [i for i in range(block.start, block.stop) if cone.kind == "zero" or found.y[i] > slack[i]]
    k = len(active)
    system = fmpq_mat(n + k, n + k)
    for i, row in enumerate(problem.P or ()):
        for j, value in row:
            system[i, j] = value
    for position, i in enumerate(active):
        for j, value in problem.rows[i]:
            system[n + position, j] = value
            system[j, n + position] = value
    right = [-value for value in problem.c] + [problem.b[i] for i in active]
    solution = _solve_any(system, right)
    if solution is None:
        return None
    x, y = tuple(solution[:n]), [fmpq(0)] * len(problem.b)
    for position, i in enumerate(active):
        y[i] = solution[n + position]
    return x, None if problem.P is None else x, tuple(y)


def _solve_any(system: fmpq_mat, right: Sequence[fmpq]) -> list[fmpq] | None:
    """Some exact solution of a square system, or `None`."""
    size = system.nrows()
    try:
        solution = system.solve(fmpq_mat(size, 1, list(right)))
        return [solution[i, 0] for i in range(size)]
    except ZeroDivisionError:
        augmented = fmpq_mat(size, size + 1, [v for row, r in zip(system.tolist(), right) for v in (*row, r)])
    reduced, rank = augmented.rref()
    values = [fmpq(0)] * size
    for i in range(rank):
        pivot = next(j for j in range(size + 1) if reduced[i, j] != 0)
        if pivot == size:
            return None
        values[pivot] = reduced[i, size]
    return values


def _simple(floats: FloatProblem, found: Numerical) -> tuple[Point, Point | None, Point] | None:
    """Both optimal points rounded to small rationals, if they then satisfy the equations, values equal."""
    problem = floats.exact
    x = _simple_point(floats, found.x)
    if x is None:
        return None
    other = floats.dual
    point = _simple_point(other, found.y if problem.P is None else np.concatenate([found.x, found.y]))
    if point is None:
        return None
    w, y = split(problem, point)
    value = problem.offset - dot(problem.b, y) - (problem.half_quadratic(w) if w is not None else 0)
    return (x, w, y) if problem.objective(x) == value else None


def _simple_point(floats: FloatProblem, x: Floats) -> Point | None:
    start: list[fmpq] = []
    for value in x:
        rounded = small_rational(float(value), 1e-7, 5000)
        if rounded is None:
            return None
        start.append(rounded)
    rows, right = equations(floats.exact)
    point = on_subspace(plan(rows, np.ones(len(start))), right, start)
    if point is None:
        return None
    inside = margin(floats.exact, floats.slack(np.array([to_float(v) for v in point])))
    return point if inside > -1e-9 else None


def _dense(row: Row, n: int) -> list[fmpq]:
    line = [fmpq(0)] * n
    for j, value in row:
        line[j] = value
    return line
