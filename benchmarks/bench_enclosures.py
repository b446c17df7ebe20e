"""Enclosures beside mpmath on the same expressions, integrals, roots and differential equations, in one run.

Run with `pytest benchmarks/bench_enclosures.py`; `extra_info["times_faster_than_mpmath"]` is the median of
mpmath's time over ours. mpmath gives approximations without bounds; ours are enclosures.
"""

import mpmath
import pytest
import sympy
from bench_linalg import beside
from flint import fmpq

from solvers import enclosures as en
from solvers.enclosures import functions as F

x = sympy.Symbol("x")
POINT = fmpq(3, 7)
CASES = {
    "elementary": sympy.exp(sympy.sin(x)) * sympy.sqrt(1 + x**2) / (1 + sympy.atan(x)),
    "normal_cdf": sympy.erfc(-x / sympy.sqrt(2)) / 2,
    "bessel": sympy.besselj(sympy.Rational(1, 3), x),
    "hypergeometric": sympy.hyper([sympy.Rational(1, 2), 1], [3], x),
    "gamma": sympy.gamma(x) * sympy.zeta(x + 2),
}


@pytest.mark.parametrize("name", CASES)
def test_expression_beside_mpmath_lambdify(benchmark, name):
    expression = CASES[name]
    f, g = en.ball_function(expression, [x]), sympy.lambdify(x, expression, "mpmath")
    beside(benchmark, lambda: f(POINT), lambda: g(mpmath.mpf(3) / 7))


def test_integral_beside_mpmath_quad(benchmark):
    beside(
        benchmark,
        lambda: en.integrate(lambda t: F.exp(-t * t) * F.cos(3 * t), 0, 2),
        lambda: mpmath.quad(lambda t: mpmath.exp(-t * t) * mpmath.cos(3 * t), [0, 2]),
    )


def test_root_beside_mpmath_findroot(benchmark):
    beside(
        benchmark,
        lambda: en.isolate_roots(lambda t: F.cos(t) - t, 0, 1),
        lambda: mpmath.findroot(lambda t: mpmath.cos(t) - t, 0.7),
    )


def test_polynomial_roots_beside_mpmath_polyroots(benchmark):
    from solvers.enclosures import polynomials

    coefficients = [(-1) ** k * (k * k + 1) for k in range(16)]

    def ours():
        polynomials._isolated.cache_clear()
        return [r.ball() for r in en.real_roots(coefficients)]

    def theirs():
        return mpmath.polyroots(coefficients[::-1], maxsteps=500, extraprec=400)

    beside(benchmark, ours, theirs)


def test_flow_beside_mpmath_odefun(benchmark):
    beside(
        benchmark,
        lambda: en.flow(lambda v: [v[1], -v[0]], [0, 1], 1),
        lambda: mpmath.odefun(lambda t, v: [v[1], -v[0]], 0, [mpmath.mpf(0), mpmath.mpf(1)])(mpmath.mpf(1)),
    )
