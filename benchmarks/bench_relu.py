"""Certified global optima of two-layer ReLU networks beside their peers, on the same data and one thread.

What is timed, from arrays of doubles to the answer, imports aside and after one warm-up round:

    ours: enumerate all cells, solve, raise to 256 bits, write the certificate and check it exactly; relative width of
        the enclosure about 1e-75.
    cvxpy and Clarabel: the same convex program on the same cells (which it is given): cvxpy's modelling and
        compilation, and the solver at its default tolerances; in doubles, uncertified. The model has one matrix of
        variables for each sign; with a variable for each cone, as one writes it first, it takes ten times as long.
    pyscnn 0.0.10, if it is installed: its augmented Lagrangian in doubles with the exact cells as gates.

Compare the minima of one run. Measured on one core at n, d = 10, 3; 20, 3; 40, 3: ours 5.3, 14.5 and 44 ms; cvxpy and
Clarabel 3.2, 8 and 32 times as long, optimum +1e-8 to +3e-8. pyscnn at 10, 3 and 20, 3: 3.5 and 7.6 s, optimum
+1.1e-2 and +4.4e-3 (2 and 1 %), 126 and 429 neurons where 3 and 6 suffice.

Run with `OMP_NUM_THREADS=1 RAYON_NUM_THREADS=1 pytest benchmarks/bench_relu.py --benchmark-group-by=group`, on a busy
machine with `--benchmark-timer=time.process_time`; RELU_LARGE=1 adds the two large instances to the conic reference.
"""

import os

import numpy as np
import pytest

from solvers.relu import arrangement, train
from solvers.relu.exact import data

BETA = 0.1
SIZES = [(10, 3), (20, 3), (40, 3), (100, 3), (30, 4)]
NAMES = [f"n={n} d={d}" for n, d in SIZES]
CONIC = [(10, 3), (20, 3), (40, 3)]


def instance(n, d):
    """Gaussian features (the last column is the bias), targets of a small planted network with noise."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d - 1))
    full = np.column_stack([X, np.ones(n)])
    teacher = np.maximum(full @ rng.normal(size=(d, 3)), 0) @ rng.normal(size=3)
    return X, teacher + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize(("n", "d"), SIZES, ids=NAMES)
def test_optimum_certified(benchmark, n, d):
    benchmark.group = f"n={n} d={d}"
    X, y = instance(n, d)
    s = benchmark.pedantic(lambda: train(X, y, BETA, bias=True), rounds=max(3, 600 // n), warmup_rounds=1)
    gap = (s.upper - s.lower) / s.upper
    benchmark.extra_info |= {
        "cells": s.cells.count,
        "neurons": len(s.network),
        "relative width": int(gap.p) / int(gap.q),
    }
    assert gap * 10**60 < 1


@pytest.mark.parametrize(("n", "d"), SIZES, ids=NAMES)
def test_enumeration(benchmark, n, d):
    benchmark.group = f"enumeration n={n} d={d}"
    X = data(*instance(n, d), BETA, bias=True).problem.X
    cells = benchmark.pedantic(lambda: arrangement(X, check=False), rounds=3, warmup_rounds=1)
    benchmark.extra_info["cells"] = cells.count


def conic(X, y, active):
    """The convex program over all cells, in doubles."""
    import cvxpy as cp

    P, d = len(active), X.shape[1]
    U, V = cp.Variable((d, P)), cp.Variable((d, P))
    D = active.T.astype(float)
    signs = 2 * D - 1
    fit = cp.sum(cp.multiply(D, X @ (U - V)), axis=1)
    norms = cp.sum(cp.norm(U, axis=0)) + cp.sum(cp.norm(V, axis=0))
    cones = [cp.multiply(signs, X @ U) >= 0, cp.multiply(signs, X @ V) >= 0]
    problem = cp.Problem(cp.Minimize(cp.sum_squares(fit - y) / 2 + BETA * norms), cones)
    return problem.solve(solver=cp.CLARABEL)


@pytest.mark.parametrize(("n", "d"), SIZES, ids=NAMES)
def test_conic_reference(benchmark, n, d):
    benchmark.group = f"n={n} d={d}"
    if (n, d) not in CONIC and not os.environ.get("RELU_LARGE"):
        pytest.skip("takes minutes: set RELU_LARGE=1")
    X, y = instance(n, d)
    best = train(X, y, BETA, bias=True)
    full = np.column_stack([X, np.ones(n)])
    conic(full[:2], y[:2], best.cells.active[:2, :2])  # imports
    often = {"rounds": 5, "warmup_rounds": 1} if (n, d) in CONIC else {"rounds": 1}
    value = benchmark.pedantic(lambda: conic(full, y, best.cells.active), **often)
    benchmark.extra_info["error"] = value - best.value
    assert abs(value - best.value) < 1e-4 * best.value


@pytest.mark.parametrize(("n", "d"), CONIC[:2], ids=NAMES[:2])
def test_pyscnn_with_exact_cells_as_gates(benchmark, n, d):
    pytest.importorskip("scnn")
    from scnn.metrics import Metrics
    from scnn.models import ConvexReLU
    from scnn.optimize import optimize_model
    from scnn.regularizers import NeuronGL1
    from scnn.solvers import AL

    benchmark.group = f"n={n} d={d}"
    X, y = instance(n, d)
    best = train(X, y, BETA, bias=True)
    full = np.column_stack([X, np.ones(n)])

    def optimize():
        model = ConvexReLU(best.cells.points.T)
        # its loss is divided by 2 n; scaled columns would be another penalty
        options = {"regularizer": NeuronGL1(BETA / n), "unitize_data": False, "dtype": "float64"}
        return optimize_model(model, AL(model), Metrics(), full, y, **options)[0]

    network = benchmark.pedantic(optimize, rounds=1)
    W, a = network.parameters
    sizes = np.linalg.norm(W, axis=1) * np.abs(a.ravel())
    value = float(((network(full).ravel() - y) ** 2).sum()) / 2 + BETA * float(sizes.sum())
    benchmark.extra_info |= {"error": value - best.value, "neurons": int((sizes > 0).sum())}
    assert best.value < value < 1.1 * best.value
