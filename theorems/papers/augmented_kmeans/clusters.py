"""Clusters with predicted labels, their costs, and the instances that the claims share.

A cluster has the points that both labels agree on (Q), the false positives (in P only) and the missed points (in P* only).
Where one cluster is given, the others have cost 0 and do not matter: each false positive may belong to a cluster of
many copies of itself, each missed point may be predicted into such a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from flint import fmpq

from solvers.trimmed import Window, squared_deviations, tightest, windows
from theorems import Q

Point = tuple[Any, ...]


@dataclass(frozen=True, repr=False)
class Cluster:
    """One label: points of P and P*, of P alone, of P* alone."""

    common: tuple[Point, ...]
    wrong: tuple[Point, ...]
    missed: tuple[Point, ...]

    @property
    def predicted(self) -> tuple[Point, ...]:
        """P."""
        return self.common + self.wrong

    @property
    def reference(self) -> tuple[Point, ...]:
        """P*."""
        return self.common + self.missed

    def __repr__(self) -> str:
        return f"{len(self.common)} common, {len(self.wrong)} wrong, {len(self.missed)} missed"


Clusters = tuple[Cluster, ...]


def on_a_line(common: Sequence[Any], wrong: Sequence[Any], missed: Sequence[Any]) -> Cluster:
    """A cluster of real numbers."""
    first, second, third = (tuple((x,) for x in part) for part in (common, wrong, missed))
    return Cluster(first, second, third)


def trimmed_size(count: int, a: fmpq) -> int:
    """s = ceil((1 - a) count)."""
    return int(((1 - a) * count).ceil())


def obeys(clusters: Clusters, a: fmpq) -> bool:
    """Whether |P cap P*| >= (1 - a) max(|P|, |P*|) in every cluster."""
    return all(len(c.common) >= (1 - a) * max(len(c.predicted), len(c.reference)) for c in clusters)


def coordinates(points: Sequence[Point]) -> list[list[fmpq]]:
    """The d columns of some points."""
    return [[fmpq(x) for x in column] for column in zip(*points)]


def squared_distances(column: Sequence[fmpq], c: fmpq) -> fmpq:
    """Sum of squared distances to c, in one coordinate."""
    return sum(((x - c) ** 2 for x in column), fmpq(0))


def least_cost(points: Sequence[Point]) -> fmpq:
    """Sum of squared distances to the mean."""
    return sum((squared_deviations(column) for column in coordinates(points)), fmpq(0))


def optimum(clusters: Clusters) -> fmpq:
    """OPT: the cost of the reference clusters at their means."""
    return sum((least_cost(c.reference) for c in clusters), fmpq(0))


def trimmed_windows(clusters: Clusters, a: fmpq) -> list[tuple[list[Window], list[fmpq]]]:
    """For each cluster and coordinate: the windows of the predicted values, and the reference values."""
    found = []
    for cluster in clusters:
        for values, reference in zip(coordinates(cluster.predicted), coordinates(cluster.reference)):
            found.append((windows(sorted(values), trimmed_size(len(values), a)), reference))
    return found


def worst_ratio(clusters: Clusters, a: fmpq, choose: Callable[[list[Window]], Sequence[Window]] = tightest) -> fmpq:
    """The largest R when centre coordinates are means of chosen windows (in case of ties: any of them)."""
    cost = fmpq(0)
    for found, reference in trimmed_windows(clusters, a):
        cost += max(squared_distances(reference, w.mean) for w in choose(found))
    return cost / optimum(clusters)


def ratio_bound(a: fmpq, root: Any, factor: fmpq | int = 1) -> Any:
    """B = 1 + (((1 + root)^2 + 1) a - 2 a^2)/((1 - 2a)(1 - a)), root = sqrt(lambda); `factor` multiplies the term in a."""
    return 1 + (((1 + root) ** 2 + 1) * a * factor - 2 * a * a) / ((1 - 2 * a) * (1 - a))


def tight(a: fmpq, root: fmpq | int = 1, t: fmpq | int = 0, m: int = 40) -> Clusters:
    """Two clusters on a line that meet B with lambda = root^2 at t = 0; with t > 0 the tightest window is unique.

    The first has (1 - 2a) m zeros and a m points at 1 in common, a m false positives at -root + t, and a m missed points
    at e, where the reference mean is farthest for its price. The second has cost 0 and lies at -root + t: the false
    positives are its points, and the missed ones are predicted into it.
    """
    n = int((a * m).p)
    low = -root + t
    u, c, x = a / (1 - a), -root * a / (1 - a), a * (1 - 2 * a) / (1 - a)
    e = u + x / ((1 - a) * (u - c))
    first = on_a_line([0] * (m - 2 * n) + [1] * n, [low] * n, [e] * n)
    second = on_a_line([low] * (m - n), [e] * n, [low] * n)
    return first, second


def swapped(sizes: Sequence[int], gap: int, noise: Any, a: fmpq) -> Clusters:
    """Reference clusters about centres `gap` apart, the a min(sizes) extreme points of each predicted into the next.

    Args:
        sizes: numbers of points.
        gap: coordinate j of the centre of cluster i is gap ((i + j) mod k).
        noise: (sum(sizes), d) integer matrix of offsets.
        a: error rate.
    """
    k, rows = len(sizes), noise.tolist()
    starts = [0, *accumulate(sizes)]
    moved = int((a * min(sizes)).floor())
    kept: list[list[Point]] = []
    lost: list[list[Point]] = []
    for i, n in enumerate(sizes):
        points = [
            tuple(int(e) + gap * ((i + j) % k) for j, e in enumerate(row)) for row in rows[starts[i] : starts[i] + n]
        ]
        centre = [sum(column) / n for column in coordinates(points)]
        squares = [sum(((x - c) ** 2 for x, c in zip(p, centre)), Q(0)) for p in points]
        order = sorted(range(n), key=squares.__getitem__)
        kept.append([points[i] for i in order[: n - moved]])
        lost.append([points[i] for i in order[n - moved :]])
    return tuple(Cluster(tuple(kept[i]), tuple(lost[i - 1]), tuple(lost[i])) for i in range(k))
