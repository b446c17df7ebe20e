"""The dual program as a program in standard form, so that one repair serves both sides.

For  min offset + c.x + (1/2) x.P x,  b - A x in K,  the variables are (w, y) and the program is

    minimise   -offset + b.y + (1/2) w.P w   subject to   P w + A^T y = -c,   y in K*.

Its optimum is minus the dual optimum. Each dual cone is written as a cone of the standard form.
"""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from solvers.certificates.cones import Cone, nonneg, triangle_index, zero
from solvers.certificates.problem import ConicProblem, Row
from solvers.certificates.rational import Number

ONE, HALF = fmpq(1), fmpq(1, 2)


def dual_problem(problem: ConicProblem) -> ConicProblem:
    """The dual, in variables w (n of them if there is a quadratic form) and y (m of them)."""
    m, n = problem.shape
    shift = 0 if problem.P is None else n
    equations: list[list[tuple[int, Number]]] = [list(row) for row in problem.P or ((),) * n]
    for i, row in enumerate(problem.rows):
        for j, value in row:
            equations[j].append((shift + i, value))
    cones, rows = _dual_cones(problem, shift)
    quadratic = None if problem.P is None else (*problem.P, *((),) * m)
    return ConicProblem(
        c=(*(fmpq(0),) * shift, *problem.b),
        rows=(*(tuple(row) for row in equations), *rows),
        b=(*(-value for value in problem.c), *(fmpq(0),) * len(rows)),
        cones=(zero(n), *cones) if n else tuple(cones),
        P=quadratic,
        offset=-problem.offset,
    )


def farkas_problem(problem: ConicProblem) -> ConicProblem:
    """The y in K* with A^T y = 0 and b.y = -1: each is a proof of infeasibility."""
    homogeneous = ConicProblem((fmpq(0),) * len(problem.c), problem.rows, problem.b, problem.cones)
    dual = dual_problem(homogeneous)
    normalisation: Row = tuple((i, value) for i, value in enumerate(problem.b) if value != 0)
    return ConicProblem(
        (fmpq(0),) * len(problem.b),
        (*dual.rows, normalisation),
        (*dual.b, fmpq(-1)),
        (*dual.cones, zero(1)),
    )


def recession_problem(problem: ConicProblem) -> ConicProblem:
    """The directions d with -A d in K, P d = 0 and c.d = -1."""
    m, n = problem.shape
    normalisation: Row = tuple((j, value) for j, value in enumerate(problem.c) if value != 0)
    quadratic = problem.P or ()
    return ConicProblem(
        (fmpq(0),) * n,
        (*problem.rows, normalisation, *quadratic),
        (*(fmpq(0),) * m, fmpq(-1), *(fmpq(0),) * len(quadratic)),
        (*problem.cones, zero(1 + len(quadratic))),
    )


def split(problem: ConicProblem, point: Sequence[fmpq]) -> tuple[tuple[fmpq, ...] | None, tuple[fmpq, ...]]:
    """(w, y) of a point of `dual_problem(problem)`."""
    n = len(problem.c)
    return (None, tuple(point)) if problem.P is None else (tuple(point[:n]), tuple(point[n:]))


def _dual_cones(problem: ConicProblem, shift: int) -> tuple[list[Cone], list[Row]]:
    """Cones and rows that say y in K*; right-hand sides are 0."""
    cones: list[Cone] = []
    rows: list[Row] = []
    for cone, block in problem.blocks():
        at = shift + block.start
        match cone.kind:
            case "zero":
                continue
            case "nonneg" | "soc":
                rows += [((at + i, -ONE),) for i in range(cone.rows)]
            case "psd":
                diagonal = {triangle_index(j, j) for j in range(cone.order)}
                rows += [((at + i, -ONE if i in diagonal else -HALF),) for i in range(cone.rows)]
            case "exponential":  # (u, v, w) is dual feasible iff (u - v, -u, w) is in the cone
                rows += [((at, -ONE), (at + 1, ONE)), ((at, ONE),), ((at + 2, -ONE),)]
        cones.append(nonneg(cone.order) if cone.kind == "nonneg" else cone)
    return cones, rows
