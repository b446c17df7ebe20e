"""Greedy search and top-k truncation as optimal supports: at which budgets, and for which distributions."""

from __future__ import annotations

from flint import arb, ctx, fmpq, fmpz

from solvers.enclosures import power, precision, sign
from solvers.games import greatest, least
from theorems import Choices, Given, Integers, Q, bracket, eq, le, lt
from theorems.papers.decoding_game import PAPER
from theorems.papers.decoding_game.distributions import GAMMAS, Distributions
from theorems.papers.decoding_game.game import (
    CLOSE,
    GUARD,
    FiniteGame,
    at_precision,
    closed_form,
    f,
    loss,
    regularised,
    sum_is_one,
    support_size,
    threshold_sum,
)

NEAR = Q(1, 10**6)  # relative half-width of the brackets
TAIL = Q(1, 10**4)


def greedy_is_at_stake(p):
    """p_1 > p_2 > eps >= p_d at all budgets looked at: about p_1 - p_2, and about half of it."""
    critical = p[0] - p[1]
    return critical > 0 and p[1] > critical * (1 + NEAR) and p[-1] <= critical * (1 - NEAR) / 2


GREEDY = PAPER.family(
    "greedy-or-not",
    tau=Choices(Q(1, 2), Q(3, 4), Q(1)),
    d=Integers(4, 60),
    p=Given(lambda d: Distributions(d, TAIL)),
    where=greedy_is_at_stake,
    quick=120,
    full=2000,
)
GREEDY_SMALL = PAPER.family(
    "greedy-or-not-few-tokens",
    tau=Choices(Q(1, 2), Q(3, 4), Q(1)),
    d=Integers(4, 6),
    side=Choices(0, -1, 1),
    p=Given(lambda d: Distributions(d, TAIL)),
    where=greedy_is_at_stake,
    quick=24,
    full=300,
)


def critical_budget(p, tau):
    """eps_c = p_1 - p_2, whatever the objective."""
    return p[0] - p[1]


@PAPER.transition(
    source="greedy search is covered by the framework (abstract); the threshold is derived",
    fidelity="derived",
    evidence="certified",
    family=GREEDY,
    method="balls on both sides of eps_c: the order parameter is what the optimal mixture of two tokens gains over the point mass (inner "
    "minima by the regulariser); below eps_c Nature's certificate; for d <= 6 the value of the finite game",
    hypotheses="p_1 > p_2 > eps >= p_d. If eps >= p_2 only token 1 is usable and greedy search is optimal trivially",
)
def greedy_threshold(tau, p, *, critical=critical_budget):
    r"""Let $\hat p_1 > \hat p_2 > \epsilon \ge \hat p_d$. For every increasing concave $f$ with $f(0) = -\infty$ the point mass on token 1
    (greedy search) is optimal iff $\epsilon \le \hat p_1 - \hat p_2$. The critical budget does not depend on $f$.
    """
    threshold = critical(p, tau)
    below, above = threshold * (1 - NEAR), threshold * (1 + NEAR)

    def gain(eps):
        with precision(ctx.prec + GUARD):
            return regularised(closed_form(p, eps, 2, tau).q, p, eps, tau) - f(p[0] - eps, tau)

    yield "mixing gains only above", bracket(threshold, [below / 2, below, above], gain, level=0)
    yield "greedy is certified below", le(lambda: f(p[1], tau), lambda: f(p[0] - below, tau))
    yield "support sizes", eq([min(support_size(p, e, tau), 2) for e in (below, above)], [1, 2])


@greedy_threshold.check("value of the finite game", family=GREEDY_SMALL)
def _greedy_value(tau, side, p, *, critical=critical_budget):
    eps = critical(p, tau) * (1 + side * NEAR)
    bounds = at_precision(FiniteGame(p, eps, tau).bounds)
    greedy = at_precision(lambda: f(p[0] - eps, tau))
    yield (
        "value of greedy search",
        le(lambda: bounds()[0], greedy, within=CLOSE) if side <= 0 else lt(greedy, lambda: bounds()[0]),
    )


