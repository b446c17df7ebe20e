"""The mass of S over balls of Kullback-Leibler divergence, and what membership queries cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flint import arb, ctx, fmpq

from solvers.enclosures import precision
from theorems import Choices, Q, curve, le, lt, symbols
from theorems.papers.truncated_samples.bernoulli import cubes, given, kl, law, means, rationals, subset, weight
from theorems.papers.truncated_samples.gaussian import (
    Union,
    density,
    half_line,
    mass,
    problem,
    symmetric,
    unions,
)
from theorems.papers.truncated_samples.paper import PAPER

ONE, TWO = Q(1), Q(2)
SLACKS = Choices(Q(0), Q(1), Q(5))
DEEPEST = 4000  # cells of one instance
HARD = PAPER.family(
    "small intervals",
    S=Choices(symmetric(Q(1, 10)), symmetric(Q(1, 100)), half_line(1), half_line(4), half_line(8)),
    true=Choices(Q(0)),
    slack=SLACKS,
    every=True,
)
LINES = unions("unions for the mass", quick=8, full=50)


def mass_on(S: Union, theta: arb) -> arb:
    """p_theta(S) on a ball of theta, by the mean value form."""
    middle = arb(theta.mid())
    slope = arb(0)
    for a, b in S:
        for end, sign in ((a, 1), (b, -1)):
            if end is not None:
                slope += sign * density(arb(end) - theta)
    return mass(S, middle) + (theta - middle) * slope


def cells(S: Union, low: arb, high: arb, floor: arb) -> Iterator[arb]:
    """Masses on cells that cover [low, high], each cut until its mass is above the floor (or the cells are too many)."""
    span = (high - low) * arb(fmpq(1, 2))
    stack = [(fmpq(-1), fmpq(1))]
    made = 0
    while stack:
        a, b = stack.pop()
        middle = (low + high) / 2
        theta = (middle + span * arb(a)).union(middle + span * arb(b))
        found = mass_on(S, theta)
        made += 1
        if found > floor or made > DEEPEST:
            yield found
        else:
            stack += [((a + b) / 2, b), (a, (a + b) / 2)]


def reach(S: Union, true: fmpq, slack: fmpq, centre: str = "start", radius: fmpq = ONE) -> tuple[arb, arb]:
    """The ends of {theta : KL(p_centre || p_theta) <= radius L + slack}."""
    found = problem(S, true)
    middle = found.start if centre == "start" else arb(true)
    width = (2 * (arb(radius) * found.L + arb(slack))).sqrt()
    return middle - width, middle + width


@PAPER.bound(
    source="the key lower bound p_theta(S) >= alpha^2 e^{-slack} over the feasible region",
    fidelity="paper",
    evidence="certified",
    family=HARD,
    method="p_theta(S) on all of K by bisection into balls of theta in mean value form; tiny intervals nearly attain the bound",
    hypotheses="0 < alpha < 1",
)
def kl_ball_mass(S, true, slack, *, exponent=TWO, centre="start", radius=ONE):
    r"""If $\mathrm{KL}(p_{\theta_0}\|p_\theta) \le \ln(1/\alpha) + \varsigma$, then $p_\theta(S) \ge \alpha^2 e^{-\varsigma}$. For $N(\theta, 1)$ this is checked for all
    $\theta$ of the interval $K = \{|\theta - \theta_0| \le \sqrt{2(L + \varsigma)}\}$ at once.
    """

    def floor() -> arb:
        return problem(S, true).alpha ** arb(exponent) * (-arb(slack)).exp()

    def ends() -> tuple[list[arb], list[arb]]:
        low, high = reach(S, true, slack, centre, radius)
        return [floor()] * 2, [mass(S, low), mass(S, high)]

    yield "ends of K", le(ends)

    def everywhere() -> tuple[list[arb], list[arb]]:
        low, high = reach(S, true, slack, centre, radius)
        least = floor()
        found = list(cells(S, low, high, least))
        return [least] * len(found), found

    yield "all of K", le(everywhere)


@kl_ball_mass.check("unions", family=LINES)
def _unions(S, true, *, exponent=TWO):
    """Random unions, all of K without slack."""

    def everywhere() -> tuple[list[arb], list[arb]]:
        low, high = reach(S, true, Q(0))
        least = problem(S, true).alpha ** arb(exponent)
        found = list(cells(S, low, high, least))
        return [least] * len(found), found

    yield "unions, all of K", le(everywhere)


def near(d: int, p: Any, r: Any, code: int, slack: fmpq) -> bool:
    """Whether the other means certainly lie in K."""
    seen = given(law(rationals(p, 20)), subset(d, code))
    middle = law(means(seen, d))
    alpha = weight(law(rationals(p, 20)), subset(d, code))
    return bool(kl(middle, law(rationals(r, 200))) < -arb(alpha).log() + arb(slack))


@kl_ball_mass.check(
    "products",
    family=cubes(
        "cubes inside K", 200, 3, where=lambda d, p, r, code: near(d, p, r, code, Q(0)), accept=0.05, quick=20, full=300
    ),
)
def _products(d, p, r, code, *, exponent=TWO):
    S = subset(d, code)
    alpha = weight(law(rationals(p, 20)), S)
    yield "products", le(lambda: (arb(alpha) ** arb(exponent), arb(weight(law(rationals(r, 200)), S))))


@kl_ball_mass.proof(
    "from the decomposition",
    covers="every exponential family: all divergences >= 0",
    rests_on=("(i), (ii), (iii) of kl-decomposition, and that divergences are >= 0",),
)
def _from_decomposition(*, doubled=1):
    """ln(1/p_theta(S)) = KL(p*^S||p_theta) - KL(p*^S||p_theta^S), at most KL(p*^S||p_0) + L + slack <= 2 L + slack."""
    inner, first, away, slack, room = symbols("inner first away slack room", nonnegative=True)
    L = first + away  # (iii)
    move = doubled * L + slack - room  # KL(p_0 || p_theta), inside the region
    yield le(first + move - inner, 2 * L + slack)


kl_ball_mass.mutant("exponent 1.5", exponent=Q(3, 2), breaks="ends of K")
kl_ball_mass.mutant("exponent 1.99", exponent=Q(199, 100), breaks="ends of K")
kl_ball_mass.mutant("KL up to 2 L", radius=TWO, breaks="ends of K")
kl_ball_mass.mutant("a ball about theta* in place of theta_0", centre="true", breaks="ends of K")
kl_ball_mass.mutant("a region of twice the radius in the derivation", doubled=2, breaks="from the decomposition")

MISSING = Q(2, 5)  # times w^2
TINY = Choices(*(fmpq(1, 10**k) for k in (2, 4, 8, 16, 32, 64)))


def exponents(w: fmpq, at: str) -> arb:
    """ln p_theta(S) / ln alpha for S = [-w, w], theta* = 0, at the end of K ("ball") or at theta = L ("parameter")."""
    with precision(max(ctx.prec, 900)):
        S = symmetric(w)
        found = problem(S, fmpq(0))
        theta = (2 * found.L).sqrt() if at == "ball" else found.L
        return mass(S, theta).log() / -found.L


@PAPER.rate(
    source="sharpness of the exponent 2, and why balls of the parameter fail",
    fidelity="derived",
    evidence="certified",
    domain={"w": TINY},
    every=True,
    part="exponent 2",
    method="900-bit balls at w = 10^-2 .. 10^-64",
    hypotheses="S = [-w, w], theta* = 0",
)
def alpha_squared_exponent(w, *, limit=TWO, missing=MISSING, most=None):
    r"""For $S = [-w, w]$ and $\theta^\star = 0$, $\ln p_\theta(S)/\ln\alpha \to 2$ at $\theta = \sqrt{2L}$ as $w \to 0$: between $2 - \frac25w^2$ and 2. At $\theta = L$
    (a ball of the parameter) it is $\frac L2 + 1$ to within $10^{-3}$: super-polynomial in $1/\alpha$.
    """
    yield lt(lambda: (exponents(w, "ball"), arb(limit)))
    yield "exponent 2", le(lambda: (arb(limit) - arb(missing) * arb(w) ** 2, exponents(w, "ball")))
    half = lambda: problem(symmetric(w), fmpq(0)).L / 2 + 1  # noqa: E731
    claimed = half if most is None else lambda: arb(most)
    yield "parameter ball", le(lambda: (exponents(w, "parameter"), claimed() + arb(Q(1, 1000))))
    if most is None:
        yield "parameter ball", le(lambda: (claimed() - arb(Q(1, 1000)), exponents(w, "parameter")))


alpha_squared_exponent.mutant("limit 3/2", limit=Q(3, 2), breaks="exponent 2")
alpha_squared_exponent.mutant("limit 1.98", limit=Q(198, 100), breaks="exponent 2")
alpha_squared_exponent.mutant("within 0.3 w^2 of the limit", missing=Q(3, 10), breaks="exponent 2")
alpha_squared_exponent.mutant("the parameter ball has the exponent 4", most=4, breaks="parameter ball")


def worst_query(S: Union, region: str) -> arb:
    """ln max 1/p_theta(S) over L, at the ends of K or of the parameter ball of radius L (theta* = 0)."""
    found = problem(S, fmpq(0))
    width = (2 * found.L).sqrt() if region == "ball" else found.L
    worst = [-mass(S, found.start + sign * width).log() for sign in (-1, 1)]
    return worst[0].max(worst[1]) / found.L


@PAPER.rate(
    source="the abstract: polynomially many membership queries in 1/alpha, against super-polynomially many; constants derived",
    fidelity="derived",
    evidence="certified",
    domain={
        "S": Choices(*(half_line(a) for a in (1, 2, 3, 4, 5, 6)), *(symmetric(Q(1, 10**k)) for k in (1, 2, 4))),
    },
    every=True,
    part="queries of an iteration",
    method="masses at the ends of K in balls (all of K in kl-ball-mass)",
    hypotheses="rejection sampling: a sample of p_theta^S costs 1/p_theta(S) membership queries on average; theta* = 0",
    rests_on=("p_theta(S) is log-concave in theta for an interval S, so the ends of K decide",),
    not_established="the number of iterations (see sgd-kl-guarantee); queries of a run",
)
def query_complexity(S, *, region="ball", exponent=TWO):
    r"""Membership queries of an iteration are at most $\max_K 1/p_\theta(S) \le \alpha^{-2}$, so that $N = \lceil 2LG^2/\varepsilon^2\rceil$ iterations cost
    $\mathrm{polylog}(1/\alpha)\,\alpha^{-2}/\varepsilon^2$ queries. Over the ball of radius $\ln(1/\alpha)$ in the parameter the exponent of $1/\alpha$ is
    unbounded: for half-lines it grows by more than 1 from each $a$ to $a + 1$.
    """
    yield le(lambda: (worst_query(S, region), arb(exponent)))


@query_complexity.check("growth", domain={"a": Choices(2, 3, 4, 5)}, every=True)
def _growth(a, *, over="parameter"):
    yield "parameter ball grows", lt(lambda: (worst_query(half_line(a), over) + 1, worst_query(half_line(a + 1), over)))
    if a == 2:
        shown = range(1, 7)
        for region, name in (("ball", "divergence at most L"), ("parameter", "parameter at distance L")):
            values = [worst_query(half_line(n), region) for n in shown]
            yield curve(
                "Exponent of 1/alpha in the queries, half-lines [a, oo)",
                shown,
                values,
                series=name,
                mark="dots",
                axes=("a", ""),
            )


query_complexity.mutant("exponent 1", exponent=ONE, breaks="queries of an iteration")
query_complexity.mutant("exponent 1.99", exponent=Q(199, 100), breaks="queries of an iteration")
query_complexity.mutant("the parameter ball in place of K", region="parameter", breaks="queries of an iteration")
query_complexity.mutant("K has an unbounded exponent too", over="ball", breaks="parameter ball grows")
