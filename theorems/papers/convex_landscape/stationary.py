"""Stationary points are optima of the convex program restricted to their own blocks."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat

from solvers.certificates import ReluProblem
from solvers.certificates.relu import Neuron, network_value
from solvers.enclosures import precision
from solvers.enclosures.exact import dyadic as binary
from solvers.relu.decide import Undecided, enclose, exact_rows
from solvers.relu.faces import exact_face
from solvers.relu.geometry import Face
from solvers.relu.refine import Equations, refine
from theorems import Arrays, Choices, Given, Integers, Q, eq, le, lt, optimum, shared, symbols
from theorems.papers.convex_landscape import PAPER
from theorems.papers.convex_landscape.instances import BITS, balls, certificate, dot, problem, solved, total

CLOSE = Q(1, 10**50)
MATCH = Q(1, 10**6)
ON_KINK = (2e-4, 1e-6, 3e-3, 2e-2)  # tried in turn
HALF = Q(1, 2)


@dataclass(frozen=True)
class Stationary:
    """A proven root of the tightness equations near a trained network.

    Attributes:
        faces: its faces, with sign.
        g: their g_j in balls.
        nu: the residual y - f in balls.
        directions: p_j, of length beta, in balls.
        trained: the exact loss of the trained network.
    """

    faces: tuple[Any, ...]
    g: tuple[Any, ...]
    nu: tuple[Any, ...]
    directions: tuple[Any, ...]
    trained: fmpq


@shared
def stationary_point(given, width, seed):
    """The stationary point that L-BFGS from a pseudo-random start leads to; None where no exact one is proven nearby."""
    from scipy.optimize import minimize

    geo = solved(given).geometry
    data, _cells = geo.data, geo.cells
    _n, d = data.X.shape
    rng = np.random.default_rng(seed)

    def loss(theta):
        W, a = theta[: width * d].reshape(width, d), theta[width * d :]
        Z = data.X @ W.T
        H = np.maximum(Z, 0)
        r = H @ a - data.y
        dW = ((Z > 0) * r[:, None] * a).T @ data.X + data.beta * W
        return r @ r / 2 + data.beta / 2 * theta @ theta, np.concatenate([dW.ravel(), H.T @ r + data.beta * a])

    theta = rng.normal(size=width * (d + 1))
    for _ in range(3):  # restarts shake the line search off kinks
        theta = minimize(
            loss,
            theta,
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 4000, "maxfun": 8000, "ftol": 1e-16, "gtol": 1e-10},
        ).x
    weights = [binary(float(v)) for v in theta]
    trained = network_value(
        given, [Neuron(tuple(weights[j * d : (j + 1) * d]), weights[width * d + j]) for j in range(width)]
    )
    W, a = theta[: width * d].reshape(width, d), theta[width * d :]
    for tolerance in ON_KINK:
        faces: dict[Face, float] = {}
        for w, scale in zip(W, a):
            size = float(np.linalg.norm(w))
            if size > 1e-3:  # branch
                heights = geo.H @ w / size
                pattern = np.where(np.abs(heights) < tolerance, 0, np.sign(heights)).astype(int)
                face = Face(1 if scale > 0 else -1, tuple(pattern.tolist()))
                faces[face] = faces.get(face, 0.0) + abs(scale) * size / data.beta
        point = _proven(given, faces, trained)
        if point is not None:
            return point
    return None


def _proven(given, faces, trained):
    """The exact stationary point on given faces, with float weights g; None if none is proven close to the trained loss."""
    geo = solved(given).geometry
    data, cells = geo.data, geo.cells
    exact = [exact_face(data, cells, f) for f in faces]
    if not exact or any(f.B.ncols() == 0 for f in exact):
        return None
    raised = refine(data, exact, list(faces.values()), BITS)
    if raised is None:
        return None
    with precision(BITS):
        system = Equations(data, exact)
        try:
            g = enclose(system, raised[0], BITS)
        except Undecided:
            return None
        _, nu, _, _ = system.values(g)
        directions = [arb_mat(f.B) * (arb_mat(f.N) * (arb_mat(f.F).transpose() * nu)) * f.s for f in exact]
        H = arb_mat(fmpq_mat([[fmpq(v) for v in h] for h in cells.normals]))
        inside = all(
            sign == 0 or value * sign > 0
            for f, p in zip(exact, directions)
            for value, sign in zip((H * p).entries(), f.pattern)
        )
        value = dot(nu.entries(), nu.entries()) / 2 + arb(given.beta) ** 2 * total(g)
        if not inside or not all(v > 0 for v in g) or not abs(value - arb(trained)) < arb(MATCH):
            return None
        return Stationary(tuple(exact), tuple(g), tuple(nu.entries()), tuple(directions), trained)


def is_stationary(size, beta, X, y, width, seed):
    """Whether training led to a proven stationary point of the smooth pieces."""
    return stationary_point(problem(X, y, beta, False), width, seed) is not None


def multipliers(given, point, face):
    """lam with p = s X^T D nu + G^T lam on every cell around a direction, in balls: independent kinks only."""
    cells, nu = solved(given).cells, arb_mat([[v] for v in point.nu])
    geo = solved(given).geometry
    pattern = np.array(face.pattern)
    zero = [k for k, v in enumerate(face.pattern) if v == 0]
    found: list[Any] = []
    for i, signs in enumerate(geo.signs):
        if not ((pattern == 0) | (pattern == signs)).all():
            continue
        signed = exact_rows(given.X, geo.active[i] > 0, face.s)
        codimension = len(given.X[0]) - face.B.ncols()
        if not zero or codimension == 0:
            continue
        best = None
        for chosen in combinations(zero, codimension):
            G = fmpq_mat([[fmpq(int(signs[k]) * v) for v in cells.normals[k]] for k in chosen])
            gram = G * G.transpose()
            if gram.rank() < codimension:
                continue
            lam = (arb_mat(gram.solve(G * signed) * fmpq(-1)) * nu).entries()
            if best is None or min(v.lower() for v in lam) > min(v.lower() for v in best):
                best = lam
        found += best or []
    return found


TRAINED = PAPER.family(
    "trained-networks",
    size=Choices((5, 2), (6, 3), (8, 3)),
    beta=Choices(Q(1, 4), Q(1)),
    X=Given(lambda size: Arrays(Integers(-97, 97), size)),
    y=Given(lambda size: Arrays(Integers(-97, 97), (size[0],))),
    width=Choices(1, 2, 3, 5),
    seed=Integers(0, 10**6),
    where=is_stationary,
    accept=0.1,
    quick=10,
    full=250,
)


@PAPER.identity(
    source="the abstract (all stationary points); sub-sampled programs are the companion papers'",
    fidelity="derived",
    evidence="certified",
    family=TRAINED,
    part="own blocks",
    method="training in doubles only proposes faces; interval Newton proves the exact point; its multipliers on all its blocks in balls; "
    "exact rationals for the examples",
    hypotheses="the trained network lies within 1e-6 in loss of a proven root of the tightness equations of its faces",
    not_established="a finite sample of stationary points proves (a) on those points only",
    rests_on=(
        "a network of blocks with dual feasible residual has the value of the restricted program (weak duality)",
    ),
)
def stationary_subsampled_convex(size, beta, X, y, width, seed, *, globally=False):
    r"""(a) If $\theta$ is directionally stationary, it is an optimum of the convex program restricted to the signed blocks $(i, s)$ whose closed
    cone contains one of its non-zero neurons of that sign. (b) If it is Clarke stationary, the same holds with generalised patterns, entry $t_k \in
    [0, 1]$ at samples on a kink, and no cone there. (c) The converse of (a) fails. (d) A local minimum with an empty slot is global: for stationary
    $\theta$ and unit $u$ with $M = s\nu^\top(Xu)_+ > \beta$, adding $(eu, se)$ changes the loss by exactly $-(M-\beta)e^2 + \|(Xu)_+\|^2 e^4/2$.
    """
    given = problem(X, y, beta, False)
    point = stationary_point(given, width, seed)
    with precision(BITS):
        nu = list(point.nu)
        value = dot(nu, nu) / 2 + arb(beta) ** 2 * total(point.g)
        dual = dot(nu, balls(given.y)) - dot(nu, nu) / 2
        yield "value of its own program", eq(value, dual, within=CLOSE)
        for face, p in zip(point.faces, point.directions):
            yield "length of the directions", eq(dot(p.entries(), p.entries()), arb(beta) ** 2, within=CLOSE)
            for lam in multipliers(given, point, face):
                yield "multipliers on its own blocks", le(0, lam, within=CLOSE)
        yield "loss of the trained network", le(abs(value - arb(point.trained)), MATCH)
        yield "not below the optimum", le(optimum(given, certificate), value + arb(CLOSE))
        if globally:
            yield "global", le(value, optimum(given, certificate))


stationary_subsampled_convex.mutant("stationary implies global", globally=True, breaks="global")


KINK = PAPER.family("kink-examples", example=Choices("Clarke", "converse", "empty slot"), exhaustive=True)


@stationary_subsampled_convex.check("examples", family=KINK)
def _examples(example, *, t=HALF, converse=False, zero_neurons=False, empty_slot=True):
    rows = ((Q(1), Q(-1)), (Q(0), Q(1)))
    if example == "Clarke":
        # y = (2, 2), beta = 1, w = (1, 0), a = 1: nu = (1, 2), sample 2 on the kink
        p = (Q(1), -1 + 2 * t)
        yield "generalised pattern", le(p[0] ** 2 + p[1] ** 2, 1)
        yield "generalised pattern gives the direction", eq(p[0], 1)
    if example == "converse":
        # y = (2, 1/2): w = (1, 0), a = 1 is the optimum of the block of pattern (1, 1), where c = (1, -1/2) projects to (1, 0)
        given = ReluProblem(rows, (Q(2), HALF), Q(1))
        value = network_value(given, [Neuron((Q(1), Q(0)), Q(1))])
        yield "loss of the block's optimum", eq(value, Q(13, 8))
        needed = (0 - Q(-1)) / HALF  # beta u = (1, -1) + t nu_2 (0, 1) with nu_2 = 1/2
        yield "the pattern that it needs", lt(1, needed)
        yield "not the optimum", lt(optimum(given, certificate), value)
        if converse:
            yield "stationary all the same", le(needed, 1)
    if example == "empty slot":
        # toy, y = (1, 1), beta = 1/10: one neuron on the atom (2, 0) with weight 19/40; nu = (1/20, 1)
        nu, beta = (Q(1, 20), Q(1)), Q(1, 10)
        here = (nu[0] ** 2 + nu[1] ** 2) / 2 + beta * Q(19, 40)
        best = Q(975, 10000)
        yield "loss", eq(here, Q(54875, 100000))
        M, square = 2 * nu[1], Q(4)  # the atom (0, 2)
        yield "drop", eq((M - beta) ** 2 / (2 * square), here - best)
        if zero_neurons:
            yield "an empty slot opens all blocks", eq(here, best)
        if not empty_slot:
            yield "no empty slot is needed", le(here, best)


stationary_subsampled_convex.mutant("binary pattern at a Clarke point", t=Q(1), breaks="generalised pattern")
stationary_subsampled_convex.mutant("the other binary pattern", t=Q(0), breaks="generalised pattern")
stationary_subsampled_convex.mutant("converse of (a)", converse=True, breaks="stationary all the same")
stationary_subsampled_convex.mutant(
    "zero neurons counted in (a)", zero_neurons=True, breaks="an empty slot opens all blocks"
)
stationary_subsampled_convex.mutant("(d) without the empty slot", empty_slot=False, breaks="no empty slot is needed")


@stationary_subsampled_convex.proof(
    "adding a neuron to an empty slot", covers="three samples, all data; more samples add equal terms"
)
def _added_neuron(*, fourth=HALF):
    y, f, h = symbols("y1 y2 y3"), symbols("f1 f2 f3"), symbols("h1 h2 h3")
    e, beta = symbols("e beta", nonnegative=True)
    before = sum((a - b) ** 2 for a, b in zip(f, y)) * HALF
    after = sum((a + e**2 * c - b) ** 2 for a, b, c in zip(f, y, h)) * HALF + beta * (e**2 + e**2) * HALF
    M = sum((b - a) * c for a, b, c in zip(f, y, h))
    yield eq(after - before, -(M - beta) * e**2 + sum(c**2 for c in h) * e**4 * fourth)


stationary_subsampled_convex.mutant("quartic term without 1/2", fourth=Q(1), breaks="adding a neuron to an empty slot")
