"""Integrals, sums, roots and flows against closed forms."""

import mpmath
import pytest
import sympy
from flint import acb, arb, ctx, fmpq, fmpz_poly

from solvers import enclosures as en
from solvers.enclosures import functions as F
from solvers.enclosures.analytic import CUTS, FLAGGED, MEROMORPHIC, Analytic, apply
from solvers.enclosures.flows import taylor
from solvers.enclosures.series import series_coefficient, series_length

x, y = sympy.symbols("x y")
NOT_ACROSS_AXES = {"real_max", "real_min"}  # two arguments; covered by integrals with corners


def tight(ball, truth, bits):
    """Whether the balls overlap and the first one is this accurate."""
    return ball.is_finite() and ball.overlaps(truth) and ball.rad() < arb(2) ** -bits * (1 + abs(ball))


INTEGRALS = [
    (lambda t: F.sqrt(t), 0, 1, lambda: arb(2) / 3),
    (lambda t: F.sqrt(t), 1, 4, lambda: arb(14) / 3),
    (lambda t: t**2, -1, 1, lambda: arb(2) / 3),
    (lambda t: 1 / (1 + t * t), 0, 1, lambda: arb.pi() / 4),
    (lambda t: F.log(t), 1, 2, lambda: 2 * arb(2).log() - 1),
    (lambda t: F.power(t, fmpq(1, 3)), 1, 8, lambda: arb(45) / 4),
    (lambda t: F.absolute(t - fmpq(1, 3)), 0, 1, lambda: arb(5) / 18),
    (lambda t: F.maximum(t, 1 - t), 0, 1, lambda: arb(3) / 4),
    (lambda t: F.normal_pdf(t), -1, 1, lambda: (arb(1) / 2).sqrt().erf()),
    (lambda t: 3**t, 0, 1, lambda: 2 / arb(3).log()),
    (lambda t: F.asin(t), 0, fmpq(1, 2), lambda: arb.pi() / 12 + arb(3).sqrt() / 2 - 1),
    (lambda t: F.bessel_j(1, t), 0, 1, lambda: 1 - arb(1).bessel_j(0)),
    (lambda t: F.digamma(t), 1, 3, lambda: arb(2).log()),
    (sympy.exp(x) * sympy.sin(x), 0, 1, lambda: (arb(1).exp() * (F.sin(1) - F.cos(1)) + 1) / 2),
    (sympy.Integer(3), 0, 2, lambda: arb(6)),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(INTEGRALS)))
def test_integrals_contain_their_closed_forms(case):
    f, a, b, truth = INTEGRALS[case]
    with en.precision(80):
        assert tight(en.integrate(f, a, b), truth(), 20 if case == 0 else 55)


def test_a_branch_cut_ignored_by_hand_gives_a_wrong_integral_and_here_the_right_one():
    """The trap in FLINT's own documentation: sqrt without the analytic flag, over [1, 4]."""
    wrong = acb.integral(lambda z, _: z.sqrt(), 1, 4).real
    assert not wrong.overlaps(arb(14) / 3)
    assert en.integrate(lambda z: z.sqrt(), 1, 4).overlaps(arb(14) / 3)
    assert en.integrate(lambda z: z ** fmpq(1, 2), 1, 4).overlaps(arb(14) / 3)


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda z: z.elliptic_pi(2), "not known to be holomorphic"),
        (lambda z: 1 if z > 0 else 0, "not supported"),
        (lambda z: F.gamma_upper(z, z), "parameter"),
        (lambda z: F.lambertw(z, -1), "principal"),
        (lambda z: z.conjugate(), "not known to be holomorphic"),
    ],
)
def test_integrands_that_cannot_vouch_for_holomorphy_are_refused(f, message):
    with pytest.raises((TypeError, AttributeError), match=message):
        en.integrate(f, 1, 2)


