r"""Classes of operators, by the inequalities between samples (x_i, g_i), g_i in A(x_i).

For maximal monotone, strongly monotone, cocoercive and (on the whole space) Lipschitz operators the conditions are
tight: Bauschke-Combettes, and Kirszbraun-Valentine for Lipschitz ones (Ryu, Taylor, Bergeling, Giselsson, Operator splitting
performance estimation, 2020). They are not for Lipschitz *and* monotone operators, nor for Lipschitz operators under a weak Minty inequality:
then a worst case over the samples is an upper bound only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from flint import fmpq

from solvers.certificates import rational
from solvers.performance.expressions import ZERO, inner, squared
from solvers.performance.functions import Condition, Sample


@dataclass(frozen=True)
class Monotone:
    """Operators with <g - h, x - y> >= mu |x - y|^2 + beta |g - h|^2, and |g - h| <= L |x - y| if L is given."""

    mu: fmpq = ZERO
    beta: fmpq = ZERO
    L: fmpq | None = None
    valued: ClassVar[bool] = False

    @property
    def tight(self) -> bool:
        """Whether one inequality alone is imposed."""
        return self.L is None and (self.mu == 0 or self.beta == 0)

    def conditions(self, samples: Sequence[Sample]) -> Iterator[Condition]:
        """One inequality for each unordered pair, two if a Lipschitz constant is given."""
        for i, a in enumerate(samples):
            for j, b in enumerate(samples[:i]):
                x, g = a.x - b.x, a.g - b.g
                yield (j, i), self.mu * squared(x) + self.beta * squared(g) - inner(g, x)
                if self.L is not None:
                    yield (j, i, 1), squared(g) - self.L**2 * squared(x)


@dataclass(frozen=True)
class LipschitzOperator:
    """Single-valued operators with |A x - A y| <= L |x - y|."""

    L: fmpq
    tight: bool = True
    valued: ClassVar[bool] = False

    def conditions(self, samples: Sequence[Sample]) -> Iterator[Condition]:
        """One inequality for each unordered pair."""
        for i, a in enumerate(samples):
            for j, b in enumerate(samples[:i]):
                yield (j, i), squared(a.g - b.g) - self.L**2 * squared(a.x - b.x)


@dataclass(frozen=True)
class WeakMinty:
    """Operators with <g, x - x*> >= rho |g|^2 for all g in A(x); sample 0 is the zero x* (g = 0).

    Tight for set-valued operators: any finite graph that satisfies the inequalities is one. With a Lipschitz
    constant the conditions are necessary only.
    """

    rho: fmpq
    L: fmpq | None = None
    valued: ClassVar[bool] = False

    @property
    def tight(self) -> bool:
        """Whether the weak Minty inequality alone is imposed."""
        return self.L is None

    def conditions(self, samples: Sequence[Sample]) -> Iterator[Condition]:
        """One inequality for each sample but the zero; Lipschitz pairs if L is given."""
        if not samples or samples[0].g.terms:
            raise ValueError(
                "the first sample of a weak Minty operator is its zero: call minimiser() before any other sample"
            )
        zero = samples[0]
        for i, a in enumerate(samples[1:], 1):
            yield (0, i), self.rho * squared(a.g) - inner(a.g, a.x - zero.x)
        if self.L is not None:
            for (j, i), condition in LipschitzOperator(self.L).conditions(samples):
                yield (j, i, 1), condition


def monotone() -> Monotone:
    """Maximal monotone operators."""
    return Monotone()


def strongly_monotone(mu: object) -> Monotone:
    """Maximal mu-strongly monotone operators."""
    return Monotone(mu=rational(mu))


def cocoercive(beta: object) -> Monotone:
    """beta-cocoercive operators (negative beta: cohypomonotone ones, as a relation between pairs)."""
    return Monotone(beta=rational(beta))


def lipschitz(L: object) -> LipschitzOperator:
    """L-Lipschitz operators."""
    return LipschitzOperator(rational(L))


def monotone_lipschitz(L: object, mu: object = 0) -> Monotone:
    """Monotone (mu-strongly) and L-Lipschitz operators; the conditions are necessary only."""
    return Monotone(mu=rational(mu), L=rational(L))


def weak_minty(rho: object, L: object | None = None) -> WeakMinty:
    """Operators with the weak Minty inequality of modulus rho (and L-Lipschitz: necessary conditions only)."""
    return WeakMinty(rational(rho), None if L is None else rational(L))
