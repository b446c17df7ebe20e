"""Proven bounds of the program, tight: an interior pair of points as near to the boundary as the exact test allows.

The multipliers are kept inside by delta: with e the unit of the cone, multipliers y >= delta e for the objective c are
multipliers y - delta e >= 0 for the objective c + delta A^T e; a slack >= delta e is a slack >= 0 for the right-hand side b - delta e.
One numerical solution of the program shifted so gives both interior points. The bounds lie on the segments
from the (slightly infeasible) optimal points to the interior ones, at the least step that passes the exact test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
from flint import fmpq

from solvers.certificates import ConicCertificate, ConicProblem, DualBound, Enclosure, Infeasibility, PrimalPoint
from solvers.certificates.cones import Cone
from solvers.certificates.rational import dot
from solvers.conic import Certified, certify, exact, numeric
from solvers.conic.affine import Plan, on_subspace, plan
from solvers.conic.numeric import FloatProblem, Floats
from solvers.conic.repair import equations, room_to_move
from solvers.conic.result import accepted, assembled
from solvers.conic.rounding import bits_for, dyadic, to_float

Point = tuple[fmpq, ...]
DELTAS = (1e-8, 1e-6, 1e-4, 1e-2)
"""Depths of the interior points, relative to data of size 1; deeper ones only if shallower ones fail."""
STEPS = (0.0, *(10.0 ** (k / 4) for k in range(-40, 1)))
"""Shares of the way to the interior point."""
AFFORDABLE = 160
"""Variables up to which facial reduction is tried."""
MILD = 100.0
"""Optima between 1/100 and 100 need no scaling for the multipliers' sake."""


@lru_cache(maxsize=64)
def enclose(problem: ConicProblem) -> Certified:
    """Enclose the optimum of a semidefinite program (a minimisation) between proven bounds (the last 64 are remembered).

    Args:
        problem: exact data with a linear objective; its last cone holds the Gram matrix, the last variables (others are
            left to `solvers.conic.certify`).

    Returns:
        The bounds with their certificate; never raises for a numerical failure. Programs without interior, infeasible
        and unbounded ones are left to `solvers.conic.certify`.
    """
    if problem.P is not None or not problem.is_exact or exact.is_linear(problem) or not _ends_with_gram(problem):
        return certify(problem)
    balanced, factors = _balanced(problem)
    found = _enclosed(balanced)
    return replace(found, problem=problem, certificate=_translated(found.certificate, factors))


def _enclosed(problem: ConicProblem) -> Certified:
    floats = FloatProblem(problem)
    found = numeric.solve(floats)
    if not found.status.endswith("Solved"):
        return certify(problem)
    refined = exact.refine(floats, found)
    if refined is not None:
        return refined
    scale = _scale(float(floats.c @ found.x))
    scaled = _scaled(problem, scale)
    again = found if scale == 1 else numeric.solve(FloatProblem(scaled))
    times = to_float(scale)
    if times < 1 / MILD or times > MILD:  # scaling makes x more exact, and y only if the scale was far off
        found = again
    primal = _Side(floats, again.x / times, lambda x: accepted(problem, PrimalPoint(x, problem.objective(x))))
    dual = _Multipliers(floats, found.y, lambda y: accepted(problem, DualBound(y, _value(problem, y))))
    for delta in DELTAS:
        if primal.point is not None and dual.point is not None:
            break
        inside = numeric.solve(FloatProblem(_shifted(scaled, floats, delta)))
        primal.towards(inside.x / times)
        dual.towards(inside.y + delta * floats.identity)
    if primal.point is None or dual.point is None:
        if problem.shape[1] > AFFORDABLE:
            missing = " and ".join(n for n, side in (("feasible", primal), ("dual", dual)) if side.point is None)
            reason = f"no interior {missing} point was found, and {problem.shape[1]} variables are too many for facial reduction"
            return _merged(problem, primal.point, dual.point, assembled(problem, None, None, reason))
        general = certify(problem)
        if general.status not in ("enclosed", "lower bound", "upper bound", "inconclusive"):
            return general
        return _merged(problem, primal.point, dual.point, general)
    upper = PrimalPoint(primal.point, problem.objective(primal.point))
    lower = DualBound(dual.point, _value(problem, dual.point))
    return assembled(problem, upper, lower, _wide(upper.bound, lower.bound), "interior points")


