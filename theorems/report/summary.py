"""What is said beside the table: reasons, survivors, counterexamples, and one line of totals."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from theorems.kernel.outcome import Evidence
from theorems.report.arguments import PROGRAM
from theorems.report.selection import Chosen
from theorems.report.terminal import Line
from theorems.run.evaluate import Settings
from theorems.run.results import ClaimResult, Run, Searched, Shown, Verdict
from theorems.texmath import plain

_WORDS = {
    Verdict.HOLDS: ("holds", "hold"),
    Verdict.REFUTED: ("refuted", "refuted"),
    Verdict.INCONCLUSIVE: ("inconclusive", "inconclusive"),
    Verdict.ERROR: ("error", "errors"),
}


@dataclass(frozen=True)
class Report:
    """A run together with the definitions of its claims."""

    run: Run
    chosen: Sequence[Chosen]

    def of(self, result: ClaimResult) -> Chosen:
        """The definition that belongs to a result."""
        return self._by_id[result.id]

    @cached_property
    def _by_id(self) -> dict[str, Chosen]:
        return {c.claim.id: c for c in self.chosen}


def is_statistical(result: ClaimResult) -> bool:
    """Whether a claim made a comparison with a guaranteed level (an empirical one has none)."""
    return any(p.level > 0 and p.evidence is not Evidence.EMPIRICAL for p in result.parts)


def alpha_used(run: Run) -> float:
    """Sum of the levels of the statistical claims that ran: the chance that any true claim among them is refuted."""
    return sum(map(is_statistical, run.claims)) * Settings(alpha=run.alpha).claim_level


def totals(run: Run) -> str:
    """The whole run on one line."""
    counts = Counter(c.verdict for c in run.claims)
    verdicts = ", ".join(f"{counts[v]} {_WORDS[v][counts[v] != 1]}" for v in Verdict if counts[v]) or "none finished"
    mutants = sum(len(c.mutants) for c in run.claims)
    killed = sum(c.killed for c in run.claims)
    statistical = sum(map(is_statistical, run.claims))
    empirical = sum(c.evidence is Evidence.EMPIRICAL for c in run.claims)
    alpha = f"alpha used {alpha_used(run):.2g}" + (
        f" ({_count(statistical, 'statistical claim')})" if statistical else ""
    )
    if empirical:
        alpha += f" + {empirical} empirical without a level"
    many = f", {run.instances} instances" if run.instances is not None else ""
    return (
        f"{_count(len(run.claims), 'claim')}: {verdicts}; mutants {killed}/{mutants} killed; {alpha}; "
        f"seed {run.seed}, {run.budget}{many}; {run.seconds:.1f} s, {_count(run.jobs, 'job')}"
    )


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}{'' if n == 1 else 's'}"


def notes(report: Report) -> Iterator[tuple[str, str]]:
    """(claim id, text) for each thing that the table cannot say: reasons, survivors, weak definitions."""
    for result in report.run.claims:
        chosen = report.of(result)
        if result.verdict in (Verdict.INCONCLUSIVE, Verdict.ERROR):
            yield result.id, f"{result.verdict}: {tidy(result.reason)}"
        if result.downgraded:
            yield result.id, f"not proved: {result.downgraded}"
        for searched in result.searched:
            yield result.id, _searched(result, searched)
        for mutant in result.mutants:
            if not mutant.killed and result.verdict is not Verdict.ERROR and mutant.name not in result.reason:
                yield result.id, f"mutant {mutant.name!r} survives: {tidy(mutant.reason)}"
        if chosen.typed:
            for warning in chosen.claim.warnings():
                yield result.id, f"warning: {warning}"


def _searched(result: ClaimResult, searched: Searched) -> str:
    """The tightest instance that a search met, beside the tightest of the sampled ones."""
    from theorems.report.table import short

    tight = next((p.tightest for p in result.parts if p.part == searched.part), None)
    where = ", ".join(f"{n} = {v}" for n, v in searched.shown.instance.items())
    return (
        f"search in {searched.family}, part {searched.part!r}: margin {short(searched.shown.margin)} after {searched.evaluations} "
        f"evaluations (sampled: {short(tight.margin if tight else None)}) at {where}"
    )


def closing(report: Report) -> Iterator[Line]:
    """Everything below the table, as lines with styles."""
    run = report.run
    said = list(notes(report))
    if said:
        yield "", ""
    for claim_id, text in said:
        yield f"{claim_id}: {text}", "yellow"
    for result in run.claims:
        if result.counterexample is not None:
            yield "", ""
            yield from counterexample(report, result, result.counterexample)
    yield "", ""
    if run.unfinished:
        why = "interrupted" if run.interrupted else "stopped at the first claim that does not hold"
        yield f"{why}: {len(run.unfinished)} of {len(report.chosen)} claims were not finished", "bold yellow"
    yield totals(run), "bold"


def counterexample(report: Report, result: ClaimResult, shown: Shown) -> Iterator[Line]:
    """The counterexample of a refuted claim, and the command that reproduces it."""
    yield f"{result.id} is refuted in part {result.counterexample_part!r} ({shown.evidence})", "bold red"
    for text in plain(report.of(result).claim.statement).splitlines():
        yield f"    {text}".rstrip(), "italic"
    for text in sides(shown):
        yield f"    {text}", ""
    yield "    reproduce it:", ""
    yield f"    $ {command(report.run, report.of(result), shown)}", "cyan"


def sides(shown: Shown) -> list[str]:
    """An outcome as lines: the instance, both sides, margin and reason."""
    lines = []
    if shown.instance:
        family = f" of {shown.family}" if shown.family else ""
        simpler = ", simplified" if shown.shrunk else ""
        lines.append(
            f"instance {shown.index}{family}{simpler}: " + ", ".join(f"{n} = {v}" for n, v in shown.instance.items())
        )
    if shown.lhs or shown.rhs:
        lines.append(f"left:  {shown.lhs}")
        lines.append(f"right: {shown.rhs}")
    if shown.reason:
        lines.append(tidy(shown.reason))
    return lines


def command(run: Run, chosen: Chosen, shown: Shown) -> str:
    """The command line that evaluates a shown outcome again."""
    words = [PROGRAM]
    if chosen.typed:
        words.append(shlex.quote(chosen.typed))
    words += ["--reproduce", chosen.claim.id, "--instance", str(shown.index)]
    sources = [f for c in chosen.claim.checks for f in c.families]
    if shown.family and len({f.id for f in sources}) > 1:
        words += ["--family", shlex.quote(shown.family)]
    elif not shown.family and shown.check:
        words += ["--family", shlex.quote(shown.check)]
    words += ["--seed", str(run.seed), "--budget", run.budget]
    if run.instances is not None:
        words += ["--instances", str(run.instances)]
    if shown.found == "search":  # no index gives this instance; the same search finds it again
        words = [PROGRAM, shlex.quote(chosen.typed) if chosen.typed else chosen.claim.id, "-k", chosen.claim.name]
        words += ["--search", str(run.search), "--seed", str(run.seed), "--budget", run.budget]
    return " ".join(words)


def tidy(text: str) -> str:
    """A reason on one line, without addresses and folders, which change from run to run and from place to place."""
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", text)
    return " ".join(re.sub(r"(?<![\w./])/(?:[^\s/:'\"]+/)+(?=[^\s/]+\.(?:py|so)\b)", "", text).split())
