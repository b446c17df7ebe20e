"""Certified bounds of conic programs with known optima; the truth lies within them, in exact or ball arithmetic."""

import itertools
import math
import random
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from solvers.certificates import (
    DualBound,
    Infeasibility,
    InvalidCertificate,
    check,
    conic_problem,
    exponential,
    nonneg,
    psd,
    soc,
    zero,
)
from solvers.certificates.cones import triangle_index
from solvers.conic import certify, numeric, reconstruct
from solvers.conic.rounding import simplest_between, small_rational, to_float

TARGET = fmpq(1, 10**7)


def triangle(matrix, off_diagonal=1):
    """The column-by-column upper triangle of a symmetric matrix, off-diagonal entries scaled."""
    n = len(matrix)
    return [matrix[i][j] * (1 if i == j else off_diagonal) for j in range(n) for i in range(j + 1)]


def minus_identity(k):
    return [[-int(i == j) for j in range(k)] for i in range(k)]


def matrix_program(C, constraints, right):
    """min <C, X> with <F_k, X> = right_k, X PSD, in the triangle of X."""
    size = len(C) * (len(C) + 1) // 2
    A = [triangle(F, 2) for F in constraints] + minus_identity(size)
    return conic_problem(triangle(C, 2), A, [*right, *[0] * size], [zero(len(right)), psd(len(C))])


def linear_matrix_inequality(c, F0, Fs):
    """min c.x with F0 + sum x_i F_i PSD."""
    columns = [triangle(F) for F in Fs]
    rows = [[-column[k] for column in columns] for k in range(len(triangle(F0)))]
    return conic_problem(c, rows, triangle(F0), [psd(len(F0))])


def unit(n, *places):
    """The symmetric 0/1 matrix with ones at the places and their transposes."""
    marked = {place for i, j in places for place in ((i, j), (j, i))}
    return [[int((i, j) in marked) for j in range(n)] for i in range(n)]


def eye(n):
    return unit(n, *((i, i) for i in range(n)))


def lovasz(n, edges):
    """-theta: min -<J, X>, tr X = 1, X_ij = 0 on edges."""
    J = [[-1] * n for _ in range(n)]
    return matrix_program(J, [eye(n), *(unit(n, edge) for edge in edges)], [1] + [0] * len(edges))


def max_cut(weights):
    """Minus the Goemans-Williamson relaxation: min -<L, X>/4, X_ii = 1."""
    n = len(weights)
    laplacian = [[fmpq((sum(weights[i]) if i == j else 0) - weights[i][j]) / -4 for j in range(n)] for i in range(n)]
    return matrix_program(laplacian, [unit(n, (i, i)) for i in range(n)], [1] * n)


def cycle(n):
    return [(i, (i + 1) % n) for i in range(n)]


def assert_encloses(result, truth):
    """`truth` is a thunk for an exact number or a ball, evaluated at 256 bits."""
    assert result.status == "enclosed", result.reason
    with ctx.workprec(256):
        value = truth()
        assert result.lower <= value
        assert value <= result.upper
    assert check(result.problem, result.certificate).lower == result.lower


def assert_tight(result, truth):
    assert_encloses(result, truth)
    assert result.relative_gap <= TARGET
    assert result.reason == ""


def test_lovasz_theta_of_the_five_cycle_is_sqrt_five():
    assert_tight(certify(lovasz(5, cycle(5))), lambda: -arb(5).sqrt())


def test_lovasz_theta_of_odd_cycles_is_the_closed_form():
    # Lovasz 1979: theta(C_n) = n cos(pi/n) / (1 + cos(pi/n))
    def truth():
        cosine = (arb.pi() / 7).cos()
        return -7 * cosine / (1 + cosine)

    assert_tight(certify(lovasz(7, cycle(7))), truth)


def test_lovasz_theta_of_a_perfect_graph_is_its_independence_number_exactly():
    result = certify(lovasz(4, cycle(4)))
    assert (result.lower, result.upper) == (-2, -2)


