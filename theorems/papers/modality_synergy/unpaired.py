"""Texts paired at random: what the training loss pulls towards, and when the pull helps."""

from __future__ import annotations

from itertools import permutations
from math import factorial
from typing import Any

from flint import fmpq

from theorems import Arrays, Choices, Combination, Integers, Q, eq, le, lt, symbolic, symbols
from theorems.papers.modality_synergy.mixtures import ONE
from theorems.papers.modality_synergy.paper import PAPER

TENTHS = Choices(*(Q(k, 10) for k in (5, 1, 8, 2, 3, 4, 6, 7)))


def objective(z: Any, visual: Any, texts: Any, lam: Any) -> Any:
    """The loss averaged over all pairings of samples and texts, for scalar features."""
    n = len(z)
    paired = sum((z[i] - texts[pairing[i]]) ** 2 for pairing in permutations(range(n)) for i in range(n))
    return (1 - lam) * sum((a - v) ** 2 for a, v in zip(z, visual)) + lam * paired / factorial(n)


def targets(visual: Any, texts: Any, lam: Any, pull: str = "mean") -> list[Any]:
    """The claimed minimiser, one value a sample."""
    n = len(texts)
    towards = {
        "mean": [sum(texts) / n] * n,
        "own": texts,
        "others": [(sum(texts) - t) / (n - 1) for t in texts],
    }[pull]
    return [(1 - lam) * v + lam * t for v, t in zip(visual, towards)]


@PAPER.identity(
    source="the public training loop: mean squared error to the embedding of a randomly permuted class prompt",
    fidelity="derived",
    evidence="proved",
    method="the average over all n! pairings, as a polynomial identity; recomputed at integer data in two dimensions",
    rests_on=("squared distances are sums over coordinates, so one coordinate is enough",),
    not_established="more than 5 samples in a batch",
)
def unpaired_objective_minimiser():
    r"""The unpaired objective $J(z) = \frac{1}{n!}\sum_\pi \sum_i \big[(1-\lambda)\|z_i - r_{V,i}\|^2 + \lambda\|z_i - t_{\pi(i)}\|^2\big]$ satisfies
    $$J(z) = J(z^0) + \sum_i \|z_i - z^0_i\|^2, \qquad z^0_i = (1-\lambda) r_{V,i} + \lambda \frac1n \sum_j t_j,$$
    so random pairing shrinks every representation towards the mean of the texts.
    """


@unpaired_objective_minimiser.proof(
    "completed square", covers="batches of n = 2, 3, 4, 5, all data of every dimension, all lam"
)
def _completed_square(*, pull="mean", growth="one"):
    lam = symbols("lam")
    for n in (2, 3, 4, 5):
        z, visual, texts = symbols(f"z:{n}"), symbols(f"r:{n}"), symbols(f"t:{n}")
        best = targets(visual, texts, lam, pull)
        square = sum((a - b) ** 2 for a, b in zip(z, best))
        factor = {"one": 1, "lam": lam}[growth]
        yield eq(objective(z, visual, texts, lam), objective(best, visual, texts, lam) + factor * square)


@unpaired_objective_minimiser.crosscheck(
    "integer data",
    domain={
        "lam": TENTHS,
        "visual": Arrays(Integers(-3, 3), (2, 4)),
        "texts": Arrays(Integers(-3, 3), (2, 4)),
        "step": Arrays(Integers(-7, 7), (2, 4)),
    },
    quick=6,
    full=60,
)
def _integer_data(lam, visual, texts, step):
    """Four samples in the plane, steps in sevenths away from the minimiser."""
    total = moved = least = fmpq(0)
    for d in range(2):
        r, t = ([fmpq(int(A[d, j])) for j in range(4)] for A in (visual, texts))
        best = targets(r, t, lam)
        steps = [fmpq(int(step[d, j]), 7) for j in range(4)]
        total += objective([b + s for b, s in zip(best, steps)], r, t, lam)
        least += objective(best, r, t, lam)
        moved += sum((s * s for s in steps), fmpq(0))
    return total, least + moved


