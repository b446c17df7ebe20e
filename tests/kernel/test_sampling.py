"""What a draw function may return, and how it is called."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.naming import named
from theorems.kernel.outcome import Context, KernelError
from theorems.kernel.sampling import admit_event, admit_number, admit_within, prefixes


def substream(j: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=[7, j]))


C = Context(level=0.01, stream=substream)

NOT_NUMBERS = [
    1,
    Fraction(1, 2),
    "0.5",
    None,
    1j,
    np.float32(0.5),
    np.int64(1),
    [0.5, 0.25],
    np.array([1, 2]),
    np.array([0.5], dtype=np.float32),
    np.array(0.5),
    np.zeros((2, 2)),
    np.array([]),
    np.ma.array([0.5, 0.25], mask=[True, False]),
    np.array([True]),
    True,
    np.True_,
]


@pytest.mark.parametrize("value", NOT_NUMBERS, ids=named)
def test_a_draw_that_is_no_double_is_refused_with_advice(value: Any) -> None:
    with pytest.raises(KernelError, match=r"float|prob_le"):
        admit_number(value)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_a_draw_that_is_not_finite_is_refused(bad: float) -> None:
    for value in (bad, np.float64(bad), np.array([0.0, bad])):
        with pytest.raises(KernelError, match="finite doubles"):
            admit_number(value)


@pytest.mark.parametrize("value", [0, 1, 1.0, np.int64(1), np.array([0, 1]), np.array([[True]]), [True], "yes", None])
def test_an_event_that_is_no_bool_is_refused_with_advice(value: Any) -> None:
    with pytest.raises(KernelError, match="bool"):
        admit_event(value)


def test_events_become_zeros_and_ones() -> None:
    assert [admit_event(True), admit_event(np.False_)] == [1.0, 0.0]
    assert admit_event(np.array([True, False])).tolist() == [1.0, 0.0]  # type: ignore[union-attr]


def test_a_draw_outside_the_support_is_an_error_that_names_it() -> None:
    admit = admit_within(0.0, 1.0)
    for value in (1.0 + 1e-11, -1e-11, np.array([0.5, 1.5])):
        with pytest.raises(KernelError, match="outside the declared support"):
            admit(value)


def test_a_draw_at_the_end_of_the_support_is_admitted_and_one_just_outside_is_moved() -> None:
    admit = admit_within(-2.0, 1.0)
    assert [admit(-2.0), admit(1.0), admit(1.0 + 1e-13), admit(-2.0 - 1e-13)] == [-2.0, 1.0, 1.0, -2.0]


def test_substreams_are_used_in_order_and_only_as_far_as_they_are_needed() -> None:
    asked = []

    def stream(j: int) -> np.random.Generator:
        asked.append(j)
        return substream(j)

    samples = prefixes(lambda rng: rng.random(), Context(stream=stream), (2, 3, 50), admit_number)
    assert next(samples).size == 2
    assert asked == [0, 1]
    assert next(samples).size == 3
    assert asked == [0, 1, 2]


def test_a_sample_starts_with_the_samples_before_it() -> None:
    times = (1, 7, 2000, 5000)
    one, two, three, four = prefixes(lambda rng: rng.random(3), C, times, admit_number)
    assert (one.size, two.size, three.size, four.size) == times
    expected = np.concatenate([substream(j).random(3) for j in range(1667)])[:5000]
    for sample in (one, two, three, four):
        assert np.array_equal(sample, expected[: sample.size])


def test_two_draws_of_one_comparison_use_disjoint_substreams() -> None:
    (odd,) = prefixes(lambda rng: rng.random(), C, (3,), admit_number, first=1, step=2)
    assert odd.tolist() == [substream(j).random() for j in (1, 3, 5)]


def test_a_block_that_the_draw_function_reuses_is_copied() -> None:
    buffer = np.empty(4)

    def draw(rng: np.random.Generator) -> np.ndarray[Any, Any]:
        buffer[:] = rng.random(4)
        return buffer

    (sample,) = prefixes(draw, C, (8,), admit_number)
    assert np.array_equal(sample, np.concatenate([substream(0).random(4), substream(1).random(4)]))


def test_samples_are_read_only() -> None:
    (sample,) = prefixes(lambda rng: rng.random(), C, (3,), admit_number)
    with pytest.raises(ValueError, match="read-only"):
        sample[0] = 0.0


def test_blocks_of_changing_length_are_refused() -> None:
    with pytest.raises(KernelError, match="blocks of one length"):
        list(prefixes(lambda rng: rng.random(1 + int(rng.integers(50))), C, (5000,), admit_number))


def test_a_comparison_without_substreams_or_level_is_refused() -> None:
    with pytest.raises(KernelError, match="substreams"):
        list(prefixes(lambda rng: 0.5, Context(), (3,), admit_number))
    with pytest.raises(KernelError, match="level"):
        list(prefixes(lambda rng: 0.5, Context(level=0.0, stream=substream), (3,), admit_number))
