"""Probabilistic coverage: a monotone submodular function with an exact multilinear extension."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from flint import fmpq


@dataclass(frozen=True)
class Coverage:
    """f(S) = sum_i w_i (1 - prod_{e in S} (1 - p_ei)), the expected weight of the items that S covers.

    Attributes:
        weights: w_i >= 0, one for each item.
        probabilities: for each element the items that it may cover, with p_ei in (0, 1].
    """

    weights: tuple[fmpq, ...]
    probabilities: tuple[Mapping[int, fmpq], ...]

    @staticmethod
    def of(weights: Sequence[int | fmpq], rows: Iterable[Mapping[int, int | fmpq] | Sequence[int | fmpq]]) -> Coverage:
        """A coverage function from exact weights and, for each element, its probabilities (dense, or item -> p).

        Raises:
            ValueError: for a negative weight or a probability outside [0, 1].
        """
        w = tuple(fmpq(x) for x in weights)
        sparse = []
        for row in rows:
            pairs = row.items() if isinstance(row, Mapping) else enumerate(row)
            sparse.append({i: fmpq(p) for i, p in pairs if p != 0})
        bad = [p for row in sparse for p in row.values() if not 0 < p <= 1]
        if bad or any(x < 0 for x in w):
            raise ValueError(f"Coverage: weights >= 0 and probabilities in [0, 1] are expected, not {bad or w}")
        return Coverage(w, tuple(sparse))

    @property
    def size(self) -> int:
        """The number of elements."""
        return len(self.probabilities)

    @cached_property
    def total(self) -> fmpq:
        """The sum of the weights, a bound on every value."""
        return sum(self.weights, fmpq(0))

    def residuals(self, S: Iterable[int]) -> list[fmpq]:
        """The expected weight of each item that S leaves uncovered."""
        left = list(self.weights)
        for e in S:
            self.cover(left, e)
        return left

    def cover(self, residuals: list[fmpq], e: int) -> None:
        """Update residuals in place when e is added."""
        for i, p in self.probabilities[e].items():
            residuals[i] *= 1 - p

    def gain(self, residuals: Sequence[fmpq], e: int) -> fmpq:
        """f(S + e) - f(S) for a set with these residuals and an e outside it."""
        return sum((residuals[i] * p for i, p in self.probabilities[e].items()), fmpq(0))

    def value(self, S: Iterable[int]) -> fmpq:
        """f(S)."""
        return self.total - sum(self.residuals(S), fmpq(0))

    def extension(self, x: Sequence[fmpq]) -> fmpq:
        """The multilinear extension F(x), the mean of f over independent elements with probabilities x_e in [0, 1]."""
        return Point(self, x).value


class Point:
    """A point x of [0, 1]^n with the products that F and its gradient need; it moves by `add`."""

    def __init__(self, f: Coverage, x: Sequence[fmpq]) -> None:
        self.f = f
        self.x = [fmpq(0)] * f.size
        self._product = list(f.weights)  # of the non-zero factors 1 - p x, times the weight
        self._zeros = [0] * len(f.weights)
        for e, step in enumerate(x):
            self.add(e, step)

    def add(self, e: int, step: fmpq) -> None:
        """Add `step` (of either sign) to the coordinate of e."""
        if step == 0:
            return
        old, new = self.x[e], self.x[e] + step
        for i, p in self.f.probabilities[e].items():
            before, after = 1 - p * old, 1 - p * new
            if before == 0:
                self._zeros[i] -= 1
            else:
                self._product[i] /= before
            if after == 0:
                self._zeros[i] += 1
            else:
                self._product[i] *= after
        self.x[e] = new

    @property
    def value(self) -> fmpq:
        """F(x)."""
        left = (r for r, z in zip(self._product, self._zeros) if z == 0)
        return self.f.total - sum(left, fmpq(0))

    def slope(self, e: int) -> fmpq:
        """dF/dx_e at x."""
        total = fmpq(0)
        for i, p in self.f.probabilities[e].items():
            own = 1 - p * self.x[e]
            zeros = self._zeros[i] - (own == 0)
            if zeros == 0:
                total += p * (self._product[i] if own == 0 else self._product[i] / own)
        return total
