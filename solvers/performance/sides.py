"""The two sides of a program: a point and multipliers, nearly optimal, each brought back to where it is tested."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from solvers.certificates import ConicProblem
from solvers.conic import numeric
from solvers.conic.numeric import FloatProblem, Floats
from solvers.conic.rounding import to_float
from solvers.performance.implicit import Solved, solved, with_implicit_equations
from solvers.performance.interior import Multipliers, Point, Primal, Search
from solvers.performance.scaling import scale, scaled, shifted
from solvers.performance.zoom import zoomed

Back = Callable[[Point], Point | None]
"""Where a point is tested: what becomes of it there, or `None` if it is not accepted."""
Pair = tuple[Floats, Floats]
"""Variables and multipliers."""

DELTAS = (1e-8, 1e-6, 1e-4, 1e-2)
"""Depths of the interior points, relative to data of size 1; deeper ones only if shallower ones fail."""
MAX_ROUNDS = 4
MILD = 100.0
"""Optima between 1/100 and 100 need no scaling for the multipliers' sake."""
GOOD = 3e-8
"""Relative loss against the optimum from which the solution is refined."""


@dataclass(frozen=True)
class Numerics:
    """What the solver says of a program, scaled so that its optimum is near 1; each question is asked once."""

    problem: ConicProblem
    asked: dict[int, Pair] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def floats(self) -> FloatProblem:
        """The program in doubles."""
        return FloatProblem(self.problem)

    @cached_property
    def _scaled(self) -> tuple[numeric.Numerical, ConicProblem, float]:
        first = numeric.solve(self.floats)
        factor = scale(float(self.floats.c @ first.x))
        return first, scaled(self.problem, factor), to_float(factor)

    @cached_property
    def optimal(self) -> Pair:
        """Variables and multipliers, slightly infeasible."""
        first, even, times = self._scaled
        if times == 1:
            return first.x, first.y
        again = numeric.solve(FloatProblem(even))
        far = times < 1 / MILD or times > MILD  # scaling makes x more exact, and y only if the scale was far off
        return again.x / times, again.y if far else first.y

    def inside(self, k: int) -> Pair:
        """Interior points of both sides, if the depth `DELTAS[k]` is possible."""
        if k not in self.asked:
            _, even, times = self._scaled
            found = numeric.solve(FloatProblem(shifted(even, self.floats, DELTAS[k])))
            self.asked[k] = found.x / times, found.y + DELTAS[k] * self.floats.identity
        return self.asked[k]

    def refined(self, k: int) -> Pair | None:
        """The optimum again, seen from an interior point."""
        if ~k not in self.asked:
            found = zoomed(self.floats, self.inside(k)[0])
            if found is None:
                return None
            self.asked[~k] = found
        return self.asked[~k]


def both_sides(problem: ConicProblem, point: Back, multipliers: Back) -> tuple[Point | None, Point | None]:
    """A feasible point and feasible multipliers, as they are where they are tested.

    Args:
        problem: exact, with linear objective; the last cone holds the Gram matrix itself.
        point: where a feasible point is tested.
        multipliers: where feasible multipliers are tested.
    """
    numerics = Numerics(problem)
    return _feasible(numerics, point), _nearest(numerics, Multipliers, 1, multipliers)


def _feasible(numerics: Numerics, back: Back) -> Point | None:
    """A feasible point: with equations solved, and those that hold implicitly added where needed."""
    for _ in range(MAX_ROUNDS):
        if np.any(numerics.floats.is_equality):
            inner = solved(numerics.problem)
            if inner is None:
                return None
            numerics, back = Numerics(inner.problem), _through(inner, back)
        found = _nearest(numerics, Primal, 0, back)
        if found is not None:
            return found
        smaller = with_implicit_equations(numerics.problem)
        if smaller is None:
            return None
        numerics = Numerics(smaller)
    return None


def _through(inner: Solved, back: Back) -> Back:
    return lambda x: back(inner.point(x))


def _nearest(numerics: Numerics, search: type[Search], side: int, back: Back) -> Point | None:
    """The point or multipliers of nearly optimal value, as they are where they are tested; the solution is refined if it loses much."""
    floats = numerics.floats
    start, weight = numerics.optimal[side], (floats.c, floats.b)[side]
    for k in range(len(DELTAS)):
        inside = numerics.inside(k)[side]
        found = _towards(search, floats, start, inside, back)
        if found is None:
            continue
        value, result = found
        optimum = float(weight @ start)
        if value - optimum > GOOD * max(abs(value), 1e-9):
            refined = numerics.refined(k)
            again = None if refined is None else _towards(search, floats, refined[side], inside, back)
            if again is not None and again[0] < value:
                return again[1]
        return result
    return None


def _towards(
    search: type[Search], floats: FloatProblem, start: Floats, inside: Floats, back: Back
) -> tuple[float, Point] | None:
    """What is accepted between the start and an interior point, with its value to be minimised."""
    kept: list[Point] = []

    def accept(candidate: Point) -> bool:
        result = back(candidate)
        if result is not None:
            kept.append(result)
        return result is not None

    found = search(floats, start, accept)
    found.towards(inside)
    if found.point is None:
        return None
    weight = floats.c if search is Primal else floats.b
    return float(weight @ np.array([to_float(v) for v in found.point])), kept[-1]
