"""A small writer of SVG plots: scales with readable ticks, thinned points, a labelled frame.

Colours come from the page's style sheet through class names, so that one drawing serves light, dark and print.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

WIDTH, HEIGHT = 380, 224
LEFT, RIGHT, TOP, BOTTOM = 54, 14, 34, 34  # room for labels
MOST_POINTS = 80

Pair = tuple[float, float]


@dataclass(frozen=True)
class Scale:
    """A monotone map from values to [0, 1], and the values at which ticks are drawn."""

    place: Callable[[float], float]
    ticks: tuple[float, ...]


def linear(low: float, high: float) -> Scale:
    """Equal steps of 1, 2 or 5 times a power of ten; a margin of a twentieth on both sides."""
    low, high = _apart(low, high)
    room = (high - low) / 20
    low, high = low - room, high + room
    step = 10.0 ** math.floor(math.log10((high - low) / 2))
    for factor in (1, 2, 5, 10):
        if (high - low) / (step * factor) <= 5:
            step *= factor
            break
    first = math.ceil(low / step)
    ticks = tuple(k * step for k in range(first, math.floor(high / step) + 1))
    return Scale(lambda v: (v - low) / (high - low), ticks)


def logarithmic(low: float, high: float) -> Scale:
    """Powers of ten, at most five of them named; for positive values."""
    a, b = _apart(math.log10(low), math.log10(high))
    room = (b - a) / 20
    a, b = a - room, b + room
    powers = list(range(math.ceil(a), math.floor(b) + 1))
    ticks = [10.0**k for k in _every(powers, 5)]
    if len(powers) < 2:
        ticks = [m * 10.0**k for k in range(math.floor(a), math.ceil(b) + 1) for m in (1, 2, 5)]
        ticks = [t for t in ticks if a <= math.log10(t) <= b] or [low, high]
    return Scale(lambda v: (math.log10(v) - a) / (b - a), tuple(ticks))


def both_signs(values: Sequence[float]) -> Scale:
    """Logarithmic away from 0 in both directions, with 0 itself on the axis."""
    sizes = sorted(abs(v) for v in values if v)
    unit = max(sizes[0], sizes[-1] * 1e-12) / 3 if sizes else 1.0

    def bent(v: float) -> float:
        return math.copysign(math.log10(1 + abs(v) / unit), v)

    low, high = _apart(min(0.0, *map(bent, values)), max(0.0, *map(bent, values)))
    room = (high - low) / 20
    a, b = low - room, high + room
    powers = (
        _every(list(range(math.ceil(math.log10(unit * 2)), math.floor(math.log10(sizes[-1])) + 1)), 4) if sizes else []
    )
    signed = [-(10.0**k) for k in powers if min(values) < 0] + [0.0] + [10.0**k for k in powers if max(values) > 0]
    return Scale(lambda v: (bent(v) - a) / (b - a), tuple(t for t in signed if a <= bent(t) <= b))


def fitting(values: Iterable[float], *, spread: float = 30.0) -> Scale:
    """A scale for values of any sign: linear where they are of one order of magnitude, else logarithmic."""
    kept = [v for v in values if math.isfinite(v)] or [0.0, 1.0]
    sizes = [abs(v) for v in kept if v]
    if not sizes or max(sizes) / min(sizes) <= spread:
        return linear(min(kept), max(kept))
    return logarithmic(min(kept), max(kept)) if min(kept) > 0 else both_signs(kept)


def _apart(low: float, high: float) -> Pair:
    if high > low:
        return low, high
    room = abs(low) / 2 or 1.0
    return low - room, high + room


def _every(powers: list[int], most: int) -> list[int]:
    step = max(1, -(-len(powers) // most))
    return [k for k in powers if k % step == 0]


def thinned(points: Sequence[tuple[float, ...]], most: int = MOST_POINTS) -> list[tuple[float, ...]]:
    """At most about `most` points in order: the first, the last, and the least and greatest of equal groups."""
    if len(points) <= most:
        return list(points)
    size = -(-2 * len(points) // most)
    keep = {0, len(points) - 1}
    for start in range(0, len(points), size):
        group = range(start, min(start + size, len(points)))
        keep |= {min(group, key=lambda i: points[i][1]), max(group, key=lambda i: points[i][1])}
    return [points[i] for i in sorted(keep)]


def number(value: float) -> str:
    """A number in a caption: at most three digits, e.g. 0.25, 3e−7."""
    return numbers(value)[0]


def numbers(*values: float) -> list[str]:
    """Several numbers with as few digits (at least three) as tell different ones apart."""
    digits = next((d for d in range(3, 17) if len({f"{v:.{d}g}" for v in values}) == len(set(values))), 17)
    return [_written(f"{v:.{digits}g}") for v in values]


def _written(text: str) -> str:
    mantissa, e, exponent = text.partition("e")
    return (f"{mantissa}e{int(exponent)}" if e else mantissa).replace("-", "−")


@dataclass
class Drawing:
    """One plot in the making: draw, then `text()`.

    Args:
        x, y: scales.
        about_x, about_y: what the axes show.
    """

    x: Scale
    y: Scale
    about_x: str
    about_y: str
    whole: bool = False  # ticks of x at whole numbers only
    items: list[str] = field(default_factory=list)

    def at(self, x: float, y: float) -> str:
        """Coordinates of a point, clipped to just outside of the frame."""
        a = LEFT + (WIDTH - LEFT - RIGHT) * min(1.02, max(-0.02, self.x.place(x)))
        b = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(1.02, max(-0.02, self.y.place(y)))
        return f"{_short(a)} {_short(b)}"

    def line(self, points: Sequence[Pair], style: str) -> None:
        """A line through points."""
        self.items.append(f'<path class="{style}" d="M{"L".join(self.at(x, y) for x, y in points)}"/>')

    def area(self, lower: Sequence[Pair], upper: Sequence[Pair], style: str = "band") -> None:
        """The area between two lines over the same places."""
        around = [*lower, *reversed(upper)]
        self.items.append(f'<path class="{style}" d="M{"L".join(self.at(x, y) for x, y in around)}Z"/>')

    def dots(self, points: Sequence[Pair], style: str = "dots") -> None:
        """A dot at each point."""
        if points:
            self.items.append(f'<path class="{style}" d="{"".join(f"M{self.at(x, y)}h0" for x, y in points)}"/>')

    def bars(self, points: Sequence[tuple[float, float, float]], style: str = "bars") -> None:
        """A vertical bar (x, low, high) at each place."""
        if points:
            path = "".join(f"M{self.at(x, low)}L{self.at(x, high)}" for x, low, high in points)
            self.items.append(f'<path class="{style}" d="{path}"/>')

    def ring(self, x: float, y: float, style: str = "ring") -> None:
        """A circle around a point."""
        a, b = self.at(x, y).split()
        self.items.append(f'<circle class="{style}" cx="{a}" cy="{b}" r="5"/>')

    def across(self, y: float, style: str) -> None:
        """A horizontal line over the whole width."""
        b = self.at(0 if not self.x.ticks else self.x.ticks[0], y).split()[1]
        self.items.append(f'<path class="{style}" d="M{LEFT} {b}H{WIDTH - RIGHT}"/>')

    def upright(self, x: float, style: str) -> None:
        """A vertical line over the whole height."""
        a = self.at(x, self.y.ticks[0] if self.y.ticks else 0).split()[0]
        self.items.append(f'<path class="{style}" d="M{a} {TOP}V{HEIGHT - BOTTOM}"/>')

    def legend(self, entries: Sequence[tuple[str, str]]) -> None:
        """What the styles mean, in a row above the frame: (style, word) pairs."""
        right = WIDTH - RIGHT
        for style, word in reversed(entries):
            self.items.append(f'<text class="tick end" x="{right}" y="25">{escape(word)}</text>')
            right -= int(6.2 * len(word)) + 5
            shape = f"M{right - 6} 21h0" if style.startswith("dots") else f"M{right - 18} 21H{right - 4}"
            sign = f'<circle class="ring" cx="{right - 7}" cy="21" r="4"/>' if style == "ring" else ""
            self.items.append(sign or f'<path class="{style}" d="{shape}"/>')
            right -= 26

    def text(self, key: str, title: str) -> str:
        """The finished `<svg>`, named for screen readers and described by the caption, whose id is `key` and `-c`."""
        bottom, grid, ticks = HEIGHT - BOTTOM, "", ""
        for v, name in zip(self.x.ticks, numbers(*self.x.ticks)):
            if self.whole and v != int(v):
                continue
            a = _short(LEFT + (WIDTH - LEFT - RIGHT) * self.x.place(v))
            grid += f"M{a} {TOP}V{bottom}"
            ticks += f'<text class="tick mid" x="{a}" y="{bottom + 14}">{name}</text>'
        for v, name in zip(self.y.ticks, numbers(*self.y.ticks)):
            b = bottom - (bottom - TOP) * self.y.place(v)
            grid += f"M{LEFT} {_short(b)}H{WIDTH - RIGHT}"
            ticks += f'<text class="tick end" x="{LEFT - 5}" y="{_short(b + 3.5)}">{name}</text>'
        return (
            f'<svg class="plot" id="{key}" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="{key}-t" aria-describedby="{key}-c">'
            f'<title id="{key}-t">{escape(title)}</title>'
            f'<path class="grid" d="{grid}"/><path class="axis" d="M{LEFT} {TOP}V{bottom}H{WIDTH - RIGHT}"/>{ticks}'
            f'<text class="label" x="{LEFT}" y="12">{escape(self.about_y)}</text>'
            f'<text class="label end" x="{WIDTH - RIGHT}" y="{HEIGHT - 4}">{escape(self.about_x)}</text>'
            f"{''.join(self.items)}</svg>"
        )


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
