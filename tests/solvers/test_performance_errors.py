"""What `solvers.performance` says when there is no enclosure, and when a problem is written wrongly."""

from __future__ import annotations

from typing import Any

import pytest
from flint import fmpq

from solvers.conic import Certified
from solvers.performance import Performance, WorstCase, convex, monotone, smooth_convex, squared, weak_minty


def descent(radius: object = 1) -> Performance:
    pep = Performance()
    f = pep.function(smooth_convex(1))
    best, x = f.minimiser(), pep.vector()
    if radius is not None:
        pep.require(squared(x - best.x), radius)
    pep.maximise(f(x - f(x).g).f - best.f)
    return pep


def test_bounds_are_the_ends_of_the_enclosure() -> None:
    found = descent().worst_case()
    assert found.bounds() == (found.lower, found.upper)
    assert str(found).startswith("worst case in [0.166666")


def test_an_unbounded_worst_case_names_the_missing_hypothesis() -> None:
    found = descent(None).worst_case()
    assert found.status == "unbounded"
    with pytest.raises(ArithmeticError, match=r"unbounded.*the metric grows.*pep\.require"):
        found.bounds()


def test_a_metric_that_grows_without_a_ray_has_no_upper_bound() -> None:
    """f(x) - f* for convex f with |x - x*| <= 1: any size, but no direction of the Gram matrix alone."""
    pep = Performance()
    f = pep.function(convex())
    best, x = f.minimiser(), pep.vector()
    pep.require(squared(x - best.x), 1)
    pep.maximise(f(x).f - best.f)
    found = pep.worst_case()
    assert found.upper is None
    with pytest.raises(ArithmeticError, match="add a hypothesis"):
        found.bounds()


def test_contradicting_hypotheses_are_said_to_be_infeasible() -> None:
    with pytest.raises(ArithmeticError, match=r"infeasible.*no function of the class satisfies the hypotheses"):
        descent(-1).worst_case().bounds()


def test_a_failing_solver_leaves_a_hint() -> None:
    pep = descent()
    program = pep.program()
    nothing = Certified("inconclusive", None, None, None, program.problem, "Clarabel ended with MaxIterations")
    with pytest.raises(ArithmeticError, match=r"inconclusive.*MaxIterations.*of size 1"):
        WorstCase(nothing, True, program.names).bounds()
    assert str(WorstCase(nothing, True, program.names)) == "worst case in [?, ?] (inconclusive)"


@pytest.mark.parametrize("kind", [smooth_convex, object(), None, "smooth", fmpq])
def test_classes_without_interpolation_conditions_are_refused(kind: Any) -> None:
    with pytest.raises(TypeError, match="no interpolation conditions"):
        Performance().function(kind)


def test_functions_and_operators_are_not_confused() -> None:
    with pytest.raises(TypeError, match=r"call operator\("):
        Performance().function(monotone())
    with pytest.raises(TypeError, match=r"call function\("):
        Performance().operator(smooth_convex(1))


def test_the_zero_of_a_weak_minty_operator_comes_first() -> None:
    pep = Performance()
    F = pep.operator(weak_minty(-1))
    x = pep.vector()
    F(x)
    F.minimiser()
    pep.maximise(squared(x))
    with pytest.raises(ValueError, match="minimiser"):
        pep.worst_case()


def test_vectors_of_another_problem_are_refused() -> None:
    other = Performance()
    foreign = [other.vector() for _ in range(5)][-1]
    pep = Performance()
    f = pep.function(smooth_convex(1))
    with pytest.raises(ValueError, match=r"vector number 4 .* made by another Performance"):
        f(foreign)
    pep.maximise(squared(foreign))
    with pytest.raises(ValueError, match="another one"):
        pep.program()


def test_products_of_vectors_and_numbers_of_another_library_are_refused_with_advice() -> None:
    import sympy

    pep = Performance()
    f = pep.function(smooth_convex(1))
    x = pep.vector()
    for product in (lambda: x * x, lambda: squared(x) * x, lambda: x * squared(x)):
        with pytest.raises(TypeError, match="multiplied by exact numbers"):
            product()
    with pytest.raises(TypeError, match="multiplied by exact numbers only"):
        squared(x) * f(x).f
    pep.maximise(sympy.Rational(1, 3) * f(x).f)
    with pytest.raises(TypeError, match=r"1/3 is a Rational where a program needs a rational such as Q\(1, 3\)"):
        pep.program()


def test_vectors_numbers_and_samples_are_not_confused() -> None:
    pep = Performance()
    f = pep.function(smooth_convex(1))
    x = pep.vector()
    with pytest.raises(TypeError, match="no number"):
        pep.require(x, 1)
    with pytest.raises(TypeError, match=r"\.x, \.g and \.f"):
        squared(f(x))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"\.x, \.g and \.f"):
        f(f(x))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not added"):
        x + 1  # type: ignore[operator]


def test_a_problem_without_unknowns_is_refused() -> None:
    pep = Performance()
    pep.maximise(fmpq(5))
    with pytest.raises(ValueError, match="nothing to maximise over"):
        pep.worst_case()


def test_a_panic_inside_the_solver_is_no_answer_and_no_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clarabel is Rust; its panics are a `BaseException`. Anything else that is raised there goes on."""
    import clarabel  # type: ignore[import-untyped]

    class PanicException(BaseException):
        pass

    def broken(kind: type[BaseException]) -> Any:
        class Solver:
            def __init__(self, *_: object) -> None:
                pass

            def solve(self) -> None:
                raise kind

        return Solver

    monkeypatch.setattr(clarabel, "DefaultSolver", broken(PanicException))
    found = descent(fmpq(17, 16)).worst_case()
    assert (found.status, found.lower, found.upper) == ("inconclusive", None, None)
    assert "broke off" in found.reason
    monkeypatch.setattr(clarabel, "DefaultSolver", broken(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        descent(fmpq(19, 16)).worst_case()
