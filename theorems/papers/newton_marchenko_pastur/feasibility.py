"""From one sketch: whether the Marchenko-Pastur regulariser exists, and its estimate."""

from __future__ import annotations

import numpy as np

from theorems import ByBudget, Choices, Q, bracket, eq, le, lt, mean_ge, mean_le, prob_ge, prob_le, symbols
from theorems.papers.newton_marchenko_pastur.paper import PAPER
from theorems.papers.newton_marchenko_pastur.sketched import Runs, gram_spectra, hessian

BLOCK = 32
ONE = Q(1)
RARE, COMMON = Q(4, 5), Q(5, 4)
RATIOS = (Q(1, 2), Q(4, 5), Q(9, 10), Q(19, 20), Q(1), Q(21, 20), Q(11, 10), Q(5, 4), Q(3, 2))
ENDS = {10: (Q(9, 10), Q(11, 10)), 20: (Q(19, 20), Q(21, 20)), 80: (Q(19, 20), Q(21, 20))}

TRANSITION = PAPER.family(
    "spectra-and-sizes",
    kind=ByBudget(quick=Choices("pow", "geo"), full=Choices("pow", "geo", "iso")),
    dimensions=ByBudget(quick=Choices((10, 20)), full=Choices((10, 20), (20, 80))),
    every=True,
)
ESTIMATES = PAPER.family(
    "estimated-regularisers",
    kind=Choices("pow", "geo"),
    ratio=Choices(2, 4),
    draws=ByBudget(quick=300, full=2000),
    every=True,
)
FREQUENCIES = PAPER.family(
    "away-from-the-threshold",
    kind=Choices("pow", "geo"),
    dimension=ByBudget(quick=Choices(20), full=Choices(20, 80)),
    draws=ByBudget(quick=96, full=512),
    every=True,
)
BIAS = {2: Q(1, 50), 4: Q(1, 200)}  # largest mean relative error of l*, by m/d_lam
SPREAD = {2: Q(1, 400), 4: Q(1, 1600)}  # largest mean squared relative error
CLIP = {2: Q(1, 10), 4: Q(1, 40)}


def estimated_regulariser(e, lam, m, steps=60):
    """The largest root in (0, lam] of h for each row of eigenvalues e, by Newton's method from lam (h is convex)."""
    l = np.full(len(e), lam)
    for _ in range(steps):
        h = l / lam + (e / (e + l[:, None])).sum(axis=1) / m - 1
        slope = 1 / lam - (e / (e + l[:, None]) ** 2).sum(axis=1) / m
        l = l - h / slope
    return l


def feasible(rng, kind, ratio, dimension):
    """For BLOCK sketches with m = ratio * d_lam rows, d = 3 d_lam: whether the root exists."""
    H = hessian(kind, 3 * dimension, dimension)
    e = gram_spectra(rng, BLOCK, max(1, round(float(ratio) * dimension)), H.k)
    return (H.lam / e).mean(axis=1) > 1  # event


@PAPER.transition(
    source="debiasing from the sketch alone: feasibility of the self-consistent regulariser",
    fidelity="derived",
    evidence="statistical",
    family=TRANSITION,
    method="h is convex with h(0+) = 0 for m <= d, so a root above which h > 0 and below which h < 0 exists iff h'(0+) < 0, that is iff the "
    "mean of lambda/e_j over the m eigenvalues of A A^T exceeds 1: no root is searched. Its probability is bracketed by confidence sequences, "
    "and bounded away from the threshold by exact binomial bounds",
    hypotheses="K diagonal of size d = 3 d_lam, m <= d at the ratios looked at",
    not_established="the limit itself: at d_lam = 10 and 20 the transition lies inside [0.9, 1.1] and [0.95, 1.05] (at full budget d_lam = 80 "
    "inside [0.95, 1.05]); with 96 sketches a frequency of 1/5 passes for 1/10",
)
def debias_feasibility_threshold(kind, dimensions, *, predicted=ONE):
    r"""Let $\hat d_l = \mathrm{Tr}\,\hat K(\hat K + lI)^{-1}$ for one Gaussian sketch with $m$ rows and $h(l) = l/\lambda + \hat d_l/m - 1$ on
    $(0, \lambda]$. $h$ is convex with $h(\lambda) > 0$; a root $l^*$ with $h < 0$ just below and $h > 0$ above it exists with probability tending to 1
    if $m > d_\lambda$ and to 0 if $m < d_\lambda$ (critical $m/d_\lambda = 1$) as $d_\lambda$ grows: at $d_\lambda = 20$ it is at most $1/10$ for
    $m = \frac45 d_\lambda$ and at least $9/10$ for $m = \frac54 d_\lambda$. For $m \ge 2d_\lambda$ it estimates the debiased
    regulariser without knowledge of $K$: $r = l^*/(\lambda(1 - d_\lambda/m)) - 1$ has $|\mathbb{E}r| \le 1/50$ and $\mathbb{E}r^2 \le 1/400$ at
    $m = 2d_\lambda$, $|\mathbb{E}r| \le 1/200$ and $\mathbb{E}r^2 \le 1/1600$ at $m = 4d_\lambda$ ($d_\lambda = 20$, $d = 60$).
    """

    def exists(ratio, dimension, rng):
        return feasible(rng, kind, ratio, dimension)

    ends = [ENDS[dimension] for dimension in dimensions]
    yield (
        "critical m/d_lam",
        bracket(
            predicted,
            RATIOS,
            level=Q(1, 2),
            below=[low for low, _ in ends],
            above=[high for _, high in ends],
            sizes=dimensions,
            draw=exists,
            limit=512,
        ),
    )


