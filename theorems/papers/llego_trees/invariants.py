"""What selection guarantees in every run: the best is kept, signatures differ, the archive's hypervolume grows."""

from __future__ import annotations

from typing import Any

from flint import fmpq

from theorems import Integers, eq, le
from theorems.papers.llego_trees.paper import PAPER
from theorems.papers.llego_trees.search import Variant, best_fitness, evolve, planted, signatures, space
from theorems.papers.llego_trees.trees import data_of, optimum

N = 10
GENERATIONS = 10
SEEDS = Integers(0, 10**7)
GUIDED = Variant()


@PAPER.bound(
    source="truncation selection over parents and offspring, with the filter of functional signatures",
    fidelity="derived",
    evidence="certified",
    domain={"seed": SEEDS},
    quick=2,
    full=20,
    method="10 runs an instance on planted depth-2 trees (5 features, 60 samples, 15 % label noise); counts of correct samples and "
    "signatures are integers; the optimum by dynamic programming",
    hypotheses="N = 10, 10 generations; instances are seeds of data and search",
    not_established="anything about the proposals: these are invariants of the selection step, which the run must implement",
)
def elitist_invariants(seed, *, variant=GUIDED):
    r"""With truncation over population and offspring, the best fitness never falls and never exceeds that of the optimal tree, the population keeps its size
    $N$, and all signatures in it are distinct whenever at least $N$ distinct candidates exist.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    data = planted(rng, 10, 60, 5, 0.15)
    trees = space(data)
    initial = rng.integers(0, trees.fits.shape[1], (10, N))
    trace = evolve(rng, trees, initial, variant, GENERATIONS)
    best = best_fitness(trees, trace)
    yield "never falls", le(flat(best[:-1]), flat(best[1:]))
    ceilings = [optimum(data_of(x.astype(int), y.astype(int)), 5, 2) for x, y in zip(data.X, data.labels)]
    yield "at most the optimum", le(flat(best[-1]), [int(c.p) for c in ceilings])
    yield "size", eq([p.shape[1] for p in trace.populations], [N] * (GENERATIONS + 1))
    exact = signatures(data.X, 2)
    distinct, possible = [], []
    for g in range(1, GENERATIONS + 1):
        for b in range(10):
            seen = np.concatenate([trace.populations[g - 1][b], trace.visited[g][b]])
            distinct.append(len({exact[b, t].tobytes() for t in trace.populations[g][b]}))
            possible.append(min(N, len({exact[b, t].tobytes() for t in seen})))
    yield "distinct signatures", eq(distinct, possible)


def flat(values: Any) -> list[int]:
    """An array of counts as integers."""
    return [int(v) for v in values.ravel()]


elitist_invariants.mutant("the best offspring only", variant=Variant(selection="offspring"), breaks="never falls")
elitist_invariants.mutant("no filter of signatures", variant=Variant(distinct=False), breaks="distinct signatures")
elitist_invariants.mutant("N random distinct candidates", variant=Variant(selection="random"), breaks="never falls")


def hypervolume(points: Any, *, swept: bool = True) -> fmpq:
    """The area dominated by points of the positive quadrant, above the reference (0, 0): an exact sweep."""
    total, height = fmpq(0), fmpq(0)
    for x, y in sorted(set(points), key=lambda p: (-p[0], -p[1])):
        if not swept:
            total += x * y
        elif y > height:
            total += x * (y - height)
            height = y
    return total


def objectives(exact: Any, labels: Any, group: Any) -> list[tuple[fmpq, fmpq]]:
    """Accuracy and 1 - demographic parity gap of all trees on one data set."""
    correct = (exact == labels[None, :]).sum(axis=1)
    members, others = int(group.sum()), int((~group).sum())
    inside, outside = exact[:, group].sum(axis=1), exact[:, ~group].sum(axis=1)
    return [
        (fmpq(int(c), len(labels)), 1 - abs(fmpq(int(i), members) - fmpq(int(o), others)))
        for c, i, o in zip(correct, inside, outside)
    ]


@PAPER.bound(
    source="search with two objectives: accuracy and fairness",
    fidelity="derived",
    evidence="certified",
    domain={"seed": SEEDS},
    quick=2,
    full=8,
    method="4 runs an instance (4 features, 30 samples, random groups, 12 generations); exact rational hypervolumes",
    hypotheses="objectives accuracy and 1 - demographic parity gap, reference (0, 0), both groups present; scalar selection by accuracy",
)
def hypervolume_archive(seed, *, of="archive", swept=True):
    r"""With the objectives accuracy and $1 - $ demographic parity gap, the hypervolume of all visited trees never falls, and is at most that of the Pareto front of
    all trees. (That of the truncated population is not monotone.)
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    data = planted(rng, 4, 30, 4, 0.1)
    group = rng.integers(0, 2, (4, 30)).astype(bool)
    group[:, 0], group[:, 1] = True, False
    trees = space(data)
    trace = evolve(rng, trees, rng.integers(0, trees.fits.shape[1], (4, N)), GUIDED, 12)
    exact = signatures(data.X, 2)
    for b in range(4):
        scores = objectives(exact[b], data.labels[b], group[b])
        archive: set[tuple[fmpq, fmpq]] = set()
        volumes = []
        for g in range(13):
            shown = {scores[t] for t in (trace.visited[g][b] if of == "archive" else trace.populations[g][b])}
            archive = archive | shown if of == "archive" else shown
            volumes.append(hypervolume(archive, swept=swept))
        yield "never falls", le(volumes[:-1], volumes[1:])
        yield "at most the front's", le(volumes[-1], hypervolume(scores))


hypervolume_archive.mutant("the hypervolume of the population", of="population", breaks="never falls")
hypervolume_archive.mutant("the plain sum of rectangles", swept=False, breaks="at most the front's")
