"""cvxpy problems, rationalised and certified in their own sense, against known optima."""

import cvxpy as cp
import numpy as np
import pytest
from flint import arb, ctx, fmpq

from solvers.conic import certify_cvxpy, from_cvxpy

TARGET = fmpq(1, 10**7)


def assert_encloses(model, truth):
    with ctx.workprec(128):
        value = truth()
        assert model.lower <= value
        assert value <= model.upper
    assert model.certified.relative_gap <= TARGET
    assert "simplest rationals" in model.note


@pytest.mark.parametrize(
    "cone",
    [
        lambda x: cp.SOC(0.1, x - 0.6452),
        lambda x: cp.SOC(cp.Constant(0.1), cp.reshape(x - 0.6452, (1,), order="C")),
        lambda x: cp.norm(cp.hstack([x - 0.6452, 0])) <= 0.1,
    ],
    ids=["scalar", "reshaped", "norm"],
)
def test_constant_radius_cone_around_a_decimal_centre_is_exact(cone):
    x = cp.Variable()
    ball = [cone(x)]
    low, high = certify_cvxpy(cp.Problem(cp.Minimize(x), ball)), certify_cvxpy(cp.Problem(cp.Maximize(x), ball))
    assert low.lower == low.upper == fmpq(5452, 10**4)
    assert high.lower == high.upper == fmpq(7452, 10**4)
    feasible = certify_cvxpy(cp.Problem(cp.Minimize(0), ball))
    assert feasible.certified.status == "enclosed"


def test_scaled_triangles_of_semidefinite_variables_are_unscaled_exactly():
    X = cp.Variable((5, 5), PSD=True)
    cycle = [X[i, (i + 1) % 5] == 0 for i in range(5)]
    model = certify_cvxpy(cp.Problem(cp.Maximize(cp.sum(X)), [cp.trace(X) == 1, *cycle]))
    assert_encloses(model, lambda: arb(5).sqrt())
    assert model.model.largest_change == 0


def test_nuclear_norm_has_its_closed_form():
    X = cp.Variable((2, 2))
    assert_encloses(certify_cvxpy(cp.Problem(cp.Minimize(cp.normNuc(X)), [X[0, 0] == 2, X[1, 1] == 1])), lambda: 3)
    assert_encloses(
        certify_cvxpy(cp.Problem(cp.Minimize(cp.normNuc(X)), [X[0, 0] == 1, X[0, 1] == 2])), lambda: arb(5).sqrt()
    )


def test_offset_and_quadratic_objective_are_read_exactly():
    z = cp.Variable(3)
    objective = cp.sum_squares(z - np.array([0.1, 0.2, 0.3])) + 1.5
    model = certify_cvxpy(cp.Problem(cp.Minimize(objective), [cp.sum(z) == 1, z >= 0]))
    assert model.lower == model.upper == fmpq(3, 2) + fmpq(4, 75)  # shift each by 2/15


def test_linear_program_is_exact_in_both_senses():
    z = cp.Variable(3)
    constraints = [z <= [0.1, 0.2, 0.3], z >= 0]
    highest = certify_cvxpy(cp.Problem(cp.Maximize(z[0] + 2 * z[1] + 1), constraints))
    lowest = certify_cvxpy(cp.Problem(cp.Minimize(z[0] - z[2]), constraints))
    assert highest.lower == highest.upper == fmpq(3, 2)
    assert lowest.lower == lowest.upper == fmpq(-3, 10)


def test_log_sum_exp_and_entropy_are_enclosed():
    z = cp.Variable(3)
    assert_encloses(certify_cvxpy(cp.Problem(cp.Minimize(cp.log_sum_exp(z)), [cp.sum(z) == 0])), lambda: arb(3).log())
    assert_encloses(certify_cvxpy(cp.Problem(cp.Maximize(cp.sum(cp.entr(z))), [cp.sum(z) == 1])), lambda: arb(3).log())


def test_infeasible_and_unbounded_problems_are_proven_so():
    z = cp.Variable(3)
    assert (
        certify_cvxpy(cp.Problem(cp.Minimize(cp.norm(z)), [cp.sum(z) == 1, z <= 0.3])).certified.status == "infeasible"
    )
    assert certify_cvxpy(cp.Problem(cp.Minimize(z[0] - cp.log(z[1])))).certified.status == "unbounded"


def test_result_says_how_far_irrational_coefficients_were_moved():
    x = cp.Variable()
    model = from_cvxpy(cp.Problem(cp.Minimize(x), [np.sqrt(2) * x >= 1]))
    assert 0 < model.largest_change <= 2**-50
    assert "largest relative change" in model.note


def test_integer_variables_and_power_cones_are_refused():
    x = cp.Variable(integer=True)
    with pytest.raises(ValueError, match="integer variables"):
        from_cvxpy(cp.Problem(cp.Minimize(x), [x >= 0]))
    u = cp.Variable(3)
    with pytest.raises(ValueError, match="cone other than"):
        from_cvxpy(cp.Problem(cp.Minimize(u[0]), [cp.PowCone3D(u[0], u[1], u[2], 0.3), u[2] == 1]))
