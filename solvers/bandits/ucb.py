r"""Upper-confidence play with unit Gaussian noise, simulated without a loop over time.

With a known horizon t the index of an arm, $\bar x_n + \sqrt{w \ln t / n}$ after n pulls, depends on that arm's rewards
alone. Greedy play on the largest index merges the arms' index sequences; the order of a greedy merge is the order
of their running minima. So a run is a sort.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def ucb_pulls(means: Sequence[float] | Floats, t: int, width: float, rng: np.random.Generator) -> Ints:
    """The arms that the policy pulls, in order; ties go to the arm of lowest number.

    Args:
        means: mean reward of each arm.
        t: number of pulls, >= 1; also the horizon in the index.
        width: w >= 0.
        rng: source of the noise.

    Returns:
        (t,) numbers of arms.
    """
    arms = [_Stream(float(m), width * math.log(t), rng) for m in means]
    length = min(t, 4 * -(-t // len(arms)))
    for arm in arms:
        arm.extend(length)
    while True:
        keys = np.concatenate([a.keys for a in arms])
        least = np.partition(keys, keys.size - t)[keys.size - t]
        short = [a for a in arms if a.keys.size < t and a.keys[-1] >= least]
        if not short:
            break
        for arm in short:
            arm.extend(min(t, 4 * arm.keys.size))
    owner = np.repeat(np.arange(len(arms)), [a.keys.size for a in arms])
    chosen = np.flatnonzero(keys >= least)
    order = chosen[np.argsort(-keys[chosen], kind="stable")][:t]
    pulls: Ints = owner[order]
    return pulls


class _Stream:
    """The running minima of one arm's index before its pull number 0, 1, ... (the first is infinite)."""

    def __init__(self, mean: float, bonus: float, rng: np.random.Generator) -> None:
        self.mean, self.bonus, self.rng = mean, bonus, rng
        self.keys = np.array([np.inf])
        self.sum = 0.0

    def extend(self, length: int) -> None:
        """Draw rewards until the indices before the first `length` pulls are known."""
        known = self.keys.size
        if length <= known:
            return
        n = np.arange(known, length)
        sums = np.cumsum(self.rng.standard_normal(n.size)) + self.sum
        self.sum = float(sums[-1])
        index = self.mean + sums / n + np.sqrt(self.bonus / n)
        index[0] = min(index[0], self.keys[-1])
        self.keys = np.concatenate([self.keys, np.minimum.accumulate(index)])


def first_stop(
    mean: float, pulled: int, longest: int, threshold: float, width: float, rng: np.random.Generator, *, sign: int = -1
) -> int | None:
    r"""After how many tested pulls $\bar x_k + \mathrm{sign}\sqrt{w \ln k/k} < S$ first holds.

    Rewards are drawn in growing chunks and compared at once.

    Args:
        mean: the arm's mean; unit Gaussian noise.
        pulled: pulls before the test starts, whose rewards count; the first test is after one more.
        longest: tested pulls at most.
        threshold, width: S and w.
        sign: -1 tests the lower, +1 the upper confidence bound.

    Returns:
        the number of tested pulls, or None if the test has not stopped after `longest` of them.
    """
    excess = (mean - threshold) * pulled + math.sqrt(pulled) * float(rng.standard_normal())
    done, chunk, scale = 0, 32, sign * math.sqrt(width)
    while done < longest:
        chunk = min(2 * chunk, longest - done)
        start = pulled + done + 1
        walk = excess + np.cumsum(rng.standard_normal(chunk) + (mean - threshold))
        below = walk + scale * _widths(_size(start + chunk))[start : start + chunk] < 0
        hit = int(np.argmax(below))
        if below[hit]:
            return done + hit + 1
        excess = float(walk[-1])
        done += chunk
    return None


def _size(needed: int) -> int:
    """The least power of two >= needed."""
    return 1 << (needed - 1).bit_length()


@lru_cache(maxsize=32)
def _widths(size: int) -> Floats:
    """sqrt(k ln k) for k < size (0 at k = 0), kept because every run asks for it."""
    k = np.maximum(np.arange(size, dtype=np.float64), 1)
    table: Floats = np.sqrt(k * np.log(k))
    table.flags.writeable = False
    return table
