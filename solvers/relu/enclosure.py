"""Certificate C1: an enclosure of the optimal value from the complete list of cells.

Upper end: the objective of a network with dyadic weights. Lower end: the dual objective at a dyadic nu, scaled
into the feasible set by the proven bounds on |Pi_K(+-c_i)|. A poor approximation only widens the enclosure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
from flint import arb, fmpq, fmpz

from solvers.certificates.relu import Multiplier, Neuron, ReluCertificate
from solvers.enclosures import precision
from solvers.relu.exact import Data, Vector, dyadic_ball
from solvers.relu.faces import ExactFace, exact_face
from solvers.relu.geometry import Active, Geometry
from solvers.relu.newton import newton
from solvers.relu.projection import exact_multipliers
from solvers.relu.refine import atoms_of, prune_dependent, refine
from solvers.relu.working_set import FloatSolution

Array = np.ndarray[Any, Any]
CLOSE = 1e-7
"""Relative distance to beta below which a bound is computed with exact multipliers."""


@dataclass(frozen=True)
class Approximation:
    """What a certificate is made of: dual point and weighted directions to many digits.

    Attributes:
        nu: dyadic, length n.
        faces: active faces with independent atoms.
        g: their g_j (c_j = beta g_j), dyadic balls.
        bits: working precision.
    """

    nu: Vector
    faces: tuple[ExactFace, ...]
    g: tuple[arb, ...]
    bits: int


def approximate(geo: Geometry, found: FloatSolution, bits: int) -> Approximation:
    """Raise a solution in doubles to the given precision (or keep the doubles where that fails)."""
    data, cells = geo.data, geo.cells
    active = _independent(geo, found.active)
    if active:
        faces = [exact_face(data, cells, a.face) for a in active]
        start = [a.weight / data.beta for a in active]
        raised = refine(data, faces, start, bits)
        if raised is not None and all(v > 0 for v in raised[0]):
            z, nu, _ = raised
            digits = bits + _magnitude(data)
            return Approximation(tuple(dyadic_ball(v, digits) for v in nu.entries()), tuple(faces), tuple(z), bits)
    if not active:
        return Approximation(data.problem.y, (), (), bits)
    faces = [exact_face(data, cells, a.face) for a in active]
    plain = tuple(fmpq(*map(int, float(v).as_integer_ratio())) for v in found.nu)
    return Approximation(plain, tuple(faces), tuple(arb(a.weight / data.beta) for a in active), bits)


def _magnitude(data: Data) -> int:
    """Bits below the binary point that make up for small targets."""
    top = float(np.abs(data.y).max(initial=0.0))
    return max(0, -int(np.floor(np.log2(top)))) if top > 0 else 0


def _independent(geo: Geometry, active: Sequence[Active]) -> list[Active]:
    """Active faces with independent atoms, weights refitted on them."""
    chosen = list(active)
    for _ in range(len(chosen) + 1):
        keep = prune_dependent(atoms_of(chosen, geo), chosen)
        if len(keep) == len(chosen):
            return chosen
        chosen = [chosen[j] for j in keep]
        again = newton(geo, [a.face for a in chosen], np.array([a.weight / geo.data.beta for a in chosen]))
        if again is not None and again[2]:
            chosen = list(again[1])
    return chosen


def network(data: Data, approximation: Approximation) -> tuple[Neuron, ...]:
    """The network of an approximation: w = sqrt(c) u, a = s sqrt(c), rounded to dyadics."""
    if not approximation.faces:
        return ()
    neurons = []
    digits = approximation.bits + 16
    with precision(approximation.bits + 64):
        beta = arb(data.problem.beta)
        nu = _column(approximation.nu)
        for face, g in zip(approximation.faces, approximation.g):
            p = face.direction(nu)
            length = sum((arb(v) * arb(v) for v in p.entries()), arb(0)).sqrt()
            root = (beta * g).sqrt()
            w = tuple(dyadic_ball(root * arb(v) / length, digits) for v in p.entries())
            neurons.append(Neuron(w, dyadic_ball(root * face.s, digits)))
    return tuple(neurons)


def _column(nu: Sequence[fmpq]) -> Any:
    from flint import fmpq_mat

    return fmpq_mat(len(nu), 1, list(nu))


def certificate(geo: Geometry, found: FloatSolution, approximation: Approximation) -> ReluCertificate:
    """The certificate C1 of an approximation; its dual point is scaled until all proven bounds are at most beta."""
    data, cells = geo.data, geo.cells
    problem = data.problem
    nu = approximation.nu
    witnesses = tuple(tuple(fmpq(v) for v in w) for w in cells.witnesses)
    primal = network(data, approximation)
    if not cells.normals:
        return ReluCertificate(witnesses, tuple(problem.y), (), ())
    rough = np.array([float(int(v.p) / int(v.q)) for v in nu])
    bounds, largest = dual_bounds(geo, rough, nu, problem.beta)
    scale = fmpq(1)
    beta2 = problem.beta * problem.beta
    if largest > beta2:
        ratio = beta2 / largest
        shift = 2 * approximation.bits + 64
        scale = fmpq(isqrt(int((ratio * (fmpz(1) << (2 * shift))).floor())), fmpz(1) << shift)
    multipliers = tuple(Multiplier(m.cell, m.side, m.sign, m.rows, tuple(v * scale for v in m.values)) for m in bounds)
    return ReluCertificate(witnesses, tuple(v * scale for v in nu), multipliers, primal)


def dual_bounds(geo: Geometry, rough: Array, nu: Sequence[fmpq], beta: fmpq) -> tuple[list[Multiplier], fmpq]:
    """Multipliers for all signed cones with |c| near or above beta, and the largest proven squared bound."""
    from solvers.relu.projection import project

    data, cells = geo.data, geo.cells
    half = len(cells.witnesses)
    b = data.beta
    C = geo.active @ (rough[:, None] * data.X)
    size = np.linalg.norm(C, axis=1)
    first_row = {h: k for k, h in reversed(list(enumerate(cells.which))) if h >= 0}
    lengths = geo.data.X[[first_row[h] for h in range(len(cells.normals))]]
    lengths = np.linalg.norm(lengths, axis=1)
    made: list[Multiplier] = []
    largest = fmpq(0)
    weighted = [[t * v for v in row] for t, row in zip(nu, data.problem.X)]
    chosen = np.flatnonzero(size > b * (1 - CLOSE))
    for s in (1, -1):
        done = project(s * C[chosen], geo.facets[chosen], geo.facet_signs[chosen], geo.H, enough=b * (1 - 1e-3))
        length = np.linalg.norm(done.u, axis=1)
        scaled = np.where(done.rows >= 0, done.values / lengths[done.rows], 0.0)
        mantissa = np.rint(scaled * 2.0**44)
        for place, i in enumerate(chosen):
            rows = [first_row[h] for h in done.rows[place] if h >= 0]
            side, cell = divmod(int(i), half)
            if length[place] > b * (1 - CLOSE):
                signs = cells.row_signs[cell] * (1 - 2 * side)
                lam, square = _exact_bound(data, weighted, geo.active[i], rows, signs, s)
                largest = max(largest, square)
            else:
                values = mantissa[place][done.rows[place] >= 0]
                lam = {k: fmpq(int(v), 1 << 44) for k, v in zip(rows, values) if v > 0}
            made.append(Multiplier(cell, side, s, tuple(lam), tuple(lam.values())))
    return made, largest


def _exact_bound(
    data: Data, weighted: Sequence[Sequence[fmpq]], active: Array, rows: Sequence[int], signs: Array, s: int
) -> tuple[dict[int, fmpq], fmpq]:
    """Exact multipliers on the given rows (dropping what is negative), and |s c + G^T lam|^2."""
    X = data.problem.X
    c = [sum((weighted[k][j] for k in np.flatnonzero(active).tolist()), fmpq(0)) * s for j in range(len(X[0]))]
    rows = list(rows)
    lam: dict[int, fmpq] = {}
    while rows:
        solved = exact_multipliers(c, [[int(signs[k]) * v for v in X[k]] for k in rows])
        if solved is None:
            rows.pop()
            continue
        lam = {k: _rounded(v) for k, v in zip(rows, solved) if v > 0}
        if len(lam) == len(rows):
            break
        rows = list(lam)
    if not rows:
        lam = {}
    moved = [v + sum((t * int(signs[k]) * X[k][j] for k, t in lam.items()), fmpq(0)) for j, v in enumerate(c)]
    return lam, sum((v * v for v in moved), fmpq(0))


def _rounded(v: fmpq) -> fmpq:
    """A dyadic close to a positive rational, to 320 significant bits."""
    bits = 320 + max(0, int(v.q).bit_length() - int(v.p).bit_length())
    return fmpq((v * (fmpz(1) << bits)).floor(), fmpz(1) << bits)
