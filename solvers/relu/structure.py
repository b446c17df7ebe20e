"""Certificate C2: which signed directions are tight at the optimum, and the optimal polytope that they span.

    zero   the optimal network is the zero network.
    I      the tight directions are the active ones, their atoms are independent: P* is a point.
    II     directions come in antipodal pairs of one sign (the linear part of the network is free, X^T nu = 0):
           P* is {0 <= c <= gamma : X sum_j s_j u_j c_j = -X b}, c_j the weight moved to -u_j.
    R      the dual optimum is rational: everything is decided by exact arithmetic, ties included.
    undecided   neither balls nor rationals decide; the reason is given.

Types I and II rest on Krawczyk's proof that the tightness equations have one root near the approximation, on
multipliers for all cells around a tight direction that are positive in balls or exactly non-negative (`known`), and
on strict slack in all others.
Then the root is dual feasible and its fit is primal feasible at equal value, so it is the optimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat

from solvers.certificates.relu import ReluCertificate
from solvers.enclosures import NoEnclosure, precision
from solvers.relu.arrangement import pivot_columns
from solvers.relu.box import TooLarge, box_vertices
from solvers.relu.decide import Undecided, decide_cells, enclose
from solvers.relu.enclosure import Approximation
from solvers.relu.faces import ExactFace, exact_face
from solvers.relu.geometry import Face, Geometry
from solvers.relu.known import Known
from solvers.relu.polytope import Polytope
from solvers.relu.rational import rational_structure
from solvers.relu.refine import Equations, refine
from solvers.relu.simple import common_width
from solvers.relu.surds import Unresolved
from solvers.relu.tight import Atom, Structure, Tight, nearly_tight, tight_faces

Array = np.ndarray[Any, Any]


def structure(geo: Geometry, approximation: Approximation, certificate: ReluCertificate) -> Structure:
    """The tight directions and the optimal polytope, certified, or a statement of what stays undecided.

    Args:
        geo, approximation, certificate: of one problem (see `training.Solution`).
    """
    if not approximation.faces:
        return _zero(geo, certificate)
    near = nearly_tight(geo, certificate)
    if isinstance(near, str):
        return Structure("undecided", (), None, (), near)
    reasons = []
    faces = tight_faces(geo, approximation, near)
    pairs = _antipodal(faces) if len(faces) > len(approximation.faces) else None
    with precision(approximation.bits):
        if pairs is not None:
            try:
                return _second_type(geo, approximation, near, faces, pairs)
            except (Undecided, NoEnclosure, Unresolved) as error:
                reasons.append(str(error))
        try:
            return _first_type(geo, approximation, near)
        except (Undecided, NoEnclosure, Unresolved) as error:
            reasons.append(str(error))
    exact = rational_structure(geo, approximation.nu)
    if exact is not None:
        return exact
    return Structure("undecided", (), None, (), f"{reasons[0]}; the dual optimum is not a rational of small height")


def _zero(geo: Geometry, certificate: ReluCertificate) -> Structure:
    """f* = 0: the certificate has proven it if nu = y was feasible as it is."""
    if tuple(certificate.nu) == tuple(geo.data.problem.y):
        return Structure("zero", (), Polytope(0, 0, ((),), ((),)), tuple(certificate.nu), "")
    return Structure("undecided", (), None, (), "y is feasible for the dual to rounding only")


def _known(geo: Geometry, faces: Sequence[ExactFace], nu: arb_mat, linear_part: bool = False) -> Known:
    problem = geo.data.problem
    return Known(problem.y, problem.beta, faces, nu, list(zip(*problem.X)) if linear_part else ())


def _antipodal(faces: Sequence[Face]) -> list[tuple[int, int]] | None:
    """Indices of antipodal pairs if every face has its antipode of the same sign, else None."""
    index = {f: j for j, f in enumerate(faces)}
    pairs = []
    for j, f in enumerate(faces):
        other = index.get(Face(f.s, tuple(-v for v in f.pattern)))
        if other is None:
            return None
        if j < other:
            pairs.append((j, other))
    return pairs or None


def _first_type(geo: Geometry, approximation: Approximation, near: Tight) -> Structure:
    system = Equations(geo.data, approximation.faces)
    g = enclose(system, approximation.g, approximation.bits)
    _, nu, _, _ = system.values(g)
    directions = [arb_mat(f.B) * (arb_mat(f.N) * (arb_mat(f.F).transpose() * nu)) * f.s for f in approximation.faces]
    known = _known(geo, approximation.faces, nu)
    idle = decide_cells(geo, near, approximation.faces, directions, nu, known)
    beta = arb(geo.data.problem.beta)
    if not all(v > 0 for v in g):
        raise Undecided("a weight is zero to rounding")
    weights = tuple(beta * v for v in g)
    atoms = tuple(_atom(geo, f, p) for f, p in zip(approximation.faces, directions))
    k = len(atoms)
    # an idle direction carries no weight: see `decide_cells`
    zeros = tuple(arb(0) for _ in idle)
    rank = k + _rank([a.vector for a in idle])
    P = Polytope(k + len(idle), rank, ((*weights, *zeros),), (tuple(range(k)),))
    return Structure("I", (*atoms, *idle), P, tuple(nu.entries()), "")


def _rank(rows: Sequence[Sequence[fmpq]]) -> int:
    return int(fmpq_mat([list(row) for row in rows]).rank()) if rows else 0


def _second_type(
    geo: Geometry, approximation: Approximation, near: Tight, faces: Sequence[Face], pairs: list[tuple[int, int]]
) -> Structure:
    data, cells = geo.data, geo.cells
    n = len(data.y)
    X = fmpq_mat([list(row) for row in data.problem.X])
    R, r = X.rref()
    columns = pivot_columns(data.problem.X)
    # representatives, with the weight of both directions; the antipode's share becomes the linear part
    given = dict(zip(_faces(approximation.faces), approximation.g))
    reps, start, linear = [], [], np.zeros(n)
    for a, b in pairs:
        face = exact_face(data, cells, faces[a])
        reps.append(face)
        moved = float(given.get(faces[b], arb(0)).mid())
        start.append(float(given.get(faces[a], arb(0)).mid()) + moved)
        p = face.direction(fmpq_mat(n, 1, list(approximation.nu)))
        u = np.array([int(v.p) / int(v.q) for v in p.entries()])
        linear -= face.s * moved * (data.X @ u)  # beta g u = g p
    b0 = np.linalg.lstsq(data.X[:, columns], linear, rcond=None)[0]
    raised = refine(data, reps, start, approximation.bits, b0.tolist(), columns)
    if raised is None:
        raise Undecided("Newton's method with the free linear part did not converge")
    system = Equations(data, reps, columns)
    z = enclose(system, raised[0], approximation.bits)
    _, nu, _, _ = system.values(z)
    k = len(reps)
    g, shift = z[:k], z[k:]
    if not all(v > 0 for v in g):
        raise Undecided("the weight of a pair is zero to rounding")
    directions = [arb_mat(f.B) * (arb_mat(f.N) * (arb_mat(f.F).transpose() * nu)) * f.s for f in reps]
    opposite = [exact_face(data, cells, Face(f.s, tuple(-v for v in f.pattern))) for f in reps]
    both = [*reps, *opposite]
    idle = decide_cells(
        geo, near, both, [*directions, *(p * -1 for p in directions)], nu, _known(geo, both, nu, linear_part=True)
    )
    beta = arb(data.problem.beta)
    gamma = [beta * v for v in g]
    E = arb_mat(fmpq_mat([[R[i, j] for j in range(len(data.problem.X[0]))] for i in range(r)]))
    shifts = [(E * p * (arb(f.s) / beta)).entries() for f, p in zip(reps, directions)]  # X_c-coordinates of s X u
    spans = [fmpq_mat([[R[i, j] for j in range(cells.d)] for i in range(r)]) * f.B for f in reps]
    atoms = tuple(_atom(geo, f, p) for f, p in zip(both, [*directions, *(p * -1 for p in directions)]))
    box = (shifts, [-v for v in shift], gamma, spans)
    try:
        vertices = box_vertices(*box)
    except TooLarge as error:
        reason = f"the vertices of the optimal polytope are not listed: {error}"
        return Structure("II", (*atoms, *idle), None, tuple(nu.entries()), reason, common_width(*box))
    weights = [tuple([t - c for t, c in zip(gamma, point)] + list(point)) for point, _ in vertices]
    supports = []
    for _, state in vertices:
        first = [j for j in range(k) if state[j] != "high"]
        supports.append(tuple(first + [k + j for j in range(k) if state[j] != "low"]))
    exact_weights = tuple(
        tuple(w if j in S else arb(0) for j, w in enumerate(line)) for line, S in zip(weights, supports)
    )
    zeros = tuple(arb(0) for _ in idle)
    padded = tuple((*line, *zeros) for line in exact_weights)
    P = Polytope(2 * k + len(idle), k + r + _rank([a.vector for a in idle]), padded, tuple(supports))
    return Structure("II", (*atoms, *idle), P, tuple(nu.entries()), "")


def _faces(faces: Sequence[ExactFace]) -> list[Face]:
    return [Face(f.s, f.pattern) for f in faces]


def _atom(geo: Geometry, face: ExactFace, p: arb_mat) -> Atom:
    beta = arb(geo.data.problem.beta)
    u = tuple(v / beta for v in p.entries())
    features = arb_mat(fmpq_mat([list(row) for row in geo.data.problem.X])) * p
    vector = tuple(v / beta * face.s if sign > 0 else arb(0) for v, sign in zip(features.entries(), face.rows))
    return Atom(face.s, face.pattern, u, vector)
