"""Vector outputs, three layers, skip connections and quadratic fields: against cvxpy, closed forms and each other."""

import numpy as np
import pytest
from flint import arb, fmpq

from solvers.certificates import ReluProblem
from solvers.enclosures import precision
from solvers.relu import three_layer, train, vector
from solvers.relu.quadratic import Quadratic, kernel
from solvers.relu.skip import constraints, interpolate


def rationals(rng, *shape):
    return [[fmpq(int(v), 32) for v in row] for row in rng.integers(-97, 98, shape)]


def as_float(q):
    return int(q.p) / int(q.q)


@pytest.mark.parametrize("seed", range(6))
def test_vector_outputs_are_enclosed_and_agree_with_a_fine_grid_of_directions(seed):
    import cvxpy as cp

    rng = np.random.default_rng(seed)
    n, c = 3 + seed % 3, 2 + seed % 2
    X, Y = rationals(rng, n, 2), rationals(rng, n, c)
    problem = vector.VectorProblem(tuple(map(tuple, X)), tuple(map(tuple, Y)), fmpq(1, 2))
    s = vector.solve(problem)
    assert s.lower <= s.upper
    assert as_float((s.upper - s.lower) / s.upper) < 1e-9
    assert s.upper == vector.objective(problem, s.neurons)
    rows = np.array([[as_float(v) for v in row] for row in X])
    kinks = [np.arctan2(t * r[0], -t * r[1]) % (2 * np.pi) for r in rows for t in (1, -1)]
    angles = np.concatenate([np.linspace(0, 2 * np.pi, 721), kinks])
    A = np.maximum(rows @ np.vstack([np.cos(angles), np.sin(angles)]), 0)
    V = cp.Variable((len(angles), c))
    target = np.array([[as_float(v) for v in row] for row in Y])
    grid = cp.Problem(cp.Minimize(cp.sum_squares(A @ V - target) / 2 + 0.5 * cp.sum(cp.norm(V, axis=1))))
    value = grid.solve(solver=cp.CLARABEL)
    assert as_float(s.lower) <= value + 1e-7
    assert value <= as_float(s.upper) * (1 + 1e-4)  # a quarter of a degree off at most, kinks exact


def test_one_output_is_the_scalar_problem():
    rng = np.random.default_rng(7)
    X, y = rationals(rng, 4, 2), rationals(rng, 4, 1)
    scalar = train(X, [row[0] for row in y], fmpq(1, 4))
    several = vector.solve(vector.VectorProblem(tuple(map(tuple, X)), tuple(map(tuple, y)), fmpq(1, 4)))
    assert several.lower <= scalar.upper
    assert scalar.lower <= several.upper


def test_a_form_that_is_negative_inside_a_cone_is_not_copositive():
    one = [[fmpq(0), fmpq(1)], [fmpq(1), fmpq(0)]]  # 2 u v, largest on the diagonal: 1 |u|^2
    rays = ((1, 0), (0, 1))
    assert vector.copositive(one, rays, fmpq(1))
    assert not vector.copositive(one, rays, fmpq(99, 100))


def test_three_layers_gain_strictly_on_the_known_data():
    problem = ReluProblem(
        tuple((x, fmpq(1)) for x in (fmpq(0), fmpq(-2), fmpq(-3, 2), fmpq(5, 2))),
        (fmpq(-11, 4), fmpq(-5, 2), fmpq(-2), fmpq(-5, 4)),
        fmpq(1, 16),
    )
    found = three_layer.solve(problem)
    with precision(128):
        mapped = three_layer.loss(problem, found.units)
        assert arb(found.lower) <= mapped
        assert mapped - arb(found.lower) < arb(1) / 10**8
    assert as_float(found.lower) == pytest.approx(0.24665312, abs=1e-8)
    assert train(problem.X, problem.y, problem.beta).value == pytest.approx(0.26267353, abs=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_interpolants_with_skip_have_the_norm_of_a_linear_program_over_kinks(seed):
    # one input and a bias: a neuron with its kink at t and slope c costs |c| sqrt(1 + t^2)
    from scipy.optimize import linprog

    rng = np.random.default_rng(seed)
    x = sorted({fmpq(int(v), 16) for v in rng.integers(-48, 49, 6)})
    y = [fmpq(int(v), 16) for v in rng.integers(-48, 49, len(x))]
    with precision(256):
        geo, found = interpolate(ReluProblem(tuple((v, fmpq(1)) for v in x), tuple(y), fmpq(1)), 256)
        if found is None:
            pytest.fail("no root was proven")
        for kind, value in constraints(geo, found):
            assert value < 1 if kind == "bound" else value > -(arb(1) / 10**30)
        total = float(sum(found.g, arb(0)))
    points, targets = np.array([as_float(v) for v in x]), np.array([as_float(v) for v in y])
    kinks = np.concatenate([points, np.linspace(points[0], points[-1], 4001)])
    A = np.maximum(points[:, None] - kinks, 0)
    line = np.column_stack([points, np.ones(len(x))])
    costs = np.concatenate([np.sqrt(1 + kinks**2)] * 2 + [np.zeros(2)])
    bounds = [(0, None)] * (2 * len(kinks)) + [(None, None)] * 2
    value = linprog(costs, A_eq=np.hstack([A, -A, line]), b_eq=targets, bounds=bounds, method="highs").fun
    assert total - 1e-9 <= value <= total * (1 + 1e-5)


def test_signs_in_a_quadratic_field_are_exact():
    assert Quadratic(fmpq(-1351), fmpq(780)).sign() == -1  # 780 sqrt 3 = 1350.99963..
    assert Quadratic(fmpq(1351), fmpq(-780)).sign() == 1
    root = Quadratic(fmpq(0), fmpq(1))
    assert (root * root - 3).sign() == 0
    number = Quadratic(fmpq(1), fmpq(1))
    assert (root / number * number - root).sign() == 0


def test_kernel_of_dependent_columns_in_a_quadratic_field():
    root = Quadratic(fmpq(0), fmpq(1))
    one = Quadratic(fmpq(1), fmpq(0))
    (v,) = kernel([[one, root], [root, 3 * one]])  # the second column is sqrt 3 times the first
    assert (v[0] + root * v[1]).sign() == 0
