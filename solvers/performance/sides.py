"""The two sides of a program: a point and multipliers, nearly optimal, each brought back to where it is tested."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from solvers.certificates import ConicProblem
from solvers.conic.numeric import FloatProblem, Floats, Numerical, solve
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
NEARER = 1e-3
"""Share of the distance to the optimum from which it is seen the second time."""


@dataclass(frozen=True)
class Side:
    """One side: its number in a `Pair`, the search between a start and an interior point, the depths that there are."""

    number: int
    along: Callable[[Floats, Floats], tuple[float, Point] | None]
    depths: int


@dataclass(frozen=True)
class Found:
    """What was accepted: its value, to be minimised, the point where it is tested, and the interior point used."""

    value: float
    point: Point
    inside: Floats


@dataclass(frozen=True)
class Numerics:
    """What the solver says of a program, scaled so that its optimum is near 1; each question is asked once."""

    problem: ConicProblem
    known: Numerical | None = None
    asked: dict[int, Pair] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def floats(self) -> FloatProblem:
        """The program in doubles."""
        return FloatProblem(self.problem)

    @cached_property
    def _scaled(self) -> tuple[Numerical, ConicProblem, float]:
        first = self.known or solve(self.floats)
        factor = scale(float(self.floats.c @ first.x))
        return first, scaled(self.problem, factor), to_float(factor)

    @cached_property
    def optimal(self) -> Pair:
        """Variables and multipliers, slightly infeasible."""
        first, even, times = self._scaled
        if times == 1:
            return first.x, first.y
        again = solve(FloatProblem(even))
        far = times < 1 / MILD or times > MILD  # scaling makes x more exact, and y only if the scale was far off
        return again.x / times, again.y if far else first.y

    def inside(self, k: int) -> Pair:
        """Interior points of both sides, if the depth `DELTAS[k]` is possible."""
        if k not in self.asked:
            _, even, times = self._scaled
            found = solve(FloatProblem(shifted(even, self.floats, DELTAS[k])))
            self.asked[k] = found.x / times, found.y + DELTAS[k] * self.floats.identity
        return self.asked[k]

    @cached_property
    def deepest(self) -> Floats:
        """The variables deepest inside, where no interior point of a stated depth is found."""
        return deepest(self.problem)[0]

    @cached_property
    def _near(self) -> tuple[Floats, Pair] | None:
        """An interior point, and the optimum seen from there."""
        for k in range(len(DELTAS) + 1):
            inside = self.inside(k)[0] if k < len(DELTAS) else self.deepest
            found = zoomed(self.floats, inside)
            if found is not None:
                return inside, found
        return None

    @cached_property
    def _nearer(self) -> Pair | None:
        if self._near is None:
            return None
        inside, found = self._near
        return zoomed(self.floats, found[0] + NEARER * (inside - found[0]))

    def refined(self, times: int) -> Pair | None:
        """The optimum again, seen from an interior point near it, and the second time from a point nearer."""
        return self._nearer if times == 2 else None if self._near is None else self._near[1]


def both_sides(
    problem: ConicProblem, point: Back, multipliers: Back, within: float, known: Numerical | None = None
) -> tuple[Point | None, Point | None]:
    """A feasible point and feasible multipliers, as they are where they are tested.

    Args:
        problem: exact, with linear objective; the last cone holds the Gram matrix itself.
        point: where a feasible point is tested.
        multipliers: where feasible multipliers are tested.
        within: relative distance of the two values that suffices.
        known: the solver's answer to the problem, if it was asked.
    """
    x: Found | None = None
    y: Found | None = None
    for _ in range(MAX_ROUNDS):
        without = solved(problem)
        if without is None:
            break
        numerics = Numerics(without.problem, known if len(without.kept) == len(problem.b) else None)
        sides = _points(numerics, without, point), _multipliers(numerics, without, problem, multipliers)
        x, again = (_nearest(numerics, side) for side in sides)
        for times in (1, 2):
            if _loss(numerics, x, again) > within:
                x, again = (_refined(numerics, side, found, times) for side, found in zip(sides, (x, again)))
        y = again or y
        if x is not None:
            break
        more = implied(problem)
        if more is None:
            break
        problem, point, multipliers = more.problem, _after(more.point, point), _moved(more, multipliers)
        known = None
    return None if x is None else x.point, None if y is None else y.point


def _after(bring: Callable[[Point], Point], back: Back) -> Back:
    return lambda x: back(bring(x))


def _moved(more: Implied, back: Back) -> Back:
    return lambda y: more.multipliers(y, back)


def _points(numerics: Numerics, without: Solved, back: Back) -> Side:
    floats = numerics.floats

    def along(start: Floats, inside: Floats) -> tuple[float, Point] | None:
        return _accepted(Primal, floats, floats.c, start, inside, _after(without.point, back))

    return Side(0, along, len(DELTAS) + 1)


def _multipliers(numerics: Numerics, without: Solved, problem: ConicProblem, back: Back) -> Side:
    floats = FloatProblem(problem)
    moved = to_float(problem.offset - without.problem.offset)

    def along(start: Floats, inside: Floats) -> tuple[float, Point] | None:
        ends = (without.multipliers(start, floats), without.multipliers(inside, floats))
        found = _accepted(Multipliers, floats, floats.b, *ends, back)
        return None if found is None else (found[0] - moved, found[1])

    return Side(1, along, len(DELTAS))


def _inside(numerics: Numerics, side: Side, k: int) -> Floats:
    return numerics.inside(k)[side.number] if k < len(DELTAS) else numerics.deepest


def _nearest(numerics: Numerics, side: Side) -> Found | None:
    """The first that is accepted, seen from ever deeper interior points."""
    start = numerics.optimal[side.number]
    for k in range(side.depths):
        inside = _inside(numerics, side, k)
        found = side.along(start, inside)
        if found is not None:
            return Found(*found, inside)
    return None


def _loss(numerics: Numerics, x: Found | None, y: Found | None) -> float:
    """The distance of the two values, relative to them; against the numerical optimum where one side is missing."""
    if x is None and y is None:
        return 0.0
    floats, offset = numerics.floats, to_float(numerics.problem.offset)
    upper = offset + (float(floats.c @ numerics.optimal[0]) if x is None else x.value)
    lower = offset - (float(floats.b @ numerics.optimal[1]) if y is None else y.value)
    return (upper - lower) / max(abs(upper), abs(lower), 1e-9)


def _refined(numerics: Numerics, side: Side, found: Found | None, times: int) -> Found | None:
    """What is accepted from the refined solution, if it is better."""
    refined = None if found is None else numerics.refined(times)
    if found is None or refined is None:
        return found
    again = side.along(refined[side.number], found.inside)
    return found if again is None or again[0] >= found.value else Found(*again, found.inside)


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
