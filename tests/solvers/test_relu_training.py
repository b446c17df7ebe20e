"""Certified training: against a conic solver on all cells (cvxpy and Clarabel), closed forms, and transformations."""

import doctest
from dataclasses import replace

import numpy as np
import pytest
from flint import arb, fmpq

from solvers.certificates import ReluProblem, check, problem_digest, schema
from solvers.certificates.bounds import InvalidCertificate
from solvers.certificates.files import canonical, parse_strict
from solvers.certificates.relu import check_relu
from solvers.relu import TooManyCells, UndecidedStructure, staircase, train, training, working_set
from solvers.relu.training import Solution


def conic_reference(X, y, beta, patterns):
    """The convex program over the given activation patterns, in doubles."""
    import cvxpy as cp

    terms, norms, constraints = 0, 0, []
    for D in patterns:
        for s in (1, -1):
            u = cp.Variable(X.shape[1])
            terms = terms + s * cp.multiply(D, X @ u)
            norms = norms + cp.norm(u)
            constraints.append(cp.multiply(2 * D - 1, X @ u) >= 0)
    problem = cp.Problem(cp.Minimize(cp.sum_squares(terms - y) / 2 + beta * norms), constraints)
    options = {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10}
    return problem.solve(solver=cp.CLARABEL, **options)


def instance(seed):
    rng = np.random.default_rng(seed)
    n, d = [(5, 2), (6, 3), (8, 2)][seed % 3]
    if seed % 4 == 3:
        X = rng.integers(-2, 3, (n, d)).astype(float)
        X[-1] = -X[0]
    else:
        X = rng.integers(-97, 98, (n, d)) / 32
    return X, rng.integers(-97, 98, n) / 32, [0.25, 1.0, 2.0][seed % 3], bool(seed % 2)


def relative_width(solution: Solution) -> float:
    gap = (solution.upper - solution.lower) / solution.upper
    return int(gap.p) / int(gap.q)


@pytest.mark.parametrize("seed", range(8))
def test_value_agrees_with_the_conic_solver_on_all_cells(seed):
    X, y, beta, bias = instance(seed)
    solution = train(X, y, beta, bias=bias)
    full = np.column_stack([X, np.ones(len(X))]) if bias else X
    reference = conic_reference(full, y, beta, solution.cells.active)
    assert solution.value == pytest.approx(reference, abs=1e-8)
    assert relative_width(solution) < 1e-60


