"""Regret against the worst stable partner: the bound, and its exponents on explicit markets."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from flint import arb, fmpq

from theorems import Booleans, ByBudget, Choices, Integers, Q, curve, le, symbols
from theorems.papers.matching_bandits.algorithm import Prescribed, Run, run, settled
from theorems.papers.matching_bandits.instances import (
    CROSSED,
    EXPLICIT,
    GOOD,
    HARD,
    MARKETS,
    PERCENT,
    least_count,
    near,
)
from theorems.papers.matching_bandits.markets import Market, hard, market, serial, wide
from theorems.papers.matching_bandits.paper import PAPER

ONE, HALF = Q(1), Q(1, 2)
TIED = PAPER.family(
    "indifferent arms",
    m=Choices(market([[".9", ".1"], [".9", ".1"]], [[0, 0], [0, 0]])),
    T=Choices(10_000),
    rewards=Choices(Prescribed()),
    every=True,
)


@PAPER.bound(
    source="the regret bound (order of the abstract), constants derived for the ranking rule",
    fidelity="derived",
    evidence="certified",
    family=(TIED, HARD, MARKETS, CROSSED, EXPLICIT),
    method="path by path on the good event, with exact counts; the complement of the good event by a union bound over counts",
    hypotheses=GOOD + "; in expectation: 1-sub-Gaussian noise",
    not_established="sharpness of the constant (the largest ratio here is 1/4)",
    rests_on=(
        "outside of the good event, of probability at most 2NK/T^2, a player loses at most mu T <= T",
        "in a stable round a player has at least its worst stable partner, so only unstable rounds add regret",
    ),
)
def stable_regret_bound(m, T, rewards, *, benchmark="worst", rule="ranking"):
    r"""Let $\mathrm{Reg}_i(T) = \sum_t(\mu_{i,m_i} - \mu_{i,m_t(i)})$ with $\mu_{i,m_i}$ the worst stable partner's utility. On the good event
    $\mathrm{Reg}_i(T) \le \mu_{i,m_i}\,\#\{\text{unstable rounds}\} \le \mu_{i,m_i} NK(L+1)$, so that
    $\mathbb{E}\,\mathrm{Reg}_i(T) \le \mu_{i,m_i}NK\big(\frac{96\ln T}{\Delta^2} + 1\big) + \frac{2NK}{T}$ for every player.
    """
    found = settled(m, T, rewards, rule)
    against = m.worst if benchmark == "worst" else m.best
    regrets = [found.regret(m, i, against) for i in range(m.players)]
    yield "by unstable rounds", le(regrets, [v * found.unstable for v in against])
    yield (
        "by the horizon",
        le(lambda: (regrets, [arb(v) * m.players * m.arms * (least_count(m, T) + 1) for v in against])),
    )


@stable_regret_bound.proof("good event", covers="all N, K, T >= 1")
def _good_event(*, power=3):
    """A count fails with probability at most 2 exp(-n w^2/2) = 2 T^{-3}; there are NK pairs and T counts."""
    N, K, T = symbols("N K T", lower=1)
    yield le(N * K * T * 2 / T**power, 2 * N * K / T**2)


@stable_regret_bound.crosscheck(
    "Gaussian rewards",
    domain={"seed": Integers(0, 10**6), "D": Choices(HALF, Q(4, 5)), "indifferent": Booleans()},
    quick=3,
    full=20,
)
def _gaussian(seed, D, indifferent):
    """Unit Gaussian noise; regrets from counts, path by path."""
    import numpy as np

    m = wide(3, D) if indifferent else hard(D)
    found = run(m, 2000, noise=np.random.default_rng(seed))
    return [found.regret(m, i) for i in range(2)], [v * found.unstable for v in m.worst]


stable_regret_bound.mutant("the best stable partner as benchmark", benchmark="best", on="indifferent arms")
stable_regret_bound.mutant("the most pulled arm first", rule="most", on="crossed market", breaks="by the horizon")
stable_regret_bound.mutant("a failure probability of T^{-2} at each count", power=2, breaks="good event")


@lru_cache(maxsize=64)
def noiseless(m: Market, T: int, constant: int = 6) -> Run:
    """The deterministic run whose rewards are the utilities."""
    return run(m, T, Prescribed(), constant=constant)


def last_regret(m: Market, T: int, player: int, constant: int = 6) -> fmpq:
    """A player's regret with noiseless rewards, exactly."""
    return noiseless(m, T, constant).regret(m, player)


def scaled(regret: Any, D: fmpq, T: int) -> arb:
    """Reg D^2 / ln T."""
    return arb(regret) * arb(D) ** 2 / arb(T).log()


def exploration(D: fmpq, T: int) -> arb:
    """24 ln T/D^2, the pulls after which arms of gap D are told apart."""
    return 24 * arb(T).log() / arb(D) ** 2


