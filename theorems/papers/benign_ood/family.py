"""The family of instances behind the rates: k unit major directions, an isotropic minor block, and its orthogonal idealisation.

Major eigenvalues of the source covariance are 1, its minor block has p_m coordinates of total variance tau; X = (X_k, X_m),
G = X_m X_m^T. In the orthogonal idealisation X_k^T X_k = g I and G = tau I, which Gaussian designs approach for p_m >> n (with
g = n), and the risk is a rational function of the regularisation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from solvers.designs import as_floats
from solvers.enclosures import to_fmpq
from solvers.exact_linalg import identity, ldlt
from solvers.wishart import Reals, gram

MARGIN = fmpq(1, 10**7)
HADAMARD = ((1, 1, 1, 1), (1, -1, 1, -1), (1, 1, -1, -1), (1, -1, -1, 1))


def orthogonal_risk(
    n: Any, k: Any, g: Any, s: Any, tau: Any, theta: Any, b2: Any, v2: Any, *, components: bool = False, leak: Any = 1
) -> Any:
    """B + V on an orthogonal design, for the target covariance I_k + theta I; exact numbers or symbols.

    Args:
        n, k: numbers of observations and of major directions.
        g: squared length of the columns of X_k.
        s: lambda + tau.
        tau: G = tau I.
        theta: target variance of each minor coordinate.
        b2: |beta|^2, all of it on the major block.
        v2: variance of the errors.
        components: PCR with k components (s = tau) instead of ridge.
        leak: weight of the bias that the major block leaves on the minor one (1; 0 forgets it).
    """
    seen = (s * s * b2 + v2 * k * g + theta * tau * (leak * g * b2 + k * v2)) / (s + g) ** 2
    return seen if components else seen + v2 * theta * tau * (n - k) / s**2


def orthogonal_design(n: int, k: int, root: fmpq) -> fmpq_mat:
    """X = (X_k, root I_n) with k <= 4 orthogonal +-1 columns of length n, a multiple of 4: g = n, tau = root^2."""
    rows = [
        [fmpq(HADAMARD[j][i % 4]) for j in range(k)] + [root if c == i else fmpq(0) for c in range(n)] for i in range(n)
    ]
    return fmpq_mat(rows)


def one_direction(x: Any, root: fmpq) -> fmpq_mat:
    """X = (x, root I_n) for any x of n rationals: k = 1, g = |x|^2, tau = root^2."""
    n = len(x)
    return fmpq_mat([[to_fmpq(x[i])] + [root if c == i else fmpq(0) for c in range(n)] for i in range(n)])


def target(k: int, n: int, theta: fmpq) -> fmpq_mat:
    """The target covariance diag(I_k, theta I_n)."""
    T = identity(k + n) * theta
    for i in range(k):
        T[i, i] = 1
    return T


def extreme_eigenvalues(S: fmpq_mat) -> tuple[fmpq, fmpq]:
    """Rationals just below the least and just above the largest eigenvalue, from doubles: proposals, checked by `pivots`."""
    values = np.linalg.eigvalsh(as_floats(S))
    low, high = (fmpq(round(float(v) * 10**12), 10**12) for v in (values[0], values[-1]))
    return low * (1 - MARGIN), high * (1 + MARGIN)


def pivots(S: fmpq_mat) -> list[fmpq]:
    """The pivots of an exact congruence L diag(d) L^T = S: S is positive semidefinite when none is negative."""
    return list(ldlt(S).d) or [fmpq(0)]


def source_gram(rng: np.random.Generator, n: int, p: int, q: int, tau: float = 1.0) -> tuple[Reals, Reals]:
    """G = X_m X_m^T and N = X_m Sigma_{T,m} X_m^T for tr Sigma_{T,m} = 1 spread evenly over the first q of the p coordinates."""
    first = gram(rng, n, q) * (tau / p)
    rest = gram(rng, n, p - q) * (tau / p) if q < p else 0.0
    return first + rest, first / q
