"""Exponents and plateaus of random data with known laws. Oracle: scipy.stats (linregress, binom, t, norm)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction as Q
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from theorems.kernel.outcome import Context, Decision, Evidence, KernelError, Outcome
from theorems.kernel.slopes import answer_slope, slope
from theorems.kernel.slopes_last import answer_plateau, plateau
from theorems.kernel.slopes_random import t_quantile

SIZES = [16, 32, 64, 128, 256]


def context(seed: int = 0, level: float = 1e-3, shift: Any = 0) -> Context:
    def stream(j: int) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=[seed, j]))

    return Context(level=level, stream=stream, shift=fmpq(shift))


def power_law(exponent: float, repeats: int = 20, noise: float = 0.3) -> Callable[..., Any]:
    """Log-normal draws of mean size^exponent, a block at a time."""

    def draw(size: int, rng: np.random.Generator) -> Any:
        z = noise * rng.standard_normal(repeats) - noise * noise / 2
        return float(size) ** exponent * np.exp(z)

    return draw


def noisy(claimed: Any, exponent: float = -1.0, **options: Any) -> Any:
    return slope(SIZES, claimed=claimed, draw=power_law(exponent), repeats=20, **{"within": Q(15, 100), **options})


def test_estimate_is_the_least_squares_slope_of_the_log_means() -> None:
    from scipy.stats import linregress

    outcome = answer_slope(noisy(-1), context(3))
    means = [power_law(-1)(n, context(3).stream(k)).mean() for k, n in enumerate(SIZES)]  # type: ignore[misc]
    assert outcome.lhs == pytest.approx(linregress(np.log(SIZES), np.log(means)).slope, rel=1e-10)
    assert (outcome.decision, outcome.evidence) == (Decision.FOR, Evidence.EMPIRICAL)
    assert outcome.samples == 100


def test_standard_error_of_the_slope_is_that_of_repeated_experiments() -> None:
    fits, errors = [], []
    for seed in range(200):
        outcome = answer_slope(noisy(-1, within=1), context(seed, level=0.05))
        fits.append(outcome.lhs)
        errors.append(outcome.resolution - 1 - abs(outcome.lhs + 1))  # half-width of the interval
    half = t_quantile(0.025, 80) * np.std(fits)
    assert np.median(errors) == pytest.approx(half, rel=0.15)


def test_wrong_exponents_are_refuted_and_the_right_one_is_not() -> None:
    assert answer_slope(noisy(-1), context()).decision is Decision.FOR
    for wrong in (0, Q(-1, 2), -2):
        assert answer_slope(noisy(wrong), context()).decision is Decision.AGAINST


def test_one_sided_claims_on_random_data() -> None:
    for claimed, side, decision in (
        (Q(-1, 2), "upper", Decision.FOR),
        (-2, "upper", Decision.AGAINST),
        (-2, "lower", Decision.FOR),
        (Q(-1, 2), "lower", Decision.AGAINST),
    ):
        assert answer_slope(noisy(claimed, side=side), context()).decision is decision


@pytest.mark.parametrize("claimed", [-1, Q(-9, 10)])
@pytest.mark.parametrize("side", ["two", "upper", "lower"])
def test_random_claims_moved_by_twice_their_resolution_are_refuted(claimed: Q, side: str) -> None:
    outcome = answer_slope(noisy(claimed, side=side), context())
    assert outcome.decision is Decision.FOR
    assert outcome.resolution is not None
    twice = Q(2 * outcome.resolution)
    moved = context(shift=fmpq(twice.numerator, twice.denominator))
    assert answer_slope(noisy(claimed, side=side), moved).decision is Decision.AGAINST


def test_refutations_of_a_true_exponent_are_as_rare_as_the_level() -> None:
    from scipy.stats import binom

    seeds, level = 300, 0.05
    tight = noisy(-1, within=Q(1, 10**6), width=1)
    refuted = sum(answer_slope(tight, context(s, level)).decision is Decision.AGAINST for s in range(seeds))
    assert refuted <= binom.ppf(0.999, seeds, level)
    assert refuted >= binom.ppf(0.001, seeds, level)


def test_a_wide_interval_is_undecided() -> None:
    few = slope(SIZES, claimed=-1, draw=power_law(-1, noise=0.5), repeats=5, within=Q(1, 20))
    outcome = answer_slope(few, context())
    assert outcome.decision is Decision.UNDECIDED
    assert "raise repeats" in outcome.reason


def test_a_mean_too_noisy_for_its_logarithm_is_undecided() -> None:
    centred = slope(SIZES, claimed=-1, draw=lambda n, rng: rng.standard_normal(), repeats=10, within=1)
    outcome = answer_slope(centred, context())
    assert outcome.decision is Decision.UNDECIDED
    assert "too noisy" in outcome.reason


def test_a_significant_drift_of_random_data_is_undecided() -> None:
    def draw(size: int, rng: np.random.Generator) -> Any:
        return np.exp(-size / 64) * (1 + 0.1 * rng.standard_normal(20))

    fitted = Q(-117, 100)  # numpy.polyfit of -n/64 on log n
    c = slope(SIZES, claimed=fitted, draw=draw, repeats=20, within=Q(1, 5))
    assert answer_slope(c, context()).decision is Decision.UNDECIDED
    assert "drift" in answer_slope(c, context()).reason
    silent = slope(SIZES, claimed=fitted, draw=draw, repeats=20, within=Q(1, 5), drift=None)
    assert answer_slope(silent, context()).decision is Decision.FOR


def shared_noise(rng: np.random.Generator) -> Any:
    """Trajectories c/n with one random factor c for all sizes, and a little noise at each."""
    return np.exp(0.5 * rng.standard_normal()) * np.array([1 / n for n in SIZES]) * rng.uniform(0.99, 1.01, 5)


def test_curves_use_the_dependence_between_sizes() -> None:
    paired = slope(SIZES, claimed=-1, curve=shared_noise, repeats=30, within=Q(1, 100))
    outcome = answer_slope(paired, context())
    assert outcome.decision is Decision.FOR
    alone = slope(SIZES, claimed=-1, draw=lambda n, rng: np.exp(0.5 * rng.standard_normal()) / n, repeats=30,
                  within=Q(1, 100))  # fmt: skip
    assert answer_slope(alone, context()).decision is Decision.UNDECIDED


def test_logarithms_and_semilogarithmic_axes_on_random_data() -> None:
    def draw(size: int, rng: np.random.Generator) -> Any:
        return np.log(size) / size * rng.uniform(0.9, 1.1, 40)

    with_log = slope(SIZES, claimed=-1, draw=draw, repeats=40, within=Q(1, 10), logs=1)
    without = slope(SIZES, claimed=-1, draw=draw, repeats=40, within=Q(1, 10))
    assert answer_slope(with_log, context()).decision is Decision.FOR
    assert answer_slope(without, context()).decision is Decision.AGAINST
    linear = slope(SIZES, claimed=3, draw=lambda n, rng: 3 * np.log(n) + rng.standard_normal(40), repeats=40,
                   within=Q(1, 2), axes="semilogx")  # fmt: skip
    assert answer_slope(linear, context()).decision is Decision.FOR


def test_events_have_slopes_too() -> None:
    c = slope(SIZES, claimed=Q(-1, 2), draw=lambda n, rng: rng.random(4000) < n**-0.5, repeats=4000, within=Q(1, 10))
    assert answer_slope(c, context()).decision is Decision.FOR


def test_single_draws_and_blocks_are_both_admitted_and_the_same_streams_give_the_same_outcome() -> None:
    single = slope(SIZES, claimed=-1, draw=lambda n, rng: float(rng.uniform(0.9, 1.1) / n), repeats=12, within=1)
    first, second = (answer_slope(single, context(5)) for _ in range(2))
    assert first == second
    assert first.samples == 60
    assert first != answer_slope(single, context(6))


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), "text", None, 1j, [[1.0]], [], Q(1, 2)])
def test_draws_that_are_no_numbers_are_refused(bad: Any) -> None:
    c = slope(SIZES, claimed=-1, draw=lambda n, rng: bad, repeats=5, within=1)
    with pytest.raises(KernelError, match="draw"):
        answer_slope(c, context())


def test_curves_of_the_wrong_length_are_refused() -> None:
    c = slope(SIZES, claimed=-1, curve=lambda rng: np.ones(4), repeats=5, within=1)
    with pytest.raises(KernelError, match="5"):
        answer_slope(c, context())


@pytest.mark.parametrize("options", [{}, {"repeats": 4}, {"repeats": 20.0}])
def test_random_data_need_a_stated_number_of_repetitions(options: Any) -> None:
    with pytest.raises(KernelError, match="repeats"):
        slope(SIZES, claimed=-1, draw=power_law(-1), within=1, **options)


def test_quantiles_of_student_agree_with_scipy() -> None:
    from scipy.stats import norm, t

    assert t_quantile(1e-4, 7.3) == pytest.approx(t.isf(1e-4, 7.3), rel=1e-10)
    assert t_quantile(1e-4, float("inf")) == pytest.approx(norm.isf(1e-4), rel=1e-10)


def saturating(repeats: int = 30, growth: float = 0.0) -> Callable[..., Any]:
    def draw(size: int, rng: np.random.Generator) -> Any:
        return size**growth * rng.uniform(0.9, 1.1, repeats)

    return draw


def random_plateau(growth: float, seed: int = 0, shift: Any = 0, **options: Any) -> Outcome:
    c = plateau(SIZES, draw=saturating(growth=growth), repeats=30, within=Q(1, 10), **options)
    return answer_plateau(c, context(seed, shift=shift))


def test_a_plateau_of_means_is_told_from_growth() -> None:
    flat = random_plateau(0.0)
    assert (flat.decision, flat.evidence) == (Decision.FOR, Evidence.EMPIRICAL)
    assert random_plateau(0.5).decision is Decision.AGAINST
    assert random_plateau(-0.5).decision is Decision.AGAINST
    assert random_plateau(-0.5, side="upper").decision is Decision.FOR
    assert random_plateau(0.5, side="upper").decision is Decision.AGAINST


@pytest.mark.parametrize("side", ["two", "upper", "lower"])
def test_random_plateaus_moved_by_twice_their_resolution_are_refuted(side: str) -> None:
    outcome = random_plateau(0.0, side=side)
    assert outcome.resolution is not None
    twice = Q(2 * outcome.resolution)
    assert random_plateau(0.0, side=side, shift=fmpq(twice.numerator, twice.denominator)).decision is Decision.AGAINST


def test_plateaus_of_curves_use_paired_increments() -> None:
    def curve(rng: np.random.Generator) -> Any:
        return np.exp(0.3 * rng.standard_normal()) * rng.uniform(0.99, 1.01, 3)

    c = plateau(SIZES, curve=curve, repeats=20, within=Q(1, 20))
    assert answer_plateau(c, context()).decision is Decision.FOR


def test_a_noisy_plateau_is_undecided() -> None:
    c = plateau(SIZES, draw=saturating(8), repeats=8, within=Q(1, 1000))
    assert answer_plateau(c, context()).decision is Decision.UNDECIDED
