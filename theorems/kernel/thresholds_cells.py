"""What a bracket looks at: the order parameter at each control value of each size, against the level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from flint import arb, fmpq

from theorems.kernel.order import answer_le, le
from theorems.kernel.outcome import Context, KernelError, Outcome
from theorems.kernel.slopes_fit import exactly, real_ball, thinned
from theorems.kernel.thresholds_random import FIRST_LOOK, side
from theorems.kernel.values import Array

if TYPE_CHECKING:
    from theorems.kernel.thresholds import Bracket

Ends = tuple[fmpq | None, fmpq | None]


@dataclass(frozen=True, slots=True)
class Cell:
    """The order parameter at one control value: decided to be <= level (FOR), > level (AGAINST), or not."""

    at: fmpq
    outcome: Outcome


def ends_of(c: Bracket, k: int, predicted: fmpq | arb) -> Ends:
    """The bracket of the k-th size: as declared, or the control values next to the predicted threshold."""
    values = [exactly(v, "a control value") for v in c.control]
    low = c.below[k] if c.below is not None else max((v for v in values if v < predicted), default=None)
    high = c.above[k] if c.above is not None else min((v for v in values if v > predicted), default=None)
    return low, high


def complete(rows: Sequence[Ends]) -> list[tuple[fmpq, fmpq]]:
    """The brackets that have both ends."""
    return [(low, high) for low, high in rows if low is not None and high is not None]


def inside(at: fmpq, ends: Ends) -> bool:
    """Whether a control value lies strictly between the ends, where nothing is claimed."""
    low, high = ends
    return (low is None or at > low) and (high is None or at < high)


def cells(c: Bracket, k: int, ends: Ends, context: Context, level: float) -> list[Cell]:
    """The order parameter against the level, at every control value; inside the bracket only for the plot."""
    table = []
    for i, v in enumerate(c.control):
        at = exactly(v, "a control value")
        shown_only = inside(at, ends)
        if c.draw is not None:
            limit = FIRST_LOOK if shown_only else c.limit
            table.append(Cell(at, _drawn(c, k, i, replace(context, level=level), limit)))
            continue
        near = replace(context, max_bits=min(context.max_bits, 128)) if shown_only else context
        outcome = answer_le(le(_value(c, k, i, v), c.level), near)
        if isinstance(outcome.lhs, Array):
            raise KernelError(f"the order parameter at {v} is an array; one number is expected")
        table.append(Cell(at, outcome))
    return table


def _drawn(c: Bracket, k: int, i: int, context: Context, limit: int) -> Outcome:
    """The mean of a random order parameter against the level; each cell draws from substreams of its own."""
    draw, v, count = c.draw, c.control[i], len(c.control)
    if draw is None:
        raise KernelError("a random order parameter needs draw=")
    size = None if c.sizes is None else c.sizes[k]
    one = (lambda rng: draw(v, rng)) if c.sizes is None else (lambda rng: draw(v, size, rng))
    level = exactly(c.level, "level")
    support = None if c.support is None else (as_float(c.support[0]), as_float(c.support[1]))
    step = count * (1 if c.sizes is None else len(c.sizes))
    return side(one, as_float(level), support, limit, context, first=k * count + i, step=step)


def _value(c: Bracket, k: int, i: int, v: Any) -> Any:
    if callable(c.order):
        order, sizes = c.order, c.sizes
        return (lambda: order(v)) if sizes is None else (lambda: order(v, sizes[k]))
    return c.order[i] if c.sizes is None else c.order[k][i]


def points(c: Bracket, tables: Sequence[Sequence[Cell]], predicted: fmpq | arb, rows: Sequence[Ends]) -> Any:
    """For a plot: the order parameter against the control parameter by size, and the brackets."""
    series = []
    for k, table in enumerate(tables):
        name = "order parameter" if c.sizes is None else f"size {c.sizes[k]}"
        ordered = sorted(table, key=lambda cell: cell.at)
        series.append((name, thinned([(as_float(cell.at), *_bar(cell.outcome)) for cell in ordered])))
    p, ends = as_float(predicted), complete(rows)
    brackets = tuple((float(k), p, as_float(low), as_float(high)) for k, (low, high) in enumerate(ends))
    return (*series, ("threshold", brackets))


def _bar(outcome: Outcome) -> tuple[float, float, float]:
    ball = real_ball(outcome.lhs)
    return float(ball.mid()), float(ball.lower()), float(ball.upper())


def as_float(value: Any) -> float:
    """A double near an admitted real number, for display."""
    return float(real_ball(value).mid())


def shown(value: Any) -> str:
    """Six digits of an admitted real number."""
    return f"{as_float(value):.6g}"
