"""Brackets of thresholds. Right values: the logistic map, binomial and uniform laws; oracle: scipy.stats.binom."""

from __future__ import annotations

from fractions import Fraction as Q
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq

from theorems.kernel.outcome import Context, Decision, Evidence, KernelError, Outcome
from theorems.kernel.thresholds import Bracket, answer_bracket, bracket
from theorems.kernel.thresholds_random import looks, side

AROUND_THREE = [Q(5, 2), Q(14, 5), Q(29, 10), Q(3), Q(31, 10), Q(16, 5), Q(7, 2)]


def multiplier(r: Any) -> Any:
    """|f'(x*)| of the logistic map r x (1 - x) at its fixed point x* = 1 - 1/r: the orbit doubles its period at r = 3."""
    return abs(2 - r)


def context(seed: int = 0, level: float = 1e-3, shift: Any = 0) -> Context:
    def stream(j: int) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=[seed, j]))

    return Context(level=level, stream=stream, shift=fmpq(shift))


def answered(c: Bracket, shift: Any = 0) -> Outcome:
    return answer_bracket(c, context(shift=shift))


def refuted_at_twice_its_resolution(c: Bracket) -> bool:
    outcome = answered(c)
    assert outcome.decision is Decision.FOR
    assert outcome.resolution is not None
    twice = Q(2 * outcome.resolution)
    return answered(c, fmpq(twice.numerator, twice.denominator)).decision is Decision.AGAINST


def test_the_logistic_map_doubles_its_period_at_three() -> None:
    outcome = answered(bracket(3, AROUND_THREE, multiplier, level=1))
    assert (outcome.decision, outcome.evidence) == (Decision.FOR, Evidence.CERTIFIED)
    assert outcome.resolution == pytest.approx(0.2, rel=1e-12)
    assert outcome.rhs == "[29/10, 31/10]"


@pytest.mark.parametrize("wrong", [Q(26, 10), Q(315, 100), 4, 1])
def test_a_wrong_threshold_is_refuted_where_the_order_parameter_contradicts_it(wrong: Any) -> None:
    outcome = answered(bracket(wrong, AROUND_THREE, multiplier, level=1))
    assert outcome.decision is Decision.AGAINST
    assert "the predicted" in outcome.reason


def test_a_refutation_names_the_control_value() -> None:
    outcome = answered(bracket(Q(315, 100), AROUND_THREE, multiplier, level=1))
    assert outcome.reason.startswith("at 31/10, below the predicted 3.15, the order parameter 1.1 is > the level")


def test_a_prediction_outside_a_declared_bracket_is_refuted_by_the_values_at_its_ends() -> None:
    wide = {"level": 1, "below": Q(29, 10), "above": Q(31, 10)}
    assert answered(bracket(Q(31, 10), AROUND_THREE, multiplier, **wide)).decision is Decision.FOR
    assert answered(bracket(Q(311, 100), AROUND_THREE, multiplier, **wide)).decision is Decision.AGAINST
    assert answered(bracket(Q(289, 100), AROUND_THREE, multiplier, **wide)).decision is Decision.AGAINST


def test_a_prediction_beyond_all_control_values_is_undecided() -> None:
    outcome = answered(bracket(3, AROUND_THREE[:3], multiplier, level=1))
    assert outcome.decision is Decision.UNDECIDED
    assert "no control value above" in outcome.reason


def test_values_may_be_listed_and_order_parameters_may_fall() -> None:
    falling = bracket(3, AROUND_THREE, [1 / multiplier(r) for r in AROUND_THREE], level=1, rising=False)
    assert answered(falling).decision is Decision.FOR
    rising = bracket(3, AROUND_THREE, [1 / multiplier(r) for r in AROUND_THREE], level=1)
    assert answered(rising).decision is Decision.AGAINST


def test_an_irrational_threshold_is_bracketed_in_balls() -> None:
    control = [Q(k, 100) for k in range(130, 151)]
    outcome = answered(bracket(lambda: arb(2).sqrt(), control, lambda x: x * x, level=2))
    assert (outcome.decision, outcome.rhs) == (Decision.FOR, "[141/100, 71/50]")


