"""Targets on the line that are not Gaussian: atoms, Cantor-like and heavy-tailed laws, mixtures; and the float schedule."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.mixtures import Mixture, mixture

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Target:
    """sum_k weights[k] N(atoms[k], spread[k]) (spread 0: atoms), and the schedule's c0, c1 that suit it."""

    atoms: tuple[float, ...]
    weights: tuple[float, ...]
    spread: float | tuple[float, ...] = 0.0
    c0: float = 2.0
    c1: float = 4.5

    def at(self, abar: float, left: float) -> Mixture:
        """The law of X_t for abar_t and 1 - abar_t."""
        a = np.array(self.atoms)
        return mixture(math.sqrt(abar) * a, abar * np.broadcast_to(self.spread, a.shape) + left, self.weights)


def heavy(K: int) -> Target:
    """Atoms +-2^k with weights proportional to 2^{-1.5 k}, k <= K: E|X| stays bounded, E X^2 grows like 2^{K/2}."""
    k = range(K + 1)
    atoms = tuple(sign * 2.0**j for sign in (-1, 1) for j in k)
    return Target(atoms, tuple(2.0 ** (-1.5 * j) for _ in (-1, 1) for j in k))


def cantor(r: int, K: int) -> Target:
    """All sums sum_{k<K} +-r^{-k}, equally likely."""
    atoms = tuple(sorted(sum(s * float(r) ** -k for k, s in enumerate(signs)) for signs in product((-1, 1), repeat=K)))
    return Target(atoms, (1.0,) * len(atoms), 0.0, 3.0, 6.5)


TARGETS = {
    "two equal atoms": Target((-1.0, 1.0), (0.5, 0.5)),
    "two unequal atoms": Target((-1.0, 1.0), (0.9, 0.1)),
    "three atoms": Target((-2.0, 0.0, 1.5), (0.5, 0.3, 0.2)),
    "mixture": Target((-1.5, 1.0), (0.4, 0.6), (0.16, 0.09), 1.0, 3.0),
    "point mass": Target((0.0,), (1.0,)),
    **{f"heavy tail, K = {K}": heavy(K) for K in (0, 2, 4, 6, 8)},
    **{f"Cantor, r = {r}, K = {K}": cantor(r, K) for r in (3, 10) for K in (2, 4, 6)},
}


@dataclass(frozen=True)
class Times:
    """beta_t, abar_t and 1 - abar_t at place t - 1, in doubles (the last without cancellation)."""

    beta: Floats
    abar: Floats
    left: Floats


@lru_cache(maxsize=64)
def times(T: int, c0: float, c1: float) -> Times:
    """The schedule of `schedule-lemma`."""
    step = c1 * math.log(T) / T
    growing = T**-c0 * (1 + step) ** np.arange(T)
    beta = step * np.minimum(np.concatenate([[0.0], growing[1:]]), 1.0)
    beta[0] = T**-c0
    logs = np.cumsum(np.log1p(-beta))
    return Times(beta, np.exp(logs), -np.expm1(logs))


def second_moment(target: Target) -> float:
    """E X^2."""
    law = target.at(1.0, 0.0) if target.spread else None
    weights: Any = np.array(target.weights) / sum(target.weights)
    spread = law.variances if law is not None else np.zeros(len(target.atoms))
    return float(weights @ (np.array(target.atoms) ** 2 + spread))
