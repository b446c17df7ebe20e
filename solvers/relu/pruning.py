"""From any network to one with independent units, the fit unchanged and the cost not increased, exactly.

A network is written as weights q >= 0 over units with outputs b_j and costs k_j: fit sum_j q_j b_j, cost
k.q. While the units in use are dependent, move along a null vector v with k.v <= 0 until a weight is 0
(Caratheodory's reduction; Mishkin and Pilanci 2023 call it pruning).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_mat

from solvers.exact_linalg import null_space
from solvers.relu.exact import Vector

Weights = dict[int, fmpq]
"""Positive weights by index of the unit."""


@dataclass(frozen=True)
class Units:
    """Units of a network.

    Attributes:
        outputs: b_j, rational vectors of one length.
        costs: k_j > 0, rationals.
    """

    outputs: tuple[Vector, ...]
    costs: Vector

    def fit(self, q: Mapping[int, fmpq]) -> Vector:
        """sum_j q_j b_j."""
        n = len(self.outputs[0])
        return tuple(sum((v * self.outputs[j][i] for j, v in q.items()), fmpq(0)) for i in range(n))

    def cost(self, q: Mapping[int, fmpq]) -> fmpq:
        """k.q."""
        return sum((v * self.costs[j] for j, v in q.items()), fmpq(0))

    def columns(self, chosen: Sequence[int]) -> fmpq_mat:
        """The outputs of the chosen units as columns."""
        n = len(self.outputs[0])
        return fmpq_mat(n, len(chosen), [self.outputs[j][i] for i in range(n) for j in chosen])

    def independent(self, chosen: Sequence[int]) -> bool:
        """Whether the outputs of the chosen units are linearly independent."""
        return not chosen or int(self.columns(chosen).rank()) == len(chosen)


def prune(units: Units, q: Mapping[int, fmpq]) -> list[Weights]:
    """The points of the piecewise linear path from q to irreducible weights, q first.

    Every segment keeps the fit and does not increase the cost; zero outputs are dropped like any dependent unit.
    """
    here = {j: v for j, v in q.items() if v != 0}
    path = [dict(here)]
    while True:
        used = sorted(here)
        if units.independent(used):
            return path
        v = null_space(units.columns(used))
        line = [v[i, 0] for i in range(len(used))]
        slope = sum((t * units.costs[j] for t, j in zip(line, used)), fmpq(0))
        if slope > 0 or (slope == 0 and min(line) >= 0):
            line = [-t for t in line]
        step = min(-here[j] / t for t, j in zip(line, used) if t < 0)
        here = {j: here[j] + step * t for t, j in zip(line, used)}
        here = {j: t for j, t in here.items() if t != 0}
        path.append(dict(here))
