"""Plateaus and Q-orders of deterministic sequences, from closed forms."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction as Q
from typing import Any

import mpmath
import pytest
from flint import arb, fmpq

from theorems.kernel.outcome import Context, Decision, Evidence, KernelError, Outcome
from theorems.kernel.slopes_last import answer_plateau, answer_q_order, plateau, q_order

SIZES = [10, 20, 40, 80, 160]


def order_of(errors: Any, claimed: Any, *, shift: Any = 0, **options: Any) -> Outcome:
    c = q_order(errors, claimed, **{"within": Q(1, 20), **options})
    return answer_q_order(c, Context(shift=fmpq(shift)))


def flatness(ys: Any, *, shift: Any = 0, **options: Any) -> Outcome:
    return answer_plateau(plateau(SIZES, ys, **{"within": Q(1, 20), **options}), Context(shift=fmpq(shift)))


def twice(outcome: Outcome) -> fmpq:
    assert outcome.decision is Decision.FOR
    assert outcome.resolution is not None
    return fmpq(*(2 * outcome.resolution).as_integer_ratio())


def distances_to_root_two(iterates: list[fmpq]) -> Callable[[], list[arb]]:
    return lambda: [abs(arb(x) - arb(2).sqrt()) for x in iterates]


def newton(steps: int) -> list[fmpq]:
    out = [fmpq(3, 2)]
    for _ in range(steps):
        out.append((out[-1] + 2 / out[-1]) / 2)
    return out


def secant(steps: int) -> list[fmpq]:
    a, b = fmpq(1), fmpq(2)
    out = [a, b]
    for _ in range(steps):
        a, b = b, (a * b + 2) / (a + b)
        out.append(b)
    return out


def test_newton_converges_quadratically() -> None:
    outcome = order_of(distances_to_root_two(newton(6)), 2, within=Q(1, 1000))
    assert (outcome.decision, outcome.evidence) == (Decision.FOR, Evidence.CERTIFIED)
    assert order_of(distances_to_root_two(newton(6)), Q(21, 10)).decision is Decision.AGAINST


def test_the_order_of_the_secant_method_is_the_golden_ratio() -> None:
    golden = lambda: (1 + arb(5).sqrt()) / 2  # noqa: E731
    outcome = order_of(distances_to_root_two(secant(10)), golden, within=Q(1, 20))
    assert outcome.decision is Decision.FOR
    for wrong in (Q(3, 2), Q(7, 4), 2):
        assert order_of(distances_to_root_two(secant(10)), wrong).decision is Decision.AGAINST


def test_a_geometric_sequence_has_order_one() -> None:
    assert order_of([Q(1, 3**k) for k in range(6)], 1, within=Q(1, 10**20)).decision is Decision.FOR
    assert order_of([Q(1, 3**k) for k in range(6)], 2).decision is Decision.AGAINST


def test_the_constant_cancels_in_the_order() -> None:
    errors = [Q(1, 2)]
    for _ in range(5):
        errors.append(errors[-1] ** 3 / 7)
    assert order_of(errors, 3, within=Q(1, 100)).decision is Decision.FOR


def test_orders_of_high_precision_errors_are_numeric() -> None:
    errors = lambda: [mpmath.power(10, -((mpmath.mpf(3) / 2) ** k)) for k in range(6)]  # noqa: E731
    outcome = order_of(errors, Q(3, 2), within=Q(1, 10**6))
    assert (outcome.decision, outcome.evidence) == (Decision.FOR, Evidence.NUMERIC)


def test_errors_that_do_not_decrease_have_no_order() -> None:
    outcome = order_of([2**k for k in range(6)], 1)
    assert outcome.decision is Decision.AGAINST
    assert "no convergence" in outcome.reason
    assert order_of([1, 1, 1, 1, 1], 1).decision is Decision.AGAINST


@pytest.mark.parametrize("side", ["two", "upper", "lower"])
def test_orders_moved_by_twice_their_resolution_are_refuted(side: str) -> None:
    errors = distances_to_root_two(newton(5))
    outcome = order_of(errors, 2, side=side)
    assert order_of(errors, 2, side=side, shift=twice(outcome)).decision is Decision.AGAINST


def test_one_sided_orders() -> None:
    errors = distances_to_root_two(newton(5))
    assert order_of(errors, Q(3, 2), side="lower").decision is Decision.FOR
    assert order_of(errors, Q(3, 2), side="upper").decision is Decision.AGAINST


def test_too_few_or_vanishing_errors_are_refused() -> None:
    with pytest.raises(KernelError, match="at least 4"):
        order_of([1, Q(1, 2), Q(1, 4)], 1)
    with pytest.raises(KernelError, match="error number 4 is 0"):
        order_of([1, Q(1, 2), Q(1, 4), Q(1, 8), 0], 1)


def test_a_convergent_sequence_reaches_its_plateau() -> None:
    outcome = flatness([1 - Q(1, n) for n in SIZES])
    assert (outcome.decision, outcome.evidence) == (Decision.FOR, Evidence.CERTIFIED)
    # worst share of the last increments: (1 - 1/80) - (1 - 1/40) over 1 - 1/80
    assert outcome.resolution == pytest.approx(0.05 + (1 / 80) / (1 - 1 / 80), rel=1e-12)


def test_growth_like_a_small_power_is_no_plateau() -> None:
    tenth = [lambda n=n: arb(n) ** (arb(1) / 10) for n in SIZES]
    assert flatness(tenth).decision is Decision.AGAINST  # share 1 - 2^{-1/10} = 0.067


def test_decline_is_no_growth() -> None:
    falling = [Q(1, n) for n in SIZES]
    assert flatness(falling).decision is Decision.AGAINST
    assert flatness(falling, side="upper").decision is Decision.FOR
    assert flatness(falling, side="lower").decision is Decision.AGAINST


def test_constants_of_either_sign_are_plateaus() -> None:
    for level in (-3, 0, 3):
        assert flatness([level] * 5).decision is Decision.FOR


@pytest.mark.parametrize("side", ["two", "upper", "lower"])
def test_plateaus_moved_by_twice_their_resolution_are_refuted(side: str) -> None:
    values = [1 - Q(1, n) for n in SIZES]
    outcome = flatness(values, side=side)
    assert flatness(values, side=side, shift=twice(outcome)).decision is Decision.AGAINST


def test_only_the_last_sizes_are_looked_at() -> None:
    assert flatness([1, 2, 3, 3, 3]).decision is Decision.FOR
    assert flatness([1, 2, 3, 3, 3], last=4).decision is Decision.AGAINST


def test_plateaus_that_make_no_claim_are_refused() -> None:
    for options, message in (
        ({"within": 1}, "below 1"),
        ({"last": 6}, "5 sizes"),
        ({"side": "both"}, "accepted"),
        ({"repeats": 10}, "random data"),
    ):
        with pytest.raises(KernelError, match=message):
            flatness([1] * 5, **options)
    with pytest.raises(KernelError, match="factor"):
        flatness([1] * 5, last=2)
    with pytest.raises(KernelError, match="5 sizes but 4 values"):
        flatness([1] * 4)
