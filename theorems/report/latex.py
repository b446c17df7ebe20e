r"""The run as LaTeX tables for a paper's appendix: `\usepackage{booktabs}`, then `\input` the file."""

from __future__ import annotations

import re
from functools import cache
from itertools import groupby

from theorems.report.selection import heading
from theorems.report.summary import Report, alpha_used
from theorems.report.table import short
from theorems.run.results import ClaimResult
from theorems.texsymbols import BINARY, RELATIONS, SYMBOLS

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": "'", "–": "--", "—": "---", "“": "``", "”": "''", "’": "'", "−": "$-$",
    "\u00a0": "~", "…": r"\ldots{}",
}  # fmt: skip
_AMSSYMB = r"\nexists \varnothing \Box \square \blacksquare \checkmark \complement \leqslant \geqslant \subsetneq \triangleq \coloneqq \lesssim \gtrsim \leadsto \trianglelefteq \smallsetminus \implies \iff \angle \xrightarrow \degree \hbar"


def render(report: Report) -> str:
    """One `tabular` a paper, under a heading; nothing but `booktabs` is needed (any engine, UTF-8 source)."""
    run = report.run
    many = f", {run.instances} instances of each family" if run.instances is not None else ""
    versions = ", ".join(f"{n} {v}" for n, v in run.versions.items())
    lines = [
        r"% \usepackage{booktabs} in the preamble, then \input this file.",
        *(f"% {text}" for text in (f"seed {run.seed}, budget {run.budget}{many}", versions)),
    ]
    for _, results in groupby(run.claims, lambda r: report.of(r).claim.paper.key):
        lines += _paper(report, list(results))
    held = sum(str(r.verdict) == "holds" for r in run.claims)
    killed, mutants = sum(r.killed for r in run.claims), sum(len(r.mutants) for r in run.claims)
    lines += [
        "",
        r"\medskip\noindent",
        f"{held} of {len(run.claims)} claims hold; {killed} of {mutants} mutants are refuted. "
        f"Seed {run.seed}, budget {run.budget}{many}. The chance that any true statistical claim is refuted is at most "
        f"${_scientific(f'{alpha_used(run):.2g}')}$.",
        "",
    ]
    return "\n".join(lines)


def _paper(report: Report, results: list[ClaimResult]) -> list[str]:
    rows = []
    for r in results:
        cells = (
            escaped(report.of(r).claim.name),
            str(r.verdict),
            "--" if r.evidence is None else str(r.evidence),
            f"{r.instances}/{r.instances + r.rejected}" if r.rejected else str(r.instances),
            _figure(short(r.margin)),
            _figure(short(r.resolution, up=True)),
            f"{r.killed}/{len(r.mutants)}",
        )
        rows.append(" & ".join(cells) + r" \\")
    return [
        "",
        r"\medskip{\raggedright\interlinepenalty=10000 \noindent\textbf{"
        + escaped(heading(report.of(results[0]).claim.paper))
        + r"}\par}\nopagebreak\smallskip",
        r"{\small\setlength{\tabcolsep}{4pt}",
        r"\noindent\begin{tabular}{@{}p{0.26\linewidth}llrrrr@{}}",
        r"\toprule",
        r"claim & verdict & evidence & instances & margin & resolution & mutants \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}\par}",
    ]


def escaped(text: str) -> str:
    """Text that LaTeX prints as it is: specials escaped, mathematical characters as commands, hyphens breakable."""
    return "".join(_character(c) for c in " ".join(text.split()))


def _character(c: str) -> str:
    if c in _SPECIAL:
        return _SPECIAL[c]
    if c.isascii() and c.isprintable():
        return c
    if c in _commands():
        return f"\\ensuremath{{{_commands()[c]}}}"
    if "À" <= c <= "ž" and c.isalpha():
        return c
    return rf"{{\ttfamily U+{ord(c):04X}}}"


@cache
def _commands() -> dict[str, str]:
    """Character -> command of plain LaTeX."""
    beyond = _AMSSYMB.split()
    tables = (SYMBOLS, RELATIONS, BINARY)
    return {
        c: name
        for t in reversed(tables)
        for name, c in t.items()
        if name not in beyond and len(c) == 1 and not c.isascii()
    }


def _figure(text: str) -> str:
    return "--" if text == "-" else f"${_scientific(text)}$"


def _scientific(text: str) -> str:
    """`1.5e-7` as a formula."""
    text = text.replace("inf", r"\infty ")
    return re.sub(r"^(-?[\d.]+)e([+-]?)0*(\d+)$", lambda m: rf"{m[1]}\cdot 10^{{{m[2].replace('+', '')}{m[3]}}}", text)