def test_max_cut_relaxation_of_the_five_cycle_is_the_closed_form():
    weights = [[int((i - j) % 5 in (1, 4)) for j in range(5)] for i in range(5)]
    assert_tight(certify(max_cut(weights)), lambda: -(5 + 5 * (arb.pi() / 5).cos()) / 2)


def test_max_cut_relaxation_bounds_the_maximum_cut_found_by_enumeration():
    rng = random.Random(4)
    weights = [[0] * 8 for _ in range(8)]
    for i, j in itertools.combinations(range(8), 2):
        weights[i][j] = weights[j][i] = rng.randint(0, 3)
    best = max(
        sum(weights[i][j] for i, j in itertools.combinations(range(8), 2) if side[i] != side[j])
        for side in itertools.product((0, 1), repeat=8)
    )
    result = certify(max_cut(weights))
    assert result.relative_gap <= TARGET
    assert -result.lower >= best
    assert -result.upper * fmpq(87856, 100000) <= best  # Goemans and Williamson 1995


@pytest.mark.parametrize(
    ("fixed", "truth"),
    [
        ({(0, 0): 2, (1, 1): 1}, lambda: 3),  # |trace| is a lower bound and is attained
        ({(0, 0): 1, (0, 1): 2}, lambda: arb(5).sqrt()),  # one row is fixed: its length
        ({(0, 0): 3, (0, 1): 1, (1, 0): 1, (1, 1): 3}, lambda: 6),
    ],
)
def test_trace_norm_minimisation_has_its_known_optimum(fixed, truth):
    # min (tr W1 + tr W2)/2 with [[W1, X], [X^T, W2]] PSD and some entries of X given
    half = [[fmpq(int(i == j), 2) for j in range(4)] for i in range(4)]
    places = [unit(4, (i, 2 + j)) for i, j in fixed]
    assert_tight(certify(matrix_program(half, places, [2 * v for v in fixed.values()])), truth)


def test_smallest_eigenvalue_is_enclosed():
    # max t with M - t I PSD; M = path of length 3 with weights 1: eigenvalues -sqrt 2, 0, sqrt 2
    M = unit(3, (0, 1), (1, 2))
    minus = [[-value for value in row] for row in eye(3)]
    assert_tight(certify(linear_matrix_inequality([-1], M, [minus])), lambda: arb(2).sqrt())


@pytest.mark.parametrize("gap", [1, fmpq(7, 3), 10])
def test_program_with_a_duality_gap_is_bounded_by_both_optima_and_says_so(gap):
    # x1 = 0 throughout, so the optimum is 0; the dual optimum is -gap (Vandenberghe and Boyd 1996, section 3)
    F1 = [[0, 1, 0], [1, 0, 0], [0, 0, gap]]
    F0 = [[0, 0, 0], [0, 0, 0], [0, 0, gap]]
    result = certify(linear_matrix_inequality([gap, 0], F0, [F1, unit(3, (1, 1))]))
    assert (result.lower, result.upper) == (-gap, 0)
    assert "no strictly feasible" in result.reason


def test_program_without_slater_point_is_enclosed_by_facial_reduction():
    # X_00 = 0 forces the first row to vanish; then min X_11 + X_22 with X_12 = 1 is 2
    objective = [[0, 0, 0], [0, 1, 0], [0, 0, 1]]
    program = matrix_program(objective, [unit(3, (0, 0)), unit(3, (1, 2))], [0, 2])
    assert_encloses(certify(program), lambda: 2)


def test_face_that_is_not_a_coordinate_one_is_found():
    # <vv^T, X> = 0 with v = (1, 2, -1): X lives on a plane; min tr X with X_00 = 1
    v = (1, 2, -1)
    outer = [[a * b for b in v] for a in v]
    result = certify(matrix_program(eye(3), [outer, unit(3, (0, 0))], [0, 1]))
    # X = ww^T with w_0 = 1, w_0 + 2 w_1 - w_2 = 0 and w_1^2 + w_2^2 least: 1 + 1/5
    assert_encloses(result, lambda: fmpq(6, 5))
    assert result.gap <= fmpq(1, 10**6)


