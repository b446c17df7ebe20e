"""How many samples are necessary: all labelings of a grid are equally expressible, and unseen labels cannot be known."""

from __future__ import annotations

from itertools import pairwise, product
from math import comb

from flint import arb, fmpq

from solvers.conic import certify
from solvers.shallow_hull import logistic_problem
from solvers.shallow_relu import interpolating
from theorems import Choices, Integers, Minimum, Q, curve, eq, le, lt, shared, symbols
from theorems.papers.expressive_generalization.paper import PAPER, copies, hull, loss, near_minimiser

HALF = Q(1, 2)
WIDE = 40  # width of the class whose minimisers are looked at


@PAPER.identity(
    source="necessity of N >= O(W0) samples (abstract); statement and constants derived",
    fidelity="derived",
    evidence="proved",
    domain={"m": Integers(2, 9)},
    exhaustive=True,
    part="(i)",
    method="all labelings of m <= 9 points in exact rationals; (ii) three rules with all samples and labelings for m <= 5, N <= 4, and every guess of "
    "at most 5 unseen labels, which makes up every rule; log(1+t) <= t in symbols",
    hypotheses="points j/(m-1), uniform; the rule is deterministic and keeps the labels that it has seen",
    not_established="(i) for m > 9, (ii) for m > 5 or N > 4 beyond the arguments by hand: slopes change by at most 4c(m-1) = 1; given the sample, an "
    "unseen label is uniform and independent of it. Which minimisers of the cross-entropy keep the seen labels is decided for m = 3, W = 40 only, on "
    "those that the programs return",
    rests_on=(
        "(ii) once the sample is fixed, a deterministic rule is a guess of the unseen labels for each labeling of the seen points, so that what is true "
        "of every guess is true of every rule",
    ),
)
def necessary_sample_size(m, *, confidence=1):
    r"""Let $D$ be uniform on $x_j = j/(m-1)$, $0 \le j < m$, with some labels. (i) For each of the $2^m$ labelings $D$ is expressed by $H_{m-1}(1)$ with
    confidence $c = 1/(4(m-1))$. (ii) For every deterministic rule that labels all points from the sample and keeps the seen labels (such as
    any selection of cross-entropy minimisers of large width), the accuracy averaged over all labelings and all $N$-samples equals
    $1 - \frac12 (1 - 1/m)^N$. Hence some labeling needs $N \ge \ln(1/(2\eta))/(-\ln(1 - 1/m)) \ge (m-1) \ln(1/(2\eta))$ samples for expected
    accuracy $1 - \eta$, more than the width $m - 1$ as soon as $\eta < 1/(2e)$.
    """
    points = [Q(j, m - 1) for j in range(m)]
    c = confidence * Q(1, 4 * (m - 1))
    labelings = list(product((1, -1), repeat=m))
    networks = [interpolating(points, [c * y for y in labels]) for labels in labelings]
    values = [F.values([(x,) for x in points]) for F in networks]
    yield "(i) confidence 1/(4(m-1))", eq(values, [[c * y for y in labels] for labels in labelings])
    yield "(i) width m - 1", eq([F.width for F in networks], [m - 1] * len(networks))
    yield "(i) parameters in [-1, 1]", le(max(F.largest_parameter for F in networks), 1)


def nearest(m, seen):
    """Each unseen point takes the label of the nearest seen one, the left one on ties."""
    return [seen[min(seen, key=lambda i: (abs(i - j), i))] for j in range(m)]


def constant(m, seen):
    """Label 1 wherever nothing was seen."""
    return [seen.get(j, 1) for j in range(m)]


def opposed(m, seen):
    """Unseen points take the label that is rarer among the seen ones."""
    rare = -1 if sum(seen.values()) > 0 else 1
    return [seen.get(j, rare) for j in range(m)]


RULES = {"nearest neighbour": nearest, "constant": constant, "opposed": opposed}


def onto(N, s):
    """The number of sequences of length N that take exactly s given values."""
    return sum((-1) ** (s - i) * comb(s, i) * i**N for i in range(s + 1))


@necessary_sample_size.check(
    "(ii) rules", domain={"m": Integers(2, 5), "N": Integers(1, 4), "rule": Choices(*RULES)}, exhaustive=True
)
def _rules(m, N, rule, *, labelings="all", half=HALF, later=0):
    """The average over all labelings and samples, grouped by the set of seen points."""
    every = [y for y in product((1, -1), repeat=m) if labelings == "all" or sum(a != b for a, b in pairwise(y)) <= 1]
    right = 0
    for chosen in product((False, True), repeat=m):
        seen = [j for j in range(m) if chosen[j]]
        if seen and len(seen) <= N:
            hits = sum(a == b for y in every for a, b in zip(RULES[rule](m, {j: y[j] for j in seen}), y))
            right += onto(N, len(seen)) * hits
    yield "(ii) average accuracy", eq(Q(right, m ** (N + 1) * len(every)), 1 - half * (1 - Q(1, m)) ** (N + later))


