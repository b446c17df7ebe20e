"""Lower bounds of ReLU networks on boxes, against the minimum over fine grids and over all activation patterns (scipy's linear programs)."""

from itertools import product

import numpy as np
import pytest
from flint import arb, arb_mat, fmpq
from scipy.optimize import linprog

from solvers.relu_boxes import lower_bound


def network(seed, m=6, d=2):
    rng = np.random.default_rng(seed)
    return rng.integers(-8, 9, (m, d)), rng.integers(-5, 6, m)


def bound(V, c, center, half):
    a, b = lower_bound(arb_mat(V.tolist()), [int(v) for v in c], center, half)
    assert b >= 0
    return float((a - b).mid())


def exact_minimum(V, c, center, half):
    """Over the box, by one linear program for each activation pattern that has a point in the box."""
    best = np.inf
    box = [(x - h, x + h) for x, h in zip(center, half)]
    for pattern in product((1, -1), repeat=len(c)):
        s = np.array(pattern)
        objective = ((s > 0) * c) @ V
        found = linprog(objective, A_ub=-s[:, None] * V, b_ub=np.zeros(len(c)), bounds=box)
        if found.status == 0:
            best = min(best, found.fun)
    return best


@pytest.mark.parametrize("seed", range(6))
def test_the_bound_lies_below_the_minimum_over_all_activation_patterns(seed):
    V, c = network(seed)
    center, half = (1.0, -0.5), (0.5, 0.75)
    low = bound(V, c, [fmpq(1), fmpq(-1, 2)], [fmpq(1, 2), fmpq(3, 4)])
    assert low <= exact_minimum(V, c, center, half) + 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_minimum_where_no_neuron_changes_its_sign(seed):
    V, c = network(seed)
    V = V + np.where(V.sum(axis=1, keepdims=True) == 0, 1, 0)
    half = [fmpq(1, 1000)] * 2
    corners = [np.array([1 + s / 1000, 1 + t / 1000]) for s in (1, -1) for t in (1, -1)]
    smallest = min(np.maximum(V @ z, 0) @ c for z in corners)
    assert bound(V, c, [1, 1], half) == pytest.approx(smallest, abs=1e-12)


def test_two_neurons_that_cancel_leave_no_variation():
    V = arb_mat([[3, 1], [3, 1], [0, 1]])
    a, b = lower_bound(V, [2, -2, 1], [1, 1], [fmpq(1, 4), fmpq(0)])
    assert a == 1
    assert b == 0


@pytest.mark.parametrize(("center", "expected"), [(0, 0.0), (fmpq(1, 2), 0.0), (fmpq(-1, 2), 0.0)])
def test_a_positive_neuron_that_may_die_is_bounded_by_a_line_through_its_minimum_or_the_identity(center, expected):
    a, b = lower_bound(arb_mat([[1]]), [1], [center], [1])
    low = float((a - b).mid())
    assert low <= expected
    assert low in (0.0, float(fmpq(center).p) / float(fmpq(center).q) - 1)


def test_a_negative_neuron_is_bounded_by_its_chord():
    a, b = lower_bound(arb_mat([[1]]), [-1], [fmpq(1, 4)], [1])  # t in [-3/4, 5/4], chord 5/8 (t + 3/4)
    assert abs(a - b + fmpq(5, 4)) < fmpq(1, 10**12)
    assert abs(a + fmpq(5, 8)) < fmpq(1, 10**12)


def test_balls_that_straddle_zero_stay_on_the_safe_side():
    wide = arb(0, 0.5)
    a, b = lower_bound(arb_mat([[wide], [wide]]), [1, -1], [1], [fmpq(1, 2)])
    for w, z in product((-0.5, 0.0, 0.5), (0.5, 1.5)):
        for u in (-0.5, 0.0, 0.5):
            assert float((a - b).lower()) <= max(w * z, 0) - max(u * z, 0)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="expected 2 output weights"):
        lower_bound(arb_mat([[1, 0], [0, 1]]), [1], [0, 0], [1, 1])
