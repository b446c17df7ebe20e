"""Exact linear programming against closed forms, the textbook's degenerate programs, and SciPy's HiGHS."""

import random
from fractions import Fraction

import pytest
from flint import fmpq, fmpq_mat

import solvers.conic.linear as linear
from solvers.certificates import (
    DualBound,
    Enclosure,
    Infeasibility,
    InvalidCertificate,
    PrimalPoint,
    Recession,
    check,
)
from solvers.conic import lp
from solvers.conic.rounding import to_float


@pytest.fixture(params=[0, 10**9], ids=["HiGHS basis", "exact simplex alone"])
def either_start(request, monkeypatch):
    monkeypatch.setattr(linear, "HIGHS_FROM", request.param)


def test_beales_cycling_example_ends_at_its_optimum(either_start):
    # Beale (1955): the largest-coefficient rule cycles; optimum -5/4 at (1, 0, 1, 0)
    solution = lp(["-3/4", 20, "-1/2", 6], [["1/4", -8, -1, 9], ["1/2", -12, "-1/2", 3], [0, 0, 1, 0]], [0, 0, 1])
    assert solution.value == fmpq(-5, 4)
    assert solution.x == (fmpq(1), fmpq(0), fmpq(1), fmpq(0))


def klee_minty(n):
    A = [[2 * 10 ** (i - j) if j < i else int(j == i) for j in range(n)] for i in range(n)]
    return [-(10 ** (n - 1 - j)) for j in range(n)], A, [100**i for i in range(n)]


@pytest.mark.parametrize("n", [3, 6])
def test_klee_minty_cube_has_its_known_optimum(n, either_start):
    assert lp(*klee_minty(n)).value == -(fmpq(100) ** (n - 1))


def test_klee_minty_cube_beyond_double_precision_is_still_exact():
    # right-hand sides up to 100^11: a tolerance of 1e-9 relative to them would not see the small ones
    assert lp(*klee_minty(12)).value == -(fmpq(100) ** 11)


