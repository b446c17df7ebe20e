"""Which plots a claim gets, by the kind of data that its parts bring: at most two, each a small inline SVG.

figures       curves that checks record for the purpose (`theorems.curve`)
slopes        measured values against sizes on logarithmic axes, the fitted and the claimed line, intervals
transitions   the order parameter against the control parameter by size, the predicted value and the brackets
sequences     estimate and confidence interval against the number of samples, with the claimed value
optima        the proven enclosures of both sides of the tightest instance
bounds        margins against instances, the tightest one marked
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from theorems.report.figures import figures
from theorems.report.svg import Drawing, Pair, Scale, fitting, linear, logarithmic, numbers, thinned
from theorems.report.table import short
from theorems.run.results import ClaimResult, Tally

MOST_PLOTS = 2
MOST_SERIES = 4
Series = dict[str, tuple[tuple[float, ...], ...]]


@dataclass(frozen=True)
class Plot:
    """A drawing and the sentence below it."""

    svg: str
    caption: str
    key: str


def plots(result: ClaimResult, key: str) -> list[Plot]:
    """The plots of a claim, the most telling first.

    Args:
        result: the verdict with its parts.
        key: prefix of the ids inside the drawings (letters, digits and URL-safe signs).
    """
    drawn = islice(figures(result.records, f"{key}-plot"), MOST_PLOTS)
    found = [Plot(svg, caption, f"{key}-plot-{k}") for k, (svg, caption) in enumerate(drawn, 1)]
    kinds: set[Callable[..., Plot | None]] = set()
    for part in result.parts:
        draw = _by_points(part)
        if draw is not None and draw not in kinds and len(found) < MOST_PLOTS:
            plot = draw(part, f"{key}-plot-{len(found) + 1}")
            if plot is not None:
                kinds.add(draw)
                found.append(plot)
    if len(found) < MOST_PLOTS:
        optimum = next((p for p in result.parts if not p.points and _optimum(p)), None)
        plot = _enclosures(optimum, f"{key}-plot-{len(found) + 1}") if optimum is not None else None
        found += [plot] if plot is not None else []
    if len(found) < MOST_PLOTS:
        telling = [p for p in result.parts if _telling(p)]
        if telling:
            part = min(telling, key=lambda p: min(m for _, m in p.margins))
            found.append(_margins(part, f"{key}-plot-{len(found) + 1}"))
    return found


def _by_points(part: Tally) -> Callable[[Tally, str], Plot | None] | None:
    names = [name for name, _ in part.points]
    if "measured" in names:
        return _slope
    if "threshold" in names:
        return _transition
    if any("distribution" in n for n in names):
        return _distribution
    return _sequence if names and len(part.points[0][1]) > 1 else None


def _slope(part: Tally, key: str) -> Plot | None:
    series = _finite(part)
    measured = series.get("measured", ())
    if len(measured) < 2:
        return None
    lines = {n: series[n] for n in ("claimed", "fitted") if series.get(n)}
    every = [v for n in series for p in series[n] for v in p[1:]]
    # the line is straight on the axes of the fit: logarithmic unless values are not positive
    x = logarithmic if all(p[0] > 0 for p in measured) else linear
    positive = all(v > 0 for p in measured for v in p[1:2])
    shown = [v for v in every if v > 0] if positive else every
    scale = (logarithmic if positive else linear)(min(shown), max(shown))
    drawing = Drawing(_over([p[0] for p in measured], x), scale, "size", "value")
    floor = min(shown)
    drawing.bars([(p[0], max(p[2], floor) if positive else p[2], p[3]) for p in thinned(measured) if p[3] > p[2]])
    for name, points in lines.items():
        drawing.line([(p[0], max(p[1], floor) if positive else p[1]) for p in _ends(points)], name)
    drawing.dots([(p[0], p[1]) for p in thinned(measured)])
    drawing.legend([("dots", "measured"), *((n, n) for n in ("fitted", "claimed") if n in lines)])
    tight = part.tightest
    said = f"“{part.part}”: {len(measured)} sizes"
    if tight is not None and lines:
        fitted, claimed = _values(tight.lhs, tight.rhs)
        said += f"; slope {fitted} fitted, {claimed} claimed"
        if tight.resolution is not None:
            said += f", and a claim off by {short(tight.resolution, up=True)} would have been refuted"
    return Plot(drawing.text(key, f"Measured values against size, part {part.part}"), said + ".", key)


def _transition(part: Tally, key: str) -> Plot | None:
    series = _finite(part)
    brackets = series.pop("threshold", ())
    if len(series) > MOST_SERIES:
        names = list(series)
        step = (len(names) - 1) / (MOST_SERIES - 1)
        series = {n: series[n] for n in (names[round(k * step)] for k in range(MOST_SERIES))}
    every = [p for points in series.values() for p in points]
    if len(every) < 2:
        return None
    xs = [p[0] for p in every] + [v for b in brackets for v in b[1:4]]
    drawing = Drawing(_over(xs, fitting), fitting([v for p in every for v in p[1:4]]), "control", "order parameter")
    if brackets:
        low, high = max(b[2] for b in brackets), min(b[3] for b in brackets)
        drawing.upright(brackets[0][1], "claimed")
        for edge in (low, high):
            drawing.upright(edge, "edge")
    for k, points in enumerate(series.values()):
        kept = thinned(points, MOST_POINTS_EACH)
        drawing.bars([(p[0], p[2], p[3]) for p in kept if p[3] - p[2] > 1e-9 * (1 + abs(p[1]))])
        drawing.line([(p[0], p[1]) for p in kept], f"series s{k}")
        drawing.dots([(p[0], p[1]) for p in kept], f"dots s{k}")
    drawing.legend([("claimed", "predicted"), *((f"series s{k}", n) for k, n in enumerate(series) if len(series) > 1)])
    said = f"“{part.part}”"
    if brackets:
        predicted, below, above = numbers(brackets[0][1], low, high)
        said += f": predicted at {predicted}, found between {below} and {above}"
    return Plot(drawing.text(key, f"Order parameter on both sides of the threshold, part {part.part}"), said + ".", key)


MOST_POINTS_EACH = 24  # of one size


def _sequence(part: Tally, key: str) -> Plot | None:
    name, points = part.points[0]
    kept = [p for p in points if p[0] > 0 and all(map(math.isfinite, p))]
    if len(kept) < 2:
        return None
    claimed = _interval(part.tightest.rhs) if part.tightest is not None else None
    late = [p for p in kept if p[0] >= kept[-1][0] ** 0.25]  # the first few samples say nothing
    ys = [v for p in late for v in p[1:4]] + ([claimed[0]] if claimed else [])
    drawing = Drawing(logarithmic(kept[0][0], kept[-1][0]), linear(min(ys), max(ys)), "samples", "mean")
    kept = thinned(kept, 60)
    drawing.area([(p[0], p[2]) for p in kept], [(p[0], p[3]) for p in kept])
    drawing.line([(p[0], p[1]) for p in kept], "fitted")
    if claimed:
        drawing.across(claimed[0], "claimed")
    drawing.legend([("fitted", "estimate"), ("area", "interval"), *([("claimed", "claimed")] if claimed else [])])
    mean, low, high, other = numbers(*kept[-1][1:4], claimed[0] if claimed else 0.0)
    said = f"“{part.part}”: {mean} in [{low}, {high}] after {kept[-1][0]:.0f} samples ({name})"
    if claimed:
        said += f"; the other side of the claim is {other}"
    return Plot(drawing.text(key, f"Confidence interval against samples, part {part.part}"), said + ".", key)


def _distribution(part: Tally, key: str) -> Plot | None:
    points = _finite(part)[part.points[0][0]]
    if len(points) < 2:
        return None
    kept = thinned(points, 60)
    drawing = Drawing(linear(kept[0][0], kept[-1][0]), linear(0, 1), "value", "distribution function")
    drawing.area([(p[0], p[2]) for p in kept], [(p[0], p[3]) for p in kept])
    drawing.line([(p[0], p[1]) for p in kept], "fitted")
    drawing.legend([("fitted", "sample"), ("area", "band")])
    said = f"“{part.part}”: {part.tightest.reason if part.tightest else 'sample distribution function and its band'}"
    return Plot(drawing.text(key, f"Distribution function and its band, part {part.part}"), said + ".", key)


def _enclosures(part: Tally, key: str) -> Plot | None:
    tight = part.tightest
    if tight is None:
        return None
    sides = [(name, _exact(text)) for name, text in (("left", tight.lhs), ("right", tight.rhs)) if _interval(text)]
    known = [(name, ends) for name, ends in sides if ends is not None]
    if not known:
        return None
    values = [float(v) for _, ends in known for v in ends]
    last, (base, _) = known[-1]  # places are told as differences from it where their first digits agree
    narrow = max(values) - min(values) < 1e-3 * abs(values[-2])
    places = [float(v - base) if narrow else float(v) for _, ends in known for v in ends]
    about = f"value − {last} side" if narrow else "value"
    drawing = Drawing(linear(min(places), max(places)), Scale(lambda v: v, ()), about, "proven enclosures")
    for k, height in enumerate((0.65, 0.35)[: len(known)]):
        bar = [(places[2 * k], height), (places[2 * k + 1], height)]
        drawing.line(bar, f"series thick s{k}")
        drawing.dots(bar, f"dots s{k}")
    drawing.legend([(f"series s{k}", name) for k, (name, _) in enumerate(known)])
    written = iter(numbers(*values))
    ends_said = "; ".join(
        f"{name} in [{next(written)}, {next(written)}], width {short(float(b - a), up=True)}" for name, (a, b) in known
    )
    said = f"“{part.part}”, tightest instance {tight.index}: {ends_said}"
    return Plot(drawing.text(key, f"Proven enclosures of both sides, part {part.part}"), said + ".", key)


def _margins(part: Tally, key: str) -> Plot:
    margins = [(float(k), m) for k, m in part.margins if math.isfinite(m)]
    least = min(margins, key=lambda p: p[1])
    kept: list[Pair] = [(p[0], p[1]) for p in thinned(sorted(margins))]
    if least not in kept:
        kept.append(least)
    drawing = Drawing(
        linear(0, max(k for k, _ in margins)), fitting([m for _, m in margins]), "instance", "margin", whole=True
    )
    if least[1] <= 0:
        drawing.across(0.0, "claimed")
    drawing.dots([p for p in kept if p[1] >= 0])
    drawing.dots([p for p in kept if p[1] < 0], "dots bad")
    drawing.ring(*least)
    drawing.legend([("dots", "instance"), ("ring", "tightest")])
    said = f"“{part.part}”: relative margins of {len(margins)} comparisons; the tightest, {short(least[1])}, at instance {least[0]:.0f}"
    return Plot(drawing.text(key, f"Margins against instances, part {part.part}"), said + ".", key)


def _telling(part: Tally) -> bool:
    """Whether margins differ enough to be worth a picture (allowed radii of equalities do not)."""
    values = [m for _, m in part.margins if math.isfinite(m)]
    different = {f"{v:.3g}" for v in values}
    return len(different) > 3 and max(values) - min(values) > 1e-3 * max(abs(v) for v in values)


def _finite(part: Tally) -> Series:
    return {name: tuple(p for p in points if all(map(math.isfinite, p))) for name, points in part.points}


def _over(values: Sequence[float], scale: Callable[..., Scale]) -> Scale:
    return scale(values) if scale is fitting else scale(min(values), max(values))


def _ends(points: Sequence[tuple[float, ...]]) -> list[tuple[float, ...]]:
    """A line's points in order of x, thinned (a logarithmic factor bends it)."""
    return thinned(sorted(points), 24)


