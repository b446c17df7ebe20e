r"""Alternating labels on a grid with robust intervals: the cheapest network that fits them, and why none is cheaper.

Points x_j = j h, h = 1/(m-1), labels (-1)^j; point j asks for y_j F >= c on [x_j - rho_j h, x_j + rho_j h] cap [0, 1], where rho_j = rho for j in R and
0 otherwise. Between two intervals the mean slope is +-s_j, s_j = 2c/(h (1 - rho_j - rho_{j+1})), with alternating signs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from flint import fmpq, fmpq_mat

from solvers.shallow_hull import least_weight
from solvers.shallow_relu import ShallowNetwork, extreme_neurons_on_line, neuron_values
from theorems import Q, shared
from theorems.papers.expressive_generalization.paper import hull


@dataclass(frozen=True)
class Demand:
    """m points, the radius rho (in units of h), the set R of robust points, the confidence c."""

    m: int
    rho: fmpq
    R: tuple[int, ...]
    c: fmpq

    @property
    def intervals(self) -> list[tuple[fmpq, fmpq]]:
        """The closed intervals where y_j F >= c is asked for."""
        h = Q(1, self.m - 1)
        reach = [self.rho * h if j in self.R else fmpq(0) for j in range(self.m)]
        return [(max(j * h - r, fmpq(0)), min(j * h + r, fmpq(1))) for j, r in enumerate(reach)]

    @property
    def slopes(self) -> list[fmpq]:
        """The least absolute mean slopes s_0, ..., s_{m-2} between neighbouring intervals."""
        ends = self.intervals
        return [2 * self.c / (b[0] - a[1]) for a, b in pairwise(ends)]


def sign(j: int) -> int:
    """The label of point j."""
    return -1 if j % 2 else 1


def kinked(demand: Demand) -> ShallowNetwork:
    """A network that meets the demand, with one kink at each interior point (the first one split into two half-lines).

    Its output weights add up to sum_{j=1}^{m-2} (s_{j-1} + s_j); m >= 3.
    """
    ends, s = demand.intervals, demand.slopes
    kinks = [(s[j - 1] * ends[j][0] + s[j] * ends[j][1]) / (s[j - 1] + s[j]) for j in range(1, demand.m - 1)]
    one = (fmpq(1),)
    neurons = [((fmpq(-1),), kinks[0]), (one, -kinks[0]), *((one, -t) for t in kinks[1:])]
    outputs = [s[0], s[1], *(-sign(j) * (s[j - 1] + s[j]) for j in range(2, demand.m - 1))]
    offset = -(demand.c + s[0] * (kinks[0] - ends[1][0]))
    return ShallowNetwork(tuple(neurons), tuple(outputs), offset)


def total_weight(F: ShallowNetwork) -> fmpq:
    """The sum of |output weight|."""
    return sum(map(abs, F.outputs), fmpq(0))


def demanded_values(demand: Demand, F: ShallowNetwork) -> list[fmpq]:
    """y_j F at both ends of each interval and at each point, which decide: y_j F is concave on the interval of point j."""
    places = [(j, x) for j, (a, b) in enumerate(demand.intervals) for x in (a, Q(j, demand.m - 1), b)]
    return [sign(j) * v for (j, _), v in zip(places, F.values([(x,) for _, x in places]))]


def alternation(demand: Demand) -> tuple[list[fmpq], list[fmpq]]:
    """The functional sum_j tau_j (slope_j - slope_{j-1}) of the mean slopes between intervals: points and coefficients.

    tau_j is the sign of the slope change at the interior point j that the labels ask for.
    """
    ends = demand.intervals
    weights: dict[fmpq, fmpq] = {}
    for i in range(demand.m - 1):
        a, b = ends[i][1], ends[i + 1][0]
        tau = (-sign(i) if i > 0 else 0) + (sign(i + 1) if i + 1 < demand.m - 1 else 0)
        for x, direction in ((a, -1), (b, 1)):
            weights[x] = weights.get(x, fmpq(0)) + direction * tau / (b - a)
    points = sorted(weights)
    return points, [weights[x] for x in points]


def on_extreme_neurons(points: list[fmpq], coefficients: list[fmpq]) -> list[fmpq]:
    """The absolute value of a functional at every extreme neuron of its points."""
    table = neuron_values(extreme_neurons_on_line(points), [(x,) for x in points])
    row = fmpq_mat(1, len(points), coefficients) * table
    return [abs(v) for v in row.entries()]


def nearest_labels(demand: Demand, points: list[fmpq]) -> list[int]:
    """The label of the interval that each end belongs to."""
    owner: dict[Any, int] = {}
    for j, (a, b) in enumerate(demand.intervals):
        owner[a] = owner[b] = sign(j)
    return [owner[x] for x in points]


@shared
def least_program(demand: Demand) -> fmpq:
    """The least weight by an exact linear program over ends of intervals and points, any offset."""
    places: dict[fmpq, int] = {}
    for j, (a, b) in enumerate(demand.intervals):
        for x in (a, Q(j, demand.m - 1), b):
            places[x] = sign(j)
    points = tuple(sorted(places))
    found = least_weight(hull(points), [places[x] for x in points], [demand.c] * len(points), free_offset=True)
    if found is None:
        raise ArithmeticError(f"no network meets {demand}; one with a kink at each point does")
    return found.weight