def test_control_values_inside_the_bracket_decide_nothing() -> None:
    values = [Q(1, 2), Q(9, 10), Q(11, 10), Q(9, 10), Q(11, 10), 2, 2]  # not monotone between 29/10 and 31/10
    wide = bracket(3, AROUND_THREE, values, level=1, below=Q(14, 5), above=Q(31, 10))
    assert answered(wide).decision is Decision.FOR
    narrow = bracket(3, AROUND_THREE, values, level=1)
    assert answered(narrow).decision is Decision.AGAINST


@pytest.mark.parametrize("predicted", [3, Q(291, 100), Q(31, 10)])
def test_thresholds_moved_by_twice_their_width_are_refuted(predicted: Any) -> None:
    ends = {"below": Q(29, 10), "above": Q(31, 10)}
    assert refuted_at_twice_its_resolution(bracket(predicted, AROUND_THREE, multiplier, level=1, **ends))
    assert refuted_at_twice_its_resolution(bracket(3, AROUND_THREE, multiplier, level=1))


SIZES = [10, 20, 40]
FINE = [Q(k, 100) for k in range(80, 121)]


def hill(x: Any, n: int) -> Any:
    """x^n / (1 + x^n): a transition at x = 1 whose width shrinks like 1/n."""
    return x**n / (1 + x**n)


def hill_bracket(predicted: Any = 1, **options: Any) -> Bracket:
    widths = [Q(1, 5), Q(1, 10), Q(1, 20)]
    ends = {"below": [1 - w for w in widths], "above": [1 + w for w in widths]}
    return bracket(predicted, FINE, hill, level=Q(1, 2), sizes=SIZES, **{**ends, **options})


def test_a_sharpening_transition_has_shrinking_brackets() -> None:
    assert answered(hill_bracket(shrinks=True)).decision is Decision.FOR
    assert answered(hill_bracket(shrinks=(-1, Q(1, 10)))).decision is Decision.FOR
    assert answered(hill_bracket(shrinks=(-2, Q(1, 10)))).decision is Decision.AGAINST
    assert answered(hill_bracket(below=Q(9, 10), above=Q(11, 10), shrinks=True)).decision is Decision.AGAINST


def test_resolution_of_several_sizes_is_the_narrowest_bracket() -> None:
    assert answered(hill_bracket()).resolution == pytest.approx(0.1, rel=1e-12)
    assert refuted_at_twice_its_resolution(hill_bracket(shrinks=True))
    assert answered(hill_bracket(Q(107, 100))).decision is Decision.AGAINST


def test_widths_of_the_transition_may_be_given() -> None:
    def widths() -> list[arb]:  # from order parameter 1/4 to 3/4
        return [arb(3) ** (arb(1) / n) - arb(3) ** (arb(-1) / n) for n in SIZES]

    assert answered(hill_bracket(shrinks=True, widths=widths)).decision is Decision.FOR
    assert answered(hill_bracket(shrinks=(-1, Q(1, 50)), widths=widths)).decision is Decision.FOR
    assert answered(hill_bracket(shrinks=True, widths=[1, 2, 3])).decision is Decision.AGAINST


def test_plots_show_the_order_parameter_by_size() -> None:
    points = dict(answered(hill_bracket()).points)
    assert set(points) == {"size 10", "size 20", "size 40", "threshold"}
    assert len(points["size 10"]) == len(FINE)
    assert points["threshold"][2] == (2.0, 1.0, 0.95, pytest.approx(1.05))


CONTROL = [Q(1, 4), Q(2, 5), Q(1, 2), Q(3, 5), Q(3, 4)]


def events(c: Q, rng: np.random.Generator) -> Any:
    return rng.random(256) < float(c)


def uniform(c: Q, rng: np.random.Generator) -> Any:
    return rng.uniform(0, 2 * float(c), 256)


def gaussian(c: Q, rng: np.random.Generator) -> Any:
    return float(c) + rng.standard_normal(256)


def drawn(draw: Any, predicted: Any = Q(1, 2), **options: Any) -> Bracket:
    return bracket(predicted, CONTROL, draw=draw, level=Q(1, 2), limit=1 << 14, **options)


