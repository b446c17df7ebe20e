"""The sketch size by doubling, from sketches alone."""

from __future__ import annotations

import numpy as np

from solvers.effective_dimension import effective_dimension, self_consistent_ridge
from theorems import ByBudget, Choices, Q, eq, le, mean_ge, mean_le, prob_le, symbols
from theorems.papers.newton_marchenko_pastur.paper import PAPER
from theorems.papers.newton_marchenko_pastur.sketched import Runs, gram_spectra, hessian

D = 80
BLOCK = 16
KINDS = Choices("iso", "pow", "geo")
WINDOW = Q(19, 20), Q(21, 5)
HALF, TOLERANCE = Q(1, 2), Q(3, 200)

RULES = PAPER.family(
    "doubling",
    kind=KINDS,
    dimension=ByBudget(quick=Choices(8, 24), full=Choices(8, 16, 24, 48)),
    m0=ByBudget(quick=Choices(3, 5), full=Choices(3, 4, 5, 7)),
    trials=ByBudget(quick=32, full=96),
    every=True,
)
DIMENSIONS = PAPER.family(
    "sketched-dimensions",
    kind=KINDS,
    m=ByBudget(quick=Choices(12, 48), full=Choices(12, 24, 48, 96)),
    draws=ByBudget(quick=300, full=2000),
    every=True,
)


def selected(rng, count, H, m0, share):
    """The sizes that the doubling rule selects: the first m = m0 2^j with dhat <= share * m, fresh sketches at each size."""
    sizes = np.zeros(count)
    waiting, m = np.arange(count), m0
    while waiting.size:
        e = gram_spectra(rng, waiting.size, m, H.k)
        passed = (e / (e + H.lam)).sum(axis=1) <= share * m  # branch
        sizes[waiting[passed]] = m
        waiting, m = waiting[~passed], 2 * m
    return sizes


@PAPER.bound(
    source="abstract: low-complexity adaptive choice of the sketch size; the rule and its window are derived",
    fidelity="derived",
    evidence="statistical",
    family=RULES,
    part="window",
    method="simulated doubling with exact binomial bounds at a fixed number of trials; the sketched dimension by betting intervals about "
    "its Marchenko-Pastur value; the window of the threshold in symbols",
    hypotheses="K diagonal of size 80, m0 <= 4 d_lam",
    rests_on=(
        "Tr K (K + lambda)^{-1} is concave in K and E Khat = K, hence E dhat <= d_lam (Jensen)",
        "Marchenko-Pastur: dhat is close to d_kap with kap (1 - d_kap/m) = lambda, so that dhat <= m/2 iff kap <= 2 lambda iff "
        "m >= 2 d_{2 lambda}, up to fluctuations of order 1",
    ),
    not_established="an event of probability below about 1/3 (quick) passes for one below 1/20: what is excluded is a rule that typically "
    "leaves the window",
)
def sketch_size_selection(kind, dimension, m0, trials, *, share=HALF, low=WINDOW[0], high=WINDOW[1]):
    r"""Let $\hat d(m) = \mathrm{Tr}\,\hat K(\hat K + \lambda I)^{-1}$ for a Gaussian sketch with $m$ rows. (a) $\mathbb{E}\,\hat d(m) \le d_\lambda$, and
    $\mathbb{E}\,\hat d(m)$ is $d_\kappa$ with $\kappa(1 - d_\kappa/m) = \lambda$ up to 1.5 % (here $d_\lambda = 24$, $m \ge d_\lambda/2$). (b) The least $m \in \{m_0 2^j\}$ with
    $\hat d(m) \le m/2$ (a fresh sketch for each $j$, $m_0 \le 4d_\lambda$) satisfies $\frac{19}{20} d_\lambda \le m \le \frac{21}{5} d_\lambda$ with
    probability at least 19/20.
    """
    H = hessian(kind, D, dimension)

    def outside(rng):
        ratio = selected(rng, BLOCK, H, m0, float(share)) / dimension
        return (ratio < float(low)) | (ratio > float(high))  # event

    yield prob_le(outside, Q(1, 20), fixed=trials, within=Q(3, 5))


@sketch_size_selection.check("sketched dimension", family=DIMENSIONS, tests=3)
def _dimension(kind, m, draws, *, kappa="self-consistent"):
    H = hessian(kind, D, 24)
    kap = self_consistent_ridge(H.k, H.lam, m) if kappa == "self-consistent" else H.lam * (1 + 24 / m)
    expected = effective_dimension(H.k, kap)
    clip = Q(1, 10)

    def simulate(rng):
        e = gram_spectra(rng, draws, m, H.k)
        return (e / (e + H.lam)).sum(axis=1)

    runs = Runs(simulate)
    about = runs.draw(lambda x: np.clip(x / expected - 1, -float(clip), float(clip)))
    above = runs.draw(lambda x: np.clip(x / expected - 1, -float(clip), float(clip)))
    options = {"support": (-clip, clip), "fixed": draws, "within": clip}
    yield "Marchenko-Pastur value", mean_le(about, TOLERANCE, **options)
    yield "Marchenko-Pastur value", mean_ge(above, -TOLERANCE, **options)
    yield "below d_lam", mean_le(runs.draw(lambda x: x / 24), 1, support=(0, Q(10, 3)), fixed=draws, within=1)


@sketch_size_selection.proof(
    "window of the threshold", covers="all k >= 0, lambda > 0; all kap, d_kap, m > 0 with kap (1 - d_kap/m) = lambda"
)
def _window(*, factor=2):
    k = symbols("k", nonnegative=True)
    lam, kap, m = symbols("lambda kappa m", positive=True)
    yield "d_lam/2 <= d_{2 lam}", le(k / (k + lam) / 2, k / (k + factor * lam))
    yield "d_{2 lam} <= d_lam", le(k / (k + factor * lam), k / (k + lam))
    dimension = m * (1 - lam / kap)  # d_kap
    yield "d_kap <= m/2 iff kap <= 2 lam", eq(m / 2 - dimension, m * (factor * lam - kap) / (2 * kap))


sketch_size_selection.mutant("stop when dhat <= m", share=1, breaks="window")
sketch_size_selection.mutant("stop when dhat <= m/8", share=Q(1, 8), breaks="window")
sketch_size_selection.mutant("stop when dhat <= m/4", share=Q(1, 4), breaks="window")
sketch_size_selection.mutant("window up to 2 d_lam", high=2, breaks="window")
sketch_size_selection.mutant(
    "kap = lam (1 + d_lam/m), the first order in 1/m", kappa="first order", breaks="Marchenko-Pastur value"
)
sketch_size_selection.mutant("d_lam/2 <= d_{3 lam}", factor=3, breaks="d_lam/2 <= d_{2 lam}")
