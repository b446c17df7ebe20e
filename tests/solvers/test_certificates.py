"""The exact checkers: what each condition of each certificate is for, and the cones decided against other methods."""

import random
import subprocess
import sys

import pytest
from flint import arb, ctx, fmpq

from solvers.certificates import (
    ConicProblem,
    DualBound,
    Enclosure,
    Infeasibility,
    InvalidCertificate,
    PolynomialProblem,
    PrimalPoint,
    Recession,
    Solved,
    SumOfSquares,
    WeightedSquare,
    check,
    conic_problem,
    exponential,
    in_cone,
    in_dual_cone,
    is_psd,
    nonneg,
    polynomial,
    psd,
    rational,
    soc,
    zero,
)
from solvers.certificates.rational import parse_rational, spell


def q(*values):
    return tuple(rational(value) for value in values)


@pytest.fixture
def program():
    """min x + y, x + 2y >= 1, 3x + y >= 1, x - y = 1/5; optimum 11/15 at (7/15, 4/15)."""
    return conic_problem([1, 1], [[1, -1], [-1, -2], [-3, -1]], ["1/5", -1, -1], [zero(1), nonneg(2)])


def test_primal_and_dual_points_enclose_the_optimum(program):
    # tight rows: x - y = 1/5, x + 2y = 1 => x = 7/15, y = 4/15; multipliers: 1 + u - v = 0, 1 - u - 2v = 0
    x, y = q("7/15", "4/15"), q("-1/3", "2/3", 0)
    assert check(program, PrimalPoint(x, rational("11/15"))).upper == fmpq(11, 15)
    assert check(program, DualBound(y, rational("11/15"))).lower == fmpq(11, 15)
    both = check(program, Enclosure(PrimalPoint(x, rational("11/15")), DualBound(y, rational("11/15"))))
    assert both.gap == 0
    assert both.statement == "11/15 <= optimum <= 11/15"


@pytest.mark.parametrize(
    ("certificate", "reason"),
    [
        (PrimalPoint(q("7/15", "4/15"), rational("10/15")), "exceeds the stated bound"),
        (PrimalPoint(q("7/15", "4/15", 0), fmpq(1)), "3 entries"),
        (PrimalPoint(q("6/15", "4/15"), fmpq(1)), "not in cone 0"),
        (PrimalPoint(q("1/5", 0), fmpq(1)), "not in cone 1"),
        (DualBound(q("-1/3", "2/3", 0), rational("12/15")), "below the stated bound"),
        (DualBound(q("1/3", "2/3", 0), fmpq(0)), "does not vanish"),
        (DualBound(q(2, 3, 0), fmpq(0)), "does not vanish"),
        (DualBound(q("1/5", "12/10", 0), fmpq(0), q(0, 0)), "w is given"),
        (DualBound(q("-1", "0"), fmpq(0)), "2 entries"),
        (Infeasibility(q(0, 0, 0)), "b.y is not negative"),
        (Infeasibility(q(1, 1, 0)), "does not vanish"),
        (Recession(q(1, 0)), "not in cone 0"),
        (Recession(q(1, 1)), "does not decrease"),
    ],
)
def test_each_condition_is_checked(program, certificate, reason):
    with pytest.raises(InvalidCertificate, match=reason):
        check(program, certificate)


def test_negative_multiplier_of_an_inequality_is_rejected():
    # min x, x >= 0 and x <= 1: y = (0, -1) would "prove" x >= 1
    program = conic_problem([1], [[-1], [1]], [0, 1], [nonneg(2)])
    with pytest.raises(InvalidCertificate, match="dual of cone 0"):
        check(program, DualBound(q(0, -1), fmpq(1)))
    with pytest.raises(InvalidCertificate, match="dual of cone 0"):
        check(program, Infeasibility(q(-1, -1)))  # it would "prove" that [0, 1] is empty


def test_second_order_cone_is_one_sided_and_closed():
    assert in_cone(soc(3), q(5, 3, -4))
    assert not in_cone(soc(3), q(-5, 3, 4))
    assert not in_cone(soc(3), q("4.999999999999999999999999", 3, 4))
    assert in_cone(soc(1), q(0))
    assert not in_cone(soc(1), q(-1))


