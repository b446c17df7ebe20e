"""Proportional limits of bias and variance through the companion Stieltjes transform at 0."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from flint import arb

from solvers.designs import Reals
from solvers.random_matrices import Spectrum, companion_slope, companion_stieltjes, spectrum
from theorems import ByBudget, Choices, Q, eq, lt, mean_ge, mean_le, symbols
from theorems.papers.ridgeless_errors.paper import PAPER

GAMMA = Q(5, 2)
SPECTRUM = spectrum([Q(1, 4), 1, 6], [Q(1, 2), Q(3, 10), Q(1, 5)])
LARGEST = {"estimation variance": 2, "prediction variance": 2, "prediction bias": 1}
CUT = 12  # scaled errors are truncated at +- CUT, about five standard deviations
BATCH = 100


def limits(H: Spectrum, *, divided: bool = True, factor: Any = 1) -> dict[str, arb]:
    """The stated limits for r^2 = sbar^2 = 1, as balls."""
    v, slope = companion_stieltjes(GAMMA, H), companion_slope(GAMMA, H)
    return {
        "estimation variance": v * factor,
        "prediction variance": slope / (v * v) - 1,
        "prediction bias": 1 / (GAMMA * v) if divided else 1 / v,
    }


def simulated(rng: np.random.Generator, n: int) -> dict[str, Reals]:
    """Estimation and prediction variance (Omega = I) and prediction bias (r = 1) of `BATCH` Gaussian designs."""
    p = int(GAMMA * n)
    counts = [int(w * p) for w in SPECTRUM.weights]
    G, K = np.zeros((BATCH, n, n)), np.zeros((BATCH, n, n))  # X X^T and X Sigma X^T
    trace = 0.0
    for tau, count in zip(SPECTRUM.atoms, counts):
        t = int(tau.p) / int(tau.q)
        Z = rng.standard_normal((BATCH, n, count))
        W = Z @ Z.transpose(0, 2, 1)
        G += t * W
        K += t * t * W
        trace += t * count
    inverse = np.linalg.inv(G)
    spread = inverse @ K
    return {
        "estimation variance": np.trace(inverse, axis1=1, axis2=2),
        "prediction variance": (spread * inverse.transpose(0, 2, 1)).sum(axis=(1, 2)),
        "prediction bias": (trace - np.trace(spread, axis1=1, axis2=2)) / p,
    }


class Designs:
    """Batches of designs that the parts of one instance look at in turn, each batch simulated by whoever asks first."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.batches: list[dict[str, Reals]] = []

    def draw(self, statistic: Callable[[dict[str, Reals]], Reals]) -> Callable[[np.random.Generator], Reals]:
        """A draw function of n times a relative error, truncated."""
        position = itertools.count()

        def draw(rng: np.random.Generator) -> Reals:
            j = next(position)
            if j == len(self.batches):
                self.batches.append(simulated(rng, self.n))
            return np.clip(self.n * (statistic(self.batches[j]) - 1), -CUT, CUT)

        return draw


def as_float(ball: arb) -> float:
    """The double next to the midpoint of a narrow ball."""
    return float(ball.mid())


SIZES = PAPER.family(
    "sizes",
    n=ByBudget(quick=Choices(20, 40, 80), full=Choices(20, 40, 80, 160)),
    draws=ByBudget(quick=500, full=2000),
    every=True,
)


