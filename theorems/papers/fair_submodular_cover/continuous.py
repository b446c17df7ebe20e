"""Continuous greedy over the polytope of the extended matroid, and pipage rounding."""

from __future__ import annotations

from flint import arb, fmpq

from solvers.submodular import continuous_greedy, counts_of, filled_up, pipage
from theorems import ByBudget, Choices, Integers, Minimum, Q, eq, le, lt, symbols
from theorems.papers.fair_submodular_cover.instances import (
    RANDOM,
    Instance,
    copies,
    greedy_tight,
    product_coverage,
    random_instance,
)
from theorems.papers.fair_submodular_cover.paper import PAPER

PRODUCT = PAPER.family(
    "product-coverage",
    shape=ByBudget(
        quick=Choices((2, 1), (3, 1), (4, 1), (3, 2), (4, 2), (5, 2)),
        full=Choices((2, 1), (3, 1), (4, 1), (3, 2), (4, 2), (5, 2), (6, 1), (6, 2), (4, 3), (5, 3)),
    ),
    delta=ByBudget(quick=Choices(Q(1, 4)), full=Choices(Q(1), Q(1, 2), Q(1, 4), Q(1, 8))),
    every=True,
)
COPIES = PAPER.family("copies", kappa=Choices(3, 4, 5), every=True)
DECOYS = PAPER.family("greedy-tight-continuous", beta=Integers(1, 3), delta=Choices(Q(1), Q(1, 2), Q(1, 4)), every=True)


def guarantee(beta: int, delta: fmpq) -> fmpq:
    """1 - (1 + delta)^(-beta/delta)."""
    return 1 - 1 / (1 + delta) ** int((beta / delta).p)


def polytope(x, instance: Instance, beta: int):
    """x in the polytope of M_beta, as sides of inequalities: coordinates, group sums, and the size that is needed."""
    extended = instance.matroid.scaled(beta)
    sums = [sum((t for t, g in zip(x, instance.group) if g == c), fmpq(0)) for c in range(extended.groups)]
    needed = sum((max(s, fmpq(a)) for s, a in zip(sums, extended.lower)), fmpq(0))
    return le((*x, *sums, needed), (*(1 for _ in x), *extended.upper, extended.size))


def rounded(x, instance: Instance, beta: int):
    """The set that pipage rounding makes of x, and F along its moves."""
    return pipage(instance.f, filled_up(x, instance.group, instance.matroid.scaled(beta)), instance.group)


@PAPER.bound(
    source="guarantee of cont-thresh-greedy-bi, in the paper (1 - O(eps), ln(1/eps) + 1); the discretisation constant is derived",
    fidelity="derived",
    evidence="certified",
    family=RANDOM,
    part="random instances",
    method="F, its gradient, every pipage move and all values in exact rationals; families on which wrong variants fail",
    hypotheses="every group has at least beta u_c elements; F is evaluated exactly (the paper samples it, hence its constant 1 - 7 eps)",
    not_established="functions other than probabilistic coverage; the sampling error of the multilinear extension, and the threshold variant of the continuous algorithm",
)
def continuous_bicriteria(kind, items, weights, rows, kappa, beta, lower, upper):
    r"""Let the continuous algorithm make $\beta/\delta$ rounds, each along a base of $\mathcal{M}$ that it builds greedily at the moving
    point with steps $\min(\delta, 1 - x_e)$. It ends in the polytope of $\mathcal{M}_\beta$ with
    $$F(x) \ge \big(1 - (1 + \delta)^{-\beta/\delta}\big)\,\mathrm{OPT},$$ and pipage rounding turns $x$ into a base $S$ of
    $\mathcal{M}_\beta$ with $f(S) \ge F(x)$. As $\delta \to 0$ the factor tends to $1 - e^{-\beta}$: $\beta = \ln(1/\epsilon)$ gives
    $1 - \epsilon$. On product coverage ($\kappa$ groups) $F(x) = (1 - (1 - 1/\kappa)^{\beta\kappa})\,\mathrm{OPT}$ for every $\delta$, so that
    the limit is not beaten as $\kappa$ grows.
    """
    instance = random_instance(weights, rows, kappa, lower, upper)
    x = continuous_greedy(instance.f, instance.group, instance.matroid, beta, Q(1, 2))
    yield "x in the polytope of M_beta", polytope(x, instance, beta)
    yield "random instances", le(guarantee(beta, Q(1, 2)) * instance.optimum, instance.f.extension(x))
    S, values = rounded(x, instance, beta)
    counts, extended = counts_of(S, instance.group, 2), instance.matroid.scaled(beta)
    yield "S is a base", le((*extended.lower, *counts), (*counts, *extended.upper))
    yield "size of S", eq(len(S), extended.size)
    yield "F along pipage moves", le((instance.f.extension(x), *values[:-1]), values)
    yield "value of S", eq(instance.f.value(S), values[-1])


