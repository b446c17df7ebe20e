r"""Minimum-norm interpolation of Gaussian data with a few strong features and a bulk, simulated exactly in law without the bulk.

n observations of features sqrt(l_j) g_j, g_j independent N(0, 1): k features in the matrix G (n x k) with variances l_1, ..., l_k, and
N features of the common variance l_0, whose Gram matrix is l_0 W with W ~ Wishart_n(N, I). Labels Y (n x c) depend on the data
through G. With A = G diag(l) G^T + l_0 W the interpolator f = X^T A^{-1} Y has the normalised coefficients b = diag(l) G^T A^{-1} Y on
the strong features, and coefficients on the bulk whose Gram matrix is l_0^2 Y^T A^{-1} W A^{-1} Y. Both are functions of the forms
K = V^T W^{-1} V, V = (G, Y), of k + c columns. Given M = V^T V, the inverse of K is a Wishart matrix of N - n + k + c degrees of freedom
and scale M^{-1} (R. J. Muirhead, Aspects of Multivariate Statistical Theory, 1982, Theorem 3.2.11), so that a draw costs O(n) for
M and O((k + c)^3) for the rest, however large N is.

All arrays carry a leading axis of independent draws.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
BLOCK = 1 << 14  # observations that are held at once


@dataclass(frozen=True)
class Fit:
    """Normalised coefficients of c interpolators.

    Attributes:
        strong: on the strong features, shape (draws, k, c).
        bulk: Gram matrix of the coefficients on the bulk, shape (draws, c, c).
    """

    strong: Reals
    bulk: Reals

    def norms(self) -> Reals:
        """|f|^2 of each interpolator, shape (draws, c)."""
        return np.asarray((self.strong**2).sum(axis=1) + np.diagonal(self.bulk, axis1=1, axis2=2))


def labelled_gram(rng: np.random.Generator, n: int, latent: int, labels: Callable[[Reals], Reals]) -> Reals:
    """U^T U for U = (Z, labels(Z)) and Z of n x latent with independent N(0, 1) entries; one draw, square.

    Args:
        rng: generator.
        n: observations.
        latent: columns of Z.
        labels: takes a block of rows of Z to as many rows of labels.
    """
    total: Reals | None = None
    for first in range(0, n, BLOCK):
        Z = rng.standard_normal((min(BLOCK, n - first), latent))
        U = np.concatenate([Z, labels(Z)], axis=1)
        total = U.T @ U if total is None else total + U.T @ U
    if total is None:
        raise ValueError(f"labelled_gram: at least 1 observation is expected, got n={n}")
    return total


def signs(Z: Reals) -> Reals:
    """The sign of each entry as a label +-1."""
    return np.copysign(1.0, Z)


def extended_gram(
    rng: np.random.Generator, gram: Reals, n: int, latent: int, further: int, *, reflected: bool = False
) -> Reals:
    """The Gram matrix of (Z, R, Y), given that of (Z, Y), for R of n x further with N(0, 1) entries independent of (Z, Y).

    Args:
        rng: generator.
        gram: Gram matrices of (Z, Y), shape (draws, latent + c, latent + c), of full rank.
        n: observations, at least latent + c + further.
        latent: columns of Z.
        further: columns of R.
        reflected: whether the draws are followed by as many in which R is replaced by -R.

    Returns:
        shape (draws, size, size), or (2 draws, size, size), size = latent + further + c.
    """
    draws, known = gram.shape[:2]
    if n < known + further:
        raise ValueError(
            f"extended_gram: n={n} observations of {known + further} columns; at least as many are expected"
        )
    X = rng.standard_normal((draws, further, known))
    cross = X @ _transposed(np.linalg.cholesky(gram))
    L = _bartlett(rng, draws, further, n - known)
    a, b = slice(0, latent), slice(latent, latent + further)
    c = slice(latent + further, known + further)
    full = np.empty((draws, known + further, known + further))
    full[:, a, a], full[:, a, c] = gram[:, :latent, :latent], gram[:, :latent, latent:]
    full[:, c, a], full[:, c, c] = gram[:, latent:, :latent], gram[:, latent:, latent:]
    full[:, b, a], full[:, b, c] = cross[:, :, :latent], cross[:, :, latent:]
    full[:, a, b], full[:, c, b] = _transposed(full[:, b, a]), _transposed(full[:, b, c])
    full[:, b, b] = X @ _transposed(X) + L @ _transposed(L)
    if not reflected:
        return full
    side = np.ones(known + further)
    side[b] = -1
    return np.concatenate([full, full * np.outer(side, side)])


def inverse_forms(rng: np.random.Generator, gram: Reals, n: int, N: float) -> Reals:
    """V^T W^{-1} V for W ~ Wishart_n(N, I) independent of V, given gram = V^T V of full rank; shape as gram.

    Args:
        rng: generator.
        gram: shape (draws, size, size).
        n: observations, at most N.
        N: degrees of freedom; far beyond 2^53 as a double.
    """
    size = gram.shape[1]
    if not size <= n <= N:
        raise ValueError(f"inverse_forms: size={size}, n={n}, N={N}; size <= n <= N is expected")
    C = np.linalg.cholesky(gram)
    half = np.linalg.solve(_bartlett(rng, gram.shape[0], size, N - n + size), _transposed(C))
    return np.asarray(_transposed(half) @ half)


def fit(forms: Reals, variances: Reals, bulk: float) -> Fit:
    """The interpolators, from K = V^T W^{-1} V with V = (G, Y).

    Args:
        forms: K, shape (draws, k + c, k + c).
        variances: l_1, ..., l_k > 0.
        bulk: l_0 > 0.
    """
    k, root = len(variances), np.sqrt(variances)[:, None]
    S = root * forms[:, :k, :k] * root.T
    S[:, range(k), range(k)] += bulk
    b = root * np.linalg.solve(S, root * forms[:, :k, k:])
    c = forms.shape[1] - k
    T = np.concatenate([-b, np.broadcast_to(np.eye(c), (len(b), c, c))], axis=1)
    return Fit(b, np.asarray(_transposed(T) @ forms @ T))


def _bartlett(rng: np.random.Generator, draws: int, size: int, df: float) -> Reals:
    """L lower triangular with L L^T ~ Wishart_size(df, I)."""
    L = np.tril(rng.standard_normal((draws, size, size)), -1)
    L[:, range(size), range(size)] = np.sqrt(rng.chisquare(df - np.arange(size, dtype=float), (draws, size)))
    return L


def _transposed(A: Any) -> Reals:
    return np.asarray(np.swapaxes(A, -1, -2), dtype=np.float64)
