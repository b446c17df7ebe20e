"""The groups of a conic solver lie in the certified directions (part of the optimal polytope's claim)."""

from __future__ import annotations

import warnings

import numpy as np

from theorems import Approx, Q, le
from theorems.papers.convex_landscape.instances import distinct_rows, problem, solved, training_problems
from theorems.papers.convex_landscape.polytope import optimal_polytope_fixed_directions

CONIC = training_problems("conic", ((5, 2), (6, 2)), (Q(1, 4),), 1, 20, where=distinct_rows)


@optimal_polytope_fixed_directions.crosscheck("groups of a conic solver", family=CONIC)
def _conic_groups(X, y, beta, bias):
    import cvxpy as cp

    given = problem(X, y, beta, bias)
    solution = solved(given)
    data, geo = solution.geometry.data, solution.geometry
    weights = 1 + 1e-8 * np.random.default_rng(0).normal(size=2 * solution.cells.count)
    for w in (np.ones_like(weights), weights):
        terms, norms, constraints, groups = 0, 0, [], []
        for i, D in enumerate(solution.cells.active):
            for k, s in enumerate((1, -1)):
                u = cp.Variable(data.X.shape[1])
                terms = terms + s * cp.multiply(D, data.X @ u)
                norms = norms + w[2 * i + k] * cp.norm(u)
                constraints.append(cp.multiply(2 * D - 1, data.X @ u) >= 0)
                groups.append((i, s, u))
        program = cp.Problem(cp.Minimize(cp.sum_squares(terms - data.y) / 2 + data.beta * norms), constraints)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the last digits are asked of a solver that may not have them
            program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-11, tol_gap_rel=1e-11, tol_feas=1e-11)
        gaps = [0.0]
        for i, s, u in groups:
            size = float(np.linalg.norm(u.value))
            if size > 1e-3:  # branch
                cosines = [
                    float(u.value @ np.array([float(v) for v in a.u])) / size
                    for a in solution.structure.atoms
                    if a.s == s and all(t in (0, sign) for sign, t in zip(geo.signs[i], a.pattern))
                ]
                gaps.append(1 - max(cosines, default=-1.0))
        yield "cosine", le(Approx(max(gaps), 1e-9), Approx(2e-6, 0))