@necessary_sample_size.check("(ii) guesses", domain={"unseen": Integers(0, 5)}, exhaustive=True)
def _guesses(unseen, *, half=HALF):
    """Whatever labels are guessed, all labelings of the unseen points together agree with half of the guesses."""
    every = list(product((1, -1), repeat=unseen))
    agreements = [sum(a == b for labels in every for a, b in zip(guess, labels)) for guess in every]
    yield "(ii) every guess is half right", eq(agreements, [half * unseen * len(every)] * len(every))


@shared
def minimiser(m: int, counts: tuple[int, ...], labels: tuple[int, ...]) -> tuple[fmpq, ...]:
    """Values at the m points of an element of R_40 whose empirical risk is least, up to the solver's accuracy."""
    points = tuple(Q(j, m - 1) for j in range(m))
    R = hull(points)
    masses = [Q(n, sum(counts)) for n in counts]
    found = certify(logistic_problem(R, labels, masses, WIDE))
    return near_minimiser(R, found).values


@necessary_sample_size.check("(ii) cross-entropy", domain={"m": Integers(3, 3), "N": Integers(1, 3)}, exhaustive=True)
def _cross_entropy(m, N, *, half=HALF, later=0):
    """The same average for near-minimisers of the cross-entropy over R_40, as certified programs return them."""
    kc = copies(WIDE, m - 1) * Q(1, 4 * (m - 1))
    yield "(ii) minimisers fit the sample", lt(lambda: N * loss(kc), lambda: arb(2).log())
    right, worst = 0, []
    for sample in product(range(m), repeat=N):
        counts = tuple(sample.count(j) for j in range(m))
        for y in product((1, -1), repeat=m):
            # the labels of unseen points are hidden from the rule
            values = minimiser(m, counts, tuple(b if n else 1 for b, n in zip(y, counts)))
            margins = [b * v for b, v in zip(y, values)]
            right += sum(v > 0 for v in margins)
            worst += [v for v, n in zip(margins, counts) if n]
    yield "(ii) seen labels are kept", lt(0, Q(int((100 * min(worst)).floor()), 100))
    yield (
        "(ii) average accuracy of minimisers",
        eq(Q(right, m ** (N + 1) * 2**m), 1 - half * (1 - Q(1, m)) ** (N + later)),
    )


def smallest(m, eta):
    """The least N with (1 - 1/m)^N / 2 <= eta."""
    N = 0
    while (1 - Q(1, m)) ** N > 2 * eta:
        N += 1
    return N


@necessary_sample_size.check(
    "numbers of samples",
    domain={"case": Choices((5, 8), (10, 16), (20, 32), (50, 80))},
    exhaustive=True,
)
def _numbers(case, *, rival="width"):
    """Samples that 90 % expected accuracy needs, against the width m - 1 and against (m-1) ln 5."""
    m, needed = case
    N = smallest(m, Q(1, 10))
    yield "samples for 90 % accuracy", eq(N, needed)
    yield "more samples than the width", lt(m - 1 if rival == "width" else 2 * (m - 1), N)
    yield "samples against the logarithm", le(lambda: (m - 1) * arb(5).log(), lambda: arb(N))
    for name, count in (("needed for 90 % accuracy", N), ("width m - 1", m - 1)):
        yield curve("Samples and width", [m], [count], series=name, mark="dots", axes=("points m", "samples N"))


@necessary_sample_size.proof(
    "logarithm",
    covers="all m >= 2 (t = 1/(m-1) > 0)",
    rests_on=(
        "(1 - 1/m)^N <= 2 eta is N (-ln(1 - 1/m)) >= ln(1/(2 eta)), and -ln(1 - 1/m) = ln(1 + 1/(m-1))",
        "the hardest of the averaged labelings is no easier than their average",
    ),
)
def _logarithm(*, slower=1):
    """-ln(1 - 1/m) <= 1/(m-1)."""
    import sympy

    t = symbols("t", positive=True)
    yield le(sympy.log(1 + t), slower * t, by=Minimum(t, at=0) if slower == 1 else None)


necessary_sample_size.mutant("confidence 2.5 % larger", confidence=Q(41, 40), breaks="(i) parameters in [-1, 1]")
necessary_sample_size.mutant("confidence 1/(2(m-1))", confidence=2, breaks="(i) parameters in [-1, 1]")
necessary_sample_size.mutant("monotone labelings only", labelings="monotone", breaks="(ii) average accuracy")
necessary_sample_size.mutant("1/4 in place of 1/2", half=Q(1, 4), breaks="(ii) average accuracy")
necessary_sample_size.mutant("1/2 replaced by 0.49", half=Q(49, 100), breaks="(ii) average accuracy")
necessary_sample_size.mutant("guesses 0.49 right", half=Q(49, 100), breaks="(ii) every guess is half right")
necessary_sample_size.mutant("exponent N + 1", later=1, breaks="(ii) average accuracy")
necessary_sample_size.mutant("1/(m-1) replaced by 0.99/(m-1)", slower=Q(99, 100), breaks="logarithm")
necessary_sample_size.mutant("more than twice the width", rival="double", breaks="more samples than the width")
