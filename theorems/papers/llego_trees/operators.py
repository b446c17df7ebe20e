"""The variation operators as exponential families: what the target fitness and the temperature do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from flint import arb, arb_series, fmpq

from theorems import Arrays, Choices, Given, Integers, Q, eq, le, lt, symbols
from theorems.papers.llego_trees.paper import PAPER

CLOSE = Q(1, 10**25)
ONE = Q(1)
ALPHAS = (Q(1, 10), Q(-1, 2), Q(0), Q(1, 2))


def series(value: Any, slope: Any) -> arb_series:
    """value + slope * epsilon, to first order."""
    return arb_series([arb(value), arb(slope)], prec=2)


def weighted_mean(weights: Sequence[arb_series], values: Sequence[Any]) -> arb_series:
    """sum w v / sum w."""
    total = sum(weights[1:], weights[0])
    return sum((w * arb(v) for w, v in zip(weights[1:], values[1:])), weights[0] * arb(values[0])) / total


def moments(weights: Sequence[arb_series], values: Sequence[Any]) -> tuple[arb_series, arb]:
    """The mean as a series, and the variance."""
    mean = weighted_mean(weights, values)
    second = weighted_mean(weights, [v * v for v in values])
    return mean, second[0] - mean[0] * mean[0]


@PAPER.identity(
    source="the crossover's target fitness (as implemented); its effect derived for the exact generator",
    fidelity="derived",
    evidence="certified",
    domain={
        "levels": Integers(2, 8),
        "counts": Given(lambda levels: Arrays(Integers(1, 500), (levels,))),
        "fits": Given(lambda levels: Arrays(Integers(1, 60), (levels,))),
        "drawn": Given(lambda levels: Arrays(Integers(1, 60), (4,))),
        "alpha": Choices(*ALPHAS),
        "s": Choices(Q(1, 10), Q(1, 50), Q(1)),
    },
    where=lambda fits, drawn: len(set(fits)) > 1 and len(set(drawn)) > 1,
    accept=0.3,
    quick=24,
    full=400,
    method="power series in balls to first order in alpha; the roulette identity in symbols",
    hypotheses="generator weights prior(o) exp(-(fit(o) - f*)^2/(2 s^2)), grouped by fitness; parents of positive fitness, not all equal",
)
def fitness_guided_crossover(counts, fits, drawn, alpha, s, *, power=2, moved=1):
    r"""(a) $f^\star(\alpha) = f_{\max} + \alpha(f_{\max} - f_{\min})$ is $f_{\min}$ at $-1$, $f_{\max}$ at $0$. (b) With offspring weights
    $\mathrm{prior}(o)\exp(-(\mathrm{fit}(o) - f^\star)^2/(2s^2))$, $$\frac{d}{d\alpha}\mathbb{E}[\mathrm{fit}] = (f_{\max} - f_{\min})\frac{\mathrm{Var}(\mathrm{fit})}{s^2}
    \ge 0.$$ (c) For the first parent drawn proportionally to fitness, $\mathbb{E}_{sel} f - \bar f = \mathrm{Var} f/\bar f$.
    """
    f = [fmpq(int(v), 60) for v in fits]
    best, worst = fmpq(int(max(drawn)), 60), fmpq(int(min(drawn)), 60)
    yield "target", eq([target(best, worst, a) for a in (-1, 0)], [worst, best])

    def means(at: fmpq) -> tuple[arb_series, arb]:
        aim = series(target(best, worst, at), (best - worst) * moved)
        weights = [(-(aim - arb(v)) * (aim - arb(v)) / (2 * arb(s * s))).exp() * int(c) for c, v in zip(counts, f)]
        return moments(weights, f)

    def slope() -> tuple[arb, arb]:
        mean, variance = means(alpha)
        return mean[1], (best - worst) * variance / arb(s) ** power

    yield "derivative", eq(slope, within=CLOSE)
    yield "increases", lt(lambda: (means(alpha)[0][0], means(alpha + Q(1, 100))[0][0]))


def target(best: fmpq, worst: fmpq, alpha: Any) -> fmpq:
    """f*(alpha)."""
    return best + alpha * (best - worst)


@fitness_guided_crossover.proof("roulette", covers="populations of 2 to 8 positive fitnesses")
def _roulette(*, divided=True):
    for n in range(2, 9):
        f = symbols(f"f:{n}", positive=True)
        mean = sum(f) / n
        variance = sum(v**2 for v in f) / n - mean**2
        yield eq(sum(v**2 for v in f) / sum(f) - mean, variance / mean if divided else variance)


fitness_guided_crossover.mutant("Var/s in place of Var/s^2", power=1, breaks="derivative")
fitness_guided_crossover.mutant("Var without the division by the mean", divided=False, breaks="roulette")
fitness_guided_crossover.mutant("alpha moves the target 5 % less", moved=Q(19, 20), breaks="derivative")
fitness_guided_crossover.mutant("alpha has no effect", moved=0, breaks="derivative")


def shaped(drawn: Sequence[int], shape: str) -> tuple[int, ...]:
    """Losses as drawn, within 30 of each other, or one of 3000 against the others close to 0."""
    return {
        "drawn": tuple(drawn),
        "close": tuple(int(v) % 30 for v in drawn),
        "one apart": (3000, *range(len(drawn) - 1)),
    }[shape]


@PAPER.identity(
    source="the mutation's selection of unlikely candidates (as implemented); its effect derived",
    fidelity="derived",
    evidence="certified",
    domain={
        "K": Integers(3, 7),
        "drawn": Given(lambda K: Arrays(Integers(0, 3000), (K,))),
        "shape": Choices("drawn", "close", "one apart"),
        "loss": Given(lambda drawn, shape: shaped(drawn, shape)),
        "tau": Choices(Q(10), Q(1), Q(5), Q(50)),
    },
    where=lambda loss: len(set(loss)) == len(tuple(loss)),
    accept=0.3,
    quick=24,
    full=400,
    method="power series in balls to first order in the temperature; the limits by explicit bounds at tau/100, tau and 1000 tau, also for "
    "nearly equal candidates",
    hypotheses="K candidates of distinct log-likelihoods l = -1 - loss/100; the first candidate kept",
)
def diversity_guided_mutation(K, loss, tau, *, sign=1, power=2, rivals=ONE, share=ONE):
    r"""The first candidate kept has probabilities proportional to $e^{-l_k/\tau}$. Then $\frac{d}{d\tau}\mathbb{E}[l] = \mathrm{Var}(l)/\tau^2 \ge 0$ and
    $\frac{d}{d\tau} H = \mathrm{Var}(l)/\tau^3 \ge 0$ for the entropy $H$, so $\mathbb{E}[l]$ is at most the plain mean for every $\tau$;
    $|p_k - \frac1K| \le (e^{R/\tau} - 1)/K$ with $R = \max l - \min l$, and the least likely candidate has
    $p \ge 1 - (K-1)e^{-\Delta/\tau}$ with $\Delta$ its distance to the next one.
    """
    levels = [-1 - fmpq(int(v), 100) for v in loss]

    def weights(at: Any) -> list[arb_series]:
        heat = series(at, 1)
        return [(heat.inv() * arb(-sign * v)).exp() for v in levels]

    def slope() -> tuple[arb, arb]:
        mean, variance = moments(weights(tau), levels)
        return mean[1], variance / arb(tau) ** power

    def entropy() -> tuple[arb, arb]:
        found = weights(tau)
        total = sum(found[1:], found[0])
        shares = [w / total for w in found]
        H = -sum((p * p.log() for p in shares[1:]), shares[0] * shares[0].log())
        return H[1], moments(found, levels)[1] / arb(tau) ** (power + 1)

    yield "mean", eq(slope, within=CLOSE)
    yield "entropy", eq(entropy, within=CLOSE)
    yield "at most the plain mean", le(lambda: (weighted_mean(weights(tau), levels)[0], arb(sum(levels) / K)))
    least, second = sorted(levels)[:2]
    spread = max(levels) - least

    def probabilities(at: Any) -> list[arb]:
        found = [w[0] for w in weights(at)]
        return [w / sum(found, arb(0)) for w in found]

    def cold(at: fmpq) -> tuple[arb, arb]:
        others = [p for p, v in zip(probabilities(at), levels) if v != least]
        return sum(others, arb(0)), (K - 1) * arb(rivals) * (-arb(second - least) / arb(at)).exp()

    def hot(at: fmpq) -> tuple[list[arb], list[arb]]:
        away = [abs(p - arb(fmpq(1, K))) for p in probabilities(at)]
        return away, [arb(share) * ((arb(spread) / arb(at)).exp() - 1) / K] * K

    for at in (tau / 100, tau, tau * 1000):
        yield "towards the least likely", le(partial(cold, at))
        yield "towards uniform", le(partial(hot, at))


diversity_guided_mutation.mutant("likely candidates favoured", sign=-1, breaks="at most the plain mean")
diversity_guided_mutation.mutant("derivative Var/tau", power=1, breaks="mean")
diversity_guided_mutation.mutant("(K - 1) e^{-Delta/tau} less 5 %", rivals=Q(19, 20), breaks="towards the least likely")
diversity_guided_mutation.mutant("3/4 of (e^{R/tau} - 1)/K", share=Q(3, 4), breaks="towards uniform")
