"""What balls and exact forms decide about the dual optimum: that the tightness equations have one root, which cells are tight."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat

from solvers.enclosures import krawczyk
from solvers.exact_linalg import identity
from solvers.relu.exact import Vector, dyadic_ball
from solvers.relu.faces import ExactFace
from solvers.relu.geometry import Geometry
from solvers.relu.known import Known
from solvers.relu.projection import exact_multipliers
from solvers.relu.rational import exact_atom, exact_projection
from solvers.relu.refine import Equations
from solvers.relu.tight import Atom, Tight

Array = np.ndarray[Any, Any]


class Undecided(Exception):
    """Balls do not decide a sign that the structure needs."""


def enclose(system: Equations, z: Sequence[arb], bits: int) -> list[arb]:
    """A box around z with exactly one root of the equations in it, by Krawczyk's operator.

    Raises:
        Undecided: if no box is proven.
    """

    def f(x: list[Any]) -> list[arb]:
        return system.at(x).values

    def J(x: list[arb]) -> list[list[arb]]:
        rows: list[list[arb]] = system.jacobian(system.at(x)).tolist()
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
    known: Known,
) -> list[Atom]:
    """Show that the tight directions are exactly the given ones, and those returned.

    Args:
        geo, near, nu: the problem, its nearly tight cells, the dual optimum.
        faces, directions: the active directions p_j, of length beta.
        known: the linear forms of nu whose values are known exactly.

    Returns:
        Tight directions on cells where X^T D nu = X^T D y exactly. Their atoms are orthogonal to the features F of the
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
    again: set[tuple[int, Any]] = set()
    for s, i, support in near.cells:
        active = geo.active[i] > 0
        c = X.transpose() * arb_mat([[v * s if on else arb(0)] for v, on in zip(nus, active)])
        signs = geo.signs[i]
        inside = [j for j, f in enumerate(faces) if f.s == s and ((patterns[j] == 0) | (patterns[j] == signs)).all()]
        if len(inside) > 1:
            raise Undecided("two tight directions of one sign on one cell")
        if inside:
            signed = exact_rows(problem.X, active, s)
            if not _multipliers_hold(cells.normals, signs, faces[inside[0]], signed, nu, known, support):
                raise Undecided("a multiplier at a tight direction is zero to rounding")
        elif not _strictly_slack(cells.normals, signs, c, support, beta):
            signed = exact_rows(problem.X, active, s)
            point = [v for v in map(known.unmoved, signed.tolist()) if v is not None]
            orthogonal = len(point) == cells.d
            u = (
                exact_projection(point, cells.normals, signs.tolist(), support)
                if orthogonal
                else _known_projection(signed, cells.normals, signs, support, known)
            )
            square = None if u is None else sum((v * v for v in u), fmpq(0))
            if u is None or square is None or square > problem.beta**2:
                raise Undecided("a cell without an active direction is tight to rounding")
            if square == problem.beta**2:
                atom = exact_atom(geo, s, u)
                again.add((s, atom.u))
                if orthogonal:
                    idle[s, atom.u] = atom
    if again - idle.keys():
        raise Undecided("a tight direction may carry weight or not")
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
    known: Known,
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
        if all(v > 0 or known.nonnegative(row) for v, row in zip(lam, L.tolist())):
            return True
    return False


def _known_projection(
    signed: fmpq_mat, normals: Sequence[Sequence[int]], signs: Array, support: Sequence[int], known: Known
) -> Vector | None:
    """The projection of the form `signed` of nu onto a cell, from its guessed support; None unless known and rational."""
    d = signed.nrows()
    P = identity(d)
    if support:
        G = fmpq_mat([[fmpq(int(signs[k]) * v) for v in normals[k]] for k in support])
        gram = G * G.transpose()
        if gram.rank() < len(support):
            return None
        L = gram.solve(G)
        if not all(map(known.nonnegative, (L * signed * fmpq(-1)).tolist())):
            return None
        P = P - G.transpose() * L
    u = tuple(v for v in map(known.rational, (P * signed).tolist()) if v is not None)
    if len(u) < d or any(int(s) * sum((a * b for a, b in zip(h, u)), fmpq(0)) < 0 for s, h in zip(signs, normals)):
        return None
    return u


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