def _optimum(part: Tally) -> bool:
    tight = part.tightest
    return tight is not None and any(re.match(r"\[[^\[\]]*, ", s) and _interval(s) for s in (tight.lhs, tight.rhs))


def _exact(text: str) -> tuple[Fraction, Fraction] | None:
    """The ends of a number as reports write it: exact, `[middle +/- radius]` or `[low, high]`; None for anything else."""
    body = text.strip()
    if re.search(r"[eE][+-]?\d{4}", body):
        return None  # beyond doubles, and slow as a fraction
    try:
        if body.startswith("[") and body.endswith("]"):
            if "+/-" in body:
                middle, radius = (Fraction(x.strip()) for x in body[1:-1].split("+/-"))
                return middle - radius, middle + radius
            low, high = (Fraction(x.strip()) for x in body[1:-1].split(","))
            return low, high
        return Fraction(body), Fraction(body)
    except (ValueError, ZeroDivisionError):
        return None


def _interval(text: str) -> Pair | None:
    """The same as doubles; None where they are too large."""
    ends = _exact(text)
    try:
        return None if ends is None else (float(ends[0]), float(ends[1]))
    except OverflowError:
        return None


def _values(*texts: str) -> list[str]:
    """Numbers as reports write them, with the digits that tell them apart."""
    ends = [_interval(text) for text in texts]
    known = numbers(*((e[0] + e[1]) / 2 for e in ends if e is not None))
    return [known.pop(0) if e is not None else text[:40] for e, text in zip(ends, texts)]
