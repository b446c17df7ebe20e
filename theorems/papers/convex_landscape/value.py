"""The convex program has the value of the training problem, which narrower networks miss."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from flint import arb, arb_mat, fmpq_mat

from solvers.certificates.relu import network_value
from solvers.enclosures import precision
from solvers.enclosures.exact import dyadic as binary
from solvers.relu.enclosure import approximate
from solvers.relu.exact import of_problem
from solvers.relu.geometry import Geometry
from solvers.relu.working_set import solve
from theorems import Approx, Q, dyadic, eq, le, lt, optimum
from theorems.papers.convex_landscape import PAPER
from theorems.papers.convex_landscape.descent import descend, exact_loss, random_start
from theorems.papers.convex_landscape.instances import (
    BITS,
    HARD,
    UNDECIDED,
    balls,
    certificate,
    decided,
    degenerate_problems,
    distinct_rows,
    dot,
    dual_optimum,
    norm,
    problem,
    solved,
    total,
    training_problems,
)

CLOSE = Q(1, 10**50)
HALF = Q(1, 2)
SIZES = ((5, 2), (6, 3), (8, 3), (6, 4))
BETAS = (Q(1, 4), Q(1), Q(2))
VALUES = training_problems("training", SIZES, BETAS, 12, 60, where=decided)
DEGENERATE = degenerate_problems("degenerate-training", 12, 120)


def convex_point(given, cells, cones, weight):
    """Blocks (s, u, active samples) of a good point of the convex program, u in balls.

    Args:
        given: the training problem.
        cells: "all", or "half": every second pair of cells, both signs.
        cones: False: the cones are dropped.
        weight: factor of beta in the program.
    """
    if not cones:
        return _without_cones(given)
    changed = type(given)(given.X, given.y, given.beta * weight)
    if cells == "all":
        found = solved(changed)
        faces, g = found.approximation.faces, found.approximation.g
        nu = found.approximation.nu
    else:
        data = of_problem(changed)
        arranged = solved(given).cells
        geometry = Geometry(data, arranged)
        half = arranged.count // 2
        allowed = [[i % max(half, 1) % 2 == 0 for i in range(arranged.count)]] * 2
        near = approximate(geometry, solve(data, arranged, np.array(allowed), geometry), BITS)
        faces, g, nu = near.faces, near.g, near.nu
    column = fmpq_mat(len(nu), 1, list(nu))
    return [
        (f.s, [v * h for v in balls(f.direction(column).entries())], [sign > 0 for sign in f.rows])
        for f, h in zip(faces, g)
    ]


def _without_cones(given):
    """The gated relaxation by accelerated proximal gradient in doubles, taken as dyadic numbers."""
    found = solved(given)
    data = found.geometry.data
    D = found.cells.active.astype(float)
    A = (D[:, :, None] * data.X[None]).transpose(1, 0, 2).reshape(len(data.y), -1)
    if not A.any():
        return []
    d = data.X.shape[1]
    step = 1 / np.linalg.norm(A, 2) ** 2
    v = z = np.zeros(A.shape[1])
    t = 1.0
    for _ in range(300):
        w = (z - step * A.T @ (A @ z - data.y)).reshape(-1, d)
        length = np.linalg.norm(w, axis=1, keepdims=True)
        w = (w * np.maximum(1 - step * data.beta / np.maximum(length, 1e-300), 0)).ravel()
        t, last = (1 + np.sqrt(1 + 4 * t * t)) / 2, t
        z, v = w + (last - 1) / t * (w - v), w
    blocks = v.reshape(-1, d)
    return [
        (1, [arb(binary(float(x))) for x in u], [bool(on) for on in mask])
        for u, mask in zip(blocks, found.cells.active)
        if np.abs(u).max() > 0  # branch
    ]


def convex_objective(given, point, weight):
    """The program's objective at blocks, in balls; block and cone signs are those of the blocks."""
    output = [arb(0)] * len(given.y)
    for s, u, active in point:
        image = [s * dot(row, u) if on else arb(0) for row, on in zip(given.X, active)]
        output = [f + z for f, z in zip(output, image)]
    error = [f - t for f, t in zip(output, given.y)]
    return dot(error, error) / 2 + arb(given.beta * weight) * total(norm(u) for _, u, _ in point)


def network_loss(given, point):
    """The training loss in balls of the network w = u / sqrt|u|, a = s sqrt|u|."""
    output, penalty = [arb(0)] * len(given.y), arb(0)
    for s, u, _ in point:
        root = norm(u).sqrt()
        w = [v / root for v in u]
        image = [s * root * dot(row, w).max(arb(0)) for row in given.X]
        output = [f + z for f, z in zip(output, image)]
        penalty += dot(w, w) + root * root
    error = [f - t for f, t in zip(output, given.y)]
    return dot(error, error) / 2 + arb(given.beta) * penalty / 2


def trained(given, width, seed, starts=2):
    """The exact loss of the best of some networks trained from random starts."""
    if not width:
        return network_value(given, [])
    runs = [descend(given, random_start(given, width, seed + k), width) for k in range(starts)]
    return exact_loss(given, min(runs, key=lambda run: run[1])[0], width)


