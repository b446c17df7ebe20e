"""Scaled gradient descent against NumPy, and against what is known in closed form."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat

from solvers.enclosures import NoEnclosure, precision
from solvers.exact_linalg import matrix
from solvers.scaled_descent import asymmetric_steps, heron, preconditioned, symmetric_steps

L = matrix([[1, 2], [0, 1], [-1, 1], [3, "1/2"]])
A = L * L.transpose()
WIDE = matrix([[1, 0, 2, -1], [2, 1, 0, 1], [0, -1, 1, 1]])
HALF = fmpq(1, 2)


def doubles(M: fmpq_mat | arb_mat) -> np.ndarray:
    entry = (lambda x: int(x.p) / int(x.q)) if isinstance(M, fmpq_mat) else (lambda x: float(x.mid()))
    return np.array([[entry(x) for x in row] for row in M.tolist()])


def test_the_preconditioned_factor_is_that_of_numpy_for_every_rank() -> None:
    for X in (L, WIDE, matrix([[1, 2, 3], [2, 4, 6]]), matrix([[0, 0], [0, 0]])):
        d = doubles(X)
        np.testing.assert_allclose(doubles(preconditioned(X)), d @ np.linalg.pinv(d.T @ d), atol=1e-12)


def test_balls_of_deficient_rank_are_refused() -> None:
    with pytest.raises(NoEnclosure):
        preconditioned(arb_mat(matrix([[1, 2], [2, 4]])))


def test_symmetric_steps_are_those_of_numpy() -> None:
    X0 = matrix([[1, 0], [1, 1], [2, -1], [0, 1]])
    a, x = doubles(A), doubles(X0)
    for X in islice(symmetric_steps(X0, A, fmpq(1, 3)), 4):
        np.testing.assert_allclose(doubles(X), x, atol=1e-10)
        x = x - (x @ x.T - a) @ x @ np.linalg.pinv(x.T @ x) / 3


def test_asymmetric_steps_are_those_of_numpy_and_simultaneous() -> None:
    B = L * matrix([[1, 0, 2], [1, 1, 0]])
    X0, Y0 = matrix([[1, 0], [1, 1], [2, -1], [0, 1]]), matrix([[1, 1], [0, 1], [2, 0]])
    b, x, y = doubles(B), doubles(X0), doubles(Y0)
    for X, Y in islice(asymmetric_steps(X0, Y0, B, HALF), 4):
        np.testing.assert_allclose(doubles(X), x, atol=1e-9)
        np.testing.assert_allclose(doubles(Y), y, atol=1e-9)
        e = x @ y.T - b
        x, y = x - e @ y @ np.linalg.pinv(y.T @ y) / 2, y - e.T @ x @ np.linalg.pinv(x.T @ x) / 2


def test_balls_enclose_the_exact_steps() -> None:
    X0 = A * matrix([[1, 0], [1, 1], [2, -1], [0, 1]])
    exact = next(islice(symmetric_steps(X0, A, HALF), 4, None))
    with precision(200):
        enclosed = next(islice(symmetric_steps(arb_mat(X0), A, HALF), 4, None))
        assert all(b.contains(x) and b.rad() < fmpq(1, 10**30) for b, x in zip(enclosed.entries(), exact.entries()))


def test_a_factor_that_is_zero_leaves_the_other_one_unchanged() -> None:
    X0 = A * matrix([[1, 0], [1, 1], [2, -1], [0, 1]])
    first = list(islice(asymmetric_steps(X0, fmpq_mat(4, 2), A, fmpq(1)), 2))[1]
    assert first[0] == X0
    assert first[0] * first[1].transpose() == A


def test_herons_iteration_in_closed_form() -> None:
    for start in (fmpq(3), fmpq(1, 7)):
        y = start
        for k in range(6):
            assert heron(start, k) == y
            y = (y + 1 / y) / 2
    assert heron(arb(2), 30).overlaps(arb(1))
