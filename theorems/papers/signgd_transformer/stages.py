"""Four stages in their order, and attention that dies faster than exponentially, the noise query's first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from theorems import ByBudget, Choices, Q, prob_ge
from theorems.papers.signgd_transformer.paper import PAPER
from theorems.papers.signgd_transformer.training import Floats, Path, Setting, path

DEFAULT = Setting()
SEEDS = ByBudget(quick=Choices((32, Q(1, 2))), full=Choices((60, Q(7, 10))))
CLEAR = 0.1  # a neuron's vote is clear when |sum| is at least this share of the sum of the weights
NEVER = 10**9
METHOD = "simulated training of many seeds (sums over supports exact, so that untouched coordinates stay put), exact binomial bounds on the share of seeds"


@dataclass(frozen=True)
class Vote:
    """How the signs of the signal's neurons are predicted; the defaults are the statement.

    Attributes:
        time: "2 T2" or "start": when the noise keys vote.
        labelled: whether votes are multiplied by labels.
        key_sign: the claimed sign of kmu is key_sign * beta.
    """

    time: str = "2 T2"
    labelled: bool = True
    key_sign: int = -1


TRUE_VOTE = Vote()


@dataclass(frozen=True)
class Stages:
    """First passage times of one run, and the lowest and last alignment between T3 and T5."""

    times: tuple[int, int, int, int, int]
    lowest: float
    last: float


def first(condition: Any, t: Floats) -> int:
    """The first recorded time after 0 at which a condition holds."""
    places = np.flatnonzero(condition[1:])
    return int(t[places[0] + 1]) if places.size else NEVER


def stages(run: Path, b: int, vote: Vote) -> Stages:
    """First passage times of run b of a batch."""
    y, t = run.data.y, run.t
    qn, kn = run.qn[:, b].astype(float), run.kn[:, b].astype(float)
    T1 = first((run.v2[:, b] > run.v1[:, b]).all(axis=1), t)
    alignment = (qn == kn).mean(axis=(1, 2))
    T2 = first(alignment >= 0.99, t)  # event
    if T2 == NEVER:
        return Stages((T1, NEVER, NEVER, NEVER, NEVER), 1.0, 0.0)
    ballot = kn[
        0 if vote.time == "start" else min(T2, len(t) - 1)
    ]  # records are two steps apart: record T2 is time 2 T2
    weight = run.data.l1[b] * (run.data.l1[b] - 1)
    total = ((y * weight if vote.labelled else weight)[:, None] * ballot).sum(axis=0)
    beta, clear = np.sign(total), np.abs(total) >= CLEAR * weight.sum()  # event
    signal = (run.qmu[:, b] == beta) & (run.kmu[:, b] == vote.key_sign * beta)
    T3 = first(signal[:, clear].all(axis=1), t)
    wanted = y[:, None] * beta[None, clear]
    T4 = first((kn[:, :, clear] == wanted).mean(axis=(1, 2)) >= 0.99, t)  # event
    T5 = first((qn[:, :, clear] == wanted).mean(axis=(1, 2)) >= 0.99, t)  # event
    between = alignment[(t >= T3) & (t <= T5)]
    lowest, last = (float(between.min()), float(between[-1])) if between.size else (1.0, 0.0)
    return Stages((T1, T2, T3, T4, T5), lowest, last)


@lru_cache(maxsize=32)
def all_stages(batch: int, seed: int, vote: Vote) -> tuple[Stages, ...]:
    """First passage times of a batch of runs."""
    run = path(DEFAULT, batch, seed)
    return tuple(stages(run, b, vote) for b in range(batch))


def in_order(batch: int, vote: Vote, order: str) -> Callable[[Any], Any]:
    """The event that the times are ordered and spaced as claimed."""

    def passes(s: Stages) -> bool:
        T1, T2, T3, T4, T5 = s.times
        if order == "4 before 3":
            return T1 < T2 < T4 < T3 < T5
        spaced = T2 >= 2 * T1 and 5 * T3 >= 6 * T2 and T4 >= 4 * T3 and 8 * T4 <= 5 * T5 and 5 * T5 <= 11 * T4
        dip = s.lowest < 0.7 and s.last >= 0.97  # event
        return T1 < T2 < T3 < T4 < T5 < NEVER and spaced and dip

    def event(rng: Any) -> Any:
        return np.array([passes(s) for s in all_stages(batch, int(rng.integers(2**62)), vote)])

    return event


@PAPER.transition(
    source="abstract: four stages of the training dynamics; their order as recalled",
    fidelity="derived",
    evidence="statistical",
    domain={"seeds": SEEDS},
    every=True,
    part="order",
    method=METHOD,
    hypotheses="n = 20, d = 2000, s = 20, noise 2, widths 20, eta = 1e-4, initial scale 0.1/sqrt d; checked every second step",
    not_established="other sizes (T4 and T5 depend on n and the width); neurons with nearly tied votes, which settle late",
)
def four_stage_order(seeds, *, vote=TRUE_VOTE, order="as stated") -> Iterator[Any]:
    r"""Let $qn_{i,h}, kn_{i,h}$ be the products of query and key weights with $\xi_i$, $qmu_h, kmu_h$ those with $\mu$. First times $T_1 < T_2 < T_3 < T_4 < T_5$ exist: $T_1$:
    $v_{2,i} > v_{1,i}$ for all $i$; $T_2$: $\mathrm{sgn}\, qn = \mathrm{sgn}\, kn$ for 99 % of the pairs; $T_3$: for all neurons with a clear vote $\mathrm{sgn}\, qmu_h = \beta_h$,
    $\mathrm{sgn}\, kmu_h = -\beta_h$, $\beta_h = \mathrm{sgn} \sum_i y_i\, \mathrm{sgn}(kn_{i,h}(2T_2)) \|\xi_i\|_1 (\|\xi_i\|_1 - 1)$ (clear: at least a tenth of the sum of the weights);
    $T_4$: $\mathrm{sgn}\, kn_{i,h} = y_i \beta_h$ for 99 % of the pairs with a clear $h$; $T_5$: the same for $qn$. With probability at least $0.7$: $T_2 \ge 2 T_1$, $T_3 \ge 1.2
    T_2$, $T_4 \ge 4 T_3$, $1.6 \le T_5/T_4 \le 2.2$, and alignment falls below $0.7$ between $T_3$ and $T_5$ and is back at $0.97$ at $T_5$.
    """
    batch, least = seeds
    yield "order", prob_ge(in_order(batch, vote, order), least, fixed=batch, within=Q(7, 10))


four_stage_order.mutant("the vote is taken at the start", vote=Vote(time="start"))
four_stage_order.mutant("the vote ignores labels", vote=Vote(labelled=False))
four_stage_order.mutant("keys take the sign +beta", vote=Vote(key_sign=1))
four_stage_order.mutant("stage 4 before stage 3", order="4 before 3")


def decays(batch: int, exponents: tuple[float, float], swapped: bool) -> Callable[[Any], Any]:
    """The events that -log S grows with an exponent in range, and that the noise query's attention dies first."""
    low, high = exponents

    def event(rng: Any) -> Any:
        run = path(DEFAULT, batch, int(rng.integers(2**62)))
        at = {t: t // DEFAULT.every for t in (300, 400, 600, 800, 1000)}
        noise, signal = np.median(run.S21, axis=2), np.median(run.S11, axis=2)
        a = np.log(noise[at[800]] / noise[at[400]]) / np.log(2)
        c = np.log(signal[at[1000]] / signal[at[600]]) / np.log(1000 / 600)
        early = [np.exp(-S[at[300]]) for S in (run.S21, run.S11)]
        small, large = early[::-1] if swapped else early
        first_ = (small.max(axis=1) < 0.01) & (large.min(axis=1) > 0.3)  # event
        return (a > low) & (a < high) & (c > low) & (c < high) & first_

    return event


@PAPER.rate(
    source="abstract: softmax outputs decay exponentially, as recalled: the noise query's first",
    fidelity="derived",
    evidence="statistical",
    domain={"seeds": SEEDS},
    every=True,
    method=METHOD + "; exponents between two times",
    hypotheses="as for `four-stage-order`",
    not_established="exponents after t = 1000",
)
def softmax_decay(seeds, *, exponents=(1.7, 2.6), swapped=False) -> Iterator[Any]:
    r"""The medians over samples of $-\log S_{2,1}(t)$ (noise query on the signal; $t = 400$ to 800) and $-\log S_{1,1}(t)$ (signal query on the signal; 600 to 1000) grow like
    $t^a$, $a \in [1.7, 2.6]$ (faster than exponential decay), and at $t = 300$ all $S_{2,1} < 0.01$ while all $S_{1,1} > 0.3$, with probability at least $0.7$.
    """
    batch, least = seeds
    yield "main", prob_ge(decays(batch, exponents, swapped), least, fixed=batch, within=Q(7, 10))


softmax_decay.mutant("plain exponential decay", exponents=(0.6, 1.5))
softmax_decay.mutant("exponent 1/2", exponents=(0.3, 0.8))
softmax_decay.mutant("cubic", exponents=(2.7, 3.3))
softmax_decay.mutant("the two queries exchanged", swapped=True)
