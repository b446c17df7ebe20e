"""Curves that a check records for the report's plots, beside its comparisons."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from flint import arb, fmpq, fmpz

from theorems.claim import Record, record

FIGURE = "figure: "
MARKS = ("line", "dots", "rings", "across")


def curve(
    figure: str,
    x: Iterable[Any],
    y: Iterable[Any],
    *,
    series: str = "",
    mark: str = "line",
    axes: tuple[str, str] = ("", ""),
) -> Record:
    """One curve of a figure; yield it like a `record`. It decides nothing.

    Args:
        figure: title of the figure. A report draws the first curves of each title, in order of instances.
        x, y: coordinates, equally many and at least one: exact numbers, balls (their midpoints) or floats.
        series: what the legend calls the curve; curves of the same name share a colour.
        mark: "line", "dots", "rings", or "across" (a horizontal line at y[0]).
        axes: names of both axes, taken from the figure's first curve.

    Raises:
        ValueError: for lengths that differ, an unknown mark, or coordinates that are no finite numbers.
    """
    columns = tuple(map(_double, x)), tuple(map(_double, y))
    if len(columns[0]) != len(columns[1]) or not columns[0]:
        raise ValueError(f"the curve has {len(columns[0])} values x and {len(columns[1])} values y; expected as many")
    if mark not in MARKS:
        raise ValueError(f"mark = {mark!r}; expected one of {', '.join(MARKS)}")
    return record(FIGURE + figure, x=columns[0], y=columns[1], series=series, mark=mark, axes=tuple(axes))


def _double(value: Any) -> float:
    if isinstance(value, (fmpq, fmpz)):
        value = int(value.p) / int(value.q) if isinstance(value, fmpq) else int(value)
    try:
        found = float(value.mid()) if isinstance(value, arb) else float(value)
    except (OverflowError, TypeError, ValueError):
        found = math.nan
    if not math.isfinite(found):
        raise ValueError(f"the coordinate {value!r} is no finite number; expected exact numbers, balls or floats")
    return found
