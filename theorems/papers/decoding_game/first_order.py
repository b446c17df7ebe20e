"""Truncation and renormalisation as first-order approximations of the optimal strategy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flint import arb, fmpq

from solvers.enclosures import precision
from theorems import Choices, Given, Integers, Q, Rationals, le, lt, slope, symbols
from theorems.papers.decoding_game import PAPER
from theorems.papers.decoding_game.distributions import Distributions
from theorems.papers.decoding_game.game import (
    GUARD,
    LAST_BITS,
    LOG,
    Undecided,
    at_precision,
    closed_form,
    loss,
    regularised,
    support_size,
    usable,
)
from theorems.papers.decoding_game.objectives import total_variation

ALL = range(3, 12)  # eps = p_I / 2^k
WINDOW = range(7, 12)
HALF = Q(1, 2)
TOLERANCE = Q(1, 1000)

FIXED_SUPPORT = PAPER.family(
    "supports-for-first-order",
    d=Integers(4, 30),
    p=Given(lambda d: Distributions(d, Q(1, d))),
    I=Given(lambda d: Integers(2, d - 1)),
    where=lambda p, I: p[0] > p[I - 1] * Q(51, 50),
    quick=40,
    full=500,
)
SPIKES = PAPER.family(
    "one-large-token",  # the bound of (ii) is tightest here: TV/bound -> (I r_1 - 1)/(2 I)
    I=Choices(30, 10, 4),
    s=Choices(Q(1, 10**4), Q(1, 10**3)),
    p=Given(lambda I, s: (1 - (I - 1) * s - s / 2, *[s] * (I - 1), s / 2)),
    every=True,
)
NEAR_ENDS = PAPER.family(
    "near-the-ends",
    x=Choices(
        Q(1, 50), 1 - Q(1, 10**50), Q(1, 10**6), Q(1, 10**30), 1 - Q(1, 10**6), 1 - Q(1, 10**400), Q(1, 2), Q(9, 10)
    ),
    every=True,
)
INSIDE = PAPER.family("inside", x=Rationals(0, 1, open="both"), quick=40, full=2000)


@PAPER.rate(
    source="truncation-normalisation methods are first-order approximations to the optimal strategy (abstract); all constants are "
    "derived",
    fidelity="paper",
    evidence="certified",
    family=(FIXED_SUPPORT, SPIKES),
    part="fixed support",
    method="balls: the bound at eps = p_I/2^k, k = 3..11; log-log slope over k = 7..11; leading coefficients at k = 11, for the value after "
    "one Richardson step",
    hypotheses="p_1 > 1.02 p_I in the instances, so that r is not uniform",
    not_established="a factor that tends to 1 more slowly than 1e-3 over the window; (iii) on unusable tokens is false without its condition",
)
def truncation_normalisation_first_order(p, I, *, rate=1, factor=1, share=HALF, bound=1):
    r"""Let $\hat w_i = \epsilon/\log(\hat p_i/(\hat p_i - \epsilon))$. (i) For $0 < \epsilon < p$: $p - \epsilon \le \epsilon/\log(p/(p -
    \epsilon)) \le p - \epsilon/2$. (ii) On a fixed support $\{1..I\}$ with $\hat p_I > \epsilon$ let $q \propto \hat w$, $P = \sum_{i \le I}
    \hat p_i$, $r_i = \hat p_i/P$. Then $TV(q, r) \le I\epsilon/(P - I\epsilon)$ if $P > I\epsilon$, and $TV(q, r) =
    \frac{\epsilon}{4P} \sum_{i \le I} |I r_i - 1| + O(\epsilon^2)$: the exponent is exactly 1 unless $r$ is uniform. (iii) The practical rule
    "keep $I$ while $\sum_{i \le I} \hat p_i \log(\hat p_i/\hat p_I) \le \epsilon$" keeps at most $I^*$ of the usable tokens, and at most $I^*$ of
    all tokens if $\sum_{\hat p_i > \epsilon} \hat p_i \log(\hat p_i/\epsilon) > \epsilon$. (iv) With $J(q) = \sum q_i \log \hat p_i - \max_i q_i
    \log(\hat p_i/(\hat p_i - \epsilon))$, $J(q) - J(r) = \epsilon \frac{I}{2P} (\sum r_i \log \hat p_i - \frac1I \sum_{i \le I} \log \hat p_i) +
    O(\epsilon^2)$, a positive coefficient unless $r$ is uniform.
    """
    P = sum(p[:I], fmpq(0))
    r = [m / P for m in p[:I]]
    budgets = [p[I - 1] / 2**k for k in ALL]
    optimal = at_precision(lambda: [closed_form(p, eps, I).q for eps in budgets])
    distances = at_precision(lambda: [total_variation(q, r) for q in optimal()])
    ceilings = [bound * I * eps / (P - I * eps) for eps in budgets]
    yield "(ii) bound", le(distances, ceilings)
    first = len(ALL) - len(WINDOW)
    yield "(ii) exponent", slope(budgets[first:], lambda: distances()[first:], rate, within=Q(1, 100))
    slope_of_distance = sum((abs(I * a - 1) for a in r), fmpq(0)) / (4 * P)

    def leading():
        return about(distances()[-1] / budgets[-1], factor * slope_of_distance)

    yield "(ii) leading coefficient", le(at_precision(leading))
    logs = at_precision(lambda: [arb(m).log() for m in p[:I]])

    def lost(eps):
        return (regularised(closed_form(p, eps, I).q, p, eps) - regularised(r, p, eps)) / eps

    def jensen():
        return sum(logs(), arb(0)) / I, sum((a * s for a, s in zip(r, logs())), arb(0))

    def richardson():
        eps = budgets[-1]
        low, high = jensen()
        return about(2 * lost(eps / 2) - lost(eps), share * I / P * (high - low))

    yield "(iv) coefficient of the value lost", le(at_precision(richardson))
    yield "(iv) something is lost", lt(at_precision(jensen))


def about(measured, predicted):
    """measured = predicted to a relative 1e-3, as two inequalities."""
    return [predicted * (1 - TOLERANCE), measured], [measured, predicted * (1 + TOLERANCE)]


@truncation_normalisation_first_order.check("(i) bounds of one weight", family=(NEAR_ENDS, INSIDE))
def _bounds_of_a_weight(x, *, upper=HALF, lower=1):
    """With x = eps/p: 1 - x <= x/(-log(1 - x)) <= 1 - x/2."""
    weight = at_precision(lambda: x / loss(fmpq(1), x))
    yield "(i) lower bound", le(1 - lower * x, weight)
    yield "(i) upper bound", le(weight, 1 - upper * x)


@truncation_normalisation_first_order.proof(
    "(i) by derivatives",
    covers="all x in (0, 1), x = eps/p",
    rests_on=(
        "-log(1-x) - 2x/(2-x) and x/(1-x) + log(1-x) vanish at 0, so they are >= 0 on (0, 1) where their derivatives are",
        "the derivative of log(1-x) is -1/(1-x) (sympy differentiates)",
    ),
)
def _weight_derivatives() -> Iterator[Any]:
    import sympy

    x = symbols("x", above=0, below=1)
    upper, lower = -sympy.log(1 - x) - 2 * x / (2 - x), x / (1 - x) + sympy.log(1 - x)
    yield le(0, sympy.together(sympy.diff(upper, x)))
    yield le(0, sympy.together(sympy.diff(lower, x)))


TRUNCATIONS = PAPER.family(
    "truncations",
    d=Integers(4, 80),
    r=Integers(1, 99),
    eps=Given(lambda d, r: fmpq(r, 50 * d)),
    p=Given(lambda d, eps: Distributions(d, eps)),
    where=lambda p, eps: p[0] > eps,
    quick=300,
    full=1500,
)
NEARLY_UNUSABLE = PAPER.family(
    "nearly-unusable",
    p=Choices((Q(34, 100), Q(33, 100), Q(33, 100)), (Q(26, 100), Q(25, 100), Q(25, 100), Q(24, 100))),
    eps=Given(lambda p: p[0] - Q(1, 200)),
    every=True,
)


@truncation_normalisation_first_order.check("(iii) practical rule", family=(TRUNCATIONS, NEARLY_UNUSABLE))
def _practical_rule(p, eps, *, condition=True, budget=1):
    n = usable(p, eps)
    best = support_size(p, eps)
    yield "(iii) the rule keeps no more usable tokens", le(rule(p[:n], budget * eps), best)
    if _undivided(p[:n], eps) or not condition:
        yield "(iii) the rule keeps no more tokens", le(rule(p, eps), best)
    if n > 1 and p[n - 1] < p[0]:
        yield "(iii) its sums exceed the threshold sums", lt(at_precision(lambda: _sums(p[:n], eps)))


def _undivided(head, eps):
    """The condition of (iii): sum over usable tokens of p_i log(p_i/eps) exceeds eps."""
    with precision(GUARD):
        return sum((m * arb(m / eps).log() for m in head), arb(0)) > arb(eps)


def _sums(head, eps):
    """eps S_I and the rule's sum for the last usable token."""
    logs = [arb(m / head[-1]).log() for m in head]
    weights = [eps / loss(m, eps, LOG) for m in head]
    return sum((w * s for w, s in zip(weights, logs)), arb(0)), sum((m * s for m, s in zip(head, logs)), arb(0))


