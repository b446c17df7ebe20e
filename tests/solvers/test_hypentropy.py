"""The hyperbolic entropy against mpmath's arcsinh, and its minimisers against SciPy."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from flint import arb, fmpq

from solvers.enclosures import NoEnclosure, precision
from solvers.exact_linalg import matrix, pinv
from solvers.hypentropy import affine_minimiser, bregman, gradient, potential

Z = matrix([[1, 2, 0, -1, "1/2"], [0, 1, 3, 1, -1]])
Y = [fmpq(2), fmpq(-1)]
A = [fmpq(1, 2), fmpq(1, 5), fmpq(3, 10), fmpq(1, 2), fmpq(2, 5)]
X = [fmpq(1), fmpq(-2), fmpq(0), fmpq(1, 3), fmpq(7)]


def test_potential_is_its_definition() -> None:
    with mpmath.workdps(30):
        terms = [
            x * mpmath.asinh(x / a) - mpmath.sqrt(x * x + a * a)
            for x, a in ((mpmath.mpf(int(x.p)) / int(x.q), mpmath.mpf(int(a.p)) / int(a.q)) for x, a in zip(X, A))
        ]
        assert abs(potential(X, A) - arb(str(sum(terms) / 2))) < fmpq(1, 10**12)


def test_gradient_is_a_difference_quotient() -> None:
    h = fmpq(1, 10**6)
    with precision(150):
        for i, slope in enumerate(gradient(X, A)):
            up, down = ([x + s * h * (j == i) for j, x in enumerate(X)] for s in (1, -1))
            assert abs((potential(up, A) - potential(down, A)) / (2 * h) - slope) < fmpq(1, 10**10)


def test_bregman_divergence_vanishes_at_equality_only() -> None:
    assert bregman(X, X, A).contains(0)
    assert bregman([x + 1 for x in X], X, A) > 0


def test_minimiser_is_that_of_scipy() -> None:
    from scipy.optimize import minimize

    z, y, a = (np.array([[int(v.p) / int(v.q) for v in row] for row in rows]) for rows in (Z.tolist(), [Y], [A]))
    theta0 = [fmpq(1, 3), fmpq(0), fmpq(-1), fmpq(1, 2), fmpq(2)]
    shift = np.array([int(v.p) / int(v.q) for v in theta0])

    def objective(x: np.ndarray) -> float:
        return float(np.sum(x * np.arcsinh(x / a[0]) - np.sqrt(x**2 + a[0] ** 2)) / 2 - shift @ x / 2)

    found = minimize(
        objective,
        np.zeros(5),
        constraints={"type": "eq", "fun": lambda x: z @ x - y[0]},
        method="SLSQP",
        options={"ftol": 1e-15},
    )
    exact = affine_minimiser(Z, Y, A, theta0)
    np.testing.assert_allclose([float(v.mid()) for v in exact.x], found.x, atol=1e-5)


def test_constraints_hold_within_the_balls() -> None:
    with precision(300):
        x = affine_minimiser(Z, Y, [v / 10**20 for v in A]).x
        for row, v in zip(Z.tolist(), Y):
            value = sum((u * c for u, c in zip(x, row)), arb(0))
            assert value.contains(v)
            assert value.rad() < fmpq(1, 10**60)


def test_a_large_scale_gives_the_solution_of_least_norm() -> None:
    with precision(200):
        x = affine_minimiser(Z, Y, [fmpq(10**12)] * 5).x
        least = pinv(Z) * matrix([[v] for v in Y])
        assert all(abs(u - v) < fmpq(1, 10**20) for u, v in zip(x, least.entries()))


def test_a_rough_guess_leads_to_the_same_solution() -> None:
    exact = affine_minimiser(Z, Y, A)
    found = affine_minimiser(Z, Y, A, guess=[fmpq(round(10 * float(v.mid())), 10) for v in exact.nu])
    assert all(u.overlaps(v) and u.rad() < fmpq(1, 10**8) for u, v in zip(found.x, exact.x))


def test_right_sides_may_be_balls() -> None:
    wide = affine_minimiser(Z, [arb(2, fmpq(1, 10**8)), arb(-1)], A)
    assert all(u.contains(v.mid()) for u, v in zip(wide.x, affine_minimiser(Z, Y, A).x))


def test_dependent_rows_are_refused() -> None:
    with pytest.raises((NoEnclosure, ZeroDivisionError)):
        affine_minimiser(matrix([[1, 2], [2, 4]]), [fmpq(1), fmpq(2)], [fmpq(1), fmpq(1)])
