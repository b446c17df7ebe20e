"""Proven bounds of the program, tight: an interior pair of points as near to the boundary as the exact test allows.

The multipliers are kept inside by delta: with e the unit of the cone, multipliers y >= delta e for the objective c are
multipliers y - delta e >= 0 for the objective c + delta A^T e; a slack >= delta e is a slack >= 0 for the right-hand side b - delta e.
One numerical solution of the program shifted so gives both interior points. The bounds lie on the segments
from the (slightly infeasible) optimal points to the interior ones, at the least step that passes the exact test. Where one side has no
interior it is first restricted to its smallest face (`faces`, `implicit`); what is found there is tested in the program given.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, partial

from flint import fmpq

from solvers.certificates import ConicProblem, DualBound, Enclosure, PrimalPoint
from solvers.certificates.rational import dot
from solvers.conic import Certified, certify, exact
from solvers.conic.numeric import BROKE_OFF, FloatProblem, Numerical, solve
from solvers.conic.result import accepted, assembled
from solvers.conic.rounding import to_float
from solvers.performance.faces import Face, faces
from solvers.performance.interior import Point
from solvers.performance.sides import both_sides
from solvers.performance.units import measured, restored

HINT = "where coefficients are rounded roots there may be none: try rational parameters"
WITHIN = 1e-7
"""Relative width from which the solution is not refined further."""
AFFORDABLE = 160
"""Variables up to which the general method is tried."""


@lru_cache(maxsize=64)
def enclose(problem: ConicProblem, within: float = WITHIN) -> Certified:
    """Enclose the optimum of a semidefinite program (a minimisation) between proven bounds (the last 64 are remembered).

    Args:
        problem: exact data with a linear objective; its last cone holds the Gram matrix, the last variables (others are
            left to `solvers.conic.certify`).
        within: relative width that suffices, where it is reached.

    Returns:
        The bounds with their certificate; never raises for a numerical failure. Infeasible and unbounded programs are
        left to `solvers.conic.certify`.
    """
    if problem.P is not None or not problem.is_exact or exact.is_linear(problem) or not _ends_with_gram(problem):
        return certify(problem)
    even, units = measured(problem)
    return restored(_enclosed(even, within), problem, units)


def _enclosed(problem: ConicProblem, within: float) -> Certified:
    floats = FloatProblem(problem)
    found = solve(floats)
    if found.status == BROKE_OFF:
        return assembled(problem, None, None, "the solver broke off")
    if not found.status.endswith("Solved"):
        return certify(problem)
    refined = exact.refine(floats, found)
    if refined is not None:
        return refined
    chain = faces(problem)
    x, y = _pair(problem, chain, within, found)
    if x is None and chain:
        x = _pair(problem, (), within, found)[0]
    if x is None or y is None:
        return _completed(problem, x, y)
    upper, lower = PrimalPoint(x, problem.objective(x)), DualBound(y, _value(problem, y))
    return assembled(problem, upper, lower, _wide(upper.bound, lower.bound), "interior points")


def _pair(
    problem: ConicProblem, chain: tuple[Face, ...], within: float, known: Numerical
) -> tuple[Point | None, Point | None]:
    """A feasible point and feasible multipliers of nearly optimal value, found on the smallest face."""

    def point(x: Point) -> Point | None:
        back: Point | None = x
        for face in reversed(chain):
            back = None if back is None else face.point(back, partial(_is_feasible, face.given))
        return back if back is not None and _is_feasible(problem, back) else None

    def multipliers(y: Point) -> Point | None:
        for face in reversed(chain):
            y = face.multipliers(y)
        return y if accepted(problem, DualBound(y, _value(problem, y))) else None

    if chain and chain[-1].order == 0:  # nothing is left of the Gram matrix: mostly a linear program, solved exactly
        found = certify(chain[-1].problem).certificate
        return (point(found.primal.x), multipliers(found.dual.y)) if isinstance(found, Enclosure) else (None, None)
    if chain:
        return both_sides(chain[-1].problem, point, multipliers, within)
    return both_sides(problem, point, multipliers, within, known)


def _completed(problem: ConicProblem, x: Point | None, y: Point | None) -> Certified:
    """The bounds found here where there are any, those of the general method elsewhere if it is affordable."""
    if problem.shape[1] > AFFORDABLE:
        missing = " and ".join(n for n, side in (("feasible point", x), ("multipliers", y)) if side is None)
        return _merged(
            problem, x, y, assembled(problem, None, None, f"no exact {missing} found near the solver's; {HINT}")
        )
    general = certify(problem)
    if general.status not in ("enclosed", "lower bound", "upper bound", "inconclusive"):
        return general
    return _merged(problem, x, y, replace(general, reason=f"{general.reason}; {HINT}"))


def _ends_with_gram(problem: ConicProblem) -> bool:
    """Whether the last cone holds the matrix of the last variables itself: rows -x_j <= 0 in order."""
    cone, block = problem.blocks()[-1]
    first = len(problem.c) - cone.rows
    return cone.kind == "psd" and all(
        problem.rows[i] == ((first + k, fmpq(-1)),) and problem.b[i] == 0
        for k, i in enumerate(range(block.start, block.stop))
    )


def _is_feasible(problem: ConicProblem, x: Point) -> bool:
    return accepted(problem, PrimalPoint(x, problem.objective(x)))


def _value(problem: ConicProblem, y: Point) -> fmpq:
    return problem.offset - dot(problem.b, y)


def _merged(problem: ConicProblem, x: Point | None, y: Point | None, general: Certified) -> Certified:
    found = general.certificate
    upper = PrimalPoint(x, problem.objective(x)) if x is not None else getattr(found, "primal", found)
    lower = DualBound(y, _value(problem, y)) if y is not None else getattr(found, "dual", found)
    upper = upper if isinstance(upper, PrimalPoint) else None
    lower = lower if isinstance(lower, DualBound) else None
    return assembled(problem, upper, lower, general.reason, general.method)


def _wide(upper: fmpq, lower: fmpq) -> str:
    size = max(abs(upper), abs(lower))
    if upper - lower <= fmpq(1, 10**6) * size:
        return ""
    return f"relative width {to_float((upper - lower) / size):.1e}; scale the problem so that its optimum is near 1"
