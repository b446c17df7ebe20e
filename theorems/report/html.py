"""The run as one self-contained page: summary, a table that sorts and filters, one card a claim, plots.

The page loads nothing, and its own content-security policy lets nothing but its own script and style run. The same
command with the same seed gives the same bytes, apart from what stands between the `times` comments.
"""

from __future__ import annotations

import base64
import hashlib
import math
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from theorems.claim import FIDELITIES, Claim
from theorems.kernel.outcome import Evidence
from theorems.report import mathml
from theorems.report.arguments import PROGRAM
from theorems.report.plots import plots
from theorems.report.selection import Chosen, heading
from theorems.report.summary import Report, alpha_used, command, is_statistical, notes, sides, tidy, totals
from theorems.report.table import VERDICTS, short
from theorems.run.results import ClaimResult, MutantResult, Run, Shown, Tally, Verdict

COLUMNS = (
    ("claim", False),
    ("verdict", False),
    ("evidence", False),
    ("kind", False),
    ("fidelity", False),
    ("instances", True),
    ("margin", True),
    ("resolution", True),
    ("mutants", True),
)
ROLES = {
    "check": "on instances",
    "crosscheck": "cross-check, which may refute and earns no evidence",
    "proof": "proofs, without instances",
    "overall": "of everything that was recorded",
}
_RANKS = {v: k for k, v in enumerate((Verdict.REFUTED, Verdict.ERROR, Verdict.INCONCLUSIVE, Verdict.HOLDS))}
LONGEST = 80  # characters of a mutant's killing instance


def render(report: Report) -> str:
    """The page as text."""
    said: dict[str, list[str]] = {}
    for claim_id, text in notes(report):
        said.setdefault(claim_id, []).append(tidy(text))
    cards = [_card(report, r, said.get(r.id, [])) for r in report.run.claims]
    template, style, early, script = _parts()
    page: str = template.render(
        title=", ".join(dict.fromkeys(c["paper"] for c in cards)) or "no claim was finished",
        headline=_headline(report),
        run=report.run,
        cards=cards,
        open=sorted((c for c in cards if c["verdict"] != "holds"), key=lambda c: c["verdict_rank"]),
        unfinished=_unfinished(report),
        verdicts=[str(v) for v in Verdict],
        by_evidence=_by_evidence(report.run.claims),
        papers=_by_paper(report),
        alpha=_alpha(report),
        fidelities=list(FIDELITIES.items()),
        columns=COLUMNS,
        choices=_choices(cards),
        style=Markup(style),
        early=Markup(early),
        early_hash=_digest(early),
        script=Markup(script),
        style_hash=_digest(style),
        script_hash=_digest(script),
    )
    return page


def anchor(claim_id: str) -> str:
    """The id of a claim's card, which is also its fragment in a link: the claim's id, percent-encoded."""
    return quote(claim_id, safe="/")


