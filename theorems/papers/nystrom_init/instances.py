"""Exact problems: matrices of full rank as a domain, and the families that several claims use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from flint import arb, arb_mat, fmpq, fmpq_mat

from theorems import Arrays, Choices, Given, Q, Rationals
from theorems.papers.nystrom_init.paper import PAPER
from theorems.seeds import Words

ZERO, ONE, TWO = Q(0), Q(1), Q(2)
HALF, THIRD, QUARTER = Q(1, 2), Q(1, 3), Q(1, 4)
ENTRY = Rationals(-3, 3, denominator=3)


@dataclass(frozen=True)
class FullRank(Arrays):
    """Matrices of full rank with entries from one domain; no corners, since equal entries make no generic matrix.

    Attributes:
        generic: whether no entry and no minor of the largest order may vanish (for matrices with at least as many rows as columns).
    """

    generic: bool = False

    def _full(self, M: Any) -> bool:
        rows, columns = M.tolist(), self.shape[1]
        if not self.generic:
            return bool(M.rank() == min(self.shape))
        minors = (fmpq_mat([rows[i] for i in chosen]).det() for chosen in combinations(range(len(rows)), columns))
        return all(x != 0 for x in M.entries()) and all(x != 0 for x in minors)

    def sample(self, words: Words) -> Any:
        while True:
            M = super().sample(words)
            if self._full(M):
                return M

    def corners(self) -> list[Any]:
        return []

    def contains(self, value: Any) -> bool:
        return super().contains(value) and self._full(value)

    def simpler(self, value: Any) -> Iterator[Any]:
        return (M for M in super().simpler(value) if self._full(M))

    def strategy(self) -> Any:
        return super().strategy().filter(self._full)

    def __str__(self) -> str:
        return f"{'generic' if self.generic else 'full-rank'} {super().__str__()}"


def full_rank(rows: int, columns: int) -> FullRank:
    """Matrices of full rank with entries in {-3, ..., 3} of denominator at most 3."""
    return FullRank(ENTRY, (rows, columns))


def generic(rows: int, columns: int) -> FullRank:
    """Such matrices without an entry or a largest minor that vanishes."""
    return FullRank(ENTRY, (rows, columns), generic=True)


def largest_rank(L: Any, Omega: Any) -> bool:
    """Whether A Omega has the largest rank that it can have, A = L L^T (or L V^T with V in place of L)."""
    product = L.transpose() * Omega
    return bool(product.rank() == min(product.nrows(), product.ncols()))


def first_columns(M: fmpq_mat, kept: int) -> fmpq_mat:
    """The first columns."""
    return fmpq_mat([row[:kept] for row in M.tolist()])


def frobenius(E: arb_mat) -> arb:
    """|E|_F of a matrix of balls that is not zero."""
    return sum((x * x for x in E.entries()), arb(0)).sqrt()


def grams(A: fmpq_mat, B: Any, eta: fmpq) -> Iterator[Any]:
    """B = X X^T along symmetric ScaledGD while X has full row rank: B+ = M B M^T with M = (1 - eta) I + eta A B^{-1}.

    Where A is singular, B becomes so too; in balls A B^{-1} A stays accurate.
    """
    while True:
        yield B
        B = (1 - eta) ** 2 * B + 2 * eta * (1 - eta) * A + eta * eta * A * B.inv() * A


SYMMETRIC = PAPER.family(
    "symmetric-problems",
    size=Choices((4, 2, 2), (5, 3, 3), (4, 2, 3), (5, 2, 4), (4, 1, 3), (3, 3, 3)),  # m, r_A, r
    L=Given(lambda size: full_rank(size[0], size[1])),
    Omega=Given(lambda size: full_rank(size[0], size[2])),
    eta=Choices(HALF, THIRD, Q(4, 5)),
    where=largest_rank,
    accept=0.5,
    quick=18,
    full=120,
)
