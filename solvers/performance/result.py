"""What a performance estimation problem is worth: proven bounds on the worst case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import fmpq

from solvers.conic import Certified


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
        return self.certified.reason

    @property
    def width(self) -> fmpq | None:
        """(upper - lower) / max(|lower|, |upper|), or `None`; 0 when both are equal."""
        if self.lower is None or self.upper is None:
            return None
        size = max(abs(self.lower), abs(self.upper))
        return (self.upper - self.lower) / size if size != 0 else fmpq(0)
