"""Exponents of deterministic data. Right values: closed forms; oracle for the fit: numpy.polyfit."""

from __future__ import annotations

from fractions import Fraction as Q
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb, fmpq

from theorems.kernel.outcome import Context, Decision, Evidence, KernelError, Outcome
from theorems.kernel.slopes import Slope, answer_slope, slope
from theorems.kernel.values import Approx

SIZES = [10, 30, 100, 300, 1000]


def answered(c: Slope, shift: Any = 0) -> Outcome:
    return answer_slope(c, Context(shift=fmpq(shift)))


def refuted_at_twice_its_resolution(c: Slope) -> bool:
    outcome = answered(c)
    assert outcome.decision is Decision.FOR
    assert outcome.resolution is not None
    twice = fmpq(*(2 * outcome.resolution).as_integer_ratio())
    return answered(c, twice).decision is Decision.AGAINST


@pytest.mark.parametrize("s", [-2, -1, 0, 1, 3])
def test_slope_of_an_exact_power_is_its_exponent(s: int) -> None:
    outcome = answered(slope(SIZES, [5 * Q(n) ** s for n in SIZES], s, within=Q(1, 10**25)))
    assert outcome.decision is Decision.FOR
    assert outcome.evidence is Evidence.CERTIFIED
    assert outcome.lhs.contains(arb(s))


def test_slope_agrees_with_polyfit_on_a_curved_sum() -> None:
    values = [sum(Q(k) ** 2 + k for k in range(1, n + 1)) for n in SIZES]
    outcome = answered(slope(SIZES, values, 3, within=Q(1, 5)))
    oracle = np.polyfit(np.log(SIZES), np.log([float(v) for v in values]), 1)[0]
    assert outcome.decision is Decision.FOR
    assert float(outcome.lhs.mid()) == pytest.approx(oracle, rel=1e-12)


def test_drift_is_the_quadratic_coefficient_of_polyfit_times_the_range() -> None:
    u = np.log(SIZES)
    values = [n * n + 40 * n for n in SIZES]
    half = abs(np.polyfit(u, np.log(values), 2)[0] * (u[-1] - u[0]))
    just_above, just_below = (Q(round(half * f * 10**6), 10**6) for f in (1.001, 0.999))
    assert answered(slope(SIZES, values, Q(3, 2), within=1, drift=just_above)).decision is Decision.FOR
    assert answered(slope(SIZES, values, Q(3, 2), within=1, drift=just_below)).decision is Decision.UNDECIDED


def test_power_sum_of_halves_has_exponent_three_halves() -> None:
    sizes = [100, 400, 1600]

    def sums() -> list[arb]:
        return [sum((arb(k).sqrt() for k in range(1, n + 1)), arb(0)) for n in sizes]

    outcome = answered(slope(sizes, sums, Q(3, 2), within=Q(1, 50)))
    assert outcome.decision is Decision.FOR
    assert outcome.evidence is Evidence.CERTIFIED


def test_exponent_five_percent_off_is_refuted() -> None:
    values = [Q(n) ** 2 for n in SIZES]
    assert answered(slope(SIZES, values, Q(21, 10), within=Q(1, 20))).decision is Decision.AGAINST
    assert answered(slope(SIZES, values, Q(19, 10), within=Q(1, 20))).decision is Decision.AGAINST


def squares_with_logarithm() -> list[arb]:
    return [arb(n) * n * arb(n).log() for n in SIZES]


def test_a_claimed_logarithm_is_divided_out() -> None:
    assert answered(slope(SIZES, squares_with_logarithm, 2, within=Q(1, 10**20), logs=1)).lhs.contains(2)
    assert answered(slope(SIZES, squares_with_logarithm, 2, within=Q(1, 100), logs=0)).decision is Decision.AGAINST
    assert answered(slope(SIZES, squares_with_logarithm, 2, within=Q(1, 100), logs=2)).decision is Decision.AGAINST


def test_some_power_of_the_logarithm_in_a_range_may_fit() -> None:
    found = answered(slope(SIZES, squares_with_logarithm, 2, within=Q(1, 1000), logs=(0, 3)))
    assert found.decision is Decision.FOR
    missed = slope(SIZES, squares_with_logarithm, 2, within=Q(1, 100), logs=(Q(3, 2), 3))
    assert answered(missed).decision is Decision.AGAINST


def test_logarithms_of_small_arguments_are_taken_of_the_inverse() -> None:
    small = [fmpq(1, 10), fmpq(1, 100), fmpq(1, 1000)]

    def values() -> list[arb]:
        return [arb(e) * -arb(e).log() for e in small]

    outcome = answered(slope(small, values, 1, within=Q(1, 10**20), logs=1))
    assert outcome.decision is Decision.FOR