def test_bound_of_a_nonconvex_quadratic_is_rejected():
    # min -x^2/2 over |x| <= 1 has the stationary multiplier w = 0, y = 0 and no bound 0
    program = conic_problem([0], [[1], [-1]], [1, 1], [nonneg(2)], P=[[-1]])
    with pytest.raises(InvalidCertificate, match="not positive semidefinite"):
        check(program, DualBound(q(0, 0), fmpq(0), q(0)))


def test_quadratic_dual_bound_needs_w_and_subtracts_its_form():
    # min x^2/2 - x: optimum -1/2 at w = 1
    program = conic_problem([-1], [[0]], [1], [nonneg(1)], P=[[1]])
    assert check(program, DualBound(q(0), rational("-1/2"), q(1))).lower == fmpq(-1, 2)
    with pytest.raises(InvalidCertificate, match="w is missing"):
        check(program, DualBound(q(0), rational("-1/2")))
    with pytest.raises(InvalidCertificate, match="below the stated"):
        check(program, DualBound(q(0), rational("-49/100"), q(1)))


def test_curved_objective_has_no_recession_along_its_curvature():
    program = conic_problem([-1, -1], [[-1, 0]], [0], [nonneg(1)], P=[[1, 0], [0, 0]])
    with pytest.raises(InvalidCertificate, match="curved"):
        check(program, Recession(q(1, 1)))
    assert check(program, Recession(q(0, 1), q(0, 0))).statement == "unbounded below"
    assert check(program, Recession(q(0, 1))).statement == "dual infeasible"


def test_certificates_of_the_wrong_type_are_rejected(program):
    squares = SumOfSquares(fmpq(0), ())
    with pytest.raises(InvalidCertificate, match="says nothing about"):
        check(program, squares)
    with pytest.raises(InvalidCertificate, match="says nothing about"):
        check(PolynomialProblem(1, polynomial({(2,): 1})), PrimalPoint(q(0), fmpq(0)))


def test_numbers_that_are_not_rationals_never_enter_a_check(program):
    x, y, bound = q("7/15", "4/15"), q("-1/3", "2/3", 0), fmpq(1)
    for bad in (0.5, 1, arb(0, 1), None):
        for certificate in (
            PrimalPoint((bad, x[1]), bound),
            PrimalPoint(x, bad),
            DualBound((bad, *y[1:]), fmpq(0)),
            DualBound(y, bad),
            Infeasibility((bad, *y[1:])),
            Recession((bad, x[1])),
        ):
            with pytest.raises(InvalidCertificate, match="only FLINT rationals"):
                check(program, certificate)
        interval = PolynomialProblem(1, polynomial({(2,): 1}))
        for proof in (
            SumOfSquares(bad, ()),
            SumOfSquares(fmpq(0), (WeightedSquare(None, ((1,),), ((bad,),)),)),
        ):
            with pytest.raises(InvalidCertificate, match="no FLINT rational"):
                check(interval, proof)
        with pytest.raises(ValueError, match="coefficient of type"):
            PolynomialProblem(1, (((2,), bad),))
    with pytest.raises(TypeError, match="conic_problem"):
        ConicProblem((0.5,), (), (), ())


def test_psd_is_decided_as_by_the_signs_of_all_principal_minors():
    from itertools import combinations

    from flint import fmpq_mat

    def minors(M):
        n = len(M)
        chosen = (c for k in range(1, n + 1) for c in combinations(range(n), k))
        return (fmpq_mat(len(c), len(c), [M[i][j] for i in c for j in c]).det() for c in chosen)

    rng, seen = random.Random(6), {True: 0, False: 0}
    for _ in range(150):
        n, r = rng.randint(1, 4), rng.randint(1, 4)
        B = [[fmpq(rng.randint(-2, 2), rng.randint(1, 3)) for _ in range(r)] for _ in range(n)]
        M = [[sum((B[i][k] * B[j][k] for k in range(r)), fmpq(0)) for j in range(n)] for i in range(n)]
        i = rng.randrange(n)
        M[i][i] -= rng.choice([fmpq(0), fmpq(0), fmpq(1, 10**20), fmpq(1)])
        expected = all(value >= 0 for value in minors(M))
        seen[expected] += 1
        assert is_psd(M) is expected
    assert min(seen.values()) >= 30


