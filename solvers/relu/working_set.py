"""The convex program in doubles: a working set of directions, finished by Newton's method on their faces.

    minimise 1/2 |sum_j c_j s_j (X u_j)_+ - y|^2 + beta sum_j c_j   over c >= 0, unit u_j, s_j = +-1

Rounds: project s X^T D_i nu onto every cell where its norm exceeds beta; the longest projections are new
directions; the non-negative lasso over all directions gives c; on the faces (sign s, samples active A, zero Z)
that carry its support, the program with the cones dropped is smooth,

    Phi(g) = 1/2 y^T (I + sum_j g_j M_j)^-1 y + beta^2/2 sum_j g_j,   M = D_A X Q_Z X^T D_A,

and Newton's method reaches its minimum to machine precision. Its nu is used when every direction stays in its
face. Nothing here is trusted: certificates check what comes out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from solvers.relu.arrangement import Arrangement
from solvers.relu.exact import Data
from solvers.relu.geometry import Active, Face, Geometry
from solvers.relu.lasso import lasso, nonnegative_quadratic
from solvers.relu.projection import Projections, project

Array = np.ndarray[Any, Any]
ROUNDS = 60
ACCURACY = 1e-11
"""Relative dual infeasibility at which the rounds end; higher precision goes on from there."""
ON_HYPERPLANE = 1e-10


@dataclass(frozen=True)
class FloatSolution:
    """An approximate optimum.

    Attributes:
        nu: dual point, residual y - f.
        active: faces with their directions and weights.
        excess: largest |Pi(s c_i)| / beta - 1 over the allowed signed cells (to rounding).
        rounds: rounds made.
        tight: the signed cells where |s c_i| > beta (1 - 1e-6): (s, cells, their projections).
    """

    nu: Array
    active: tuple[Active, ...]
    excess: float
    rounds: int
    tight: tuple[tuple[int, Array, Projections], ...]


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
    n = len(data.y)
    nu = data.y.copy()
    beta = data.beta
    U: list[Array] = []
    owners: list[Face] = []
    A = np.zeros((n, 0))
    c = np.zeros(0)
    active: tuple[Active, ...] = ()
    best: FloatSolution | None = None
    local = True
    for rounds in range(ROUNDS):
        found, tight = _violations(geo, nu, allowed, local)
        excess = max((value for value, _, _ in found), default=beta) / beta - 1
        if local and excess <= ACCURACY:
            local = False
            found, tight = _violations(geo, nu, allowed, local)
            excess = max((value for value, _, _ in found), default=beta) / beta - 1
        if not local and (best is None or excess < best.excess):
            best = FloatSolution(nu, active, excess, rounds, tight)
            if excess <= ACCURACY:
                break
        local = excess > 1e-9 and rounds < ROUNDS - 2
        fresh = [f for f in found if f[0] > beta * (1 + 1e-14)]
        for _, face, u in fresh:
            U.append(u)
            owners.append(face)
        A = _atoms(geo, U, owners)
        c = lasso(A, data.y, beta, np.concatenate([c, np.zeros(len(U) - len(c))]))
        support = list(dict.fromkeys(owners[j] for j in np.flatnonzero(c > 0)))
        start = np.array([sum(c[j] for j in np.flatnonzero(c > 0) if owners[j] == f) / beta for f in support])
        nu, active = data.y - A @ c, tuple(Active(owners[j], U[j], float(c[j])) for j in np.flatnonzero(c > 0))
        refined = refit(geo, support, start)
        if refined is not None and objective(*refined, beta) > objective(nu, active, beta) * (1 + 1e-13):
            refined = None
        if refined is not None:
            nu, active = refined
        # keep the directions in use and the latest ones
        keep = [j for j in range(len(U)) if c[j] > 0 or j >= len(U) - 6 * directions_wanted(n)]
        U, owners, c = [U[j] for j in keep], [owners[j] for j in keep], c[keep]
        if refined is not None:
            U += [a.u for a in active]
            owners += [a.face for a in active]
            c = np.concatenate([np.zeros(len(c)), [a.weight for a in active]])
    if best is None:
        raise ArithmeticError("no round of the working-set method was made")
    return best


def objective(nu: Array, active: tuple[Active, ...], beta: float) -> float:
    """The convex program's objective at the residual nu and the weights of its directions."""
    return float(nu @ nu) / 2 + beta * sum(a.weight for a in active)


def _atoms(geo: Geometry, U: list[Array], owners: list[Face]) -> Array:
    if not U:
        return np.zeros((len(geo.data.y), 0))
    signs = np.array([f.s for f in owners])
    patterns = np.array([f.pattern for f in owners], dtype=np.int8)
    rows = np.where(geo.which >= 0, patterns[:, geo.which] * geo.orientation, 0) > 0
    return np.asarray(((np.array(U) @ geo.data.X.T) * rows * signs[:, None]).T)


