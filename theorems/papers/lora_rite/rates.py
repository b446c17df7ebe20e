"""Two-point exponents, and values that are met to within a width."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from flint import arb

from theorems import le


def slope_of(of: Callable[[int], arb]) -> arb:
    """The two-point slope in log s between 10^4 and 10^6."""
    return (of(10**6) / of(10**4)).log() / arb(100).log()


def between(value: Callable[[], arb], goal: Any, width: Any) -> Iterator[Any]:
    """The comparisons that say |value - goal| <= width."""
    yield le(lambda: (value(), arb(goal) + arb(width)))
    yield le(lambda: (arb(goal) - arb(width), value()))
