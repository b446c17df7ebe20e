"""Exactly feasible points as near to the boundary as the exact test allows, on the segment to an interior point."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from flint import fmpq

from solvers.certificates.cones import Cone
from solvers.conic import numeric
from solvers.conic.affine import Plan, on_subspace, plan
from solvers.conic.numeric import FloatProblem, Floats
from solvers.conic.repair import equations, room_to_move
from solvers.conic.rounding import bits_for, dyadic, to_float

Point = tuple[fmpq, ...]
STEPS = (0.0, *(10.0 ** (k / 4) for k in range(-40, 1)))
"""Shares of the way to the interior point."""
FURTHER = (0, 1, 3, 6, 10, 16)
"""Steps beyond the first that is feasible in doubles, for the exact test."""


class Search:
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
        """How far inside the cones a point is, in doubles, beyond their noise."""
        raise NotImplementedError

    def towards(self, target: Floats) -> None:
        """Search between x and the target; nothing if a point is known or the target is no point."""
        if self.point is not None or not (np.all(np.isfinite(self.x)) and np.all(np.isfinite(target))):
            return
        self.prepare(target)
        start, end = self._on_equations(self.x), self._on_equations(target)
        if start is None or end is None:
            return

        def at(step: float) -> Floats:
            return start + step * (end - start)

        low, high = -1, len(STEPS) - 1  # the feasible steps are an interval that ends at the target, if it is feasible
        if self.margin(at(STEPS[high])) <= 0:
            return
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.margin(at(STEPS[middle])) > 0 else (middle, high)
        for k in (*(high + more for more in FURTHER), len(STEPS) - 1):
            point = self.exactly(at(STEPS[k])) if k < len(STEPS) else None
            if point is not None and self.accept(point):
                self.point = point
                return

    def _on_equations(self, x: Floats) -> Floats | None:
        point = self.exactly(x)
        return None if point is None else np.array([to_float(v) for v in point])


class Primal(Search):
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


class Multipliers(Search):
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
