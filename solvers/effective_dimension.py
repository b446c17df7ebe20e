"""Effective dimensions of ridge-regularised spectra, and the Marchenko-Pastur equation of Gaussian sketches, in doubles.

For eigenvalues k_i >= 0 and lam > 0, d_lam = sum_i k_i / (k_i + lam) decreases from the rank (lam -> 0) to 0. For a Gaussian
sketch Khat = K^{1/2} (G^T G / m) K^{1/2} with m rows, lam (Khat + lam I)^{-1} is close to kap (K + kap I)^{-1}, where
kap > 0 solves kap (1 - d_kap / m) = lam (V. A. Marchenko and L. A. Pastur, Mat. Sb. 1967; N. El Karoui, Ann. Stat. 2008).
Equations are solved by bisection of the logarithm, to a relative accuracy of about 1e-14.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
_STEPS = 120


def effective_dimension(k: Reals, lam: float) -> float:
    """d_lam = sum_i k_i / (k_i + lam) for eigenvalues k >= 0, shape (d,), and lam > 0."""
    return float((k / (k + lam)).sum())


def ridge_with_dimension(k: Reals, dimension: float) -> float:
    """The lam > 0 with d_lam = dimension.

    Args:
        k: eigenvalues >= 0, shape (d,).
        dimension: strictly between 0 and the number of positive eigenvalues.

    Raises:
        ValueError: for a dimension outside.
    """
    positive = k[k > 0]
    if not 0 < dimension < positive.size:
        raise ValueError(f"ridge_with_dimension: a dimension in (0, {positive.size}) is expected, got {dimension}")
    # d_lam >= dimension at the lower end and <= at the upper: d_lam <= sum k / lam, rank - d_lam <= lam sum 1/k
    low = float((positive.size - dimension) / (1 / positive).sum())
    high = float(positive.sum() / dimension)
    return _root(lambda lam: dimension - effective_dimension(k, lam), low, high)


def self_consistent_ridge(k: Reals, lam: float, m: int) -> float:
    """The kap >= lam with kap (1 - d_kap / m) = lam, lam > 0, m >= 1.

    The left side increases where it is positive, and lam <= kap <= lam + sum k / m, since kap d_kap <= sum k.
    """
    high = lam + float(k.sum()) / m
    return _root(lambda kap: kap * (1 - effective_dimension(k, kap) / m) - lam, lam, high)


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    """The sign change of f from f <= 0 at low > 0 to f >= 0 at high."""
    a, b = math.log(low), math.log(high)
    for _ in range(_STEPS):
        middle = (a + b) / 2
        if f(math.exp(middle)) < 0:
            a = middle
        else:
            b = middle
    return math.exp((a + b) / 2)
