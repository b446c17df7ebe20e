r"""The two samplers, followed exactly: every outcome of one draw, and the law of the best of N draws.

A sampler draws positions of a list uniformly with replacement, derives a subset from each, and keeps the cheapest. Which
subset a position leads to is decided exactly, so the probability of any event about the subset that is kept is a
rational number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from flint import fmpq

from solvers.trimmed import Window, distance_to_nearest, nearest, windows
from theorems import Q
from theorems.papers.augmented_kmeans.clusters import Cluster, Point, trimmed_size


def enough_draws(a: fmpq, share: fmpq) -> int:
    """The least N with (1 - (1 - a)/2)^N <= share."""
    N, miss = 1, 1 - (1 - a) / 2
    power = miss
    while power > share:
        N, power = N + 1, power * miss
    return N


def steps(eps: fmpq) -> int:
    """ceil(sqrt(3/(2 eps))), candidates on each side."""
    J = 1
    while 2 * eps * J * J < 3:
        J += 1
    return J


def subset_of(ordered: Sequence[fmpq], found: Sequence[Window], size: int, x: fmpq, eps: fmpq, grid: bool) -> Window:
    """The subset that SAMPLE derives from the value x: the cheapest of its candidates.

    Of subsets tied at a candidate the most expensive is taken, so that what fails for some way to break ties fails here.
    """
    v = distance_to_nearest(ordered, size, x) / size
    if v == 0:
        return found[nearest(ordered, size, x)[0]]
    J = steps(eps) if grid else 0
    reached = []
    for j in range(-J, J + 1):
        starts = nearest(ordered, size, x, j, 4 * eps * v / 3)
        reached.append(max((found[l] for l in starts), key=lambda w: w.cost))
    return min(reached, key=lambda w: w.cost)


def outcomes(values: Sequence[fmpq], a: fmpq, eps: fmpq, *, grid: bool = True) -> list[Window]:
    """The subset that SAMPLE(eps) derives from each of the values."""
    ordered = sorted(values)
    size = trimmed_size(len(ordered), a)
    found = windows(ordered, size)
    derived = {x: subset_of(ordered, found, size, x, eps, grid) for x, _ in groupby(ordered)}
    return [derived[x] for x in ordered]


@dataclass(frozen=True)
class Direct:
    """What DIRECT derives from a point: the total squared distance of the s nearest points, and their mean."""

    distance: fmpq
    centre: Point


def direct_outcomes(cluster: Cluster, a: fmpq) -> list[Direct]:
    """What DIRECT derives from each predicted point; false positives win ties among nearest points."""
    points = cluster.wrong + cluster.common
    size = trimmed_size(len(points), a)
    found = []
    for x in points:
        distances = [sum(((p - q) ** 2 for p, q in zip(x, y)), Q(0)) for y in points]
        chosen = sorted(range(len(points)), key=distances.__getitem__)[:size]
        centre = tuple(sum((Q(points[i][j]) for i in chosen), Q(0)) / size for j in range(len(x)))
        found.append(Direct(sum((distances[i] for i in chosen), Q(0)), centre))
    return found


def law_of_best(draws: Sequence[tuple[Any, Any]], N: int) -> list[tuple[fmpq, Any]]:
    """The law of what the best of N uniform draws brings.

    Args:
        draws: pairs (cost, outcome), equally likely; the least cost is kept, of equal costs the largest outcome.
        N: number of draws.

    Returns:
        pairs (probability, outcome), cheapest first.
    """
    m, above = len(draws), len(draws)
    law = []
    for _, tied in groupby(sorted(draws, key=lambda d: d[0]), key=lambda d: d[0]):
        group = list(tied)
        left = above - len(group)
        law.append((Q(above**N - left**N, m**N), max(outcome for _, outcome in group)))
        above = left
    return law