def test_psd_boundary_is_decided_within_one_part_in_ten_to_the_forty():
    tiny = fmpq(1, 10**40)
    assert is_psd([[fmpq(1), fmpq(2)], [fmpq(2), fmpq(4)]])
    assert not is_psd([[fmpq(1), fmpq(2)], [fmpq(2), fmpq(4) - tiny]])
    assert not is_psd([[fmpq(0), tiny], [tiny, fmpq(1)]])
    with pytest.raises(ValueError, match="not symmetric"):
        is_psd([[fmpq(1), fmpq(0)], [fmpq(1), fmpq(1)]])
    with pytest.raises(ValueError, match="row lengths"):
        is_psd([[fmpq(1), fmpq(0)]])


def test_psd_of_balls_is_certain_or_refused():
    with ctx.workprec(128):
        root = arb(2).sqrt()
        assert is_psd([[root, arb(1)], [arb(1), root]])
        assert not is_psd([[root, root], [root, root]])  # singular: undecided, hence refused
        assert not is_psd([[arb(1, 2), arb(0)], [arb(0), arb(1)]])
        assert not is_psd([[arb("nan"), arb(0)], [arb(0), arb(1)]])


def test_dual_cone_is_the_set_of_nonnegative_inner_products():
    # for random s in K and y in K*, s.y >= 0; and a y outside K* has a witness s in K (sampled for the boundary rays)
    rng = random.Random(9)
    root = [(3, 4, 5), (5, 12, 13), (8, 15, 17), (0, 1, 1), (1, 0, 1)]
    for _ in range(300):
        y = q(rng.randint(0, 6), rng.randint(-6, 6), rng.randint(-6, 6))
        witnesses = [(r, sa * a, sb * b) for a, b, r in root for sa in (1, -1) for sb in (1, -1)]
        products = [sum(u * v for u, v in zip(y, s)) for s in witnesses]
        if in_dual_cone(soc(3), y):
            assert min(products) >= 0
    # PSD: Y with halved off-diagonal entries is PSD iff v^T S v-type products with S = vv^T are nonnegative
    vectors = [(a, b) for a in range(-4, 5) for b in range(-4, 5)]
    for _ in range(300):
        y = q(rng.randint(-2, 6), rng.randint(-6, 6), rng.randint(-2, 6))
        products = [a * a * y[0] + a * b * y[1] + b * b * y[2] for a, b in vectors]
        assert in_dual_cone(psd(2), y) == (4 * y[0] * y[2] >= y[1] * y[1] and y[0] >= 0 and y[2] >= 0)
        if in_dual_cone(psd(2), y):
            assert min(products) >= 0


def test_exponential_cone_is_decided_to_twenty_digits():
    e = rational("2.71828182845904523536")  # truncated: below e
    above = e + fmpq(1, 10**20)
    assert not in_cone(exponential(), q(1, 1, e))
    assert in_cone(exponential(), q(1, 1, above))
    assert in_cone(exponential(), q(0, 1, 1))
    assert in_cone(exponential(), q(-1, 0, 0))
    assert not in_cone(exponential(), q(1, 0, 5))
    assert not in_cone(exponential(), q(-1, -1, 5))


