"""Exact linear systems over the rationals: pseudo-inverse, rank, null space, projections, Gram-Schmidt.

Every result is exact; the elimination itself is FLINT's.
"""

from __future__ import annotations

from typing import NamedTuple

from flint import fmpq, fmpq_mat

from solvers.exact_linalg.convert import identity, submatrix


def solve(A: fmpq_mat, B: fmpq_mat) -> fmpq_mat:
    """The unique X with A X = B for a nonsingular n x n matrix A and B of n x k.

    Raises:
        ValueError: if A is not square, the sizes disagree, or A is singular.
    """
    if A.nrows() != A.ncols() or A.nrows() != B.nrows():
        raise ValueError(f"solve: need a square system, got A of {A.nrows()} x {A.ncols()} and B of {B.nrows()} rows")
    try:
        return A.solve(B)
    except ZeroDivisionError:
        raise ValueError(
            f"solve: the {A.nrows()} x {A.nrows()} matrix is singular (rank {A.rank()}); "
            "use solve_consistent, or pinv for the least-squares solution of smallest norm"
        ) from None


def solve_consistent(A: fmpq_mat, B: fmpq_mat) -> fmpq_mat | None:
    """Some X with A X = B for A of any shape and rank, or None when there is none (decided exactly)."""
    X = pinv(A) * B
    return X if A * X == B else None


def inverse(A: fmpq_mat) -> fmpq_mat:
    """The exact inverse. Raises ValueError if A is singular or not square."""
    return solve(A, identity(A.nrows()))


def determinant(A: fmpq_mat) -> fmpq:
    """The exact determinant of a square matrix."""
    if A.nrows() != A.ncols():
        raise ValueError(f"determinant: need a square matrix, got {A.nrows()} x {A.ncols()}")
    return A.det()


def rank(A: fmpq_mat) -> int:
    """The exact rank."""
    return int(A.rank())


def pivots(A: fmpq_mat) -> tuple[int, ...]:
    """The pivot columns of A from the left: the first columns that are independent of those before them."""
    return _echelon(A)[0]


def _echelon(A: fmpq_mat) -> tuple[tuple[int, ...], fmpq_mat]:
    """Pivot columns, and the r nonzero rows of the reduced echelon form."""
    R, r = A.rref()
    columns = []
    j = 0
    for i in range(r):
        while R[i, j] == 0:
            j += 1
        columns.append(j)
    return tuple(columns), submatrix(R, range(r), range(A.ncols()))


def null_space(A: fmpq_mat) -> fmpq_mat:
    """An n x (n - r) matrix whose integer columns are a basis of {x : A x = 0}."""
    N, _ = A.numer_denom()
    X, nullity = N.nullspace()
    return submatrix(fmpq_mat(X), range(A.ncols()), range(nullity))


def column_space(A: fmpq_mat) -> fmpq_mat:
    """The pivot columns of A: an m x r basis of its range."""
    return submatrix(A, range(A.nrows()), pivots(A))


def pinv(A: fmpq_mat) -> fmpq_mat:
    """The exact Moore-Penrose inverse of an m x n matrix of any rank.

    With the rank factorization A = C F (pivot columns times reduced rows) it is F^T (C^T A F^T)^-1 C^T, one
    solve of size r (MacDuffee's formula; Ben-Israel and Greville, Generalized Inverses, Theorem 1.6).
    """
    m, n = A.nrows(), A.ncols()
    r = A.rank()
    At = A.transpose()
    if r == n == m:
        return A.inv()
    if r == n:
        return (At * A).solve(At)
    if r == m:
        return (A * At).solve(A).transpose()
    if r == 0:
        return At
    columns, F = _echelon(A)
    Ct = submatrix(A, range(m), columns).transpose()
    Ft = F.transpose()
    return Ft * (Ct * A * Ft).solve(Ct)


def projection(A: fmpq_mat) -> fmpq_mat:
    """The m x m orthogonal projection onto the range of A, any rank."""
    C = column_space(A)
    if C.ncols() == 0:
        return fmpq_mat(A.nrows(), A.nrows())
    Ct = C.transpose()
    return C * (Ct * C).solve(Ct)


class GramSchmidt(NamedTuple):
    """A = Q R without roots: Q^T Q = diag(d), R an r x n echelon matrix with unit pivots."""

    Q: fmpq_mat
    R: fmpq_mat
    d: tuple[fmpq, ...]


def gram_schmidt(A: fmpq_mat) -> GramSchmidt:
    """Exact Gram-Schmidt of the columns of an m x n matrix of rank r, without square roots.

    Returns:
        Q (m x r, orthogonal columns), R (r x n) and d = squared lengths of the columns of Q, with
        A = Q R exactly. A column that depends on those before it adds no column to Q.
    """
    from solvers.exact_linalg.definite import ldlt

    C = column_space(A)
    r = C.ncols()
    if r == 0:
        return GramSchmidt(fmpq_mat(A.nrows(), 0), fmpq_mat(0, A.ncols()), ())
    gram = ldlt(C.transpose() * C)  # positive definite: L is unit lower triangular in the given order
    Q = gram.L.solve(C.transpose()).transpose()
    scaled = fmpq_mat(r, r)
    for i, x in enumerate(gram.d):
        scaled[i, i] = 1 / x
    return GramSchmidt(Q, scaled * (Q.transpose() * A), gram.d)


def quadratic_form(A: fmpq_mat, v: fmpq_mat) -> fmpq:
    """v^T A v for an n x 1 column v."""
    return (v.transpose() * A * v)[0, 0]


def frobenius_squared(A: fmpq_mat) -> fmpq:
    """The sum of the squared entries."""
    return sum((x * x for x in A.entries()), fmpq(0))


def trace(A: fmpq_mat) -> fmpq:
    """The sum of the diagonal of a square matrix."""
    return sum((A[i, i] for i in range(A.nrows())), fmpq(0))
