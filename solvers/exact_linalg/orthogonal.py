"""Nearly orthogonal matrices that nearly diagonalize a symmetric one, at any precision. No error bounds here.

Double-precision eigenvectors are refined: pairs with a clear gap by first-order corrections, which converge
quadratically; pairs whose gap is comparable to their coupling (clusters) by the eigenvectors of their
own rescaled block, 50 bits at a time; orthogonality by Newton-Schulz steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb, arb_mat, ctx

from solvers.enclosures.precision import NoEnclosure

_STEPS = 200


def approximate_eigenvectors(M: arb_mat) -> arb_mat:
    """An exact n x n matrix Q (radius 0), close to orthogonal, with Q^T mid(M) Q close to diagonal."""
    A = M.mid()
    n = A.nrows()
    Q = orthonormalized(_double_eigenvectors(A.tolist()))
    previous = None
    for _ in range(_STEPS):
        B = (Q.transpose() * A * Q).mid().tolist()
        scale = _largest(abs(B[i][i]) for i in range(n))
        coupling = _largest(abs(B[i][j]) for i in range(n) for j in range(i))
        stalled = previous is not None and not coupling < previous * arb(0.5)
        if stalled or coupling <= scale * arb(2) ** (4 - ctx.prec):
            return Q
        previous = coupling
        Q = orthonormalized(Q * _correction(B, scale * arb(2) ** (4 - ctx.prec)))
    return Q


def orthonormalized(Q: arb_mat) -> arb_mat:
    """Newton-Schulz steps Q <- Q + Q (I - Q^T Q) / 2 on midpoints, from a nearly orthogonal Q."""
    n = Q.ncols()
    eye = diagonal_of([arb(1)] * n)
    defect = arb(1)
    for _ in range(_STEPS):
        D = (eye - Q.transpose() * Q).mid()
        smaller = frobenius(D).mid()
        if not smaller < defect * arb(0.5):
            return Q
        defect = smaller
        Q = (Q + Q * D / 2).mid()
        if defect < arb(2) ** (4 - ctx.prec):
            return Q
    return Q


def diagonal_of(entries: Sequence[arb]) -> arb_mat:
    """The diagonal ball matrix with these entries."""
    D = arb_mat(len(entries), len(entries))
    for k, x in enumerate(entries):
        D[k, k] = x
    return D


def frobenius(M: arb_mat) -> arb:
    """A ball around the Frobenius norm."""
    total = arb(0)
    for x in M.entries():
        size = x.abs_upper().union(x.abs_lower())
        total += size * size
    upper = total.abs_upper().sqrt().upper()
    lower = total.abs_lower().sqrt().lower()
    return lower.union(upper)


def _correction(B: list[list[arb]], negligible: arb) -> arb_mat:
    """One factor that reduces the coupling of B = diag + small: (I + X) W, W acting within the clusters."""
    n = len(B)
    cluster = list(range(n))
    for i in range(n):
        for j in range(i):
            gap, size = abs(B[i][i] - B[j][j]), abs(B[i][j])
            if size > negligible and gap < 16 * size:
                old, new = cluster[i], cluster[j]
                cluster = [new if c == old else c for c in cluster]
    X, W = arb_mat(n, n), arb_mat(n, n)
    for i in range(n):
        X[i, i] = 1
        for j in range(n):
            if cluster[i] != cluster[j] and abs(B[i][j]) > negligible:
                X[i, j] = (B[i][j] / (B[j][j] - B[i][i])).mid()
    for c in set(cluster):
        members = [i for i in range(n) if cluster[i] == c]
        centre = B[members[0]][members[0]]
        block = [[B[i][j] - centre if i == j else B[i][j] for j in members] for i in members]
        V = _double_eigenvectors(block) if len(members) > 1 else arb_mat([[1]])
        for a, i in enumerate(members):
            for b, j in enumerate(members):
                W[i, j] = V[a, b]
    return (X * W).mid()


def _double_eigenvectors(table: list[list[arb]]) -> arb_mat:
    """Eigenvectors in double precision of a symmetric table, scaled to size one first."""
    import numpy as np

    scale = _largest(abs(x) for row in table for x in row)
    if not scale.is_finite():
        raise NoEnclosure("eigenvectors of a matrix that is not finite")
    n = len(table)
    if scale == 0:
        return diagonal_of([arb(1)] * n)
    doubles: Any = np.array([[float((x / scale).mid()) for x in row] for row in table])
    return arb_mat(np.linalg.eigh((doubles + doubles.T) / 2)[1].tolist())


def _largest(values: Any) -> arb:
    best = arb(0)
    for x in values:
        if not x.mid() <= best:
            best = x.mid()
    return best