def test_face_of_a_second_order_cone_and_of_opposite_inequalities_are_found():
    # |(x, y)| <= x forces y = 0; with x <= 1 and x >= 1 and a second cone |y - 1/2| <= t the optimum of t is 1/2
    rows = [[-1, 0, 0], [-1, 0, 0], [0, -1, 0], [1, 0, 0], [-1, 0, 0], [0, 0, -1], [0, -1, 0]]
    program = conic_problem([0, 0, 1], rows, [0, 0, 0, 1, -1, 0, fmpq(-1, 2)], [soc(3), nonneg(2), soc(2)])
    result = certify(program)
    assert_encloses(result, lambda: fmpq(1, 2))
    assert result.gap <= fmpq(1, 10**6)
    assert "no strictly feasible primal point" in result.reason


def test_infimum_that_is_not_attained_is_enclosed_and_reported():
    # min x with [[x, 1], [1, y]] PSD: infimum 0
    result = certify(linear_matrix_inequality([1, 0], unit(2, (0, 1)), [unit(2, (0, 0)), unit(2, (1, 1))]))
    assert_encloses(result, lambda: 0)
    assert result.upper > 0
    assert "no strictly feasible" in result.reason or result.relative_gap <= TARGET


def test_second_order_cone_of_an_interval_has_its_ends_exactly():
    # |x - 0.6452| <= 0.1: the optimum sits on the boundary, where a rounded point is outside half the time
    for sign, truth in ((1, fmpq(5452, 10**4)), (-1, fmpq(-7452, 10**4))):
        result = certify(conic_problem([sign], [[0], [-1]], ["1/10", "-6452/10000"], [soc(2)]))
        assert (result.lower, result.upper) == (truth, truth)


def test_distance_of_a_point_to_a_line_is_enclosed():
    # min t, |(x - 1, x)| <= t: 1/sqrt 2
    program = conic_problem([0, 1], [[0, -1], [-1, 0], [-1, 0]], [0, -1, 0], [soc(3)])
    assert_tight(certify(program), lambda: 1 / arb(2).sqrt())


def test_exponential_cone_optima_are_enclosed():
    # min z with (1, 1, z) in the cone: e.  min t with exp(x - t) + exp(-x - t) <= 1: log 2
    assert_tight(certify(conic_problem([1], [[0], [0], [-1]], [1, 1, 0], [exponential()])), lambda: arb(1).exp())
    rows = [[0, 0, 1, 1], [-1, 1, 0, 0], [0] * 4, [0, 0, -1, 0], [1, 1, 0, 0], [0] * 4, [0, 0, 0, -1]]
    cones = [nonneg(1), exponential(), exponential()]
    assert_tight(certify(conic_problem([0, 1, 0, 0], rows, [1, 0, 1, 0, 0, 1, 0], cones)), lambda: arb(2).log())


def test_maximum_entropy_with_a_fixed_mean_agrees_with_the_closed_form():
    # min sum p log p on {0, 1, 2} with mean 1/2; exponential family p_i ~ r^i, r + 2 r^2 = (1 + r + r^2)/2
    rows, right = [[0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 1, 2]], [1, fmpq(1, 2)]
    cones = [zero(2)]
    for i in range(3):  # t_i >= p log p: (-t, p, 1) in the cone
        rows += [[int(j == i) for j in range(6)], [-int(j == 3 + i) for j in range(6)], [0] * 6]
        right += [0, 0, 1]
        cones.append(exponential())

    def truth():
        r = (arb(13).sqrt() - 1) / 6
        z = 1 + r + r * r
        return sum(r**i / z * (r**i / z).log() for i in range(3))

    assert_tight(certify(conic_problem([1, 1, 1, 0, 0, 0], rows, right, cones)), truth)


