"""Definiteness and inertia of exact symmetric matrices, with certificates that anyone can multiply out.

The certificate is a congruence A = L diag(d) L^T with L of full column rank and d without zeros: by
Sylvester's law of inertia the signs of d are the signs of the nonzero eigenvalues of A. A matrix that is not
positive (semi)definite yields a vector v whose form v^T A v has the wrong sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from flint import fmpq, fmpq_mat, fmpz_mat

from solvers.exact_linalg.convert import diagonal, is_symmetric, submatrix
from solvers.exact_linalg.systems import pivots, quadratic_form


class Inertia(NamedTuple):
    """Numbers of positive, zero and negative eigenvalues, with multiplicity."""

    positive: int
    zero: int
    negative: int


@dataclass(frozen=True, slots=True)
class Congruence:
    """A = L diag(d) L^T with L an n x r matrix of rank r = rank A and nonzero rationals d.

    Where no zero pivot had to be avoided, L is unit lower trapezoidal after ordering its rows.
    """

    L: fmpq_mat
    d: tuple[fmpq, ...]

    def proves(self, A: fmpq_mat) -> bool:
        """Whether the factorization is one of A: sizes, the exact product, full column rank and nonzero d."""
        n, r = self.L.nrows(), self.L.ncols()
        return bool(
            n == A.nrows() == A.ncols()
            and r == len(self.d)
            and all(x != 0 for x in self.d)
            and self.L * diagonal(self.d) * self.L.transpose() == A
            and self.L.rank() == r
        )

    @property
    def inertia(self) -> Inertia:
        """The inertia of L diag(d) L^T (meaningful for A once `proves(A)` holds)."""
        positive = sum(x > 0 for x in self.d)
        return Inertia(positive, self.L.nrows() - len(self.d), len(self.d) - positive)


@dataclass(frozen=True, slots=True)
class NegativeDirection:
    """A column v whose exact form value = v^T A v shows that A is not positive (semi)definite."""

    v: fmpq_mat
    value: fmpq

    def proves(self, A: fmpq_mat, *, strict: bool = False) -> bool:
        """Whether v != 0, v^T A v is the stated value, and it is negative (strict: not positive)."""
        nonzero = self.v != fmpq_mat(self.v.nrows(), 1)
        return bool(
            nonzero and quadratic_form(A, self.v) == self.value and (self.value < 0 or (strict and self.value == 0))
        )


def ldlt(A: fmpq_mat) -> Congruence:
    """A congruence A = L diag(d) L^T of an exact symmetric n x n matrix of any rank and inertia.

    Positive semidefinite matrices, and all whose leading minors on the pivot columns are nonzero, take
    FLINT's fraction-free elimination; the rest are reduced one pivot (or one hyperbolic pair) at a time.

    Raises:
        ValueError: if A is not square and symmetric.
    """
    if not is_symmetric(A):
        raise ValueError(f"ldlt: the {A.nrows()} x {A.ncols()} matrix is not symmetric")
    n = A.nrows()
    N, den = A.numer_denom()
    order = list(range(n))
    found = _leading_elimination(N)
    if found is None:
        # The pivot columns S of a symmetric matrix carry a nonsingular A_SS with the inertia of A.
        first = pivots(A)
        order = [*first, *sorted(set(order) - set(first))]
        found = _leading_elimination(submatrix(A, order, order).numer_denom()[0])
    if found is None:
        return _pivot_by_pivot(A)
    L, d = found
    back = sorted(range(n), key=order.__getitem__)
    L = L if order == list(range(n)) else submatrix(L, back, range(L.ncols()))
    return Congruence(L, tuple(x / den for x in d))


def _leading_elimination(N: fmpz_mat) -> tuple[fmpq_mat, list[fmpq]] | None:
    """N = L diag(d) L^T by fraction-free elimination, or None if a leading minor up to the rank vanishes."""
    n = N.nrows()
    P, lower, _, upper = N.fflu()
    if not P.is_one():
        return None
    minors = [lower[k, k] for k in range(n)]
    r = next((k for k in range(n) if upper[k, k] == 0), n)
    if any(upper[i, j] != 0 for i in range(r, n) for j in range(i, n)):
        return None
    L = submatrix(fmpq_mat(lower), range(n), range(r)) * diagonal([fmpq(1) / x for x in minors[:r]])
    d = [fmpq(minors[k]) / (minors[k - 1] if k else 1) for k in range(r)]
    return L, d


def _pivot_by_pivot(A: fmpq_mat) -> Congruence:
    """Reduction by diagonal pivots, and by pairs u u^T - w w^T where the whole remaining diagonal is zero."""
    n = A.nrows()
    S = A
    columns: list[fmpq_mat] = []
    d: list[fmpq] = []
    while True:
        k = next((i for i in range(n) if S[i, i] != 0), None)
        if k is not None:
            pivot = S[k, k]
            u = S * _unit(n, k) / pivot
            columns.append(u)
            d.append(pivot)
            S = S - u * (u.transpose() * pivot)
            continue
        pair = next(((i, j) for i in range(n) for j in range(i) if S[i, j] != 0), None)
        if pair is None:
            entries = [u[i, 0] for i in range(n) for u in columns]
            return Congruence(fmpq_mat(n, len(columns), entries), tuple(d))
        i, j = pair
        b = S[i, j]
        p, q = S * _unit(n, i), S * _unit(n, j)
        u, w = p + q, p - q  # (p q^T + q p^T) / b = (u u^T - w w^T) / (2 b)
        columns += [u, w]
        d += [1 / (2 * b), -1 / (2 * b)]
        S = S - (u * u.transpose() - w * w.transpose()) / (2 * b)


def _unit(n: int, k: int) -> fmpq_mat:
    e = fmpq_mat(n, 1)
    e[k, 0] = 1
    return e


def inertia(A: fmpq_mat) -> Inertia:
    """Numbers of positive, zero and negative eigenvalues of an exact symmetric matrix."""
    return ldlt(A).inertia


def definiteness(A: fmpq_mat, *, strict: bool = False) -> Congruence | NegativeDirection:
    """A certificate that A is positive semidefinite (strict: definite), or a vector that shows it is not.

    Args:
        A: exact symmetric n x n matrix.
        strict: ask for positive definite.

    Returns:
        A `Congruence` with all d > 0 (strict: and n of them), or a `NegativeDirection` with v^T A v < 0
        (strict: <= 0). Both re-check exactly with `.proves(A)`.
    """
    certificate = ldlt(A)
    k = next((i for i, x in enumerate(certificate.d) if x < 0), None)
    if k is not None:
        # v = L (L^T L)^-1 e_k has L^T v = e_k, hence v^T A v = d_k.
        L = certificate.L
        v = L * (L.transpose() * L).solve(_unit(L.ncols(), k))
        return NegativeDirection(v, certificate.d[k])
    if strict and len(certificate.d) < A.nrows():
        X, _ = A.numer_denom()[0].nullspace()
        return NegativeDirection(submatrix(fmpq_mat(X), range(A.nrows()), [0]), fmpq(0))
    return certificate


def is_positive_definite(A: fmpq_mat) -> bool:
    """Whether x^T A x > 0 for every x != 0, decided exactly."""
    return isinstance(definiteness(A, strict=True), Congruence)


def is_positive_semidefinite(A: fmpq_mat) -> bool:
    """Whether x^T A x >= 0 for every x, decided exactly."""
    return isinstance(definiteness(A), Congruence)
