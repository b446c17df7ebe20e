"""Linear estimators beta_hat = X^T M y in exact rationals: bias and variance under any target covariance.

Data y = X beta + eps with X of n x p, independent errors of variance v2. For a symmetric M (n x n) the excess risk under the
covariance Sigma_T, averaged over the errors, is B + V with

    B = r^T Sigma_T r,  r = X^T M X beta - beta,     V = v2 Tr(M X Sigma_T X^T M).

M = (X X^T + lam I)^{-1} is ridge regression (lam = 0: minimum norm interpolation), M = U D^{-1} U^T with the leading eigenpairs
of X X^T principal component regression.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from flint import fmpq, fmpq_mat

from solvers.enclosures import to_fmpq
from solvers.exact_linalg import identity, inverse, quadratic_form, trace


class Risk(NamedTuple):
    """Squared bias and variance, exact."""

    bias: fmpq
    variance: fmpq

    @property
    def total(self) -> fmpq:
        """B + V."""
        return self.bias + self.variance


def linear_risk(X: fmpq_mat, M: fmpq_mat, beta: fmpq_mat, Sigma_T: fmpq_mat, v2: Any) -> Risk:
    """The risk of beta_hat = X^T M y.

    Args:
        X: design, n x p.
        M: symmetric, n x n.
        beta: coefficients, p x 1.
        Sigma_T: target covariance, p x p.
        v2: variance of the errors, exact.
    """
    H = M * X
    r = H.transpose() * (X * beta) - beta
    return Risk(quadratic_form(Sigma_T, r), to_fmpq(v2) * trace(H * Sigma_T * H.transpose()))


def ridge_inverse(X: fmpq_mat, lam: Any) -> fmpq_mat:
    """(X X^T + lam I)^{-1}.

    Raises:
        ValueError: if it does not exist (lam = 0 and X of rank below n).
    """
    return inverse(X * X.transpose() + identity(X.nrows()) * to_fmpq(lam))


def ridge_risk(X: fmpq_mat, lam: Any, beta: fmpq_mat, Sigma_T: fmpq_mat, v2: Any) -> Risk:
    """The risk of ridge regression, lam >= 0 exact; arguments as for `linear_risk`."""
    return linear_risk(X, ridge_inverse(X, lam), beta, Sigma_T, v2)
