"""Minimum-norm interpolation without the bulk: against linear algebra with the bulk, and in law against direct simulation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from solvers.min_norm import BLOCK, Reals, extended_gram, fit, inverse_forms, labelled_gram, signs

ALPHA = 1e-4


def direct(
    rng: np.random.Generator, n: int, variances: Reals, bulk: float, N: int
) -> tuple[Reals, Reals, Reals, Reals]:
    """Features G and X (bulk), labels, and the normalised coefficients of the interpolator by the pseudo-inverse."""
    G, X = rng.standard_normal((n, len(variances))), rng.standard_normal((n, N))
    Y = signs(G[:, :2])
    features = np.concatenate([G * np.sqrt(variances), X * np.sqrt(bulk)], axis=1)
    scales = np.sqrt(np.concatenate([variances, np.full(N, bulk)]))
    return G, X, Y, scales[:, None] * (np.linalg.pinv(features) @ Y)


def test_coefficients_are_those_of_the_pseudo_inverse_in_all_features() -> None:
    rng = np.random.default_rng(1)
    variances, bulk = np.array([3.0, 0.5, 2.0]), 0.25
    G, X, Y, coefficients = direct(rng, 12, variances, bulk, 40)
    V = np.concatenate([G, Y], axis=1)
    found = fit((V.T @ np.linalg.solve(X @ X.T, V))[None], variances, bulk)
    assert np.allclose(found.strong[0], coefficients[:3], rtol=1e-9)
    assert np.allclose(found.bulk[0], coefficients[3:].T @ coefficients[3:], rtol=1e-8)
    assert np.allclose(found.norms()[0], (coefficients**2).sum(axis=0), rtol=1e-8)


def test_one_inverse_form_is_the_squared_length_over_a_chi_square() -> None:
    rng = np.random.default_rng(2)
    forms = inverse_forms(rng, np.full((4000, 1, 1), 7.0), 10, 25)
    assert stats.kstest(7.0 / forms[:, 0, 0], stats.chi2(25 - 10 + 1).cdf).pvalue > ALPHA


def test_inverse_forms_have_the_mean_of_an_inverse_wishart_matrix() -> None:
    rng = np.random.default_rng(3)
    gram = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 2.0]])
    forms = inverse_forms(rng, np.broadcast_to(gram, (20000, 3, 3)), 8, 30)
    error = forms.std(axis=0) / np.sqrt(len(forms))
    assert (abs(forms.mean(axis=0) - gram / (30 - 8 - 1)) < 5 * error).all()


def test_astronomical_degrees_of_freedom_leave_the_gram_matrix() -> None:
    gram = np.array([[[4.0, 1.0], [1.0, 3.0]]])
    assert np.allclose(1e24 * inverse_forms(np.random.default_rng(4), gram, 8, 1e24), gram, rtol=1e-9)


def test_extended_gram_keeps_what_was_known_and_has_the_law_of_direct_sampling() -> None:
    rng = np.random.default_rng(5)
    n, draws = 9, 3000
    known = np.stack([labelled_gram(rng, n, 1, signs) for _ in range(draws)])
    full = extended_gram(rng, known, n, 1, 2)
    assert np.array_equal(full[:, [0, 3]][:, :, [0, 3]], known)
    V = rng.standard_normal((draws, n, 3))
    V = np.concatenate([V, signs(V[:, :, :1])], axis=2)
    sampled = np.swapaxes(V, 1, 2) @ V
    for i, j in ((0, 1), (1, 1), (1, 2), (2, 3), (3, 0)):
        assert stats.ks_2samp(full[:, i, j], sampled[:, i, j]).pvalue > ALPHA, (i, j)
    assert stats.ks_2samp(np.linalg.det(full), np.linalg.det(sampled)).pvalue > ALPHA


def test_reflected_draws_change_the_sign_of_the_cross_blocks_only() -> None:
    rng = np.random.default_rng(6)
    known = labelled_gram(rng, 20, 1, signs)[None]
    first, second = extended_gram(rng, known, 20, 1, 2, reflected=True)
    side = np.array([1, -1, -1, 1])
    assert np.array_equal(second, first * np.outer(side, side))


def test_the_ratio_of_an_interpolator_has_the_law_of_direct_simulation() -> None:
    n, N, variances, draws = 10, 60, np.array([6.0, 6.0, 6.0]), 1500

    def ratio(b: Any, norm: Any) -> Any:
        return b / np.sqrt(norm - b * b)

    rng = np.random.default_rng(7)
    far = [direct(rng, n, variances, 1.0, N)[3][:, 0] for _ in range(draws)]
    slow = np.array([ratio(b[0], b @ b) for b in far])
    known = np.stack([labelled_gram(rng, n, 1, signs) for _ in range(draws)])
    found = fit(inverse_forms(rng, extended_gram(rng, known, n, 1, 2), n, N), variances, 1.0)
    fast = ratio(found.strong[:, 0, 0], found.norms()[:, 0])
    assert stats.ks_2samp(fast, slow).pvalue > ALPHA


def test_blocks_of_observations_add_up() -> None:
    n = 2 * BLOCK + 5
    found = labelled_gram(np.random.default_rng(8), n, 1, signs)
    rng = np.random.default_rng(8)
    Z = np.concatenate([rng.standard_normal((size, 1)) for size in (BLOCK, BLOCK, 5)])
    assert found[1, 1] == n
    assert np.allclose(found, np.concatenate([Z, signs(Z)], axis=1).T @ np.concatenate([Z, signs(Z)], axis=1))


def test_too_few_observations_are_refused() -> None:
    rng = np.random.default_rng(9)
    with pytest.raises(ValueError, match="at least as many"):
        extended_gram(rng, np.eye(2)[None], 3, 1, 2)
    with pytest.raises(ValueError, match="size <= n <= N"):
        inverse_forms(rng, np.eye(3)[None], 2, 10)
    with pytest.raises(ValueError, match="at least 1 observation"):
        labelled_gram(rng, 0, 1, signs)
