"""Effective dimensions and the self-consistent ridge against closed forms, and SciPy's root finder as the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from solvers.effective_dimension import effective_dimension, ridge_with_dimension, self_consistent_ridge

POWERS = np.arange(1, 41, dtype=np.float64) ** -2


def test_isotropic_effective_dimension_is_d_k_over_k_plus_lam() -> None:
    assert effective_dimension(np.full(7, 3.0), 4.0) == pytest.approx(3.0, rel=1e-15)


@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_isotropic_ridge_is_k_times_one_over_share_less_one(share: float) -> None:
    assert ridge_with_dimension(np.full(20, 3.0), 20 * share) == pytest.approx(3 * (1 / share - 1), rel=1e-12)


@pytest.mark.parametrize("dimension", [1e-3, 1.0, 17.5, 39.9])
def test_ridge_inverts_the_effective_dimension(dimension: float) -> None:
    assert effective_dimension(POWERS, ridge_with_dimension(POWERS, dimension)) == pytest.approx(dimension, rel=1e-12)


def test_null_directions_do_not_count() -> None:
    k = np.array([2.0, 2.0, 0.0])
    assert ridge_with_dimension(k, 1.0) == pytest.approx(2.0, rel=1e-12)


@pytest.mark.parametrize("dimension", [0.0, 2.0])
def test_a_dimension_that_no_ridge_has_is_refused(dimension: float) -> None:
    with pytest.raises(ValueError, match=r"in \(0, 2\)"):
        ridge_with_dimension(np.array([1.0, 5.0, 0.0]), dimension)


@pytest.mark.parametrize(("lam", "m"), [(0.5, 4), (0.5, 40), (3.0, 11)])
def test_isotropic_self_consistent_ridge_solves_the_quadratic(lam: float, m: int) -> None:
    d, k = 10, 2.0  # kap (kap + k) - (d/m) k kap = lam (kap + k)
    b = k - d * k / m - lam
    expected = (-b + np.sqrt(b * b + 4 * lam * k)) / 2
    assert self_consistent_ridge(np.full(d, k), lam, m) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("lam", "m"), [(1e-3, 5), (1e-3, 60), (1e-1, 3)])
def test_self_consistent_ridge_agrees_with_scipy(lam: float, m: int) -> None:
    def excess(kap: float) -> float:
        return kap * (1 - float((POWERS / (POWERS + kap)).sum()) / m) - lam

    expected = brentq(excess, lam, 10.0, xtol=1e-16, rtol=1e-14)
    assert self_consistent_ridge(POWERS, lam, m) == pytest.approx(expected, rel=1e-11)


def test_infinitely_many_rows_need_no_correction() -> None:
    assert self_consistent_ridge(POWERS, 0.02, 10**12) == pytest.approx(0.02, rel=1e-9)
