"""Certified worst cases against the exact values of the literature."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from flint import fmpq

from solvers.certificates import InvalidCertificate, check
from solvers.performance import (
    Performance,
    cocoercive,
    convex,
    convex_lipschitz,
    inner,
    lipschitz,
    monotone,
    proven,
    smooth,
    smooth_convex,
    smooth_strongly_convex,
    squared,
    strongly_monotone,
    weak_minty,
)
from solvers.performance.faces import faces

NARROW = fmpq(1, 10**6)


def gradient_descent(steps: int, L: object = 1, size: object = 1) -> Performance:
    """f(x_N) - f* after N steps of length 1/L, |x_0 - x*| <= size."""
    pep = Performance()
    f = pep.function(smooth_convex(L), "f")
    best, x = f.minimiser(), pep.vector()
    pep.require(squared(x - best.x), size, name="start")
    for _ in range(steps):
        x = x - f(x).g / L
    pep.maximise(f(x).f - best.f)
    return pep


def encloses(pep: Performance, value: fmpq, width: fmpq = NARROW) -> None:
    """The certified interval contains the value, and is narrow."""
    found = pep.worst_case()
    assert found.status == "enclosed", found.reason
    assert found.lower is not None
    assert found.upper is not None
    assert found.width is not None
    assert found.lower <= value <= found.upper
    assert found.width <= width
    verified = check(found.certified.problem, found.certified.certificate)
    assert (verified.lower, verified.upper) == (-found.upper, -found.lower)


@pytest.mark.parametrize("steps", [1, 2, 3, 5, 8])
def test_gradient_descent_on_smooth_convex_functions_is_one_over_4N_plus_2(steps: int) -> None:
    """Drori, Teboulle (2014): L R^2 / (4 N + 2)."""
    encloses(gradient_descent(steps), fmpq(1, 4 * steps + 2))


def test_worst_case_scales_with_L_and_the_squared_radius() -> None:
    encloses(gradient_descent(2, L=Fraction(5, 2), size=400), fmpq(5, 2) * 400 / 10)


def test_worst_case_under_a_tenth_of_a_millionth_is_as_narrow() -> None:
    encloses(gradient_descent(2, L=1, size=fmpq(1, 10**6)), fmpq(1, 10**7))


@pytest.mark.parametrize("steps", [1, 2, 5, 20])
def test_multipliers_of_drori_and_teboulle_prove_the_value_itself(steps: int) -> None:
    """lambda_i = i/(2N+1-i) on the pairs (i-1, i), their increments on the pairs (*, i)."""
    lam = [fmpq(i, 2 * steps + 1 - i) for i in range(1, steps + 1)]
    increments = [lam[0], *(b - a for a, b in itertools.pairwise(lam)), 1 - lam[-1]]
    # sample 0 is x*, sample k + 1 is x_k; the condition named (a, b) is f_a >= f_b + ...
    multipliers = {("f", k, k + 1): lam[k - 1] for k in range(1, steps + 1)}
    multipliers |= {("f", 0, k + 1): value for k, value in enumerate(increments)}
    multipliers[("start",)] = fmpq(1, 4 * steps + 2)
    program = gradient_descent(steps).program()
    assert proven(program, multipliers) == fmpq(1, 4 * steps + 2)
    with pytest.raises(InvalidCertificate):
        proven(program, {**multipliers, ("start",): fmpq(99, 100) / (4 * steps + 2)})


@pytest.mark.parametrize("root", [2, 3])
def test_subgradient_method_is_L_R_over_root_of_N_plus_1(root: int) -> None:
    """Drori, Teboulle (2016): step R/(L sqrt(N+1)), best iterate."""
    pep = Performance()
    f = pep.function(convex_lipschitz(3))
    best, x = f.minimiser(), pep.vector()
    pep.require(squared(x - best.x), 4)
    values = []
    for _ in range(root * root):
        s = f(x)
        values.append(s.f - best.f)
        x = x - s.g * fmpq(2, 3 * root)
    pep.maximise(*values)
    encloses(pep, fmpq(3 * 2, root))


@pytest.mark.parametrize("steps", [1, 3, 6])
def test_proximal_point_is_one_over_4_gamma_N(steps: int) -> None:
    """Taylor, Hendrickx, Glineur (2017): R^2 / (4 gamma N)."""
    pep = Performance()
    f = pep.function(convex())
    best, x = f.minimiser(), pep.vector()
    pep.require(squared(x - best.x), 1)
    for _ in range(steps):
        s = f.proximal(x, 2)
        x = s.x
    pep.maximise(s.f - best.f)
    encloses(pep, fmpq(1, 8 * steps))


def test_gradient_descent_on_smooth_strongly_convex_functions() -> None:
    """Taylor, Hendrickx, Glineur (2018): |x_1 - x*|^2 <= max(|1 - mu g|, |1 - L g|)^2 at any step g."""
    for step in (fmpq(1), fmpq(20, 11), fmpq(19, 10)):
        pep = Performance()
        f = pep.function(smooth_strongly_convex(fmpq(1, 10), 1))
        best, x = f.minimiser(), pep.vector()
        pep.require(squared(x - best.x), 1)
        pep.maximise(squared(x - f(x).g * step - best.x))
        encloses(pep, max(abs(1 - step / 10), abs(1 - step)) ** 2)


def test_gradient_descent_on_smooth_nonconvex_functions() -> None:
    """Taylor (2017), Abbaszadehpeivasti, de Klerk, Zamani (2022): min |g|^2 <= 4 L D / (3 N + 1) ... with step 1/L, 4/(3 N) at f_0 - f_N."""
    N = 3
    pep = Performance()
    f = pep.function(smooth(1))
    x = pep.vector()
    samples = [f(x)]
    for _ in range(N):
        samples.append(f(samples[-1].x - samples[-1].g))
    pep.require(samples[0].f - samples[-1].f, 1)
    pep.maximise(*(squared(s.g) for s in samples))
    encloses(pep, fmpq(4, 3 * N))


def test_heavy_ball_momentum_on_the_quadratic_rate() -> None:
    """Heavy ball with step 1/L and momentum beta: the certified interval contains a long run on f = mu x^2/2 (lower bound)."""
    mu, step, beta = fmpq(1, 10), fmpq(1, 2), fmpq(1, 4)
    pep = Performance()
    f = pep.function(smooth_strongly_convex(mu, 1))
    best, x = f.minimiser(), pep.vector()
    pep.require(f(x).f - best.f, 1)
    last, z, w = x, fmpq(1), fmpq(1)
    for _ in range(2):
        x, last = x - f(x).g * step + (x - last) * beta, x
        z, w = z - step * mu * z + beta * (z - w), z
    pep.maximise(f(x).f - best.f)
    found = pep.worst_case()
    assert found.upper is not None
    assert found.lower is not None
    # Ghadimi, Feyzmahdavian, Johansson (2015): step (1 - beta)/L at most gives (1 - step mu)^N
    assert z * z <= found.upper <= (1 - step * mu) ** 2
    assert found.width is not None
    assert found.width <= NARROW


def test_resolvent_of_a_monotone_operator_is_firmly_nonexpansive() -> None:
    """Proximal point for operators: |x_1 - x_0|^2-type contraction 1/(1+mu)^2 under strong monotonicity (Rockafellar, 1976)."""
    pep = Performance()
    A = pep.operator(strongly_monotone(fmpq(1, 3)))
    a, b = pep.vector(), pep.vector()
    pep.require(squared(a - b), 1)
    pep.maximise(squared(A.proximal(a, 1).x - A.proximal(b, 1).x))
    encloses(pep, fmpq(9, 16))


def test_last_residual_of_the_proximal_point_for_monotone_operators() -> None:
    """Gu, Yang (2020): |x_{N-1} - x_N|^2 <= (1 - 1/N)^(N-1) / N."""
    N = 3
    pep = Performance()
    A = pep.operator(monotone())
    zero, x = A.minimiser(), pep.vector()
    pep.require(squared(x - zero.x), 1)
    for _ in range(N):
        last, x = x, A.proximal(x, 1).x
    pep.maximise(squared(last - x))
    encloses(pep, fmpq(4, 9) / 3)


def test_forward_step_of_a_cocoercive_operator() -> None:
    """x - beta A x is firmly nonexpansive for a beta-cocoercive A: the worst |x - beta A x|^2 is 1, and that of |beta A x|^2 is 1."""
    for which in (0, 1):
        pep = Performance()
        A = pep.operator(cocoercive(2))
        zero, x = A.minimiser(), pep.vector()
        pep.require(squared(x - zero.x), 1)
        g = A(x).g
        pep.maximise(squared(x - g * 2) if which == 0 else squared(g * 2))
        encloses(pep, fmpq(1))


@pytest.mark.parametrize("q", [fmpq(1, 5), fmpq(4, 5)])
def test_extragradient_point_of_a_lipschitz_operator(q: fmpq) -> None:
    """inf <F(z), x - z> over |F(z)| = 1, z = x - F(x), L = q: 1/(1+q), attained by a rotation."""
    pep = Performance()
    F = pep.operator(lipschitz(q))
    x = pep.vector()
    z = x - F(x).g
    pep.require_equal(squared(F(z).g), 1)
    pep.maximise(-inner(F(z).g, x - z))
    encloses(pep, -1 / (1 + q))


def test_relaxed_proximal_point_under_a_weak_minty_inequality() -> None:
    """min |F(z_k)|^2 <= 1/((gamma + rho)^2 K), sharp."""
    gamma, rho, K = fmpq(9, 10), fmpq(-3, 5), 4
    pep = Performance()
    F = pep.operator(weak_minty(rho))
    zero, x = F.minimiser(), pep.vector()
    pep.require(squared(x - zero.x), 1)
    sizes = []
    for _ in range(K):
        s = F.proximal(x, gamma)
        sizes.append(squared(s.g))
        x = x - s.g * (gamma + rho)
    pep.maximise(*sizes)
    encloses(pep, 1 / ((gamma + rho) ** 2 * K))


def test_without_hypotheses_the_worst_case_is_unbounded() -> None:
    pep = Performance()
    f = pep.function(smooth_convex(1))
    best, x = f.minimiser(), pep.vector()
    pep.maximise(f(x).f - best.f)
    assert pep.worst_case().status in ("unbounded", "dual infeasible")


def test_translations_are_removed_exactly() -> None:
    """The minimiser as an unknown vector of its own: one vector less in the program, the same worst case."""
    pep = Performance()
    f = pep.function(smooth_convex(1))
    pep.centre()
    best, x = f.minimiser(), pep.vector()
    pep.require(squared(x - best.x), 1)
    pep.maximise(f(x - f(x).g).f - best.f)
    assert pep.vectors == 4
    assert len(pep.program().vectors) == 3
    encloses(pep, fmpq(1, 6))


def test_a_gradient_that_nothing_bounds_is_no_obstacle() -> None:
    """Proximal gradient on f + h contracts like gradient descent, max(1 - mu, 0)^2 at step 1/L (Taylor, Hendrickx, Glineur, 2018).

    The gradient of f at the minimiser of f + h is unbounded: no multipliers have an interior.
    """
    pep = Performance()
    f, h = pep.function(smooth_strongly_convex(fmpq(1, 10), 1), "f"), pep.function(convex(), "h")
    best, g = pep.centre(), pep.vector()
    f.sample(best, g)
    h.sample(best, -g)
    x = pep.vector()
    pep.require(squared(x - best), 1)
    after = h.proximal(x - f(x).g, 1).x
    pep.maximise(squared(after - best))
    assert len(faces(pep.program().problem)) == 1
    encloses(pep, fmpq(81, 100))


def test_equations_that_hold_implicitly_are_no_obstacle() -> None:
    """|x - y|^2 <= 0 forces x = y: no feasible point is inside. The oracle is |x + y|^2 = 4 |x|^2 = 4."""
    pep = Performance()
    x, y = pep.vector(), pep.vector()
    pep.require(squared(x - y), 0)
    pep.require(squared(x), 1)
    pep.maximise(squared(x + y))
    found = pep.worst_case()
    assert found.lower is not None
    assert 4 - fmpq(1, 10**10) <= found.lower <= 4


def test_classes_say_whether_their_conditions_are_tight() -> None:
    assert smooth_convex(1).tight
    assert weak_minty(-1).tight
    assert not weak_minty(-1, 2).tight


@pytest.mark.parametrize(("mu", "L"), [(2, 1), (-2, 1), (0, 0)])
def test_impossible_curvatures_are_refused(mu: int, L: int) -> None:
    with pytest.raises(ValueError, match="expected -L <= mu < L"):
        smooth_strongly_convex(mu, L)


def test_floats_are_refused() -> None:
    with pytest.raises(TypeError, match="not exact"):
        smooth_convex(0.1)
    with pytest.raises(TypeError, match="not exact"):
        Performance().vector() * 0.5


def test_unknown_multiplier_names_are_refused() -> None:
    with pytest.raises(ValueError, match="no constraint is named"):
        proven(gradient_descent(1).program(), {("f", 7, 8): 1})
