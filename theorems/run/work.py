"""One task: a block of instances of one check, a proof, an overall check, or the whole life of a mutant.

Tasks travel by name. The worker finds the claim, evaluates, and returns tallies of exact text.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from theorems import registry
from theorems.claim import Check, Claim, Mutant, Record
from theorems.family import Family, Instance, Unsatisfiable
from theorems.kernel.outcome import Decision, Evidence, Outcome
from theorems.run import limits
from theorems.run.codec import decode_rows, encode, show
from theorems.run.evaluate import Answered, Settings, evaluate, tests_of
from theorems.run.results import BlockResult, Shown, Tally

SHRINK_STEPS = 200
MARGINS_KEPT = 400
COUNTEREXAMPLES_KEPT = 3  # certificate files of counterexamples for one block


@dataclass(frozen=True)
class Task:
    """A piece of work that any process can do.

    Attributes:
        source: paper key of the library, or path of a user's file.
        claim: claim id.
        mutant: index of the mutant, or -1 for the claim itself.
        check: index of the check (unused for mutants).
        family: index of the check's family.
        start, stop: block of instances.
        tables: recorded rows for an overall check, encoded.
        search: look for a small margin instead of walking through instances.
    """

    source: str
    claim: str
    mutant: int = -1
    check: int = 0
    family: int = 0
    start: int = 0
    stop: int = 0
    tables: Any = None
    search: bool = False

    def __str__(self) -> str:
        what = f"mutant {self.mutant}" if self.mutant >= 0 else f"check {self.check}"
        return f"{self.claim} ({what}, {'search' if self.search else f'instances {self.start}..{self.stop}'})"


PLACES: dict[str, str] = {}  # where a file that came from another machine lies on this one


@lru_cache(maxsize=4096)
def _claim(source: str, claim_id: str) -> Claim:
    if source.endswith(".py"):
        registry.load_file(PLACES.get(source, source))
    else:
        registry.load_paper(source)
    return registry.find(claim_id)


@lru_cache(maxsize=4096)
def _family(source: str, claim_id: str, check: int, family: int, budget: str) -> Family:
    return _claim(source, claim_id).checks[check].families[family].at(budget)


def perform(task: Task, settings: Settings) -> BlockResult:
    """Do one task; whatever goes wrong inside is part of the result."""
    started = time.perf_counter()
    result = BlockResult()
    try:
        claim = _claim(task.source, task.claim)
        if task.mutant >= 0:
            _mutant(task, claim, claim.mutants[task.mutant], settings, result)
        else:
            check = claim.checks[task.check]
            if check.role == "proof":
                _proof(claim, check, {}, settings, result)
            elif check.role == "overall":
                tables = {name: decode_rows(rows) for name, rows in task.tables.items()}
                _overall(claim, check, tables, {}, settings, result)
            else:
                family = _family(task.source, task.claim, task.check, task.family, settings.budget)
                limits.check_family(family, settings.instances)
                if task.search:
                    from theorems.run.search import search

                    search(claim, check, family, settings, result)
                elif check.vectorize:
                    from theorems.run.columns import block

                    block(claim, check, family, task.start, task.stop, settings, result)
                else:
                    _block(claim, check, family, range(task.start, task.stop), settings, result)
    except (Unsatisfiable, limits.Refused) as error:
        result.trouble = str(error)
    except Exception:
        result.error = traceback.format_exc()
    result.seconds = time.perf_counter() - started
    return result


def perform_all(tasks: Sequence[Task], settings: Settings) -> list[BlockResult]:
    """Do some tasks one after the other."""
    return [perform(task, settings) for task in tasks]


def level_of(claim: Claim, settings: Settings) -> float:
    return settings.claim_level / tests_of(claim, settings)


def _block(claim: Claim, check: Check, family: Family, indices: range, settings: Settings, result: BlockResult) -> None:
    level = level_of(claim, settings)
    first_refuted: tuple[Instance, str, Outcome] | None = None
    for k in indices:
        draw = family.instance(settings.seed, k)
        if draw is None:
            result.excluded += 1
            continue
        result.rejected += draw.rejected
        if family.satisfied(draw.values) is None:
            result.unsure += 1
            continue
        limits.check_instance(family, draw.values)
        result.instances += 1
        items = evaluate(claim, check, draw.values, {}, settings, level=level, place=(family.id, k))
        for item in located(items, claim, family, k):
            if isinstance(item, Record):
                result.records.append((item.table, encode(dict(item.row))))
                continue
            add(result.tallies, check, item, family, k, draw.values, keep=settings.certificates)
            if item.outcome.decision is Decision.AGAINST and first_refuted is None:
                first_refuted = (draw.values, item.part, item.outcome)
    if first_refuted is not None and first_refuted[2].evidence >= Evidence.NUMERIC:
        shrink(claim, check, family, first_refuted, settings, level, result)


def located(items: Iterator[Answered | Record], claim: Claim, family: Family, k: int) -> Iterator[Answered | Record]:
    """The same items; an exception of the check gets a note that says on which instance it broke."""
    try:
        yield from items
    except Exception as error:
        name = family.id.split("/", 1)[1]
        error.add_note(f"on instance {k} of {name}; --reproduce {claim.id} --instance {k} --family {name} repeats it")
        raise


def _proof(claim: Claim, check: Check, knobs: Mapping[str, Any], settings: Settings, result: BlockResult) -> None:
    for item in evaluate(claim, check, {}, knobs, settings, level=level_of(claim, settings)):
        if isinstance(item, Answered):
            add(result.tallies, check, item, None, 0, {}, keep=settings.certificates)


def _overall(
    claim: Claim,
    check: Check,
    tables: Mapping[str, list[dict[str, Any]]],
    knobs: Mapping[str, Any],
    settings: Settings,
    result: BlockResult,
) -> None:
    values = {check.arguments[0]: tables}
    for item in evaluate(claim, check, values, knobs, settings, level=level_of(claim, settings)):
        if isinstance(item, Answered):
            add(result.tallies, check, item, None, 0, {}, keep=settings.certificates)


def shown(
    outcome: Outcome,
    family: Family | None,
    k: int,
    values: Mapping[str, Any],
    *,
    check: str = "",
    shrunk: bool = False,
    found: str = "",
) -> Shown:
    """An outcome as exact text."""
    return Shown(
        index=k,
        family=family.id.split("/", 1)[1] if family is not None else "",
        instance={name: show(v) for name, v in values.items()},
        lhs=show(outcome.lhs),
        rhs=show(outcome.rhs),
        decision=outcome.decision,
        evidence=outcome.evidence,
        margin=outcome.margin,
        resolution=outcome.resolution,
        reason=outcome.reason,
        samples=outcome.samples,
        shrunk=shrunk,
        check=check,
        found=found,
    )


def add(
    tallies: dict[str, Tally],
    check: Check,
    item: Answered,
    family: Family | None,
    k: int,
    values: Mapping[str, Any],
    *,
    keep: bool = False,
    found: str = "",
) -> None:
    """Count one outcome; only the tightest, the first refuted and the first undecided are turned into text."""
    o = item.outcome
    tally = tallies.get(item.part)
    if tally is None:
        tally = tallies[item.part] = Tally(item.part, check.role, check.name)
    tally.samples += o.samples
    tally.level += o.level
    if o.margin is not None and len(tally.margins) < MARGINS_KEPT:
        tally.margins.append((k, o.margin))
    if keep and evidenced(o) and (o.decision is Decision.FOR or tally.refuted < COUNTEREXAMPLES_KEPT):
        tally.certificates.append(kept(item, family, k))
    if o.decision is Decision.UNDECIDED:
        tally.undecided += 1
        tally.doubtful = tally.doubtful or shown(o, family, k, values, check=check.name)
        return
    tally.evidence = o.evidence if tally.evidence is None else min(tally.evidence, o.evidence)
    if o.decision is Decision.AGAINST:
        tally.refuted += 1
        tally.smallest = tally.smallest or shown(o, family, k, values, check=check.name, found=found)
        return
    tally.holds += 1
    tally.covered = tally.covered or domain_words(check.covers, o.covered)
    tally.steps = tally.steps or o.steps
    if tally.tightest is None or tightness(o.resolution, o.margin) < tightness(
        tally.tightest.resolution, tally.tightest.margin
    ):
        tally.tightest = shown(o, family, k, values, check=check.name)
        if o.points:
            tally.points = o.points


def evidenced(o: Outcome) -> bool:
    """Whether an outcome has something that can be re-checked without a solver: a certificate or a counterexample."""
    if o.evidence < Evidence.CERTIFIED or o.decision is Decision.UNDECIDED:
        return False
    return bool(o.programs) or o.certificate is not None or o.decision is Decision.AGAINST


def kept(item: Answered, family: Family | None, k: int) -> dict[str, Any]:
    """What a certificate file says about one outcome, as plain data."""
    from solvers.certificates import schema

    o = item.outcome
    return {
        "family": family.id.split("/", 1)[1] if family is not None else "",
        "instance": k,
        "ordinal": item.ordinal,
        "decision": str(o.decision),
        "evidence": str(o.evidence),
        "lhs": show(o.lhs, 100_000),
        "rhs": show(o.rhs, 100_000),
        "margin": repr(o.margin),
        "resolution": repr(o.resolution),
        "programs": [
            {"problem": digest, "statement": s, "kind": schema.kind_of(c), "certificate": schema.to_json(c)}
            for digest, s, c in o.programs
        ],
        "proof": o.certificate,
    }


def domain_words(said: str, computed: str) -> str:
    """The covered domain as the author words it and as the kernel computed it, once where they agree."""
    if said in computed or computed in said:
        return max(said, computed, key=len)
    return f"{said}: {computed}"


def tightness(resolution: float | None, margin: float | None) -> tuple[float, float]:
    """Order of outcomes in favour: the smallest resolution first, then the smallest margin."""
    return (
        resolution if resolution is not None else float("inf"),
        margin if margin is not None else float("inf"),
    )


def shrink(
    claim: Claim,
    check: Check,
    family: Family,
    refuted: tuple[Instance, str, Outcome],
    settings: Settings,
    level: float,
    result: BlockResult,
) -> None:
    """Walk to simpler instances while the same part stays refuted at no weaker evidence."""
    values, part, outcome = refuted
    current, found = values, outcome
    steps = SHRINK_STEPS
    progress = True
    while progress and steps > 0:
        progress = False
        for candidate in family.simpler(current):
            steps -= 1
            better = _refutation(claim, check, candidate, part, outcome.evidence, settings, level)
            if better is not None:
                current, found, progress = candidate, better, True
                break
            if steps <= 0:
                break
    first = result.tallies[part].smallest
    k, origin = (first.index, first.found) if first is not None else (0, "")
    if current is not values:
        smallest = shown(found, family, k, current, check=check.name, shrunk=True, found=origin)
        result.tallies[part].smallest = smallest


def _refutation(
    claim: Claim, check: Check, values: Instance, part: str, evidence: Evidence, settings: Settings, level: float
) -> Outcome | None:
    """The outcome that refutes `part` on an instance, or None. A candidate on which the check breaks is no candidate."""
    try:
        for item in evaluate(claim, check, values, {}, settings, level=level, place=("shrink", 0)):
            if isinstance(item, Answered) and item.part == part:
                o = item.outcome
                if o.decision is Decision.AGAINST and o.evidence >= evidence:
                    return o
    except Exception:
        return None
    return None


def affected(claim: Claim, mutant: Mutant) -> list[int]:
    """Indices of the checks that a mutant changes: those with one of its knobs or changed parameters, proofs first."""

    def touched(check: Check) -> bool:
        changed = any(name in f.params for f in check.families for name in mutant.domain)
        return changed or any(name in check.knobs for name in mutant.knobs)

    chosen = [i for i, c in enumerate(claim.checks) if touched(c)]
    recording = any(claim.checks[i].role == "check" for i in chosen)
    if recording:
        chosen += [i for i, c in enumerate(claim.checks) if c.role == "overall" and i not in chosen]
    return _ordered(claim, chosen)


def _mutant(task: Task, claim: Claim, mutant: Mutant, settings: Settings, result: BlockResult) -> None:
    """Run a mutant in index order until it is refuted in a part that it is to break."""
    chosen = affected(claim, mutant)
    needs_tables = any(claim.checks[i].role == "overall" for i in chosen)
    if needs_tables:  # rows of the checks that the mutant leaves alone belong to the tables too
        chosen = _ordered(claim, {*chosen, *(i for i, c in enumerate(claim.checks) if c.role == "check")})
    tables: dict[str, list[dict[str, Any]]] = {}
    for i in chosen:
        check = claim.checks[i]
        if check.role == "overall":
            stream: Iterator[tuple[Answered | Record, Family | None, int, Instance]] = (
                (item, None, 0, {})
                for item in evaluate(
                    claim, check, {check.arguments[0]: tables}, mutant.knobs, settings, level=level_of(claim, settings)
                )
            )
        elif check.role == "proof":
            stream = (
                (item, None, 0, {})
                for item in evaluate(claim, check, {}, mutant.knobs, settings, level=level_of(claim, settings))
            )
        else:
            stream = _instances(task, claim, i, mutant, settings, result, everywhere=needs_tables)
        for item, family, k, values in stream:
            if isinstance(item, Record):
                tables.setdefault(item.table, []).append(dict(item.row))
                continue
            if mutant.breaks and item.part not in mutant.breaks:
                continue
            if not _meant(mutant, check, family):
                continue
            o = item.outcome
            if o.decision is Decision.AGAINST:
                result.killed_by = shown(o, family, k, values, check=check.name)
                result.killed_part = item.part
                return
            add(result.tallies, check, item, family, k, values)


def _ordered(claim: Claim, chosen: Iterable[int]) -> list[int]:
    """Checks in the order in which a mutant runs them: what is cheap and decisive first."""
    order = {"proof": 0, "check": 1, "crosscheck": 2, "overall": 3}
    return sorted(chosen, key=lambda i: (order[claim.checks[i].role], i))


def _meant(mutant: Mutant, check: Check, family: Family | None) -> bool:
    """Whether the mutant is to die here."""
    if not mutant.on or check.name in mutant.on:
        return True
    return family is not None and family.id.split("/", 1)[1] in mutant.on


def _instances(
    task: Task, claim: Claim, i: int, mutant: Mutant, settings: Settings, result: BlockResult, *, everywhere: bool
) -> Iterator[tuple[Answered | Record, Family | None, int, Instance]]:
    """The mutant's items of one check, family by family; only where it is to die unless rows are needed everywhere."""
    check = claim.checks[i]
    level = level_of(claim, settings)
    for j in range(len(check.families)):
        family = _family(task.source, task.claim, i, j, settings.budget)
        if not everywhere and not _meant(mutant, check, family):
            continue
        changes = {n: d for n, d in mutant.domain.items() if n in family.params}
        if changes:
            family = family.with_domain(changes).at(settings.budget)
        limits.check_family(family, settings.instances)
        count = family.count(settings.instances)
        walk: Iterable[int] = range(count)
        if check.vectorize:
            from theorems.run.columns import suspects

            walk = suspects(claim, check, family, count, mutant, settings, result)
        for k in walk:
            draw = family.instance(settings.seed, k)
            if draw is None:
                continue
            result.rejected += draw.rejected
            if family.satisfied(draw.values) is None:
                result.unsure += 1
                continue
            limits.check_instance(family, draw.values)
            result.instances += 1
            for item in evaluate(claim, check, draw.values, mutant.knobs, settings, level=level, place=(family.id, k)):
                yield item, family, k, draw.values
