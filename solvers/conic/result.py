"""What certification returns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from flint import fmpq

from solvers.certificates import (
    ConicCertificate,
    ConicProblem,
    DualBound,
    Enclosure,
    InvalidCertificate,
    PrimalPoint,
    check,
)
from solvers.certificates.bounds import dual_value, primal_value
from solvers.certificates.rational import ball_endpoints

Status = Literal["enclosed", "lower bound", "upper bound", "infeasible", "unbounded", "dual infeasible", "inconclusive"]


@dataclass(frozen=True)
class Certified:
    """Proven facts about the optimum of `problem`.

    Attributes:
        status: `enclosed` (both bounds), `lower bound` or `upper bound` (one of them), `infeasible`,
            `unbounded` (below), `dual infeasible` (a recession direction and no feasible point: infeasible or
            unbounded), or `inconclusive`.
        lower: rational lower bound of the optimum, or `None`.
        upper: rational upper bound, the value at a feasible point, or `None`.
        certificate: accepted by `solvers.certificates.check` for `problem`; `None` only if inconclusive.
        problem: the program that the bounds speak about.
        reason: what is missing or weak, and why; empty when the relative gap is at most 1e-7.
        method: how the bounds were found: `exact vertex`, `exact KKT system`, `small rationals`, `repaired`,
            ...
    """

    status: Status
    lower: fmpq | None
    upper: fmpq | None
    certificate: ConicCertificate | None
    problem: ConicProblem
    reason: str = ""
    method: str = "repaired"

    @property
    def gap(self) -> fmpq | None:
        """upper - lower, or `None` if a bound is missing."""
        return None if self.lower is None or self.upper is None else self.upper - self.lower

    @property
    def relative_gap(self) -> fmpq | None:
        """gap / max(1, |lower|, |upper|), or `None`."""
        if self.lower is None or self.upper is None:
            return None
        return (self.upper - self.lower) / max(fmpq(1), abs(self.lower), abs(self.upper))


def assembled(
    problem: ConicProblem,
    upper: PrimalPoint | None,
    lower: DualBound | None,
    reason: str = "",
    method: str = "repaired",
) -> Certified:
    """The result for halves that were accepted already."""
    if upper is not None and lower is not None:
        both = Enclosure(upper, lower)
        return Certified("enclosed", lower.bound, upper.bound, both, problem, reason, method)
    if lower is not None:
        return Certified("lower bound", lower.bound, None, lower, problem, reason, method)
    if upper is not None:
        return Certified("upper bound", None, upper.bound, upper, problem, reason, method)
    return Certified("inconclusive", None, None, None, problem, reason, method)


def bounded_above(problem: ConicProblem, point: PrimalPoint) -> tuple[PrimalPoint | None, str]:
    """The point with (the upper end of) its value as bound, or `None` and why the checker finds it not feasible."""
    try:
        value = primal_value(problem, point)
    except InvalidCertificate as error:
        return None, str(error)
    return replace(point, bound=ball_endpoints(value)[1]), ""


def bounded_below(problem: ConicProblem, multiplier: DualBound) -> tuple[DualBound | None, str]:
    """The multiplier with (the lower end of) its value as bound, or `None` and why it is not feasible."""
    try:
        value = dual_value(problem, multiplier)
    except InvalidCertificate as error:
        return None, str(error)
    return replace(multiplier, bound=ball_endpoints(value)[0]), ""


def accepted(problem: ConicProblem, certificate: ConicCertificate) -> bool:
    """Whether the trusted checker accepts the certificate."""
    try:
        check(problem, certificate)
    except InvalidCertificate:
        return False
    return True
