"""Total variation between Gaussian laws against SciPy's quadrature, chi-square and normal distributions."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from flint import arb, fmpq
from scipy import stats
from scipy.integrate import quad

from solvers.enclosures import precision
from solvers.gaussian_tv import kl_variances, tv_line, tv_shift, tv_variances


def by_quadrature(m: float, v: float, n: float, w: float) -> float:
    p, q = stats.norm(m, math.sqrt(v)), stats.norm(n, math.sqrt(w))
    edges = pairwise(np.linspace(-20, 20, 41))
    return sum(quad(lambda x: abs(p.pdf(x) - q.pdf(x)), a, b, epsabs=1e-12)[0] for a, b in edges) / 2


@pytest.mark.parametrize(("m", "v", "n", "w"), [(0, 1, 0, 2), (0, 1, 1, 3), (1, 2, -2, 0.5), (0, 1, 0.25, 1.0625)])
def test_total_variation_on_the_line_is_half_of_the_integral_of_the_difference(
    m: float, v: float, n: float, w: float
) -> None:
    assert float(tv_line(m, v, n, w)) == pytest.approx(by_quadrature(m, v, n, w), abs=1e-9)
    assert float(tv_line(n, w, m, v)) == pytest.approx(float(tv_line(m, v, n, w)), abs=1e-13)


@pytest.mark.parametrize("d", [1, 2, 30, 1000])
def test_isotropic_variances_differ_by_two_chi_square_probabilities(d: int) -> None:
    v, w = 1.0, 1.25
    square = d * math.log(w / v) / (1 / v - 1 / w)
    expected = stats.chi2.cdf(square / v, d) - stats.chi2.cdf(square / w, d)
    with precision(128):
        assert float(tv_variances(d, fmpq(1), fmpq(5, 4))) == pytest.approx(expected, abs=1e-12)


def test_nearly_equal_variances_follow_the_derivative() -> None:
    """x sqrt d times 1/sqrt(2 pi e) on the line, 1/(2 sqrt pi) in high dimension."""
    with precision(300):
        x = fmpq(1, 10**20)
        assert float(tv_variances(1, 1, 1 + x) / x) == pytest.approx(1 / math.sqrt(2 * math.pi * math.e), rel=1e-12)
        high = float(tv_variances(1000, 1, 1 + x) / x) / math.sqrt(1000)
        assert high == pytest.approx(1 / (2 * math.sqrt(math.pi)), rel=1e-3)


def test_a_shift_is_seen_along_its_direction_only() -> None:
    assert float(tv_shift(fmpq(3, 2), fmpq(1, 4))) == pytest.approx(2 * stats.norm.cdf(1.5) - 1, abs=1e-13)


def test_relative_entropy_of_variances() -> None:
    assert float(kl_variances(3, 2, 5)) == pytest.approx(1.5 * (2.5 - 1 - math.log(2.5)), abs=1e-13)


def test_overlapping_variances_give_an_enclosure_that_starts_at_zero() -> None:
    ball = tv_variances(2, arb(1, 0.01), arb(1, 0.02))
    assert ball.contains(0)
    assert ball.contains(tv_variances(2, fmpq(99, 100), fmpq(102, 100)))


def test_arguments_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="dimension"):
        tv_variances(0, 1, 2)
    with pytest.raises(ValueError, match="positive"):
        tv_shift(1, arb(0, 1))
    with pytest.raises(ValueError, match="overlap"):
        tv_line(0, arb(1, 0.1), 1, 1)
