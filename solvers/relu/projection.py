"""Projections onto the cones of cells, many at once in doubles, and one to any precision.

The projection of c onto K = {u : G u >= 0} is u = c + G^T lam with lam = argmin_{lam >= 0} |c + G^T lam|. Every
lam >= 0 proves |Pi_K(c)| <= |c + G^T lam|, so the doubles here need no error bound: what they propose is checked.

Source: Lawson and Hanson, Solving Least Squares Problems (1974), chapter 23, run for all cones at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from flint import fmpq, fmpq_mat

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Projections:
    """Projections of K points onto K cones.

    Attributes:
        u: projections (or upper bounds in norm, where stopped early), K x d.
        rows: indices of the hyperplanes in use, K x slots, -1 where a slot is empty.
        values: their multipliers >= 0, K x slots.
        converged: whether the projection itself was reached.
    """

    u: Array
    rows: Array
    values: Array
    converged: Array


def project(
    C: Array, facets: Array, signs: Array, H: Array, *, enough: float = -1.0, tolerance: float = 1e-13
) -> Projections:
    """Project C[i] onto {u : signs[i, j] h_k.u >= 0, k = facets[i, j], for all j}.

    Args:
        C: K x d.
        facets: K x F indices of hyperplanes, -1 for none.
        signs: K x F, entries -1 and 1.
        H: unit normals, h x d.
        enough: stop where |c + G^T lam| is at most this.
        tolerance: relative violation of a constraint that is taken for rounding.
    """
    cones = cones_of(facets, signs, H)
    return project_onto(C, cones, np.arange(len(C)), enough=enough, tolerance=tolerance)


@dataclass(frozen=True)
class Cones:
    """Cones {u : G u >= 0}.

    Attributes:
        G: their unit normals, P x (F + 1) x d; those that are missing are 0, as is the last of each cone.
        names: the hyperplanes' indices, P x (F + 1), -1 for a missing one.
    """

    G: Array
    names: Array


def cones_of(facets: Array, signs: Array, H: Array) -> Cones:
    """Cones of facets (indices of rows of H, -1 for none) and the signs of the normals on them."""
    P = len(facets)
    names = np.concatenate([facets, np.full((P, 1), -1)], axis=1)
    G = np.zeros((*names.shape, H.shape[1]))
    G[:, :-1] = H[facets] * np.where(facets >= 0, signs, 0)[:, :, None] if len(H) else 0.0
    return Cones(G, names)


def project_onto(
    C: Array, cones: Cones, which: Array, *, enough: float = -1.0, tolerance: float = 1e-13
) -> Projections:
    """`project`, C[i] onto cones[which[i]]."""
    K, d = C.shape
    F = cones.G.shape[1] - 1
    size = np.sqrt(np.einsum("kd,kd->k", C, C))
    u, rows, lam, converged = C.copy(), np.full((K, d), F), np.zeros((K, d)), np.ones(K, bool)
    todo = (size > max(enough, 0.0)).nonzero()[0]
    # w: what belongs to the rows in `todo`; the last of the F + 1 normals is 0 and stands for none
    w = Work(todo, cones.G[which[todo]], C[todo], C[todo], -tolerance * size[todo], rows[todo], lam[todo])
    for step in range(6 * d + 30):
        if not w.todo.size:
            break
        here = np.arange(w.todo.size)
        slack = np.einsum("kfd,kd->kf", w.G, w.u)
        slack[here[:, None], w.rows] = 0.0
        worst = slack.argmin(axis=1)
        depth = slack[here, worst]
        go = depth < w.least
        if enough > 0:
            go &= np.einsum("kd,kd->k", w.u, w.u) > enough * enough
        if step >= d:
            full = go & (w.rows < F).all(axis=1)
            converged[w.todo[full]] = False
            go &= ~full
        if not go.all():
            done = ~go
            place = w.todo[done]
            u[place], rows[place], lam[place] = w.u[done], w.rows[done], w.lam[done]
            w = Work(*(a[go] for a in w))
            worst, depth, here = worst[go], depth[go], here[: w.todo.size]
        w.rows[here, (w.rows == F).argmax(axis=1)] = worst
        if step:
            slots = min(step + 1, d)  # later ones are empty
            w.u[:] = _passive(w.c, w.G, w.rows[:, :slots], w.lam[:, :slots])
        else:  # one unit normal
            w.lam[:, 0] = -depth
            w.u[:] = w.c + w.lam[:, :1] * w.G[here, worst]
    u[w.todo], rows[w.todo], lam[w.todo], converged[w.todo] = w.u, w.rows, w.lam, False
    return Projections(u, cones.names[which[:, None], rows], np.where(rows < F, lam, 0.0), converged)


class Work(NamedTuple):
    """Projections in the making: their places, normals, points, multipliers of the rows in use."""

    todo: Array
    G: Array
    c: Array
    u: Array
    least: Array
    rows: Array
    lam: Array


def _passive(c: Array, G: Array, rows: Array, lam: Array) -> Array:
    """Lawson and Hanson's inner loop: least squares on the rows in use, dropping (in place) what becomes negative."""
    K, slots = rows.shape
    none = G.shape[1] - 1
    place = np.arange(K)[:, None]
    for _ in range(slots + 1):
        used = rows < none
        A = G[place, rows]
        gram = A @ A.transpose(0, 2, 1)
        gram[:, range(slots), range(slots)] += np.where(used, 1e-30, 1.0)
        z = _solved(gram, -np.einsum("ksd,kd->ks", A, c))
        bad = used & (z <= 0)
        again = bad.any(axis=1)
        if not again.any():
            lam[:] = z
            break
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.where(bad, lam / (lam - z), np.inf).min(axis=1)
        step = np.where(np.isfinite(step), step, 1.0)[:, None]
        blended = np.where(again[:, None], lam + step * (z - lam), z)
        drop = bad & (blended <= 1e-15 * np.abs(blended).max(axis=1)[:, None])
        rows[drop] = none
        lam[:] = np.where(drop, 0.0, np.maximum(blended, 0.0))
    return np.asarray(c + np.einsum("ks,ksd->kd", lam, G[place, rows]))


def _solved(gram: Array, right: Array) -> Array:
    """Solutions of many small systems of positive definite matrices, nearly singular ones roughly."""
    if gram.shape[1] == 2:
        a, b, d = gram[:, 0, 0], gram[:, 0, 1], gram[:, 1, 1]
        determinant = np.maximum(a * d - b * b, 1e-26)
        x, y = right[:, 0], right[:, 1]
        solution: Array = np.stack([d * x - b * y, a * y - b * x], axis=1) / determinant[:, None]
        return solution
    try:
        return np.asarray(np.linalg.solve(gram, right[:, :, None])[:, :, 0])
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.solve(gram + np.eye(len(gram[0])) * 1e-13, right[:, :, None])[:, :, 0])


def exact_multipliers(c: Sequence[fmpq], G: Sequence[Sequence[fmpq]]) -> list[fmpq] | None:
    """lam = -(G G^T)^-1 G c for independent rows G; None if they are dependent. Entries may be negative."""
    A = fmpq_mat([list(row) for row in G])
    column = fmpq_mat(len(c), 1, list(c))
    gram = A * A.transpose()
    try:
        return [v for [v] in (gram.solve(A * column) * fmpq(-1)).tolist()]
    except ZeroDivisionError:
        return None
