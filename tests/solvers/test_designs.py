"""Designs against the moments and invariances of their laws; covariances against SciPy and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from flint import fmpq

from solvers.designs import (
    as_floats,
    autoregressive,
    clusters,
    gaussian,
    haar,
    heteroskedastic,
    rotated,
    scale_mixture,
)
from solvers.exact_linalg import is_positive_definite, trace

SCALES = np.array([0.5, 1.0, 2.0, 3.0])


def test_columns_of_a_gaussian_design_have_the_declared_scales() -> None:
    X = gaussian(np.random.default_rng(0), 4000, 3, SCALES)
    assert X.shape == (4000, 3, 4)
    assert np.abs(X.std(axis=(0, 1)) / SCALES - 1).max() < 0.03


def test_rows_of_a_scale_mixture_share_one_scale() -> None:
    """Oracle: E exp(2 N(0,1)) = e^2, E exp(4 N(0,1)) = e^8; the logarithm of a common scale is the same for all rows."""
    X = scale_mixture(np.random.default_rng(0), 200, 400, np.ones(50))
    sizes = np.log((X**2).mean(axis=2)) / 2
    assert sizes.std(axis=1).max() < 0.15  # within a design: the sampling error of 50 columns
    assert abs(sizes.mean(axis=1).std() - 1) < 0.2  # between designs: the N(0, 1) exponent


def test_haar_matrices_are_orthogonal() -> None:
    O = haar(np.random.default_rng(0), 50, 6)
    assert np.abs(O @ O.transpose(0, 2, 1) - np.eye(6)).max() < 1e-12


def test_entries_of_haar_matrices_have_the_moments_of_the_sphere() -> None:
    """Oracle: E O_11 = 0, E O_11^2 = 1/n, E O_11^4 = 3/(n(n+2)), E (tr O)^2 = 1."""
    n, O = 4, haar(np.random.default_rng(3), 40_000, 4)
    assert abs(O[:, 0, 0].mean()) < 0.01
    assert abs((O[:, 0, 0] ** 2).mean() - 1 / n) < 0.01
    assert abs((O[:, 0, 0] ** 4).mean() - 3 / (n * (n + 2))) < 0.01
    assert abs((np.trace(O, axis1=1, axis2=2) ** 2).mean() - 1) < 0.05


def test_the_sign_correction_is_needed() -> None:
    """LAPACK makes the first entry of Q negative, so the plain Q factor is not Haar distributed."""
    Q, _ = np.linalg.qr(np.random.default_rng(3).standard_normal((100, 4, 4)))
    corrected = haar(np.random.default_rng(3), 100, 4)
    assert (Q[:, 0, 0] < 0).all()
    assert 20 < (corrected[:, 0, 0] < 0).sum() < 80


def test_rotation_keeps_the_gram_matrix_of_the_columns() -> None:
    X0 = gaussian(np.random.default_rng(1), 1, 3, SCALES)[0]
    X = rotated(np.random.default_rng(2), 20, X0)
    assert np.abs(X.transpose(0, 2, 1) @ X - X0.T @ X0).max() < 1e-12


@pytest.mark.parametrize("phi", [fmpq(9, 10), fmpq(-9, 10), fmpq(0)])
def test_autoregressive_covariance_is_toeplitz_and_positive_definite(phi: fmpq) -> None:
    from scipy.linalg import toeplitz

    Omega = autoregressive(7, phi)
    assert np.abs(as_floats(Omega) - toeplitz((int(phi.p) / int(phi.q)) ** np.arange(7.0))).max() < 1e-15
    assert is_positive_definite(Omega)


def test_determinant_of_autoregressive_covariance_is_the_product_of_innovations() -> None:
    assert autoregressive(6, fmpq(2, 3)).det() == (1 - fmpq(4, 9)) ** 5


def test_clusters_are_equicorrelated_blocks() -> None:
    """Oracle: a block of size m has the eigenvalues 1 + (m - 1) c and 1 - c (m - 1 times)."""
    Omega = clusters(7, 3, fmpq(3, 5))
    assert Omega.det() == (1 + 2 * fmpq(3, 5)) ** 2 * (1 - fmpq(3, 5)) ** 4
    assert Omega[2, 3] == 0
    assert Omega[3, 5] == fmpq(3, 5)


def test_heteroskedastic_covariance_has_trace_n() -> None:
    Omega = heteroskedastic([1, 2, 5])
    assert trace(Omega) == 3
    assert Omega[2, 2] == fmpq(15, 8)


def test_covariances_that_are_not_positive_definite_are_refused() -> None:
    with pytest.raises(ValueError, match="autoregressive"):
        autoregressive(3, 1)
    with pytest.raises(ValueError, match="clusters"):
        clusters(6, 3, fmpq(-1, 2))
    with pytest.raises(ValueError, match="heteroskedastic"):
        heteroskedastic([1, 0])
