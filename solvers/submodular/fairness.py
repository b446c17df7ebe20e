"""The fairness matroid: sets whose counts in each group stay between lower and upper bounds."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Counts = Sequence[int]


@dataclass(frozen=True)
class FairnessMatroid:
    """The sets S with |S n U_c| <= u_c and sum_c max(|S n U_c|, l_c) <= size; membership depends on counts only.

    Where every group has at least u_c elements, the bases are the sets of `size` elements with counts in [l_c, u_c].

    Attributes:
        lower, upper: 0 <= l_c <= u_c, one for each group.
        size: sum l_c <= size <= sum u_c.
    """

    lower: tuple[int, ...]
    upper: tuple[int, ...]
    size: int

    def __post_init__(self) -> None:
        ordered = len(self.lower) == len(self.upper) and all(0 <= a <= b for a, b in zip(self.lower, self.upper))
        if not ordered or not sum(self.lower) <= self.size <= sum(self.upper):
            raise ValueError(f"{self}: 0 <= l_c <= u_c and sum l_c <= size <= sum u_c are expected")

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.lower)

    def scaled(self, beta: int) -> FairnessMatroid:
        """The beta-extension: all bounds and the size multiplied by a positive integer."""
        return FairnessMatroid(
            tuple(beta * a for a in self.lower), tuple(beta * b for b in self.upper), beta * self.size
        )

    def contains(self, counts: Counts) -> bool:
        """Whether sets with these counts belong to the matroid."""
        within = all(n <= b for n, b in zip(counts, self.upper))
        return within and sum(map(max, counts, self.lower)) <= self.size

    def grows(self, counts: Counts, c: int) -> bool:
        """Whether a member with these counts stays one when an element of group c is added."""
        if counts[c] >= self.upper[c]:
            return False
        return counts[c] < self.lower[c] or sum(map(max, counts, self.lower)) < self.size

    def bases(self) -> Iterator[tuple[int, ...]]:
        """The counts of the bases, in lexicographic order."""
        ranges = [range(a, b + 1) for a, b in zip(self.lower, self.upper)]
        return (counts for counts in itertools.product(*ranges) if sum(counts) == self.size)


def arrangements(counts: Counts) -> Iterator[tuple[int, ...]]:
    """All distinct sequences of groups with these counts, in lexicographic order."""
    if not any(counts):
        yield ()
        return
    for c, n in enumerate(counts):
        if n:
            rest = [m - (c == d) for d, m in enumerate(counts)]
            for tail in arrangements(rest):
                yield (c, *tail)
