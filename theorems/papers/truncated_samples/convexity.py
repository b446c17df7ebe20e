"""The truncated negative log-likelihood: gradient, curvature, and moments of truncated laws."""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq, fmpq_series

from theorems import Arrays, Choices, Given, Integers, Q, eq, le
from theorems.papers.truncated_samples.bernoulli import law, rationals, subset, weight
from theorems.papers.truncated_samples.gaussian import Union, half_line, mass, symmetric, truncated, unions
from theorems.papers.truncated_samples.paper import PAPER

ZERO, ONE, TWO, SIXTH = Q(0), Q(1), Q(2), Q(1, 6)
HARD = PAPER.family(
    "intervals at the centre",
    S=Choices(
        *(symmetric(w) for w in (1, Q(1, 10), Q(1, 100), 3, 5)),  # nearly uniform, or nearly all of the line
        *(half_line(a) for a in (1, 2, 4, -5)),
    ),
    theta=Choices(Q(0)),
    every=True,
)
LINES = unions("unions for the curvature", quick=40, full=400)
SPLIT = PAPER.family("split intervals", S=Choices(((Q(-3), Q(-2)), (Q(1), Q(5, 2)))), theta=Choices(Q(-1)), every=True)
LINE_PARTS = (HARD, LINES, SPLIT)


@PAPER.bound(
    source="the optimisation problem of the method; constants derived",
    fidelity="derived",
    evidence="certified",
    family=LINE_PARTS,
    part="curvature from below",
    method="(i) power series of ln Z_S(t) in exact rationals against moments summed over S; (ii), (iii) closed forms in balls",
    hypotheses="(ii), (iii): N(theta, 1), p_theta(S) >= 1e-25",
    rests_on=(
        "a convex truncation does not increase the variance of a Gaussian law (Brascamp and Lieb), checked here at instances",
        "the bound alpha^2 e^{-slack} of p_theta(S) on K, from kl-ball-mass",
    ),
)
def truncated_nll_convexity(S, theta, *, constant=SIXTH, strongly=False, ceiling=ONE, everywhere=False):
    r"""(i) $\nabla L_S = \mathbb{E}_{p^S_\theta}T - \mathbb{E}_{p^S_\star}T$ and $\nabla^2 L_S = \mathrm{Cov}_{p^S_\theta}(T)$, so $L_S$ is convex for every $S$.
    For $N(\theta, 1)$: (ii) $\frac\pi6 p_\theta(S)^2 \le L_S''(\theta)$ for every $S$, hence a curvature of at least $\frac\pi6\alpha^4e^{-2\varsigma}$ on $K$;
    (iii) $L_S'' \le 1$ when $S$ is an interval, but not for unions.
    """

    def least() -> arb:
        p = mass(S, theta)
        return arb(1) if strongly else arb.pi() * arb(constant) * p * p

    yield le(lambda: (least(), truncated(S, theta).variance))
    if len(S) == 1 or everywhere:
        yield "curvature from above", le(lambda: (truncated(S, theta).variance, arb(ceiling)))


@truncated_nll_convexity.check(
    "derivatives",
    domain={
        "d": Integers(1, 3),
        "r": Given(lambda d: Arrays(Integers(1, 19), (d,))),
        "code": Given(lambda d: Integers(1, 2**2**d - 2)),
        "u": Given(lambda d: Arrays(Choices(1, -2, 3, -1, 2, -3), (d,))),
    },
    quick=20,
    full=200,
)
def _derivatives(d, r, code, u, *, truncated_mean=True, truncated_covariance=True):
    """-ln p_{theta + t u}^S along u: the series of ln sum_{x in S} p(x) e^{t u.x} to order 2."""
    S = subset(d, code)
    p = law(rationals(r, 20))
    order = 3
    Z = fmpq_series([0], prec=order)
    for x in S:
        step = sum(int(a) * b for a, b in zip(u, x))
        Z += fmpq_series([p[x], p[x] * step, p[x] * fmpq(step * step, 2)], prec=order)
    log = (Z / fmpq_series([weight(p, S)], prec=order)).log()
    along = {x: fmpq(sum(int(a) * b for a, b in zip(u, x))) for x in p}
    mean, variance = moments({x: p[x] / weight(p, S) for x in S}, along)
    plain = moments(p, along)
    yield "gradient", eq(log[1], mean if truncated_mean else plain[0])
    yield "Hessian", eq(2 * log[2], variance if truncated_covariance else plain[1])


