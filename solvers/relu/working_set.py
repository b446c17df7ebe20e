"""The convex program in doubles: a working set of directions, finished by Newton's method on their faces.

    minimise 1/2 |sum_j c_j s_j (X u_j)_+ - y|^2 + beta sum_j c_j   over c >= 0, unit u_j, s_j = +-1

The start is a rough optimum over some interior points of cells and facets. Rounds: project s X^T D_i nu onto every
cell where its norm exceeds beta; the longest projections are new directions; the non-negative lasso over all
directions gives c; on the faces (sign s, samples active A, zero Z) that carry its support Newton's method
(`solvers.relu.newton`) reaches machine precision. Its nu is used when every direction stays in its face. Nothing
here is trusted: certificates check what comes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from solvers.relu.arrangement import Arrangement
from solvers.relu.bounds import CLOSE, SLACK, Bounds
from solvers.relu.exact import Data
from solvers.relu.geometry import Active, Face, Geometry
from solvers.relu.lasso import lasso
from solvers.relu.newton import refit
from solvers.relu.projection import project_onto

Array = np.ndarray[Any, Any]
ROUNDS = 60
ACCURACY = 1e-11
"""Relative dual infeasibility at which the rounds end; higher precision goes on from there."""
ROUGH = 1.0
"""Relative dual infeasibility above which Newton's method need not go far."""
COARSE = 400
"""Interior points of cells, and of facets if there are few cells, that are tried first."""
FEW = 600
"""Cells up to which every round searches all of them."""
ON_HYPERPLANE = 1e-10


@dataclass(frozen=True)
class FloatSolution:
    """An approximate optimum.

    Attributes:
        nu: dual point, residual y - f.
        active: faces with their directions and weights.
        excess: largest |Pi(s c_i)| / beta - 1 over the allowed signed cells (to rounding).
        rounds: rounds made.
        bounds: the projections at nu; None if only some signed cells were allowed.
    """

    nu: Array
    active: tuple[Active, ...]
    excess: float
    rounds: int
    bounds: Bounds | None


@dataclass(frozen=True)
class Pool:
    """m directions.

    Attributes:
        s: signs of their output weights, m.
        patterns: signs of the normals on their faces, m x h.
        U: unit vectors, m x d.
        A: atoms, n x m.
        c: weights, m.
    """

    s: Array
    patterns: Array
    U: Array
    A: Array
    c: Array

    def joined(self, other: Pool) -> Pool:
        """These and others."""
        return Pool(
            np.concatenate([self.s, other.s]),
            np.concatenate([self.patterns, other.patterns]),
            np.concatenate([self.U, other.U]),
            np.concatenate([self.A, other.A], axis=1),
            np.concatenate([self.c, other.c]),
        )

    def only(self, which: Array) -> Pool:
        """Some of them."""
        return Pool(self.s[which], self.patterns[which], self.U[which], self.A[:, which], self.c[which])

    def active(self) -> tuple[Active, ...]:
        """Those with weight."""
        return tuple(
            Active(Face(int(self.s[j]), tuple(self.patterns[j].tolist())), self.U[j], float(self.c[j]))
            for j in np.flatnonzero(self.c > 0).tolist()
        )


def solve(
    data: Data, cells: Arrangement, allowed: Array | None = None, geometry: Geometry | None = None
) -> FloatSolution:
    """Solve the program over all signed cells, or over the allowed ones.

    Args:
        data: the training data.
        cells: their arrangement.
        allowed: bools, 2 x P: whether the signed cell (s = 1: row 0, s = -1: row 1) may be used.
        geometry: `Geometry(data, cells)` if it was made already.
    """
    geo = geometry or Geometry(data, cells)
    y, beta = data.y, data.beta
    pool = _start(geo, allowed)
    nu, active = y - pool.A @ pool.c, pool.active()
    best: FloatSolution | None = None
    local = len(geo.active) > FEW
    for rounds in range(ROUNDS):
        fresh, longest, bounds = _violations(geo, nu, allowed, local)
        if local and longest <= beta * (1 + ACCURACY):
            local = False
            fresh, longest, bounds = _violations(geo, nu, allowed, local)
        excess = longest / beta - 1
        if not local and (best is None or excess < best.excess):
            best = FloatSolution(nu, active, excess, rounds, bounds if allowed is None else None)
            if excess <= ACCURACY:
                break
        local = len(geo.active) > FEW and excess > 1e-9 and rounds < ROUNDS - 2
        pool = pool.joined(fresh)
        pool = replace(pool, c=lasso(pool.A, y, beta, pool.c))
        nu, active = y - pool.A @ pool.c, pool.active()
        weights: dict[Face, float] = {}
        for a in active:
            weights[a.face] = weights.get(a.face, 0.0) + a.weight / beta
        refined = refit(geo, weights, rough=excess > ROUGH)
        # keep the directions in use and the latest ones
        late = np.arange(len(pool.c)) >= len(pool.c) - 6 * directions_wanted(len(y))
        pool = pool.only((pool.c > 0) | late)
        if refined is not None and objective(*refined, beta) <= objective(nu, active, beta) * (1 + 1e-13):
            nu, active = refined
            pool = replace(pool, c=np.zeros(len(pool.c))).joined(_of_active(geo, active))
    if best is None:
        raise ArithmeticError("no round of the working-set method was made")
    return best


def objective(nu: Array, active: tuple[Active, ...], beta: float) -> float:
    """The convex program's objective at the residual nu and the weights of its directions."""
    return float(nu @ nu) / 2 + beta * sum(a.weight for a in active)


