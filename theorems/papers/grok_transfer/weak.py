"""Weak models that are really trained: three neurons, gradient descent with weight decay, through the Gram matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from solvers.gram_descent import Floats, Start, after
from theorems.papers.grok_transfer.generalization import EPS, Embedding
from theorems.papers.grok_transfer.one_step import CENTERS, Signs, signs

RATE, DECAY, STEPS = 0.1, 0.1, 1000
NEURONS = 3
BITS = 30  # weights are rounded to multiples of 2^-30
OUTPUT_BITS = 20


@dataclass(frozen=True)
class Weak:
    """A trained weak model and its training signs.

    Attributes:
        seed, x: the sample: signs (n, p).
        W: input weights (p, 3); a: output weights (3).
    """

    seed: int
    x: Signs
    W: Floats
    a: Floats

    def directions(self) -> int:
        """How many of the four directions +-mu_1, +-mu_2 the neurons take."""
        return len({int(k) for k in np.argmax(np.array(CENTERS) @ self.W[:2], axis=0)})

    def embedding(self) -> Embedding:
        """What is transferred: every column scaled to a signal part of norm sqrt 2, rounded to multiples of 2^-30."""
        scaled = np.rint(2.0**BITS * np.sqrt(2) * self.W / np.linalg.norm(self.W[:2], axis=0)).astype(np.int64)
        unit = fmpq(1, 2**BITS)
        return Embedding(fmpq_mat(2, 3, scaled[:2].ravel().tolist()) * unit, scaled[2:], unit)

    def accuracy(self, Z: fmpq_mat, y: Sequence[int]) -> fmpq:
        """The weak model's accuracy at embedded points (output weights rounded to 2^-20), exactly."""
        norms = np.linalg.norm(self.W[:2], axis=0) * self.a
        outputs = [int(v) for v in np.rint(2.0**OUTPUT_BITS * norms).tolist()]
        correct = 0
        for row, label in zip(Z.tolist(), y):
            f = sum((c * z for c, z in zip(outputs, row) if z > 0), fmpq(0))
            correct += label * f > 0
        return fmpq(correct, len(y))


def _generator(seed: int, stream: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=(stream << 64) + seed))


def gram(x: Signs, eps: float) -> Floats:
    """X X^T of the inputs with signs x; the integer parts are exact."""
    s = x.astype(np.float32)
    signal, noise = s[:, :2], s[:, 2:]
    found: Floats = (signal @ signal.T).astype(float) + eps**2 * (noise @ noise.T).astype(float)
    return found


def initial(seed: int, p: int) -> tuple[Any, Floats]:
    """W_0 with entries N(0, 0.01), (p, 3), and a with entries N(0, 1e-4)."""
    rng = _generator(seed, 5)
    return 0.1 * rng.standard_normal((p, NEURONS), dtype=np.float32), 0.01 * rng.standard_normal(NEURONS)


def start(x: Signs, seed: int, eps: float) -> Start:
    """The problem of a sample for the Gram-matrix descent."""
    W, a = initial(seed, x.shape[1])
    s = x.astype(np.float32)
    Z = s[:, :2] @ W[:2] + np.float32(eps) * (s[:, 2:] @ W[2:])
    return Start(gram(x, eps), (x[:, 0] * x[:, 1]).astype(float), Z.astype(float), a)


def train(n: int, p: int, seeds: Sequence[int], steps: int = STEPS) -> list[Weak]:
    """Train one weak model for each seed, all at once."""
    eps = float(int(EPS.p) / int(EPS.q))
    samples = [signs(seed, 0, (n, p)) for seed in seeds]
    starts = [start(x, seed, eps) for x, seed in zip(samples, seeds)]
    fields = ([getattr(s, name) for s in starts] for name in ("gram", "y", "Z", "a"))
    state = after(Start(*map(np.stack, fields)), RATE, DECAY, steps)
    models = []
    for k, (seed, x) in enumerate(zip(seeds, samples)):
        W = state.kept * initial(seed, p)[0].astype(float)
        s, B = x.astype(np.float32), state.B[k]
        W[:2] += s[:, :2].T @ B
        W[2:] += eps * (s[:, 2:].T @ B.astype(np.float32))
        models.append(Weak(seed, x, W, state.a[k]))
    return models
