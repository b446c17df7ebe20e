"""Joint moments of quadratic forms x^T M x of a standard normal vector x, exactly.

Two independent ways: by set partitions of joint cumulants, which are traces of products,

    kappa(M_1, ..., M_k) = 2^(k-1) sum over the (k-1)! cyclic orders of tr(M_1 M_s(2) ... M_s(k)),

and by expanding the product of the forms into monomials, whose moments are products of double factorials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from math import factorial
from typing import Any, TypeVar

from flint import fmpq, fmpq_mat

T = TypeVar("T")


def set_partitions(items: Sequence[T]) -> Iterator[list[list[T]]]:
    """All partitions of a sequence into blocks, each block in order."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for partition in set_partitions(rest):
        yield [[first], *partition]
        for k, block in enumerate(partition):
            yield [*partition[:k], [first, *block], *partition[k + 1 :]]


def from_cumulants(items: Sequence[T], cumulant: Callable[[list[T]], Any]) -> Any:
    """The joint moment: the sum over set partitions of products of joint cumulants."""
    total: Any = 0
    for partition in set_partitions(items):
        term: Any = 1
        for block in partition:
            term = term * cumulant(block)
        total = total + term
    return total


def trace(M: fmpq_mat) -> fmpq:
    """tr M."""
    return sum((M[i, i] for i in range(M.nrows())), fmpq(0))


def cumulant(forms: Sequence[fmpq_mat]) -> fmpq:
    """The joint cumulant of x^T M_i x, symmetric M_i of equal order."""
    first, rest = forms[0], forms[1:]
    total = fmpq(0)
    for order in permutations(rest):
        product = first
        for M in order:
            product = product * M
        total += trace(product)
    return 2 ** (len(forms) - 1) * total


def moment(forms: Sequence[fmpq_mat]) -> fmpq:
    """E prod_i x^T M_i x by cumulants."""
    return fmpq(1) * from_cumulants(list(forms), cumulant)


def diagonal_cumulant(forms: Sequence[Sequence[Any]]) -> Any:
    """The joint cumulant of sum_i a_i x_i^2 for diagonals a: 2^(k-1) (k-1)! times the sum of the entrywise product."""
    total: Any = 0
    for entries in zip(*forms):
        term: Any = 1
        for v in entries:
            term = term * v
        total = total + term
    return 2 ** (len(forms) - 1) * factorial(len(forms) - 1) * total


Polynomial = dict[tuple[int, ...], fmpq]


def expanded(M: fmpq_mat) -> Polynomial:
    """x^T M x as a polynomial: exponents to coefficients."""
    d = M.nrows()
    found: Polynomial = {}
    for i in range(d):
        for j in range(d):
            key = tuple(int(k == i) + int(k == j) for k in range(d))
            found[key] = found.get(key, fmpq(0)) + M[i, j]
    return found


def times(p: Polynomial, q: Polynomial) -> Polynomial:
    """The product of two polynomials."""
    found: Polynomial = {}
    for a, u in p.items():
        for b, v in q.items():
            key = tuple(x + y for x, y in zip(a, b))
            found[key] = found.get(key, fmpq(0)) + u * v
    return found


def gaussian_mean(p: Polynomial) -> fmpq:
    """E p(x) for a standard normal x."""
    total = fmpq(0)
    for exponents, c in p.items():
        if all(e % 2 == 0 for e in exponents):
            weight = 1
            for e in exponents:
                for odd in range(1, e, 2):
                    weight *= odd
            total += c * weight
    return total


def expanded_moment(forms: Sequence[fmpq_mat]) -> fmpq:
    """E prod_i x^T M_i x by expansion into monomials."""
    d = forms[0].nrows()
    product: Polynomial = {(0,) * d: fmpq(1)}
    for M in forms:
        product = times(product, expanded(M))
    return gaussian_mean(product)
