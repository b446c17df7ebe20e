"""Gaussian mixtures on the line, in doubles: density, distribution function, score and its slope."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Mixture:
    """sum_k weights[k] N(means[k], variances[k]); arrays of equal length, variances and weights > 0, weights of sum 1."""

    means: Floats
    variances: Floats
    weights: Floats

    def density(self, x: Floats) -> Floats:
        """The density at points x, of shape (n,)."""
        logs, top = self._logs(x)
        values: Floats = np.exp(top) * np.exp(logs).sum(axis=1)
        return values

    def distribution(self, x: Floats) -> Floats:
        """The distribution function at points x."""
        from scipy.special import ndtr

        values: Floats = ndtr((x[:, None] - self.means) / np.sqrt(self.variances)) @ self.weights
        return values

    def score(self, x: Floats) -> Floats:
        """(log density)' at points x; stable where the density underflows."""
        return self.score_and_slope(x)[0]

    def score_and_slope(self, x: Floats) -> tuple[Floats, Floats]:
        """(log density)' and (log density)'' at points x."""
        share = np.exp(self._logs(x)[0])
        share /= share.sum(axis=1, keepdims=True)
        pull = (self.means - x[:, None]) / self.variances
        score = (share * pull).sum(axis=1)
        slope = (share * (pull * pull - 1 / self.variances)).sum(axis=1) - score * score
        return score, slope

    def _logs(self, x: Floats) -> tuple[Floats, Floats]:
        """Logarithms of the weighted component densities, less the largest of them at each point; and that largest."""
        constant = np.log(self.weights) - 0.5 * np.log(2 * math.pi * self.variances)
        logs = constant - 0.5 * (x[:, None] - self.means) ** 2 / self.variances
        top = logs.max(axis=1)
        return logs - top[:, None], top


def mixture(
    means: Sequence[float] | Floats, variances: Sequence[float] | Floats, weights: Sequence[float] | Floats
) -> Mixture:
    """A mixture; weights are divided by their sum.

    Raises:
        ValueError: for different lengths, or variances or weights that are not positive.
    """
    m, v, w = (np.asarray(a, dtype=np.float64) for a in (means, variances, weights))
    if not m.shape == v.shape == w.shape or m.ndim != 1 or not m.size:
        raise ValueError(f"mixture: arrays of one length are expected, got the shapes {m.shape}, {v.shape}, {w.shape}")
    if not (v > 0).all() or not (w > 0).all():
        raise ValueError("mixture: variances and weights > 0 are expected")
    return Mixture(m, v, w / w.sum())
