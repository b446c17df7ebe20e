"""From tallies to verdicts: evidence taken from what was seen, mutants judged.

Nothing here looks at a clock or at the number of workers, so the same outcomes give the same verdict.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from theorems.claim import Claim, Mutant
from theorems.kernel.outcome import Evidence
from theorems.run.account import Account
from theorems.run.evaluate import Settings
from theorems.run.results import BlockResult, ClaimResult, MutantResult, Tally, Verdict


def judge(
    claim: Claim,
    account: Account,
    mutants: Sequence[BlockResult | None],
    settings: Settings,
) -> ClaimResult:
    """The verdict on a claim.

    Args:
        claim: the claim.
        account: its blocks, merged in plan order.
        mutants: one result a mutant, in order of definition; None where it was not run.
        settings: the run's settings.
    """
    parts = account.parts
    downgraded = _exhaustion(claim, account, settings)
    counted = [p for p in parts.values() if p.role != "crosscheck"]
    evidence = min((p.evidence for p in counted if p.evidence is not None), default=None)
    refuted = next((p for p in parts.values() if p.refuted), None)
    judged = [_judge_mutant(m, r, parts, evidence) for m, r in zip(claim.mutants, mutants)]
    verdict, reason = _verdict(claim, account, counted, evidence, refuted, judged, bool(downgraded))
    margin, resolution = _sharpness(counted, evidence, refuted)
    return ClaimResult(
        id=claim.id,
        kind=claim.kind,
        verdict=verdict,
        reason=reason,
        evidence=None if account.error and refuted is None else evidence,
        aimed=claim.evidence,
        fidelity=claim.fidelity,
        instances=account.instances,
        rejected=account.rejected,
        undecided=sum(p.undecided for p in counted) + account.unsure,
        margin=margin,
        resolution=resolution,
        parts=list(parts.values()),
        mutants=judged,
        counterexample=refuted.smallest if refuted else None,
        counterexample_part=refuted.part if refuted else "",
        traceback=account.error,
        seconds=account.seconds + sum(m.seconds for m in judged),
        downgraded=downgraded,
        searched=account.searched,
    )


def _sharpness(
    counted: list[Tally], evidence: Evidence | None, refuted: Tally | None
) -> tuple[float | None, float | None]:
    """Margin and resolution of a claim: the smallest slack, and what the parts of the weakest evidence would miss.

    A refuted claim has the (negative) margin of its counterexample and no resolution.
    """
    if refuted is not None:
        return (refuted.smallest.margin if refuted.smallest else None), None
    tight = [(p.evidence, p.tightest) for p in counted if p.tightest is not None]
    margins = [s.margin for _, s in tight if s.margin is not None]
    resolutions = [s.resolution for e, s in tight if e == evidence and s.resolution is not None]
    return min(margins, default=None), max(resolutions, default=None)


def _exhaustion(claim: Claim, account: Account, settings: Settings) -> str:
    """Upgrade exactly decided parts of exhausted domains to `proved`; say so where the user cut the domain short."""
    cut = ""
    for i, check in enumerate(claim.checks):
        if check.role != "check" or not check.families or not all(f.exhaustive for f in check.families):
            continue
        families = [f.at(settings.budget) for f in check.families]
        sizes = [f.grid_size for f in families]
        run = account.walked[i]
        for part in account.parts.values():
            if part.check != check.name or part.evidence is not Evidence.CERTIFIED:
                continue
            if run < sum(sizes):
                cut = f"{run} of {sum(sizes)} instances of the exhaustive domain were asked for"
            elif part.undecided == 0:
                part.evidence = Evidence.PROVED
                about = "; ".join(f.describe() for f in families)
                part.covered = check.covers or f"all {run - account.excluded[i]} instances: {about}"
    return cut


def _verdict(
    claim: Claim,
    account: Account,
    counted: list[Tally],
    evidence: Evidence | None,
    refuted: Tally | None,
    mutants: list[MutantResult],
    downgraded: bool,
) -> tuple[Verdict, str]:
    if refuted is not None:
        where = f" at instance {refuted.smallest.index}" if refuted.smallest and refuted.smallest.instance else ""
        return Verdict.REFUTED, f"{refuted.part} is refuted{where}"
    if account.error:
        return Verdict.ERROR, broke(account.error)
    if account.trouble:
        return Verdict.INCONCLUSIVE, account.trouble
    decided = [p for p in counted if p.holds]
    undecided = next((p for p in counted if p.undecided), None)
    missing, total = sum(p.undecided for p in counted), sum(p.count for p in counted)
    unsure, met = account.unsure, account.instances + account.unsure
    if not decided:
        if undecided is not None and undecided.doubtful is not None:
            return Verdict.INCONCLUSIVE, f"{undecided.part}: {undecided.doubtful.reason}"
        return Verdict.INCONCLUSIVE, "nothing was decided: no instance satisfied the hypotheses"
    if undecided is not None and undecided.doubtful is not None and missing > claim.undecided * total:
        return Verdict.INCONCLUSIVE, f"{undecided.part}: {undecided.doubtful.reason}"
    if unsure > claim.undecided * met:
        return Verdict.INCONCLUSIVE, f"the hypotheses of {unsure} instances could not be decided"
    low = _rejection(claim, account)
    if low:
        return Verdict.INCONCLUSIVE, low
    if evidence is not None and evidence < claim.evidence and not downgraded:
        weak = next(p for p in counted if p.evidence == evidence)
        return Verdict.ERROR, f"{weak.part} earned {evidence}, less than the {claim.evidence} that the claim aims at"
    survivor = next((m for m in mutants if not m.killed), None)
    if survivor is not None:
        return Verdict.INCONCLUSIVE, f"mutant {survivor.name!r} was not killed: {survivor.reason}"
    return Verdict.HOLDS, ""


def _rejection(claim: Claim, account: Account) -> str:
    """A reason when the hypotheses accepted a smaller share than declared (judged from 20 candidates on)."""
    accepted, rejected = account.instances, account.rejected
    declared = min((f.accept for c in claim.checks for f in c.families), default=0.0)
    if accepted + rejected >= 20 and accepted < declared * (accepted + rejected):
        share = accepted / (accepted + rejected)
        return f"the hypotheses accepted {share:.2%} of the candidates, less than the declared {declared:.2%}"
    return ""


def broke(trace: str) -> str:
    """A traceback in one line: the exception without its package, where it was raised, and on which instance."""
    lines = trace.strip().splitlines()
    at = max((i for i, line in enumerate(lines) if line.startswith("  File ")), default=0)
    said = [line for line in lines[at:] if line and not line.startswith(" ")]
    what = re.sub(r"^(?:\w+\.)+(?=\w+(?::|$))", "", said[0]) if said else lines[-1]
    if what.startswith("TypeError: unsupported operand") and "'float'" in what and "flint" in what:
        what += (
            "; parameters arrive as exact numbers, and a float beside them has no error bound: write Q(1, 10) for 0.1"
        )
    note = next((line for line in said[1:] if line.startswith("on instance ")), "")
    return f"{what}{f' ({note})' if note else ''}"


def _judge_mutant(
    mutant: Mutant, result: BlockResult | None, parts: dict[str, Tally], evidence: Evidence | None
) -> MutantResult:
    """How a mutant ended. A part that only the mutant has is measured by the evidence of the whole claim."""
    if result is None:
        return MutantResult(mutant.name, Verdict.INCONCLUSIVE, False, "not run")
    found = result.killed_by
    if found is not None:
        alone = result.killed_part not in parts
        earned = evidence if alone else parts[result.killed_part].evidence
        enough = earned is None or found.evidence >= min(earned, Evidence.CERTIFIED)
        reason = found.reason if enough else f"refuted at {found.evidence} only, while the part earns {earned}"
        if enough and alone:
            reason = f"in a part that only the mutant has{': ' if reason else ''}{reason}"
        return MutantResult(
            mutant.name, Verdict.REFUTED, enough, reason, result.killed_part, found.evidence, found, result.seconds
        )
    if result.error:
        reason = f"an exception kills nothing: {broke(result.error)}"
        return MutantResult(mutant.name, Verdict.ERROR, False, reason, seconds=result.seconds)
    if result.trouble:
        return MutantResult(mutant.name, Verdict.INCONCLUSIVE, False, result.trouble, seconds=result.seconds)
    undecided = sum(t.undecided for t in result.tallies.values())
    where = f" in {', '.join(mutant.breaks)}" if mutant.breaks else ""
    if undecided:
        doubtful = next(t.doubtful for t in result.tallies.values() if t.doubtful)
        reason = f"no refutation{where}; {undecided} comparison(s) undecided: {doubtful.reason}"
        return MutantResult(mutant.name, Verdict.INCONCLUSIVE, False, reason, seconds=result.seconds)
    answered = sum(t.count for t in result.tallies.values())
    reason = f"survived {answered} comparison(s){where}" if answered else f"nothing was compared{where}"
    return MutantResult(mutant.name, Verdict.HOLDS, False, reason, seconds=result.seconds)