def test_high_precision_values_earn_numeric() -> None:
    values = [lambda n=n: mpmath.mpf(n) ** mpmath.mpf("0.3") for n in SIZES]
    outcome = answered(slope(SIZES, values, Q(3, 10), within=Q(1, 10**9)))
    assert (outcome.decision, outcome.evidence) == (Decision.FOR, Evidence.NUMERIC)


def test_floats_with_a_stated_error_earn_numeric() -> None:
    values = [Approx(float(n) ** 1.5, 1e-9) for n in SIZES]
    outcome = answered(slope(SIZES, values, Q(3, 2), within=Q(1, 10**6)))
    assert (outcome.decision, outcome.evidence) == (Decision.FOR, Evidence.NUMERIC)
    vague = [Approx(float(n), 0.9 * n) for n in SIZES]
    assert answered(slope(SIZES, vague, 1, within=Q(1, 10))).decision is Decision.UNDECIDED


def test_an_irrational_exponent_may_be_claimed_by_a_thunk() -> None:
    sizes = [2, 4, 8, 16, 32]
    c = slope(sizes, [3**k for k in range(1, 6)], lambda: arb(3).log() / arb(2).log(), within=Q(1, 10**20))
    assert answered(c).decision is Decision.FOR


def test_one_sided_claims_bound_on_their_side_only() -> None:
    values = [Q(n) ** 2 for n in SIZES]
    for claimed, side, decision in (
        (3, "upper", Decision.FOR),
        (1, "upper", Decision.AGAINST),
        (1, "lower", Decision.FOR),
        (3, "lower", Decision.AGAINST),
    ):
        assert answered(slope(SIZES, values, claimed, within=Q(1, 10), side=side)).decision is decision


def test_semilogarithmic_axes_read_exponential_and_logarithmic_rates() -> None:
    steps = [4, 8, 12, 20]
    rate = slope(steps, [Q(1, 3**k) for k in steps], lambda: -arb(3).log(), within=Q(1, 10**20), axes="semilogy")
    assert answered(rate).decision is Decision.FOR
    sizes = [2**k for k in steps]
    height = slope(sizes, steps, lambda: 1 / arb(2).log(), within=Q(1, 10**20), axes="semilogx")
    assert answered(height).decision is Decision.FOR
    line = slope(steps, [7 * k - 3 for k in steps], 7, within=Q(1, 10**20), axes="linear")
    assert answered(line).decision is Decision.FOR


def exponential_decay() -> list[Q]:
    return [Q(1, 3**n) for n in (4, 8, 16, 32)]


def test_a_drifting_fit_is_undecided_however_near_its_slope() -> None:
    sizes = [4, 8, 16, 32]
    fitted = Q(-1458, 100)  # numpy.polyfit; the local slope between x and 2x is -x log2(3)
    outcome = answered(slope(sizes, exponential_decay(), fitted, within=1))
    assert outcome.decision is Decision.UNDECIDED
    assert "the local slopes drift from -6.33985 to -25.3594" in outcome.reason
    silent = answered(slope(sizes, exponential_decay(), fitted, within=1, drift=None))
    assert silent.decision is Decision.FOR
    assert "drift not tested" in silent.reason


def test_a_drift_in_favour_of_a_one_sided_claim_is_no_objection() -> None:
    sizes = [4, 8, 16, 32]
    faster = slope(sizes, exponential_decay(), -2, within=Q(1, 10), side="upper")
    assert answered(faster).decision is Decision.FOR
    slower = slope(sizes, [1 / y for y in exponential_decay()], 20, within=Q(1, 10), side="upper")
    assert answered(slower).decision is Decision.UNDECIDED


@pytest.mark.parametrize("side", ["two", "upper", "lower"])
@pytest.mark.parametrize("claimed", [Q(2), Q(203, 100), Q(197, 100)])
def test_claims_moved_by_twice_their_resolution_are_refuted(side: str, claimed: Q) -> None:
    assert refuted_at_twice_its_resolution(
        slope(SIZES, [Q(n) ** 2 for n in SIZES], claimed, within=Q(1, 20), side=side)
    )


def test_logarithm_ranges_moved_by_twice_their_resolution_are_refuted() -> None:
    assert refuted_at_twice_its_resolution(slope(SIZES, squares_with_logarithm, 2, within=Q(1, 1000), logs=(0, 3)))


def test_resolution_is_the_tolerance_plus_the_distance() -> None:
    outcome = answered(slope(SIZES, [Q(n) ** 2 for n in SIZES], Q(203, 100), within=Q(1, 20)))
    assert outcome.resolution == pytest.approx(0.08, rel=1e-12)