@pytest.mark.parametrize("seed", range(8))
def test_predictions_have_the_certified_objective(seed):
    X, y, beta, bias = instance(seed)
    s = train(X, y, beta, bias=bias)
    weights = (s.coef_**2).sum() + (s.intercept_**2).sum() + (s.output_**2).sum()
    objective = ((s.predict(X) - y) ** 2).sum() / 2 + beta / 2 * weights
    assert objective == pytest.approx(s.value, rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_rows_may_come_in_any_order_and_data_may_be_scaled(seed):
    X, y, beta, bias = instance(seed)
    s = train(X, y, beta, bias=bias)
    order = np.random.default_rng(seed).permutation(len(X))
    t, three = fmpq(7, 3), fmpq(3)
    exact = [[fmpq(*v.as_integer_ratio()) for v in row] for row in X.tolist()]
    exact = [[*row, fmpq(1)] for row in exact] if bias else exact
    targets = [fmpq(*v.as_integer_ratio()) for v in y.tolist()]
    b = fmpq(*beta.as_integer_ratio())
    shuffled = train(X[order], y[order], beta, bias=bias)
    wider = train([[t * v for v in row] for row in exact], targets, t * b)
    taller = train(exact, [three * v for v in targets], three * b)
    for other, factor in ((shuffled, 1), (wider, 1), (taller, 9)):
        assert other.lower <= factor * s.upper
        assert factor * s.lower <= other.upper
        assert (other.structure.kind, other.m_star, other.M_star) == (s.structure.kind, s.m_star, s.M_star)


def test_the_example_of_the_documentation_holds():
    assert doctest.testmod(training) == doctest.TestResults(failed=0, attempted=7)


def test_a_single_sample_is_the_soft_threshold():
    # one row x, target y > 0: f = max(y - beta / |x|, 0); here |x| = 5, y = 3, beta = 2: f = 13/5
    s = train([[3, 4]], [3], 2)
    exact = fmpq(2, 5) ** 2 / 2 + 2 * fmpq(13, 5) / 5
    assert s.lower <= exact <= s.upper
    assert (s.m_star, s.M_star, len(s.network)) == (1, 1, 1)


def test_heavy_regularisation_gives_the_certified_zero_network():
    s = train([[3, 4], [1, 0]], [3, 1], 100)
    assert s.lower == s.upper == 5
    assert (s.structure.kind, s.network, s.m_star, s.M_star) == ("zero", (), 0, 0)
    assert s.predict([[1.0, 2.0]]).tolist() == [0.0]
    assert train([[0, 0], [0, 0]], [1, 2], 1).upper == fmpq(5, 2)
    assert train([[3, 4]], [3], 15).upper == fmpq(9, 2)  # beta = beta_max exactly


def test_certificates_pass_through_files_and_belong_to_their_problem():
    X, y, beta, bias = instance(1)
    s = train(X, y, beta, bias=bias)
    text = canonical(schema.to_json(s.certificate))
    again = schema.read("relu-optimum", parse_strict(text), "certificate")
    assert again == s.certificate
    verified = check(s.problem, again)
    assert (verified.lower, verified.upper) == (s.lower, s.upper)
    # of a problem with another penalty it proves another value, if anything
    other = ReluProblem(s.problem.X, s.problem.y, s.problem.beta + 1)
    assert problem_digest(other) != problem_digest(s.problem)
    assert check(other, again).upper != verified.upper


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": [[1.0, np.nan], [0.0, 1.0]]}, r"X\[0, 1\] = nan is not finite"),
        ({"y": [1.0, np.inf]}, r"y\[1, 0\] = inf is not finite"),
        ({"y": [1.0]}, "2 rows and y has 1"),
        ({"X": [[1e150, 2.0], [0.0, 1.0]]}, "largest entry of X is 1e\\+150"),
        ({"beta": 0}, "beta = 0; expected a positive weight"),
        ({"beta": -0.5}, "expected a positive weight"),
        ({"X": [1.0, 2.0]}, r"X has the shape \(2,\)"),
        ({"y": [[1.0, 2.0], [3.0, 4.0]]}, r"y has the shape \(2, 2\)"),
    ],
)
def test_bad_input_is_named(change, message):
    given = {"X": [[1.0, 2.0], [0.0, 1.0]], "y": [1.0, 2.0], "beta": 1.0} | change
    with pytest.raises(ValueError, match=message):
        train(np.array(given["X"]), np.array(given["y"]), given["beta"])


