"""What a performance estimation problem is worth: proven bounds on the worst case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import fmpq

from solvers.conic import Certified
from solvers.conic.rounding import to_float

_MEANING = {
    "unbounded": "there is a direction along which the hypotheses stay satisfied and the metric grows",
    "dual infeasible": "no multipliers bound the metric: it is unbounded, or no function of the class satisfies the hypotheses",
    "infeasible": "no function of the class satisfies the hypotheses",
}
_SCALE = "Choose units in which the constants of the classes, the radii and the metric are of size 1"
_ADVICE = {
    "unbounded": "Add the hypothesis that is missing, such as pep.require(squared(x - best.x), 1)",
    "dual infeasible": "Add the hypothesis that is missing, such as pep.require(squared(x - best.x), 1)",
    "infeasible": "Drop or correct a hypothesis",
    "lower bound": "If nothing bounds the metric (without a ray along which it grows), add a hypothesis. " + _SCALE,
}


@dataclass(frozen=True)
class WorstCase:
    """Proven bounds on the optimum of the program.

    Attributes:
        certified: bounds of the minimisation, with their certificate.
        tight: whether the conditions of all classes are tight. If not, `upper` bounds the worst case over the class,
            and `lower` bounds only the relaxation.
        names: name of each constraint, in the order of the program's rows.
    """

    certified: Certified
    tight: bool
    names: tuple[tuple[Any, ...], ...]

    @property
    def lower(self) -> fmpq | None:
        """Value at an exactly feasible Gram matrix, or `None`."""
        upper = self.certified.upper
        return None if upper is None else -upper

    @property
    def upper(self) -> fmpq | None:
        """Bound that exactly feasible multipliers prove, or `None`."""
        lower = self.certified.lower
        return None if lower is None else -lower

    @property
    def status(self) -> str:
        """`enclosed`, `lower bound`, `upper bound`, `unbounded`, `infeasible` or `inconclusive`."""
        swapped = {"lower bound": "upper bound", "upper bound": "lower bound"}
        return swapped.get(self.certified.status, self.certified.status)

    @property
    def reason(self) -> str:
        """What is missing or weak, and why."""
        return self.certified.reason or _MEANING.get(self.status, "")

    def bounds(self) -> tuple[fmpq, fmpq]:
        """(lower, upper).

        Raises:
            ArithmeticError: if one of them was not proven; says why, and what helps.
        """
        if self.lower is None or self.upper is None:
            known = (
                "" if self.status in _MEANING else f" ({self.lower} <= worst case)" if self.lower is not None else ""
            )
            raise ArithmeticError(
                f"the worst case is not enclosed: {self.status}{known}. {self.reason}. {_ADVICE.get(self.status, _SCALE)}"
            )
        return self.lower, self.upper

    def __str__(self) -> str:
        ends = ["?" if v is None else f"{to_float(v):.10g}" for v in (self.lower, self.upper)]
        return f"worst case in [{', '.join(ends)}] ({self.status}{'' if self.tight else ', conditions necessary only'})"

    @property
    def width(self) -> fmpq | None:
        """(upper - lower) / max(|lower|, |upper|), or `None`; 0 when both are equal."""
        if self.lower is None or self.upper is None:
            return None
        size = max(abs(self.lower), abs(self.upper))
        return (self.upper - self.lower) / size if size != 0 else fmpq(0)
