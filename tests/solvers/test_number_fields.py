"""Arithmetic with one irrational algebraic number, against mpmath and defining equations."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import mpmath
import pytest
from flint import fmpq

from solvers.number_fields import Irrational, real_field, root_of


def test_the_golden_ratio_satisfies_its_equation() -> None:
    phi = (1 + root_of(5)) / 2
    assert phi**2 == phi + 1
    assert phi**-1 == phi - 1
    assert 1 / phi == phi - 1
    assert phi != 1
    assert hash(phi**2) == hash(phi + 1)


def test_numbers_compare_exactly_with_convergents_on_either_side() -> None:
    """Continued fraction convergents p/q of sqrt(2) alternate about it: p^2 - 2 q^2 = -1, +1, ..."""
    root, p, q = root_of(2), 1, 1
    for k in range(80):
        assert (fmpq(p, q) < root) == (k % 2 == 0)
        assert (root < Fraction(p, q)) == (k % 2 == 1)
        p, q = p + 2 * q, p + q


def test_tiny_and_zero_differences_have_exact_signs() -> None:
    root = root_of(2)
    assert ((root - 1) ** 300).sign() == 1
    assert ((1 - root) ** 301).sign() == -1
    assert ((root - 1) ** 300 - (3 - 2 * root) ** 150).sign() == 0


def test_field_operations_agree_with_mpmath() -> None:
    """A cubic field with one real root: x^3 - 2 x - 5 (Newton's example)."""
    x = real_field([-5, -2, 0, 1], 2).generator
    random = Random(1)
    with mpmath.workdps(60):
        at = mpmath.findroot(lambda t: t**3 - 2 * t - 5, 2)
        for _ in range(40):
            a, b = ([random.randint(-9, 9) for _ in range(3)] for _ in range(2))
            u, v = (c[0] + c[1] * x + c[2] * x**2 for c in (a, b))
            s, t = (c[0] + c[1] * at + c[2] * at**2 for c in (a, b))
            for ours, theirs in (
                (u + v, s + t),
                (u - v, s - t),
                (u * v, s * t),
                (u / v if b != [0, 0, 0] else u, s / t if t else s),
            ):
                difference = mpmath.mpf(ours.ball(180).mid().str(60, radius=False)) - theirs
                assert abs(difference) <= mpmath.mpf(10) ** -45 * (1 + abs(theirs))


def test_the_root_that_is_meant_is_chosen() -> None:
    assert real_field([-2, 0, 1], -1).generator < 0
    assert real_field([-2, 0, 1], 1).generator > 0


def test_square_roots_of_squares_are_rational() -> None:
    assert root_of(fmpq(4, 9)) == fmpq(2, 3)
    assert isinstance(root_of(fmpq(4, 9)), fmpq)
    assert isinstance(root_of(fmpq(1, 2)), Irrational)


@pytest.mark.parametrize(
    ("coefficients", "words"), [([-1, 0, 1], "irreducible"), ([1, 1], "degree at least 2"), ([1, 0, 1], "no real root")]
)
def test_polynomials_that_define_no_real_field_are_refused(coefficients: list[int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        real_field(coefficients, 1)


def test_misuse_is_refused() -> None:
    root = root_of(2)
    with pytest.raises(ValueError, match="two different fields"):
        root + root_of(3)
    with pytest.raises(TypeError):
        0.5 * root
    with pytest.raises(ZeroDivisionError):
        1 / (root - root)
    with pytest.raises(ValueError, match="no real square root"):
        root_of(-2)
