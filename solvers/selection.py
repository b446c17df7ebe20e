"""Comparisons of quickselect and merge sort: exact expectations, a closed form, and implementations that count.

Quickselect for the k-th smallest of m distinct values partitions by a pivot (m - 1 comparisons) and continues in the part
that holds it. With uniform random pivots the expected number C(m, k) of comparisons is known in closed form
(Knuth, Mathematical analysis of algorithms, 1971); H_n are harmonic numbers:

    C(m, k) = 2 [(m + 1) H_m - (m + 3 - k) H_{m+1-k} - (k + 2) H_k + m + 3].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from flint import arb, fmpq

T = TypeVar("T")


def recursion(largest: int) -> dict[tuple[int, int], fmpq]:
    """C(m, k) for 1 <= k <= m <= largest, from C(m, k) = m - 1 + (1/m) [sum_{p<k} C(m-p, k-p) + sum_{p>k} C(p-1, k)]."""
    C = {(1, 1): fmpq(0)}
    for m in range(2, largest + 1):
        for k in range(1, m + 1):
            right = sum((C[m - p, k - p] for p in range(1, k)), fmpq(0))
            left = sum((C[p - 1, k] for p in range(k + 1, m + 1)), fmpq(0))
            C[m, k] = m - 1 + (left + right) / m
    return C


def harmonic(n: int) -> fmpq:
    """H_n, exactly."""
    return sum((fmpq(1, i) for i in range(1, n + 1)), fmpq(0))


def harmonic_ball(n: int) -> arb:
    """H_n = psi(n + 1) + gamma, as a ball at the working precision."""
    return arb(n + 1).digamma() + arb.const_euler()


def closed_form(m: int, k: int, harmonic: Callable[[int], Any]) -> Any:
    """C(m, k) for 1 <= k <= m, exact or a ball as the harmonic numbers are.

    Args:
        m, k: number of values, rank.
        harmonic: n -> H_n, e.g. `harmonic` or `harmonic_ball`.
    """
    if not 1 <= k <= m:
        raise ValueError(f"C({m}, {k}): 1 <= k <= m is expected")
    return 2 * ((m + 1) * harmonic(m) - (m + 3 - k) * harmonic(m + 1 - k) - (k + 2) * harmonic(k) + (m + 3))


def quickselect(values: Sequence[T], k: int, pivot: Callable[[int], int]) -> tuple[T, int]:
    """The k-th smallest (k >= 1) of distinct values, and the number of comparisons made.

    Args:
        values: distinct and comparable.
        k: rank, 1 <= k <= len(values).
        pivot: n -> index in range(n) of the pivot among the n values that are left.
    """
    left, rank, count = list(values), k, 0
    while len(left) > 1:
        p = left.pop(pivot(len(left)))
        count += len(left)
        below, above = _split(left, p)
        if rank == len(below) + 1:
            return p, count
        if rank <= len(below):
            left = below
        else:
            left, rank = above, rank - len(below) - 1
    return left[0], count


def _split(values: Sequence[Any], p: Any) -> tuple[list[Any], list[Any]]:
    below: list[Any] = []
    above: list[Any] = []
    for x in values:
        (below if x < p else above).append(x)
    return below, above


def pivot_sequences(values: Sequence[T], k: int) -> Iterator[tuple[fmpq, T, int]]:
    """Every run of quickselect under uniform random pivots: its probability, its result and its comparisons."""
    script: list[int] = []
    while True:
        sizes: list[int] = []

        def scripted(n: int, sizes: list[int] = sizes) -> int:
            sizes.append(n)
            if len(sizes) > len(script):
                script.append(0)
            return script[len(sizes) - 1]

        found, count = quickselect(values, k, scripted)
        probability = fmpq(1)
        for n in sizes:
            probability /= n
        yield probability, found, count
        while script and script[-1] == sizes[len(script) - 1] - 1:
            script.pop()
        if not script:
            return
        script[-1] += 1


def merge_sort(values: Sequence[Any]) -> tuple[list[Any], int]:
    """The values in increasing order, and the number of comparisons that merging took."""
    n = len(values)
    if n < 2:
        return list(values), 0
    a, first = merge_sort(values[: n // 2])
    b, second = merge_sort(values[n // 2 :])
    merged: list[Any] = []
    i = j = 0
    while i < len(a) and j < len(b):
        if b[j] < a[i]:
            merged.append(b[j])
            j += 1
        else:
            merged.append(a[i])
            i += 1
    return merged + a[i:] + b[j:], first + second + i + j
