"""Newton's method on given faces, where the convex program with the cones dropped is smooth.

    Phi(g) = 1/2 y^T (I + sum_j g_j M_j)^-1 y + beta^2/2 sum_j g_j over g >= 0,   M = D_A X Q_Z X^T D_A = F F^T

With nu = (I + sum_j g_j M_j)^-1 y the derivatives are (beta^2 - |F_j^T nu|^2) / 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from solvers.relu.geometry import Active, Face, Geometry
from solvers.relu.lasso import nonnegative_quadratic

Array = np.ndarray[Any, Any]
STEPS = 60
ROUGH = 1e-2
"""Relative size of a step after which directions are looked at."""
CROSSED = 1e-7
"""Height over a hyperplane up to which a direction counts as having crossed it."""


def refit(geo: Geometry, weights: Mapping[Face, float], rough: bool = False) -> tuple[Array, tuple[Active, ...]] | None:
    """Newton's method on the faces; where a direction leaves its face, once more on the face that it crossed.

    Args:
        geo: the arrangement.
        weights: g_j > 0 to start from, of each face.
        rough: whether an accuracy of about 1e-4 will do.

    Returns:
        nu and the active directions, each in its face; None without success.
    """
    for _ in range(geo.H.shape[1] + 1):
        faces = list(weights)
        found = newton(geo, faces, np.array(list(weights.values())), rough, early=True)
        if found is None:
            return None
        nu, actives, inside = found
        if inside:
            return nu, actives
        moved: dict[Face, float] = {}
        for a in actives:
            pattern = np.array(a.face.pattern)
            crossed = (geo.H @ a.u) * pattern <= CROSSED
            face = Face(a.face.s, tuple(np.where(crossed, 0, pattern).tolist()))
            if any(face.pattern) and geo.matrix(face)[0].shape[1]:
                moved[face] = moved.get(face, 0.0) + a.weight / geo.data.beta
        if list(moved) == faces or not moved:
            return None
        weights = moved
    return None


def newton(
    geo: Geometry, faces: list[Face], start: Array, rough: bool = False, early: bool = False
) -> tuple[Array, tuple[Active, ...], bool] | None:
    """Minimise Phi over the faces; whether every direction with weight lies in its own face.

    Args:
        geo: the arrangement.
        faces: faces, distinct.
        start: their g_j.
        rough: whether an accuracy of about 1e-4 will do.
        early: whether to end where directions seem to leave their faces.
    """
    if not faces:
        return None
    y, beta = geo.data.y, geo.data.beta
    k = len(faces)
    bases = [geo.matrix(f) for f in faces]
    F = np.concatenate([f for _, f in bases], axis=1)
    sizes = [f.shape[1] for _, f in bases]
    owner = np.repeat(np.arange(k), sizes)
    first = np.cumsum([0, *sizes[:-1]])
    identity = np.eye(len(y))

    def state(g: Array) -> tuple[Array, Array, float]:
        inverse = np.linalg.inv(identity + (F * g[owner]) @ F.T)
        nu = inverse @ y
        return inverse, nu, float(y @ nu + beta**2 * g.sum()) / 2

    g = start
    inverse, nu, value = state(g)
    before = 1.0
    for _ in range(STEPS):
        P = nu @ F
        gradient = (beta**2 - np.add.reduceat(P * P, first)) / 2
        W = np.add.reduceat(F * P, first, axis=1)
        hessian = W.T @ inverse @ W
        hessian.flat[:: k + 1] += 1e-14 * hessian.trace() / k + 1e-300
        step = -np.linalg.solve(hessian, gradient)
        if not (g + step > 0).all():
            step = nonnegative_quadratic(hessian, hessian @ g - gradient, g) - g
        t = 1.0
        if not np.isfinite(step).all():
            return None
        while True:
            trial = state(g + t * step)
            if trial[2] <= value + 1e-14 * abs(value) or t < 1e-6:
                break
            t /= 2
        moved = float(np.abs(t * step).max() / max(np.abs(g).max(), 1e-300))
        g = g + t * step
        inverse, nu, value = trial
        # the steps of a quadratically convergent iteration shrink by the square of their last ratio
        if moved < 1e-13 or (t == 1 and moved * (moved / before) * (moved / before) < 1e-16):
            break
        known = t == 1 and moved < ROUGH <= before
        if known and (rough or (early and not _directions(geo, faces, bases, nu, g)[1])):
            break
        before = moved
    return nu, *_directions(geo, faces, bases, nu, g)


def _directions(
    geo: Geometry, faces: list[Face], bases: list[tuple[Array, Array]], nu: Array, g: Array
) -> tuple[tuple[Active, ...], bool]:
    """The directions that carry weight, and whether each lies in its own face."""
    used = np.flatnonzero(g > 0).tolist()
    if not used:
        return (), True
    p = np.array([faces[j].s * (bases[j][0] @ (nu @ bases[j][1])) for j in used])
    length = np.linalg.norm(p, axis=1, keepdims=True)
    u = p / np.maximum(length, 1e-300)
    patterns = np.array([faces[j].pattern for j in used], dtype=np.int8)
    inside = ((u @ geo.H.T) * patterns > 1e-13) | (patterns == 0)
    # sum g M nu is the fit: weights g |p|, |p| = beta at the optimum
    actives = tuple(Active(faces[j], v, float(g[j] * size)) for j, v, size in zip(used, u, length[:, 0]))
    return actives, bool(inside.all() and length.min() > 0)