def test_quadratic_program_is_solved_exactly():
    # projection of (1, 2, -1) onto the simplex: (0, 1, 0), squared distance 3
    rows = [[1, 1, 1], *minus_identity(3)]
    program = conic_problem(
        [-2, -4, 2], rows, [1, 0, 0, 0], [zero(1), nonneg(3)], P=[[2, 0, 0], [0, 2, 0], [0, 0, 2]], offset=6
    )
    result = certify(program)
    assert (result.lower, result.upper) == (3, 3)
    assert result.method == "exact KKT system"


def test_degenerate_quadratic_program_with_singular_form_is_solved_exactly():
    # min (x + y)^2 / 2 - 2 (x + y), x + y <= 1 twice: optimum -3/2 on a segment
    program = conic_problem([-2, -2], [[1, 1], [2, 2], [-1, 0], [0, -1]], [1, 2, 0, 0], [nonneg(4)], P=[[1, 1], [1, 1]])
    result = certify(program)
    assert (result.lower, result.upper) == (fmpq(-3, 2), fmpq(-3, 2))


def test_quadratic_form_that_is_not_convex_is_inconclusive():
    result = certify(conic_problem([0], [[1], [-1]], [1, 1], [nonneg(2)], P=[[-1]]))
    assert result.status == "inconclusive"
    assert "positive semidefinite" in result.reason


def test_linear_program_in_standard_form_is_exact():
    result = certify(conic_problem([1, 1], [[-3, -1], [1, -1], [-1, -2]], [-1, 0, -1], [nonneg(1), zero(1), nonneg(1)]))
    assert (result.lower, result.upper, result.method) == (fmpq(2, 3), fmpq(2, 3), "exact vertex")


def test_infeasible_programs_carry_a_farkas_proof():
    empty_cone = certify(conic_problem([1], [[0], [-1]], [-1, 0], [soc(2)]))
    apart = certify(linear_matrix_inequality([1], [[-1, 0], [0, -1]], [unit(2, (0, 1))]))
    linear = certify(conic_problem([1], [[1], [-1]], [0, -1], [nonneg(2)]))
    for result in (empty_cone, apart, linear):
        assert result.status == "infeasible"
        assert isinstance(result.certificate, Infeasibility)
        assert check(result.problem, result.certificate).statement == "infeasible"


def test_unbounded_programs_carry_a_direction_and_a_point():
    cone = certify(conic_problem([-1, 0], [[-1, 0], [0, -1]], [0, 0], [soc(2)]))
    linear = certify(conic_problem([-1], [[-1]], [0], [nonneg(1)]))
    quadratic = certify(conic_problem([-1, 0], [[-1, 0]], [0], [nonneg(1)], P=[[0, 0], [0, 1]]))
    for result in (cone, linear, quadratic):
        assert result.status == "unbounded"
        assert check(result.problem, result.certificate).statement == "unbounded below"


def test_weakly_infeasible_program_never_gets_an_upper_bound():
    # [[x, 1], [1, 0]] is never PSD, and no Farkas proof exists
    result = certify(linear_matrix_inequality([1], unit(2, (0, 1)), [unit(2, (0, 0))]))
    assert result.upper is None
    assert result.status in ("lower bound", "inconclusive", "infeasible")
    assert result.reason or result.status == "infeasible"


def test_dual_without_solution_leaves_an_honest_upper_bound():
    # min X_01 with X_00 = 0: optimum 0, the dual has no feasible point at all
    half = [[0, fmpq(1, 2)], [fmpq(1, 2), 0]]
    result = certify(matrix_program(half, [unit(2, (0, 0))], [0]))
    assert (result.status, result.lower, result.upper) == ("upper bound", None, 0)
    assert "no dual point" in result.reason


