"""On which side of a level the mean of random draws lies, decided at a stated error probability.

Events and draws of known support are followed by confidence sequences, which may be stopped as soon as they
leave the level: `statistical`. Draws without a support are looked at when their number has doubled, and each
look spends its share of the level on a t interval: `empirical`. Means next to the level were decided above and
below it in 3.9 % and 3.7 % of 2000 seeds at level 5 %, in 1.1 % and 0.8 % at 1 % (normal draws, up to 1024); in
1.6 % and 7.8 %, 0.2 % and 2.5 % (exponential draws, whose skewness a t interval ignores).
"""

from __future__ import annotations

import numpy as np
from flint import arb

from theorems.kernel.outcome import Context, Decision, Evidence, KernelError, Outcome
from theorems.kernel.sampling import (
    Draw,
    Reals,
    admit_event,
    admit_number,
    admit_within,
    prefixes,
    support_slack,
)
from theorems.kernel.sequences import bernoulli_interval, betting_interval, check_times, student_radius
from theorems.kernel.slopes_random import is_event

FIRST_LOOK = 64


def looks(limit: int) -> tuple[int, ...]:
    """The numbers of draws at which a t interval is looked at: 64, 128, ... and the limit."""
    sizes = []
    n = FIRST_LOOK
    while n < limit:
        sizes.append(n)
        n *= 2
    return (*sizes, limit)


def side(
    draw: Draw,
    level: float,
    support: tuple[float, float] | None,
    limit: int,
    context: Context,
    first: int,
    step: int,
) -> Outcome:
    """Whether the mean of the draws is <= level (FOR), > level (AGAINST), or neither is decided.

    Args:
        draw: `draw(rng)` returns a number, a bool (an event) or a 1-D block of them.
        level: what the mean is compared with.
        support: bounds of the draws, if known; events have theirs.
        limit: largest number of draws.
        context: `context.level` bounds the probability of a wrong decision, whatever the mean.
        first, step: the substreams first, first + step, ... are this mean's own.

    Returns:
        `lhs` is the interval at the end, as a ball.
    """
    if context.stream is None:
        raise KernelError("a random order parameter needs substreams: Context(stream=...) is None")
    events = support is None and is_event(draw(context.stream(first)))
    ends = (0.0, 1.0) if events else support
    admit = admit_within(*support) if support is not None else admit_event if events else admit_number
    planned = looks(limit) if ends is None else check_times(limit, 1.25)
    low, high = ends or (float("-inf"), float("inf"))
    decision, n = Decision.UNDECIDED, 0
    for y in prefixes(draw, context, planned, admit, first=first, step=step):
        n = len(y)
        if ends is None:
            half = student_radius(y, context.level / len(planned)) + 1e-12 * abs(float(y.mean()))
            low, high = float(y.mean()) - half, float(y.mean()) + half
        else:
            low, high = _followed(y, events, ends, context.level, low, high)
        if high <= level or low > level:
            decision = Decision.FOR if high <= level else Decision.AGAINST
            break
    reason = "" if decision is not Decision.UNDECIDED else (
        f"the mean lies in [{low:.4g}, {high:.4g}] after {n} draws, not decided against {level:.4g}; raise limit"
    )  # fmt: skip
    gap = max(level - high, low - level) / (max(abs(low), abs(high), abs(level)) or 1.0)
    evidence = Evidence.STATISTICAL if ends is not None else Evidence.EMPIRICAL
    interval = arb((low + high) / 2, (high - low) / 2)
    return Outcome(decision, evidence, interval, level, gap, None, reason, samples=n, level=context.level)


def _followed(
    y: Reals, events: bool, ends: tuple[float, float], level: float, low: float, high: float
) -> tuple[float, float]:
    """The confidence sequence at the present number of draws, met with what held before."""
    if events:
        return bernoulli_interval(len(y), int(y.sum()), level, low, high)
    a, b = ends
    slack = support_slack(a, b)  # draws on the edge may have been moved, and are rescaled
    unit = np.clip((y - a) / (b - a), 0.0, 1.0)
    lower, upper = betting_interval(unit, level)
    return max(low, a + (b - a) * lower - slack), min(high, a + (b - a) * upper + slack)
