"""One-dimensional maps against the closed forms of the logistic map and of Chebyshev maps."""

from __future__ import annotations

import pytest
from flint import arb, fmpq

from solvers.enclosures import NoEnclosure, precision, real_roots
from solvers.maps import (
    Family,
    bifurcation,
    cascade,
    continued,
    cycle,
    finite_exponent,
    iterate,
    multiplier,
    orbit,
    settle,
)

LOGISTIC = Family(
    f=lambda x, r: r * x * (1 - x),
    fx=lambda x, r: r * (1 - 2 * x),
    fp=lambda x, r: x * (1 - x),
    fxx=lambda x, r: -2 * r,
    fxp=lambda x, r: 1 - 2 * x,
)
START = fmpq(3, 10)


def equal_within(ball: arb, value: arb, radius: fmpq) -> bool:
    return bool(abs(ball - value) < radius)


def test_derivatives_of_iterates_are_those_of_the_expanded_polynomial() -> None:
    import sympy

    x, r = sympy.symbols("x r")
    second = (r * (r * x * (1 - x)) * (1 - r * x * (1 - x))).expand()
    at = {x: sympy.Rational(3, 10), r: sympy.Rational(16, 5)}
    jet = iterate(LOGISTIC, START, fmpq(16, 5), 2)
    wanted = [second, second.diff(x), second.diff(r), second.diff(x, 2), second.diff(x, r)]
    for ball, expr in zip([jet.value, jet.x, jet.p, jet.xx, jet.xp], wanted):
        q = expr.subs(at)
        assert ball.contains(arb(fmpq(int(q.p), int(q.q))))


def test_fixed_point_of_the_logistic_map_doubles_at_three() -> None:
    x, r = bifurcation(LOGISTIC, fmpq(7, 10), fmpq(29, 10), 1)
    assert r.contains(3)
    assert x.contains(fmpq(2, 3))
    assert r.rad() < fmpq(1, 10**12)


def test_two_cycle_is_the_root_of_its_quadratic_and_doubles_at_one_plus_sqrt_six() -> None:
    r = fmpq(33, 10)
    points = cycle(LOGISTIC, r, settle(LOGISTIC, r, START), 2)
    roots = real_roots([r + 1, -r * (r + 1), r * r])  # r^2 x^2 - r (r + 1) x + r + 1
    assert sorted(float(p.mid()) for p in points) == pytest.approx([float(x.ball().mid()) for x in roots], abs=1e-14)
    # the multiplier of the 2-cycle is 4 + 2 r - r^2
    assert multiplier(LOGISTIC, r, points).contains(4 + 2 * r - r * r)
    with precision(200):
        _, threshold = continued(LOGISTIC, points[0], r, 2)
        assert equal_within(threshold, 1 + arb(6).sqrt(), fmpq(1, 10**50))


def test_superstable_two_cycle_is_at_one_plus_sqrt_five() -> None:
    _, r = bifurcation(LOGISTIC, fmpq(1, 2), fmpq(16, 5), 2, 0)
    assert equal_within(r, 1 + arb(5).sqrt(), fmpq(1, 10**12))


def test_three_cycle_is_born_at_one_plus_sqrt_eight() -> None:
    _, r = bifurcation(LOGISTIC, fmpq(16, 100), fmpq(383, 100), 3, 1)
    assert equal_within(r, 1 + arb(8).sqrt(), fmpq(1, 10**12))


def test_cascade_of_the_logistic_map_has_the_tabulated_thresholds() -> None:
    # S. Strogatz, Nonlinear Dynamics and Chaos (1994), section 10.2: r_2 ... r_5
    with precision(160):
        found = [r for _, r in cascade(LOGISTIC, 3, fmpq(345, 100), START, 4)]
    tabulated = [3.449490, 3.544090, 3.564407, 3.568759]
    assert [float(p.mid()) for p in found] == pytest.approx(tabulated, abs=6e-7)
    assert all(p.rad() < fmpq(1, 10**35) for p in found)
    # the threshold of the 4-cycle is a root of the known polynomial of degree 12 (E. Weisstein, MathWorld, Logistic Map)
    known = [4913, 0, 2108, -604, -977, 8, 44, 392, -193, -40, 48, -12, 1]
    with precision(160):
        assert any(equal_within(found[1], root.ball(), fmpq(1, 10**35)) for root in real_roots(known))


def test_orbit_encloses_the_exact_rational_orbit() -> None:
    r, x = fmpq(7, 2), START
    with precision(128):
        for ball in orbit(LOGISTIC, START, r, 8):
            assert ball.contains(arb(x))
            x = r * x * (1 - x)


def test_exponent_at_four_is_log_two_up_to_the_boundary_terms() -> None:
    # x = sin^2 t turns the map into doubling t: the sum telescopes to n log 2 + log |sin(2^(n+1) t) / sin 2t|
    n = 300
    with precision(1500):
        t = (arb(START).sqrt()).asin()
        exact = arb(2).log() + (abs((t * 2 ** (n + 1)).sin()) / (2 * t).sin()).log() / n
        found = finite_exponent(LOGISTIC, START, 4, n)
        assert equal_within(found, exact, fmpq(1, 10**60))


def test_exponent_of_an_attracting_cycle_is_the_logarithm_of_its_multiplier() -> None:
    r = fmpq(33, 10)
    with precision(128):
        points = cycle(LOGISTIC, r, settle(LOGISTIC, r, START), 2)
        expected = abs(multiplier(LOGISTIC, r, points)).log() / 2
        assert equal_within(finite_exponent(LOGISTIC, points[0], r, 16), expected, fmpq(1, 10**20))


def test_what_cannot_be_enclosed_is_refused() -> None:
    with pytest.raises(NoEnclosure, match="ask for more bits"):
        list(orbit(LOGISTIC, arb(START, fmpq(1, 10)), 4, 400))
    with pytest.raises(NoEnclosure, match="escapes"):
        settle(LOGISTIC, 5, 2)
    with pytest.raises(NoEnclosure, match="may vanish"):
        finite_exponent(LOGISTIC, fmpq(1, 2), 2, 4)
