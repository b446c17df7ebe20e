"""The exponent of random data: the slope of the log means, with a t interval.

The number estimated is the one that exact data would give: the unweighted least-squares slope of `log E y` on
`log x`. It is a contrast of the log means, so its standard error follows from theirs (delta method). Fitting
each repetition by itself and averaging the slopes would estimate another number, since E log y < log E y by
an amount that changes with the size; weights estimated from the same draws would be correlated with the means.
The interval is asymptotic, so the evidence is `empirical`. Refutations of true exponents without tolerance,
2000 seeds, five sizes, ten repetitions: 5.5 % at level 5 % and 1.1 % at 1 % (log-normal noise of 30 %), 6.9 %
and 1.7 % (noise that grows with the size to 57 %).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from theorems.kernel.outcome import Context, Decision, Evidence, KernelError, Outcome
from theorems.kernel.precision import working_precision
from theorems.kernel.sampling import Draw, Reals, admit_event, admit_number, prefixes
from theorems.kernel.slopes_fit import (
    AXES,
    Unresolved,
    abscissae,
    contrasts,
    dot,
    lines,
    readings,
    real_ball,
    thinned,
)

if TYPE_CHECKING:
    from theorems.kernel.slopes import Slope

NOISE = 0.25  # largest relative standard error of a mean for which its logarithm is taken to be linear


@dataclass(frozen=True, slots=True)
class Means:
    """Transformed means of random data at each size.

    Attributes:
        mean: means as measured; value: their transforms (logarithms, on a logarithmic axis).
        influence: for each size the centred influence of each repetition on the transformed mean, so that its
            variance over the repetitions, divided by their number, is the squared standard error.
        paired: whether repetition r is one run over all sizes.
    """

    mean: list[float]
    value: list[float]
    influence: list[Any]
    paired: bool

    @property
    def samples(self) -> int:
        """Draws used."""
        return sum(len(z) for z in self.influence)

    def error(self, k: int) -> float:
        """Standard error of the k-th transformed mean."""
        return _standard_error(self.influence[k])

    def contrast(self, weights: Sequence[float]) -> tuple[float, float, float]:
        """A contrast of the transformed means, its standard error, and (Satterthwaite) degrees of freedom."""
        estimate = dot(list(weights), self.value)
        if self.paired:
            z = sum(w * z for w, z in zip(weights, self.influence))
            return estimate, _standard_error(z), len(self.influence[0]) - 1.0
        parts = [(w * self.error(k)) ** 2 for k, w in enumerate(weights)]
        total = sum(parts)
        spread = sum(p * p / (len(z) - 1) for p, z in zip(parts, self.influence))
        return estimate, math.sqrt(total), total * total / spread if spread > 0 else float("inf")


def _standard_error(z: Reals) -> float:
    return float(math.sqrt(float((z * z).sum()) / (len(z) - 1) / len(z)))


def means(
    sizes: Sequence[Any],
    draw: Callable[..., Any] | None,
    curve: Callable[..., Any] | None,
    repeats: int,
    log: bool,
    context: Context,
) -> Means:
    """Draws collected in order of the substreams, and their transformed means.

    Args:
        sizes: as the user wrote them; handed to `draw`.
        draw, curve: one of them, see `slope`.
        repeats: draws at each size.
        log: whether the logarithm of the mean is meant.

    Raises:
        KernelError: for draws that are not finite numbers or of the wrong shape.
        Unresolved: when a mean is too noisy for its logarithm.
    """
    if curve is not None:
        columns = list(_rows(curve, context, repeats, len(sizes)).T)
    elif draw is not None:
        columns = [
            next(prefixes(_at(draw, size), context, (repeats,), admit_draw, first=k, step=len(sizes)))
            for k, size in enumerate(sizes)
        ]
    else:
        raise KernelError("random data need draw= or curve=")
    mean, value, influence = [], [], []
    for size, y in zip(sizes, columns):
        m = float(y.mean())
        z = y - m
        if log:
            noise = _standard_error(z)
            if not (m > 0 and noise <= NOISE * m):
                raise Unresolved(
                    f"the mean at {size} is {m:.4g} with standard error {noise:.2g}: too noisy for a "
                    "logarithm; raise repeats"
                )
            z = z / m
        mean.append(m)
        value.append(math.log(m) if log else m)
        influence.append(z)
    return Means(mean, value, influence, curve is not None)


def is_event(value: Any) -> bool:
    """Whether a draw function returned an event, or a block of them."""
    return isinstance(value, (bool, np.bool_)) or (isinstance(value, np.ndarray) and value.dtype == np.bool_)


def admit_draw(value: Any) -> float | Reals:
    """A number or an event, or a block of either, as finite doubles; anything else is a KernelError with advice."""
    return admit_event(value) if is_event(value) else admit_number(value)


def _rows(curve: Draw, context: Context, repeats: int, length: int) -> Reals:
    """One curve for each of the first substreams, shape (repeats, length)."""
    if context.stream is None:
        raise KernelError("random data need substreams: Context(stream=...) is None")
    rows = []
    for j in range(repeats):
        row = admit_number(curve(context.stream(j)))
        if np.shape(row) != (length,):
            raise KernelError(f"a curve has the shape {np.shape(row)}; return a float64 array of shape ({length},)")
        rows.append(row)
    return np.stack(rows)


def _at(draw: Callable[..., Any], size: Any) -> Draw:
    return lambda rng: draw(size, rng)


def t_quantile(level: float, df: float) -> float:
    """The upper `level` quantile of Student's t with `df` degrees of freedom (normal for infinitely many)."""
    from scipy import special

    return float(-special.ndtri(level) if math.isinf(df) else -special.stdtrit(df, level))