def test_a_divergent_integral_has_no_enclosure():
    with pytest.raises(en.NoEnclosure, match="integral"):
        en.integrate(lambda t: 1 / t, -1, 1, work=2000)


def test_improper_integrals_with_tail_bounds_contain_their_closed_forms():
    with en.precision(100):
        gauss = en.integrate_line(sympy.exp(-(x**2)), en.gaussian_tail(1, 1))
        assert tight(gauss, arb.pi().sqrt(), 90)
        half = en.integrate_half_line(sympy.exp(-x) * sympy.sin(x), 0, en.exponential_tail(1, 1))
        assert tight(half, arb(1) / 2, 90)
        quartic = en.integrate_rational(1 / (1 + x**2), 1)
        assert tight(quartic, arb.pi() / 4, 90)
    power = en.integrate_half_line(lambda t: 1 / t**3, 1, en.power_tail(1, 3), tolerance_bits=30)
    assert tight(power, arb(1) / 2, 25)


def test_a_singular_end_point_is_cut_off_with_a_bound():
    """Integral of log over [0, 1] is -1; over [0, d] it is at most d (1 - log d) in size."""

    def pieces(k):
        d = arb(2) ** (-8 * (k + 1))
        return d, 1, d * (1 - d.log())

    assert tight(en.integrate_improper(sympy.log(x), pieces, tolerance_bits=50), arb(-1), 45)


def test_sums_with_tails_contain_their_closed_forms():
    with en.precision(120):
        geometric = en.sum_with_tail(lambda k: fmpq(1, 3**k), lambda N: en.geometric_tail(fmpq(1, 3**N), fmpq(1, 3)))
        assert tight(geometric, arb(3) / 2, 110)

        def term(k):
            return 1 / arb(k).fac()

        assert tight(en.sum_with_tail(term, en.ratio_tail(term, lambda N: fmpq(1, N + 1))), arb.const_e(), 110)
    log2 = en.sum_with_tail(
        lambda k: fmpq((-1) ** (k + 1), k),
        en.alternating_tail(lambda k: fmpq(1, k)),
        start=1,
        tolerance_bits=9,
    )
    assert tight(log2, arb(2).log(), 8)
    zeta2 = en.sum_with_tail(lambda k: fmpq(1, k * k), en.power_sum_tail(1, 2), start=1, tolerance_bits=9)
    assert tight(zeta2, arb.pi() ** 2 / 6, 7)


@pytest.mark.parametrize(
    "make",
    [
        lambda: en.power_tail(1, 1),
        lambda: en.power_tail(1, fmpq(1, 2)),
        lambda: en.exponential_tail(1, 0),
        lambda: en.gaussian_tail(1, -1),
        lambda: en.integrate_improper(lambda t: t, lambda k: (0, 1, -1)),
        lambda: en.sum_with_tail(lambda k: 1, lambda N: -1),
    ],
)
def test_tail_bounds_that_bound_nothing_are_refused(make):
    with pytest.raises(ValueError, match=r"positive|exceed|negative"):
        make()


def test_a_half_line_that_starts_below_zero_waits_for_the_tail_to_apply():
    """Integral of 1 / (1 + x^2) over [-1, oo) is 3 pi / 4; 1 / (1 + x^2) <= x^-2."""
    ball = en.integrate_half_line(lambda t: 1 / (1 + t * t), -1, en.power_tail(1, 2), tolerance_bits=20)
    assert tight(ball, 3 * arb.pi() / 4, 17)


def test_a_ratio_that_is_not_below_one_bounds_nothing():
    assert not en.geometric_tail(1, 1).is_finite()
    assert not en.geometric_tail(1, arb(1, 0.5)).is_finite()
    with pytest.raises(en.NoEnclosure, match="tail"):
        en.sum_with_tail(lambda k: 1, lambda N: en.geometric_tail(1, 1), max_terms=10)


