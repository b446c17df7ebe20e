"""Transforms on the cube beside their definitions."""

import random

import numpy as np
import pytest
from flint import fmpq

from solvers.boolean_cube import krawtchouk, mask, points, subsets, walsh, walsh_integers


def chi(S, x):
    return (-1) ** (S & x).bit_count()


@pytest.mark.parametrize("n", [0, 1, 3, 5])
def test_the_transform_is_the_sum_against_characters(n):
    rng = random.Random(n)
    f = [rng.randint(-9, 9) for _ in range(2**n)]
    wanted = [sum(f[x] * chi(S, x) for x in range(2**n)) for S in range(2**n)]
    assert walsh(f) == wanted
    assert walsh_integers(np.array(f)).tolist() == wanted
    assert walsh([fmpq(v, 3) for v in f]) == [fmpq(v, 3) for v in wanted]


def test_points_are_characters_of_single_coordinates():
    assert points(3).tolist() == [[chi(1 << j, x) for j in range(3)] for x in range(8)]
    assert mask([0, 2]) == 5


@pytest.mark.parametrize(("n", "k"), [(4, 0), (5, 2), (6, 6), (6, 3)])
def test_krawtchouk_is_the_sum_of_the_characters_of_a_level(n, k):
    for t in range(n + 1):
        x = 2**t - 1
        assert krawtchouk(n, k, t) == sum(chi(S, x) for S in subsets(n, k))


def test_wrong_sizes_and_overflow_are_refused():
    with pytest.raises(ValueError, match="2\\^n"):
        walsh([1, 2, 3])
    with pytest.raises(ValueError, match="64 bits"):
        walsh_integers(np.full(8, 2**60))