def depends_on_objective(p, tau):
    """p_1 (1 - (p_2/p_1)^tau), to 12 digits."""
    with precision(GUARD):
        return _rational(arb(p[0]) * (1 - power(arb(p[1] / p[0]), tau)))


def _rational(x):
    return fmpq((x * 3 * 10**12).mid().floor().unique_fmpz(), 3 * fmpz(10) ** 12)


greedy_threshold.mutant(
    "half the critical budget",
    critical=lambda p, tau: (p[0] - p[1]) / 2,
    breaks="mixing gains only above",
    anywhere=True,
)
greedy_threshold.mutant(
    "critical budget 1 % too small",
    critical=lambda p, tau: (p[0] - p[1]) * Q(99, 100),
    breaks="mixing gains only above",
)
greedy_threshold.mutant(
    "critical budget 1 % too large",
    critical=lambda p, tau: (p[0] - p[1]) * Q(101, 100),
    on="greedy-or-not-few-tokens",
    breaks="value of greedy search",
)
greedy_threshold.mutant(
    "critical budget depends on the objective", critical=depends_on_objective, breaks="mixing gains only above"
)


VECTORS = PAPER.family(
    "vectors",
    d=Integers(4, 9),
    p=Given(lambda d: Distributions(d, Q(1, 100), TAIL, (*GAMMAS, "plateaus"))),
    where=lambda p: p[0] > p[-2],
    quick=40,
    full=300,
)
CORNERS = PAPER.family(
    "corner-vectors",
    p=Choices(
        (Q(6, 10), Q(3, 10), Q(95, 1000), Q(5, 1000)),  # p_1 = 2 p_2: crit_2 = 1
        (Q(599, 1000), Q(301, 1000), Q(95, 1000), Q(5, 1000)),
        (Q(601, 1000), Q(299, 1000), Q(95, 1000), Q(5, 1000)),
        (Q(29, 100), Q(28, 100), Q(28, 100), Q(14, 100), Q(1, 100)),
    ),
    every=True,
)
SAME_BUDGET = PAPER.family(
    "one-budget",
    case=Choices(
        ((Q(90, 100), Q(8, 100), Q(2, 100)), 1, Q(90, 100)),
        ((Q(45, 100), Q(45, 100), Q(6, 100), Q(4, 100)), 2, Q(90, 100)),
        ((Q(32, 100), Q(32, 100), Q(32, 100), Q(4, 100)), 3, Q(96, 100)),
        ((Q(30, 100), Q(30, 100), Q(30, 100), Q(6, 100), Q(4, 100)), 3, Q(90, 100)),
        ((*[Q(1, 10)] * 9, Q(6, 100), Q(4, 100)), 9, Q(90, 100)),
        ((*[Q(16, 100)] * 6, Q(4, 100)), 6, Q(96, 100)),
    ),
    every=True,
)
FEW_TOKENS = PAPER.family(
    "vectors-of-few-tokens",
    d=Integers(4, 5),
    p=Given(lambda d: Distributions(d, Q(1, 100), TAIL, (*GAMMAS, "plateaus"))),
    where=lambda p: p[0] > p[-2],
    quick=8,
    full=60,
)
BUDGETS = 200


def critical_sum(p, k, eps=None):
    """crit_k, the limit of S_k(eps) as eps increases to p_k: at that budget token k becomes unusable."""
    a, eps = p[k - 1], p[k - 1] if eps is None else eps
    return sum((arb(m / a).log() / -arb(1 - eps / m).log() for m in p[: k - 1] if m > a), arb(0))


def side_of_one(p, k):
    """The sign of crit_k - 1; a tie is decided exactly."""
    return 0 if sum_is_one(p, p[k - 1], k) else sign(lambda: critical_sum(p, k) - 1).sign


def reachable(p, k):
    """Whether some budget makes token k part of the optimal support: crit_k < 1."""
    return side_of_one(p, k) < 0