@PAPER.rate(
    source="exponents of N, K, log T and Delta in the bound, attained on explicit markets",
    fidelity="derived",
    evidence="certified",
    domain={
        "D": ByBudget(quick=Choices(Q(4, 5), Q(3, 5), Q(2, 5)), full=Choices(Q(4, 5), Q(2, 5), Q(1, 5))),
        "T": ByBudget(quick=Choices(4000, 1000), full=Choices(40_000, 16_000)),
    },
    where=lambda D, T: bool(arb(T) > 2 * exploration(D, T)),
    every=True,
    part="constant of the hard market",
    method="noiseless rewards: runs are deterministic, and every comparison is decided, so counts and regrets are exact",
    hypotheses="the ranking rule; noiseless rewards, which are sub-Gaussian; horizons of at least twice the exploration time 24 ln T/D^2",
)
def regret_rates(D, T, *, radius=6, predicted=24):
    r"""With noiseless rewards: (a) on the hard market $\mathrm{Reg}_1(T)\,\Delta^2/\ln T$ is $24 \cdot 0.8$ to within 1 %: exponent $-2$ in $\Delta$, 1 in
    $\ln T$; (b) on the
    serial market of $N$ players, $15 \le \mathrm{Reg}_{N-1} D^2/((N-1)\ln T) \le 24.1$: linear in $N$; (c) on the wide market with an indifferent player the
    number of unstable rounds is $(K-1)\,24\ln T/D^2$ to within 1 %: linear in $K$.
    """
    regret = last_regret(hard(D), T, 1, radius)
    yield from near(lambda: scaled(regret, D, T), predicted * Q(4, 5), PERCENT)


@regret_rates.check("exponents", domain={"T": ByBudget(quick=Choices(4000), full=Choices(40_000))}, every=True)
def _exponents(T, *, exponent=2, horizon="log"):
    """Local slopes in the gap and in ln T on the hard market."""
    wide_gap, narrow = Q(4, 5), Q(2, 5)
    ratio = Q(last_regret(hard(narrow), T, 1)) / last_regret(hard(wide_gap), T, 1)
    for side in near(lambda: arb(ratio).log() / arb(2).log(), exponent, PERCENT):
        yield "exponent of the gap", side
    late = Q(last_regret(hard(wide_gap), 4 * T, 1)) / last_regret(hard(wide_gap), T // 4, 1)
    growth = {"log": arb(4 * T).log() / arb(T // 4).log(), "root": arb(4)}[horizon]
    for side in near(lambda: arb(late) / growth, 1, PERCENT):
        yield "growth in the horizon", side


@regret_rates.check("players", domain={"N": ByBudget(quick=Choices(2, 3, 4), full=Choices(2, 3, 4, 5))}, every=True)
def _players(N, *, linear=True):
    T = 12_000
    regret = last_regret(serial(N, HALF), T, N - 1)
    per = lambda: scaled(regret, HALF, T) / (N - 1 if linear else 1)  # noqa: E731
    yield "linear in N", le(lambda: (15, per()))
    yield "linear in N", le(lambda: (per(), Q(241, 10)))


@regret_rates.check("arms", domain={"K": ByBudget(quick=Choices(2, 3, 4), full=Choices(2, 3, 4, 6))}, every=True)
def _arms(K, *, linear=True):
    T = 12_000
    rounds = noiseless(wide(K, HALF), T).unstable
    for side in near(lambda: scaled(rounds, HALF, T) / (K - 1 if linear else 1), 24, PERCENT):
        yield "linear in K", side
    if K == 2:
        shown = (2, 3, 4)
        counts = [noiseless(wide(k, HALF), T).unstable for k in shown]
        yield curve(
            "Unstable rounds of the wide market", shown, counts, mark="dots", series="runs", axes=("K", "rounds")
        )
        line = [(k - 1) * exploration(HALF, T) for k in shown]
        yield curve("Unstable rounds of the wide market", shown, line, series="(K - 1) 24 ln T / D^2")


regret_rates.mutant("exponent -1 in the gap", exponent=1, breaks="exponent of the gap")
regret_rates.mutant("exponent -1.9 in the gap", exponent=Q(19, 10), breaks="exponent of the gap")
regret_rates.mutant("radius sqrt(3 ln T/n) with the constant 24", radius=3, breaks="constant of the hard market")
regret_rates.mutant("the constant 25", predicted=25, breaks="constant of the hard market")
regret_rates.mutant("growth like sqrt T", horizon="root", breaks="growth in the horizon")
regret_rates.mutant("independent of N", linear=False, breaks="linear in N")
regret_rates.mutant("independent of K", linear=False, breaks="linear in K", on="arms")
