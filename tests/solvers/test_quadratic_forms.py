"""Moments of quadratic forms against each other and against chi-square moments."""

from __future__ import annotations

import random
from math import prod

import pytest
from flint import fmpq, fmpq_mat

from solvers.quadratic_forms import (
    cumulant,
    diagonal_cumulant,
    expanded_moment,
    from_cumulants,
    moment,
    set_partitions,
)

BELL = [1, 1, 2, 5, 15, 52, 203]


def symmetric(rng: random.Random, d: int) -> fmpq_mat:
    M = fmpq_mat(d, d)
    for i in range(d):
        for j in range(i + 1):
            M[i, j] = M[j, i] = fmpq(rng.randint(-4, 4), rng.randint(1, 3))
    return M


@pytest.mark.parametrize("n", range(7))
def test_partitions_are_counted_by_bell_numbers(n: int) -> None:
    found = [tuple(sorted(map(tuple, p))) for p in set_partitions(list(range(n)))]
    assert len(set(found)) == len(found) == BELL[n]


@pytest.mark.parametrize("k", range(1, 6))
@pytest.mark.parametrize("d", [1, 2, 3])
def test_both_ways_agree(d: int, k: int) -> None:
    rng = random.Random(10 * d + k)
    forms = [symmetric(rng, d) for _ in range(k)]
    assert moment(forms) == expanded_moment(forms)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_powers_of_the_norm_have_chi_square_moments(d: int) -> None:
    identity = fmpq_mat(d, d, [fmpq(int(i == j)) for i in range(d) for j in range(d)])
    for k in range(1, 5):
        assert moment([identity] * k) == prod(d + 2 * j for j in range(k))


def test_cumulants_of_diagonals_are_power_sums() -> None:
    rng = random.Random(3)
    rows = [[fmpq(rng.randint(-3, 3)) for _ in range(4)] for _ in range(4)]
    forms = [fmpq_mat(4, 4, [r[i] if i == j else fmpq(0) for i in range(4) for j in range(4)]) for r in rows]
    for k in range(1, 5):
        assert diagonal_cumulant(rows[:k]) == cumulant(forms[:k])
    assert from_cumulants(rows, diagonal_cumulant) == moment(forms)