def test_real_roots_of_a_polynomial_carry_exact_multiplicities():
    f = fmpz_poly([-2, 0, 1]) ** 2 * fmpz_poly([-1, 1]) * fmpz_poly([1, 0, 1])
    found = en.real_roots(f)
    assert [r.multiplicity for r in found] == [2, 1, 2]
    assert [r.compare(1) for r in found] == [-1, 0, 1]
    assert found[2].ball(300).overlaps(arb(2).sqrt())
    assert en.count_real_roots([1, 0, 1]) == 0


def test_algebraic_numbers_compare_exactly():
    """sqrt 2 is a root of x^2 - 2 and of x^4 - 4; the convergent 665857/470832 is above it by 1.6e-12."""
    a, b = en.real_roots([-2, 0, 1])[1], en.real_roots([-4, 0, 0, 0, 1])[1]
    assert a.compare(b) == 0
    assert a.compare(fmpq(665857, 470832)) == -1
    assert a.compare(fmpq(470832, 332929)) == 1
    assert en.real_roots([0, 1, 1])[1].sign() == 0


def test_wilkinsons_twenty_roots_are_the_integers():
    f = fmpz_poly([1])
    for k in range(1, 21):
        f *= fmpz_poly([-k, 1])
    assert [r.compare(k + 1) for k, r in enumerate(en.real_roots(f))] == [0] * 20


@pytest.mark.parametrize("f", [sympy.sin(x) * x - 1, lambda t: F.sin(t) * t - 1], ids=["sympy", "plain"])
def test_all_roots_of_a_transcendental_function_are_isolated(f):
    """Oracle: mpmath.findroot from the midpoints."""
    found = en.isolate_roots(f, -10, 10)
    assert found.undecided == ()
    assert len(found.roots) == 8
    for r in found.roots:
        root = mpmath.findroot(lambda t: mpmath.sin(t) * t - 1, float(r.mid()))
        assert abs(r - arb(float(root))) < 1e-12


def test_roots_at_the_ends_are_found_and_double_roots_stay_undecided():
    assert en.isolate_roots(lambda t: t * t - 1, -1, 1).roots == (-1, 1)
    double = en.isolate_roots(lambda t: (t - 1) * (t - 1), 0, 3)
    assert double.roots == ()
    assert any(a <= 1 <= b for a, b in double.undecided)


def test_functions_without_roots_have_none_and_nan_hides_none():
    assert en.isolate_roots(lambda t: t * t + 1, -5, 5) == en.Isolation((), ())
    hidden = en.isolate_roots(lambda t: F.log(t) - 1, -1, 4, resolution_bits=12)
    assert len(hidden.roots) == 1
    assert hidden.undecided  # log is NaN below 0: nothing may be claimed there


def test_a_jump_is_not_a_root():
    jump = sympy.Piecewise((x - 1, x < 0), (x + 1, True))
    with pytest.raises(TypeError, match="jump"):
        en.isolate_roots(jump, -1, 1)
    with pytest.raises(TypeError, match="jump"):
        en.system_of([jump], [x])


def test_a_box_that_is_not_finite_proves_nothing():
    with pytest.raises(ValueError, match="not finite"):
        en.krawczyk(lambda v: [v[0]], [arb.nan()])


PARAMETERS = {
    "bessel_j": [[fmpq(1, 3)], [2]], "bessel_i": [[fmpq(1, 3)], [2]], "bessel_k": [[1]], "bessel_y": [[1]],
    "expint": [[fmpq(3, 2)], [1]], "gamma_upper": [[fmpq(3, 2)]], "gamma_lower": [[fmpq(3, 2)]],
    "hypgeom_u": [[fmpq(1, 2), 2]], "hypgeom_2f1": [[fmpq(1, 2), 1, fmpq(7, 3)]], "polylog": [[2], [fmpq(1, 2)]],
    "hypgeom": [[[1, 2], [3, 4]], [[fmpq(1, 2), 1], [3]]], "hypgeom_0f1": [[2]], "hypgeom_1f1": [[fmpq(1, 2), 2]],
    "hermite_h": [[3]], "legendre_p": [[3]], "chebyshev_t": [[3]], "chebyshev_u": [[3]], "laguerre_l": [[3]],
    "gegenbauer_c": [[3, fmpq(1, 2)]], "jacobi_p": [[3, 1, 2]],
}  # fmt: skip


