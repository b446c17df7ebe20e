"""`--search N` pushes margins down, and what it refutes is refuted by the kernel."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from tests.claim_files import HEADER, Write, load, only
from theorems.kernel.outcome import Evidence
from theorems.run.evaluate import Settings
from theorems.run.ledger import open_ledger
from theorems.run.results import Verdict
from theorems.run.runner import run_claims

NARROW = """
@PAPER.bound(quick=40, domain=dict(x=Rationals(0, 1), y=Rationals(0, 1), kind=Choices("a", "b")))
def narrow(x, y, kind):
    "positive but for a disc of radius 1/50 around (0.37, 0.81), with the smallest value at its centre"
    squared = (x - Q(37, 100)) ** 2 + (y - Q(81, 100)) ** 2
    return Q(1, 2500), squared
"""
TIGHT = """
@PAPER.bound(quick=40, domain=dict(x=Reals(1, 2), y=Reals(1, 100, log=True)))
def tight(x, y):
    "1 <= x + (y - 3)^2, tight at x = 1, y = 3"
    yield "margin", le(1, x + (y - 3) ** 2)
    yield "equality", eq(x, x)
"""


def test_a_small_hole_that_sampling_misses_is_found_and_verified(write: Write) -> None:
    path = write(NARROW)
    assert only(path).verdict is Verdict.HOLDS
    result = only(path, search=400)
    assert (result.verdict, result.evidence) == (Verdict.REFUTED, Evidence.CERTIFIED), result.traceback
    assert result.counterexample is not None
    assert result.counterexample.found == "search"
    x, y = (float(Fraction(result.counterexample.instance[n])) for n in "xy")
    assert (x - 0.37) ** 2 + (y - 0.81) ** 2 < 1 / 2500


def test_the_tightest_instance_is_reported_beside_the_sampled_one(write: Write) -> None:
    path = write(TIGHT)
    result = only(path, search=3000)
    (found,) = result.searched  # an equality has no margin to push
    sampled = result.parts[0].tightest
    assert sampled is not None
    assert found.part == "margin"
    assert found.evaluations == 3000
    assert 0 <= (found.shown.margin or 0) < 1e-4
    assert result.verdict is Verdict.HOLDS
    assert result.instances == 40


def test_without_search_nothing_is_said_of_one(write: Write) -> None:
    assert only(write(TIGHT)).searched == []


@pytest.mark.parametrize("option", ["evidence='statistical'", "every=True"])
def test_statistical_claims_and_grids_are_not_searched(option: str, write: Write) -> None:
    from theorems.run.plan import search_tasks

    domain = "dict(x=Integers(0, 9))" if "every" in option else "dict(x=Rationals(0, 1))"
    paper = load(write(f'@PAPER.bound({option}, domain={domain})\ndef f(x):\n    "s"\n    return x, 9\n'))
    (claim,) = paper.claims.values()
    assert search_tasks("x", claim, Settings(search=100)) == []


def test_a_search_is_the_same_in_any_process_and_from_the_ledger(write: Write, tmp_path: Path) -> None:
    path = write(NARROW + TIGHT)
    claims = [(str(path), c) for c in load(path).claims.values()]
    settings = Settings(search=200)
    ledger = open_ledger(tmp_path / "l.sqlite")
    runs = [run_claims(claims, settings, executor="serial", ledger=ledger) for _ in range(2)]
    runs.append(run_claims(claims, settings, jobs=2))
    assert ledger is not None
    ledger.close()
    assert runs[1].reused > 0
    for run in runs[1:]:
        assert [c.searched for c in run.claims] == [c.searched for c in runs[0].claims]
        assert [c.counterexample for c in run.claims] == [c.counterexample for c in runs[0].claims]


def test_the_command_line_prints_and_writes_what_was_found(tmp_path: Path) -> None:
    path = tmp_path / "tight.py"
    path.write_text(HEADER.format(key="tight_claims") + TIGHT)
    done = subprocess.run(
        [sys.executable, "-m", "theorems.report", str(path), "--search", "300", "--json", str(tmp_path / "o.json")],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "after 300 evaluations (sampled:" in " ".join(done.stdout.split())
    (claim,) = json.loads((tmp_path / "o.json").read_text())["claims"]
    assert claim["search"][0]["evaluations"] == 300
