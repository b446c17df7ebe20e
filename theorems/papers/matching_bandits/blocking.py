"""How long unstable matchings can last: counts of blocking players, inside the confidence intervals."""

from __future__ import annotations

from flint import arb

from theorems import le
from theorems.papers.matching_bandits.algorithm import settled
from theorems.papers.matching_bandits.instances import (
    CROSSED,
    EXPLICIT,
    GOOD,
    HARD,
    LONG,
    LOWERED,
    MARKETS,
    deviation,
    least_count,
)
from theorems.papers.matching_bandits.paper import PAPER


@PAPER.bound(
    source="the lemma behind the regret bound, for the ranking rule",
    fidelity="derived",
    evidence="certified",
    family=(HARD, MARKETS, CROSSED, EXPLICIT, LOWERED),
    method="runs with prescribed rewards, every comparison of confidence bounds decided; the hard market attains .998 of the bound",
    hypotheses=GOOD,
    not_established="the paper's own rule may differ from the ranking rule; random rewards (see stable-regret-bound)",
)
def blocking_pull_cap(m, T, rewards, *, constant=96, rule="ranking"):
    r"""Inside the confidence intervals $|\hat\mu_{ij} - \mu_{ij}| \le \sqrt{6\ln T/n_{ij}}$, in every round whose matching $m_t$ is unstable each blocking player $i$ has
    pulled its arm at most $L = 96\ln T/\Delta^2$ times before, $\Delta$ the least nonzero gap of a player's utilities.
    """
    found = settled(m, T, rewards, rule)
    yield "good event", le(lambda: deviation(T, rewards))
    yield "count", le(lambda: (arb(found.cap), least_count(m, T, constant)))


blocking_pull_cap.mutant("constant 48", constant=48, on="hard market", breaks="count")
blocking_pull_cap.mutant("constant 95", constant=95, on="hard market", breaks="count")
blocking_pull_cap.mutant("only incumbent and newcomer are compared", rule="pairs", on="lowered samples", breaks="count")
blocking_pull_cap.mutant("the most pulled arm first", rule="most", on="crossed market", breaks="count")


@PAPER.bound(
    source="O(NK log T / Delta^2) of the abstract, counted in rounds",
    fidelity="derived",
    evidence="certified",
    family=(HARD, MARKETS, CROSSED, EXPLICIT, LONG),
    method="the same runs, also pair by pair: the hard market attains .998 of the bound of a pair, and .2496 of that of all four, of which "
    "only one is ever active",
    hypotheses=GOOD,
    not_established="markets in which all NK pairs are active for L + 1 rounds",
)
def unstable_rounds(m, T, rewards, *, constant=96, pairs=True, rule="ranking"):
    r"""Inside the confidence intervals the number of rounds $t \le T$ with an unstable matching is at most $NK(L + 1)$: every player and arm are
    together at most $L + 1$ times while the player blocks.
    """
    found = settled(m, T, rewards, rule)
    yield "good event", le(lambda: deviation(T, rewards))
    factor = m.players * m.arms if pairs else 1
    yield "rounds", le(lambda: (arb(found.unstable), factor * (least_count(m, T, constant) + 1)))
    most = max(found.blocked.values(), default=0)
    yield "rounds of a pair", le(lambda: (arb(most), least_count(m, T, constant) + 1))


unstable_rounds.mutant(
    "only incumbent and newcomer are compared", rule="pairs", on="lowered samples, long", breaks="rounds"
)
unstable_rounds.mutant("the most pulled arm first", rule="most", on="crossed market", breaks="rounds")
unstable_rounds.mutant("constant 95 without the factor NK", constant=95, pairs=False, on="hard market", breaks="rounds")
unstable_rounds.mutant("constant 95", constant=95, on="hard market", breaks="rounds of a pair")