@pytest.mark.parametrize(
    ("draw", "options", "evidence"),
    [
        (events, {}, Evidence.STATISTICAL),
        (uniform, {"support": (0, 2)}, Evidence.STATISTICAL),
        (gaussian, {}, Evidence.EMPIRICAL),
    ],
)
def test_random_order_parameters_are_bracketed(draw: Any, options: Any, evidence: Evidence) -> None:
    outcome = answered(drawn(draw, **options))
    assert (outcome.decision, outcome.evidence) == (Decision.FOR, evidence)
    assert outcome.samples > 0
    assert outcome.level == 1e-3
    assert refuted_at_twice_its_resolution(drawn(draw, **options))
    for wrong in (Q(13, 20), Q(7, 20)):
        assert answered(drawn(draw, wrong, **options)).decision is Decision.AGAINST


def test_few_draws_near_the_threshold_are_undecided() -> None:
    few = bracket(Q(1, 2), [Q(49, 100), Q(51, 100)], draw=events, level=Q(1, 2), limit=512)
    outcome = answered(few)
    assert outcome.decision is Decision.UNDECIDED
    assert "raise limit" in outcome.reason


def test_random_order_parameters_may_depend_on_a_size() -> None:
    c = bracket(Q(1, 2), CONTROL, draw=lambda c, n, rng: rng.random((64, n)).mean(axis=1) < float(c), level=Q(1, 2),
                sizes=[1, 9], limit=1 << 14)  # fmt: skip
    assert answered(c).decision is Decision.FOR


def test_the_same_streams_give_the_same_outcome() -> None:
    first, second = (answer_bracket(drawn(events), context(4)) for _ in range(2))
    assert (first.samples, first.points) == (second.samples, second.points)
    assert first.points != answer_bracket(drawn(events), context(5)).points


@pytest.mark.parametrize("support", [None, (0.0, 1.0)])
def test_wrong_decisions_are_rarer_than_the_level(support: Any) -> None:
    from scipy.stats import binom

    seeds, level = 300, 0.1

    def fair(rng: np.random.Generator) -> Any:
        coins = rng.random(64) < 0.5
        return coins if support is None else coins.astype(float)

    def above(seed: int) -> bool:
        return side(fair, 0.5, support, 1024, context(seed, level), 0, 1).decision is Decision.AGAINST

    assert sum(above(s) for s in range(seeds)) <= binom.ppf(0.999, seeds, level)


def test_looks_double_up_to_the_limit() -> None:
    assert looks(1000) == (64, 128, 256, 512, 1000)
    assert looks(64) == (64,)


def test_draws_outside_their_support_are_refused() -> None:
    with pytest.raises(KernelError, match="outside the declared support"):
        answered(drawn(gaussian, support=(0, 1)))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((1, [1], [1]), {}, "at least two"),
        ((1, [1, 1], [1, 2]), {}, "each once"),
        ((1, [0.5, 1.5], [1, 2]), {}, "exact number"),
        ((1, [0, 2], [1, 2, 3]), {}, "2 control values"),
        ((1, [0, 2]), {}, "one of them"),
        ((1, [0, 2], [1, 2]), {"below": 1}, "no control value"),
        ((1, [0, 2], [1, 2]), {"below": 2, "above": 0}, "not less"),
        ((1, [0, 2], [1, 2]), {"shrinks": True}, "sizes"),
        ((1, [0, 2], multiplier), {"sizes": [2, 1]}, "increasing"),
        ((1, [0, 2], multiplier), {"sizes": [1, 2], "shrinks": 1}, "accepted are"),
        ((1, [0, 2], multiplier), {"sizes": [1, 2], "shrinks": (1, 1)}, "negative"),
        ((1, [0, 2], multiplier), {"sizes": [1, 2], "widths": [1, 2]}, "shrinks"),
        ((1, [0, 2], multiplier), {"sizes": [1, 2], "below": [0, 0, 0]}, "3 ends for 2 sizes"),
        ((1, [0, 2], multiplier), {"support": (0, 1)}, "random"),
    ],
)
def test_brackets_that_make_no_claim_are_refused(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(KernelError, match=message):
        bracket(*arguments, **{"level": 1, **options})


def test_bare_floats_are_no_order_parameter() -> None:
    with pytest.raises(KernelError, match="bare float"):
        answered(bracket(1, [0, 2], [0.5, 1.5], level=1))
