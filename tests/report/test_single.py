"""`--show`, `--list` and `--reproduce`: one claim, one instance."""

from __future__ import annotations

from pathlib import Path

import pytest

from theorems.report.cli import main


@pytest.fixture(autouse=True)
def _in_folder(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)


def test_list_has_one_line_a_claim(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["good.py", "--list", "--kind", "bound"]) == 0
    heading, row = capsys.readouterr().out.splitlines()
    assert heading == "# goodclaims: True things (Here 2025, arXiv 0000.00000)"
    assert row.split() == ["goodclaims/bernoulli", "bound", "certified", "derived", "2", "mutants", "Lemma", "1"]


def test_show_tells_everything_about_a_claim(capsys: pytest.CaptureFixture[str], files: Path) -> None:
    assert main(["good.py", "--show", "bernoulli"]) == 0
    text = capsys.readouterr().out
    for said in (
        "(1 + x)ⁿ ≥ 1 + nx for x ≥ −1.",
        "bound; aims at certified; fidelity derived (a consequence",
        "Lemma 1",
        "hypotheses\n  x ≥ −1",
        "method\n  exact powers",
        "does not establish\n  real exponents",
        "rests on\n  nothing",
        "family bernoulli (30 quick, 500 full instances)",
        "x: rationals in [-1, 5]",
        "n: integers 0..40",
        "slope 5 % too large: slope = 21/20 instead of 1",
        "x down to -3: x from rationals in [-3, 5]",
        f"{files / 'good.py'}:",
    ):
        assert said in text


def test_reproduce_prints_the_instance_and_both_sides(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["good.py", "--reproduce", "bernoulli", "--instance", "0"]) == 0
    text = capsys.readouterr().out
    assert "x = -1\n" in text  # the first corner of every parameter
    assert "n = 0\n" in text
    assert "main holds (certified)" in text
    assert "left:  1\n" in text
    assert "right: 1\n" in text
    assert "margin 0, resolution 0" in text


def test_reproduce_of_a_refuted_instance_exits_with_1_and_shows_the_simplest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["bad.py", "--reproduce", "wide"]
    found = [k for k in range(40) if main([*words, "--instance", str(k)]) == 1]
    assert found
    text = capsys.readouterr().out
    assert "main is refuted (certified)" in text
    assert "simplest counterexample to 'main'" in text


def test_reproduce_of_a_mutant_shows_the_comparison_that_kills_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["good.py", "--reproduce", "halves", "--instance", "3", "--mutant", "shifted"]) == 1
    text = capsys.readouterr().out
    assert "left:  4\n" in text
    assert "right: 3\n" in text
    assert main(["good.py", "--reproduce", "squares", "--instance", "0", "--mutant", "factor 3"]) == 1


def test_reproduce_of_a_broken_check_shows_the_traceback_and_exits_with_4(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bad.py", "--reproduce", "broken", "--instance", "0"]) == 4
    text = capsys.readouterr().out
    assert "the check 'main' broke" in text
    assert "ZeroDivisionError" in text
