"""The one door: a comparison goes in, an outcome comes out. The table is closed; nothing else makes outcomes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from theorems.kernel.events import Probability, answer_probability
from theorems.kernel.laws import Law, SameLaw, answer_law, answer_same_law
from theorems.kernel.means import Mean, answer_mean
from theorems.kernel.order import Eq, Le, answer_eq, answer_le
from theorems.kernel.outcome import Context, KernelError, Outcome
from theorems.kernel.precision import precision_kept
from theorems.kernel.programs import desk
from theorems.kernel.slopes import Slope, answer_slope
from theorems.kernel.slopes_last import Plateau, QOrder, answer_plateau, answer_q_order
from theorems.kernel.thresholds import Bracket, answer_bracket
from theorems.kernel.values import dyadic_instance

_ANSWERS: dict[type, Callable[[Any, Context], Outcome]] = {
    Eq: answer_eq,
    Le: answer_le,
    Mean: answer_mean,
    Probability: answer_probability,
    Law: answer_law,
    SameLaw: answer_same_law,
    Slope: answer_slope,
    Plateau: answer_plateau,
    QOrder: answer_q_order,
    Bracket: answer_bracket,
}


def is_comparison(value: object) -> bool:
    """Whether `value` is one of the kernel's comparisons."""
    return type(value) in _ANSWERS


def answer(comparison: object, context: Context) -> Outcome:
    """Decide one comparison.

    Args:
        comparison: a value made by `eq`, `le`, `lt`, `mean_eq`, `mean_le`, `prob_le`, `law`, `slope`, `bracket` ...
        context: level, substreams, precision limits.

    Raises:
        KernelError: when a side is not admitted, or the comparison is none of the kernel's.
    """
    decide = _ANSWERS.get(type(comparison))
    if decide is None:
        accepted = ", ".join(sorted(t.__name__ for t in _ANSWERS))
        raise KernelError(
            f"a check yields comparisons ({accepted}) or a pair (lhs, rhs), not a {type(comparison).__name__}"
        )
    with precision_kept(), dyadic_instance(context.dyadic), desk(context.certificates) as checked:
        outcome = decide(comparison, context)
    return replace(outcome, programs=tuple(checked.used)) if checked.used else outcome
