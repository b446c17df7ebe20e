"""Paths of networks along which the loss never increases, ending at any prescribed global optimum, exactly.

A network of m units is a vector q >= 0 over units (outputs b_j, costs k_j) with at most m positive entries; its loss
is |sum q b - y|^2 / 2 + beta k.q. The path has straight segments:

1. prune the start (`solvers.relu.pruning`);
2. with the fit kept, the primal simplex method for min k.q;
3. with the fit moved straight to f*, the parametric (dual) simplex method: the least cost at (1-t) f_0 + t f* is
   convex in t, and so is the loss, with its minimum at t = 1;
4. inside the optimal set, the simplex method to the pruned target;
5. the pruning of the target backwards.

At most rank + 1 units are in use at any time after the first stage. Ties are broken by least index (Bland).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from flint import fmpq, fmpq_mat

from solvers.relu.arrangement import pivot_columns
from solvers.relu.exact import Vector
from solvers.relu.pruning import Units, Weights, prune

ZERO = fmpq(0)


@dataclass(frozen=True)
class Segment:
    """A straight piece of a path.

    Attributes:
        start, end: weights at its ends.
        stage: 1..5, the step of the construction.
    """

    start: Weights
    end: Weights
    stage: int

    @property
    def used(self) -> frozenset[int]:
        """Units with positive weight somewhere on the segment."""
        return frozenset(self.start) | frozenset(self.end)


def nonincreasing_path(
    units: Units, start: Mapping[int, fmpq], target: Mapping[int, fmpq], nu: Sequence[fmpq], beta: fmpq
) -> list[Segment]:
    """A path from the start to the target.

    Args:
        units: all units: those of the start, the tight ones, and those of the target.
        start: weights of any network.
        target: weights of a global optimum.
        nu: the dual optimum y - f*; tells which units are tight.
        beta: weight of the regulariser.

    Raises:
        ValueError: if the target is not optimal for the units given (some segment would have to rise).
    """
    basis = Tableau(units)
    first = prune(units, start)
    segments = _segments(first, 1)
    here = first[-1]
    points, here = basis.minimise(here, list(units.costs), range(len(units.costs)))
    segments += _segments(points, 2)
    points, here = basis.follow(here, units.fit(target))
    segments += _segments(points, 3)
    last = prune(units, target)
    tight = [
        j for j, b in enumerate(units.outputs) if sum((v * w for v, w in zip(nu, b)), ZERO) == beta * units.costs[j]
    ]
    if any(j not in tight for j in (*here, *target)):
        raise ValueError("the target is not an optimum: a unit in use is not tight")
    away = [ZERO if j in last[-1] else fmpq(1) for j in range(len(units.costs))]
    points, here = basis.minimise(here, away, tight)
    segments += _segments(points, 4)
    if here != last[-1]:
        raise ValueError("the simplex method did not end at the pruned target")
    return segments + _segments(last[::-1], 5)


def _segments(points: Sequence[Weights], stage: int) -> list[Segment]:
    return [Segment(a, b, stage) for a, b in pairwise(points) if a != b]


class Tableau:
    """Simplex steps over the columns of some units, in as many coordinates as their rank."""

    def __init__(self, units: Units) -> None:
        every = units.columns(range(len(units.costs)))
        rows = pivot_columns(every.transpose().tolist())
        self.rank = len(rows)
        self.costs = list(units.costs)
        self.columns: list[list[fmpq]] = [[b[i] for i in rows] for b in units.outputs]
        self.rows = rows

    def coordinates(self, basis: Sequence[int], vectors: Sequence[Sequence[fmpq]]) -> list[list[fmpq]]:
        """Coordinates of the vectors in a basis of columns."""
        r = self.rank
        B = fmpq_mat(r, r, [self.columns[j][i] for i in range(r) for j in basis])
        V = fmpq_mat(r, len(vectors), [v[i] for i in range(r) for v in vectors])
        solved: list[list[fmpq]] = B.solve(V).transpose().tolist()
        return solved

    def completed(self, used: Sequence[int], allowed: Sequence[int]) -> list[int]:
        """A basis of independent columns that contains those in use, taken from the allowed ones first."""
        order = [*sorted(used), *[j for j in allowed if j not in used]]
        order += [j for j in range(len(self.columns)) if j not in order]
        places = pivot_columns([[self.columns[j][i] for j in order] for i in range(self.rank)])
        return [order[p] for p in places]

    def minimise(self, q: Weights, cost: Sequence[fmpq], allowed: Sequence[int]) -> tuple[list[Weights], Weights]:
        """Primal simplex from irreducible weights, the fit kept: the points visited, and the last."""
        basis = self.completed(list(q), allowed)
        points = [dict(q)]
        candidates = list(allowed)
        while True:
            inside = set(basis)
            others = [j for j in candidates if j not in inside]
            table = self.coordinates(basis, [self.columns[j] for j in others])
            entering = next(
                (
                    (j, line)
                    for j, line in zip(others, table)
                    if cost[j] - sum((cost[b] * t for b, t in zip(basis, line)), ZERO) < 0
                ),
                None,
            )
            if entering is None:
                return points, points[-1]
            j, line = entering
            here = points[-1]
            ratios = [(here.get(b, ZERO) / t, b) for b, t in zip(basis, line) if t > 0]
            # columns outside `allowed` in the basis carry no weight: they must leave before they become negative
            blocked = [(ZERO, b) for b, t in zip(basis, line) if t < 0 and b not in set(candidates)]
            if not ratios and not blocked:
                raise ValueError("the cost is unbounded below on the fit's fibre")
            step, leaving = min([*ratios, *blocked])
            moved = {b: here.get(b, ZERO) - step * t for b, t in zip(basis, line)}
            moved[j] = here.get(j, ZERO) + step
            points.append({b: v for b, v in moved.items() if v != 0})
            basis[basis.index(leaving)] = j

    def follow(self, q: Weights, fit: Vector) -> tuple[list[Weights], Weights]:
        """Parametric dual simplex from cost-optimal weights to the least cost at another fit."""
        every = list(range(len(self.columns)))
        basis = self._optimal_basis(q)
        goal = [fit[i] for i in self.rows]
        t = ZERO
        points = [dict(q)]
        source = [sum((v * self.columns[j][i] for j, v in q.items()), ZERO) for i in range(self.rank)]
        while True:
            begin, end = self.coordinates(basis, [source, goal])
            stops = []
            for place, (a, b) in enumerate(zip(begin, end)):
                if b < a and a + t * (b - a) >= 0:
                    zero = a / (a - b)
                    if zero < 1:
                        stops.append((max(zero, t), basis[place], place))
            if not stops:
                points.append({j: v for j, v in zip(basis, end) if v != 0})
                return points, points[-1]
            t, _, place = min(stops)
            at = {j: a + t * (b - a) for j, a, b in zip(basis, begin, end)}
            points.append({j: v for j, v in at.items() if v != 0})
            inside = set(basis)
            others = [j for j in every if j not in inside]
            table = self.coordinates(basis, [self.columns[j] for j in others])
            best: tuple[fmpq, int] | None = None
            for j, line in zip(others, table):
                if line[place] < 0:
                    reduced = self.costs[j] - sum((self.costs[b] * v for b, v in zip(basis, line)), ZERO)
                    ratio = reduced / -line[place]
                    if best is None or ratio < best[0]:
                        best = (ratio, j)
            if best is None:
                raise ValueError("the target's fit is not in the cone of the units")
            basis[place] = best[1]

    def _optimal_basis(self, q: Weights) -> list[int]:
        """A dual feasible basis for cost-optimal weights (Bland's rule on degenerate pivots)."""
        basis = self.completed(list(q), range(len(self.columns)))
        while True:
            inside = set(basis)
            others = [j for j in range(len(self.columns)) if j not in inside]
            table = self.coordinates(basis, [self.columns[j] for j in others])
            for j, line in zip(others, table):
                if self.costs[j] - sum((self.costs[b] * v for b, v in zip(basis, line)), ZERO) < 0:
                    ratios = [(q.get(b, ZERO) / v, b) for b, v in zip(basis, line) if v > 0]
                    if not ratios:
                        raise ValueError("the cost is unbounded below on the fit's fibre")
                    step, leaving = min(ratios)
                    if step != 0:
                        raise ValueError("the weights are not of least cost for their fit")
                    basis[basis.index(leaving)] = j
                    break
            else:
                return basis
