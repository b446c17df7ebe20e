"""Enclosures of expressions and signs, against mpmath and higher precision (oracles named in the tests)."""

import random

import mpmath
import pytest
import sympy
from flint import acb, arb, arb_series, ctx, fmpq

from solvers import enclosures as en
from solvers.enclosures import functions as F

x, y = sympy.symbols("x y")


def test_precision_sets_both_libraries_and_restores_them_after_an_error():
    before = ctx.prec, mpmath.mp.prec
    with en.precision(300):
        assert (ctx.prec, mpmath.mp.prec) == (300, 300)
    assert (ctx.prec, mpmath.mp.prec) == before
    with pytest.raises(ZeroDivisionError), en.precision(300):
        fmpq(1, 0)
    assert (ctx.prec, mpmath.mp.prec) == before
    with pytest.raises(ValueError, match="at least 2"), en.precision(1):
        pass


def test_the_trap_itself_square_of_a_ball_about_zero_is_nan_in_flint():
    assert not (arb(0, 1) ** 2).is_finite()
    assert arb.nan().contains(0)
    answers = [arb.nan() > 0, arb.nan() < 0, arb.nan() == 0]
    assert not any(answers)


@pytest.mark.parametrize("n", range(1, 7))
def test_integer_powers_of_balls_about_zero_are_the_tight_images(n):
    ball = en.power(arb(0, 2), n)
    low, high = (-(2**n) if n % 2 else 0), 2**n
    assert ball.contains(arb(low))
    assert ball.contains(arb(high))
    assert ball.rad() < (high - low) * 0.5000001
    assert en.power(en.interval(-3, -1), n).contains(arb(-2) ** n)


def test_rational_powers_stay_in_the_real_domain():
    assert en.power(fmpq(9, 4), fmpq(3, 2)).contains(fmpq(27, 8))
    assert not en.power(arb(-1), fmpq(1, 3)).is_finite()
    assert en.power(0, fmpq(1, 2)) == 0
    assert en.power(acb(-8), fmpq(1, 3)).overlaps(acb(1, arb(3).sqrt()))


def test_nan_never_decides_a_sign():
    found = en.sign(lambda: arb(0, 1) ** 2, limit=256)
    assert not found.decided
    assert found.bits == 256
    assert not en.sign(sympy.sqrt(x), {x: -1}, limit=128).decided
    assert not en.sign(lambda: 1 / arb(0), limit=128).decided


def test_signs_are_decided_at_the_precision_they_take():
    """Hermite's near-integer: exp(pi sqrt(163)) is 7.5e-13 below 262537412640768744."""
    found = en.sign(sympy.exp(sympy.pi * sympy.sqrt(163)) - 262537412640768744)
    assert found.sign == -1
    assert found.bits == 128
    tiny = en.sign(lambda: (1 + arb(fmpq(1, 10**200))).log(), limit=1024)
    assert (tiny.sign, tiny.bits) == (1, 1024)


def test_a_hidden_zero_stays_undecided_and_an_exact_zero_is_zero():
    a = sympy.sqrt(2, evaluate=False) + sympy.sqrt(3)
    b = sympy.sqrt(5 + 2 * sympy.sqrt(6), evaluate=False)
    assert en.compare(a, b, limit=512).sign is None
    assert en.compare(fmpq(1, 2), fmpq(2, 4)).sign == 0
    assert en.compare(fmpq(1, 3), lambda: arb(1) / 3, limit=128).sign is None


def test_complex_values_have_no_sign():
    with pytest.raises(TypeError, match="real part"):
        en.sign(lambda: acb(1, 1))


def test_enclose_reaches_the_accuracy_asked_for_and_says_when_nothing_is_finite():
    ball = en.enclose(sympy.sin(x) / x, {x: sympy.Rational(1, 7)}, bits=500)
    assert ball.rel_accuracy_bits() >= 500
    with pytest.raises(en.NoEnclosure, match="no finite ball"):
        en.enclose(sympy.log(x), {x: -1}, limit=200)


def test_floats_are_refused_by_expressions_and_functions():
    with pytest.raises(TypeError, match="Rational"):
        en.ball_function(sympy.Float("0.1") * x, [x])
    with pytest.raises(TypeError, match="not an exact rational"):
        F.exp(0.1)
    with pytest.raises(TypeError, match="no ball evaluation"):
        en.ball_function(sympy.Function("f")(x), [x])