def _balanced(problem: ConicProblem) -> tuple[ConicProblem, list[fmpq]]:
    """Equalities and inequalities multiplied by powers of two so that their largest coefficients are near 1."""
    rows, b, factors = list(problem.rows), list(problem.b), [fmpq(1)] * len(problem.b)
    for cone, block in problem.blocks():
        if cone.kind not in ("zero", "nonneg"):
            continue
        for i in range(block.start, block.stop):
            size = max((abs(to_float(value)) for _, value in rows[i]), default=1.0)
            if not 0.25 < size < 4 and np.isfinite(size) and size > 0:
                factors[i] = fmpq(2) ** -round(float(np.log2(size)))
                rows[i] = tuple((j, value * factors[i]) for j, value in rows[i])
                b[i] = b[i] * factors[i]
    return ConicProblem(problem.c, tuple(rows), tuple(b), problem.cones, None, problem.offset), factors


def _translated(certificate: ConicCertificate | None, factors: list[fmpq]) -> ConicCertificate | None:
    """The certificate for the program whose rows were multiplied."""

    def original(y: Point) -> Point:
        return tuple(v * f for v, f in zip(y, factors))

    match certificate:
        case DualBound():
            return replace(certificate, y=original(certificate.y))
        case Enclosure(primal=primal, dual=dual):
            return Enclosure(primal, replace(dual, y=original(dual.y)))
        case Infeasibility():
            return replace(certificate, y=original(certificate.y))
    return certificate


class _Search:
    """The search for a feasible point near a numerical one: the least step towards an interior point that passes."""

    def __init__(self, floats: FloatProblem, x: Floats, accept: Callable[[Point], bool]) -> None:
        self.floats, self.x, self.accept = floats, x, accept
        self.plan: Plan | None = None
        self.point: Point | None = None

    def prepare(self, target: Floats) -> None:
        """Choose what absorbs the errors of the equations."""
        raise NotImplementedError

    def exactly(self, x: Floats) -> Point | None:
        """The point near x, on the equations."""
        raise NotImplementedError

    def margin(self, point: Floats) -> float:
        """How far inside the cones a point is, in doubles."""
        raise NotImplementedError

    def towards(self, target: Floats) -> None:
        """Search between x and the target; nothing if a point is known or the target is no point."""
        if self.point is not None or not (np.all(np.isfinite(self.x)) and np.all(np.isfinite(target))):
            return
        self.prepare(target)

        def at(step: float) -> Point | None:
            return self.exactly(self.x + step * (target - self.x))

        low, high = -1, len(STEPS) - 1  # the feasible steps are an interval that ends at the target, if it is feasible
        if not self._inside(at(STEPS[high])):
            return
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._inside(at(STEPS[middle])) else (middle, high)
        for k in (high, high + 1, high + 3, high + 8, len(STEPS) - 1):
            point = at(STEPS[k]) if k < len(STEPS) else None
            if point is not None and self.accept(point):
                self.point = point
                return

    def _inside(self, point: Point | None) -> bool:
        """Whether a point is feasible in doubles, by more than their noise."""
        return point is not None and self.margin(np.array([to_float(v) for v in point])) > 0


class _Side(_Search):
    """Primal points: variables, their slack in the cones."""

    def prepare(self, target: Floats) -> None:
        self.rows, self.right = equations(self.floats.exact)
        if self.rows:
            self.plan = plan(self.rows, room_to_move(self.floats, target))

    def exactly(self, x: Floats) -> Point | None:
        bits = bits_for(x, 52)
        point = tuple(dyadic(float(v), bits) for v in x)
        return on_subspace(self.plan, self.right, point) if self.plan is not None else point

    def margin(self, point: Floats) -> float:
        slack = self.floats.slack(point)
        return numeric.margin(self.floats.exact, slack) - _noise(slack)


