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
from solvers.performance.elimination import Solved, solved
from solvers.performance.implicit import Implied, deepest, implied
from solvers.performance.interior import Multipliers, Point, Primal, Search
from solvers.performance.scaling import scale, scaled, shifted
from solvers.performance.zoom import zoomed

Back = Callable[[Point], Point | None]
"""Where a point is tested: what becomes of it there, or `None` if it is not accepted."""
Pair = tuple[Floats, Floats]
"""Variables and multipliers."""

DELTAS = (1e-8, 1e-7, 1e-6, 1e-4, 1e-2)
"""Depths of the interior points, relative to data of size 1; deeper ones only if shallower ones fail."""
MAX_ROUNDS = 4
MILD = 100.0
"""Optima between 1/100 and 100 need no scaling for the multipliers' sake."""
GOOD = 3e-8
"""Relative loss against the optimum from which the solution is refined."""
NEARER = 1e-3
"""Share of the distance to the optimum from which it is seen the second time."""


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

    @cached_property
    def deepest(self) -> Floats:
        """The variables deepest inside, where no interior point of a stated depth is found."""
        return deepest(self.problem)[0]

    @cached_property
    def refined(self) -> Pair | None:
        """The optimum again, seen from an interior point near it, and once more from a point nearer."""
        for inside in (*(self.inside(k)[0] for k in range(len(DELTAS))), self.deepest):
            first = zoomed(self.floats, inside)
            if first is not None:
                return zoomed(self.floats, first[0] + NEARER * (inside - first[0])) or first
        return None


def both_sides(problem: ConicProblem, point: Back, multipliers: Back) -> tuple[Point | None, Point | None]:
    """A feasible point and feasible multipliers, as they are where they are tested.

    Args:
        problem: exact, with linear objective; the last cone holds the Gram matrix itself.
        point: where a feasible point is tested.
        multipliers: where feasible multipliers are tested.
    """
    x: Point | None = None
    y: Point | None = None
    for _ in range(MAX_ROUNDS):
        without = solved(problem)
        if without is None:
            break
        numerics = Numerics(without.problem)
        x = _feasible(numerics, without, point)
        y = _multipliers(numerics, without, problem, multipliers) or y
        if x is not None:
            break
        more = implied(problem)
        if more is None:
            break
        problem, point, multipliers = more.problem, _after(more.point, point), _moved(more, multipliers)
    return x, y


def _after(bring: Callable[[Point], Point], back: Back) -> Back:
    return lambda x: back(bring(x))


def _moved(more: Implied, back: Back) -> Back:
    return lambda y: more.multipliers(y, back)


def _feasible(numerics: Numerics, without: Solved, back: Back) -> Point | None:
    floats = numerics.floats

    def along(start: Floats, inside: Floats) -> tuple[float, Point] | None:
        return _accepted(Primal, floats, floats.c, start, inside, _after(without.point, back))

    return _nearest(numerics, 0, floats.c, along)


def _multipliers(numerics: Numerics, without: Solved, problem: ConicProblem, back: Back) -> Point | None:
    floats = FloatProblem(problem)
    moved = to_float(problem.offset - without.problem.offset)

    def along(start: Floats, inside: Floats) -> tuple[float, Point] | None:
        ends = (without.multipliers(start, floats), without.multipliers(inside, floats))
        found = _accepted(Multipliers, floats, floats.b, *ends, back)
        return None if found is None else (found[0] - moved, found[1])

    return _nearest(numerics, 1, numerics.floats.b, along)


def _nearest(
    numerics: Numerics, side: int, weight: Floats, along: Callable[[Floats, Floats], tuple[float, Point] | None]
) -> Point | None:
    """What is accepted at nearly optimal value; the solution is refined if that loses much."""
    start = numerics.optimal[side]
    for k in range(len(DELTAS) + (side == 0)):
        inside = numerics.inside(k)[side] if k < len(DELTAS) else numerics.deepest
        found = along(start, inside)
        if found is None:
            continue
        if found[0] - float(weight @ start) > GOOD * max(abs(found[0]), 1e-9):
            again = None if numerics.refined is None else along(numerics.refined[side], inside)
            if again is not None and again[0] < found[0]:
                found = again
        return found[1]
    return None


def _accepted(
    search: type[Search], floats: FloatProblem, weight: Floats, start: Floats, inside: Floats, back: Back
) -> tuple[float, Point] | None:
    """The first that is accepted between the start and an interior point, with its value, to be minimised."""
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
    return float(weight @ np.array([to_float(v) for v in found.point])), kept[-1]