unpaired_objective_minimiser.mutant("each text with its own sample", pull="own", breaks="completed square")
unpaired_objective_minimiser.mutant("the mean of the other texts", pull="others", breaks="completed square")
unpaired_objective_minimiser.mutant("growth lam", growth="lam", breaks="completed square")


def shrunk(lam: Any, s: Any, V: Any) -> Any:
    """M_u(lam), the expected squared error after shrinkage."""
    return (1 - lam) ** 2 * s + lam**2 * V


@PAPER.bound(
    source="the assertion of the abstract, without pairs; window derived",
    fidelity="derived",
    evidence="proved",
    method="positivity certificates in sigma^2, V, lam; the error itself as an identity on finite populations",
    hypotheses="sigma^2 > 0, V > 0; noise of mean zero, uncorrelated with the ideal representation",
    rests_on=(
        "a noise of mean zero enters the expected square by its second moment only, so the values +-e stand for all",
        "squared distances are sums over coordinates, so one coordinate is enough",
    ),
)
def unpaired_shrinkage_window():
    r"""Let $r_V = r^\star + e_V$ with $\sigma^2 = \mathbb{E}\|e_V\|^2 > 0$, let $\mu$ be the mean of the texts and
    $V = \mathbb{E}\|r^\star - \mu\|^2 > 0$. Shrinkage has the error
    $M_u(\lambda) = \mathbb{E}\|(1-\lambda) r_V + \lambda\mu - r^\star\|^2 = (1-\lambda)^2\sigma^2 + \lambda^2 V$. For $0 < \lambda \le 1$,
    $M_u(\lambda) < M_u(0)$ if and only if $\lambda < \frac{2\sigma^2}{\sigma^2+V}$; the optimum is $\lambda^\star = \frac{\sigma^2}{\sigma^2+V}$ with
    $M_u^\star = \frac{\sigma^2 V}{\sigma^2 + V} < \sigma^2$, and $\partial M_u^\star/\partial V = (\lambda^\star)^2 > 0$: unpaired texts help for every small
    $\lambda$, and more when their mean is closer.
    """


@unpaired_shrinkage_window.proof(
    "error", covers="populations of 1 to 4 ideal representations with noise +-e, every mu, all lam"
)
def _error(*, gap=True):
    lam, mu, e = symbols("lam mu e")
    for size in (1, 2, 3, 4):
        ideal = symbols(f"r:{size}") if size > 1 else (symbols("r0"),)
        mean = sum(ideal) / size
        V = sum((r - (mu if gap else mean)) ** 2 for r in ideal) / size
        errors = [((1 - lam) * (r + sign * e) + lam * mu - r) ** 2 for r in ideal for sign in (1, -1)]
        yield eq(sum(errors) / len(errors), shrunk(lam, e**2, V))


@unpaired_shrinkage_window.proof("window", covers="all sigma^2, V > 0 and all lam > 0")
def _window(*, window=ONE, reach=ONE):
    s, V, lam = symbols("s V lam", positive=True)
    inside = 2 * s * symbolic(window) - lam * (s + V)
    by = Combination([(1, 1, (lam, inside))]) if window == 1 else None
    yield "inside", lt(shrunk(lam, s, V), s, given=[inside > 0], by=by)
    outside = lam * (s + V) - 2 * s * symbolic(reach)
    by = Combination([(1, 1, (lam, outside))]) if reach == 1 else None
    yield "outside", le(s, shrunk(lam, s, V), given=[outside], by=by)


@unpaired_shrinkage_window.proof("optimum", covers="all sigma^2, V > 0, all lam")
def _optimum(*, slope="squared"):
    s, V = symbols("s V", positive=True)
    lam = symbols("lam")
    star = s / (s + V)
    best = s * V / (s + V)
    yield "value", eq(shrunk(lam, s, V) - best, (s + V) * (lam - star) ** 2)
    yield "value", lt(best, s)
    yield "closer is better", eq(best.diff(V), {"squared": star**2, "none": 0, "linear": star}[slope])


