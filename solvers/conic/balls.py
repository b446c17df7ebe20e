"""Programs with ball data: bounds that hold for every program within the balls.

The program of the midpoints is solved and repaired exactly. A point carries over with as many coordinates
left open as there are equations: those are solved for again in ball arithmetic, by the checker. At a vertex
of a linear program all tight rows count as equations, so that a tight inequality is met by definition and not
by an undecided comparison.
"""

from __future__ import annotations

import numpy as np
from flint import arb, ctx, fmpq

from solvers.certificates import ConicProblem, DualBound, PrimalPoint, Solved
from solvers.certificates.bounds import MIN_BITS
from solvers.certificates.problem import Row
from solvers.certificates.rational import Number, is_zero
from solvers.conic import numeric
from solvers.conic.affine import plan
from solvers.conic.dual import dual_problem
from solvers.conic.exact import is_linear, solve_linear
from solvers.conic.numeric import FloatProblem, Floats
from solvers.conic.repair import Point, repair, room_to_move
from solvers.conic.result import Certified, assembled, bounded_above, bounded_below
from solvers.conic.rounding import to_float


def certify_balls(problem: ConicProblem) -> Certified:
    """Enclose the optima of all programs within the balls.

    Args:
        problem: data with at least one ball. The rows of zero cones must be independent.

    Returns:
        Bounds valid for each program within the balls; `inconclusive` with the reason where the balls decide
        nothing. Infeasible and unbounded programs are not recognised here.
    """
    centre = midpoints(problem)
    upper: PrimalPoint | None = None
    lower: DualBound | None = None
    if is_linear(centre):
        solution, place = solve_linear(centre)
        if solution.status != "optimal":
            return assembled(problem, None, None, f"the program of the midpoints is {solution.status}")
        upper, lower = _vertex(problem, solution.basic, place)
        x, y = np.array([to_float(value) for value in solution.x]), np.zeros(len(problem.b))
        for i, value in zip(place, (*solution.y_ub, *solution.y_eq)):
            y[i] = to_float(value)
    else:
        found = numeric.solve(FloatProblem(centre))
        x, y = found.x, found.y
        if not (np.all(np.isfinite(x)) and np.all(np.isfinite(y))):
            return assembled(problem, None, None, f"Clarabel ended with {found.status}")
    method = "ball vertex" if upper is not None and lower is not None else "repaired in balls"
    reasons = []
    if upper is None:
        upper, reason = _primal(problem, centre, x)
        reasons.append(reason)
    if lower is None:
        lower, reason = _dual(problem, centre, x, y)
        reasons.append(reason)
    return assembled(problem, upper, lower, "; ".join(reason for reason in reasons if reason), method)


def midpoints(problem: ConicProblem) -> ConicProblem:
    """The exact program of the balls' midpoints."""
    return ConicProblem(
        tuple(_middle(value) for value in problem.c),
        tuple(_middle_row(row) for row in problem.rows),
        tuple(_middle(value) for value in problem.b),
        problem.cones,
        None if problem.P is None else tuple(_middle_row(row) for row in problem.P),
        _middle(problem.offset),
    )


def _middle(value: Number) -> fmpq:
    return value.mid().fmpq() if isinstance(value, arb) else value


def _middle_row(row: Row) -> Row:
    entries = ((j, _middle(value)) for j, value in row)
    return tuple((j, value) for j, value in entries if not is_zero(value))


def _bits() -> int:
    return max(MIN_BITS, int(ctx.prec))


def _vertex(
    problem: ConicProblem, basic: tuple[int, ...], place: list[int]
) -> tuple[PrimalPoint | None, DualBound | None]:
    """The basic solution and its multiplier in balls: tight rows are those whose activity is not basic."""
    m, n = problem.shape
    chosen = set(basic)
    unknowns = tuple(sorted(v for v in chosen if v < n))
    tight = tuple(sorted(i for k, i in enumerate(place) if n + k not in chosen))
    point = PrimalPoint((fmpq(0),) * n, fmpq(0), Solved(unknowns, tight, _bits()))
    multiplier = DualBound((fmpq(0),) * m, fmpq(0), None, Solved(tight, (), _bits()))
    return bounded_above(problem, point)[0], bounded_below(problem, multiplier)[0]


def _primal(problem: ConicProblem, centre: ConicProblem, x: Floats) -> tuple[PrimalPoint | None, str]:
    floats = FloatProblem(centre)
    equations = tuple(i for i, equal in enumerate(floats.is_equality) if equal)

    def accept(point: Point) -> PrimalPoint | None:
        weight = room_to_move(floats, np.array([to_float(value) for value in point]))
        unknowns = plan([centre.rows[i] for i in equations], weight).determined
        if unknowns is None:
            return None
        solved = Solved(tuple(unknowns), equations, _bits()) if equations else None
        return bounded_above(problem, PrimalPoint(_opened(point, unknowns), fmpq(0), solved))[0]

    outcome = repair(floats, x, accept)
    return outcome.found, "" if outcome.found is not None else f"no primal point: {outcome.reason}"


def _dual(problem: ConicProblem, centre: ConicProblem, x: Floats, y: Floats) -> tuple[DualBound | None, str]:
    n = len(centre.c)
    other = dual_problem(centre)
    floats = FloatProblem(other)
    shift = 0 if centre.P is None else n

    def accept(point: Point) -> DualBound | None:
        weight = room_to_move(floats, np.array([to_float(value) for value in point]))
        # w stays as listed, the multipliers absorb the stationarity equations
        rows = [tuple((j, value) for j, value in row if j >= shift) for row in other.rows[:n]]
        unknowns = plan(rows, weight).determined
        if unknowns is None:
            return None
        opened = _opened(point, unknowns)
        solved = Solved(tuple(i - shift for i in unknowns), (), _bits())
        w = opened[:shift] if shift else None
        return bounded_below(problem, DualBound(opened[shift:], fmpq(0), w, solved))[0]

    outcome = repair(floats, y if centre.P is None else np.concatenate([x, y]), accept)
    return outcome.found, "" if outcome.found is not None else f"no dual point: {outcome.reason}"


def _opened(point: Point, unknowns: list[int]) -> Point:
    chosen = set(unknowns)
    return tuple(fmpq(0) if j in chosen else value for j, value in enumerate(point))
