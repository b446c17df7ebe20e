"""The law of a draw compared with a distribution function, or with the law of another draw: `law`, `same_law`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from theorems.kernel import sequences
from theorems.kernel.intervals import PLOTTED, count_argument, real_argument, width_argument
from theorems.kernel.outcome import Context, Decision, Evidence, KernelError, Outcome
from theorems.kernel.sampling import Draw, Reals, admit_number, prefixes

Cdf = Callable[[Any], Any]

ACCURACY = 1e-12  # to which a distribution function is taken to be computed
_LARGEST = 2.0 + 1e-9


@dataclass(frozen=True, slots=True)
class Law:
    """`P(draw <= x) = cdf(x)` for every real x, seen on `size` draws."""

    draw: Draw
    cdf: Cdf
    size: int
    within: float | None


@dataclass(frozen=True, slots=True)
class SameLaw:
    """Two draws have one law, seen on `size` draws of each."""

    draw_a: Draw
    draw_b: Draw
    size: int
    within: float | None


def law(draw: Draw, cdf: Cdf | Mapping[Any, Any], *, size: int, within: Any = None) -> Law:
    """The comparison `P(draw(rng) <= x) = cdf(x)` for all x, by the Dvoretzky-Kiefer-Wolfowitz inequality; statistical.

    Args:
        draw: `draw(rng)` returns one draw or a 1-D block of independent draws, finite doubles.
        cdf: the distribution function, of a float or (tried first) of an array, right-continuous, correct to 1e-12; a
            frozen scipy distribution; or, for finitely many atoms, a mapping {atom: probability}. It may have jumps, and
            a draw at a jump must be the same double as the jump.
        size: number of draws, set in advance.
        within: largest width of the confidence band, 2 * radius with radius = sqrt(log(2 / level) / (2 size)). Default:
            the band that `size` gives. The radius must be below 1, or nothing could be refuted.

    The outcome's resolution is D + radius, D the sup distance seen: any law farther from `cdf` than this in sup
    distance would have been refuted by the same draws.

    Raises:
        KernelError: for arguments out of range, with what is accepted.
    """
    if not callable(draw):
        raise KernelError(f"a draw function is expected, draw(rng) -> float or 1-D array, not {draw!r}")
    function = _atoms(cdf) if isinstance(cdf, Mapping) else getattr(cdf, "cdf", cdf)
    if not callable(function):
        raise KernelError(
            f"cdf={cdf!r}: a function of x, a frozen scipy distribution or a mapping {{atom: probability}} is expected"
        )
    return Law(draw, function, count_argument("size", size), _width(within))


def same_law(draw_a: Draw, draw_b: Draw, *, size: int, within: Any = None) -> SameLaw:
    """The comparison `draw_a(rng)` and `draw_b(rng)` have the same law, on `size` draws of each; statistical.

    The threshold is the exact reflection bound for two samples of equal size, valid with ties too. `draw_a` is called
    with the even substreams and `draw_b` with the odd ones, so the two samples are independent. Arguments as for `law`.
    """
    if not callable(draw_a) or not callable(draw_b):
        raise KernelError("two draw functions are expected, draw(rng) -> float or 1-D array")
    return SameLaw(draw_a, draw_b, count_argument("size", size), _width(within))


def _width(within: Any) -> float | None:
    return None if within is None else width_argument(within, 0.0, _LARGEST, "the width of the confidence band")


def answer_law(c: Law, context: Context) -> Outcome:
    """Decide about a law; see `law`."""
    (x,) = prefixes(c.draw, context, (c.size,), admit_number)
    atoms, counts = np.unique(x, return_counts=True)
    sample = np.cumsum(counts) / c.size
    before = np.concatenate([[0.0], sample[:-1]])
    exact, left = _values(c.cdf, atoms), _values(c.cdf, np.nextafter(atoms, -math.inf))
    _monotone(np.stack([left, exact], axis=1).ravel())
    distance = float(max(np.abs(sample - exact).max(), np.abs(before - left).max()))
    radius = sequences.dkw_radius(c.size, context.level) + ACCURACY
    least = math.ceil(math.log(2 / context.level) / 2) + 1
    band = _band(atoms, sample, exact, radius)
    return _outcome("cdf", distance, radius, c.size, c.size, c.within, least, band, context)


def answer_same_law(c: SameLaw, context: Context) -> Outcome:
    """Decide whether two laws are the same; see `same_law`."""
    (a,) = prefixes(c.draw_a, context, (c.size,), admit_number, first=0, step=2)
    (b,) = prefixes(c.draw_b, context, (c.size,), admit_number, first=1, step=2)
    atoms = np.unique(np.concatenate([a, b]))
    below_a = np.searchsorted(np.sort(a), atoms, side="right")
    below_b = np.searchsorted(np.sort(b), atoms, side="right")
    distance = float(np.abs(below_a - below_b).max()) / c.size
    radius = sequences.two_sample_radius(c.size, context.level)
    least = math.ceil((math.log(2 / context.level) + 3) / math.log(4)) + 1
    band = _band(atoms, below_a / c.size, below_b / c.size, radius)
    return _outcome("the other law", distance, radius, c.size, 2 * c.size, c.within, least, band, context)


def _outcome(
    rhs: str,
    distance: float,
    radius: float,
    size: int,
    samples: int,
    within: float | None,
    least: int,
    band: tuple[tuple[float, ...], ...],
    context: Context,
) -> Outcome:
    """Against when the distance exceeds the radius; a law moved by `shift` lies at least `shift - distance` away."""
    shift = float(int(context.shift.p) / int(context.shift.q))
    moved = max(distance, shift - distance)
    met = f"sup distance {moved:.4g} of the distribution functions, radius {radius:.4g}, {size} draws"
    resolution: float | None = (distance + radius) * (1 + 2.0**-50)
    if moved > radius:
        decision, resolution = Decision.AGAINST, None
    elif radius >= 1:
        decision = Decision.UNDECIDED
        met += f"; no sample of this size could refute: size={least} could"
    elif within is not None and 2 * radius > within:
        decision = Decision.UNDECIDED
        met += f"; the band's width {2 * radius:.3g} exceeds within={within:.3g}: about size="
        met += f"{math.ceil(size * (2 * radius / within) ** 2) + 1} would do"
    else:
        decision = Decision.FOR
    return Outcome(
        decision,
        Evidence.STATISTICAL,
        f"sample at sup distance {moved:.6g}",
        rhs,
        (radius - moved) / radius,
        resolution,
        met,
        samples=samples,
        level=context.level,
        points=(("sample distribution function and band", band),),
    )


def _band(atoms: Reals, sample: Reals, centre: Reals, radius: float) -> tuple[tuple[float, ...], ...]:
    """Rows (x, sample, centre - radius, centre + radius), at most `PLOTTED` of them, with the largest gap among them."""
    kept = np.unique(np.linspace(0, atoms.size - 1, min(PLOTTED - 1, atoms.size)).round().astype(int))
    kept = np.union1d(kept, [int(np.abs(sample - centre).argmax())])
    low, high = np.maximum(0.0, centre - radius), np.minimum(1.0, centre + radius)
    return tuple((float(atoms[k]), float(sample[k]), float(low[k]), float(high[k])) for k in kept)


def _values(cdf: Cdf, x: Reals) -> Reals:
    """`cdf` at the entries of x: called with the array, or with floats where the function does not take arrays.

    Of a function that takes arrays some entries are computed again from floats, and must agree to 1e-12.
    """
    try:
        raw: Any = cdf(x.copy())
        values = np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError):  # math functions and `if x > 0` refuse arrays
        values = np.array([_value(cdf, t) for t in x.tolist()])
    if values.shape != x.shape:
        raise KernelError(
            f"cdf of an array of shape {x.shape} returned the shape {values.shape}; return one value an entry"
        )
    for k in np.unique(np.linspace(0, x.size - 1, 8).astype(int)):
        if abs(_value(cdf, float(x[k])) - float(values[k])) > ACCURACY:
            raise KernelError(f"cdf({x[k]!r}) differs between a float and an array argument; make it one function")
    if not ((values >= -ACCURACY) & (values <= 1 + ACCURACY)).all():
        bad = int(np.flatnonzero(~((values >= -ACCURACY) & (values <= 1 + ACCURACY)))[0])
        raise KernelError(f"cdf({x[bad]!r}) = {values[bad]!r}; a distribution function has values in [0, 1]")
    return values


def _value(cdf: Cdf, x: float) -> float:
    value = np.asarray(cdf(x))
    if value.size != 1 or value.dtype == object:
        raise KernelError(f"cdf({x!r}) returned {value!r}; return one float")
    return float(value.reshape(()))


def _monotone(values: Reals) -> None:
    if values.size > 1 and float(np.diff(values).min()) < -ACCURACY:
        raise KernelError("cdf decreases somewhere on the sample; a distribution function is non-decreasing")


def _atoms(masses: Mapping[Any, Any]) -> Cdf:
    """The distribution function of finitely many atoms."""
    pairs = sorted((_double("atom", a), _double("probability", p)) for a, p in masses.items())
    points, weights = np.array([a for a, _ in pairs]), np.array([p for _, p in pairs])
    if not pairs or (weights < 0).any() or abs(float(weights.sum()) - 1) > ACCURACY:
        raise KernelError(f"the probabilities {list(masses.values())!r} are not >= 0 with sum 1")
    heights = np.concatenate([[0.0], np.cumsum(weights)])

    def cdf(x: Any) -> Any:
        return np.minimum(1.0, heights[np.searchsorted(points, x, side="right")])

    return cdf


def _double(name: str, value: Any) -> float:
    q = real_argument(name, value)
    return int(q.p) / int(q.q)
