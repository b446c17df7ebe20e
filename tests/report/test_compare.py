"""`--compare OLD.json`: what changed between two runs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from theorems.kernel.outcome import Evidence
from theorems.report import compare, json_report
from theorems.report.arguments import UsageError
from theorems.run.results import MutantResult, Verdict

from . import pages

Report = Callable[..., "subprocess.CompletedProcess[str]"]


def changed(**changes: Any) -> list[tuple[str, bool]]:
    """What is said when one claim's result changes in some fields."""
    made = pages.claim(pages.paper("compared"), "one")
    old, new = pages.result(made), pages.result(made, **changes)
    before, after = (json.loads(json_report.render(pages.report([made], [r]))) for r in (old, new))
    return [(text.removeprefix("compared/one: "), worse) for text, worse in compare.differences(before, after)]


def test_equal_runs_have_no_differences() -> None:
    assert changed() == []


@pytest.mark.parametrize(
    ("changes", "text", "worse"),
    [
        ({"verdict": Verdict.INCONCLUSIVE, "reason": "too few"}, "holds -> inconclusive (too few)", True),
        ({"evidence": Evidence.PROVED}, "evidence certified -> proved", False),
        ({"evidence": Evidence.EMPIRICAL}, "evidence certified -> empirical", True),
        ({"evidence": None}, "evidence certified -> none", True),
        ({"resolution": 0.125}, "resolution 0.25 -> 0.125", False),
        ({"resolution": 0.5}, "resolution 0.25 -> 0.5", True),
        ({"resolution": None}, "resolution 0.25 -> -", True),
        ({"resolution": float("inf")}, "resolution 0.25 -> inf", True),
        ({"seconds": 2.0}, "time 0.5 s -> 2.0 s", True),
    ],
)
def test_each_change_is_one_line_that_says_whether_it_is_for_the_worse(changes: Any, text: str, worse: bool) -> None:
    assert changed(**changes) == [(text, worse)]


@pytest.mark.parametrize("seconds", [0.1, 1.4])
def test_small_changes_of_time_are_not_said(seconds: float) -> None:
    assert changed(seconds=seconds) == []


def test_mutants_that_come_go_die_or_survive_are_said() -> None:
    alive = MutantResult("domain widened", Verdict.HOLDS, False, "no instance refutes it")
    new = MutantResult("brand new", Verdict.REFUTED, True, "")
    assert changed(mutants=[alive, new]) == [
        ("mutant 'domain widened' survives now", True),
        ("new mutant 'brand new', killed", False),
        ("mutant 'constant 5 % too large' is gone", True),
    ]


def test_claims_that_come_and_go_are_told_from_papers_that_were_not_run() -> None:
    here, there = pages.paper("here"), pages.paper("there")
    first, second, third = pages.claim(here, "a"), pages.claim(here, "b"), pages.claim(there, "c")
    before = json.loads(json_report.render(pages.report([first, third], [pages.result(first), pages.result(third)])))
    after = json.loads(json_report.render(pages.report([second], [pages.result(second)])))
    assert list(compare.differences(before, after)) == [
        ("here/b: new, holds", False),
        ("here/a: no longer among the claims (was holds)", True),
        ("not run this time: there", False),
    ]


def test_the_heading_says_what_else_differs() -> None:
    made = pages.claim(pages.paper("headed"), "one")
    report = pages.report([made], [pages.result(made)])
    before = json.loads(json_report.render(replace(report, run=replace(report.run, seed=1, versions={"python": "2"}))))
    heading = [text for text, _ in compare.lines(before, report, "old.json")][1]
    assert heading == "compared with old.json (seed 1 -> 7, python 2 -> 3, theorems None -> 0): no difference"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"schema": "other/9"}', '{"schema": "theorems-report/1"}', "[" * 9000]
)
def test_a_file_that_is_no_report_is_refused_before_the_run(tmp_path: Path, text: str) -> None:
    path = tmp_path / "old.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"old\.json"):
        compare.read(str(path))


def test_a_run_is_compared_with_itself_on_the_command_line(report: Report, files: Path) -> None:
    assert report("good.py", "--json", "old.json", "--jobs", "1").returncode == 0
    done = report("good.py", "--compare", "old.json", "--jobs", "1")
    assert "compared with old.json (same seed, budget and versions): no difference" in done.stdout
    assert report("good.py", "--compare", "missing.json").returncode == 2
    same = report("good.py", "--json", "x.out", "--html", "x.out")
    assert same.returncode == 2
    assert "--json and --html would write the same file, x.out" in same.stderr
    assert not (files / "x.out").exists()