def rule(p, eps):
    """max{I : sum_{i<=I} p_i log(p_i/p_I) <= eps}, decided in balls."""
    bits = GUARD
    while bits <= LAST_BITS:
        with precision(bits):
            size = _kept(p, eps)
        if size is not None:
            return size
        bits *= 2
    raise Undecided(f"a sum of the practical rule agrees with eps = {eps} to {LAST_BITS} bits")


def _kept(p, eps):
    mass, weighted = fmpq(0), arb(0)
    for size, m in enumerate(p):
        log = arb(m).log()
        mass, weighted = mass + m, weighted + m * log
        total = weighted - mass * log
        if total > eps:
            return size
        if not total <= eps:
            return None
    return len(p)


truncation_normalisation_first_order.mutant("error of order eps^2", rate=2, breaks="(ii) exponent")
truncation_normalisation_first_order.mutant("error of order eps^(11/10)", rate=Q(11, 10), breaks="(ii) exponent")
truncation_normalisation_first_order.mutant("leading coefficient doubled", factor=2, breaks="(ii) leading coefficient")
truncation_normalisation_first_order.mutant(
    "leading coefficient 1 % too large", factor=Q(101, 100), breaks="(ii) leading coefficient"
)
truncation_normalisation_first_order.mutant(
    "bound less than half as large", bound=Q(45, 100), on="one-large-token", breaks="(ii) bound"
)
truncation_normalisation_first_order.mutant("upper bound p - 0.51 eps", upper=Q(51, 100), breaks="(i) upper bound")
truncation_normalisation_first_order.mutant("lower bound p - 0.99 eps", lower=Q(99, 100), breaks="(i) lower bound")
truncation_normalisation_first_order.mutant(
    "value lost only to order eps^2", share=0, breaks="(iv) coefficient of the value lost"
)
truncation_normalisation_first_order.mutant(
    "coefficient I/P of the value lost", share=1, breaks="(iv) coefficient of the value lost"
)
truncation_normalisation_first_order.mutant(
    "coefficient of the value lost 1 % too large", share=Q(101, 200), breaks="(iv) coefficient of the value lost"
)
truncation_normalisation_first_order.mutant(
    "(iii) on all tokens without the condition", condition=False, breaks="(iii) the rule keeps no more tokens"
)
truncation_normalisation_first_order.mutant(
    "(iii) with twice the budget in the rule", budget=2, breaks="(iii) the rule keeps no more usable tokens"
)