def threshold_bracket(p, k):
    """A bracket of relative width 1e-6 about the root of S_k = 1 on (0, p_k), by bisection."""
    a = p[k - 1]
    low = high = a * Q(500, 1009)  # no simple fraction, so that bisection does not hit a rational root
    for _ in range(60):
        if _sum_exceeds_one(p, low, k):
            break
        low /= 3
    shrunk = a / 2
    for _ in range(60):
        if not _sum_exceeds_one(p, high, k):
            break
        shrunk /= 3
        high = a - shrunk
    while high - low > NEAR * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _sum_exceeds_one(p, middle, k) else (low, middle)
    return low, high


def _sum_exceeds_one(p, eps, k):
    return sign(lambda: threshold_sum(p, eps, k) - 1).sign == 1


@PAPER.transition(
    source="top-k and nucleus truncation as optimal supports (abstract); thresholds derived",
    fidelity="derived",
    evidence="certified",
    family=(CORNERS, VECTORS),
    method="crit_k against 1 in balls; eps_k bracketed to a relative 1e-6, with S_k decreasing on a grid and the support size of the closed "
    "form on both sides; unreachable k: S_k > 1 at 200 budgets; for d <= 5 the value of the finite game on both sides",
    hypotheses="f = log, (T), p_1 > p_k, p_k > 1.01 p_d in the instances",
    not_established="monotonicity between the points of the grid (it follows since D_i(eps) increases with eps)",
)
def topk_reachability(p, *, reaches=reachable, locate=threshold_bracket, second=1):
    r"""For $f = \log$, $k \ge 2$ and $\hat p_1 > \hat p_k$, $S_k(\epsilon)$ decreases strictly on $(0, \hat p_k)$. Let $\mathrm{crit}_k =
    \sum_{i < k, \hat p_i > \hat p_k} \log(\hat p_i/\hat p_k)/\log(\hat p_i/(\hat p_i - \hat p_k))$. If $\mathrm{crit}_k < 1$, one
    $\epsilon_k \in (0, \hat p_k)$ has $S_k(\epsilon_k) = 1$, and under (T) token $k$ is in the optimal support iff
    $\max(\epsilon_k, \hat p_d) \le \epsilon < \hat p_k$; if $\mathrm{crit}_k \ge 1$, for no budget. $\epsilon_k$ is non-decreasing in $k$, so
    the optimal support has size exactly $k$ for $\epsilon \in [\epsilon_k, \min(\epsilon_{k+1}, \hat p_k))$. $\epsilon_2 = \hat p_1 - \hat
    p_2$, reachable iff $\hat p_1 < 2 \hat p_2$. No fixed $k$ or nucleus mass is optimal for all $\hat p$.
    """
    before = None
    for k in _tokens(p):
        before = yield from _token(p, k, reaches(p, k), locate, before)
    if p[1] > Q(101, 100) * p[-1] and p[0] > p[1]:
        yield "token 2 is reachable iff p_1 < 2 p_2", eq(side_of_one(p, 2), _sign(p[0] - 2 * p[1]))
        if p[0] < 2 * p[1]:
            pair = second * (p[0] - p[1])
            yield (
                "eps_2 = p_1 - p_2",
                bracket(pair, [pair * (1 - NEAR), pair * (1 + NEAR)], sum_at(p, 2), level=1, rising=False),
            )


def _token(p, k, reached, locate, before):
    """The comparisons about one k; returns the lower end of its bracket, or that of the token before."""
    a, order = p[k - 1], sum_at(p, k)
    falling = at_precision(lambda: sums_over(p, k, [a * j / 16 for j in range(1, 16)]))
    yield "S_k decreases", lt(lambda: falling()[1:], lambda: falling()[:-1])
    if not reached:
        budgets = [p[-1] + (a - p[-1]) * Q(j, BUDGETS) for j in range(BUDGETS - 20)]
        budgets += [a - (a - p[-1]) / (10 * Q(3, 2) ** j) for j in range(20)]
        yield "unreachable tokens", lt(1, lambda: least(sums_over(p, k, budgets)))
        return before
    low, high = locate(p, k)
    yield "threshold of token k", lt(high, a)
    if high >= a:
        return before
    control = [low / 2, low, high, (high + 2 * a) / 3]
    yield "threshold of token k", bracket((low + high) / 2, control, order, level=1, rising=False)
    if before is not None:
        yield "thresholds are ordered", le(before, high)
    if p[-1] < low:
        yield "support below the threshold", le(support_size(p, low), k - 1)
    yield "support above the threshold", le(k, support_size(p, max(high, p[-1])))
    return low


