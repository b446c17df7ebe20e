"""Progress of a run on the error stream: a bar on a terminal, a line a claim in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from theorems.report.table import VERDICTS
from theorems.run.results import ClaimResult, Verdict
from theorems.run.runner import Event

Watch = Callable[[Event], None]


@contextmanager
def watching(claims: int) -> Iterator[Watch]:
    """A function for the runner to call; what it shows is gone (terminal) or stays as lines (pipe)."""
    if sys.stderr.isatty():
        with _bar(claims) as watch:
            yield watch
    else:
        yield lines(claims)


def lines(claims: int) -> Watch:
    """One line on the error stream for each finished claim; silent once nobody reads it."""
    finished = 0
    width = len(str(claims))
    listening = True

    def watch(event: Event) -> None:
        nonlocal finished, listening
        if not listening or (event.claim is None and not event.waiting):
            return
        finished += event.claim is not None
        what = said(event.claim) if event.claim is not None else f"still in {'; '.join(event.waiting)}"
        try:
            print(f"[{finished:{width}}/{claims}] {what}", file=sys.stderr, flush=True)
        except BrokenPipeError:
            listening = False

    return watch


def said(result: ClaimResult) -> str:
    """A finished claim in a few words."""
    earned = f" ({result.evidence})" if result.verdict is Verdict.HOLDS and result.evidence is not None else ""
    return f"{result.id} {result.verdict}{earned}"


@contextmanager
def _bar(claims: int) -> Iterator[Watch]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.text import Text

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("tasks"),
        TimeElapsedColumn(),
        console=Console(stderr=True, highlight=False),
        transient=True,
    )
    finished = 0

    def watch(event: Event) -> None:
        nonlocal finished
        if event.kind == "planned":
            bar.update(row, total=event.total_tasks)
        if event.claim is not None:
            finished += 1
            if event.claim.verdict is not Verdict.HOLDS:
                glyph, style = VERDICTS[event.claim.verdict]
                bar.console.print(Text(f"{glyph} {said(event.claim)}", style))
        if event.waiting:
            bar.update(row, description=f"still in {event.waiting[0]}")
            return
        bar.update(row, completed=event.done_tasks, description=f"{finished} of {claims} claims")

    with bar:
        row: Any = bar.add_task(f"0 of {claims} claims", total=None)
        yield watch
