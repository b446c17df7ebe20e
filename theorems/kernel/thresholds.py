"""A phase transition: an order parameter is on one side of a level below a threshold, on the other above it.

A threshold is bracketed, not fitted. For every control value up to the lower end of the bracket the order
parameter is decided to lie on its first side, for every one from the upper end on, on its second side, and
the predicted threshold lies between. Where the transition sharpens with a size, each size has its bracket
and the widths shrink.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from flint import arb, fmpq

from theorems.kernel.order import answer_le, lt
from theorems.kernel.outcome import Context, Decision, Evidence, KernelError, Outcome, up
from theorems.kernel.precision import working_precision
from theorems.kernel.slopes import answer_slope, slope
from theorems.kernel.slopes_fit import counted, exactly, positive, readings, real_ball
from theorems.kernel.thresholds_cells import (
    Cell,
    Ends,
    cells,
    complete,
    ends_of,
    inside,
    points,
    shown,
)


@dataclass(frozen=True, slots=True)
class Bracket:
    """The order parameter passes `level` between `below` and `above`, about `predicted`; see `bracket`."""

    predicted: Any
    control: tuple[Any, ...]
    order: Any
    level: Any
    below: tuple[fmpq, ...] | None
    above: tuple[fmpq, ...] | None
    rising: bool
    sizes: tuple[Any, ...] | None
    shrinks: Any
    widths: Any
    draw: Callable[..., Any] | None = None
    support: tuple[fmpq, fmpq] | None = None
    limit: int = 0


def bracket(
    predicted: Any,
    control: Sequence[Any],
    order: Any = None,
    *,
    level: Any,
    below: Any = None,
    above: Any = None,
    rising: bool = True,
    sizes: Sequence[Any] | None = None,
    shrinks: Any = None,
    widths: Any = None,
    draw: Callable[..., Any] | None = None,
    support: tuple[Any, Any] | None = None,
    limit: int = 4096,
) -> Bracket:
    """An order parameter passes `level` at the threshold `predicted`, to within the bracket [below, above].

    Args:
        predicted: the threshold (a value or a thunk).
        control: at least two distinct exact values of the control parameter.
        order: the order parameter: `order(c)` (with sizes, `order(c, size)`) returns a value, evaluated
            anew as the precision grows; or the values themselves (or thunks), one for each control value
            (with sizes, one such list for each size).
        level: what the order parameter is compared with: a rising one is <= level below the threshold and >
            level above it, a falling one the other way round.
        below, above: ends of the bracket, control values themselves; with sizes, one for all or one for
            each size. Left out, they are the control values next to `predicted`. Control values in between
            decide nothing.
        rising: whether the order parameter rises through `level` with the control parameter.
        sizes: increasing sizes of the family, when the transition is looked at for several.
        shrinks: with sizes: True if the widths of the transition decrease strictly with the size, or an
            exact pair (s, within) if they decrease at least like size^s, s < 0 (see `slope`).
        widths: the widths meant by `shrinks`, one for each size (default: above - below).
        draw: a random order parameter, whose mean or probability is compared: `draw(c, rng)` (with sizes,
            `draw(c, size, rng)`) returns a float, a bool or a 1-D block of them. The level of the comparison
            is split evenly over the control values outside the bracket (and over sizes).
        support: exact bounds of the draws: `statistical`, as events are without it; otherwise `empirical`.
        limit: largest number of draws at each control value, >= 64; far from the threshold fewer are used.

    Raises:
        KernelError: for arguments that make no claim, with advice.
    """
    values = [exactly(c, "a control value") for c in control]
    if len(set(values)) < max(2, len(values)):
        raise KernelError(f"control={_shown(values)}: give at least two control values, each once")
    names = tuple(sizes) if sizes is not None else None
    if names is not None:
        if len(names) < 2 or any(exactly(a, "a size") >= exactly(b, "a size") for a, b in pairwise(names)):
            raise KernelError(f"sizes={names}: give at least two sizes, increasing")
    elif shrinks is not None or widths is not None:
        raise KernelError("shrinks= and widths= compare sizes; give sizes=...")
    if widths is not None and shrinks is None:
        raise KernelError("widths= are what shrinks= is about; give shrinks=True or shrinks=(exponent, within)")
    if (order is None) == (draw is None):
        raise KernelError("bracket(...) takes the order parameter as `order`, or a random one by `draw=`: one of them")
    if draw is None and support is not None:
        raise KernelError("support= belongs to a random order parameter (draw=...)")
    if draw is None and not callable(order):
        _table(order, len(values), names)
    count = len(names) if names is not None else 1
    low, high = _ends("below", below, count, values), _ends("above", above, count, values)
    if low is not None and high is not None:
        for a, b in zip(low, high):
            if a >= b:
                raise KernelError(f"below={a} is not less than above={b}")
    return Bracket(
        predicted,
        tuple(control),
        order,
        level,
        low,
        high,
        bool(rising),
        names,
        _rate(shrinks),
        widths,
        draw,
        _support(support),
        counted(limit, "limit", 64),
    )


def _table(order: Any, count: int, sizes: tuple[Any, ...] | None) -> None:
    rows = [order] if sizes is None else order
    if not hasattr(order, "__len__") or (sizes is not None and len(rows) != len(sizes)):
        raise KernelError("order: give a function of the control value, or one list of values for each size")
    for row in rows:
        if not hasattr(row, "__len__") or len(row) != count:
            raise KernelError(f"order: {count} control values need as many values of the order parameter")


def _ends(name: str, given: Any, count: int, control: Sequence[fmpq]) -> tuple[fmpq, ...] | None:
    if given is None:
        return None
    ends = tuple(exactly(e, name) for e in (given if isinstance(given, (list, tuple)) else [given] * count))
    if len(ends) != count:
        raise KernelError(f"{name}: {len(ends)} ends for {count} sizes; give one for all, or one for each")
    for e in ends:
        if e not in control:
            raise KernelError(f"{name}={e} is no control value; the order parameter must be seen at the ends")
    return ends


def _support(support: Any) -> tuple[fmpq, fmpq] | None:
    if support is None:
        return None
    low, high = (exactly(e, "support") for e in support)
    if low >= high:
        raise KernelError(f"support={support}: the lower bound comes first")
    return low, high


def _rate(shrinks: Any) -> Any:
    if shrinks is None or shrinks is True:
        return shrinks
    if isinstance(shrinks, (tuple, list)) and len(shrinks) == 2:
        exponent, within = exactly(shrinks[0], "shrinks"), positive(shrinks[1], "shrinks")
        if exponent < 0:
            return exponent, within
    raise KernelError(f"shrinks={shrinks!r}: accepted are True and an exact pair (negative exponent, within)")


def answer_bracket(c: Bracket, context: Context) -> Outcome:
    """Decide a threshold; see `bracket`.

    Against, when at some control value on one side of the predicted threshold the order parameter is
    decided to lie on the other side of the level, or when the widths do not shrink as claimed.

    Returns:
        `lhs` is the predicted threshold, `rhs` the narrowest bracket. The evidence is the weakest of what
        was used; the resolution is the width of the narrowest bracket, in units of the control parameter.
    """
    reading = next(readings([c.predicted], [0], context))
    with working_precision(reading.bits):
        predicted = reading.left[0] if type(reading.left[0]) is fmpq else real_ball(reading.left[0])
        rows = [ends_of(c, k, predicted) for k in range(len(c.sizes) if c.sizes is not None else 1)]
        narrow = min(complete(rows), key=lambda ends: ends[1] - ends[0], default=None)
        moved = predicted if narrow is None else _moved(predicted, *narrow, context.shift)
    plain = replace(context, shift=fmpq(0))
    control = [exactly(v, "a control value") for v in c.control]
    tested = sum(not inside(v, ends) for ends in rows for v in control)
    tables = [cells(c, k, ends, plain, context.level / max(tested, 1)) for k, ends in enumerate(rows)]
    parts: list[Outcome] = []
    with working_precision(reading.bits):
        for k, (ends, table) in enumerate(zip(rows, tables)):
            where = "" if c.sizes is None else f" at size {c.sizes[k]}"
            parts.append(_judged(c, table, ends, moved, where))
    if c.shrinks is not None:
        parts.append(_sharper(c, rows, plain))
    rank = {Decision.AGAINST: 0, Decision.UNDECIDED: 1, Decision.FOR: 2}
    worst = min(parts, key=lambda o: (rank[o.decision], o.margin or 0.0))
    decided = worst.decision is Decision.FOR
    seen = [o.evidence for o in parts] if decided else [worst.evidence]
    return Outcome(
        worst.decision, min(reading.evidence, *seen), moved,
        "" if narrow is None else f"[{narrow[0]}, {narrow[1]}]", worst.margin,
        up(narrow[1] - narrow[0]) if narrow is not None and decided else None, worst.reason,
        samples=sum(cell.outcome.samples for table in tables for cell in table),
        level=context.level if c.draw is not None else 0.0,
        points=points(c, tables, moved, rows),
    )  # fmt: skip


def _moved(predicted: fmpq | arb, low: fmpq, high: fmpq, shift: fmpq) -> fmpq | arb:
    """The predicted threshold moved by `shift` towards the nearer end of the bracket."""
    rises = bool(high - predicted <= predicted - low)
    return predicted + shift if rises else predicted - shift


def _judged(c: Bracket, table: Sequence[Cell], ends: Ends, predicted: fmpq | arb, where: str) -> Outcome:
    """One size: each control value outside the bracket is on its side, the prediction lies inside."""
    first, second = (Decision.FOR, Decision.AGAINST) if c.rising else (Decision.AGAINST, Decision.FOR)
    low, high = ends
    tested = [cell for cell in sorted(table, key=lambda cell: cell.at) if not inside(cell.at, ends)]
    evidence = min((cell.outcome.evidence for cell in tested), default=Evidence.CERTIFIED)
    for cell in tested:
        side = cell.outcome.decision
        below = (low is not None and cell.at <= low) or bool(cell.at < predicted)
        above = (high is not None and cell.at >= high) or bool(cell.at > predicted)
        if (below and side is second) or (above and side is first):
            position = "below" if below and side is second else "above"
            reason = (
                f"at {cell.at}, {position} the predicted {shown(predicted)}, the order parameter "
                f"{shown(cell.outcome.lhs)} is {'<=' if side is Decision.FOR else '>'} the level{where}"
            )
            margin = -abs(cell.outcome.margin or 0.0)
            return Outcome(Decision.AGAINST, cell.outcome.evidence, margin=margin, reason=reason)
    for cell in tested:
        if cell.outcome.decision is Decision.UNDECIDED:
            reason = f"at {cell.at}{where}: {cell.outcome.reason or 'undecided'}"
            return Outcome(Decision.UNDECIDED, evidence, reason=reason)
    if low is None or high is None:
        missing = "below" if low is None else "above"
        reason = f"no control value {missing} the predicted {shown(predicted)}; widen control"
        return Outcome(Decision.UNDECIDED, evidence, reason=reason)
    if not (low <= predicted and predicted <= high):
        reason = f"the predicted {shown(predicted)} is not known to lie in [{low}, {high}]{where}"
        return Outcome(Decision.UNDECIDED, evidence, reason=reason)
    margin = min(abs(cell.outcome.margin or 0.0) for cell in tested)
    reason = f"the threshold lies between {low} and {high}{where}"
    return Outcome(Decision.FOR, evidence, margin=margin, reason=reason)


def _sharper(c: Bracket, rows: Sequence[Ends], context: Context) -> Outcome:
    ends, sizes = complete(rows), c.sizes or ()
    if c.widths is None and len(ends) < len(sizes):
        reason = "a size has no bracket, so that its width is unknown"
        return Outcome(Decision.UNDECIDED, Evidence.CERTIFIED, reason=reason)
    widths = c.widths if c.widths is not None else [high - low for low, high in ends]
    if c.shrinks is True:
        if callable(widths):
            o = answer_le(lt(lambda: _neighbours(widths())), context)
        else:
            o = answer_le(lt(list(widths[1:]), list(widths[:-1])), context)
        return replace(o, reason=f"widths of the transition decrease: {o.reason}")
    exponent, within = c.shrinks
    o = answer_slope(slope(sizes, widths, exponent, within=within, side="upper", fewest=2, spread=1), context)
    return replace(o, reason=f"width of the transition: {o.reason}")


def _neighbours(widths: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    return list(widths[1:]), list(widths[:-1])


def _shown(values: Sequence[fmpq]) -> str:
    return "[" + ", ".join(str(v) for v in values[:8]) + (", ..." if len(values) > 8 else "") + "]"
