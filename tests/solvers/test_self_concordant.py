"""Logarithmic barriers against sympy's derivatives, one-dimensional closed forms and the exact Newton step."""

from __future__ import annotations

import pytest
import sympy
from flint import arb, ctx, fmpq, fmpq_mat

from solvers.exact_linalg import inverse, is_positive_semidefinite, trace
from solvers.self_concordant import (
    LogBarrier,
    ball_point,
    barrier_with_gradient,
    noisy_inverse,
    omega,
    omega_star,
    squared_decrement,
)

TRIANGLE = LogBarrier(
    fmpq_mat(2, 1, [fmpq(1, 2), fmpq(-3)]),
    fmpq_mat(3, 2, [1, 0, -2, 1, 1, -1]),
    fmpq_mat(3, 1, [fmpq(1), fmpq(3, 2), fmpq(2)]),
)
POINT = fmpq_mat(2, 1, [fmpq(1, 5), fmpq(-1, 3)])
ORIGIN = fmpq_mat(2, 1)


def symbolic() -> tuple[sympy.Expr, list[sympy.Symbol], dict[sympy.Symbol, sympy.Rational]]:
    x = list(sympy.symbols("x y"))
    rows = [(1, 0, sympy.Integer(1)), (-2, 1, sympy.Rational(3, 2)), (1, -1, sympy.Integer(2))]
    f = x[0] / 2 - 3 * x[1] - sum(sympy.log(b - p * x[0] - q * x[1]) for p, q, b in rows)
    return f, x, {x[0]: sympy.Rational(1, 5), x[1]: sympy.Rational(-1, 3)}


def test_gradient_and_hessian_are_those_of_sympy() -> None:
    f, x, at = symbolic()
    gradient = [str(f.diff(v).subs(at)) for v in x]
    hessian = [str(f.diff(u, v).subs(at)) for u in x for v in x]
    assert [str(e) for e in TRIANGLE.gradient(POINT).entries()] == gradient
    assert [str(e) for e in TRIANGLE.hessian(POINT).entries()] == hessian


def test_value_encloses_that_of_sympy() -> None:
    f, _, at = symbolic()
    assert TRIANGLE.value(POINT).overlaps(arb(str(f.subs(at).evalf(40)) + " +/- 1e-38"))


def test_value_outside_of_the_domain_is_not_finite() -> None:
    assert not TRIANGLE.value(fmpq_mat(2, 1, [2, 0])).is_finite()


def test_a_prescribed_gradient_at_the_origin_is_attained() -> None:
    g = fmpq_mat(2, 1, [fmpq(2, 7), fmpq(-5)])
    assert barrier_with_gradient(TRIANGLE.A, TRIANGLE.b, g).gradient(ORIGIN) == g


def test_noisy_inverse_lies_between_the_stated_multiples() -> None:
    H, E = TRIANGLE.hessian(POINT), [fmpq(-1, 5), fmpq(1, 3)]
    W = noisy_inverse(H, E)
    assert is_positive_semidefinite(W - inverse(H) * fmpq(4, 5))
    assert is_positive_semidefinite(inverse(H) * fmpq(4, 3) - W)
    assert trace(W * H) == 2 + sum(E, fmpq(0))


def test_noise_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="2 errors are expected, got 1"):
        noisy_inverse(TRIANGLE.hessian(POINT), [fmpq(0)])


def test_full_newton_step_squares_the_decrement_of_one_logarithm() -> None:
    a = fmpq(1, 10)  # f = c x - log(1 - x) with f'(0) = a: the decrement goes from a to a^2
    f = barrier_with_gradient(fmpq_mat(1, 1, [1]), fmpq_mat(1, 1, [1]), fmpq_mat(1, 1, [a]))
    x = fmpq_mat(1, 1, [-a])
    assert squared_decrement(f.gradient(x), f.hessian(x)) == a**4


def test_ball_point_agrees_with_exact_derivatives() -> None:
    at = ball_point(TRIANGLE, [arb(e) for e in POINT.entries()])
    H = TRIANGLE.hessian(POINT)
    for i in range(2):
        for j in range(2):
            assert sum((at.C[i][k] * at.C[j][k] for k in range(2)), arb(0)).overlaps(arb(H[i, j]))
    assert (at.decrement * at.decrement).overlaps(arb(squared_decrement(TRIANGLE.gradient(POINT), H)))
    assert at.value.overlaps(TRIANGLE.value(POINT))


def test_moved_along_its_own_gradient_is_the_newton_step() -> None:
    at = ball_point(TRIANGLE, [arb(e) for e in POINT.entries()])
    step = POINT - TRIANGLE.hessian(POINT).solve(TRIANGLE.gradient(POINT))
    for ball, exact in zip(at.moved(at.y), step.entries(), strict=True):
        assert ball.overlaps(arb(exact))
        assert ball.rad() < 1e-10


def test_points_outside_of_the_domain_are_refused() -> None:
    with pytest.raises(ValueError, match="domain"):
        ball_point(TRIANGLE, [arb(2), arb(0)])


def test_a_flat_direction_is_refused() -> None:
    flat = LogBarrier(ORIGIN, fmpq_mat(1, 2, [1, 0]), fmpq_mat(1, 1, [1]))
    with pytest.raises(ValueError, match="positive definite"):
        ball_point(flat, [arb(0), arb(0)])


def test_omega_and_its_conjugate_satisfy_fenchel_with_equality() -> None:
    ctx.prec = 120  # omega(a) + omega_*(s) = a s at s = a/(1 + a)
    try:
        a = arb(3) / 7
        s = a / (1 + a)
        assert abs(omega(a) + omega_star(s) - a * s) < arb("1e-30")
    finally:
        ctx.prec = 53
