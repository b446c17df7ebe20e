"""Rescaled random subnetworks keep the mean; schedules and what they save."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import comb
from typing import Any

from flint import fmpq

from theorems import Arrays, Choices, Given, Integers, Q, eq, lt, symbols
from theorems.papers.raptr_stagewise.paper import PAPER

ONE = Q(1)


def factor(L: int, p: int, scale: str) -> Any:
    """The factor on the outputs of p blocks out of L."""
    import sympy

    ratio = sympy.Rational(L, p)
    return {"L/p": ratio, "none": sympy.Integer(1), "sqrt": sympy.sqrt(ratio)}[scale]


@PAPER.identity(
    source="rescaling of the outputs of the kept blocks",
    fidelity="derived",
    evidence="proved",
    method="all p-subsets of L blocks, as polynomial identities in the blocks' outputs",
    rests_on=("squared norms are sums over coordinates, so one coordinate is enough",),
    not_established="L > 7; minimisers of positive stage-1 loss",
)
def scaled_subnetwork_moments():
    r"""Let $F = \sum_{l \le L} g_l$ and $F_S = \frac Lp\sum_{l \in S} g_l$ for a uniformly random $p$-subset $S$. Then $\mathbb{E} F_S = F$ and
    $$\mathbb{E}\|F_S - F\|^2 = \frac{L(L-p)}{p(L-1)}\sum_l\|g_l - \bar g\|^2,$$ which falls in $p$ and vanishes at $p = L$. A minimiser of the scaled stage-1 loss
    $\mathbb{E}(F_S - t)^2$ of the additive model with loss 0 keeps the loss 0 when the full model takes over; without rescaling the loss jumps to
    $(L/p - 1)^2 t^2$ at the symmetric minimiser.
    """


@scaled_subnetwork_moments.proof("moments", covers="L = 2..7 blocks, all p, all outputs of every dimension")
def _moments(*, scale="L/p", variance="without replacement"):
    for L in range(2, 8):
        g = symbols(f"g:{L}")
        full, centre = sum(g), sum(g) / L
        spread = sum((v - centre) ** 2 for v in g)
        for p in range(1, L + 1):
            weight = factor(L, p, scale)
            chosen = [weight * sum(S) for S in combinations(g, p)]
            yield "mean", eq(sum(chosen) / comb(L, p), full)
            claimed = {
                "without replacement": L * (L - p) * spread / (p * (L - 1)),
                "with": L * (L - p) * spread / (p * L),
            }
            second = sum((f - full) ** 2 for f in chosen) / comb(L, p)
            yield "variance", eq(second, claimed[variance])
        shares = [Q(L * (L - p), p * (L - 1)) for p in range(1, L + 1)]
        falls = [before - after for before, after in pairwise(shares)]
        yield "falls in p", eq(falls, [Q(L * L, p * (p + 1) * (L - 1)) for p in range(1, L)])


@scaled_subnetwork_moments.proof(
    "the switch",
    covers="L = 2..7, all p < L, every target t",
    rests_on=(
        "the stage-1 loss is (F - t)^2 plus the variance, so a loss of 0 forces F = t, and the full loss is 0 too",
        "g_l = t/(scale p) gives every subset the output t: stage-1 loss 0",
    ),
)
def _switch(*, rescaled="L/p"):
    t = symbols("t")
    for L in range(2, 8):
        for p in range(1, L):
            yield "loss after the switch", eq((L * t / (factor(L, p, rescaled) * p) - t) ** 2, 0)
            yield "loss without rescaling", eq((L * t / p - t) ** 2, (factor(L, p, "L/p") - 1) ** 2 * t**2)


@scaled_subnetwork_moments.crosscheck(
    "vectors",
    domain={
        "L": Integers(2, 7),
        "p": Given(lambda L: Integers(1, L)),
        "g": Given(lambda L: Arrays(Integers(-5, 5), (L, 3))),
    },
    quick=27,
    full=200,
)
def _vectors(L, p, g):
    """Outputs in Z^3, all subsets, exact rationals."""
    outputs = [[fmpq(int(v)) for v in row] for row in g.tolist()]
    full = [sum(column, fmpq(0)) for column in zip(*outputs)]
    total = fmpq(0)
    for S in combinations(outputs, p):
        total += sum((fmpq(L, p) * sum(column, fmpq(0)) - f) ** 2 for column, f in zip(zip(*S), full))
    spread = sum((row[k] - full[k] / L) ** 2 for row in outputs for k in range(3))
    return total / comb(L, p), fmpq(L * (L - p), p * (L - 1)) * spread


scaled_subnetwork_moments.mutant("the variance of drawing with replacement", variance="with", breaks="variance")
scaled_subnetwork_moments.mutant("no rescaling", rescaled="none", breaks="loss after the switch")
scaled_subnetwork_moments.mutant("rescaling by sqrt(L/p)", scale="sqrt", breaks="mean")


def cost(schedule: Any, lengths: Any, L: Any, skipped: int = 0) -> Any:
    """Relative cost of a schedule: trained blocks over L, weighted by the stages' lengths."""
    stages = list(zip(schedule, lengths))[: len(list(lengths)) - skipped]
    total = sum(T for _, T in stages)
    return sum(p * T for p, T in stages) / (total * L)


