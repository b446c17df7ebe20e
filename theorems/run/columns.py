"""Blocks of checks that take columns: decided row by row at once, and in part again one by one.

Columns only decide and count. Whatever is shown (the tightest instance, the first counterexample) is evaluated again as a
single instance, together with a random hundredth of all rows, and has to come out the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from theorems.batches import BATCH, Batch
from theorems.claim import Check, Claim, Mutant, Record
from theorems.family import Family
from theorems.kernel.columns import Column, Rows, answer_rows
from theorems.kernel.outcome import Decision, Evidence, KernelError
from theorems.kernel.values import rational
from theorems.run import limits
from theorems.run.codec import show
from theorems.run.evaluate import Answered, Settings, comparisons, evaluate
from theorems.run.results import BlockResult, Tally
from theorems.run.work import MARGINS_KEPT, add, level_of, shrink
from theorems.seeds import Words

AGAIN = 100  # one row in so many is decided again as a single instance
ALONE = 64  # instances that a mutant meets one by one before it meets columns


def block(
    claim: Claim, check: Check, family: Family, start: int, stop: int, settings: Settings, result: BlockResult
) -> None:
    """Do one block of a vectorized check."""
    batch = family.batch(settings.seed, start, stop)
    rows = batch.rows
    result.instances += len(rows)
    result.excluded += stop - start - len(rows) if family.grid else 0
    result.rejected += int(batch.rejected[rows].sum())
    if not len(rows):
        return
    answers = _answers(claim, check, family, batch, {}, settings)
    for part, rows_of in answers:
        _count(result, check, part, rows_of, batch)
    wanted = _shown_rows(answers) | _again(settings, family, start, len(rows))
    _decide_again(claim, check, family, batch, answers, sorted(wanted), settings, result)


def suspects(
    claim: Claim, check: Check, family: Family, count: int, mutant: Mutant, settings: Settings, result: BlockResult
) -> Iterator[int]:
    """Instances that may refute a mutant: the first ones, then of each batch the first row that its columns refute."""
    yield from range(min(ALONE, count))
    for start in range(0, count, BATCH):
        batch = family.batch(settings.seed, start, min(start + BATCH, count))
        if not len(batch.rows):
            continue
        seen = 0
        for part, rows in _answers(claim, check, family, batch, mutant.knobs, settings):
            refuted = np.flatnonzero(~rows.holds)
            seen = max(seen, int(rows.holds.sum()))
            if mutant.breaks and part not in mutant.breaks:
                continue
            if len(refuted):
                yield batch.start + int(batch.rows[refuted[0]])
            tally = result.tallies.setdefault(part, Tally(part, check.role, check.name))
            tally.holds += int(rows.holds.sum())
        result.instances += seen


def _answers(
    claim: Claim, check: Check, family: Family, batch: Batch, knobs: Mapping[str, Any], settings: Settings
) -> list[tuple[str, Rows]]:
    """The check's comparisons on a batch, in order."""
    values = {n: v.kept(batch.rows) if isinstance(v, Column) else v for n, v in batch.values.items()}
    if family.cost is not None:
        limits.check_costs(family, values, len(batch.rows))
    arguments = {name: values[name] for name in check.arguments}
    turned = {name: value for name, value in knobs.items() if name in check.knobs}
    answers = []
    for part, item in comparisons(claim, check, check.function(**arguments, **turned)):
        if isinstance(item, Record):
            raise KernelError(f"{claim.id} ({check.name}) records rows; a check with vectorize=True only compares")
        answers.append((part, answer_rows(item, len(batch.rows))))
    return answers