@debias_feasibility_threshold.check("existence", family=FREQUENCIES, tests=2)
def _existence(kind, dimension, draws, *, rare=RARE, common=COMMON):
    def at(ratio):
        return lambda rng: feasible(rng, kind, ratio, dimension)

    yield "rare at 4/5 d_lam", prob_le(at(rare), Q(1, 10), fixed=draws, within=Q(1, 4))
    yield "common at 5/4 d_lam", prob_ge(at(common), Q(9, 10), fixed=draws, within=Q(1, 4))


@debias_feasibility_threshold.check("estimated regulariser", family=ESTIMATES, tests=3)
def _estimated(kind, ratio, draws, *, target="paper"):
    dimension = 20
    H = hessian(kind, 3 * dimension, dimension)
    m = ratio * dimension
    wanted = {
        "paper": H.lam * (1 - dimension / m),
        "d for d_lam": H.lam * (1 - len(H.k) / m),
        "lambda": H.lam,
        "3 % larger": 1.03 * H.lam * (1 - dimension / m),
    }[target]
    clip = float(CLIP[ratio])

    def simulate(rng):
        return np.clip(estimated_regulariser(gram_spectra(rng, draws, m, H.k), H.lam, m) / wanted - 1, -clip, clip)

    runs = Runs(simulate)
    options = {"support": (-CLIP[ratio], CLIP[ratio]), "fixed": draws, "within": CLIP[ratio]}
    yield "mean at most", mean_le(runs.draw(lambda r: r), BIAS[ratio], **options)
    yield "mean at least", mean_ge(runs.draw(lambda r: r), -BIAS[ratio], **options)
    squares = {"support": (0, CLIP[ratio] ** 2), "fixed": draws, "within": CLIP[ratio] ** 2 / 2}
    yield "mean square", mean_le(runs.draw(lambda r: r * r), SPREAD[ratio], **squares)


@debias_feasibility_threshold.proof(
    "shape of h", covers="all eigenvalues e > 0, all l, lambda, m > 0 (one term of the sum)"
)
def _shape(*, side=1):
    e, l, lam, m = symbols("e l lambda m", positive=True)
    term = e / (e + l)
    yield "convex", le(0, term.diff(l, 2))
    yield "positive at lambda", lt(0, (l / lam + term / m - 1).subs(l, lam))
    slope = (l / lam + term).diff(l).subs(l, 0)  # h is the mean of m such terms, less 1
    yield "slope at 0", eq(slope, side * (1 - lam / e) / lam)


debias_feasibility_threshold.mutant("critical ratio 2", predicted=Q(2), breaks="critical m/d_lam")
debias_feasibility_threshold.mutant("critical ratio 6/5", predicted=Q(6, 5), breaks="critical m/d_lam")
debias_feasibility_threshold.mutant("critical ratio 17/20", predicted=Q(17, 20), breaks="critical m/d_lam")
debias_feasibility_threshold.mutant("rare up to d_lam", rare=ONE, breaks="rare at 4/5 d_lam")
debias_feasibility_threshold.mutant("common from 19/20 d_lam on", common=Q(19, 20), breaks="common at 5/4 d_lam")
debias_feasibility_threshold.mutant(
    "target lambda (1 - d/m)", target="d for d_lam", breaks=("mean at most", "mean at least")
)
debias_feasibility_threshold.mutant("target lambda", target="lambda", breaks="mean at least")
debias_feasibility_threshold.mutant("target 3 % larger", target="3 % larger", breaks="mean at least")
debias_feasibility_threshold.mutant("root where the slope at 0 is positive", side=-1, breaks="slope at 0")