def test_dual_of_the_exponential_cone_meets_the_cone_only_in_nonnegative_products():
    # -u exp(v/u) <= e w, u < 0: for u = -1, v = 0: w >= 1/e
    assert in_dual_cone(exponential(), q(-1, 0, "0.36787944117144232160"))
    assert not in_dual_cone(exponential(), q(-1, 0, "0.36787944117144232159"))
    assert in_dual_cone(exponential(), q(0, 1, 1))
    assert not in_dual_cone(exponential(), q(0, -1, 1))
    assert not in_dual_cone(exponential(), q(1, 1, 1))
    rng = random.Random(2)
    inside = []
    for _ in range(400):
        s = q(rng.randint(-4, 4), rng.randint(1, 4), fmpq(rng.randint(1, 200), 10))
        y = q(rng.randint(-4, -1), rng.randint(-4, 4), fmpq(rng.randint(1, 200), 10))
        if in_cone(exponential(), s) and in_dual_cone(exponential(), y):
            inside.append(sum(a * b for a, b in zip(s, y)))
    assert len(inside) > 50
    assert min(inside) >= 0


def test_ball_point_is_solved_for_and_undecided_balls_never_pass():
    # min x with x >= sqrt 2 (a ball): vertex x = sqrt 2 by definition of the tight row
    with ctx.workprec(128):
        root = arb(2).sqrt()
        program = conic_problem([1], [[-1]], [-root], [nonneg(1)])
    vertex = Solved((0,), (0,), 128)
    above, below = fmpq(141421356237309505, 10**17), fmpq(141421356237309504, 10**17)
    assert check(program, PrimalPoint(q(0), above, vertex)).upper == above
    with pytest.raises(InvalidCertificate, match="exceeds"):
        check(program, PrimalPoint(q(0), below, vertex))
    assert check(program, DualBound(q(1), below)).lower == below
    with pytest.raises(InvalidCertificate, match="not in cone"):
        check(program, PrimalPoint((root.mid().fmpq(),), fmpq(2)))  # neither certainly inside nor outside
    for solved, reason in (
        (Solved((0, 0), (0,), 128), "increase"),
        (Solved((0,), (1,), 128), "increase within"),
        (Solved((0,), (), 128), "0 equations for 1 unknowns"),
        (Solved((0,), (0,), 64), "bits"),
        (Solved((0,), (0,), 10**6), "bits"),
    ):
        with pytest.raises(InvalidCertificate, match=reason):
            check(program, PrimalPoint(q(0), above, solved))
    with pytest.raises(InvalidCertificate, match="all stationarity equations"):
        check(program, DualBound(q(0), below, solved=vertex))
    assert check(program, DualBound(q(0), below, solved=Solved((0,), (), 128))).lower == below
    with pytest.raises(InvalidCertificate, match="both listed and solved"):
        check(program, PrimalPoint(q(1), above, vertex))


def test_ball_around_zero_is_not_taken_for_zero():
    # the coefficient 0 +- 1 might be anything in [-1, 1]: x = 0 is feasible for x <= 1, x = 2 need not be
    program = conic_problem([1], [[arb(0, 1)]], [1], [nonneg(1)])
    assert check(program, PrimalPoint(q(0), fmpq(0))).upper == 0
    with pytest.raises(InvalidCertificate):
        check(program, PrimalPoint(q(-2), fmpq(0)))
    with pytest.raises(InvalidCertificate):
        check(program, DualBound(q(0), fmpq(0)))


MOTZKIN = {(4, 2): 1, (2, 4): 1, (2, 2): -3, (0, 0): 1}


def test_motzkin_polynomial_times_a_square_is_a_sum_of_squares():
    # M is nonnegative and no sum of squares, but with r = x^2 + y^2:
    # r^2 M = x^2 y^2 (r + 1) (r - 2)^2 + (x^2 - y^2)^2
    from solvers.certificates.polynomials import multiply

    M, r = polynomial(MOTZKIN), polynomial({(2, 0): 1, (0, 2): 1})
    target = multiply(M, multiply(r, r))
    squares = []
    for shift in ((1, 1), (2, 1), (1, 2)):  # x y (r - 2) times 1, x, y
        a, b = shift
        z = ((a + 2, b), (a, b + 2), (a, b))
        squares.append(WeightedSquare(None, z, (q(1, 1, -2), q(1, 1, -2), q(-2, -2, 4))))
    squares.append(WeightedSquare(None, ((2, 0), (0, 2)), (q(1, -1), q(-1, 1))))
    proof = SumOfSquares(fmpq(0), tuple(squares))
    assert check(PolynomialProblem(2, target), proof).statement == "p >= 0"
    with pytest.raises(InvalidCertificate, match="identity fails"):
        check(PolynomialProblem(2, target), SumOfSquares(fmpq(1, 10**9), tuple(squares)))


