"""Means: what holds, what is refuted, what stays undecided, and that the stated resolution is true."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from flint import arb, fmpq

from tests.naming import named
from theorems.kernel.answer import answer
from theorems.kernel.means import Mean, mean_eq, mean_ge, mean_le
from theorems.kernel.outcome import Context, Decision, Evidence, KernelError, Outcome
from theorems.kernel.values import Approx

LEVEL = 1e-6


def context(seed: int = 1, level: float = LEVEL, shift: float = 0.0) -> Context:
    def stream(j: int) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=[seed, j]))

    return Context(level=level, stream=stream, shift=fmpq(*shift.as_integer_ratio()))


def uniform(rng: np.random.Generator) -> Any:
    return rng.random(500)


def gauss(rng: np.random.Generator) -> Any:
    return rng.standard_normal(500)


def coin(rng: np.random.Generator) -> float:
    return 1.0 if rng.random() < 0.3 else -1.0


HALF = Fraction(1, 2)
TRUE = [
    mean_eq(uniform, HALF, support=(0, 1)),
    mean_eq(uniform, HALF, support=(0, 1), within=0.05, fixed=12_000),
    mean_eq(coin, Fraction(-2, 5), support=(-1, 1), within=0.3),
    mean_le(uniform, HALF, support=(0, 1)),
    mean_le(uniform, Fraction(9, 10), support=(0, 1)),
    mean_ge(uniform, HALF, support=(0, 1)),
    mean_ge(coin, -HALF, support=(-1, 1), within=Fraction(1, 4)),
    mean_eq(gauss, 0, scale=1, within=0.2),
    mean_le(gauss, 0, scale=1, within=0.2),
    mean_ge(gauss, Fraction(-1, 10), scale=1, within=0.2),
    mean_eq(gauss, 0, scale=1, within=0.25, fixed=3000),
    mean_eq(gauss, 0, within=0.25, fixed=3000),
    mean_le(gauss, 0, within=0.25, fixed=3000),
    mean_ge(gauss, 0, within=0.25, fixed=3000),
]


@pytest.mark.parametrize("comparison", TRUE, ids=named)
def test_a_true_statement_holds_with_an_interval_as_narrow_as_declared(comparison: Mean) -> None:
    outcome = answer(comparison, context())
    assert outcome.decision is Decision.FOR
    low, high = outcome.points[0][1][-1][2:]
    assert high - low <= comparison.within
    assert outcome.margin is not None
    assert outcome.margin > 0
    assert outcome.level == LEVEL


@pytest.mark.parametrize("comparison", TRUE, ids=named)
@pytest.mark.parametrize("level", [0.01, 1e-8])
def test_a_statement_moved_by_twice_its_resolution_is_refuted(comparison: Mean, level: float) -> None:
    outcome = answer(comparison, context(level=level))
    assert outcome.decision is Decision.FOR
    assert outcome.resolution is not None
    for direction in (1, -1) if comparison.relation == "=" else (1,):
        moved = answer(comparison, context(level=level, shift=2 * direction * outcome.resolution))
        assert moved.decision is Decision.AGAINST
        assert moved.samples <= outcome.samples


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "comparison",
    [
        mean_eq(uniform, Fraction(3, 5), support=(0, 1)),
        mean_eq(uniform, Fraction(2, 5), support=(0, 1)),
        mean_le(uniform, Fraction(2, 5), support=(0, 1)),
        mean_ge(uniform, Fraction(3, 5), support=(0, 1)),
        mean_eq(uniform, Fraction(11, 20), support=(0, 1), within=0.05, fixed=5000),
        mean_eq(gauss, Fraction(1, 5), scale=1),
        mean_le(gauss, Fraction(-1, 5), scale=1),
        mean_ge(gauss, Fraction(1, 5), scale=1, within=0.2, fixed=3000),
        mean_eq(gauss, Fraction(1, 5), within=0.2, fixed=3000),
    ],
    ids=named,
)
def test_a_false_statement_is_refuted(comparison: Mean, seed: int) -> None:
    outcome = answer(comparison, context(seed))
    assert outcome.decision is Decision.AGAINST
    assert outcome.margin is not None
    assert outcome.margin < 0


def test_evidence_is_statistical_with_a_guarantee_and_empirical_without() -> None:
    def earned(comparison: Mean) -> Evidence:
        return answer(comparison, context()).evidence

    assert earned(mean_eq(uniform, HALF, support=(0, 1))) is Evidence.STATISTICAL
    assert earned(mean_eq(gauss, 0, scale=1)) is Evidence.STATISTICAL
    assert earned(mean_eq(gauss, 0, scale=1, fixed=100, within=3)) is Evidence.STATISTICAL
    assert earned(mean_eq(gauss, 0, fixed=100, within=3)) is Evidence.EMPIRICAL


@pytest.mark.parametrize(
    ("comparison", "keyword"),
    [
        (mean_eq(uniform, HALF, support=(0, 1), within=0.02, limit=900), "limit"),
        (mean_eq(uniform, HALF, support=(0, 1), within=0.1, fixed=300), "fixed"),
        (mean_eq(gauss, 0, scale=1, within=0.2, limit=1000), "limit"),
        (mean_eq(gauss, 0, scale=1, within=0.2, fixed=1000), "fixed"),
        (mean_eq(gauss, 0, within=0.2, fixed=1000), "fixed"),
    ],
    ids=named,
)
def test_too_few_draws_leave_it_undecided_and_the_suggested_number_is_enough(comparison: Mean, keyword: str) -> None:
    outcome = answer(comparison, context())
    assert outcome.decision is Decision.UNDECIDED
    assert outcome.samples == (comparison.fixed or comparison.limit)
    suggested = re.search(rf"{keyword}=(\d+) would do", outcome.reason)
    assert suggested is not None
    change: dict[str, Any] = {keyword: int(suggested[1])}
    larger = replace(comparison, **change)
    assert answer(larger, context()).decision is Decision.FOR


def test_blocks_and_single_draws_of_equal_values_give_the_same_outcome() -> None:
    values = np.random.Generator(np.random.Philox(key=5)).random(5000)
    position = {"single": 0, "block": 0}

    def single(rng: np.random.Generator) -> float:
        position["single"] += 1
        return float(values[position["single"] - 1])

    def block(rng: np.random.Generator) -> Any:
        position["block"] += 100
        return values[position["block"] - 100 : position["block"]]

    one = answer(mean_eq(single, HALF, support=(0, 1)), context())
    assert one == answer(mean_eq(block, HALF, support=(0, 1)), context())


@pytest.mark.parametrize("comparison", TRUE[:3], ids=named)
def test_equal_substreams_give_equal_outcomes(comparison: Mean) -> None:
    assert answer(comparison, context()) == answer(comparison, context())


def test_a_fixed_size_is_not_left_early_in_favour_but_may_be_refuted_early() -> None:
    assert answer(mean_eq(uniform, HALF, support=(0, 1), within=0.5, fixed=5000), context()).samples == 5000
    assert answer(mean_eq(uniform, 0.9, support=(0, 1), within=0.5, fixed=5000), context()).samples < 1000
    for wrong in (mean_eq(gauss, 1, scale=1, fixed=500, within=1), mean_eq(gauss, 1, fixed=500, within=1)):
        assert answer(wrong, context()).samples == 500


@pytest.mark.parametrize("end", [0, 1])
def test_draws_that_stay_at_an_end_of_the_support(end: int) -> None:
    at_end = mean_eq(lambda rng: np.full(100, float(end)), end, support=(0, 1), within=0.05)
    assert answer(at_end, context()).decision is Decision.FOR
    assert answer(replace(at_end, value=HALF), context()).decision is Decision.AGAINST


def test_draws_without_variance_confirm_their_value_and_refute_another() -> None:
    constant = mean_eq(lambda rng: np.full(100, 0.3), 0.3, support=(0, 1), within=0.05)
    assert answer(constant, context(level=1e-8)).decision is Decision.FOR
    assert answer(replace(constant, value=0.36), context(level=1e-8)).decision is Decision.AGAINST
    student = mean_eq(lambda rng: 0.3, 0.3, fixed=20, within=0.01)
    outcome = answer(student, context())
    assert outcome.decision is Decision.FOR
    assert outcome.resolution is not None
    assert outcome.resolution > 0
    assert answer(student, context(shift=2 * outcome.resolution)).decision is Decision.AGAINST


def test_a_value_outside_the_support_is_refuted_by_the_first_draw() -> None:
    outcome = answer(mean_eq(uniform, Fraction(6, 5), support=(0, 1)), context())
    assert (outcome.decision, outcome.samples) == (Decision.AGAINST, 1)


@pytest.mark.parametrize(
    "value",
    [
        HALF,
        fmpq(1, 2),
        0.5,
        np.float64(0.5),
        arb(0.5, 1e-9),
        Approx(0.5, 1e-9),
        lambda: arb(1) / 2,
        lambda: mpmath.sin(mpmath.pi / 6),
        sympy.sqrt(2) ** 2 / 4,
    ],
    ids=named,
)
def test_every_admitted_real_number_may_be_the_value(value: Any) -> None:
    assert answer(mean_eq(uniform, value, support=(0, 1)), context()).decision is Decision.FOR


def test_a_ball_is_refuted_only_as_a_whole_and_its_radius_is_part_of_the_resolution() -> None:
    sharp = answer(mean_eq(uniform, HALF, support=(0, 1)), context())
    wide = answer(mean_eq(uniform, arb(0.8, 0.3), support=(0, 1)), context())
    assert wide.decision is Decision.FOR
    assert sharp.resolution is not None
    assert wide.resolution == pytest.approx(sharp.resolution + 0.6, abs=1e-6)
    assert answer(mean_eq(uniform, arb(0.9, 0.3), support=(0, 1)), context()).decision is Decision.AGAINST


@pytest.mark.parametrize("value", [float("nan"), float("inf"), True, "half", None, np.float32(0.5), [0.5], sympy.oo])
def test_a_value_that_is_no_real_number_is_refused(value: Any) -> None:
    with pytest.raises(KernelError):
        answer(mean_eq(uniform, value, support=(0, 1)), context())


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ({}, "fixed=N and within=w"),
        ({"fixed": 100}, "fixed=N and within=w"),
        ({"within": 0.1}, "fixed=N and within=w"),
        ({"fixed": 9, "within": 0.1}, "at least 10"),
        ({"support": (0, 1), "scale": 1}, "not both"),
        ({"support": (1, 0)}, "lo < hi"),
        ({"support": (0, 0)}, "lo < hi"),
        ({"support": 1}, "pair"),
        ({"support": (0, float("inf"))}, "finite number"),
        ({"support": (0, 1), "within": 1}, "could not fail"),
        ({"support": (0, 1), "within": 0}, "a width in"),
        ({"support": (0, 1), "within": -0.1}, "a width in"),
        ({"support": (0, 1), "within": True}, "a finite number"),
        ({"support": (0, 1), "limit": 0}, "at least 1"),
        ({"support": (0, 1), "limit": 1e4}, "an int"),
        ({"support": (0, 1), "fixed": True}, "an int"),
        ({"scale": 0}, "> 0"),
        ({"scale": "one"}, "a finite number"),
    ],
    ids=named,
)
def test_arguments_out_of_range_are_refused_with_what_is_accepted(arguments: dict[str, Any], advice: str) -> None:
    for compare in (mean_eq, mean_le, mean_ge):
        with pytest.raises(KernelError, match=advice):
            compare(uniform, HALF, **arguments)


def test_what_is_no_draw_function_is_refused() -> None:
    with pytest.raises(KernelError, match="draw function"):
        mean_eq(0.5, HALF, support=(0, 1))  # type: ignore[arg-type]


def test_draws_whose_sum_overflows_decide_nothing() -> None:
    for comparison in (
        mean_eq(lambda rng: 1e308, 0, scale=1, fixed=50, within=1),
        mean_eq(lambda rng: 1e308, 0, fixed=50, within=1),
    ):
        outcome = answer(comparison, context())
        assert (outcome.decision, outcome.margin) == (Decision.UNDECIDED, None)


def test_points_show_the_confidence_sequence_thinned() -> None:
    ((name, rows),) = answer(mean_eq(uniform, HALF, support=(0, 1), within=0.01, limit=30_000), context()).points
    assert "betting" in name
    assert len(rows) <= 60
    assert rows[0][0] == 1
    assert rows[-1][0] == 30_000
    lows, highs = [r[2] for r in rows], [r[3] for r in rows]
    assert lows == sorted(lows)
    assert highs == sorted(highs, reverse=True)


@pytest.mark.parametrize(
    "comparison",
    [
        mean_eq(lambda rng: rng.random(100), HALF, support=(0, 1), within=0.1, limit=1000),
        mean_le(lambda rng: (rng.random(100) < 0.1).astype(float), Fraction(1, 10), support=(0, 1), limit=1000),
        mean_ge(lambda rng: rng.standard_normal(100), 0, scale=1, within=0.3, limit=1000),
        mean_eq(lambda rng: rng.standard_normal(100), 0, within=0.5, fixed=100),
    ],
    ids=named,
)
def test_a_true_statement_is_refuted_for_at_most_its_level_of_the_seeds(comparison: Mean) -> None:
    """At level 0.1 over 300 seeds; the slack is the binomial's upper 1e-6 quantile."""
    from scipy import stats

    refuted = sum(_decision(comparison, seed) is Decision.AGAINST for seed in range(300))
    assert refuted <= stats.binom.isf(1e-6, 300, 0.1)


def _decision(comparison: Mean, seed: int) -> Decision:
    outcome: Outcome = answer(comparison, context(seed, 0.1))
    return outcome.decision
