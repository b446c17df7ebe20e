"""How long unstable matchings can last: counts of blocking players, inside the confidence intervals."""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq

from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, le
from theorems.papers.matching_bandits.algorithm import Prescribed, run
from theorems.papers.matching_bandits.markets import Market, hard, market
from theorems.papers.matching_bandits.paper import PAPER

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
    quick=10,
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
GOOD = (
    "the good event: every empirical mean lies within sqrt(6 ln T/n) of its expectation, at every count (the prescribed means are at most .999 of "
    "the radius away)"
)


def inside(m: Market, T: int, rewards: Prescribed) -> Any:
    """The good event at the count where a lowered mean is furthest out in units of its radius; prescribed shifts are inside."""
    low = max(rewards.lowered.values(), default=fmpq(0))
    return arb(low), (6 * arb(T).log() / max(rewards.early, 1)).sqrt()


@PAPER.bound(
    source="the lemma behind the regret bound, for the ranking rule",
    fidelity="derived",
    evidence="certified",
    family=(HARD, MARKETS, CROSSED, LOWERED),
    method="runs with prescribed rewards, every comparison of confidence bounds decided; the hard market attains .998 of the bound",
    hypotheses=GOOD,
    not_established="the paper's own rule may differ from the ranking rule; random rewards (see stable-regret-bound)",
)
def blocking_pull_cap(m, T, rewards, *, constant=96, rule="ranking"):
    r"""Inside the confidence intervals $|\hat\mu_{ij} - \mu_{ij}| \le \sqrt{6\ln T/n_{ij}}$, in every round whose matching $m_t$ is unstable each blocking player $i$ has
    pulled its arm at most $L = 96\ln T/\Delta^2$ times before, $\Delta$ the least nonzero gap of a player's utilities.
    """
    found = run(m, T, rewards, rule=rule)
    yield "good event", le(lambda: inside(m, T, rewards))
    yield "count", le(lambda: (arb(found.cap), least_count(m, T, constant)))


blocking_pull_cap.mutant("constant 48", constant=48, on="hard market", breaks="count")
blocking_pull_cap.mutant("constant 95", constant=95, on="hard market", breaks="count")
blocking_pull_cap.mutant("only incumbent and newcomer are compared", rule="pairs", on="lowered samples", breaks="count")
blocking_pull_cap.mutant("the most pulled arm first", rule="most", on="crossed market", breaks="count")


@PAPER.bound(
    source="O(NK log T / Delta^2) of the abstract, counted in rounds",
    fidelity="derived",
    evidence="certified",
    family=(HARD, MARKETS, CROSSED, LONG),
    method="the same runs; one pair of four is active in the hard market, so 1/4 of the bound is its maximum (.2496 reached)",
    hypotheses=GOOD,
)
def unstable_rounds(m, T, rewards, *, constant=96, pairs=True, rule="ranking"):
    r"""Inside the confidence intervals the number of rounds $t \le T$ with an unstable matching is at most $NK(L + 1)$."""
    found = run(m, T, rewards, rule=rule)
    yield "good event", le(lambda: inside(m, T, rewards))
    factor = m.players * m.arms if pairs else 1
    yield "rounds", le(lambda: (arb(found.unstable), factor * (least_count(m, T, constant) + 1)))


unstable_rounds.mutant(
    "only incumbent and newcomer are compared", rule="pairs", on="lowered samples, long", breaks="rounds"
)
unstable_rounds.mutant("the most pulled arm first", rule="most", on="crossed market", breaks="rounds")
unstable_rounds.mutant("constant 95 without the factor NK", constant=95, pairs=False, on="hard market", breaks="rounds")
