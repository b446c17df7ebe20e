"""Selection in linear time: the comparisons of quickselect, in expectation and as counted, against those of sorting."""

from __future__ import annotations

import math

from flint import arb

from solvers.selection import closed_form, harmonic, harmonic_ball, merge_sort, pivot_sequences, quickselect, recursion
from theorems import ByBudget, Choices, Integers, Q, curve, eq, le, lt, mean_eq, slope
from theorems.papers.augmented_kmeans.paper import PAPER

SHARE = Q(9, 10)  # rank k = ceil(.9 m): what trimming at a = 1/10 asks for


def rank(m):
    """ceil(.9 m)."""
    return int((SHARE * m).ceil())


def expected(m, k, term=2):
    """C(m, k) as a ball; `term` is the 2 of (k + 2) H_k."""
    return closed_form(m, k, harmonic_ball) + 2 * (2 - term) * harmonic_ball(k)


def sorting(m):
    """log2(m!): comparisons that every sort needs on average."""
    return arb(m + 1).lgamma() / arb(2).log()


def limit(share):
    """2 (1 - p ln p - (1-p) ln(1-p)), the limit of C(m, pm)/m."""
    p = arb(share)
    return 2 * (1 - p * p.log() - (1 - p) * (1 - p).log())


@PAPER.rate(
    source="abstract: linear instead of near-linear running time, because nothing is sorted; expected comparisons of quickselect after Knuth",
    fidelity="derived",
    evidence="certified",
    domain={"m": Choices(*(2**i for i in range(5, 17)))},
    every=True,
    method="the recursion over all pivots against the closed form in rationals; expectations in balls; the instrumented selection averaged over "
    "all its pivot sequences",
    hypotheses="distinct values, uniform random pivots; k = ceil(.9 m) unless said otherwise",
    not_established="time on a machine (comparisons are counted); C(m, k) <= (2 + 2 ln 2) m beyond the sizes seen, and beyond 2^9 (full 2^14) at other "
    "ranks than nine, five of them near m/2",
    rests_on=(
        "Knuth's closed form of the recursion beyond m = 15 (full 40), up to where they are compared",
        "a sort tells m! orders apart, so that it needs log2(m!) comparisons on average",
    ),
)
def linear_time(m, *, constant="2 + 2 ln 2", faster=True, second=8):
    r"""Each candidate of the sampler selects the $s$ nearest of $m$ values. Quickselect with uniform random pivots takes
    $$C(m, k) = 2\bigl[(m+1)H_m - (m+3-k)H_{m+1-k} - (k+2)H_k + m + 3\bigr] \le (2 + 2\ln 2)\, m$$
    comparisons in expectation to find rank $k$ of $m$, $H_n = \sum_{i \le n} \frac1i$, while sorting takes at least $\log_2 m! \sim m \log_2 m$ on
    average. For $k = \lceil 0.9 m\rceil$, $C(m, k) = 2(1 - 0.9\ln 0.9 - 0.1 \ln 0.1)\, m - 8 \ln m + O(1)$ (the $O(1)$ lies in
    $[8, 12]$ for the sizes seen): linear in $m$, while sorting takes $\Theta(\log m)$ times as many.
    """
    k = rank(m)
    bound = {"2 + 2 ln 2": lambda: (2 + 2 * arb(2).log()) * m, "3": lambda: arb(3 * m)}[constant]
    ranks = sorted({1, *range(max(1, m // 2 - 2), m // 2 + 3), m // 4, k, m})
    yield "ranks near m/2 and at the ends", le(lambda: [expected(m, r) for r in ranks], lambda: [bound()] * len(ranks))
    slow, fast = (lambda: sorting(m)), (lambda: expected(m, k))
    yield "fewer than sorting", lt(fast, slow) if faster else le(slow, fast)

    def rest():
        value = expected(m, k) - limit(SHARE) * m + second * arb(m).log()
        return [arb(8), value], [value, arb(12)]

    yield "two terms of the expansion", le(rest)


@linear_time.check("recursion", domain={"largest": ByBudget(quick=Choices(15), full=Choices(40))}, every=True)
def _recursion(largest, *, term=2):
    table = recursion(largest)
    values = [closed_form(m, k, harmonic) + 2 * (2 - term) * harmonic(k) for m, k in table]
    yield "closed form", eq(values, list(table.values()))


@linear_time.check(
    "all ranks", domain={"m": ByBudget(quick=Choices(2**5, 2**9), full=Choices(2**5, 2**9, 2**12, 2**14))}, every=True
)
def _all_ranks(m, *, constant="2 + 2 ln 2"):
    """All ranks of some sizes, the largest of which is near m/2."""
    bound = {"2 + 2 ln 2": lambda: (2 + 2 * arb(2).log()) * m, "3": lambda: arb(3 * m)}[constant]

    def values():
        H = [arb(0)]
        for i in range(1, m + 1):
            H.append(H[-1] + 1 / arb(i))
        return [closed_form(m, k, H.__getitem__) for k in range(1, m + 1)]

    yield "all ranks", le(lambda: largest(values()), bound)


def largest(balls):
    """The maximum of some balls."""
    best = balls[0]
    for b in balls[1:]:
        best = best.max(b)
    return best


@linear_time.check("growth", domain={"first": Choices(9)}, every=True)
def _growth(first, *, algorithm="selection"):
    sizes = [2**i for i in range(first, 17)]
    counts = {
        "selection": lambda: [expected(m, rank(m)) for m in sizes],
        "sorting": lambda: [sorting(m) for m in sizes],
    }
    yield "exponent of selection", slope(sizes, counts[algorithm], 1, within=Q(1, 40))
    per_value = [lambda m=m, f=counts["sorting"]: sorting(m) / m for m in sizes]
    yield "sorting per value", slope(sizes, per_value, lambda: 1 / arb(2).log(), within=Q(1, 20), axes="semilogx")
    yield curve(
        "Comparisons per value",
        sizes,
        [expected(m, rank(m)) / m for m in sizes],
        series="selection",
        axes=("m", "comparisons/m"),
    )
    yield curve("Comparisons per value", sizes, [sorting(m) / m for m in sizes], series="sorting (at least)")


def permuted(m):
    """A fixed order of 0, ..., m - 1 without much structure."""
    step = next(s for s in range(int(m * 0.618) | 1, 2 * m + 3, 2) if math.gcd(s, m) == 1)
    return [i * step % m for i in range(m)]


@linear_time.check("implementation", domain={"m": Integers(1, 7), "half": Choices(False, True)}, every=True)
def _implementation(m, half, *, submitted="selection"):
    """The instrumented selection, averaged over all pivot sequences."""
    k = (m + 1) // 2 if half else rank(m)
    values = permuted(m)
    runs = list(pivot_sequences(values, k))
    average = sum((p * count for p, _, count in runs), Q(0))
    if submitted != "selection":
        average = Q(merge_sort(values)[1] if submitted == "sorting" else quickselect(range(m), k, lambda n: 0)[1])
    yield "comparisons of the implementation", eq(average, recursion(m)[m, k])
    yield "what it selects", eq([found for _, found, _ in runs], [sorted(values)[k - 1]] * len(runs))


@linear_time.crosscheck("random pivots", domain={"m": ByBudget(quick=Choices(64), full=Choices(64, 128))}, every=True)
def _random_pivots(m):
    """Comparisons over m are at most (m - 1)/2, which bounds the draws."""

    def draw(rng):
        values = rng.permutation(m).tolist()
        return quickselect(values, rank(m), lambda n: int(rng.integers(n)))[1] / m

    yield (
        "mean of selections",
        mean_eq(draw, lambda: expected(m, rank(m)) / m, support=(0, Q(m - 1, 2)), within=Q(1), limit=4000),
    )


linear_time.mutant("constant 3 for every rank", constant="3", breaks=("ranks near m/2 and at the ends", "all ranks"))
linear_time.mutant("(k + 1) H_k in the closed form", term=1, breaks="closed form")
linear_time.mutant("C(m, k) >= log2(m!)", faster=False, breaks="fewer than sorting")
linear_time.mutant("- 7 ln m in the expansion", second=7, breaks="two terms of the expansion")
linear_time.mutant(
    "sorting submitted as the selection step", submitted="sorting", breaks="comparisons of the implementation"
)
linear_time.mutant(
    "sorting submitted as the selection step, at large m", algorithm="sorting", breaks="exponent of selection"
)
linear_time.mutant(
    "the first of sorted values as the pivot", submitted="first pivots", breaks="comparisons of the implementation"
)
