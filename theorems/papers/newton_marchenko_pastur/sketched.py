"""Spectra, and Gaussian sketches of diagonal Hessians in simulation."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from solvers.effective_dimension import Reals, effective_dimension, ridge_with_dimension

ESTIMATES = {  # name: (lambda is multiplied by phi, the inverse is multiplied by phi)
    "debiased": (True, True),
    "plain": (False, False),
    "no prefactor": (True, False),
    "prefactor only": (False, True),
}


@dataclass(frozen=True, eq=False)
class Hessian:
    """K + lam I with diagonal K.

    Attributes:
        k: eigenvalues of K, shape (d,).
        lam: regularisation, > 0.
    """

    k: Reals
    lam: float

    @property
    def dimension(self) -> float:
        """The effective dimension d_lam."""
        return effective_dimension(self.k, self.lam)

    def weights(self, m: int, estimate: str, dimension: float | None = None) -> tuple[float, float]:
        """Regulariser and prefactor of an estimate from m rows, with phi = 1 - dimension/m (d_lam unless stated)."""
        phi = 1 - (self.dimension if dimension is None else dimension) / m
        inside, outside = ESTIMATES[estimate]
        return self.lam * (phi if inside else 1.0), phi if outside else 1.0


@cache
def hessian(kind: str, d: int, dimension: float, decades: int = 8) -> Hessian:
    """A Hessian of the given effective dimension.

    Args:
        kind: "iso" (k_i = 1), "pow" (i^-2), "geo" (10^(-decades (i-1)/(d-1))), or "two-level" (k_i = 10^9 lam).
        d: size.
        dimension: d_lam in (0, d); of "two-level" it is d (1 - 1e-9).
        decades: for "geo", the logarithm of the condition number.
    """
    i = np.arange(d)
    if kind == "two-level":
        return Hessian(np.full(d, 1e9), 1.0)
    spectra = {"iso": np.ones(d), "pow": (1.0 + i) ** -2, "geo": 10.0 ** (-decades * i / (d - 1))}
    k = np.asarray(spectra[kind], dtype=np.float64)
    return Hessian(k, ridge_with_dimension(k, dimension))


def sketches(rng: np.random.Generator, count: int, m: int, k: Reals) -> Reals:
    """`count` matrices A = G K^{1/2} / sqrt(m), so that Khat = A^T A; shape (count, m, d)."""
    return rng.standard_normal((count, m, len(k))) * np.sqrt(k / m)


def gram_spectra(rng: np.random.Generator, count: int, m: int, k: Reals) -> Reals:
    """The min(m, d) leading eigenvalues of `count` matrices Khat, shape (count, min(m, d)), none negative."""
    A = sketches(rng, count, m, k)
    At = A.transpose(0, 2, 1)
    return np.maximum(np.linalg.eigvalsh(A @ At if m <= len(k) else At @ A), 0.0)


class Runs:
    """Blocks of simulated runs that the parts of an instance look at in turn, each block simulated by whoever asks first."""

    def __init__(self, simulate: Callable[[np.random.Generator], Any]) -> None:
        self.simulate = simulate
        self.blocks: list[Any] = []

    def draw(self, statistic: Callable[[Any], Any]) -> Callable[[np.random.Generator], Any]:
        """A draw function for one comparison: a statistic of the next block."""
        position = itertools.count()

        def draw(rng: np.random.Generator) -> Any:
            j = next(position)
            if j == len(self.blocks):
                self.blocks.append(self.simulate(rng))
            return statistic(self.blocks[j])

        return draw
