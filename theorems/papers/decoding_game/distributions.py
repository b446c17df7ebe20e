"""Where next-token distributions come from: heads of many shapes and one tail token, all exact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isqrt
from typing import Any

from flint import fmpq

from theorems.domains import DomainError
from theorems.seeds import Words

Distribution = tuple[fmpq, ...]
ZERO = fmpq(0)
GAMMAS = ("gamma 1/2", "gamma 1", "gamma 5", "gamma 50")
SHAPES = (*GAMMAS, "zipf", "geometric", "near flat", "plateaus")
_FREEDOM = {"gamma 1/2": 1, "gamma 1": 2, "gamma 5": 10, "gamma 50": 100}


def distribution(weights: Sequence[int], tail: fmpq) -> Distribution:
    """Head weights normalised to 1 - tail, with the tail token, in decreasing order."""
    total = sum(weights)
    return tuple(sorted((*(w * (1 - tail) / total for w in weights), tail), reverse=True))


@dataclass(frozen=True)
class Distributions:
    """Distributions on d tokens in decreasing order, one of them with a mass in (low, high].

    With high = eps the tail hypothesis p_d <= eps holds.

    Args:
        d: number of tokens, >= 2.
        high, low: range of the tail token's mass.
        shapes: laws of the other weights: chi-square (Gamma with shape 1/2, 1, 5, 50), Zipf, geometric, near flat,
            plateaus of equal tokens.
    """

    d: int
    high: fmpq
    low: fmpq = ZERO
    shapes: tuple[str, ...] = SHAPES

    def sample(self, words: Words) -> Distribution:
        shape = self.shapes[words.below(len(self.shapes))]
        return distribution(_weights(shape, self.d - 1, words), self._tail(words.between(1, 40)))

    def _tail(self, k: int) -> fmpq:
        return self.low + (self.high - self.low) * k / 40

    def corners(self) -> list[Distribution]:
        n = self.d - 1
        heads = [[1] * n, [2**i for i in range(n)][::-1] if n < 12 else [2] + [1] * (n - 1), [3, *[2] * (n - 1)]]
        return [distribution(h, self._tail(k)) for h in heads for k in (40, 20)]

    def size(self) -> None:
        return None

    def values(self) -> Iterator[Distribution]:
        raise DomainError(f"{self} cannot be enumerated; use Choices(...) of distributions for an exhaustive family")

    def contains(self, value: Any) -> bool:
        if not isinstance(value, tuple) or len(value) != self.d or not all(isinstance(m, fmpq) for m in value):
            return False
        falling = all(a >= b for a, b in pairwise(value))
        return falling and value[-1] > 0 and sum(value) == 1 and any(self.low < m <= self.high for m in value)

    def simpler(self, value: Distribution) -> Iterator[Distribution]:
        size = _complexity(value)
        for candidate in self.corners():
            if _complexity(candidate) < size:
                yield candidate

    def strategy(self) -> Any:
        from hypothesis import strategies as st

        heads = st.lists(st.integers(1, 1000), min_size=self.d - 1, max_size=self.d - 1)
        return st.builds(distribution, heads, st.integers(1, 40).map(self._tail))

    def __str__(self) -> str:
        return f"distributions on {self.d} tokens, one with mass in ({self.low}, {self.high}], others {', '.join(self.shapes)}"


def _complexity(value: Distribution) -> int:
    return sum(int(m.q).bit_length() for m in value)


def _weights(shape: str, n: int, words: Words) -> list[int]:
    """n positive integers."""
    if shape in _FREEDOM:
        return [_gamma(_FREEDOM[shape], words) for _ in range(n)]
    if shape == "zipf":
        twice = words.between(1, 4)  # exponents 1/2, 1, 3/2, 2
        return [max(1, isqrt(10**12 // i**twice)) for i in range(1, n + 1)]
    if shape == "geometric":
        ratio = words.between(50, 95)
        return [max(1, 10**6 * ratio**i // 100**i) for i in range(n)]
    if shape == "near flat":
        return [1000 + words.below(51) for _ in range(n)]
    if shape == "plateaus":
        return [words.between(3, 5) for _ in range(n)]
    raise DomainError(f"unknown shape {shape!r}; accepted: {', '.join(SHAPES)}")


def _normal(words: Words) -> int:
    """About 37837 times a standard normal variable: the centred sum of the four 16-bit fields of a word."""
    w = words.word()
    return (w & 0xFFFF) + (w >> 16 & 0xFFFF) + (w >> 32 & 0xFFFF) + (w >> 48) - 2 * 0xFFFF


def _gamma(freedom: int, words: Words) -> int:
    """About 1000 times a chi-square variable divided by its degrees of freedom, plus 1 (Gamma with shape freedom/2).

    Up to two degrees of freedom as a sum of squares, from there on by the cube of Wilson and Hilferty.
    """
    if freedom <= 2:
        return 1 + 3000 * sum(_normal(words) ** 2 for _ in range(freedom)) // (freedom << 32)
    root = 10**6 - 2 * 10**6 // (9 * freedom) + isqrt(2 * 10**12 // (9 * freedom)) * _normal(words) // 37837
    return 1 + 1000 * max(root, 0) ** 3 // 10**18
