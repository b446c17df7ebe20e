"""When no arm reaches the threshold, SELECT is not worse than its oracle: the rate of standard regret stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, fmpq

from theorems import ByBudget, Choices, Q, mean_le
from theorems.papers.satisficing_select.algorithm import HALF, PAPERS_RULES, Rules, arms, losses, select
from theorems.papers.satisficing_select.paper import PAPER

BELOW = (Q(1, 2), Q(0)), Q(4, 5)  # means and S
ROOT = Q(1, 2)
JUST_BELOW = (Q(1, 2), Q(2, 5), Q(0)), Q(11, 20)  # S just above the best arm: tests last longest


def regrets(means: tuple[fmpq, ...], S: fmpq, Ts: tuple[int, ...], rules: Rules) -> Callable[[Any], list[float]]:
    """The standard regret of one run at increasing times."""
    oracle = arms([float(m) for m in means])
    best = float(max(means))
    return lambda rng: losses(select(oracle, HALF, float(S), Ts[-1], rng, rules), best, Ts, satisficing=False).tolist()


@PAPER.rate(
    source="Theorem 2 (the non-realizable case), with UCB as the oracle; explicit constants",
    fidelity="derived",
    evidence="statistical",
    domain={
        "instance": Choices(BELOW, JUST_BELOW),
        "T": ByBudget(quick=Choices(2**12, 2**10), full=Choices(2**16, 2**14, 2**12, 2**10, 2**8)),
    },
    every=True,
    part="regret",
    method="runs of SELECT with a UCB oracle (index mean + sqrt(4 ln t_i/n)) and unit Gaussian noise; regrets lie in [0, T/2], so "
    "means have betting confidence sequences. The slope of log means over three sizes T, 4T, 16T is that of the outer two, so "
    "slope < 3/4 says E Reg(16 T) < 8 E Reg(T): one paired mean",
    hypotheses="K arms of the given means (at most 1/2), S above all of them: `instance` = (means, S)",
    not_established="the power of the logarithm; that the slope tends to 1/2 (it is 0.3 to 0.6 here)",
)
def select_nonrealizable(instance, T, *, rules=PAPERS_RULES, power=ROOT):
    r"""If $\max r < S$, SELECT's standard regret is of its oracle's order, $O(\sqrt T\,\mathrm{polylog}\, T)$. Encoded for $K$ arms and the
    UCB oracle as $\mathrm{Reg}(T) \le 2\sqrt{K T \ln T}$ at every checkpoint, and a log-log slope below 3/4 over two octave pairs.
    """
    means, S = instance
    run = regrets(means, S, (T,), rules)
    bound = 2 * (arb(len(means) * T) * arb(T).log()) ** arb(power)
    yield mean_le(lambda rng: run(rng)[0], bound, support=(0, Q(T, 2)), within=Q(T, 20))


@select_nonrealizable.check(
    "slope",
    domain={
        "instance": ByBudget(quick=Choices(BELOW), full=Choices(BELOW, JUST_BELOW)),
        "T": ByBudget(quick=Choices(2**8), full=Choices(2**10)),
    },
    every=True,
)
def _slope(instance, T, *, rules=PAPERS_RULES):
    """E [Reg(16 T) - 16^{3/4} Reg(T)] <= 0."""
    means, S = instance
    run = regrets(means, S, (T, 16 * T), rules)

    def contrast(rng: Any) -> float:
        early, late = run(rng)
        return late - 8 * early

    yield mean_le(contrast, 0, support=(-Q(7 * T, 2), Q(15 * T, 2)), within=Q(11 * T, 10))


select_nonrealizable.mutant("commit to the first candidate", rules=Rules(test="none"), breaks="regret")
select_nonrealizable.mutant("commit to the first candidate (slope)", rules=Rules(test="none"), breaks="slope")
select_nonrealizable.mutant("exponent 1/4 in the bound", power=Q(1, 4), breaks="regret")
