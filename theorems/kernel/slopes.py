"""The exponent of a rate: the least-squares slope of `log y` on `log x`, compared with the exponent claimed.

For exact data, balls and high-precision numbers the slope is an ordinary number, enclosed in a ball; it earns
what the data earn. A fit whose local slopes still drift is no evidence for an exponent: it is undecided,
however near its slope is. Random data are answered in `slopes_random`, plateaus and Q-orders in
`slopes_last`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from flint import arb, fmpq

from theorems.kernel.outcome import Context, Decision, Evidence, KernelError, Outcome
from theorems.kernel.precision import working_precision
from theorems.kernel.slopes_fit import (
    AXES,
    Point,
    Unresolved,
    above,
    abscissae,
    contrasts,
    counted,
    dot,
    dyadic_mid,
    exactly,
    lines,
    log_of,
    one_of,
    positive,
    readings,
    real_ball,
    thinned,
)

SIDES = ("two", "upper", "lower")
_SAME = object()


@dataclass(frozen=True, slots=True)
class Slope:
    """The slope of the values on the sizes is `claimed` to within `within`; see `slope`."""

    xs: Any
    ys: Any
    claimed: Any
    within: fmpq
    side: str
    logs: tuple[fmpq, fmpq]
    drift: fmpq | None
    axes: str
    spread: fmpq
    fewest: int
    draw: Callable[..., Any] | None = None
    curve: Callable[..., Any] | None = None
    repeats: int = 0
    width: fmpq | None = None


def slope(
    xs: Any,
    ys: Any = None,
    claimed: Any = None,
    *,
    within: Any,
    side: str = "two",
    logs: Any = 0,
    drift: Any = _SAME,
    axes: str = "loglog",
    spread: Any = 4,
    fewest: int = 3,
    draw: Callable[..., Any] | None = None,
    curve: Callable[..., Any] | None = None,
    repeats: int | None = None,
    width: Any = None,
) -> Slope:
    """The rate y ~ C x^s (log x)^l holds with the exponent s = `claimed`.

    The number compared is the least-squares slope of log y - l log|log x| on log x.

    Args:
        xs: at least `fewest` sizes in the order towards the limit, increasing or decreasing throughout
            (values or thunks, or one thunk for all).
        ys: the values, one for each size (values or thunks, or one thunk for all). Floats are no values:
            random or simulated data come from `draw` or `curve`.
        claimed: the exponent s (a value or a thunk).
        within: exact tolerance > 0 about the exponent.
        side: "two": |slope - s| <= within; "upper": slope <= s + within; "lower": slope >= s - within.
        logs: the power l of log x that is claimed to multiply, or a pair (l0, l1): some l in between.
        drift: largest drift of the fit: half the change of the local slope over the sizes, read off the
            least-squares parabola (default: `within`; None: no test, which the outcome states). One-sided
            claims look only at a drift towards the side that is excluded.
        axes: "loglog", "semilogx" (y on log x), "semilogy" (log y on x) or "linear".
        spread: least quotient of largest and smallest size, where x is logarithmic.
        fewest: least number of sizes, >= 2 (two sizes have no drift to test).
        draw: for random data, `draw(size, rng)` returns a float, a bool or a 1-D block of them; the slope is
            that of the means. Independent at different sizes.
        curve: for random data, `curve(rng)` returns one value for each size (a trajectory); repetitions are
            independent, the values in one need not be.
        repeats: draws at each size, or curves (>= 5).
        width: for random data, the largest half-width of the interval of the slope (default: `within`).

    Raises:
        KernelError: for arguments that make no claim, with advice.
    """
    if claimed is None:
        raise KernelError("slope(...) needs the exponent that is claimed: slope(xs, ys, claimed, within=...)")
    if sum(data is not None for data in (ys, draw, curve)) != 1:
        raise KernelError("slope(...) takes the values `ys`, or `draw=` or `curve=` for random data: one of the three")
    tolerance = positive(within, "within")
    random = ys is None
    if not random and (repeats is not None or width is not None):
        raise KernelError("repeats= and width= belong to random data (draw=... or curve=...)")
    if random and callable(xs):
        raise KernelError("random data need the sizes as a sequence, not as a thunk")
    one_of(axes, "axes", tuple(AXES))
    powers = _powers(logs)
    if powers != (0, 0) and axes != "loglog":
        raise KernelError(f"logs={logs!r} multiplies a power of x, which axes={axes!r} does not fit; use 'loglog'")
    least = counted(fewest, "fewest", 2)
    for name, data in (("sizes", xs), ("values", ys)):
        if data is not None and not callable(data):
            _long_enough(name, data, least)
    if not callable(xs) and ys is not None and not callable(ys) and len(xs) != len(ys):
        raise KernelError(f"{len(xs)} sizes but {len(ys)} values; give one value for each size")
    return Slope(
        xs, ys, claimed, tolerance, one_of(side, "side", SIDES), powers,
        None if drift is None else tolerance if drift is _SAME else positive(drift, "drift"),
        axes, positive(spread, "spread"), least, draw, curve,
        counted(repeats, "repeats", 5) if random else 0,
        (tolerance if width is None else positive(width, "width")) if random else None,
    )  # fmt: skip


def _powers(logs: Any) -> tuple[fmpq, fmpq]:
    if isinstance(logs, (tuple, list)):
        if len(logs) != 2:
            raise KernelError(f"logs={logs!r}: one power of log x, or a pair (least, greatest)")
        low, high = exactly(logs[0], "logs"), exactly(logs[1], "logs")
        if low > high:
            raise KernelError(f"logs={logs!r}: the least power comes first")
        return low, high
    power = exactly(logs, "logs")
    return power, power


def _long_enough(name: str, data: Any, least: int) -> None:
    if not hasattr(data, "__len__"):
        raise KernelError(f"the {name} are a {type(data).__name__}; give a list or tuple, or a thunk that returns one")
    if len(data) < least:
        raise KernelError(
            f"{len(data)} {name} make no slope; give at least {least}"
            + (", or state fewest=2 if two are meant" if least > 2 else "")
        )


def answer_slope(c: Slope, context: Context) -> Outcome:
    """Decide a claimed exponent; see `slope`.

    Returns:
        `lhs` is the slope, `rhs` the claim. Resolution: the change of the claimed exponent that these data
        refute (two-sided: in either direction, `within` plus the distance of slope and claim; one-sided: the
        slack).
    """
    if c.ys is None:
        from theorems.kernel.slopes_random import answer_random_slope

        return answer_random_slope(c, context)
    outcome = Outcome(Decision.UNDECIDED, Evidence.CERTIFIED, reason="no precision was tried")
    for reading in readings(c.ys, _right(c), context):
        with working_precision(reading.bits):
            xs, claimed = reading.right[:-1], reading.right[-1]
            try:
                outcome, final = _decide(c, xs, reading.left, claimed, reading.evidence, context)
            except Unresolved as unresolved:
                outcome, final = Outcome(Decision.UNDECIDED, reading.evidence, reason=str(unresolved)), False
        if final:
            return outcome
    return outcome


def _right(c: Slope) -> Any:
    """Sizes and claimed exponent as one side."""
    if callable(c.xs):
        return lambda: [*c.xs(), c.claimed() if callable(c.claimed) else c.claimed]
    return [*c.xs, c.claimed]


def _decide(
    c: Slope, xs: Sequence[Any], ys: Sequence[Any], claim: Any, evidence: Evidence, context: Context
) -> tuple[Outcome, bool]:
    """The outcome at the current precision, and whether more precision would not change it."""
    _long_enough("sizes", xs, c.fewest)
    if len(xs) != len(ys):
        raise KernelError(f"{len(xs)} sizes but {len(ys)} values; give one value for each size")
    log_x, log_y = AXES[c.axes]
    u = abscissae(xs, log_x, c.spread)
    plain = [log_of(y, f"the value at {x}") if log_y else real_ball(y) for x, y in zip(xs, ys)]
    weights, bend = contrasts(u)
    claimed = real_ball(claim)
    loglog = log_log(xs, u) if c.logs != (0, 0) else [arb(0)] * len(u)
    raw, tilt = dot(weights, plain), dot(weights, loglog)
    ends = raw - arb(c.logs[1]) * tilt, raw - arb(c.logs[0]) * tilt
    low, high = ends[0].min(ends[1]), ends[0].max(ends[1])
    over, under = claimed - low, high - claimed
    power = _witness(c.logs, raw - claimed, tilt)
    v = [y - arb(power) * e for y, e in zip(plain, loglog)]
    fitted = raw - arb(power) * tilt
    excess = {"two": (-over).max(-under), "upper": -over, "lower": -under}[c.side]
    slack = arb(c.within) - excess - arb(context.shift)
    if not slack.is_finite():
        raise Unresolved("the slope is not a finite ball")
    local = [(b - a) / (t - s) for a, b, s, t in zip(v, v[1:], u, u[1:])]
    seen = f"slope {_g(fitted)} of {len(u)} sizes, local slopes {_g(local[0])} to {_g(local[-1])}"
    if c.logs[0] != c.logs[1]:
        seen += f" (with (log x)^{float(int(power.p) / int(power.q)):.3g})"
    margin = float((slack / arb(c.within)).mid())
    points = _points(c.axes, xs, ys, u, v, [arb(power) * e for e in loglog], fitted, claimed)
    if slack < 0:
        return Outcome(Decision.AGAINST, evidence, fitted, claimed, margin, reason=seen, points=points), True
    if not slack >= 0:
        reason = f"{seen}: undecided at the edge of the tolerance"
        return Outcome(Decision.UNDECIDED, evidence, fitted, claimed, reason=reason, points=points), False
    steady, final, why = _steady(c, u, v, bend, local)
    if not steady:
        reason = f"{seen}: {why}"
        return Outcome(Decision.UNDECIDED, evidence, fitted, claimed, reason=reason, points=points), final
    reach = {"two": over.max(under), "upper": over, "lower": under}[c.side]
    resolution = above(arb(c.within) + reach)
    reason = f"{seen}; {why}" if why else seen
    return Outcome(Decision.FOR, evidence, fitted, claimed, margin, resolution, reason, points=points), True


def log_log(xs: Sequence[Any], u: Sequence[arb]) -> list[arb]:
    """log |log x|, for sizes that are all above 1 or all below 1."""
    if not (all(not b <= 0 for b in u) or all(not b >= 0 for b in u)):
        raise KernelError(f"a power of log x needs sizes all above 1 or all below 1, not {xs[0]} to {xs[-1]}")
    return [log_of(abs(b), f"|log x| at x = {x}") for x, b in zip(xs, u)]


def _witness(logs: tuple[fmpq, fmpq], gap: arb, tilt: arb) -> fmpq:
    """The power of log x in the range whose slope is nearest to the claim (any in the range will do)."""
    low, high = logs
    if low == high:
        return low
    best = gap / tilt
    if not best.is_finite():
        raise Unresolved("log log x does not vary enough to tell its power")
    return min(max(dyadic_mid(best), low), high)


def _steady(
    c: Slope, u: Sequence[arb], v: Sequence[arb], bend: Sequence[arb] | None, local: Sequence[arb]
) -> tuple[bool, bool, str]:
    """Whether the local slopes keep still; whether that is final; what to say."""
    if c.drift is None:
        return True, True, "drift not tested"
    if bend is None:
        return True, True, "two sizes: drift not tested"
    half = dot(bend, v) * (u[-1] - u[0])  # half the change of the parabola's slope, in the order of the sizes
    drift = {"two": abs(half), "upper": half, "lower": -half}[c.side]
    excess = drift - arb(c.drift)
    if excess <= 0:
        return True, True, ""
    allowed = float(int(c.drift.p) / int(c.drift.q))
    why = (
        f"the local slopes drift from {_g(local[0])} to {_g(local[-1])} (half-change {_g(half)}, "
        f"allowed {allowed:.3g}); take larger sizes, or claim a logarithm"
    )
    return False, bool(excess > 0), why


def _points(
    axes: str, xs: Sequence[Any], ys: Sequence[Any], u: Sequence[arb], v: Sequence[arb], extra: Sequence[arb],
    fitted: arb, claimed: arb,
) -> tuple[tuple[str, tuple[Point, ...]], ...]:  # fmt: skip
    x = [float(real_ball(a).mid()) for a in xs]
    y = [float(real_ball(b).mid()) for b in ys]
    slopes = {"fitted": float(fitted.mid()), "claimed": float(claimed.mid())}
    parts = [[float(b.mid()) for b in part] for part in (u, extra, v)]
    measured = ("measured", thinned([(a, b, b, b) for a, b in zip(x, y)]))
    return (measured, *lines(x, parts[0], parts[1], parts[2], slopes, AXES[axes][1]))


def _g(ball: arb) -> str:
    return f"{float(ball.mid()):.6g}"
