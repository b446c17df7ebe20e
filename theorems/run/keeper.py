"""Between the runner and its ledger: keys of tasks, what may be reused, what is worth keeping."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from theorems.claim import Claim
from theorems.kernel.outcome import Evidence
from theorems.run import stored
from theorems.run.board import MUTANT, OVERALL, Item
from theorems.run.evaluate import Settings, tests_of
from theorems.run.fingerprint import Fingerprints
from theorems.run.ledger import Ledger, Row
from theorems.run.results import BlockResult, ClaimResult, Shown
from theorems.run.versions import versions


class Keeper:
    """Finds and keeps results; without a ledger it does neither.

    Args:
        ledger: the open ledger, or None.
        claims: (source, claim) pairs of the run.
        settings: the run's settings.
    """

    def __init__(self, ledger: Ledger | None, claims: Sequence[tuple[str, Claim]], settings: Settings) -> None:
        self.ledger, self.claims, self.settings = ledger, claims, settings
        self._sources = ledger.sources() if ledger is not None else {}
        self._learnt = set(self._sources)
        self._fingerprints = Fingerprints(known=self._sources) if ledger is not None else None
        self._levels: dict[str, float] = {}
        self._changed: set[str] = set()
        self._distrusted: set[int] = set()
        if ledger is not None and not ledger.run:
            ledger.begin(
                (), {}, seed=settings.seed, budget=settings.budget, instances=settings.instances, versions=versions()
            )

    def find(self, item: Item) -> BlockResult | None:
        """The result of a task if the ledger holds it."""
        if self.ledger is None or item.job in self._distrusted:
            return None
        found = self.ledger.find(self._key(item), self._level(item))
        if found is None:
            return None
        text, certificates = found
        try:
            result = stored.from_text(text)
            for part, body in certificates:
                kept = json.loads(body)
                if not isinstance(kept, dict) or part not in result.tallies:
                    raise ValueError(f"a certificate of {part!r}")
                result.tallies[part].certificates.append(kept)
        except ValueError as error:
            self.ledger.tell(f"the ledger's result of {item.task} is unreadable ({error}) and is computed again")
            return None
        return result

    def keep(self, came: Sequence[tuple[Item, BlockResult]]) -> None:
        """Make finished tasks durable: not those that broke or that a guard ended."""
        if self.ledger is None or self._fingerprints is None or not self.ledger.writable:
            return
        rows = [self._row(item, result) for item, result in came if not result.lost and not result.error]
        for claim_id in {r.claim for r in rows} - self._changed:
            if not self._fingerprints.unchanged(claim_id):
                self._changed.add(claim_id)
                self.ledger.tell(f"a file behind {claim_id} was edited during the run; its results are not kept")
        self.ledger.keep(r for r in rows if r.claim not in self._changed)

    def judged(self, place: int, result: ClaimResult) -> None:
        """Note a verdict."""
        if self.ledger is None or self._fingerprints is None or not self.ledger.writable:
            return
        self.ledger.verdict(
            result.id,
            verdict=str(result.verdict),
            evidence="" if result.evidence is None else str(result.evidence),
            reason=result.reason,
            instances=result.instances,
            margin=None if result.margin is None else repr(result.margin),
            resolution=None if result.resolution is None else repr(result.resolution),
            killed=result.killed,
            mutants=len(result.mutants),
            seconds=result.seconds,
            fingerprint=self._fingerprints.of(*self.claims[place]),
        )

    def distrust(self, place: int) -> None:
        """Do not use what the ledger holds of a claim."""
        self._distrusted.add(place)
        if self.ledger is not None:
            claim = self.claims[place][1]
            self.ledger.tell(f"what the ledger holds of {claim.id} does not come out again; the claim is computed anew")

    def finish(self, exit_status: int) -> None:
        """Note that the run is finished."""
        if self.ledger is not None:
            self.ledger.learn({d: f for d, f in self._sources.items() if d not in self._learnt})
            self.ledger.finish(exit_status)

    def _level(self, item: Item) -> float:
        claim = self.claims[item.job][1]
        if claim.id not in self._levels:
            self._levels[claim.id] = self.settings.claim_level / tests_of(claim, self.settings)
        return self._levels[claim.id]

    def _key(self, item: Item) -> bytes:
        source, claim = self.claims[item.job]
        task, settings = item.task, self.settings
        depends: dict[str, Any] = {
            "format": stored.FORMAT,
            "fingerprint": "" if self._fingerprints is None else self._fingerprints.of(source, claim),
            "claim": claim.id,
            "seed": settings.seed,
            "budget": settings.budget,
            "certificates": settings.certificates,
        }
        if item.kind == MUTANT:
            mutant = claim.mutants[task.mutant]
            depends |= {"mutant": [task.mutant, mutant.name], "instances": settings.instances}
        else:
            depends |= {"check": [task.check, claim.checks[task.check].name], "family": _family(claim, item)}
            depends["block"] = [task.start, task.stop, settings.search if task.search else 0]
        if item.kind == OVERALL:
            depends["tables"] = hashlib.sha256(json.dumps(task.tables).encode()).hexdigest()
        return hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).digest()

    def _row(self, item: Item, result: BlockResult) -> Row:
        claim = self.claims[item.job][1]
        task = item.task
        certificates = tuple(
            (part, n, json.dumps(body, ensure_ascii=False))
            for part, tally in result.tallies.items()
            for n, body in enumerate(tally.certificates)
        )
        bare = replace(result, tallies={n: replace(t, certificates=[]) for n, t in result.tallies.items()})
        return Row(
            key=self._key(item),
            level=self._level(item) if _depends_on_level(claim, result) else 0.0,
            claim=claim.id,
            variant=claim.mutants[task.mutant].name
            if item.kind == MUTANT
            else claim.checks[task.check].name + (" (search)" if task.search else ""),
            family="" if item.kind == MUTANT else _family(claim, item),
            start=task.start,
            stop=task.stop,
            seconds=result.seconds,
            body=stored.to_text(bare),
            certificates=certificates,
        )


def _family(claim: Claim, item: Item) -> str:
    families = claim.checks[item.task.check].families
    return families[item.task.family].id if families else ""


def _depends_on_level(claim: Claim, result: BlockResult) -> bool:
    """Whether a result depends on how the claim's level is split, and so on the number of instances."""

    def statistical(shown: Shown | None) -> bool:
        return shown is not None and (shown.samples > 0 or shown.evidence < Evidence.NUMERIC)

    return (
        claim.evidence < Evidence.NUMERIC
        or statistical(result.killed_by)
        or any(
            t.level > 0
            or t.samples > 0
            or (t.evidence is not None and t.evidence < Evidence.NUMERIC)
            or statistical(t.doubtful)
            for t in result.tallies.values()
        )
    )
