"""Same seed, same bytes: any number of workers, any hash seed, optimised or not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CLAIMS = """
from flint import arb
import mpmath

@PAPER.bound(domain=dict(x=Rationals(-1, 5), n=Integers(0, 40)))
def exact(x, n, *, factor=1):
    "Bernoulli"
    return 1 + factor * n * x, (1 + x) ** n
exact.mutant("5 %", factor=Q(21, 20))
exact.mutant("wider", domain=dict(x=Rationals(-3, 5)))

@PAPER.bound(domain=dict(x=Rationals(-3, 5), n=Integers(0, 40)))
def refuted(x, n):
    "Bernoulli on the wrong domain"
    return 1 + n * x, (1 + x) ** n

@PAPER.bound(quick=30, domain=dict(x=Reals(1, 9)))
def balls(x):
    "log x <= x - 1"
    return lambda: arb(x).log(), x - 1

@PAPER.identity(evidence="numeric", quick=5, domain=dict(x=Integers(2, 9)))
def numeric(x):
    "zeta through its functional equation"
    return lambda: mpmath.zeta(x), lambda: mpmath.nsum(lambda k: 1 / k**x, [1, mpmath.inf])

@PAPER.bound(evidence="statistical", quick=4, tests=2, domain=dict(p=Choices(Q(1, 4), Q(1, 2))))
def statistical(p, *, bias=0.0):
    "the mean and the frequency of Bernoulli draws"
    chance = float(int(p.p)) / float(int(p.q)) + bias
    yield "mean", mean_eq(lambda rng: (rng.random(64) < chance) * 1.0, p, support=(0, 1), within=Q(1, 5))
    yield "events", prob_le(lambda rng: rng.random(64) < chance, p + Q(1, 10), within=Q(1, 5))
statistical.mutant("biased", bias=0.2)

@PAPER.rate(quick=6, every=True, domain=dict(n=Choices(10, 20, 40, 80, 160, 320)))
def recorded(n, *, power=2):
    "squares have the exponent 2"
    yield record("squares", n=n, y=n**power)
@recorded.overall
def exponent(tables):
    rows = tables["squares"]
    return slope([r["n"] for r in rows], [r["y"] for r in rows], 2, within=Q(1, 100))
recorded.mutant("cubes", power=3)

@PAPER.bound(vectorize=True, quick=9000, domain=dict(x=Rationals(0, 5), y=Reals(0, 5)), where=lambda x, y: x <= y)
def columns(x, y, *, factor=4):
    "4xy <= (x + y)^2"
    return factor * x * y, (x + y) ** 2
columns.mutant("4.01", factor=Q(401, 100))

@PAPER.bound(domain=dict(x=Integers(0, 3)))
def broken(x):
    "raises"
    return 0.5, 1
"""


def report(path: Path, out: Path, *options: str, flags: tuple[str, ...] = (), **env: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, *flags, "-m", "theorems.report", str(path), "--json", str(out), *options],
        capture_output=True, text=True, env={**os.environ, **env}, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1, (done.stdout, done.stderr)
    return dict(json.loads(out.read_text()))


def without_times(data: dict[str, Any]) -> bytes:
    data = {**data, "run": {k: v for k, v in data["run"].items() if k != "times"}}
    return json.dumps(data).encode()


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    folder = tmp_path_factory.mktemp("same")
    path = folder / "claims_same.py"
    path.write_text("from theorems import *\nPAPER = Paper(key='same_bytes', title='Same seed, same bytes')\n" + CLAIMS)
    data = report(path, folder / "one.json", "--jobs", "1")
    verdicts = {c["id"].split("/")[1]: c["verdict"] for c in data["claims"]}
    assert verdicts == {
        "exact": "holds", "refuted": "refuted", "balls": "holds", "numeric": "holds",
        "statistical": "holds", "recorded": "holds", "columns": "holds", "broken": "error",
    }  # fmt: skip
    return path, without_times(data)


@pytest.mark.parametrize("hashseed", ["0", "1", "random"])
def test_two_workers_and_other_hash_seeds_give_the_same_bytes(
    hashseed: str, reference: tuple[Path, bytes], tmp_path: Path
) -> None:
    path, expected = reference
    data = report(path, tmp_path / "two.json", "--jobs", "2", PYTHONHASHSEED=hashseed)
    assert without_times(data) == expected


def test_an_optimised_interpreter_gives_the_same_bytes(reference: tuple[Path, bytes], tmp_path: Path) -> None:
    path, expected = reference
    data = report(path, tmp_path / "optimised.json", "--jobs", "1", flags=("-O",))
    assert without_times(data) == expected


def test_another_seed_gives_other_bytes(reference: tuple[Path, bytes], tmp_path: Path) -> None:
    path, expected = reference
    assert without_times(report(path, tmp_path / "seed.json", "--seed", "1", "--jobs", "2")) != expected


def test_a_claims_bytes_do_not_depend_on_what_else_is_selected(reference: tuple[Path, bytes], tmp_path: Path) -> None:
    path, expected = reference
    alone = subprocess.run(
        [sys.executable, "-m", "theorems.report", str(path), "-k", "statistical", "--json", str(tmp_path / "a.json")],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert alone.returncode == 0, alone.stderr
    (claim,) = json.loads((tmp_path / "a.json").read_text())["claims"]
    assert claim in json.loads(expected)["claims"]


def test_stripped_docstrings_are_refused_by_name(reference: tuple[Path, bytes]) -> None:
    done = subprocess.run(
        [sys.executable, "-OO", "-m", "theorems.report", str(reference[0])], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert "-OO" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
