"""Probabilities of events: sequential and of fixed size, against scipy's exact binomial test."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from tests.naming import named
from theorems.kernel.answer import answer
from theorems.kernel.events import Probability, prob_eq, prob_ge, prob_le
from theorems.kernel.outcome import Context, Decision, Evidence, KernelError


def context(seed: int = 1, level: float = 1e-6, shift: float = 0.0) -> Context:
    def stream(j: int) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=[seed, j]))

    return Context(level=level, stream=stream, shift=fmpq(*shift.as_integer_ratio()))


def tenth(rng: np.random.Generator) -> Any:
    return rng.random(50) < 0.1


def never(rng: np.random.Generator) -> bool:
    return False


def always(rng: np.random.Generator) -> bool:
    return True


def counted(n: int, k: int, first: bool) -> Any:
    """An event function that shows k events and n - k others, in one block: events first, or last."""
    trials = np.arange(n) < k if first else np.arange(n) >= n - k
    return lambda rng: trials


TRUE = [
    prob_le(tenth, Fraction(3, 20)),
    prob_le(tenth, Fraction(1, 10), within=0.05),
    prob_ge(tenth, Fraction(1, 20)),
    prob_eq(tenth, Fraction(1, 10)),
    prob_le(never, Fraction(1, 100), within=0.01),
    prob_le(never, 0),
    prob_ge(always, 1),
    prob_eq(never, 0),
    prob_le(never, 0.15, fixed=30),
    prob_ge(always, 0.8, fixed=40),
    prob_eq(tenth, 0.1, fixed=300),
    prob_le(tenth, 0.1, fixed=300),
]


@pytest.mark.parametrize("comparison", TRUE, ids=named)
def test_a_true_statement_holds(comparison: Probability) -> None:
    outcome = answer(comparison, context())
    assert (outcome.decision, outcome.evidence) == (Decision.FOR, Evidence.STATISTICAL)
    low, high = outcome.points[0][1][-1][2:]
    assert 0 <= low <= high <= 1
    assert high - low <= comparison.within


@pytest.mark.parametrize("comparison", TRUE, ids=named)
@pytest.mark.parametrize("level", [0.01, 1e-8])
def test_a_statement_moved_by_twice_its_resolution_is_refuted(comparison: Probability, level: float) -> None:
    outcome = answer(comparison, context(level=level))
    assert outcome.decision is Decision.FOR
    assert outcome.resolution is not None
    for direction in (1, -1) if comparison.relation == "=" else (1,):
        moved = answer(comparison, context(level=level, shift=2 * direction * outcome.resolution))
        assert moved.decision is Decision.AGAINST


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "comparison",
    [
        prob_le(tenth, Fraction(1, 100)),
        prob_ge(tenth, Fraction(1, 5)),
        prob_eq(tenth, Fraction(1, 5)),
        prob_eq(tenth, Fraction(1, 100)),
        prob_le(always, 0.15, fixed=30),
        prob_ge(never, 0.8, fixed=30),
        prob_eq(tenth, 0.3, fixed=300),
        prob_eq(tenth, 1.3),
        prob_ge(always, 1.3),
    ],
    ids=named,
)
def test_a_false_statement_is_refuted(comparison: Probability, seed: int) -> None:
    assert answer(comparison, context(seed)).decision is Decision.AGAINST


def test_one_event_refutes_probability_zero() -> None:
    outcome = answer(prob_le(lambda rng: rng.random(50) < 0.05, 0), context())
    assert outcome.decision is Decision.AGAINST
    assert outcome.samples < 100


@pytest.mark.parametrize("first", [True, False], ids=["events first", "events last"])
@pytest.mark.parametrize(
    ("relation", "alternative", "compare"),
    [("<=", "greater", prob_le), (">=", "less", prob_ge)],
    ids=["le", "ge"],
)
def test_a_fixed_size_is_decided_as_by_scipys_exact_test_whatever_the_order(
    relation: str, alternative: str, compare: Any, first: bool
) -> None:
    """Early refutation is the same decision as at the full size: all counts, events first or last."""
    from scipy import stats

    n, bound, level = 40, 0.3, 1e-3
    for k in range(n + 1):
        outcome = answer(compare(counted(n, k, first), bound, fixed=n, within=0.99), context(level=level))
        refuted = stats.binomtest(k, n, bound, alternative=alternative).pvalue <= level
        assert outcome.decision is (Decision.AGAINST if refuted else Decision.FOR), k
        assert refuted or outcome.samples == n


def test_both_ends_of_an_equality_get_half_of_the_level() -> None:
    from scipy import stats

    n, p, level = 40, 0.4, 1e-3
    for k in range(n + 1):
        outcome = answer(prob_eq(counted(n, k, True), p, fixed=n, within=0.99), context(level=level))
        tails = (stats.binomtest(k, n, p, alternative=side).pvalue for side in ("less", "greater"))
        assert (outcome.decision is Decision.AGAINST) == (min(tails) <= level / 2), k


def test_a_refutation_that_no_remaining_trial_can_undo_stops_early() -> None:
    outcome = answer(prob_le(always, 0.15, fixed=1000), context())
    assert outcome.decision is Decision.AGAINST
    assert outcome.samples < 300


def test_thirty_trials_without_event_hold_at_small_levels_by_default_and_six_do_not() -> None:
    assert answer(prob_le(never, 0.15, fixed=30), context(level=1e-9)).decision is Decision.FOR
    outcome = answer(prob_le(never, 0.15, fixed=6), context())
    assert outcome.decision is Decision.UNDECIDED
    assert "exceeds within=0.5" in outcome.reason


@pytest.mark.parametrize(
    ("comparison", "keyword"),
    [(prob_le(tenth, 0.2, within=0.03, limit=2000), "limit"), (prob_eq(tenth, 0.1, within=0.1, fixed=300), "fixed")],
    ids=named,
)
def test_too_few_trials_leave_it_undecided_and_the_suggested_number_is_enough(
    comparison: Probability, keyword: str
) -> None:
    outcome = answer(comparison, context())
    assert outcome.decision is Decision.UNDECIDED
    suggested = re.search(rf"{keyword}=(\d+) would do", outcome.reason)
    assert suggested is not None
    change: dict[str, Any] = {keyword: int(suggested[1])}
    assert answer(replace(comparison, **change), context()).decision is Decision.FOR


@pytest.mark.parametrize(
    "comparison", [prob_le(never, 1), prob_le(never, 1.5), prob_ge(always, 0), prob_ge(always, -1)]
)
def test_a_bound_that_cannot_fail_is_refused(comparison: Probability) -> None:
    with pytest.raises(KernelError, match="could not fail"):
        answer(comparison, context())


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [
        ({"within": 1}, "could not fail"),
        ({"within": 0}, "a width in"),
        ({"limit": 0}, "at least 1"),
        ({"fixed": 3.0}, "an int"),
    ],
    ids=named,
)
def test_arguments_out_of_range_are_refused_with_what_is_accepted(arguments: dict[str, Any], advice: str) -> None:
    for compare in (prob_le, prob_ge, prob_eq):
        with pytest.raises(KernelError, match=advice):
            compare(tenth, 0.5, **arguments)


def test_what_is_no_event_function_is_refused() -> None:
    with pytest.raises(KernelError, match="event function"):
        prob_le(0.5, 0.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("fixed", [None, 100])
@pytest.mark.parametrize("compare", [prob_le, prob_ge, prob_eq])
def test_a_true_statement_is_refuted_for_at_most_its_level_of_the_seeds(compare: Any, fixed: int | None) -> None:
    """At level 0.1 over 300 seeds, with the probability at the bound; the slack is the binomial's upper 1e-6 quantile."""
    from scipy import stats

    comparison = compare(tenth, Fraction(1, 10), limit=500, fixed=fixed, within=0.05)
    refuted = sum(answer(comparison, context(seed, 0.1)).decision is Decision.AGAINST for seed in range(300))
    assert refuted <= stats.binom.isf(1e-6, 300, 0.1)
