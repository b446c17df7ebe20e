"""Exact lambda-balanced weights of two-layer linear networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from flint import arb, arb_mat, fmpq, fmpq_mat

from solvers.enclosures.exact import to_arb
from solvers.exact_linalg import diagonal, identity, inverse, submatrix, to_arb_mat, vstack


def cayley(A: fmpq_mat) -> fmpq_mat:
    """The rational orthogonal matrix (I - K)^-1 (I + K), of determinant 1, of the skew matrix K = A - A^T."""
    K, one = A - A.transpose(), identity(A.nrows())
    return inverse(one - K) * (one + K)


class Weights(NamedTuple):
    """W1 of N_h x N_i and W2 of N_o x N_h."""

    W1: Any
    W2: Any

    @property
    def stacked(self) -> Any:
        """Q = [W1^T; W2]."""
        above, below = self.W1.transpose(), self.W2
        if isinstance(above, fmpq_mat) and isinstance(below, fmpq_mat):
            return vstack(above, below)
        return arb_mat(to_arb_mat(above).tolist() + to_arb_mat(below).tolist())


def balanced_values(k: fmpq, lam: fmpq) -> tuple[fmpq, fmpq]:
    """Rational (s1, s2) with s2^2 - s1^2 = lambda: (lambda/k -+ k)/2 with the signs of s2 +- s1, or k/2 twice if lambda = 0."""
    return ((lam / k - k) / 2, (lam / k + k) / 2) if lam != 0 else (k / 2, k / 2)


def balanced(R: fmpq_mat, V: fmpq_mat, U: fmpq_mat, k: Sequence[fmpq], lam: fmpq) -> Weights:
    """Exact lambda-balanced weights W1 = R diag(s1) V^T and W2 = U diag(s2) R^T.

    Args:
        R, V, U: orthogonal matrices of sizes N_h, N_i, N_o (the first N_h columns of V and U are used).
        k: N_h rationals > 0, see `balanced_values`.
        lam: the balance.
    """
    s = [balanced_values(x, lam) for x in k]
    first, second = diagonal([a for a, _ in s]), diagonal([b for _, b in s])
    return Weights(R * first * columns(V, len(k)).transpose(), columns(U, len(k)) * second * R.transpose())


def aligned_values(sigma: Any, lam: Any) -> tuple[arb, arb]:
    """Balls (a1, a2), a1 >= 0, with a1 a2 = sigma and a2^2 - a1^2 = lambda."""
    sigma, lam = to_arb(sigma), to_arb(lam)
    if sigma.is_zero() and lam.is_zero():
        return arb(0), arb(0)
    root = (lam * lam + 4 * sigma * sigma).sqrt()
    if lam > 0:  # the small one by division: no cancellation
        a2 = ((root + lam) / 2).sqrt()
        return abs(sigma) / a2, a2 if sigma >= 0 else -a2
    a1 = ((root - lam) / 2).sqrt()
    return a1, sigma / a1


def columns(M: Any, count: int, start: int = 0) -> Any:
    """Columns start, ..., start + count - 1 of an exact or ball matrix."""
    if isinstance(M, fmpq_mat):
        return submatrix(M, range(M.nrows()), range(start, start + count))
    return arb_mat(M.nrows(), count, [row[start + j] for row in M.tolist() for j in range(count)])


def block(M: arb_mat, rows: range, cols: range) -> arb_mat:
    """A block of a ball matrix."""
    table = M.tolist()
    return arb_mat(len(rows), len(cols), [table[i][j] for i in rows for j in cols])
