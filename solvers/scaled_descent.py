r"""Scaled gradient descent on the matrix factorisations X X^T ~ A and X Y^T ~ A, in exact rationals or in balls.

ScaledGD multiplies each gradient by the pseudo-inverse of the other factor's Gram matrix:
    symmetric:   X+ = X - eta (X X^T - A) X (X^T X)^+
    asymmetric:  X+ = X - eta (X Y^T - A) Y (Y^T Y)^+,   Y+ = Y - eta (X Y^T - A)^T X (X^T X)^+   (both at once)
In rationals the number of digits doubles with every step. In balls the factors must have full rank.
Source: T. Tong, C. Ma, Y. Chi, Accelerating ill-conditioned low-rank matrix estimation via scaled gradient descent (2021).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from flint import fmpq, fmpq_mat

from solvers.exact_linalg import pinv, verified_pinv

Matrix: TypeAlias = Any  # fmpq_mat or arb_mat


def preconditioned(X: Matrix) -> Matrix:
    """X (X^T X)^+ = (X^+)^T for X of n x r; 0 for X = 0.

    Args:
        X: exact, of any rank, or in balls of provably full rank.

    Raises:
        NoEnclosure: if a matrix of balls may be rank deficient.
    """
    if isinstance(X, fmpq_mat):
        return pinv(X).transpose()
    return verified_pinv(X).transpose()


def symmetric_steps(X: Matrix, A: fmpq_mat, eta: fmpq) -> Iterator[Matrix]:
    """X_0 = X, X_1, X_2, ... of ScaledGD for a quarter of |X X^T - A|_F^2.

    Since X X^T X (X^T X)^+ = X, a step is (1 - eta) X + eta A X (X^T X)^+; so written, balls widen less.

    Args:
        X: n x r, exact or in balls.
        A: symmetric n x n.
        eta: the step.
    """
    while True:
        yield X
        X = X * (1 - eta) + A * preconditioned(X) * eta


def asymmetric_steps(X: Matrix, Y: Matrix, A: fmpq_mat, eta: fmpq) -> Iterator[tuple[Matrix, Matrix]]:
    """(X_0, Y_0) = (X, Y), (X_1, Y_1), ... of ScaledGD for half of |X Y^T - A|_F^2, simultaneous updates.

    Args:
        X: m x r, exact or in balls.
        Y: n x r, likewise; exactly 0 is allowed in either.
        A: m x n.
        eta: the step.
    """
    while True:
        yield X, Y
        E = X * Y.transpose() - A
        X, Y = X - E * preconditioned(Y) * eta, Y - E.transpose() * preconditioned(X) * eta


def heron(y: Any, k: int) -> Any:
    """The k-th iterate of y -> (y + 1/y)/2 in closed form, (1 + v)/(1 - v) with v = ((y - 1)/(y + 1))^(2^k).

    Args:
        y: a positive exact number or ball.
        k: >= 0.
    """
    v = ((y - 1) / (y + 1)) ** (2**k)
    return (1 + v) / (1 - v)
