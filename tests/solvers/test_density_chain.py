"""Density propagation against linear Gaussian chains, whose laws are known, and SciPy's quadrature."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from solvers.density_chain import Step, sign_changes, total_variation, variation, windows
from solvers.mixtures import mixture


def gaussian(v: float, x: np.ndarray) -> np.ndarray:
    return np.exp(-x * x / (2 * v)) / math.sqrt(2 * math.pi * v)


def test_windows_are_the_lattice_points_near_the_centres() -> None:
    found = windows([0.0, 5.0], [0.5, 0.25], 0.5, reach=2.0)
    np.testing.assert_allclose(found.x, [-1.0, -0.5, 0.0, 0.5, 1.0, 4.5, 5.0, 5.5])
    with pytest.raises(ValueError, match="widths"):
        windows([0.0], [0.0], 0.5)


def test_linear_steps_keep_a_gaussian_and_its_variance() -> None:
    """x -> a x + noise maps N(0, v) to N(0, a^2 v + q); twenty steps."""
    v, a, q = 2.0, 0.9, 0.3
    lattice = windows([0.0], [math.sqrt(v)], 0.2)
    p = gaussian(v, lattice.x)
    for _ in range(20):
        step = Step(lattice.h * p, a * lattice.x, q)
        v = a * a * v + q
        lattice = windows([0.0], [math.sqrt(v)], 0.2)
        p = step.pushed(lattice)
    np.testing.assert_allclose(p, gaussian(v, lattice.x), atol=1e-14)
    np.testing.assert_allclose(step.density(lattice.x), p, atol=1e-14)
    np.testing.assert_allclose(step.distribution(lattice.x), stats.norm(0, math.sqrt(v)).cdf(lattice.x), atol=1e-14)


def test_total_variation_between_gaussians_of_different_variance() -> None:
    lattice = windows([0.0], [1.0], 0.25)
    step = Step(lattice.h * gaussian(1.0, lattice.x), lattice.x, 1.0)  # N(0, 2)
    other = stats.norm(0.3, 1.2)
    expected = quad(lambda x: abs(stats.norm(0, math.sqrt(2)).pdf(x) - other.pdf(x)), -12, 12, limit=200, epsabs=1e-13)[
        0
    ]
    found = total_variation(step, other.pdf, other.cdf, windows([0.0], [1.5], 0.25))
    assert found == pytest.approx(expected / 2, abs=1e-10)


def test_total_variation_of_a_step_through_two_atoms() -> None:
    """A step m(x) = tanh(3 x) from a mixture, against the integral over x of the exact density."""
    start = mixture([-1.0, 1.0], [0.3, 0.3], [0.6, 0.4])
    lattice = windows([-1.0, 1.0], [0.55, 0.55], 0.02)
    step = Step(lattice.h * start.density(lattice.x), np.tanh(3 * lattice.x), 0.2)
    other = mixture([-0.9, 0.8], [0.2, 0.25], [0.6, 0.4])
    y = np.linspace(-5, 5, 200_001)
    difference = np.empty_like(y)
    for block in np.array_split(np.arange(y.size), 40):
        difference[block] = step.density(y[block]) - other.density(y[block])
    expected = np.abs(difference).sum() * (y[1] - y[0]) / 2
    found = total_variation(step, other.density, other.distribution, windows([-1.0, 1.0], [0.5, 0.5], 0.05))
    assert found == pytest.approx(expected, abs=1e-8)


def test_sign_changes_below_the_noise_are_none() -> None:
    nodes = np.linspace(-1, 1, 21)
    assert sign_changes(np.sin, nodes, np.sin(nodes)) == pytest.approx([0.0], abs=1e-12)
    assert sign_changes(np.ones_like, nodes, 1e-16 * np.cos(9 * nodes) + (nodes > 0.95)).size == 0


def test_variation_of_two_mixtures_is_half_of_the_integral_of_the_difference() -> None:
    f, g = mixture([-1.0, 1.0], [0.2, 0.2], [0.5, 0.5]), mixture([0.0], [1.2], [1.0])
    x = np.linspace(-8, 8, 400_001)
    expected = np.abs(f.density(x) - g.density(x)).sum() * (x[1] - x[0]) / 2
    found = variation(
        lambda z: f.density(z) - g.density(z), lambda z: f.distribution(z) - g.distribution(z), np.linspace(-8, 8, 161)
    )
    assert found == pytest.approx(expected, abs=1e-9)