@pytest.mark.parametrize("bits", [53, 113])
@pytest.mark.parametrize("point", [fmpq(3893924827815215, 2**50), fmpq(1381846513289487, 2**46)])
def test_exp_contains_the_true_value_where_mpmath_intervals_miss_it(point, bits):
    """Oracle: exp by an exact rational Taylor sum with its remainder bound, no library's exp involved."""
    term, total, k = fmpq(1), fmpq(0), 0
    while k < 60 or term > fmpq(1, 2**400):
        total, k = total + term, k + 1
        term = term * point / k
    with en.precision(bits):
        ball = F.exp(point)
    with en.precision(500):
        truth = arb(total).union(arb(total + 2 * term))
        assert ball.contains(truth)
        assert ball.rel_accuracy_bits() >= bits - 4


SPECIAL = [
    (lambda q: F.gamma(q), lambda t: mpmath.gamma(t)),
    (lambda q: F.loggamma(q), lambda t: mpmath.loggamma(t)),
    (lambda q: F.digamma(q), lambda t: mpmath.digamma(t)),
    (lambda q: F.polygamma(2, q), lambda t: mpmath.polygamma(2, t)),
    (lambda q: F.erf(q), lambda t: mpmath.erf(t)),
    (lambda q: F.erfc(q), lambda t: mpmath.erfc(t)),
    (lambda q: F.erfinv(q), lambda t: mpmath.erfinv(t)),
    (lambda q: F.erfcinv(q), lambda t: mpmath.erfinv(1 - t)),
    (lambda q: F.normal_cdf(q), lambda t: mpmath.ncdf(t)),
    (lambda q: F.normal_pdf(q), lambda t: mpmath.npdf(t)),
    (lambda q: F.normal_quantile(q), lambda t: mpmath.sqrt(2) * mpmath.erfinv(2 * t - 1)),
    (lambda q: F.bessel_j(fmpq(1, 3), q), lambda t: mpmath.besselj(mpmath.mpf(1) / 3, t)),
    (lambda q: F.bessel_y(1, q), lambda t: mpmath.bessely(1, t)),
    (lambda q: F.bessel_i(2, q), lambda t: mpmath.besseli(2, t)),
    (lambda q: F.bessel_k(0, q), lambda t: mpmath.besselk(0, t)),
    (lambda q: F.hyp1f1(fmpq(1, 2), 3, q), lambda t: mpmath.hyp1f1(0.5, 3, t)),
    (lambda q: F.hyp2f1(fmpq(1, 2), 1, 3, q), lambda t: mpmath.hyp2f1(0.5, 1, 3, t)),
    (lambda q: F.hyp0f1(3, q), lambda t: mpmath.hyp0f1(3, t)),
    (lambda q: F.hyperu(1, 2, q), lambda t: mpmath.hyperu(1, 2, t)),
    (lambda q: F.hyper([1, 2], [3, 4, 5], q), lambda t: mpmath.hyper([1, 2], [3, 4, 5], t)),
    (lambda q: F.zeta(q + 1), lambda t: mpmath.zeta(t + 1)),
    (lambda q: F.zeta(2, q), lambda t: mpmath.zeta(2, t)),
    (lambda q: F.gamma_upper(2, q), lambda t: mpmath.gammainc(2, t)),
    (lambda q: F.gamma_lower_regularized(fmpq(3, 2), q), lambda t: mpmath.gammainc(1.5, 0, t, True)),
    (lambda q: F.gamma_upper_regularized(fmpq(3, 2), q), lambda t: mpmath.gammainc(1.5, t, regularized=True)),
    (lambda q: F.beta_lower_regularized(2, 3, q), lambda t: mpmath.betainc(2, 3, 0, t, True)),
    (lambda q: F.beta(q, 2), lambda t: mpmath.beta(t, 2)),
    (lambda q: F.polylog(2, q), lambda t: mpmath.polylog(2, t)),
    (lambda q: F.expint(1, q), lambda t: mpmath.e1(t)),
    (lambda q: F.lambertw(q), lambda t: mpmath.lambertw(t).real),
    (lambda q: F.elliptic_k(q), lambda t: mpmath.ellipk(t)),
    (lambda q: F.airy_ai(q), lambda t: mpmath.airyai(t)),
    (lambda q: F.laguerre(3, q), lambda t: mpmath.laguerre(3, 0, t)),
    (lambda q: F.hermite(4, q), lambda t: mpmath.hermite(4, t)),
    (lambda q: F.legendre(5, q), lambda t: mpmath.legendre(5, t)),
    (lambda q: F.tanh(q), lambda t: mpmath.tanh(t)),
    (lambda q: F.log1p(q), lambda t: mpmath.log1p(t)),
]


@pytest.mark.parametrize(("ours", "theirs"), SPECIAL)
def test_special_functions_agree_with_mpmath_to_forty_digits(ours, theirs):
    with en.precision(160):
        ball = ours(fmpq(3, 8))
        value = theirs(mpmath.mpf(3) / 8)
        assert ball.is_finite()
        text = mpmath.nstr(value, 45)
        assert abs(ball - arb(text)) < arb(10) ** -40 * (1 + abs(ball))


