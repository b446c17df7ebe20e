"""Confidence sequences against enumeration, high precision and other libraries (scipy, statsmodels, ville, confseq)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from theorems.kernel import sequences as S

LEVELS = [0.05, 1e-4, 1e-8]
GOLDEN = (math.sqrt(5) - 1) / 2
X = np.array([(i * GOLDEN) % 1 for i in range(1, 2001)]) ** 2  # deterministic draws with mean near 1/3


def _stakes(kind: str) -> Callable[[Any], Any]:
    return {
        "all sizes": lambda y: S.bets(y, 0.05),
        "half-width": lambda y: S.bets(y, 0.05, half_width=0.2),
        "fixed size": lambda y: S.bets(y, 0.05, fixed=8),
    }[kind]


@pytest.mark.parametrize("kind", ["all sizes", "half-width", "fixed size"])
@pytest.mark.parametrize("p", [0.1, 0.5, 0.85])
def test_capital_of_the_true_mean_is_a_martingale_by_enumeration(kind: str, p: float) -> None:
    """Over all 2^8 outcomes of 8 coin tosses the expected capital is 1, for both directions of the bet."""
    up = down = 0.0
    for tosses in itertools.product((0.0, 1.0), repeat=8):
        y = np.array(tosses)
        weight = math.prod(p if t else 1 - p for t in tosses)
        up += weight * math.exp(S.log_capital(y, _stakes(kind)(y), p))
        down += weight * math.exp(S.log_capital(1 - y, _stakes(kind)(y), 1 - p))
    assert up == pytest.approx(1, abs=1e-12)
    assert down == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("kind", ["all sizes", "half-width", "fixed size"])
def test_bets_do_not_look_ahead(kind: str) -> None:
    changed = X[:100].copy()
    changed[60:] = 1 - changed[60:]
    before, after = _stakes(kind)(X[:100]), _stakes(kind)(changed)
    assert np.array_equal(before[:61], after[:61])
    assert not np.array_equal(before[61:], after[61:])


@pytest.mark.parametrize("m", [0.0, 0.2, 0.33, 0.9, 1.0])
@pytest.mark.parametrize("n", [1, 31, 32, 33, 2000])
def test_capital_agrees_with_high_precision_to_the_stated_error(n: int, m: float) -> None:
    y = X[:n]
    stakes = S.bets(y, 1e-6, half_width=0.02)
    with mpmath.workdps(40):
        exact = mpmath.fsum(
            mpmath.log(1 + min(mpmath.mpf(s), S.TRUNCATION / mpmath.mpf(m) if m else s) * (mpmath.mpf(v) - m))
            for s, v in zip(stakes.tolist(), y.tolist())
        )
        assert abs(S.log_capital(y, stakes, m) - exact) <= 64 * n * 2.0**-52


def test_capital_does_not_increase_with_the_candidate_mean() -> None:
    stakes = S.bets(X, 1e-6, half_width=0.01)
    capital = [S.log_capital(X, stakes, m) for m in np.linspace(0, 1, 400)]
    assert max(np.diff(capital)) <= 0


def test_betting_bounds_agree_with_confseq() -> None:
    """confseq 0.0.11, betting_cs(X, alpha=0.05, breaks=20000, running_intersection=True); its grid widens by 1e-4."""
    reference = {100: (0.2485, 0.42), 500: (0.28795, 0.3763), 2000: (0.3067, 0.35775)}
    low, high = 0.0, 1.0
    for n in range(1, 2001):
        low, high = S.betting_interval(X[:n], 0.025, low, high)
        if n in reference:
            assert (low, high) == pytest.approx(reference[n], abs=1.1e-4)


def test_betting_bounds_agree_with_ville() -> None:
    ville = pytest.importorskip("ville", reason="an independent implementation of the betting sequence, test extra")
    theirs = ville.BettingCS(bounds=(0, 1), alpha=1e-6, grid=20_001).fit(X)
    low, high = 0.0, 1.0
    for n in range(1, 2001):
        low, high = S.betting_interval(X[:n], 5e-7, low, high)
        if n in (10, 50, 200, 1000, 2000):
            assert low == pytest.approx(theirs.lower_[n - 1], abs=3e-4)
            assert high == pytest.approx(theirs.upper_[n - 1], abs=3e-4)


@pytest.mark.parametrize("tuned", [{}, {"half_width": 0.05}, {"fixed": 2000}])
@pytest.mark.parametrize("level", LEVELS)
def test_betting_bounds_are_rejected_means_next_to_the_boundary(level: float, tuned: dict[str, Any]) -> None:
    stakes = S.bets(X, level, **tuned)
    low, high = S.betting_interval(X, level, **tuned)
    assert S.log_capital(X, stakes, low) >= -math.log(level)
    assert S.log_capital(X, stakes, low + 1e-3 * (X.mean() - low)) < -math.log(level)
    assert S.log_capital(1 - X, stakes, 1 - high) >= -math.log(level)
    assert S.log_capital(1 - X, stakes, 1 - high + 1e-3 * (high - X.mean())) < -math.log(level)


@pytest.mark.parametrize("constant", [0.0, 0.3, 1.0])
def test_draws_without_variance_close_in_on_their_value(constant: float) -> None:
    low, high = S.betting_interval(np.full(5000, constant), 1e-8, half_width=0.01)
    assert low <= constant <= high
    assert high - low < 0.02


@pytest.mark.parametrize("level", LEVELS)
def test_gaussian_mixture_is_the_exact_half_normal_boundary_rounded_up(level: float) -> None:
    """Against the boundary solved in 40 digits; the closed form gives away at most 2 %."""
    for n, strength in ((1, 3.0), (50, 3.0), (10_000, 200.0)):
        exact = _half_normal_boundary(n + strength, strength, level)
        radius = S.subgaussian_radius(n, 2.0, level, strength)
        assert exact <= radius * n / 2.0 <= 1.02 * exact


def _half_normal_boundary(w: float, strength: float, level: float) -> Any:
    def excess(s: Any) -> Any:
        prefactor = mpmath.log(2 * mpmath.sqrt(strength / w))
        return prefactor + s**2 / (2 * w) + mpmath.log(mpmath.ncdf(s / mpmath.sqrt(w))) + mpmath.log(level)

    with mpmath.workdps(40):
        return mpmath.findroot(excess, mpmath.sqrt(20 * w))


def test_gaussian_mixture_agrees_with_ville() -> None:
    boundaries = pytest.importorskip("ville._boundaries", reason="an independent half-normal mixture, test extra")
    n = np.array([1, 10, 1000])
    theirs = boundaries.normal_mixture(n, 1e-6, 30.0, one_sided=True)
    ours = [S.subgaussian_radius(int(k), 1.0, 1e-6, 30.0) * k for k in n]
    assert ours == pytest.approx(theirs, rel=1e-3)


@pytest.mark.parametrize("level", LEVELS)
def test_mixture_strength_is_nearly_the_best(level: float) -> None:
    radius = S.subgaussian_radius(1000, 1.0, level, S.mixture_strength(1000, level))
    best = min(S.subgaussian_radius(1000, 1.0, level, s) for s in np.geomspace(1, 1e4, 400))
    assert radius <= 1.01 * best


@pytest.mark.parametrize("level", LEVELS)
def test_student_radius_is_scipys_t_interval(level: float) -> None:
    from scipy import stats

    interval = stats.ttest_1samp(X[:50], 0.0, alternative="greater").confidence_interval(1 - level)
    assert S.student_radius(X[:50], level) == pytest.approx(X[:50].mean() - interval.low, rel=1e-7)


def _restricted_mixture(n: int, k: int, p: float) -> Any:
    """The mixed likelihood ratio against p, by its closed form in 40 digits."""
    with mpmath.workdps(40):
        a, b, p = mpmath.mpf(k) + 0.5, mpmath.mpf(n - k) + 0.5, mpmath.mpf(p)
        posterior = mpmath.betainc(a, b, p, 1)
        prior = mpmath.betainc(mpmath.mpf(1) / 2, mpmath.mpf(1) / 2, p, 1)
        return posterior / prior / (p**k * (1 - p) ** (n - k))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("n", "k"), [(5, 5), (40, 1), (300, 40), (300, 299)])
def test_beta_binomial_bound_is_a_rejected_probability_next_to_the_boundary(n: int, k: int, level: float) -> None:
    low = S.bernoulli_lower(n, k, level)
    if low > 0:
        assert _restricted_mixture(n, k, low) >= 1 / level
    assert _restricted_mixture(n, k, low + 1e-3 * (k / n - low)) < 1 / level


@pytest.mark.parametrize("level", [0.05, 1e-4])
@pytest.mark.parametrize("p", [0.003, 0.1, 0.5, 0.9])
def test_beta_binomial_bound_ever_exceeds_the_truth_with_at_most_its_level(p: float, level: float) -> None:
    """Exact: the law of the count is followed to 150 trials, and mass is taken out where the bound passes p."""
    mass, crossed = np.array([1.0]), 0.0
    for n in range(1, 151):
        mass = np.concatenate([mass * (1 - p), [0.0]]) + np.concatenate([[0.0], mass * p])
        for k in range(n, -1, -1):
            if S.bernoulli_lower(n, k, level) <= p:
                break
            crossed += mass[k]
            mass[k] = 0.0
    assert 0 < crossed <= level


def test_beta_binomial_bound_is_close_to_villes_two_sided_one() -> None:
    ville = pytest.importorskip("ville", reason="an independent beta-binomial sequence, test extra")
    events = (X < 0.2).astype(float)
    theirs = ville.BernoulliCS(alpha=1e-6, prior=(0.5, 0.5)).fit(events)
    low, high = 0.0, 1.0
    for n in range(1, 2001):
        low, high = S.bernoulli_interval(n, int(events[:n].sum()), 5e-7, low, high)
    assert low == pytest.approx(theirs.lower_[-1], abs=2e-3)
    assert high == pytest.approx(theirs.upper_[-1], abs=2e-3)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("n", "k"), [(1, 0), (30, 0), (30, 30), (40, 39), (1000, 3), (20_000, 10_123)])
def test_clopper_pearson_agrees_with_scipy_and_statsmodels(n: int, k: int, level: float) -> None:
    from scipy import stats
    from statsmodels.stats.proportion import proportion_confint

    low, high = S.clopper_pearson_lower(n, k, level), S.clopper_pearson_upper(n, k, level)
    exact = stats.binomtest(k, n).proportion_ci(1 - 2 * level, method="exact")
    assert (low, high) == pytest.approx((exact.low, exact.high), rel=1e-7)
    assert (low, high) == pytest.approx(proportion_confint(k, n, 2 * level, method="beta"), rel=1e-7)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("n", "k"), [(30, 1), (30, 30), (40, 17), (500, 3)])
def test_clopper_pearson_errs_outward(n: int, k: int, level: float) -> None:
    """The tail probability at the bounds, in 40 digits, is at most the level."""
    with mpmath.workdps(40):
        low = mpmath.mpf(S.clopper_pearson_lower(n, k, level))
        high = mpmath.mpf(S.clopper_pearson_upper(n, n - k, level))
        assert _binomial_tail(n, k, low) <= level
        assert _binomial_tail(n, k, 1 - high) <= level


def _binomial_tail(n: int, k: int, p: Any) -> Any:
    return mpmath.fsum(mpmath.binomial(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1))


def test_dkw_radius_is_the_tabulated_one() -> None:
    """1.358 / sqrt(n) at 5 %, in every table of the Kolmogorov distribution's asymptotic quantiles."""
    assert S.dkw_radius(100, 0.05) == pytest.approx(0.1358, abs=1e-4)


