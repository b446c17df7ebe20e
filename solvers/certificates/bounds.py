"""Certificates of bounds on a conic program, and the exact check of each against the problem *given*.

A certificate is a hint until `check` has accepted it for a problem that the caller built. Nothing here trusts
a solver; every test is a positive one, so that an undecided ball never passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from flint import arb, arb_mat, ctx, fmpq

from solvers.certificates.cones import in_cone, in_dual_cone
from solvers.certificates.problem import ConicProblem, Row, apply_row
from solvers.certificates.rational import Number, dot, is_zero

MIN_BITS, MAX_BITS = 128, 1 << 14


class InvalidCertificate(Exception):
    """The certificate does not prove its statement about the given problem; the message says why."""


@dataclass(frozen=True)
class Solved:
    """Coordinates of a point that are defined by linear equations with ball data, instead of being listed.

    Attributes:
        unknowns: indices of the coordinates; their listed values are ignored and must be 0.
        rows: for a primal point, the rows of A that hold with equality and determine them (as many). Empty
            for a multiplier, which is determined by all n stationarity equations.
        bits: working precision of the ball arithmetic.
    """

    unknowns: tuple[int, ...]
    rows: tuple[int, ...]
    bits: int


@dataclass(frozen=True)
class PrimalPoint:
    """A feasible x: the optimum is at most `bound`, which is at least the objective at x."""

    x: tuple[fmpq, ...]
    bound: fmpq
    solved: Solved | None = None


@dataclass(frozen=True)
class DualBound:
    """A dual feasible (w, y), w only with P: the optimum is at least `bound`, at most the dual objective."""

    y: tuple[fmpq, ...]
    bound: fmpq
    w: tuple[fmpq, ...] | None = None
    solved: Solved | None = None


@dataclass(frozen=True)
class Enclosure:
    """Both: the optimum lies in [dual.bound, primal.bound]."""

    primal: PrimalPoint
    dual: DualBound


@dataclass(frozen=True)
class Infeasibility:
    """Farkas: y in K* with A^T y = 0 and b.y < 0, so that no x is feasible."""

    y: tuple[fmpq, ...]
    solved: Solved | None = None


@dataclass(frozen=True)
class Recession:
    """A direction d with -A d in K, P d = 0 and c.d < 0: the dual is infeasible.

    With a feasible point x besides, the program is unbounded below.
    """

    direction: tuple[fmpq, ...]
    x: tuple[fmpq, ...] | None = None


ConicCertificate: TypeAlias = PrimalPoint | DualBound | Enclosure | Infeasibility | Recession


@dataclass(frozen=True)
class Verified:
    """What an accepted certificate proves about the given problem.

    Attributes:
        statement: one sentence; the same facts always read the same.
        lower: a proven lower bound of the optimum, if any.
        upper: a proven upper bound, if any.
    """

    statement: str
    lower: fmpq | None = None
    upper: fmpq | None = None

    @property
    def gap(self) -> fmpq | None:
        """upper - lower, where both are proven."""
        return None if self.lower is None or self.upper is None else self.upper - self.lower


def check_conic(problem: ConicProblem, certificate: ConicCertificate) -> Verified:
    """Check a certificate against the problem, in exact arithmetic (in balls where the problem holds balls).

    Raises:
        InvalidCertificate: when a condition fails, or stays undecided in balls.
    """
    match certificate:
        case PrimalPoint():
            _check_primal(problem, certificate)
            return Verified(f"optimum <= {certificate.bound}", upper=certificate.bound)
        case DualBound():
            _check_dual(problem, certificate)
            return Verified(f"optimum >= {certificate.bound}", lower=certificate.bound)
        case Enclosure(primal=primal, dual=dual):
            _check_primal(problem, primal)
            _check_dual(problem, dual)
            return Verified(f"{dual.bound} <= optimum <= {primal.bound}", dual.bound, primal.bound)
        case Infeasibility():
            _check_infeasibility(problem, certificate)
            return Verified("infeasible")
        case Recession():
            _check_recession(problem, certificate)
            return Verified("dual infeasible" if certificate.x is None else "unbounded below")
    raise InvalidCertificate(f"{type(certificate).__name__} is no certificate for a conic program")


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise InvalidCertificate(reason)


def _require_rationals(name: str, values: Sequence[object], length: int) -> None:
    _require(len(values) == length, f"{name} has {len(values)} entries; the problem needs {length}")
    for value in values:
        if not isinstance(value, fmpq):
            raise InvalidCertificate(f"{name} holds a {type(value).__name__}; only FLINT rationals are exact here")


def primal_value(problem: ConicProblem, point: PrimalPoint) -> Number:
    """The objective at a feasible point; raises `InvalidCertificate` if feasibility is not shown."""
    m, n = problem.shape
    _require_rationals("x", point.x, n)
    with ctx.workprec(_bits(point.solved)):
        x: Sequence[Number] = point.x
        slack = problem.slack(x)
        if point.solved is not None:
            unknowns, rows = _indices(point.solved, n, m, point.x)
            equations = [_columns_of(problem.rows[i], unknowns) for i in rows]
            x = _completed(x, unknowns, equations, [slack[i] for i in rows])
            slack = [fmpq(0) if i in rows else value for i, value in enumerate(problem.slack(x))]
        _require_feasible(problem, slack)
        return problem.objective(x)


def _bits(solved: Solved | None) -> int:
    """Working precision, which matters only where the problem holds balls."""
    return MIN_BITS if solved is None else solved.bits


def _require_feasible(problem: ConicProblem, slack: Sequence[Number]) -> None:
    for k, (cone, block) in enumerate(problem.blocks()):
        _require(in_cone(cone, slack[block]), f"b - A x is not in cone {k} ({cone.kind}, order {cone.order})")


def dual_value(problem: ConicProblem, dual: DualBound) -> Number:
    """The dual objective at a feasible (w, y); raises `InvalidCertificate` if feasibility is not shown."""
    m, n = problem.shape
    _require_rationals("y", dual.y, m)
    if problem.P is None:
        _require(dual.w is None, "w is given and the objective is linear")
    else:
        _require(problem.is_convex, "the quadratic form is not positive semidefinite")
        if dual.w is None:
            raise InvalidCertificate("w is missing and the objective is quadratic")
        _require_rationals("w", dual.w, n)
    with ctx.workprec(_bits(dual.solved)):
        y = _stationary_multiplier(problem, problem.gradient(dual.w, dual.y), dual.y, dual.solved)
        _require_in_dual_cone(problem, y)
        value = problem.offset - dot(problem.b, y)
        return value if dual.w is None else value - problem.half_quadratic(dual.w)


def _check_primal(problem: ConicProblem, point: PrimalPoint) -> None:
    _require_rationals("the bound", (point.bound,), 1)
    with ctx.workprec(_bits(point.solved)):
        _require(bool(primal_value(problem, point) <= point.bound), "the objective at x exceeds the stated bound")


def _check_dual(problem: ConicProblem, dual: DualBound) -> None:
    _require_rationals("the bound", (dual.bound,), 1)
    with ctx.workprec(_bits(dual.solved)):
        _require(bool(dual_value(problem, dual) >= dual.bound), "the dual objective is below the stated bound")


def _check_infeasibility(problem: ConicProblem, farkas: Infeasibility) -> None:
    _require_rationals("y", farkas.y, problem.shape[0])
    with ctx.workprec(_bits(farkas.solved)):
        gradient = ConicProblem((fmpq(0),) * len(problem.c), problem.rows, problem.b, problem.cones).gradient(
            None, farkas.y
        )
        y = _stationary_multiplier(problem, gradient, farkas.y, farkas.solved)
        _require_in_dual_cone(problem, y)
        _require(bool(dot(problem.b, y) < 0), "b.y is not negative")


def _check_recession(problem: ConicProblem, recession: Recession) -> None:
    d = recession.direction
    _require_rationals("the direction", d, len(problem.c))
    for k, (cone, block) in enumerate(problem.blocks()):
        image = [-apply_row(row, d) for row in problem.rows[block]]
        _require(in_cone(cone, image), f"-A d is not in cone {k} ({cone.kind}, order {cone.order})")
    for row in problem.P or ():
        _require(is_zero(apply_row(row, d)), "the objective is curved along the direction")
    _require(bool(dot(problem.c, d) < 0), "the objective does not decrease along the direction")
    if recession.x is not None:
        _require_rationals("x", recession.x, len(problem.c))
        _require_feasible(problem, problem.slack(recession.x))


def _stationary_multiplier(
    problem: ConicProblem, gradient: Sequence[Number], y: tuple[fmpq, ...], solved: Solved | None
) -> Sequence[Number]:
    """y itself when the gradient vanishes; otherwise y completed so that it does."""
    if solved is None:
        for j, value in enumerate(gradient):
            if not is_zero(value):
                raise InvalidCertificate(f"P w + A^T y + c does not vanish in coordinate {j}")
        return y
    m, n = problem.shape
    unknowns, rows = _indices(solved, m, n, y)
    _require(not rows, "a multiplier is determined by all stationarity equations, not by chosen rows")
    place = {i: k for k, i in enumerate(unknowns)}
    equations: list[list[Number]] = [[fmpq(0)] * len(unknowns) for _ in range(n)]
    for i in unknowns:
        for j, value in problem.rows[i]:
            equations[j][place[i]] = value
    return _completed(y, unknowns, equations, [-value for value in gradient])


def _require_in_dual_cone(problem: ConicProblem, y: Sequence[Number]) -> None:
    for k, (cone, block) in enumerate(problem.blocks()):
        _require(
            in_dual_cone(cone, y[block]),
            f"y is not in the dual of cone {k} ({cone.kind}, order {cone.order})",
        )


def _indices(
    solved: Solved, unknowns: int, rows: int, values: Sequence[fmpq]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    for name, indices, limit in (("unknowns", solved.unknowns, unknowns), ("rows", solved.rows, rows)):
        ordered = list(indices) == sorted(set(indices))
        _require(ordered and all(0 <= i < limit for i in indices), f"{name} must increase within 0..{limit - 1}")
    _require(MIN_BITS <= solved.bits <= MAX_BITS, f"{solved.bits} bits; expected {MIN_BITS}..{MAX_BITS}")
    _require(all(values[i] == 0 for i in solved.unknowns), "a coordinate is both listed and solved for")
    return solved.unknowns, solved.rows


def _columns_of(row: Row, columns: Sequence[int]) -> list[Number]:
    entries = dict(row)
    return [entries.get(column, fmpq(0)) for column in columns]


def _completed(
    values: Sequence[fmpq],
    unknowns: Sequence[int],
    equations: Sequence[Sequence[Number]],
    right: Sequence[Number],
) -> list[Number]:
    """`values` with the unknowns replaced by balls around the unique solution of the square system."""
    k = len(unknowns)
    _require(len(equations) == k, f"{len(equations)} equations for {k} unknowns")
    completed: list[Number] = list(values)
    if k:
        matrix = arb_mat(k, k, [arb(value) for row in equations for value in row])
        try:
            solution = matrix.solve(arb_mat(k, 1, [arb(value) for value in right]))
        except ZeroDivisionError:
            raise InvalidCertificate("the defining equations are not certainly regular") from None
        for position, index in enumerate(unknowns):
            completed[index] = solution[position, 0]
            _require(completed[index].is_finite(), "the defining equations have no finite enclosure")
    return completed
