"""One expert for each task: exact forgetting and generalisation, and when they beat those of a single expert."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from theorems import (
    Arrays,
    ByBudget,
    Choices,
    Given,
    Integers,
    Q,
    Rationals,
    bracket,
    curve,
    eq,
    le,
    lt,
    slope,
    symbols,
)
from theorems.papers.moe_continual.paper import PAPER
from theorems.papers.moe_continual.projections import (
    averages,
    mean_square,
    model_gap,
    one_expert,
    own_expert,
    pool_of,
)
from theorems.papers.moe_continual.recursion import ISOTROPIC

SIZES = {
    "quick": Choices((3, 1, 4, 2), (3, 2, 4, 2), (2, 2, 4, 2)),
    "full": Choices((3, 1, 4, 2), (3, 2, 4, 2), (2, 2, 4, 2), (2, 1, 5, 2), (3, 1, 3, 3), (3, 2, 4, 1)),
}
CELLS = PAPER.family(
    "cells",
    size=ByBudget(**SIZES),
    w=Given(lambda size: Arrays(Integers(-5, 5), (size[3], size[0]))),
    quick=6,
    full=60,
)
HYPOTHESES = f"M = N, task n always to expert n; tasks independent and uniform; {ISOTROPIC}"


def generalisation_of_moe(T, r, W, N, *, late=0):
    """E G_T with one expert for each task."""
    return W * r * (1 - (1 - r) / N) ** (T - 1 + late)


def critical_gap(T, r, W, N, *, late=0):
    """D*(T): the model gap from which on the experts win."""
    return (generalisation_of_moe(T, r, W, N, late=late) - r**T * W) / ((1 - Q(1, T)) * (1 - r**T))


@PAPER.transition(
    source="benefit of a mixture of experts over a single one (abstract); threshold derived",
    fidelity="derived",
    evidence="certified",
    family=CELLS,
    method="all task sequences and all sequences of coordinate subsets, (d, s, T, N) = `size`; the threshold along a line of pools by exact "
    "enumeration on both sides of it; the threshold's decay in balls",
    hypotheses=HYPOTHESES,
    not_established="routing that is learned (see gating-must-terminate)",
)
def moe_beats_single_threshold(size, w, *, late=0, always=False, shared=False):
    r"""$M = N$ experts with task $n$ always routed to expert $n$, $\bar W = \frac1N \sum_n |w_n|^2$, $r = 1 - s/d$:
    $\mathbb{E} G_T = \bar W r \bigl(1 - \frac{1-r}N\bigr)^{T-1}$ and $\mathbb{E} F_T \le 0$. For $r < 1$ and $T \ge 2$ this is less than the
    single expert's $\mathbb{E} G_T$ iff the model gap satisfies
    $$D > D^*(T) = \bar W\, \frac{r\bigl(1 - \frac{1-r}N\bigr)^{T-1} - r^T}{(1 - \frac1T)(1 - r^T)};$$
    $D^*(T) > 0$ for $0 < r < 1$ and $N \ge 2$ (with identical tasks a single expert is better), and $D^*(T) \to 0$ like
    $\bigl(1 - \frac{1-r}N\bigr)^T$: any positive gap favours the experts eventually.
    """
    d, s, T, N = size
    pool, r = pool_of(w), 1 - Q(s, d)
    W, D = mean_square(pool), model_gap(pool)
    experts, single = averages(pool, s, T, own_expert), averages(pool, s, T, one_expert)
    predicted = [generalisation_of_moe(t, r, W, N, late=late) for t in range(1, T + 1)]
    yield "generalisation", eq(list(experts.generalisation.values()), predicted)
    yield "no forgetting", le(list((single if shared else experts).forgetting.values()), 0)
    gains = [single.generalisation[t] - experts.generalisation[t] for t in range(2, T + 1)]
    thresholds = [Q(0) if always else critical_gap(t, r, W, N) for t in range(2, T + 1)]
    factors = [(1 - Q(1, t)) * (1 - r**t) for t in range(2, T + 1)]
    yield "gain", eq(gains, [f * (D - D0) for f, D0 in zip(factors, thresholds)])


@moe_beats_single_threshold.check(
    "threshold",
    domain={
        "size": ByBudget(
            quick=Choices((3, 1, 3), (3, 2, 4)), full=Choices((3, 1, 3), (3, 2, 4), (3, 1, 4), (2, 1, 5), (4, 3, 3))
        ),
    },
    every=True,
)
def _threshold(size, *, always=False, late=0):
    """N = 2, w_1 = (4, 0, ...), w_2 = w_1 + x (0, 4, ...): D = 8 x^2, Wbar = 16 + 8 x^2."""
    d, s, T = size
    r = 1 - Q(s, d)
    k = critical_gap(T, r, Q(1), 2, late=late)

    def predicted():
        return arb(0) if always else (arb(2 * k) / (1 - arb(k))).sqrt()

    def gain(x):
        scale = int(x.q)
        pool = ((4 * scale, *[0] * (d - 1)), (4 * scale, int(4 * x.p), *[0] * (d - 2)))
        return averages(pool, s, T, one_expert).generalisation[T] - averages(pool, s, T, own_expert).generalisation[T]

    near = int((predicted() * 100).floor().unique_fmpz())
    control = sorted({Q(0), Q(near, 200), Q(near, 100), Q(near + 1, 100), Q(near + 20, 100), Q(3)})
    yield "threshold", bracket(predicted, control, gain, level=0)


@moe_beats_single_threshold.check(
    "decay", domain={"r": Choices(Q(3, 5), Q(1, 3), Q(9, 10)), "N": Choices(2, 10)}, every=True
)
def _decay(r, N, *, alone=False, late=0):
    sizes = (100, 200, 300, 400)
    gaps = [lambda T=T: critical_gap(T, arb(r), arb(1), N, late=late) for T in sizes]
    rate = (lambda: arb(r).log()) if alone else (lambda: arb(1 - (1 - r) / N).log())
    yield "decay of the threshold", slope(sizes, gaps, rate, within=Q(1, 10**4), axes="semilogy")
    rounds = range(2, 41)
    yield curve(
        "Critical model gap",
        rounds,
        [critical_gap(T, arb(r), arb(1), N) for T in rounds],
        series=f"r = {r}, N = {N}",
        axes=("T", "D*/Wbar"),
    )


@moe_beats_single_threshold.check(
    "positive",
    domain={"r": Rationals(0, 1, open="both"), "T": Integers(2, 30), "N": Integers(2, 20)},
    quick=40,
    full=1000,
)
def _positive(r, T, N, *, always=False):
    r, N = (r, 1) if always else (r, N)
    yield "a threshold above 0", lt(0, lambda: critical_gap(T, r, Q(1), N))


@moe_beats_single_threshold.proof("algebra of the threshold", covers="T = 2, ..., 6, all r in (0, 1), N >= 2")
def _algebra(*, late=0):
    r = symbols("r", above=0, below=1)
    N = symbols("N", lower=2)
    W, D = symbols("W D", nonnegative=True)
    for T in range(2, 7):
        single = r**T * W + Fraction(T - 1, T) * (1 - r**T) * D
        experts = W * r * (1 - (1 - r) / N) ** (T - 1)
        star = W * (r * (1 - (1 - r) / N) ** (T - 1 + late) - r**T) / (Fraction(T - 1, T) * (1 - r**T))
        yield "algebra", eq(single - experts, Fraction(T - 1, T) * (1 - r**T) * (D - star))


moe_beats_single_threshold.mutant("experts always at least as good (D* = 0)", always=True, breaks="gain")
moe_beats_single_threshold.mutant(
    "experts always at least as good, along a line of pools", always=True, breaks="threshold"
)
moe_beats_single_threshold.mutant("a single expert does not forget", shared=True, breaks="no forgetting")
moe_beats_single_threshold.mutant("D* with N = 1", always=True, breaks="a threshold above 0")
moe_beats_single_threshold.mutant("exponent T in the experts' error", late=1, breaks="generalisation")
moe_beats_single_threshold.mutant("exponent T in the threshold", late=1, breaks="threshold")
moe_beats_single_threshold.mutant("exponent T in the threshold, in symbols", late=1, breaks="algebra")
moe_beats_single_threshold.mutant("threshold decays like r^T", alone=True, breaks="decay of the threshold")


def forgetting_of_moe(t, r, W, N, *, late=0, busy=False):
    """E F_t with one expert for each task; late = 1: t in place of t - 1; busy: each round updates each expert."""
    rho = r if busy else 1 - (1 - r) / N
    n = t - 1 + late
    return r * W * (rho**n - (1 - rho**n) / (n * (1 - rho)))


@PAPER.identity(
    source="explicit expected forgetting of the mixture; form derived",
    fidelity="derived",
    evidence="certified",
    family=CELLS,
    method="all task sequences and all sequences of coordinate subsets, (d, s, T, N) = `size`, every t; the sign for t < 60 and the limit in balls",
    hypotheses=HYPOTHESES,
    not_established="that F_t <= 0 beyond t = 59, where the limit alone is looked at",
)
def moe_expected_forgetting(size, w, *, late=0, busy=False, none=False):
    r"""$M = N$ experts with task $n$ always routed to expert $n$, $\rho = 1 - \frac{1-r}N$, $0 \le r < 1$. For $t \ge 2$
    $$\mathbb{E} F_t = r \bar W \Bigl[\rho^{t-1} - \frac{1 - \rho^{t-1}}{(t-1)(1-\rho)}\Bigr] \le 0, \qquad
    (t-1)\, \mathbb{E} F_t \to -\frac{r N \bar W}{1-r}.$$
    Learning a task again improves it.
    """
    d, s, T, N = size
    pool, r = pool_of(w), 1 - Q(s, d)
    W = mean_square(pool)
    measured = averages(pool, s, T, own_expert).forgetting
    predicted = [Q(0) if none else forgetting_of_moe(t, r, W, N, late=late, busy=busy) for t in measured]
    yield "forgetting", eq(list(measured.values()), predicted)


@moe_expected_forgetting.check(
    "limit", domain={"r": Choices(Q(3, 5), Q(1, 3), Q(9, 10)), "N": Choices(1, 2, 10)}, every=True
)
def _limit(r, N, *, busy=False, share=1, most=0):
    """(t - 1) F_t + r N W/(1 - r) = r W rho^{t-1} (t - 1 + 1/(1 - rho)), which is below 1e-6 at t = 4000."""
    t = 4000

    def distance():
        value = (t - 1) * forgetting_of_moe(t, arb(r), arb(1), N, busy=busy)
        return abs(value + share * arb(r * N / (1 - r)))

    yield "limit", le(distance, Q(1, 10**6))
    values = [forgetting_of_moe(t, arb(r), arb(1), N) for t in range(2, 60)]
    yield "never positive", le(values, most)
    yield curve(
        "Forgetting with one expert for each task",
        range(2, 60),
        values,
        series=f"r = {r}, N = {N}",
        axes=("t", "F/Wbar"),
    )


moe_expected_forgetting.mutant("t in place of t - 1", late=1, breaks="forgetting")
moe_expected_forgetting.mutant("rho = r: each round updates each expert", busy=True, breaks="forgetting")
moe_expected_forgetting.mutant("rho = r, in the limit", busy=True, breaks="limit")
moe_expected_forgetting.mutant("no forgetting and no gain: F = 0", none=True, breaks="forgetting")
moe_expected_forgetting.mutant("forgetting at most -Wbar/100", most=Q(-1, 100), breaks="never positive")
moe_expected_forgetting.mutant("limit 2 % larger", share=Q(51, 50), breaks="limit")