@pytest.mark.parametrize(
    ("X", "y", "beta", "message"),
    [
        ([1, 2], [1, 2], 1, "X has one dimension; expected two"),
        (None, [1], 1, "X is a NoneType"),
        ([[1]], None, 1, "y is a NoneType"),
        ([["a"]], [1], 1, r"X\[0\] = 'a' of type str; expected a number"),
        ([[1]], [1], "x", "beta = 'x' of type str"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(X: object, y: object, beta: object, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        train(X, y, beta)


def test_widths_are_whole_numbers() -> None:
    solution = train([[1, 0], [0, 1]], [1, 1], 1)
    for widths, message in (([-1], "the width -1"), ([2.5], "the width 2.5"), (3, "widths = 3")):
        with pytest.raises(ValueError, match=message):
            staircase(solution, widths)  # type: ignore[arg-type]


def test_predictions_of_missing_features_are_refused() -> None:
    with pytest.raises(ValueError, match="not finite"):
        train([[1, 0], [0, 1]], [1, 1], 1).predict([[float("nan"), 1.0]])


def test_a_solution_is_short_to_read() -> None:
    assert len(repr(train([[1, 0], [0, 1]], [1, 1], "1/3"))) < 200


def test_sizes_out_of_reach_are_refused_with_a_prediction():
    with pytest.raises(TooManyCells, match="may have 1001002 cells"):
        train(np.random.default_rng(0).normal(size=(1001, 3)), np.zeros(1001), 1.0)


@pytest.mark.parametrize(
    ("X", "y", "beta", "nu"),
    [
        ([[-1, 0], [0, -3], [-2, 1]], (3, -3, -3), 1, (3, "-1/3", -1)),
        ([[-3, 3], [0, 1], [1, 2]], (-4, 1, -1), fmpq(1, 4), ("-1/12", 1, "-1/4")),
        ([[3, 1], [0, 1], [-3, 1]], (4, -2, 0), 1, ("1/3", "-5/3", "1/3")),
    ],
)
def test_exact_ties_with_a_rational_dual_are_decided(X, y, beta, nu):
    s = train(X, y, beta)
    assert s.structure.kind == "R"
    assert [str(v) for v in s.structure.nu] == [str(v) for v in nu]
    assert (len(s.structure.atoms), s.m_star, s.M_star) == (3, 2, 2)


def test_an_irrational_tie_on_a_ray_is_decided():
    # by hand: u = (1, 1)/sqrt 2 with s = -1 carries sqrt 2 - 1, nu = (1 - 1/sqrt 2, 1, -1 - 1/sqrt 2); (-1, 0) is tight and idle
    s = train([[0, 1], [-1, 1], [0, 1]], (0, 1, -2), 1)
    assert [a.s for a in s.structure.atoms] == [-1, 1]
    half = arb(2).sqrt() / 2
    for found, value in zip(s.structure.nu, (1 - half, 1, -1 - half)):
        assert abs(found - value) < arb(10) ** -14
    assert s.structure.atoms[1].u == (-1, 0)
    assert (s.m_star, s.M_star, s.optimal_polytope.supports) == (1, 1, ((0,),))
    assert abs(s.optimal_polytope.vertices[0][0] - (2 * half - 1)) < arb(10) ** -14


def test_irrational_ties_of_dependent_atoms_are_said_to_be_undecided():
    s = train([[2, -3, 1], [3, 1, 1], [1, -1, 1]], (0, -4, 4), fmpq(1, 16))
    assert s.structure.kind == "undecided"
    assert relative_width(s) < 1e-60
    with pytest.raises(UndecidedStructure, match="not decided"):
        staircase(s, range(3))


def test_a_tampered_certificate_is_rejected():
    X, y, beta, bias = instance(1)
    s = train(X, y, beta, bias=bias)
    good = s.certificate
    used = next(i for i, m in enumerate(good.multipliers) if m.values)
    m = good.multipliers[used]

    def with_multiplier(**changes):
        return replace(
            good, multipliers=(*good.multipliers[:used], replace(m, **changes), *good.multipliers[used + 1 :])
        )

    assert check_relu(s.problem, good).lower == s.lower
    for bad, message in [
        (replace(good, nu=tuple(v * fmpq(101, 100) for v in good.nu)), "exceeds beta"),
        (replace(good, nu=good.nu[1:]), "entries; expected"),
        (replace(good, cells=good.cells[1:]), "the arrangement has"),
        (replace(good, multipliers=()), "no multiplier is given"),
        (replace(good, multipliers=(m, *good.multipliers)), "two multipliers"),
        (with_multiplier(values=tuple(-v for v in m.values)), "negative multiplier"),
        (with_multiplier(rows=tuple(k + 1000 for k in m.rows)), "there are"),
        (with_multiplier(rows=(), values=()), "exceeds beta"),
    ]:
        with pytest.raises(InvalidCertificate, match=message):
            check_relu(s.problem, bad)


def test_an_easier_problem_does_not_share_its_certificate():
    X, y, beta, bias = instance(1)
    s = train(X, y, beta, bias=bias)
    harder = ReluProblem(s.problem.X, s.problem.y, s.problem.beta / 2)
    with pytest.raises(InvalidCertificate, match="exceeds beta"):
        check_relu(harder, s.certificate)


@pytest.mark.parametrize("seed", range(8))
def test_a_poor_solve_only_widens_the_interval(seed, monkeypatch):
    X, y, beta, bias = instance(seed)
    good = train(X, y, beta, bias=bias)
    monkeypatch.setattr(working_set, "ROUNDS", 1)
    poor = train(X, y, beta, bias=bias)
    assert poor.lower <= good.lower
    assert good.upper <= poor.upper
    assert poor.upper - poor.lower < 20 * good.upper
