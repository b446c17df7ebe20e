"""Exact stationary points against hand computations, cvxpy's Clarabel and the batched proximal gradients."""

from __future__ import annotations

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from solvers.exact_linalg import column, matrix
from solvers.penalised import Penalty, stationary_point, subgradient_gap
from solvers.proximal import firm, proximal_gradient, soft

X = np.array([[2, 1, -1], [0, 3, 1], [1, -2, 4], [1, 1, 1], [-3, 0, 2]])
Y = np.array([5, -2, 7, 1, -4])
G, C = matrix((X.T @ X).tolist()), column((X.T @ Y).tolist())


def floats(b: fmpq_mat) -> list[float]:
    return [int(x.p) / int(x.q) for x in b.entries()]


def test_lasso_of_an_orthogonal_design_is_soft_thresholding() -> None:
    identity = matrix([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    b = stationary_point(identity, column([3, fmpq(-1, 2), -2]), Penalty((fmpq(1),) * 3))
    assert b == column([2, 0, -1])


def test_mcp_of_an_orthogonal_design_is_firm_thresholding() -> None:
    """Width 2, lambda 1: (|z| - 1) / (1 - 1/2) up to |z| = 2, the identity beyond."""
    identity = matrix([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    b = stationary_point(identity, column([fmpq(3, 2), fmpq(-3), fmpq(1, 2)]), Penalty((fmpq(1),) * 3, width=fmpq(2)))
    assert b == column([1, -3, 0])


@pytest.mark.parametrize("ridge", [fmpq(0), fmpq(3)])
def test_elastic_net_agrees_with_clarabel(ridge: fmpq) -> None:
    import cvxpy as cp

    b = cp.Variable(3)
    objective = 0.5 * cp.sum_squares(X @ b) - (X.T @ Y) @ b + 5 * cp.norm1(b) + int(ridge) / 2 * cp.sum_squares(b)
    cp.Problem(cp.Minimize(objective)).solve(solver=cp.CLARABEL)
    exact = stationary_point(G, C, Penalty((fmpq(5),) * 3, ridge))
    assert np.allclose(floats(exact), b.value, atol=1e-6)


def test_gaps_vanish_at_the_stationary_point_and_nowhere_near() -> None:
    penalty = Penalty((fmpq(5),) * 3)
    b = stationary_point(G, C, penalty)
    assert subgradient_gap(G, C, b, penalty) == [0, 0, 0]
    moved = b + column([fmpq(1, 1000), 0, 0])
    assert any(subgradient_gap(G, C, moved, penalty))


def test_flat_problem_without_a_stationary_point_is_refused() -> None:
    singular = matrix([[1, 1], [1, 1]])
    with pytest.raises(ArithmeticError):
        stationary_point(singular, column([1, 2]), Penalty((fmpq(0),) * 2))


@pytest.mark.parametrize("width", [None, fmpq(4)])
def test_batched_proximal_gradients_find_the_exact_points(width: fmpq | None) -> None:
    lam = np.array([[1.0], [4.0]])
    prox = soft(lam) if width is None else firm(lam, 4.0)
    batch = np.stack([(X.T @ X).astype(float)] * 2)
    found = proximal_gradient(batch, np.stack([(X.T @ Y).astype(float)] * 2), prox)
    for row, weight in zip(found, (1, 4), strict=True):
        exact = stationary_point(G, C, Penalty((fmpq(weight),) * 3, width=width))
        assert np.allclose(row, floats(exact), atol=1e-9)


def test_proximal_gradients_report_an_exhausted_limit() -> None:
    with pytest.raises(ArithmeticError, match="not converged"):
        proximal_gradient(np.eye(2)[None] * np.array([1.0, 1e-6])[None, :, None], np.ones((1, 2)), soft(0.0), limit=3)
