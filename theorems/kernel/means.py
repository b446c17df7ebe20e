"""The mean of a draw compared with a value: `mean_eq`, `mean_le`, `mean_ge`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from theorems.kernel import sequences
from theorems.kernel.intervals import (
    Method,
    Relation,
    count_argument,
    decide,
    outward,
    real_argument,
    side_level,
    width_argument,
)
from theorems.kernel.outcome import Context, Evidence, KernelError, Outcome
from theorems.kernel.sampling import Draw, Reals, admit_number, admit_within, support_slack

LIMIT = 20_000  # draws that a comparison may spend unless it says otherwise
LEAST_STUDENT = 10


@dataclass(frozen=True, slots=True)
class Mean:
    """`E draw relation value`. At most one of `support` and `scale` is set; `fixed` is a sample size set in advance."""

    draw: Draw
    relation: Relation
    value: Any
    support: tuple[float, float] | None
    scale: float | None
    within: float
    limit: int
    fixed: int | None


def mean_eq(
    draw: Draw,
    value: Any,
    *,
    support: tuple[Any, Any] | None = None,
    scale: Any = None,
    within: Any = None,
    limit: int = LIMIT,
    fixed: int | None = None,
) -> Mean:
    """The comparison `E draw(rng) = value`.

    Args:
        draw: `draw(rng)` returns one draw or a 1-D block of independent draws, finite doubles.
        value: a real number that the kernel admits (exact, ball, thunk, `Approx`), or a finite double.
        support: `(lo, hi)` that holds every draw for certain. Statistical, by a betting confidence sequence; a draw
            outside is an error.
        scale: a proven sub-Gaussian scale sigma: E exp(l (X - E X)) <= exp(l^2 sigma^2 / 2) for every real l.
            Statistical, by a Gaussian-mixture confidence sequence.
            With neither, the sample is of fixed size and the interval Student's: empirical.
        within: the comparison holds when it is not refuted and its interval is at most this wide (absolute). Default: a
            tenth of the support, a tenth of the scale; without these it must be given.
        limit: draws that may be spent; more than that is undecided.
        fixed: a sample size instead of `limit`: the interval is sharpest there, and nothing is decided in favour earlier.
            Needed where neither support nor scale is given (at least 10).

    Raises:
        KernelError: for arguments out of range, with what is accepted.
    """
    return _mean(draw, "=", value, support, scale, within, limit, fixed)


def mean_le(
    draw: Draw,
    bound: Any,
    *,
    support: tuple[Any, Any] | None = None,
    scale: Any = None,
    within: Any = None,
    limit: int = LIMIT,
    fixed: int | None = None,
) -> Mean:
    """The comparison `E draw(rng) <= bound`: refuted by a lower confidence bound above `bound`; see `mean_eq`."""
    return _mean(draw, "<=", bound, support, scale, within, limit, fixed)


def mean_ge(
    draw: Draw,
    bound: Any,
    *,
    support: tuple[Any, Any] | None = None,
    scale: Any = None,
    within: Any = None,
    limit: int = LIMIT,
    fixed: int | None = None,
) -> Mean:
    """The comparison `E draw(rng) >= bound`: refuted by an upper confidence bound below `bound`; see `mean_eq`."""
    return _mean(draw, ">=", bound, support, scale, within, limit, fixed)


def _mean(
    draw: Draw,
    relation: Relation,
    value: Any,
    support: tuple[Any, Any] | None,
    scale: Any,
    within: Any,
    limit: int,
    fixed: int | None,
) -> Mean:
    if not callable(draw):
        raise KernelError(f"a draw function is expected, draw(rng) -> float or 1-D array, not {draw!r}")
    if support is not None and scale is not None:
        raise KernelError("declare support=(lo, hi) or scale=sigma, not both: one of them is used")
    count_argument("limit", limit)
    if fixed is not None:
        count_argument("fixed", fixed)
    if support is not None:
        ends = _support(support)
        span = ends[1] - ends[0]
        width = width_argument(within, span / 10, span, "as wide as the support it could not fail")
        return Mean(draw, relation, value, ends, None, width, limit, fixed)
    if scale is not None:
        sigma = outward(real_argument("scale", scale), real_argument("scale", scale))[1]
        if not sigma > 0:
            raise KernelError(f"scale={scale!r}: a sub-Gaussian scale is > 0")
        width = width_argument(within, sigma / 10, math.inf, "the absolute width of the interval")
        return Mean(draw, relation, value, None, sigma, width, limit, fixed)
    if fixed is None or within is None:
        raise KernelError(
            "without support=(lo, hi) or scale=sigma the mean is compared at a fixed size by Student's interval: give "
            "both fixed=N and within=w"
        )
    count_argument("fixed", fixed, LEAST_STUDENT)
    width = width_argument(within, 0.0, math.inf, "the absolute width of the interval")
    return Mean(draw, relation, value, None, None, width, limit, fixed)


def _support(support: Any) -> tuple[float, float]:
    if not isinstance(support, (tuple, list)) or len(support) != 2:
        raise KernelError(f"support={support!r}: a pair (lo, hi) is expected")
    low, high = outward(real_argument("support", support[0]), real_argument("support", support[1]))
    if not low < high or not math.isfinite(high - low):
        raise KernelError(f"support={support!r}: lo < hi is expected")
    return low, high


def answer_mean(c: Mean, context: Context) -> Outcome:
    """Decide about a mean; see `mean_eq`."""
    level = side_level(c.relation, context)
    if c.support is not None:
        method = _betting(c, c.support, level)
    elif c.scale is not None:
        method = _subgaussian(c, c.scale, level)
    else:
        method = _student(c.fixed or LEAST_STUDENT, level)
    advice = "limit" if c.fixed is None else "fixed"
    return decide(c.draw, c.relation, c.value, method, c.within, advice, context)


def _betting(c: Mean, support: tuple[float, float], level: float) -> Method:
    low, high = support
    span, slack = high - low, 2 * support_slack(low, high)
    half_width = c.within / (2 * span) if c.fixed is None else None

    def interval(x: Reals, a: float, b: float) -> tuple[float, float]:
        inner = max(0.0, (a - low) / span), min(1.0, (b - low) / span)
        y = (x - low) / span
        m, M = sequences.betting_interval(y, level, *inner, half_width=half_width, fixed=c.fixed)
        # The slack covers moved draws and the rounding of y, m and M; an end that is not improved stays put.
        return (
            low + span * m - slack if m > inner[0] else a,
            low + span * M + slack if inner[1] > M else b,
        )

    times = sequences.check_times(c.fixed or c.limit)
    return Method(
        "betting confidence sequence",
        Evidence.STATISTICAL,
        admit_within(low, high),
        times,
        interval,
        (low, high),
        c.fixed is None,
        # Stakes tuned to a width w leave w (N/n + 1)/2 after n draws, where N are enough.
        (lambda r: 2 * r - 1) if c.fixed is None else (lambda r: r * r),
    )


def _subgaussian(c: Mean, scale: float, level: float) -> Method:
    if c.fixed is not None:
        radius = sequences.fixed_subgaussian_radius(c.fixed, scale, level)
        return Method(
            "Chernoff interval of fixed size",
            Evidence.STATISTICAL,
            admit_number,
            (c.fixed,),
            lambda x, a, b: _about(x, radius),
        )
    times = sequences.check_times(c.limit)
    strength = sequences.mixture_strength(_target(times, scale, level, c.within), level)
    return Method(
        "Gaussian-mixture confidence sequence",
        Evidence.STATISTICAL,
        admit_number,
        times,
        lambda x, a, b: _about(x, sequences.subgaussian_radius(x.size, scale, level, strength)),
    )


def _target(times: tuple[int, ...], scale: float, level: float, within: float) -> int:
    """The first size at which the best mixture is narrow enough: known before the first draw."""
    for n in times:
        if 2 * sequences.subgaussian_radius(n, scale, level, sequences.mixture_strength(n, level)) <= within:
            return n
    return times[-1]


def _student(n: int, level: float) -> Method:
    return Method(
        "Student interval of fixed size",
        Evidence.EMPIRICAL,
        admit_number,
        (n,),
        lambda x, a, b: _about(x, sequences.student_radius(x, level)),
    )


def _about(x: Reals, radius: float) -> tuple[float, float]:
    """The sample mean +- radius, with the rounding of the mean: below 1e-12 of the largest draw (pairwise sum)."""
    mean = float(x.mean())
    if not math.isfinite(mean):  # the sum of finite draws overflowed: nothing is known
        return -math.inf, math.inf
    slack = 1e-12 * float(abs(x).max())
    return mean - radius - slack, mean + radius + slack