def test_weighted_squares_and_equalities_bound_a_polynomial_on_a_set():
    # x >= -1 on x^2 + y^2 = 1: x + 1 = (x + 1)^2/2 + y^2/2 + (1 - x^2 - y^2)/2.  x (1 - x) >= 0 on [0, 1] by its weight
    circle = PolynomialProblem(2, polynomial({(1, 0): 1}), (), (polynomial({(0, 0): 1, (2, 0): -1, (0, 2): -1}),))
    half = fmpq(1, 2)
    squares = (
        WeightedSquare(None, ((1, 0), (0, 0)), ((half, half), (half, half))),
        WeightedSquare(None, ((0, 1),), ((half,),)),
    )
    proof = SumOfSquares(fmpq(-1), squares, (polynomial({(0, 0): "1/2"}),))
    assert check(circle, proof).lower == -1
    interval = PolynomialProblem(1, polynomial({(1,): 1, (2,): -1}), (polynomial({(1,): 1, (2,): -1}),))
    by_weight = SumOfSquares(fmpq(0), (WeightedSquare(0, ((0,),), ((fmpq(1),),)),))
    assert check(interval, by_weight).lower == 0
    for broken, reason in (
        (SumOfSquares(fmpq(0), (WeightedSquare(1, ((0,),), ((fmpq(1),),)),)), "weight 1"),
        (SumOfSquares(fmpq(0), (WeightedSquare(-1, ((0,),), ((fmpq(1),),)),)), "weight -1"),
        (SumOfSquares(fmpq(0), (WeightedSquare(0, ((0,),), ((fmpq(-1),),)),)), "not positive semidefinite"),
        (SumOfSquares(fmpq(0), (WeightedSquare(0, ((0, 0),), ((fmpq(1),),)),)), "exponents"),
        (SumOfSquares(fmpq(0), (WeightedSquare(0, ((0,),), (q(1, 2),)),)), "does not fit"),
        (SumOfSquares(fmpq(0), (), (polynomial({(0,): 1}),)), "1 multipliers for 0"),
    ):
        with pytest.raises(InvalidCertificate, match=reason):
            check(interval, broken)


def test_numbers_have_one_spelling():
    for text in ("0", "-3/7", "12", str(10**3000)):
        assert spell(parse_rational(text)) == text
    for text in (
        "2/4",
        "-0",
        "+1",
        "1.5",
        " 1",
        "1/0",
        "1/-2",
        "0/3",
        "01",
        "1e3",
        "",
        "١",
        "1_000",
        "nan",
        "9" * 20_001,
    ):
        with pytest.raises((ValueError, ZeroDivisionError)):
            parse_rational(text)
    for value in (1, 1.0, None, True, ["1"]):
        with pytest.raises(ValueError, match="expected an exact number"):
            parse_rational(value)


def test_floats_bools_and_misfits_are_refused_in_problems():
    with pytest.raises(TypeError, match="not exact"):
        conic_problem([0.1], [[1]], [1], [nonneg(1)])
    with pytest.raises(TypeError, match="bool"):
        conic_problem([True], [[1]], [1], [nonneg(1)])
    with pytest.raises(ValueError, match="finite"):
        conic_problem([arb("inf")], [[1]], [1], [nonneg(1)])
    with pytest.raises(ValueError, match="cones have 2 rows"):
        conic_problem([1], [[1]], [1], [nonneg(2)])
    with pytest.raises(ValueError, match="not symmetric"):
        conic_problem([1, 1], [[1, 1]], [1], [nonneg(1)], P=[[1, 1], [0, 1]])
    with pytest.raises(ValueError, match="order"):
        nonneg(0)


def test_trusted_code_loads_no_solver():
    code = (
        "import sys, solvers.certificates; "
        "print([m for m in ('numpy', 'scipy', 'cvxpy', 'sympy', 'highspy', 'clarabel') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
