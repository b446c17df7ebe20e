"""How far workers drift apart within a round: linearly in K for convex f, exponentially for weakly convex f."""

from __future__ import annotations

import itertools

import numpy as np
from flint import arb

from theorems import ByBudget, Choices, Q, bracket, eq, le, prob_le, slope
from theorems.papers.local_adaptive.contraction import SLOPES, limit
from theorems.papers.local_adaptive.paper import PAPER

CURVED = {**SLOPES, "bounded slope": lambda x: x / (1 + abs(x))}  # x/(1 + |x|) is the slope of |x| - ln(1 + |x|)


def enumerated(slope_of, L, b1, share, K):
    """E|x_K^m - x_K^n|^2/(eta^2 sigma^2 K) over all 4^K signs of two workers' noises (sigma = 1), from x = 1, u = 1/2."""
    eta = share * limit(b1, L)
    signs = list(itertools.product((Q(1), Q(-1)), repeat=2))
    leaves = [((Q(1), Q(1)), (Q(1, 2), Q(1, 2)))]
    for _ in range(K):
        grown = []
        for x, u in leaves:
            g = tuple(L * slope_of(a) for a in x)
            for noise in signs:
                new = tuple(b1 * v + (1 - b1) * (a + e) for v, a, e in zip(u, g, noise, strict=True))
                grown.append((tuple(a - eta * v for a, v in zip(x, new, strict=True)), new))
        leaves = grown
    total = sum(((x[0] - x[1]) ** 2 for x, _ in leaves), Q(0))
    return total / (len(leaves) * eta * eta * K)


def quadratic_spread(h, b1, eta, sizes):
    """E|x_K^m - x_K^n|^2/(eta^2 sigma^2) on f = h x^2/2 at the given K, by the exact recursion of second moments.

    Two independent workers: twice the variance of one, (Var x, Cov(x, u), Var u) from 0, with the noise (1 - b1)^2 in u.
    """
    a, c = 1 - eta * (1 - b1) * h, -eta * b1  # x' = a x + c u - eta (1 - b1) e
    p, q = (1 - b1) * h, b1  # u' = p x + q u + (1 - b1) e
    xx = xu = uu = arb(0)
    e = arb((1 - b1) ** 2)
    found = []
    for k in range(1, max(sizes) + 1):
        xx, xu, uu = (
            a * a * xx + 2 * a * c * xu + c * c * uu + eta * eta * e,
            a * p * xx + (a * q + c * p) * xu + c * q * uu - eta * e,
            p * p * xx + 2 * p * q * xu + q * q * uu + e,
        )
        if k in sizes:
            found.append(2 * xx / (eta * eta))
    return found


TREES = PAPER.family(
    "noise-trees",
    function=Choices("linear", "quadratic", "hinge squared", "two curvatures", "bounded slope"),
    b1=Choices(Q(0), Q(1, 2), Q(9, 10)),
    share=Choices(Q(1), Q(1, 3)),
    K=ByBudget(quick=Choices(1, 4), full=Choices(1, 3, 5)),
    every=True,
)
QUADRATICS = PAPER.family(
    "quadratics",
    h=Choices(Q(0), Q(1, 100), Q(1, 10), Q(1)),
    b1=Choices(Q(0), Q(1, 2), Q(9, 10)),
    every=True,
)
SMOOTH = Q(3, 7)  # L
LENGTHS = (1, 4, 16, 64, 256)


@PAPER.bound(
    source="Lemma 1 and the contraction lemma; constant 4 derived (paper: 8), critical value derived",
    fidelity="derived",
    evidence="statistical",
    family=TREES,
    method="(a) all 4^K paths of two workers with Rademacher noise in exact rationals, and second moments on quadratics in balls; (b) the "
    "closed form in balls; (c) simulated rounds, exact binomial bounds",
    hypotheses="(a) eta <= (1 - beta_1)^2/(2L), independent noises; (b) beta_1 = 0, f = -tau x^2/2, eta -> 0; (c) beta_1 = 0, eta = 1/50, d = 4, M = 6, K = 32, 8 "
    "rounds, Student-t_6 noise scaled to sigma_4 = 1, f' = tanh, rho = 6, delta = 1/20",
    not_established="(c) A is about 6e4 times too large, so its part supports nothing but itself",
    rests_on=(
        "(a) the expectation of pathwise-contraction (C = 2, every t and beta_1), where E<d_j, n_j> = 0 and E|n_j|^2 <= 2 sigma^2; "
        "x-differences are convex combinations of z-differences (auxiliary-sequence-identity)",
    ),
)
def consensus_linear_growth(function, b1, share, K, *, constant=4):
    r"""(a) Let $f$ be convex and $L$-smooth, $\eta \le (1 - \beta_1)^2/(2L)$, and let the workers' noises be independent with variance at
    most $\sigma^2$, unclipped. Then $\mathbb{E}|x^m_K - x^n_K|^2 \le 4\eta^2\sigma^2 K$ after $K$ local steps. (b) Under $\tau$-weak convexity
    the bound $8\eta^2\sigma^2K$ is first violated at $2\eta\tau K = s^*$, $(e^{s^*} - 1)/s^* = 4$, $s^* = 2.33666$ ($\eta \to 0$, $\beta_1 = 0$,
    $f = -\tau x^2/2$). (c) With $\rho \ge \max(3\sigma_\infty, 2G_\infty)$ and
    $A = \max\{2^{10} \frac{\rho^2 d}{K\sigma^2} \ln^2\frac{MT}\delta, 2^9 \ln\frac{MT}\delta, 2^{12} K |2\sigma|_{2\alpha}^{2\alpha}/(\sigma^2\rho^{2(\alpha-1)})\}$,
    all $|z^m_t - z^n_t|^2 \le \eta^2\sigma^2 K A$ at once with probability at least $1 - \delta$.
    """
    yield "all noise paths", le(enumerated(CURVED[function], Q(1), b1, share, K), Q(constant))


