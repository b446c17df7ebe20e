"""Networks of finite width in doubles, in batches: kernels of random networks and training by gradient descent.

Arrays have the shapes (runs, n, m) for states of m inputs and (runs, n, n) for matrices; sigma_u/sqrt d = sigma_v = T = 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Function = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Phi:
    """An activation and its derivative, on arrays."""

    value: Function
    slope: Function


SINE = Phi(np.sin, np.cos)
SOFTPLUS = Phi(lambda x: np.logaddexp(0.0, x), lambda x: 1 / (1 + np.exp(-x)))
LINEAR = Phi(lambda x: x, np.ones_like)


@dataclass
class Weights:
    """U (runs, n, d), W (runs, n, n) and v (runs, n, 1)."""

    U: Floats
    W: Floats
    v: Floats


def gaussian(rng: np.random.Generator, runs: int, n: int, d: int) -> Weights:
    """Independent N(0, 1) weights."""
    return Weights(*(rng.standard_normal((runs, n, k)) for k in (d, n, 1)))


@dataclass(frozen=True)
class Passed:
    """One forward and backward pass through L layers.

    Attributes:
        f: outputs (runs, m).
        images: phi(h^l) for l < L, stacked (runs, n, L m); adjoints: df/dh^{l+1} alike.
        first: df/dh^0 (runs, n, m).
        top: phi(h^L) (runs, n, m).
    """

    f: Floats
    images: Floats
    adjoints: Floats
    first: Floats
    top: Floats


def passes(w: Weights, X: Floats, L: int, phi: Phi, sigma: float = 1.0) -> Passed:
    """Outputs and adjoints at the inputs X, of shape (m, d) or (runs, m, d); `sigma` is sigma_w."""
    n = w.W.shape[-1]
    A = w.W * (sigma / np.sqrt(n))
    h = w.U @ np.swapaxes(X, -1, -2)
    images, slopes = [], []
    for _ in range(L):
        images.append(phi.value(h))
        slopes.append(phi.slope(h))
        h = h + A @ images[-1] / L
    top = phi.value(h)
    lam = phi.slope(h) * w.v / np.sqrt(n)
    adjoints = []
    At = np.swapaxes(A, -1, -2)
    for slope in reversed(slopes):
        adjoints.append(lam)
        lam = lam + slope * (At @ lam) / L
    stacked = np.concatenate(adjoints[::-1], axis=2)
    f = (w.v * top).sum(axis=1) / np.sqrt(n)
    return Passed(f, np.concatenate(images, axis=2), stacked, lam, top)


def empirical_ntk(p: Passed, X: Floats, L: int, sigma: float = 1.0) -> Floats:
    """J J^T (runs, m, m), from the parts of v, U and W."""
    runs, n, m = p.top.shape
    of_v = np.swapaxes(p.top, 1, 2) @ p.top / n
    of_U = (np.swapaxes(p.first, 1, 2) @ p.first) * (X @ np.swapaxes(X, -1, -2))
    pairs = (np.swapaxes(p.adjoints, 1, 2) @ p.adjoints) * (np.swapaxes(p.images, 1, 2) @ p.images)
    of_W = pairs.reshape(runs, L, m, L, m).sum(axis=(1, 3)) * (sigma**2 / (n * L * L))
    kernel: Floats = of_v + of_U + of_W
    return kernel


def nngp(p: Passed) -> Floats:
    """The covariance of the outputs given all weights but v (runs, m, m)."""
    kernel: Floats = np.swapaxes(p.top, 1, 2) @ p.top / p.top.shape[1]
    return kernel


def gradient(p: Passed, X: Floats, residual: Floats, L: int) -> Weights:
    """The gradient of 1/2 sum (f - y)^2 for sigma_w = 1; `residual` is f - y (runs, m)."""
    n = p.top.shape[1]
    r: Any = residual[:, None, :]
    W = (p.adjoints * np.tile(r, (1, 1, L))) @ np.swapaxes(p.images, 1, 2) / (L * np.sqrt(n))
    return Weights((p.first * r) @ X, W, (p.top * r).sum(axis=2, keepdims=True) / np.sqrt(n))
