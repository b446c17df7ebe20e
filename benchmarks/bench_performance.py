"""Certified worst cases beside PEPit: its default solver and Clarabel, ten examples, and growth with the iterations.

Run with `pytest benchmarks/bench_performance.py --benchmark-group-by=group`. PEPit's time is that of the whole example;
the certification's begins with PEPit's prepared problem (assembly, solving, exact bounds).
"""

import warnings

import pytest

from solvers.performance import Performance, enclose, smooth_convex, squared

EXAMPLES = (
    "unconstrained_convex_minimization.gradient_descent",
    "unconstrained_convex_minimization.heavy_ball_momentum",
    "unconstrained_convex_minimization.conjugate_gradient",
    "unconstrained_convex_minimization.accelerated_gradient_strongly_convex",
    "unconstrained_convex_minimization.gradient_descent_qg_convex_decreasing",
    "unconstrained_convex_minimization.gradient_descent_silver_stepsize_strongly_convex",
    "unconstrained_convex_minimization.inexact_gradient_descent",
    "adaptive_methods.polyak_steps_in_distance_to_optimum",
    "nonconvex_optimization.gradient_descent",
    "monotone_inclusions_variational_inequalities.proximal_point",
)
ROUNDS = 3


def example(name, **options):
    """Run one example of PEPit, perhaps with another solver."""
    pepit = pytest.importorskip("solvers.performance.pepit")
    pytest.importorskip("PEPit")
    warnings.filterwarnings("ignore")
    return pepit.run(f"PEPit.examples.{name}", **options)


@pytest.mark.parametrize("name", EXAMPLES)
def test_pepit_with_its_default_solver(benchmark, name):
    """PEPit alone."""
    benchmark.group = name
    benchmark.pedantic(lambda: example(name), rounds=ROUNDS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_pepit_with_clarabel(benchmark, name):
    """PEPit alone, with Clarabel through cvxpy."""
    benchmark.group = name
    benchmark.pedantic(lambda: example(name, solver="CLARABEL"), rounds=ROUNDS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_certified(benchmark, name):
    """Exact assembly and both bounds proven, for the problem that PEPit prepared."""
    benchmark.group = name
    model = example(name).problems[-1].model

    def certify():
        enclose.cache_clear()
        return model.worst_case()

    found = benchmark.pedantic(certify, rounds=ROUNDS)
    benchmark.extra_info["relative width"] = str(found.width)


def gradient_descent(steps):
    """Step 1/L on smooth convex functions."""
    pep = Performance()
    f = pep.function(smooth_convex(1))
    best, x = f.minimiser(), pep.vector()
    pep.require(squared(x - best.x), 1)
    for _ in range(steps):
        x = x - f(x).g
    pep.maximise(f(x).f - best.f)
    return pep


@pytest.mark.parametrize("steps", [1, 2, 4, 8, 12, 16])
def test_growth_with_the_iterations(benchmark, steps):
    """Gradient descent, N steps: N + 1 vectors and (N + 2)(N + 1) inequalities."""
    benchmark.group = "growth"

    def certify():
        enclose.cache_clear()
        return gradient_descent(steps).worst_case()

    found = benchmark.pedantic(certify, rounds=2)
    benchmark.extra_info["relative width"] = str(found.width)
