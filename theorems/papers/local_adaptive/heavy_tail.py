"""Without clipping, heavy tails make the price of confidence polynomial: a construction, and clipped against unclipped runs."""

from __future__ import annotations

import numpy as np
from flint import arb, fmpq

from theorems import ByBudget, Choices, Q, eq, le, prob_ge, prob_le, slope, symbols
from theorems.papers.local_adaptive.paper import PAPER

RADII = (Q(1, 20), Q(1, 30))  # sqrt(2 eps/L)
DELTAS = tuple(10**k for k in range(2, 9))
CONSTRUCTIONS = PAPER.family(
    "last-step-noise",
    alpha=Choices(4, 6),
    r=Choices(*RADII),
    L=Choices(Q(1), Q(3)),
    eta=Choices(Q(1, 50), Q(1, 60), Q(1, 7)),
    x0=Choices(Q(1), Q(-2)),
    where=lambda r, L, eta: 2 * r > eta and eta * L <= 1,
    every=True,
)


def failure_probability(x0, r, L, eta, alpha, T, *, amplitude=2):
    """P(f(x_T) - f_* >= eps) for sigma = 1, over the three outcomes of the last noise; A = amplitude r / eta."""
    A = amplitude * r / eta
    weight = 1 / (2 * A**alpha)
    total = Q(0)
    for xi, probability in ((A, weight), (-A, weight), (Q(0), 1 - 2 * weight)):
        x = (1 - eta * L) ** T * x0 - eta * xi
        if x * x >= r * r:  # f(x_T) >= eps = L r^2/2
            total += probability
    return total


def shortest(x0, r, L, eta):
    """The least T with (1 - eta L)^T |x0| < r, exactly."""
    T, x = 0, abs(x0)
    while x >= r:
        T, x = T + 1, x * (1 - eta * L)
        if T > 10**6:
            raise ArithmeticError(f"more than 10^6 steps of size {eta}")
    return T


def horizon(delta_inverse, alpha, r):
    """The least T of a step that fails with probability at most delta (L = sigma = x0 = 1), and that step, as balls."""
    eta = 2 * r / arb(delta_inverse) ** arb(Q(1, alpha))
    return (arb(1 / r).log() / -(-eta).log1p()).ceil(), eta


@PAPER.construction(
    source="Appendix D",
    fidelity="paper",
    evidence="statistical",
    family=CONSTRUCTIONS,
    method="failure probabilities over all outcomes, in exact rationals; horizons in balls and the least-squares slope of their "
    "logarithms; the second experiment by exact binomial bounds at a fixed number of runs",
    hypotheses="sigma = 1; in the last part f = x^2/2, symmetric Lomax(4.2) noise, eta = 1/20, T = 60, x_0 = 0, clipping at 2",
    not_established="that the clipped horizon is logarithmic in 1/delta (the upper bound is Theorem 1); the last part compares two "
    "tail probabilities",
)
def clipping_heavy_tail(alpha, r, L, eta, x0, *, amplitude=2):
    r"""SGD without clipping on $f(x) = Lx^2/2$, $\eta \le 1/L$, horizon $T$, noise 0 but for the last step, where it is $\sigma\xi$ with
    $\xi = \pm A$ with probability $1/(2A^\alpha)$ each and 0 otherwise, $A = 2\sqrt{2\varepsilon/L}/(\eta\sigma) > 1$: then
    $\mathbb{E}|\xi|^\alpha = 1$, and if $(1 - \eta L)^T |x_0| < \sqrt{2\varepsilon/L}$ then $P(f(x_T) - f_* \ge \varepsilon) = A^{-\alpha}$;
    otherwise no noise makes the run fail for certain. So $P \le \delta$ forces $\eta \le 2\delta^{1/\alpha}\sqrt{2\varepsilon/L}/\sigma$ and
    $T \ge \frac{1 - \eta L}{2\eta L}\ln\frac{L x_0^2}{2\varepsilon}$: $T$ grows like $\delta^{-1/\alpha}$. Tested beside it: after 60 steps with
    heavy-tailed noise $P(|x_T| \ge 0.45)$ is at most $10^{-4}$ with clipping and at least $10^{-4}$ without.
    """
    T = shortest(x0, r, L, eta)
    A = 2 * r / eta
    yield "failure probability", eq(failure_probability(x0, r, L, eta, alpha, T, amplitude=amplitude), 1 / A**alpha)
    yield "a shorter run fails without noise", le(r, (1 - eta * L) ** (T - 1) * abs(x0))
    yield "moment", eq(2 * (1 / (2 * A**alpha)) * A**alpha, 1)


