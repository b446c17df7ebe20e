"""Binomial windows against exact rationals, scipy and closed forms."""

from __future__ import annotations

from math import comb

import pytest
from flint import arb, fmpq
from scipy.stats import binom

from solvers.binomials import binomial_window
from solvers.enclosures import precision


def exact(n: int, p: fmpq, k: int) -> fmpq:
    return fmpq(comb(n, k)) * p**k * (1 - p) ** (n - k)


@pytest.mark.parametrize(("n", "p"), [(1, fmpq(1, 2)), (7, fmpq(2, 7)), (40, fmpq(9, 10))])
def test_masses_contain_the_exact_probabilities(n: int, p: fmpq) -> None:
    window = binomial_window(n, p, 0, n)
    for k, mass in zip(window.counts, window.masses):
        assert mass.contains(arb(exact(n, p, k)))
    assert window.total.contains(1)
    assert window.total.rad() < 1e-12


def test_masses_agree_with_scipy_far_from_the_start_of_the_window() -> None:
    window = binomial_window(5000, fmpq(3, 10), 1400, 1600)
    for k, mass in zip(window.counts, window.masses):
        assert float(mass.mid()) == pytest.approx(binom.pmf(k, 5000, 0.3), rel=1e-10)


def test_moments_of_the_full_window_are_the_closed_forms() -> None:
    n, p = 30, fmpq(1, 3)
    window = binomial_window(n, p, 0, n)
    assert window.mean(lambda k: k).contains(arb(n * p))
    assert window.mean(lambda k: k * k).contains(arb(n * p * (1 - p) + (n * p) ** 2))
    assert window.tilted(lambda k: k).total.contains(arb(n * p))


def test_generating_function_is_the_closed_form() -> None:
    with precision(128):
        z = arb(fmpq(7, 5))
        assert binomial_window(25, fmpq(2, 5), 0, 25).generating(z).overlaps((fmpq(3, 5) + fmpq(2, 5) * z) ** 25)


def test_sum_of_independent_counts_with_one_p_is_binomial() -> None:
    p = fmpq(3, 8)
    both = binomial_window(6, p, 0, 6).plus(binomial_window(9, p, 0, 9))
    for k, mass in zip(both.counts, both.masses):
        assert mass.contains(arb(exact(15, p, k)))


def test_a_window_keeps_its_masses_only() -> None:
    n, p = 12, fmpq(1, 4)
    window = binomial_window(n, p, 3, 5)
    assert window.counts == range(3, 6)
    assert window.total.contains(arb(sum((exact(n, p, k) for k in (3, 4, 5)), fmpq(0))))


@pytest.mark.parametrize(
    "bad", [(0, fmpq(1, 2), 0, 0), (3, fmpq(0), 0, 3), (3, fmpq(1, 2), 2, 1), (3, fmpq(1, 2), 0, 4)]
)
def test_arguments_out_of_range_are_refused(bad: tuple[int, fmpq, int, int]) -> None:
    with pytest.raises(ValueError, match="binomial_window"):
        binomial_window(*bad)
