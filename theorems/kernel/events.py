"""The probability of an event compared with a bound: `prob_le`, `prob_ge`, `prob_eq`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theorems.kernel import sequences
from theorems.kernel.intervals import (
    Method,
    Relation,
    count_argument,
    decide,
    enclosed,
    side_level,
    width_argument,
)
from theorems.kernel.outcome import Context, Evidence, KernelError, Outcome
from theorems.kernel.sampling import Draw, Reals, admit_event

LIMIT = 20_000
WITHIN = 0.1  # default width where the number of trials may grow
WITHIN_FIXED = 0.5  # default width where the number of trials was set in advance


@dataclass(frozen=True, slots=True)
class Probability:
    """`P(event) relation value`; `fixed` is a number of trials set in advance."""

    event: Draw
    relation: Relation
    value: Any
    within: float
    limit: int
    fixed: int | None


def prob_le(
    event: Draw, bound: Any, *, within: Any = None, limit: int = LIMIT, fixed: int | None = None
) -> Probability:
    """The comparison `P(event) <= bound`; statistical.

    Args:
        event: `event(rng)` returns a bool or a 1-D bool array (a block of independent trials).
        bound: a real number that the kernel admits, or a finite double, below 1 (a bound of 1 cannot fail).
        within: the comparison holds when it is not refuted and its interval is at most this wide. Default: 0.1; with
            `fixed`, 0.5, which 30 trials without an event meet at levels down to 1e-9. For rare events declare a width of
            the order of the bound: 0.1 says little about a bound of 1e-3, and the resolution shows it.
        limit: trials that may be spent, by a beta-binomial confidence sequence that may stop at any time.
        fixed: a number of trials instead: exact Clopper-Pearson bounds. It stops early only when the counts so far refute
            whatever the remaining trials show, which is the same decision.

    Raises:
        KernelError: for arguments out of range, with what is accepted.
    """
    return _probability(event, "<=", bound, within, limit, fixed)


def prob_ge(
    event: Draw, bound: Any, *, within: Any = None, limit: int = LIMIT, fixed: int | None = None
) -> Probability:
    """The comparison `P(event) >= bound`, with a bound above 0; see `prob_le`."""
    return _probability(event, ">=", bound, within, limit, fixed)


def prob_eq(
    event: Draw, value: Any, *, within: Any = None, limit: int = LIMIT, fixed: int | None = None
) -> Probability:
    """The comparison `P(event) = value`, two-sided; see `prob_le`."""
    return _probability(event, "=", value, within, limit, fixed)


def _probability(
    event: Draw, relation: Relation, value: Any, within: Any, limit: int, fixed: int | None
) -> Probability:
    if not callable(event):
        raise KernelError(f"an event function is expected, event(rng) -> bool or 1-D bool array, not {event!r}")
    count_argument("limit", limit)
    if fixed is not None:
        count_argument("fixed", fixed)
    default = WITHIN if fixed is None else WITHIN_FIXED
    return Probability(
        event, relation, value, width_argument(within, default, 1.0, "as wide as 1 it could not fail"), limit, fixed
    )  # fmt: skip


def answer_probability(c: Probability, context: Context) -> Outcome:
    """Decide about a probability; see `prob_le`."""
    below, above, shown = enclosed(c.value, context.shift * 0, context)
    if (c.relation == "<=" and above >= 1) or (c.relation == ">=" and below <= 0):
        raise KernelError(
            f"P(event) {c.relation} {shown} holds for every event: the check could not fail; sample instances whose "
            "bound lies inside (0, 1)"
        )
    level = side_level(c.relation, context)
    method = _sequence(c.limit, level) if c.fixed is None else _clopper_pearson(c.fixed, level)
    return decide(c.event, c.relation, c.value, method, c.within, "limit" if c.fixed is None else "fixed", context)


def _sequence(limit: int, level: float) -> Method:
    def interval(x: Reals, low: float, high: float) -> tuple[float, float]:
        return sequences.bernoulli_interval(x.size, int(x.sum()), level, low, high)

    return Method(
        "beta-binomial confidence sequence",
        Evidence.STATISTICAL,
        admit_event,
        sequences.check_times(limit),
        interval,
        (0.0, 1.0),
    )


def _clopper_pearson(n: int, level: float) -> Method:
    """Before the last trial: the bounds that the full sample keeps whatever the remaining trials show."""

    def interval(x: Reals, low: float, high: float) -> tuple[float, float]:
        k = int(x.sum())
        open_trials = n - x.size
        return (
            sequences.clopper_pearson_lower(n, k, level),
            sequences.clopper_pearson_upper(n, k + open_trials, level),
        )

    return Method(
        "Clopper-Pearson interval",
        Evidence.STATISTICAL,
        admit_event,
        sequences.check_times(n),
        interval,
        (0.0, 1.0),
        False,
    )
