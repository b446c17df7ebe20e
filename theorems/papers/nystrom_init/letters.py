r"""Matrices of every size as letters that do not commute.

A matrix A of rank r_A with columns in the range of Q (Q^T Q = I) is A = Q L Q^T if it is symmetric, A = Q K^T in general; a
start X_0 = A Omega of rank r_A is X_0 = Q F with F of full row rank, and G = (F F^T)^{-1}. A word such as F F^T G is
rewritten to 1, so that two sides that become the same polynomial are equal for all matrices of matching shapes.
"""

from __future__ import annotations

from typing import Any

from solvers.free_algebra import Polynomial, letters, polynomial, rewritten, transposed

Q, F, G, L, K, S = letters("Q F G L K S")
PARTNERS = {
    "Q": "Qt",
    "F": "Ft",
    "K": "Kt",
    "X": "Xt",
    "O": "Ot",
    "M": "Mt",
    "R": "Rt",
    "W": "Wt",
    "C": "Ct",
    "N": "Nt",
}
RULES: dict[tuple[str, ...], Any] = {
    ("Qt", "Q"): 1,
    ("F", "Ft", "G"): 1,
    ("G", "F", "Ft"): 1,
    ("Kt", "K", "S"): 1,  # S = (K^T K)^{-1}, K = A^T Q of full column rank
    ("S", "Kt", "K"): 1,
}


def t(p: Polynomial) -> Polynomial:
    """The transpose; G, L, S and their like are symmetric."""
    return transposed(p, PARTNERS)


def coefficients(p: Polynomial, rules: dict[tuple[str, ...], Any] | None = None) -> list[Any]:
    """Coefficients of a polynomial after rewriting; all 0 iff it is seen to vanish."""
    return rewritten(polynomial(p), RULES if rules is None else rules).coefficients()


def moore_penrose(M: Polynomial, N: Polynomial, rules: dict[tuple[str, ...], Any] | None = None) -> list[Any]:
    """Coefficients of what has to vanish for N to be the pseudo-inverse of M: Penrose's four conditions."""
    residuals = (M * N * M - M, N * M * N - N, M * N - t(M * N), N * M - t(N * M))
    return [c for residual in residuals for c in coefficients(residual, rules)]
