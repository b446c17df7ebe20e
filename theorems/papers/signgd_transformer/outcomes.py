"""Fast training, poor generalisation, and Adam that does as SignGD does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from flint import arb

from theorems import ByBudget, Choices, Integers, Q, le, prob_ge
from theorems.papers.signgd_transformer.paper import PAPER
from theorems.papers.signgd_transformer.stages import METHOD
from theorems.papers.signgd_transformer.training import Floats, Path, Setting, path, tested, trained

LARGE = Setting(T=1000, every=100)
SMALL = Setting(n=10, d=600, s=12, width=10, eta=1.5e-4, T=700, every=100)
GD_STEP = 0.5
POINTS = 600
RATE, LEAST_ATTENTION = Q(188, 100), Q(47, 100)


@PAPER.bound(
    source="abstract: fast convergence",
    fidelity="derived",
    evidence="statistical",
    domain={"seed": ByBudget(quick=Integers(0, 1), full=Integers(0, 9))},
    every=True,
    part="loss",
    method="(i) loss, attention and bound in balls at the doubles of a simulated run; (ii) simulated training of many seeds, exact binomial bounds",
    hypotheses="as for `four-stage-order`; t <= 1000",
    rests_on=(
        "(i) S_{l,2} >= 0.47 and ||xi_i||_1 >= 1 give y f >= 0.94 (v1 + v2) - c_0 with the closed forms of v1, v2",
    ),
    not_established="(i) that the doubles are those of an exact run; that 0.47 is never undercut (the least attention of 200 other runs was 0.478; 0.49 is undercut in one run of six)",
)
def train_loss_exponential(seed, *, rate=RATE, least_attention=LEAST_ATTENTION) -> Iterator[Any]:
    r"""(i) $L(t) \le \frac1n \sum_i \log(1 + \exp(-(1.88\, \eta t (1 + \|\xi_i\|_1) - c_0)))$, $c_0 = 2 \max_i (|v_{i,1}(0)| + |v_{i,2}(0)|)$, as long as $S_{l,2} \ge 0.47$, which holds at
    all $t \le 1000$. (ii) $\frac1\eta \frac{d \log L}{dt}$ over $t = 500, \dots, 1000$ lies in $[-4 \max \|\xi\|_1, -2(1 + \min \|\xi\|_1)]$: geometric convergence, with probability at
    least $0.7$; under GD the loss falls like $1/t$.
    """
    run = path(LARGE, 1, seed)
    n = LARGE.n
    l1 = [arb(v) for v in run.data.l1[0].tolist()]
    c0 = 2 * arb(max((np.abs(run.v1[0, 0]) + np.abs(run.v2[0, 0])).tolist())) * (1 + arb(2) ** -40)
    eta = arb(Q(1, 10**4))
    losses, bounds, attention = [], [], []
    for r, t in enumerate(run.t.astype(int).tolist()):
        total = arb(0)
        for i in range(n):
            v1, v2 = arb(float(run.v1[r, 0, i])), arb(float(run.v2[r, 0, i]))
            S1 = [(-arb(float(S[r, 0, i]))).exp() for S in (run.S11, run.S21)]
            attention += [1 - s for s in S1]
            margin = sum((s * v1 + (1 - s) * v2 for s in S1), arb(0))
            total += (-margin).exp().log1p()
        losses.append(total / n)
        bounds.append(sum(((-(rate * eta * t * (1 + w) - c0)).exp().log1p() for w in l1), arb(0)) / n)
    yield "loss", le(losses, bounds)
    yield "attention", le(least_attention, attention)


def geometric(batch: int, rule: str, signal_only: bool) -> Callable[[Any], Any]:
    """The event that the slope of the log loss lies in the claimed interval."""

    def event(rng: Any) -> Any:
        setting = LARGE if rule == "sign" else replace(LARGE, rule="gd", eta=GD_STEP)
        run = path(setting, batch, int(rng.integers(2**62)))
        late = run.t >= 500  # event
        slope = np.polyfit(run.t[late], np.log(run.loss[late]), 1)[0] / setting.eta
        if signal_only:
            return np.abs(slope + 4) < 1  # event
        return (slope >= -4 * run.data.l1.max(axis=1)) & (slope <= -2 * (1 + run.data.l1.min(axis=1)))

    return event


SEEDS = ByBudget(quick=Choices((24, Q(1, 2))), full=Choices((40, Q(7, 10))))


@train_loss_exponential.check("geometric", domain={"seeds": SEEDS}, every=True)
def _geometric(seeds, *, rule="sign", signal_only=False):
    batch, least = seeds
    yield "geometric", prob_ge(geometric(batch, rule, signal_only), least, fixed=batch, within=Q(7, 10))


train_loss_exponential.mutant("twice the rate", rate=2 * RATE, breaks="loss")
train_loss_exponential.mutant("attention on noise never below one half", least_attention=Q(1, 2), breaks="attention")
train_loss_exponential.mutant("gradient descent converges geometrically", rule="gd", breaks="geometric")
train_loss_exponential.mutant("rate 4 eta, from the signal alone", signal_only=True, breaks="geometric")


@PAPER.bound(
    name="test-error-constant",
    source="abstract: poor generalisation on the noisy data set; theorem: constant test loss (as recalled)",
    fidelity="derived",
    evidence="statistical",
    domain={
        "size": ByBudget(quick=Choices("small"), full=Choices("small", "large")),
        "seeds": SEEDS,
    },
    every=True,
    method=METHOD + "; 600 fresh test points with supports anywhere, for each seed",
    hypotheses="large: as for `four-stage-order`, T = 1000; small: n = 10, d = 600, s = 12, widths 10, eta = 1.5e-4, T = 700; GD with step 1/2, same start and data",
    not_established="the test loss does not separate the optimisers (GD's is about 0.5, because its margins are small)",
)
def constant_test_error(size, seeds, *, rule="sign", norm=None, least_error=0.25) -> Iterator[Any]:
    r"""After training by SignGD the training loss is at most $10^{-3}$ (small: $5 \cdot 10^{-3}$), the attention on noise $S_{l,2}$ at least $0.9$ (small: $0.5$) for all training samples and both
    queries, yet the test loss is at least $0.1$ and the test error at least $0.25$, while plain GD has a test error of at most $0.2$ and at least $0.15$ below SignGD's;
    with probability at least $0.7$ over data and start.
    """
    batch, least = seeds
    setting = replace(SMALL if size == "small" else LARGE, norm=norm)
    top_loss, focus = (5e-3, 0.5) if size == "small" else (1e-3, 0.9)

    def event(rng: Any) -> Any:
        seed = int(rng.integers(2**62))
        run = path(setting, batch, seed) if rule == "sign" else path(gradient_descent(setting), batch, seed)
        error, loss = tested(setting if rule == "sign" else gradient_descent(setting), run, POINTS, seed)
        reference = path(gradient_descent(setting), batch, seed)
        gd_error, _ = tested(gradient_descent(setting), reference, POINTS, seed)
        on_noise = 1 - np.exp(-np.minimum(run.S11[-1].min(axis=1), run.S21[-1].min(axis=1)))
        fitted = (run.loss[-1] <= top_loss) & (on_noise >= focus)  # event
        poor = (loss >= 0.1) & (error >= least_error)  # event
        return fitted & poor & (gd_error <= 0.2) & (gd_error <= error - 0.15)  # event

    yield "main", prob_ge(event, least, fixed=batch, within=Q(7, 10))


def gradient_descent(setting: Setting) -> Setting:
    """The same training by gradient descent."""
    return replace(setting, rule="gd", eta=GD_STEP)


constant_test_error.mutant("gradient descent in place of SignGD", rule="gd")
constant_test_error.mutant("noise scaled below the signal", norm=0.6)
constant_test_error.mutant("test error at least one half", least_error=0.5)


BETAS = ((0.9, 0.999), (0.0, 0.9), (0.9, 0.99), (0.5, 0.95))


@PAPER.bound(
    source="abstract: Adam behaves like SignGD in optimisation and generalisation",
    fidelity="derived",
    evidence="statistical",
    domain={
        "betas": ByBudget(quick=Choices(*BETAS[:1]), full=Choices(*BETAS)),
        "seeds": SEEDS,
    },
    every=True,
    method=METHOD + "; Adam without epsilon, so free of scale",
    hypotheses="as for `four-stage-order` with T = 700; GD with step 1/2",
    not_established="epsilon of the usual size (1e-8 is not small beside gradients of 1e-7)",
)
def adam_mimics_signgd(betas, seeds, *, stand_in="adam", most_error=None) -> Iterator[Any]:
    r"""From the same data and start with $\eta = 10^{-4}$ the value displacements $W_V(T) - W_V(0)$ of Adam and SignGD have a cosine of at least $0.98$ for $(\beta_1, \beta_2) \in \{(0, .9), (.5,
    .95), (.9, .99), (.9, .999)\}$, those of GD and SignGD one of at most $0.85$; Adam's mean attention on noise is at least $0.85$, its training loss at most $0.03$, and its test error at
    least $0.3$; with probability at least $0.7$. Its critical noise is $\|\xi\|_1 = 1$ (see `sign-vs-gd-threshold`).
    """
    batch, least = seeds
    sign = replace(LARGE, T=700)
    adam = replace(sign, rule="adam", betas=betas)

    def event(rng: Any) -> Any:
        seed = int(rng.integers(2**62))
        gd = gradient_descent(sign)
        which = adam if stand_in == "adam" else gd
        moved = {s: displacement(s, path(s, batch, seed)) for s in (sign, which, gd)}
        run = path(which, batch, seed)
        error, _ = tested(which, run, POINTS, seed)
        noise = 1 - (np.exp(-run.S11[-1]) + np.exp(-run.S21[-1])).mean(axis=1) / 2
        alike = (cosine(moved[which], moved[sign]) >= 0.98) & (cosine(moved[gd], moved[sign]) <= 0.85)  # event
        fitted = (noise >= 0.85) & (run.loss[-1] <= 0.03)  # event
        if most_error is not None:
            return alike & fitted & (error <= most_error)
        return alike & fitted & (error >= 0.3)  # event

    yield "main", prob_ge(event, least, fixed=batch, within=Q(7, 10))


def displacement(setting: Setting, run: Path) -> Floats:
    """W_V(T) - W_V(0) of the mean value weights: (B, d)."""
    moved: Floats = trained(setting, run)[2] - run.data.vbar
    return moved


def cosine(a: Floats, b: Floats) -> Floats:
    """Cosines of rows."""
    result: Floats = (a * b).sum(axis=1) / np.sqrt((a * a).sum(axis=1) * (b * b).sum(axis=1))
    return result


adam_mimics_signgd.mutant("gradient descent in place of Adam", stand_in="gd")
adam_mimics_signgd.mutant("Adam's test error is at most 0.2", most_error=0.2)


@adam_mimics_signgd.check(
    "critical noise", domain={"norm": Choices(Q(95, 100), Q(125, 100), Q(12)), "seeds": SEEDS}, every=True
)
def _critical(norm, seeds, *, critical=1):
    """All samples prefer the noise exactly where ||xi||_1 > 1."""
    batch, least = seeds
    scaled = Setting(rule="adam", norm=float(int(norm.p) / int(norm.q)), T=120, shrink=0.1, every=120)

    def event(rng: Any) -> Any:
        run = path(scaled, batch, int(rng.integers(2**62)))
        above = run.v2[-1] > run.v1[-1]
        return above.all(axis=1) if norm > critical else ~above.any(axis=1)

    yield "critical noise", prob_ge(event, least, fixed=batch, within=Q(7, 10))


adam_mimics_signgd.mutant("Adam's critical noise is GD's", critical=16, breaks="critical noise")
