"""The multipliers of a certificate: for every signed cone a bound |sign c + G^T lam| of at most beta.

Most bounds are far below beta, and projections in doubles, rounded to a few digits, prove them. The others get
multipliers to the working precision. The checker decides; a poor multiplier only loses the certificate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq

from solvers.certificates.relu import Multiplier
from solvers.enclosures import precision
from solvers.relu.exact import Vector, ball_midpoint, dyadic_ball
from solvers.relu.geometry import Geometry
from solvers.relu.projection import Projections, project_onto

Array = np.ndarray[Any, Any]
CLOSE = 1e-7
"""Relative distance to beta below which a cone is looked at, and its bound computed with all digits."""
SLACK = 1e-3
"""Relative distance to beta from which a bound is good enough."""
SHORT = 40
"""Bits of a multiplier of a cone that is not close."""


@dataclass(frozen=True)
class Bounds:
    """Projections of s X^T D_i nu onto signed cones.

    Attributes:
        s: signs of the output weights.
        cells: indices i among all P cells.
        projections: one row for each.
    """

    s: Array
    cells: Array
    projections: Projections


def bounds_at(geo: Geometry, nu: Array) -> Bounds:
    """Projections onto all signed cones with |c| > beta (1 - CLOSE), stopped below beta (1 - SLACK)."""
    C = geo.active @ (nu[:, None] * geo.data.X)
    near = np.flatnonzero(np.linalg.norm(C, axis=1) > geo.data.beta * (1 - CLOSE))
    cells, s = np.tile(near, 2), np.repeat([1, -1], len(near))
    enough = geo.data.beta * (1 - SLACK)
    made = project_onto(s[:, None] * C[cells], geo.cones, cells, enough=enough)
    return Bounds(s, cells, made)


def with_multipliers(
    geo: Geometry, nu: Vector, bounds: Bounds | None, digits: int
) -> tuple[Vector, tuple[Multiplier, ...]]:
    """A dual point, scaled until all bounds are at most beta, and the multipliers that show it.

    Args:
        geo: the arrangement.
        nu: dyadic, length n.
        bounds: of a point close to nu, or None.
        digits: bits below the binary point of the dual point returned.
    """
    data = geo.data
    rough = np.array([int(v.p) / int(v.q) for v in nu])
    bounds = bounds or bounds_at(geo, rough)
    close = np.linalg.norm(bounds.projections.u, axis=1) > data.beta * (1 - CLOSE)
    loose = _loose(geo, bounds, np.flatnonzero(~close))
    # a bound is least at its multipliers, so their errors count by their squares, and half the digits suffice
    bits = digits // 2 + 64
    with precision(digits + 64):
        beta = arb(data.problem.beta)
        cones, largest = _close(geo, nu, bounds, np.flatnonzero(close), bits)
        if not largest <= beta:
            # rounding nu changes a bound by at most sum |x_k| 2^-digits
            lipschitz = sum((arb(sum((v * v for v in row), fmpq(0))).sqrt() for row in data.problem.X), arb(0))
            scale = beta / largest * (1 - lipschitz / beta * arb(2) ** (1 - digits))
            nu = tuple(dyadic_ball(scale * v, digits) for v in nu)
            if not 1 - scale < CLOSE / 8:
                t = dyadic_ball(scale, SHORT)
                loose = [replace(m, values=tuple(v * t for v in m.values)) for m in loose]
            cones = [(cone, {k: _rounded(v * scale, bits) for k, v in lam.items()}) for cone, lam in cones]
    made = [Multiplier(*cone, tuple(lam), tuple(map(ball_midpoint, lam.values()))) for cone, lam in cones]
    return nu, (*made, *loose)


def _rounded(v: arb, bits: int) -> arb:
    """The midpoint to that many significant bits."""
    with precision(bits):
        return arb((v * 1).mid())


def _loose(geo: Geometry, bounds: Bounds, places: Array) -> list[Multiplier]:
    rows = bounds.projections.rows[places]
    values = np.where(rows >= 0, bounds.projections.values[places] / geo.lengths[rows], 0.0)
    mantissa, exponent = np.frexp(values)
    side, cell = np.divmod(bounds.cells[places], len(geo.cells.witnesses))
    used = mantissa > 0
    whole = np.rint(mantissa[used] * 2.0**SHORT).astype(np.int64).tolist()
    shift = (SHORT - exponent[used]).tolist()
    lam = [fmpq(m, 1 << e) if e >= 0 else fmpq(m << -e) for m, e in zip(whole, shift)]
    samples = geo.samples[rows][used].tolist()
    ends = np.cumsum(used.sum(axis=1)).tolist()
    return [
        Multiplier(i, t, s, tuple(samples[a:b]), tuple(lam[a:b]))
        for i, t, s, a, b in zip(cell.tolist(), side.tolist(), bounds.s[places].tolist(), [0, *ends], ends)
    ]


def _close(
    geo: Geometry, nu: Sequence[fmpq], bounds: Bounds, places: Array, bits: int
) -> tuple[list[tuple[tuple[int, int, int], dict[int, arb]]], arb]:
    """(cell, side, sign) and multipliers of the given cones, and an upper end of their bounds."""
    X = arb_mat([list(row) for row in geo.data.problem.X])
    weighted = arb_mat([[v * t for v in row] for t, row in zip(map(arb, nu), X.tolist())])
    chosen = geo.active[bounds.cells[places]] * bounds.s[places, None]
    C = arb_mat(chosen.astype(int).tolist()) * weighted if places.size else weighted
    cones, largest = [], arb(0)
    for place, c in zip(places.tolist(), C.tolist()):
        index = int(bounds.cells[place])
        side, cell = divmod(index, len(geo.cells.witnesses))
        rows = {}
        for k in bounds.projections.rows[place].tolist():
            if k >= 0:
                sample = int(geo.samples[k])
                turn = int(geo.signs[index, k]) * geo.cells.orientation[sample]
                rows[sample] = [X[sample, j] * turn for j in range(geo.cells.d)]
        lam, square = _least(c, rows, bits)
        cones.append(((cell, side, int(bounds.s[place])), lam))
        largest = square if square > largest else largest
    return cones, arb(largest.sqrt().upper())


def _least(c: Sequence[arb], rows: Mapping[int, Sequence[arb]], bits: int) -> tuple[dict[int, arb], arb]:
    """lam >= 0 with a small |c + G^T lam| (rows that become negative are dropped), and its square, upwards."""
    u = arb_mat([list(c)])
    while rows:
        G = arb_mat([list(row) for row in rows.values()])
        try:
            solved = (G * G.transpose()).solve(G * u.transpose()).entries()
        except ZeroDivisionError:
            rows = dict(list(rows.items())[:-1])
            continue
        if all(v < 0 for v in solved):
            lam = [_rounded(-v, bits) for v in solved]
            u = u + arb_mat([lam]) * G
            return dict(zip(rows, lam)), arb((u * u.transpose())[0, 0].upper())
        rows = {k: row for (k, row), v in zip(rows.items(), solved) if v < 0}
    return {}, arb((u * u.transpose())[0, 0].upper())
