"""Counts by class in a sample drawn without replacement: exact probabilities and moments of the multivariate hypergeometric law.

A population is split into classes; `drawn` of its members are drawn uniformly without replacement, and u_a of them belong to class a.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import comb, prod

from flint import fmpq, fmpz


def counts(sizes: Sequence[int], drawn: int) -> Iterator[tuple[tuple[int, ...], fmpq]]:
    """All vectors of counts, in lexicographic order, with their exact probabilities.

    Args:
        sizes: sizes >= 0 of classes that make up the whole population.
        drawn: 0 <= drawn <= sum(sizes).
    """
    total = sum(sizes)
    if not 0 <= drawn <= total or min(sizes, default=0) < 0:
        raise ValueError(f"counts({sizes}, {drawn}): sizes >= 0 and 0 <= drawn <= {total}")
    every = comb(total, drawn)
    for head in product(*(range(min(C, drawn) + 1) for C in sizes[:-1])):
        last = drawn - sum(head)
        if 0 <= last <= sizes[-1]:
            u = (*head, last)
            yield u, fmpq(prod(comb(C, n) for C, n in zip(sizes, u)), every)


def falling(n: int, i: int) -> fmpz:
    """n (n - 1) ... (n - i + 1)."""
    return fmpz(prod(range(n - i + 1, n + 1)))


def factorial_moment(total: int, drawn: int, sizes: Sequence[int], orders: Sequence[int]) -> fmpq:
    """E[(u_1)_{i_1} (u_2)_{i_2} ...], (u)_i falling factorials, for counts u_1, u_2, ... of disjoint classes.

    Args:
        total: population size.
        drawn: number drawn.
        sizes, orders: size of each class and its order i >= 0; the remaining members need no class.
    """
    order = sum(orders)
    if order > drawn:
        return fmpq(0)
    numerator = falling(drawn, order)
    for size, i in zip(sizes, orders, strict=True):
        numerator *= falling(size, i)
    return fmpq(numerator, falling(total, order))


def stirling(n: int) -> list[int]:
    """Stirling numbers of the second kind: u^n = sum_i stirling(n)[i] (u)_i."""
    row = [1]
    for _ in range(n):
        row = [i * (row[i] if i < len(row) else 0) + (row[i - 1] if i else 0) for i in range(len(row) + 1)]
    return row


def moment(total: int, drawn: int, powers: Sequence[tuple[int, int]]) -> fmpq:
    """E[u_1^{p_1} u_2^{p_2} ...] for disjoint classes.

    Args:
        total: population size.
        drawn: number drawn.
        powers: pairs (size of the class, power p >= 0), one for each class.
    """
    rows = [[(i, c) for i, c in enumerate(stirling(p)) if c] for _, p in powers]
    sizes = [size for size, _ in powers]
    return sum(
        (
            prod(c for _, c in terms) * factorial_moment(total, drawn, sizes, [i for i, _ in terms])
            for terms in product(*rows)
        ),
        fmpq(0),
    )
