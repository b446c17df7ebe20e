"""The flow on masked weights against SciPy's integrator, and its conserved quantities."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, fmpq

from solvers.enclosures import NoEnclosure, precision
from solvers.masked_flow import balances, least_squares, masked_flow, products, velocity, weights

ROWS = [[fmpq(1), fmpq(-1), fmpq(1, 2)], [fmpq(0), fmpq(1), fmpq(2)]]
Y = [fmpq(1), fmpq(-1, 2)]
X0, A0 = [fmpq(1, 2), fmpq(-1, 5), fmpq(0)], [fmpq(1, 3), fmpq(1, 2), fmpq(1, 4)]
PHASES = ((fmpq(1, 5), fmpq(1)), (fmpq(0), fmpq(1, 2)))


def test_weights_have_the_products_and_balances_asked_for() -> None:
    with precision(100):
        state = weights(X0, A0)
        assert all(u.contains(v) for u, v in zip(products(state, 3), X0))
        assert all(u.contains(v) and u.rad() < fmpq(1, 10**25) for u, v in zip(balances(state, 3), A0))


def test_least_squares_gradient_is_exact_on_rationals() -> None:
    assert least_squares(ROWS, Y)([fmpq(1), fmpq(2), fmpq(0)]) == [fmpq(-2), fmpq(9, 2), fmpq(4)]


def test_velocity_is_the_gradient_of_the_penalised_loss() -> None:
    state = [fmpq(1), fmpq(2), fmpq(3), fmpq(-1)]
    assert velocity(state, [fmpq(5), fmpq(7)], fmpq(1, 2)) == [-16, 5, -8, -13]
    assert velocity(state, [fmpq(5), fmpq(7)], 0) == [-15, 7, -5, -14]


def test_flow_is_that_of_scipy_and_balances_fall_exponentially() -> None:
    from scipy.integrate import solve_ivp

    with precision(80):
        moments = masked_flow(least_squares(ROWS, Y), weights(X0, A0), PHASES, order=16)
        end = moments[-1]
        fall = (-arb(4) / 5).exp()
        assert all(abs(u - v * fall) < fmpq(1, 10**12) for u, v in zip(balances(end.state, 3), A0))
    assert end.t == fmpq(3, 2)
    z, y = (np.array([[int(v.p) / int(v.q) for v in row] for row in rows]) for rows in (ROWS, [Y]))
    state = np.array([float(v.mid()) for v in weights(X0, A0)])
    for alpha, duration in ((0.2, 1.0), (0.0, 0.5)):

        def field(_: float, s: np.ndarray, alpha: float = alpha) -> np.ndarray:
            g = z.T @ (z @ (s[:3] * s[3:]) - y[0])
            return np.concatenate([-s[3:] * g, -s[:3] * g]) - 2 * alpha * s

        state = solve_ivp(field, (0, duration), state, rtol=1e-11, atol=1e-12).y[:, -1]
    np.testing.assert_allclose([float(v.mid()) for v in end.state], state, atol=1e-8)


def test_a_flow_ends_when_it_is_done_or_says_so() -> None:
    def small(state: list[arb]) -> bool:
        x = products(state, 3)
        errors = [sum((u * c for u, c in zip(x, row)), arb(0)) - v for row, v in zip(ROWS, Y)]
        return all(abs(e) < fmpq(1, 100) for e in errors)

    with precision(80):
        last = masked_flow(least_squares(ROWS, Y), weights(X0, A0), ((0, 50),), order=16, done=small)[-1]
        assert last.t < 50
        assert small(last.state)
        with pytest.raises(NoEnclosure):
            masked_flow(least_squares(ROWS, Y), weights(X0, A0), ((0, fmpq(1, 10)),), order=16, done=small)
