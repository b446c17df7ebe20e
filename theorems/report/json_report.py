"""The run as JSON: the same seed gives the same bytes, apart from what stands under `run.times`."""

from __future__ import annotations

import json
import math
from typing import Any

from theorems.report.summary import Report, alpha_used, command, tidy
from theorems.run.results import ClaimResult, MutantResult, Searched, Shown, Tally

SCHEMA = "theorems-report/1"


def render(report: Report) -> str:
    """The report as JSON text.

    Exact and high-precision numbers are strings; margins, resolutions and levels are doubles (infinite ones strings).
    """
    data = {
        "schema": SCHEMA,
        "run": _run(report),
        "claims": [_claim(report, c) for c in report.run.claims],
    }
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _run(report: Report) -> dict[str, Any]:
    run = report.run
    return {
        "seed": run.seed,
        "budget": run.budget,
        "instances": run.instances,
        "alpha": alpha_used(run),
        "alpha_of_the_library": run.alpha,
        "exit_status": run.exit_status,
        "interrupted": run.interrupted,
        "unfinished": run.unfinished,
        "versions": run.versions,
        "times": {
            "seconds": round(run.seconds, 3),
            "jobs": run.jobs,
            "claims": {c.id: round(c.seconds, 4) for c in run.claims},
            "files": {c.claim.id: c.source for c in report.chosen if c.typed},
            "reproduce": {
                c.id: command(run, report.of(c), c.counterexample) for c in run.claims if c.counterexample is not None
            },
            "tracebacks": {c.id: c.traceback for c in run.claims if c.traceback},
        },
    }


def _claim(report: Report, result: ClaimResult) -> dict[str, Any]:
    claim = report.of(result).claim
    return {
        "id": result.id,
        "kind": result.kind,
        "verdict": str(result.verdict),
        "reason": tidy(result.reason),
        "evidence": _word(result.evidence),
        "aimed": str(result.aimed),
        "fidelity": result.fidelity,
        "instances": result.instances,
        "rejected": result.rejected,
        "undecided": result.undecided,
        "margin": _double(result.margin),
        "resolution": _double(result.resolution),
        "downgraded": result.downgraded,
        "parts": [_part(p) for p in result.parts],
        "mutants": [_mutant(m) for m in result.mutants],
        "counterexample": _counterexample(result),
        **({"search": [_searched(s) for s in result.searched]} if report.run.search else {}),
        "paper": {
            "key": claim.paper.key,
            "title": claim.paper.title,
            "authors": list(claim.paper.authors),
            "venue": claim.paper.venue,
            "arxiv": claim.paper.arxiv,
        },
        "source": claim.source,
        "statement": claim.statement,
        "hypotheses": claim.hypotheses,
        "method": claim.method,
        "not_established": claim.not_established,
        "rests_on": list(claim.rests_on),
    }


def _part(part: Tally) -> dict[str, Any]:
    tight = part.tightest
    return {
        "name": part.part,
        "role": part.role,
        "check": part.check,
        "evidence": _word(part.evidence),
        "holds": part.holds,
        "refuted": part.refuted,
        "undecided": part.undecided,
        "margin": _double(tight.margin) if tight else None,
        "resolution": _double(tight.resolution) if tight else None,
        "tightest": _shown(tight),
        "samples": part.samples,
        "level": _double(part.level),
        "covered": part.covered,
        "rests_on": list(part.steps),
    }


def _mutant(mutant: MutantResult) -> dict[str, Any]:
    return {
        "name": mutant.name,
        "verdict": str(mutant.verdict),
        "killed": mutant.killed,
        "reason": tidy(mutant.reason),
        "part": mutant.part,
        "evidence": _word(mutant.evidence),
        "counterexample": _shown(mutant.counterexample),
    }


def _counterexample(result: ClaimResult) -> dict[str, Any] | None:
    shown = _shown(result.counterexample)
    return shown if shown is None else {"part": result.counterexample_part, **shown}


def _searched(searched: Searched) -> dict[str, Any]:
    return {
        "part": searched.part,
        "check": searched.check,
        "family": searched.family,
        "evaluations": searched.evaluations,
        "tightest": _shown(searched.shown),
    }


def _shown(shown: Shown | None) -> dict[str, Any] | None:
    if shown is None:
        return None
    return {
        "check": shown.check,
        "family": shown.family,
        "index": shown.index,
        "simplified": shown.shrunk,
        "instance": shown.instance,
        "lhs": shown.lhs,
        "rhs": shown.rhs,
        "decision": str(shown.decision),
        "evidence": str(shown.evidence),
        "margin": _double(shown.margin),
        "resolution": _double(shown.resolution),
        "samples": shown.samples,
        "reason": tidy(shown.reason),
    }


def _word(evidence: object) -> str | None:
    return None if evidence is None else str(evidence)


def _double(value: float | None) -> float | str | None:
    return value if value is None or math.isfinite(value) else str(value)
