"""The one-step game: objectives, thresholds, closed form, and the finite game over the vertices of the ball.

All functions that return balls compute at the working precision of the call. Distributions are tuples of rationals in
decreasing order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from flint import arb, ctx, fmpq

from solvers.enclosures import power, precision
from solvers.games import GameSolution, greatest, guarantees, least, nearly_optimal, tv_vertices

T = TypeVar("T")
LOG = fmpq(1)  # the temperature at which f_tau is the logarithm
GUARD = 64  # bits beyond the kernel's, so that its first precision decides an equality to 1e-25
CLOSE = fmpq(1, 10**25)
LAST_BITS = 2048


class Undecided(ArithmeticError):
    """A threshold sum that agrees with 1 to all digits seen and is not known to equal it."""


def at_precision(compute: Callable[[], T]) -> Callable[[], T]:
    """`compute` as a thunk with guard bits, evaluated once at each precision."""
    known: dict[int, T] = {}

    def thunk() -> T:
        bits = ctx.prec
        if bits not in known:
            with precision(bits + GUARD):
                known[bits] = compute()
        return known[bits]

    return thunk


def f(x: fmpq, tau: fmpq = LOG) -> arb:
    """The objective f_tau(x): log x for tau = 1, else x^(1 - 1/tau) / (1 - 1/tau); x > 0 (x >= 0 for tau > 1)."""
    if tau == LOG:
        return arb(x).log()
    exponent = 1 - 1 / tau
    return arb(0) if x == 0 and exponent > 0 else power(arb(x), exponent) / arb(exponent)


def usable(p: Sequence[fmpq], eps: fmpq) -> int:
    """The number of tokens that Nature cannot empty: p_i > eps."""
    return sum(m > eps for m in p)


def loss(m: fmpq, eps: fmpq, tau: fmpq = LOG) -> arb:
    """D = f(m) - f(m - eps), what removing eps from a token of mass m > eps costs."""
    if tau != LOG:
        return f(m, tau) - f(m - eps, tau)
    return -arb(-eps / m).log1p() if 2 * eps < m else -arb((m - eps) / m).log()


def threshold_sums(p: Sequence[fmpq], eps: fmpq, tau: fmpq = LOG) -> Iterator[arb]:
    """S_1, S_2, ... over the usable tokens, S_I = sum_{i<=I} (f(p_i) - f(p_I)) / D_i."""
    weights = scores = arb(0)
    for m in p[: usable(p, eps)]:
        score, w = f(m, tau), 1 / loss(m, eps, tau)
        weights, scores = weights + w, scores + w * score
        yield scores - weights * score


def threshold_sum(p: Sequence[fmpq], eps: fmpq, k: int, tau: fmpq = LOG) -> arb:
    """S_k alone, for p_k > eps: equal tokens drop out exactly."""
    last = f(p[k - 1], tau)
    return sum(((f(m, tau) - last) / loss(m, eps, tau) for m in p[:k] if m != p[k - 1]), arb(0))


def sum_is_one(p: Sequence[fmpq], eps: fmpq, k: int, tau: fmpq = LOG) -> bool:
    """Whether S_k = 1 is known exactly: all larger tokens have one mass a, and f adds up to f(a) - f(a - eps)."""
    larger = [m for m in p[:k] if m != p[k - 1]]
    if not larger or larger[0] != larger[-1]:
        return False
    a, last = larger[0], p[k - 1]
    if tau == LOG:
        return bool((a / last) ** len(larger) == a / (a - eps))
    return len(larger) == 1 and last == a - eps


def value_mass(p: Sequence[fmpq], eps: fmpq, k: int, tau: fmpq = LOG) -> fmpq | None:
    """A mass m with V* = f(m) where one is known exactly: one token (p_1 - eps), or a tie S_k = 1 (p_k)."""
    if k == 1:
        return p[0] - eps
    return p[k - 1] if sum_is_one(p, eps, k, tau) else None


def support_size(p: Sequence[fmpq], eps: fmpq, tau: fmpq = LOG, level: fmpq | int = 1) -> int:
    """I* = max{I usable : S_I <= level}; ties at level 1 are decided exactly.

    Raises:
        Undecided: when S_I agrees with the level to 2048 bits without being known to equal it.
    """
    bits = GUARD
    while bits <= LAST_BITS:
        with precision(bits):
            size = _counted(p, eps, tau, level)
        if size is not None:
            return size
        bits *= 2
    raise Undecided(f"a threshold sum of {p} at eps = {eps} agrees with {level} to {LAST_BITS} bits")


def _counted(p: Sequence[fmpq], eps: fmpq, tau: fmpq, level: fmpq | int) -> int | None:
    size = 0
    for s in threshold_sums(p, eps, tau):
        if s > level:
            return size
        if not s <= level and not (level == 1 and sum_is_one(p, eps, size + 1, tau)):
            return None
        size += 1
    return size


def regularised(q: Sequence[Any], p: Sequence[fmpq], eps: fmpq, tau: fmpq = LOG) -> arb:
    """sum_i q_i f(p_i) - max_i q_i D_i for a strategy on the first len(q) tokens, all usable."""
    gain = sum((a * f(m, tau) for a, m in zip(q, p) if a != 0), arb(0))
    return gain - greatest([a * loss(m, eps, tau) for a, m in zip(q, p) if a != 0])


@dataclass(frozen=True)
class ClosedForm:
    """The closed form on the support {1..k}, with the mixture of p - eps e_i + eps e_d that certifies it.

    Attributes:
        q: strategy on the support.
        value: (sum w_i f(p_i) - 1) / W.
        mixture: lam_i = w_i (f(p_i) - value), Nature's weights.
        slack: the smallest of 1 - S, to which lam is proportional, exactly 0 at a known tie.
        payoffs: what the tokens of the support are worth against the mixture.
    """

    q: tuple[arb, ...]
    value: arb
    mixture: tuple[arb, ...]
    slack: Any
    payoffs: tuple[arb, ...]


def closed_form(p: Sequence[fmpq], eps: fmpq, k: int, tau: fmpq = LOG, *, plain: bool = False) -> ClosedForm:
    """The closed form on a support of k usable tokens; `plain` plays p_i in place of the weights w_i."""
    if not 1 <= k <= usable(p, eps):
        raise ValueError(f"a support of {k} tokens, but only {usable(p, eps)} have a mass above eps = {eps}")
    scores = [f(m, tau) for m in p[:k]]
    weights = [1 / loss(m, eps, tau) for m in p[:k]]
    W = sum(weights, arb(0))
    value = (sum((w * s for w, s in zip(weights, scores)), arb(0)) - 1) / W
    mixture = [w * (s - value) for w, s in zip(weights, scores)]
    slack: Any = least([(s - value) * W for s in scores])
    if sum_is_one(p, eps, k, tau):
        slack = fmpq(0)
    mass = sum(p[:k], fmpq(0))
    q = [arb(m / mass) for m in p[:k]] if plain else [w / W for w in weights]
    payoffs = [(1 - lam) * s + lam * f(m - eps, tau) for lam, s, m in zip(mixture, scores, p)]
    return ClosedForm(tuple(q), value, tuple(mixture), slack, tuple(payoffs))


def payoff_matrix(vertices: Sequence[Sequence[fmpq]], tokens: int, tau: fmpq = LOG) -> list[list[arb]]:
    """f(v_i) for the first `tokens` tokens (rows) and the vertices v of the ball (columns)."""
    return [[f(v[i], tau) for v in vertices] for i in range(tokens)]


def inner_minimum(q: Sequence[Any], matrix: Sequence[Sequence[arb]]) -> arb:
    """min over the columns of sum_i q_i A_ij; tokens with q_i = 0 contribute 0."""
    played = [(a, row) for a, row in zip(q, matrix) if a != 0]
    return least([sum((a * row[j] for a, row in played), arb(0)) for j in range(len(matrix[0]))])


class FiniteGame:
    """The game of tokens against the vertices of the ball, with near-optimal rational strategies of both sides."""

    def __init__(self, p: Sequence[fmpq], eps: fmpq, tau: fmpq = LOG) -> None:
        self.tau = tau
        self.tokens = len(p) if tau > 1 else usable(p, eps)  # a token that can be emptied is worth -infinity if f(0) is
        self.vertices = list(dict.fromkeys(v[: self.tokens] for v in tv_vertices(p, eps)))
        with precision(GUARD):
            self.solution: GameSolution = nearly_optimal(self.matrix())

    def matrix(self) -> list[list[arb]]:
        """The payoffs at the working precision."""
        return payoff_matrix(self.vertices, self.tokens, self.tau)

    def bounds(self) -> tuple[arb, arb]:
        """What the two strategies guarantee; the value lies between."""
        return guarantees(self.matrix(), self.solution.row, self.solution.column)
