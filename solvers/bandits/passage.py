r"""First passage of a Bernoulli walk below a moving boundary: how long a confidence-bound test keeps an arm.

The walk counts successes, $s_k \sim \mathrm{Bin}(k, p)$; the test starts after `forced` steps and stops at the first
k with $s_k$ below the boundary of k. The masses are integers in units of $2^{-41}$, rounded towards zero in every step.
The walk's law is a non-negative linear map of its masses, so every computed mass is a lower bound; and what has
certainly stopped bounds from above what still goes on. No error analysis is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from flint import arb, ctx, fmpq
from numpy.typing import NDArray

HALF = 21  # bits of each of the two pieces in which p is multiplied: every product stays below 2^62
SCALE_BITS = 41
UNIT = 1 << SCALE_BITS
TRIM_EVERY = 16


@dataclass(frozen=True)
class Survival:
    """Certain bounds on the probability that the test has not stopped, in units of 2^-41.

    Attributes:
        forced: untested steps.
        low, high: bounds at k = forced + 1, forced + 2, ...
    """

    forced: int
    low: tuple[int, ...]
    high: tuple[int, ...]

    def enclosure(self, k: int) -> arb:
        """P(no stop up to k) as a ball."""
        i = k - self.forced - 1
        return _between(self.low[i], self.high[i])

    def total(self) -> arb:
        """The sum of the survival probabilities over all k, as a ball."""
        return _between(sum(self.low), sum(self.high))


def _between(low: int, high: int) -> arb:
    scale = 2 * UNIT  # one more unit on either side: never a ball of radius 0
    return arb(fmpq(low + high, scale), fmpq(high - low + 2, scale))


def survival(p: fmpq, forced: int, boundary: Sequence[int]) -> Survival:
    """Bounds on the survival of the test.

    Args:
        p: success probability, exact, in [0, 1].
        forced: number of untested steps, >= 0.
        boundary: least number of successes with which the test goes on at k = forced + 1, forced + 2, ...

    Returns:
        bounds for each of these k; their width grows by about 2^-41 per step and occupied cell.
    """
    if not 0 <= p <= 1:
        raise ValueError(f"survival(p={p}): a probability in [0, 1] is expected")
    success, failure = _pieces(p), _pieces(1 - p)
    last = forced + len(boundary)
    mass = np.zeros(last + 2, dtype=np.int64)
    mass[0] = UNIT
    lo, hi = 0, 1  # occupied cells lo, ..., hi - 1
    stopped = 0
    low, high = [], []
    for k in range(1, last + 1):
        cells = mass[lo:hi]
        stay, go = _times(cells, failure), _times(cells, success)
        mass[lo:hi] = stay
        mass[hi] = 0
        mass[lo + 1 : hi + 1] += go
        hi += 1
        if k % TRIM_EVERY == 0:
            lo, hi = _trimmed(mass, lo, hi)
        if k > forced:
            cut = min(max(boundary[k - forced - 1], lo), hi)
            stopped += int(mass[lo:cut].sum())
            lo = cut
            low.append(int(mass[lo:hi].sum()))
            high.append(UNIT - stopped)
    return Survival(forced, tuple(low), tuple(high))


def _pieces(p: fmpq) -> tuple[int, int]:
    """p rounded down to 42 bits, as two pieces of 21 bits."""
    return divmod((int(p.p) << 2 * HALF) // int(p.q), 1 << HALF)


def _times(cells: NDArray[np.int64], pieces: tuple[int, int]) -> NDArray[np.int64]:
    """cells * p, rounded down."""
    upper, lower = pieces
    product: NDArray[np.int64] = (cells * upper + ((cells * lower) >> HALF)) >> HALF
    return product


def _trimmed(mass: NDArray[np.int64], lo: int, hi: int) -> tuple[int, int]:
    """The occupied cells without empty ends."""
    filled = np.flatnonzero(mass[lo:hi])
    return (lo, lo + 1) if filled.size == 0 else (lo + int(filled[0]), lo + int(filled[-1]) + 1)


def confidence_boundary(
    forced: int, last: int, threshold: fmpq, width: fmpq, *, upper: bool = False
) -> tuple[int, ...]:
    r"""The boundary of the test that stops +-1 rewards when $\bar x_k \mp \sqrt{w \ln k/k} < S$.

    Args:
        forced, last: the test runs at k = forced + 1, ..., last.
        threshold: S, exact.
        width: w >= 0, exact.
        upper: test the upper confidence bound (+) instead of the lower (-).

    Returns:
        for each k the least number j of successes with which it goes on: $2j \ge k(1+S) \pm \sqrt{w k \ln k}$.
    """
    return tuple(_least(k, threshold, width, upper) for k in range(forced + 1, last + 1))


def _least(k: int, threshold: fmpq, width: fmpq, upper: bool) -> int:
    """The least integer j >= (k(1+S) +- sqrt(w k ln k))/2, at a precision that decides it."""
    before = ctx.prec
    try:
        for bits in (64, 256, 1024):
            ctx.prec = bits
            bonus = _bonus(k, width, bits)
            edge = (arb(k * (1 + threshold)) + (-bonus if upper else bonus)) / 2
            least = edge.ceil().unique_fmpz()
            if least is not None:
                return int(least)
    finally:
        ctx.prec = before
    raise ArithmeticError(f"the boundary at k={k}, S={threshold}, w={width} is a tie within 1024 bits")


@lru_cache(maxsize=65536)
def _bonus(k: int, width: fmpq, bits: int) -> arb:
    """sqrt(w k ln k) at `bits` bits; exactly 0 for w = 0 and for k = 1."""
    return arb(0) if width == 0 or k == 1 else (arb(width * k) * arb(k).log()).sqrt()


def inverse_squares(first: int, last: int) -> fmpq:
    """$\\sum_{k=first}^{last} k^{-2}$, exactly."""
    if first > last:
        return fmpq(0)
    if last - first < 8:
        return sum((fmpq(1, k * k) for k in range(first, last + 1)), fmpq(0))
    middle = (first + last) // 2
    return inverse_squares(first, middle) + inverse_squares(middle + 1, last)
