"""Penalised least squares in doubles, in batches: accelerated proximal gradients for simulations.

A batch holds k problems b^T G b / 2 - c^T b + h(b) with G of shape (k, d, d) and c of shape (k, d). For exact stationary points see
`solvers.penalised`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Prox = Callable[[Reals, Reals], Reals]
"""prox(z, t): the minimiser of |b - z|^2/(2t) + h(b), for z of shape (k, d) and steps t of shape (k, 1)."""


def soft(lam: Reals | float) -> Prox:
    """The proximal map of lam |b|_1 (soft thresholding)."""
    return lambda z, t: np.asarray(np.sign(z) * np.maximum(np.abs(z) - t * lam, 0.0))


def firm(lam: Reals | float, width: float) -> Prox:
    """The proximal map of MCP, lam |b| - b^2/(2 width) up to width lam (firm thresholding); steps below `width`."""

    def prox(z: Reals, t: Reals) -> Reals:
        size = np.abs(z)
        bent = np.sign(z) * np.maximum(size - t * lam, 0.0) / (1 - t / width)
        return np.where(size > width * lam, z, bent)

    return prox


def proximal_gradient(
    G: Reals, c: Reals, prox: Prox, *, start: Reals | None = None, tolerance: float = 1e-11, limit: int = 20_000
) -> Reals:
    """Stationary points of a batch, by accelerated proximal gradients with restarts.

    Args:
        G: shape (k, d, d), symmetric positive semidefinite.
        c: shape (k, d).
        prox: proximal map of h.
        start: where to begin, shape (k, d); 0 by default.
        tolerance: steps below tolerance (1 + |b|) in every problem of the batch end the iteration.
        limit: most iterations.

    Returns:
        Shape (k, d). Steps 1/|G|; momentum is dropped where it points uphill (B. O'Donoghue and E. Candes, Adaptive restart
        for accelerated gradient schemes, 2015).

    Raises:
        ArithmeticError: if `limit` iterations were not enough.
    """
    step: Reals = np.asarray(1.0 / np.linalg.eigvalsh(G)[:, -1][:, None], dtype=np.float64)
    b = np.zeros_like(c) if start is None else start.copy()
    z, k = b, np.ones_like(step)
    for _ in range(limit):
        gradient = np.matmul(G, z[:, :, None])[:, :, 0] - c
        new = prox(z - step * gradient, step)
        moved = new - b
        uphill = ((z - new) * moved).sum(axis=1, keepdims=True) > 0
        k = np.where(uphill, 1.0, k)
        following = (1 + np.sqrt(1 + 4 * k * k)) / 2
        size = np.abs(moved).max(axis=1) + np.abs(new - z).max(axis=1)
        z = new + np.where(uphill, 0.0, (k - 1) / following) * moved
        b, k = new, following
        if (size <= tolerance * (1 + np.abs(b).max(axis=1))).all():
            return b
    raise ArithmeticError(f"proximal_gradient: not converged within {limit} iterations")
