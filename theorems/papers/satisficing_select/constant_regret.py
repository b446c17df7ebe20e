"""Constant satisficing regret when the threshold can be met: finitely many arms, and a continuum of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import fmpq

from theorems import ByBudget, Choices, Q, prob_le
from theorems.papers.satisficing_select.algorithm import (
    HALF,
    PAPERS_RULES,
    TWO_THIRDS,
    Floats,
    Oracle,
    Rules,
    Schedule,
    arms,
    discretised,
    losses,
    select,
)
from theorems.papers.satisficing_select.paper import PAPER

FROM = 2**14
UNTIL = ByBudget(quick=Choices(2**16), full=Choices(2**18))
RUNS = ByBudget(quick=Choices(120), full=Choices(400))
METHOD = (
    "runs of SELECT with a UCB oracle (index mean + sqrt(4 ln t_i/n)) and unit Gaussian noise; the event that a run has any "
    "satisficing regret after 2^14 pulls, decided by exact binomial bounds at a fixed number of runs"
)
NOT_ESTABLISHED = (
    "no bound on the mean after 2^14: one late restart of a bad candidate costs up to g times the rest of the run, so a mean of "
    "few runs says nothing; pulls after the last checkpoint; that constancy beats a logarithm at moderate T (it need not)"
)


def late_regret(oracle: Oracle, schedule: Schedule, S: float, until: int, rules: Rules) -> Callable[[Any], bool]:
    """The event of any satisficing regret between 2^14 and the last checkpoint."""

    def event(rng: Any) -> bool:
        before, after = losses(
            select(oracle, schedule, S, until, rng, rules), S, (FROM, until), satisficing=True
        ).tolist()
        return after > before  # event

    return event


FAR = PAPER.family(
    "clear-gaps",
    instance=ByBudget(
        quick=Choices((Q(1), Q(1), 2), (Q(1, 2), Q(1, 2), 2)),
        full=Choices((Q(1), Q(1), 2), (Q(1, 2), Q(1, 2), 2), (Q(1, 2), Q(1, 2), 4)),
    ),
    until=UNTIL,
    runs=RUNS,
    every=True,
)
NEAR = PAPER.family("near-threshold", instance=Choices((Q(1, 2), Q(1, 20), 2)), until=UNTIL, runs=RUNS, every=True)


@PAPER.rate(
    source="headline: constant satisficing regret in the realizable case; Theorem 1 with finitely many arms",
    fidelity="paper",
    evidence="statistical",
    family=(FAR, NEAR),
    method=METHOD,
    hypotheses="K arms of means Delta, -g, ..., -g and S = 0, with (Delta, g, K) = `instance`; Delta > 0",
    not_established=NOT_ESTABLISHED,
)
def select_constant_regret(instance, until, runs, *, rules=PAPERS_RULES):
    r"""If the best mean exceeds $S$ by $\Delta > 0$, then $\sup_T \mathrm{SatReg}(T) < \infty$ for SELECT ($t_i = T_i = 4^i$): past the
    time scale of the first surviving candidate (about the first $i$ with $4\sqrt{\ln T_i/T_i} \le \Delta$) there is no
    more regret. Tested: $P(\text{a run has satisficing regret between } 2^{14} \text{ and the last checkpoint}) \le 0.03$.
    """
    Delta, g, K = instance
    oracle = arms([float(Delta), *[-float(g)] * (K - 1)])
    yield prob_le(late_regret(oracle, HALF, 0.0, until, rules), Q(3, 100), fixed=runs, within=Q(1, 10))


select_constant_regret.mutant("no test: the first candidate is kept", rules=Rules(test="none"))
select_constant_regret.mutant("no forced sampling", rules=Rules(forced=False), on="near-threshold")
select_constant_regret.mutant("test on the upper confidence bound", rules=Rules(test="upper"), on="near-threshold")


def peak(top: fmpq, slope: fmpq, power: int, at: fmpq) -> Callable[[Floats], Floats]:
    """r(x) = top - slope |x - at|^power."""
    a, b, c = float(top), float(slope), float(at)
    return lambda x: a - b * abs(x - c) ** power


# Name: (r(x), S, exceeding gap). The first two are Lipschitz, the third concave.
LANDSCAPES = {
    "3/2 - 4|x - 3/10|, S = 1/2": (peak(Q(3, 2), Q(4), 1, Q(3, 10)), Q(1, 2)),
    "6/5 - 3|x - 3/10|, S = 3/10": (peak(Q(6, 5), Q(3), 1, Q(3, 10)), Q(3, 10)),
    "3/2 - 6(x - 3/5)^2, S = 1/2": (peak(Q(3, 2), Q(6), 2, Q(3, 5)), Q(1, 2)),
}
FIRST, SECOND, CONCAVE = LANDSCAPES


@PAPER.rate(
    source="headline for infinite arm sets: Lipschitz and concave bandits, where the least satisficing gap is 0",
    fidelity="paper",
    evidence="statistical",
    domain={
        "r": ByBudget(quick=Choices(FIRST, CONCAVE), full=Choices(FIRST, SECOND, CONCAVE)),
        "until": UNTIL,
        "runs": RUNS,
    },
    every=True,
    method=METHOD + ". The oracle draws u uniformly and plays UCB on the ceil(t^{1/3}) arms (j + u)/M",
    hypotheses="arms x in [0, 1], mean r(x) as named, exceeding gap at least 9/10 (with smaller ones the plateau starts later)",
    not_established=NOT_ESTABLISHED + "; the concave corollary's own rate (its oracle is another one)",
)
def select_continuum_constant_regret(r, until, runs, *, rules=PAPERS_RULES):
    r"""Arms $x \in [0, 1]$ with a Lipschitz mean $r(x)$ and $\max r - S = \Delta > 0$: SELECT with a discretising oracle
    ($\alpha = 2/3$: $t_i = \lceil 2^{3i/2} \rceil$, $T_i = 2^i$) has bounded satisficing regret, although arms with $r(x) < S$
    lie arbitrarily close to the threshold. Tested:
    $P(\text{a run has satisficing regret between } 2^{14} \text{ and the last checkpoint}) \le 0.05$.
    """
    mean, S = LANDSCAPES[r]
    yield prob_le(
        late_regret(discretised(mean), TWO_THIRDS, float(S), until, rules), Q(5, 100), fixed=runs, within=Q(1, 8)
    )


select_continuum_constant_regret.mutant("no test: the first candidate is kept", rules=Rules(test="none"))
select_continuum_constant_regret.mutant("no forced sampling", rules=Rules(forced=False))
