"""Exactly feasible points near a numerical one.

A point is rounded to dyadic rationals, put on the equations exactly, and tested. On the boundary of a cone
rounding may push it out; then it is moved towards an interior point, by the smallest step that the test
accepts. Where no interior exists, facial reduction (`solvers.conic.faces`) writes the program on the smaller
face first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from flint import fmpq

from solvers.certificates.cones import nonneg
from solvers.certificates.problem import ConicProblem, Row
from solvers.conic import numeric
from solvers.conic.affine import Plan, on_subspace, plan
from solvers.conic.faces import reduce_to_face
from solvers.conic.numeric import FloatProblem, Floats
from solvers.conic.rounding import bits_for, dyadic, to_float

Point: TypeAlias = tuple[fmpq, ...]
Accept: TypeAlias = Callable[[Point], bool]
STEPS = (0.0, *(10.0**-k for k in range(12, 0, -1)), 0.3, 1.0)
MAX_REDUCTIONS = 8
INTERIOR = 1e-7
"""A phase-one optimum below this (data of size 1) counts as "no interior"."""
DENSE = 300
"""Rows and variables up to which dense linear algebra is faster than sparse."""
OUTSIDE = 1e-11
"""Relative violation in doubles from which a point is not worth an exact test."""


@dataclass(frozen=True)
class Repaired:
    """A point that `accept` took, or `None` with the reason; what it cost.

    Attributes:
        point: exactly feasible, or `None`.
        reason: why there is none.
        reductions: number of facial reductions made.
        step: share of the way to an interior point that was moved.
    """

    point: Point | None
    reason: str = ""
    reductions: int = 0
    step: float = 0.0


def repair(floats: FloatProblem, x: Floats, accept: Accept) -> Repaired:
    """Find an exactly feasible point near x.

    Args:
        floats: the program, exact and in doubles.
        x: approximate solution, length n.
        accept: the exact test, of the point.
    """
    face, reductions = floats, 0
    x = np.where(np.isfinite(x), x, 0.0)
    while True:
        attempt = _Attempt(face, accept)
        point, step = attempt.blend(x, attempt.nearest_to_interior)
        if point is not None:
            return Repaired(point, reductions=reductions, step=step)
        interior, depth, exposing = _phase_one(face)
        if interior is None:
            return Repaired(None, "the search for an interior point failed numerically", reductions)
        if depth > INTERIOR:
            point, step = attempt.towards(x, interior)
            if point is not None:
                return Repaired(point, reductions=reductions, step=step)
            reason = f"no point between the solver's and an interior one (depth {depth:.1e}) passed"
            return Repaired(None, reason, reductions)
        if depth < -INTERIOR:
            return Repaired(None, f"no feasible point (depth {depth:.1e})", reductions)
        smaller = reduce_to_face(face.exact, exposing) if reductions < MAX_REDUCTIONS else None
        if smaller is None:
            return Repaired(
                None,
                "there is no interior, and the smaller face has no simple rational description",
                reductions,
            )
        face, reductions = FloatProblem(smaller), reductions + 1
        again = numeric.solve(face)
        if np.all(np.isfinite(again.x)):
            x = again.x


class _Attempt:
    """The search on one face: the rounding and the equations around an exact test."""

    def __init__(self, floats: FloatProblem, accept: Accept) -> None:
        self.floats = floats
        self.accept = accept
        self.plan: Plan | None = None
        self.rows, self.right = equations(floats.exact)

    def blend(self, x: Floats, interior: Callable[[], Floats | None]) -> tuple[Point | None, float]:
        """Try x, then points between x and the interior point, which is computed only if needed."""
        point = self.exactly(x)
        if point is not None:
            return point, 0.0
        target = interior()
        return (None, 0.0) if target is None else self.towards(x, target)

    def towards(self, x: Floats, target: Floats) -> tuple[Point | None, float]:
        """Try points from x to the target, beginning with the first that is feasible in doubles."""
        promising = False
        for step in STEPS:
            blended = (1 - step) * x + step * target
            promising = promising or self.margin(blended) > -1e-14
            point = self.exactly(blended) if promising else None
            if point is not None:
                return point, step
        return None, 0.0

    def margin(self, x: Floats) -> float:
        return numeric.margin(self.floats.exact, self.floats.slack(x))

    def exactly(self, x: Floats) -> Point | None:
        """Round x, solve the equations exactly, test; points that are clearly outside in doubles are not tested."""
        bits = bits_for(x)
        point: Point | None = tuple(dyadic(float(value), bits) for value in x)
        if self.rows and point is not None:
            if self.plan is None:
                self.plan = plan(self.rows, room_to_move(self.floats, x))
            point = on_subspace(self.plan, self.right, point)
        if point is None or self.margin(np.array([to_float(value) for value in point])) < -OUTSIDE * self.size(x):
            return None
        return point if self.accept(point) else None

    def size(self, x: Floats) -> float:
        return 1.0 + float(np.max(np.abs(self.floats.b), initial=0.0)) + float(np.max(np.abs(x), initial=0.0))

    def nearest_to_interior(self) -> Floats | None:
        """The x on the equations whose slack is nearest to a multiple of the identity, if it is inside."""
        f = self.floats
        solve = _least_squares(f)
        if solve is None:
            return None
        size = float(np.max(np.abs(f.b), initial=1.0))
        best, depth = None, 1e-9
        for scale in (1.0, size, 10 * size, 1e3 * size):
            x = solve(f.b - scale * f.identity)
            inside = self.margin(x) if np.all(np.isfinite(x)) else -np.inf
            if inside / scale > depth:
                best, depth = x, inside / scale
        return best


def _least_squares(floats: FloatProblem) -> Callable[[Floats], Floats] | None:
    """The map from a right-hand side r to the x with E x = r on zero rows that is least in |r - A x| on the others."""
    n, m, equal = len(floats.c), len(floats.b), floats.is_equality
    k = int(equal.sum())
    regular = 1e-12
    if n + m <= DENSE:
        dense: Floats = floats.A.toarray()
        E, C = dense[equal], dense[~equal]
        system = np.block([[C.T @ C + regular * np.eye(n), E.T], [E, -regular * np.eye(k)]])
        try:
            inverse = np.linalg.inv(system)
        except np.linalg.LinAlgError:
            return None
        return lambda r: np.asarray((inverse @ np.concatenate([C.T @ r[~equal], r[equal]]))[:n])
    from scipy.sparse import block_array, csc_matrix, eye_array
    from scipy.sparse.linalg import splu

    E, C = floats.A[equal], floats.A[~equal]
    blocks = [[C.T @ C + regular * eye_array(n), E.T], [E, -regular * eye_array(k)]]
    try:
        factor = splu(csc_matrix(block_array(blocks)))
    except RuntimeError:  # exactly singular
        return None
    return lambda r: np.asarray(factor.solve(np.concatenate([C.T @ r[~equal], r[equal]]))[:n])


def room_to_move(floats: FloatProblem, x: Floats) -> Floats:
    """For each variable, how far it may move alone before a row leaves its cone."""
    slack = floats.slack(x)
    room = np.full(len(slack), np.inf)
    for cone, block in floats.exact.blocks():
        if cone.kind != "zero":
            room[block] = max(numeric.cone_margin(cone, slack[block]), 0.0)
            if cone.kind == "nonneg":
                room[block] = np.maximum(slack[block], 0.0)
    weight = np.full(len(x), np.inf)
    entries = floats.A.tocoo()
    rows, columns, values = entries.row, entries.col, np.abs(entries.data)
    kept = (values > 0) & np.isfinite(room[rows])
    np.minimum.at(weight, columns[kept], room[rows[kept]] / values[kept])
    bounded = weight[np.isfinite(weight)]
    capped: Floats = np.minimum(weight, 1e3 * max(1.0, float(bounded.max(initial=0.0))))
    return capped


def equations(problem: ConicProblem) -> tuple[list[Row], list[fmpq]]:
    """The zero rows: E and f."""
    rows: list[Row] = []
    right: list[fmpq] = []
    for cone, block in problem.blocks():
        if cone.kind == "zero":
            rows += problem.rows[block]
            right += problem.b[block]
    return rows, right


def _phase_one(floats: FloatProblem) -> tuple[Floats | None, float, Floats]:
    """Maximise t <= 1 with b - A x - t e in K: (x, t, multipliers that expose a face when t = 0)."""
    problem = floats.exact
    m, n = problem.shape
    rows = [row if e == 0 else (*row, (n, dyadic(float(e), 0))) for row, e in zip(problem.rows, floats.identity)]
    extended = ConicProblem(
        (*(fmpq(0),) * n, fmpq(-1)),
        (*rows, ((n, fmpq(1)),)),
        (*problem.b, fmpq(1)),
        (*problem.cones, nonneg(1)),
    )
    found = numeric.solve(FloatProblem(extended))
    if not np.all(np.isfinite(found.x)):
        return None, 0.0, found.y[:m]
    return found.x[:n], float(found.x[n]), found.y[:m]
