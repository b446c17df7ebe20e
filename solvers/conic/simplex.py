"""An exact simplex method on rational dictionaries, with bounds on every variable.

Program: minimise c.x over l <= x <= u, L <= A x <= U. The row activities r = A x are variables too, so a
state is a *dictionary* x_B = T x_N of m basic variables in n nonbasic ones; structural variables are numbered
0..n-1, activities n..n+m-1. Nonbasic variables sit at a bound (at 0 when free).

Feasibility follows Dutertre and de Moura (CAV 2006): repair the first violated basic variable, by Bland's
rule, until none is violated or one row proves infeasibility. Optimality is the bounded primal simplex method:
steepest coefficient, and Bland's rule as soon as a step makes no progress, so that both phases end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from flint import fmpq, fmpq_mat

Bound: TypeAlias = tuple[fmpq | None, fmpq | None]
Side: TypeAlias = Literal["lower", "upper", "free"]
ZERO = fmpq(0)


@dataclass
class Dictionary:
    """A mutable simplex state; see the module's description.

    Attributes:
        basic: the m basic variables, in the order of the rows of `table`.
        nonbasic: the n nonbasic variables, in the order of its columns.
        table: T, m rows of n entries.
        cost: reduced costs d with c.x = d.x_N, length n.
        bounds: (lower, upper) of all n+m variables.
        value: current value of each variable.
        pivots: number of pivots made.
    """

    basic: list[int]
    nonbasic: list[int]
    table: list[list[fmpq]]
    cost: list[fmpq]
    bounds: Sequence[Bound]
    value: list[fmpq]
    pivots: int = 0


@dataclass(frozen=True)
class Infeasible:
    """An equation w.(x, A x) = 0 that no values within the bounds satisfy.

    The left side is positive throughout: w_v > 0 meets the lower bound of variable v, w_v < 0 the upper one.
    """

    multipliers: dict[int, fmpq]


@dataclass(frozen=True)
class Unbounded:
    """Along `direction` (structural part, length n) the program stays feasible and improves for ever."""

    direction: dict[int, fmpq]


def start(A: fmpq_mat, c: Sequence[fmpq], bounds: Sequence[Bound]) -> Dictionary:
    """The dictionary in which all row activities are basic."""
    m, n = A.nrows(), A.ncols()
    return _settled(list(range(n, n + m)), list(range(n)), A.tolist(), list(c), bounds, {})


def start_at(
    A: fmpq_mat, c: Sequence[fmpq], bounds: Sequence[Bound], basic: Sequence[int], sides: dict[int, Side]
) -> Dictionary | None:
    """The dictionary of a given basis, or `None` when the basis is singular.

    Args:
        A: m x n.
        c: length n.
        bounds: length n+m.
        basic: m variables.
        sides: for nonbasic variables with two bounds, the one at which they sit.
    """
    m, n = A.nrows(), A.ncols()
    chosen = set(basic)
    columns, other_columns = [j for j in range(n) if j in chosen], [j for j in range(n) if j not in chosen]
    rows = [i for i in range(m) if n + i not in chosen]
    other_rows = [i for i in range(m) if n + i in chosen]
    if len(columns) != len(rows):
        return None
    entries = A.tolist()
    k, p, q = len(columns), len(other_columns), len(other_rows)

    def block(rs: list[int], cs: list[int]) -> fmpq_mat:
        return fmpq_mat(len(rs), len(cs), [entries[i][j] for i in rs for j in cs])

    # x_C = M^-1 (r_R - N x_D),  r_S = E x_C + F x_D, for M = A[R, C], N = A[R, D], E = A[S, C], F = A[S, D]
    if k:
        try:
            inverse = block(rows, columns).inv()
        except ZeroDivisionError:
            return None
        from_columns = inverse * block(rows, other_columns) * fmpq(-1) if p else fmpq_mat(k, 0)
        below = block(other_rows, columns)
        top = [a + b for a, b in zip(from_columns.tolist(), inverse.tolist())] if p else inverse.tolist()
        if q:
            left = (below * from_columns + block(other_rows, other_columns)).tolist() if p else [[]] * q
            bottom = [a + b for a, b in zip(left, (below * inverse).tolist())]
        else:
            bottom = []
        table = top + bottom
    else:
        table = block(other_rows, other_columns).tolist() if q and p else [[] for _ in range(q)]
    nonbasic = other_columns + [n + i for i in rows]
    order = columns + [n + i for i in other_rows]
    cost = [c[j] if j < n else ZERO for j in nonbasic]
    for i, v in enumerate(columns):
        if c[v] != 0:
            cost = [d + c[v] * t for d, t in zip(cost, table[i])]
    return _settled(order, nonbasic, table, cost, bounds, sides)


def _settled(
    basic: list[int],
    nonbasic: list[int],
    table: list[list[fmpq]],
    cost: list[fmpq],
    bounds: Sequence[Bound],
    sides: dict[int, Side],
) -> Dictionary:
    """Put every nonbasic variable at a bound and compute the basic ones."""
    value = [ZERO] * (len(basic) + len(nonbasic))
    for v in nonbasic:
        lower, upper = bounds[v]
        if upper is not None and (lower is None or sides.get(v) == "upper"):
            value[v] = upper
        elif lower is not None:
            value[v] = lower
    state = Dictionary(basic, nonbasic, table, cost, bounds, value)
    moved = [(j, value[v]) for j, v in enumerate(nonbasic) if value[v] != 0]
    for row, v in zip(table, basic):
        value[v] = sum((row[j] * at for j, at in moved), ZERO)
    return state


def solve(state: Dictionary) -> Infeasible | Unbounded | None:
    """Run both phases in place; `None` means that the dictionary is now optimal."""
    return _make_feasible(state) or _optimise(state)


def _violated(state: Dictionary) -> tuple[int, bool] | None:
    """The basic variable of smallest number that is outside its bounds, as (row, too low)."""
    worst: tuple[int, int, bool] | None = None
    for i, v in enumerate(state.basic):
        lower, upper = state.bounds[v]
        low = lower is not None and state.value[v] < lower
        if (low or (upper is not None and state.value[v] > upper)) and (worst is None or v < worst[0]):
            worst = (v, i, low)
    return None if worst is None else worst[1:]


def _can_move(state: Dictionary, v: int, upwards: bool) -> bool:
    lower, upper = state.bounds[v]
    if upwards:
        return upper is None or state.value[v] < upper
    return lower is None or state.value[v] > lower


def _make_feasible(state: Dictionary) -> Infeasible | None:
    while (found := _violated(state)) is not None:
        i, low = found
        v, row = state.basic[i], state.table[i]
        candidates = [
            (u, j) for j, u in enumerate(state.nonbasic) if row[j] != 0 and _can_move(state, u, (row[j] > 0) == low)
        ]
        if not candidates:
            sign = fmpq(1 if low else -1)
            return Infeasible({v: sign, **{u: -sign * row[j] for j, u in enumerate(state.nonbasic) if row[j] != 0}})
        _, j = min(candidates)
        target = state.bounds[v][0 if low else 1]
        _shift(state, j, (target - state.value[v]) / row[j])
        state.value[v] = target
        _pivot(state, i, j)
    return None


def _entering(state: Dictionary, bland: bool) -> tuple[int, bool] | None:
    """A nonbasic column whose move improves the objective, as (column, upwards)."""
    best: tuple[fmpq, int, bool] | None = None
    for j, v in enumerate(state.nonbasic):
        d = state.cost[j]
        if d == 0 or not _can_move(state, v, d < 0):
            continue
        key = fmpq(v) if bland else -abs(d)
        if best is None or key < best[0]:
            best = (key, j, bool(d < 0))
    return None if best is None else best[1:]


def _optimise(state: Dictionary) -> Unbounded | None:
    bland = False
    while (entering := _entering(state, bland)) is not None:
        j, upwards = entering
        v = state.nonbasic[j]
        lower, upper = state.bounds[v]
        other = upper if upwards else lower
        step: fmpq | None = None if other is None else abs(other - state.value[v])
        leaving: tuple[int, int, fmpq] | None = None
        for i, u in enumerate(state.basic):
            slope = state.table[i][j] if upwards else -state.table[i][j]
            if slope == 0:
                continue
            limit = state.bounds[u][1 if slope > 0 else 0]
            if limit is None:
                continue
            length = (limit - state.value[u]) / slope
            tie = leaving is not None and length == step and u < leaving[0]
            if step is None or length < step or tie:
                step, leaving = length, (u, i, limit)
        if step is None:
            return Unbounded(_direction(state, j, upwards))
        bland = step == 0
        _shift(state, j, step if upwards else -step)
        if leaving is not None:
            u, i, limit = leaving
            state.value[u] = limit
            _pivot(state, i, j)
    return None


def _direction(state: Dictionary, j: int, upwards: bool) -> dict[int, fmpq]:
    sign = fmpq(1 if upwards else -1)
    moved = {v: sign * state.table[i][j] for i, v in enumerate(state.basic) if state.table[i][j] != 0}
    return {state.nonbasic[j]: sign, **moved}


def _shift(state: Dictionary, j: int, step: fmpq) -> None:
    """Move nonbasic column j by `step` and the basic variables with it."""
    if step == 0:
        return
    state.value[state.nonbasic[j]] += step
    for row, v in zip(state.table, state.basic):
        if row[j] != 0:
            state.value[v] += row[j] * step


def _pivot(state: Dictionary, i: int, j: int) -> None:
    """Exchange basic row i and nonbasic column j."""
    inverse = 1 / state.table[i][j]
    row = [-t * inverse if t != 0 else t for t in state.table[i]]
    row[j] = inverse
    state.table[i] = row
    support = [k for k, t in enumerate(row) if t != 0 and k != j]
    for line in (*state.table[:i], *state.table[i + 1 :], state.cost):
        factor = line[j]
        if factor != 0:
            for k in support:
                line[k] += factor * row[k]
            line[j] = factor * inverse
    state.basic[i], state.nonbasic[j] = state.nonbasic[j], state.basic[i]
    state.pivots += 1
