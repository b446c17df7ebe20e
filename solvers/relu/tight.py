"""Signed cells that are tight to rounding, and the directions in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, fmpq

from solvers.certificates.relu import ReluCertificate, dual_bounds
from solvers.relu.enclosure import Approximation
from solvers.relu.geometry import Face, Geometry
from solvers.relu.polytope import Polytope
from solvers.relu.projection import project

Array = np.ndarray[Any, Any]
MARGIN = fmpq(1, 10**6)
"""Relative slack from which a cell counts as strictly slack without balls."""


@dataclass(frozen=True)
class Atom:
    """A tight direction.

    Attributes:
        s: sign of the output weight.
        pattern: sign of each hyperplane's normal at u.
        u: the unit direction (rationals, or balls).
        vector: s (X u)_+, likewise.
    """

    s: int
    pattern: tuple[int, ...]
    u: tuple[Any, ...]
    vector: tuple[Any, ...]


@dataclass(frozen=True)
class Structure:
    """The solution set of a training problem.

    Attributes:
        kind: "zero", "I", "II", "R" or "undecided".
        atoms: all tight directions.
        polytope: P* over these atoms; None if undecided.
        nu: the dual optimum (rationals, or balls).
        reason: what stayed undecided.
        width: the number of neurons of every irreducible optimal network, where P* is too large to list.
    """

    kind: str
    atoms: tuple[Atom, ...]
    polytope: Polytope | None
    nu: tuple[Any, ...]
    reason: str
    width: int | None = None

    @property
    def decided(self) -> bool:
        """Whether the structure is certified, and P* listed."""
        return self.polytope is not None


@dataclass(frozen=True)
class Tight:
    """Signed cells whose bound is within `MARGIN` of beta.

    Attributes:
        cells: (sign, cell among all P, hyperplanes in use by its projection).
        projections: the projections in doubles, one row per cell.
        nu: the dual point at which all others were seen to be slack.
        lipschitz: largest change of a bound per unit of change of nu in one entry (all entries together).
        room: slack of the others.
    """

    cells: tuple[tuple[int, int, tuple[int, ...]], ...]
    projections: Array
    nu: tuple[fmpq, ...]
    lipschitz: arb
    room: arb


def nearly_tight(geo: Geometry, certificate: ReluCertificate) -> Tight | str:
    """The signed cells that are not strictly slack by the exact bounds of the certificate."""
    problem, cells = geo.data.problem, geo.cells
    half = len(cells.witnesses)
    limit = problem.beta * (1 - MARGIN)
    square = limit * limit
    chosen: list[tuple[int, int]] = []
    for i, side, sign, S, D in dual_bounds(problem, certificate, [row.tobytes() for row in cells.row_signs > 0], limit):
        if square.q * S > square.p * D:
            chosen.append((sign, i + side * half))
    nu = np.array([int(v.p) / int(v.q) for v in certificate.nu])
    C = geo.active @ (nu[:, None] * geo.data.X)
    s = np.array([a for a, _ in chosen])
    index = np.array([b for _, b in chosen], dtype=int)
    if not chosen:
        return "no cell is tight"
    done = project(s[:, None] * C[index], geo.facets[index], geo.facet_signs[index], geo.H)
    lipschitz = sum((arb(sum((v * v for v in row), fmpq(0))).sqrt() for row in problem.X), arb(0))
    return Tight(
        tuple((a, b, tuple(int(k) for k in rows if k >= 0)) for (a, b), rows in zip(chosen, done.rows)),
        done.u,
        certificate.nu,
        lipschitz,
        arb(problem.beta * MARGIN) / 2,
    )


def tight_faces(geo: Geometry, approximation: Approximation, near: Tight) -> list[Face]:
    """The faces with a direction that is tight to rounding: the active ones first, then all others."""
    faces: dict[Face, None] = {Face(f.s, f.pattern): None for f in approximation.faces}
    active: list[tuple[int, Array]] = []
    nu = _column(approximation.nu)
    for f in approximation.faces:
        p = np.array([int(v.p) / int(v.q) for v in f.direction(nu).entries()])
        active.append((f.s, p / np.linalg.norm(p)))
    for (s, i, _), u in zip(near.cells, near.projections):
        length = float(np.linalg.norm(u))
        if length < geo.data.beta * (1 - 1e-10):
            continue
        unit = u / length
        if any(t == s and np.abs(v - unit).max() < 1e-7 for t, v in active):
            continue
        active.append((s, unit))
        pattern = np.where(np.abs(geo.H @ unit) <= 1e-8, 0, geo.signs[i])
        faces[Face(s, tuple(pattern.tolist()))] = None
    return list(faces)


def _column(values: Sequence[fmpq]) -> Any:
    from flint import fmpq_mat

    return fmpq_mat(len(values), 1, list(values))