def _sign(x):
    return (x > 0) - (x < 0)


def _tokens(p):
    """The k with p_1 > p_k > 1.01 p_d."""
    return [k for k in range(2, len(p)) if p[0] > p[k - 1] > Q(101, 100) * p[-1]]


def sum_at(p, k):
    """S_k as a function of the budget."""
    return lambda eps: threshold_sum(p, eps, k)


def sums_over(p, k, budgets):
    """S_k at many budgets."""
    larger = [m for m in p[:k] if m != p[k - 1]]
    gaps = [arb(m / p[k - 1]).log() for m in larger]
    return [sum((g / loss(m, eps) for g, m in zip(gaps, larger)), arb(0)) for eps in budgets]


@topk_reachability.check("value of the finite game", family=FEW_TOKENS)
def _topk_value(p, *, reaches=reachable, locate=threshold_bracket):
    for k in _tokens(p):
        if reaches(p, k):
            low, high = locate(p, k)
            if p[-1] < low:
                yield from _values(p, low)
            if p[-1] < high < p[k - 1]:
                guaranteed = yield from _values(p, high)
                yield "token k is needed above the threshold", lt(_best_without(p, high, k), guaranteed)


def _values(p, eps):
    """The closed form lies between the guarantees of the finite game; returns the lower one."""
    bounds, size = at_precision(FiniteGame(p, eps).bounds), support_size(p, eps)
    low = at_precision(lambda: bounds()[0])
    value = at_precision(lambda: closed_form(p, eps, size).value)
    yield "value of the closed form", le(low, value, within=CLOSE)
    yield "value of the closed form", le(value, lambda: bounds()[1], within=CLOSE)
    return low


def _best_without(p, eps, k):
    """The largest value of the closed form on fewer than k tokens, as a thunk."""
    return at_precision(lambda: greatest([closed_form(p, eps, j).value for j in range(1, k)]))


@topk_reachability.check("at one budget", family=SAME_BUDGET)
def _no_fixed_k(case, *, fixed=None):
    """eps = 1/20: supports of 1, 2, 3, 6 and 9 tokens, of mass 0.9 and 0.96."""
    p, k, mass = case
    size = support_size(p, Q(1, 20))
    yield "no fixed k is optimal", eq(size, k if fixed != "k" else 2)
    yield "no fixed mass is optimal", eq(sum(p[:size], fmpq(0)), mass if fixed != "mass" else Q(9, 10))


def first_order_bracket(p, k):
    """The budget at which the practical rule starts to keep token k: sum_{i<=k} p_i log(p_i/p_k)."""
    with precision(2 * GUARD):
        eps = _rational(sum((m * arb(m / p[k - 1]).log() for m in p[:k]), arb(0)))
    return eps * (1 - NEAR / 2), eps * (1 + NEAR / 2)


def moved_bracket(p, k):
    """The true bracket, moved by 1 %."""
    low, high = threshold_bracket(p, k)
    return low * Q(101, 100), high * Q(101, 100)


topk_reachability.mutant("every k is reachable", reaches=lambda p, k: True, breaks="threshold of token k")
topk_reachability.mutant("threshold of the first-order rule", locate=first_order_bracket, breaks="threshold of token k")
topk_reachability.mutant("threshold 1 % too large", locate=moved_bracket, breaks="threshold of token k")
topk_reachability.mutant(
    "reachability decided at eps = p_k/2",
    reaches=lambda p, k: sign(lambda: critical_sum(p, k, p[k - 1] / 2) - 1).sign == -1,
    breaks="unreachable tokens",
)
topk_reachability.mutant("eps_2 1 % too large", second=Q(101, 100), breaks="eps_2 = p_1 - p_2")
topk_reachability.mutant("two tokens for every distribution", fixed="k", breaks="no fixed k is optimal")
topk_reachability.mutant("nucleus of mass 0.9 for every distribution", fixed="mass", breaks="no fixed mass is optimal")