unpaired_shrinkage_window.mutant("the window 3 sigma^2/(sigma^2 + V)", window=Q(3, 2), breaks="inside")
unpaired_shrinkage_window.mutant("the window 5 % wider", window=Q(21, 20), breaks="inside")
unpaired_shrinkage_window.mutant("the window 5 % narrower", reach=Q(19, 20), breaks="outside")
unpaired_shrinkage_window.mutant("V without the gap between the means", gap=False, breaks="error")
unpaired_shrinkage_window.mutant("a gain independent of V", slope="none", breaks="closer is better")
unpaired_shrinkage_window.mutant("derivative lam*", slope="linear", breaks="closer is better")

CLASSES = 4
TEXTS = PAPER.family(
    "class-texts",
    means=Arrays(Integers(-5, 5), (CLASSES, 2)),
    offsets=Arrays(Integers(-20, 20), (CLASSES, 2)),
    spread=Choices(1, 4, 2, 8, 3),
    noise=Choices(Q(1), Q(1, 4), Q(9)),
    quick=60,
    full=400,
)


def least(error: Any) -> fmpq:
    """The minimum of a convex quadratic, from three exact values."""
    low, middle, high = error(Q(0)), error(Q(1, 2)), error(Q(1))
    bend = 2 * (low + high - 2 * middle)
    slope = high - low - bend
    return low - slope * slope / (4 * bend)


@PAPER.bound(
    source="class prompts beside unpaired prompts; comparison derived",
    fidelity="derived",
    evidence="certified",
    family=TEXTS,
    method="the expected error of each mixture on a population of class means with noise +-e, its minimum from three exact values",
    hypotheses="the ideal representation of a class is its mean m_k; texts m_k + b_k, offsets in quarters over a common divisor",
)
def class_text_vs_unpaired(means, offsets, spread, noise, *, always=False, gap=True):
    r"""Let classes $k = 1..K$ have means $m_k$ and texts $t_k = m_k + b_k$; let $\mu = \frac1K\sum_k t_k$, $V_{class} = \frac1K \sum_k\|b_k\|^2$ and
    $V_{unp} = \frac1K\sum_k \|m_k - \bar m\|^2 + \|\bar m - \mu\|^2$. The least expected error of mixtures with the class's own text is at
    most that of mixtures with unpaired texts if and only if $V_{class} \le V_{unp}$.
    """
    m = [[fmpq(int(means[k, d])) for d in range(2)] for k in range(CLASSES)]
    b = [[fmpq(int(offsets[k, d]), 4 * spread) for d in range(2)] for k in range(CLASSES)]
    t = [[x + y for x, y in zip(*pair)] for pair in zip(m, b)]
    mean, mu = average(m), average(t)
    of_class = sum((square(x) for x in b), fmpq(0)) / CLASSES
    of_means = sum((square(minus(x, mean)) for x in m), fmpq(0)) / CLASSES
    unpaired = of_means + square(minus(mean, mu)) * gap
    yield "decomposition", eq(sum((square(minus(x, mu)) for x in m), fmpq(0)) / CLASSES, unpaired)
    e = [noise, -2 * noise]

    def error(lam: fmpq, texts: Any) -> fmpq:
        """The mean over classes and over the noises e, -e."""
        total = fmpq(0)
        for ideal, text in zip(m, texts):
            for sign in (1, -1):
                seen = [x + sign * y for x, y in zip(ideal, e)]
                total += square([(1 - lam) * x + lam * y - z for x, y, z in zip(seen, text, ideal)])
        return total / (2 * CLASSES)

    with_class, without = least(lambda lam: error(lam, t)), least(lambda lam: error(lam, [mu] * CLASSES))
    if of_class <= unpaired or always:
        yield "class texts are better", le(with_class, without)
    else:
        yield "unpaired texts are better", lt(without, with_class)


def average(vectors: Any) -> list[fmpq]:
    """The mean of some vectors."""
    return [sum(x, fmpq(0)) / len(vectors) for x in zip(*vectors)]


def minus(x: Any, y: Any) -> list[fmpq]:
    """x - y."""
    return [a - b for a, b in zip(x, y)]


def square(x: Any) -> fmpq:
    """|x|^2."""
    return sum((v * v for v in x), fmpq(0))


class_text_vs_unpaired.mutant("class texts are always better", always=True, breaks="class texts are better")
class_text_vs_unpaired.mutant(
    "V of unpaired texts without the gap between the means",
    gap=False,
    breaks=("decomposition", "unpaired texts are better"),
)
