"""The inner minimum as an l-infinity regulariser, and the closed form of the one-step game."""

from __future__ import annotations

from flint import fmpq

from solvers.games import greatest, least, tv_vertices
from theorems import Arrays, Choices, Given, Integers, Q, eq, le
from theorems.papers.decoding_game import PAPER
from theorems.papers.decoding_game.distributions import Distributions
from theorems.papers.decoding_game.game import (
    CLOSE,
    LOG,
    FiniteGame,
    at_precision,
    closed_form,
    f,
    inner_minimum,
    loss,
    payoff_matrix,
    regularised,
    support_size,
    usable,
    value_mass,
)

EPS = Given(lambda r: fmpq(r, 1000))
TAILED = Given(lambda d, eps: Distributions(d, eps))


def restricted(play, p, eps):
    """The strategy proportional to `play` on the usable tokens."""
    kept = play[: usable(p, eps)]
    total = sum(kept)
    return [fmpq(a, total) for a in kept]


def at_least_two(play, p, eps):
    """(T) holds and two usable tokens are played."""
    return p[0] > eps and sum(a > 0 for a in play[: usable(p, eps)]) >= 2


GAMES = PAPER.family(
    "games-with-strategies",
    d=Integers(3, 6),
    r=Integers(1, 150),
    eps=EPS,
    p=TAILED,
    play=Given(lambda d: Arrays(Integers(0, 9), (d,))),
    where=at_least_two,
    quick=150,
    full=5000,
)
BARELY = PAPER.family(
    "tokens-barely-usable",
    p=Choices(
        *((Q(3, 5), Q(1, 5) + s, Q(1, 5) - s) for s in (Q(1, 10**3), Q(1, 10**9), Q(1, 10**18))),
        *((Q(2, 5), Q(1, 4) + s, Q(1, 4), Q(1, 10) - s) for s in (Q(1, 10**4), Q(1, 10**12))),
    ),
    eps=Given(lambda p: Q(1, 5) if len(p) == 3 else Q(1, 4)),
    play=Given(lambda p: Choices(*((1, b, 1, 1)[: len(p)] for b in (1, 5)))),
    where=lambda p, eps: p[-1] <= eps < p[1],
    every=True,
)


@PAPER.identity(
    source="adversarial Nature imposes an implicit l-infinity-type regularisation on likelihood maximisation (abstract); "
    "the hypotheses are derived",
    fidelity="paper",
    evidence="certified",
    family=(GAMES, BARELY),
    method="the left side by enumerating points that include all vertices of the ball (exact rationals, payoffs in balls); a concave "
    "function takes its minimum at a vertex",
    rests_on="a concave function on a polytope takes its minimum at a vertex; vertices have one receiver and at most one "
    "token emptied in part",
    hypotheses="(T), and q is supported on usable tokens",
)
def inner_min_linf_regulariser(p, eps, play, *, combine=greatest, budget=1):
    r"""Under (T), for every $q$ supported in $\{\hat p_i > \epsilon\}$,
    $$\min_{p \in N(\hat p, \epsilon)} \sum_i q_i \log p_i = \sum_i q_i \log \hat p_i - \max_i\, q_i \log \frac{\hat p_i}{\hat p_i -
    \epsilon}.$$ In particular no vertex empties a usable token.
    """
    n = usable(p, eps)
    vertices = tv_vertices(p, eps)
    yield (
        "usable tokens are never emptied",
        eq([least([v[i] for v in vertices]) for i in range(n)], [m - eps for m in p[:n]]),
    )
    q = restricted(play, p, eps)
    matrix = at_precision(lambda: payoff_matrix(vertices, n))
    losses = at_precision(lambda: [loss(m, eps) for m in p[:n]])
    spent = at_precision(lambda: [loss(m, budget * eps) for m in p[:n]])
    scores = at_precision(lambda: [f(m) for m in p[:n]])

    def both(strategy):
        gain = sum((a * s for a, s in zip(strategy, scores())), fmpq(0))
        return inner_minimum(strategy, matrix()), gain - combine([a * c for a, c in zip(strategy, spent()) if a != 0])

    yield "random strategy", eq(at_precision(lambda: both(q)), within=CLOSE)
    yield "all penalties equal", eq(at_precision(lambda: both(_equalising(losses()))), within=CLOSE)


def _equalising(losses):
    """q_i proportional to 1 / D_i."""
    total = sum(1 / c for c in losses)
    return [1 / (c * total) for c in losses]


def _sum(values):
    return sum(values[1:], values[0])


inner_min_linf_regulariser.mutant("penalty summed over tokens", combine=_sum, anywhere=True)
inner_min_linf_regulariser.mutant("half the budget in the penalty", budget=Q(1, 2), anywhere=True)
inner_min_linf_regulariser.mutant("1 % less budget in the penalty", budget=Q(99, 100), anywhere=True)
inner_min_linf_regulariser.mutant(
    "(T) dropped: every token usable and played",
    domain={
        "p": Given(lambda d, eps: Distributions(d, 3 * eps, 2 * eps, ("near flat",))),
        "play": Given(lambda d: Arrays(Integers(1, 9), (d,))),
    },
    on="games-with-strategies",
    breaks="random strategy",
)

