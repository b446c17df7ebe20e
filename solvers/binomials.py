"""Binomial probabilities in balls, on a window of counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flint import arb, arb_poly, fmpq, fmpz

Real = Callable[[Any], Any]


@dataclass(frozen=True)
class Window:
    """The probabilities of the counts low, ..., low + len - 1 of a binomial law.

    Attributes:
        low: the first count.
        masses: balls around P(N = low + i).
    """

    low: int
    masses: tuple[arb, ...]

    @property
    def counts(self) -> range:
        """The counts of the window."""
        return range(self.low, self.low + len(self.masses))

    @cached_property
    def total(self) -> arb:
        """The probability of the window."""
        return sum(self.masses, arb(0))

    def mean(self, f: Real) -> arb:
        """E[f(N) 1{N in the window}], where f maps a ball to a ball."""
        return sum((p * f(arb(k)) for k, p in zip(self.counts, self.masses)), arb(0))

    def tilted(self, f: Real) -> Window:
        """The masses f(k) P(N = k)."""
        return Window(self.low, tuple(p * f(arb(k)) for k, p in zip(self.counts, self.masses)))

    def generating(self, z: arb) -> arb:
        """E[z^N 1{N in the window}] for a ball z > 0."""
        return arb_poly(list(self.masses))(z) * z**self.low

    def plus(self, other: Window) -> Window:
        """The masses of the sum of two independent counts, each in its window."""
        product = arb_poly(list(self.masses)) * arb_poly(list(other.masses))
        size = len(self.masses) + len(other.masses) - 1
        return Window(self.low + other.low, tuple(product[i] for i in range(size)))


def binomial_window(n: int, p: fmpq, low: int, high: int) -> Window:
    """P(N = k) for low <= k <= high and N binomial(n, p), at the current precision.

    Args:
        n: number of trials, >= 1.
        p: success probability, an exact rational in (0, 1).
        low, high: 0 <= low <= high <= n.

    Returns:
        balls of relative radius about (high - low) 2^-precision: one exact product, then the ratio of neighbours.

    Raises:
        ValueError: for arguments out of range.
    """
    if n < 1 or not 0 < p < 1 or not 0 <= low <= high <= n:
        raise ValueError(
            f"binomial_window(n={n}, p={p}, low={low}, high={high}): n >= 1, 0 < p < 1 and 0 <= low <= high <= n"
        )
    log_first = arb(n + 1).lgamma() - arb(low + 1).lgamma() - arb(n - low + 1).lgamma()
    log_first += low * arb(p).log() + (n - low) * arb(1 - p).log()
    mass = log_first.exp()
    odds = p / (1 - p)
    masses = [mass]
    for k in range(low, high):
        mass = mass * (fmpq(fmpz(n - k), fmpz(k + 1)) * odds)
        masses.append(mass)
    return Window(low, tuple(masses))
