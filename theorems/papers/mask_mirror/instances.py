"""Exact numbers for proofs, and domains that several claims use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from flint import arb, fmpq

from solvers.enclosures import NoEnclosure, precision
from theorems import Arrays, Q, Rationals

ZERO, HALF, ONE, TWO, FOUR = Q(0), Q(1, 2), Q(1), Q(2), Q(4)
TENTH = Q(1, 10)
BITS = 80
ATTEMPTS = ((BITS, 16), (150, 26), (300, 46), (600, 90))  # bits and Taylor orders of enclosed flows, cheap by trial
NARROW = Q(1, 10**12)  # radius that ends the attempts


LONGER = ((127, 26), (160, 30), (240, 40), (480, 70))  # where the balls widen for a longer time


def enclosed(
    flow: Callable[[int], Sequence[arb]], attempts: tuple[tuple[int, int], ...] = ATTEMPTS, narrow: fmpq = NARROW
) -> tuple[arb, ...]:
    """The end of a flow of a given order, with more bits until it is narrow.

    Raises:
        NoEnclosure: if the last attempt is wider.
    """
    for bits, order in attempts:
        with precision(bits):
            try:
                end = tuple(flow(order))
            except NoEnclosure:
                continue
            if all(v.rad() < narrow for v in end):
                return end
    raise NoEnclosure(f"the end of the flow is wider than {narrow} at {attempts[-1][0]} bits")


@dataclass(frozen=True)
class Generic(Arrays):
    """Arrays without corners: equal coordinates move alike and make no generic flow."""

    def corners(self) -> list[Any]:
        return []


def scales(n: int) -> Arrays:
    """Balances a_0 in [1/10, 6/10]^n."""
    return Generic(Rationals(TENTH, Q(6, 10), denominator=50), (n,))


def points(n: int, size: fmpq) -> Arrays:
    """Points of [-size, size]^n."""
    return Generic(Rationals(-size, size, denominator=16), (n,))


def matrices(k: int, n: int, size: fmpq = TWO) -> Arrays:
    """Rational k x n matrices with entries in [-size, size]."""
    return Generic(Rationals(-size, size, denominator=4), (k, n))
