"""Certified worst cases beside PEPit: its default solver (SCS) and Clarabel, ten examples, and growth with the iterations.

PEPit runs as its users run it. Its time is that of the whole example; `extra_info` holds the part from prepared constraints to the answer. The
certification's time begins with the same prepared problem, its coefficients read exactly: assembly, solving, proven bounds on both sides.

Run with `pytest benchmarks/bench_performance.py --benchmark-group-by=group --benchmark-timer=time.process_time`.

CPU milliseconds, best of three, PEPit 0.5.1, SCS 3.3.1, Clarabel 0.11.1 (relative width asked for: 1e-6; reached: at most 8e-7, mostly 1e-8):

    example                                       certified   PEPit SCS   PEPit Clarabel   ratios
    gradient_descent                                    7.6        26.7             27.5   0.29   0.28
    heavy_ball_momentum                                 4.9        16.3             15.9   0.30   0.31
    conjugate_gradient                                  9.8        20.3             18.0   0.48   0.54
    accelerated_gradient_strongly_convex                4.2        15.6             15.1   0.27   0.28
    gradient_descent_qg_convex_decreasing              16.0        50.9             52.4   0.31   0.31
    ..._silver_stepsize_strongly_convex                44.2        68.5             65.3   0.65   0.68
    inexact_gradient_descent                            5.3        23.3             18.8   0.23   0.28
    polyak_steps_in_distance_to_optimum                 1.0        12.9             12.0   0.08   0.08
    nonconvex gradient_descent                          6.4        31.5             31.0   0.20   0.21
    proximal_point (operators)                         24.6        47.1             48.7   0.52   0.50
    gradient descent, N = 1                             2.0        12.4             11.4   0.16   0.18
                      N = 4                             6.7        28.6             28.9   0.23   0.23
                      N = 8                            30.0        74.9             75.3   0.40   0.40
                      N = 12                            112         143              182   0.78   0.62
                      N = 16                            237         266              347   0.89   0.68
                      N = 20                            412         526              625   0.78   0.66
                      N = 24                            761         690              942   1.10   0.81

With many iterations nearly all the time is Clarabel's: PEPit solves once, an enclosure takes about five solutions (1e-7 at N = 24: six, and
the last, from the interior, takes two thirds of 2.3 s). SCS's own answers are off by 4e-7 at N = 16, 2e-5 at N = 20, 8e-6 at N = 24.
"""

import warnings
from contextlib import contextmanager
from importlib import import_module
from math import sqrt
from time import process_time

import pytest

from solvers.performance import Performance, enclose, smooth_convex, squared

CONVEX = "unconstrained_convex_minimization."
EXAMPLES = {
    CONVEX + "gradient_descent": {"L": 3, "gamma": 1 / 3, "n": 4},
    CONVEX + "heavy_ball_momentum": {"mu": 0.1, "L": 1.0, "alpha": 0.5, "beta": sqrt(0.95 * 0.5), "n": 2},
    CONVEX + "conjugate_gradient": {"L": 1, "n": 2},
    CONVEX + "accelerated_gradient_strongly_convex": {"mu": 0.1, "L": 1, "n": 2},
    CONVEX + "gradient_descent_qg_convex_decreasing": {"L": 1, "n": 6},
    CONVEX + "gradient_descent_silver_stepsize_strongly_convex": {"L": 3.2, "mu": 0.1, "n": 8},
    CONVEX + "inexact_gradient_descent": {"L": 1, "mu": 0.1, "epsilon": 0.1, "n": 2},
    "adaptive_methods.polyak_steps_in_distance_to_optimum": {"L": 1, "mu": 0.1, "gamma": 2 / 1.1},
    "nonconvex_optimization.gradient_descent": {"L": 1, "gamma": 1, "n": 5},
    "monotone_inclusions_variational_inequalities.proximal_point": {"alpha": 2, "n": 10},
}
SOLVERS = {"default": None, "Clarabel": "CLARABEL"}
STEPS = (1, 4, 8, 12, 16, 20, 24)
WITHIN = 1e-6
ROUNDS = 3


@contextmanager
def solving():
    """The seconds that PEPit takes from prepared constraints to its answers, one number a problem."""
    from PEPit.pep import PEP

    seconds = []
    original = PEP._solve_with_wrapper

    def timed(*args, **options):
        started = process_time()
        try:
            return original(*args, **options)
        finally:
            seconds.append(process_time() - started)

    PEP._solve_with_wrapper = timed
    try:
        yield seconds
    finally:
        PEP._solve_with_wrapper = original


def alone(benchmark, name, solver, arguments):
    """PEPit's example by itself, after one run that imports what it needs."""
    pytest.importorskip("PEPit")
    warnings.filterwarnings("ignore")
    method = name.rsplit(".", 1)[1]
    example = getattr(import_module(f"PEPit.examples.{name}"), f"wc_{method}")

    def go():
        return example(**arguments, wrapper="cvxpy", solver=solver, verbose=-1)

    go()
    with solving() as seconds:
        benchmark.pedantic(go, rounds=ROUNDS)
    benchmark.extra_info["seconds of solving"] = min(seconds)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_pepit(benchmark, name, solver):
    """PEPit alone."""
    benchmark.group = name
    alone(benchmark, name, SOLVERS[solver], EXAMPLES[name])


def certified(benchmark, model):
    """Both bounds proven, nothing remembered from earlier rounds."""

    def certify():
        enclose.cache_clear()
        return model().worst_case(WITHIN)

    found = benchmark.pedantic(certify, rounds=ROUNDS, warmup_rounds=1)
    assert found.status == "enclosed", found.reason
    benchmark.extra_info["relative width"] = f"{int(found.width.p) / int(found.width.q):.1e}"


@pytest.mark.parametrize("name", EXAMPLES)
def test_certified(benchmark, name):
    """Exact assembly and both bounds, for the problem that PEPit prepared."""
    pytest.importorskip("PEPit")
    from solvers.performance import pepit

    warnings.filterwarnings("ignore")
    benchmark.group = name
    model = pepit.run(f"PEPit.examples.{name}").problems[-1].model
    certified(benchmark, lambda: model)


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


@pytest.mark.parametrize("steps", STEPS)
def test_growth_certified(benchmark, steps):
    """Gradient descent, N steps: N + 2 vectors and (N + 2)(N + 1) inequalities; modelling is included."""
    benchmark.group = f"growth {steps}"
    certified(benchmark, lambda: gradient_descent(steps))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("steps", STEPS)
def test_growth_of_pepit(benchmark, steps, solver):
    """The same with PEPit."""
    benchmark.group = f"growth {steps}"
    alone(benchmark, CONVEX + "gradient_descent", SOLVERS[solver], {"L": 1, "gamma": 1, "n": steps})