def least_excess(vectors, target, count):
    """The least excess of networks on `count` of the tight directions, with weights of any sign, in balls.

    For tight directions nu.a = beta, so that the objective of weights c is p* + |sum c a - f*|^2 / 2.

    Args:
        vectors: the atoms, independent, in balls.
        target: f*.
        count: at most the number of atoms.
    """
    least = None
    for chosen in combinations(vectors, count):
        excess = dot(target, target) / 2
        if chosen:
            A = arb_mat([list(a) for a in chosen])
            b = A * arb_mat([[v] for v in target])
            excess -= (b.transpose() * (A * A.transpose()).solve(b))[0, 0] / 2
        least = excess if least is None else least.min(excess)
    return least


@PAPER.identity(
    source="convex reformulation (Pilanci and Ergen 2020), used throughout the paper",
    fidelity="paper",
    evidence="certified",
    family=(VALUES, HARD, DEGENERATE),
    undecided=UNDECIDED,
    method="the value between an exactly feasible dual point (all cells listed, each bound by exact multipliers) and a network with dyadic "
    "weights; networks found by training are evaluated exactly on their binary weights; where P* is a point, the excess of fewer tight "
    "directions is a distance to a span, in balls",
    hypotheses="none; an instance whose optimal set is not certified (structure of type zero, I, II or R) counts as undecided",
    not_established="n <= 8, d <= 5; trained networks are local minima, so they show nothing about networks that training does not find; "
    "that width m* is needed is decided where P* is a point",
    rests_on=(
        "balanced rescaling |a| |w| <= (|w|^2 + a^2) / 2, merging of neurons of one cell and sign, and u -> (u / sqrt|u|, sqrt|u|)",
        "networks of value p* use tight directions only (claim optimal-polytope-fixed-directions)",
    ),
)
def convex_reformulation_value(X, y, beta, bias, *, cells="all", cones=True, weight=1, fewer=0):
    r"""$\min_\theta \frac12\|f_\theta - y\|^2 + \frac\beta2\sum_j(\|w_j\|^2 + a_j^2)$ over networks of width $m$ equals $p^*$ iff $m \ge m^*$, and exceeds
    $p^*$ for $m < m^*$; a network that attains $p^*$ is read off the convex program, and no network is below $p^*$.
    """
    given = problem(X, y, beta, bias)
    solution = solved(given)
    value = optimum(given, certificate)
    yield "width of the enclosure", le(dyadic(solution.upper - solution.lower), dyadic(solution.upper / 10**60))
    with precision(BITS):
        point = convex_point(given, cells, cones, weight)
        objective = convex_objective(given, point, weight)
        yield "convex program is not below the value", le(value, objective + arb(CLOSE))
        yield "convex program reaches the value", le(objective - arb(CLOSE), value)
        yield "network read off the program", eq(network_loss(given, point), value, within=CLOSE)
    m = solution.m_star
    for width in (m, m + 2):
        yield "no trained network is below", le(value, dyadic(trained(given, width, m)))
    if m:
        yield "narrower trained networks are above", lt(value, dyadic(trained(given, m - 1, m)))
    atoms = solution.structure.atoms
    if m and len(atoms) == m:
        with precision(BITS):
            _, target, _ = dual_optimum(given)
            vectors = [balls(a.vector) for a in atoms]
            yield "m* directions reach the value", eq(least_excess(vectors, target, m - fewer), 0, within=CLOSE)
            yield "m* - 1 directions miss the value", lt(0, least_excess(vectors, target, m - 1))


convex_reformulation_value.mutant(
    "cone constraints dropped", cones=False, breaks="convex program is not below the value"
)
convex_reformulation_value.mutant("half of the cells", cells="half", breaks="convex program reaches the value")
convex_reformulation_value.mutant(
    "beta / 2 in the program", weight=HALF, breaks="convex program is not below the value", anywhere=True
)
convex_reformulation_value.mutant("width m* - 1 reaches the value", fewer=1, breaks="m* directions reach the value")


SMALL = training_problems("training-small", ((5, 2), (6, 2)), BETAS, 1, 12, where=distinct_rows)


@convex_reformulation_value.crosscheck("conic solver on all cells", family=SMALL)
def _conic(X, y, beta, bias, *, weight=1):
    import cvxpy as cp

    given = problem(X, y, beta, bias)
    solution = solved(given)
    data = solution.geometry.data
    terms, norms, constraints = 0, 0, []
    for D in solution.cells.active:
        for s in (1, -1):
            u = cp.Variable(data.X.shape[1])
            terms = terms + s * cp.multiply(D, data.X @ u)
            norms = norms + cp.norm(u)
            constraints.append(cp.multiply(2 * D - 1, data.X @ u) >= 0)
    program = cp.Problem(
        cp.Minimize(cp.sum_squares(terms - data.y) / 2 + float(weight) * data.beta * norms), constraints
    )
    program.solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    yield "conic value", eq(Approx(float(program.value), 5e-8), Approx(solution.value, 1e-12), within=Q(1, 10**6))
