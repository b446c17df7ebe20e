"""Functions on {-1, 1}^n: Walsh-Hadamard transforms, Krawtchouk polynomials, characters as bit masks.

A point is an integer x in [0, 2^n): bit j set means that coordinate j is -1. A set S is a bit mask too, and
chi_S(x) = (-1)^(number of common bits).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int64]


def points(n: int) -> Integers:
    """All points as rows of +-1: shape (2^n, n)."""
    bits = np.arange(2**n)[:, None] >> np.arange(n) & 1
    return (1 - 2 * bits).astype(np.int64)


def mask(S: Sequence[int]) -> int:
    """The bit mask of a set of coordinates."""
    return sum(1 << j for j in S)


def subsets(n: int, k: int) -> Iterator[int]:
    """The bit masks of all k-element subsets of n coordinates."""
    return (mask(S) for S in combinations(range(n), k))


def walsh(values: Sequence[Any]) -> list[Any]:
    """Sums of f(x) chi_S(x) over x, for all S, in the arithmetic of the values (ints, rationals, balls).

    Args:
        values: f at all 2^n points.

    Raises:
        ValueError: when the number of values is no power of two.
    """
    size = len(values)
    if size == 0 or size & (size - 1):
        raise ValueError(f"{size} values: a function on the cube has 2^n of them")
    f, h = list(values), 1
    while h < size:
        for start in range(0, size, 2 * h):
            for i in range(start, start + h):
                a, b = f[i], f[i + h]
                f[i], f[i + h] = a + b, a - b
        h *= 2
    return f


def walsh_integers(values: Integers) -> Integers:
    """`walsh` for an array of 64-bit integers whose sum of absolute values is below 2^62."""
    if int(np.abs(values).max(initial=0)) * values.size >= 2**62:
        raise ValueError("the transform may leave 64 bits; use `walsh` on Python integers")
    f = values.astype(np.int64).copy()
    if f.size == 0 or f.size & (f.size - 1):
        raise ValueError(f"{f.size} values: a function on the cube has 2^n of them")
    h = 1
    while h < f.size:
        pairs = f.reshape(-1, 2, h)
        f = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).reshape(-1)
        h *= 2
    return f


def krawtchouk(n: int, k: int, t: int) -> int:
    """The sum of chi_S over |S| = k at a point with t coordinates -1."""
    return sum((-1) ** i * comb(t, i) * comb(n - t, k - i) for i in range(k + 1))
