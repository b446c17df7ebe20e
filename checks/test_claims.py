"""Every registered claim holds on the evidence that it aims at, and every mutant dies for it."""

from __future__ import annotations

from theorems.claim import Claim
from theorems.run.evaluate import Settings
from theorems.run.results import ClaimResult, Verdict
from theorems.run.selftest import selftest


def test_holds(claim: Claim, result: ClaimResult) -> None:
    assert result.verdict is Verdict.HOLDS, (
        f"{result.verdict}: {result.reason}\n{result.counterexample}\n{result.traceback}"
    )
    assert result.evidence is not None
    assert result.evidence >= claim.evidence


def test_mutant_is_killed(claim: Claim, mutant: int, result: ClaimResult) -> None:
    m = result.mutants[mutant]
    assert m.killed, m.reason
    assert m.counterexample is not None


def test_moved_by_twice_its_resolution_it_is_refuted(claim: Claim, result: ClaimResult, settings: Settings) -> None:
    moved = list(selftest(claim, result, settings))
    survivors = [str(m) for m in moved if not m.refuted]
    assert not survivors, survivors
    assert moved or all(p.tightest is None or p.tightest.resolution is None for p in result.parts)
