"""Every rule at the kernel's door has a test that tries to break it."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from flint import acb, arb, fmpq, fmpq_mat, fmpz, fmpz_mat

from theorems.kernel.answer import answer
from theorems.kernel.order import eq, le, lt
from theorems.kernel.outcome import Context, Decision, Evidence, KernelError
from theorems.kernel.values import INFINITY, MINUS_INFINITY, Approx, admit, dyadic, dyadic_instance, word

C = Context()


@pytest.mark.parametrize("value", [0.5, 1e-300, float("nan"), float("inf"), -0.0])
def test_bare_floats_are_refused_with_advice(value: float) -> None:
    with pytest.raises(KernelError, match=r"bare float.*return exact numbers"):
        admit(value)


@pytest.mark.parametrize("value", [True, False, np.True_, np.array([True]), sympy.true, sympy.Symbol("x") < 1])
def test_verdicts_are_refused(value: object) -> None:
    with pytest.raises(KernelError, match=r"verdict|relational"):
        admit(value)


@pytest.mark.parametrize("value", [np.float64(0.5), np.float32(1), np.int64(3), np.array([1.0]), np.array([1, 2])])
def test_numpy_scalars_and_arrays_are_refused(value: object) -> None:
    with pytest.raises(KernelError, match="NumPy"):
        admit(value)


def test_object_arrays_of_exact_numbers_are_admitted() -> None:
    assert admit(np.array([[1, Fraction(1, 3)]], dtype=object)).entries == (fmpq(1), fmpq(1, 3))


@pytest.mark.parametrize("value", [sympy.Float(1) / 3, sympy.sqrt(2) * 0.5, sympy.sin(sympy.Float("0.1"))])
def test_sympy_floats_are_refused(value: object) -> None:
    with pytest.raises(KernelError, match="sympy Float"):
        admit(value)


@pytest.mark.parametrize("value", [sympy.nan, sympy.oo, sympy.zoo, sympy.oo + sympy.I])
def test_infinities_of_sympy_are_not_stated_values(value: object) -> None:
    with pytest.raises(KernelError, match=r"finite|real"):
        admit(value)


@pytest.mark.parametrize("x", [0.1, 1 / 3, math.pi, 1e-5, 123456.789])
def test_doubles_in_fractions_are_recognised(x: float) -> None:
    with pytest.raises(KernelError, match="double in disguise"):
        admit(Fraction(x))
    with pytest.raises(KernelError, match="double in disguise"):
        admit(fmpq(*x.as_integer_ratio()))
    with pytest.raises(KernelError, match="double in disguise"):
        admit(sympy.Rational(*x.as_integer_ratio()))


@pytest.mark.parametrize("x", [0.1, 1 / 3, math.pi])
def test_doubles_in_balls_of_radius_zero_are_recognised(x: float) -> None:
    with pytest.raises(KernelError, match="double in disguise"):
        admit(arb(x))
    assert admit(arb(x, 1e-10)).is_finite()


@pytest.mark.parametrize("x", [0.1, 1 / 3, math.pi])
def test_doubles_in_mpmath_numbers_are_recognised(x: float) -> None:
    with mpmath.workdps(50), pytest.raises(KernelError, match="double in disguise"):
        admit(mpmath.mpf(x))


@pytest.mark.parametrize("text", ["0", "3", "0.5", "-1024", "0.125"])
def test_integers_and_short_dyadics_pass(text: str) -> None:
    with mpmath.workdps(50):
        admit(mpmath.mpf(text))
    assert admit(arb(Fraction(text).numerator) / Fraction(text).denominator).is_finite()
    assert admit(Fraction(text)) == fmpq(Fraction(text).numerator, Fraction(text).denominator)


def test_dyadic_on_purpose_is_admitted() -> None:
    x = Fraction(1, 2**40)
    with pytest.raises(KernelError):
        admit(x)
    assert admit(dyadic(x)) == fmpq(1, 2**40)
    with dyadic_instance(True):
        assert admit(x) == fmpq(1, 2**40)
    with pytest.raises(KernelError):
        admit(x)


@pytest.mark.parametrize("value", [0.1, True, "1/2"])
def test_dyadic_declares_exact_numbers_only(value: object) -> None:
    with pytest.raises(KernelError):
        dyadic(value)


def test_mpmath_intervals_are_refused() -> None:
    with pytest.raises(KernelError, match="iv"):
        admit(mpmath.iv.mpf("0.5"))


@pytest.mark.parametrize("value", [mpmath.nan, mpmath.inf, -mpmath.inf])
def test_non_finite_mpmath_numbers_are_refused(value: object) -> None:
    with pytest.raises(KernelError, match=r"not finite|not admitted"):
        admit(value)


def test_nan_balls_say_nothing() -> None:
    zero = arb(0, 1)
    for bad in (zero.log(), arb("nan"), arb("inf"), 1 / zero, (-1 + zero).sqrt()):
        with pytest.raises(KernelError, match="not finite"):
            admit(bad)
    with pytest.raises(KernelError, match="not finite"):
        admit(acb(arb("nan"), 0))


def test_stated_infinities_compare() -> None:
    assert answer(eq(INFINITY, INFINITY), C).decision is Decision.FOR
    assert answer(le(5, INFINITY), C).decision is Decision.FOR
    assert answer(le(INFINITY, 5), C).decision is Decision.AGAINST
    assert answer(lt(MINUS_INFINITY, INFINITY), C).decision is Decision.FOR


def test_shapes_must_match() -> None:
    with pytest.raises(KernelError, match="mismatched shapes"):
        answer(eq(fmpq_mat([[1, 2]]), fmpq_mat([[1], [2]])), C)
    with pytest.raises(KernelError, match="mismatched shapes"):
        answer(eq((1, 2, 3), (1, 2)), C)
    with pytest.raises(KernelError, match="ragged"):
        admit([[1, 2], [3]])
    with pytest.raises(KernelError, match="empty array"):
        answer(eq((), ()), C)


def test_matrices_compare_entry_by_entry() -> None:
    A = fmpz_mat([[1, 2], [3, 4]])
    assert answer(eq(A, [[1, 2], [3, 4]]), C).decision is Decision.FOR
    o = answer(eq(A, [[1, 2], [3, Fraction(9, 2)]]), C)
    assert o.decision is Decision.AGAINST
    assert "(1, 1)" in o.reason
    assert answer(le(A, 4), C).decision is Decision.FOR


def test_words_compare_as_wholes() -> None:
    assert answer(eq("abba", "abba"), C).evidence is Evidence.CERTIFIED
    assert answer(eq(("q0", 1, "halt"), ("q0", 1, "halt")), C).decision is Decision.FOR
    assert answer(eq(word([1, 0, 1]), word([1, 0])), C).decision is Decision.AGAINST
    with pytest.raises(KernelError, match="no order"):
        answer(le("a", "b"), C)
    with pytest.raises(KernelError, match="exact symbol"):
        word([0.5])
    with pytest.raises(KernelError, match="exact symbol"):
        word([True])


@pytest.mark.parametrize("value", [None, object(), {1: 2}, b"x", 1j])
def test_foreign_objects_are_refused(value: object) -> None:
    with pytest.raises(KernelError):
        admit(value)


def test_symbols_belong_in_proofs() -> None:
    with pytest.raises(KernelError, match="proof"):
        admit(sympy.Symbol("x") + 1)


@pytest.mark.parametrize(("value", "error"), [(float("nan"), 0), (1.0, -1.0), (1.0, float("inf"))])
def test_approximations_state_a_finite_error(value: float, error: float) -> None:
    with pytest.raises(KernelError):
        Approx(value, error)


def test_pairs_are_not_comparisons() -> None:
    with pytest.raises(KernelError, match="not a bool"):
        answer(True, C)
    with pytest.raises(KernelError, match="not a tuple"):
        answer((1, 2), C)


def test_exact_integers_of_every_library_are_one_type() -> None:
    for x in (3, fmpz(3), fmpq(3), Fraction(3), sympy.Integer(3)):
        assert type(admit(x)) is fmpq
