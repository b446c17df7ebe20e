"""Linear algebra on ball matrices: what is returned holds for every real matrix within the balls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, arb_mat, ctx, fmpq_mat

from solvers.enclosures.precision import NoEnclosure
from solvers.exact_linalg.convert import identity, to_arb_mat
from solvers.exact_linalg.definite import is_positive_semidefinite
from solvers.exact_linalg.orthogonal import approximate_eigenvectors, diagonal_of, frobenius
from solvers.exact_linalg.systems import projection


def verified_solve(A: Any, B: Any) -> arb_mat:
    """Balls around the X with A X = B, A of n x n and B of n x k. NoEnclosure if A may be singular."""
    M, R = to_arb_mat(A), to_arb_mat(B)
    return _nonsingular(lambda: M.solve(R), "the system", M)


def verified_inverse(A: Any) -> arb_mat:
    """Balls around the inverse. NoEnclosure if A may be singular."""
    M = to_arb_mat(A)
    return _nonsingular(M.inv, "the inverse", M)


def verified_pinv(A: Any) -> arb_mat:
    """Balls around the Moore-Penrose inverse of a matrix of full row or column rank (which is proved here).

    The rank of a matrix of balls is not determined by them when it is not full: use `pinv` on exact matrices.
    """
    M = to_arb_mat(A)
    T = M.transpose()
    if M.nrows() >= M.ncols():
        return _nonsingular(lambda: (T * M).solve(T), "the pseudo-inverse (full column rank)", M)
    return _nonsingular(lambda: (M * T).solve(M).transpose(), "the pseudo-inverse (full row rank)", M)


def verified_determinant(A: Any) -> arb:
    """A finite ball around the determinant."""
    value = to_arb_mat(A).det()
    if not value.is_finite():
        raise NoEnclosure(f"the determinant has no finite enclosure at {ctx.prec} bits")
    return value


def verified_exp(A: Any) -> arb_mat:
    """Balls around the matrix exponential of a square matrix."""
    return _finite(to_arb_mat(A).exp(), "the matrix exponential")


def verified_eigenvalues(A: Any) -> tuple[arb, ...]:
    """Balls around lambda_1 <= ... <= lambda_n of a symmetric matrix, whatever clusters or multiplicities.

    The k-th ball contains the k-th smallest eigenvalue of every symmetric matrix within A. Nothing has to be
    separated. For Q close to orthogonal and B = Q^T mid(A) Q = diag(d) + R, Weyl's inequality puts the k-th
    eigenvalue of B within |R| of the k-th smallest d, Ostrowski's theorem puts the one of mid(A) within the
    factors 1 -+ |I - Q^T Q| of it, and Weyl again adds the norm of the radii of A. A multiple eigenvalue
    appears as so many overlapping balls; balls never tell whether overlapping ones are equal (`eigenvalues`
    of an exact matrix does).

    Args:
        A: symmetric n x n matrix, exact or in balls (off-diagonal balls must overlap their transposes).

    Raises:
        ValueError: if A is not square or cannot be symmetric.
        NoEnclosure: if the balls of A are not finite or no usable Q is found at this precision.

    Source: Horn and Johnson, Matrix Analysis (2nd ed.), Theorem 4.5.9 and Corollary 4.3.15.
    """
    M = _symmetric(A)
    n = M.nrows()
    if n == 0:
        return ()
    Q = approximate_eigenvectors(M)
    QT = Q.transpose()
    B = QT * M.mid() * Q
    d = [B[k, k].mid() for k in range(n)]
    spread = frobenius(B - diagonal_of(d)).upper()
    defect = frobenius(QT * Q - arb_mat([[int(i == j) for j in range(n)] for i in range(n)])).upper()
    if not (spread.is_finite() and defect < arb(0.5)):
        raise NoEnclosure(f"verified_eigenvalues: no orthogonal basis found at {ctx.prec} bits")
    factor = 1 / (1 + arb(0, defect))
    radii = frobenius(arb_mat([[x.rad() for x in row] for row in M.tolist()])).upper()
    return tuple((x + arb(0, spread)) * factor + arb(0, radii) for x in sorted(d))


def eigenvalue_clusters(A: Any) -> tuple[tuple[arb, int], ...]:
    """Disjoint balls around the spectrum of a symmetric matrix, each with the number of eigenvalues in it."""
    clusters: list[tuple[arb, int]] = []
    for ball in verified_eigenvalues(A):
        if clusters and clusters[-1][0].overlaps(ball):
            hull, count = clusters.pop()
            clusters.append((hull.union(ball), count + 1))
        else:
            clusters.append((ball, 1))
    return tuple(clusters)


def verified_singular_values(A: Any) -> tuple[arb, ...]:
    """Balls around the min(m, n) singular values, decreasing, of every m x n matrix within A.

    They are the largest eigenvalues of [[0, A], [A^T, 0]], so that small ones are as accurate as large ones.
    """
    M = to_arb_mat(A)
    m, n = M.nrows(), M.ncols()
    table = M.tolist()
    zero = arb(0)
    upper = [[zero] * m + row for row in table]
    lower = [[table[i][j] for i in range(m)] + [zero] * n for j in range(n)]
    if min(m, n) == 0:
        return ()
    values = verified_eigenvalues(arb_mat(upper + lower))
    return tuple(reversed(values))[: min(m, n)]


def verified_norm(A: Any) -> arb:
    """A ball around the spectral norm (largest singular value)."""
    values = verified_singular_values(A)
    return values[0] if values else arb(0)


def verified_sqrt(A: Any) -> arb_mat:
    """Balls around the positive semidefinite square root of a symmetric matrix.

    For X = Q diag(sqrt d) Q^T, which is positive semidefinite, S = A^(1/2) solves S (S - X) + (S - X) X = A
    - X^2, hence |S - X|_F <= |A - X^2|_F / lambda_min(S) (Higham, Functions of Matrices, section 6.2). An
    exact matrix may
    be singular: with the exact projection P on its range, A^(1/2) = (A + I - P)^(1/2) - (I - P).

    Args:
        A: exact positive semidefinite matrix, or balls that are provably positive definite.

    Raises:
        ValueError: if an exact A is not positive semidefinite.
        NoEnclosure: if balls do not prove that A is positive definite.
    """
    if isinstance(A, fmpq_mat):
        if not is_positive_semidefinite(A):
            raise ValueError("verified_sqrt: the matrix is not symmetric positive semidefinite")
        if A.rank() < A.nrows():
            kernel = identity(A.nrows()) - projection(A)
            return verified_sqrt(to_arb_mat(A + kernel)) - to_arb_mat(kernel)
    M = _symmetric(A)
    if M.nrows() == 0:
        return M
    smallest = verified_eigenvalues(M)[0]
    if not smallest > 0:
        raise NoEnclosure(
            f"verified_sqrt: positive definiteness is not proved, smallest eigenvalue {smallest}; use more "
            "bits, or an exact matrix where it is singular"
        )
    Q = approximate_eigenvectors(M)
    QT = Q.transpose()
    B = QT * M * Q
    roots = [abs(B[k, k].mid()).sqrt().mid() for k in range(M.nrows())]
    X = Q * diagonal_of(roots) * QT
    error = (frobenius(M - X * X) / smallest.sqrt()).abs_upper()
    if not error.is_finite():
        raise NoEnclosure(f"verified_sqrt: no finite error bound at {ctx.prec} bits")
    return arb_mat([[x + arb(0, error) for x in row] for row in X.tolist()])


def _symmetric(A: Any) -> arb_mat:
    M = to_arb_mat(A)
    if M.nrows() != M.ncols():
        raise ValueError(f"expected a symmetric matrix, got {M.nrows()} x {M.ncols()}")
    _finite(M, "the matrix")
    if not M.overlaps(M.transpose()):
        raise ValueError("expected a symmetric matrix: some entry and its transpose are disjoint balls")
    return M


def _nonsingular(compute: Callable[[], arb_mat], what: str, M: arb_mat) -> arb_mat:
    try:
        return _finite(compute(), what)
    except ZeroDivisionError:
        raise NoEnclosure(
            f"{what} has no enclosure: the {M.nrows()} x {M.ncols()} matrix may be rank deficient at {ctx.prec} bits"
        ) from None


def _finite(M: arb_mat, what: str) -> arb_mat:
    if not all(x.is_finite() for x in M.entries()):
        raise NoEnclosure(f"{what} has no finite enclosure at {ctx.prec} bits")
    return M
