"""Deciding about a parameter by the interval that its draws leave: shared by means and probabilities.

A hypothesis is refuted as soon as the interval excludes it, and it holds when the interval is narrower than declared and
does not exclude it. Draws spent with a wider interval decide nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from flint import arb, fmpq, fmpz

from theorems.kernel import exact
from theorems.kernel.outcome import Context, Decision, Evidence, KernelError, Outcome
from theorems.kernel.precision import evaluations, working_precision
from theorems.kernel.sampling import Admit, Draw, Reals, prefixes
from theorems.kernel.values import Algebraic

Relation = Literal["=", "<=", ">="]
PLOTTED = 60
_BITS = 128


@dataclass(frozen=True, slots=True)
class Method:
    """How draws become an interval.

    Attributes:
        name: for people.
        evidence: what a decision by this method is worth.
        admit: admission of what the draw function returns.
        times: sample sizes at which the interval is looked at.
        interval: `(draws, low, high) -> (low, high)` at one of the times, given the interval so far.
        start: the interval before the first draw.
        early: whether a decision in favour may be taken before the last time.
        shortfall: the factor of draws that is missing when the width is r times the declared one, for advice.
    """

    name: str
    evidence: Evidence
    admit: Admit
    times: tuple[int, ...]
    interval: Callable[[Reals, float, float], tuple[float, float]]
    start: tuple[float, float] = (-math.inf, math.inf)
    early: bool = True
    shortfall: Callable[[float], float] = lambda r: r * r


def side_level(relation: Relation, context: Context) -> float:
    """The level of each end of the interval: half of the comparison's when both ends can refute."""
    if not 0 < context.level < 1:
        raise KernelError(f"a statistical comparison needs a level in (0, 1), not {context.level!r}")
    return context.level / 2 if relation == "=" else context.level


def decide(
    draw: Draw, relation: Relation, value: Any, method: Method, within: float, advice: str, context: Context
) -> Outcome:
    """Draw until the parameter's interval decides `parameter relation value`, or the draws are spent.

    Args:
        draw: draw function.
        relation, value: the hypothesis; a value that is a ball is refuted only as a whole.
        method: the interval.
        within: the width that a decision in favour needs.
        advice: keyword that buys more draws, for the suggestion of an undecided outcome.
        context: level, substreams and shift (which moves the value: up for `=` and `>=`, down for `<=`).
    """
    shift = -context.shift if relation == "<=" else context.shift
    below, above, shown = enclosed(value, shift, context)
    low, high = method.start
    seen: list[tuple[float, ...]] = []
    decision = Decision.UNDECIDED
    n, mean = 0, math.nan
    for x in prefixes(draw, context, method.times, method.admit):
        n = x.size
        with np.errstate(over="ignore"):
            mean = float(x.mean())
            new_low, new_high = method.interval(x, low, high)
        low, high = max(low, new_low), min(high, new_high)
        seen.append((float(n), mean, low, high))
        if (low > above and relation != ">=") or (high < below and relation != "<="):
            decision = Decision.AGAINST
            break
        if (method.early or n == method.times[-1]) and high - low <= within:
            decision = Decision.FOR
            break
    width = high - low
    return Outcome(
        decision,
        method.evidence,
        f"{mean:.6g} in [{low:.6g}, {high:.6g}]",
        shown,
        _margin(relation, below, above, low, high),
        _resolution(relation, below, above, low, high) if decision is not Decision.AGAINST else None,
        _reason(decision, relation, below, above, low, high, n, method.name)
        + (_suggestion(method, width, within, n, advice) if decision is Decision.UNDECIDED else ""),
        samples=n,
        level=context.level,
        points=((method.name, thinned(seen)),),
    )


def _margin(relation: Relation, below: float, above: float, low: float, high: float) -> float | None:
    """Distance of the hypothesis to the nearer edge that refutes it, in widths; negative outside."""
    if not math.isfinite(high - low):
        return None
    slack = {"=": min(above - low, high - below), "<=": above - low, ">=": high - below}[relation]
    width = abs(high - low)
    return slack / width if width > 0 else math.copysign(math.inf, slack) if slack != 0 else 0.0


def _resolution(relation: Relation, below: float, above: float, low: float, high: float) -> float:
    """How far the value must move to be refuted for certain by the same draws, rounded up, never 0."""
    distance = {"=": (high - low) + (above - below), "<=": above - low, ">=": high - below}[relation]
    largest = max(abs(v) for v in (below, above, low, high))
    return max(distance, 0.0) * (1 + 2.0**-50) + 2.0**-50 * largest + 5e-324


