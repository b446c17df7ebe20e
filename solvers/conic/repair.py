"""Exactly feasible points near a numerical one.

A point is rounded to dyadic rationals, put on the equations exactly, and tested. On the boundary of a cone
rounding may push it out; then it is moved towards an interior point, by the smallest step that the test
accepts. Where no interior exists, facial reduction (`solvers.conic.faces`) writes the program on the smaller
face first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np
from flint import fmpq

from solvers.certificates.cones import nonneg
from solvers.certificates.problem import ConicProblem, Row
from solvers.conic import numeric
from solvers.conic.affine import on_subspace, plan
from solvers.conic.faces import reduce_to_face
from solvers.conic.numeric import FloatProblem, Floats
from solvers.conic.rounding import bits_for, dyadic, dyadic_point

Point: TypeAlias = tuple[fmpq, ...]
T = TypeVar("T")
STEPS = (*range(-40, -24, 3), *range(-24, 1))
"""Binary logarithms of the shares of the way to an interior point."""
MAX_REDUCTIONS = 8
INTERIOR = 1e-7
"""A phase-one optimum below this (data of size 1) counts as "no interior"."""
NEAR = 1e-9
"""Loss of the objective, relative to data of size 1, for which no deeper interior point is sought."""
OUTSIDE = 1e-13
"""Relative violation in doubles from which a point is not worth an exact test."""


@dataclass(frozen=True)
class Repaired(Generic[T]):
    """What `accept` made of a feasible point, or `None` with the reason; what it cost.

    Attributes:
        found: made from an exactly feasible point, or `None`.
        reason: why there is none.
        reductions: number of facial reductions made.
        step: share of the way to an interior point that was moved.
    """

    found: T | None
    reason: str = ""
    reductions: int = 0
    step: float = 0.0


def repair(floats: FloatProblem, x: Floats, accept: Callable[[Point], T | None]) -> Repaired[T]:
    """Find an exactly feasible point near x.

    Args:
        floats: the program, exact and in doubles.
        x: approximate solution, length n.
        accept: the exact test: what is made of a point that passes, `None` for others.
    """
    face, reductions = floats, 0
    x = np.where(np.isfinite(x), x, 0.0)
    while True:
        nearby = _Nearby(face, x)
        start = nearby.exactly(x)
        found = nearby.test(start, accept)
        if found is not None:
            return Repaired(found, reductions=reductions)
        outside = -start.margin if start is not None else 0.0
        found, step = nearby.towards(start, nearest_to_interior(face, outside / NEAR), accept)
        if found is not None:
            return Repaired(found, reductions=reductions, step=step)
        interior, depth, exposing = _phase_one(face)
        if interior is None:
            return Repaired(None, "the search for an interior point failed numerically", reductions)
        if depth > INTERIOR:
            found, step = nearby.towards(start, interior, accept)
            if found is not None:
                return Repaired(found, reductions=reductions, step=step)
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


class _Start(NamedTuple):
    """An exact point, its slack in doubles, and how far that is inside the cone."""

    point: Point
    slack: Floats
    margin: float


class _Nearby:
    """The points of one face near x: rounded, on the equations, tested in doubles before they are tested exactly."""

    def __init__(self, floats: FloatProblem, x: Floats) -> None:
        self.floats = floats
        rows, self.right = equations(floats.exact)
        self.plan = plan(rows, room_to_move(floats, x)) if rows else None
        self.noise = OUTSIDE * (1.0 + _size(floats.b) + _size(x))

    def exactly(self, x: Floats) -> _Start | None:
        """Round x and solve the equations exactly."""
        bits = bits_for(x)
        point: Point | None = dyadic_point(x, bits)
        if self.plan is not None and point is not None:
            point = on_subspace(self.plan, self.right, point)
        if point is None:
            return None
        slack = self.floats.slack(np.array([float(value) for value in point]))
        return _Start(point, slack, self.margin(slack))

    def margin(self, slack: Floats) -> float:
        return numeric.margin(self.floats.exact, slack)

    def test(self, start: _Start | None, accept: Callable[[Point], T | None]) -> T | None:
        """Test a point, unless it is clearly outside in doubles."""
        return None if start is None or start.margin < -self.noise else accept(start.point)

    def towards(
        self, start: _Start | None, target: Floats | None, accept: Callable[[Point], T | None]
    ) -> tuple[T | None, float]:
        """Test points from the start to the target, beginning with the first that is feasible in doubles."""
        if start is None or target is None:
            return None, 0.0
        x, slack = np.array([float(value) for value in start.point]), start.slack
        direction, way = target - x, self.floats.slack(target) - slack
        for k in STEPS:
            if self.margin(slack + 2.0**k * way) > 0:
                found = self.test(self.exactly(x + 2.0**k * direction), accept)
                if found is not None:
                    return found, 2.0**k
        return None, 0.0


def _size(x: Floats) -> float:
    return float(np.max(np.abs(x), initial=0.0))


def nearest_to_interior(floats: FloatProblem, enough: float) -> Floats | None:
    """The x on the equations whose slack is nearest to a multiple of the unit of the cone, if it is inside.

    Args:
        floats: the program.
        enough: a depth, relative to the multiple, from which other multiples are not tried.
    """
    solve = _least_squares(floats)
    if solve is None:
        return None
    at_b, at_unit = solve(np.column_stack([floats.b, floats.identity])).T
    size = max(1.0, _size(floats.b))
    best, depth = None, 1e-9
    for scale in (1.0, size, 10 * size, 1e3 * size):
        x: Floats = at_b - scale * at_unit
        inside = numeric.margin(floats.exact, floats.slack(x)) if np.all(np.isfinite(x)) else -np.inf
        if inside / scale > depth:
            best, depth = x, inside / scale
        if depth > enough:
            break
    return best


def _least_squares(floats: FloatProblem) -> Callable[[Floats], Floats] | None:
    """The map from right-hand sides r to the x with E x = r on zero rows that is least in |r - A x| on the others."""
    n, equal = len(floats.c), floats.is_equality
    k = int(equal.sum())
    regular = 1e-12
    if floats.dense is not None:
        E, C = floats.dense[equal], floats.dense[~equal]
        system = np.zeros((n + k, n + k))
        system[:n, :n], system[:n, n:], system[n:, :n] = C.T @ C, E.T, E
        system[np.arange(n + k), np.arange(n + k)] += np.where(np.arange(n + k) < n, regular, -regular)

        def solve(r: Floats) -> Floats:
            try:
                return np.linalg.solve(system, np.concatenate([C.T @ r[~equal], r[equal]]))[:n]
            except np.linalg.LinAlgError:
                return np.full((n, r.shape[1]), np.nan)

        return solve
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
    if floats.dense is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = room[:, None] / np.abs(floats.dense)
        weight = np.fmin.reduce(reach, axis=0, initial=np.inf)  # 0/0, a row that does not move, is no bound
    else:
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
