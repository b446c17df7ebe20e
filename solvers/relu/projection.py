"""Projections onto the cones of cells, many at once in doubles, and one to any precision.

The projection of c onto K = {u : G u >= 0} is u = c + G^T lam with lam = argmin_{lam >= 0} |c + G^T lam|. Every
lam >= 0 proves |Pi_K(c)| <= |c + G^T lam|, so the doubles here need no error bound: what they propose is checked.

Source: Lawson and Hanson, Solving Least Squares Problems (1974), chapter 23, run for all cones at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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
    K, d = C.shape
    F = facets.shape[1]
    G = H[facets] * np.where(facets >= 0, signs, 0)[:, :, None]
    slots = d
    rows = np.full((K, slots), -1)  # positions among the facets, while working
    lam = np.zeros((K, slots))
    u = C.copy()
    size = np.linalg.norm(C, axis=1)
    todo = np.flatnonzero(size > max(enough, 0.0)) if F else np.zeros(0, int)
    converged = np.ones(K, bool)
    for _ in range(6 * d + 30):
        if not todo.size:
            break
        slack = (G[todo] @ u[todo][:, :, None])[:, :, 0]
        used = rows[todo]
        for s in range(slots):
            mine = np.flatnonzero(used[:, s] >= 0)
            slack[mine, used[mine, s]] = 0.0
        worst = slack.argmin(axis=1)
        violated = slack[np.arange(todo.size), worst] < -tolerance * size[todo]
        full = (used >= 0).all(axis=1)
        converged[todo[violated & full]] = False
        todo, worst = todo[violated & ~full], worst[violated & ~full]
        if not todo.size:
            break
        free = (rows[todo] < 0).argmax(axis=1)
        rows[todo, free] = worst
        lam[todo, free] = 0.0
        _passive(todo, C, G, rows, lam, u)
        if enough > 0:
            todo = todo[np.linalg.norm(u[todo], axis=1) > enough]
    converged[todo] = False
    named = np.where(rows >= 0, np.take_along_axis(facets, np.where(rows >= 0, rows, 0), axis=1), -1) if F else rows
    return Projections(u, named, np.where(rows >= 0, lam, 0.0), converged)


def _passive(todo: Array, C: Array, facets: Array, rows: Array, lam: Array, u: Array) -> None:
    """Lawson and Hanson's inner loop: least squares on the rows in use, dropping what becomes negative."""
    slots = rows.shape[1]
    identity = np.eye(slots)
    active = todo
    for _ in range(slots + 1):
        R = rows[active]
        used: Array = R >= 0
        G = facets[active[:, None], np.where(used, R, 0)] * used[:, :, None]
        gram = G @ G.transpose(0, 2, 1) + identity * ~used[:, :, None]
        right = -(G @ C[active][:, :, None])
        gram += identity * 1e-30
        try:
            z = np.linalg.solve(gram, right)[:, :, 0]
        except np.linalg.LinAlgError:
            z = np.linalg.solve(gram + identity * 1e-13, right)[:, :, 0]
        z = np.asarray(np.where(used, z, 0.0))
        bad = np.asarray(used & (z <= 0))
        old = lam[active]
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.where(bad, old / (old - z), np.inf).min(axis=1)
        step = np.asarray(np.where(np.isfinite(step), step, 1.0))[:, None]
        shrink = np.asarray(bad.any(axis=1))[:, None]
        blended = np.asarray(np.where(shrink, old + step * (z - old), z))
        top = np.asarray(np.abs(blended).max(axis=1))[:, None]
        drop = bad & (blended <= 1e-15 * top)
        rows[active] = np.where(drop, -1, R)
        lam[active] = np.where(drop | ~used, 0.0, np.maximum(blended, 0.0))
        u[active] = C[active] + (G * lam[active][:, :, None]).sum(axis=1)
        again = bad.any(axis=1)
        active = active[again]
        if not active.size:
            break


def exact_multipliers(c: Sequence[fmpq], G: Sequence[Sequence[fmpq]]) -> list[fmpq] | None:
    """lam = -(G G^T)^-1 G c for independent rows G; None if they are dependent. Entries may be negative."""
    A = fmpq_mat([list(row) for row in G])
    column = fmpq_mat(len(c), 1, list(c))
    gram = A * A.transpose()
    try:
        return [v for [v] in (gram.solve(A * column) * fmpq(-1)).tolist()]
    except ZeroDivisionError:
        return None
