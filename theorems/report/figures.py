"""Figures that claims record curve by curve (`theorems.curve`), drawn as small SVGs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from theorems.curves import FIGURE
from theorems.report.svg import Drawing, Pair, linear, thinned

MOST_CURVES = 6
MOST_NAMES = 4  # of curves, each with its own colour
MOST_POINTS = 200  # of all curves together
MOST_RINGS = 12

Row = Mapping[str, Any]


def figures(records: Mapping[str, Sequence[Row]], key: str) -> Iterator[tuple[str, str]]:
    """(SVG, caption) of each recorded figure, in the order of recording.

    Args:
        records: rows by table (see `ClaimResult.records`).
        key: prefix of the ids inside the drawings, followed by -1, -2, ...
    """
    tables = [name for name in records if name.startswith(FIGURE) and records[name]]
    for k, name in enumerate(tables, 1):
        title = name.removeprefix(FIGURE)
        yield draw(title, records[name], f"{key}-{k}"), f"{title[:1].upper()}{title[1:]}."


def draw(title: str, rows: Sequence[Row], key: str) -> str:
    """One figure.

    Args:
        title: what it shows, for screen readers.
        rows: what `curve` records; the first `MOST_CURVES` of the first `MOST_NAMES` names are drawn.
        key: its id.
    """
    names = list(dict.fromkeys(row["series"] for row in rows))[:MOST_NAMES]
    kept = [row for row in rows if row["series"] in names][:MOST_CURVES]
    flat = [row for row in kept if row["mark"] == "across"]
    xs = [v for row in kept if row not in flat for v in row["x"]] or [v for row in kept for v in row["x"]]
    ys = [v for row in kept for v in row["y"]]
    about_x, about_y = kept[0]["axes"]
    whole = all(float(v).is_integer() for v in xs)
    drawing = Drawing(linear(min(xs), max(xs)), linear(min(ys), max(ys)), about_x, about_y, whole=whole)
    most = MOST_POINTS // max(1, sum(len(row["x"]) > MOST_RINGS for row in kept))
    legend: dict[str, str] = {}
    for row in kept:
        style = _add(drawing, row, names.index(row["series"]), most)
        if row["series"]:
            legend.setdefault(row["series"], style)
    drawing.legend([(style, name) for name, style in legend.items()])
    return drawing.text(key, title)


def _add(drawing: Drawing, row: Row, place: int, most: int) -> str:
    """Draw one curve, with `most` points; returns its style."""
    points: list[tuple[float, ...]] = list(zip(row["x"], row["y"]))
    kept: list[Pair] = [
        (p[0], p[1]) for p in thinned(points, min(most, MOST_RINGS) if row["mark"] == "rings" else most)
    ]
    if row["mark"] == "across":
        drawing.across(kept[0][1], "claimed")
        return "claimed"
    if row["mark"] == "dots":
        drawing.dots(kept, f"dots s{place}")
        return f"dots s{place}"
    if row["mark"] == "rings":
        for x, y in kept:
            drawing.ring(x, y)
        return "ring"
    drawing.line(kept, f"series s{place}")
    return f"series s{place}"
