"""The convex program in doubles: a working set of directions, finished by Newton's method on their faces.

    minimise 1/2 |sum_j c_j s_j (X u_j)_+ - y|^2 + beta sum_j c_j   over c >= 0, unit u_j, s_j = +-1

Rounds: project s X^T D_i nu onto every cell where its norm exceeds beta; the longest projections are new
directions; the non-negative lasso over all directions gives c; on the faces (sign s, samples active A, zero Z)
that carry its support Newton's method (`solvers.relu.newton`) reaches machine precision. Its nu is used when every
direction stays in its face. Nothing here is trusted: certificates check what comes out.
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
from solvers.relu.projection import project

Array = np.ndarray[Any, Any]
ROUNDS = 60
ACCURACY = 1e-11
"""Relative dual infeasibility at which the rounds end; higher precision goes on from there."""
ROUGH = 1.0
"""Relative dual infeasibility above which Newton's method need not go far."""
ALMOST, FEW = 0.2, 600
"""Relative dual infeasibility and number of cells from which a search of all cells comes too early."""
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
    """Directions: their faces, unit vectors (m x d), atoms (n x m) and weights (m)."""

    faces: tuple[Face, ...]
    U: Array
    A: Array
    c: Array

    def joined(self, other: Pool) -> Pool:
        """These and others."""
        return Pool(
            self.faces + other.faces,
            np.concatenate([self.U, other.U]),
            np.concatenate([self.A, other.A], axis=1),
            np.concatenate([self.c, other.c]),
        )

    def only(self, places: Array) -> Pool:
        """Some of them."""
        return Pool(tuple(self.faces[j] for j in places), self.U[places], self.A[:, places], self.c[places])


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
    y, beta, nu = data.y, data.beta, data.y
    pool = _pool(geo, (), np.zeros((0, cells.d)), np.zeros(0))
    active: tuple[Active, ...] = ()
    best: FloatSolution | None = None
    local = True
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
        local = (excess > ALMOST or (len(geo.active) > FEW and excess > 1e-9)) and rounds < ROUNDS - 2
        pool = pool.joined(fresh)
        c = lasso(pool.A, y, beta, pool.c)
        used = np.flatnonzero(c > 0)
        weights: dict[Face, float] = {}
        for j in used.tolist():
            weights[pool.faces[j]] = weights.get(pool.faces[j], 0.0) + float(c[j]) / beta
        nu, active = y - pool.A @ c, tuple(Active(pool.faces[j], pool.U[j], float(c[j])) for j in used.tolist())
        refined = refit(geo, weights, rough=excess > ROUGH)
        if refined is not None and objective(*refined, beta) > objective(nu, active, beta) * (1 + 1e-13):
            refined = None
        # keep the directions in use and the latest ones
        late = np.arange(len(c)) >= len(c) - 6 * directions_wanted(len(y))
        pool = replace(pool, c=c).only(np.flatnonzero((c > 0) | late))
        if refined is not None:
            nu, active = refined
            better = np.array([a.weight for a in active])
            again = _pool(geo, [a.face for a in active], np.array([a.u for a in active]).reshape(-1, cells.d), better)
            pool = replace(pool, c=np.zeros(len(pool.c))).joined(again)
    if best is None:
        raise ArithmeticError("no round of the working-set method was made")
    return best


def objective(nu: Array, active: tuple[Active, ...], beta: float) -> float:
    """The convex program's objective at the residual nu and the weights of its directions."""
    return float(nu @ nu) / 2 + beta * sum(a.weight for a in active)


def directions_wanted(n: int) -> int:
    """New directions that a round may add, for each sign."""
    return max(n, 20)


def _pool(geo: Geometry, faces: Sequence[Face], U: Array, c: Array) -> Pool:
    if not faces:
        return Pool((), U, np.zeros((len(geo.data.y), 0)), c)
    signs = np.array([f.s for f in faces])
    patterns = np.array([f.pattern for f in faces], dtype=np.int8)
    rows = np.where(geo.which >= 0, patterns[:, geo.which] * geo.orientation, 0) > 0
    return Pool(tuple(faces), U, ((U @ geo.data.X.T) * rows * signs[:, None]).T, c)


def _violations(geo: Geometry, nu: Array, allowed: Array | None, local: bool) -> tuple[Pool, float, Bounds]:
    """The directions of the longest projections beyond beta, the length of the longest, and all projections made.

    The local search looks at cells whose value at an interior point is not below that of their neighbours, and at
    these neighbours.
    """
    beta, signs = geo.data.beta, np.array([1, -1])
    C = geo.active @ (nu[:, None] * geo.data.X)
    select = np.linalg.norm(C, axis=1) > beta * (1 - CLOSE)
    selected = np.stack([select, select]) if allowed is None else select & allowed
    if local:
        inner = (C * geo.points).sum(axis=1)
        height = np.where(selected, signs[:, None] * inner, -np.inf)
        around = np.where(geo.neighbours >= 0, height[:, geo.neighbours], -np.inf).max(axis=2)
        row, top = np.nonzero((height >= around) & (height > 0))
        near = np.zeros((2, len(C) + 1), bool)  # the last place stands for no neighbour
        near[row, top] = True
        near[row[:, None], geo.neighbours[top]] = True
        selected &= near[:, :-1]
    row, cells = np.nonzero(selected)
    s = signs[row]
    enough = beta * (1 - (CLOSE if local else SLACK))
    made = project(s[:, None] * C[cells], geo.facets[cells], geo.facet_signs[cells], geo.H, enough=enough)
    length = np.linalg.norm(made.u, axis=1)
    longest = float(length.max(initial=beta))
    order = np.argsort(-length)
    order = order[: int((length > beta * (1 + 1e-14)).sum())]
    U = made.u[order] / length[order, None]
    # neighbours share the directions on their faces
    seen: set[tuple[int, bytes]] = set()
    count = {1: 0, -1: 0}
    fresh: dict[Face, int] = {}
    patterns = np.where(np.abs(U @ geo.H.T) <= ON_HYPERPLANE, 0, geo.signs[cells[order]])
    for place, (t, rounded) in enumerate(zip(s[order].tolist(), np.round(U, 9) + 0.0)):
        key = (t, rounded.tobytes())
        if key in seen or count[t] >= directions_wanted(len(nu)):
            continue
        seen.add(key)
        count[t] += 1
        fresh.setdefault(Face(t, tuple(patterns[place].tolist())), place)
    pool = _pool(geo, tuple(fresh), U[list(fresh.values())], np.zeros(len(fresh)))
    return pool, longest, Bounds(s, cells, made)
