"""Symbols of proofs, the signs that their domains give to polynomials, and exact values at points."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from flint import arb, fmpq, fmpq_poly

from theorems.kernel.forms import ring_of
from theorems.kernel.outcome import KernelError
from theorems.kernel.points import Undefined, candidates, value_at
from theorems.kernel.real_roots import count_roots, sign_on
from theorems.kernel.symbols import (
    Domain,
    domain_words,
    functions,
    is_kernel_symbol,
    matrix_symbols,
    require_own,
    symbolic,
    symbols,
)

x, y = symbols("x y")
p, q = symbols("p q", positive=True)
a = symbols("a", nonnegative=True)
u = symbols("u", lower=0, upper=1)


def test_a_root_of_a_square_is_the_modulus_for_a_real_symbol_and_the_symbol_for_a_positive_one() -> None:
    assert sympy.sqrt(x**2) == sympy.Abs(x) != x
    assert sympy.sqrt(p**2) == p


def test_symbols_of_equal_name_and_domain_are_equal_and_of_different_domain_are_not() -> None:
    assert symbols("x") == x
    assert symbols("x", lower=1) != symbols("x", lower=2) != x
    assert symbols("x", lower=1) - symbols("x", lower=2) != 0


def test_several_symbols_come_as_a_tuple() -> None:
    assert [s.name for s in symbols("v:3")] == ["v0", "v1", "v2"]
    assert all(is_kernel_symbol(s) for s in symbols("a, b"))


@pytest.mark.parametrize("assumptions", [{}, {"zero": True}, {"positive": True}, {"commutative": False}])
def test_a_symbol_that_the_kernel_did_not_make_is_refused_with_advice(assumptions: dict[str, bool]) -> None:
    with pytest.raises(KernelError, match=r'write `x, y = symbols\("x y"\)`'):
        require_own(sympy.Symbol("k", **assumptions) + x)


def test_a_foreign_positive_symbol_is_not_the_kernel_symbol_of_that_name() -> None:
    assert sympy.Symbol("p", positive=True) != p
    assert not is_kernel_symbol(sympy.Symbol("p", positive=True))


@pytest.mark.parametrize(
    "facts",
    [
        {"lower": 0.5},
        {"upper": True},
        {"lower": "0"},
        {"lower": 1, "upper": 1},
        {"above": 2, "below": 1},
        {"positive": True, "lower": 1},
        {"upper": 1, "below": 2},
        {"above": Fraction(1, 4), "below": Fraction(3, 4), "integer": True},
    ],
)
def test_bounds_that_are_inexact_contradictory_or_doubled_are_refused(facts: dict[str, object]) -> None:
    with pytest.raises(KernelError):
        symbols("z", **facts)


def test_a_positive_integer_is_at_least_one() -> None:
    n = symbols("n", positive=True, integer=True)
    assert n.domain == Domain(lower=fmpq(1), integer=True)
    assert n.is_positive
    assert n.is_integer
    assert symbols("n", above=Fraction(1, 2), below=3, integer=True).domain == Domain(fmpq(1), fmpq(2), integer=True)


def test_sympy_knows_no_more_than_the_domain_says() -> None:
    assert symbols("z", lower=-1).is_positive is None
    assert symbols("z", upper=0).is_nonpositive
    assert symbols("z", upper=0).is_negative is None
    assert symbols("z", lower=0).is_positive is None


def test_a_symmetric_matrix_repeats_its_symbols() -> None:
    M = matrix_symbols("M", 3, symmetric=True)
    assert M.T == M
    assert len(M.free_symbols) == 6
    assert matrix_symbols("N", 2, 3).shape == (2, 3)
    assert len(matrix_symbols("K", 12).free_symbols) == 144
    with pytest.raises(KernelError, match="square"):
        matrix_symbols("M", 2, 3, symmetric=True)


def test_the_domain_is_written_as_people_write_it() -> None:
    assert domain_words([p, q, x, u]) == "all p, q > 0; all real x; all 0 <= u <= 1"
    assert symbols("n", nonnegative=True, integer=True).domain.words("n") == "integer n >= 0"


def test_an_undefined_function_with_assumptions_is_refused() -> None:
    phi = functions("phi")
    ring_of(phi(x) + phi(x).diff(x))
    with pytest.raises(KernelError, match="functions"):
        ring_of(sympy.Function("f", zero=True)(x) + sympy.Function("g")(x))


# Signs read off coefficients: the sign of a polynomial with rational coefficients in bounded symbols

m = symbols("m", lower=1, upper=3)
v = symbols("v", above=0, below=1)
n = symbols("n", upper=-2)


@pytest.mark.parametrize(
    ("expr", "sign"),
    [
        (x**2, 1), (x**2 + 1, 2), (x, 0), (x**3, 0), (-(x**2) - 1, -2), (x**2 + x + 1, 0),
        (p, 2), (a, 1), (a + 1, 2), (p * a, 1), (p - q, 0), (p + x**2, 2), (a + x**2, 1),
        (u, 1), (1 - u, 1), (u * (1 - u), 1), (2 - u, 2), (1 - u + u**2, 2), (u - 2, -2),
        (v * (1 - v), 2), (1 - v, 2), (v**2 - v**3, 2), (m - 1, 1), (m, 2), (3 - m, 1), (4 * m - 4 - m**2 + 1, 1),
        (n, -2), (-n - 2, 1), (n**2 - 4, 1), (m - u, 1), (m - v, 2), (p * (m - 1), 1), (1 - 2 * u, 0),
    ],
)  # fmt: skip
def test_the_sign_read_off_coefficients(expr: sympy.Expr, sign: int) -> None:
    ring, (form,) = ring_of(expr)
    assert ring.sign(form[0]) == sign


def test_signs_read_off_coefficients_are_never_wrong_on_random_polynomials() -> None:
    """Oracle: exact values at rational points of the domain, ends included."""
    from random import Random

    rng = Random(5)
    decided = 0
    for _ in range(150):
        terms = [
            rng.randint(-3, 4) * u ** rng.randint(0, 3) * m ** rng.randint(0, 2) * a ** rng.randint(0, 2)
            for _ in range(4)
        ]
        expr = sympy.Add(*terms)
        ring, (form,) = ring_of(expr)
        sign = ring.sign(form[0])
        decided += sign != 0
        for point in candidates([u, m, a], 30, seed=rng.randint(0, 99)):
            value = value_at(expr, point)
            assert {2: value > 0, 1: value >= 0, 0: True, -1: value <= 0, -2: value < 0}[sign]
    assert decided > 30


# Sturm's theorem, against sympy


def test_root_counts_agree_with_sympy() -> None:
    from random import Random

    rng = Random(1)
    z = sympy.Symbol("z")
    for _ in range(120):
        poly = fmpq_poly([1])
        for _ in range(rng.randint(1, 4)):
            poly *= fmpq_poly([rng.randint(-3, 3) for _ in range(3)] + [1])
        low, high = sorted(rng.sample(range(-4, 5), 2))
        oracle = sympy.Poly([sympy.Rational(int(c.p), int(c.q)) for c in reversed(poly.coeffs())], z)
        inside = oracle.count_roots(low, high) - (oracle.eval(low) == 0) - (oracle.eval(high) == 0)
        assert count_roots(poly, fmpq(low), fmpq(high)) == inside
        assert count_roots(poly, None, None) == oracle.count_roots()


@pytest.mark.parametrize(
    ("coefficients", "domain", "sign"),
    [
        ([1, -2, 1], Domain(), 1),
        ([1, -2, 2], Domain(), 2),
        ([0, 1], Domain(fmpq(0)), 1),
        ([0, 1], Domain(fmpq(0), None, True), 2),
        ([0, 1], Domain(), 0),
        ([-1, 0, -1], Domain(), -2),
        ([-2, 0, 1], Domain(fmpq(3, 2)), 2),
        ([-2, 0, 1], Domain(fmpq(7, 5)), 0),
        ([1, -1], Domain(fmpq(0), fmpq(1)), 1),
        ([1, -1], Domain(fmpq(0), fmpq(1), False, True), 2),
        ([5], Domain(), 2),
    ],
)
def test_the_sign_of_a_univariate_polynomial_on_an_interval(coefficients: list[int], domain: Domain, sign: int) -> None:
    assert sign_on(fmpq_poly(coefficients), domain) == sign


# Values at points


def test_rational_values_are_exact_and_others_are_balls_around_the_value_of_sympy() -> None:
    point = {x: fmpq(-2, 3), p: fmpq(9, 4)}
    assert value_at(sympy.sqrt(p) + x**3 / p, point) == fmpq(3, 2) + fmpq(-8, 27) / fmpq(9, 4)
    assert value_at(sympy.exp(x - x) + sympy.log(p / p + 0), point) == 1
    for expr in (sympy.exp(x) * sympy.sin(p), p ** (x + 1), sympy.log(p) / sympy.atan(x), sympy.erf(x) + sympy.pi):
        ball = value_at(expr, point)
        exact = expr.subs({x: sympy.Rational(-2, 3), p: sympy.Rational(9, 4)})
        assert isinstance(ball, arb)
        assert abs(ball - arb(str(sympy.N(exact, 40)))) < arb("1e-12")


@pytest.mark.parametrize("expr", [1 / x, sympy.sqrt(x - 1), sympy.log(x), x**-3, sympy.log(x - 1), sympy.asin(x + 2)])
def test_a_value_at_a_pole_or_off_the_reals_is_undefined(expr: sympy.Expr) -> None:
    with pytest.raises(Undefined):
        value_at(expr, {x: fmpq(0)})


def test_candidates_lie_in_their_domains_and_repeat() -> None:
    k = symbols("k", lower=-2, upper=5, integer=True)
    names = [x, p, a, u, v, m, n, k]
    points = list(candidates(names, 200))
    assert len(points) == 200
    assert all(s.domain.contains(value) for point in points for s, value in point.items())
    assert points == list(candidates(names, 200))
    assert len({str(point[x]) for point in points}) > 50


def test_numbers_in_symbolic_form_are_exact() -> None:
    assert symbolic(fmpq(3, 4)) == symbolic(Fraction(3, 4)) == sympy.Rational(3, 4)
    assert symbolic(2) * symbols("x") == 2 * symbols("x")
    for wrong in (0.5, True, sympy.Float("0.5"), "1/2"):
        with pytest.raises(KernelError, match="exact number"):
            symbolic(wrong)
