"""What per-class labels are worth: multilabel against one-hot supervision on clean data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from flint import arb

from solvers.gaussian_maxima import argmax_mean, expected_maximum
from solvers.min_norm import Reals, extended_gram, fit, inverse_forms, labelled_gram
from theorems import ByBudget, Choices, Q, eq, le, lt, slope
from theorems.papers.weak_to_strong.clean import EXACT
from theorems.papers.weak_to_strong.ensemble import ratios
from theorems.papers.weak_to_strong.medians import median_value, once
from theorems.papers.weak_to_strong.multilabel import signs_and_argmax, split
from theorems.papers.weak_to_strong.paper import PAPER

DIMENSION = 1e12
CLOSE = Q(1, 10**12)
ONE, LEAST = Q(1), Q(24, 25)  # between which the factor lies in units of pi log(k)/k, k >= 10^50


def factor(k: Any, *, logarithm: bool = False) -> arb:
    """pi e_k^2 / (2(k - 1)); with `logarithm`, its first approximation pi log(k)/k."""
    if logarithm:
        return arb.pi() * arb(k).log() / k
    return arb.pi() * expected_maximum(k) ** 2 / (2 * (arb(k) - 1))


def draws(rng: Any, trials: int, n: int, k: int) -> Reals:
    """(R_onehot / R_multilabel)^2 with R averaged over the labels; the same n clean points, far from saturation."""
    known = np.stack([labelled_gram(rng, n, k, lambda Z: signs_and_argmax(rng, Z)) for _ in range(trials)])
    forms = inverse_forms(rng, extended_gram(rng, known, n, k, 0), n, DIMENSION)
    favoured = 0.05 * math.sqrt(DIMENSION / n)
    multilabel, one_hot = split(fit(forms, np.full(k, favoured), 1.0), k)
    return np.asarray((ratios(one_hot).mean(axis=1) / ratios(multilabel).mean(axis=1)) ** 2)


@PAPER.identity(
    source="the value of logits for weak supervision; the ratio is derived",
    fidelity="derived",
    evidence="statistical",
    domain={
        "k": ByBudget(quick=Choices(4, 8, 2, 16), full=Choices(4, 8, 2, 16, 32)),
        "n": ByBudget(quick=Choices(5000), full=Choices(5000, 20000)),
        "trials": ByBudget(quick=Choices(40), full=Choices(60)),
    },
    every=True,
    tests=2,
    method=f"medians over draws at n = 5000 by exact binomial bounds; {EXACT}; moments of the labels and e_k as rigorous integrals, by "
    "different formulas",
    hypotheses="unsaturated limit: d = 1e12, l_F = 0.05 sqrt(d/n), classes on k favoured features",
    not_established="classes k = n^t that grow with n; the ratio below 1 for k > 200 other than 10^50 to 10^200; with 40 draws a median outside "
    "2 % passes when 7 of the draws lie on its side",
    rests_on=(
        "unsaturated limit: survival l_F n E[g_l y_l], bulk contamination sqrt(n d Var y_l)",
        "all E[g_l 1{g_l is largest}] are equal by symmetry and add up to e_k",
    ),
)
def multilabel_vs_onehot(k, n, trials, *, claimed="pi e_k^2/(2(k - 1))", off=1.0):
    r"""$k \ge 2$ classes on $k$ favoured features, class $l$ positive iff $g_l > 0$ (multilabel), or iff $l$ is the arg max (one-hot). In the unsaturated limit
    $$\frac{(\mathrm{SU}/\mathrm{CN})^2_{\text{one-hot}}}{(\mathrm{SU}/\mathrm{CN})^2_{\text{multilabel}}} = \frac{\pi e_k^2}{2(k-1)},\qquad e_k = \mathbb{E}\max(g_1, \dots, g_k),$$
    because $\mathbb{E} g_l 1\{l\} = e_k/k$ and the label has variance $(1/k)(1 - 1/k)$, against $\sqrt{2/\pi}$ and 1. It is below 1 for every $k \ge 2$ and
    $\sim \pi \log k/k$ (between $\frac{24}{25}$ of this and this at $k = 10^{50}, \ldots, 10^{200}$): one-hot supervision of $k = n^t$ classes costs $t$ in the exponent, multilabel supervision nothing.
    """
    values = {
        "pi e_k^2/(2(k - 1))": float(factor(k).mid()),
        "1/k": 1 / k,
        "pi log(k)/k": float(factor(k, logarithm=True).mid()),
    }
    yield from median_value(
        "ratio", once(lambda rng: draws(rng, trials, n, k)), off * values[claimed], Q(1, 50), trials
    )


@multilabel_vs_onehot.check(
    "moments",
    domain={"k": ByBudget(quick=Choices(2, 3, 4, 5, 10, 32, 100), full=Choices(*range(2, 40), 64, 100, 200))},
    every=True,
)
def _moments(k, *, classes=0, bound=1):
    yield (
        "survival",
        eq(lambda: argmax_mean(k, bits=45), lambda: expected_maximum(k, bits=45) / (k + classes), within=CLOSE),
    )

    def ratio() -> arb:
        one_hot = argmax_mean(k, bits=45) ** 2 / (arb(1) / k * (1 - arb(1) / k))
        return one_hot / (2 / arb.pi())

    yield "ratio of squares", eq(ratio, lambda: factor(k + classes), within=Q(1, 10**10))
    yield "below 1", lt(lambda: factor(k), bound)


@multilabel_vs_onehot.check("logarithm", domain={"exponents": Choices((50, 75, 100, 150, 200))}, every=True)
def _logarithm(exponents, *, logs=1, power=-1, scale=ONE):
    sizes = [10**e for e in exponents]
    yield "log k / k", slope(sizes, lambda: [factor(k) for k in sizes], Q(power), within=Q(1, 1000), logs=logs)

    def ends():
        quotients = [factor(k) / (scale * factor(k, logarithm=True)) for k in sizes]
        return [LEAST] * len(sizes) + quotients, quotients + [ONE] * len(sizes)

    yield "constant", le(ends)


multilabel_vs_onehot.mutant("1/k", claimed="1/k", breaks="ratio: at most")
multilabel_vs_onehot.mutant("pi log(k)/k", claimed="pi log(k)/k", breaks="ratio: at least")
multilabel_vs_onehot.mutant("ratio 5 % larger", off=1.05, breaks="ratio: at least")
multilabel_vs_onehot.mutant("ratio 5 % smaller", off=0.95, breaks="ratio: at most")
multilabel_vs_onehot.mutant("k + 1 classes", classes=1, breaks="survival", anywhere=True)
multilabel_vs_onehot.mutant("k + 1 classes in the ratio", classes=1, breaks="ratio of squares")
multilabel_vs_onehot.mutant("at most 11/20", bound=Q(11, 20), breaks="below 1")
multilabel_vs_onehot.mutant("no logarithm", logs=0, breaks="log k / k")
multilabel_vs_onehot.mutant("constant of the limit 5 % smaller", scale=Q(19, 20), breaks="constant")
multilabel_vs_onehot.mutant("constant of the limit 5 % larger", scale=Q(21, 20), breaks="constant")
