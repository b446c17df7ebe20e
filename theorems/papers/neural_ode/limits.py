"""Wide networks: the NNGP and the tangent kernel are limits in width, with fluctuations n^(-1/2), and then in depth."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np
from flint import arb, ctx, fmpq

from solvers.depth_kernels import SINE as DUAL
from solvers.depth_kernels import Kernels, kernels, profile
from solvers.enclosures import precision
from theorems import ByBudget, Choices, Q, le, mean_eq, prob_eq, shared
from theorems.papers.neural_ode.paper import PAPER
from theorems.papers.neural_ode.simulated import SINE, empirical_ntk, gaussian, nngp, passes

POINTS = ((Q(1), Q(0), Q(0)), (Q(3, 5), Q(4, 5), Q(0)), (Q(-2, 7), Q(3, 7), Q(6, 7)))  # on the sphere
INPUTS = np.array([[int(x.p) / int(x.q) for x in point] for point in POINTS])
BLOCK = 50
CUT = (-1, 3)  # entries of empirical tangent kernels are cut off there, five standard deviations from the limits
MEDIAN = 2.2  # of sqrt n |Theta_n - Theta_n'| for two networks


def inner(i: int, j: int) -> fmpq:
    """<x_i, x_j>."""
    return sum((a * b for a, b in zip(POINTS[i], POINTS[j])), Q(0))


@shared
def limit(i: int, j: int, L: int, sigma: int, bits: int) -> Kernels:
    """Both kernels in the limit of width; `sigma` is sigma_w."""
    with precision(bits):
        s = Q(sigma * sigma, L * L)
        weights = profile(Q(1), L, s, DUAL)
        return kernels(inner(i, j), L, s, DUAL, weights, weights)


def fresh_nngp(i: int, j: int, L: int, sigma: int) -> arb:
    """What the NNGP would be if every layer had weights of its own."""
    variance, covariance, s = arb(1), arb(inner(i, j)), Q(sigma * sigma, L * L)
    for _ in range(L):
        w = DUAL.weight(variance)
        step = DUAL.value(w, w, variance), DUAL.value(w, w, covariance)
        variance, covariance = variance + s * step[0], covariance + s * step[1]
    w = DUAL.weight(variance)
    return DUAL.value(w, w, covariance)


@lru_cache(maxsize=4096)
def networks(key: int, i: int, j: int, n: int, L: int, sigma: int, count: int):
    """Entry (i, j) of the conditional covariance and of the empirical NTK of `count` random networks."""
    X = INPUTS[sorted({i, j})]
    p = passes(gaussian(np.random.default_rng(key), count, n, 3), X, L, SINE, sigma)
    return nngp(p)[:, 0, -1], empirical_ntk(p, X, L, sigma)[:, 0, -1]


def key(rng) -> int:
    """A key of a batch of networks, so that mutants see the networks of the claim without simulating them again."""
    return int(rng.integers(2**62))


WIDTHS = ByBudget(quick=Choices(64), full=Choices(64, 256))
TANGENTS = PAPER.family(
    "tangent-kernels",
    n=WIDTHS,
    pair=ByBudget(quick=Choices((0, 0), (0, 1)), full=Choices((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))),
    L=Choices(8),
    every=True,
)
COVARIANCES = PAPER.family(
    "covariances",
    n=WIDTHS,
    pair=ByBudget(quick=Choices((0, 1)), full=Choices((0, 1), (0, 0), (0, 2), (1, 2))),
    sigma=Choices(2, 1),
    L=Choices(8),
    every=True,
)
PAIRS = PAPER.family("pairs-of-networks", n=ByBudget(quick=Choices(64, 16), full=Choices(64, 16, 256)), every=True)
DEPTHS = PAPER.family(
    "depths",
    pair=Choices((0, 0), (0, 2), (1, 2)),
    depths=ByBudget(quick=Choices((4, 8, 16, 32, 64)), full=Choices((4, 8, 16, 32, 64, 128))),
    every=True,
)


@PAPER.identity(
    source="abstract: Gaussian process and tangent kernel of wide neural ODEs; kernels of shared weights derived",
    fidelity="derived",
    evidence="statistical",
    family=TANGENTS,
    part="tangent kernel",
    method="random networks; the covariance of the outputs given all weights but v lies in [-1, 1], entries of the empirical NTK are cut off at "
    "-1 and 3, so that betting confidence sequences apply; counts of events for the size of fluctuations; the limit in depth in balls",
    hypotheses="phi = sin, points on S^2 with inner products 3/5, -2/7 and 6/35, sigma_u/sqrt d = sigma_v = T = 1, sigma_w = 1 (2 in a part of the "
    "covariances), L = 8 in simulations",
    not_established="the deviations 1/(2n) and Theta_11/n themselves, 0.008 and 0.024 at n = 64: the intervals are 1/10 (covariance) and 1/5 (Theta) "
    "wide; Gaussianity of the outputs; the interchange of the two limits; a lower bound C/L for the NTK's error in depth at "
    "<x, x'> = 3/5, where its leading term nearly vanishes",
)
def nngp_ntk_limit(n, pair, L, *, same_layer=False, frozen=False):
    r"""For the residual network with one shared $W$ let $K$ and $\Theta$ be the limits of the recursion over all pairs of layers. Then
    $$\big|\mathrm{Cov}(f_L(x_i), f_L(x_j)) - K_{ij}\big| \le \frac{1}{2n}, \qquad
    \big|\mathbb{E}\,\Theta_{n,ij} - \Theta_{ij}\big| \le \frac{\Theta_{11}}{n}, \qquad \Theta_n = J J^\top,$$
    on the instances (entries of $\Theta_n$ cut off at $-1$ and $3$). Fluctuations are of order $n^{-1/2}$: for two networks $\sqrt n |\Theta_{n,11} - \Theta_{n,11}'| \le 2.2$ has a probability in
    $[0.4, 0.6]$. $K_L$ and $\Theta_L$ converge as $L \to \infty$ with errors $\Theta(1/L)$: quotients of successive differences under
    doubling of $L$ increase to 2.
    """
    i, j = pair

    def theta():
        k = limit(i, j, L, 1, ctx.prec)
        value = k.ntk - k.of_W + k.same_layer if same_layer else k.nngp if frozen else k.ntk
        return value + arb(0, limit(0, 0, L, 1, ctx.prec).ntk / n)

    def draw(rng):
        return np.clip(networks(key(rng), i, j, n, L, 1, BLOCK)[1], *CUT)

    yield "tangent kernel", mean_eq(draw, theta, support=CUT, within=Q(1, 5))


@nngp_ntk_limit.check("covariance", family=COVARIANCES)
def _covariance(n, pair, sigma, L, *, tied=True):
    i, j = pair

    def covariance():
        value = limit(i, j, L, sigma, ctx.prec).nngp if tied else fresh_nngp(i, j, L, sigma)
        return value + arb(0, arb(Q(1, 2 * n)))

    def draw(rng):
        return networks(key(rng), i, j, n, L, sigma, BLOCK)[0]

    return mean_eq(draw, covariance, support=(-1, 1), within=Q(1, 10))


@nngp_ntk_limit.check("fluctuations", family=PAIRS)
def _fluctuations(n, *, exponent=0.5):
    scale = 16.0**0.5 * (n / 16) ** exponent

    def event(rng):
        theta = networks(key(rng), 0, 0, n, 8, 1, 2 * BLOCK)[1]
        return scale * np.abs(theta[::2] - theta[1::2]) <= MEDIAN  # event

    return prob_eq(event, arb(Q(1, 2)) + arb(0, arb(Q(1, 10))), within=Q(1, 6))


@nngp_ntk_limit.check("limit of depth", family=DEPTHS)
def _depth(pair, depths, *, order=1):
    def quotients(which):
        values = [getattr(limit(pair[0], pair[1], L, 1, max(64, ctx.prec)), which) for L in depths]
        steps = [b - a for a, b in pairwise(values)]
        q = [a / b for a, b in pairwise(steps)]
        top = arb(2) ** order
        return [*q, (1 - Q(8, depths[-1])) * top], [*q[1:], top, q[-1]]

    yield "NNGP: differences halve", le(lambda: quotients("nngp"))
    yield "NTK: differences halve", le(lambda: quotients("ntk"))


nngp_ntk_limit.mutant("NNGP of fresh weights in every layer", tied=False, on="covariances", breaks="covariance")
nngp_ntk_limit.mutant("only terms i = j in the part of W", same_layer=True, breaks="tangent kernel")
nngp_ntk_limit.mutant("the NNGP in place of the NTK", frozen=True, breaks="tangent kernel")
nngp_ntk_limit.mutant("fluctuations of order 1/n", exponent=1.0, breaks="fluctuations")
nngp_ntk_limit.mutant("fluctuations that do not vanish", exponent=0.0, breaks="fluctuations")
nngp_ntk_limit.mutant("errors O(1/L^2)", order=2, breaks=("NNGP: differences halve", "NTK: differences halve"))
nngp_ntk_limit.mutant("errors L^(-1.2)", order=Q(6, 5), breaks=("NNGP: differences halve", "NTK: differences halve"))
