"""Minimum-norm interpolation with a free linear skip connection, and its certified uniqueness.

    minimise sum_j |a_j| |w_j|  subject to  sum_j a_j (X w_j)_+ + X b = y

Dual: max nu.y subject to |nu.(Xu)_+| <= 1 on the unit ball and X^T nu = 0. Since nu.(Xu)_+ = nu.(-Xu)_+ then, tight
directions come in pairs +-u of one sign, which differ by a linear function.

The optimum is found by cutting planes in doubles; interval Newton on (nu, g, b) in

    nu^T M_j nu = 1,   X_c^T nu = 0,   sum_j g_j M_j nu + X_c b = y

(X_c: independent columns of X) proves a root with a nonsingular Jacobian: then the interpolant is unique up to
u -> -u, once every cell is seen to obey the dual constraint with no other tight direction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat

from solvers.certificates import ReluProblem
from solvers.enclosures import krawczyk
from solvers.relu.arrangement import arrangement, pivot_columns
from solvers.relu.exact import dyadic_ball, of_problem
from solvers.relu.faces import ExactFace, exact_face
from solvers.relu.geometry import Face, Geometry
from solvers.relu.projection import exact_multipliers, project

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Interpolant:
    """A proven root, in balls.

    Attributes:
        faces: one signed face of each pair.
        directions: unit directions p_j.
        g: weights.
        nu: dual optimum.
        determinant: of the Jacobian over the box.
    """

    faces: tuple[ExactFace, ...]
    directions: tuple[arb_mat, ...]
    g: tuple[arb, ...]
    nu: tuple[arb, ...]
    determinant: arb


def interpolate(problem: ReluProblem, bits: int) -> tuple[Geometry, Interpolant | None]:
    """The minimum-norm interpolant with skip connection; None where no root is proven.

    Args:
        problem: X, y (beta is taken as 1 and must be 1).
        bits: the precision in force while balls are computed.
    """
    geo = Geometry(of_problem(problem), arrangement(problem.X))
    columns = pivot_columns(problem.X)
    found = _cutting_planes(geo, columns)
    if found is None:
        return geo, None
    nu, faces, g = found
    exact = [exact_face(geo.data, geo.cells, f) for f in faces]
    return geo, _newton(problem, exact, columns, nu, g, bits)


def _cutting_planes(geo: Geometry, columns: tuple[int, ...]) -> tuple[Array, list[Face], Array] | None:
    """Dual optimum, one active face of each pair, and the weights of the pairs, in doubles."""
    from scipy.optimize import linprog

    X, y = geo.data.X, geo.data.y
    len(y)
    rows: list[Array] = []
    owners: list[tuple[int, Array, int]] = []

    def add(s: int, u: Array, cell: int) -> None:
        rows.append(s * np.maximum(X @ u, 0.0))
        owners.append((s, u, cell))

    for i, u in enumerate(geo.points):
        for s in (1, -1):
            add(s, u, i)
    answer = None
    for _ in range(80):
        answer = linprog(
            -y,
            np.array(rows),
            np.ones(len(rows)),
            X[:, columns].T,
            np.zeros(len(columns)),
            bounds=(-1e6, 1e6),
            method="highs",
        )
        if answer.x is None:
            return None
        nu = answer.x
        C = geo.active @ (nu[:, None] * X)
        worst = 0.0
        for s in (1, -1):
            done = project(s * C, geo.facets, geo.facet_signs, geo.H)
            length = np.linalg.norm(done.u, axis=1)
            worst = max(worst, float(length.max()))
            for j in np.flatnonzero(length > 1 + 1e-13).tolist():
                add(s, done.u[j] / length[j], j)
        if worst < 1 + 1e-11:
            break
    if answer is None or answer.x is None:
        return None
    weights: dict[Face, float] = {}
    for (s, u, cell), w in zip(owners, -answer.ineqlin.marginals):
        if w > 1e-7:
            pattern = np.where(np.abs(geo.H @ u) < 1e-5, 0, geo.signs[cell])
            lead = next((int(v) for v in pattern if v), 1)
            face = Face(s, tuple((lead * pattern).tolist()))
            weights[face] = weights.get(face, 0.0) + float(w)
    return answer.x, list(weights), np.array(list(weights.values()))


def _newton(
    problem: ReluProblem, faces: list[ExactFace], columns: tuple[int, ...], nu: Array, g: Array, bits: int
) -> Interpolant | None:
    """A proven root near doubles."""
    n, k, r = len(problem.y), len(faces), len(columns)
    M = [arb_mat(f.M) for f in faces]
    Xc = arb_mat(fmpq_mat(n, r, [row[j] for row in problem.X for j in columns]))
    y = arb_mat(fmpq_mat(n, 1, list(problem.y)))

    def parts(z: list[Any]) -> tuple[arb_mat, list[arb_mat]]:
        v = arb_mat([[x] for x in z[:n]])
        return v, [m * v for m in M]

    def f(z: list[Any]) -> list[arb]:
        v, images = parts(z)
        tight = [(v.transpose() * w)[0, 0] - 1 for w in images]
        total = Xc * arb_mat([[x] for x in z[n + k :]]) - y
        for t, w in zip(z[n : n + k], images):
            total = total + w * t
        return [*tight, *(Xc.transpose() * v).entries(), *total.entries()]

    def J(z: list[arb]) -> list[list[arb]]:
        _, images = parts(z)
        S = arb_mat(n, n)
        for t, m in zip(z[n : n + k], M):
            S = S + m * t
        zero = arb(0)
        lines = [[*(w * 2).entries(), *[zero] * (k + r)] for w in images]
        lines += [[*column, *[zero] * (k + r)] for column in Xc.transpose().tolist()]
        for i in range(n):
            lines.append([S[i, j] for j in range(n)] + [w[i, 0] for w in images] + [Xc[i, j] for j in range(r)])
        return lines

    fit = sum(
        (
            t * np.array([float(v) for v in (m * arb_mat([[arb(float(x))] for x in nu])).entries()])
            for t, m in zip(g, M)
        ),
        np.zeros(n),
    )
    X = np.array([[float(v) for v in row] for row in Xc.tolist()])
    b = np.linalg.lstsq(X, np.array([float(v) for v in y.entries()]) - fit, rcond=None)[0]
    z = [arb(float(v)) for v in (*nu, *g, *b)]
    for _ in range(12):
        try:
            step = arb_mat(J(z)).mid().solve(arb_mat([[v.mid()] for v in f(z)]), algorithm="approx").entries()
        except ZeroDivisionError:
            return None
        z = [(a - s).mid() for a, s in zip(z, step)]
        if not all(v.is_finite() for v in z):
            return None
    for lost in (40, 80, 120):
        box = krawczyk(f, [arb(v, arb(2) ** (lost - bits)) for v in z], J)
        if box is not None:
            v = arb_mat([[x] for x in box[:n]])
            directions = tuple(arb_mat(q.B) * (arb_mat(q.N) * (arb_mat(q.F).transpose() * v)) * q.s for q in faces)
            return Interpolant(tuple(faces), directions, tuple(box[n : n + k]), tuple(box[:n]), arb_mat(J(box)).det())
    return None


def constraints(geo: Geometry, found: Interpolant) -> Iterator[tuple[str, arb]]:
    """What proves dual feasibility, cell by cell, in balls.

    Yields:
        ("multiplier", lam) for cells around a tight direction: lam >= 0 is needed; ("bound", M^2) for the others:
        M^2 < 1 is needed.
    """
    nu = arb_mat([[v] for v in found.nu])
    rough = np.array([float(v.mid()) for v in found.nu])
    C = geo.active @ (rough[:, None] * geo.data.X)
    X = geo.data.problem.X
    for s in (1, -1):
        done = project(s * C, geo.facets, geo.facet_signs, geo.H)
        patterns = [(f, sign * np.array(f.pattern)) for f in found.faces if f.s == s for sign in (1, -1)]
        for i, signs in enumerate(geo.signs):
            signed = fmpq_mat(
                [[v * s for v in row] if on else [fmpq(0)] * len(row) for row, on in zip(X, geo.active[i])]
            ).transpose()
            inside = [f for f, p in patterns if ((p == 0) | (p == signs)).all()]
            if inside:
                yield from (("multiplier", v) for v in _multipliers(geo, signs, inside[0], signed, nu))
            else:
                support = [int(k) for k in done.rows[i] if k >= 0]
                yield "bound", _bound(geo, signs, arb_mat(signed) * nu, support)


def _multipliers(geo: Geometry, signs: Array, face: ExactFace, signed: fmpq_mat, nu: arb_mat) -> list[arb]:
    zero = face.zero
    codimension = signed.nrows() - face.B.ncols()
    best: list[arb] = []
    for chosen in combinations(zero, codimension) if codimension else []:
        G = fmpq_mat([[fmpq(int(signs[k]) * v) for v in geo.cells.normals[k]] for k in chosen])
        gram = G * G.transpose()
        if gram.rank() == codimension:
            lam = (arb_mat(gram.solve(G * signed) * fmpq(-1)) * nu).entries()
            if not best or min(float(v.mid()) for v in lam) > min(float(v.mid()) for v in best):
                best = lam
    return best


def _bound(geo: Geometry, signs: Array, c: arb_mat, support: list[int]) -> arb:
    """|c + G^T lam|^2 for nearly the best lam >= 0 on the support."""
    middle = [dyadic_ball(v, 300) for v in c.entries()]
    rows = list(support)
    moved = c
    while rows:
        G = [[fmpq(int(signs[k]) * v) for v in geo.cells.normals[k]] for k in rows]
        lam = exact_multipliers(middle, G)
        if lam is None:
            rows.pop()
        elif all(v >= 0 for v in lam):
            moved = c + arb_mat(fmpq_mat(G).transpose() * fmpq_mat(len(rows), 1, lam))
            break
        else:
            rows = [k for k, v in zip(rows, lam) if v > 0]
    return sum((v * v for v in moved.entries()), arb(0))
