r"""Classes of functions, each given by the inequalities that decide whether finite data extend to a member.

Data are samples (x_i, g_i, f_i): a point, a (sub)gradient there, and the value. Each class yields scalars that are
<= 0 for all data of members. Where `tight` is true the converse holds too (in a space of large enough dimension), so that a
worst case over the samples is a worst case over the class.

Sources: Taylor, Hendrickx, Glineur, Smooth strongly convex interpolation and exact worst-case performance of first-order methods
(2017), and Exact worst-case performance of first-order methods for composite convex optimization (2017); for mu < 0, Rotaru, Glineur, Patrinos,
Tight convergence rates of the gradient method on smooth hypoconvex functions (2022).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from flint import fmpq

from solvers.certificates import rational
from solvers.performance.expressions import Scalar, Vector, inner, squared

Condition = tuple[tuple[int, ...], Scalar]
"""Indices of the samples concerned, and a scalar that is <= 0 on the class."""


@dataclass(frozen=True, eq=False)
class Sample:
    """A point x, a (sub)gradient or operator value g there, and the function value f (0 for operators)."""

    x: Vector
    g: Vector
    f: Scalar


class SampleClass(Protocol):
    """A class of functions or operators. An attribute `valued` says which: True for functions, whose samples have values."""

    @property
    def tight(self) -> bool:
        """Whether data that satisfy the conditions always extend to a member of the class."""
        ...

    def conditions(self, samples: Sequence[Sample]) -> Iterator[Condition]:
        """The inequalities on the samples."""
        ...


def pairs(samples: Sequence[Sample]) -> Iterator[tuple[int, int, Sample, Sample]]:
    """All ordered pairs of different samples."""
    for i, a in enumerate(samples):
        for j, b in enumerate(samples):
            if i != j:
                yield i, j, a, b


def curvature_gap(mu: fmpq, L: fmpq | None, a: Sample, b: Sample) -> Scalar:
    """What must be <= 0 for two samples of a function with curvature in [mu, L] (L = None: no upper limit)."""
    x, g = a.x - b.x, a.g - b.g
    linear = b.f - a.f + inner(b.g, x)
    if mu == 0:  # without the forms of x that would be multiplied by 0
        return linear if L is None else linear + squared(g) / (2 * L)
    curved: Scalar = squared(x) * mu
    if L is None:
        return linear + curved / 2
    cross: Scalar = inner(g, x) * (2 * mu / L)
    gap: Scalar = (squared(g) / L + curved - cross) / (2 * (1 - mu / L))
    return linear + gap


@dataclass(frozen=True)
class Curved:
    """Functions f with f - mu |x|^2/2 convex, and L |x|^2/2 - f convex if L is given; mu may be negative if L is given."""

    mu: fmpq
    L: fmpq | None
    tight: bool = True
    valued: ClassVar[bool] = True

    def conditions(self, samples: Sequence[Sample]) -> Iterator[Condition]:
        """One inequality for each ordered pair."""
        for i, j, a, b in pairs(samples):
            yield (i, j), curvature_gap(self.mu, self.L, a, b)


@dataclass(frozen=True)
class Lipschitz:
    """Convex functions with subgradients of norm at most M; indicator functions when `indicator` (their values are 0)."""

    M: fmpq | None
    indicator: bool = False
    tight: bool = True
    valued: ClassVar[bool] = True

    def conditions(self, samples: Sequence[Sample]) -> Iterator[Condition]:
        """Convexity for each ordered pair, the bound for each sample."""
        for i, j, a, b in pairs(samples):
            difference = inner(b.g, a.x - b.x)
            yield (i, j), difference if self.indicator else difference + b.f - a.f
        for i, a in enumerate(samples):
            if self.indicator:
                yield (i, i), a.f
                yield (i, i, 0), -a.f
            if self.M is not None:
                yield (i,), squared(a.g) - self.M * self.M


def smooth_strongly_convex(mu: object, L: object) -> Curved:
    """Functions that are mu-strongly convex with an L-Lipschitz gradient, 0 <= mu < L (mu < 0: weakly convex)."""
    low, high = rational(mu), rational(L)
    if not low < high or high <= 0 or low < -high:
        raise ValueError(f"mu={low}, L={high}: expected -L <= mu < L and L > 0")
    return Curved(low, high)


def smooth_convex(L: object) -> Curved:
    """Convex functions with an L-Lipschitz gradient."""
    return smooth_strongly_convex(0, L)


def smooth(L: object) -> Curved:
    """Functions with an L-Lipschitz gradient, convex or not."""
    return smooth_strongly_convex(-rational(L), L)


def convex() -> Curved:
    """Closed proper convex functions."""
    return Curved(fmpq(0), None)


def strongly_convex(mu: object) -> Curved:
    """Closed proper mu-strongly convex functions, mu >= 0."""
    modulus = rational(mu)
    if modulus < 0:
        raise ValueError(f"mu={modulus}: expected mu >= 0 (weakly convex functions need L: smooth_strongly_convex)")
    return Curved(modulus, None)


def convex_lipschitz(M: object) -> Lipschitz:
    """Closed convex functions with subgradients of norm at most M."""
    return Lipschitz(rational(M))


def convex_indicator() -> Lipschitz:
    """Indicator functions of closed convex sets (subgradients: the normal cone)."""
    return Lipschitz(None, indicator=True)
