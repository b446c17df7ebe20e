"""Q Q^T as the solution of a Riccati equation, for any Sigma and any weights of the right balance, in balls."""

from __future__ import annotations

from typing import Any

from flint import arb, arb_mat, fmpq_mat

from solvers.enclosures.exact import to_arb, to_fmpq
from solvers.exact_linalg import hstack, identity, to_arb_mat, verified_exp, verified_solve, vstack
from solvers.linear_networks.weights import block


def coupling(Sigma: fmpq_mat, lam: Any) -> fmpq_mat:
    """F = [[-lambda/2 I, Sigma^T], [Sigma, lambda/2 I]]."""
    c = to_fmpq(lam) / 2
    n_o, n_i = Sigma.nrows(), Sigma.ncols()
    return vstack(
        hstack(identity(n_i) * -c, Sigma.transpose()),
        hstack(Sigma, identity(n_o) * c),
    )


def integrated_exponential(F: Any, t: Any) -> tuple[arb_mat, arb_mat]:
    """Balls around e^{Ft} and int_0^t e^{2Fs} ds, for any square F (singular too).

    The integral is the upper right block of exp(t [[2F, I], [0, 0]]).
    """
    M, time = to_arb_mat(F), to_arb(t)
    n = M.nrows()
    zero = arb(0)
    rows = [
        [2 * time * x for x in row] + [time if i == j else zero for j in range(n)] for i, row in enumerate(M.tolist())
    ]
    E = verified_exp(arb_mat(rows + [[zero] * (2 * n) for _ in range(n)]))
    return verified_exp(M * time), block(E, range(n), range(n, 2 * n))


def riccati(Q0: Any, F: Any, t: Any) -> arb_mat:
    """Balls around Q Q^T (t) = e^{Ft} Q0 [I + Q0^T (int_0^t e^{2Fs} ds) Q0]^-1 Q0^T e^{Ft}.

    About 3 t |F| bits are lost, so the precision has to be raised for large times.
    """
    Q = to_arb_mat(Q0)
    E, N = integrated_exponential(F, t)
    P = E * Q
    M = to_arb_mat(identity(Q.ncols())) + Q.transpose() * N * Q
    return P * verified_solve(M, P.transpose())


def riccati_of_gram(R0: Any, F: Any, t: Any) -> arb_mat:
    """The same from R0 = Q0 Q0^T alone: e^{Ft} R0 (I + N R0)^-1 e^{Ft} (push-through identity)."""
    R = to_arb_mat(R0)
    E, N = integrated_exponential(F, t)
    M = to_arb_mat(identity(R.nrows())) + N * R
    return E * R * verified_solve(M, E)