def _count(result: BlockResult, check: Check, part: str, rows: Rows, batch: Batch) -> None:
    tally = result.tallies.get(part)
    if tally is None:
        tally = result.tallies[part] = Tally(part, check.role, check.name)
    holds = int(rows.holds.sum())
    tally.holds += holds
    tally.refuted += len(rows.holds) - holds
    tally.evidence = Evidence.CERTIFIED
    free = MARGINS_KEPT - len(tally.margins)
    sign = np.where(rows.holds, 1.0, -1.0)
    margins = np.where(rows.holds, rows.slack, sign * abs(rows.slack))[:free]
    tally.margins.extend((batch.start + int(r), float(m)) for r, m in zip(batch.rows, margins))


def _shown_rows(answers: list[tuple[str, Rows]]) -> set[int]:
    """Of each comparison the tightest row in favour and the first against."""
    shown: set[int] = set()
    for _, rows in answers:
        refuted = np.flatnonzero(~rows.holds)
        if len(refuted):
            shown.add(int(refuted[0]))
        if len(refuted) < len(rows.holds):
            shown.add(int(np.argmin(np.where(rows.holds, rows.slack, np.inf))))
    return shown


def _again(settings: Settings, family: Family, start: int, rows: int) -> set[int]:
    words = Words(settings.seed, "again", family.id, start)
    return {words.below(rows) for _ in range(-(-rows // AGAIN))}


def _decide_again(
    claim: Claim,
    check: Check,
    family: Family,
    batch: Batch,
    answers: list[tuple[str, Rows]],
    wanted: list[int],
    settings: Settings,
    result: BlockResult,
) -> None:
    """Evaluate some rows as single instances; their outcomes must agree, and are what is shown."""
    level = level_of(claim, settings)
    first: tuple[Any, str, Any] | None = None
    for row in wanted:
        k = batch.start + int(batch.rows[row])
        draw = family.instance(settings.seed, k)
        if draw is None:
            raise KernelError(f"{claim.id}: instance {k} of {family.id} is excluded alone, and not in its batch")
        single: dict[str, Tally] = {}
        items = [
            item
            for item in evaluate(claim, check, draw.values, {}, settings, level=level, place=(family.id, k))
            if isinstance(item, Answered)
        ]
        if len(items) != len(answers):
            raise KernelError(
                f"{claim.id} ({check.name}) makes {len(answers)} comparisons on columns, and {len(items)} on instance {k} alone"
            )
        for item, (part, rows) in zip(items, answers):
            _agree(claim, check, k, row, item, part, rows)
            add(single, check, item, family, k, draw.values, keep=settings.certificates)
            if item.outcome.decision is Decision.AGAINST and first is None:
                first = (draw.values, item.part, item.outcome)
        for part, tally in single.items():
            _show(result.tallies[part], tally)
    if first is not None:
        shrink(claim, check, family, first, settings, level, result)


def _agree(claim: Claim, check: Check, k: int, row: int, item: Answered, part: str, rows: Rows) -> None:
    o = item.outcome
    decision = Decision.FOR if rows.holds[row] else Decision.AGAINST
    sides = (rows.lhs.at(row), rows.rhs.at(row))
    if o.decision is not decision or item.part != part or any(a != b for a, b in zip(sides, (o.lhs, o.rhs))):
        raise KernelError(
            f"{claim.id} ({check.name}): instance {k} alone is decided {o.decision} in {item.part!r} "
            f"({show(o.lhs, 60)} and {show(o.rhs, 60)}), in a batch {decision} in {part!r} "
            f"({show(rational(sides[0]), 60)} and {show(rational(sides[1]), 60)})"
        )


def _show(tally: Tally, single: Tally) -> None:
    """Take over what one instance has to show."""
    from theorems.run.work import tightness

    if single.evidence is not None:
        tally.evidence = single.evidence if tally.evidence is None else min(tally.evidence, single.evidence)
    tally.smallest = tally.smallest or single.smallest
    tally.certificates += single.certificates
    t = single.tightest
    if t is not None and (
        tally.tightest is None
        or tightness(t.resolution, t.margin) < tightness(tally.tightest.resolution, tally.tightest.margin)
    ):
        tally.tightest, tally.points = t, single.points
