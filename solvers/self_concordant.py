"""Logarithmic barriers f(x) = c^T x - sum_i log(b_i - a_i^T x): standard self-concordant functions, exactly and in balls.

|D^3 f[h, h, h]| <= 2 (h^T D^2 f h)^{3/2} on the domain A x < b (Yu. Nesterov and A. Nemirovskii, Interior-Point Polynomial
Algorithms in Convex Programming, 1994). At a rational point slacks, gradient and Hessian are rational; values are balls.
With the Newton decrement lam(x)^2 = g^T H^{-1} g, f(x) - min f <= omega_*(lam) where lam < 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import arb, arb_mat, fmpq, fmpq_mat

from solvers.exact_linalg import diagonal, inverse, ldlt, to_arb_mat


@dataclass(frozen=True)
class LogBarrier:
    """c^T x - sum_i log(b_i - a_i^T x) on A x < b.

    Attributes:
        c: exact, n x 1.
        A: exact, m x n, of rank n (so that the Hessian is positive definite).
        b: exact, m x 1.
    """

    c: fmpq_mat
    A: fmpq_mat
    b: fmpq_mat

    def slacks(self, x: fmpq_mat) -> fmpq_mat:
        """b - A x, m x 1; x lies in the domain when all entries are positive."""
        return self.b - self.A * x

    def value(self, x: fmpq_mat) -> arb:
        """f(x) at the current precision, at a rational point of the domain; not finite outside."""
        return arb((self.c.transpose() * x)[0, 0]) - sum((arb(s).log() for s in self.slacks(x).entries()), arb(0))

    def gradient(self, x: fmpq_mat) -> fmpq_mat:
        """c + sum_i a_i / s_i, n x 1."""
        s = self.slacks(x)
        return self.c + self.A.transpose() * fmpq_mat(s.nrows(), 1, [1 / t for t in s.entries()])

    def hessian(self, x: fmpq_mat) -> fmpq_mat:
        """sum_i a_i a_i^T / s_i^2, n x n."""
        return self.A.transpose() * diagonal([1 / (t * t) for t in self.slacks(x).entries()]) * self.A


def barrier_with_gradient(A: fmpq_mat, b: fmpq_mat, g: fmpq_mat) -> LogBarrier:
    """The barrier of A x < b, b > 0, whose gradient at 0 is g (n x 1)."""
    still = LogBarrier(fmpq_mat(A.ncols(), 1), A, b)
    return LogBarrier(g - still.gradient(fmpq_mat(A.ncols(), 1)), A, b)


def noisy_inverse(H: fmpq_mat, E: Sequence[fmpq]) -> fmpq_mat:
    """W = L D (I + diag E) L^T for H^{-1} = L D L^T, exactly: (1 + min E) H^{-1} <= W <= (1 + max E) H^{-1}.

    Args:
        H: exact symmetric positive definite, n x n.
        E: n rationals.

    Raises:
        ValueError: if H is singular, or of another size.
    """
    if len(E) != H.nrows():
        raise ValueError(f"noisy_inverse: {H.nrows()} errors are expected, got {len(E)}")
    factors = ldlt(inverse(H))
    return factors.L * diagonal([d * (1 + e) for d, e in zip(factors.d, E)]) * factors.L.transpose()


def squared_decrement(g: fmpq_mat, H: fmpq_mat) -> fmpq:
    """g^T H^{-1} g, exactly."""
    return (g.transpose() * H.solve(g))[0, 0]


def omega(a: arb) -> arb:
    """a - log(1 + a), for a > -1."""
    return a - (1 + a).log()


def omega_star(a: arb) -> arb:
    """-a - log(1 - a), for a < 1."""
    return -a - (1 - a).log()


@dataclass(frozen=True)
class BallPoint:
    """A point, its value and its gradient in the frame of the Hessian H = C C^T.

    Attributes:
        x: n balls.
        value: f(x).
        C: lower triangular Cholesky factor, rows of balls.
        y: C^{-1} g, whose length is the Newton decrement.
    """

    x: tuple[arb, ...]
    value: arb
    C: tuple[tuple[arb, ...], ...]
    y: tuple[arb, ...]

    @property
    def decrement(self) -> arb:
        """The Newton decrement."""
        return sum((t * t for t in self.y), arb(0)).sqrt()

    def moved(self, z: Sequence[arb], t: arb | int = 1) -> tuple[arb, ...]:
        """x - t C^{-T} z: for z = (I + E) y a step along W g with W = C^{-T} (I + E) C^{-1}."""
        n = len(self.x)
        w: list[arb] = [arb(0)] * n
        for i in reversed(range(n)):
            w[i] = (z[i] - sum((self.C[j][i] * w[j] for j in range(i + 1, n)), arb(0))) / self.C[i][i]
        return tuple(a - t * step for a, step in zip(self.x, w))


def ball_point(f: LogBarrier, x: Sequence[arb]) -> BallPoint:
    """Value, Cholesky factor and gradient at x, at the current precision.

    Raises:
        ValueError: if x is not shown to lie in the domain, or the Hessian not to be positive definite, at this precision.
    """
    n = len(x)
    A = to_arb_mat(f.A)
    s = (to_arb_mat(f.b) - A * arb_mat(n, 1, list(x))).entries()
    if not all(t > 0 for t in s):
        raise ValueError("ball_point: the point is not shown to lie in the domain; raise the precision")
    reciprocals = [1 / t for t in s]
    g = (to_arb_mat(f.c) + A.transpose() * arb_mat(len(s), 1, reciprocals)).entries()
    scaled = arb_mat(len(s), n, [A[i, j] * reciprocals[i] for i in range(len(s)) for j in range(n)])
    C = _cholesky(scaled.transpose() * scaled)
    y: list[arb] = []
    for i in range(n):
        y.append((g[i] - sum((C[i][j] * y[j] for j in range(i)), arb(0))) / C[i][i])
    value = sum((arb(c) * a for c, a in zip(f.c.entries(), x)), arb(0)) - sum((t.log() for t in s), arb(0))
    return BallPoint(tuple(x), value, C, tuple(y))


def _cholesky(H: arb_mat) -> tuple[tuple[arb, ...], ...]:
    n = H.nrows()
    C = [[arb(0)] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = H[i, j] - sum((C[i][k] * C[j][k] for k in range(j)), arb(0))
            if i > j:
                C[i][j] = rest / C[j][j]
            elif rest > 0:
                C[i][i] = rest.sqrt()
            else:
                raise ValueError("ball_point: the Hessian is not shown to be positive definite; raise the precision")
    return tuple(map(tuple, C))