def test_claim_one_part_in_a_million_too_strong_is_refuted_by_the_upper_bound():
    result = certify(lovasz(5, cycle(5)))
    too_strong = result.upper * (1 - fmpq(1, 10**6))  # the optimum is negative
    assert result.upper < too_strong
    with pytest.raises(InvalidCertificate, match="dual objective"):
        check(result.problem, DualBound(result.certificate.dual.y, too_strong))


def test_wrong_sign_of_an_equality_multiplier_is_rejected():
    result = certify(lovasz(5, cycle(5)))
    y = result.certificate.dual.y
    flipped = (*(-value for value in y[:6]), *y[6:])
    with pytest.raises(InvalidCertificate, match="does not vanish"):
        check(result.problem, DualBound(flipped, result.lower))


@pytest.mark.parametrize("answer", ["zeros", "noise", "infinite", "swapped"])
def test_a_lying_solver_weakens_the_result_and_never_falsifies_it(monkeypatch, answer):
    truthful = numeric.solve
    rng = np.random.default_rng(0)

    def lying(floats, *arguments):
        found = truthful(floats, *arguments)
        x, y = {
            "zeros": (0 * found.x, 0 * found.y),
            "noise": (found.x + rng.normal(size=len(found.x)), found.y + rng.normal(size=len(found.y))),
            "infinite": (np.full(len(found.x), np.inf), np.full(len(found.y), np.nan)),
            "swapped": (-found.x, -found.y),
        }[answer]
        return numeric.Numerical("Solved", x, y)

    monkeypatch.setattr(numeric, "solve", lying)
    result = certify(lovasz(5, cycle(5)))
    with ctx.workprec(128):
        assert result.lower is None or result.lower <= -arb(5).sqrt()
        assert result.upper is None or -arb(5).sqrt() <= result.upper


