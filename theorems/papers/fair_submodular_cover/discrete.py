"""Greedy and threshold greedy in the extended fairness matroid."""

from __future__ import annotations

from flint import arb

from solvers.submodular import counts_of, greedy, threshold_greedy
from theorems import Choices, Integers, Q, eq, le, symbols
from theorems.papers.fair_submodular_cover.instances import RANDOM, Instance, greedy_tight, one_large, random_instance
from theorems.papers.fair_submodular_cover.paper import PAPER

EPS = Q(1, 5)
TIGHT = PAPER.family("greedy-tight", beta=Integers(1, 4), every=True)
ONE_LARGE = PAPER.family("one-large-element", kappa=Choices(2, 4, 8), every=True)


def membership(S, instance: Instance, beta: int):
    """Counts, their bounds, and the size that M_beta allows, as sides of inequalities."""
    extended = instance.matroid.scaled(beta)
    counts = counts_of(S, instance.group, extended.groups)
    return le((*counts, sum(map(max, counts, extended.lower))), (*extended.upper, extended.size))


@PAPER.bound(
    source="guarantee of greedy-fair-bi, in the paper (1 - O(eps), 1/eps); the constant is derived",
    fidelity="derived",
    evidence="certified",
    family=RANDOM,
    part="random instances",
    method="the algorithm, the optimum by enumeration and all values in exact rationals; a family on which the bound is an equality",
    hypotheses="every group has at least beta u_c elements",
    not_established="functions other than probabilistic coverage; more than two groups",
)
def greedy_fair_bicriteria(kind, items, weights, rows, kappa, beta, lower, upper, *, smallest=False):
    r"""Let $f$ be monotone and submodular with $f(\emptyset) = 0$, let $\mathcal{M}$ be the fairness matroid, $\mathrm{OPT}$ the largest
    value on it, and let $|U_c| \ge \beta u_c$. The greedy algorithm in the $\beta$-extension $\mathcal{M}_\beta$ returns a base $S$ of
    $\mathcal{M}_\beta$, $|S| = \beta\kappa$, with $$f(S) \ge \frac{\beta}{1+\beta}\,\mathrm{OPT}$$
    ($\beta = 1/\epsilon$: at least $\frac{1}{1+\epsilon} \ge 1 - \epsilon$). On the greedy-tight family (here $\beta \le 4$) this is an equality.
    """
    instance = random_instance(weights, rows, kappa, lower, upper)
    S = greedy(instance.f, instance.group, instance.matroid.scaled(beta), smallest=smallest)
    yield "size of S", eq(len(S), beta * kappa)
    yield "S in M_beta", membership(S, instance, beta)
    yield "random instances", le(Q(beta, 1 + beta) * instance.optimum, instance.f.value(S))


@greedy_fair_bicriteria.check("tight instances", family=TIGHT)
def _greedy_tight(beta, *, constant="beta/(1+beta)", claimed=0):
    instance = greedy_tight(beta)
    S = greedy(instance.f, instance.group, instance.matroid.scaled(beta))
    b = claimed or beta
    ratios = {
        "beta/(1+beta)": lambda: Q(b, 1 + b),
        "(beta+1)/(beta+2)": lambda: Q(b + 1, b + 2),
        "1-exp(-beta)": lambda: 1 - arb(-b).exp(),
    }
    value = instance.f.value(S)
    yield "tight instances", le(lambda: (ratios[constant]() * instance.optimum, value))
    if constant == "beta/(1+beta)" and not claimed:
        yield "equality", eq(ratios[constant]() * instance.optimum, value)


@greedy_fair_bicriteria.proof(
    "from marginal values to the bound",
    covers="all beta > 0 and all values",
    rests_on=(
        "by the exchange lemma and the greedy choice f(s_{i+1} | S_i) >= f(e_{i+1} | S_i) >= f(e_{i+1} | S), and the sum over all "
        "positions is f(S) >= beta sum_{t in T} f(t | S) >= beta (OPT - f(S)) for an optimal base T",
    ),
)
def _from_marginals(*, copies=0):
    beta, value, best = symbols("beta f OPT", positive=True)
    yield (
        "marginal values to bound",
        le(beta / (1 + beta) * best, value, given=[value - (beta - copies) * (best - value), best - value]),
    )


greedy_fair_bicriteria.mutant("constant (beta+1)/(beta+2)", constant="(beta+1)/(beta+2)", breaks="tight instances")
greedy_fair_bicriteria.mutant("1 - exp(-beta), the continuous rate", constant="1-exp(-beta)", breaks="tight instances")
greedy_fair_bicriteria.mutant("smallest marginal first", smallest=True, breaks="random instances")
greedy_fair_bicriteria.mutant(
    "run with beta = 1, bound of beta = 3",
    claimed=3,
    domain={"beta": Choices(1)},
    on="greedy-tight",
    breaks="tight instances",
)
greedy_fair_bicriteria.mutant("beta - 1 copies of T", copies=1, breaks="marginal values to bound")


