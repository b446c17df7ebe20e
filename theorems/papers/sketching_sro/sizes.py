"""How large a Gaussian sketch must be for a given embedding constant."""

from __future__ import annotations

import math

from solvers.sketches import gaussian_sketch
from theorems import ByBudget, Choices, Q, prob_ge, prob_le
from theorems.papers.sketching_sro.paper import PAPER

DELTA, HALF = Q(1, 20), Q(1, 2)
BAND = (Q(88, 100), Q(105, 100))
DRAWS = ByBudget(quick=Choices(400), full=Choices(2000))
TAILS = PAPER.family("tails", r=Choices(20, 5, 10), m=Choices(400, 100, 2000), draws=DRAWS, every=True)
ROWS = PAPER.family("rows", r=100, m=Choices(2000, 16000, 128000), draws=DRAWS, every=True)
RANKS = PAPER.family("ranks-of-X", r=Choices(50, 300, 1600), m=102400, draws=DRAWS, every=True)
WIDE = PAPER.family("large-ranks", r=Choices(100, 400), m=Choices(2000, 8000), draws=DRAWS, every=True)


def tail_bound(r, m, share):
    """tau^2 + 2 tau, times `share`."""
    tau = math.sqrt(r / m) + math.sqrt(2 * math.log(2 / float(DELTA)) / m)
    return share * (tau * tau + 2 * tau)


def edge(r, m):
    """2 sqrt(r/m) + r/m: the upper Marchenko-Pastur edge, less 1."""
    return 2 * math.sqrt(r / m) + r / m


def at_most(S, x):
    """Whether the embedding constant is at most x, for a batch of sketches."""
    return (S.count_below(1 - x) == 0) & (S.count_below(1 + x) == S.diagonal.shape[1])  # event


@PAPER.bound(
    source="sketch sizes used by the theorems; constants derived",
    fidelity="derived",
    evidence="statistical",
    family=TAILS,
    method="Gaussian sketches by the tridiagonal model of the Wishart law; events decided by Sturm counts; exact binomial bounds at a "
    "fixed number of draws. The exponents follow from bands: what lies within [0.88, 1.05] times c m^{-1/2} over m = 2000, ..., "
    "128000 has exponent -1/2 within 0.043, and over r = 50, ..., 1600 exponent 1/2 within 0.051",
    hypotheses="P with independent N(0, 1/m) entries, m >= r = rank X",
    not_established="the probability bound itself is 2 to 3 times the median of eps, so that no failure is seen; the sharp content is "
    "the band about the edge",
)
def gaussian_embedding_size(r, m, draws, *, share=1):
    r"""Let $P$ be a Gaussian sketch with $m$ rows, $r = \mathrm{rank}\, X$, $\delta \in (0, 1)$ and
    $\tau = \sqrt{r/m} + \sqrt{2\ln(2/\delta)/m}$. Then $P(\varepsilon > \tau^2 + 2\tau) \le \delta$. As $r \to \infty$ with $r/m$ fixed,
    $\varepsilon \to 2\sqrt{r/m} + r/m =: \varepsilon_*$ (the upper Marchenko-Pastur edge), so that $\varepsilon$ scales as $m^{-1/2}$ and, for
    $r \ll m$, as $r^{1/2}$. Tested: the tail bound at $\delta = 0.05$; $P(0.88\,\varepsilon_* \le \varepsilon \le 1.05\,\varepsilon_*) \ge 3/4$
    for $r \ge 50$; $P(\varepsilon \le \varepsilon_*) \ge 1/2$ (the median approaches the edge from below).
    """
    x = tail_bound(r, m, float(share))
    yield (
        "tail bound",
        prob_le(lambda rng: ~at_most(gaussian_sketch(rng, draws, m, r), x), DELTA, fixed=draws, within=Q(1, 8)),
    )


@gaussian_embedding_size.check("scaling", family=(ROWS, RANKS, WIDE), tests=2)
def _scaling(r, m, draws, *, rows="m^-1/2", power=HALF):
    centre = edge(r, m)
    if rows != "m^-1/2":
        centre = edge(r, 2000) * 2000 / m
    if power != HALF:
        centre = edge(50, m) * (r / 50) ** float(power)
    low, high = (float(x) * centre for x in BAND)

    def inside(rng):
        S = gaussian_sketch(rng, draws, m, r)
        return at_most(S, high) & ~at_most(S, low)

    yield "band about the edge", prob_ge(inside, Q(3, 4), fixed=draws)
    yield (
        "from below",
        prob_ge(lambda rng: at_most(gaussian_sketch(rng, draws, m, r), centre), Q(1, 2), fixed=draws),
    )


gaussian_embedding_size.mutant("half the tail bound", share=Q(1, 2), breaks="tail bound")
gaussian_embedding_size.mutant("eps ~ 1/m, matched at m = 2000", rows="1/m", on="rows", breaks="band about the edge")
gaussian_embedding_size.mutant(
    "eps ~ r, matched at r = 50", power=1, on="ranks-of-X", breaks=("band about the edge", "from below")
)
gaussian_embedding_size.mutant(
    "eps ~ r^0.4, matched at r = 50", power=Q(2, 5), on="ranks-of-X", breaks=("band about the edge", "from below")
)
