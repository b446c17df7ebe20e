"""Contrastive learning: every position ends on the largest area, however small its advantage."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from theorems import ByBudget, Choices, Integers, Q, eq, le, lt, shared, symbols
from theorems.papers.ssl_vit.paper import PAPER
from theorems.seeds import Words

PRECISION = 128
STEP = Q(1, 20)
RULES = ("competition", "no competition", "reversed")


def masses(sizes: Sequence[int], phi: Sequence[arb]) -> list[arb]:
    """A_a = C_a exp(phi_a)/sum."""
    weights = [c * p.exp() for c, p in zip(sizes, phi)]
    total = sum(weights, arb(0))
    return [w / total for w in weights]


def direction(A: Sequence[arb], rule: str) -> list[arb]:
    """A_a (A_a - S), S = sum of squares; or a mutant's."""
    S = sum((a * a for a in A), arb(0)) if rule != "no competition" else arb(1)
    sign = -1 if rule == "reversed" else 1
    return [sign * a * (a - S) for a in A]


def trajectory(sizes: Sequence[int], steps: int, rule: str) -> tuple[list[list[arb]], list[arb]]:
    """Increments of phi_1 - phi_a at every step (a > 1), and the final masses; steps of largest entry 1/20."""
    phi = [arb(0)] * len(sizes)
    gains = []
    for _ in range(steps):
        d = direction(masses(sizes, phi), rule)
        largest = max((abs(v) for v in d), key=lambda v: float(v.mid()))
        scale = arb(STEP) / largest if largest > fmpq(1, 10**30) else arb(1)
        scaled = [scale * v for v in d]
        gains.append([scaled[0] - v for v in scaled[1:]])
        phi = [p + v for p, v in zip(phi, scaled)]
    return gains, masses(sizes, phi)


@PAPER.identity(
    source="theorem on contrastive learning: all positions collapse on the global area, even under mild imbalance",
    fidelity="derived",
    evidence="certified",
    domain={
        "areas": Choices(2, 3, 7, 13),
        "seed": ByBudget(quick=Integers(0, 2), full=Integers(0, 24)),
        "steps": ByBudget(quick=Choices(60), full=Choices(400)),
    },
    every=True,
    part="monotone",
    method="the identity and its sign on symbols; trajectories in balls of 128 bits with steps of largest entry 1/20; ends of three trajectories",
    hypotheses="both views are the whole image, z = 1, all positions alike",
    rests_on=(
        "d sim/d phi_a = (A_a - S) A_a/P; negatives of the same cluster have the same similarity and others 0, so the loss multiplies it by a negative number",
    ),
    not_established="position correlations, frozen at 0 here",
)
def cl_global_monotone(areas, seed, steps, *, rule="competition") -> Iterator[Any]:
    r"""With shared $\phi$, $A_a = C_a e^{\phi_a}/\sum_b C_b e^{\phi_b}$ and $S = \sum_b A_b^2$, a gradient step of the population loss is $d\phi_a = c A_a (A_a - S)$, $c > 0$, so
    $d\phi_1 - d\phi_a = c (A_1 - A_a)(A_1 + A_a - S)$. If $C_1 > C_a$ for all $a \ne 1$, $\log(A_1/A_a)$ increases at every step of any size, and $A_1 \to 1$; with equal areas $A$ stays uniform; with $C_1 < C_a$, $A_1 \to 0$.
    The critical imbalance is $C_1 = C$, whatever the information gap.
    """
    ctx.prec = PRECISION
    words = Words(seed, "areas", areas)
    local = [words.between(1, 20) for _ in range(areas - 1)]
    gains, _ = trajectory([max(local) + 1, *local], steps, rule)
    yield "monotone", lt(0, gains)


@cl_global_monotone.proof("step", covers="all masses and any S")
def _step(*, factor=1):
    A, B, S = symbols("A_1 A_a S", positive=True)
    yield eq(A * (A - S) - B * (B - S), (A - B) * (A + factor * B - S))


@cl_global_monotone.proof("sign", covers="A_1 > A_a > 0, S <= A_1", rests_on=("S = sum A_b^2 <= max A_b = A_1",))
def _sign(*, excess=0):
    """With A_a = a, A_1 = a + d and S = A_1 - e: (A_1 - A_a)(A_1 + A_a - S) = d (a + e)."""
    a, d = symbols("a d", positive=True)
    e = symbols("e", nonnegative=True)
    yield lt(0, d * (a + e) - excess * a * d)


