"""AE-AGS with the ranking rule: confidence bounds, rankings, and arm-proposing deferred acceptance in every round.

Runs with prescribed rewards are exact: every comparison of confidence bounds is decided in doubles outside of a guard band
and in balls inside it, so the counts are those of real arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf
from typing import Any

from flint import arb, fmpq

from theorems import shared
from theorems.papers.matching_bandits.markets import Market, Matching

GUARD = 1e-9
STEADY = 40  # rounds with one matching after which the search for its end begins
STRIDE = 4096


@dataclass(frozen=True)
class Prescribed:
    """Rewards whose empirical mean after k pulls of a pair is known: mu + shift w(k) - lowered min(k, early)/k.

    Attributes:
        shifts: multiples of the confidence radius, N rows of K rationals.
        lowered: amounts by which the first `early` samples lie below their mean, by pair.
        early: how many samples.
    """

    shifts: tuple[tuple[fmpq, ...], ...] | None = None
    lowered: dict[tuple[int, int], fmpq] = field(default_factory=dict)
    early: int = 0

    def mean(self, market: Market, i: int, j: int, k: int) -> tuple[fmpq, fmpq]:
        """The rational part of the empirical mean, and the multiple of the radius in it."""
        low = self.lowered.get((i, j))
        rational = market.mu[i][j] - (low * min(k, self.early) / k if low is not None else 0)
        return rational, fmpq(0) if self.shifts is None else self.shifts[i][j]


@dataclass(frozen=True)
class Run:
    """What a run of T rounds did.

    Attributes:
        T: rounds.
        played: how often each matching was played.
        unstable: rounds with an unstable matching.
        cap: the largest count n_{i, m(i)} (before the pull) of a blocking player in an unstable round.
        blocked: for each player and arm, the rounds in which they are matched and the player blocks.
    """

    T: int
    played: dict[Matching, int]
    unstable: int
    cap: int
    blocked: dict[tuple[int, int], int]

    def regret(self, market: Market, i: int, benchmark: tuple[fmpq, ...] | None = None) -> fmpq:
        """Reg_i(T) against the worst stable partner (or another benchmark)."""
        least = (market.worst if benchmark is None else benchmark)[i]
        return sum(((least - market.mu[i][m[i]]) * count for m, count in self.played.items()), fmpq(0))


@lru_cache(maxsize=16)
def radii(T: int, constant: int) -> list[float]:
    """w(k) = sqrt(constant ln T / k) for k = 0..T."""
    from math import log, sqrt

    return [inf, *(sqrt(constant * log(T) / k) for k in range(1, T + 1))]


class Player:
    """Counts, confidence bounds and the domination relation of one player, for one run."""

    def __init__(self, market: Market, i: int, T: int, rewards: Prescribed | None, constant: int) -> None:
        K = market.arms
        self.market, self.i, self.K, self.T, self.constant = market, i, K, T, constant
        self.rewards, self.w = rewards, radii(T, constant)
        self.n, self.total = [0] * K, [0.0] * K
        self.mu = [double(v) for v in market.mu[i]]
        self.lowered = [double(rewards.lowered.get((i, j), fmpq(0))) if rewards else 0.0 for j in range(K)]
        self.shift = [double(v) for v in rewards.shifts[i]] if rewards and rewards.shifts else [0.0] * K
        self.early = rewards.early if rewards else 0
        self.low, self.high = [-inf] * K, [inf] * K
        self.above: list[set[int]] = [set() for _ in range(K)]  # the arms that dominate each arm

    def pull(self, j: int, reward: float = 0.0) -> bool:
        """Observe arm j; whether the domination relation changed."""
        self.n[j] += 1
        k = self.n[j]
        if self.rewards is None:
            self.total[j] += reward
            mean = self.total[j] / k
        else:
            mean = self.mu[j] - self.lowered[j] * min(k, self.early) / k + self.shift[j] * self.w[k]
        self.low[j], self.high[j] = mean - self.w[k], mean + self.w[k]
        changed = False
        for other in range(self.K):
            if other != j:
                for upper, lower in ((j, other), (other, j)):
                    dominated = self.exceeds(upper, lower)
                    if dominated != (upper in self.above[lower]):
                        (self.above[lower].add if dominated else self.above[lower].discard)(upper)
                        changed = True
        return changed

    def exceeds(self, j: int, other: int) -> bool:
        """LCB of j above UCB of another arm."""
        difference = self.low[j] - self.high[other]
        if self.rewards is None or abs(difference) > GUARD:
            return difference > 0
        from solvers.enclosures import precision

        with precision(200):
            exact = self.end(j, -1) - self.end(other, 1)
            if exact > 0 or exact < 0:
                return bool(exact > 0)
        raise ArithmeticError(f"the bounds of arms {j} and {other} agree to 200 bits after {self.n} pulls")

    def end(self, j: int, sign: int) -> arb:
        """An end of the confidence interval, as a ball."""
        if self.rewards is None:
            raise ArithmeticError("simulated rewards have no exact confidence bounds")
        rational, shift = self.rewards.mean(self.market, self.i, j, self.n[j])
        return arb(rational) + arb(shift + sign) * (self.constant * arb(self.T).log() / self.n[j]).sqrt()

    def ranking(self, most: bool = False) -> list[int]:
        """Repeatedly the least pulled of the arms that no remaining arm dominates (or the most pulled)."""
        n = self.n
        remaining = (
            sorted(range(self.K), key=lambda j: (-n[j], j)) if most else sorted(range(self.K), key=n.__getitem__)
        )
        if not any(self.above):
            return remaining
        order = []
        while remaining:
            left = set(remaining)
            j = next(j for j in remaining if not self.above[j] & left)
            order.append(j)
            remaining.remove(j)
        return order


def double(v: fmpq) -> float:
    """The nearest double of a rational."""
    return int(v.p) / int(v.q)


def by_ranking(players: list[Player], most: bool = False) -> Callable[[int, int, int], bool]:
    """Whether a player takes the newcomer: by a ranking made at the start of the round."""
    places = []
    for player in players:
        place = [0] * player.K
        for position, j in enumerate(player.ranking(most)):
            place[j] = position
        places.append(place)
    return lambda i, new, held: places[i][new] < places[i][held]


def by_pairs(players: list[Player]) -> Callable[[int, int, int], bool]:
    """Whether a player takes the newcomer: the dominating arm of the two, or the less pulled one if none dominates."""

    def prefers(i: int, new: int, held: int) -> bool:
        player = players[i]
        if new in player.above[held]:
            return True
        if held in player.above[new]:
            return False
        return (player.n[new], new) < (player.n[held], held)

    return prefers


def proposals(orders: list[list[int]], prefers: Callable[[int, int, int], bool], N: int) -> Matching:
    """Arm-proposing deferred acceptance."""
    held: list[int | None] = [None] * N
    place = [0] * len(orders)
    for start in range(len(orders)):
        arm = start
        while place[arm] < N:
            i = orders[arm][place[arm]]
            place[arm] += 1
            current = held[i]
            if current is None:
                held[i] = arm
                break
            if prefers(i, arm, current):
                held[i], arm = arm, current
    return tuple(j if j is not None else -1 for j in held)


def run(
    market: Market,
    T: int,
    rewards: Prescribed | None = None,
    *,
    rule: str = "ranking",
    constant: int = 6,
    noise: Any = None,
) -> Run:
    """T rounds of AE-AGS.

    Args:
        market: the market.
        T: horizon, which the radii use.
        rewards: prescribed rewards; None: mu plus standard normal noise from `noise`.
        rule: "ranking", "pairs" (only incumbent and newcomer are compared) or "most" (the most pulled arm first).
        constant: of the radius sqrt(constant ln T / n).
        noise: NumPy generator.

    Returns:
        The run.
    """
    N = market.players
    players = [Player(market, i, T, rewards, constant) for i in range(N)]
    orders = [sorted(range(N), key=lambda i, row=row: (row[i], i)) for row in market.rank]  # type: ignore[misc]
    blocking: dict[Matching, tuple[int, ...]] = {}
    played: dict[Matching, int] = {}
    blocked: dict[tuple[int, int], int] = {}
    unstable = cap = steady = 0
    last: Matching = ()
    t = 0
    while t < T:
        prefers = by_pairs(players) if rule == "pairs" else by_ranking(players, rule == "most")
        m = proposals(orders, prefers, N)
        if m not in blocking:
            blocking[m] = market.blocking(m)
        steady, last = (steady + 1 if m == last else 0), m
        rounds = 1
        if steady > STEADY and rewards is not None:
            rounds = max(1, min(lasting(players, m), T - t))
        if blocking[m]:
            unstable += rounds
            cap = max(cap, *(players[i].n[m[i]] + rounds - 1 for i in blocking[m]))
            for i in blocking[m]:
                blocked[i, m[i]] = blocked.get((i, m[i]), 0) + rounds
        played[m] = played.get(m, 0) + rounds
        for i, j in enumerate(m):
            players[i].n[j] += rounds - 1
            players[i].pull(j, players[i].mu[j] + noise.normal() if noise is not None else 0.0)
        t += rounds
    return Run(T, played, unstable, cap, blocked)


@shared
def settled(market: Market, T: int, rewards: Prescribed, rule: str = "ranking") -> Run:
    """The run with prescribed rewards, made once for all claims."""
    return run(market, T, rewards, rule=rule)


def lasting(players: list[Player], m: Matching) -> int:
    """A number of rounds in which the same matching surely is played again: no order of counts and no domination changes."""
    import numpy as np

    rounds = STRIDE
    for i, j in enumerate(m):
        player = players[i]
        k = player.n[j]
        rounds = min([rounds, *(n - k for a, n in enumerate(player.n) if a != j and n >= k)])
        if rounds <= 1:
            return 1
        steps = np.arange(k + 1, k + rounds + 1)
        steps = steps[steps <= player.T]
        w = np.sqrt(player.constant * np.log(player.T) / steps)
        mean = player.mu[j] - player.lowered[j] * np.minimum(steps, player.early) / steps + player.shift[j] * w
        for other in range(player.K):
            if other == j or not player.n[other]:
                continue
            now = (other in player.above[j], j in player.above[other])
            then = (player.low[other] - (mean + w), (mean - w) - player.high[other])
            for state, difference in zip(now, then):
                moved = np.flatnonzero((difference > -GUARD) if not state else (difference < GUARD))
                if len(moved):
                    rounds = min(rounds, int(moved[0]))
        rounds = min(rounds, len(steps))
        if rounds <= 1:
            return 1
    return rounds
