"""A hook of mkdocs: the gallery's page is filled from the registry when the site is built."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from theorems.claim import Claim
from theorems.report import mathml
from theorems.report.selection import heading, library

MARK = "<!-- gallery -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Replace the mark by the gallery, on whichever page it stands."""
    return markdown.replace(MARK, "\n".join(lines())) if MARK in markdown else markdown


def lines() -> Iterator[str]:
    """The gallery as Markdown with HTML blocks, a section a paper and a block a claim."""
    paper = ""
    for chosen in library(check=False):
        claim = chosen.claim
        if claim.paper.key != paper:
            paper = claim.paper.key
            yield from ("", f"## {escape(heading(claim.paper))}", "")
            if claim.paper.authors:
                yield from (escape(", ".join(claim.paper.authors)) + ".", "")
        yield from _claim(claim)


def _claim(claim: Claim) -> Iterator[str]:
    about = f"{claim.kind}; aims at {claim.evidence}; fidelity {claim.fidelity}; {len(claim.mutants)} mutants"
    source = f"; {mathml.inline(claim.source)}" if claim.source else ""
    yield from ("", f"### {escape(claim.name)}", "")
    statement = " ".join(mathml.html(claim.statement).split("\n"))
    yield f"<div>{statement}<p><small>{escape(about)}{source}</small></p></div>"
