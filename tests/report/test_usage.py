"""Wrong usage is one clear line on the error stream and exit status 2, before anything runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from theorems.report.cli import main

WRONG = [
    (["no_such_paper_at_all"], "unknown paper or claim 'no_such_paper_at_all'"),
    (["good.py", "--show", "goodclaims/bernouli"], "did you mean 'goodclaims/bernoulli'?"),
    (["good.py", "--show", "bernouli"], "did you mean"),
    (["missing.py"], "missing.py: no such file"),
    (["broken_import.py"], "does not import: ModuleNotFoundError"),
    (["no_claim.py"], "defines no claim"),
    (["notes.txt"], "not a Python file"),
    (["good.py", "-k", "zebra"], "nothing is selected"),
    (["good.py", "-k", "and"], "not well formed"),
    (["good.py", "-k", "(a"], "not well formed"),
    (["good.py", "--kind", "rate"], "nothing is selected"),
    (["good.py", "--kind", "bond"], "accepted: identity, bound, rate, transition, construction"),
    (["good.py", "--evidence", "sure"], "accepted: proved, certified, numeric, statistical, empirical"),
    (["good.py", "--instances", "0"], "at least 1"),
    (["good.py", "--instances", "many"], "at least 1"),
    (["good.py", "--jobs", "0"], "at least 1"),
    (["good.py", "--seed", "-1"], "at least 0"),
    (["good.py", "--budget", "huge"], "'quick', 'full'"),
    (["good.py", "--jsn", "x"], "unknown option --jsn; did you mean --json?"),
    (["good.py", "--json", "no/such/folder/x.json"], "cannot write no/such/folder/x.json"),
    (["good.py", "--json", "."], "it is a directory"),
    (["good.py", "--json", "good.py"], "it is a claim file of this run"),
    (["good.py", "--list", "--json", "x.json"], "--json does not go with --list"),
    (["good.py", "--list", "--show", "bernoulli"], "not allowed with"),
    (["good.py", "--instance", "3"], "--instance goes with --reproduce"),
    (["good.py", "--mutant", "factor 3"], "--mutant goes with --reproduce"),
    (["good.py", "--reproduce", "bernoulli"], "needs --instance K"),
    (["good.py", "--reproduce", "bernoulli", "--instance", "-1"], "at least 0"),
    (
        ["good.py", "--reproduce", "bernoulli", "--instance", "0", "--mutant", "slope"],
        "did you mean 'slope 5 % too large'?",
    ),
    (["good.py", "--reproduce", "bernoulli", "--instance", "0", "--family", "x"], "it has main, bernoulli"),
    (["good.py", "--reproduce", "squares", "--instance", "1"], "only instance 0"),
    (["good.py", "--reproduce", "halves", "--instance", "10"], "the largest index is 9"),
    (["--new", "good.py"], "exists and is not overwritten"),
    (["--new", "notes.md"], "ends in .py"),
    (["--new", "no/such/folder/x.py"], "No such file or directory"),
]


@pytest.mark.parametrize(("words", "said"), WRONG, ids=lambda x: " ".join(x) if isinstance(x, list) else "")
def test_wrong_usage_is_one_line_and_status_2(
    words: list[str], said: str, files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(files)
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("theorems.report: ")
    assert said in err


def test_nothing_is_left_behind_by_a_refused_output(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(files)
    before = sorted(os.listdir(files))
    assert main(["missing.py", "--json", "out.json"]) == 2
    assert sorted(os.listdir(files)) == before
    assert "missing.py" in capsys.readouterr().err
