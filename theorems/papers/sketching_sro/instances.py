"""Instances with exact data: designs, sketches, penalties, and the stationary points of the sketched problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import arb, fmpq, fmpq_mat, fmpz_mat

from solvers.exact_linalg import column, diagonal, quadratic_form
from solvers.penalised import Penalty, stationary_point, subgradient_gap
from solvers.sketches import embeds, gram
from theorems import Q, eq

CLOSE = Q(1, 10**25)  # bounds that are attained are decided to within this
VARIANCE = 4  # the variance of the uniform law on {-3, ..., 3}


@dataclass(frozen=True)
class Sketched:
    """G = X^T X, c = X^T y, and the sketched Gram matrix and linear term."""

    G: fmpq_mat
    Gt: fmpq_mat
    c: fmpq_mat
    sketched_c: fmpq_mat


def sketched(X: Any, y: Any, P: Any) -> Sketched:
    """The problem of a design X (n, d), a response y of n entries and a sketch P with n columns."""
    X, P, y = fmpq_mat(X), fmpq_mat(P), column(y)
    XtP = X.transpose() * P.transpose()
    return Sketched(gram(X), XtP * XtP.transpose(), X.transpose() * y, XtP * P * y)


def normalised(X: Any, y: Any, P: Any) -> Sketched:
    """The problem with the sketch P / (2 sqrt m), P an m x n matrix of entries in {-3, ..., 3} (uniform: of variance 4)."""
    raw, factor = sketched(X, y, P), Q(1, VARIANCE * P.nrows())
    return Sketched(raw.G, raw.Gt * factor, raw.c, raw.sketched_c * factor)


def within(X: Any, P: Any, eps: fmpq) -> bool:
    """X has full column rank and the embedding constant of P is below eps (at most, in the closed sense)."""
    if X.rank() < X.ncols():
        return False
    problem = normalised(X, [0] * X.nrows(), P)
    return embeds(problem.G, problem.Gt, eps)


def correlated(X: Any, y: Any) -> bool:
    """X^T y != 0 (otherwise every stationary point is 0)."""
    return any((fmpq_mat(X).transpose() * column(y)).entries())


def differences(d: int) -> fmpz_mat:
    """The lower triangular matrix of ones: b = T theta has theta_1 = b_1 and theta_j = b_j - b_{j-1}."""
    return fmpz_mat([[1] * (i + 1) + [0] * (d - i - 1) for i in range(d)])


def largest(c: fmpq_mat) -> fmpq:
    """The greatest absolute entry."""
    return max(abs(x) for x in c.entries())


def penalty_of(name: str, d: int, lam: fmpq, width: fmpq | None = None) -> Penalty:
    """A penalty by name; the fused lasso in the coordinates of `differences`."""
    if name == "none":
        return Penalty((Q(0),) * d)
    if name == "lasso":
        return Penalty((lam,) * d)
    if name == "elastic net":
        return Penalty((lam,) * d, lam / 2)
    if name == "ridge":
        return Penalty((Q(0),) * d, lam)
    if name == "fused lasso":
        return Penalty((Q(0),) + (lam,) * (d - 1))
    return Penalty((lam,) * d, Q(0), width)


@dataclass(frozen=True)
class Pair:
    """Exact stationary points of the original and of the sketched problem, with their subgradient gaps."""

    star: fmpq_mat
    tilde: fmpq_mat
    gaps: tuple[fmpq, ...]

    def stationary(self) -> Any:
        """The comparison: both points are stationary, exactly."""
        return eq(list(self.gaps), [0] * len(self.gaps))


def solved(problem: Sketched, penalty: Penalty, *, linear: fmpq_mat | None = None) -> Pair:
    """Both stationary points; `linear` replaces the linear term of the sketched problem."""
    c = problem.c if linear is None else linear
    star, tilde = stationary_point(problem.G, problem.c, penalty), stationary_point(problem.Gt, c, penalty)
    gaps = subgradient_gap(problem.G, problem.c, star, penalty) + subgradient_gap(problem.Gt, c, tilde, penalty)
    return Pair(star, tilde, tuple(gaps))


def length(G: fmpq_mat, v: fmpq_mat) -> arb:
    """|X v| as a ball at the current precision."""
    return arb(quadratic_form(G, v)).sqrt()


def aligned(T: Any, scales: tuple[fmpq, ...]) -> Sketched:
    """X = T square, P = diag(scales), y = e_1: without a penalty X beta* = e_1, an eigenvector of S = diag(scales^2)."""
    X = fmpq_mat(T)
    return sketched(X, [1] + [0] * (X.nrows() - 1), diagonal(scales))
