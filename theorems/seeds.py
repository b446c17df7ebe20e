"""Reproducible randomness: SHA-256 turns names into keys, Philox turns keys into words.

Instance k of a family depends on (root seed, family id, k, attempt) and on nothing else: not on how many instances
are run, in which order, in which process. Exact values are made from raw 64-bit words by the integer code below, so
they are the same on every machine and NumPy version.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

Label = int | str


def key(root: int, *labels: Label) -> int:
    """A 128-bit key for the stream named by a root seed and labels (their kinds and lengths count)."""
    digest = hashlib.sha256()
    for label in (root, *labels):
        text = f"{'i' if isinstance(label, int) else 's'}{label}".encode()
        digest.update(len(text).to_bytes(8, "big") + text)
    return int.from_bytes(digest.digest()[:16], "big")


class Words:
    """A source of raw 64-bit Philox words, and integers made from them without rounding."""

    __slots__ = ("_philox",)

    def __init__(self, root: int, *labels: Label) -> None:
        from numpy.random import Philox

        self._philox = Philox(key=key(root, *labels))

    def word(self) -> int:
        """The next 64-bit word."""
        return int(self._philox.random_raw())

    def below(self, n: int) -> int:
        """A uniform integer in [0, n), by rejection; n >= 1 of any size."""
        if n < 1:
            raise ValueError(f"below({n}): the bound must be at least 1")
        bits = (n - 1).bit_length()
        words = -(-bits // 64)
        while True:
            value = 0
            for _ in range(words):
                value = value << 64 | self.word()
            value >>= 64 * words - bits
            if value < n:
                return value

    def between(self, low: int, high: int) -> int:
        """A uniform integer in [low, high]."""
        return low + self.below(high - low + 1)


def generator(root: int, *labels: Label) -> np.random.Generator:
    """A NumPy generator on the Philox stream named by a root seed and labels."""
    from numpy.random import Generator, Philox

    return Generator(Philox(key=key(root, *labels)))
