"""Programs without interior, and doubles that remember what they stand for. Right values are elementary identities."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from solvers.certificates import ConicProblem, Enclosure
from solvers.certificates.rational import dot
from solvers.conic import numeric
from solvers.conic.numeric import FloatProblem
from solvers.performance import Performance, convex, enclose, smooth_convex, smooth_strongly_convex, squared
from solvers.performance.elimination import solved
from solvers.performance.exact_floats import Exact, exactly, root
from solvers.performance.faces import faces
from solvers.performance.implicit import implied
from solvers.performance.scaling import shifted
from solvers.performance.zoom import zoomed


def composite() -> ConicProblem:
    """A proximal gradient step on f + h: the gradient of f at the minimiser is unbounded; the worst case is 81/100."""
    pep = Performance()
    f, h = pep.function(smooth_strongly_convex(fmpq(1, 10), 1)), pep.function(convex())
    best, g, x = pep.centre(), pep.vector(), pep.vector()
    f.sample(best, g)
    h.sample(best, -g)
    pep.require(squared(x - best), 1)
    pep.maximise(squared(h.proximal(x - f(x).g, 1).x - best))
    return pep.program().problem


def flat() -> ConicProblem:
    """|x - y|^2 <= 0 and |x|^2 <= 1: no point is inside; the largest |x + y|^2 is 4."""
    pep = Performance()
    x, y = pep.vector(), pep.vector()
    pep.require(squared(x - y), 0)
    pep.require(squared(x), 1)
    pep.maximise(squared(x + y))
    return pep.program().problem


def pair(problem: ConicProblem) -> Enclosure:
    """An exact point and exact multipliers."""
    found = enclose(problem).certificate
    assert isinstance(found, Enclosure)
    return found


def stands_for(x: Any) -> fmpq:
    """The rational that a double carries."""
    return x.exact


def image(problem: ConicProblem, x: tuple[fmpq, ...]) -> list[fmpq]:
    """b - A x with b = 0."""
    return [s - b for s, b in zip(problem.slack(x), problem.b)]


def test_the_direction_of_a_face_is_exact_and_gains_nothing() -> None:
    problem = composite()
    (face,) = faces(problem)
    assert face.direction is not None
    assert dot(problem.c, face.direction) == 0
    moved = image(problem, face.direction)
    for combination in face.rows:  # what is left to the multipliers does not move
        assert sum((v * moved[i] for i, v in combination), fmpq(0)) == 0
    cone, block = problem.blocks()[-1]
    assert numeric.cone_margin(cone, np.array([float(v) for v in moved[block]])) > -1e-12
    assert any(v != 0 for v in moved[block])


def test_points_of_a_face_are_points_of_the_program_of_the_same_value() -> None:
    problem = composite()
    (face,) = faces(problem)
    inner = pair(face.problem)
    x = face.point(inner.primal.x, lambda p: all(float(v) >= 0 for v in problem.slack(p)[:6]))
    assert x is not None
    assert problem.objective(x) == face.problem.objective(inner.primal.x)


def test_multipliers_of_a_face_are_stationary_in_the_program() -> None:
    problem = composite()
    (face,) = faces(problem)
    y = face.multipliers(pair(face.problem).dual.y)
    assert all(g == 0 for g in problem.gradient(None, y))


def test_multipliers_with_an_interior_have_no_smaller_face() -> None:
    pep = Performance()
    f = pep.function(smooth_convex(1))
    best, x = f.minimiser(), pep.vector()
    pep.require(squared(x - best.x), 1)
    pep.maximise(f(x - f(x).g).f - best.f)
    assert faces(pep.program().problem) == ()
    assert implied(pep.program().problem) is None


def test_implicit_equations_are_exposed_exactly() -> None:
    problem = flat()
    more = implied(problem)
    assert more is not None
    assert more.exposing is not None
    stationary = ConicProblem((fmpq(0),) * len(problem.c), problem.rows, problem.b, problem.cones)
    assert all(g == 0 for g in stationary.gradient(None, more.exposing))
    assert dot(problem.b, more.exposing) == 0
    assert more.problem.cones[-1].order == 1  # x = y: one vector is left


def test_equations_are_solved_exactly() -> None:
    more = implied(flat())
    assert more is not None
    without = solved(more.problem)
    assert without is not None
    assert {cone.kind for cone in without.problem.cones} == {"nonneg", "psd"}
    x = without.point([fmpq(1, 3)] * len(without.problem.c))
    equations = more.problem.cones[0].order
    assert all(s == 0 for s in more.problem.slack(x)[:equations])
    assert more.problem.objective(x) == without.problem.objective([fmpq(1, 3)] * len(without.problem.c))


def test_equations_that_contradict_each_other_are_not_solved() -> None:
    pep = Performance()
    x = pep.vector()
    pep.require_equal(squared(x), 1)
    pep.require_equal(squared(x), 2)
    pep.maximise(squared(x))
    assert solved(pep.program().problem) is None


def test_an_optimum_seen_from_inside_is_exact_to_twelve_digits() -> None:
    """Gradient descent, N = 3 steps of length 1/L: 1/(4 N + 2) (Drori, Teboulle, 2014)."""
    pep = Performance()
    f = pep.function(smooth_convex(1))
    best, x = f.minimiser(), pep.vector()
    pep.require(squared(x - best.x), 1)
    for _ in range(3):
        x = x - f(x).g
    pep.maximise(f(x).f - best.f)
    floats = FloatProblem(pep.program().problem)
    inside = numeric.solve(FloatProblem(shifted(floats.exact, floats, 1e-6))).x
    found = zoomed(floats, inside)
    assert found is not None
    assert abs(-float(floats.c @ found[0]) - 1 / 14) < 1e-12


def test_sums_that_cancel_in_the_mathematics_cancel_exactly() -> None:
    a, b = Exact(0.1), Exact(0.2)
    assert 0.1 + 0.2 - 0.3 != 0
    assert a + b - 0.3 == 0
    assert stands_for(a + b - 0.3) == 0
    assert stands_for(a * 3 / 0.3) == 1
    assert stands_for(1 - a) == fmpq(9, 10)
    assert stands_for(0.5 / b) == fmpq(5, 2)
    assert stands_for(-(a**2)) == fmpq(-1, 100)


def test_roots_are_exact_where_they_are_rational_and_their_double_elsewhere() -> None:
    assert stands_for(root(0.25)) == fmpq(1, 2)
    assert stands_for(root(Exact(0.01))) == fmpq(1, 10)
    two = root(2.0)
    assert stands_for(two) == fmpq(*float(2**0.5).as_integer_ratio())
    assert stands_for(two - two + 1) == 1
    assert np.array_equal(root(np.array([4.0, 9.0])), [2.0, 3.0])


def test_what_is_no_finite_double_stays_as_it_is() -> None:
    assert exactly(float("inf")) == float("inf")
    assert exactly(3) == 3
    assert not isinstance(exactly(3), Exact)
    assert Exact(1.0) != float("inf")
    assert Exact(1e300) * 1e300 == float("inf")


def test_exact_doubles_survive_pickling() -> None:
    assert pickle.loads(pickle.dumps(Exact(0.1))).exact == fmpq(1, 10)


def test_a_shortened_coefficient_and_its_complement_add_up_to_one() -> None:
    pytest.importorskip("PEPit")
    from PEPit.point import Point

    from solvers.performance.exact_floats import exact_expressions

    b = root(2.0) / root(3.0) / root(5.0) / root(7.0) / root(11.0)
    assert stands_for(b).q.bit_length() > 192
    with exact_expressions():
        x = Point()
        again = b * x + (1 - b) * x
    assert [stands_for(w) for w in again.decomposition_dict.values()] == [fmpq(1)]
