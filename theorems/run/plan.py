"""From claims to tasks: fixed blocks of instances, proofs, and one task a mutant.

Blocks depend on the index of the instance alone: not on how many instances are asked for, on clocks or on
workers. So a block that was done once need not be done again when more instances are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from theorems.batches import BATCH
from theorems.claim import Claim
from theorems.family import Family, at_budget
from theorems.run.evaluate import Settings
from theorems.run.limits import refusal
from theorems.run.work import Task

SMALLEST_BLOCK = 4  # instances 0..31 come in fours, 32..63 in eights, 64..127 in sixteens, ...
LARGEST_BLOCK = 128  # ... and from 512 on by this many; families with columns come in whole batches


def block_end(start: int) -> int:
    """The end of the block that begins with instance `start` (itself the end of a block, or 0)."""
    size = SMALLEST_BLOCK
    while size < LARGEST_BLOCK and start >= 8 * size:
        size *= 2
    return start + size


def blocks(family: Family, count: int) -> Iterator[tuple[int, int]]:
    """The blocks of the first `count` instances of a family, the last one cut short."""
    start = 0
    while start < count:
        stop = min(start + BATCH if family.vectorize else block_end(start), count)
        yield start, stop
        start = stop


def number_of_blocks(family: Family, count: int) -> int:
    """How many blocks `blocks` gives, without walking all of them."""
    if family.vectorize:
        return -(-count // BATCH)
    settled = 8 * LARGEST_BLOCK
    if count <= settled:
        return sum(1 for _ in blocks(family, count))
    return sum(1 for _ in blocks(family, settled)) + -(-(count - settled) // LARGEST_BLOCK)


def check_tasks(source: str, claim: Claim, settings: Settings) -> Iterator[Task]:
    """The tasks of the claim itself, in the order in which their results are judged; overall checks come later."""
    for i, check in enumerate(claim.checks):
        if check.role == "proof":
            yield Task(source, claim.id, check=i)
        elif check.role in ("check", "crosscheck"):
            for j, declared in enumerate(check.families):
                family = at_budget(declared, settings.budget)
                count = 0 if refusal(family, settings.instances) else family.count(settings.instances)
                for start, stop in blocks(family, count) if count else ((0, 0),):  # (0, 0) says why it is refused
                    yield Task(source, claim.id, check=i, family=j, start=start, stop=stop)


def search_tasks(source: str, claim: Claim, settings: Settings) -> list[Task]:
    """One task for each family that is searched."""
    if not settings.search:
        return []
    from theorems.run.search import searchable

    return [
        Task(source, claim.id, check=i, family=j, search=True)
        for i, check in enumerate(claim.checks)
        for j, family in enumerate(check.families)
        if searchable(claim, check, at_budget(family, settings.budget))
    ]


def number_of_tasks(claim: Claim, settings: Settings) -> int:
    """How many tasks `check_tasks` gives."""
    total = 0
    for check in claim.checks:
        if check.role == "proof":
            total += 1
        elif check.role in ("check", "crosscheck"):
            for declared in check.families:
                family = at_budget(declared, settings.budget)
                refused = refusal(family, settings.instances)
                total += 1 if refused else max(1, number_of_blocks(family, family.count(settings.instances)))
    return total
