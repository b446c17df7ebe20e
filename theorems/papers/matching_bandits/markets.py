"""Matching markets with ties: blocking pairs, stable matchings, deferred acceptance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

from flint import fmpq

Matching = tuple[int, ...]


@dataclass(frozen=True)
class Market:
    """N players and K >= N arms.

    Attributes:
        mu: utilities in [0, 1], N rows of K rationals; equal values are indifference.
        rank: K rows of N integers, the lower the better for the arm; ties allowed.
    """

    mu: tuple[tuple[fmpq, ...], ...]
    rank: tuple[tuple[int, ...], ...]

    @property
    def players(self) -> int:
        """N."""
        return len(self.mu)

    @property
    def arms(self) -> int:
        """K."""
        return len(self.rank)

    @cached_property
    def gap(self) -> fmpq:
        """Delta, the least nonzero difference between utilities of a player."""
        return min(abs(a - b) for row in self.mu for a in row for b in row if a != b)

    def blocking(self, m: Matching) -> tuple[int, ...]:
        """Players of the pairs that block a matching: both sides strictly gain, or the arm is free."""
        holder = {arm: i for i, arm in enumerate(m)}
        return tuple(
            i
            for i, arm in enumerate(m)
            if any(
                self.mu[i][j] > self.mu[i][arm] and (j not in holder or self.rank[j][i] < self.rank[j][holder[j]])
                for j in range(self.arms)
            )
        )

    @cached_property
    def stable(self) -> tuple[Matching, ...]:
        """All weakly stable matchings in which every player has an arm."""
        return tuple(m for m in permutations(range(self.arms), self.players) if not self.blocking(m))

    @cached_property
    def worst(self) -> tuple[fmpq, ...]:
        """Each player's least utility over the stable matchings: the benchmark."""
        return tuple(min(self.mu[i][m[i]] for m in self.stable) for i in range(self.players))

    @cached_property
    def best(self) -> tuple[fmpq, ...]:
        """Each player's largest utility over the stable matchings."""
        return tuple(max(self.mu[i][m[i]] for m in self.stable) for i in range(self.players))


def market(mu: object, rank: object) -> Market:
    """A market from rows of utilities (exact numbers or text) and of ranks."""
    return Market(
        tuple(tuple(v if isinstance(v, fmpq) else fmpq(*ratio(v)) for v in row) for row in mu),  # type: ignore[attr-defined]
        tuple(tuple(int(v) for v in row) for row in rank),  # type: ignore[attr-defined]
    )


def ratio(value: object) -> tuple[int, int]:
    """Numerator and denominator of an integer or of decimal text such as ".8"."""
    text = str(value)
    whole, _, digits = text.partition(".")
    return int(whole + digits), 10 ** len(digits)


def serial(N: int, D: fmpq) -> Market:
    """mu[i, i] = 1/2 + D, mu[i, N-1] = 1/2 for i < N-1, mu[N-1, N-1] = 1; every arm ranks the players in order."""
    half = fmpq(1, 2)
    mu = [[fmpq(0)] * N for _ in range(N)]
    for i in range(N - 1):
        mu[i][i], mu[i][N - 1] = half + D, half
    mu[N - 1][N - 1] = fmpq(1)
    return market(mu, [range(N)] * N)


def wide(K: int, D: fmpq) -> Market:
    """Two players, K arms: mu[0] = 3/10 except mu[0, 0] = 3/10 + D, player 1 indifferent."""
    low = fmpq(3, 10)
    return market([[low + D] + [low] * (K - 1), [fmpq(1, 2)] * K], [range(2)] * K)


def hard(D: fmpq) -> Market:
    """Two players, two arms that both prefer player 0: mu = [[1/10 + D, 1/10], [1/10, 9/10]]."""
    tenth = fmpq(1, 10)
    return market([[tenth + D, tenth], [tenth, fmpq(9, 10)]], [range(2)] * 2)
