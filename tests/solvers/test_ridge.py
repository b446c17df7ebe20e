"""Exact risks of linear estimators against numpy's least squares and simulation-free float formulas."""

from __future__ import annotations

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from solvers.designs import as_floats
from solvers.exact_linalg import identity
from solvers.ridge import linear_risk, ridge_inverse, ridge_risk

X = fmpq_mat(2, 3, [1, 2, 0, fmpq(1, 2), -1, 3])
BETA = fmpq_mat(3, 1, [1, fmpq(-1, 3), 2])
SIGMA_T = fmpq_mat(3, 3, [2, 1, 0, 1, 3, 0, 0, 0, fmpq(1, 4)])


def test_minimum_norm_interpolation_is_that_of_numpy() -> None:
    x, beta, target = as_floats(X), as_floats(BETA)[:, 0], as_floats(SIGMA_T)
    found = ridge_risk(X, 0, BETA, SIGMA_T, fmpq(1, 2))
    r = np.linalg.lstsq(x, x @ beta, rcond=None)[0] - beta
    noise = np.linalg.pinv(x)
    assert int(found.bias.p) / int(found.bias.q) == pytest.approx(r @ target @ r, rel=1e-12)
    assert int(found.variance.p) / int(found.variance.q) == pytest.approx(
        0.5 * np.trace(noise.T @ target @ noise), rel=1e-12
    )


def test_ridge_is_least_squares_on_augmented_data() -> None:
    x, beta, target = as_floats(X), as_floats(BETA)[:, 0], as_floats(SIGMA_T)
    augmented = np.vstack([x, np.sqrt(0.7) * np.eye(3)])
    fit = np.linalg.pinv(augmented)[:, :2]
    r = fit @ x @ beta - beta
    found = ridge_risk(X, fmpq(7, 10), BETA, SIGMA_T, 1)
    assert int(found.total.p) / int(found.total.q) == pytest.approx(
        r @ target @ r + np.trace(fit.T @ target @ fit), rel=1e-12
    )


def test_the_zero_estimator_has_the_energy_of_the_coefficients_as_bias() -> None:
    found = linear_risk(X, fmpq_mat(2, 2), BETA, identity(3), 1)
    assert found == (1 + fmpq(1, 9) + 4, 0)


def test_a_singular_interpolation_is_refused() -> None:
    with pytest.raises(ValueError, match="singular"):
        ridge_inverse(fmpq_mat(2, 1, [1, 2]), 0)
