"""Contrastive learning with two independently masked views: attention on the largest area is limited by the masks alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import comb
from typing import Any

import numpy as np
from flint import arb, fmpq

from solvers.hypergeometric import counts
from theorems import ByBudget, Choices, Q, eq, le, lt, symbols
from theorems.papers.ssl_vit.paper import PAPER

Sizes = tuple[int, ...]
STEP = 0.05
QUICK = (((6, 5, 5, 5), 10), ((4, 3, 3, 3), 6), ((3, 2, 2), 4), ((5, 4, 3, 2), 7))
FULL = (*QUICK, ((7, 6, 6, 1), 10), ((2, 1, 1), 2), ((4, 3, 3, 3), 3), ((12, 11), 11))
TOLERANCE = Q(1, 1000)


@cache
def views(sizes: Sizes, theta: int) -> tuple[tuple[Sizes, fmpq], ...]:
    """All vectors of visible counts of a view with theta visible patches, and their probabilities."""
    return tuple(counts(sizes, theta))


@cache
def searched(sizes: Sizes, theta: int, steps: int, sign: int) -> tuple[fmpq, ...]:
    """Correlations after ascent from 0 with normalised steps, in doubles, rounded to rationals."""
    every = views(sizes, theta)
    u = np.array([v for v, _ in every], dtype=np.float64)
    w = np.array([int(p.p) / int(p.q) for _, p in every])
    phi = np.zeros(len(sizes))
    # equal local areas stay equal in the exact ascent; rounding alone would break the tie in the long run
    tied = [[a for a in range(1, len(sizes)) if sizes[a] == C] for C in set(sizes[1:])]
    for _ in range(steps):
        A = u * np.exp(phi)
        A /= A.sum(axis=1, keepdims=True)
        mean = w @ A
        g = sign * (w @ (A * (mean - (A @ mean)[:, None])))
        for group in tied:
            g[group] = g[group].mean()
        phi = phi + STEP * g / np.abs(g).max()
    return tuple(Q(round(float(v) * 10**6), 10**6) for v in phi)


def expected(sizes: Sizes, theta: int, phi: tuple[fmpq, ...]) -> list[arb]:
    """The expected attention on each area, enclosed."""
    e = [arb(v).exp() for v in phi]
    mean = [arb(0)] * len(sizes)
    for u, p in views(sizes, theta):
        W = [n * x for n, x in zip(u, e)]
        D = sum(W, arb(0))
        mean = [m + p * w / D for m, w in zip(mean, W)]
    return mean


@PAPER.construction(
    source="the contrastive objective of the paper, with two independently masked views; attention concentrates on the global area",
    fidelity="derived",
    evidence="certified",
    domain={"case": ByBudget(quick=Choices(*QUICK), full=Choices(*FULL)), "steps": ByBudget(quick=500, full=1000)},
    every=True,
    part="global attention",
    method="all masks with exact probabilities; ascent in doubles only searches, its end is rounded and evaluated in balls; for local areas of equal size the "
    "monotone path to the limit is proved in symbols",
    hypotheses="population gradient up to a positive factor, z = 1, all positions share their correlations, C_1 > C_a for the other areas",
    not_established="that the exact ascent passes through the states found when local areas differ in size",
)
def cl_masked_limit(case, steps, *, forgotten=False, target=0, sign=1) -> Iterator[Any]:
    r"""Let $\theta$ of the $P$ patches be visible in each of two independent views, $u$ the visible counts, $A_a = u_a e^{\phi_a} / \sum_b u_b e^{\phi_b}$, $\bar A = E A$, and let $\phi$
    follow $\delta\phi_a \propto E[A_a (\bar A_a - \sum_b A_b \bar A_b)]$ from 0. If $C_1 > C_a$ for all $a \ne 1$, the expected attention on area 1 comes within $10^{-3}$ of
    the largest value that any $\phi$ allows, $\Pr(u_1 > 0) = 1 - \binom{P - C_1}{\theta} / \binom{P}{\theta}$, and that on every local area falls below $\Pr(u_1 = 0)$ (when there are
    several).
    """
    sizes, theta = case
    unseen = Q(0) if forgotten else Q(comb(sum(sizes) - sizes[target], theta), comb(sum(sizes), theta))
    phi = searched(sizes, theta, steps, sign)
    yield "global attention", le(lambda: 1 - unseen - expected(sizes, theta, phi)[target], TOLERANCE)
    yield "no more is possible", le(lambda: expected(sizes, theta, phi)[target], 1 - unseen)
    if len(sizes) > 2:
        yield (
            "local attention",
            le(lambda: [A for a, A in enumerate(expected(sizes, theta, phi)) if a != target], unseen),
        )


@cl_masked_limit.proof(
    "equal local areas",
    covers="all C_1 > C, all numbers k of local areas of C patches, all theta",
    rests_on=(
        "from phi = 0 equal local areas keep equal correlations, so A_1 depends on u_1 only and each local area has mean attention (1 - EA_1)/k",
        "EA_1 increases with phi_1 - phi_o from C_1/P, so the difference of the mean attentions stays positive, the increments stay positive while "
        "phi_1 - phi_o is bounded, hence it tends to infinity and EA_1 to Pr(u_1 > 0)",
    ),
)
def _symmetric(*, centred=True):
    """a = A_1 for one mask, L the attention on all k local areas together, x and y the mean attentions on area 1 and on a local one."""
    a = symbols("a", lower=0, upper=1)
    x, y = symbols("x y")
    k = symbols("k", positive=True)
    both = a * x + (1 - a) * y if centred else 0
    first = a * (x - both)
    each = (1 - a) * (y - both) / k
    yield "gradient of the global area", eq(first, a * (1 - a) * (x - y))
    yield "gradient of a local area", eq(each, -a * (1 - a) * (x - y) / k)
    yield "opposite signs", eq(first + k * each, 0)
    C1, C, n = symbols("C1 C n", positive=True)
    P = C1 + n * C
    yield "starts at an advantage", lt(C / P, C1 / P, given=[C1 > C])


cl_masked_limit.mutant("limit 1: masks forgotten", forgotten=True, breaks="global attention")
cl_masked_limit.mutant("a local area in place of the largest", target=1, breaks="global attention")
cl_masked_limit.mutant("descent in place of ascent", sign=-1, breaks="global attention")
cl_masked_limit.mutant("softmax without competition", centred=False, breaks="gradient of the global area")