SMALL = PAPER.family(
    "small-games",
    d=Integers(3, 6),
    r=Integers(1, 150),
    eps=EPS,
    p=TAILED,
    where=lambda p, eps: p[0] > eps,
    quick=110,
    full=2000,
)
LARGE = PAPER.family(
    "large-vocabularies",
    d=Integers(50, 400),
    r=Integers(1, 99),
    eps=Given(lambda d, r: fmpq(r, 100 * d)),
    p=TAILED,
    where=lambda p, eps: p[0] > eps,
    quick=40,
    full=1000,
)
TIES = PAPER.family(
    "ties",
    game=Choices(
        ((Q(2, 5), Q(3, 10), Q(1, 4), Q(1, 20)), Q(1, 10)),  # S_2 = 1: p_2 = p_1 - eps
        ((Q(2, 5), Q(3, 10), Q(3, 10) - Q(1, 50), Q(1, 50)), Q(1, 10)),
        ((Q(1, 3), Q(1, 3), Q(2, 9), Q(1, 9)), Q(5, 27)),  # S_3 = 1: (p_1/p_3)^2 = p_1/(p_1 - eps)
        ((Q(3, 10), Q(3, 10), Q(3, 10), Q(1, 10)), Q(1, 10)),  # flat head: S = 0
        ((Q(1, 2), Q(1, 2) - Q(1, 100), Q(1, 100)), Q(1, 100) + Q(1, 10**12)),  # just past S_2 = 1
        ((Q(1, 2), Q(1, 2) - Q(1, 100), Q(1, 100)), Q(1, 100) - Q(1, 10**12) + Q(1, 10**13)),
    ),
    p=Given(lambda game: game[0]),
    eps=Given(lambda game: game[1]),
    where=lambda p, eps: p[-1] <= eps < p[0],
    every=True,
)


def certificate(p, eps, k, tau, *, plain=False):
    """The comparisons that prove a support of size k optimal, and the value that goes with it."""
    n = usable(p, eps)
    form = at_precision(lambda: closed_form(p, eps, k, tau, plain=plain))
    if len(p) <= 6:
        vertices = tv_vertices(p, eps)
        attained = at_precision(lambda: inner_minimum(form().q, payoff_matrix(vertices, k, tau)))
    else:
        attained = at_precision(lambda: regularised(form().q, p, eps, tau))
    yield "the strategy attains the value", eq(attained, lambda: form().value, within=CLOSE)
    yield "Nature's weights sum to 1", eq(lambda: sum(form().mixture), 1, within=CLOSE)
    yield "Nature's weights are non-negative (S <= 1)", le(lambda: 1 - form().slack, 1)
    extremes = at_precision(lambda: [least(form().payoffs), greatest(form().payoffs)])
    yield "tokens of the support are worth the value", eq(extremes, lambda: [form().value] * 2, within=CLOSE)
    others = (
        p[k:n] if tau <= 1 else (*p[k:-1], p[-1] + eps)
    )  # what the mixture gives them; unusable ones have f(0) = -inf
    exact = value_mass(p, eps, k, tau)
    if others and exact is not None:
        yield "no other token is worth more", le(max(others), exact)  # V = f(exact), and f is increasing
    elif others:
        best = at_precision(lambda: greatest([f(m, tau) for m in others]))
        yield "no other token is worth more", le(best, lambda: form().value)


def finite_game(p, eps, tau, value):
    """The value lies between the guarantees of two rational strategies of the finite game, which are 1e-9 apart at most."""
    game = FiniteGame(p, eps, tau)
    bounds = at_precision(game.bounds)

    def both():
        (low, high), v = bounds(), value()
        return [low, v, high - low], [v, high, Q(1, 10**9)]

    return le(at_precision(both), within=CLOSE)


@PAPER.identity(
    source="optimal strategy in closed form for the one-step game (abstract); the hypotheses are derived",
    fidelity="paper",
    evidence="certified",
    family=(SMALL, LARGE, TIES),
    method="a certificate in balls: the strategy's inner minimum (over all vertices for d <= 6, by the regulariser above), and Nature's "
    "mixture of p - eps e_i + eps e_d with weights w_i (log p_i - V*); for d <= 6 also the linear program over tokens and "
    "vertices, between the guarantees of two exact strategies",
    hypotheses="(T)",
)
def one_step_closed_form_optimal(p, eps, *, level=1, longer=0, plain=False):
    r"""Under (T) with $f = \log$, the value of the one-step game is $V^* = (\sum_{i \le I^*} w_i \log \hat p_i - 1)/W$, $W = \sum_{i
    \le I^*} w_i$, and $q^*_i = w_i/W$ for $i \le I^*$, $0$ otherwise, attains it: truncate at the largest $I$ with $S_I \le 1$ and play
    proportionally to $\hat w_i = \epsilon/\log(\hat p_i/(\hat p_i - \epsilon))$.
    """
    k = min(max(support_size(p, eps, LOG, level) + longer, 1), usable(p, eps))
    yield from certificate(p, eps, k, LOG, plain=plain)
    if len(p) <= 6:
        form = at_precision(lambda: closed_form(p, eps, k))
        yield "value of the finite game", finite_game(p, eps, LOG, lambda: form().value)


one_step_closed_form_optimal.mutant(
    "support one token longer", longer=1, breaks="Nature's weights are non-negative (S <= 1)"
)
one_step_closed_form_optimal.mutant("support one token longer: value", longer=1, breaks="value of the finite game")
one_step_closed_form_optimal.mutant("support one token shorter", longer=-1, breaks="no other token is worth more")
one_step_closed_form_optimal.mutant("support one token shorter: value", longer=-1, breaks="value of the finite game")
one_step_closed_form_optimal.mutant("renormalised p in place of w", plain=True, breaks="the strategy attains the value")
one_step_closed_form_optimal.mutant("threshold S <= 2", level=2, breaks="value of the finite game")
one_step_closed_form_optimal.mutant("threshold S <= 1/2", level=Q(1, 2), breaks="value of the finite game")
one_step_closed_form_optimal.mutant(
    "threshold S < 1 - 1e-6 at a near tie", level=1 - Q(1, 10**6), on="ties", breaks="value of the finite game"
)
