"""Two-layer ReLU networks and their hull: against direct evaluation, scipy, closed forms and sampled networks."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import fmpq as Q

from solvers.certificates import check
from solvers.conic import certify
from solvers.shallow_hull import best_margin, element, hull_at, least_weight, logistic_problem
from solvers.shallow_relu import (
    ShallowNetwork,
    extreme_neurons,
    extreme_neurons_on_line,
    interpolating,
    neuron_values,
    replicated,
    unit_outputs,
)


def draw(rng: random.Random, n: int, width: int) -> ShallowNetwork:
    def number() -> Q:
        return Q(rng.randint(-10, 10), 10)

    neurons = tuple((tuple(number() for _ in range(n)), number()) for _ in range(width))
    return ShallowNetwork(neurons, tuple(number() for _ in range(width)), number())


def in_doubles(F: ShallowNetwork, x: tuple[Q, ...]) -> float:
    def double(v: Q) -> float:
        return float(Fraction(int(v.p), int(v.q)))

    total = double(F.offset)
    for (w, b), a in zip(F.neurons, F.outputs):
        total += double(a) * max(sum(double(u) * double(v) for u, v in zip(w, x)) + double(b), 0.0)
    return total


@pytest.mark.parametrize("n", [1, 2, 3])
def test_values_are_those_of_direct_evaluation_in_doubles(n: int) -> None:
    rng = random.Random(n)
    F = draw(rng, n, 5)
    points = [tuple(Q(rng.randint(0, 20), 20) for _ in range(n)) for _ in range(8)]
    for x, v in zip(points, F.values(points)):
        assert int(v.p) / int(v.q) == pytest.approx(in_doubles(F, x), abs=1e-12)


def test_a_network_without_neurons_is_constant() -> None:
    assert ShallowNetwork((), (), Q(1, 3)).values([(Q(0),), (Q(1),)]) == [Q(1, 3)] * 2


def test_copies_multiply_the_function_within_the_box() -> None:
    F = draw(random.Random(7), 2, 3)
    points = [(Q(i, 5), Q(5 - i, 7)) for i in range(6)]
    G = replicated(F, 4, 17)
    assert G.width == 17
    assert G.largest_parameter <= 1
    assert G.values(points) == [4 * v for v in F.values(points)]


def test_too_many_copies_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        replicated(draw(random.Random(1), 1, 3), 5, 19)


def test_interpolation_takes_the_values_and_is_linear_between() -> None:
    points, values = [Q(0), Q(1, 4), Q(1, 3), Q(1)], [Q(1), Q(-2), Q(5), Q(0)]
    F = interpolating(points, values)
    assert F.width == 3
    assert F.values([(x,) for x in points]) == values
    middles = [(a + b) / 2 for a, b in pairwise(points)]
    assert F.values([(x,) for x in middles]) == [(a + b) / 2 for a, b in pairwise(values)]


def test_interpolation_needs_increasing_points() -> None:
    with pytest.raises(ValueError, match="increasing"):
        interpolating([Q(0), Q(0)], [Q(1), Q(2)])


def test_unit_outputs_keep_the_function() -> None:
    F = interpolating([Q(0), Q(1, 10), Q(1)], [Q(1), Q(-1), Q(1)])
    G = unit_outputs(F)
    assert G.largest_parameter <= 1
    assert G.width == 20 + 23  # slope changes -20 and 20 + 20/9
    points = [(Q(i, 30),) for i in range(31)]
    assert G.values(points) == F.values(points)


@pytest.mark.parametrize("n", [1, 2])
def test_no_sampled_neuron_exceeds_the_extreme_ones(n: int) -> None:
    rng = np.random.default_rng(n)
    points = [tuple(Q(int(i), 10) for i in rng.integers(0, 11, n)) for _ in range(4)]
    X = np.array([[int(v.p) / int(v.q) for v in x] for x in points])
    table = neuron_values(extreme_neurons(points), points).tolist()
    extreme = np.array([[int(v.p) / int(v.q) for v in row] for row in table])
    W, b = rng.uniform(-1, 1, (n, 4000)), rng.uniform(-1, 1, 4000)
    sampled = np.maximum(X @ W + b, 0)
    for sigma in rng.normal(size=(40, 4)):
        assert (sigma @ sampled).max() <= (sigma @ extreme).max() + 1e-12


def test_extreme_neurons_on_the_line_are_those_of_the_arrangement() -> None:
    places = [Q(1, 5), Q(1, 2), Q(9, 10)]
    points = [(x,) for x in places]
    short = {tuple(c) for c in neuron_values(extreme_neurons_on_line(places), points).transpose().tolist()}
    long = {tuple(c) for c in neuron_values(extreme_neurons(points), points).transpose().tolist()}
    assert long - {(Q(0),) * 3} == short - {(Q(0),) * 3}


def test_margin_of_two_points_is_half_of_width_times_distance() -> None:
    hull = hull_at([Q(1, 5), Q(4, 5)])
    assert best_margin(hull, (-1, 1), 1) == Q(3, 10)
    assert best_margin(hull, (-1, 1), 10) == 3


def test_margin_equals_that_of_the_primal_program_in_scipy() -> None:
    from scipy.optimize import linprog

    points, labels, W = [Q(0), Q(1, 5), Q(3, 5), Q(1)], (1, -1, -1, 1), 7
    hull = hull_at(points)
    A = np.array([[int(v.p) / int(v.q) for v in row] for row in hull.table])
    y = np.array(labels)[:, None]
    K = A.shape[1]
    rows = np.vstack(
        [np.hstack([-y * A, y * A, -y, np.ones((4, 1))]), np.hstack([np.ones((1, 2 * K)), np.zeros((1, 2))])]
    )
    found = linprog(
        [0] * (2 * K + 1) + [-1], rows, [0] * 4 + [W], bounds=[(0, None)] * (2 * K) + [(-1, 1), (None, None)]
    )
    exact = best_margin(hull, labels, W)
    assert int(exact.p) / int(exact.q) == pytest.approx(-found.fun, abs=1e-9)


def test_least_weight_of_alternating_points_is_the_closed_form() -> None:
    for m in (3, 4, 5):  # 4 (m-1)(m-2) with a free offset
        hull = hull_at([Q(j, m - 1) for j in range(m)])
        signs = [(-1) ** j for j in range(m)]
        found = least_weight(hull, signs, [1] * m, free_offset=True)
        assert found is not None
        assert found.weight == 4 * (m - 1) * (m - 2)
        assert all(s * v >= 1 for s, v in zip(signs, found.values))


def test_elements_become_networks_of_the_promised_width() -> None:
    points = [Q(0), Q(1, 3), Q(1)]
    found = least_weight(hull_at(points), [1, -1, 1], [1, Q(1, 2), 1])
    assert found is not None
    F = found.network
    assert F.values([(x,) for x in points]) == list(found.values)
    assert F.largest_parameter <= 1
    assert F.width <= found.weight + sum(a != 0 for a in found.alpha)


def test_points_without_condition_cost_nothing() -> None:
    found = least_weight(hull_at([Q(0), Q(1)]), [0, 0], [Q(5), Q(5)])
    assert found is not None
    assert found.weight == 0


def test_logistic_minimum_of_two_points_is_the_loss_at_half_width_times_distance() -> None:
    W = 4
    hull = hull_at([Q(1, 4), Q(3, 4)])
    problem = logistic_problem(hull, (-1, 1), [Q(1, 2), Q(1, 2)], W)
    found = certify(problem)
    expected = float(np.log1p(np.exp(-W / 4)))  # the margins add up to W/2
    assert found.lower is not None
    assert found.upper is not None
    low, high = (int(v.p) / int(v.q) for v in (found.lower, found.upper))
    assert low - 1e-12 <= expected <= high + 1e-12
    assert high - low < 1e-7
    F = element(hull, check_primal(problem, found))
    assert F.weight <= W
    assert abs(F.offset) <= 1


def check_primal(problem: object, found: object) -> tuple[Q, ...]:
    certificate = found.certificate  # type: ignore[attr-defined]
    check(problem, certificate)  # type: ignore[arg-type]
    point: tuple[Q, ...] = certificate.primal.x
    return point


def test_a_wrong_point_costs_at_least_its_mass_times_ln_2() -> None:
    hull = hull_at([Q(0), Q(1, 2), Q(1)])
    found = certify(logistic_problem(hull, (-1, 1, -1), [Q(2, 5), Q(1, 5), Q(2, 5)], 30, wrong=(1,)))
    assert found.lower is not None
    assert int(found.lower.p) / int(found.lower.q) >= 0.2 * float(np.log(2)) - 1e-9
