"""Parity with a chain of thought: tokens at each step, one-step gradients, and random secrets.

A secret is an increasing tuple of coordinates, from 0. The chain is c_i = x_{s_1} ... x_{s_i}, i = 2..k.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from solvers.boolean_cube import Integers, points
from theorems.seeds import Words

Secret = tuple[int, ...]


def random_secret(n: int, k: int, seed: int) -> Secret:
    """A uniform k-element subset of n coordinates (Floyd)."""
    words = Words(seed, "secret", n, k)
    chosen: set[int] = set()
    for j in range(n - k, n):
        r = words.below(j + 1)
        chosen.add(j if r in chosen else r)
    return tuple(sorted(chosen))


def parity(x: Integers, S: Sequence[int]) -> Integers:
    """chi_S of each row."""
    product: Integers = x[:, list(S)].prod(axis=1)
    return product


def parents(n: int, S: Secret, i: int) -> tuple[int, int]:
    """Positions of the two parents of c_i among the tokens x_1..x_n, c_2..c_{i-1}."""
    return tuple(sorted((S[0] if i == 2 else n + i - 3, S[i - 1])))  # type: ignore[return-value]


def tokens(x: Integers, S: Secret, i: int) -> Integers:
    """The tokens that step i sees, one row for each input: shape (inputs, n + i - 2)."""
    chain = np.cumprod(x[:, list(S)], axis=1)[:, 1 : i - 1]
    return np.concatenate([x, chain], axis=1)


def gradient(u: Integers, y: Integers, ffn: str) -> list[fmpq]:
    """The descent direction g_j = E[y phi'(s) (u_j - s)]/m at uniform attention, exactly, over all rows.

    Args:
        u: tokens, +-1, shape (inputs, m).
        y: targets, +-1.
        ffn: "quadratic" (phi = s^2) or "ReLU" (phi = |s|, phi'(0) = 0).
    """
    inputs, m = u.shape
    t = u.sum(axis=1)
    if ffn == "quadratic":
        numerators, scale = (2 * y * t) @ (m * u - t[:, None]), inputs * m**3
    else:
        numerators, scale = (y * np.sign(t)) @ (m * u - t[:, None]), inputs * m**2
    return [fmpq(int(v), scale) for v in numerators]


def all_inputs(n: int) -> NDArray[np.int64]:
    """All 2^n inputs."""
    return points(n)
