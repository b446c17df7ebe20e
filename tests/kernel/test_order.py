"""Equality and order: right values from closed forms, near misses, precision that grows, and moved comparisons."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import flint
import mpmath
import pytest
import sympy
from flint import arb, fmpq

from theorems.kernel.answer import answer
from theorems.kernel.order import eq, le, lt
from theorems.kernel.outcome import Context, Decision, Evidence, KernelError, up
from theorems.kernel.values import Approx

C = Context()
sqrt = sympy.sqrt


def decide(comparison: Any, **context: Any) -> Any:
    return answer(comparison, Context(**context))


def test_the_trap_of_relational_simplification_is_decided_by_signs() -> None:
    for r, q, holds in ((1, 2, True), (2, 2, True), (sympy.Rational(201, 100), 2, False)):
        o = answer(le(sqrt(2) * (r - q) - sqrt(2) * (q - r), 0), C)
        assert o.decision is (Decision.FOR if holds else Decision.AGAINST)


def test_algebraic_numbers_have_exact_signs() -> None:
    nested = sqrt(5 + 2 * sqrt(6))
    assert answer(eq(sqrt(2) + sqrt(3), nested), C).decision is Decision.FOR
    assert answer(lt(sqrt(2) + sqrt(3), nested), C).decision is Decision.AGAINST
    off = nested + sympy.Rational(1, 10**60)
    assert answer(eq(sqrt(2) + sqrt(3), off), C).decision is Decision.AGAINST
    assert answer(le(off, sqrt(2) + sqrt(3)), C).decision is Decision.AGAINST


def test_transcendental_ties_stay_undecided() -> None:
    o = answer(le(sympy.sin(1) ** 2 + sympy.cos(1) ** 2, 1), Context(max_bits=512))
    assert o.decision is Decision.UNDECIDED


def test_thunks_of_balls_are_evaluated_until_decided() -> None:
    tight = fmpq(int("1" + "4142135623730950488016887242096980785696718753769480731766797379907324784621"), 10**76)
    o = answer(lt(lambda: arb(tight), lambda: arb(2).sqrt()), C)
    assert o.decision is Decision.FOR
    assert o.evidence is Evidence.CERTIFIED
    assert answer(lt(arb(tight), arb(2).sqrt()), C).decision is Decision.UNDECIDED


def test_a_ball_equality_holds_to_within_a_radius() -> None:
    o = answer(eq(lambda: arb(1).exp().log(), 1), C)
    assert o.decision is Decision.FOR
    assert 0 < o.resolution < 1e-20
    assert answer(eq(arb(1, 1e-3), 1), C).decision is Decision.UNDECIDED
    assert answer(eq(lambda: arb(1) + arb(fmpq(1, 10**15)), 1), C).decision is Decision.AGAINST
    off = fmpq(1, 10**40)  # beyond the default radius: seen only when a smaller one is declared
    assert answer(eq(lambda: arb(1) + arb(off), 1, within=off / 2), C).decision is Decision.AGAINST


def test_evaluations_at_p_and_2p_digits_are_numeric() -> None:
    o = answer(eq(lambda: mpmath.zeta(2), lambda: mpmath.pi**2 / 6), C)
    assert (o.decision, o.evidence) == (Decision.FOR, Evidence.NUMERIC)
    off = answer(eq(lambda: mpmath.zeta(2), lambda: mpmath.pi**2 / 6 + mpmath.mpf(10) ** -14), C)
    assert off.decision is Decision.AGAINST
    with pytest.raises(KernelError, match="thunk"), mpmath.workdps(30):
        answer(eq(mpmath.zeta(3), 1), C)


def test_a_value_that_changes_with_precision_is_undecided() -> None:
    o = answer(eq(lambda: mpmath.mpf(1) / 3 + mpmath.mpf(1) / (7 * mpmath.mp.dps), Fraction(1, 3)), C)
    assert o.decision is Decision.UNDECIDED


def test_floats_with_a_stated_error_are_numeric() -> None:
    assert answer(le(Approx(0.1, 1e-9), Fraction(1, 5)), C).evidence is Evidence.NUMERIC
    assert answer(le(Approx(0.1, 1e-3), Fraction(1001, 10000)), C).decision is Decision.UNDECIDED
    assert answer(le(Approx(0.1, 1e-9), Fraction(1, 11)), C).decision is Decision.AGAINST


def test_a_thunk_may_return_both_sides() -> None:
    assert answer(le(lambda: (arb(2).sqrt(), fmpq(3, 2))), C).decision is Decision.FOR
    with pytest.raises(KernelError, match="both sides"):
        answer(le(lambda: arb(1)), C)


def test_precision_is_restored() -> None:
    bits, digits = flint.ctx.prec, mpmath.mp.dps
    answer(lt(lambda: arb(2).sqrt(), lambda: arb(2).sqrt() + arb(fmpq(1, 10**300))), C)
    assert (flint.ctx.prec, mpmath.mp.dps) == (bits, digits)

    def rude() -> arb:
        flint.ctx.prec = 17
        mpmath.mp.dps = 5
        return arb(1)

    answer(le(rude, 2), C)
    assert (flint.ctx.prec, mpmath.mp.dps) == (bits, digits)


def test_a_bound_one_part_in_a_million_too_strong_is_refuted() -> None:
    assert answer(le(Fraction(1, 6), Fraction(1, 6)), C).decision is Decision.FOR
    assert answer(le(Fraction(1, 6), Fraction(1, 6) * (1 - Fraction(1, 10**6))), C).decision is Decision.AGAINST


MOVABLE = {
    "slack bound": le(Fraction(1, 3), Fraction(1, 2)),
    "tight bound": le(Fraction(1, 3), Fraction(1, 3)),
    "tiny slack": le(fmpq(1), fmpq(10**400 + 1, 10**400)),
    "zero sides": le(0, 0),
    "strict": lt(-1, 1),
    "equality": eq(Fraction(22, 7), Fraction(22, 7)),
    "algebraic equality": eq(sqrt(8), 2 * sqrt(2)),
    "algebraic bound": le(sqrt(2), Fraction(3, 2)),
    "ball equality": eq(lambda: arb(1).exp().log(), 1),
    "ball bound": le(lambda: arb(2).sqrt(), Fraction(1415, 1000)),
    "numeric equality": eq(lambda: mpmath.zeta(2), lambda: mpmath.pi**2 / 6),
    "numeric bound": le(lambda: mpmath.zeta(3), Fraction(13, 10)),
    "matrices": eq([[1, 2], [3, 4]], [[1, 2], [3, 4]]),
    "words": eq("abba", "abba"),
}


@pytest.mark.parametrize("name", MOVABLE)
def test_moved_by_twice_its_resolution_it_is_refuted(name: str) -> None:
    comparison = MOVABLE[name]
    o = answer(comparison, C)
    assert o.decision is Decision.FOR
    shift = fmpq(*(2 * o.resolution).as_integer_ratio()) if o.resolution else fmpq(1, 10**30)
    assert decide(comparison, shift=shift).decision is Decision.AGAINST


def test_a_margin_never_rounds_to_nothing() -> None:
    assert up(fmpq(1, 10**400)) > 0
    assert up(fmpq(0)) == 0
    assert up(fmpq(10) ** 400) == float("inf")
    assert answer(le(fmpq(0), fmpq(1, 10**500)), C).resolution > 0


@pytest.mark.parametrize("within", [0.1, True, -1])
def test_a_radius_is_exact_and_not_negative(within: object) -> None:
    with pytest.raises(KernelError):
        eq(arb(1), 1, within=within)


def test_a_function_without_rigorous_evaluation_is_named() -> None:
    with pytest.raises(KernelError, match="no rigorous evaluation of"):
        answer(le(sympy.LambertW(2), 1), C)
