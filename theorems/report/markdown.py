"""The run as Markdown: one table a paper, then what does not hold."""

from __future__ import annotations

import re
from itertools import groupby

from theorems.report.selection import heading
from theorems.report.summary import Report, alpha_used, notes, sides, tidy, totals
from theorems.report.table import VERDICTS, short
from theorems.run.results import ClaimResult
from theorems.texmath import plain


def render(report: Report) -> str:
    """The report as Markdown text (tables of GitHub's flavour), without times."""
    run = report.run
    lines = ["# Theorems, checked", "", escaped(totals(run).split("; seed ", 1)[0]) + ".", ""]
    many = f", {run.instances} instances of each family" if run.instances is not None else ""
    lines += [
        f"Seed {run.seed}, budget {run.budget}{many}. The chance that any true statistical claim is refuted is at most "
        f"{alpha_used(run):.2g}.",
    ]
    for _, results in groupby(run.claims, lambda r: report.of(r).claim.paper.key):
        lines += _paper(report, list(results))
    said = [(claim_id, tidy(text)) for claim_id, text in notes(report)]
    if said:
        lines += ["", "## Notes", "", *(f"- **{escaped(i)}**: {escaped(text)}" for i, text in said)]
    for result in run.claims:
        if result.counterexample is not None:
            lines += ["", f"## Counterexample to {escaped(result.id)}", ""]
            lines += [f"> {escaped(text)}  " for text in plain(report.of(result).claim.statement).splitlines() if text]
            lines += ["", f"Part {escaped(result.counterexample_part)}:", ""]
            lines += [f"    {' '.join(text.split())}" for text in sides(result.counterexample)]
    versions = ", ".join(f"{n} {v}" for n, v in run.versions.items())
    return "\n".join([*lines, "", f"Versions: {escaped(versions)}.", ""])


def _paper(report: Report, results: list[ClaimResult]) -> list[str]:
    rows = [
        "",
        f"## {escaped(heading(report.of(results[0]).claim.paper))}",
        "",
        "| claim | verdict | evidence | fidelity | instances | margin | resolution | mutants |",
        "|---|---|---|---|--:|--:|--:|--:|",
    ]
    for r in results:
        cells = (
            report.of(r).claim.name,
            f"{VERDICTS[r.verdict][0]} {r.verdict}",
            "–" if r.evidence is None else str(r.evidence),
            r.fidelity,
            f"{r.instances}/{r.instances + r.rejected}" if r.rejected else str(r.instances),
            short(r.margin),
            short(r.resolution, up=True),
            f"{r.killed}/{len(r.mutants)}",
        )
        rows.append("| " + " | ".join(map(escaped, cells)) + " |")
    return rows


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    safe = re.sub(r"([\\`*_\[\]<>|#~$&])", r"\\\1", " ".join(text.split()))
    return safe.replace("\\<", "&lt;").replace("\\>", "&gt;").replace("\\&", "&amp;")
