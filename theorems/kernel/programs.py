"""Optima of convex programs as values: an interval between an exactly feasible dual and primal point.

A side of a comparison may be `optimum(problem, solve)`. The solver only proposes a certificate; what the optimum
is worth is what the exact checker of `solvers.certificates` accepts for the problem that the claim built. When a
certificate file is verified, the file's certificate takes the solver's place, and no solver is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq

from solvers.certificates import InvalidCertificate, check, problem_digest
from theorems.kernel.outcome import Context, Decision, Evidence, KernelError, Outcome, up
from theorems.kernel.values import Enclosed, rational


@dataclass(frozen=True, slots=True)
class Optimum:
    """The least (or greatest) value of a program; see `optimum`."""

    problem: Any
    solve: Callable[[Any], Any]
    maximum: bool = False


def optimum(problem: Any, solve: Callable[[Any], Any], *, maximum: bool = False) -> Optimum:
    """The optimum of a program with exact data, as a side of `eq`, `le` or `lt`.

    Args:
        problem: a `solvers.certificates.ConicProblem` (a minimisation) built from the instance.
        solve: called with the problem; returns a certificate, or an object with a `certificate` attribute (what
            `solvers.conic.certify` returns). Trusted in nothing.
        maximum: the value meant is the maximum of minus the program's objective.
    """
    if not callable(solve):
        raise KernelError(f"optimum(problem, solve): solve must be a function of the problem, not {solve!r}")
    return Optimum(problem, solve, maximum)


@dataclass
class Desk:
    """Where certificates pass: given ones are used in order instead of solving; all that were checked are kept."""

    given: Sequence[Any] | None = None
    used: list[tuple[str, str, Any]] = field(default_factory=list)  # problem digest, statement, certificate


_desk = Desk()


@contextmanager
def desk(given: Sequence[Any] | None = None) -> Iterator[Desk]:
    """A fresh desk for one comparison, with given certificates or none."""
    global _desk
    before, _desk = _desk, Desk(given)
    try:
        yield _desk
    finally:
        _desk = before


def enclosed(value: Optimum) -> Enclosed:
    """The proven interval of an optimum; without any proven bound both ends are missing, with the reason."""
    if _desk.given is not None:
        if len(_desk.used) >= len(_desk.given):
            raise InvalidCertificate("the comparison needs more certificates than the file holds")
        certificate, reason = _desk.given[len(_desk.used)], ""
    else:
        found = value.solve(value.problem)
        certificate = getattr(found, "certificate", found)
        reason = str(getattr(found, "reason", ""))
    if certificate is None:
        return Enclosed(None, None, reason or "the solver proposed no certificate")
    verified = check(value.problem, certificate)
    _desk.used.append((problem_digest(value.problem), verified.statement, certificate))
    lower, upper = verified.lower, verified.upper
    if lower is None and upper is None:
        return Enclosed(None, None, f"the program is {verified.statement}: it has no optimum to compare")
    if value.maximum:
        lower, upper = (None if upper is None else -upper), (None if lower is None else -lower)
    return Enclosed(lower, upper, reason)


def as_interval(value: Any) -> Enclosed:
    """An exact number or a ball as an interval with exact ends."""
    if isinstance(value, Enclosed):
        return value
    if isinstance(value, fmpq):
        return Enclosed(value, value, "")
    if hasattr(value, "lower") and hasattr(value, "is_finite"):
        middle, radius = _exact(value.mid()), _exact(value.rad())  # value.lower() would round at the working precision
        return Enclosed(middle - radius, middle + radius, "")
    raise KernelError(f"a {type(value).__name__} cannot be compared with an optimum; return an exact number or a ball")


def _exact(x: Any) -> fmpq:
    mantissa, exponent = x.man_exp()
    m, e = int(mantissa), int(exponent)
    return rational(m << e) if e >= 0 else fmpq(m, 1 << -e)


def ordered(strict: bool, a: Enclosed, b: Enclosed, evidence: Evidence, context: Context) -> Outcome:
    """Decide `a <= b` (or `a < b`) for intervals."""
    scale = max((abs(x) for x in (a.lower, a.upper, b.lower, b.upper) if x is not None), default=fmpq(0))
    shift = context.shift * (scale if scale != 0 else 1)
    if a.upper is not None and b.lower is not None:
        slack = b.lower - a.upper - shift
        if slack > 0 or (slack == 0 and not strict):
            worst = (b.upper if b.upper is not None else b.lower) - (a.lower if a.lower is not None else a.upper)
            relative = up(worst / scale) if scale != 0 else up(worst)
            return Outcome(Decision.FOR, evidence, a, b, up(slack / scale) if scale != 0 else up(slack), relative)
    if a.lower is not None and b.upper is not None:
        excess = a.lower - b.upper + shift
        if excess > 0 or (excess == 0 and strict):
            return Outcome(Decision.AGAINST, evidence, a, b, -(up(excess / scale) if scale != 0 else up(excess)))
    return Outcome(Decision.UNDECIDED, evidence, a, b, reason=_open(a, b))


def equal(within: fmpq, a: Enclosed, b: Enclosed, evidence: Evidence, context: Context) -> Outcome:
    """Decide `a = b` to within a radius for intervals (radius 0: both are points)."""
    if a.lower is None or a.upper is None or b.lower is None or b.upper is None:
        return Outcome(Decision.UNDECIDED, evidence, a, b, reason=_open(a, b))
    low, high = a.lower - b.upper, a.upper - b.lower
    if context.shift != 0:
        move = context.shift if low + high >= 0 else -context.shift
        low, high = low + move, high + move
    if low > 0 or high < 0:
        return Outcome(Decision.AGAINST, evidence, a, b, -up(max(low, -high)))
    reach = max(abs(low), abs(high))
    if reach <= within:
        reason = f"equal to within {up(reach):.3g}" if reach != 0 else ""
        return Outcome(Decision.FOR, evidence, a, b, up(within - reach), up(reach), reason)
    return Outcome(Decision.UNDECIDED, evidence, a, b, reason=_open(a, b))


def _open(a: Enclosed, b: Enclosed) -> str:
    missing = a.reason or b.reason
    return f"the certified interval does not decide: {a} against {b}" + (f" ({missing})" if missing else "")
