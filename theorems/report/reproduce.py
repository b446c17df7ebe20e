"""`--reproduce CLAIM --instance K`: one instance, in this process, with both sides of every comparison."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field

from theorems import registry
from theorems.claim import Check, Claim, Mutant, Record
from theorems.family import Family, Instance, Unsatisfiable
from theorems.kernel.outcome import Decision, Outcome
from theorems.report.arguments import UsageError
from theorems.report.selection import Chosen
from theorems.report.summary import sides, tidy
from theorems.report.table import short
from theorems.report.terminal import Line, look_of, painted
from theorems.run.codec import show
from theorems.run.evaluate import Settings, evaluate, tests_of
from theorems.run.work import Task, perform

EVERYTHING = 10**9  # characters: values are printed whole
_WORDS = {
    Decision.FOR: ("holds", "green"),
    Decision.AGAINST: ("is refuted", "bold red"),
    Decision.UNDECIDED: ("is undecided", "yellow"),
}


@dataclass
class _Seen:
    """What was printed so far: it fixes the exit status."""

    decisions: list[Decision] = field(default_factory=list)
    errors: int = 0

    @property
    def exit_status(self) -> int:
        """1 refuted, 4 error, 3 undecided or nothing compared, 0 in favour."""
        if Decision.AGAINST in self.decisions:
            return 1
        if self.errors:
            return 4
        return 3 if Decision.UNDECIDED in self.decisions or not self.decisions else 0


@dataclass(frozen=True)
class _Place:
    """One thing to evaluate: an instance of a family, a proof, or an overall check."""

    check: int
    family: int = -1


def reproduce(chosen: Chosen, options: argparse.Namespace) -> int:
    """Print one instance of a claim (or of one of its mutants) and the answers to its comparisons.

    Returns:
        1 refuted, 4 error, 3 undecided, 0 in favour.
    """
    claim = chosen.claim
    settings = Settings(seed=options.seed, budget=options.budget, instances=options.instances)
    mutant = _mutant(claim, options.mutant)
    places = _places(claim, options.family, options.instance, settings, mutant)
    seen = _Seen()
    look = look_of(sys.stdout)
    about = f", mutant {mutant.name!r}" if mutant else ""
    print(painted([(f"{claim.id}{about}, seed {settings.seed}, {settings.budget}", "bold")], look), end="")
    for place in places:
        check = claim.checks[place.check]
        try:
            for line in _evaluated(chosen, place, check, options.instance, mutant, settings, seen):
                sys.stdout.write(painted([line], look))
        except Unsatisfiable as error:
            raise UsageError(str(error)) from None
        except Exception:
            seen.errors += 1
            sys.stdout.write(painted([(f"  the check {check.name!r} broke:", "bold magenta")], look))
            sys.stdout.write(traceback.format_exc())
    return seen.exit_status


def _mutant(claim: Claim, name: str | None) -> Mutant | None:
    if name is None:
        return None
    found = next((m for m in claim.mutants if m.name == name), None)
    if found is None:
        known = [m.name for m in claim.mutants]
        listed = "; ".join(repr(n) for n in known) or "none"
        raise UsageError(f"{claim.id} has no mutant {name!r}{registry.suggestion(name, known)} (mutants: {listed})")
    return found


def _places(claim: Claim, name: str | None, k: int, settings: Settings, mutant: Mutant | None) -> list[_Place]:
    """Where instance k exists; proofs and overall checks are instance 0 of themselves."""
    places: list[_Place] = []
    names: list[str] = []
    most = 0
    for i, check in enumerate(claim.checks):
        names.append(check.name)
        if not check.families:
            alone = check.role == "proof" or name == check.name
            if k == 0 and alone and name in (None, check.name):
                places.append(_Place(i))
            continue
        for j, family in enumerate(check.families):
            own = family.id.split("/", 1)[1]
            names.append(own)
            if name not in (None, own, check.name):
                continue
            resolved = _resolved(family, settings, mutant)
            size = resolved.grid_size if resolved.grid else None
            if size is None or k < size:
                places.append(_Place(i, j))
            most = max(most, size or 0)
    if name is not None and name not in names:
        known = ", ".join(dict.fromkeys(names))
        raise UsageError(f"{claim.id} has no family or check {name!r}; it has {known}")
    if not places:
        last = f"the largest index is {most - 1}" if most else "a proof or an overall check has only instance 0"
        raise UsageError(f"{claim.id} has no instance {k}: {last}")
    return places


def _resolved(family: Family, settings: Settings, mutant: Mutant | None) -> Family:
    resolved = family.at(settings.budget)
    changes = {n: d for n, d in mutant.domain.items() if n in family.params} if mutant else {}
    return resolved.with_domain(changes).at(settings.budget) if changes else resolved


def _evaluated(
    chosen: Chosen, place: _Place, check: Check, k: int, mutant: Mutant | None, settings: Settings, seen: _Seen
) -> Iterator[Line]:
    claim = chosen.claim
    knobs = mutant.knobs if mutant else {}
    level = settings.claim_level / tests_of(claim, settings)
    yield "", ""
    if check.role == "proof":
        yield f"proof {check.name!r}", "bold"
        values: Instance = {}
        labels: tuple[object, ...] = ()
    elif check.role == "overall":
        yield f"overall check {check.name!r}, after all instances", "bold"
        values = {check.arguments[0]: _tables(claim, mutant, settings)}
        labels = ()
    else:
        family = _resolved(check.families[place.family], settings, mutant)
        own = family.id.split("/", 1)[1]
        yield f"instance {k} of {own}" + (f", check {check.name!r}" if check.name != "main" else ""), "bold"
        draw = family.instance(settings.seed, k)
        if draw is None:
            yield "  the hypotheses exclude this point of the grid", "yellow"
            return
        values, labels = draw.values, (family.id, k)
        for name, value in values.items():
            yield f"  {name} = {show(value, EVERYTHING)}", ""
        if draw.rejected:
            yield f"  ({draw.rejected} candidates before it did not satisfy the hypotheses)", "dim"
        if family.satisfied(values) is None:
            yield "  the hypotheses could not be decided on this instance, so a run does not compare", "yellow"
            seen.decisions.append(Decision.UNDECIDED)
            return
    refuted: list[str] = []
    for item in evaluate(claim, check, values, knobs, settings, level=level, place=labels):
        if isinstance(item, Record):
            yield f"  recorded in {item.table!r}: " + ", ".join(f"{n} = {show(v)}" for n, v in item.row.items()), "dim"
            continue
        seen.decisions.append(item.outcome.decision)
        yield from _outcome(item.part, item.outcome)
        if item.outcome.decision is Decision.AGAINST:
            refuted.append(item.part)
    if refuted and mutant is None and place.family >= 0:
        yield from _simplest(chosen, place, k, settings)


def _outcome(part: str, outcome: Outcome) -> Iterator[Line]:
    word, style = _WORDS[outcome.decision]
    earned = f" ({outcome.evidence})" if outcome.decision is not Decision.UNDECIDED else ""
    yield f"  {part} {word}{earned}", style
    yield f"    left:  {show(outcome.lhs, EVERYTHING)}", ""
    yield f"    right: {show(outcome.rhs, EVERYTHING)}", ""
    facts = [f"margin {short(outcome.margin)}", f"resolution {short(outcome.resolution, up=True)}"]
    facts += [f"{outcome.samples} samples"] if outcome.samples else []
    facts += [f"level {outcome.level:.2g}"] if outcome.level else []
    yield f"    {', '.join(facts)}", ""
    if outcome.reason:
        yield f"    {tidy(outcome.reason)}", ""
    if outcome.covered:
        yield f"    covers {outcome.covered}", ""
    for step in outcome.steps:
        yield f"    rests on {step}", ""


def _simplest(chosen: Chosen, place: _Place, k: int, settings: Settings) -> Iterator[Line]:
    """The counterexample that a run would print: the smallest that was found from this instance."""
    task = Task(chosen.source, chosen.claim.id, check=place.check, family=place.family, start=k, stop=k + 1)
    for part, tally in perform(task, settings).tallies.items():
        if tally.smallest is not None and tally.smallest.shrunk:
            yield "", ""
            yield f"simplest counterexample to {part!r} that was found from here", "bold"
            for text in sides(tally.smallest):
                yield f"  {text}", ""


def _tables(claim: Claim, mutant: Mutant | None, settings: Settings) -> dict[str, list[dict[str, object]]]:
    """The rows that all instances record, in index order."""
    tables: dict[str, list[dict[str, object]]] = {}
    level = settings.claim_level / tests_of(claim, settings)
    for check in claim.checks:
        if check.role not in ("check", "crosscheck"):
            continue
        for declared in check.families:
            family = _resolved(declared, settings, mutant)
            for k in range(family.count(settings.instances)):
                draw = family.instance(settings.seed, k)
                if draw is None or family.satisfied(draw.values) is None:
                    continue
                knobs = mutant.knobs if mutant else {}
                for item in evaluate(claim, check, draw.values, knobs, settings, level=level, place=(family.id, k)):
                    if isinstance(item, Record):
                        tables.setdefault(item.table, []).append(dict(item.row))
    return tables
