"""Maxima of Gaussian variables in balls, against closed forms and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, fmpq
from scipy import integrate, stats

from solvers.enclosures import precision
from solvers.gaussian_maxima import argmax_mean, equicorrelated_below, expected_maximum, one_factor_below


def test_means_of_two_and_three_variables_are_the_closed_forms() -> None:
    with precision(128):
        root = arb.pi().sqrt()
        for k, value in ((2, 1 / root), (3, 3 / (2 * root))):
            found = expected_maximum(k)
            assert found.overlaps(value)
            assert found.rad() < 1e-11


@pytest.mark.parametrize("k", [4, 10, 1000])
def test_means_agree_with_quadrature_in_scipy(k: int) -> None:
    def f(x: float) -> float:
        return float(x * k * stats.norm.pdf(x) * stats.norm.cdf(x) ** (k - 1))

    value, _ = integrate.quad(f, -8, 8, epsabs=1e-12, limit=200)
    found = expected_maximum(k, bits=40)
    assert abs(float(found.mid()) - value) < 1e-8


def test_both_formulas_of_the_mean_agree() -> None:
    assert expected_maximum(100, bits=60).overlaps(expected_maximum(100, bits=40))


def test_a_googol_of_variables_lies_between_gumbels_centring_and_the_moment_bound() -> None:
    k = 10**100
    L = arb(k).log()
    found = expected_maximum(k, bits=30)
    assert found < (2 * L).sqrt()
    assert found > (2 * L).sqrt() - (L.log() + (4 * arb.pi()).log()) / (2 * (2 * L).sqrt())
    assert found.rad() < 1e-5


def test_the_mean_of_a_variable_where_it_is_largest_is_a_share_of_the_mean_maximum() -> None:
    assert argmax_mean(2).overlaps(1 / (2 * arb.pi().sqrt()))
    for k in (3, 7, 40):
        assert (argmax_mean(k, bits=40) * k).overlaps(expected_maximum(k, bits=40))


def test_orthants_of_two_variables_are_arcsines() -> None:
    for a, b in ((fmpq(1, 2), fmpq(3, 4)), (fmpq(-1, 3), fmpq(9, 10))):
        found = one_factor_below([(a, 1), (b, 1)], 0)
        assert found.overlaps(arb(1) / 4 + arb(a * b).asin() / (2 * arb.pi()))
        assert found.rad() < 1e-5


def test_one_factor_vectors_agree_with_the_multivariate_normal_of_scipy() -> None:
    a = np.array([0.3, -0.5, 0.8, 0.3])
    covariance = np.outer(a, a) + np.diag(1 - a**2)
    for t in (-0.5, 0.75):
        value = stats.multivariate_normal.cdf(np.full(4, t), cov=covariance, abseps=1e-7, releps=1e-7)
        loadings = [(fmpq(3, 10), 2), (fmpq(-1, 2), 1), (fmpq(4, 5), 1)]
        assert abs(float(one_factor_below(loadings, fmpq(round(4 * t), 4)).mid()) - value) < 1e-5


@pytest.mark.parametrize("N", [2, 3, 10, 1000, 10**12, 10**50])
def test_half_correlation_at_zero_is_the_chance_of_one_among_n_plus_one(N: int) -> None:
    found = equicorrelated_below(N, fmpq(1, 2), 0, log_unit=-arb(N + 1).log(), bits=40)
    assert found.overlaps(arb(1))
    assert found.rad() < 1e-9


@pytest.mark.parametrize("N", [2, 7, 60])
@pytest.mark.parametrize("t", [fmpq(-2), fmpq(0), fmpq(1, 2), fmpq(3), fmpq(6)])
@pytest.mark.parametrize("rho", [fmpq(1, 10), fmpq(1, 2), fmpq(9, 10)])
def test_equicorrelated_variables_are_one_factor_vectors(N: int, t: fmpq, rho: fmpq) -> None:
    found = equicorrelated_below(N, rho, t, bits=40)
    same = one_factor_below([(arb(rho).sqrt(), N)], t, bits=40)
    assert found.overlaps(same)
    assert found.rad() < 1e-9
    assert same.rad() < 1e-9


def test_one_variable_has_no_maximum_to_speak_of() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        expected_maximum(1)