def test_a_slope_on_the_edge_of_the_tolerance_is_undecided() -> None:
    outcome = answered(slope(SIZES, [Q(n) ** 2 for n in SIZES], Q(21, 10), within=Q(1, 10)))
    assert outcome.decision is Decision.UNDECIDED
    assert "edge" in outcome.reason


def test_precision_grows_until_a_close_claim_is_decided() -> None:
    tiny = Q(1, 10**200)
    c = slope(SIZES, [Q(n) ** 2 for n in SIZES], 2 + 2 * tiny, within=tiny)
    assert answered(c).decision is Decision.AGAINST


def test_plots_show_data_fit_and_claim() -> None:
    points = dict(answered(slope(SIZES, [n * n for n in SIZES], 2, within=Q(1, 9))).points)
    assert [p[:2] for p in points["measured"]] == [(float(n), float(n * n)) for n in SIZES]
    assert [p[1] for p in points["fitted"]] == pytest.approx([n * n for n in SIZES])
    assert set(points) == {"measured", "fitted", "claimed"}


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1, 10], [1, 2], 1), {}, "at least 3"),
        (([1, 10, 100], [1, 2], 1), {}, "2 values make no slope"),
        (([1, 10, 100], [1, 2, 3, 4], 1), {}, "3 sizes but 4 values"),
        (([1, 10, 100], [1, 2, 3]), {}, "exponent that is claimed"),
        (([1, 10, 100], None, 1), {}, "one of the three"),
        (([1, 10, 100], [1, 2, 3], 1), {"side": "left"}, "accepted are"),
        (([1, 10, 100], [1, 2, 3], 1), {"within": 0.1}, "exact number"),
        (([1, 10, 100], [1, 2, 3], 1), {"within": 0}, "positive"),
        (([1, 10, 100], [1, 2, 3], 1), {"axes": "log"}, "accepted are"),
        (([1, 10, 100], [1, 2, 3], 1), {"logs": 1, "axes": "linear"}, "loglog"),
        (([1, 10, 100], [1, 2, 3], 1), {"logs": (2, 1)}, "least power"),
        (([1, 10, 100], [1, 2, 3], 1), {"repeats": 10}, "random data"),
        (([1, 10, 100], [1, 2, 3], 1), {"fewest": 1}, ">= 2"),
        ((range(3), 5, 1), {}, "give a list"),
    ],
)
def test_arguments_that_make_no_claim_are_refused(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(KernelError, match=message):
        slope(*arguments, **{"within": Q(1, 10), **options})


@pytest.mark.parametrize(
    ("xs", "ys", "options", "message"),
    [
        ([1, 10, 10], [1, 2, 3], {}, "twice"),
        ([1, 100, 10], [1, 2, 3], {}, "turn back"),
        ([10, 20, 30], [1, 2, 3], {}, "factor 3 only"),
        ([0, 10, 100], [1, 2, 3], {}, "positive"),
        ([1, 10, 100], [1, 0, 3], {}, "value at 10 is 0"),
        ([1, 10, 100], [1, -2, 3], {}, "positive"),
        ([1, 10, 100], [1, 2, 3], {"logs": 1}, "not 1 to 100"),
        ([Q(1, 2), 10, 100], [1, 2, 3], {"logs": 1}, "above 1"),
        ([1, 10, 100], [1.0, 2.0, 3.0], {}, "bare float"),
        ([1, 10, 100], ["a", "b", "c"], {}, "flat sequence"),
        ([1, 10, 100], lambda: [1, 2], {}, "3 sizes but 2 values"),
    ],
)
def test_data_that_have_no_slope_are_refused(xs: Any, ys: Any, options: Any, message: str) -> None:
    with pytest.raises(KernelError, match=message):
        answered(slope(xs, ys, 1, within=Q(1, 10), **options))


def test_a_short_range_or_two_sizes_may_be_stated() -> None:
    short = slope([10, 20, 30], [100, 400, 900], 2, within=Q(1, 100), spread=3)
    assert answered(short).decision is Decision.FOR
    two = answered(slope([10, 100], [100, 10000], 2, within=Q(1, 100), fewest=2))
    assert two.decision is Decision.FOR
    assert "drift not tested" in two.reason


def test_a_value_not_known_to_be_positive_is_undecided() -> None:
    values = [arb(1), arb(0, 1), arb(3)]
    outcome = answered(slope([1, 10, 100], values, 1, within=Q(1, 10)))
    assert outcome.decision is Decision.UNDECIDED
    assert "positive" in outcome.reason