@cl_global_monotone.check(
    "limits",
    domain={
        "sizes": Choices((6, 5, 5, 5), (5, 5, 5, 5), (4, 5, 5, 5)),
        "steps": ByBudget(quick=Choices(500), full=Choices(2000)),
    },
    every=True,
)
def _limits(sizes, steps, *, rule="competition"):
    ctx.prec = PRECISION
    _, A = trajectory(sizes, steps, rule)
    if sizes[0] > sizes[1]:
        yield "largest wins", le(Q(99, 100), A[0])
    elif sizes[0] < sizes[1]:
        yield "smallest loses", le(A[0], Q(1, 100))
    else:
        yield "uniform stays", eq(A, [Q(1, 4)] * 4, within=Q(1, 10**20))


cl_global_monotone.mutant("no competition between areas", rule="no competition", breaks="monotone")
cl_global_monotone.mutant("the sign reversed", rule="reversed", breaks="monotone")
cl_global_monotone.mutant("the factor A_1 + 2 A_a - S", factor=2, breaks="step")
cl_global_monotone.mutant("twice A_a is not exceeded", excess=2, breaks="sign")


SMALL = (((6, 5, 5, 5), 10), ((4, 3, 3, 3), 6), ((3, 2, 2), 4))


@lru_cache(maxsize=8)
def visible_counts(sizes: tuple[int, ...], theta: int) -> tuple[tuple[tuple[int, ...], fmpq], ...]:
    """All counts of visible patches by area, with their exact probabilities."""
    total = comb(sum(sizes), theta)
    found = []
    for u in itertools.product(*(range(c + 1) for c in sizes)):
        if sum(u) == theta:
            ways = 1
            for c, k in zip(sizes, u):
                ways *= comb(c, k)
            found.append((u, fmpq(ways, total)))
    return tuple(found)


@shared
def trained(sizes: tuple[int, ...], theta: int, steps: int) -> tuple[fmpq, ...]:
    """phi after normalised steps of the expected masked gradient from 0, rounded to rationals (a search)."""
    counts = visible_counts(sizes, theta)
    u = np.array([c for c, _ in counts], dtype=float)
    p = np.array([int(q.p) / int(q.q) for _, q in counts])
    phi = np.zeros(len(sizes))
    for _ in range(steps):
        w = u * np.exp(phi)
        A = w / w.sum(axis=1, keepdims=True)
        mean = p @ A
        d = p @ (A * (mean - (A @ mean)[:, None]))
        phi += 0.05 * d / np.abs(d).max()
    return tuple(fmpq(round(v * 2**20), 2**20) for v in phi.tolist())


@PAPER.construction(
    source="the paper's contrastive objective, with two independently masked views",
    fidelity="derived",
    evidence="certified",
    domain={"case": Choices(*SMALL), "steps": ByBudget(quick=Choices(3000), full=Choices(6000))},
    every=True,
    part="global",
    method="all counts of visible patches with exact probabilities; training in doubles is a search, its end state is evaluated in balls",
    not_established="monotonicity at every step (late in training it is false); that the end state is a limit",
)
def cl_masked_limit(case, steps, *, masked=True, area=0) -> Iterator[Any]:
    r"""With $\theta$ of the patches visible in each of two independent views the expected gradient is $d\phi_a = E[A_a (\bar A_a - \sum_b A_b \bar A_b)]$, $\bar A = E A$. If $C_1 > C_a$, training from $\phi = 0$ drives the
    expected attention on the global area to within $10^{-3}$ of the largest value that any $\phi$ allows, $1 - P(u_1 = 0) = 1 - \binom{P - C_1}{\theta}/\binom P\theta$, and that on every local area to at most $P(u_1 = 0)$.
    """
    ctx.prec = PRECISION
    sizes, theta = case
    phi = [arb(v) for v in trained(sizes, theta, steps)]
    mean = [arb(0)] * len(sizes)
    for u, p in visible_counts(sizes, theta):
        A = masses(u, phi)
        mean = [m + p * a for m, a in zip(mean, A)]
    nothing = Q(comb(sum(sizes) - sizes[0], theta), comb(sum(sizes), theta))
    limit = 1 - nothing if masked else Q(1)
    yield "global", le(limit - Q(1, 1000), mean[area])
    yield "no more", le(mean[area], limit)
    yield "local", le(mean[1:], nothing)


cl_masked_limit.mutant("the limit is 1", masked=False, breaks="global")
cl_masked_limit.mutant("the limit belongs to a local area", area=1, breaks="global")
