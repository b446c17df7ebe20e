"""Options of the command line, and what makes no sense together."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from theorems.claim import KINDS
from theorems.family import BUDGETS
from theorems.kernel.outcome import Evidence

PROGRAM = "python -m theorems.report"

_DESCRIPTION = """\
Check theorems: every selected claim is evaluated on reproducible instances (or proved), and each of its mutants,
the same claim with one thing made wrong, has to be refuted by the same run."""

_EPILOG = """\
examples:
  python -m theorems.report                                  everything, quick budget
  python -m theorems.report ridgeless_errors                 one paper
  python -m theorems.report 'ridgeless_errors/*trace*' -k 'not bias'
  python -m theorems.report --evidence proved --kind identity --jobs 2
  python -m theorems.report my_claims.py --instances 1000 --seed 7 --json out.json
  python -m theorems.report --show ridgeless_errors/variance-trace-factorization
  python -m theorems.report my_claims.py --reproduce bernoulli --instance 3
  python -m theorems.report --new my_claims.py               a starter file, ready to run

columns: the margin is the smallest relative slack that was met; the resolution is the smallest distortion of the claim
that these instances would have refuted; "40/65" instances are 40 of 65 candidates that satisfied the hypotheses.

exit status, first that applies: 130 interrupted, 2 wrong usage, 1 a claim refuted or a mutant alive, 4 error,
3 inconclusive, 0 all claims hold."""

_MODES = ("list", "show", "reproduce", "new", "history", "pepit")
WRITES = ("json", "html", "latex", "markdown", "junit")  # one file each
_KEEPS = ("ledger", "no_cache", "resume")
_TAKES = {  # options that each mode understands, beside those that select
    "run": {
        "budget",
        "instances",
        "seed",
        "jobs",
        "fail_fast",
        "time_limit",
        "search",
        "cluster",
        "parts",
        "certificates",
        "compare",
        *WRITES,
        *_KEEPS,
    },
    "list": set(),
    "show": set(),
    "reproduce": {"budget", "instances", "seed", "instance", "mutant", "family"},
    "new": set(),
    "history": {"ledger"},
    "pepit": {"seed", "json"},
}
_SELECTS = {
    "run": {"what", "words", "kind", "evidence"},
    "list": {"what", "words", "kind", "evidence"},
    "show": {"what"},
    "reproduce": {"what"},
    "new": set(),
    "history": set(),
    "pepit": set(),
}


class UsageError(Exception):
    """Wrong usage: one line for people, exit status 2."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)


