"""Exact and verified linear algebra beside mpmath on the same matrices, in one run.

Run with `pytest benchmarks/bench_linalg.py`; `extra_info["times_faster_than_mpmath"]` is the median of
mpmath's time over ours. mpmath gives approximations without bounds; ours are exact or enclosed.
"""

import random
import statistics
import time

import mpmath
import pytest
from flint import fmpq_mat

from solvers import exact_linalg as la
from solvers.enclosures import precision

BITS = 200


def integer_matrix(n, seed):
    rng = random.Random(seed)
    return [[rng.randint(-99, 99) for _ in range(n)] for _ in range(n)]


def entries(m, n, seed):
    rng = random.Random(seed)
    return fmpq_mat(m, n, [rng.randint(-99, 99) for _ in range(m * n)])


def median_seconds(f, rounds=3):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        f()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def beside(benchmark, ours, theirs):
    with precision(BITS):
        seconds = median_seconds(theirs)
        benchmark(ours)
    ratio = seconds / benchmark.stats.stats.median
    benchmark.extra_info["mpmath_seconds"] = seconds
    benchmark.extra_info["times_faster_than_mpmath"] = round(ratio, 1)


@pytest.mark.parametrize("n", [10, 30])
def test_exact_solve_beside_mpmath_lu(benchmark, n):
    rows = integer_matrix(n, n)
    A, b = la.matrix(rows), la.column(range(n))
    M, v = mpmath.matrix(rows), mpmath.matrix(list(range(n)))
    beside(benchmark, lambda: la.solve(A, b), lambda: mpmath.lu_solve(M, v))


@pytest.mark.parametrize("n", [10, 30])
def test_exact_inverse_beside_mpmath(benchmark, n):
    rows = integer_matrix(n, n)
    A, M = la.matrix(rows), mpmath.matrix(rows)
    beside(benchmark, lambda: la.inverse(A), lambda: M**-1)


@pytest.mark.parametrize("n", [10, 30])
def test_exact_ldlt_certificate_beside_mpmath_cholesky(benchmark, n):
    rows = integer_matrix(n, n)
    A = la.matrix(rows) * la.matrix(rows).transpose()
    M = mpmath.matrix([[int(x.p) for x in line] for line in A.tolist()])
    beside(benchmark, lambda: la.definiteness(A), lambda: mpmath.cholesky(M))


def test_exact_pinv_of_a_deficient_matrix_beside_mpmath_svd(benchmark):
    A = entries(15, 8, 1) * entries(8, 12, 2)
    M = mpmath.matrix([[int(x.p) for x in line] for line in A.tolist()])
    beside(benchmark, lambda: la.pinv(A), lambda: mpmath.svd_r(M))


@pytest.mark.parametrize("n", [8, 16])
def test_verified_eigenvalues_beside_mpmath_eigsy(benchmark, n):
    A = la.matrix(integer_matrix(n, n))
    A = A + A.transpose()
    M = mpmath.matrix([[int(x.p) for x in line] for line in A.tolist()])
    beside(benchmark, lambda: la.verified_eigenvalues(A), lambda: mpmath.eigsy(M, eigvals_only=True))


@pytest.mark.parametrize("n", [8, 16])
def test_exact_eigenvalues_beside_mpmath_eigsy(benchmark, n):
    from solvers.enclosures import polynomials

    A = la.matrix(integer_matrix(n, n))
    A = A + A.transpose()
    M = mpmath.matrix([[int(x.p) for x in line] for line in A.tolist()])

    def ours():
        polynomials._isolated.cache_clear()
        return [r.ball(BITS) for r in la.eigenvalues(A)]

    beside(benchmark, ours, lambda: mpmath.eigsy(M, eigvals_only=True))


def test_verified_exponential_beside_mpmath(benchmark):
    A = la.matrix(integer_matrix(8, 3)) / 50
    M = mpmath.matrix(integer_matrix(8, 3)) / 50
    beside(benchmark, lambda: la.verified_exp(A), lambda: mpmath.expm(M))