def directions_wanted(n: int) -> int:
    """New directions that a round may add, for each sign."""
    return max(n, 20)


def _pool(geo: Geometry, s: Array, patterns: Array, U: Array) -> Pool:
    """Directions without weight."""
    if not len(s):
        return Pool(s, patterns, U, np.zeros((len(geo.data.y), 0)), np.zeros(0))
    rows = np.where(geo.which >= 0, patterns[:, geo.which] * geo.orientation, 0) > 0
    return Pool(s, patterns, U, ((U @ geo.data.X.T) * rows * s[:, None]).T, np.zeros(len(s)))


def _start(geo: Geometry, allowed: Array | None) -> Pool:
    """A rough optimum over interior points of some cells and of their facets."""
    cells = _some(np.arange(len(geo.active) if len(geo.H) else 0), COARSE)
    points, patterns = geo.points[cells], geo.signs[cells]
    i, slot = np.nonzero(geo.cones.names[cells] >= 0)
    which = _some(np.arange(len(i)), COARSE - len(cells))
    if which.size:
        k = geo.cones.names[cells[i[which]], slot[which]]
        U = points[i[which]] - (points[i[which]] * geo.H[k]).sum(axis=1)[:, None] * geo.H[k]
        heights = U @ geo.H.T
        heights[np.arange(len(k)), k] = 0.0
        length = np.linalg.norm(U, axis=1)
        inside = (heights * patterns[i[which]] >= 0).all(axis=1) & (length > CLOSE)
        points = np.concatenate([points, U[inside] / length[inside, None]])
        patterns = np.concatenate([patterns, np.sign(heights[inside]).astype(np.int8)])
        cells = np.concatenate([cells, cells[i[which][inside]]])
    s = np.repeat([1, -1], len(cells))
    pool = _pool(geo, s, np.tile(patterns, (2, 1)), np.tile(points, (2, 1)))
    if allowed is not None:
        pool = pool.only(np.concatenate([allowed[0, cells], allowed[1, cells]]))
    c = lasso(pool.A, geo.data.y, geo.data.beta, pool.c, 0.1 * geo.data.beta)
    return replace(pool, c=c).only(c > 0)


def _some(places: Array, most: int) -> Array:
    """At most so many of them, evenly spread."""
    return places[:: -(-len(places) // most)] if most > 0 and len(places) else places[:0]


def _of_active(geo: Geometry, active: Sequence[Active]) -> Pool:
    s = np.array([a.face.s for a in active], dtype=int)
    patterns = np.array([a.face.pattern for a in active], dtype=np.int8).reshape(-1, len(geo.H))
    U = np.array([a.u for a in active]).reshape(-1, geo.cells.d)
    return replace(_pool(geo, s, patterns, U), c=np.array([a.weight for a in active]))


def _violations(geo: Geometry, nu: Array, allowed: Array | None, local: bool) -> tuple[Pool, float, Bounds]:
    """The directions of the longest projections beyond beta, the length of the longest, and all projections made.

    Directions are taken near the tops (`_near_tops`) if the longest is there, and a local search makes no other
    projections.
    """
    beta, signs = geo.data.beta, np.array([1, -1])
    C = geo.active @ (nu[:, None] * geo.data.X)
    select = np.linalg.norm(C, axis=1) > beta * (1 - CLOSE)
    selected = np.stack([select, select]) if allowed is None else select & allowed
    near = _near_tops(geo, np.where(selected, signs[:, None] * (C * geo.points).sum(axis=1), -np.inf))
    row, cells = np.nonzero(selected & near if local else selected)
    s = signs[row]
    enough = beta * (1 - (CLOSE if local else SLACK))
    made = project_onto(s[:, None] * C[cells], geo.cones, cells, enough=enough)
    length = np.linalg.norm(made.u, axis=1)
    longest = float(length.max(initial=beta))
    found = length > beta * (1 + 1e-14)
    if found.any() and near[row, cells][length.argmax()]:
        found &= near[row, cells]
    order = np.flatnonzero(found)[np.argsort(-length[found])]
    U = made.u[order] / length[order, None]
    patterns = np.where(np.abs(U @ geo.H.T) <= ON_HYPERPLANE, 0, geo.signs[cells[order]]).astype(np.int8)
    # neighbours share the directions on their faces
    fresh: dict[tuple[int, bytes], int] = {}
    for place, key in enumerate(zip(s[order].tolist(), map(bytes, patterns))):
        fresh.setdefault(key, place)
    first = np.array(list(fresh.values()), dtype=int)
    side = s[order][first]
    first = first[(np.cumsum(side[:, None] == signs, axis=0) <= directions_wanted(len(nu))).all(axis=1)]
    return _pool(geo, s[order][first], patterns[first], U[first]), longest, Bounds(s, cells, made)


def _near_tops(geo: Geometry, height: Array) -> Array:
    """The signed cells (2 x P) that are at least as high as their neighbours, and these neighbours."""
    # the last place stands for no neighbour
    padded = np.full((2, height.shape[1] + 1), -np.inf)
    padded[:, :-1] = height
    row, cells = np.nonzero((height >= padded[:, geo.neighbours].max(axis=2)) & (height > 0))
    near = np.zeros(padded.shape, bool)
    near[row, cells] = True
    near[row[:, None], geo.neighbours[cells]] = True
    return near[:, :-1]
