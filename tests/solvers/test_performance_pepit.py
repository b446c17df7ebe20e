"""PEPit's problems with exact data: theory as the oracle, PEPit's own number as the neighbour."""

from __future__ import annotations

import mpmath
import pytest
from flint import fmpq

pytest.importorskip("PEPit")

from solvers.certificates import InvalidCertificate
from solvers.number_fields import Irrational
from solvers.performance.exact_floats import Exact, field_root, root_below
from solvers.performance.pepit import capturing, examples, run
from solvers.performance.pepit_roots import PROOFS, ends
from solvers.performance.pepit_table import DECLARED, declared

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


def test_the_table_of_declarations_holds_every_installed_example_and_no_other() -> None:
    assert {m.removeprefix("PEPit.examples.") for m in examples()} == set(DECLARED)
    assert len(DECLARED) >= 90


def test_declarations_follow_the_documentation() -> None:
    assert declared(PREFIX + "gradient_descent").kind == "tight"
    assert declared(PREFIX + "heavy_ball_momentum").kind == "upper"
    assert declared(PREFIX + "cyclic_coordinate_descent").kind == "no value"


def test_every_example_declared_tight_has_the_word_in_its_documentation() -> None:
    from importlib.util import find_spec
    from pathlib import Path

    for path, (kind, _) in DECLARED.items():
        spec = find_spec(f"PEPit.examples.{path}")
        assert spec is not None
        assert spec.origin is not None
        text = Path(spec.origin).read_text().split('"""')[1].lower()
        assert kind != "tight" or "tight" in text, path


def test_an_unknown_example_declares_no_value() -> None:
    assert declared("PEPit.examples.future.method") == ("no value", "not in the table, which was read from PEPit 0.5.1")


def test_a_root_is_itself_in_its_field_if_asked_for() -> None:
    """t = (1 + sqrt 401)/2 has t^2 = t + 100, so its square s has s^2 - 201 s + 10000 = 0."""
    example = run("PEPit.examples.potential_functions.accelerated_gradient_method", sqrt=field_root)
    (metric,) = (c for c in example.problems[-1].model.required if c.name == ("Performance metric 1",))
    values = [v for v in metric.expression.values.values() if isinstance(v, Irrational)]
    assert any(v**2 - sign * 201 * v + 10000 == 0 for v in values for sign in (1, -1))  # the square of the root


def test_two_different_roots_do_not_combine() -> None:
    with pytest.raises(ValueError, match="two different fields"):
        field_root(2) + field_root(3)
    with pytest.raises(ValueError, match="no quadratic field"):
        field_root(field_root(2))


def test_multipliers_of_rounded_data_are_refused_for_the_roots_themselves() -> None:
    model = run(PREFIX + "robust_momentum", sqrt=field_root).problems[-1].model
    right = PROOFS["unconstrained_convex_minimization.robust_momentum"].multipliers()
    assert model.proven_by(right) == right["Initial condition",]
    with pytest.raises(InvalidCertificate, match="do not cancel"):
        model.proven_by(right | {("Initial condition",): right["Initial condition",] + fmpq(1, 10**9)})


def test_the_potential_of_the_improved_interior_algorithm_bounds_it_by_the_product_of_its_factors() -> None:
    """1 - alpha_k with alpha_k^2 = c_k (1 - alpha_k), c_{k+1} = (1 - alpha_k) c_k, c_0 = 1 (Auslander, Teboulle, 2006)."""
    with mpmath.workdps(30):
        c = mpmath.mpf(1)
        for _ in range(5):
            c *= 1 - (mpmath.sqrt(c**2 + 4 * c) - c) / 2
        low, high = (
            mpmath.mpf(int(v.p)) / int(v.q) for v in ends("composite_convex_minimization.improved_interior_algorithm")
        )
        assert 0 <= high - c <= 1e-14  # its roots are rounded down, its factors up
        assert 0.9999 * c <= low <= high


def test_constraints_of_the_same_name_are_numbered() -> None:
    from PEPit import PEP

    problem = PEP()
    x = problem.set_initial_point()
    for k in (1, 2):
        problem.set_initial_condition(x**2 <= k)
    problem.set_performance_metric(x**2)
    with capturing() as found:
        problem.solve(verbose=0)
    model = found[-1].model
    names = [("Performance metric 1",), ("Initial condition",), ("Initial condition (2)",)]
    assert [c.name for c in model.required] == names
    assert model.proven_by({names[0]: 1, names[2]: 1}) == 2


def test_a_root_is_rounded_down_if_asked_for() -> None:
    for square in (2, 3, 5, 401):
        below = root_below(square).exact
        assert below**2 < square < (below + fmpq(1, 2**52)) ** 2
    assert root_below(Exact(0.25)).exact == fmpq(1, 2)


def test_a_module_without_a_call_is_refused() -> None:
    with pytest.raises(ValueError, match="main block"):
        run("PEPit.point")
