"""Random designs and error covariances of regression: simulated designs in doubles, covariances in exact rationals.

A design is left-spherical when O X has the law of X for every orthogonal O. Designs come in batches, as arrays of shape
(draws, n, p), so that the statistics of a batch are computed by batched linear algebra.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat
from numpy.typing import NDArray

from solvers.enclosures import to_fmpq

Reals = NDArray[np.float64]


def gaussian(rng: np.random.Generator, draws: int, n: int, scales: Reals) -> Reals:
    """Designs with independent rows N(0, diag(scales^2)); left-spherical.

    Args:
        rng: generator.
        draws: size of the batch.
        n: number of rows.
        scales: standard deviations of the p columns, shape (p,).

    Returns:
        Shape (draws, n, p).
    """
    return rng.standard_normal((draws, n, len(scales))) * scales


def scale_mixture(rng: np.random.Generator, draws: int, n: int, scales: Reals) -> Reals:
    """`gaussian` designs, each multiplied by one log-normal number exp(N(0, 1)) common to all rows; left-spherical."""
    common = np.exp(rng.standard_normal((draws, 1, 1)))
    return common * gaussian(rng, draws, n, scales)


def haar(rng: np.random.Generator, draws: int, n: int) -> Reals:
    """Orthogonal matrices of the Haar law, shape (draws, n, n).

    The Q factor of a Gaussian matrix is not Haar distributed as LAPACK computes it (its signs are fixed by a convention);
    it is after the columns are multiplied by the signs of the diagonal of R (F. Mezzadri, Notices AMS 2007).
    """
    Q, R = np.linalg.qr(rng.standard_normal((draws, n, n)))
    return np.asarray(Q * np.sign(np.diagonal(R, axis1=1, axis2=2))[:, None, :], dtype=np.float64)


def rotated(rng: np.random.Generator, draws: int, X0: Reals) -> Reals:
    """O X0 with O of the Haar law, for one fixed design X0 of shape (n, p); left-spherical. Shape (draws, n, p)."""
    return haar(rng, draws, len(X0)) @ X0


def autoregressive(n: int, phi: Any) -> fmpq_mat:
    """Covariance phi^|i-j| of n successive values of a stationary AR(1) process of variance 1; |phi| < 1 exact.

    Raises:
        ValueError: if |phi| >= 1, where the process is not stationary.
    """
    phi = to_fmpq(phi)
    if not -1 < phi < 1:
        raise ValueError(f"autoregressive: |phi| < 1 is expected, got {phi}")
    powers = [phi**k for k in range(n)]
    return fmpq_mat(n, n, [powers[abs(i - j)] for i in range(n) for j in range(n)])


def clusters(n: int, size: int, correlation: Any) -> fmpq_mat:
    """Covariance of n unit-variance errors in consecutive clusters (the last may be smaller), equicorrelated within.

    Args:
        n: number of errors.
        size: errors in a cluster, at least 1.
        correlation: exact, between -1/(size - 1) and 1, ends excluded (then the matrix is positive definite).

    Raises:
        ValueError: for a correlation outside.
    """
    c = to_fmpq(correlation)
    if not (c < 1 and (size - 1) * c > -1):
        raise ValueError(f"clusters: a correlation in (-1/{size - 1}, 1) is expected, got {c}")
    same = [k // size for k in range(n)]
    entries = [fmpq(1) if i == j else c if same[i] == same[j] else fmpq(0) for i in range(n) for j in range(n)]
    return fmpq_mat(n, n, entries)


def heteroskedastic(levels: Sequence[Any]) -> fmpq_mat:
    """Diagonal covariance proportional to exact levels > 0, scaled to trace n (mean variance 1).

    Raises:
        ValueError: for a level that is not positive.
    """
    values = [to_fmpq(x) for x in levels]
    if any(x <= 0 for x in values):
        raise ValueError(f"heteroskedastic: levels > 0 are expected, got {values}")
    n, total = len(values), sum(values, fmpq(0))
    Omega = fmpq_mat(n, n)
    for i, x in enumerate(values):
        Omega[i, i] = x * n / total
    return Omega


def as_floats(A: fmpq_mat) -> Reals:
    """The matrix of the doubles next to the entries of an exact matrix, for simulation only."""
    return np.array([[int(x.p) / int(x.q) for x in row] for row in A.tolist()], dtype=np.float64)
