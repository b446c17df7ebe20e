"""Training problems, their certified solutions (shared by the claims), and values in balls."""

from __future__ import annotations

from flint import arb, arb_mat, fmpq, fmpq_mat

from solvers.certificates import ReluProblem
from solvers.relu.exact import of_problem
from solvers.relu.training import train_data
from theorems import shared

BITS = 256


@shared
def problem(X, y, beta, bias):
    """The training problem of a matrix of numerators over 32."""
    rows = tuple(tuple(fmpq(int(v), 32) for v in row) + ((fmpq(1),) if bias else ()) for row in X.tolist())
    return ReluProblem(rows, tuple(fmpq(int(v), 32) for v in y), fmpq(beta))


@shared
def solved(given):
    """The certified solution of a training problem."""
    return train_data(of_problem(given), bits=BITS)


def certificate(given):
    """What the kernel checks."""
    return solved(given).certificate


def decided(X, y, beta, bias):
    """Whether the optimal set is certified (hypothesis of what speaks about the exact dual optimum)."""
    return solved(problem(X, y, beta, bias)).structure.decided


def balls(values):
    """Exact numbers or balls as balls."""
    return [v if isinstance(v, arb) else arb(v) for v in values]


def total(values):
    """A sum of balls or exact numbers."""
    return sum(values, arb(0))


def dot(a, b):
    """An inner product of balls or exact numbers."""
    return total(x * y for x, y in zip(a, b))


def norm(v):
    """A Euclidean length."""
    return dot(v, v).sqrt()


def features(X, w):
    """(X w)_+ for exact weights; for balls where no pre-activation is 0 to rounding."""
    images = [sum((x * v for x, v in zip(row, w)), fmpq(0)) for row in X]
    return [z if z > 0 else fmpq(0) for z in images]


def fit(weights, atoms, n):
    """sum_j c_j a_j, of length n."""
    return [dot(weights, [a[k] for a in atoms]) for k in range(n)]


def distinct_rows(X, y, beta, bias):
    """A problem without repeated rows whose optimal set is certified."""
    return len({tuple(row) for row in X.tolist()}) == X.nrows() and decided(X, y, beta, bias)


def dual_optimum(given):
    """(nu*, f*, p*) in balls (or exact), from the certified structure."""
    structure = solved(given).structure
    nu = balls(structure.nu)
    weights = balls(structure.polytope.vertices[0])
    y = balls(given.y)
    return nu, [t - v for t, v in zip(y, nu)], dot(nu, nu) / 2 + arb(given.beta) * total(weights)


def rank(rows):
    """Rank of exact rows."""
    return int(fmpq_mat([list(row) for row in rows]).rank()) if rows else 0


def matrix(rows):
    """A ball matrix of exact rows."""
    return arb_mat(fmpq_mat([list(row) for row in rows]))
