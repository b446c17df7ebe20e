"""Bartlett's Gram matrices against the first two moments of the Wishart law, and reciprocal means against the Gamma function."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from solvers.wishart import gram, inverse_gram_column, reciprocal_mean


@pytest.mark.parametrize("p", [3, 4, 9])
def test_gram_has_the_wishart_mean_and_variances(p: int) -> None:
    rng = np.random.default_rng(3)
    W = np.array([gram(rng, 4, p) for _ in range(6000)])
    assert np.abs(W.mean(axis=0) - p * np.eye(4)).max() < 6 * np.sqrt(2 * p / 6000)
    variances = p * (1 + np.eye(4))  # Var W_ij = p (1 + delta_ij)
    assert np.abs(W.var(axis=0) / variances - 1).max() < 0.2


def test_rank_of_a_gram_matrix_is_the_smaller_size() -> None:
    rng = np.random.default_rng(0)
    assert np.linalg.matrix_rank(gram(rng, 6, 2)) == 2
    assert np.linalg.matrix_rank(gram(rng, 6, 6)) == 6


def test_a_one_by_one_gram_matrix_is_chi_square() -> None:
    rng = np.random.default_rng(1)  # for n = 1, W is chi-square with p degrees of freedom (scipy the oracle)
    draws = [gram(rng, 1, 10**6)[0, 0] for _ in range(2000)]
    assert stats.kstest(draws, stats.chi2(10**6).cdf).pvalue > 1e-4


@pytest.mark.parametrize("k", [3, 4, 8, 25])
def test_reciprocal_mean_encloses_one_over_k_minus_two(k: int) -> None:
    ball = reciprocal_mean(k)
    assert ball.contains(1 / (k - 2)) or abs(ball - 1 / (k - 2)) < 1e-15
    assert ball.rad() < 1e-12


def test_an_infinite_mean_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 3"):
        reciprocal_mean(2)


def test_first_column_of_an_inverse_gram_matrix_is_that_of_the_residual() -> None:
    assert [p.coefficients() for p in inverse_gram_column()] == [[0], [0]]
    rng = np.random.default_rng(2)  # numpy the oracle
    X = rng.standard_normal((7, 3))
    residual = X[:, 0] - X[:, 1:] @ np.linalg.lstsq(X[:, 1:], X[:, 0], rcond=None)[0]
    assert 1 / np.linalg.inv(X.T @ X)[0, 0] == pytest.approx(residual @ residual, rel=1e-12)


def test_the_column_without_projection_leaves_a_word() -> None:
    assert inverse_gram_column(projected=False)[0].coefficients() == [-1]
