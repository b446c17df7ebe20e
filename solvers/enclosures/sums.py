"""Infinite sums: finitely many terms in balls plus a rigorous bound on the tail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, ctx

from solvers.enclosures.exact import to_arb, to_ball
from solvers.enclosures.precision import NoEnclosure, finite


def sum_with_tail(
    term: Callable[[int], Any],
    tail: Callable[[int], Any],
    *,
    start: int = 0,
    tolerance_bits: int | None = None,
    max_terms: int = 100_000,
) -> Any:
    """An enclosure of sum_{k >= start} term(k).

    Args:
        term: the k-th term as an exact number or ball.
        tail: tail(N) >= |sum_{k >= N} term(k)|, rigorous; NaN or infinite where it does not apply yet.
        start: first index.
        tolerance_bits: terms are added until the tail is below 2^-tolerance_bits times the larger of 1 and
            the partial sum (default: the current precision).
        max_terms: bound on the number of terms.

    Raises:
        NoEnclosure: if the tail is not small enough after `max_terms` terms, or a term has no finite ball.
    """
    goal = arb(2) ** -(ctx.prec if tolerance_bits is None else tolerance_bits)
    total = arb(0)
    for k in range(start, start + max_terms):
        total = total + finite(to_ball(term(k)), f"term {k}")
        bound = to_arb(tail(k + 1))
        if bound < 0:
            raise ValueError(f"sum_with_tail: the tail bound {bound} from term {k + 1} on is negative")
        if bound.is_finite() and bound < goal * abs(total).max(arb(1)):
            return total + arb(0, bound.abs_upper())
    raise NoEnclosure(f"sum_with_tail: the tail is not below {goal} after {max_terms} terms")


def geometric_tail(first: Any, ratio: Any) -> arb:
    """|first| / (1 - ratio): bound on the tail from the term `first` on, where |t_(k+1)| <= ratio |t_k|.

    Infinite where ratio < 1 is not certain.
    """
    first, ratio = to_ball(first), to_arb(ratio)
    if not (0 <= ratio < 1):
        return arb.pos_inf()
    return abs(first) / (1 - ratio)


def ratio_tail(term: Callable[[int], Any], ratio: Callable[[int], Any]) -> Callable[[int], arb]:
    """N -> |term(N)| / (1 - ratio(N)), where ratio(N) >= |t_(k+1) / t_k| for every k >= N."""
    return lambda N: geometric_tail(term(N), ratio(N))


def alternating_tail(term: Callable[[int], Any]) -> Callable[[int], arb]:
    """N -> |term(N)|, for alternating terms of decreasing size from N on (Leibniz; both are the caller's)."""
    return lambda N: abs(to_ball(term(N)))


def power_sum_tail(C: Any, p: Any) -> Callable[[int], arb]:
    """N -> C (N-1)^(1-p) / (p-1), for |term(k)| <= C k^-p from N on; p > 1, N >= 2 (integral comparison)."""

    def tail(N: int) -> arb:
        exponent = to_arb(p)
        if N < 2 or not exponent > 1:
            return arb.pos_inf()
        return to_arb(C) * arb(N - 1) ** (1 - exponent) / (exponent - 1)

    return tail