@continuous_bicriteria.check("product coverage", family=PRODUCT)
def _product_coverage(shape, delta, *, claim="derived", stuck=1):
    kappa, beta = shape
    instance = product_coverage(kappa, beta)
    x = continuous_greedy(instance.f, instance.group, instance.matroid, beta, delta)
    value = instance.f.extension(x)
    bounds = {
        "derived": lambda: guarantee(beta, delta),
        "1-exp(-2 beta)": lambda: 1 - arb(-2 * beta).exp(),
        "1-1/(1+beta)^3": lambda: 1 - Q(1, (1 + beta) ** 3),
    }
    yield "product coverage", le(lambda: (bounds[claim]() * instance.optimum, value))
    yield "value on product coverage", eq(value, (1 - (1 - Q(1, kappa)) ** (beta * kappa * stuck)) * instance.optimum)


@continuous_bicriteria.check("copies", family=COPIES)
def _copies(kappa, *, stale=False):
    instance = copies(kappa)
    x = continuous_greedy(instance.f, instance.group, instance.matroid, 1, Q(1), stale=stale)
    return le(guarantee(1, Q(1)) * instance.optimum, instance.f.extension(x))


@continuous_bicriteria.check("decoys", family=DECOYS)
def _decoys(beta, delta, *, capped=True, lost=0):
    instance = greedy_tight(beta)
    x = continuous_greedy(instance.f, instance.group, instance.matroid, beta, delta, capped=capped)
    yield "decoys: x in the polytope", polytope(x, instance, beta)
    if not capped:
        return
    yield "decoys", le(guarantee(beta, delta) * instance.optimum, instance.f.extension(x))
    if delta < 1:  # one step of size 1 is the greedy algorithm, and half of the items is all it reaches at beta = 1
        S, _ = rounded(x, instance, beta)
        yield "decoys: the rounded set is optimal", eq(instance.f.value(S), instance.optimum - lost)


@continuous_bicriteria.proof(
    "discretisation",
    covers="all delta > 0, all values of F before and after a round",
    rests_on=(
        "a base-exchange bijection pairs the round's base with an optimal base O; an element's step raises F by at least "
        "delta (F(x or 1_o) - F(x)) for its partner o, and by monotonicity and submodularity F(after) - F(before) >= delta (OPT - F(after))",
        "beta/delta rounds from F(0) = 0 multiply the contraction",
        "a sum of beta/delta vectors below delta 1_B with bases B of M lies in the polytope of M_beta, as max is convex",
    ),
)
def _discretisation(*, gain=1):
    delta = symbols("delta", positive=True)
    before, after, best = symbols("before after OPT", nonnegative=True)
    progress = after - before - delta * (best - after)
    yield (
        "contraction of a round",
        le(best - after, (best - before) / (1 + gain * delta), given=[progress, best - before]),
    )


@continuous_bicriteria.proof("limit", covers="all 0 < delta <= 1")
def _limit(*, beyond=1):
    import sympy

    # 1 - delta/2 < log(1 + delta)/delta < 1, so that (1 + delta)^(-beta/delta) falls to e^-beta as delta -> 0
    delta = symbols("delta", above=0, upper=1)
    yield "slower than the limit", lt(beyond * sympy.log(1 + delta), delta, by=Minimum(delta, 0))
    yield "tends to the limit", lt(delta - delta**2 / 2, sympy.log(1 + delta), by=Minimum(delta, 0))


continuous_bicriteria.mutant(
    "1 - exp(-2 beta)", claim="1-exp(-2 beta)", domain={"shape": Choices((5, 2))}, breaks="product coverage"
)
continuous_bicriteria.mutant(
    "1 - 1/(1+beta)^3", claim="1-1/(1+beta)^3", domain={"shape": Choices((4, 1))}, breaks="product coverage"
)
continuous_bicriteria.mutant("gradient frozen during a round", stale=True, breaks="copies")
continuous_bicriteria.mutant(
    "steps of delta whatever x_e is",
    capped=False,
    domain={"beta": Choices(2), "delta": Choices(Q(1, 4))},
    on="greedy-tight-continuous",
    breaks="decoys: x in the polytope",
)
continuous_bicriteria.mutant("twice the exponent on product coverage", stuck=2, breaks="value on product coverage")
continuous_bicriteria.mutant("contraction 1/(1 + 2 delta)", gain=2, breaks="contraction of a round")
continuous_bicriteria.mutant("the rounded set misses an item", lost=1, breaks="decoys: the rounded set is optimal")
continuous_bicriteria.mutant("1 - exp(-beta) for every delta", beyond=2, breaks="slower than the limit")