class _Multipliers(_Search):
    """Dual points. The multiplier of the Gram matrix is what stationarity in its entries leaves; the other multipliers absorb the
    errors of stationarity in the remaining variables."""

    def prepare(self, target: Floats) -> None:
        problem = self.floats.exact
        cone, block = problem.blocks()[-1]
        self.free = block.start
        self.kept = len(problem.c) - cone.rows
        columns: list[list[tuple[int, fmpq]]] = [[] for _ in range(self.kept)]
        for i in range(self.free):
            for j, value in problem.rows[i]:
                if j < self.kept:
                    columns[j].append((i, value))
        self.right = [-c for c in problem.c[: self.kept]]
        room = np.abs(target[: self.free])
        largest = float(room.max(initial=1.0))
        for cone, rows in problem.blocks()[:-1]:
            if cone.kind == "zero":
                room[rows] = largest
            elif cone.kind == "psd":
                room[rows] = max(numeric.cone_margin(cone, target[rows] * _halves(cone)), 0.0)
        self.plan = plan([tuple(c) for c in columns], room) if self.kept else None

    def exactly(self, x: Floats) -> Point | None:
        problem = self.floats.exact
        head = x[: self.free]
        bits = bits_for(head, 52)
        y: Point | None = tuple(dyadic(float(v), bits) for v in head)
        if self.plan is not None and y is not None:
            y = on_subspace(self.plan, self.right, y)
        if y is None:
            return None
        gradient = problem.gradient(None, (*y, *(fmpq(0),) * (len(problem.b) - self.free)))
        return (*y, *gradient[self.kept :])

    def margin(self, point: Floats) -> float:
        least = np.inf
        for cone, rows in self.floats.exact.blocks():
            if cone.kind != "zero":
                part = point[rows] * _halves(cone)
                least = min(least, numeric.cone_margin(cone, part) - (_noise(part) if cone.kind == "psd" else 0.0))
        return least


def _halves(cone: Cone) -> Floats:
    """1 on the diagonal of a triangle, 1/2 off it; 1 for other cones."""
    factor = np.ones(cone.rows)
    if cone.kind == "psd":
        factor[:] = 0.5
        factor[[j * (j + 3) // 2 for j in range(cone.order)]] = 1.0
    return factor


def _noise(values: Floats) -> float:
    return 1e-15 * (1.0 + float(np.max(np.abs(values), initial=0.0)))


def _ends_with_gram(problem: ConicProblem) -> bool:
    """Whether the last cone holds the matrix of the last variables itself: rows -x_j <= 0 in order."""
    cone, block = problem.blocks()[-1]
    first = len(problem.c) - cone.rows
    return cone.kind == "psd" and all(
        problem.rows[i] == ((first + k, fmpq(-1)),) and problem.b[i] == 0
        for k, i in enumerate(range(block.start, block.stop))
    )


def _scale(optimum: float) -> fmpq:
    """The power of two that brings the optimum near 1, or 1 where that is needless or hopeless."""
    size = abs(optimum)
    if not np.isfinite(size) or size < 1e-9 or size > 1e9 or 0.25 < size < 4:
        return fmpq(1)
    return dyadic(2.0 ** -round(float(np.log2(size))), 40)


def _scaled(problem: ConicProblem, scale: fmpq) -> ConicProblem:
    """The program with its right-hand side multiplied: points and optimum are multiplied too, multipliers are not."""
    b = tuple(value * scale for value in problem.b)
    return ConicProblem(problem.c, problem.rows, b, problem.cones, None, problem.offset * scale)


def _value(problem: ConicProblem, y: Point) -> fmpq:
    return problem.offset - dot(problem.b, y)


def _shifted(problem: ConicProblem, floats: FloatProblem, delta: float) -> ConicProblem:
    """min (c + delta A^T e) x subject to b - delta e - A x in K."""
    share = dyadic(delta, 60)
    e = [share * int(v) for v in floats.identity]
    c = list(problem.c)
    for row, unit in zip(problem.rows, e):
        if unit != 0:
            for j, value in row:
                c[j] += unit * value
    b = tuple(value - unit for value, unit in zip(problem.b, e))
    return ConicProblem(tuple(c), problem.rows, b, problem.cones, None, problem.offset)


def _merged(problem: ConicProblem, x: Point | None, y: Point | None, general: Certified) -> Certified:
    """The bounds found here where there are any, those of the general method elsewhere."""
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
