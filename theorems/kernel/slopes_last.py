"""What the last terms of a sequence do: they stop growing (a plateau), or they converge with a Q-order.

Both look at the last terms only, and at consecutive quotients, so they need no fit: deterministic data are
decided in balls and earn what they are. A plateau of random data is decided by t intervals of the log means
(`empirical`; true plateaus without tolerance, three sizes, 10 log-normal repetitions, 2000 seeds: 4.5 %
refuted at level 5 %, 0.9 % at 1 %); increments with known bounds can be compared with `mean_le` instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from flint import arb, fmpq

from theorems.kernel.outcome import Context, Decision, Evidence, KernelError, Outcome
from theorems.kernel.precision import working_precision
from theorems.kernel.slopes import SIDES
from theorems.kernel.slopes_fit import (
    Unresolved,
    above,
    abscissae,
    counted,
    log_of,
    one_of,
    positive,
    readings,
    real_ball,
    thinned,
)


@dataclass(frozen=True, slots=True)
class Plateau:
    """The values at the last sizes differ by a share of at most `within`; see `plateau`."""

    xs: Any
    ys: Any
    within: fmpq
    side: str
    last: int
    spread: fmpq
    draw: Callable[..., Any] | None = None
    curve: Callable[..., Any] | None = None
    repeats: int = 0
    width: fmpq | None = None


@dataclass(frozen=True, slots=True)
class QOrder:
    """The errors converge to 0 with Q-order `claimed`; see `q_order`."""

    errors: Any
    claimed: Any
    within: fmpq
    side: str
    last: int


def plateau(
    xs: Any,
    ys: Any = None,
    *,
    within: Any,
    side: str = "two",
    last: int = 3,
    spread: Any = 4,
    draw: Callable[..., Any] | None = None,
    curve: Callable[..., Any] | None = None,
    repeats: int | None = None,
    width: Any = None,
) -> Plateau:
    """The values stop growing: increments between consecutive ones of the last sizes are a share <= `within`.

    The share is (y_{k+1} - y_k) / max(|y_k|, |y_{k+1}|). Of sizes that double, a power x^s would show the
    share 1 - 2^{-s}; growth slower than every power (a logarithm) is told from a plateau only by its size.

    Args:
        xs: positive sizes, increasing or decreasing throughout.
        spread: least quotient of the largest and the smallest of the last `last` sizes.
        ys: the values (values or thunks, or one thunk for all), of either sign.
        within: largest share, exact, in (0, 1).
        side: "two": neither growth nor decline; "upper": no growth; "lower": no decline.
        last: how many of the last sizes are looked at, >= 2.
        draw, curve, repeats, width: for random data of positive mean, as for `slope`; the increments are
            those of the means, and a curve gives them paired. Of random data all sizes but the last `last`
            are left out.

    Raises:
        KernelError: for arguments that make no claim, with advice.
    """
    if sum(data is not None for data in (ys, draw, curve)) != 1:
        raise KernelError("plateau(...) takes the values `ys`, or random data by `draw=` or `curve=`")
    share = positive(within, "within")
    if share >= 1:
        raise KernelError(f"within={within}: a share below 1 is expected")
    count = counted(last, "last", 2)
    random = ys is None
    if not random and (repeats is not None or width is not None):
        raise KernelError("repeats= and width= belong to random data (draw=... or curve=...)")
    if random and callable(xs):
        raise KernelError("random data need the sizes as a sequence, not as a thunk")
    if not callable(xs) and len(xs) < count:
        raise KernelError(f"{len(xs)} sizes, but the last {count} are to be looked at; give more, or state last=...")
    if not (callable(xs) or random or callable(ys)) and len(xs) != len(ys):
        raise KernelError(f"{len(xs)} sizes but {len(ys)} values; give one value for each size")
    return Plateau(
        xs, ys, share, one_of(side, "side", SIDES), count, positive(spread, "spread"), draw, curve,
        counted(repeats, "repeats", 5) if random else 0,
        (share if width is None else positive(width, "width")) if random else None,
    )  # fmt: skip


def q_order(errors: Any, claimed: Any, *, within: Any, side: str = "two", last: int = 2) -> QOrder:
    """The errors e_k decrease to 0 with Q-order p = `claimed`, that is e_{k+1} ~ C e_k^p.

    The numbers compared are p_k = log(e_{k+1}/e_k) / log(e_k/e_{k-1}), in which the constant C cancels, for
    the last `last` k; each must agree. Errors that do not decrease there have no order and refute the
    claim.

    Args:
        errors: positive errors (values or thunks, or one thunk for all), at least `last` + 2. A thunk lets
            the precision grow, which the cancellation in an error usually asks for.
        claimed: the order p (a value or a thunk).
        within: exact tolerance > 0 about the order.
        side: "two", "upper" (order at most p) or "lower" (order at least p).
        last: how many of the last estimates must agree, >= 1.

    Raises:
        KernelError: for arguments that make no claim, with advice.
    """
    count = counted(last, "last", 1)
    if not callable(errors) and len(errors) < count + 2:
        raise KernelError(f"{len(errors)} errors give no {count} estimates of the order; give at least {count + 2}")
    return QOrder(errors, claimed, positive(within, "within"), one_of(side, "side", SIDES), count)


def answer_plateau(c: Plateau, context: Context) -> Outcome:
    """Decide a plateau; see `plateau`.

    Returns:
        `lhs` is the share of the worst increment. Resolution, in shares: two-sided, `within` plus the worst
        share; one-sided, the slack.
    """
    if c.ys is None:
        return _answer_random(c, context)
    return _settle(c, readings(c.ys, c.xs, context), context, _plateau)


def answer_q_order(c: QOrder, context: Context) -> Outcome:
    """Decide an order of convergence; see `q_order`.

    Returns:
        `lhs` is the worst of the estimates. Resolution, in the unit of the order: two-sided, `within` plus
        the largest distance; one-sided, the slack.
    """
    return _settle(c, readings(c.errors, [c.claimed], context), context, _order)


def _settle(c: Any, steps: Any, context: Context, decide: Any) -> Outcome:
    """The first decided outcome at growing precision, or the last undecided one."""
    outcome = Outcome(Decision.UNDECIDED, Evidence.CERTIFIED, reason="no precision was tried")
    for reading in steps:
        with working_precision(reading.bits):
            try:
                outcome = decide(c, reading.left, reading.right, reading.evidence, context)
            except Unresolved as unresolved:
                outcome = Outcome(Decision.UNDECIDED, reading.evidence, reason=str(unresolved))
        if outcome.decision is not Decision.UNDECIDED:
            return outcome
    return outcome


def _plateau(c: Plateau, ys: Sequence[Any], xs: Sequence[Any], evidence: Evidence, context: Context) -> Outcome:
    if len(xs) != len(ys) or len(xs) < c.last:
        raise KernelError(f"{len(xs)} sizes and {len(ys)} values; give equally many, at least {c.last}")
    abscissae(xs, True, fmpq(1))
    abscissae(xs[-c.last :], True, c.spread)
    values = [real_ball(y) for y in ys]
    shares = [_share(a, b) for a, b in pairwise(values[-c.last :])]
    points = (("measured", thinned([(_f(real_ball(x)), _f(v), _f(v), _f(v)) for x, v in zip(xs, values)])),)
    what = f"the last {c.last} values change by the shares {', '.join(f'{_f(s):.3g}' for s in shares)}"
    return _compare(c, shares, arb(0), evidence, context, what, points)


def _share(a: arb, b: arb) -> arb:
    scale = abs(a).max(abs(b))
    if scale.is_zero():
        return arb(0)
    if not scale > 0:
        raise Unresolved("a value is not known to differ from 0")
    return (b - a) / scale


def _order(c: QOrder, errors: Sequence[Any], claim: Sequence[Any], evidence: Evidence, context: Context) -> Outcome:
    if len(errors) < c.last + 2:
        raise KernelError(f"{len(errors)} errors give no {c.last} estimates; give at least {c.last + 2}")
    logs = [log_of(e, f"error number {k}") for k, e in enumerate(errors)]
    steps = [b - a for a, b in pairwise(logs)]
    claimed = real_ball(claim[0])
    for k in range(len(steps) - c.last - 1, len(steps)):
        if steps[k] >= 0:
            why = f"error number {k + 1} is not smaller than the one before: no convergence, no order"
            return Outcome(Decision.AGAINST, evidence, errors[k + 1], errors[k], reason=why)
        if not steps[k] < 0:
            raise Unresolved(f"error number {k + 1} is not known to be smaller than the one before")
    orders = [b / a for a, b in pairwise(steps)]
    shown = [(float(k), _f(p), _f(p), _f(p)) for k, p in enumerate(orders, start=1)]
    line = [(k, _f(claimed), _f(claimed), _f(claimed)) for k, *_ in shown]
    points = ("measured", thinned(shown)), ("claimed", thinned(line))
    used = orders[-c.last :]
    what = f"the last estimates of the order are {', '.join(f'{_f(p):.6g}' for p in used)}"
    return _compare(c, used, claimed, evidence, context, what, points)


def _compare(
    c: Any, values: list[arb], claimed: arb, evidence: Evidence, context: Context, what: str, points: Any
) -> Outcome:  # fmt: skip
    """Each value agrees with the claim to within the tolerance, on the side that is claimed."""
    gaps = [v - claimed for v in values]
    excess = {"two": [abs(g) for g in gaps], "upper": gaps, "lower": [-g for g in gaps]}[c.side]
    slacks = [arb(c.within) - e - arb(context.shift) for e in excess]
    k = min(range(len(slacks)), key=lambda i: float(slacks[i].mid()))
    margin = float((slacks[k] / arb(c.within)).mid())
    if any(s < 0 for s in slacks):
        return Outcome(Decision.AGAINST, evidence, values[k], claimed, margin, reason=what, points=points)
    if not all(s >= 0 for s in slacks):
        why = f"{what}: undecided at the edge of the tolerance"
        return Outcome(Decision.UNDECIDED, evidence, values[k], claimed, reason=why, points=points)
    resolution = above(arb(c.within) + (excess[k] if c.side == "two" else -excess[k]))
    return Outcome(Decision.FOR, evidence, values[k], claimed, margin, resolution, what, points=points)


def _answer_random(c: Plateau, context: Context) -> Outcome:
    """Refuted when an interval of an increment at its share of the level lies beyond the tolerance."""
    from theorems.kernel.slopes_random import means, t_quantile

    sizes = list(c.xs)[-c.last :]
    reading = next(readings(sizes, [0], context))
    with working_precision(reading.bits):
        abscissae(reading.left, True, c.spread)
        x = [_f(real_ball(s)) for s in reading.left]
    try:
        data = means(sizes, c.draw, c.curve, c.repeats, True, context)
    except Unresolved as noisy:
        return Outcome(Decision.UNDECIDED, Evidence.EMPIRICAL, reason=str(noisy), level=context.level)
    level = context.level / (c.last - 1)
    shares = []  # estimate, lower and upper end of the claimed side's share
    for k in range(c.last - 1):
        weights = [0.0] * c.last
        weights[k], weights[k + 1] = -1.0, 1.0
        gap, error, df = data.contrast(weights)
        half = t_quantile(level / (2 if c.side == "two" else 1), df) * error + 1e-12
        e = {"two": abs(gap), "upper": gap, "lower": -gap}[c.side]
        shares.append((_of_log(e), _of_log(e - half), _of_log(e + half), half))
    worst = max(shares, key=lambda s: s[1])
    within, shift, width = (int(q.p) / int(q.q) for q in (c.within, context.shift, c.width or c.within))
    z = t_quantile(context.level / 2, c.repeats - 1.0)
    bars = [math.exp(min(z * data.error(k), 700.0)) for k in range(c.last)]
    points = (("measured", thinned([(a, m, m / b, m * b) for a, m, b in zip(x, data.mean, bars)])),)
    what = f"the last {c.last} means change by a share of {worst[0]:.3g}, at least {worst[1]:.3g}"

    def outcome(decision: Decision, reason: str, resolution: float | None = None) -> Outcome:
        return Outcome(
            decision, Evidence.EMPIRICAL, worst[0], within, (within - worst[1] - shift) / within, resolution,
            reason, samples=data.samples, level=context.level, points=points,
        )  # fmt: skip

    if worst[1] + shift > within:
        return outcome(Decision.AGAINST, what)
    widest = max(s[3] for s in shares)
    if widest > width:
        return outcome(Decision.UNDECIDED, f"{what}: +- {widest:.2g} is wider than {width:.3g}; raise repeats")
    reach = max(s[2] for s in shares) if c.side == "two" else -worst[1]
    return outcome(Decision.FOR, what, (within + reach) * (1 + 1e-9) + 1e-12)


def _of_log(gap: float) -> float:
    """The share of an increment from the difference of logarithms."""
    return math.copysign(-math.expm1(-abs(gap)), gap)


def _f(ball: arb) -> float:
    return float(ball.mid())
