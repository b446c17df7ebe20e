"""The best tree, the greedy tree, and how many trees there are."""

from __future__ import annotations

from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, eq, le, symbols
from theorems.papers.llego_trees.paper import PAPER
from theorems.papers.llego_trees.search import Variant, evolve, planted, space
from theorems.papers.llego_trees.trees import (
    accuracy,
    count_trees,
    data_of,
    enumerate_trees,
    greedy,
    optimum,
    predict,
)

ONE = Q(1)
BIT = Integers(0, 1)
DATA = PAPER.family(
    "small data",
    d=Choices(3, 2, 4, 1),
    n=Integers(1, 20),
    h=Choices(2, 1, 0),
    X=Given(lambda n, d: Arrays(BIT, (n, d))),
    labels=Given(lambda n: Arrays(BIT, (n,))),
    quick=16,
    full=200,
)


@PAPER.construction(
    source="the abstract: greedy induction can end in suboptimal trees",
    fidelity="derived",
    evidence="certified",
    family=DATA,
    method="dynamic programming against all enumerated trees; CART with exact gains",
    hypotheses="binary features; CART splits only with positive gain of Gini's index, ties to the lowest feature",
)
def exact_optimum_vs_greedy(d, n, h, X, labels, *, shorter=0, greedy_optimal=False):
    r"""The recursion $\mathrm{opt}(S, h) = \max\big(\mathrm{maj}(S), \max_f \mathrm{opt}(S_{f=0}, h-1) + \mathrm{opt}(S_{f=1}, h-1)\big)$ gives the best accuracy
    of all trees of depth at most $h$, and CART's is at most that. On $x_1 \oplus x_2$ with a distractor $x_3$ that equals the label with
    probability $\frac12 + \delta$, the greedy tree of depth 2 has accuracy exactly $\frac12 + \delta$, the optimum is 1.
    """
    data = data_of(X, labels)
    best = optimum(data, d, max(h - shorter, 0))
    yield "optimum", eq(best, max(accuracy(tree, data) for tree in enumerate_trees(d, h)))
    reached = accuracy(greedy(data, d, h), data)
    yield "greedy", eq(reached, best) if greedy_optimal else le(reached, best)


@exact_optimum_vs_greedy.check(
    "distractor", domain={"delta": Choices(Q(1, 10), Q(1, 100), Q(1, 10**6), Q(49, 100))}, every=True
)
def _distractor(delta, *, greedy_optimal=False, advantage=ONE):
    data = [
        ((a, b, c), a ^ b, (Q(1, 2) + delta if c == a ^ b else Q(1, 2) - delta) / 4)
        for a in (0, 1)
        for b in (0, 1)
        for c in (0, 1)
    ]
    reached = accuracy(greedy(data, 3, 2), data)
    yield "greedy on parity", eq(reached, ONE if greedy_optimal else Q(1, 2) + advantage * delta)
    yield "optimum on parity", eq(optimum(data, 3, 2), 1)


exact_optimum_vs_greedy.mutant("greedy is optimal", greedy_optimal=True, breaks=("greedy", "greedy on parity"))
exact_optimum_vs_greedy.mutant("dynamic programming one level short", shorter=1, breaks="optimum")
exact_optimum_vs_greedy.mutant("greedy accuracy 1/2", advantage=Q(0), breaks="greedy on parity")
exact_optimum_vs_greedy.mutant("greedy accuracy 1/2 + 0.95 delta", advantage=Q(19, 20), breaks="greedy on parity")


@PAPER.bound(
    source="the abstract: exact optimisation is expensive",
    fidelity="derived",
    evidence="certified",
    domain={"d": Choices(2, *(d for d in range(1, 51) if d != 2)), "h": Integers(1, 6)},
    every=True,
    part="growth",
    method="the recursion in integers; explicit enumeration for small d and h; signatures of all trees on random data; evaluated trees "
    "counted in runs of the search",
    hypotheses="a feature may repeat on a path",
    rests_on=("T_h > d T_{h-1}^2 unrolled from T_0 = 2 gives d^{2^h - 1} 2^{2^h}",),
)
def search_space_growth(d, h, *, power=1, below=None):
    r"""The number of trees of depth at most $h$ over $d$ binary features is $T_h = 2 + d T_{h-1}^2$, $T_0 = 2$, so that
    $\log_2 T_h \ge (2^h - 1)\log_2 d + 2^h$; the number of distinct signatures on $n$ samples is at most $\min(2^n, T_h)$, and the search evaluates
    $2NG + N$ trees, whatever $h$ and $d$ are.
    """
    if below == "d^(2^h)":
        return count_trees(d, h), d ** (2**h)
    return (d * power) ** (2**h - 1) * 2 ** (2**h), count_trees(d, h)


@search_space_growth.proof("induction", covers="all h and d: one step")
def _induction(*, lost=0):
    """With T >= B for B = d^{m-1} 2^m: 2 + d T^2 >= d B^2, which is d^{2m-1} 2^{2m}."""
    B, more, d = symbols("B more d", nonnegative=True)
    yield le(d * B**2 + lost, 2 + d * (B + more) ** 2)


@search_space_growth.check(
    "enumeration",
    domain={"d": Choices(5, 1, 2, 3, 4), "h": ByBudget(quick=Integers(0, 2), full=Integers(0, 3))},
    where=lambda d, h: h < 3 or d <= 2,
    every=True,
)
def _enumeration(d, h, *, leaves=2, level=False):
    """All trees, written out; no two are equal."""
    found = len({repr(tree) for tree in enumerate_trees(d, h)})
    claimed = leaves + d * count_trees(d, h - 1) ** 2 if h else 2
    yield "count", eq(found, d**h if level else claimed)


@search_space_growth.check("signatures", family=DATA)
def _signatures(d, n, h, X, labels, *, doubling=1):
    """Distinct vectors of predictions of all trees."""
    data = data_of(X, labels)
    distinct = {tuple(predict(tree, x) for x, _, _ in data) for tree in enumerate_trees(d, h)}
    yield "signatures", le(len(distinct), min(2**n // doubling, count_trees(d, h)))


@search_space_growth.check(
    "evaluations",
    domain={"d": Choices(3, 5), "h": Choices(1, 2), "N": Choices(4, 10), "G": Choices(3, 8)},
    every=True,
)
def _evaluations(d, h, N, G, *, offspring=2):
    """Trees whose fitness a run has asked for, counted with repetitions."""
    import numpy as np

    rng = np.random.default_rng(d + h)
    trees = space(planted(rng, 1, 20, d, 0.1), h)
    trace = evolve(rng, trees, rng.integers(0, trees.fits.shape[1], (1, N)), Variant(), G)
    yield "evaluations", eq(sum(seen.shape[1] for seen in trace.visited), offspring * N * G + N)


search_space_growth.mutant("T_h = d T_{h-1}^2: leaves forgotten", leaves=0, breaks="count")
search_space_growth.mutant("d^h trees, one feature a level", level=True, breaks="count")
search_space_growth.mutant("log2 T_h at most 2^h log2 d", below="d^(2^h)", breaks="growth")
search_space_growth.mutant("a bound of the growth with 10 d/9 for d", power=Q(10, 9), breaks="growth")
search_space_growth.mutant("one step gains more than 2", lost=3, breaks="induction")
search_space_growth.mutant("at most 2^{n-1} signatures", doubling=2, breaks="signatures")
search_space_growth.mutant("N G + N evaluations", offspring=1, breaks="evaluations")
