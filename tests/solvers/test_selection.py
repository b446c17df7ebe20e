"""Comparisons of selection and sorting: closed forms, the standard library's order, information bounds."""

from __future__ import annotations

import math
import random
from itertools import permutations

import pytest
from flint import arb, fmpq

from solvers.selection import (
    closed_form,
    harmonic,
    harmonic_ball,
    merge_sort,
    pivot_sequences,
    quickselect,
    recursion,
)


def test_the_closed_form_solves_the_recursion() -> None:
    for (m, k), value in recursion(20).items():
        assert closed_form(m, k, harmonic) == value


def test_the_minimum_costs_2m_minus_2H_m() -> None:
    """Known: C(m, 1) = 2 m - 2 H_m."""
    for m in range(1, 30):
        assert closed_form(m, 1, harmonic) == 2 * m - 2 * harmonic(m)


def test_balls_contain_exact_harmonic_numbers() -> None:
    for n in (1, 2, 10, 100):
        assert harmonic_ball(n).contains(arb(harmonic(n)))


@pytest.mark.parametrize("m", [1, 2, 3, 5, 6])
def test_quickselect_averaged_over_all_pivots_is_the_recursion(m: int) -> None:
    expected = recursion(6)
    values = [(7 * i) % 11 for i in range(m)]
    for k in range(1, m + 1):
        runs = list(pivot_sequences(values, k))
        assert sum((p for p, _, _ in runs), fmpq(0)) == 1
        assert {found for _, found, _ in runs} == {sorted(values)[k - 1]}
        assert sum((p * n for p, _, n in runs), fmpq(0)) == expected[m, k]


def test_first_pivots_on_sorted_values_are_quadratic() -> None:
    m = 40
    assert quickselect(range(m), m, lambda n: 0) == (m - 1, m * (m - 1) // 2)


def test_merge_sort_sorts_within_its_worst_case() -> None:
    """Worst case of top-down merge sort: m ceil(lg m) - 2^ceil(lg m) + 1 comparisons."""
    rng = random.Random(2)
    for m in (1, 2, 3, 17, 64):
        values = [rng.random() for _ in range(m)]
        ordered, count = merge_sort(values)
        lg = math.ceil(math.log2(m))
        assert ordered == sorted(values)
        assert count <= m * lg - 2**lg + 1


def test_merge_sort_on_average_needs_the_information_bound() -> None:
    counts = [merge_sort(p)[1] for p in permutations(range(6))]
    assert sum(counts) / len(counts) >= math.log2(math.factorial(6))


def test_ranks_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="1 <= k <= m"):
        closed_form(3, 4, harmonic)
