"""Trimmed subsets of real numbers, exactly: windows of a sorted list, their means and sums of squared deviations, nearest values.

Of all subsets of a given size, one with the least sum of squared deviations is a window: consecutive values of the
sorted list. So is, up to ties, the set of the values nearest to a point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from flint import fmpq


@dataclass(frozen=True, slots=True)
class Window:
    """The values start, ..., start + size - 1 of a sorted list.

    Attributes:
        start: index of the first of them.
        mean: their mean.
        cost: sum of their squared deviations from the mean.
    """

    start: int
    mean: fmpq
    cost: fmpq


def squared_deviations(values: Sequence[fmpq]) -> fmpq:
    """The sum of squared deviations of one or more numbers from their mean."""
    total = sum(values, fmpq(0))
    return sum((x * x for x in values), fmpq(0)) - total * total / len(values)


def windows(ordered: Sequence[fmpq], size: int) -> list[Window]:
    """All windows of a size, in order of their start.

    Args:
        ordered: values in increasing order.
        size: 1 <= size <= len(ordered).

    Raises:
        ValueError: for a size out of range or values that are not in order.
    """
    m = len(ordered)
    if not 1 <= size <= m:
        raise ValueError(f"windows of size {size} of {m} values: 1 <= size <= {m} is expected")
    if any(a > b for a, b in pairwise(ordered)):
        raise ValueError("windows(...) expects its values in increasing order")
    total = sum(ordered[:size], fmpq(0))
    squares = sum((x * x for x in ordered[:size]), fmpq(0))
    found = [Window(0, total / size, squares - total * total / size)]
    for start in range(1, m - size + 1):
        out, new = ordered[start - 1], ordered[start + size - 1]
        total += new - out
        squares += new * new - out * out
        found.append(Window(start, total / size, squares - total * total / size))
    return found


def tightest(found: Sequence[Window]) -> list[Window]:
    """The windows of least cost, all of them."""
    least = min(w.cost for w in found)
    return [w for w in found if w.cost == least]


def nearest(ordered: Sequence[fmpq], size: int, x: fmpq, c: fmpq | int = 0, q: fmpq | int = 0) -> range:
    """Starts of the windows that consist of the `size` values nearest to z = x + c sqrt(q); several in case of ties.

    Windows that hold the same values as one of these may be left out. A window [l, l + size) gives way to the next when z passes the middle of the values l and l + size.

    Args:
        ordered: values in increasing order.
        size: 1 <= size <= len(ordered).
        x, c: rational numbers.
        q: a rational number >= 0.
    """
    sides = [_sign(x - (a + b) / 2, c, q) for a, b in zip(ordered, ordered[size:])]
    return range(sum(s > 0 for s in sides), sum(s >= 0 for s in sides) + 1)


def _sign(x: fmpq, c: fmpq | int, q: fmpq | int) -> int:
    """The sign of x + c sqrt(q)."""
    square = x * abs(x) + c * abs(c) * q  # the sign of u + v is that of u|u| + v|v|
    return int(square > 0) - int(square < 0)


def distance_to_nearest(ordered: Sequence[fmpq], size: int, x: fmpq) -> fmpq:
    """The sum of squared distances from x to the `size` values nearest to it."""
    start = nearest(ordered, size, x)[0]
    return sum(((y - x) ** 2 for y in ordered[start : start + size]), fmpq(0))
