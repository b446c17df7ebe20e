"""Exact linear programming: the optimum as a rational number, with a certificate of gap 0.

HiGHS proposes a basis, exact linear algebra tests it, exact simplex pivots repair it where it is not optimal
(small programs skip HiGHS). The answer does not depend on HiGHS; only the number of pivots does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from flint import fmpq, fmpq_mat

from solvers.certificates import (
    ConicCertificate,
    ConicProblem,
    DualBound,
    Enclosure,
    Infeasibility,
    PrimalPoint,
    Recession,
    check,
    nonneg,
    zero,
)
from solvers.certificates.problem import Row, sparse_rows
from solvers.certificates.rational import rational
from solvers.conic import simplex
from solvers.conic.rounding import to_float
from solvers.conic.simplex import Bound, Side

HIGHS_FROM = 100
"""Programs with at least this many entries (m + n) n start at the basis that HiGHS proposes."""

Status = Literal["optimal", "infeasible", "unbounded"]


@dataclass(frozen=True)
class LinearSolution:
    """The exact answer of `lp`.

    The multipliers satisfy c + A_ub^T y_ub + A_eq^T y_eq - y_lower + y_upper = 0 with y_ub, y_lower, y_upper
    >= 0, and value = -b_ub.y_ub - b_eq.y_eq + l.y_lower - u.y_upper.

    Attributes:
        status: `optimal`, `infeasible` or `unbounded` (below).
        value: the optimum, `None` unless optimal.
        x: a vertex at which it is attained (where the feasible set has vertices), a feasible point if
            unbounded, empty if infeasible.
        y_ub, y_eq, y_lower, y_upper: optimal multipliers; empty unless optimal.
        problem: the same program in standard form, rows in the order equalities, inequalities, lower bounds,
            upper bounds.
        certificate: accepted for `problem`: an `Enclosure` of gap 0, an `Infeasibility`, or a `Recession`
            with a point.
        basic: the basic variables of the last dictionary (x_j is j, the activity of row i of (A_ub, A_eq) is
            n + i).
        pivots: exact pivots that were needed.
    """

    status: Status
    value: fmpq | None
    x: tuple[fmpq, ...]
    y_ub: tuple[fmpq, ...]
    y_eq: tuple[fmpq, ...]
    y_lower: tuple[fmpq, ...]
    y_upper: tuple[fmpq, ...]
    problem: ConicProblem
    certificate: ConicCertificate
    basic: tuple[int, ...]
    pivots: int


def lp(
    c: Iterable[object],
    A_ub: object = None,
    b_ub: Iterable[object] = (),
    A_eq: object = None,
    b_eq: Iterable[object] = (),
    bounds: object = (0, None),
) -> LinearSolution:
    """Minimise c.x subject to A_ub x <= b_ub, A_eq x = b_eq and bounds, exactly.

    Args:
        c: length n, exact numbers (`int`, `Fraction`, `fmpq`, strings like "1/10"; no floats).
        A_ub: rows of n numbers or an `fmpq_mat`; `None` for no inequality.
        b_ub: one number per row of A_ub.
        A_eq: as A_ub, for equalities.
        b_eq: one number per row of A_eq.
        bounds: one pair (l, u) for all variables or n pairs; `None` means unbounded. The default, as in
            `scipy.optimize.linprog`, is x >= 0.

    Returns:
        The exact optimum, checked by `solvers.certificates`.

    Raises:
        TypeError: for floats. ValueError: for shapes that do not fit.
    """
    data = _read(c, A_ub, b_ub, A_eq, b_eq, bounds)
    for j, (lower, upper) in enumerate(data.bounds):
        if lower is not None and upper is not None and lower > upper:
            return _infeasible(data, {j: fmpq(1)}, {j: fmpq(1)}, (), 0)
    state = _hinted(data) or simplex.start(data.A, data.c, data.bounds)
    outcome = simplex.solve(state)
    basic = tuple(state.basic)
    if isinstance(outcome, simplex.Infeasible):
        low, high = _sides(outcome.multipliers)
        return _infeasible(data, low, high, basic, state.pivots)
    n = len(data.c)
    x = tuple(state.value[:n])
    if isinstance(outcome, simplex.Unbounded):
        direction = tuple(outcome.direction.get(j, fmpq(0)) for j in range(n))
        return _solution(data, "unbounded", x, {}, {}, Recession(direction, x), basic, state.pivots)
    low, high = _sides({v: d for v, d in zip(state.nonbasic, state.cost) if d != 0})
    value = sum((a * b for a, b in zip(data.c, x)), fmpq(0))
    enclosure = Enclosure(PrimalPoint(x, value), DualBound(_conic_multiplier(data, low, high), value))
    return _solution(data, "optimal", x, low, high, enclosure, basic, state.pivots)


@dataclass(frozen=True)
class _Data:
    """A is (A_ub, A_eq) stacked; `bounds` speaks of the n variables, then of the activities."""

    c: tuple[fmpq, ...]
    A: fmpq_mat
    rows: tuple[Row, ...]
    inequalities: int
    bounds: tuple[Bound, ...]
    problem: ConicProblem
    lower: tuple[int, ...]
    upper: tuple[int, ...]


def _read(
    c: Iterable[object],
    A_ub: object,
    b_ub: Iterable[object],
    A_eq: object,
    b_eq: Iterable[object],
    bounds: object,
) -> _Data:
    objective = tuple(rational(value) for value in c)
    n = len(objective)
    if n == 0:
        raise ValueError("a linear program needs at least one variable")
    ub = sparse_rows([] if A_ub is None else A_ub, n)
    eq = sparse_rows([] if A_eq is None else A_eq, n)
    right_ub, right_eq = [rational(value) for value in b_ub], [rational(value) for value in b_eq]
    for name, rows, right in (("ub", ub, right_ub), ("eq", eq, right_eq)):
        if len(rows) != len(right):
            raise ValueError(f"A_{name} has {len(rows)} rows and b_{name} has {len(right)} entries")
    pairs = _pairs(bounds, n)
    A = fmpq_mat(len(ub) + len(eq), n)
    for i, row in enumerate((*ub, *eq)):
        for j, value in row:
            A[i, j] = value
    lower = tuple(j for j, (l, _) in enumerate(pairs) if l is not None)
    upper = tuple(j for j, (_, u) in enumerate(pairs) if u is not None)
    inequalities = len(ub) + len(lower) + len(upper)
    problem = ConicProblem(
        objective,
        (*eq, *ub, *(((j, fmpq(-1)),) for j in lower), *(((j, fmpq(1)),) for j in upper)),
        (
            *right_eq,
            *right_ub,
            *(-l for l, _ in pairs if l is not None),
            *(u for _, u in pairs if u is not None),
        ),
        (*([zero(len(eq))] if eq else []), *([nonneg(inequalities)] if inequalities else [])),
    )
    activities: list[Bound] = [(None, r) for r in right_ub] + [(r, r) for r in right_eq]
    return _Data(objective, A, (*ub, *eq), len(ub), (*pairs, *activities), problem, lower, upper)


def _pairs(bounds: object, n: int) -> list[Bound]:
    given: list[Any] = list(bounds) if isinstance(bounds, Sequence) else []
    if len(given) == 2 and all(not isinstance(end, tuple | list) for end in given):
        given = [tuple(given)] * n
    if len(given) != n or any(len(pair) != 2 for pair in given):
        raise ValueError(f"bounds are one pair (l, u) or {n} pairs, with None for a missing bound")
    return [(None if l is None else rational(l), None if u is None else rational(u)) for l, u in given]


def _sides(multipliers: dict[int, fmpq]) -> tuple[dict[int, fmpq], dict[int, fmpq]]:
    """Split multipliers: w_v > 0 meets the lower bound of variable v, w_v < 0 the upper one."""
    low = {v: w for v, w in multipliers.items() if w > 0}
    high = {v: -w for v, w in multipliers.items() if w < 0}
    return low, high


def _conic_multiplier(data: _Data, low: dict[int, fmpq], high: dict[int, fmpq]) -> tuple[fmpq, ...]:
    none, n, m = fmpq(0), len(data.c), len(data.rows)
    signed = [high.get(n + i, none) - low.get(n + i, none) for i in range(m)]
    return (
        *signed[data.inequalities :],
        *signed[: data.inequalities],
        *(low.get(j, none) for j in data.lower),
        *(high.get(j, none) for j in data.upper),
    )


def _infeasible(
    data: _Data, low: dict[int, fmpq], high: dict[int, fmpq], basic: tuple[int, ...], pivots: int
) -> LinearSolution:
    farkas = Infeasibility(_conic_multiplier(data, low, high))
    return _solution(data, "infeasible", (), {}, {}, farkas, basic, pivots)


def _solution(
    data: _Data,
    status: Status,
    x: tuple[fmpq, ...],
    low: dict[int, fmpq],
    high: dict[int, fmpq],
    certificate: ConicCertificate,
    basic: tuple[int, ...],
    pivots: int,
) -> LinearSolution:
    check(data.problem, certificate)
    if status != "optimal":
        return LinearSolution(status, None, x, (), (), (), (), data.problem, certificate, basic, pivots)
    none, n, k = fmpq(0), len(data.c), data.inequalities
    signed = [high.get(n + i, none) - low.get(n + i, none) for i in range(len(data.rows))]
    value = sum((a * b for a, b in zip(data.c, x)), none)
    return LinearSolution(
        status,
        value,
        x,
        tuple(signed[:k]),
        tuple(signed[k:]),
        tuple(low.get(j, none) for j in range(n)),
        tuple(high.get(j, none) for j in range(n)),
        data.problem,
        certificate,
        basic,
        pivots,
    )


def _hinted(data: _Data) -> simplex.Dictionary | None:
    """The dictionary at the basis that HiGHS ends with, or `None` (small program, no or singular basis)."""
    m, n = len(data.rows), len(data.c)
    if m == 0 or (m + n) * n < HIGHS_FROM:
        return None
    try:
        basis = _highs_basis(data)
    except OverflowError:  # a coefficient outside the range of doubles
        return None
    if basis is None:
        return None
    basic, sides = basis
    return simplex.start_at(data.A, data.c, data.bounds, basic, sides)


@cache
def _highs() -> Any:
    import highspy

    class QuietHighs(highspy.Highs):
        def enableCallbacks(self) -> None:  # enabling them prints a banner before any option can be set
            self.setOptionValue("output_flag", False)

    solver: Any = QuietHighs()  # type: ignore[no-untyped-call]
    for option, value in (("output_flag", False), ("presolve", "off"), ("solver", "simplex"), ("threads", 1)):
        solver.setOptionValue(option, value)
    return solver


def _highs_basis(data: _Data) -> tuple[list[int], dict[int, Side]] | None:
    import highspy
    import numpy as np

    n, infinity = len(data.c), highspy.kHighsInf
    ends = [(-infinity if l is None else to_float(l), infinity if u is None else to_float(u)) for l, u in data.bounds]
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = n, len(data.rows)
    model.col_cost_ = np.array([to_float(value) for value in data.c])
    model.col_lower_, model.col_upper_ = (
        np.array([l for l, _ in ends[:n]]),
        np.array([u for _, u in ends[:n]]),
    )
    model.row_lower_, model.row_upper_ = (
        np.array([l for l, _ in ends[n:]]),
        np.array([u for _, u in ends[n:]]),
    )
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = np.cumsum([0, *(len(row) for row in data.rows)])
    model.a_matrix_.index_ = np.array([j for row in data.rows for j, _ in row], dtype=np.int32)
    model.a_matrix_.value_ = np.array([to_float(value) for row in data.rows for _, value in row])
    solver = _highs()
    if solver.passModel(model) == highspy.HighsStatus.kError:
        return None
    solver.run()
    basis = solver.getBasis()
    if not basis.valid:
        return None
    statuses = [*basis.col_status, *basis.row_status]
    basic = [v for v, status in enumerate(statuses) if status == highspy.HighsBasisStatus.kBasic]
    sides: dict[int, Side] = {
        v: "upper" for v, status in enumerate(statuses) if status == highspy.HighsBasisStatus.kUpper
    }
    return basic, sides
