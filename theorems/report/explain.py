"""Why one claim does not hold, as plain text: for JUnit files and for pytest's failure messages."""

from __future__ import annotations

from theorems.report.summary import Report, command, sides, tidy
from theorems.run.results import ClaimResult, Verdict
from theorems.texmath import plain


def explained(report: Report, result: ClaimResult) -> str:
    """Why a claim does not hold, for people: statement, counterexample with its command, survivors, traceback."""
    chosen = report.of(result)
    lines = [plain(chosen.claim.statement), "", f"{result.verdict}: {tidy(result.reason)}"]
    if result.counterexample is not None:
        lines += ["", f"counterexample to part {result.counterexample_part!r} ({result.counterexample.evidence}):"]
        lines += [f"  {text}" for text in sides(result.counterexample)]
        lines += ["", "reproduce it:", f"  {command(report.run, chosen, result.counterexample)}"]
    survivors = [m for m in result.mutants if not m.killed and result.verdict is not Verdict.ERROR]
    if survivors:
        lines += ["", "mutants that survive, so that the check may be unable to fail:"]
        lines += [f"  {m.name}: {tidy(m.reason)}" for m in survivors]
    if result.traceback:
        lines += ["", result.traceback.rstrip()]
    return "\n".join(lines)