@pytest.mark.parametrize("name", sorted((MEROMORPHIC | FLAGGED | set(CUTS) | set(PARAMETERS)) - NOT_ACROSS_AXES))
def test_what_an_integrand_accepts_as_holomorphic_is_continuous_across_the_axes(name):
    """Branch cuts of these functions lie on the axes: values just beside them must agree on accepted balls."""
    step, accepted = arb(2) ** -30, 0
    for parameters in PARAMETERS.get(name, [[]]):
        for k in range(-30, 31):
            c = arb(fmpq(k, 10) + fmpq(1, 37))
            for centre, across in ((acb(c), acb(0, step)), (acb(0, c), acb(step))):
                ball = acb(centre.real + arb(0, 0.05), centre.imag + arb(0, 0.05))
                if not apply(name, Analytic(ball, True), *parameters).z.is_finite():
                    continue
                accepted += 1
                above, below = (apply(name, Analytic(centre + s * across, False), *parameters).z for s in (1, -1))
                assert abs(above - below) < 1e-4 * (1 + abs(above))
    assert accepted > 10


def test_krawczyk_proves_a_solution_of_a_system_and_nothing_where_there_is_none():
    """x^2 + y^2 = 4, x y = 1: x = sqrt(2 + sqrt 3)."""
    f, J = en.system_of([x**2 + y**2 - 4, x * y - 1], [x, y])
    with en.precision(300):
        box = en.enclose_solution(f, [2, fmpq(1, 2)], J)
        assert tight(box[0], (2 + arb(3).sqrt()).sqrt(), 280)
        assert tight(box[1], (2 - arb(3).sqrt()).sqrt(), 280)
    by_series = en.enclose_solution(lambda v: [v[0] * v[0] + v[1] * v[1] - 4, v[0] * v[1] - 1], [2, fmpq(1, 2)])
    assert all(a.overlaps(b) for a, b in zip(by_series, box, strict=True))
    assert en.krawczyk(f, [arb(5, 0.1), arb(5, 0.1)], J) is None
    assert en.krawczyk(f, [arb(0, 10), arb(0, 10)], J) is None


def test_a_double_root_cannot_be_proved_by_krawczyk():
    with pytest.raises(en.NoEnclosure):
        en.enclose_solution(lambda v: [v[0] * v[0]], [fmpq(1, 10)])


def test_a_solution_at_the_origin_is_enclosed_in_finitely_many_steps():
    """sinh(u + v) = 0, sinh(u - 2 v) = 0: relative accuracy at 0 would need endless contraction."""
    box = en.enclose_solution(lambda v: [F.sinh(v[0] + v[1]), F.sinh(v[0] - 2 * v[1])], [fmpq(1, 10), fmpq(1, 7)])
    assert all(v.contains(0) and v.rad() < fmpq(1, 10**12) for v in box)


def test_coordinates_that_stand_still_do_not_hold_up_the_flow():
    """x0 = x1 = e^-t, and two coordinates driven by x0 - x1 = 0, the second by the square of its enclosure."""
    with en.precision(80):
        steps = list(
            en.flow_steps(lambda v: [-v[0], -v[1], v[0] - v[1], v[2] * (v[0] - v[1])], [1, 1, 0, 0], 2, order=16)
        )
        assert len(steps) < 40
        assert tight(steps[-1].end[0], F.exp(-2), 60)
        assert steps[-1].end[3].contains(0)


