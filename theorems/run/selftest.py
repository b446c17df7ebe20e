"""The test of the stated resolutions: a comparison moved by twice its resolution must be refuted.

For every part the tightest instance is answered again with the comparison distorted, in the unfavourable direction,
by twice the resolution that its outcome stated (by 1e-30 where that is 0).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flint import fmpq

from theorems.claim import Check, Claim
from theorems.family import Instance
from theorems.kernel.outcome import Decision
from theorems.run.evaluate import Answered, Settings, evaluate, tests_of
from theorems.run.results import ClaimResult, Tally


@dataclass(frozen=True)
class Moved:
    """What became of one part's tightest comparison when it was moved."""

    claim: str
    part: str
    resolution: float
    decision: Decision
    reason: str

    @property
    def refuted(self) -> bool:
        """The only good end."""
        return self.decision is Decision.AGAINST

    def __str__(self) -> str:
        return f"{self.claim} [{self.part}]: moved by twice {self.resolution:.3g}: {self.decision} {self.reason}"


def selftest(claim: Claim, result: ClaimResult, settings: Settings) -> Iterator[Moved]:
    """Move every part of a finished claim by twice its resolution.

    Args:
        claim: the claim.
        result: its result under `settings`.
        settings: seed and budget of that result.

    Yields:
        one `Moved` a part whose tightest outcome states a resolution.
    """
    for part in result.parts:
        if part.tightest is None or part.tightest.resolution is None or part.role in ("crosscheck", "overall"):
            continue
        yield _moved(claim, _check_of(claim, part.check, part.tightest.family), part, settings)


def _check_of(claim: Claim, name: str, family: str) -> Check:
    """The check that met a part's tightest instance: checks may share a part, and the part names the first of them."""
    named = next(c for c in claim.checks if c.name == name)
    owners = [c for c in claim.checks if any(f.id.split("/", 1)[1] == family for f in c.families)]
    return named if named in owners or not owners else owners[0]


def _moved(claim: Claim, check: Check, part: Tally, settings: Settings) -> Moved:
    tightest = part.tightest
    if tightest is None or tightest.resolution is None:
        raise ValueError(f"{claim.id} [{part.part}] states no resolution")
    values, place = _instance(check, tightest.family, tightest.index, settings)
    shift = fmpq(*_exact(2 * tightest.resolution)) if tightest.resolution > 0 else fmpq(1, 10**30)
    level = settings.claim_level / tests_of(claim, settings)
    decision, reason = Decision.UNDECIDED, "the part was not answered again"
    items = evaluate(claim, check, values, {}, settings, level=level, place=place, shift=shift, shifted_part=part.part)
    for item in items:
        if isinstance(item, Answered) and item.part == part.part:
            decision, reason = item.outcome.decision, item.outcome.reason
            if decision is Decision.AGAINST:
                break
    return Moved(claim.id, part.part, tightest.resolution, decision, reason)


def _instance(check: Check, family: str, index: int, settings: Settings) -> tuple[Instance, tuple[object, ...]]:
    for f in check.families:
        if f.id.split("/", 1)[1] == family:
            draw = f.at(settings.budget).instance(settings.seed, index)
            if draw is not None:
                return draw.values, (f.id, index)
    return {}, ()


def _exact(x: float) -> tuple[int, int]:
    return x.as_integer_ratio()
