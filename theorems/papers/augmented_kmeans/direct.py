"""Centres found directly in R^d: the heuristic of the abstract, with the guarantee that the trimming argument gives it."""

from __future__ import annotations

from flint import arb, fmpq

from theorems import Arrays, Choices, Given, Integers, Q, eq, le
from theorems.papers.augmented_kmeans.clusters import (
    Cluster,
    Clusters,
    coordinates,
    least_cost,
    optimum,
    ratio_bound,
    squared_distances,
    swapped,
    tight,
)
from theorems.papers.augmented_kmeans.paper import PAPER
from theorems.papers.augmented_kmeans.sampler import Direct, direct_outcomes, enough_draws, law_of_best
from theorems.papers.augmented_kmeans.window import fair


def cross(d: int, extra: int, wrong: int) -> Clusters:
    """2d points at distance 1 from 2d + extra copies of their mean, and far false positives: about half of Q is far from its mean."""
    units = [tuple(s * (i == j) for j in range(d)) for i in range(d) for s in (1, -1)]
    far = [tuple(1000 * (n + 2) * (j == n % d) for j in range(d)) for n in range(wrong)]
    return (Cluster(tuple([(0,) * d] * (2 * d + extra) + units), tuple(far), ()),)


def two_clusters(name, gap):
    """Integer points about two centres in space, `gap` apart, the extreme ones swapped."""
    return PAPER.family(
        name,
        a=Choices(Q(1, 10), Q(1, 5)),
        delta=Q(1, 10),
        gap=gap,
        noise=Arrays(Integers(-30, 30), (60, 3)),
        clusters=Given(lambda noise, gap, a: swapped((30, 30), gap, noise, a)),
        where=lambda clusters, a: fair(clusters, a),
        quick=1,
        full=30,
    )


FAR, NEAR = two_clusters("far-clusters-in-space", 10**4), two_clusters("near-clusters-in-space", 40)
LINE = PAPER.family(
    "tight-line",
    a=Choices(Q(1, 10), Q(1, 4), Q(1, 20), Q(2, 5)),
    delta=Q(1, 10),
    clusters=Given(lambda a: tight(a, t=Q(1, 10**6))),
    every=True,
)
CROSS = PAPER.family(
    "half-far-from-the-mean",
    d=Choices(4, 8),
    extra=Choices(1, -1),
    wrong=Choices(1, 3),
    a=Given(lambda d, extra, wrong: Q(wrong, 4 * d + extra + wrong)),
    delta=Q(1, 10),
    clusters=Given(cross),
    every=True,
)


def claimed(a, form):
    """B_3(a), or what a mutant claims."""
    if form == "B_3":
        return ratio_bound(a, arb(3).sqrt())
    return arb({"1 + a": 1 + a, "4.9": ratio_bound(a, Q(1), Q(49, 50))}[form])


def reference_cost(cluster: Cluster, centre) -> fmpq:
    """The cost of P* at a centre."""
    pairs = zip(coordinates(cluster.reference), centre)
    return sum((squared_distances(column, c) for column, c in pairs), Q(0))


def plain(cluster: Cluster, a) -> list[Direct]:
    """The mean of P whatever is drawn: no trimming."""
    mean = tuple(sum(column, Q(0)) / len(column) for column in coordinates(cluster.predicted))
    return [Direct(Q(0), mean) for _ in cluster.predicted]


def probability_above(laws, level: fmpq) -> fmpq:
    """P(sum > level) for independent sums with the given finite laws."""
    total = [(Q(1), Q(0))]
    for law in laws:
        total = [(p * q, x + y) for p, x in total for q, y in law]
    return sum((p for p, x in total if x > level), Q(0))


