"""Eigenvalues and singular values of exact matrices as real algebraic numbers, with exact multiplicities."""

from __future__ import annotations

from typing import Any

from flint import fmpq_mat, fmpq_poly

from solvers.enclosures.exact import to_fmpq
from solvers.enclosures.polynomials import RealRoot, in_increasing_order, integer_polynomial, real_roots
from solvers.exact_linalg.convert import identity, is_symmetric
from solvers.exact_linalg.definite import Inertia, inertia


def characteristic_polynomial(A: fmpq_mat) -> fmpq_poly:
    """det(x I - A), exactly."""
    return A.charpoly()


def eigenvalues(A: fmpq_mat) -> tuple[RealRoot, ...]:
    """The distinct eigenvalues of an exact symmetric n x n matrix, increasing, with exact multiplicities.

    The squarefree factors of the characteristic polynomial carry the multiplicities; each root is isolated by
    FLINT and refines to any precision (`.ball(bits)`), and compares exactly with rationals and other roots. A
    cluster of close, different eigenvalues is told apart however close it is.

    Raises:
        ValueError: if A is not symmetric.
    """
    if not is_symmetric(A):
        raise ValueError(f"eigenvalues: the {A.nrows()} x {A.ncols()} matrix is not symmetric")
    return real_roots(A.charpoly()) if A.nrows() else ()


def singular_values(A: fmpq_mat) -> tuple[RealRoot, ...]:
    """The distinct singular values of an exact m x n matrix, decreasing, with exact multiplicities.

    Multiplicities add up to min(m, n); 0 is among the values where the rank is smaller.
    """
    At = A.transpose()
    gram = A * At if A.nrows() <= A.ncols() else At * A
    found = []
    for factor, multiplicity in integer_polynomial(gram.charpoly()).factor_squarefree()[1]:
        f = factor
        if f[0] == 0:
            found.append(RealRoot((0, 1), 0, multiplicity))
            f = f.right_shift(1)
        # All roots s^2 of f are positive: f(x^2) has the roots -s and s, the upper half of them being the s.
        coefficients = tuple(int(c) for c in f.inflate(2).coeffs())
        degree = f.degree()
        found += [RealRoot(coefficients, degree + k, multiplicity) for k in range(degree)]
    return in_increasing_order(found)[::-1]


def eigenvalue_counts(A: fmpq_mat, q: Any) -> Inertia:
    """How many eigenvalues of an exact symmetric matrix are above, equal to and below q (Sylvester), exactly.

    Cheaper than `eigenvalues` where one threshold is all that matters.
    """
    return inertia(A - to_fmpq(q) * identity(A.nrows()))
