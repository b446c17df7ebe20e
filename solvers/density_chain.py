"""Densities on the line under Markov steps with Gaussian noise, in doubles: x -> m(x) + sqrt(v) N(0, 1).

A density is held by its values on a lattice h Z, near the places where it lives. Sums over a lattice converge
geometrically for the smooth densities of such chains (the trapezoidal rule), so that a step costs a short Gaussian sum,
and halving h shows the error. Total variation is read off the difference of two distribution functions at the
sign changes of the difference of the densities: these are stationary points, so that inexact places cost a second-order error only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Function = Callable[[Floats], Floats]
REACH = 9.0  # Gaussian kernels are cut off at this many standard deviations (2e-19 of their mass)
STEPS = 8  # Illinois steps towards a sign change
NOISE = 1e-13  # sign changes of a difference below this share of its maximum are rounding


@dataclass(frozen=True)
class Lattice:
    """The points h * index, index increasing."""

    h: float
    index: NDArray[np.int64]

    @property
    def x(self) -> Floats:
        """The points."""
        return self.h * self.index.astype(np.float64)


def windows(
    centres: Sequence[float] | Floats, widths: Sequence[float] | Floats, h: float, reach: float = 11.0
) -> Lattice:
    """The points of h Z within `reach` widths of a centre.

    Args:
        centres, widths: equally many, widths > 0.
        h: spacing > 0.
        reach: in units of the widths.
    """
    centre, width = np.asarray(centres, dtype=np.float64), np.asarray(widths, dtype=np.float64)
    if centre.shape != width.shape or not (width > 0).all() or not h > 0:
        raise ValueError(f"windows: as many centres as widths > 0 and a spacing > 0 are expected, got h = {h}")
    first = np.ceil((centre - reach * width) / h).astype(np.int64)
    last = np.floor((centre + reach * width) / h).astype(np.int64)
    return Lattice(h, np.unique(np.concatenate([np.arange(a, b + 1) for a, b in zip(first, last)])))


@dataclass(frozen=True)
class Step:
    """A law before one step: masses h p(x) and means m(x) at the lattice's points, and the variance v of the noise."""

    mass: Floats
    mean: Floats
    variance: float

    def pushed(self, target: Lattice) -> Floats:
        """The density after the step at the points of a lattice (contributions beyond `REACH` deviations left out)."""
        sd, h = math.sqrt(self.variance), target.h
        nearest = np.rint(self.mean / h).astype(np.int64)
        offsets = np.arange(-math.ceil(REACH * sd / h), math.ceil(REACH * sd / h) + 1)
        gap = (self.mean / h - nearest)[:, None]
        scale = -0.5 * (h / sd) ** 2
        weights = np.exp(scale * (offsets - gap) ** 2) * (self.mass / (sd * math.sqrt(2 * math.pi)))[:, None]
        low, high = int(target.index[0]), int(target.index[-1])
        place = nearest[:, None] + offsets
        inside = (place >= low) & (place <= high)
        dense = np.bincount((place - low)[inside], weights[inside], minlength=high - low + 1)
        return np.asarray(dense[target.index - low], dtype=np.float64)

    def density(self, y: Floats) -> Floats:
        """The density after the step at any points."""
        z = (y[:, None] - self.mean) / math.sqrt(self.variance)
        values: Floats = np.exp(-0.5 * z * z) @ self.mass / math.sqrt(2 * math.pi * self.variance)
        return values

    def distribution(self, y: Floats) -> Floats:
        """The distribution function after the step at any points."""
        from scipy.special import ndtr

        values: Floats = ndtr((y[:, None] - self.mean) / math.sqrt(self.variance)) @ self.mass
        return values


def sign_changes(difference: Function, nodes: Floats, values: Floats) -> Floats:
    """Zeros of a difference of densities between neighbouring nodes where its sign changes, by Illinois steps.

    Args:
        difference: the function.
        nodes: increasing points.
        values: the function there; what lies below `NOISE` of the largest is no sign.
    """
    clear = np.flatnonzero(np.abs(values) > NOISE * np.abs(values).max(initial=0.0))
    if clear.size < 2:
        return np.empty(0)
    turn = np.flatnonzero(np.sign(values[clear[1:]]) != np.sign(values[clear[:-1]]))
    a: Floats = nodes[clear[turn]]
    b: Floats = nodes[clear[turn + 1]]
    fa, fb = values[clear[turn]], values[clear[turn + 1]]
    middle = (a + b) / 2
    kept = np.zeros(turn.size)  # the side whose end stayed last time: its value is halved if it stays again
    for _ in range(STEPS if turn.size else 0):
        middle = np.where(fb != fa, (a * fb - b * fa) / np.where(fb != fa, fb - fa, 1.0), middle)
        f = difference(middle)
        left = np.sign(f) == np.sign(fa)
        fa, fb = (
            np.where(left, f, np.where(kept == -1, fa / 2, fa)),
            np.where(left, np.where(kept == 1, fb / 2, fb), f),
        )
        a, b, kept = np.where(left, middle, a), np.where(left, b, middle), np.where(left, 1.0, -1.0)
    return middle


def variation(difference: Function, cumulated: Function, nodes: Floats, values: Floats | None = None) -> float:
    """TV of two laws, half the sum of the changes of F - G between the zeros of f - g.

    Args:
        difference: f - g, the difference of the densities.
        cumulated: F - G, the difference of the distribution functions.
        nodes: increasing points that see every sign change of f - g.
        values: f - g there, if known.
    """
    zeros = sign_changes(difference, nodes, difference(nodes) if values is None else values)
    at = np.concatenate([[0.0], cumulated(zeros), [0.0]])
    return float(np.abs(np.diff(at)).sum() / 2)


def total_variation(step: Step, density: Function, distribution: Function, target: Lattice) -> float:
    """TV between the law after a step and a law with a known density and distribution function.

    Args:
        step: the law before the step.
        density, distribution: of the other law.
        target: points that see every sign change of the difference of the two densities.
    """
    y = target.x
    return variation(
        lambda z: step.density(z) - density(z),
        lambda z: step.distribution(z) - distribution(z),
        y,
        step.pushed(target) - density(y),
    )
