"""Laws: the Kolmogorov distance against scipy, jumps, two samples, and the stated resolution."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from scipy import stats

from tests.naming import named
from theorems.kernel.laws import Law, SameLaw, answer_law, answer_same_law, law, same_law
from theorems.kernel.outcome import Context, Decision, Evidence, KernelError, Outcome


def context(seed: int = 1, level: float = 1e-6, shift: float = 0.0) -> Context:
    def stream(j: int) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=[seed, j]))

    return Context(level=level, stream=stream, shift=fmpq(*shift.as_integer_ratio()))


def decided(comparison: Law | SameLaw, c: Context) -> Outcome:
    return answer_law(comparison, c) if isinstance(comparison, Law) else answer_same_law(comparison, c)


def gauss(rng: np.random.Generator) -> Any:
    return rng.standard_normal(500)


def dice(rng: np.random.Generator) -> Any:
    return rng.integers(1, 7, 500).astype(float)


def scalar_gauss_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2)) if x < 0 else 1 - 0.5 * math.erfc(x / math.sqrt(2))


def mixed(rng: np.random.Generator) -> Any:
    """An atom of 1/2 at 0 and an exponential tail."""
    return np.maximum(0.0, rng.exponential(size=500) - math.log(2))


FAIR = {k: Fraction(1, 6) for k in range(1, 7)}
TRUE = [
    law(gauss, stats.norm().cdf, size=4000),
    law(gauss, stats.norm(), size=4000),
    law(gauss, scalar_gauss_cdf, size=4000),
    law(dice, FAIR, size=4000),
    law(dice, lambda x: np.clip(np.floor(x), 0, 6) / 6, size=4000),
    law(mixed, lambda x: np.where(x < 0, 0.0, 1 - 0.5 * np.exp(-np.maximum(x, 0))), size=4000),
    same_law(gauss, lambda rng: -rng.standard_normal(500), size=4000),
    same_law(dice, lambda rng: 7 - dice(rng), size=4000),
]


@pytest.mark.parametrize("comparison", TRUE, ids=named)
@pytest.mark.parametrize("level", [0.01, 1e-8])
def test_a_true_law_holds_and_moved_by_twice_its_resolution_it_is_refuted(comparison: Any, level: float) -> None:
    outcome = decided(comparison, context(level=level))
    assert (outcome.decision, outcome.evidence) == (Decision.FOR, Evidence.STATISTICAL)
    assert outcome.samples == comparison.size * (1 if isinstance(comparison, Law) else 2)
    assert outcome.resolution is not None
    moved = decided(comparison, context(level=level, shift=2 * outcome.resolution))
    assert moved.decision is Decision.AGAINST


@pytest.mark.parametrize(
    "comparison",
    [
        law(gauss, stats.norm(scale=1.3), size=4000),
        law(gauss, stats.norm(loc=0.15), size=4000),
        law(dice, {1: 0.25, 2: 0.25, 3: 0.125, 4: 0.125, 5: 0.125, 6: 0.125}, size=4000),
        law(lambda rng: np.zeros(500), lambda x: np.where(x < 0, 0.0, np.minimum(1.0, x + 0.5)), size=4000),
        law(mixed, lambda x: np.where(x < 0, 0.0, 1 - np.exp(-np.maximum(x, 0))), size=4000),
        same_law(gauss, lambda rng: 1.3 * rng.standard_normal(500), size=4000),
        same_law(dice, lambda rng: rng.integers(1, 8, 500).astype(float), size=4000),
    ],
    ids=named,
)
def test_a_false_law_is_refuted(comparison: Any) -> None:
    for seed in range(3):
        outcome = decided(comparison, context(seed))
        assert outcome.decision is Decision.AGAINST
        assert outcome.margin is not None
        assert outcome.margin < 0


def _distance(outcome: Outcome) -> float:
    return float(str(outcome.lhs).rsplit(" ", 1)[1])


def test_the_distance_is_scipys_kolmogorov_statistic() -> None:
    for seed in range(5):
        x = np.concatenate([gauss(context(seed).stream(j)) for j in range(2)])  # type: ignore[misc]
        one = decided(law(gauss, stats.norm(), size=1000), context(seed))
        assert _distance(one) == pytest.approx(stats.kstest(x, stats.norm().cdf).statistic, rel=1e-5)
        a, b = ([dice(context(seed).stream(j + s)) for j in (0, 2)] for s in (0, 1))  # type: ignore[misc]
        two = decided(same_law(dice, dice, size=1000), context(seed))
        expected = stats.ks_2samp(np.concatenate(a), np.concatenate(b)).statistic
        assert _distance(two) == pytest.approx(expected, rel=1e-5)


def test_both_sides_of_a_jump_are_compared() -> None:
    """A sample of zeros against the uniform law on [-1, 1] is 1/2 away on both sides; against an atom of 0.4 it is 0.3."""
    zeros = lambda rng: np.zeros(100)  # noqa: E731
    assert _distance(decided(law(zeros, lambda x: (x + 1) / 2, size=100), context())) == pytest.approx(0.5)
    below = law(zeros, lambda x: np.where(x < 0, 0.3, 0.7), size=100)
    assert _distance(decided(below, context())) == pytest.approx(0.3)
    skewed = law(zeros, lambda x: np.where(x < 0, 0.1, 0.5), size=100)
    assert _distance(decided(skewed, context())) == pytest.approx(0.5)


def test_a_discrete_law_has_distance_of_the_largest_deviation_of_the_cumulated_counts() -> None:
    x = np.concatenate([dice(context(3).stream(j)) for j in range(2)])  # type: ignore[misc]
    expected = max(abs((x <= k).mean() - k / 6) for k in range(1, 7))
    assert _distance(decided(law(dice, FAIR, size=1000), context(3))) == pytest.approx(expected, rel=1e-5)


def test_a_size_at_which_nothing_could_be_refuted_is_undecided_and_the_suggested_size_could() -> None:
    small: tuple[Law | SameLaw, ...] = (law(gauss, stats.norm(), size=5), same_law(gauss, gauss, size=8))
    for comparison in small:
        outcome = decided(comparison, context())
        assert outcome.decision is Decision.UNDECIDED
        suggested = re.search(r"size=(\d+) could", outcome.reason)
        assert suggested is not None
        assert decided(replace(comparison, size=int(suggested[1])), context()).decision is Decision.FOR


def test_a_band_wider_than_declared_is_undecided_and_the_suggested_size_is_enough() -> None:
    wide: tuple[Law | SameLaw, ...] = (
        law(gauss, stats.norm(), size=500, within=0.1),
        same_law(gauss, gauss, size=500, within=0.1),
    )
    for comparison in wide:
        outcome = decided(comparison, context())
        assert outcome.decision is Decision.UNDECIDED
        suggested = re.search(r"size=(\d+) would do", outcome.reason)
        assert suggested is not None
        assert decided(replace(comparison, size=int(suggested[1])), context()).decision is Decision.FOR


def test_points_hold_the_band_and_the_largest_gap() -> None:
    ((_, rows),) = decided(TRUE[0], context()).points
    assert len(rows) <= 60
    assert all(0 <= low <= high <= 1 for _, _, low, high in rows)


@pytest.mark.parametrize(
    ("cdf", "advice"),
    [
        (lambda x: 2 * x, r"values in \[0, 1\]"),
        (lambda x: np.full_like(x, np.nan), r"values in \[0, 1\]|differs"),
        (lambda x: 1 / (1 + np.exp(x)), "decreases"),
        (lambda x: np.array([0.5]), "one value an entry"),
        (lambda x: np.linspace(0, 1, np.size(x)) if np.size(x) > 1 else np.float64(0.5), "differs"),
    ],
    ids=["above one", "nan", "decreasing", "one value", "index"],
)
def test_what_is_no_distribution_function_is_refused(cdf: Any, advice: str) -> None:
    with pytest.raises(KernelError, match=advice):
        answer_law(law(gauss, cdf, size=1000), context())


@pytest.mark.parametrize(
    ("make", "advice"),
    [
        (lambda: law(gauss, {0: 0.5, 1: 0.6}, size=10), "sum 1"),
        (lambda: law(gauss, {0: 1.5, 1: -0.5}, size=10), "sum 1"),
        (lambda: law(gauss, {}, size=10), "sum 1"),
        (lambda: law(gauss, 0.5, size=10), "frozen scipy"),  # type: ignore[arg-type]
        (lambda: law(0.5, FAIR, size=10), "draw function"),  # type: ignore[arg-type]
        (lambda: law(gauss, FAIR, size=0), "at least 1"),
        (lambda: law(gauss, FAIR, size=10, within=0), "a width in"),
        (lambda: same_law(gauss, 0.5, size=10), "draw functions"),  # type: ignore[arg-type]
    ],
)
def test_arguments_out_of_range_are_refused_with_what_is_accepted(make: Any, advice: str) -> None:
    with pytest.raises(KernelError, match=advice):
        make()


def test_an_error_inside_the_distribution_function_is_not_swallowed() -> None:
    def broken(x: Any) -> Any:
        raise ValueError("my own mistake")

    with pytest.raises(ValueError, match="my own mistake"):
        answer_law(law(gauss, broken, size=10), context())


@pytest.mark.parametrize(
    "comparison",
    [law(gauss, stats.norm(), size=100), law(dice, FAIR, size=100), same_law(gauss, gauss, size=100)],
    ids=named,
)
def test_a_true_law_is_refuted_for_at_most_its_level_of_the_seeds(comparison: Any) -> None:
    """At level 0.1 over 300 seeds; the slack is the binomial's upper 1e-6 quantile."""
    refuted = sum(decided(comparison, context(seed, 0.1)).decision is Decision.AGAINST for seed in range(300))
    assert refuted <= stats.binom.isf(1e-6, 300, 0.1)
