"""How much relaxation buys: 1/eps for the discrete algorithm, ln(1/eps) for the continuous one."""

from __future__ import annotations

from flint import arb

from solvers.submodular import continuous_greedy, greedy
from theorems import ByBudget, Choices, Q, dyadic, eq, le, lt, shared, slope
from theorems.papers.fair_submodular_cover.instances import greedy_tight, product_coverage
from theorems.papers.fair_submodular_cover.paper import PAPER

DELTA = Q(1, 4)
KAPPA = 4


@shared
def greedy_error(beta: int):
    """1 - f(S)/OPT of greedy on the tight family."""
    instance = greedy_tight(beta)
    S = greedy(instance.f, instance.group, instance.matroid.scaled(beta))
    return 1 - instance.f.value(S) / instance.optimum


@shared
def continuous_error(beta: int):
    """1 - F(x)/OPT of the continuous algorithm on product coverage with four groups."""
    instance = product_coverage(KAPPA, beta)
    x = continuous_greedy(instance.f, instance.group, instance.matroid, beta, DELTA)
    return 1 - instance.f.extension(x) / instance.optimum


RELAXATIONS = PAPER.family(
    "relaxations",
    discrete=ByBudget(quick=(1, 2, 3, 4, 7), full=(1, 2, 3, 4, 5, 6, 7, 8, 15, 31)),
    continuous=ByBudget(quick=(1, 2, 3, 4), full=(1, 2, 3, 4, 5, 6, 7, 8)),
    every=True,
)
TARGETS = PAPER.family(
    "targets", reciprocal=ByBudget(quick=Choices(2, 4, 8), full=Choices(2, 4, 8, 16, 32)), every=True
)


@PAPER.rate(
    source="abstract: relaxation 1/eps of the discrete against ln(1/eps) of the continuous algorithm",
    fidelity="derived",
    evidence="certified",
    family=RELAXATIONS,
    method="both algorithms in exact rationals on the family that is hard for each; slopes of exact errors in balls",
    not_established="the rates on other instances: the families show that the guarantees cannot be improved, not that every instance "
    "needs as much",
)
def bicriteria_rate(discrete, continuous, *, exponent=-1, factor=1, shape="paper"):
    r"""(a) On the greedy-tight family the greedy error $1 - f(S)/\mathrm{OPT}$ is exactly $1/(1 + \beta)$, so that the least relaxation
    that reaches $(1 - \epsilon)\,\mathrm{OPT}$ is exactly $\beta = 1/\epsilon - 1$. (b) On product coverage with $\kappa = 4$ groups the error of the
    continuous algorithm is exactly $(3/4)^{4\beta}$, exponential in $\beta$, and at most $(1 + \delta)^{-\beta/\delta}$.
    """
    errors = [greedy_error(beta) for beta in discrete]
    claimed = [Q(1, 1 + beta) if shape == "paper" else (1 - Q(1, KAPPA)) ** (KAPPA * beta) for beta in discrete]
    yield "greedy error", eq(dyadic(errors), dyadic(claimed))
    yield "greedy rate", slope([1 + beta for beta in discrete], dyadic(errors), exponent, within=Q(1, 10**9))
    fast = [continuous_error(beta) for beta in continuous]
    power = [(1 - Q(1, KAPPA)) ** (KAPPA * beta) if shape == "paper" else Q(1, 1 + beta) for beta in continuous]
    yield "continuous error", eq(dyadic(fast), dyadic(power))
    yield "continuous bound", le(dyadic(fast), [1 / (1 + DELTA) ** int((beta / DELTA).p) for beta in continuous])

    def decay():
        return factor * 4 * (arb(Q(3, 4))).log()

    def guaranteed():
        return -4 * arb(Q(5, 4)).log()

    yield "continuous rate", slope(continuous, dyadic(fast), decay, within=Q(1, 10**9), axes="semilogy", fewest=3)
    yield "faster than guaranteed", le(lambda: (decay(), guaranteed()))


@bicriteria_rate.check("least relaxation", family=TARGETS)
def _least_relaxation(reciprocal, *, less=0):
    beta = reciprocal - 1 - less
    eps = Q(1, reciprocal)
    yield "beta = 1/eps - 1 suffices", le(greedy_error(beta) if beta else Q(1), eps)
    yield "smaller beta do not", lt(eps, greedy_error(beta - 1) if beta > 1 else Q(1))


bicriteria_rate.mutant("greedy exponent -2", exponent=-2, breaks="greedy rate")
bicriteria_rate.mutant("greedy exponent -21/20", exponent=Q(-21, 20), breaks="greedy rate")
bicriteria_rate.mutant("continuous error 1/(1+beta)", shape="exchanged", breaks="continuous error")
bicriteria_rate.mutant("greedy error exponential in beta", shape="exchanged", breaks="greedy error")
bicriteria_rate.mutant("continuous decay 2 % faster", factor=Q(51, 50), breaks="continuous rate")
bicriteria_rate.mutant("beta = 1/eps - 2 suffices", less=1, breaks="beta = 1/eps - 1 suffices")