def moments(q: Any, f: Any) -> tuple[fmpq, fmpq]:
    """Mean and variance of f under q."""
    mean = sum((w * f[x] for x, w in q.items()), fmpq(0))
    return mean, sum((w * (f[x] - mean) ** 2 for x, w in q.items()), fmpq(0))


truncated_nll_convexity.mutant("constant pi/5", constant=Q(1, 5), breaks="curvature from below")
truncated_nll_convexity.mutant("constant 1.01 pi/6", constant=Q(101, 600), breaks="curvature from below")
truncated_nll_convexity.mutant("at most 0.99 for intervals", ceiling=Q(99, 100), breaks="curvature from above")
truncated_nll_convexity.mutant("at most 1 for unions too", everywhere=True, breaks="curvature from above")
truncated_nll_convexity.mutant(
    "1-strongly convex like the ordinary likelihood", strongly=True, breaks="curvature from below"
)
truncated_nll_convexity.mutant("the gradient with the mean of p_theta", truncated_mean=False, breaks="gradient")
truncated_nll_convexity.mutant("the Hessian of the ordinary likelihood", truncated_covariance=False, breaks="Hessian")

TAILS = PAPER.family(
    "two tails",
    S=Choices(*(((None, -Q(a)), (Q(a), None)) for a in (1, 2, 4, 8))),
    theta=Choices(Q(0)),
    every=True,
)


def second_moment(S: Union, theta: fmpq) -> arb:
    """E (X - theta)^2 given S."""
    return truncated(S, theta).centred


@PAPER.bound(
    source="polylogarithmic moments of the gradients",
    fidelity="derived",
    evidence="certified",
    family=(TAILS, LINES),
    method="closed forms in balls: unions of intervals for d = 1, complements of balls for d = 2 to 10,000, by incomplete gamma functions",
    hypotheses="X ~ N(theta, I_d) given S",
    not_established="sets other than complements of balls for d > 1, where the bound rests on the variational formula of Donsker and Varadhan",
)
def truncated_second_moment(S, theta, *, linear=TWO):
    r"""For $X \sim N(\theta, I_d)$ and every $S$ with $P(S) = e^{-L}$, $\mathbb{E}\big[\|X - \theta\|^2 \mid S\big] \le d + 2\sqrt{dL} + 2L$."""

    def sides() -> tuple[arb, arb]:
        L = -mass(S, theta).log()
        return second_moment(S, theta), 1 + 2 * L.sqrt() + arb(linear) * L

    yield "line", le(sides)


@truncated_second_moment.check(
    "outside of balls",
    domain={"d": Choices(2, 5, 20, 100, 10_000), "k": Choices(Q(1), Q(4), Q(50), Q(400))},
    every=True,
)
def _outside(d, k, *, linear=TWO, of_dimension=True, root=TWO):
    """S = {|x|^2 > d + k sqrt(d)}: P(S) = Q(d/2, |x|^2/2), and the moment is d Q(d/2 + 1, .)/Q(d/2, .)."""

    def sides() -> tuple[arb, arb]:
        x = (d + arb(k) * arb(d).sqrt()) / 2
        p, q = (x.gamma_upper(arb(fmpq(d, 2) + more), regularized=1) for more in (0, 1))
        L = -p.log()
        return d * q / p, d + arb(root) * ((d if of_dimension else 1) * L).sqrt() + arb(linear) * L

    yield "outside of balls", le(sides)


truncated_second_moment.mutant("without the term 2 L", linear=ZERO, breaks="line")
truncated_second_moment.mutant("L in place of 2 L", linear=ONE, breaks="line")
truncated_second_moment.mutant("sqrt(L) in place of sqrt(d L)", of_dimension=False, breaks="outside of balls")
truncated_second_moment.mutant("1.9 L, without the root", linear=Q(19, 10), root=ZERO, breaks="outside of balls")
truncated_second_moment.mutant("1.7 sqrt(d L)", root=Q(17, 10), breaks="outside of balls")
