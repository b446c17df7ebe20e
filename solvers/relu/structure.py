"""Certificate C2: which signed directions are tight at the optimum, and the optimal polytope that they span.

    zero   the optimal network is the zero network.
    I      the tight directions are the active ones, their atoms are independent: P* is a point.
    II     directions come in antipodal pairs of one sign (the linear part of the network is free, X^T nu = 0):
           P* is {0 <= c <= gamma : X sum_j s_j u_j c_j = -X b}, c_j the weight moved to -u_j.
    R      the dual optimum is rational: everything is decided by exact arithmetic, ties included.
    undecided   neither balls nor rationals decide; the reason is given.

Types I and II rest on Krawczyk's proof that the tightness equations have one root near the approximation, on
strictly positive multipliers in balls for all cells around a tight direction, and on strict slack in all others.
Then the root is dual feasible and its fit is primal feasible at equal value, so it is the optimum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat

from solvers.certificates.relu import ReluCertificate
from solvers.enclosures import NoEnclosure, krawczyk, precision
from solvers.relu.arrangement import pivot_columns
from solvers.relu.enclosure import Approximation
from solvers.relu.exact import dyadic_ball
from solvers.relu.faces import ExactFace, exact_face
from solvers.relu.polytope import Polytope
from solvers.relu.projection import exact_multipliers
from solvers.relu.rational import exact_atom, exact_projection, rational_structure
from solvers.relu.refine import Equations, refine
from solvers.relu.tight import Atom, Structure, Tight, nearly_tight, tight_faces
from solvers.relu.working_set import Face, Geometry

Array = np.ndarray[Any, Any]


CANDIDATES = 6_000_000
VERTICES = 5_000
"""Choices of a basis and of bounds that are tried for the vertices of P* of type II."""


class Undecided(Exception):
    """Balls do not decide a sign that the structure needs."""


class Exactly:
    """Values of linear forms of nu* = y - f* that vanish on every fit of the active faces: then l.nu* = l.y."""

    def __init__(self, geo: Geometry, faces: Sequence[ExactFace], linear: bool = False) -> None:
        columns = [column for f in faces for column in f.F.transpose().tolist()]
        if linear:
            columns += [list(column) for column in zip(*geo.data.problem.X)]
        self.y = geo.data.problem.y
        self.features = fmpq_mat(columns).transpose()
        self.zero = [fmpq(0)] * len(columns)

    def __call__(self, form: Sequence[fmpq]) -> fmpq | None:
        """l.nu* if it is known exactly."""
        if (fmpq_mat([list(form)]) * self.features).entries() != self.zero:
            return None
        return sum((a * b for a, b in zip(form, self.y)), fmpq(0))


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
    reason = ""
    faces = tight_faces(geo, approximation, near)
    try:
        with precision(approximation.bits):
            pairs = _antipodal(faces)
            if pairs is None or len(faces) == len(approximation.faces):
                return _first_type(geo, approximation, near)
            return _second_type(geo, approximation, near, faces, pairs)
    except (Undecided, NoEnclosure) as error:
        reason = str(error)
    exact = rational_structure(geo, approximation.nu)
    if exact is not None:
        return exact
    return Structure("undecided", (), None, (), f"{reason}; the dual optimum is not a rational of small height")


def _zero(geo: Geometry, certificate: ReluCertificate) -> Structure:
    """f* = 0: the certificate has proven it if nu = y was feasible as it is."""
    if tuple(certificate.nu) == tuple(geo.data.problem.y):
        return Structure("zero", (), Polytope(0, 0, ((),), ((),)), tuple(certificate.nu), "")
    return Structure("undecided", (), None, (), "y is feasible for the dual to rounding only")


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
    idle = decide_cells(geo, near, approximation.faces, directions, nu, Exactly(geo, approximation.faces))
    beta = arb(geo.data.problem.beta)
    if not all(v > 0 for v in g):
        raise Undecided("a weight is zero to rounding")
    weights = tuple(beta * v for v in g)
    atoms = tuple(_atom(geo, f, p) for f, p in zip(approximation.faces, directions))
    k = len(atoms)
    # an idle direction carries no weight: see `decide_cells`
    atoms += tuple(idle)
    zeros = tuple(arb(0) for _ in idle)
    rank = k + _rank([a.vector for a in idle])
    P = Polytope(len(atoms), rank, ((*weights, *zeros),), (tuple(range(k)),))
    return Structure("I", atoms, P, tuple(nu.entries()), "")


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
    idle = decide_cells(geo, near, both, [*directions, *(p * -1 for p in directions)], nu, Exactly(geo, both, True))
    beta = arb(data.problem.beta)
    gamma = [beta * v for v in g]
    E = arb_mat(fmpq_mat([[R[i, j] for j in range(len(data.problem.X[0]))] for i in range(r)]))
    shifts = [(E * p * (arb(f.s) / beta)).entries() for f, p in zip(reps, directions)]  # X_c-coordinates of s X u
    spans = [fmpq_mat([[R[i, j] for j in range(cells.d)] for i in range(r)]) * f.B for f in reps]
    vertices = box_vertices(shifts, [-v for v in shift], gamma, spans)
    atoms = tuple(_atom(geo, f, p) for f, p in zip(both, [*directions, *(p * -1 for p in directions)]))
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


def _possible(base: Sequence[arb], moves: Sequence[Sequence[arb]], tops: Sequence[arb]) -> Iterator[list[bool]]:
    """Choices of moves for which 0 <= base - sum of the chosen <= tops is not refuted by doubles with an error bound."""
    q, r = len(moves), len(base)
    start = np.array([float(v.mid()) for v in base])
    steps = np.array([[float(v.mid()) for v in move] for move in moves]).reshape(q, r)
    limit = np.array([float(v.mid()) for v in tops])
    radii = sum((float(v.rad()) for line in (base, *moves, tops) for v in line), 0.0)
    # every number is rounded once (2^-53), every sum of at most q + 1 terms q times more
    error = (q + 4) * 2.0**-52 * (np.abs(start) + np.abs(steps).sum(axis=0) + limit) + 2 * radii + 1e-290
    bits = np.arange(q)
    for first in range(0, 1 << q, 1 << 14):
        codes = np.arange(first, min(first + (1 << 14), 1 << q))
        chosen = (codes[:, None] >> bits) & 1
        values = start - chosen @ steps
        kept = ((values >= -error) & (values <= limit + error)).all(axis=1)
        yield from (line.astype(bool).tolist() for line in chosen[kept])


def _joint_rank(spans: Sequence[fmpq_mat]) -> int:
    rows = [row for B in spans for row in B.transpose().tolist()]
    return int(fmpq_mat(rows).rank()) if rows else 0


def _faces(faces: Sequence[ExactFace]) -> list[Face]:
    return [Face(f.s, f.pattern) for f in faces]


def box_vertices(
    shifts: Sequence[Sequence[arb]], target: Sequence[arb], gamma: Sequence[arb], spans: Sequence[fmpq_mat]
) -> list[tuple[list[arb], list[str]]]:
    """Vertices of {0 <= c <= gamma : sum_j c_j shifts_j = target}, with the state (low, basic, high) of each c_j.

    Args:
        shifts: k balls of vectors of length r.
        target: length r.
        gamma: k positive balls.
        spans: r x k_j rational matrices whose ranges contain the shifts.

    Raises:
        Undecided: where a basic value is 0 or gamma_j, or a determinant 0, to rounding; or for too many candidates.
    """
    k, r = len(shifts), len(target)
    candidates = comb(k, r) * 2 ** (k - r)
    if candidates > CANDIDATES:
        raise Undecided(
            f"{k} antipodal pairs give {candidates} candidates for vertices; at most {CANDIDATES} are tried"
        )
    found = []
    for basis in combinations(range(k), r):
        U = arb_mat([[shifts[j][i] for j in basis] for i in range(r)])
        determinant = U.det()
        if determinant.contains(0):
            if _joint_rank([spans[j] for j in basis]) < r:
                continue  # dependent whatever the directions within these faces: no basis
            raise Undecided("a choice of basic pairs is singular to rounding")
        inverse = U.inv()
        others = [j for j in range(k) if j not in basis]
        base = (inverse * arb_mat([[v] for v in target])).entries()
        moves = [(inverse * arb_mat([[v * gamma[j]] for v in shifts[j]])).entries() for j in others]
        for high in _possible(base, moves, [gamma[j] for j in basis]):
            basic = list(base)
            for move, up in zip(moves, high):
                if up:
                    basic = [v - m for v, m in zip(basic, move)]
            if any(v < 0 or v > gamma[j] for v, j in zip(basic, basis)):
                continue
            if not all(v > 0 and v < gamma[j] for v, j in zip(basic, basis)):
                raise Undecided("a vertex of P* is degenerate to rounding")
            point, state = [arb(0)] * k, ["low"] * k
            for v, j in zip(basic, basis):
                point[j], state[j] = v, "basic"
            for j, up in zip(others, high):
                if up:
                    point[j], state[j] = gamma[j], "high"
            found.append((point, state))
            if len(found) > VERTICES:
                raise Undecided(f"P* has more than {VERTICES} vertices")
    if not found:
        raise Undecided("no vertex of P* was found")
    return found


def _atom(geo: Geometry, face: ExactFace, p: arb_mat) -> Atom:
    beta = arb(geo.data.problem.beta)
    u = tuple(v / beta for v in p.entries())
    features = arb_mat(fmpq_mat([list(row) for row in geo.data.problem.X])) * p
    vector = tuple(v / beta * face.s if sign > 0 else arb(0) for v, sign in zip(features.entries(), face.rows))
    return Atom(face.s, face.pattern, u, vector)


def enclose(system: Equations, z: Sequence[arb], bits: int) -> list[arb]:
    """A box around z with exactly one root of the equations in it, by Krawczyk's operator.

    Raises:
        Undecided: if no box is proven.
    """

    def f(x: list[Any]) -> list[arb]:
        return system.values(x)[3]

    def J(x: list[arb]) -> list[list[arb]]:
        S, _, W, _ = system.values(x)
        rows: list[list[arb]] = system.jacobian(S, W).tolist()
        return rows

    scale = max((abs(v).upper() for v in z), default=arb(1)).max(arb(1))
    for lost in (24, 40, 64, 96, bits // 2):
        radius = scale * arb(2) ** (lost - bits)
        try:
            box = krawczyk(f, [arb(v.mid(), radius.mid()) for v in z], J)
        except ZeroDivisionError:
            box = None
        if box is not None:
            return box
    raise Undecided("Krawczyk's operator proves no root of the tightness equations")


def decide_cells(
    geo: Geometry,
    near: Tight,
    faces: Sequence[ExactFace],
    directions: Sequence[arb_mat],
    nu: arb_mat,
    exactly: Exactly,
) -> list[Atom]:
    """Show that the tight directions are exactly the given ones, and those returned.

    Args:
        geo, near, nu: the problem, its nearly tight cells, the dual optimum.
        faces, directions: the active directions p_j, of length beta.
        exactly: the linear forms of nu whose values are known exactly.

    Returns:
        Tight directions on cells where X^T D nu is known exactly. Their atoms are orthogonal to the features F of the
        active faces. In any optimal combination the idle part h then lies in the range of F and is orthogonal to it,
        so h = 0; and 0 = nu.h = beta sum c makes every idle weight zero.

    Raises:
        Undecided: where a sign is not decided.
    """
    cells, problem = geo.cells, geo.data.problem
    H = arb_mat(fmpq_mat([[fmpq(v) for v in h] for h in cells.normals]))
    for f, p in zip(faces, directions):
        for value, sign in zip((H * p).entries(), f.pattern):
            if sign and not value * sign > 0:
                raise Undecided("a tight direction lies on a hyperplane to rounding")
    shift = max((abs(a - arb(b)).upper() for a, b in zip(nu.entries(), near.nu)), default=arb(0))
    if not shift * near.lipschitz < near.room:
        raise Undecided("the dual optimum is not known well enough for the strict cells")
    X = arb_mat(fmpq_mat([list(row) for row in problem.X]))
    beta = arb(problem.beta)
    nus = nu.entries()
    patterns = [np.array(f.pattern) for f in faces]
    idle: dict[tuple[int, Any], Atom] = {}
    for s, i, support in near.cells:
        active = geo.active[i] > 0
        c = X.transpose() * arb_mat([[v * s if on else arb(0)] for v, on in zip(nus, active)])
        signs = geo.signs[i]
        inside = [j for j, f in enumerate(faces) if f.s == s and ((patterns[j] == 0) | (patterns[j] == signs)).all()]
        if len(inside) > 1:
            raise Undecided("two tight directions of one sign on one cell")
        if inside:
            signed = exact_rows(problem.X, active, s)
            if not _multipliers_hold(cells.normals, signs, faces[inside[0]], signed, nu, exactly, support):
                raise Undecided("a multiplier at a tight direction is zero to rounding")
        elif not _strictly_slack(cells.normals, signs, c, support, beta):
            forms = [exactly(row) for row in exact_rows(problem.X, active, s).tolist()]
            point = [v for v in forms if v is not None]
            u = exact_projection(point, cells.normals, signs.tolist(), support) if len(point) == len(forms) else None
            if u is None or sum((v * v for v in u), fmpq(0)) > problem.beta**2:
                raise Undecided("a cell without an active direction is tight to rounding")
            atom = exact_atom(geo, s, u)
            idle[s, atom.u] = atom
    return list(idle.values())


def exact_rows(X: Sequence[Sequence[fmpq]], active: Array, s: int) -> fmpq_mat:
    """s X^T D, d x n."""
    return fmpq_mat([[v * s for v in row] if on else [fmpq(0)] * len(row) for row, on in zip(X, active)]).transpose()


def _multipliers_hold(
    normals: Sequence[Sequence[int]],
    signs: Array,
    face: ExactFace,
    signed: fmpq_mat,
    nu: arb_mat,
    exactly: Exactly,
    support: Sequence[int],
) -> bool:
    """Whether c - Pi(c) = -G^T lam with lam >= 0 on an independent set of the hyperplanes through the face.

    lam is a rational matrix times nu: each entry is positive in balls, or a linear form of nu that is known exactly.
    """
    zero = face.zero
    codimension = signed.nrows() - face.B.ncols()
    if not zero:
        return True
    first = [k for k in support if k in zero]
    choices = [first] if len(first) == codimension else []
    for count, choice in enumerate([*choices, *map(list, combinations(zero, codimension))]):
        if count > 200:
            return False
        G = fmpq_mat([[fmpq(int(signs[k]) * v) for v in normals[k]] for k in choice])
        gram = G * G.transpose()
        if gram.rank() < codimension:
            continue
        L = gram.solve(G * signed) * fmpq(-1)
        lam = (arb_mat(L) * nu).entries()
        if all(v > 0 or _nonnegative(exactly(row)) for v, row in zip(lam, L.tolist())):
            return True
    return False


def _nonnegative(value: fmpq | None) -> bool:
    return value is not None and bool(value >= 0)


def _strictly_slack(
    normals: Sequence[Sequence[int]], signs: Array, c: arb_mat, support: Sequence[int], beta: arb
) -> bool:
    """Whether |c + G^T lam| < beta for the best lam >= 0 on the support."""
    middle = [dyadic_ball(v, 400) for v in c.entries()]
    rows = list(support)
    G: list[list[fmpq]] = []
    lam: list[fmpq] = []
    while rows:
        G = [[fmpq(int(signs[k]) * v) for v in normals[k]] for k in rows]
        solved = exact_multipliers(middle, G)
        if solved is None:
            rows.pop()
            continue
        lam = solved
        if all(v >= 0 for v in lam):
            break
        rows = [k for k, v in zip(rows, lam) if v > 0]
    moved = c
    if rows:
        moved = c + arb_mat(fmpq_mat(G).transpose() * fmpq_mat(len(rows), 1, [dyadic_ball(v, 400) for v in lam]))
    square = sum((v * v for v in moved.entries()), arb(0))
    return bool(square < beta * beta)
