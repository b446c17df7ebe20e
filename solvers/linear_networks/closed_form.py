"""Q Q^T in closed form from the singular value decomposition of the task, and its limit, in balls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from flint import arb, arb_mat

from solvers.enclosures.exact import to_arb
from solvers.exact_linalg import diagonal, identity, to_arb_mat, verified_inverse, verified_solve
from solvers.linear_networks.weights import Weights, block, columns


@dataclass(frozen=True, slots=True)
class Task:
    """A correlation Sigma = U~ diag(s) V~^T of full rank N_h = min(N_i, N_o), with its complements.

    Attributes:
        V, U: orthogonal matrices of sizes N_i and N_o (exact or balls); V~ and U~ are their first N_h columns.
        s: N_h singular values > 0.
    """

    V: Any
    U: Any
    s: tuple[Any, ...]

    @property
    def left(self) -> Any:
        """U~ (N_o x N_h)."""
        return columns(self.U, len(self.s))

    @property
    def right(self) -> Any:
        """V~ (N_i x N_h)."""
        return columns(self.V, len(self.s))

    @property
    def Sigma(self) -> Any:
        """The correlation itself (exact if all its factors are)."""
        return self.left * diagonal(self.s) * self.right.transpose()

    @property
    def smallest(self) -> Any:
        """The smallest singular value."""
        return min(self.s)


class Spectrum(NamedTuple):
    """The diagonal matrices of the closed form, as ball matrices: S_lambda, G_- = G - H G and G_+ = G + H G."""

    S: arb_mat
    minus: arb_mat
    plus: arb_mat


def spectrum(task: Task, lam: Any, *, tilt: Any = 1) -> Spectrum:
    """S_lambda = sqrt(s^2 + lambda^2/4), H = (2 S_lambda - 2 s)/lambda, G = (I + H^2)^(-1/2).

    `tilt` multiplies H.
    """
    lam = to_arb(lam)
    s_lam = [(to_arb(s) * to_arb(s) + lam * lam / 4).sqrt() for s in task.s]
    h = [tilt * lam / 2 / (r + to_arb(s)) for r, s in zip(s_lam, task.s)]  # no cancellation, and 0 at lambda = 0
    g = [1 / (1 + x * x).sqrt() for x in h]
    return Spectrum(
        ball_diagonal(s_lam),
        ball_diagonal([a - a * b for a, b in zip(g, h)]),
        ball_diagonal([a + a * b for a, b in zip(g, h)]),
    )


def ball_diagonal(values: Sequence[Any]) -> arb_mat:
    """A diagonal ball matrix."""
    zero = arb(0)
    return arb_mat([[to_arb(x) if i == j else zero for j in range(len(values))] for i, x in enumerate(values)])


def starting_matrices(weights: Weights, task: Task, lam: Any, *, tilt: Any = 1) -> tuple[arb_mat, arb_mat]:
    """B = W2^T U~ G_+ + W1 V~ G_- and C = W2^T U~ G_- - W1 V~ G_+ (both N_h x N_h)."""
    _, minus, plus = spectrum(task, lam, tilt=tilt)
    second = to_arb_mat(weights.W2).transpose() * to_arb_mat(task.left)
    first = to_arb_mat(weights.W1) * to_arb_mat(task.right)
    return second * plus + first * minus, second * minus - first * plus


def closed_form(
    weights: Weights,
    task: Task,
    lam: Any,
    t: Any,
    *,
    forever: bool = False,
    tilt: Any = 1,
    coupled: Any = 1,
    orthogonal: Any = 1,
) -> arb_mat:
    """Balls around Q Q^T (t) from the singular value decomposition of the task; stable for large t.

    Args:
        weights: initial lambda-balanced weights, for which B is invertible (NoEnclosure otherwise).
        task: the task.
        lam: the balance (of the weights; it enters S_lambda, H and the exponent on the complement).
        t: time >= 0.
        forever: enclose the values at all times >= t at once, hence the limit (t >= 1 / (2 min S_lambda)).
        tilt, coupled, orthogonal: multiply H, C and the terms of the complement.
    """
    lam, t = to_arb(lam), to_arb(t)
    S, minus, plus = spectrum(task, lam, tilt=tilt)
    B, C = starting_matrices(weights, task, lam, tilt=tilt)
    C = C * to_arb(coupled)
    n = len(task.s)
    rates = [S[i, i] for i in range(n)]

    def decayed(rate: arb, factor: Any = 1) -> arb:
        value = factor * (-rate * t).exp()
        return value.union(arb(0)) if forever else value

    e = ball_diagonal([decayed(r) for r in rates])
    B_inv = verified_inverse(B)
    Bt_inv = B_inv.transpose()
    grown = (to_arb_mat(identity(n)) - e * e) * verified_inverse(S)
    X = e * C.transpose() * Bt_inv * e
    Z = arb_mat(
        (to_arb_mat(task.right) * (minus - plus * X)).tolist() + (to_arb_mat(task.left) * (plus + minus * X)).tolist()
    )
    K = e * B_inv * Bt_inv * e * 4 + grown + e * B_inv * C * grown * C.transpose() * Bt_inv * e
    n_i, n_o = task.V.nrows(), task.U.nrows()
    if n_i != n_o:
        p = (-lam if n_i > n_o else lam) / 2  # lambda_perp; S_lambda - p = s^2 / (S_lambda + p) without cancellation
        kept = [decayed(to_arb(s) * to_arb(s) / (r + p) if p > 0 else r - p) for s, r in zip(task.s, rates)]
        Y = _complement(weights, task) * Bt_inv * to_arb(orthogonal)  # O_perp^T Q0 B^-T
        Z = Z + _on_complement(task, Y * ball_diagonal([2 * x for x in kept]))
        gram = (Y.transpose() * Y).tolist()
        for i in range(n):
            for j in range(n):
                if lam.is_zero():
                    share = decayed(rates[i] + rates[j], t)
                else:
                    share = (kept[i] * kept[j] - e[i, i] * e[j, j]) / (2 * p)
                K[i, j] = K[i, j] + 4 * gram[i][j] * share
    return Z * verified_solve(K, Z.transpose())


def _complement(weights: Weights, task: Task) -> arb_mat:
    """O_perp^T Q0: the part of the weights outside the singular spaces of the task."""
    n, n_i, n_o = len(task.s), task.V.nrows(), task.U.nrows()
    if n_i > n_o:
        outside = to_arb_mat(columns(task.V, n_i - n, n))
        return (to_arb_mat(weights.W1) * outside).transpose()
    return to_arb_mat(columns(task.U, n_o - n, n)).transpose() * to_arb_mat(weights.W2)


def _on_complement(task: Task, Y: arb_mat) -> arb_mat:
    """O_perp Y."""
    n, n_i, n_o = len(task.s), task.V.nrows(), task.U.nrows()
    zero = arb(0)
    if n_i > n_o:
        above = to_arb_mat(columns(task.V, n_i - n, n)) * Y
        return arb_mat(above.tolist() + [[zero] * n for _ in range(n_o)])
    below = to_arb_mat(columns(task.U, n_o - n, n)) * Y
    return arb_mat([[zero] * n for _ in range(n_i)] + below.tolist())


class Blocks(NamedTuple):
    """The blocks of Q Q^T: W1^T W1, W2 W1 and W2 W2^T."""

    inputs: arb_mat
    product: arb_mat
    outputs: arb_mat


def blocks(R: arb_mat, n_i: int) -> Blocks:
    """The blocks of Q Q^T for N_i = n_i."""
    first, second = range(n_i), range(n_i, R.nrows())
    return Blocks(block(R, first, first), block(R, second, first), block(R, second, second))


def limit(task: Task, lam: Any) -> Blocks:
    """The blocks of Q Q^T at t = infinity: V~ (S_lambda - lambda/2) V~^T, Sigma and U~ (S_lambda + lambda/2) U~^T."""
    half = to_arb(lam) / 2
    s = [to_arb(x) for x in task.s]
    S = [(x * x + half * half).sqrt() for x in s]
    first, second = [r - half for r in S], [r + half for r in S]
    if half > 0:  # the small one by division: no cancellation
        first = [x * x / y for x, y in zip(s, second)]
    elif half < 0:
        second = [x * x / y for x, y in zip(s, first)]
    left, right = to_arb_mat(task.left), to_arb_mat(task.right)
    return Blocks(
        right * ball_diagonal(first) * right.transpose(),
        to_arb_mat(task.Sigma),
        left * ball_diagonal(second) * left.transpose(),
    )


def loss(product: Any, Sigma: Any) -> arb:
    """|Sigma - W2 W1|_F^2 / 2."""
    D = to_arb_mat(Sigma) - to_arb_mat(product)
    return inner(D, D) / 2


def inner(A: Any, B: Any) -> Any:
    """The Frobenius inner product of two matrices of one kind."""
    x, y = A.entries(), B.entries()
    return sum((a * b for a, b in zip(x[1:], y[1:])), x[0] * y[0])