@cache
def _parts() -> tuple[Any, str, str, str]:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("theorems.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    folder = files("theorems.report") / "templates"
    names = ("page.css", "early.js", "page.js")
    style, early, script = ((folder / name).read_text(encoding="utf-8") for name in names)
    return environment.get_template("page.html.j2"), style, early, script


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _headline(report: Report) -> str:
    line = totals(report.run)
    return line.split("; seed ", 1)[0] + "."


def _unfinished(report: Report) -> str:
    run = report.run
    if not run.unfinished:
        return ""
    why = "Interrupted" if run.interrupted else "Stopped at the first claim that does not hold"
    return f"{why}: {len(run.unfinished)} of {len(report.chosen)} claims were not finished."


def _alpha(report: Report) -> str:
    claims = report.run.claims
    statistical = sum(map(is_statistical, claims))
    empirical = sum(c.evidence is Evidence.EMPIRICAL for c in claims)
    text = (
        f"at most {alpha_used(report.run):.2g} that any true claim among the {statistical} statistical ones is refuted"
        if statistical
        else "none: no claim here is statistical"
    )
    return text + (f"; {empirical} empirical claims have no guaranteed level" if empirical else "")


def _by_evidence(claims: Sequence[ClaimResult]) -> list[tuple[str, list[int]]]:
    counts = Counter((c.evidence, c.verdict) for c in claims)
    words: list[Evidence | None] = [*reversed(Evidence), None]
    rows = [("none" if e is None else str(e), [counts[e, v] for v in Verdict]) for e in words]
    return [(word, row) for word, row in rows if any(row)]


def _by_paper(report: Report) -> list[dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    for r in report.run.claims:
        paper = report.of(r).claim.paper
        row = rows.setdefault(
            paper.key, {"key": paper.key, "title": paper.title, "counts": [0] * len(Verdict), "killed": 0, "mutants": 0}
        )
        row["counts"][list(Verdict).index(r.verdict)] += 1
        row["killed"] += r.killed
        row["mutants"] += len(r.mutants)
    return list(rows.values())


def _choices(cards: Sequence[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    order = {
        "evidence": [str(e) for e in reversed(Evidence)],
        "verdict": [str(v) for v in Verdict],
        "fidelity": list(FIDELITIES),
    }
    found = []
    for name in ("paper", "kind", "evidence", "fidelity", "verdict"):
        present = {c[name] for c in cards}
        known = order.get(name, sorted(present))
        found.append((name, [v for v in known if v in present] + sorted(present - set(known))))
    return found


def _card(report: Report, result: ClaimResult, said: list[str]) -> dict[str, Any]:
    chosen = report.of(result)
    claim = chosen.claim
    key = anchor(result.id)
    reason = tidy(result.reason) if result.verdict is not Verdict.HOLDS else ""
    proved = [p for p in result.parts if p.role != "crosscheck" and p.evidence is Evidence.PROVED]
    shown = result.counterexample or _tightest(result)
    return {
        "id": result.id,
        "anchor": key,
        "name": claim.name,
        "paper": claim.paper.key,
        "kind": result.kind,
        "verdict": str(result.verdict),
        "verdict_rank": _RANKS[result.verdict],
        "glyph": VERDICTS[result.verdict][0],
        "evidence": "none" if result.evidence is None else str(result.evidence),
        "evidence_rank": 0 if result.evidence is None else int(result.evidence),
        "aimed": str(result.aimed),
        "fidelity": result.fidelity,
        "reason": reason,
        "notes": [n for n in said if reason not in n or not reason],
        "statement": Markup(mathml.html(claim.statement)),
        "hypotheses": Markup(mathml.html(claim.hypotheses)),
        "heading": heading(claim.paper),
        "authors": ", ".join(claim.paper.authors),
        "source": Markup(mathml.inline(claim.source)),
        "method": Markup(mathml.html(claim.method)),
        "checks": [Markup(mathml.inline(text)) for text in _how(claim, report.run.budget)],
        "not_established": Markup(mathml.html(claim.not_established)),
        "covered": [Markup(mathml.inline(c)) for c in dict.fromkeys(p.covered for p in proved if p.covered)],
        "rests_on": [
            Markup(mathml.inline(step))
            for step in dict.fromkeys([*claim.rests_on, *(step for p in proved for step in p.steps)])
        ],
        "instances": result.instances,
        "rejected": result.rejected,
        "undecided": result.undecided,
        "margin": short(result.margin),
        "margin_value": _sortable(result.margin),
        "resolution": short(result.resolution, up=True),
        "resolution_value": _sortable(result.resolution),
        "killed": result.killed,
        "share_killed": _sortable(result.killed / len(result.mutants) if result.mutants else None),
        "mutants": [_mutant(m) for m in result.mutants],
        "parts": [_part(p) for p in result.parts],
        "shown": list(_shown(result)),
        "plots": [{"svg": Markup(p.svg), "caption": p.caption, "key": p.key} for p in plots(result, key)],
        "command": command(report.run, chosen, shown) if shown is not None else _again(report.run, chosen),
        "traceback": "\n".join(tidy_line(line) for line in result.traceback.splitlines()),
    }


def _again(run: Run, chosen: Chosen) -> str:
    """The command line that checks a claim again, where no single instance stands out."""
    words = [PROGRAM, *([shlex.quote(chosen.typed)] if chosen.typed else []), shlex.quote(chosen.claim.id)]
    words += ["--seed", str(run.seed), "--budget", run.budget]
    return " ".join(words + (["--instances", str(run.instances)] if run.instances is not None else []))


def tidy_line(line: str) -> str:
    """A traceback's line without addresses and folders; its indentation stays."""
    return line[: len(line) - len(line.lstrip())] + tidy(line)


def _sortable(value: float | None) -> str:
    """A number that JavaScript reads; empty where there is none."""
    if value is None or math.isnan(value):
        return ""
    return repr(value) if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")


def _how(claim: Claim, budget: str) -> Iterator[str]:
    """The checks of a claim with their instances, then the names of those that have none."""
    for check in claim.checks:
        for family in check.families:
            walk = ", the whole declared domain" if family.exhaustive else ", a grid" if family.every else ""
            domain = tidy(family.at(budget).describe()).replace("$", r"\$")
            yield f"{check.name}: {ROLES[check.role]}{walk}; {domain}"
    for role in ("proof", "overall"):
        names = [c.name for c in claim.checks if c.role == role]
        if names:
            yield f"{ROLES[role]}: {', '.join(names)}"


def _tightest(result: ClaimResult) -> Shown | None:
    """The outcome with the smallest margin among the parts that count."""
    tight = [p.tightest for p in result.parts if p.tightest is not None and p.role != "crosscheck"]
    known = [s for s in tight if s.margin is not None]
    return min(known, key=lambda s: s.margin or 0.0) if known else next(iter(tight), None)


def _shown(result: ClaimResult) -> Iterator[dict[str, Any]]:
    if result.counterexample is not None:
        yield {
            "what": f"counterexample to “{result.counterexample_part}” ({result.counterexample.evidence})",
            "lines": sides(result.counterexample),
        }
        return
    tight = _tightest(result)
    if tight is not None and (tight.instance or tight.lhs):
        part = next(p.part for p in result.parts if p.tightest is tight)
        yield {"what": f"tightest instance, “{part}”", "lines": sides(tight)}


def _mutant(mutant: MutantResult) -> dict[str, Any]:
    by = mutant.counterexample
    text = ""
    if by is not None:
        values = ", ".join(f"{n} = {v}" for n, v in by.instance.items())
        text = _cut(values or f"{by.lhs} against {by.rhs}")
    return {
        "name": Markup(mathml.inline(mutant.name)),
        "killed": mutant.killed,
        "part": mutant.part,
        "figure": short(by.margin) if by is not None else "",
        "by": text if mutant.killed else _cut(tidy(mutant.reason)),
    }


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 2] + " …"


def _part(part: Tally) -> dict[str, Any]:
    verdict = Verdict.REFUTED if part.refuted else Verdict.HOLDS if part.holds else Verdict.INCONCLUSIVE
    tight = part.tightest
    return {
        "name": Markup(mathml.inline(part.part)),
        "role": part.role,
        "verdict": str(verdict),
        "word": f"{VERDICTS[verdict][0]} {'undecided' if verdict is Verdict.INCONCLUSIVE else verdict}"
        + (f" ({part.undecided} undecided)" if part.undecided and part.holds else ""),
        "evidence": "" if part.evidence is None else str(part.evidence),
        "count": part.count,
        "samples": part.samples,
        "margin": short(tight.margin) if tight else "-",
        "resolution": short(tight.resolution, up=True) if tight else "-",
    }
