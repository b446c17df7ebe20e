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
    size = np.linalg.norm(C, axis=1)
    found = Projections(C.copy(), np.full((K, d), -1), np.zeros((K, d)), np.ones(K, bool))
    todo = np.flatnonzero(size > max(enough, 0.0)) if F else np.zeros(0, int)
    # all arrays of the loop belong to the rows in `todo`; the last of the F + 1 normals is 0 and stands for none
    G = np.zeros((todo.size, F + 1, d))
    G[:, :F] = H[facets[todo]] * np.where(facets[todo] >= 0, signs[todo], 0)[:, :, None]
    c, u, size = C[todo], C[todo], size[todo]
    rows, lam = np.full((todo.size, d), F), np.zeros((todo.size, d))
    for step in range(6 * d + 30):
        if not todo.size:
            break
        slack = np.einsum("kfd,kd->kf", G, u)
        here = np.arange(todo.size)
        slack[here[:, None], rows] = 0.0
        worst = slack.argmin(axis=1)
        depth = slack[here, worst]
        go = depth < -tolerance * size
        full = go & (rows < F).all(axis=1)
        if full.any():
            found.converged[todo[full]] = False
            go &= ~full
        if not go.all():
            todo, G, c, u, size, rows, lam = (a[go] for a in (todo, G, c, u, size, rows, lam))
            worst, depth, here = worst[go], depth[go], np.arange(todo.size)
        rows[here, (rows == F).argmax(axis=1)] = worst
        if step:
            lam, u = _passive(c, G, rows, lam)
        else:  # one unit normal
            lam[:, 0] = -depth
            u = c + lam[:, :1] * G[here, worst]
        used = rows < F
        found.u[todo], found.values[todo] = u, np.where(used, lam, 0.0)
        found.rows[todo] = np.where(used, np.take_along_axis(facets[todo], np.where(used, rows, 0), axis=1), -1)
        if enough > 0:
            go = (u * u).sum(axis=1) > enough * enough
            if not go.all():
                todo, G, c, u, size, rows, lam = (a[go] for a in (todo, G, c, u, size, rows, lam))
    found.converged[todo] = False
    return found


def _passive(c: Array, G: Array, rows: Array, lam: Array) -> tuple[Array, Array]:
    """Lawson and Hanson's inner loop: least squares on the rows in use, dropping (in place) what becomes negative."""
    K, slots = rows.shape
    none = G.shape[1] - 1
    identity = np.eye(slots)
    place = np.arange(K)[:, None]
    for _ in range(slots + 1):
        used = rows < none
        A = G[place, rows]
        gram = A @ A.transpose(0, 2, 1)
        gram += identity * np.where(used, 1e-30, 1.0)[:, :, None]
        right = -np.einsum("ksd,kd->ks", A, c)[:, :, None]
        try:
            z = np.linalg.solve(gram, right)[:, :, 0]
        except np.linalg.LinAlgError:
            z = np.linalg.solve(gram + identity * 1e-13, right)[:, :, 0]
        bad = used & (z <= 0)
        again = bad.any(axis=1)
        if not again.any():
            lam = z
            break
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.where(bad, lam / (lam - z), np.inf).min(axis=1)
        step = np.where(np.isfinite(step), step, 1.0)[:, None]
        lam = np.where(again[:, None], lam + step * (z - lam), z)
        drop = bad & (lam <= 1e-15 * np.abs(lam).max(axis=1)[:, None])
        rows[drop] = none
        lam = np.where(drop, 0.0, np.maximum(lam, 0.0))
    lam = np.maximum(lam, 0.0)
    return lam, c + np.einsum("ks,ksd->kd", lam, G[place, rows])


def exact_multipliers(c: Sequence[fmpq], G: Sequence[Sequence[fmpq]]) -> list[fmpq] | None:
    """lam = -(G G^T)^-1 G c for independent rows G; None if they are dependent. Entries may be negative."""
    A = fmpq_mat([list(row) for row in G])
    column = fmpq_mat(len(c), 1, list(c))
    gram = A * A.transpose()
    try:
        return [v for [v] in (gram.solve(A * column) * fmpq(-1)).tolist()]
    except ZeroDivisionError:
        return None