@PAPER.rate(
    source="asymptotic analysis through a Stieltjes-type constant",
    fidelity="derived",
    evidence="statistical",
    family=SIZES,
    tests=8,
    method="v and v' as algebraic numbers in balls; the scaled errors of simulated designs, as many at each size, by betting "
    "intervals on their truncation",
    hypotheses="Gaussian rows, gamma = 5/2, spectrum (1/4, 1, 6) with weights (1/2, 3/10, 1/5), Omega = I (enough by the trace "
    "factorization)",
    not_established=f"the errors are seen at the listed sizes only and truncated at +-{CUT}/n (about five standard deviations); "
    "the limits for other spectra, and almost sure convergence, are not simulated",
)
def asymptotic_risk_limits(n, draws, *, law=SPECTRUM, divided=True, factor=1, gamma=GAMMA):
    r"""Let $p/n \to \gamma > 1$ and let $X$ have Gaussian rows with covariance spectrum
    $H = \sum_k w_k \delta_{\tau_k}$, $\tau_k > 0$. The equation $\gamma\, \mathbb{E}_H[\tau v/(1+\tau v)] = 1$ has exactly one
    root $v > 0$, and $q = v^{-2} - \gamma\, \mathbb{E}_H[\tau^2/(1+\tau v)^2]$ is positive. Then the estimation variance tends to
    $\bar s^2 v$, the prediction variance to $\bar s^2 (1/(q v^2) - 1)$, the prediction bias under the prior
    $\mathbb{E}\beta\beta^\top = (r^2/p) I$ to $r^2/(\gamma v)$ (the estimation bias is $r^2(1 - n/p)$), so that
    (prediction bias) x (estimation variance) tends to $r^2 \bar s^2/\gamma$ whatever the spectrum. The relative errors are
    $O(1/n)$: here $n$ times the mean relative error is at most 2 in size for the variances, 1 for the prediction bias, and
    between $1/2$ and $5/2$ for the product, whose order is therefore exactly $1/n$.
    """
    largest = gamma * sum(law.weights, Q(0))  # the supremum over v of the left side; all atoms are positive
    yield "a root exists", lt(1, largest)
    yield (
        "fixed point",
        eq(lambda: (gamma * law.mean(lambda t: t / (t + 1 / companion_stieltjes(gamma, law))), 1), within=Q(1, 10**15)),
    )
    designs = Designs(n)
    stated = {name: as_float(value) for name, value in limits(law, divided=divided, factor=factor).items()}
    options = {"support": (-CUT, CUT), "fixed": draws, "within": Q(2)}
    for name, limit in stated.items():

        def ratio(s, name=name, limit=limit):
            return s[name] / limit

        yield name, mean_le(designs.draw(ratio), LARGEST[name], **options)
        yield name, mean_ge(designs.draw(ratio), -LARGEST[name], **options)

    gamma_float = as_float(arb(GAMMA))

    def product(s):
        return s["prediction bias"] * s["estimation variance"] * gamma_float

    yield "order of the product", mean_ge(designs.draw(product), Q(1, 2), **options)
    yield "order of the product", mean_le(designs.draw(product), Q(5, 2), **options)


@asymptotic_risk_limits.proof(
    "root and slope",
    covers="spectra of three atoms tau_k > 0 with weights w_k > 0",
    rests_on=(
        "by the implicit function theorem v'(z) = -F_z / F_v for F(z, v) = 1/v + z - gamma E[tau / (1 + tau v)]; the left side "
        "of the equation for v at z = 0 increases from 0 to gamma H(tau > 0)",
        "X X^T / n and N = I - X^+ X are replaced by their deterministic equivalents (Silverstein and Bai 1995): "
        "Tr (X X^T)^{-1} -> v and Tr(N A) / p ~ Tr((I + v Sigma)^{-1} A) / p; q = 1/v'(0) enters through d/dz",
    ),
)
def _root_and_slope(*, divided=True):
    import sympy

    gamma, v = symbols("gamma v", positive=True)
    z = symbols("z")
    tau, w = symbols("tau:3", positive=True), symbols("w:3", positive=True)

    def mean(f):
        return sum(wk * f(t) for wk, t in zip(w, tau))

    left = gamma * mean(lambda t: t * v / (1 + t * v))
    yield lt(0, left.diff(v))
    F = 1 / v + z - gamma * mean(lambda t: t / (1 + t * v))
    q = 1 / v**2 - gamma * mean(lambda t: t**2 / (1 + t * v) ** 2)
    yield eq(-F.diff(z) / F.diff(v), 1 / q)
    positive = gamma * mean(lambda t: t / (v * (1 + t * v) ** 2))
    yield eq(q, positive, modulo=[left - 1])
    yield lt(0, positive)
    shrunk = mean(lambda t: t / (1 + t * v))  # lim Tr(N Sigma) / p
    yield eq(shrunk, 1 / (gamma * v) if divided else 1 / v, modulo=[left - 1])
    one = sympy.Integer(1)
    isotropic = {v: one / (gamma - 1), tau[0]: one, tau[1]: one, tau[2]: one, w[2]: 1 - w[0] - w[1]}
    yield eq((1 / (q * v**2) - 1).subs(isotropic), one / (gamma - 1))


asymptotic_risk_limits.mutant(
    "the spectrum replaced by its mean", law=spectrum([SPECTRUM.mean(lambda t: t)], [1]), breaks="estimation variance"
)
asymptotic_risk_limits.mutant("prediction bias r^2 / v (gamma dropped)", divided=False, breaks="prediction bias")
asymptotic_risk_limits.mutant(
    "underparameterised: gamma replaced by 1/gamma, where no root exists", gamma=1 / GAMMA, breaks="a root exists"
)
asymptotic_risk_limits.mutant(
    "limit of the estimation variance 15 % larger", factor=Q(23, 20), breaks="estimation variance"
)
asymptotic_risk_limits.mutant(
    "limit of the estimation variance 15 % smaller", factor=Q(17, 20), breaks="estimation variance"
)
