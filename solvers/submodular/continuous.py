"""Continuous greedy over the extended matroid's polytope, and pipage rounding, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Sequence

from flint import fmpq

from solvers.submodular.coverage import Coverage, Point
from solvers.submodular.fairness import FairnessMatroid

ZERO, ONE = fmpq(0), fmpq(1)


def continuous_greedy(
    f: Coverage,
    group: Sequence[int],
    matroid: FairnessMatroid,
    beta: int,
    delta: fmpq,
    *,
    stale: bool = False,
    capped: bool = True,
) -> list[fmpq]:
    """beta/delta rounds, each of which moves along a base of the matroid that is built greedily at the moving point.

    In a round, the next element maximises min(delta, 1 - x_e) dF/dx_e at the current x among those that keep the round's
    base in the matroid, and x_e grows by min(delta, 1 - x_e) at once.

    Args:
        f, group: the function and the group of each element.
        matroid: the fairness matroid (not its extension).
        beta: how often the matroid is used, a positive integer.
        delta: the step, with beta / delta an integer.
        stale: take the gradient at the start of the round instead (a wrong algorithm).
        capped: False moves by delta whatever x_e is (a wrong algorithm).

    Returns:
        A point of the polytope of the beta-extension.

    Raises:
        ValueError: if beta / delta is no integer.
    """
    rounds = beta / delta
    if rounds.q != 1:
        raise ValueError(f"continuous_greedy: beta/delta = {rounds} is not an integer")
    point = Point(f, [ZERO] * f.size)
    for _ in range(int(rounds.p)):
        counts = [0] * matroid.groups
        rest = list(range(f.size))
        frozen = [point.slope(e) for e in rest] if stale else None
        while True:
            best, best_gain = -1, ZERO
            for e in rest:
                if not matroid.grows(counts, group[e]):
                    continue
                step = min(delta, ONE - point.x[e]) if capped else delta
                gain = step * (point.slope(e) if frozen is None else frozen[e])
                if best < 0 or gain > best_gain:
                    best, best_gain = e, gain
            if best < 0:
                break
            point.add(best, min(delta, ONE - point.x[best]) if capped else delta)
            rest.remove(best)
            counts[group[best]] += 1
    return point.x


def filled_up(x: Sequence[fmpq], group: Sequence[int], extended: FairnessMatroid) -> list[fmpq]:
    """Coordinates raised (up to 1) until the group sums reach the lower bounds and x sums to the size of a base.

    Raises:
        ValueError: if a group has too few elements.
    """
    y = list(x)
    sums = [sum((t for t, g in zip(y, group) if g == c), ZERO) for c in range(extended.groups)]
    for bounds in (extended.lower, extended.upper):
        for e, c in enumerate(group):
            room = min(ONE - y[e], bounds[c] - sums[c], extended.size - sum(sums, ZERO))
            if room > 0:
                y[e] += room
                sums[c] += room
    if sum(sums, ZERO) != extended.size:
        raise ValueError(f"no base of {extended} lies above the point: a group is too small")
    return y


def pipage(f: Coverage, x: Sequence[fmpq], group: Sequence[int]) -> tuple[list[int], list[fmpq]]:
    """An integral point whose value is at least F(x), reached by moves along e_a - e_b on which F is convex.

    The two coordinates are fractional ones of one group while there are such, then of two groups: group sums that lie
    between integers stay between them.

    Args:
        f: the function.
        x: a point of [0, 1]^n with an integral sum.
        group: the group of each element.

    Returns:
        The set, and F at the start and after every move.

    Raises:
        ValueError: if the sum of x is no integer.
    """
    if sum(x, ZERO).q != 1:
        raise ValueError(f"pipage: the sum {sum(x, ZERO)} of the coordinates is not an integer")
    point = Point(f, x)
    values = [point.value]
    while pair := _fractional_pair(point.x, group):
        a, b = pair
        up = min(ONE - point.x[a], point.x[b])
        down = min(point.x[a], ONE - point.x[b])
        _exchange(point, a, b, up)
        above = point.value
        _exchange(point, a, b, -up - down)
        if above >= point.value:
            _exchange(point, a, b, up + down)
        values.append(point.value)
    return [e for e, t in enumerate(point.x) if t == 1], values


def _exchange(point: Point, a: int, b: int, t: fmpq) -> None:
    point.add(a, t)
    point.add(b, -t)


def _fractional_pair(x: Sequence[fmpq], group: Sequence[int]) -> tuple[int, int] | None:
    fractional = [e for e, t in enumerate(x) if t.q != 1]
    seen: dict[int, int] = {}
    for e in fractional:
        if group[e] in seen:
            return seen[group[e]], e
        seen[group[e]] = e
    return (fractional[0], fractional[1]) if fractional else None
