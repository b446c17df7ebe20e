"""What a run returns: verdicts with their evidence, parts, mutants and counterexamples."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from theorems.kernel.outcome import Decision, Evidence


class Verdict(StrEnum):
    """How a claim ended."""

    HOLDS = "holds"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"
    ERROR = "error"


@dataclass(frozen=True)
class Shown:
    """One outcome as it is printed: the instance and both sides as exact text."""

    index: int
    family: str
    instance: dict[str, str]
    lhs: str
    rhs: str
    decision: Decision
    evidence: Evidence
    margin: float | None
    resolution: float | None
    reason: str
    samples: int = 0
    shrunk: bool = False
    check: str = ""
    found: str = ""  # "search" where no index gives the instance


@dataclass(frozen=True)
class Searched:
    """The tightest outcome of one part that a search met.

    Attributes:
        part, check, family: where.
        evaluations: how often the check was called.
        shown: the outcome.
    """

    part: str
    check: str
    family: str
    evaluations: int
    shown: Shown


@dataclass
class Tally:
    """All outcomes of one part, over the instances of one block or of a whole check."""

    part: str
    role: str
    check: str
    holds: int = 0
    refuted: int = 0
    undecided: int = 0
    evidence: Evidence | None = None
    samples: int = 0
    level: float = 0.0
    tightest: Shown | None = None
    smallest: Shown | None = None
    doubtful: Shown | None = None
    covered: str = ""
    steps: tuple[str, ...] = ()
    points: tuple[tuple[str, tuple[tuple[float, ...], ...]], ...] = ()
    margins: list[tuple[int, float]] = field(default_factory=list)
    certificates: list[dict[str, Any]] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Comparisons answered."""
        return self.holds + self.refuted + self.undecided


@dataclass
class BlockResult:
    """What one task returns."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    records: list[tuple[str, Any]] = field(default_factory=list)
    instances: int = 0
    rejected: int = 0
    excluded: int = 0
    unsure: int = 0
    error: str = ""
    trouble: str = ""
    seconds: float = 0.0
    searched: list[Searched] = field(default_factory=list)
    lost: bool = False  # ended by a guard from outside (a dead worker, a clock): says nothing about the claim itself
    # mutants only
    killed_by: Shown | None = None
    killed_part: str = ""


@dataclass(frozen=True)
class MutantResult:
    """How a mutant ended: `killed` is the only good end."""

    name: str
    verdict: Verdict
    killed: bool
    reason: str
    part: str = ""
    evidence: Evidence | None = None
    counterexample: Shown | None = None
    seconds: float = 0.0


@dataclass
class ClaimResult:
    """The verdict on one claim.

    Attributes:
        evidence: the weakest evidence among the parts that count (None when nothing was decided).
        instances: instances that satisfied the hypotheses and were checked.
        margin: smallest relative slack over the parts.
        resolution: resolution of the part that fixes `evidence` (its largest where several do).
    """

    id: str
    kind: str
    verdict: Verdict
    reason: str
    evidence: Evidence | None
    aimed: Evidence
    fidelity: str
    instances: int
    rejected: int
    undecided: int
    margin: float | None
    resolution: float | None
    parts: list[Tally]
    mutants: list[MutantResult]
    counterexample: Shown | None
    counterexample_part: str = ""
    traceback: str = ""
    seconds: float = 0.0
    downgraded: str = ""
    records: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    searched: list[Searched] = field(default_factory=list)

    @property
    def killed(self) -> int:
        """Number of killed mutants."""
        return sum(m.killed for m in self.mutants)


@dataclass
class Run:
    """A whole run: settings that decide, verdicts, and (separately) clocks and places.

    Attributes:
        search: evaluations of the search in each family, 0 for none.
        reused: tasks whose results came from the ledger.
    """

    seed: int
    budget: str
    instances: int | None
    alpha: float
    versions: dict[str, str]
    claims: list[ClaimResult]
    interrupted: bool = False
    seconds: float = 0.0
    jobs: int = 1
    unfinished: list[str] = field(default_factory=list)
    reused: int = 0
    search: int = 0

    @property
    def exit_status(self) -> int:
        """130 interrupted, 1 refuted or a survivor, 4 error, 3 inconclusive, 0 all hold (2, wrong usage, is the CLI's)."""
        if self.interrupted:
            return 130
        verdicts = {c.verdict for c in self.claims}
        mutants = [m for c in self.claims if c.verdict is not Verdict.ERROR for m in c.mutants if not m.killed]
        survivors = any(m.verdict in (Verdict.HOLDS, Verdict.REFUTED) for m in mutants)
        if any(m.verdict is Verdict.ERROR for m in mutants):
            verdicts.add(Verdict.ERROR)
        if Verdict.REFUTED in verdicts or survivors:
            return 1
        if Verdict.ERROR in verdicts:
            return 4
        return 3 if Verdict.INCONCLUSIVE in verdicts else 0