def _whole(least: int, what: str) -> Callable[[str], int]:
    def convert(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise argparse.ArgumentTypeError(f"{text!r}; {what} is expected")
        return value

    return convert


def _one_of(accepted: Sequence[str], what: str) -> Callable[[str], list[str]]:
    def convert(text: str) -> list[str]:
        words = [w.strip() for w in text.split(",")]
        for word in words:
            if word not in accepted:
                raise argparse.ArgumentTypeError(f"unknown {what} {word!r}; accepted: {', '.join(accepted)}")
        return words

    return convert


def _parser() -> _Parser:
    parser = _Parser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [WHAT ...] [options]",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    evidence = [str(e) for e in reversed(Evidence)]

    what = parser.add_argument_group("what is checked")
    what.add_argument(
        "what",
        nargs="*",
        metavar="WHAT",
        help="papers, claims, globs over claims, or your own .py files (default: the whole library)",
    )
    what.add_argument(
        "-k",
        dest="words",
        metavar="WORDS",
        help="claims whose id contains the words; 'and', 'or', 'not' and parentheses combine",
    )
    what.add_argument(
        "--kind",
        type=_one_of(KINDS, "kind"),
        action="extend",
        metavar="KIND",
        help=f"only claims of these kinds: {', '.join(KINDS)}",
    )
    what.add_argument(
        "--evidence",
        type=_one_of(evidence, "evidence"),
        action="extend",
        metavar="WORD",
        help=f"only claims that aim at this evidence: {', '.join(evidence)}",
    )

    how = parser.add_argument_group("how it is checked")
    how.add_argument("--budget", choices=BUDGETS, help="number and size of instances (default: quick)")
    how.add_argument(
        "--instances",
        type=_whole(1, "a whole number of at least 1"),
        metavar="N",
        help="instances of each family, instead of the budget's number",
    )
    how.add_argument(
        "--seed", type=_whole(0, "a whole number of at least 0"), metavar="S", help="root seed (default: 0)"
    )
    how.add_argument(
        "--jobs",
        type=_whole(1, "a whole number of at least 1"),
        metavar="J",
        help="worker processes (default: one for each available core)",
    )
    how.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="run on a Dask cluster (tcp://host:8786; local:N starts N workers here) instead of --jobs worker processes",
    )
    how.add_argument(
        "--time-limit",
        type=_whole(1, "a whole number of seconds, at least 1,"),
        metavar="SECONDS",
        help="clock limit of one task, a block of instances or a mutant; what hits it is inconclusive (default: 600)",
    )
    how.add_argument(
        "--fail-fast", action="store_true", default=None, help="stop after the first claim that does not hold"
    )

    how.add_argument(
        "--search",
        type=_whole(1, "a whole number of at least 1"),
        metavar="N",
        help="also spend N evaluations on each family of a bound to push its margin down",
    )

    keep = parser.add_argument_group("what is kept")
    keep.add_argument(
        "--ledger",
        metavar="FILE",
        help="where finished work is kept and found again (default: .theorems/ledger.sqlite; THEOREMS_LEDGER names another)",
    )
    keep.add_argument(
        "--no-cache", action="store_true", default=None, help="compute everything, and neither read nor write a ledger"
    )
    keep.add_argument(
        "--resume",
        action="store_true",
        default=None,
        help="go on with the last unfinished run with these options (alone: with the last unfinished run)",
    )

    output = parser.add_argument_group("what is written")
    output.add_argument(
        "--parts", action="store_true", default=None, help="also print every part of a claim with its own evidence"
    )
    output.add_argument("--json", metavar="FILE", help="write the run as JSON (docs/report.schema.json describes it)")
    output.add_argument(
        "--html", metavar="FILE", help="write one self-contained page: statements, plots, mutants, a table that filters"
    )
    output.add_argument("--latex", metavar="FILE", help="write tables for a paper's appendix (package booktabs)")
    output.add_argument("--markdown", metavar="FILE", help="write tables in Markdown")
    output.add_argument("--junit", metavar="FILE", help="write JUnit XML for continuous integration")
    output.add_argument(
        "--compare", metavar="OLD.json", help="say what changed since an earlier run that was written with --json"
    )
    output.add_argument(
        "--certificates",
        metavar="DIR",
        help="write one file for each outcome that can be re-checked (certified optima, proofs, counterexamples); "
        "python -m theorems.verify DIR/*.json does so",
    )

    instead = parser.add_argument_group("instead of a run").add_mutually_exclusive_group()
    instead.add_argument("--list", action="store_true", default=None, help="list the selected claims")
    instead.add_argument(
        "--show", metavar="CLAIM", help="statement, hypotheses, source, method, mutants, and what it does not establish"
    )
    instead.add_argument(
        "--reproduce", metavar="CLAIM", help="evaluate one instance and print both sides (with --instance)"
    )
    instead.add_argument("--new", metavar="FILE", help="write a commented starter file that runs as it is")
    instead.add_argument("--history", metavar="CLAIM", help="earlier verdicts on a claim that the ledger holds")
    instead.add_argument(
        "--pepit", nargs="?", const="*", metavar="GLOB", help="PEPit's example library against certified worst cases"
    )
    parser.add_argument("--version", action="store_true", default=None, help="print the version and exit")

    one = parser.add_argument_group("with --reproduce")
    one.add_argument(
        "--instance", type=_whole(0, "a whole number of at least 0"), metavar="K", help="index of the instance"
    )
    one.add_argument("--mutant", metavar="NAME", help="evaluate this mutant instead of the claim")
    one.add_argument("--family", metavar="NAME", help="only this family, check or proof (default: every family)")
    return parser


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The options of a command line, with defaults filled in and `mode` set.

    Raises:
        UsageError: one line that says what is wrong and what would be accepted.
        SystemExit: after `--help`.
    """
    parser = _parser()
    try:
        options, extra = parser.parse_known_intermixed_args(argv)
    except argparse.ArgumentError as error:
        raise UsageError(str(error)) from None
    if extra:
        raise UsageError(f"unknown option {extra[0]}{_nearest(parser, extra[0])}")
    options.mode = next((m for m in _MODES if getattr(options, m) is not None), "run")
    _check_together(options)
    options.argv = list(argv)
    options.budget = options.budget or BUDGETS[0]
    options.seed = options.seed or 0
    options.jobs = options.jobs or available_cores()
    return options


def _nearest(parser: argparse.ArgumentParser, option: str) -> str:
    known = [s for a in parser._actions for s in a.option_strings]
    near = difflib.get_close_matches(option.split("=")[0], known, n=1)
    return f"; did you mean {near[0]}?" if near else f"; {PROGRAM} --help lists the options"


def _check_together(options: argparse.Namespace) -> None:
    mode = options.mode
    allowed = _TAKES[mode] | _SELECTS[mode] | {"mode", "version", *_MODES}
    for name, value in vars(options).items():
        if name not in allowed and value not in (None, []):
            if name in _TAKES["reproduce"] - _TAKES["run"] and mode == "run":
                raise UsageError(f"{_flag(name)} goes with --reproduce CLAIM")
            with_what = "a run" if mode == "run" else f"--{mode}"
            raise UsageError(f"{_flag(name)} does not go with {with_what}")
    if mode == "run" and options.cluster and options.jobs:
        raise UsageError("--jobs does not go with --cluster, whose workers are there already (local:N starts N)")
    if mode == "reproduce" and options.instance is None:
        raise UsageError("--reproduce CLAIM needs --instance K (an index from 0)")


def _flag(name: str) -> str:
    return {"what": "a selection", "words": "-k"}.get(name, "--" + name.replace("_", "-"))


def available_cores() -> int:
    """Cores that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