@PAPER.bound(
    source="the heuristic that finds centres directly (abstract); guarantee derived",
    fidelity="derived",
    evidence="certified",
    family=(LINE, FAR, NEAR, CROSS),
    method="the subset that each point leads to, exactly; the law of the best of N draws, hence the law of R for one or two clusters, in "
    "rationals. Ties among nearest points are won by false positives, ties between draws by the more expensive centre",
    hypotheses="error rate a < 1/2; ties among nearest points broken as stated",
    not_established="anything between B_1 and B_3: the ratio reaches B_1 on the tight line and is not seen to come near B_3; that so many draws "
    "are needed (the probability is far below delta)",
    rests_on=("the argument of window-ratio holds verbatim in R^d for subsets of cost at most lambda cost(Q)",),
)
def direct_centre_ratio(a, delta, clusters, *, form="B_3", trimmed=True, constant=3, share=1):
    r"""Let $N = \lceil \ln(k/\delta)/(-\ln(1 - \frac{1-a}2)) \rceil$, $a < \frac12$. For each cluster draw $x$ uniformly from $P_i \subset
    \mathbb{R}^d$, $N$ times; keep the $x$ whose $s_i = \lceil (1-a)|P_i| \rceil$ nearest points have the least total squared distance to it,
    and let $c_i$ be the mean of these points. (i) $x$ uniform in $Q$ gives $\mathbb{E}\, \mathrm{cost}(Q, x) = 2\, \mathrm{cost}(Q, \mathrm{mean}\, Q)$.
    (ii) One draw has a total of at most $3\, \mathrm{cost}(Q_i, \mathrm{mean}\, Q_i)$ with probability at least $\frac{1-a}2$.
    (iii) With probability at least $1 - \delta$,
    $$R \le B_3(a) = 1 + \frac{(1 + \sqrt3)^2 a + a(1-2a)}{(1-2a)(1-a)}.$$
    """
    opt = optimum(clusters)
    N = enough_draws(a, delta / len(clusters))
    success, laws, worst = [], [], Q(0)
    for cluster in clusters:
        found = direct_outcomes(cluster, a) if trimmed else plain(cluster, a)
        costs = [reference_cost(cluster, o.centre) for o in found]
        limit = constant * least_cost(cluster.common)
        success.append(Q(sum(o.distance <= limit for o in found), len(found)))
        worst += max((c for o, c in zip(found, costs) if o.distance <= limit), default=Q(0))
        laws.append(law_of_best([(o.distance, c / opt) for o, c in zip(found, costs)], N))
    yield "one draw", le(share * (1 - a) / 2, success)
    yield "ratio of good draws", le(worst / opt, lambda: claimed(a, form))
    level = below(claimed(a, form))
    yield "probability of a larger ratio", le(probability_above(laws, level), delta)


def below(ball: arb) -> fmpq:
    """A rational number just below a ball: events about it contain those about the ball."""
    return fmpq(int((ball.lower() * 10**12).floor().unique_fmpz()), 10**12)


@direct_centre_ratio.check("mean over draws", family=(LINE, CROSS))
def _mean_over_draws(clusters, *, twice=2):
    """E cost(Q, x) = 2 cost(Q)."""
    for cluster in clusters:
        points = [tuple(map(Q, p)) for p in cluster.common]
        total = sum(
            (sum((squared_distances(column, c) for column, c in zip(coordinates(points), x)), Q(0)) for x in points),
            Q(0),
        )
        yield "mean over draws", eq(total / len(points), twice * least_cost(points))


direct_centre_ratio.mutant(
    "no trimming: means of the predicted clusters",
    trimmed=False,
    on="far-clusters-in-space",
    breaks="probability of a larger ratio",
)
direct_centre_ratio.mutant("ratio 1 + a", form="1 + a", breaks="probability of a larger ratio")
direct_centre_ratio.mutant("numerator 4.9a - 2a^2", form="4.9", breaks="probability of a larger ratio")
direct_centre_ratio.mutant("3 cost(Q) replaced by 2.9 cost(Q)", constant=Q(29, 10), breaks="one draw")
direct_centre_ratio.mutant("probability 11/20 (1 - a)", share=Q(11, 10), breaks="one draw")
direct_centre_ratio.mutant("E cost(Q, x) = 19/10 cost(Q)", twice=Q(19, 10), breaks="mean over draws")
