"""Accuracy of small networks on the whole distribution, by enumeration in integers.

x = (x_1, x_2, eps s), all signs uniform, y = x_1 x_2. Points are scaled by the denominator of eps, which changes no sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from solvers.boolean_cube import points

Ints = NDArray[np.int64]


def scaled_points(p: int, eps: fmpq) -> tuple[Ints, int]:
    """All 2^p points times the denominator q of eps, (2^p, p), and q."""
    x, q = points(p), int(eps.q)
    x[:, :2] *= q
    x[:, 2:] *= int(eps.p)
    return x, q


def labels(x: Ints, rule: str = "x1 x2") -> Ints:
    """Labels +-1 of scaled points: x_1 x_2, or x_1 alone (which is odd in x)."""
    return np.sign(x[:, 0] * x[:, 1]) if rule == "x1 x2" else np.sign(x[:, 0])


def accuracies(x: Ints, y: Ints, W: Ints, a: Ints, b: Ints, *, ties: bool = False) -> list[fmpq]:
    """P(y f(x) > 0), or >= 0 with ties, for networks f = sum_j a_j relu(<w_j, x> + b_j), exactly.

    Args:
        x, y: points (N, p) and labels (N).
        W, a, b: integer weights of k networks, (k, m, p), (k, m) and (k, m); b in the unit of x.
    """
    hidden = np.maximum(np.einsum("np,kmp->knm", x, W) + b[:, None, :], 0)
    margins = np.einsum("knm,km->kn", hidden, a) * y
    correct = (margins >= 0) if ties else (margins > 0)
    return [fmpq(int(c), len(y)) for c in correct.sum(axis=1)]


def accuracy(p: int, eps: fmpq, network: Sequence[Any], *, ties: bool = False, rule: str = "x1 x2") -> fmpq:
    """The accuracy of one network, given as triples (a_j, (w_j1, w_j2, ...), b_j) of integers; missing weights are 0."""
    x, q = scaled_points(p, eps)
    W = np.zeros((1, len(network), p), dtype=np.int64)
    for j, (_, w, _) in enumerate(network):
        W[0, j, : len(w[:p])] = w[:p]
    a, b = (np.array([[neuron[i] for neuron in network]], dtype=np.int64) for i in (0, 2))
    return accuracies(x, labels(x, rule), W, a, q * b, ties=ties)[0]


def random_weights(seed: int, shape: tuple[int, ...], largest: int) -> Ints:
    """Integers in [-largest, largest], the same on every machine."""
    words = np.random.Philox(key=seed).random_raw(int(np.prod(shape)))
    return ((words >> np.uint64(11)) % np.uint64(2 * largest + 1)).astype(np.int64).reshape(shape) - largest
