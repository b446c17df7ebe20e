"""Wishart matrices: Gram matrices of Gaussian designs without the designs, and what the mean of an inverse one needs.

For X of n x p with independent N(0, 1) entries and p >= n, X X^T has the law of L L^T with L lower triangular, chi variables with
p, p - 1, ..., p - n + 1 degrees of freedom on its diagonal and N(0, 1) below (M. S. Bartlett 1933): n^2/2 draws instead of n p.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray

from solvers.enclosures import functions as F
from solvers.enclosures import gaussian_tail, integrate_half_line
from solvers.free_algebra import Polynomial, Word, letters, rewritten

Reals = NDArray[np.float64]


def gram(rng: np.random.Generator, n: int, p: int) -> Reals:
    """X X^T for X of n x p with independent N(0, 1) entries, in law; shape (n, n), of rank min(n, p).

    Args:
        rng: generator.
        n: size, at least 1.
        p: degrees of freedom, at least 1; from n on by Bartlett's decomposition, below from X itself.
    """
    if p < n:
        X = rng.standard_normal((n, p))
        return np.asarray(X @ X.T)
    L = np.tril(rng.standard_normal((n, n)), -1)
    L[range(n), range(n)] = np.sqrt(rng.chisquare(p - np.arange(n)))
    return np.asarray(L @ L.T)


def reciprocal_mean(k: int) -> arb:
    """E[1/Y] for Y of the chi-square law with k >= 3 degrees of freedom, integrated rigorously at the current precision.

    The value is 1/(k - 2); the ball is obtained without that formula. With Y = t^2 the integrand is
    2 t^{k-3} exp(-t^2/2) / (2^{k/2} Gamma(k/2)), and t^q exp(-t^2/4) <= (2q/e)^{q/2}.

    Raises:
        ValueError: for k < 3, where the mean is infinite.
    """
    if k < 3:
        raise ValueError(f"reciprocal_mean: at least 3 degrees of freedom are expected, got {k}")
    q = k - 3
    scale = 2 / (arb(2) ** (arb(k) / 2) * (arb(k) / 2).gamma())
    largest = (arb(2 * q) / arb(1).exp()) ** (arb(q) / 2) if q else arb(1)
    tail = gaussian_tail(scale * largest, fmpq(1, 4))
    return integrate_half_line(lambda t: scale * t**q * F.exp(-t * t / 2), 0, tail, tolerance_bits=60)


def inverse_gram_column(*, projected: bool = True) -> tuple[Polynomial, Polynomial]:
    """Two polynomials in free letters that vanish: 1/[(X^T X)^{-1}]_11 is the squared residual of the first column of X.

    With the first column g, the others V, P = V (V^T V)^{-1} V^T and r = |(I - P) g|^2 (or |g|^2, which is wrong, where `projected`
    is False), (1, -(V^T V)^{-1} V^T g) / r is the first column of (X^T X)^{-1}: the two blocks of r (X^T X) times it, less (r, 0).
    """
    g, gt, V, Vt, Y = letters("g gt V Vt Y")  # t: transpose, Y = (V^T V)^{-1}
    rules: dict[Word, Any] = {("Vt", "V", "Y"): 1}
    P = V * Y * Vt
    length = gt * (1 - P) * (1 - P) * g if projected else gt * g
    column = -Y * Vt * g
    return rewritten(gt * g + gt * V * column - length, rules), rewritten(Vt * g + Vt * V * column, rules)
