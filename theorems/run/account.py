"""What is known of a claim while its blocks come in: merged in index order, so that memory does not grow with them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from theorems.kernel.outcome import Evidence
from theorems.run.codec import Encoded
from theorems.run.results import BlockResult, Searched, Shown, Tally
from theorems.run.work import MARGINS_KEPT, tightness


@dataclass
class Account:
    """The blocks of a claim so far.

    Attributes:
        parts: tallies by part, in the order in which parts were first seen.
        records: rows by table, in index order, encoded.
        walked: instances checked or excluded, by index of the check.
        excluded: grid points that the hypotheses exclude, by index of the check.
        error, trouble: the first in index order.
    """

    parts: dict[str, Tally] = field(default_factory=dict)
    records: dict[str, list[Encoded]] = field(default_factory=dict)
    walked: Counter[int] = field(default_factory=Counter)
    excluded: Counter[int] = field(default_factory=Counter)
    instances: int = 0
    rejected: int = 0
    unsure: int = 0
    error: str = ""
    trouble: str = ""
    seconds: float = 0.0
    searched: list[Searched] = field(default_factory=list)

    def add(self, check: int, block: BlockResult) -> None:
        """Merge the next block (of the check with this index)."""
        for name, tally in block.tallies.items():
            known = self.parts.get(name)
            if known is None:
                self.parts[name] = replace(
                    tally, margins=list(tally.margins), certificates=list(tally.certificates), points=tally.points
                )
            else:
                _merge(known, tally)
        for table, row in block.records:
            self.records.setdefault(table, []).append(row)
        self.walked[check] += block.instances + block.excluded
        self.excluded[check] += block.excluded
        self.instances += block.instances
        self.rejected += block.rejected
        self.unsure += block.unsure
        self.error = self.error or block.error
        self.trouble = self.trouble or block.trouble
        self.seconds += block.seconds
        self.searched += block.searched


def _merge(p: Tally, t: Tally) -> None:
    p.holds += t.holds
    p.refuted += t.refuted
    p.undecided += t.undecided
    p.samples += t.samples
    p.level += t.level
    p.evidence = _weaker(p.evidence, t.evidence)
    p.doubtful = p.doubtful or t.doubtful
    p.smallest = _simpler(p.smallest, t.smallest)
    p.covered, p.steps = p.covered or t.covered, p.steps or t.steps
    if t.tightest is not None and (p.tightest is None or _tight(t.tightest) < _tight(p.tightest)):
        p.tightest, p.points = t.tightest, t.points or p.points
    p.margins.extend(t.margins[: MARGINS_KEPT - len(p.margins)])
    p.certificates.extend(t.certificates)


def _tight(shown: Shown) -> tuple[float, float]:
    return tightness(shown.resolution, shown.margin)


def _weaker(a: Evidence | None, b: Evidence | None) -> Evidence | None:
    if a is None or b is None:
        return a if b is None else b
    return min(a, b)


def _simpler(a: Shown | None, b: Shown | None) -> Shown | None:
    """The counterexample with the shorter instance; the earlier one in case of a tie."""
    if a is None or b is None:
        return a or b
    return min(a, b, key=lambda s: sum(len(v) for v in s.instance.values()))
