"""Trimmed windows against exhaustive enumeration of subsets."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import pytest
from flint import fmpq

from solvers.trimmed import distance_to_nearest, nearest, squared_deviations, tightest, windows


def deviations(values: tuple[int, ...]) -> Fraction:
    """Sum of squared deviations, from its definition."""
    mean = Fraction(sum(values), len(values))
    return sum(((x - mean) ** 2 for x in values), Fraction(0))


def exactly(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)


def samples() -> list[tuple[list[int], int]]:
    rng = random.Random(1)
    return [(sorted(rng.randint(-9, 9) for _ in range(n)), s) for n in (1, 4, 7, 9) for s in range(1, n + 1)]


@pytest.mark.parametrize(("values", "size"), samples())
def test_the_tightest_window_is_the_tightest_subset(values: list[int], size: int) -> None:
    found = windows([fmpq(x) for x in values], size)
    assert len(found) == len(values) - size + 1
    assert tightest(found)[0].cost == exactly(min(deviations(c) for c in combinations(values, size)))
    for w in found:
        inside = values[w.start : w.start + size]
        assert w.cost == exactly(deviations(tuple(inside)))
        assert w.mean == fmpq(sum(inside), size)


@pytest.mark.parametrize(("values", "size"), samples())
def test_nearest_values_have_the_least_total_distance(values: list[int], size: int) -> None:
    exact = [fmpq(x) for x in values]
    for z in (fmpq(-20), fmpq(0), fmpq(1, 2), fmpq(3, 7), fmpq(5)):
        least = min(sum(((x - z) ** 2 for x in c), fmpq(0)) for c in combinations(exact, size))
        windows_of_values = [values[start : start + size] for start in range(len(values) - size + 1)]
        best = [w for w in windows_of_values if sum(((x - z) ** 2 for x in w), fmpq(0)) == least]
        assert {tuple(windows_of_values[l]) for l in nearest(exact, size, z)} == set(map(tuple, best))
        assert distance_to_nearest(exact, size, z) == least


def test_nearest_to_an_irrational_point() -> None:
    ordered = [fmpq(0), fmpq(1), fmpq(2), fmpq(3)]  # sqrt 2 = 1.414: the two nearest are 1 and 2
    assert list(nearest(ordered, 2, fmpq(0), 1, 2)) == [1]
    assert list(nearest(ordered, 2, fmpq(4), -2, 2)) == [1]  # 4 - 2 sqrt 2 = 1.17
    assert list(nearest(ordered, 2, fmpq(0), 1, 1)) == [0, 1]  # 1 is tied between 0 and 2
    assert list(nearest(ordered, 2, fmpq(0), -1, 2)) == [0]


def test_deviations_of_equal_values_vanish() -> None:
    assert squared_deviations([fmpq(5, 3)] * 4) == 0


def test_a_size_out_of_range_and_disorder_are_refused() -> None:
    with pytest.raises(ValueError, match="1 <= size <= 2"):
        windows([fmpq(0), fmpq(1)], 3)
    with pytest.raises(ValueError, match="increasing order"):
        windows([fmpq(1), fmpq(0)], 1)
