"""Draws without replacement, against scipy and against enumeration."""

import math

import pytest
from flint import fmpq
from scipy import stats

from solvers.hypergeometric import counts, factorial_moment, falling, moment, stirling

CASES = [((3, 2, 4), 5), ((1, 1), 1), ((6, 5, 5), 10), ((4,), 2), ((0, 3), 2)]


@pytest.mark.parametrize(("sizes", "drawn"), CASES)
def test_probabilities_sum_to_one_and_agree_with_scipy(sizes, drawn):
    every = list(counts(sizes, drawn))
    assert sum((p for _, p in every), fmpq(0)) == 1
    law = stats.multivariate_hypergeom(m=list(sizes), n=drawn)
    for u, p in every:
        assert sum(u) == drawn
        assert math.isclose(int(p.p) / int(p.q), law.pmf(u), rel_tol=1e-9)


@pytest.mark.parametrize(("sizes", "drawn"), [case for case in CASES if len(case[0]) > 1])
@pytest.mark.parametrize("powers", [(1, 0), (2, 0), (3, 0), (1, 2), (2, 1), (2, 3)])
def test_moments_are_those_of_the_enumerated_law(sizes, drawn, powers):
    pairs = list(zip(sizes, powers))
    expected = sum((p * u[0] ** powers[0] * u[1] ** powers[1] for u, p in counts(sizes, drawn)), fmpq(0))
    assert moment(sum(sizes), drawn, pairs) == expected


def test_the_mean_count_is_the_share_of_the_class():
    assert factorial_moment(50, 20, [7], [1]) == fmpq(7 * 20, 50)


def test_powers_are_sums_of_falling_factorials():
    assert stirling(4) == [0, 1, 7, 6, 1]
    for u in range(7):
        assert sum(c * falling(u, i) for i, c in enumerate(stirling(5))) == u**5


def test_impossible_draws_are_refused():
    with pytest.raises(ValueError, match="0 <= drawn <= 5"):
        list(counts((2, 3), 6))