@consensus_linear_growth.check("quadratics", family=QUADRATICS)
def _quadratics(h, b1, *, constant=4, weak=False):
    eta = limit(b1, SMOOTH)
    curvature = SMOOTH * (-Q(9, 10) if weak else h)
    yield (
        "quadratics",
        le(lambda: quadratic_spread(curvature, b1, eta, LENGTHS), [constant * k for k in LENGTHS]),
    )


@consensus_linear_growth.check("linear growth", domain={"b1": Choices(Q(0), Q(9, 10))}, every=True)
def _growth(b1, *, power=1):
    sizes = (256, 512, 1024, 2048)
    yield (
        "linear growth",
        slope(sizes, lambda: quadratic_spread(Q(0), b1, limit(b1, SMOOTH), sizes), power, within=Q(1, 10)),
    )


def critical():
    """s* = -1/4 - W_{-1}(-e^{-1/4}/4), the root of (e^s - 1)/s = 4."""
    from flint import acb

    return -arb(Q(1, 4)) - acb(-(arb(Q(-1, 4)).exp()) / 4).lambertw(-1).real


def weakly_convex_ratio(s, step):
    """E|x_K^m - x_K^n|^2/(2 eta^2 sigma^2 K) for eta tau = `step`, as near 2 K step = s as an integer K allows."""
    K = int((s / (2 * step)).floor())
    growth = (1 + arb(step)) * (1 + arb(step))
    return (growth**K - 1) / ((growth - 1) * K)


@consensus_linear_growth.check("weakly convex", domain={"step": Choices(Q(1, 1000), Q(1, 10000))}, every=True)
def _weakly_convex(step, *, predicted="paper"):
    value = {"paper": critical, "1": lambda: arb(1), "4": lambda: arb(4), "2.4": lambda: arb(Q(12, 5))}[predicted]
    control = [Q(1), Q(2), Q(231, 100), Q(236, 100), Q(3), Q(4)]
    yield "critical value", bracket(value, control, lambda s: weakly_convex_ratio(s, step), level=4)
    yield "root", eq(lambda: (critical().exp() - 1) / critical(), 4)


DIMENSION, WORKERS, LENGTH, ROUNDS, CLIP = 4, 6, 32, 8, 6.0
DELTA = Q(1, 20)
FOURTH = (3 * 36 / (4 * 2)) ** 0.25  # E t_6^4 = 3 nu^2/((nu - 2)(nu - 4)) = 13.5


def largest_spread(rng, draws):
    """max over workers and steps of |z^m - z^n|^2/(eta^2 sigma^2 K) (b1 = 0, sigma^2 = d), for a batch of runs."""
    eta = 0.02
    x = np.full((draws, WORKERS, DIMENSION), 2.0)
    worst = np.zeros(draws)
    for _ in range(ROUNDS):
        for _ in range(LENGTH):
            noise = rng.standard_t(6, x.shape) / FOURTH
            x = x - eta * np.clip(np.tanh(x) + noise, -CLIP, CLIP)
            for k in range(1, WORKERS // 2 + 1):
                worst = np.maximum(worst, ((x - np.roll(x, k, axis=1)) ** 2).sum(axis=2).max(axis=1))
        x = np.broadcast_to(x.mean(axis=1, keepdims=True), x.shape)
    return worst / (eta**2 * DIMENSION * LENGTH)


def lemma_constant():
    """A of the lemma (alpha = 4, sigma_i = 1, delta = 1/20)."""
    log = np.log(WORKERS * LENGTH * ROUNDS / float(DELTA))
    d, sigma2, alpha = DIMENSION, float(DIMENSION), 4
    moment = d * 2.0 ** (2 * alpha)
    return max(
        2**10 * CLIP**2 * d * log**2 / (LENGTH * sigma2),
        2**9 * log,
        2**12 * LENGTH * moment / (sigma2 * CLIP ** (2 * alpha - 2)),
    )


@consensus_linear_growth.check(
    "high probability", domain={"runs": ByBudget(quick=Choices(300), full=Choices(2000))}, every=True
)
def _high_probability(runs, *, A="paper"):
    bound = lemma_constant() if A == "paper" else float(A)
    yield (
        "high probability",
        prob_le(lambda rng: largest_spread(rng, runs) > bound, DELTA, fixed=runs, within=Q(1, 8)),  # event
    )


consensus_linear_growth.mutant("constant 1.9", constant=Q(19, 10), breaks=("all noise paths", "quadratics"))
consensus_linear_growth.mutant("constant 1", constant=1, breaks="quadratics")
consensus_linear_growth.mutant("f weakly convex: f' = -0.9 x", weak=True, breaks="quadratics")
consensus_linear_growth.mutant("quadratic growth in K", power=2, breaks="linear growth")
consensus_linear_growth.mutant("no growth in K", power=0, breaks="linear growth")
consensus_linear_growth.mutant("critical value 1", predicted="1", breaks="critical value")
consensus_linear_growth.mutant("critical value 4", predicted="4", breaks="critical value")
consensus_linear_growth.mutant("critical value 2.4", predicted="2.4", breaks="critical value")
consensus_linear_growth.mutant("A = 1", A=1, breaks="high probability")