def _violations(
    geo: Geometry, nu: Array, allowed: Array | None, local: bool
) -> tuple[list[tuple[float, Face, Array]], tuple[tuple[int, Array, Projections], ...]]:
    """The long projections as (length, face, unit direction), and those of all nearly tight cones.

    The local search looks at cells whose value at an interior point is not below that of their neighbours, and at
    these neighbours.
    """
    beta = geo.data.beta
    C = geo.active @ (nu[:, None] * geo.data.X)
    size = np.linalg.norm(C, axis=1)
    inner = (C * geo.points).sum(axis=1)
    found: dict[Face, tuple[float, Array]] = {}
    tight = []
    for row, s in enumerate((1, -1)):
        select = size > beta * (1 - 1e-6)
        if allowed is not None:
            select &= allowed[row]
        if local:
            height = np.where(select, s * inner, -np.inf)
            around = np.where(geo.neighbours >= 0, height[geo.neighbours], -np.inf).max(axis=1)
            tops = np.flatnonzero((height >= around) & (height > 0))
            near = np.zeros_like(select)
            near[tops] = True
            near[geo.neighbours[tops][geo.neighbours[tops] >= 0]] = True
            select &= near
        chosen = np.flatnonzero(select)
        projections = project(
            s * C[chosen], geo.facets[chosen], geo.facet_signs[chosen], geo.H, enough=beta * (1 - 1e-6)
        )
        tight.append((s, chosen, projections))
        length = np.linalg.norm(projections.u, axis=1)
        directions = projections.u / np.maximum(length, 1e-300)[:, None]
        order = np.argsort(-length)
        before: set[tuple[float, ...]] = set()
        for i in order[length[order] > beta * (1 + 1e-14)]:
            near_u = tuple(np.round(directions[i], 9).tolist())  # neighbours share the directions on their faces
            if near_u in before:
                continue
            before.add(near_u)
            face = face_of(geo, s, geo.signs[chosen[i]], directions[i])
            if length[i] > found.get(face, (0.0, nu))[0]:
                found[face] = (float(length[i]), directions[i])
            if len(before) >= directions_wanted(len(nu)):
                break
    return [(value, face, u) for face, (value, u) in found.items()], tuple(tight)


def directions_wanted(n: int) -> int:
    """New directions that a round may add, for each sign."""
    return max(n, 20)


def face_of(geo: Geometry, s: int, signs: Array, u: Array) -> Face:
    """The smallest face of a cell that contains the unit direction u (to rounding)."""
    pattern = np.where(np.abs(geo.H @ u) <= ON_HYPERPLANE, 0, signs)
    return Face(s, tuple(pattern.tolist()))


def refit(geo: Geometry, faces: list[Face], start: Array) -> tuple[Array, tuple[Active, ...]] | None:
    """Newton's method on the faces; where a direction leaves its face, once more on the face that it crossed."""
    for _ in range(geo.H.shape[1] + 1):
        found = newton(geo, faces, start)
        if found is None:
            return None
        nu, actives, inside = found
        if inside:
            return nu, actives
        weights: dict[Face, float] = {}
        for a in actives:
            pattern = np.array(a.face.pattern)
            crossed = (geo.H @ a.u) * pattern <= 1e-7
            face = Face(a.face.s, tuple(np.where(crossed, 0, pattern).tolist()))
            if any(face.pattern) and geo.matrix(face)[0].shape[1]:
                weights[face] = weights.get(face, 0.0) + a.weight / geo.data.beta
        if list(weights) == faces or not weights:
            return None
        faces, start = list(weights), np.array(list(weights.values()))
    return None


def newton(geo: Geometry, faces: list[Face], start: Array) -> tuple[Array, tuple[Active, ...], bool] | None:
    """Minimise Phi over the faces; whether every direction with weight lies in its own face."""
    y, beta = geo.data.y, geo.data.beta
    n = len(y)
    bases = [geo.matrix(f) for f in faces]
    g = start.copy()
    if not faces:
        return None
    stacked = np.concatenate([F for _, F in bases], axis=1)
    owner = np.repeat(np.arange(len(faces)), [F.shape[1] for _, F in bases])
    first = np.searchsorted(owner, np.arange(len(faces)))

    def state(g: Array) -> tuple[Array, Array, float]:
        S = np.eye(n) + (stacked * g[owner]) @ stacked.T
        inverse = np.linalg.inv(S)
        nu = inverse @ y
        return inverse, nu, float(y @ nu + beta**2 * g.sum()) / 2

    inverse, nu, value = state(g)
    for _ in range(60):
        P = stacked.T @ nu
        squares = np.bincount(owner, P * P, len(faces))
        gradient = (beta**2 - squares) / 2
        W = np.add.reduceat(stacked * P, first, axis=1)
        hessian = W.T @ inverse @ W
        hessian += np.eye(len(faces)) * (1e-14 * np.trace(hessian) / len(faces) + 1e-300)
        target = nonnegative_quadratic(hessian, hessian @ g - gradient, g)
        step, t = target - g, 1.0
        if not np.isfinite(target).all():
            return None
        while True:
            trial = state(g + t * step)
            if trial[2] <= value + 1e-14 * abs(value) or t < 1e-6:
                break
            t /= 2
        moved = np.abs(t * step).max(initial=0.0) / max(np.abs(g).max(initial=0.0), 1e-300)
        g = g + t * step
        inverse, nu, value = trial
        if moved < 1e-13:
            break
    actives, inside = [], True
    for j, (face, (B, F)) in enumerate(zip(faces, bases)):
        if g[j] <= 0:
            continue
        p = face.s * (B @ (F.T @ nu))
        length = float(np.linalg.norm(p))
        if length == 0:
            return None
        pattern = np.array(face.pattern)
        inside &= bool(((geo.H @ p) * pattern > 1e-13 * length)[pattern != 0].all())
        actives.append(Active(face, p / length, float(beta * g[j])))
    return nu, tuple(actives), inside
