"""Exactly feasible points near a numerical one.

A point is rounded to dyadic rationals, put on the equations exactly, and tested. On the boundary of a cone
rounding may push it out; then it is moved towards an interior point, by the smallest step that the test
accepts. Where no interior exists, facial reduction (`solvers.conic.faces`) writes the program on the smaller
face first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from flint import fmpq

from solvers.certificates.cones import nonneg
from solvers.certificates.problem import ConicProblem, Row
from solvers.conic import numeric
from solvers.conic.affine import on_subspace
from solvers.conic.faces import reduce_to_face
from solvers.conic.numeric import FloatProblem, Floats
from solvers.conic.rounding import bits_for, dyadic

Point: TypeAlias = tuple[fmpq, ...]
Accept: TypeAlias = Callable[[Point], bool]
STEPS = (0.0, *(10.0**-k for k in range(12, 0, -1)), 0.3, 1.0)
MAX_REDUCTIONS = 8
INTERIOR = 1e-7
"""A phase-one optimum below this (data of size 1) counts as "no interior"."""


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


def repair(problem: ConicProblem, x: Floats, accept: Accept) -> Repaired:
    """Find an exactly feasible point near x.

    Args:
        problem: exact data.
        x: approximate solution, length n.
        accept: the exact test, of the point in the variables of `problem`.
    """
    face, reductions = problem, 0
    while True:
        attempt = _Attempt(face, accept)
        point, step = attempt.blend(x, attempt.nearest_to_interior)
        if point is not None:
            return Repaired(point, reductions=reductions, step=step)
        interior, depth, exposing = _phase_one(attempt.floats)
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
        smaller = reduce_to_face(face, exposing) if reductions < MAX_REDUCTIONS else None
        if smaller is None:
            return Repaired(
                None,
                "there is no interior, and the smaller face has no simple rational description",
                reductions,
            )
        face, reductions = smaller, reductions + 1
        again = numeric.solve(FloatProblem(face))
        if np.all(np.isfinite(again.x)):
            x = again.x


@dataclass
class _Attempt:
    problem: ConicProblem
    accept: Accept
    floats: FloatProblem = field(init=False)

    def __post_init__(self) -> None:
        self.floats = FloatProblem(self.problem)

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
        return numeric.margin(self.problem, self.floats.slack(x))

    def exactly(self, x: Floats) -> Point | None:
        """Round x, solve the equations exactly, test."""
        point = self.on_equations(x)
        return point if point is not None and self.accept(point) else None

    def on_equations(self, x: Floats) -> Point | None:
        bits = bits_for(x)
        rounded = [dyadic(float(value), bits) for value in x]
        if not self.floats.is_equality.any():
            return tuple(rounded)
        return put_on_equations(self.problem, rounded, room_to_move(self.floats, x))

    def nearest_to_interior(self) -> Floats | None:
        """The x on the equations whose slack is nearest to a multiple of the identity, if it is inside."""
        from scipy.sparse import block_array, csc_matrix, eye_array
        from scipy.sparse.linalg import splu

        f = self.floats
        E, C = f.A[f.is_equality], f.A[~f.is_equality]
        n, k = len(f.c), E.shape[0]
        system = csc_matrix(block_array([[C.T @ C + 1e-12 * eye_array(n), E.T], [E, -1e-12 * eye_array(k)]]))
        try:
            factor = splu(system)
        except RuntimeError:  # exactly singular
            return None
        size = float(np.max(np.abs(f.b), initial=1.0))
        best, depth = None, 1e-9
        for scale in (1.0, size, 10 * size, 1e3 * size):
            target = scale * f.identity[~f.is_equality]
            right = np.concatenate([C.T @ (f.b[~f.is_equality] - target), f.b[f.is_equality]])
            x = factor.solve(right)[:n]
            if not np.all(np.isfinite(x)):
                continue
            inside = self.margin(x)
            if inside / scale > depth:
                best, depth = x, inside / scale
        return best


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


def put_on_equations(problem: ConicProblem, start: Sequence[fmpq], weight: Floats) -> Point | None:
    """The point on the zero rows near `start`, or `None` when they are inconsistent."""
    rows: list[Row] = []
    right: list[fmpq] = []
    for cone, block in problem.blocks():
        if cone.kind == "zero":
            rows += problem.rows[block]
            right += problem.b[block]
    return on_subspace(rows, right, start, weight)


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
