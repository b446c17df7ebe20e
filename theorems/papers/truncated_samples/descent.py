"""Projected stochastic gradient descent on the truncated likelihood: its guarantee in divergence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, fmpq

from theorems import ByBudget, Choices, Q, mean_le, shared
from theorems.papers.truncated_samples.gaussian import Union, half_line, mass, problem, truncated
from theorems.papers.truncated_samples.paper import PAPER

ONE = Q(1)
RUNS = 400
PROBLEMS = (
    half_line(1),
    ((Q(3, 2), Q(5, 2)),),
    half_line(2),
    ((-Q(1, 5), Q(1, 5)), (Q(3, 2), Q(2))),
)


@shared
def constants(S: Union) -> tuple[float, float, float, float]:
    """theta_0, the radius sqrt(2 L) of K, G, and the larger divergence at the ends of K (doubles, for the simulation)."""
    found = problem(S, fmpq(0))
    start, radius = float(found.start.mid()), float((2 * found.L).sqrt().mid())
    true = truncated(S, fmpq(0))
    largest = 0.0
    for k in range(201):
        law = truncated(S, arb(start - radius + 2 * radius * k / 200))
        square = law.variance + true.variance + (law.mean - true.mean) * (law.mean - true.mean)
        largest = max(largest, float(square.mid()))
    ends = [float(excess(S, arb(start + sign * radius)).mid()) for sign in (-1, 1)]
    return start, radius, (1.01 * largest) ** 0.5, max(ends)


def excess(S: Union, theta: arb) -> arb:
    """KL(p*^S || p_theta^S) = L_S(theta) - L_S(theta*), theta* = 0, in closed form."""
    found = problem(S, fmpq(0))
    return found.L - theta * found.start + theta * theta / 2 + mass(S, theta).log()


class Sampler:
    """Samples of N(theta, 1) given a union of intervals, for many theta at once, by the inverse distribution function."""

    def __init__(self, S: Union) -> None:
        import numpy as np

        self.low = np.array([-np.inf if a is None else int(a.p) / int(a.q) for a, _ in S])
        self.high = np.array([np.inf if b is None else int(b.p) / int(b.q) for _, b in S])

    def draw(self, rng: Any, theta: Any) -> Any:
        """One sample for each theta. Upper tails are used throughout (S lies above the means met here, or near them)."""
        from scipy.special import ndtr, ndtri

        upper, lower = ndtr(theta[:, None] - self.low), ndtr(theta[:, None] - self.high)
        pieces = (upper - lower).cumsum(axis=1)
        u = rng.random(len(theta)) * pieces[:, -1]
        which = (u[:, None] > pieces[:, :-1]).sum(axis=1)
        rows = range(len(theta))
        offset = u - (pieces[rows, which] - (upper - lower)[rows, which])
        return theta - ndtri(upper[rows, which] - offset)


def divergences(S: Union, theta: Any) -> Any:
    """KL(p*^S || p_theta^S) in doubles."""
    import numpy as np
    from scipy.special import ndtr

    found = problem(S, fmpq(0))
    L, start = float(found.L.mid()), float(found.start.mid())
    sampler = Sampler(S)
    p = (ndtr(theta[:, None] - sampler.low) - ndtr(theta[:, None] - sampler.high)).sum(axis=1)
    return np.clip(L - theta * start + theta**2 / 2 + np.log(p), 0.0, None)


def descend(S: Union, N: int, gradient: str) -> Callable[[Any], Any]:
    """The divergence of the averaged iterate of independent runs."""
    start, radius, G, largest = constants(S)
    step = radius / (G * N**0.5)
    sampler = Sampler(S)

    def draw(rng: Any) -> Any:
        import numpy as np

        theta = np.full(RUNS, start)
        total = np.zeros(RUNS)
        true = np.zeros(RUNS)
        for _ in range(N):
            total += theta
            x = sampler.draw(rng, true)
            y = theta + rng.normal(size=RUNS) if gradient == "untruncated" else sampler.draw(rng, theta)
            direction = x - y if gradient == "reversed" else y - x
            theta = np.clip(theta - step * direction, start - radius, start + radius)
        return np.minimum(divergences(S, total / N), largest)

    return draw


@PAPER.bound(
    source="the learning guarantee in divergence of the truncated laws, for projected stochastic gradient descent",
    fidelity="paper",
    evidence="statistical",
    domain={
        "S": ByBudget(quick=Choices(*PROBLEMS[:2]), full=Choices(*PROBLEMS)),
        "N": ByBudget(quick=Choices(200), full=Choices(200, 1000)),
    },
    every=True,
    part="divergence",
    method="independent runs; the divergence of the averaged iterate lies in [0, c], c its larger value at the ends of K (L_S is convex): betting "
    "confidence sequences",
    hypotheses="N(theta, 1), theta* = 0, population theta_0; G^2 from 201 points of K, enlarged by 1 %",
    not_established="the constant: measured divergences are 9 to 94 times below the bound, so smaller errors of it are invisible",
)
def sgd_kl_guarantee(S, N, *, gradient="truncated", divided=1, power=ONE):
    r"""Let $\theta_1 = \theta_0$, $\theta_{t+1} = \Pi_K(\theta_t - \eta(y_t - x_t))$ with $x_t \sim p^S_\star$, $y_t \sim p^S_{\theta_t}$, $D_0 = \sqrt{2L}$,
    $G^2 = \sup_K\mathbb{E}(y - x)^2$, $\eta = D_0/(G\sqrt N)$. The average $\bar\theta$ has $\mathbb{E}\,\mathrm{KL}(p^S_\star\|p^S_{\bar\theta}) \le D_0G/\sqrt N$.
    """
    _start, radius, G, largest = constants(S)
    bound = radius * G / float(arb(N) ** (arb(power) / 2)) / divided
    yield mean_le(descend(S, N, gradient), bound, support=(0, largest), within=radius * G / N**0.5 / 3)


sgd_kl_guarantee.mutant("the gradient of the ordinary likelihood", gradient="untruncated")
sgd_kl_guarantee.mutant("the sign of the gradient reversed", gradient="reversed")
sgd_kl_guarantee.mutant("a bound of order 1/N", power=Q(2))
sgd_kl_guarantee.mutant("a thirtieth of the bound", divided=30)
