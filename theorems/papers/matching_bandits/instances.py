"""Markets and rewards inside the good event that several claims share, and the constants of the bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from flint import arb, fmpq

from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, le
from theorems.papers.matching_bandits.algorithm import Prescribed
from theorems.papers.matching_bandits.markets import Market, hard, market, serial, wide
from theorems.papers.matching_bandits.paper import PAPER

PERCENT = Q(1, 100)
EDGE = Q(999, 1000)  # of the confidence radius: inside the good event
LOW, HIGH = "best arms low", "best arms high"
LEVELS = ((Q(1, 10), Q(9, 10)), (Q(0), Q(1)), (Q(1, 20), Q(1)), (Q(0), Q(1, 2), Q(1)))


def adversarial(m: Market, signs: str) -> Prescribed:
    """Empirical means at .999 of the radius: every best arm of a player low and all others high, or the reverse, or none moved."""
    sign = {LOW: -1, HIGH: 1, "exact": 0}[signs]
    return Prescribed(tuple(tuple(sign * (EDGE if v == max(row) else -EDGE) for v in row) for row in m.mu))


def least_count(m: Market, T: int, constant: int = 96) -> arb:
    """L = 96 ln T / Delta^2."""
    return constant * arb(T).log() / arb(m.gap) ** 2


def random_market(levels: Any, utilities: Any, ranks: Any) -> Market:
    """Utilities by level, ranks as drawn."""
    mu = [[levels[int(v) % len(levels)] for v in row] for row in utilities.tolist()]
    return market(mu, [[int(v) for v in row] for row in ranks.tolist()])


HARD = PAPER.family(
    "hard market",
    D=Choices(Q(4, 5), Q(7, 10)),
    m=Given(lambda D: hard(D)),
    T=Choices(4000, 6000),
    signs=Choices(LOW, "exact"),
    rewards=Given(lambda m, signs: adversarial(m, signs)),
    every=True,
)
MARKETS = PAPER.family(
    "random markets",
    levels=Choices(*LEVELS),
    size=Choices((2, 2), (2, 3), (3, 3)),
    utilities=Given(lambda size: Arrays(Integers(0, 5), size)),
    ranks=Given(lambda size: Arrays(Integers(0, size[0] - 1), (size[1], size[0]))),
    m=Given(random_market),
    T=ByBudget(quick=Choices(3000), full=Choices(3000, 12000)),
    signs=Choices(LOW, LOW, HIGH, "exact"),
    rewards=Given(lambda m, signs: adversarial(m, signs)),
    where=lambda m: any(len(set(row)) > 1 for row in m.mu),
    accept=0.5,
    quick=8,
    full=60,
)
# the first samples of player 0's best arm are low, so that the pairwise rule locks itself in; the means stay inside their intervals
LOWERED = PAPER.family(
    "lowered samples",
    m=Choices(market([[".1", ".8", ".6"], [".9", ".5", ".3"]], [range(2)] * 3)),
    T=Choices(60_000),
    rewards=Choices(Prescribed(lowered={(0, 1): Q(249, 1000)}, early=1060)),
    every=True,
)
LONG = PAPER.family(
    "lowered samples, long",
    m=Choices(market([[".1", ".8", ".6"], [".9", ".5", ".3"]], [range(2)] * 3)),
    T=Choices(200_000),
    rewards=Choices(Prescribed(lowered={(0, 1): Q(249, 1000)}, early=1175)),
    every=True,
)
CROSSED = PAPER.family(
    "crossed market",
    m=Choices(market([[".1", ".9"], [".9", ".1"]], [range(2)] * 2), market([[0, 1], [1, 0]], [range(2)] * 2)),
    T=Choices(5000),
    rewards=Choices(Prescribed()),
    every=True,
)
EXPLICIT = PAPER.family(
    "explicit markets",
    m=Choices(serial(3, Q(1, 2)), wide(4, Q(1, 2))),
    T=Choices(4000),
    signs=Choices("exact", LOW),
    rewards=Given(lambda m, signs: adversarial(m, signs)),
    every=True,
)
GOOD = (
    "the good event: every empirical mean lies within sqrt(6 ln T/n) of its expectation, at every count (the prescribed means are at most .999 of "
    "the radius away)"
)


def deviation(T: int, rewards: Prescribed) -> tuple[arb, arb]:
    """The largest distance of an empirical mean from its expectation, and the radius there.

    A lowered mean is furthest out, in units of its radius, after its last low sample; a shift is the same multiple of the
    radius at every count.
    """
    radius = (6 * arb(T).log() / max(rewards.early, 1)).sqrt()
    low = max(rewards.lowered.values(), default=fmpq(0))
    shift = max((abs(v) for row in rewards.shifts or () for v in row), default=fmpq(0))
    return arb(low) + arb(shift) * radius, radius


def near(value: Callable[[], arb], goal: Any, share: fmpq) -> Iterator[Any]:
    """Both sides of value = goal up to a share of the goal, as comparisons."""
    yield le(lambda: (value(), arb(goal) * (1 + arb(share))))
    yield le(lambda: (arb(goal) * (1 - arb(share)), value()))
