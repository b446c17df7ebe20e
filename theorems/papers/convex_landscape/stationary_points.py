"""Stationary points: proven near trained networks, with their own blocks and multipliers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat

from solvers.enclosures import precision
from solvers.relu.decide import Undecided, enclose, exact_rows
from solvers.relu.faces import exact_face
from solvers.relu.geometry import Face
from solvers.relu.projection import project
from solvers.relu.refine import Equations, refine
from theorems import Q, shared
from theorems.papers.convex_landscape.descent import exact_loss, parts, settle
from theorems.papers.convex_landscape.instances import BITS, dot, problem, solved, total
from theorems.papers.convex_landscape.polytope import dot_q

MATCH = Q(1, 10**6)
ON_KINK = (1e-6, 2e-4, 3e-3)  # relative heights below which a neuron is on a hyperplane, tried in turn
NUDGE = 1e-6


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
    """The stationary point that training from a pseudo-random start leads to; None where no exact one is proven nearby."""
    geo = solved(given).geometry
    data = geo.data
    theta = settle(given, width, seed)
    trained = exact_loss(given, theta, width)
    W, a = parts(theta, width)
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
    if not faces:  # the zero network
        value = sum((fmpq(v) * v for v in given.y), fmpq(0)) / 2
        return Stationary((), (), tuple(map(arb, given.y)), (), trained) if abs(value - trained) < MATCH else None
    exact = [exact_face(data, cells, f) for f in faces]
    if any(f.B.ncols() == 0 for f in exact):
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


def is_stationary(beta, X, y, width, seed):
    """True if training led to a proven root of the tightness equations; None, which counts as undecided, if not."""
    return stationary_point(problem(X, y, beta, False), width, seed) is not None or None


def blocks(given, point):
    """The signed cells (s, i) whose closed cone contains a non-zero neuron of that sign."""
    found = []
    for i, signs in enumerate(solved(given).geometry.signs):
        for face in point.faces:
            pattern = np.array(face.pattern)
            if ((pattern == 0) | (pattern == signs)).all():
                found.append((face.s, i))
    return sorted(set(found))


def all_blocks(given, point):
    """All signed cells; none where all samples are zero."""
    cells = solved(given).cells
    return [(s, i) for s in (1, -1) for i in range(cells.count if cells.normals else 0)]


def steepest(given, point, s, i):
    """A rational u in the cell i for which s nu.(Xu)_+ / |u| is close to its largest value there."""
    geo = solved(given).geometry
    nu = np.array([float(v) for v in point.nu])
    c = s * (geo.active[i] * nu) @ geo.data.X
    rough = project(c[None], geo.facets[[i]], geo.facet_signs[[i]], geo.H).u[0]
    cells = solved(given).cells
    half = len(cells.witnesses)
    witness = [fmpq(v if i < half else -v) for v in cells.witnesses[i % half]]  # antipodal cells follow
    inner = geo.points[i] / np.linalg.norm(geo.points[i])
    moved = [fmpq(int(v * 10**12), 10**12) for v in rough + NUDGE * max(1.0, float(np.linalg.norm(rough))) * inner]
    inside = all(dot_q(h, moved) * int(t) > 0 for h, t in zip(cells.normals, geo.signs[i]))
    return moved if inside else witness


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
