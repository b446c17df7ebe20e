"""The companion Stieltjes transform against closed forms, SciPy's root finder and simulated covariance matrices."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, fmpq

from solvers.enclosures import precision
from solvers.random_matrices import Spectrum, companion_root, companion_slope, companion_stieltjes, spectrum

ISOTROPIC = spectrum([1], [1])
THREE = spectrum([fmpq(1, 4), 1, 6], [fmpq(1, 2), fmpq(3, 10), fmpq(1, 5)])


def near(ball: arb, value: arb, radius: fmpq) -> bool:
    return bool(abs(ball - value) < radius) and bool(ball.rad() < radius)


@pytest.mark.parametrize("gamma", [fmpq(101, 100), fmpq(5, 2), fmpq(40)])
def test_isotropic_v_is_one_over_gamma_minus_one(gamma: fmpq) -> None:
    assert companion_root(gamma, ISOTROPIC).compare(1 / (gamma - 1)) == 0


@pytest.mark.parametrize("gamma", [fmpq(1, 3), fmpq(1), fmpq(5, 2)])
@pytest.mark.parametrize("z", [fmpq(-1, 1000), fmpq(-2)])
def test_isotropic_v_solves_the_quadratic_of_marchenko_and_pastur(gamma: fmpq, z: fmpq) -> None:
    """-z v^2 + (gamma - 1 - z) v - 1 = 0, by hand, and its derivative."""
    with precision(200):
        b = arb(gamma - 1 - z)
        v = (-b + (b * b - 4 * arb(z)).sqrt()) / (-2 * arb(z))
        slope = (v * v + v) / (-2 * arb(z) * v + b)
        assert near(companion_stieltjes(gamma, ISOTROPIC, z), v, fmpq(1, 10**40))
        assert near(companion_slope(gamma, ISOTROPIC, z), slope, fmpq(1, 10**30))


def test_isotropic_slope_at_zero_is_gamma_over_the_cube_of_gamma_minus_one() -> None:
    gamma = fmpq(5, 2)
    assert near(companion_slope(gamma, ISOTROPIC), arb(gamma / (gamma - 1) ** 3), fmpq(1, 10**12))


@pytest.mark.parametrize("z", [fmpq(0), fmpq(-1, 7)])
def test_v_of_three_atoms_is_the_root_that_scipy_finds(z: fmpq) -> None:
    from scipy.optimize import brentq

    atoms, weights = np.array([0.25, 1, 6]), np.array([0.5, 0.3, 0.2])
    shift = int(z.p) / int(z.q)
    root = brentq(lambda v: -shift * v + 2.5 * (weights * atoms * v / (1 + atoms * v)).sum() - 1, 1e-9, 1e3, xtol=1e-14)
    assert abs(float(companion_stieltjes(fmpq(5, 2), THREE, z).mid()) - root) < 1e-12


def test_slope_is_the_limit_of_difference_quotients() -> None:
    with precision(300):
        h = fmpq(1, 10**30)
        v, w = companion_stieltjes(fmpq(5, 2), THREE), companion_stieltjes(fmpq(5, 2), THREE, -h)
        assert near(companion_slope(fmpq(5, 2), THREE), (v - w) / arb(h), fmpq(1, 10**28))


def test_v_is_the_normalised_trace_of_the_inverse_gram_matrix() -> None:
    """Oracle: one simulated design with n = 400; the fluctuation of the trace is of order 1/n."""
    n, p = 400, 1000
    scales = np.sqrt(np.repeat([0.25, 1.0, 6.0], [500, 300, 200]))
    X = np.random.default_rng(1).standard_normal((n, p)) * scales
    assert abs(np.trace(np.linalg.inv(X @ X.T)) / float(companion_stieltjes(fmpq(5, 2), THREE)) - 1) < 0.02


def test_null_directions_of_the_covariance_only_dilute_gamma() -> None:
    diluted = spectrum([0, 2], [fmpq(1, 4), fmpq(3, 4)])
    assert companion_root(4, diluted).compare(companion_root(3, spectrum([2], [1]))) == 0


def test_no_root_at_zero_without_overparameterisation() -> None:
    for gamma, H in ((fmpq(2, 5), THREE), (fmpq(1), ISOTROPIC), (fmpq(4), spectrum([0, 1], [fmpq(3, 4), fmpq(1, 4)]))):
        with pytest.raises(ValueError, match="no root at z = 0"):
            companion_root(gamma, H)


def test_arguments_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="z <= 0"):
        companion_root(2, ISOTROPIC, 1)
    for atoms, weights in (([1, 1], [fmpq(1, 2)] * 2), ([1, 2], [1]), ([-1], [1]), ([1], [2]), ([], [])):
        with pytest.raises(ValueError, match="spectrum"):
            spectrum(atoms, weights)


def test_mean_of_a_spectrum_is_the_weighted_sum() -> None:
    assert THREE.mean(lambda t: t) == fmpq(13, 8)
    assert isinstance(THREE, Spectrum)
