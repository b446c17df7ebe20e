"""What came from the ledger goes through the kernel again, in part: the outcomes that a claim shows are evaluated anew.

Of each part the tightest instance and the counterexample, at most one instance in twenty, have to come out to the letter. A claim
of which one does not is computed again as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from theorems.claim import Claim
from theorems.run.board import Item
from theorems.run.results import BlockResult, ClaimResult, Shown
from theorems.run.work import Task

AGAIN = "again"
SHARE = 20  # instances of a claim for each one that is evaluated again


@dataclass
class Doubt:
    """A verdict that rests on the ledger, until what it shows was seen again.

    Attributes:
        verdict: the verdict.
        items: the instances that are evaluated again, by order.
        expected: for each, (part, what the ledger says).
        left: how many are still to come.
        failed: whether one came out otherwise.
    """

    verdict: ClaimResult
    items: list[Item] = field(default_factory=list)
    expected: list[list[tuple[str, Shown]]] = field(default_factory=list)
    left: int = 0
    failed: bool = False

    def seen(self, item: Item, result: BlockResult) -> bool:
        """Compare one of the instances; returns whether it was the last."""
        self.left -= 1
        for part, said in self.expected[item.order]:
            tally = result.tallies.get(part)
            found = () if tally is None else (tally.tightest, tally.smallest)
            if repr(said) not in map(repr, found):
                self.failed = True
        return self.left == 0


def doubt(place: int, source: str, claim: Claim, verdict: ClaimResult) -> Doubt:
    """The instances of a claim that are evaluated again.

    Args:
        place: of the claim in the run.
        source: paper key or path of the file.
        claim, verdict: the claim and the verdict on it.
    """
    held = Doubt(verdict)
    most = verdict.instances // SHARE
    found: dict[tuple[int, int, int], list[tuple[str, Shown]]] = {}
    for part in verdict.parts:
        for shown in (part.smallest, part.tightest):
            where = None if shown is None or shown.found else _place(claim, shown)
            if shown is not None and where is not None and (where in found or len(found) < most):
                found.setdefault(where, []).append((part.part, shown))
    for (check, family, k), expected in found.items():
        task = Task(source, claim.id, check=check, family=family, start=k, stop=k + 1)
        held.items.append(Item(place, AGAIN, len(held.expected), task))
        held.expected.append(expected)
    held.left = len(held.items)
    return held


def _place(claim: Claim, shown: Shown) -> tuple[int, int, int] | None:
    """Check, family and index of a shown outcome; None for a proof or an overall check."""
    for i, check in enumerate(claim.checks):
        if check.name == shown.check:
            for j, family in enumerate(check.families):
                if family.id.split("/", 1)[1] == shown.family:
                    return i, j, shown.index
    return None
