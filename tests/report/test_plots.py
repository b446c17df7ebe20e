"""Plots by kind of data: what they draw, how large they are, and that they say it in words too."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree as ET

import pytest

from theorems.report import svg
from theorems.report.plots import plots

from . import pages

SIZES = [2.0**k for k in range(4, 12)]
SLOPE = (
    ("measured", tuple((n, n**-1.5, 0.9 * n**-1.5, 1.1 * n**-1.5) for n in SIZES)),
    ("fitted", tuple((n, *(3 * [n**-1.49])) for n in SIZES)),
    ("claimed", tuple((n, *(3 * [n**-1.5])) for n in SIZES)),
)
BRACKET = (
    *((f"size {n}", tuple((c / 10, max(0.0, c / 10 - 1), 0.0, c / 5) for c in range(20))) for n in (10, 100)),
    ("threshold", ((0.0, 1.0, 0.9, 1.1), (1.0, 1.0, 0.95, 1.05))),
)
SEQUENCE = (
    ("betting confidence sequence", tuple((float(n), 0.5, 0.5 - n**-0.5, 0.5 + n**-0.5) for n in range(1, 900))),
)


def drawn(**changes: object) -> list[tuple[ET.Element, str]]:
    """The plots of a claim with one part, parsed."""
    claim = pages.claim(pages.paper("plotted"), "one")
    result = pages.result(claim, parts=[pages.tally(**changes)])
    found = plots(result, "plotted/one")
    assert all(len(p.svg.encode()) < 5000 for p in found)
    return [(ET.fromstring(p.svg), p.caption) for p in found]


def classes(drawing: ET.Element) -> set[str]:
    return {e.get("class", "") for e in drawing.iter()}


def test_margins_are_plotted_with_the_tightest_instance_marked() -> None:
    ((drawing, caption),) = drawn()
    assert len([e for e in drawing.iter("circle") if e.get("r") == "5"]) == 1
    assert caption == "“main”: relative margins of 20 comparisons; the tightest, 0.25, at instance 3."


def test_rates_show_measured_values_and_both_lines() -> None:
    (drawing, caption), _ = drawn(points=SLOPE, tightest=pages.shown(lhs="[-1.4900 +/- 1e-5]", rhs="-3/2"))
    assert {"dots", "bars", "fitted", "claimed"} <= classes(drawing)
    assert caption.startswith("“main”: 8 sizes; slope −1.49 fitted, −1.5 claimed, and a claim off by 0.25 would")


def test_transitions_show_sizes_on_both_sides_of_the_predicted_value() -> None:
    (drawing, caption), _ = drawn(points=BRACKET)
    assert {"claimed", "edge", "series s0", "series s1"} <= classes(drawing)
    assert caption == "“main”: predicted at 1, found between 0.95 and 1.05."


def test_sequences_show_the_interval_against_samples_and_the_claimed_value() -> None:
    (drawing, caption), _ = drawn(points=SEQUENCE, tightest=pages.shown(rhs="1/2"))
    assert {"band", "fitted", "claimed"} <= classes(drawing)
    assert "after 899 samples" in caption


def test_optima_show_the_enclosures_of_both_sides() -> None:
    (drawing, caption), _ = drawn(tightest=pages.shown(lhs="[1/3, 2/3]", rhs="3/4"))
    assert {"series thick s0", "series thick s1"} <= classes(drawing)
    assert "left in [0.333, 0.667], width 0.334; right in [0.75, 0.75], width 0" in caption


def test_enclosures_that_agree_in_many_digits_are_drawn_as_differences() -> None:
    (drawing, caption), _ = drawn(
        tightest=pages.shown(lhs="[2/3, 200000000000000000001/300000000000000000000]", rhs="2/3")
    )
    assert "value − right side" in "".join(drawing.itertext())
    assert "width 3.4e-21" in caption
    ticks = [e.text for e in drawing.iter("text") if e.get("class") == "tick mid"]
    assert all(len(t or "") < 14 for t in ticks)


def test_margins_of_two_values_only_make_no_plot() -> None:
    assert drawn(margins=[(k, float(k % 2)) for k in range(50)]) == []


@pytest.mark.parametrize(
    "text", ["1e999999999", "[0, 1e99999]", "1/0", "[a, b]", "[1, 2, 3]", "", "nan", "[inf, 1]", "cdf"]
)
def test_texts_that_are_no_numbers_make_no_enclosure(text: str) -> None:
    (one,) = drawn(tightest=pages.shown(lhs=text, rhs=text))
    assert one[1].startswith("“main”: relative margins")


def test_allowed_radii_of_equalities_make_no_plot() -> None:
    assert drawn(margins=[(k, 1e-25 * (1 + 1e-9 * k)) for k in range(50)]) == []


@pytest.mark.parametrize("worst", [math.inf, -math.inf, math.nan])
def test_infinite_values_are_left_out(worst: float) -> None:
    margins = [(k, 0.5 + k) for k in range(9)] + [(9, worst)]
    ((drawing, _),) = drawn(margins=margins)
    assert not re.search("nan|inf", ET.tostring(drawing, encoding="unicode").replace("instance", ""))


@pytest.mark.parametrize("count", [1, 79, 80, 81, 400, 100_000])
def test_thinning_keeps_the_ends_and_the_extremes(count: int) -> None:
    points = [(float(k), math.sin(k) * (5 if k == count // 3 else 1)) for k in range(count)]
    kept = svg.thinned(points)
    assert len(kept) <= svg.MOST_POINTS + 2
    assert {points[0], points[-1], min(points, key=lambda p: p[1]), max(points, key=lambda p: p[1])} <= set(kept)
    assert kept == sorted(kept)


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3e-9, 2e-9), (1.3020, 1.3022), (7, 7), (1e300, 1.1e300)])
def test_ticks_of_a_linear_scale_are_told_apart_and_lie_on_it(low: float, high: float) -> None:
    scale = svg.linear(low, high)
    assert 2 <= len(scale.ticks) <= 6
    assert len(set(svg.numbers(*scale.ticks))) == len(scale.ticks)
    assert all(0 <= scale.place(t) <= 1 for t in (*scale.ticks, low, high))


@pytest.mark.parametrize("values", [[-1e-9, 0.0, 5.0], [0.0, 1e-64, 1e-22], [-4.0, -1e-3], [0.0, 0.0], [1e-300, 1e300]])
def test_scales_for_all_signs_keep_the_order(values: list[float]) -> None:
    scale = svg.fitting(values)
    places = [scale.place(v) for v in values]
    assert places == sorted(places)
    assert all(-1e-9 <= p <= 1 + 1e-9 for p in places)
