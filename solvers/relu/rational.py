"""Structure of type R: the dual optimum is rational, and exact arithmetic decides everything, ties included."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from flint import fmpq

from solvers.relu.exact import Vector, to_float
from solvers.relu.geometry import Geometry
from solvers.relu.polytope import polytope
from solvers.relu.projection import exact_multipliers, project
from solvers.relu.tight import Atom, Structure

HEIGHT = 10**6
"""Largest denominator that is tried."""
CLOSE = fmpq(1, 10**40)


def rational_structure(geo: Geometry, nu: Sequence[fmpq]) -> Structure | None:
    """The exact structure if nu is close to a rational point of small height that is optimal; else None."""
    rounded = []
    for v in nu:
        q = nearest_rational(v)
        if q is None:
            return None
        rounded.append(q)
    return structure_at(geo, tuple(rounded))


def structure_at(geo: Geometry, nu: Vector) -> Structure | None:
    """The exact structure at a rational nu that is claimed to be the dual optimum; None if it is not shown to be."""
    problem = geo.data.problem
    atoms = tight_atoms(geo, nu)
    if atoms is None:
        return None
    fit = [t - v for t, v in zip(problem.y, nu)]
    try:
        P = polytope([a.vector for a in atoms], fit)
    except ValueError:
        return None
    return Structure("R" if atoms and any(v != 0 for v in fit) else "zero", atoms, P, nu, "")


def tight_atoms(geo: Geometry, nu: Vector) -> tuple[Atom, ...] | None:
    """All tight directions at a rational nu, exactly; None if nu is not feasible (or a projection is not found)."""
    beta2 = geo.data.problem.beta**2
    found: dict[tuple[int, Vector], Atom] = {}
    for s, _, u in exact_projections(geo, nu):
        square = None if u is None else sum((v * v for v in u), fmpq(0))
        if u is None or square is None or square > beta2:
            return None
        if square == beta2:
            atom = exact_atom(geo, s, u)
            found.setdefault((s, atom.u), atom)
    return tuple(found.values())


def exact_projections(geo: Geometry, nu: Vector, least: float = 1 - 1e-9) -> Iterator[tuple[int, int, Vector | None]]:
    """(s, i, Pi_{K_i}(s c_i)) for the cells with |c_i| > least beta; None where the exact projection is not found."""
    cells, X = geo.cells, geo.data.problem.X
    if not cells.normals:
        return
    weighted = [[t * v for v in row] for t, row in zip(nu, X)]
    rough = np.array([to_float(v) for v in nu])
    C = geo.active @ (rough[:, None] * geo.data.X)
    index = np.flatnonzero(np.linalg.norm(C, axis=1) > geo.data.beta * least)
    normals = [[int(v) for v in h] for h in cells.normals]
    for s in (1, -1):
        done = project(s * C[index], geo.facets[index], geo.facet_signs[index], geo.H)
        for place, i in enumerate(index.tolist()):
            support = [int(k) for k in done.rows[place] if k >= 0]
            rows = np.flatnonzero(geo.active[i]).tolist()
            c = [s * sum((weighted[k][j] for k in rows), fmpq(0)) for j in range(cells.d)]
            yield s, i, exact_projection(c, normals, geo.signs[i].tolist(), support)


def exact_atom(geo: Geometry, s: int, p: Sequence[fmpq]) -> Atom:
    """The atom of a rational direction p of length beta."""
    problem = geo.data.problem
    unit = tuple(v / problem.beta for v in p)
    heights = (sum((a * b for a, b in zip(h, p)), fmpq(0)) for h in geo.cells.normals)
    pattern = tuple((v > 0) - (v < 0) for v in heights)
    images = (sum((a * b for a, b in zip(row, unit)), fmpq(0)) for row in problem.X)
    return Atom(s, pattern, unit, tuple(s * v if v > 0 else fmpq(0) for v in images))


def exact_projection(
    c: Sequence[fmpq], normals: Sequence[Sequence[int]], signs: Sequence[int], support: Sequence[int]
) -> Vector | None:
    """The projection of c onto {u : signs_k h_k.u >= 0}, from its guessed support; None if the guess is wrong."""
    rows = list(support)
    u = tuple(c)
    while rows:
        G = [[fmpq(signs[k] * v) for v in normals[k]] for k in rows]
        lam = exact_multipliers(c, G)
        if lam is None:
            rows.pop()
            continue
        if all(v >= 0 for v in lam):
            u = tuple(v + sum((t * g[j] for t, g in zip(lam, G)), fmpq(0)) for j, v in enumerate(c))
            break
        rows = [k for k, v in zip(rows, lam) if v > 0]
    inside = all(s * sum((a * b for a, b in zip(h, u)), fmpq(0)) >= 0 for s, h in zip(signs, normals))
    return u if inside else None


def nearest_rational(x: fmpq, height: int = HEIGHT, close: fmpq = CLOSE) -> fmpq | None:
    """The first continued-fraction convergent of x within `close`, if its denominator is at most `height`."""
    p0, q0, p1, q1 = 0, 1, 1, 0
    rest = x
    while True:
        a = int(rest.floor())
        p0, q0, p1, q1 = p1, q1, a * p1 + p0, a * q1 + q0
        if q1 > height:
            return None
        value = fmpq(p1, q1)
        if abs(x - value) <= close:
            return value
        rest = 1 / (rest - a)
