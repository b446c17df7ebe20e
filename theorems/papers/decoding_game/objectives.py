"""General objectives: the closed form with f_tau, and temperature scaling as its limit."""

from __future__ import annotations

from flint import arb, fmpq

from solvers.enclosures import power, precision
from theorems import Choices, Given, Integers, Q, Rationals, eq, le, lt, slope
from theorems.papers.decoding_game import PAPER
from theorems.papers.decoding_game.distributions import Distributions
from theorems.papers.decoding_game.game import (
    CLOSE,
    GUARD,
    LOG,
    FiniteGame,
    at_precision,
    closed_form,
    f,
    support_size,
    value_mass,
)
from theorems.papers.decoding_game.one_step import EPS, TAILED, certificate, finite_game

WINDOW = range(7, 12)  # eps = p_I / 2^k


def small_tokens_are_worth_less(p, eps, tau):
    """(T'): p_d is not in the support, f(p_d + eps) <= V*, and f(p_j) <= V* for p_j <= eps; None where balls touch."""
    if p[0] <= eps:
        return False
    k = support_size(p, eps, tau)
    if k == len(p):
        return False
    others = [p[-1] + eps, *(m for m in p if m <= eps)]
    exact = value_mass(p, eps, k, tau)
    if exact is not None:  # V* = f(exact), and f is increasing
        return max(others) <= exact
    with precision(4 * GUARD):
        value = closed_form(p, eps, k, tau).value
        worths = [f(m, tau) for m in others]
        if any(w > value for w in worths):
            return False
        return True if all(w <= value for w in worths) else None


INFINITE = PAPER.family(
    "objectives-infinite-at-zero",
    tau=Choices(Q(1, 3), Q(1, 2), Q(4, 5), Q(1)),
    d=Integers(3, 6),
    r=Integers(1, 150),
    eps=EPS,
    p=TAILED,
    where=lambda p, eps: p[0] > eps,
    quick=60,
    full=750,
)
BALANCED = PAPER.family(
    "ties-of-the-tail-hypothesis",
    tau=Choices(Q(5, 4), Q(2), Q(5)),
    game=Choices(
        ((Q(4, 9), Q(1, 3), Q(2, 9)), Q(1, 9)),  # S_2 = 1 and p_d + eps = p_2: f(p_d + eps) = V*
        ((Q(3, 8), Q(1, 4), Q(1, 4), Q(1, 8)), Q(1, 8)),
        ((Q(1, 2), Q(3, 10), Q(1, 5)), Q(3, 20)),  # one token, f(p_d + eps) = f(p_1 - eps)
    ),
    p=Given(lambda game: game[0]),
    eps=Given(lambda game: game[1]),
    where=small_tokens_are_worth_less,
    every=True,
)
FINITE = PAPER.family(
    "objectives-finite-at-zero",
    tau=Choices(Q(5, 4), Q(2), Q(5)),
    d=Integers(3, 6),
    p=Given(lambda d: Distributions(d, Q(1, d))),
    share=Rationals(0, Q(7, 10), open="both"),
    eps=Given(lambda p, share: p[0] * share),
    where=small_tokens_are_worth_less,
    accept=0.02,
    quick=60,
    full=750,
)
ANY_FINITE = PAPER.family(
    "objectives-finite-at-zero-any-budget",
    tau=Choices(Q(5, 4), Q(3, 2), Q(2), Q(3), Q(5), Q(20)),
    d=Integers(3, 5),
    p=Given(lambda d: Distributions(d, Q(1, d))),
    share=Rationals(0, Q(19, 20), open="both"),
    eps=Given(lambda p, share: p[0] * share),
    quick=30,
    full=600,
)
FIXED_SUPPORT = PAPER.family(
    "fixed-supports",
    tau=Choices(Q(1, 3), Q(1, 2), Q(4, 5), Q(1), Q(5, 4), Q(2), Q(5)),
    d=Integers(3, 12),
    p=Given(lambda d: Distributions(d, Q(1, d))),
    I=Given(lambda d: Integers(2, d - 1)),
    where=lambda p, I: p[0] > p[I - 1] * Q(51, 50),
    quick=40,
    full=400,
)


