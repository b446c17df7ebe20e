"""The command line: what each mode does, what is printed where, and the exit status."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from theorems.report.arguments import WRITES, UsageError, parse
from theorems.report.terminal import look_of, painted

if TYPE_CHECKING:
    from theorems.report.summary import Report

INTERRUPTED = 130
WRONG_USAGE = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: words after the program's name; those of the process by default.

    Returns:
        The exit status: 130 interrupted, 2 wrong usage, 1 refuted or a survivor, 4 error, 3 inconclusive, 0 all hold.
    """
    if sys.stdout is None:  # closed by the caller (>&-): nobody wants to read
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    if sys.flags.optimize >= 2:
        return _refuse(
            "python -OO removes docstrings, and a claim's statement is its docstring; "
            "run without -OO (python -O is fine)"
        )
    status = 0
    try:
        try:
            options = parse(sys.argv[1:] if argv is None else argv)
            status = _dispatch(options)
        except UsageError as error:
            status = _refuse(str(error))
        except KeyboardInterrupt:
            status = INTERRUPTED
            print("theorems.report: interrupted", file=sys.stderr)
        sys.stdout.flush()
    except BrokenPipeError:
        _silence()
    return status


def _refuse(reason: str) -> int:
    print(f"theorems.report: {reason}", file=sys.stderr)
    return WRONG_USAGE


def _silence() -> None:
    """Nobody reads the output any more: let the interpreter's last flush go nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def _dispatch(options: argparse.Namespace) -> int:
    if options.version:
        from theorems.run.runner import versions

        print(f"theorems {versions()['theorems']}")
        return 0
    if options.mode == "new":
        from theorems.report import starter

        print(starter.write(options.new))
        return 0
    if options.mode == "list":
        from theorems.report import listing
        from theorems.report.selection import choose

        chosen = choose(options.what, words=options.words, kinds=options.kind, evidence=options.evidence, check=False)
        print(listing.render(chosen), end="")
        return 0
    if options.mode == "show":
        from theorems.report import show
        from theorems.report.selection import find

        print(show.render(find(options.show, options.what), look_of(sys.stdout)), end="")
        return 0
    if options.mode == "reproduce":
        from theorems.report import reproduce
        from theorems.report.selection import find

        return reproduce.reproduce(find(options.reproduce, options.what), options)
    if options.mode == "pepit":
        from theorems.report import pepit

        return pepit.main(options.pepit, options.seed, options.json)
    from theorems.report import keeping

    if options.mode == "history":
        print(keeping.history(options), end="")
        return 0
    return _run(keeping.taken_up(options))


def _renderer(kind: str) -> Callable[[Report], str]:
    """The function that writes a run as text of a kind; only its module is imported."""
    module = {"json": "json_report"}.get(kind, kind)
    render: Callable[[Report], str] = importlib.import_module(f"theorems.report.{module}").render
    return render


def _refuse_twice(written_to: dict[str, str]) -> None:
    """Refuse two kinds of report in one file."""
    taken: dict[str, str] = {}
    for kind, name in written_to.items():
        other = taken.setdefault(os.path.realpath(name), kind)
        if other != kind and (not os.path.exists(name) or os.path.isfile(name)):
            raise UsageError(f"--{other} and --{kind} would write the same file, {name}")


def _run(options: argparse.Namespace) -> int:
    from theorems import certificates
    from theorems.report import compare, keeping, progress, summary, table
    from theorems.report.output import check_folder, check_writable, write_whole
    from theorems.report.selection import choose
    from theorems.run.evaluate import Settings
    from theorems.run.runner import run_claims

    written_to = {kind: name for kind in WRITES if (name := getattr(options, kind))}
    for name in written_to.values():
        check_writable(name)
    _refuse_twice(written_to)
    before = compare.read(options.compare) if options.compare else None
    if options.certificates:
        check_folder(options.certificates)
    chosen = choose(options.what, words=options.words, kinds=options.kind, evidence=options.evidence)
    for name in written_to.values():
        if any(os.path.realpath(name) == c.source for c in chosen):
            raise UsageError(f"cannot write {name}: it is a claim file of this run")
    settings = Settings(
        seed=options.seed,
        budget=options.budget,
        instances=options.instances,
        certificates=options.certificates is not None,
        search=options.search or 0,
        seconds=float(options.time_limit or Settings.seconds),
    )
    with keeping.kept(options) as ledger, progress.watching(len(chosen)) as watch:
        run = run_claims(
            [(c.source, c.claim) for c in chosen],
            settings,
            jobs=options.jobs,
            fail_fast=bool(options.fail_fast),
            watch=watch,
            ledger=ledger,
            cluster=options.cluster or "",
        )
        keeping.said(run.reused, ledger, run.interrupted)
    report = summary.Report(run, chosen)
    failed = ""
    written = 0
    try:
        for kind, name in written_to.items():
            write_whole(name, _renderer(kind)(report))
        if options.certificates:
            for file in (f for result in run.claims for f in certificates.files_of(result, settings)):
                write_whole(os.path.join(options.certificates, certificates.name_of(file)), certificates.to_text(file))
                written += 1
    except UsageError as error:
        failed = str(error)
    look = look_of(sys.stdout)
    status = WRONG_USAGE if failed and not run.interrupted else run.exit_status
    try:
        sys.stdout.write(table.render(report, look, parts=bool(options.parts)))
        sys.stdout.write(painted(summary.closing(report), look))
        if before is not None:
            sys.stdout.write(painted(compare.lines(before, report, options.compare), look))
        if options.certificates:
            files = "1 certificate file" if written == 1 else f"{written} certificate files"
            own = "".join(f" --claims {s}" for s in dict.fromkeys(c.source for c in chosen) if s.endswith(".py"))
            again = f"python -m theorems.verify {os.path.join(options.certificates, '*.json')}{own}"
            sys.stdout.write(f"{files} in {options.certificates}; re-check them with\n    $ {again}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        _silence()
    if failed:
        _refuse(failed)
    return status