@pytest.mark.parametrize("bits", [53, 113, 256])
def test_flow_of_the_oscillator_is_sine_and_cosine(bits):
    with en.precision(bits):
        s, c = en.flow(lambda v: [v[1], -v[0]], [0, 1], 10)
        assert tight(s, F.sin(10), bits - 20)
        assert tight(c, F.cos(10), bits - 20)


def test_flow_runs_backward_and_through_other_functions():
    """x' = -x^2 has x(t) = 1/(1+t); x' = e^-x has log(1 + t); x' = 2 t x with clock t has e^(t^2)."""
    with en.precision(100):
        (back,) = en.flow(lambda v: [-v[0] * v[0]], [1], fmpq(-1, 2))
        assert tight(back, arb(2), 80)
        (log,) = en.flow(lambda v: [F.exp(-v[0])], [0], 3)
        assert tight(log, arb(4).log(), 80)
        gauss, clock = en.flow(lambda v: [2 * v[0] * v[1], 1], [1, 0], 1)
        assert tight(gauss, arb.const_e(), 80)
        assert tight(clock, arb(1), 80)


def test_flow_of_an_initial_interval_contains_both_end_points():
    (ball,) = en.flow(lambda v: [-v[0]], [en.interval(1, 2)], 1)
    for end in (1, 2):
        assert ball.contains(end * F.exp(-1))


def test_flow_steps_boxes_contain_the_solution_in_between():
    for step in en.flow_steps(lambda v: [v[0] * v[0]], [1], fmpq(9, 10)):
        for t in (step.t, step.t + step.h / 2, step.t + step.h):
            assert step.box[0].overlaps(1 / (1 - arb(t)))
        assert step.end[0].overlaps(1 / (1 - arb(step.t + step.h)))


def test_flow_does_not_pass_a_blow_up():
    with pytest.raises(en.NoEnclosure):
        en.flow(lambda v: [v[0] * v[0]], [1], 2, max_steps=60)


def test_lorenz_flow_agrees_with_mpmath_at_two_precisions():
    def field(v):
        return [10 * (v[1] - v[0]), v[0] * (28 - v[2]) - v[1], v[0] * v[1] - 8 * v[2] / 3]

    with en.precision(80):
        ball = en.flow(field, [1, 1, 1], fmpq(1, 2))
    for b, number in zip(ball, en.flow_twice(field, [1, 1, 1], fmpq(1, 2), 60), strict=True):
        assert number.agrees(45)
        with en.precision(80):
            assert abs(b - arb(mpmath.nstr(number.high, 25))) < arb(10) ** -15


def test_taylor_coefficients_are_right_far_beyond_the_cap_of_the_series_library():
    """FLINT cuts series at ctx.cap = 10 terms; the 39th coefficient of e^t is 1/39!."""
    cap = ctx.cap
    c = taylor(lambda v: [v[0] * 1], [arb(1)], 40)[0]
    assert ctx.cap == cap
    assert c[39].overlaps(1 / arb(39).fac())
    squares = taylor(lambda v: [v[0] * v[0]], [arb(1)], 40)[0]
    assert all(a.contains(1) for a in squares)


def test_reading_an_unknown_coefficient_is_an_error_not_a_zero():
    from flint import arb_series

    series = arb_series([1, 1], 20).exp()
    with pytest.raises(ValueError, match="series_length"):
        series_coefficient(series, 15)
    with series_length(20):
        full = arb_series([0, 1], 20).exp()
    assert series_coefficient(full, 15).overlaps(1 / arb(15).fac())


def test_two_precisions_agree_on_a_smooth_integral_and_disagree_on_a_cancellation():
    good = en.twice(lambda: mpmath.quad(lambda t: mpmath.exp(-t * t), [0, 1]), 80)
    assert good.agrees(70)
    bad = en.twice(lambda: (mpmath.mpf(10) ** 30 + mpmath.pi) - mpmath.mpf(10) ** 30, 80)
    assert not bad.agrees(0)
    with pytest.raises(ArithmeticError, match="inf"):
        en.twice(lambda: mpmath.inf, 80)
