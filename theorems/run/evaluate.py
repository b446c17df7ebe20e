"""One call of a check: its comparisons, named by part, and the kernel's answers to them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flint import fmpq

from theorems.claim import Check, Claim, Record
from theorems.family import at_budget
from theorems.kernel.answer import answer, is_comparison
from theorems.kernel.order import eq, le
from theorems.kernel.outcome import Context, KernelError, Outcome
from theorems.kernel.precision import precision_kept
from theorems.kernel.values import has_dyadic
from theorems.run import limits
from theorems.seeds import generator

if TYPE_CHECKING:
    import numpy as np

_PAIR: dict[str, Callable[[Any, Any], Any]] = {"identity": eq, "bound": le, "construction": eq}


@dataclass(frozen=True)
class Settings:
    """What decides the outcomes of a run, and the guards around it.

    Attributes:
        seed: root seed.
        budget: "quick" or "full".
        instances: overrides the number of sampled instances and caps grids; None keeps the declared numbers.
        alpha: chance that any true statistical claim of the whole library is refuted; a claim gets alpha/128.
        seconds: clock limit of one task (a safety net: what hits it is inconclusive).
        memory: bytes of address space of one worker.
        search: evaluations that are spent on each family of a bound, looking for a smaller margin.
        certificates: keep what lets `theorems.verify` re-check outcomes.
    """

    seed: int = 0
    budget: str = "quick"
    instances: int | None = None
    alpha: float = 0.01
    seconds: float = 600.0
    memory: int = 8 << 30
    certificates: bool = False
    search: int = 0

    @property
    def claim_level(self) -> float:
        """The fixed level of every statistical claim, whatever else is selected."""
        return self.alpha / 128


@dataclass(frozen=True)
class Answered:
    """One comparison's part and outcome."""

    part: str
    outcome: Outcome
    ordinal: int = 0


def tests_of(claim: Claim, settings: Settings) -> int:
    """The number of statistical comparisons the claim may make: its level is split evenly over them."""
    total = 0
    for check in claim.checks:
        if check.role in ("check", "crosscheck"):
            families = [at_budget(f, settings.budget) for f in check.families]
            affordable = [f for f in families if not limits.refusal(f, settings.instances)]
            total += check.tests * sum(f.count(settings.instances) for f in affordable)
        elif check.role == "overall":
            total += check.tests
    return max(total, 1)


def evaluate(
    claim: Claim,
    check: Check,
    values: Mapping[str, Any],
    knobs: Mapping[str, Any],
    settings: Settings,
    *,
    level: float,
    place: tuple[Any, ...] = (),
    shift: fmpq | None = None,
    shifted_part: str = "",
    only: int | None = None,
    certificates: tuple[Any, ...] | None = None,
) -> Iterator[Answered | Record]:
    """Call a check on one instance and answer what it yields, in order.

    Args:
        claim, check: whose function is called.
        values: the instance (only the parameters that the function takes are passed).
        knobs: a mutant's knobs (only those that the function has are passed).
        settings: seed and budget.
        level: error probability of each statistical comparison.
        place: labels of the substreams (family id, index).
        shift, shifted_part: the self-test's distortion and the part that it applies to.
        only: answer only the comparison with this ordinal (the verification of one outcome).
        certificates: those of a certificate file, which take the solvers' place.
    """
    arguments = {name: values[name] for name in check.arguments if name in values}
    turned = {name: value for name, value in knobs.items() if name in check.knobs}
    dyadic = any(has_dyadic(v) for v in values.values())
    with precision_kept():
        result = check.function(**arguments, **turned)
        ordinal = tests = 0
        for part, item in comparisons(claim, check, result):
            if isinstance(item, Record):
                yield item
                continue
            if only is not None and ordinal != only:
                ordinal += 1
                continue
            labels = ("draws", claim.id, check.name, part, ordinal, *place)
            context = Context(
                level=level,
                stream=_streams(settings.seed, labels),
                shift=shift if shift is not None and part == shifted_part else fmpq(0),
                proving=check.role == "proof",
                dyadic=dyadic,
                certificates=certificates,
            )
            outcome = answer(item, context)
            ordinal += 1
            if outcome.level > 0:
                tests += 1
                if tests > check.tests:
                    raise KernelError(
                        f"{claim.id} ({check.name}) makes more than {check.tests} statistical comparison(s) a call; declare "
                        "tests=<how many at most>, so that the level can be split over them beforehand"
                    )
            yield Answered(part, outcome, ordinal - 1)


def _streams(seed: int, labels: tuple[Any, ...]) -> Callable[[int], np.random.Generator]:
    return lambda j: generator(seed, *labels, j)


def comparisons(claim: Claim, check: Check, result: Any) -> Iterator[tuple[str, Any]]:
    """What the function returned or yields, as (part, comparison or record)."""
    produced = result if inspect.isgenerator(result) else iter((result,))
    seen = False
    for item in produced:
        if isinstance(item, Record):
            yield check.name, item
            continue
        seen = True
        if isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str) and _named(item[1]):
            yield item[0], _comparison(claim, check, item[1])
        else:
            yield check.name, _comparison(claim, check, item)
    if not seen and check.role != "check":
        raise KernelError(f"{check.role} {check.name!r} of {claim.id} yields no comparison")


def _named(value: Any) -> bool:
    return is_comparison(value) or isinstance(value, Record) or (isinstance(value, tuple) and len(value) == 2)


def _comparison(claim: Claim, check: Check, item: Any) -> Any:
    if is_comparison(item):
        return item
    sugar = _PAIR.get(claim.kind)
    if isinstance(item, tuple) and len(item) == 2:
        if sugar is None:
            raise KernelError(
                f"{claim.id} ({check.name}): a {claim.kind} has no default comparison for a pair; yield slope(...), "
                "bracket(...), le(lhs, rhs) or eq(lhs, rhs)"
            )
        return sugar(item[0], item[1])
    if isinstance(item, bool) or type(item).__name__ in ("bool", "bool_", "BooleanTrue", "BooleanFalse"):
        raise KernelError(
            f"{claim.id} ({check.name}) returned {item!r}: a bool is a verdict made inside the check; return the two "
            "sides, e.g. `return lhs, rhs`, and let the kernel decide"
        )
    if item is None:
        raise KernelError(f"{claim.id} ({check.name}) returned None: return (lhs, rhs) or yield comparisons")
    raise KernelError(
        f"{claim.id} ({check.name}) returned a {type(item).__name__}; return (lhs, rhs), or yield comparisons such as "
        "le(lhs, rhs), eq(lhs, rhs), mean_le(draw, bound, ...)"
    )
