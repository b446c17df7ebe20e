"""A numerical direction without gain, brought onto the equations that it satisfies, to the precision of doubles.

An interior-point method finds such a direction with eigenvalues of 1e-8 where they are 0, and vectors that are wrong by the root of that. With
the matrices written X X^T, X of the rank seen, the equations are polynomial, and Gauss-Newton steps of least length solve them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solvers.conic.numeric import FloatProblem, Floats, triangle_matrix
from solvers.performance.subspaces import POSITIVE

STEPS = 12
ENOUGH = 1e-15
RANK = 1e-9


def polished(floats: FloatProblem, direction: Floats) -> Floats:
    """The direction d near the one given with c.d = 0, -A d = 0 on the inequalities that are not clearly positive, and matrices of the ranks seen.

    Args:
        floats: the program.
        direction: d, with slack of size 1.
    """
    from scipy.linalg import lstsq

    A: Floats = floats.A.toarray()
    n = len(direction)
    zero, blocks, factors = [floats.c[None, :]], [], []
    s = -(A @ direction)
    for cone, block in floats.exact.blocks():
        if cone.kind == "psd":
            values, vectors = np.linalg.eigh(triangle_matrix(s[block], cone.order))
            kept = values > POSITIVE
            if not kept.all():  # a matrix in the interior satisfies no equation
                blocks.append((A[block], *np.tril_indices(cone.order)))
                factors.append(vectors[:, kept] * np.sqrt(values[kept]))
        else:
            zero.append(A[block][s[block] <= POSITIVE] if cone.kind == "nonneg" else A[block])
    E = np.vstack(zero)
    sizes = [X.size for X in factors]
    x, best, least = direction, direction, np.inf
    for _ in range(STEPS):
        residual = np.concatenate([E @ x, *(B @ x + (X @ X.T)[j, i] for (B, j, i), X in zip(blocks, factors))])
        size = float(np.max(np.abs(residual), initial=0.0))
        if size < least:
            best, least = x, size
        if not ENOUGH < size < 1:
            break
        jacobian = np.zeros((len(residual), n + sum(sizes)))
        jacobian[: len(E), :n] = E
        row, column = len(E), n
        for (B, j, i), X in zip(blocks, factors):
            jacobian[row : row + len(B), :n] = B
            jacobian[row : row + len(B), column : column + X.size] = _products(X, i, j)
            row, column = row + len(B), column + X.size
        step = lstsq(jacobian, -residual, cond=RANK, lapack_driver="gelsy", check_finite=False)[0]
        x = x + step[:n]
        moves = np.split(step[n:], np.cumsum(sizes)[:-1]) if sizes else []
        factors = [X + move.reshape(X.shape) for X, move in zip(factors, moves)]
    return best


def _products(X: Floats, i: NDArray[np.intp], j: NDArray[np.intp]) -> Floats:
    """The derivative of the entries (i, j) of X X^T with respect to the entries of X, row by row."""
    k, r = np.arange(len(i)), X.shape[1]
    derivative = np.zeros((len(i), *X.shape))
    np.add.at(derivative, (k, i), X[j])
    np.add.at(derivative, (k, j), X[i])
    return derivative.reshape(len(i), X.shape[0] * r)
