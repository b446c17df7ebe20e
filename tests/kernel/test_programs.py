"""Certified optima as sides of comparisons: only what the exact checker accepted counts."""

from __future__ import annotations

import pytest
from flint import fmpq

from solvers.certificates import ConicProblem, DualBound, InvalidCertificate, PrimalPoint, conic_problem, nonneg
from solvers.conic import certify
from theorems.kernel.answer import answer
from theorems.kernel.order import eq, le, lt
from theorems.kernel.outcome import Context, Decision, Evidence
from theorems.kernel.programs import optimum

C = Context()
SIXTH = fmpq(1, 6)


def sixth() -> ConicProblem:
    """min x subject to 6 x >= 1."""
    return conic_problem(c=[1], A=[[-6]], b=[-1], cones=[nonneg(1)])


def test_an_optimum_that_is_exactly_the_bound_holds() -> None:
    for comparison in (
        le(optimum(sixth(), certify), SIXTH),
        le(SIXTH, optimum(sixth(), certify)),
        eq(optimum(sixth(), certify), SIXTH),
    ):
        o = answer(comparison, C)
        assert (o.decision, o.evidence) == (Decision.FOR, Evidence.CERTIFIED)
        assert len(o.programs) == 1


def test_a_claim_one_part_in_a_million_too_strong_is_refuted() -> None:
    assert answer(le(optimum(sixth(), certify), SIXTH * (1 - fmpq(1, 10**6))), C).decision is Decision.AGAINST
    assert answer(lt(optimum(sixth(), certify), SIXTH), C).decision is Decision.AGAINST


def test_one_proven_end_decides_one_direction() -> None:
    upper = optimum(sixth(), lambda p: PrimalPoint((fmpq(1, 5),), fmpq(1, 5)))
    assert answer(le(upper, fmpq(1, 5)), C).decision is Decision.FOR
    assert answer(le(upper, fmpq(1, 7)), C).decision is Decision.UNDECIDED
    assert answer(eq(upper, SIXTH), C).decision is Decision.UNDECIDED


def test_a_solver_that_lies_is_refused() -> None:
    with pytest.raises(InvalidCertificate):
        answer(le(optimum(sixth(), lambda p: PrimalPoint((fmpq(1, 7),), fmpq(1, 7))), SIXTH), C)
    with pytest.raises(InvalidCertificate):
        answer(le(fmpq(1, 5), optimum(sixth(), lambda p: DualBound((fmpq(1, 5),), fmpq(1, 5)))), C)


def test_a_solver_without_an_answer_is_undecided() -> None:
    assert answer(le(optimum(sixth(), lambda p: None), SIXTH), C).decision is Decision.UNDECIDED


def test_long_ends_of_an_enclosure_are_shown_to_20_digits_rounded_outwards() -> None:
    from theorems.kernel.values import Enclosed

    long = fmpq(1, 3) + fmpq(1, 10**50)
    assert str(Enclosed(-long, long)) == "[-0.33333333333333333334, 0.33333333333333333334]"
    assert str(Enclosed(long, 1 + long)) == "[0.33333333333333333333, 1.3333333333333333334]"
    assert str(Enclosed(None, fmpq(2, 3))) == "[?, 2/3]"
    assert str(Enclosed(fmpq(2, 3), fmpq(2, 3))) == "2/3"
    assert str(Enclosed(long, long)) == "[0.33333333333333333333, 0.33333333333333333334]"


def test_an_infeasible_program_has_no_optimum() -> None:
    never = conic_problem(c=[1], A=[[1], [-1]], b=[0, -1], cones=[nonneg(2)])
    o = answer(le(optimum(never, certify), 5), C)
    assert o.decision is Decision.UNDECIDED
    assert "infeasible" in o.reason


def test_a_maximum_is_the_negated_minimum() -> None:
    assert answer(eq(optimum(sixth(), certify, maximum=True), -SIXTH), C).decision is Decision.FOR


def test_given_certificates_take_the_solvers_place() -> None:
    proof = answer(le(optimum(sixth(), certify), SIXTH), C).programs[0][2]

    def no_solver(problem: ConicProblem) -> object:
        raise AssertionError("the solver was called")

    context = Context(certificates=(proof,))
    assert answer(le(optimum(sixth(), no_solver), SIXTH), context).decision is Decision.FOR
    easier = conic_problem(c=[1], A=[[-6]], b=[0], cones=[nonneg(1)])
    wrong = answer(le(optimum(easier, certify), SIXTH), C).programs[0][2]
    with pytest.raises(InvalidCertificate):
        answer(le(SIXTH, optimum(sixth(), no_solver)), Context(certificates=(wrong,)))
    with pytest.raises(InvalidCertificate, match="more certificates"):
        answer(le(optimum(sixth(), no_solver), SIXTH), Context(certificates=()))


@pytest.mark.parametrize("bound", [SIXTH, fmpq(1, 5), fmpq(10)])
def test_moved_by_twice_its_resolution_it_is_refuted(bound: fmpq) -> None:
    o = answer(le(optimum(sixth(), certify), bound), C)
    shift = fmpq(*(2 * o.resolution).as_integer_ratio()) if o.resolution else fmpq(1, 10**30)
    assert answer(le(optimum(sixth(), certify), bound), Context(shift=shift)).decision is Decision.AGAINST
