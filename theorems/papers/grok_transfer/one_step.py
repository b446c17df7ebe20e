r"""The target model after one gradient step, in balls, through the few numbers on which it depends.

V starts at {+-v}^3 and a at +-1/sqrt m, so that the m neurons form 16 classes (8 sign patterns s, 2 signs of a) whose members stay equal. A point
enters through z = U^T x alone. With l_i = exp(-y_i f_0(z_i)) one step gives V_{s,+-} = v (s +- rate g_s), where rate = alpha / (sqrt m v) and
g_s = (1/n) sum_i y_i l_i 1(<s, z_i> > 0) z_i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat
from numpy.typing import NDArray

from solvers.relu_boxes import lower_bound

PATTERNS = tuple(product((1, -1), repeat=3))
S = fmpq_mat(8, 3, [e for s in PATTERNS for e in s])
CENTERS = ((1, 1), (-1, -1), (-1, 1), (1, -1))  # mu_1, -mu_1, mu_2, -mu_2
Signs = NDArray[np.int8]


def signs(seed: int, stream: int, shape: tuple[int, ...]) -> Signs:
    """Independent signs from raw Philox words, the same on every machine; streams of a seed are independent."""
    count = int(np.prod(shape))
    words = np.random.Philox(key=(stream << 64) + seed).random_raw((count + 63) // 64)
    bits = np.unpackbits(words.astype("<u8").view(np.uint8), count=count)
    found: Signs = (1 - 2 * bits.astype(np.int8)).reshape(shape)
    return found


def class_counts(seed: int, stream: int, m: int) -> list[int]:
    """How many of m neurons fall into each class: 8 counts with a > 0, then 8 with a < 0."""
    places = (signs(seed, stream, (m, 4)) < 0) @ np.array([8, 4, 2, 1])
    return [int(c) for c in np.bincount(places, minlength=16)]


@dataclass(frozen=True)
class Target:
    """The target model up to the factor 1/sqrt m.

    Attributes:
        V: one row a class, (16, 3).
        c: class counts with the sign of a.
    """

    V: arb_mat
    c: tuple[int, ...]

    def sides(self, Z: Any) -> tuple[list[arb], list[arb]]:
        """The positive and the negative part of the output at points (N, 3): f is their difference."""
        hidden = (self.V * arb_mat(Z).transpose()).tolist()
        relu = [[h.max(arb(0)) for h in row] for row in hidden]
        parts = []
        for rows in (range(8), range(8, 16)):
            weights = arb_mat(1, 8, [abs(self.c[j]) for j in rows])
            parts.append((weights * arb_mat([relu[j] for j in rows])).entries())
        return parts[0], parts[1]

    def wrong_and_right(self, Z: Any, y: Sequence[int]) -> tuple[list[arb], list[arb]]:
        """The parts against and for the label at each point: y f > 0 iff the first is smaller."""
        plus, minus = self.sides(Z)
        return [n if s > 0 else p for p, n, s in zip(plus, minus, y)], [
            p if s > 0 else n for p, n, s in zip(plus, minus, y)
        ]

    def at_centers(self, M: fmpq_mat, half: Sequence[Any]) -> tuple[list[arb], list[arb]]:
        """For each centre nu = M^T mu: variation and centre of a linear minorant of y f on |z_l - nu_l| <= half_l."""
        variation, center = [], []
        for mu in CENTERS:
            nu = (fmpq_mat(1, 2, list(mu)) * M).entries()
            a, b = lower_bound(self.V, [mu[0] * mu[1] * c for c in self.c], nu, half)
            variation.append(b)
            center.append(a)
        return variation, center


def one_step(Z: fmpq_mat, y: Sequence[int], counts: Sequence[int], v: fmpq, rate: fmpq | int) -> Target:
    """Train V for one step.

    Args:
        Z: embedded training points, exact, (n, 3).
        y: labels +-1.
        counts: neurons in each class, 16.
        v: v_init > 0.
        rate: alpha / (sqrt m v_init).
    """
    n, m = Z.nrows(), sum(counts)
    pre = (Z * S.transpose()).tolist()
    difference = [counts[j] - counts[8 + j] for j in range(8)]
    scale = arb(v) / arb(m).sqrt()
    pull = []
    for row, label in zip(pre, y):
        f0 = sum((d * h for d, h in zip(difference, row) if h > 0), fmpq(0))
        pull.append(label * (-label * scale * f0).exp() / n)
    active = arb_mat([[pull[i] if pre[i][j] > 0 else arb(0) for i in range(n)] for j in range(8)])
    g = active * arb_mat(Z)
    moved = g * arb(rate)
    start = arb_mat(S)
    V = arb_mat((start + moved).tolist() + (start - moved).tolist()) * arb(v)
    return Target(V, tuple(c if j < 8 else -c for j, c in enumerate(counts)))


def half_widths(n: int, eps: fmpq, squares: Sequence[Any]) -> list[arb]:
    """h_l with P(|<delta_l, x_noise>| > h_l for some l) <= 6 exp(-log^2 n - log 6) = exp(-log^2 n), from ||delta_l||^2."""
    t = 2 * (arb(n).log() ** 2 + arb(6).log())
    return [(arb(eps * eps * s) * t).sqrt() for s in squares]
