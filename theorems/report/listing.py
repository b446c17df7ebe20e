"""`--list`: one claim a line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from theorems.report.selection import Chosen, heading


def render(chosen: Sequence[Chosen]) -> str:
    """Selected claims by paper: id, kind, aimed evidence, fidelity, number of mutants, source."""
    rows = {
        c.claim.id: (
            c.claim.id,
            c.claim.kind,
            str(c.claim.evidence),
            c.claim.fidelity,
            f"{len(c.claim.mutants)} mutant{'' if len(c.claim.mutants) == 1 else 's'}",
            c.claim.source,
        )
        for c in chosen
    }
    widths = [max(len(row[i]) for row in rows.values()) for i in range(6)]
    lines: list[str] = []
    for _, group in groupby(chosen, lambda c: c.claim.paper.key):
        claims = list(group)
        lines += [*([""] if lines else []), f"# {heading(claims[0].claim.paper)}"]
        lines += ["  ".join(t.ljust(w) for t, w in zip(rows[c.claim.id], widths)).rstrip() for c in claims]
    return "\n".join(lines) + "\n"