def answer_random_slope(c: Slope, context: Context) -> Outcome:
    """Decide a claimed exponent of random data; see `slope`.

    Refuted when the interval at `context.level` does not meet the claim and its tolerance; for when it
    does, is no wider than `width`, and no drift beyond the tolerance is significant.
    """
    log_x, log_y = AXES[c.axes]
    reading = next(readings([*c.xs], [c.claimed], context))
    with working_precision(reading.bits):
        u_balls = abscissae(reading.left, log_x, c.spread)
        u = [float(b.mid()) for b in u_balls]
        x = [float(real_ball(s).mid()) for s in reading.left]
        claimed = float(real_ball(reading.right[0]).mid())
    try:
        data = means(c.xs, c.draw, c.curve, c.repeats, log_y, context)
    except Unresolved as noisy:
        return Outcome(Decision.UNDECIDED, Evidence.EMPIRICAL, reason=str(noisy), level=context.level)
    return _judged(c, context, x, u, claimed, data)


def _judged(c: Slope, context: Context, x: list[float], u: list[float], claimed: float, data: Means) -> Outcome:
    if c.width is None:
        raise KernelError("random data need a largest half-width of the interval")
    weights, bend = contrasts(u)
    raw, error, df = data.contrast(weights)
    loglog = _loglog(u) if c.logs != (0, 0) else [0.0] * len(u)
    tilt = dot(weights, loglog)
    within, shift = _f(c.within), _f(context.shift)
    ends = raw - _f(c.logs[0]) * tilt, raw - _f(c.logs[1]) * tilt
    low, high = min(ends), max(ends)
    power = _f(c.logs[0])
    if c.logs[0] != c.logs[1]:
        power = min(max((raw - claimed) / tilt, _f(c.logs[0])), _f(c.logs[1]))
    fitted = raw - power * tilt
    half = t_quantile(context.level / (2 if c.side == "two" else 1), df) * error
    half += 1e-12 * (abs(fitted) + 1)  # rounding of the means
    over, under = claimed - low, high - claimed
    excess = {"two": max(-over, -under), "upper": -over, "lower": -under}[c.side]
    reach = {"two": max(over, under), "upper": over, "lower": under}[c.side]
    seen = f"slope {fitted:.4g} +- {half:.2g} of {len(u)} sizes, {data.samples} draws"
    points = _points(c, x, u, [power * e for e in loglog], fitted, claimed, data, context)

    def outcome(decision: Decision, reason: str, resolution: float | None = None) -> Outcome:
        return Outcome(
            decision, Evidence.EMPIRICAL, fitted, claimed, (within + half - excess - shift) / (within + half),
            resolution, reason, samples=data.samples, level=context.level, points=points,
        )  # fmt: skip

    if excess + shift > within + half:
        return outcome(Decision.AGAINST, seen)
    if half > _f(c.width):
        return outcome(Decision.UNDECIDED, f"{seen}: the interval is wider than +- {_f(c.width):.3g}; raise repeats")
    v = [y - power * e for y, e in zip(data.value, loglog)]
    steady, why = _steady(c, context, u, v, bend, data)
    if not steady:
        return outcome(Decision.UNDECIDED, f"{seen}: {why}")
    resolution = (within + half + reach) * (1 + 1e-9) + 1e-12
    return outcome(Decision.FOR, f"{seen}; {why}" if why else seen, resolution)


def _steady(
    c: Slope, context: Context, u: list[float], v: list[float], bend: list[float] | None, data: Means
) -> tuple[bool, str]:
    """A t test that the drift of the fit exceeds its tolerance."""
    if c.drift is None:
        return True, "drift not tested"
    if bend is None:
        return True, "two sizes: drift not tested"
    _, error, df = data.contrast(bend)
    span = u[-1] - u[0]
    half = dot(bend, v) * span
    drift = {"two": abs(half), "upper": half, "lower": -half}[c.side]
    if drift - t_quantile(context.level / 2, df) * error * abs(span) <= _f(c.drift) + 1e-12:
        return True, ""
    local = [(b - a) / (t - s) for a, b, s, t in zip(v, v[1:], u, u[1:])]
    return False, (
        f"the local slopes drift from {local[0]:.4g} to {local[-1]:.4g} (half-change {half:.3g}, allowed "
        f"{_f(c.drift):.3g}); take larger sizes, or claim a logarithm"
    )


def _loglog(u: Sequence[float]) -> list[float]:
    if not (all(b > 0 for b in u) or all(b < 0 for b in u)):
        raise KernelError("a power of log x needs sizes all above 1 or all below 1")
    return [math.log(abs(b)) for b in u]


def _points(
    c: Slope,
    x: list[float],
    u: list[float],
    extra: list[float],
    fitted: float,
    claimed: float,
    data: Means,
    context: Context,
) -> Any:
    log_y = AXES[c.axes][1]
    z = t_quantile(context.level / 2, c.repeats - 1.0)
    measured = []
    for k, (a, m, value) in enumerate(zip(x, data.mean, data.value)):
        ends = value - z * data.error(k), value + z * data.error(k)
        low, high = (math.exp(min(e, 700.0)) for e in ends) if log_y else ends
        measured.append((a, m, low, high))
    v = [y - e for y, e in zip(data.value, extra)]
    return (
        ("measured", thinned(measured)),
        *lines(x, u, extra, v, {"fitted": fitted, "claimed": claimed}, log_y),
    )


def _f(q: Any) -> float:
    return int(q.p) / int(q.q)
