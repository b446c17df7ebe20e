"""How long blind proposals need, and what guidance gains at equal cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, fmpq

from theorems import ByBudget, Choices, Q, eq, le, mean_eq, mean_ge, prob_eq, shared, symbols
from theorems.papers.llego_trees.paper import PAPER
from theorems.papers.llego_trees.search import Variant, best_fitness, evolve, planted, signatures, space
from theorems.papers.llego_trees.trees import enumerate_trees

ZERO, ONE = Q(0), Q(1)
PROPOSALS = 8
RUNS = 20  # in one block of draws


def features(tree: Any) -> set[int]:
    """Distinct features of a tree."""
    return {tree[0]} | features(tree[1]) | features(tree[2]) if isinstance(tree, tuple) else set()


@shared
def planted_problem(seed: int) -> tuple[tuple[bool, ...], tuple[int, ...]]:
    """Noiseless planted data: for all 2422 trees, whether its accuracy is maximal, and its relevant minus irrelevant features."""
    import numpy as np

    data = planted(np.random.default_rng(seed), 1, 80, 5, 0.0)
    fits = (signatures(data.X, 2)[0] == data.labels[0]).sum(axis=1)
    relevant = {int(f) for f in data.relevant[0]}
    surplus = [2 * len(features(tree) & relevant) - len(features(tree)) for tree in enumerate_trees(5, 2)]
    return tuple(bool(v) for v in fits == fits.max()), tuple(surplus)


def mass(seed: int, prior: str) -> arb:
    """q, the prior mass of the optimal trees, as a ball."""
    best, surplus = planted_problem(seed)
    weights = [arb(k).exp() if prior == "informed" else arb(1) for k in surplus]
    return sum((w for w, on in zip(weights, best) if on), arb(0)) / sum(weights, arb(0))


def hits(seed: int, prior: str) -> Callable[[Any, int], Any]:
    """Whether proposals are optimal: draws of shape (RUNS, count) from the prior."""
    import numpy as np

    best, surplus = (np.array(v) for v in planted_problem(seed))
    ladder = np.exp(surplus).cumsum()

    def draw(rng: Any, count: int) -> Any:
        if prior == "uniform":
            return best[rng.integers(0, len(best), (RUNS, count), dtype=np.int16)]
        return best[ladder.searchsorted(rng.random((RUNS, count)) * ladder[-1], side="right").clip(max=len(best) - 1)]

    return draw


@PAPER.identity(
    source="the role of an informed prior in mutation, for elitist search by independent proposals",
    fidelity="derived",
    evidence="statistical",
    domain={
        "seed": ByBudget(quick=Choices(1), full=Choices(1, 2, 3)),
        "prior": Choices("uniform", "informed"),
        "quarter": Choices(Q(1, 2), Q(1, 4), Q(3, 4)),
    },
    every=True,
    part="not found",
    tests=1,
    method="simulated proposals from the enumerated space of trees; frequencies of events against the exact power of the mass q",
    hypotheses="N = 8 independent proposals a generation, planted tree of depth 2 on 5 features, 80 samples without noise; informed prior "
    "exp(distinct relevant features - distinct irrelevant ones); G with (1 - q)^{NG} nearest to 1/4, 1/2, 3/4",
)
def prior_hitting_time(seed, prior, quarter, *, same=False, counted=PROPOSALS):
    r"""Let $q$ be the prior mass of the optimal trees and let each generation make $N$ independent proposals. No optimal tree is found in $G$ generations with
    probability $(1-q)^{NG}$; the mean of the first hit is $\frac{1}{1-(1-q)^N}$, and that of the hit cut off at $M$ is $\frac{1 - (1-q)^{NM}}{1 - (1-q)^N}$. A
    prior of larger mass $q'$ is faster by the ratio of masses: by a factor between $\frac{q'}{q}(1 - \frac N2 q')$ and $\frac{q'}{q}$.
    """
    q = mass(seed, prior)
    claimed = mass(seed, "uniform") if same else q
    G = generations(q, quarter)
    draw = hits(seed, prior)
    yield prob_eq(lambda rng: ~draw(rng, PROPOSALS * G).any(axis=1), (1 - claimed) ** (counted * G), within=Q(1, 8))


def generations(q: arb, share: fmpq) -> int:
    """G with (1 - q)^{NG} nearest to a share."""
    return max(1, round(float((arb(share).log() / (PROPOSALS * (1 - q).log())).mid())))


@prior_hitting_time.check(
    "mean",
    domain={"seed": ByBudget(quick=Choices(1), full=Choices(1, 2, 3)), "prior": Choices("informed", "uniform")},
    every=True,
)
def _mean(seed, prior, *, same=False, counted=PROPOSALS):
    """The mean of the first hit, cut off at M, the generation with (1 - q)^{NM} nearest to 1/4."""
    q = mass(seed, prior)
    claimed = mass(seed, "uniform") if same else q
    M = generations(q, Q(1, 4))
    draw = hits(seed, prior)

    def first(rng: Any) -> Any:
        import numpy as np

        found = draw(rng, PROPOSALS * M).reshape(RUNS, M, PROPOSALS).any(axis=2)
        return np.where(found.any(axis=1), found.argmax(axis=1) + 1.0, float(M))

    value = (1 - (1 - claimed) ** (counted * M)) / (1 - (1 - claimed) ** counted)
    yield mean_eq(first, value, support=(1, M), within=Q(M, 10))


@prior_hitting_time.check("ratio", domain={"seed": ByBudget(quick=Choices(1), full=Choices(1, 2, 3))}, every=True)
def _ratio(seed, *, counted=PROPOSALS, share=ONE):
    """How much faster the informed prior is than the uniform one."""

    def gain() -> tuple[arb, arb]:
        uniform, informed = mass(seed, "uniform"), mass(seed, "informed")
        return expected(uniform) / expected(informed), informed / uniform

    yield "informed is faster", le(lambda: (gain()[0], arb(share) * gain()[1]))
    yield "informed is faster", le(lambda: (gain()[1] * (1 - mass(seed, "informed") * counted / 2), gain()[0]))


def expected(q: arb) -> arb:
    """The mean first hit 1/(1 - (1 - q)^N)."""
    return 1 / (1 - (1 - q) ** PROPOSALS)


@prior_hitting_time.proof("geometric series", covers="all q, N by r = (1 - q)^N; M = 1..12, and M to M + 1")
def _series(*, last=1):
    r, tail = symbols("r tail", above=0, below=1)  # tail = r^M
    for M in range(1, 13):
        yield eq((1 - r**M) / (1 - r), sum(r**g for g in range(M + 1 - last)))
    yield eq((1 - r * tail) / (1 - r) - (1 - tail) / (1 - r), tail)


prior_hitting_time.mutant("the uniform prior is equally fast", same=True, breaks=("not found", "mean"))
prior_hitting_time.mutant("N ignored: mean 1/q", counted=1, breaks=("not found", "mean"))
prior_hitting_time.mutant("5 % less than the ratio of masses", share=Q(19, 20), breaks="informed is faster")
prior_hitting_time.mutant("one generation more in the mean", last=0, breaks="geometric series")

POPULATION, GENERATIONS = 10, 8
PAIRS = 110  # of runs, in one block of draws
SUPPORT = (-Q(8, 9), Q(8, 9))  # generation 0 is common
VARIANTS = {
    None: Variant(alpha=None),
    1: Variant(alpha=1.0),
    Q(1, 2): Variant(alpha=0.5),
    -Q(1, 2): Variant(alpha=-0.5),
}


GAINS = {(1, None): Q(7, 100), (Q(1, 2), -Q(1, 2)): Q(3, 100), (1, Q(1, 2)): Q(3, 100)}


def paired(first: Any, second: Any) -> Callable[[Any], Any]:
    """Differences of the mean best fitness over generations 0..8, with common data and initial population."""

    def draw(rng: Any) -> Any:
        trees = space(planted(rng, PAIRS, 60, 5, 0.1))
        initial = rng.integers(0, trees.fits.shape[1], (PAIRS, POPULATION))
        means = [
            best_fitness(trees, evolve(rng, trees, initial, VARIANTS[v], GENERATIONS)).mean(axis=0) / 60
            for v in (first, second)
        ]
        return means[0] - means[1]

    return draw


@PAPER.bound(
    source="search efficiency against unguided search, with an exact sampler in place of the language model",
    fidelity="derived",
    evidence="statistical",
    domain={"pair": Choices(*GAINS)},
    every=True,
    part="advantage",
    method="paired runs with common data and initial population on planted data (5 features, 60 samples, 10 % noise, N = 10, G = 8): "
    "differences of mean best fitness lie in [-8/9, 8/9], betting confidence sequences",
    hypotheses="s = 0.08, uniform prior; equal numbers of evaluations",
    not_established="anything about a language model: the generator knows the fitness, so the claim measures the size of the gain",
)
def search_efficiency(pair, *, lift=ZERO):
    r"""With equal numbers of evaluations, guided search with $\alpha = 1$ has a mean best fitness over generations at least $0.07$ above that of uniform proposals,
    and it gains at least $0.03$ from $\alpha = -\frac12$ to $\frac12$ and from $\frac12$ to $1$.
    """
    yield mean_ge(paired(*pair), GAINS.get(pair, ZERO) + lift, support=SUPPORT, within=Q(7, 100))


search_efficiency.mutant("alpha = -1/2 is at least as good as 1/2", domain={"pair": Choices((-Q(1, 2), Q(1, 2)))})
search_efficiency.mutant("uniform proposals are at least as good as alpha = 1", domain={"pair": Choices((None, 1))})
search_efficiency.mutant("advantages larger by 0.08: 0.15 over uniform proposals", lift=Q(8, 100))
