"""The table of a run, grouped by paper: coloured and fitted on a terminal, plain aligned text in a pipe."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from itertools import groupby
from typing import TYPE_CHECKING, Any

from theorems.kernel.outcome import Evidence
from theorems.report.selection import heading
from theorems.report.summary import Report
from theorems.report.terminal import Look, console_for, wrapped
from theorems.run.results import ClaimResult, Tally, Verdict
from theorems.texmath import plain

if TYPE_CHECKING:
    from theorems.claim import Claim, Paper

VERDICTS = {  # glyph and style
    Verdict.HOLDS: ("✓", "green"),
    Verdict.REFUTED: ("✗", "bold red"),
    Verdict.INCONCLUSIVE: ("?", "yellow"),
    Verdict.ERROR: ("!", "bold magenta"),
}
EVIDENCE = {
    Evidence.PROVED: "bold green",
    Evidence.CERTIFIED: "green",
    Evidence.NUMERIC: "cyan",
    Evidence.STATISTICAL: "yellow",
    Evidence.EMPIRICAL: "magenta",
}
COLUMNS = ("claim", "verdict", "evidence", "fidelity", "instances", "margin", "resolution", "mutants", "time")
SHORT = ("claim", "verdict", "evidence", "fidelity", "inst.", "margin", "resol.", "mut.", "time")
GAP = 2  # blanks between columns
FIRST_NUMBER = 4  # columns from here on are aligned to the right
NARROWEST = 18  # columns that a claim's name always gets


@dataclass(frozen=True)
class Cell:
    """Text with a style."""

    text: str
    style: str = ""


Row = list[Cell]
Lines = list[Row | str]  # a remark is a line of its own, below a row


def render(report: Report, look: Look, *, parts: bool = False) -> str:
    """The table as text, with a trailing newline; empty when no claim was finished."""
    groups = [
        (paper, [line for result in results for line in _lines(result, report.of(result).claim, look, parts)])
        for paper, results in _by_paper(report)
    ]
    every = [line for _, lines in groups for line in lines if not isinstance(line, str)]
    if not every:
        return ""
    for headings in (COLUMNS, SHORT):
        widths = [max(len(h), *(len(r[i].text) for r in every)) for i, h in enumerate(headings)]
        if not look.pretty or _total(widths) <= look.width:
            break
    return _pretty(groups, widths, headings, look) if look.pretty else _plain(groups, widths, headings)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _by_paper(report: Report) -> Iterator[tuple[Paper, list[ClaimResult]]]:
    def key(result: ClaimResult) -> str:
        return report.of(result).claim.paper.key

    for _, results in groupby(report.run.claims, key):
        found = list(results)
        yield report.of(found[0]).claim.paper, found


def _lines(result: ClaimResult, claim: Claim, look: Look, parts: bool) -> Iterator[Row | str]:
    glyph, style = VERDICTS[result.verdict]
    open_ = f" ({result.undecided} undecided)" if result.undecided and result.verdict is Verdict.HOLDS else ""
    name = result.id.split("/", 1)[1] if look.pretty else result.id
    killed = f"{result.killed}/{len(result.mutants)}"
    candidates = f"/{result.instances + result.rejected}" if result.rejected else ""
    yield [
        Cell(name),
        Cell(f"{glyph} {result.verdict}{open_}" if look.pretty else f"{result.verdict}{open_}", style),
        evidence_cell(result.evidence),
        Cell(result.fidelity),
        Cell(f"{result.instances}{candidates}"),
        Cell(short(result.margin)),
        Cell(short(result.resolution, up=True)),
        Cell(killed, "" if result.killed == len(result.mutants) else "bold red"),
        Cell(seconds(result.seconds)),
    ]
    if parts:
        yield from (_part(p) for p in result.parts)
    if result.evidence is Evidence.PROVED and result.verdict is Verdict.HOLDS:
        yield from _reach(result, claim)


def _reach(result: ClaimResult, claim: Claim) -> Iterator[str]:
    """What a proof covers, and the steps by hand that it rests on."""
    proved = [p for p in result.parts if p.role != "crosscheck"]
    for domain in dict.fromkeys(p.covered for p in proved if p.covered):
        yield f"    proved for {plain(domain)}"
    for step in dict.fromkeys([*claim.rests_on, *(step for p in proved for step in p.steps)]):
        yield f"    rests on: {plain(step)}"


def _part(part: Tally) -> Row:
    tight = part.tightest
    word = "refuted" if part.refuted else "undecided" if not part.holds else "holds"
    role = "" if part.role == "check" else f" ({part.role})"
    return [
        Cell(f"  {part.part}{role}", "dim"),
        Cell(word, "dim"),
        evidence_cell(part.evidence),
        Cell(""),
        Cell(str(part.count), "dim"),
        Cell(short(tight.margin) if tight else "-", "dim"),
        Cell(short(tight.resolution, up=True) if tight else "-", "dim"),
        Cell(""),
        Cell(""),
    ]


def evidence_cell(evidence: Evidence | None) -> Cell:
    """The evidence word, coloured by its strength."""
    return Cell("-", "dim") if evidence is None else Cell(str(evidence), EVIDENCE[evidence])


def short(value: float | None, *, up: bool = False) -> str:
    """A number with three digits, never rounded to the better side: margins down, resolutions (`up`) up."""
    if value is None:
        return "-"
    if value == 0:
        return "0"
    if not abs(value) < float("inf"):
        return "inf" if value > 0 else "-inf"
    digits = Context(prec=2 if abs(value) < 1e-3 else 3, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    text = f"{float(digits.create_decimal_from_float(value)):.3g}"
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if e else mantissa


def seconds(value: float) -> str:
    """A duration: tenths below a hundred seconds."""
    return f"{value:.1f} s" if value < 99.95 else f"{value:.0f} s"


def _plain(groups: Sequence[tuple[Paper, Lines]], widths: Sequence[int], headings: Sequence[str]) -> str:
    def line(texts: Sequence[str]) -> str:
        cells = [t.rjust(w) if i >= FIRST_NUMBER else t.ljust(w) for i, (t, w) in enumerate(zip(texts, widths))]
        return (" " * GAP).join(cells).rstrip()

    lines = [line(headings)]
    for paper, rows in groups:
        lines += ["", f"# {heading(paper)}", *(r if isinstance(r, str) else line([c.text for c in r]) for r in rows)]
    return "\n".join(lines) + "\n"


def _pretty(groups: Sequence[tuple[Paper, Lines]], widths: list[int], headings: Sequence[str], look: Look) -> str:
    from rich.rule import Rule
    from rich.text import Text

    console, buffer = console_for(look)
    room = look.width - _total(widths) + widths[0]
    widths[0] = min(widths[0], max(NARROWEST, room))
    console.print(_grid([[Cell(h, "bold") for h in headings]], widths))
    console.print(Rule(style="dim"), width=min(_total(widths), look.width))
    for n, (paper, rows) in enumerate(groups):
        title = textwrap.shorten(heading(paper)[len(paper.key) :], look.width - len(paper.key), placeholder=" …")
        console.print(Text("\n" if n else "").append(paper.key, "bold").append(title, "dim"), soft_wrap=True)
        for remark, block in groupby(rows, lambda r: isinstance(r, str)):
            if remark:
                for text in block:
                    for piece in wrapped(str(text), look.width):
                        console.print(Text(piece, "dim"), soft_wrap=True)
            else:
                console.print(_grid([r for r in block if not isinstance(r, str)], widths))
    return buffer.getvalue()


def _grid(rows: Sequence[Row], widths: Sequence[int]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, GAP, 0, 0))
    for i, width in enumerate(widths):
        table.add_column(width=width, justify="right" if i >= FIRST_NUMBER else "left")
    for row in rows:
        name = "\n".join(textwrap.wrap(row[0].text, widths[0], subsequent_indent="  ", drop_whitespace=False))
        table.add_row(*(Text(name if i == 0 else c.text, c.style) for i, c in enumerate(row)))
    return table
