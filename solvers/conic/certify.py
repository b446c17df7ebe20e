"""From an exact conic program to proven bounds of its optimum.

Clarabel (HiGHS for linear programs) proposes; points are repaired exactly; `solvers.certificates` decides. A
solver's status is never believed: a wrong or inaccurate answer gives a weaker bound, or none with the reason.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from flint import fmpq

from solvers.certificates import ConicProblem, DualBound, Infeasibility, PrimalPoint, Recession
from solvers.conic import balls, exact, numeric
from solvers.conic.dual import farkas_problem, recession_problem, split
from solvers.conic.numeric import FloatProblem, Floats
from solvers.conic.repair import Point, Repaired, repair
from solvers.conic.result import Certified, Status, accepted, assembled, bounded_above, bounded_below
from solvers.conic.rounding import to_float

TARGET = fmpq(1, 10**7)
ZERO = fmpq(0)
T = TypeVar("T", Infeasibility, Recession)


def certify(problem: ConicProblem) -> Certified:
    """Enclose the optimum of a conic program between proven bounds.

    Args:
        problem: exact data (`solvers.certificates.conic_problem`), or data with balls, for which the bounds
            hold for every problem within the balls.

    Returns:
        The bounds with their certificate. Never raises for a numerical failure: the status says what is
        missing.
    """
    if not problem.is_exact:
        return balls.certify_balls(problem)
    if exact.is_linear(problem):
        return exact.certify_linear(problem)
    if not problem.is_convex:
        return assembled(problem, None, None, "the quadratic form is not positive semidefinite")
    floats = FloatProblem(problem)
    try:
        found = numeric.solve(floats)
    except OverflowError:
        return assembled(problem, None, None, "a coefficient exceeds the range of doubles")
    if found.status in ("PrimalInfeasible", "AlmostPrimalInfeasible"):
        return _infeasible(floats, found.y) or _bounds(floats, found)
    if found.status in ("DualInfeasible", "AlmostDualInfeasible"):
        return _unbounded(floats, found.x) or _bounds(floats, found)
    return exact.refine(floats, found) or _bounds(floats, found)


def _bounds(floats: FloatProblem, found: numeric.Numerical) -> Certified:
    """Repair both points; fall back on proofs of infeasibility or unboundedness."""
    problem = floats.exact
    x = np.where(np.isfinite(found.x), found.x, 0.0)
    y = np.where(np.isfinite(found.y), found.y, 0.0)
    primal = repair(floats, x, lambda point: bounded_above(problem, PrimalPoint(point, ZERO))[0])
    dual = repair(
        floats.dual,
        y if problem.P is None else np.concatenate([x, y]),
        lambda point: bounded_below(problem, _dual_bound(problem, point))[0],
    )
    upper, lower = primal.found, dual.found
    if upper is None and lower is None:
        proven = _infeasible(floats, y) or _unbounded(floats, x)
        return proven or assembled(problem, None, None, _reason(found, primal, dual, None))
    if upper is None:
        return _infeasible(floats, y) or assembled(problem, None, lower, _reason(found, primal, dual, None))
    if lower is None:
        return _unbounded(floats, x) or assembled(problem, upper, None, _reason(found, primal, dual, None))
    gap = (upper.bound - lower.bound) / max(fmpq(1), abs(lower.bound), abs(upper.bound))
    return assembled(problem, upper, lower, "" if gap <= TARGET else _reason(found, primal, dual, gap))


def _dual_bound(problem: ConicProblem, point: Point) -> DualBound:
    w, y = split(problem, point)
    return DualBound(y, ZERO, w)


def _infeasible(floats: FloatProblem, y: Floats) -> Certified | None:
    """A Farkas proof near a numerical multiplier, if there is one."""
    problem = floats.exact
    scale = -float(floats.b @ y)
    if scale <= 0:
        return None
    found = repair(
        FloatProblem(farkas_problem(problem)), y / scale, lambda point: _accepted(problem, Infeasibility(point))
    ).found
    return None if found is None else Certified("infeasible", None, None, found, problem)


def _unbounded(floats: FloatProblem, d: Floats) -> Certified | None:
    """A recession direction near a numerical one, with a feasible point if one is found."""
    problem = floats.exact
    scale = -float(floats.c @ d)
    if scale <= 0:
        return None
    found = repair(
        FloatProblem(recession_problem(problem)), d / scale, lambda point: _accepted(problem, Recession(point))
    ).found
    if found is None:
        return None
    direction = found.direction
    start = numeric.solve(FloatProblem(_without_objective(problem))).x
    start = np.where(np.isfinite(start), start, 0.0)
    feasible = repair(floats, start, lambda point: _accepted(problem, Recession(direction, point)))
    status: Status = "unbounded" if feasible.found is not None else "dual infeasible"
    return Certified(status, None, None, feasible.found or found, problem, feasible.reason)


def _accepted(problem: ConicProblem, certificate: T) -> T | None:
    return certificate if accepted(problem, certificate) else None


def _without_objective(problem: ConicProblem) -> ConicProblem:
    return ConicProblem((fmpq(0),) * len(problem.c), problem.rows, problem.b, problem.cones)


def _reason(
    found: numeric.Numerical, primal: Repaired[PrimalPoint], dual: Repaired[DualBound], gap: fmpq | None
) -> str:
    parts = [f"Clarabel ended with {found.status}"]
    if gap is not None:
        parts.append(f"relative gap {to_float(gap):.1e}")
    for name, side in (("primal", primal), ("dual", dual)):
        if side.found is None:
            parts.append(f"no {name} point: {side.reason}")
        elif side.reductions:
            parts.append(f"no strictly feasible {name} point was found ({side.reductions} facial reductions)")
        elif side.step > 1e-6:
            parts.append(f"the {name} point was moved by {side.step:.0e} of the way to the interior")
    return "; ".join(parts)
