"""Finite zero-sum games and total-variation balls, exactly.

`matrix_game` solves a rational matrix game by exact linear programming. For payoffs that are only known as balls,
`nearly_optimal` proposes rational strategies and `guarantees` evaluates what they guarantee: whatever the strategies,
the value lies between the two guarantees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flint import arb, fmpq, fmpz

from solvers.conic import lp

Payoff = Any  # fmpq, or an arb ball


@dataclass(frozen=True)
class GameSolution:
    """An equilibrium of a rational matrix game.

    Attributes:
        value: what the row player gets.
        row: mixed strategy of the row player (maximizer), rationals that sum to 1.
        column: mixed strategy of the column player (minimizer).
    """

    value: fmpq
    row: tuple[fmpq, ...]
    column: tuple[fmpq, ...]


def matrix_game(payoffs: Sequence[Sequence[fmpq | int]]) -> GameSolution:
    """Solve max over mixed rows of min over mixed columns of x^T A y, exactly.

    Args:
        payoffs: A, at least one row and one column, all rows equally long, exact entries.

    Returns:
        Value and optimal strategies: min_j (x^T A)_j = max_i (A y)_i = value.

    Raises:
        ValueError: for an empty or ragged matrix.
    """
    rows, columns = _shape(payoffs)
    constraints = [[*(-payoffs[i][j] for i in range(rows)), 1] for j in range(columns)]
    solution = lp(
        [*[0] * rows, -1],
        constraints,
        [0] * columns,
        [[*[1] * rows, 0]],
        [1],
        [*[(0, None)] * rows, (None, None)],
    )
    if solution.value is None:
        raise ValueError(f"a matrix game has a value, but its linear program is {solution.status}")
    return GameSolution(-solution.value, solution.x[:rows], solution.y_ub)


def guarantees(
    payoffs: Sequence[Sequence[Payoff]], row: Sequence[fmpq], column: Sequence[fmpq]
) -> tuple[Payoff, Payoff]:
    """What two mixed strategies guarantee: (min_j (x^T A)_j, max_i (A y)_i), with lower <= value <= upper.

    Args:
        payoffs: A, m x n, rationals or balls.
        row: x, m non-negative rationals that sum to 1.
        column: y, n non-negative rationals that sum to 1.

    Raises:
        ValueError: for strategies that are no probability vectors of these lengths.
    """
    m, n = _shape(payoffs)
    for name, mixed, length in (("row", row, m), ("column", column, n)):
        if len(mixed) != length or min(mixed) < 0 or sum(mixed, fmpq(0)) != 1:
            raise ValueError(f"the {name} strategy must be {length} non-negative rationals that sum to 1")
    played, answered = [i for i in range(m) if row[i] != 0], [j for j in range(n) if column[j] != 0]
    low = [_total(row[i] * payoffs[i][j] for i in played) for j in range(n)]
    high = [_total(column[j] * payoffs[i][j] for j in answered) for i in range(m)]
    return least(low), greatest(high)


def nearly_optimal(payoffs: Sequence[Sequence[Payoff]], digits: int = 12) -> GameSolution:
    """Exact equilibrium of the game whose payoffs are rounded to `digits` decimals.

    Its strategies guarantee the value of the true game up to 2 * 10^-digits plus twice the largest radius. The `value`
    is that of the rounded game.
    """
    return matrix_game([[_rounded(a, digits) for a in line] for line in payoffs])


def least(values: Sequence[Payoff]) -> Payoff:
    """The minimum of rationals or balls (of balls: a ball that contains it)."""
    best = values[0]
    for v in values[1:]:
        best = best.min(v) if isinstance(best, arb) else min(best, v)
    return best


def greatest(values: Sequence[Payoff]) -> Payoff:
    """The maximum of rationals or balls (of balls: a ball that contains it)."""
    best = values[0]
    for v in values[1:]:
        best = best.max(v) if isinstance(best, arb) else max(best, v)
    return best


def tv_vertices(p: Sequence[fmpq], eps: fmpq) -> tuple[tuple[fmpq, ...], ...]:
    """Points of N = {v in the simplex : (1/2) sum |v_i - p_i| <= eps} that include all its vertices.

    At a vertex one receiver j gets everything that is removed, a set of other tokens is emptied, and at most one
    further token gives the rest: two receivers, or two tokens emptied in part, could trade in both directions, and a
    point with unused budget is a vertex of the simplex. So the minimum of a concave function over N is attained at one
    of these points.

    Args:
        p: a probability vector of rationals, length d >= 1.
        eps: radius > 0.

    Returns:
        Distinct points of N, at most d (d - 1) 2^(d-2) + d of them.

    Raises:
        ValueError: when p is no probability vector or eps <= 0.
    """
    if eps <= 0 or min(p) < 0 or sum(p, fmpq(0)) != 1:
        raise ValueError("a ball needs a probability vector of rationals as its centre, and a positive radius")
    found = []
    for receiver in range(len(p)):
        others = [i for i in range(len(p)) if i != receiver and p[i] > 0]
        for emptied, rest in _emptied(p, others, eps):
            givers = [i for i in others if i not in emptied]
            if rest == 0 or not givers:
                found.append(_moved(p, receiver, emptied, None, fmpq(0)))
            else:
                found.extend(_moved(p, receiver, emptied, i, rest) for i in givers if p[i] > rest)
    return tuple(found)


def _emptied(p: Sequence[fmpq], others: Sequence[int], budget: fmpq) -> Iterator[tuple[frozenset[int], fmpq]]:
    """Sets of tokens that the budget can empty, with what is left of it."""
    stack: list[tuple[int, frozenset[int], fmpq]] = [(0, frozenset(), budget)]
    while stack:
        at, chosen, rest = stack.pop()
        if at == len(others):
            yield chosen, rest
            continue
        stack.append((at + 1, chosen, rest))
        if p[others[at]] <= rest:
            stack.append((at + 1, chosen | {others[at]}, rest - p[others[at]]))


def _moved(
    p: Sequence[fmpq], receiver: int, emptied: frozenset[int], giver: int | None, rest: fmpq
) -> tuple[fmpq, ...]:
    v = [fmpq(0) if i in emptied else m for i, m in enumerate(p)]
    if giver is not None:
        v[giver] -= rest
    v[receiver] += 1 - sum(v, fmpq(0))
    return tuple(v)


def _shape(payoffs: Sequence[Sequence[Payoff]]) -> tuple[int, int]:
    lengths = {len(line) for line in payoffs}
    if len(lengths) != 1 or 0 in lengths:
        raise ValueError("a payoff matrix has at least one row and one column, and rows of equal length")
    return len(payoffs), lengths.pop()


def _total(terms: Iterator[Payoff]) -> Payoff:
    total: Payoff = fmpq(0)
    for t in terms:
        total = t + total
    return total


def _rounded(a: Payoff, digits: int) -> fmpq:
    scale = fmpz(10) ** digits
    if isinstance(a, arb):
        return fmpq((a.mid() * arb(scale)).mid().floor().unique_fmpz(), scale)
    q = fmpq(a) * scale
    return fmpq(q.p // q.q, scale)
