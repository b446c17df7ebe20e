"""Worst cases proved by multipliers in closed form: irrational ones in their field, symbolic ones for all parameters."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from flint import fmpq

from solvers.certificates import InvalidCertificate
from solvers.number_fields import real_field, root_of
from solvers.performance import (
    Curved,
    Performance,
    attained_in_field,
    convex_lipschitz,
    slack,
    smooth_convex,
    squared,
)

ONE = fmpq(1)


def optimised_gradient(thetas: list[Any]) -> Performance:
    """Kim, Fessler (2016): f(x_N) - f* for |x_0 - x*| <= 1, L = 1."""
    pep = Performance()
    f = pep.function(smooth_convex(1), "f")
    best, x = f.minimiser(), pep.vector()
    pep.require(squared(x - best.x), 1, name="start")
    y = x
    for now, then in itertools.pairwise(thetas):
        after = x - f(x).g
        x = after + (after - y) * ((now - 1) / then) + (after - x) * (now / then)
        y = after
    pep.maximise(f(x).f - best.f)
    return pep


def multipliers(thetas: list[Any]) -> dict[Any, Any]:
    """2 theta_{k-1}^2/theta_N^2 on the pairs (k-1, k), 2 theta_k/theta_N^2 on the pairs (*, k), 1/theta_N on (*, N)."""
    N, last = len(thetas) - 1, thetas[-1]
    found = {("f", k, k + 1): 2 * thetas[k - 1] ** 2 / last**2 for k in range(1, N + 1)}
    found |= {("f", 0, k + 1): 2 * thetas[k] / last**2 for k in range(N)}
    return found | {("f", 0, N + 1): 1 / last, ("start",): 1 / (2 * last**2)}


def three_thetas() -> list[Any]:
    """theta_0 = 1, theta_1^2 - theta_1 = 1, theta_2^2 - theta_2 = 2 theta_1^2, all in the quartic field of theta_2."""
    last = real_field([4, 6, -5, -2, 1], 2.84).generator
    middle = (last**2 - last) / 2 - 1
    return [last / last, middle, last]


def test_one_step_of_the_optimised_gradient_method_is_an_eighth() -> None:
    thetas = [ONE, fmpq(2)]
    assert optimised_gradient(thetas).proven_by(multipliers(thetas)) == fmpq(1, 8)


def test_two_steps_of_the_optimised_gradient_method_in_the_field_of_theta() -> None:
    """L R^2/(2 theta_2^2), with theta_2 = (1 + sqrt(13 + 4 sqrt 5))/2 of degree four."""
    thetas = three_thetas()
    assert thetas[1] ** 2 - thetas[1] == 1
    assert (2 * thetas[2] - 1) ** 2 == 13 + 4 * (2 * thetas[1] - 1)
    value = optimised_gradient(thetas).proven_by(multipliers(thetas))
    assert value == 1 / (2 * thetas[2] ** 2)
    # the same method with coefficients rounded to 2^-40 has nearly the same certified worst case
    rounded = [fmpq(int(float(t.ball().mid()) * 2**40), 2**40) for t in thetas]
    found = optimised_gradient(rounded).worst_case()
    low, high = found.bounds()
    assert low - fmpq(1, 10**7) <= value <= high + fmpq(1, 10**7)
    assert high - low < fmpq(1, 10**6)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({("start",): fmpq(99, 100)}, "no sum of squares"),
        ({("f", 0, 1): fmpq(1, 2)}, "do not cancel"),
        ({("f", 1, 2): fmpq(-1)}, "negative"),
    ],
)
def test_wrong_irrational_multipliers_prove_nothing(change: dict[Any, fmpq], words: str) -> None:
    thetas = three_thetas()
    given = multipliers(thetas)
    wrong = given | {name: given[name] * factor for name, factor in change.items()}
    with pytest.raises(InvalidCertificate, match=words):
        optimised_gradient(thetas).proven_by(wrong)


@pytest.mark.parametrize("steps", [2, 3, 5, 6])
def test_subgradient_method_is_one_over_the_root_of_the_number_of_steps(steps: int) -> None:
    """Drori, Teboulle (2016): best of N iterates with steps R/(M sqrt N)."""
    root = root_of(steps)
    pep = Performance()
    f = pep.function(convex_lipschitz(1), "f")
    best, x = f.minimiser(), pep.vector()
    pep.require(squared(x - best.x), 1, name="start")
    gaps = []
    for _ in range(steps):
        gaps.append(f(x).f - best.f)
        x = x - f(x).g / root
    pep.maximise(*gaps)
    share = fmpq(1, steps)
    weights: dict[Any, Any] = {("metric", k): share for k in range(steps)}
    weights |= {("f", 0, k + 1): share for k in range(steps)} | {("f", k + 1): share / (2 * root) for k in range(steps)}
    assert pep.proven_by(weights | {("start",): share * root / 2}) == 1 / root
    with pytest.raises(InvalidCertificate, match="not 1"):
        pep.proven_by(weights | {("start",): share * root / 2, ("metric", 0): 2 * share})


def test_potential_of_the_accelerated_method_falls_for_every_k() -> None:
    """Nesterov (1983), for symbolic theta with theta_{k-1}^2 = theta^2 - theta: what the multipliers leave is
    theta (theta - 1)|g - h|^2/L^2 + theta |g|^2/L^2 + theta^2 |k|^2/L^2 (g, h, k the gradients at x, y, y+)."""
    import sympy

    theta, L = sympy.symbols("theta L", positive=True)
    pep = Performance()
    f = pep.function(Curved(fmpq(0), L), "f")
    best, z, y = f.minimiser(), pep.vector(), pep.vector()
    x = y * (1 - 1 / theta) + z / theta
    at_x, at_y = f(x), f(y)
    after = f(x - at_x.g / L)
    moved = z - at_x.g * (theta / L)
    before = theta**2 - theta
    pep.maximise(
        (after.f - best.f) * (2 * theta**2 / L)
        - (at_y.f - best.f) * (2 * before / L)
        + squared(moved - best.x)
        - squared(z - best.x)
    )
    left = slack(pep, {("f", 2, 1): 2 * before / L, ("f", 0, 1): 2 * theta / L, ("f", 1, 3): 2 * theta**2 / L})
    assert [sympy.simplify(v) for v in left.values.values()] == [0] * len(left.values)
    assert left.constant == 0
    a, b, g, h, k = sympy.symbols("a b g h k")
    squares = (before * (g - h) ** 2 + theta * g**2 + theta**2 * k**2) / L**2
    assert sympy.simplify(left.form([a, b, g, h, k]) - squares) == 0


def test_symbolic_data_are_refused_where_rationals_are_needed() -> None:
    import sympy

    gamma = sympy.Symbol("gamma")
    pep = Performance()
    f = pep.function(smooth_convex(1))
    best, x = f.minimiser(), pep.vector()
    pep.maximise(squared(x - f(x).g * gamma - best.x))
    with pytest.raises(TypeError, match="is a Mul where a program needs a rational"):
        pep.worst_case()
    with pytest.raises(TypeError, match="not exact"):
        x * (gamma * 0.5)


def test_a_point_is_a_lower_bound_in_its_field_only_if_it_is_feasible() -> None:
    """|x|^2 <= sqrt 2 attains sqrt 2, and nothing above it; a Gram matrix has no negative eigenvalue."""
    root = root_of(2)
    pep = Performance()
    x, y = pep.vector(), pep.vector()
    pep.require(squared(x), root, name="ball")
    pep.require_equal(squared(y), 1, name="sphere")
    pep.maximise(squared(x))
    assert attained_in_field(pep, {}, {(0, 0): root, (1, 1): fmpq(1)}) == root
    with pytest.raises(InvalidCertificate, match="ball"):
        attained_in_field(pep, {}, {(0, 0): root + fmpq(1, 10**30), (1, 1): fmpq(1)})
    with pytest.raises(InvalidCertificate, match="sphere"):
        attained_in_field(pep, {}, {(0, 0): fmpq(1)})
    with pytest.raises(InvalidCertificate, match="not positive semidefinite"):
        attained_in_field(pep, {}, {(0, 0): root, (0, 1): fmpq(2), (1, 1): fmpq(1)})