@PAPER.identity(
    source="generalising the objective, near-optimal strategies encompass temperature scaling and hybrids (abstract); the "
    "hypotheses are derived",
    fidelity="paper",
    evidence="certified",
    family=(INFINITE, FINITE, BALANCED),
    part="closed form",
    method="the certificate of the one-step game with f_tau in place of log, in balls, and the linear program over tokens and vertices "
    "between the guarantees of two exact strategies; for the limit, log-log slopes over eps = p_I/2^k, k = 7..11",
    hypotheses="(T) for tau <= 1. (T') for tau > 1, where f(0) is finite: token d is outside the support, f(p_d + eps) <= V*, and f(p_j) <= "
    "V* whenever p_j <= eps",
    not_established="an error term of the limit smaller than the window shows, such as eps/log(1/eps) against eps",
)
def general_objective_temperature(tau, p, eps):
    r"""For $f_\tau$, $\tau \in (0, 1]$ under (T) and $\tau > 1$ under (T'), the closed form with $w_i = 1/(f_\tau(\hat p_i) - f_\tau(\hat
    p_i - \epsilon))$ is the value and an optimal strategy. As $\epsilon \to 0$ with a fixed support, $q^*_i \to \hat
    p_i^{1/\tau}/\sum_j \hat p_j^{1/\tau}$ with error of order $\epsilon$ (exponent exactly 1 unless $\hat p$ is uniform on the support):
    temperature scaling on the truncated vocabulary. Only $\tau = 1$ gives plain renormalisation.
    """
    k = support_size(p, eps, tau)
    yield from certificate(p, eps, k, tau)
    form = at_precision(lambda: closed_form(p, eps, k, tau))
    yield "value of the finite game", finite_game(p, eps, tau, lambda: form().value)


@general_objective_temperature.check("without (T')", family=ANY_FINITE)
def _without_tail_hypothesis(tau, p, eps, *, equal=False):
    """Without (T') the formula is only a lower bound: mass that Nature must feed to a used token raises its payoff."""
    form = at_precision(lambda: closed_form(p, eps, support_size(p, eps, tau), tau))
    bounds = at_precision(FiniteGame(p, eps, tau).bounds)
    yield "lower bound without (T')", le(lambda: form().value, lambda: bounds()[1], within=CLOSE)
    if equal:
        yield "lower bound without (T')", le(lambda: bounds()[0], lambda: form().value, within=CLOSE)


@general_objective_temperature.check("temperature limit", family=FIXED_SUPPORT)
def _temperature_limit(tau, p, I, *, exponent=lambda tau: 1 / tau, rate=1, sharper=True):
    budgets = [p[I - 1] / 2**k for k in WINDOW]

    def distances():
        limit = tempered(p[:I], exponent(tau))
        return [total_variation(closed_form(p, eps, I, tau).q, limit) for eps in budgets]

    yield "distance to temperature scaling", slope(budgets, at_precision(distances), rate, within=Q(1, 50))

    def largest():
        return tempered(p[:I], 1 / tau)[0], tempered(p[:I], Q(1))[0]

    if tau == LOG:
        yield "tau = 1 is plain renormalisation", eq(at_precision(largest), within=CLOSE)
    elif (tau < 1) == sharper:
        yield "tau < 1 sharpens, tau > 1 flattens", lt(at_precision(lambda: largest()[::-1]))
    else:
        yield "tau < 1 sharpens, tau > 1 flattens", lt(at_precision(largest))


def tempered(head, exponent):
    """p_i^exponent, normalised."""
    powers = [power(arb(m), exponent) for m in head]
    total = sum(powers, arb(0))
    return [a / total for a in powers]


def total_variation(q, r):
    """(1/2) sum |q_i - r_i|."""
    return sum((abs(a - b) for a, b in zip(q, r)), arb(0)) / 2


general_objective_temperature.mutant(
    "the limit is plain renormalisation for every tau",
    exponent=lambda tau: fmpq(1),
    breaks="distance to temperature scaling",
)
general_objective_temperature.mutant(
    "exponent tau in place of 1/tau", exponent=lambda tau: tau, breaks="distance to temperature scaling"
)
general_objective_temperature.mutant(
    "exponent 1/tau 1 % too large", exponent=lambda tau: Q(101, 100) / tau, breaks="distance to temperature scaling"
)
general_objective_temperature.mutant(
    "error of order eps^(11/10)", rate=Q(11, 10), breaks="distance to temperature scaling"
)
general_objective_temperature.mutant("(T') dropped for tau > 1", equal=True, breaks="lower bound without (T')")
general_objective_temperature.mutant("tau < 1 flattens", sharper=False, breaks="tau < 1 sharpens, tau > 1 flattens")