def test_degenerate_transportation_program_has_the_assignment_optimum(either_start):
    # cost (i - j)^2 on a permutation polytope is minimised by the identity: optimum 0, massively degenerate
    n = 4
    c = [(i - j) ** 2 for i in range(n) for j in range(n)]
    rows = [[int(k // n == i) for k in range(n * n)] for i in range(n)]
    rows += [[int(k % n == j) for k in range(n * n)] for j in range(n)]
    solution = lp(c, A_eq=rows, b_eq=[1] * (2 * n))
    assert solution.value == 0
    assert all(solution.x[i * n + i] == 1 for i in range(n))


def random_program(rng, equality):
    m, n = rng.randint(1, 7), rng.randint(1, 6)
    data = {
        "c": [rng.randint(-5, 5) for _ in range(n)],
        "A_ub": [[rng.randint(-3, 5) for _ in range(n)] for _ in range(m)],
        "b_ub": [rng.randint(-2, 9) for _ in range(m)],
        "bounds": [rng.choice([(0, None), (-1, 2), (None, 3), (None, None), (1, 1)]) for _ in range(n)],
    }
    if equality:
        data |= {"A_eq": [[rng.randint(-1, 2) for _ in range(n)]], "b_eq": [rng.randint(-1, 3)]}
    return data


@pytest.mark.parametrize("equality", [False, True])
def test_status_and_optimum_agree_with_scipy(either_start, equality):
    from scipy.optimize import linprog

    rng, seen = random.Random(5), set()
    for _ in range(60):
        data = random_program(rng, equality)
        ours, theirs = lp(**data), linprog(**data)
        seen.add(ours.status)
        if theirs.status == 4:  # HiGHS: "unbounded or infeasible"
            assert ours.status != "optimal"
            continue
        assert ours.status == {0: "optimal", 2: "infeasible", 3: "unbounded"}[theirs.status]
        if ours.status == "optimal":
            assert to_float(ours.value) == pytest.approx(theirs.fun, abs=1e-9)
    assert seen == {"optimal", "infeasible", "unbounded"}


def test_multipliers_satisfy_stationarity_signs_and_strong_duality_exactly(either_start):
    rng, checked = random.Random(11), 0
    for _ in range(40):
        data = random_program(rng, equality=True)
        s = lp(**data)
        if s.status != "optimal":
            continue
        checked += 1
        n = len(s.x)
        for j in range(n):
            total = data["c"][j] - s.y_lower[j] + s.y_upper[j]
            total += sum(row[j] * y for row, y in zip(data["A_ub"], s.y_ub))
            total += sum(row[j] * y for row, y in zip(data["A_eq"], s.y_eq))
            assert total == 0
        assert min((*s.y_ub, *s.y_lower, *s.y_upper)) >= 0
        dual = -sum(b * y for b, y in zip(data["b_ub"], s.y_ub)) - sum(b * y for b, y in zip(data["b_eq"], s.y_eq))
        for j, (l, u) in enumerate(data["bounds"]):
            dual += (l * s.y_lower[j] if l is not None else 0) - (u * s.y_upper[j] if u is not None else 0)
        assert dual == s.value
    assert checked >= 10


def test_equality_multiplier_is_minus_the_derivative_of_the_optimum():
    # min x + 2y with x + y = b, y >= 0, x <= 1: value 2b - 1 for b >= 1
    def program(b):
        return lp([1, 2], A_eq=[[1, 1]], b_eq=[b], bounds=[(None, 1), (0, None)])

    assert program(3).value == 5
    assert program(3).y_eq == (-(program(4).value - program(3).value),)


def test_infeasible_and_unbounded_programs_carry_their_proof(either_start):
    infeasible = lp([1, 1], [[1, 1], [-1, -1]], [1, "-3/2"])
    assert infeasible.status == "infeasible"
    assert isinstance(infeasible.certificate, Infeasibility)
    assert check(infeasible.problem, infeasible.certificate).statement == "infeasible"
    unbounded = lp([-1, 0], [[1, -1]], [1])
    assert isinstance(unbounded.certificate, Recession)
    assert check(unbounded.problem, unbounded.certificate).statement == "unbounded below"
    assert lp([1], bounds=(2, 1)).status == "infeasible"
    assert lp([1], bounds=(None, None)).status == "unbounded"


def test_claim_equal_to_the_optimum_holds_and_one_part_in_a_million_more_is_refuted():
    solution = lp(["1/3", "1/7"], [[-1, -2], [-3, -1]], [-1, -1])
    claimed = solution.value
    proof = solution.certificate
    assert isinstance(proof, Enclosure)
    assert check(solution.problem, DualBound(proof.dual.y, claimed)).lower == claimed
    too_strong = claimed * (1 + fmpq(1, 10**6))
    with pytest.raises(InvalidCertificate, match="dual objective"):
        check(solution.problem, DualBound(proof.dual.y, too_strong))
    # the refutation itself: a feasible point below the too strong claim
    assert check(solution.problem, PrimalPoint(proof.primal.x, claimed)).upper < too_strong


def test_integral_and_hundred_digit_data_are_handled_exactly():
    big = 10**100 + 1
    assert lp([fmpq(1, big)], [[-1]], [-1]).value == fmpq(1, big)
    assert lp([Fraction(1, 3)], fmpq_mat([[-2]]), [-1]).value == fmpq(1, 6)
    assert lp([1, 1], [[-(10**400), -1]], [-1]).value == fmpq(1, 10**400)


def test_floats_and_misfits_are_refused_with_a_reason():
    with pytest.raises(TypeError, match="not exact"):
        lp([0.1], [[-1]], [-1])
    with pytest.raises(ValueError, match="1 rows and b_ub has 2"):
        lp([1], [[1]], [1, 2])
    with pytest.raises(ValueError, match="one pair"):
        lp([1, 1, 1], bounds=[(0, 1), (0, 1)])
    with pytest.raises(ValueError, match="at least one variable"):
        lp([])
