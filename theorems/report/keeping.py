"""Options about the ledger: where it is, what a resumed run goes on with, and the history of a claim."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from theorems.report.arguments import PROGRAM, UsageError, parse
from theorems.run.errors import ClusterError
from theorems.run.ledger import DEFAULT, Ledger, LedgerError, open_ledger

ENVIRONMENT = "THEOREMS_LEDGER"  # a file instead of the default one; "none" for no ledger
_DECIDE = ("words", "kind", "evidence", "budget", "instances", "seed", "fail_fast", "search")
_BESIDE = ("--resume", "--ledger")  # what may stand beside `--resume` when it takes up the options of an earlier run


def place(options: argparse.Namespace) -> tuple[Path, bool] | None:
    """The ledger's file and whether the user named it; None for no ledger."""
    if options.no_cache:
        return None
    if options.ledger:
        return Path(options.ledger), True
    named = os.environ.get(ENVIRONMENT, "")
    if named == "none":
        return None
    return (Path(named), True) if named else (DEFAULT, False)


def taken_up(options: argparse.Namespace) -> argparse.Namespace:
    """The options of the last unfinished run where `--resume` stands alone and there is one; else those given."""
    if not options.resume:
        return options
    if options.no_cache:
        raise UsageError("--resume goes on from what the ledger holds, and --no-cache ignores it; give one of them")
    words = [w for w in options.argv if w.split("=", 1)[0] not in _BESIDE and w != options.ledger]
    where = place(options)
    if words or where is None or not where[0].exists():
        return options
    with _errors():
        ledger = open_ledger(where[0], write=False, tell=_quiet)
        started = ledger.unfinished() if ledger is not None else None
        if ledger is not None:
            ledger.close()
    if started is None:
        return options
    again = parse(started.argv)
    again.resume, again.ledger, again.argv = True, options.ledger, list(started.argv)
    print(
        f"theorems.report: going on with {PROGRAM} {' '.join(started.argv)} (begun {started.started})", file=sys.stderr
    )
    return again


@contextmanager
def kept(options: argparse.Namespace) -> Iterator[Ledger | None]:
    """The ledger of a run, with the run begun (or taken up) in it; None where there is none."""
    where = place(options)
    if where is None:
        with _errors():
            yield None
        return
    from theorems.run.versions import versions

    with _errors():
        ledger = open_ledger(where[0], needed=where[1], tell=_tell)
        if ledger is not None:
            deciding = _deciding(options)
            before = ledger.unfinished(deciding) if options.resume else None
            ledger.begin(
                options.argv, deciding, seed=options.seed, budget=options.budget, instances=options.instances,
                versions=versions(), resume=before.id if before else 0,
            )  # fmt: skip
    try:
        with _errors():
            yield ledger
    finally:
        if ledger is not None:
            ledger.close()


def history(options: argparse.Namespace) -> str:
    """The verdicts on a claim that the ledger holds, one line each, oldest first.

    Raises:
        UsageError: when there is no ledger, or it knows no such claim.
    """
    from theorems import registry

    where = place(options)
    if where is None or not where[0].exists():
        raise UsageError(f"--history: there is no ledger{'' if where is None else f' {where[0]}'}")
    with _errors():
        ledger = open_ledger(where[0], write=False, tell=_tell)
        if ledger is None:
            raise UsageError(f"--history: {where[0]} cannot be read")
        try:
            known = ledger.claims()
            hits = [c for c in known if options.history in (c, c.split("/", 1)[-1])]
            if len(hits) != 1:
                near = registry.suggestion(options.history, known)
                also = f"; it could be {', '.join(hits)}" if hits else near
                raise UsageError(f"the ledger {where[0]} holds no verdict on {options.history!r}{also}")
            entries = ledger.history(hits[0])
        finally:
            ledger.close()
    return "".join([f"{hits[0]} in {where[0]}\n", *map(_line, entries)])


def _line(entry: dict[str, Any]) -> str:
    evidence = f" ({entry['evidence']})" if entry["evidence"] else ""
    sharp = ", ".join(f"{n} {float(entry[n]):.3g}" for n in ("margin", "resolution") if entry[n] is not None)
    facts = [
        f"{entry['instances']} instances", *([sharp] if sharp else []), f"mutants {entry['killed']}/{entry['mutants']}",
        f"seed {entry['seed']}", entry["budget"], f"{entry['seconds']:.1f} s", f"code {entry['fingerprint'][:10]}",
        f"run {entry['run']}",
    ]  # fmt: skip
    reason = f"; {entry['reason']}" if entry["reason"] else ""
    return f"{entry['at']}  {entry['verdict']}{evidence}: {', '.join(facts)}{reason}\n"


def said(reused: int, ledger: Ledger | None, interrupted: bool) -> None:
    """Tell where results came from, on the error stream, where it never becomes part of a report."""
    if ledger is not None and reused:
        print(f"theorems.report: {reused} finished tasks were found in {ledger.path}", file=sys.stderr)
    if ledger is not None and interrupted and ledger.writable:
        print("theorems.report: what is finished is kept; the same command goes on from there", file=sys.stderr)


def _deciding(options: argparse.Namespace) -> dict[str, Any]:
    """The options on which a run's verdicts depend."""
    what = [os.path.abspath(w) if w.endswith(".py") else w for w in options.what]
    return {
        "what": what,
        "certificates": options.certificates is not None,
        **{n: getattr(options, n, None) for n in _DECIDE},
    }


@contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except (ClusterError, LedgerError) as error:
        raise UsageError(str(error)) from None


def _tell(message: str) -> None:
    print(f"theorems.report: {message}", file=sys.stderr)


def _quiet(message: str) -> None:
    """The same is said again when the run itself opens the ledger."""