EXPRESSIONS = [
    sympy.besselj(x, 2), sympy.hyper([1, x], [sympy.Rational(5, 2)], x / 4), sympy.erf(x) - sympy.erfc(x),
    sympy.gamma(x) * sympy.loggamma(x), sympy.uppergamma(2 * x, x), sympy.polygamma(1, x), sympy.zeta(x + 2),
    sympy.Max(x, x**2) - sympy.Min(x, sympy.Rational(1, 3)), sympy.Abs(x - 1), sympy.factorial(x),
    sympy.binomial(5, x), sympy.LambertW(x), sympy.expint(2, x), sympy.atan(x) ** sympy.pi, sympy.harmonic(x),
    sympy.Piecewise((x**2, x > 1), (sympy.exp(x), True)), sympy.GoldenRatio ** x, sympy.EulerGamma / x,
    sympy.erfinv(x / 2), sympy.elliptic_k(x), sympy.legendre(3, x), sympy.laguerre(2, x), 1 / sympy.sqrt(x),
]  # fmt: skip


@pytest.mark.parametrize("e", EXPRESSIONS, ids=str)
def test_sympy_expressions_agree_with_sympys_own_evaluation(e):
    ball = en.enclose(e, {x: sympy.Rational(3, 7)}, bits=120)
    value = e.subs(x, sympy.Rational(3, 7)).evalf(40)
    with en.precision(160):
        assert abs(ball - arb(str(value))) < arb(10) ** -33 * (1 + abs(ball))


def test_an_undecided_piecewise_condition_gives_the_union_of_its_branches():
    f = en.ball_function(sympy.Piecewise((-1, x < 0), (1, True)), [x])
    both = f(arb(0, 1))
    assert both.contains(-1)
    assert both.contains(1)
    assert f(arb(2, 1)) == 1
    assert f(arb(-2, 1)) == -1


def random_expression(rng, depth):
    if depth == 0:
        return rng.choice([x, y, sympy.Rational(rng.randint(-9, 9), rng.randint(1, 9)), sympy.pi])
    a = random_expression(rng, depth - 1)
    b = random_expression(rng, rng.randrange(depth))
    kind = rng.randrange(12)
    one = [sympy.sin, sympy.cos, sympy.tanh, sympy.atan, sympy.erf, sympy.exp]
    if kind < 6:
        return one[kind](a / 2 if kind == 5 else a)
    return [a + b, a - b, a * b, a / (1 + b**2), a ** rng.randint(2, 4), sympy.sqrt(1 + a**2)][kind - 6]


def test_a_thousand_random_expressions_contain_the_value_at_four_times_the_precision():
    rng = random.Random(20250101)
    finite = 0
    for _ in range(1000):
        e = random_expression(rng, rng.randint(1, 3))
        f = en.ball_function(e, [x, y])
        point = [fmpq(rng.randint(-50, 50), rng.randint(1, 20)) for _ in range(2)]
        coarse, fine = [], []
        for bits, out in ((53, coarse), (212, fine)):
            with en.precision(bits):
                out.append(f(*point))
        if coarse[0].is_finite():
            finite += 1
            assert coarse[0].overlaps(fine[0])
            assert coarse[0].contains(fine[0].mid())
    assert finite > 950


def test_wide_arguments_contain_the_values_at_their_points():
    rng = random.Random(7)
    for _ in range(200):
        e = random_expression(rng, 3)
        f = en.ball_function(e, [x, y])
        a, b = fmpq(rng.randint(-9, 9), 4), fmpq(rng.randint(-9, 9), 4)
        image = f(en.interval(a, a + 1), en.interval(b, b + 1))
        if image.is_finite():
            value = f(a + fmpq(rng.randint(0, 8), 8), b + fmpq(rng.randint(0, 8), 8))
            assert image.overlaps(value)


@pytest.mark.parametrize(
    "f",
    [
        *(F.exp, F.log, F.sqrt, F.tanh, F.sinh, F.cosh, F.asinh, F.acosh, F.erf, F.gamma, F.loggamma),
        *(F.normal_cdf, F.log1p, F.expm1, F.cot, F.sech, F.coth),
        lambda t: F.power(t, fmpq(5, 2)),
        lambda t: F.power(t, -3),
    ],
)
def test_power_series_give_the_derivative(f):
    """Oracle: the symmetric difference quotient at 600 bits, whose error here is below 1e-50."""
    with en.precision(600):
        h = arb(2) ** -200
        quotient = (f(2 + h) - f(2 - h)) / (2 * h)
        slope = f(arb_series([2, 1], 2))[1]
        assert abs(slope - quotient) < arb(10) ** -50
