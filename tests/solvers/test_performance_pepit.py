"""PEPit's problems with exact data: theory as the oracle, PEPit's own number as the neighbour."""

from __future__ import annotations

import pytest
from flint import fmpq

pytest.importorskip("PEPit")

from solvers.performance.pepit import capturing, declared, examples, run

PREFIX = "PEPit.examples.unconstrained_convex_minimization."


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gradient_descent", fmpq(1, 6)),
        ("heavy_ball_momentum_qg_convex", fmpq(1, 12)),
        ("accelerated_gradient_convex_simplified", fmpq(1, 6)),
    ],
)
def test_certified_interval_contains_the_theoretical_value(name: str, value: fmpq) -> None:
    example = run(PREFIX + name)
    found = example.problems[-1].model.worst_case()
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower <= value <= found.upper
    assert found.upper - found.lower <= fmpq(1, 10**6) * value


def test_pepit_prints_less_than_the_certified_worst_case_of_gradient_descent() -> None:
    """0.16666631 for 1/6 with its default solver."""
    example = run(PREFIX + "gradient_descent")
    found = example.problems[-1].model.worst_case()
    assert found.lower is not None
    assert example.value is not None
    assert example.value < int(found.lower.p) / int(found.lower.q)


def test_a_problem_written_in_pepit_is_captured_with_rational_data() -> None:
    from PEPit import PEP
    from PEPit.functions import SmoothStronglyConvexFunction

    problem = PEP()
    f = problem.declare_function(SmoothStronglyConvexFunction, mu=0.1, L=1.0)
    best, x = f.stationary_point(), problem.set_initial_point()
    problem.set_initial_condition((x - best) ** 2 <= 1)
    problem.set_performance_metric((x - f.gradient(x) - best) ** 2)
    with capturing() as found:
        problem.solve(verbose=0)
    worst = found[-1].model.worst_case()
    assert worst.lower is not None
    assert worst.upper is not None
    assert worst.lower <= fmpq(81, 100) <= worst.upper


def test_declarations_are_read_from_the_documentation() -> None:
    assert declared(PREFIX + "gradient_descent") == "tight"
    assert declared(PREFIX + "heavy_ball_momentum") == "upper"
    assert declared(PREFIX + "cyclic_coordinate_descent") == "no value"
    assert len(examples()) >= 90


def test_a_module_without_a_call_is_refused() -> None:
    with pytest.raises(ValueError, match="main block"):
        run("PEPit.point")
