"""Matrix games and total-variation balls against closed forms, scipy and brute force."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from flint import arb, fmpq
from scipy.optimize import linprog

from solvers.games import greatest, guarantees, least, matrix_game, nearly_optimal, tv_vertices

Q = fmpq


def total(values):
    return sum(values, Q(0))


def test_matching_pennies_has_value_zero_and_even_odds():
    game = matrix_game([[1, -1], [-1, 1]])
    assert game.value == 0
    assert game.row == game.column == (Q(1, 2), Q(1, 2))


def test_value_of_a_two_by_two_game_without_saddle_is_the_textbook_quotient():
    # Owen, Game Theory: (ad - bc) / (a + d - b - c)
    assert matrix_game([[3, 1], [0, 2]]).value == Q(3 * 2 - 1 * 0, 3 + 2 - 1 - 0)


def test_a_saddle_point_is_found():
    assert matrix_game([[4, 2, 3], [1, 0, 5]]).value == 2


@pytest.mark.parametrize("seed", range(8))
def test_value_agrees_with_scipy_and_both_strategies_guarantee_it(seed):
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(1, 6)), int(rng.integers(1, 9))
    A = [[Q(int(a), 7) for a in line] for line in rng.integers(-20, 20, (m, n))]
    game = matrix_game(A)
    assert guarantees(A, game.row, game.column) == (game.value, game.value)
    floats = np.array([[int(a.p) / int(a.q) for a in line] for line in A])
    oracle = linprog(
        [0] * m + [-1], np.hstack([-floats.T, np.ones((n, 1))]), np.zeros(n),
        [[1] * m + [0]], [1], [(0, None)] * m + [(None, None)],
    )  # fmt: skip
    assert int(game.value.p) / int(game.value.q) == pytest.approx(-oracle.fun, abs=1e-9)


def test_guarantees_of_balls_enclose_the_value_closely():
    A = [[arb(i + 2 * j + 2).log() * (-1) ** (i * j) for j in range(4)] for i in range(3)]
    game = nearly_optimal(A)
    low, high = guarantees(A, game.row, game.column)
    assert low <= high + arb(Q(1, 10**12))
    assert high - low < arb(Q(1, 10**11))
    assert low < arb(game.value) + arb(Q(1, 10**11))


def test_guarantees_refuse_what_is_no_mixed_strategy():
    with pytest.raises(ValueError, match="row strategy"):
        guarantees([[1, 2]], [Q(1, 2)], [Q(1, 2), Q(1, 2)])
    with pytest.raises(ValueError, match="column strategy"):
        guarantees([[1, 2]], [Q(1)], [Q(3, 2), Q(-1, 2)])


def test_ragged_and_empty_matrices_are_refused():
    for A in ([], [[]], [[1], [1, 2]]):
        with pytest.raises(ValueError, match="payoff matrix"):
            matrix_game(A)


def test_least_and_greatest_of_rationals_and_balls():
    assert (least([Q(2), Q(1, 2)]), greatest([Q(2), Q(1, 2)])) == (Q(1, 2), Q(2))
    assert least([arb(2).log(), arb(3).log()]).overlaps(arb(2).log())
    assert greatest([arb(2).log(), arb(3).log()]).overlaps(arb(3).log())


BALLS = [
    ((Q(1, 2), Q(1, 3), Q(1, 6)), Q(1, 10)),
    ((Q(1, 2), Q(1, 3), Q(1, 6)), Q(1, 6)),  # one token is emptied exactly
    ((Q(1, 2), Q(1, 3), Q(1, 6)), Q(2, 3)),
    ((Q(1, 2), Q(1, 3), Q(1, 6)), Q(5, 6)),  # the ball reaches a corner with budget left
    ((Q(2, 5), Q(3, 10), Q(1, 5), Q(1, 10)), Q(1, 4)),
    ((Q(1, 4), Q(1, 4), Q(1, 4), Q(1, 4)), Q(1, 2)),
]


@pytest.mark.parametrize(("p", "eps"), BALLS)
def test_listed_points_lie_in_the_ball(p, eps):
    for v in tv_vertices(p, eps):
        assert min(v) >= 0
        assert total(v) == 1
        assert total(abs(a - b) for a, b in zip(v, p)) <= 2 * eps


@pytest.mark.parametrize(("p", "eps"), BALLS)
def test_linear_functions_are_minimized_at_a_listed_point(p, eps):
    # oracle: scipy's linear program over the ball itself, v = p + a - b with a, b >= 0
    d = len(p)
    centre = np.array([int(m.p) / int(m.q) for m in p])
    points = np.array([[int(a.p) / int(a.q) for a in v] for v in tv_vertices(p, eps)])
    rng = np.random.default_rng(1)
    for _ in range(30):
        c = rng.integers(-9, 10, d)
        rows = np.vstack([np.hstack([-np.eye(d), np.eye(d)]), np.hstack([np.ones(d), np.zeros(d)])])
        right = np.append(centre, int(eps.p) / int(eps.q))
        oracle = linprog(np.hstack([c, -c]), rows, right, [np.hstack([np.ones(d), -np.ones(d)])], [0], (0, None))
        assert (points @ c).min() == pytest.approx(c @ centre + oracle.fun, abs=1e-9)


def test_a_small_ball_has_one_point_for_each_ordered_pair():
    p, eps = (Q(1, 2), Q(1, 3), Q(1, 6)), Q(1, 10)
    expected = set()
    for giver, receiver in itertools.permutations(range(3), 2):
        v = list(p)
        v[giver] -= eps
        v[receiver] += eps
        expected.add(tuple(v))
    assert set(tv_vertices(p, eps)) == expected


def test_a_ball_that_is_the_whole_simplex_has_its_corners():
    assert set(tv_vertices((Q(1, 2), Q(1, 2)), Q(1))) == {(Q(1), Q(0)), (Q(0), Q(1))}


def test_what_is_no_ball_is_refused():
    with pytest.raises(ValueError, match="probability vector"):
        tv_vertices((Q(1, 2), Q(1, 3)), Q(1, 10))
    with pytest.raises(ValueError, match="positive radius"):
        tv_vertices((Q(1, 2), Q(1, 2)), Q(0))
