"""A pytest plugin: `claims_*.py` files beside a paper's code are collected, one test a claim.

    pytest                                  every claim of every claims_*.py below
    pytest claims_lemma.py -k bernoulli     one claim
    pytest --theorems-budget full --theorems-seed 7

A test passes when the claim holds, which includes that each of its mutants was refuted. Nothing else passes: a refuted or
an inconclusive claim, a surviving mutant and a broken check are failures, and the message says why and how to see it
again. A file counts only if it imports `theorems`, so that other files of that name are left alone.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from theorems.claim import Claim
    from theorems.run.results import ClaimResult

PATTERN = "claims_*.py"
_IMPORTS = re.compile(rb"^\s*(?:from|import)\s+theorems\b", re.MULTILINE)
_ABOUT = "theorems"  # user property that carries a claim's evidence and figures to reports


class ClaimFailed(Exception):
    """A claim that does not hold; the message is for people."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--theorems-budget` and `--theorems-seed`."""
    group = parser.getgroup("theorems", "theorems: claims in claims_*.py files")
    group.addoption(
        "--theorems-budget",
        choices=("quick", "full"),
        default="quick",
        help="number and size of the instances of claims (default: quick)",
    )
    group.addoption(
        "--theorems-seed", type=_seed, default=0, metavar="S", help="root seed of all instances and draws (default: 0)"
    )


def _seed(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r}; a whole number of at least 0 is expected")
    return int(text)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Collect a file of claims, and keep it from being imported a second time as a module of tests."""
    collected = yield
    return [ClaimFile.from_parent(parent, path=file_path)] if _is_of_claims(file_path) else collected


def _is_of_claims(path: Path) -> bool:
    """Whether a file is named as one of claims and imports `theorems`."""
    if not path.match(PATTERN):
        return False
    try:
        return _IMPORTS.search(path.read_bytes()) is not None
    except OSError:
        return False


class ClaimFile(pytest.File):
    """A file of claims."""

    def collect(self) -> Iterator[pytest.Item]:
        """One item a claim, named by its id."""
        from theorems import registry
        from theorems.claim import ClaimError

        try:
            papers = registry.load_file(self.path)
        except ClaimError as error:
            raise self.CollectError(str(error)) from None
        for paper in papers:
            for claim in paper.claims.values():
                yield ClaimItem.from_parent(self, name=claim.id, claim=claim)


class ClaimItem(pytest.Item):
    """One claim: it passes when it holds."""

    def __init__(self, *, claim: Claim, **options: Any) -> None:
        super().__init__(**options)
        self.claim = claim

    def runtest(self) -> None:
        """Check the claim in this process (so that breakpoints and captured output work); fail unless it holds."""
        from theorems.report.explain import explained
        from theorems.report.selection import Chosen
        from theorems.report.summary import Report
        from theorems.run.evaluate import Settings
        from theorems.run.results import Verdict
        from theorems.run.runner import run_claims

        for text in self.claim.warnings():
            self.warn(pytest.PytestWarning(text))
        settings = Settings(
            seed=self.config.getoption("--theorems-seed"), budget=self.config.getoption("--theorems-budget")
        )
        source = str(self.path.resolve())
        run = run_claims([(source, self.claim)], settings, executor="serial")
        if not run.claims:
            raise KeyboardInterrupt  # the runner ends quietly; pytest has to know
        result = run.claims[0]
        self.user_properties.append((_ABOUT, _about(result)))
        if result.verdict is not Verdict.HOLDS:
            report = Report(run, [Chosen(source, self.claim, os.path.relpath(self.path))])
            raise ClaimFailed(f"{explained(report, result)}\n\n{_about(result)}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The message alone, where the claim does not hold; a traceback where the runner broke."""
        if isinstance(excinfo.value, ClaimFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the claim is defined."""
        return self.path, self.claim.place.line - 1, self.claim.id


def _about(result: ClaimResult) -> str:
    """A claim on one line: verdict, evidence, counts and figures."""
    from theorems.report.table import short

    evidence = "no evidence" if result.evidence is None else str(result.evidence)
    return (
        f"{result.verdict} ({evidence}), {result.instances} instances, margin {short(result.margin)}, "
        f"resolution {short(result.resolution, up=True)}, mutants {result.killed}/{len(result.mutants)} killed"
    )


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """With `-v`, or when something failed, one line a claim; nothing where no claim was run."""
    told = [
        (report.nodeid, value)
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "call"
        for name, value in getattr(report, "user_properties", ())
        if name == _ABOUT
    ]
    if not told:
        return
    seed, budget = config.getoption("--theorems-seed"), config.getoption("--theorems-budget")
    terminalreporter.section(f"claims (seed {seed}, {budget})")
    for nodeid, value in sorted(told):
        if config.getoption("verbose") > 0 or not value.startswith("holds"):
            terminalreporter.write_line(f"{nodeid}: {value}")
    held = sum(value.startswith("holds") for _, value in told)
    terminalreporter.write_line(f"{held} of {len(told)} claims hold")
