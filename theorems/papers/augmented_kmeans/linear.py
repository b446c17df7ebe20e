"""The excess is linear in the error rate, and on the reference assignment it is no better than that."""

from __future__ import annotations

from theorems import Choices, Q, curve, eq, le, slope
from theorems.papers.augmented_kmeans.clusters import ratio_bound, tight, worst_ratio
from theorems.papers.augmented_kmeans.medians import medians_ratio, star
from theorems.papers.augmented_kmeans.paper import PAPER

LIMITS = {"k-means": Q(5), "k-medians": Q(6)}
RATES = {
    "k-means": tuple(Q(1, 10 * 2**i) for i in range(7)),
    "k-medians": tuple(Q(1, 10 * 2**i) for i in range(5)),
}
LAST = 3  # rates of which the exponent is read off


def excess(problem, a):
    """R - 1 on the tight family, of just so many points that a m is an integer (for two of k-medians at least 20)."""
    if problem == "k-means":
        return worst_ratio(tight(a, m=int(a.q)), a) - 1
    return medians_ratio(star(a, m=max(int(a.q), 20)), a) - 1


def closed(problem, a):
    """The excess in closed form."""
    return ratio_bound(a, Q(1)) - 1 if problem == "k-means" else 6 * a / (1 - a)


@PAPER.rate(
    source="abstract: ratio 1 + O(a); that the excess is no less than linear, and its coefficients, derived",
    fidelity="derived",
    evidence="certified",
    domain={"problem": Choices("k-means", "k-medians")},
    every=True,
    method="exact ratios of the tight families of window-ratio and kmedians-ratio at a = 1/10, 1/20, ..., 1/640 (k-medians: 1/160); the "
    "exponent over the three smallest",
    hypotheses="ratios against the reference assignment",
    not_established="that the cost of the nearest centre (instead of the reference's) grows linearly as well",
)
def linear_in_alpha(problem, *, exponent=1, coefficient=1):
    r"""On the worst instances the excess is $R - 1 = a\,\frac{5 - 2a}{(1-2a)(1-a)}$ for k-means and at least $\frac{6a}{1-a}$ for k-medians: exponent 1
    as $a \to 0$, with the coefficients 5 and (at least) 6.
    """
    rates = RATES[problem]
    values = [excess(problem, a) for a in rates]
    yield "closed form", eq(values, [closed(problem, a) for a in rates])
    yield "exponent", slope(rates[-LAST:], values[-LAST:], exponent, within=Q(1, 20))
    c = coefficient * LIMITS[problem]
    yield "coefficient from below", le([c * a for a in rates], values)
    yield "coefficient from above", le([v / a - c for v, a in zip(values, rates)], [20 * a for a in rates])
    yield curve(
        "Excess on the worst instances",
        rates,
        [v / a for v, a in zip(values, rates)],
        series=problem,
        axes=("a", "(R - 1)/a"),
    )


linear_in_alpha.mutant("exponent 1/2", exponent=Q(1, 2), breaks="exponent")
linear_in_alpha.mutant("exponent 2", exponent=2, breaks="exponent")
linear_in_alpha.mutant("exponent 11/10", exponent=Q(11, 10), breaks="exponent")
linear_in_alpha.mutant("coefficients 4 and 24/5", coefficient=Q(4, 5), breaks="coefficient from above")
linear_in_alpha.mutant("coefficients 2 % smaller", coefficient=Q(49, 50), breaks="coefficient from above")
linear_in_alpha.mutant("coefficients 2 % larger", coefficient=Q(51, 50), breaks="coefficient from below")