@clipping_heavy_tail.check("horizon", domain={"alpha": Choices(4, 6), "r": Choices(*RADII)}, every=True)
def _horizon(alpha, r, *, exponent="1/alpha", factor=True):
    target = {"1/alpha": Q(1, alpha), "half": Q(1, 2 * alpha), "log": Q(0), "1/(alpha-1)": Q(1, alpha - 1)}[exponent]
    yield "exponent", slope(DELTAS, lambda: [horizon(d, alpha, r)[0] for d in DELTAS], target, within=Q(1, 100))
    yield (
        "lower bound",
        le(
            lambda: [
                (1 - eta if factor else 1) / (2 * eta) * arb(1 / r**2).log()
                for _, eta in (horizon(d, alpha, r) for d in DELTAS)
            ],
            lambda: [horizon(d, alpha, r)[0] for d in DELTAS],
        ),
    )


@clipping_heavy_tail.proof("both outcomes fail", covers="all r = sqrt(2 eps/L) and all |c| < r, c = (1 - eta L)^T x_0")
def _both_outcomes():
    """eta sigma A = 2r, so |x_T| = |c +- 2r| >= r."""
    r, c = symbols("r", positive=True), symbols("c")
    yield le(r, 2 * r + c, given=[r - c, r + c])
    yield le(c - 2 * r, -r, given=[r - c, r + c])


class Runs:
    """|x_60| >= 0.45 for SGD on x^2/2 with symmetric Lomax(4.2) noise and step 1/20, in blocks (single precision, noise below 52)."""

    block, eta, steps, tail = 20_000, 0.05, 60, 4.2

    def __init__(self, clip: fmpq | None) -> None:
        self.clip = None if clip is None else float(clip)

    def __call__(self, rng):
        x = np.zeros(self.block, dtype=np.float32)
        for _ in range(self.steps):
            v = 2 * rng.random(self.block, dtype=np.float32) - 1
            size = np.maximum(np.abs(v), np.float32(2.0**-24)) ** np.float32(-1 / self.tail) - 1
            g = x + np.copysign(size, v)
            x -= np.float32(self.eta) * (g if self.clip is None else np.clip(g, -self.clip, self.clip))
        return np.abs(x) >= 0.45  # event


@clipping_heavy_tail.check(
    "runs", domain={"runs": ByBudget(quick=Choices(200_000), full=Choices(1_000_000))}, every=True, tests=2
)
def _runs(runs, *, clip=2, other=None):
    rare = Q(1, 10000)
    clip = None if clip is None else Q(clip)
    yield "clipped tail", prob_le(Runs(clip), rare, fixed=runs, within=Q(1, 1000))
    yield "unclipped tail", prob_ge(Runs(None if other is None else Q(other)), rare, fixed=runs, within=Q(1, 1000))


clipping_heavy_tail.mutant("exponent 1/(2 alpha)", exponent="half", breaks="exponent")
clipping_heavy_tail.mutant("logarithmic horizon without clipping", exponent="log", breaks="exponent")
clipping_heavy_tail.mutant("exponent 1/(alpha - 1)", exponent="1/(alpha-1)", breaks="exponent")
clipping_heavy_tail.mutant("horizon without the factor 1 - eta L", factor=False, breaks="lower bound")
clipping_heavy_tail.mutant("noise of half the amplitude", amplitude=1, breaks="failure probability")
clipping_heavy_tail.mutant("clipping removed", clip=None, breaks="clipped tail")
clipping_heavy_tail.mutant("clipping at 2 keeps the heavy tail", other=2, breaks="unclipped tail")