@pytest.mark.parametrize("level", LEVELS)
def test_dkw_radius_is_a_little_above_the_exact_quantile(level: float) -> None:
    from scipy import stats

    for n in (50, 2000):
        exact = stats.kstwo.isf(level, n)
        assert exact <= S.dkw_radius(n, level) <= 1.06 * exact


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n", [20, 60, 200])
def test_two_sample_radius_is_the_exact_threshold_of_scipy(n: int, level: float) -> None:
    """Samples at distance k/n exactly have scipy's exact p-value; the bound doubles one tail, so it is nearly exact."""
    from scipy import stats

    def p_value(k: int) -> float:
        result = stats.ks_2samp(np.arange(n) + 0.5, np.arange(n) + k, method="exact")
        assert result.statistic == pytest.approx(k / n)
        return float(result.pvalue)

    k = round(S.two_sample_radius(n, level) * n) + 1
    assert p_value(k) <= level < 1.01 * p_value(k - 1)


def test_two_samples_that_are_too_small_have_radius_one() -> None:
    assert S.two_sample_radius(3, 1e-6) == 1.0


def test_check_times_are_all_small_sizes_then_geometric_and_end_at_the_limit() -> None:
    times = S.check_times(100_000)
    assert times[:20] == tuple(range(1, 21))
    assert times[-1] == 100_000
    assert max(b / a for a, b in itertools.pairwise(times[20:])) <= 1.1
    assert S.check_times(1) == (1,)


def test_last_rejected_is_rejected_and_within_tolerance_for_awkward_functions() -> None:
    for excess in (
        lambda x: 0.3 - x,
        lambda x: math.inf if x < 0.3 else -1e-12,
        lambda x: (0.3 - x) ** 9,
        lambda x: math.exp(-40 * x) - math.exp(-12),
    ):
        low = S.last_rejected(excess, 0.0, 1.0, 1e-4)
        assert excess(low) >= 0
        assert excess(low + 1.01e-4 * (1 - low)) < 0
