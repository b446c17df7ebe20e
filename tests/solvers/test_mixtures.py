"""Gaussian mixtures against SciPy's normal distribution and numerical derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from solvers.mixtures import mixture

M = mixture([-1.0, 0.5, 2.0], [0.5, 0.1, 1.5], [2.0, 1.0, 1.0])
X = np.linspace(-4, 6, 41)


def test_density_and_distribution_are_weighted_sums_of_normal_ones() -> None:
    laws = [stats.norm(m, np.sqrt(v)) for m, v in zip(M.means, M.variances)]
    assert M.weights.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(M.density(X), sum(w * p.pdf(X) for w, p in zip(M.weights, laws)), rtol=1e-13)
    np.testing.assert_allclose(M.distribution(X), sum(w * p.cdf(X) for w, p in zip(M.weights, laws)), rtol=1e-12)


def test_score_and_its_slope_are_derivatives_of_the_logarithm() -> None:
    h = 1e-4
    score, slope = M.score_and_slope(X)
    log = np.log
    np.testing.assert_allclose(score, (log(M.density(X + h)) - log(M.density(X - h))) / (2 * h), atol=1e-6)
    np.testing.assert_allclose(slope, (M.score(X + h) - M.score(X - h)) / (2 * h), atol=1e-5)


def test_the_score_of_one_component_is_linear_where_its_density_underflows() -> None:
    single = mixture([1.0], [0.01], [1.0])
    far = np.array([60.0, -60.0])
    assert (single.density(far) == 0).all()
    np.testing.assert_allclose(single.score(far), (1 - far) / 0.01)


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        mixture([0.0], [1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="> 0"):
        mixture([0.0], [0.0], [1.0])
