"""From claims to tasks: fixed blocks of instances, proofs, and one task a mutant."""

from __future__ import annotations

from collections.abc import Iterator

from theorems.claim import Claim
from theorems.run.evaluate import Settings
from theorems.run.work import Task

BLOCKS = 8  # a family is cut into at most this many blocks ...
SMALLEST_BLOCK = 4  # ... of at least this many instances


def block_size(count: int) -> int:
    """Instances in a block: depends on the count alone, never on clocks or workers."""
    return max(SMALLEST_BLOCK, -(-count // BLOCKS))


def check_tasks(source: str, claim: Claim, settings: Settings) -> Iterator[Task]:
    """The tasks of the claim itself, in the order in which their results are judged; overall checks come later."""
    for i, check in enumerate(claim.checks):
        if check.role == "proof":
            yield Task(source, claim.id, check=i)
        elif check.role in ("check", "crosscheck"):
            for j, family in enumerate(check.families):
                count = family.at(settings.budget).count(settings.instances)
                size = block_size(count)
                for start in range(0, count, size):
                    yield Task(source, claim.id, check=i, family=j, start=start, stop=min(start + size, count))


def mutant_tasks(source: str, claim: Claim) -> Iterator[Task]:
    """One task a mutant: it runs in index order until the mutant dies."""
    for m in range(len(claim.mutants)):
        yield Task(source, claim.id, mutant=m)
