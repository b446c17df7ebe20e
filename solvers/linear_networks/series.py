"""Power series in time of Q Q^T, over the rationals: from the flow of the weights, and from the Riccati form."""

from __future__ import annotations

from typing import Any

from flint import fmpq_mat

from solvers.exact_linalg import identity
from solvers.linear_networks.weights import Weights


def flow_series(weights: Weights, Sigma: fmpq_mat, order: int) -> list[fmpq_mat]:
    """Taylor coefficients 0..order of Q Q^T along the flow, exact, from the power series of W1 and W2."""
    a, b = [weights.W1], [weights.W2]
    errors = [Sigma - b[0] * a[0]]
    for k in range(order):
        a_next = _sum(b[i].transpose() * errors[k - i] for i in range(k + 1)) / (k + 1)
        b_next = _sum(errors[i] * a[k - i].transpose() for i in range(k + 1)) / (k + 1)
        a.append(a_next)
        b.append(b_next)
        errors.append(-_sum(b[i] * a[k + 1 - i] for i in range(k + 2)))
    q = [Weights(x, y).stacked for x, y in zip(a, b)]
    return [_sum(q[i] * q[k - i].transpose() for i in range(k + 1)) for k in range(order + 1)]


def riccati_series(Q0: fmpq_mat, F: fmpq_mat, order: int, *, share: Any = 1) -> list[fmpq_mat]:
    """Taylor coefficients 0..order of e^{Ft} Q0 [I + Q0^T (int_0^t e^{2Fs} ds) Q0]^-1 Q0^T e^{Ft}, exact.

    `share` multiplies the integral.
    """
    P, term = [Q0], Q0
    M = [identity(Q0.ncols())]
    for k in range(1, order + 1):
        term = F * term / k
        P.append(term)
    for k in range(order):  # M' = P^T P
        M.append(_sum(P[i].transpose() * P[k - i] for i in range(k + 1)) * share / (k + 1))
    N = [M[0]]
    for k in range(1, order + 1):
        N.append(-_sum(M[i] * N[k - i] for i in range(1, k + 1)))
    left = [_sum(P[i] * N[k - i] for i in range(k + 1)) for k in range(order + 1)]
    return [_sum(left[i] * P[k - i].transpose() for i in range(k + 1)) for k in range(order + 1)]


def _sum(matrices: Any) -> fmpq_mat:
    first, *rest = matrices
    for M in rest:
        first = first + M
    return first
