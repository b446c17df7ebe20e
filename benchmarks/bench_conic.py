"""What exactness costs: certified bounds beside the numerical solver, exact linear programs beside SciPy's HiGHS, exact
vertices beside Qhull.

Run with `pytest benchmarks/bench_conic.py --benchmark-group-by=group`.
"""

import itertools

import numpy as np
import pytest

from solvers.certificates import check, conic_problem, psd, zero
from solvers.certificates.cones import triangle_index
from solvers.conic import certify, lp, numeric
from solvers.polyhedra import polyhedron, vertices


def max_cut(n):
    """The max-cut relaxation of a random graph on n vertices: n equations, X PSD of order n."""
    rng = np.random.default_rng(n)
    W = np.triu(rng.integers(0, 2, (n, n)), 1)
    L = np.diag((W + W.T).sum(axis=0)) - W - W.T
    size = n * (n + 1) // 2
    c = [int(-L[i, j]) * (1 if i == j else 2) for j in range(n) for i in range(j + 1)]
    A = [[int(k == triangle_index(i, i)) for k in range(size)] for i in range(n)]
    A += [[-int(k == l) for l in range(size)] for k in range(size)]
    return conic_problem(c, A, [1] * n + [0] * size, [zero(n), psd(n)])


def random_inequality(n):
    """min c.x with F_0 + sum_k x_k F_k PSD of order n, n/2 variables, dense integer matrices."""
    rng = np.random.default_rng(n)
    Fs = [(lambda M: M + M.T)(rng.integers(-3, 4, (n, n))) for _ in range(n // 2)]
    places = [(i, j) for j in range(n) for i in range(j + 1)]
    rows = [[-int(F[i, j]) for F in Fs] for i, j in places]
    right = [8 * n * int(i == j) for i, j in places]
    trace = [int(np.trace(F)) for F in Fs]  # the dual point I makes the program bounded
    return conic_problem(trace, rows, right, [psd(n)])


PROGRAMS = {"max-cut": max_cut, "dense LMI": random_inequality}
ROUNDS = {5: 50, 10: 30, 20: 10, 40: 3}
"""Orders, and how often each is timed: the least of many times is what a loaded machine leaves readable."""


@pytest.mark.parametrize("n", ROUNDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_semidefinite_program_solved_numerically(benchmark, name, n):
    """Clarabel alone, conversion to doubles included."""
    benchmark.group = f"{name} {n}"
    problem = PROGRAMS[name](n)
    benchmark.pedantic(lambda: numeric.solve(numeric.FloatProblem(problem)), rounds=ROUNDS[n], warmup_rounds=1)


@pytest.mark.parametrize("n", ROUNDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_semidefinite_program_certified(benchmark, name, n):
    """Solve, repair, check: both bounds proven."""
    benchmark.group = f"{name} {n}"
    problem = PROGRAMS[name](n)
    result = benchmark.pedantic(lambda: certify(problem), rounds=ROUNDS[n], warmup_rounds=1)
    benchmark.extra_info["relative gap"] = float(int(result.relative_gap.p) / int(result.relative_gap.q))


@pytest.mark.parametrize("n", ROUNDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_semidefinite_certificate_rechecked(benchmark, name, n):
    """The trusted checker alone, on the finished certificate."""
    benchmark.group = f"{name} {n}"
    result = certify(PROGRAMS[name](n))
    benchmark.pedantic(lambda: check(result.problem, result.certificate), rounds=ROUNDS[n], warmup_rounds=1)


def linear_data(n):
    rng = np.random.default_rng(n)
    A, b, c = rng.integers(-3, 6, (n, n)).tolist(), rng.integers(1, 10, n).tolist(), rng.integers(-5, 6, n).tolist()
    return c, A, b


@pytest.mark.parametrize("n", [4, 10, 20, 40])
def test_linear_program_exactly(benchmark, n):
    """`lp`: exact optimum, vertex, multipliers, checked certificate."""
    benchmark.group = f"linear program {n} x {n}"
    c, A, b = linear_data(n)
    assert benchmark(lambda: lp(c, A, b, bounds=(0, 2))).status == "optimal"


@pytest.mark.parametrize("n", [4, 10, 20, 40])
def test_linear_program_by_scipy(benchmark, n):
    """`scipy.optimize.linprog` with HiGHS: a float."""
    from scipy.optimize import linprog

    benchmark.group = f"linear program {n} x {n}"
    c, A, b = linear_data(n)
    assert benchmark(lambda: linprog(c, A, b, bounds=(0, 2))).status == 0


CROSS = list(itertools.product((1, -1), repeat=5))


def test_vertices_exactly(benchmark):
    """Double description in integers: the 10 vertices of the 5-dimensional cross-polytope with 32 facets."""
    benchmark.group = "vertices"
    P = polyhedron([list(s) for s in CROSS], [1] * 32)
    assert len(benchmark(lambda: vertices(P))) == 10


def test_vertices_by_qhull(benchmark):
    """SciPy's HalfspaceIntersection: floats, degenerate vertices repeated."""
    from scipy.spatial import HalfspaceIntersection

    benchmark.group = "vertices"
    halfspaces = np.array([[*s, -1.0] for s in CROSS])
    benchmark(lambda: HalfspaceIntersection(halfspaces, np.zeros(5)).intersections)