@PAPER.identity(
    source="the reported speed-up of up to 33 % (schedule 6-8-10-12 of 12 blocks)",
    fidelity="derived",
    evidence="proved",
    method="sums of arithmetic progressions, by induction over the stages and stage by stage for k = 2..8; the published schedules in "
    "exact rationals",
    hypotheses="stages of equal length unless stated; the cost of a step is proportional to the number of trained blocks",
    not_established="that training is as good: this is arithmetic; (6, 9, 12) also gives 4/3, so the figure does not identify the schedule",
)
def schedule_speedup():
    r"""Let $k \ge 2$ stages of equal length train $p_s = p_1 + (s-1)\frac{L - p_1}{k-1}$ of $L$ blocks. The relative cost is $(1 + p_1/L)/2$ whatever $k$, the
    speed-up $\frac{2}{1 + p_1/L}$, which is $4/3$ iff $p_1 = L/2$. Moving time from a stage to one with fewer blocks lowers $\sum_s T_sp_s/(TL)$. With a
    fixed share $h$ of a full step for embedding and head, the speed-up is $1/(h + (1-h)(1 + p_1/L)/2)$.
    """


@schedule_speedup.proof("cost", covers="k = 2..8 stages, all p_1 <= L")
def _cost(*, extra=0, skipped=0, counted=1):
    import sympy

    L, p1 = symbols("L p1", positive=True)
    h = symbols("h", lower=0, below=1)
    for k in range(2, 9):
        schedule = [p1 + s * (L - p1) / (k - 1) for s in range(k)]
        half = (1 + p1 / L) / 2
        yield "cost", eq(cost(schedule, [1] * k, L, skipped), half + sympy.Rational(extra, 2 * k))
        steps = [h + (1 - h) * p / L for p in schedule]
        yield "with a fixed share", eq(k / sum(steps), 1 / (counted * h + (1 - h) * half))


@schedule_speedup.proof(
    "any number of stages", covers="all k >= 2, by induction over the stages", rests_on=("induction over s",)
)
def _any_number():
    """A(s) = s p_1 + delta s (s - 1)/2 is the sum of the first s stages."""
    p1, L, s, k, delta = symbols("p1 L s k delta", positive=True)

    def partial(s: Any, delta: Any) -> Any:
        return s * p1 + delta * s * (s - 1) / 2

    yield eq(partial(s + 1, delta) - partial(s, delta), p1 + s * delta)
    yield eq(partial(k, (L - p1) / (k - 1)) / (k * L), (1 + p1 / L) / 2)


@schedule_speedup.proof("four thirds", covers="all p_1 <= L")
def _four_thirds(*, half=ONE):
    import sympy

    r = symbols("r", positive=True)  # p_1 / L
    third = sympy.Rational(4, 3)
    yield eq(2 / (1 + r) - third, sympy.Rational(2, 3) * (sympy.Rational(int(half.p), int(half.q)) - 2 * r) / (1 + r))


@schedule_speedup.proof("earlier is cheaper", covers="all two stages p_i < p_j, all times moved, all T, L")
def _earlier(*, direction=1):
    rest, few, gap, T, L, moved = symbols("rest p_i gap T L moved", positive=True)
    before = (rest + (few + gap) * moved) / (T * L)
    after = (rest + few * moved) / (T * L)
    yield lt(after, before) if direction == 1 else lt(before, after)


@schedule_speedup.check(
    "published schedules",
    domain={
        "schedule": Choices((6, 8, 10, 12), (3, 6, 9, 12), (6, 9, 12)),
    },
    every=True,
    exhaustive=True,
)
def _published(schedule, *, claimed=None, skipped=0):
    """Speed-ups 4/3, 8/5 and 4/3."""
    true = {(6, 8, 10, 12): Q(4, 3), (3, 6, 9, 12): Q(8, 5), (6, 9, 12): Q(4, 3)}[schedule]
    figures = {None: true, "3/2": Q(3, 2), "4/3": Q(4, 3)}
    return 1 / cost([Q(p) for p in schedule], [Q(1)] * len(schedule), 12, skipped), figures[claimed]


schedule_speedup.mutant("3/2 for every published schedule", claimed="3/2", breaks="published schedules")
schedule_speedup.mutant("4/3 also for (3, 6, 9, 12)", claimed="4/3", breaks="published schedules")
schedule_speedup.mutant("a cost that depends on k: 1/(2k) more", extra=1, breaks="cost")
schedule_speedup.mutant("the last stage not counted", skipped=1, breaks=("cost", "published schedules"))
schedule_speedup.mutant("the fixed share left out", counted=0, breaks="with a fixed share")
schedule_speedup.mutant("4/3 at p_1 = 0.55 L", half=Q(11, 10), breaks="four thirds")
schedule_speedup.mutant("later is cheaper", direction=-1, breaks="earlier is cheaper")