def _reason(
    decision: Decision,
    relation: Relation,
    below: float,
    above: float,
    low: float,
    high: float,
    n: int,
    name: str,
) -> str:
    met = f"in [{low:.6g}, {high:.6g}] after {n} draws ({name})"
    established = (relation == "<=" and high <= below) or (relation == ">=" and low >= above)
    if decision is Decision.FOR and established:
        return f"{met}; the whole interval obeys the bound"
    return met


def _suggestion(method: Method, width: float, within: float, n: int, advice: str) -> str:
    """Which number of draws would be enough, if the width goes on shrinking as it does."""
    if not math.isfinite(width):
        return f"; wider than within={within:.3g}: raise {advice}"
    wanted = 1.2 * n * method.shortfall(width / within)
    digits = 10 ** max(0, math.floor(math.log10(wanted)) - 1)
    more = f"about {advice}={math.ceil(wanted / digits) * digits} would do"
    return f"; the width {width:.3g} exceeds within={within:.3g}: {more}"


def thinned(rows: list[tuple[float, ...]], most: int = PLOTTED) -> tuple[tuple[float, ...], ...]:
    """At most `most` of the rows, evenly, with the first and the last."""
    if len(rows) <= most:
        return tuple(rows)
    return tuple(rows[round(k * (len(rows) - 1) / (most - 1))] for k in range(most))


def enclosed(value: Any, shift: fmpq, context: Context) -> tuple[float, float, Any]:
    """Doubles below and above a hypothesised value moved by `shift`, and the value as it is shown.

    Args:
        value: anything that the kernel admits as a real number, a thunk of it, or a finite double (taken as exact).
        shift: added to it.
        context: digits for thunks of high-precision numbers.
    """
    if isinstance(value, (float, np.float64)):
        if not math.isfinite(value):
            raise KernelError(f"the value {value} of a comparison is not finite")
        admitted: Any = fmpq(*map(fmpz, float(value).as_integer_ratio()))
        shown: Any = repr(float(value))
    else:
        sides = evaluations(value, fmpq(0), bits=_BITS, max_bits=_BITS, digits=context.digits, symbolic=False)
        admitted = shown = next(sides).lhs
    with working_precision(_BITS):
        if isinstance(admitted, Algebraic):
            admitted = exact.ball(admitted.expr)
        if isinstance(admitted, fmpq):
            moved = admitted + shift
            return *outward(moved, moved), shown
        if isinstance(admitted, arb) and admitted.is_finite():
            ball = admitted + arb(shift)
            low, high = float(ball.lower()), float(ball.upper())
            return math.nextafter(low, -math.inf), math.nextafter(high, math.inf), shown
    raise KernelError(f"a mean or probability is compared with one finite real number, not with {shown}")


def outward(low: fmpq, high: fmpq) -> tuple[float, float]:
    """The doubles next to two rationals, rounded down and up; equal to them where they are doubles."""
    return _rounded(low, -math.inf), _rounded(high, math.inf)


def _rounded(q: fmpq, towards: float) -> float:
    nearest = float(Fraction(int(q.p), int(q.q)))
    kept = fmpq(*map(fmpz, nearest.as_integer_ratio()))
    wrong = kept > q if towards < 0 else kept < q
    return math.nextafter(nearest, towards) if wrong else nearest


def real_argument(name: str, value: Any) -> fmpq:
    """A number that a user declares (a support's end, a scale, a width) as a rational; KernelError otherwise."""
    if isinstance(value, (int, fmpz, fmpq, Fraction)) and not isinstance(value, bool):
        return fmpq(value.numerator, value.denominator) if isinstance(value, Fraction) else fmpq(value)
    if isinstance(value, float) and math.isfinite(value):
        return fmpq(*map(fmpz, value.as_integer_ratio()))
    raise KernelError(f"{name}={value!r}: a finite number is expected (int, Fraction, flint.fmpq or float)")


def count_argument(name: str, value: Any, least: int = 1) -> int:
    """A number of draws; KernelError unless it is an int of at least `least`."""
    if type(value) is not int or value < least:
        raise KernelError(f"{name}={value!r}: a number of draws is an int of at least {least}")
    return value


def width_argument(value: Any, default: float, largest: float, why: str) -> float:
    """The declared width `within` of an interval, in (0, largest); KernelError otherwise."""
    width = default if value is None else _rounded(real_argument("within", value), -math.inf)
    if not 0 < width < largest:
        raise KernelError(f"within={value!r}: a width in (0, {largest:.6g}) is expected; {why}")
    return width