def random_programs(seed, count):
    """Bounded programs with interior points on both sides: SOCP, LMI and mixed QP."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n, order = int(rng.integers(2, 6)), int(rng.integers(2, 6))
        Fs = [(lambda M: (M + M.T).tolist())(rng.integers(-3, 4, (order, order))) for _ in range(n)]
        ball = [[0] * n, *minus_identity(n)]
        rows = [[-F[i][j] for F in Fs] for j in range(order) for i in range(j + 1)] + ball
        right = triangle([[20 * int(i == j) for j in range(order)] for i in range(order)]) + [10] + [0] * n
        c = rng.integers(-5, 6, n).tolist()
        yield conic_problem(c, rows, right, [psd(order), soc(n + 1)])
        B = rng.integers(-3, 4, (int(rng.integers(1, n + 1)), n))
        yield conic_problem(c, [[1] * n, *ball], [3, 5] + [0] * n, [zero(1), soc(n + 1)], P=(B.T @ B).tolist())


def test_random_programs_are_enclosed_tightly_around_the_solver_value():
    for program in random_programs(2, 10):
        found = numeric.solve(numeric.FloatProblem(program))
        value = to_float(program.objective([fmpq(*float(v).as_integer_ratio()) for v in found.x]))
        result = certify(program)
        assert result.relative_gap <= TARGET
        assert to_float(result.lower) - 1e-6 <= value <= to_float(result.upper) + 1e-6


def test_ball_data_of_a_linear_program_give_a_ball_vertex():
    # max z with z <= q log 2 + (1 - q) log 3, z <= q log 5 + (1 - q) log 2: crossing lines
    with ctx.workprec(200):
        l2, l3, l5 = (arb(v).log() for v in (2, 3, 5))
        program = conic_problem([-1, 0], [[1, l3 - l2], [1, l2 - l5], [0, 1], [0, -1]], [l3, l2, 1, 0], [nonneg(4)])
        result = certify(program)
        q = (l3 - l2) / (l5 + l3 - 2 * l2)
        truth = -(q * l2 + (1 - q) * l3)
        assert truth.overlaps(arb((result.lower + result.upper) / 2))
    assert result.method == "ball vertex"
    assert result.gap < fmpq(1, 10**50)


def test_ball_data_of_cone_programs_are_enclosed():
    # min |(x1 sqrt 2, x2)| with x1 + sqrt 2 x2 = 1: sqrt(1 / (1/2 + 2)); and a scaled max-cut of the triangle
    with ctx.workprec(128):
        root = arb(2).sqrt()
        distance = conic_problem(
            [0, 0, 1], [[1, root, 0], [0, 0, -1], [-root, 0, 0], [0, -1, 0]], [1, 0, 0, 0], [zero(1), soc(3)]
        )
        cut = matrix_program(
            [[0, root, root], [root, 0, root], [root, root, 0]], [unit(3, (i, i)) for i in range(3)], [1] * 3
        )
        for program, truth in ((distance, (arb(2) / 5).sqrt()), (cut, -3 * root)):
            result = certify(program)
            assert result.lower <= truth
            assert truth <= result.upper
            assert result.gap < fmpq(1, 10**7)


def test_wide_balls_are_inconclusive_with_a_reason():
    program = conic_problem([1], [[arb(0, 1)]], [1], [nonneg(1)])
    result = certify(program)
    assert result.status in ("inconclusive", "upper bound")
    assert result.lower is None


def test_simplest_rationals_are_the_simplest():
    rng = random.Random(1)
    for _ in range(200):
        low = fmpq(rng.randint(-300, 300), rng.randint(1, 60))
        high = low + fmpq(rng.randint(0, 30), rng.randint(1, 900))
        a, b = Fraction(int(low.p), int(low.q)), Fraction(int(high.p), int(high.q))
        found = simplest_between(a, b)
        assert a <= found <= b
        smaller = range(1, found.denominator)
        assert not any(math.ceil(a * q) <= math.floor(b * q) for q in smaller)


def test_decimal_coefficients_are_read_as_meant():
    assert reconstruct(0.1) == fmpq(1, 10)
    assert reconstruct(-0.6452) == fmpq(-1613, 2500)
    assert reconstruct(1 / 3) == fmpq(1, 3)
    assert reconstruct(1e-30) == fmpq(1, 10**30)
    assert small_rational(math.pi, 1e-9, 1000) is None
    with pytest.raises(ValueError, match="no rational value"):
        reconstruct(math.nan)


def test_extreme_and_empty_data_end_in_a_status_and_not_in_an_exception():
    ball = ([[0], [-1]], [1, 0], [soc(2)])
    assert certify(conic_problem([10**400], *ball)).reason == "a coefficient exceeds the range of doubles"
    for c in (10**200, fmpq(1, 10**200), fmpq(1, 10**400)):
        result = certify(conic_problem([c], *ball))  # optimum -c
        assert result.lower is None or result.lower <= -c
        assert result.upper is None or -c <= result.upper
    assert certify(conic_problem([-1], [], [], [], P=[[1]])).upper == fmpq(-1, 2)
    assert certify(conic_problem([-1, 1], [], [], [], P=[[1, 0], [0, 0]])).status == "unbounded"
    assert certify(conic_problem([0], [], [], [])).lower == 0
    assert certify(conic_problem([1], [[0], [0], [-1]], [1, 5, 0], [zero(1), soc(2)])).status == "infeasible"
    repeated = conic_problem([0, 1], [[1, 0], [2, 0], [0, -1], [-1, 0]], [1, 2, 0, 0], [zero(2), soc(2)])
    assert certify(repeated).upper == 1


def test_heavy_libraries_are_loaded_only_when_needed():
    code = (
        "import sys, solvers.conic, solvers.polyhedra; "
        "print([m for m in ('scipy', 'cvxpy', 'sympy', 'highspy', 'clarabel') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_triangle_order_is_column_by_column():
    assert [triangle_index(i, j) for j in range(3) for i in range(j + 1)] == list(range(6))