def threshold_constant(beta: int, eps):
    """beta (1 - 2 eps) / ((1 - eps) beta + 1)."""
    return beta * (1 - 2 * eps) / ((1 - eps) * beta + 1)


@PAPER.bound(
    source="guarantee of threshold-fairness-bi, in the paper (1 - O(eps), 1/eps); the constant is derived",
    fidelity="derived",
    evidence="certified",
    family=RANDOM,
    part="random instances",
    method="as for the greedy algorithm; eps = 1/5",
    hypotheses="every group has at least beta u_c elements; 0 < eps < 1/2",
    not_established="functions other than probabilistic coverage; more than two groups; other eps",
)
def threshold_fair_bicriteria(kind, items, weights, rows, kappa, beta, lower, upper, *, last=None, copies=0):
    r"""Let $0 < \epsilon < \frac12$, $d$ the largest value of an element and let the thresholds be $d(1-\epsilon)^j > \epsilon d/\kappa$. The
    threshold algorithm, which adds an element to $S$ when $\mathcal{M}_\beta$ allows it and its marginal value reaches the
    threshold, returns $S \in \mathcal{M}_\beta$ with $$f(S) \ge \frac{\beta(1 - 2\epsilon)}{(1-\epsilon)\beta + 1}\,\mathrm{OPT},$$
    which is $(1 - 2\epsilon)\,\mathrm{OPT}$ for $\beta = 1/\epsilon$.
    """
    instance = random_instance(weights, rows, kappa, lower, upper)
    S = threshold_greedy(instance.f, instance.group, instance.matroid, beta, EPS, last=last)
    yield "S in M_beta", membership(S, instance, beta + copies)
    yield "random instances", le(threshold_constant(beta, EPS) * instance.optimum, instance.f.value(S))


@threshold_fair_bicriteria.check("tight instances", family=TIGHT)
def _threshold_tight(beta, *, constant="threshold", reached=0):
    instance = greedy_tight(beta)
    S = threshold_greedy(instance.f, instance.group, instance.matroid, beta, EPS)
    value = instance.f.value(S)
    ratio = threshold_constant(beta, EPS) if constant == "threshold" else Q(beta + 1, beta + 2)
    yield "tight instances", le(ratio * instance.optimum, value)
    yield "value on the tight family", eq(value, Q(beta + reached, beta + reached + 1) * instance.optimum)


@threshold_fair_bicriteria.check("one large element", family=ONE_LARGE)
def _threshold_one_large(kappa, *, last=None):
    instance = one_large(kappa)
    S = threshold_greedy(instance.f, instance.group, instance.matroid, 1, EPS, last=last)
    return le(threshold_constant(1, EPS) * instance.optimum, instance.f.value(S))


@threshold_fair_bicriteria.proof(
    "from thresholds to the bound",
    covers="all beta >= 1, 0 < eps < 1/2, all values",
    rests_on=(
        "complete S to a base of M_beta: a position filled at a threshold w < d has f(e_{i+1} | S_i) < w/(1-eps) <= f(s_{i+1} | S_i)/(1-eps), "
        "one filled at d has f(e_{i+1} | S_i) <= d <= f(s_{i+1} | S_i), and one left empty has f(e_{i+1} | S) <= eps d/(kappa (1-eps)); there are "
        "at most beta kappa of them and d <= OPT, so that beta (OPT - f(S)) <= f(S)/(1-eps) + beta eps OPT/(1-eps)",
    ),
)
def _from_thresholds(*, empty=1):
    beta, eps = symbols("beta", lower=1), symbols("eps", above=0, upper=Q(1, 2))
    value, best = symbols("f OPT", positive=True)
    budget = value / (1 - eps) + empty * beta * eps * best / (1 - eps) - beta * (best - value)
    yield "thresholds to bound", le(threshold_constant(beta, eps) * best, value, given=[budget])
    yield "beta = 1/eps", eq(threshold_constant(1 / eps, eps), 1 - 2 * eps)


threshold_fair_bicriteria.mutant(
    "thresholds end at d/2", last=Q(1, 2), on="one-large-element", breaks="one large element"
)
threshold_fair_bicriteria.mutant("guarantee (beta+1)/(beta+2)", constant="greedy", breaks="tight instances")
threshold_fair_bicriteria.mutant(
    "the tight family reaches (beta+1)/(beta+2)", reached=1, breaks="value on the tight family"
)
threshold_fair_bicriteria.mutant("empty positions counted twice", empty=2, breaks="thresholds to bound")
threshold_fair_bicriteria.mutant("S in M_{beta-1}", copies=-1, domain={"beta": Choices(2, 3)}, breaks="S in M_beta")
