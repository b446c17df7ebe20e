"""Errors in random directions of a high-dimensional space: a mixture nearly always helps."""

from __future__ import annotations

from typing import Any

from flint import arb, fmpq

from theorems import Arrays, Choices, Given, Integers, Q, eq, le, lt, prob_eq
from theorems.papers.modality_synergy.mixtures import ONE, mixed
from theorems.papers.modality_synergy.paper import PAPER

DIMENSIONS = (3, 2, 5, 10, 20, 50, 100, 200, 500)


def failure(D: int, threshold: fmpq) -> arb:
    """P(cos >= threshold) for independent uniform directions of R^D, as a ball."""
    return arb(1 - threshold**2).beta_lower(arb(fmpq(D - 1, 2)), arb(fmpq(1, 2)), 1) / 2


@PAPER.bound(
    source="the assertion of the abstract, for errors in independent directions; bound derived",
    fidelity="derived",
    evidence="certified",
    domain={"D": Choices(*DIMENSIONS), "rho": Choices(*(Q(k, 20) for k in range(1, 20)))},
    every=True,
    part="probability at most (1 - rho^2)^((D-1)/2) / 2",
    method="the regularised incomplete beta function in balls on the whole grid; the condition on exact unit vectors with cos at, "
    "just above and just below rho; closed forms for D = 2, 3, 5",
    hypotheses="directions independent and uniform on the sphere, lengths 1 and rho <= 1",
)
def high_dimensional_synergy(D, rho, *, exponent=ONE, constant=ONE, gaussian=ONE):
    r"""Let $e_V, e_L \in \mathbb{R}^D$ be independent with uniform directions and lengths $1$ and $\rho \in (0, 1]$. No mixture improves on both
    modalities if and only if $\cos(e_V, e_L) \ge \rho$, which has the probability
    $$\tfrac12 I_{1-\rho^2}\big(\tfrac{D-1}2, \tfrac12\big) \le \tfrac12 (1-\rho^2)^{(D-1)/2} \le \tfrac12 e^{-(D-1)\rho^2/2}.$$
    """
    half = fmpq(D - 1, 2)
    yield le(lambda: (failure(D, rho), arb(1 - rho**2) ** arb(half * exponent) * arb(constant) / 2))
    yield (
        "at most exp(-(D-1) rho^2 / 2) / 2",
        le(lambda: (arb(1 - rho**2) ** arb(half) / 2, (-arb(half * rho**2 * gaussian)).exp() / 2)),
    )


def unit(slopes: Any) -> list[fmpq]:
    """A rational unit vector: the inverse stereographic projection of a rational point."""
    t = [fmpq(int(v), 6) for v in slopes]
    size = sum((v * v for v in t), fmpq(0))
    return [2 * v / (1 + size) for v in t] + [(size - 1) / (1 + size)]


@high_dimensional_synergy.check(
    "condition",
    domain={
        "D": Integers(2, 5),
        "slopes": Given(lambda D: Arrays(Integers(-12, 12), (D - 1,))),
        "near": Choices(Q(0), Q(1, 1000), Q(-1, 1000), Q(1, 5), Q(-1, 5), Q(1, 2)),
        "other": Integers(1, 19),
    },
    where=lambda slopes, near, other: 0 < length(slopes, near, other) <= 1,
    accept=0.2,
    quick=60,
    full=1000,
)
def _condition(slopes, near, other, *, power=1):
    """e_V along the last axis; rho at the cosine, close to it (cos + near), or in twentieths where the cosine is negative."""
    cosine, rho = unit(slopes)[-1], length(slopes, near, other)
    b = rho**2
    a, c = ONE, rho * cosine
    star = (a - c) / (a + b - 2 * c) if a + b != 2 * c else ONE
    least = min(mixed(lam, a, b, c) for lam in (min(max(star, fmpq(0)), fmpq(1)), fmpq(0), fmpq(1)))
    if cosine >= rho**power:
        yield "fails", le(b, least)
    else:
        yield "improves", lt(least, b)


def length(slopes: Any, near: fmpq, other: int) -> fmpq:
    """rho: the cosine moved by `near`, or other / 20 where the cosine is not positive."""
    cosine = unit(slopes)[-1]
    return cosine + near if cosine > 0 else fmpq(other, 20)


@high_dimensional_synergy.check("closed forms", domain={"rho": Choices(*(Q(k, 20) for k in range(1, 20)))}, every=True)
def _closed_forms(rho, *, power=1):
    """Caps of the circle, of the sphere (Archimedes) and of the 4-sphere."""
    yield "D = 2", eq(lambda: (failure(2, rho**power), arb(rho).acos() / arb.pi()))
    yield "D = 3", eq(lambda: (failure(3, rho**power), arb((1 - rho) / 2)))
    yield "D = 5", eq(lambda: (failure(5, rho**power), arb((2 - 3 * rho + rho**3) / 4)))


@high_dimensional_synergy.crosscheck(
    "simulation", domain={"D": Choices(6), "rho": Choices(Q(3, 10))}, every=True, tests=1
)
def _simulation(D, rho):
    """Random directions; the best mixture from its closed form, in doubles."""

    def fails(rng: Any) -> Any:
        e = rng.normal(size=(2000, 2, D))
        e /= ((e**2).sum(axis=2) ** 0.5)[:, :, None]
        b = float(rho) ** 2
        c = float(rho) * (e[:, 0] * e[:, 1]).sum(axis=1)
        best = (b - c**2) / (1 + b - 2 * c)
        inside = (c < b) & (c < 1)
        return ~(inside & (best < b))  # event

    return prob_eq(fails, failure(D, rho), within=Q(1, 20))


high_dimensional_synergy.mutant(
    "exponent doubled", exponent=Q(2), breaks="probability at most (1 - rho^2)^((D-1)/2) / 2"
)
high_dimensional_synergy.mutant(
    "exponent 5 % larger", exponent=Q(21, 20), breaks="probability at most (1 - rho^2)^((D-1)/2) / 2"
)
high_dimensional_synergy.mutant(
    "constant 1/4", constant=Q(1, 2), breaks="probability at most (1 - rho^2)^((D-1)/2) / 2"
)
high_dimensional_synergy.mutant(
    "1.05 rho^2 in the exponential", gaussian=Q(21, 20), breaks="at most exp(-(D-1) rho^2 / 2) / 2"
)
high_dimensional_synergy.mutant("failure from cos >= rho^2 on", power=2, breaks="fails")
