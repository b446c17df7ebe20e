"""Figures of recorded curves: what is drawn, how large, and what is refused when a curve is recorded."""

from __future__ import annotations

import math
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from flint import arb, fmpq

from theorems import curve
from theorems.claim import Record
from theorems.report.plots import plots

from . import pages


def drawn(*curves: Record) -> list[tuple[ET.Element, str]]:
    """The plots of a claim that recorded these curves, parsed."""
    records: dict[str, list[dict[str, Any]]] = {"other table": [{"slope": 1}]}
    for c in curves:
        records.setdefault(c.table, []).append(dict(c.row))
    claim = pages.claim(pages.paper("figured"), "one")
    found = plots(pages.result(claim, records=records), "figured/one")
    assert all(len(p.svg.encode()) < 5000 for p in found)
    return [(ET.fromstring(p.svg), p.caption) for p in found]


def classes(drawing: ET.Element) -> list[str]:
    return [e.get("class", "") for e in drawing.iter()]


def test_curves_of_one_title_share_a_figure_that_comes_before_other_plots() -> None:
    (figure, caption), (_, margins) = drawn(
        curve("loss along the path", [0, 1, 2], [3, 1, 0], series="loss", axes=("time", "value")),
        curve("loss along the path", [0, 2], [3, 0], series="ends", mark="dots"),
        curve("loss along the path", [1], [1], series="middle", mark="rings"),
        curve("loss along the path", [0], [0], series="least", mark="across"),
    )
    assert caption == "Loss along the path."
    assert margins.startswith("“main”: relative margins")
    assert {"series s0", "dots s1", "ring", "claimed"} <= set(classes(figure))
    assert {"time", "value", "loss", "ends", "middle", "least"} <= set(figure.itertext())


def test_at_most_two_figures_and_few_curves_are_drawn() -> None:
    many = [curve("first", range(500), [math.sin(k * j) for k in range(500)], series=f"s{j}") for j in range(9)]
    found = drawn(*many, curve("second", [1], [1]), curve("third", [1], [1]))
    assert [caption for _, caption in found] == ["First.", "Second."]
    assert "s4" not in set(found[0][0].itertext())


def test_coordinates_may_be_exact_numbers_and_balls() -> None:
    row = curve("f", [fmpq(1, 2), 1], [arb(3), 0.25]).row
    assert (row["x"], row["y"]) == ((0.5, 1.0), (3.0, 0.25))


@pytest.mark.parametrize("value", [math.inf, math.nan, arb("nan"), "one", None, 10**400])
def test_coordinates_that_are_no_finite_numbers_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match="is no finite number; expected exact numbers, balls or floats"):
        curve("f", [0], [value])


def test_lengths_that_differ_empty_curves_and_unknown_marks_are_refused() -> None:
    with pytest.raises(ValueError, match="2 values x and 1 values y"):
        curve("f", [0, 1], [1])
    with pytest.raises(ValueError, match="0 values x"):
        curve("f", [], [])
    with pytest.raises(ValueError, match="expected one of line, dots, rings, across"):
        curve("f", [0], [1], mark="bars")
