"""The optimal polytope P* = {c >= 0 : sum_j c_j a_j = f}: exact vertices, m*, M*.

A point of P* is irreducible (its atoms are independent) exactly if it is a vertex; m* and M* are the least and
greatest supports of vertices.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flint import fmpq, fmpq_mat

from solvers.enclosures.exact import to_fmpq
from solvers.polyhedra import polyhedron, vertices
from solvers.relu.exact import Vector


@dataclass(frozen=True)
class Polytope:
    """Vertices of {c >= 0 : sum c_j a_j = f} over N atoms.

    Attributes:
        size: N.
        rank: rank of the atoms.
        vertices: the vertices' weights (rationals, or balls), one tuple of N per vertex.
        supports: the atoms with positive weight at each vertex, increasing.
    """

    size: int
    rank: int
    vertices: tuple[tuple[Any, ...], ...]
    supports: tuple[tuple[int, ...], ...]

    @cached_property
    def least(self) -> int:
        """m*: the smallest width of an optimal network."""
        return min(map(len, self.supports))

    @cached_property
    def greatest(self) -> int:
        """M*: the largest width of an irreducible optimal network."""
        return max(map(len, self.supports))

    @property
    def threshold(self) -> int:
        """min(m* + M*, rank + 1): from this width on the optimal networks are connected."""
        return min(self.least + self.greatest, self.rank + 1)


def polytope(atoms: Iterable[Iterable[Any]], f: Iterable[Any]) -> Polytope:
    """The polytope of exact atoms and an exact fit.

    Args:
        atoms: N vectors of n rationals, distinct.
        f: length n.

    Raises:
        ValueError: if f is not in the cone of the atoms (or is unboundedly represented by them).
    """
    columns = [tuple(to_fmpq(v) for v in a) for a in atoms]
    fit = tuple(to_fmpq(v) for v in f)
    N = len(columns)
    if not N:
        if any(v != 0 for v in fit):
            raise ValueError("a nonzero fit without atoms")
        return Polytope(0, 0, ((),), ((),))
    rows = fmpq_mat(N, len(fit), [v for a in columns for v in a]).transpose()
    rank = int(rows.rank())
    found = basic_solutions(columns, fit) if rank + 1 >= N else _vertices(columns, fit)
    if not found:
        raise ValueError("the fit is not a non-negative combination of the atoms")
    return Polytope(N, rank, tuple(found), tuple(tuple(j for j, v in enumerate(c) if v != 0) for c in found))


def _vertices(columns: Sequence[Vector], fit: Vector) -> list[Vector]:
    N = len(columns)
    bounds = [[-fmpq(int(i == j)) for j in range(N)] for i in range(N)]
    equations = [[a[k] for a in columns] for k in range(len(fit))]
    return list(vertices(polyhedron(bounds, [fmpq(0)] * N, equations, fit)))


def basic_solutions(columns: Sequence[Vector], fit: Vector) -> list[Vector]:
    """All vertices of {c >= 0 : sum c a = f} when at most one linear relation ties the columns."""
    N, n = len(columns), len(fit)
    A = fmpq_mat(N, n, [v for a in columns for v in a]).transpose()
    augmented = fmpq_mat(n, N + 1, [v for k in range(n) for v in (*(a[k] for a in columns), fit[k])])
    R, rank = augmented.rref()
    if int(A.rank()) != rank:
        return []
    pivots, j = [], 0
    for i in range(rank):
        while R[i, j] == 0:
            j += 1
        pivots.append(j)
    free = [j for j in range(N) if j not in pivots]
    base = [fmpq(0)] * N
    for i, j in enumerate(pivots):
        base[j] = R[i, N]
    if not free:
        return [tuple(base)] if min(base, default=fmpq(0)) >= 0 else []
    (entering,) = free
    slope = [fmpq(0)] * N
    slope[entering] = fmpq(1)
    for i, j in enumerate(pivots):
        slope[j] = -R[i, entering]
    low = [-b / v for b, v in zip(base, slope) if v > 0]
    high = [-b / v for b, v in zip(base, slope) if v < 0]
    if any(b < 0 for b, v in zip(base, slope) if v == 0) or not high or max(low) > min(high):
        return []
    ends = sorted({max(low), min(high)})
    return [tuple(b + t * v for b, v in zip(base, slope)) for t in ends]
