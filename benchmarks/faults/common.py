"""What the fault scripts share: claims of some seconds, runs of the command line, and the comparison of their JSON."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

CLAIMS = '''
"""Claims of every sort; sleeping stands for work, so that the moments of a kill are spread over it."""
import time

import mpmath
from flint import arb
from theorems import *

PAPER = Paper(key="faults", title="Claims for fault scripts")
PAUSE = 0.02


@PAPER.bound(quick=120, domain=dict(x=Rationals(-1, 5), n=Integers(0, 40)))
def exact(x, n, *, factor=1):
    """$(1+x)^n \\\\ge 1 + nx$."""
    time.sleep(PAUSE)
    return 1 + factor * n * x, (1 + x) ** n


exact.mutant("constant 5 % too large", factor=Q(21, 20))
exact.mutant("domain widened", domain=dict(x=Rationals(-3, 5)))


@PAPER.bound(quick=60, domain=dict(x=Rationals(-3, 5), n=Integers(0, 40)))
def refuted(x, n):
    """Bernoulli on the wrong domain."""
    time.sleep(PAUSE / 4)
    return 1 + n * x, (1 + x) ** n


@PAPER.bound(quick=60, domain=dict(x=Reals(Q(11, 10), 9)))
def balls(x):
    """$\\\\log x \\\\le x - 1$."""
    time.sleep(PAUSE)
    return lambda: arb(x).log(), x - 1


@PAPER.bound(evidence="statistical", quick=8, domain=dict(p=Choices(Q(1, 4), Q(1, 2))))
def mean(p):
    """The mean of Bernoulli draws."""
    time.sleep(PAUSE)
    return mean_eq(lambda rng: (rng.random(64) < float(p.p) / float(p.q)) * 1.0, p, support=(0, 1), within=Q(1, 5))


@PAPER.rate(quick=24, every=True, domain=dict(n=Integers(10, 33)))
def recorded(n, *, power=2):
    """Squares have the exponent 2."""
    time.sleep(PAUSE)
    yield record("squares", n=n, y=n**power)


@recorded.overall
def exponent(tables):
    rows = tables["squares"]
    return slope([r["n"] for r in rows], [r["y"] for r in rows], 2, within=Q(1, 100))


recorded.mutant("cubes", power=3)


@PAPER.bound(vectorize=True, quick=200_000, domain=dict(a=Rationals(0, 5), b=Rationals(0, 5)))
def columns(a, b, *, factor=4):
    """$4ab \\\\le (a+b)^2$."""
    return factor * a * b, (a + b) ** 2


columns.mutant("constant 4.01", factor=Q(401, 100))
'''


def write_claims(folder: Path) -> Path:
    """The claim file, written into a folder."""
    path = folder / "faults.py"
    path.write_text(CLAIMS)
    return path


def command(claims: Path, out: Path, *options: str) -> list[str]:
    """A command line of the runner."""
    return [sys.executable, "-m", "theorems.report", str(claims), "--json", str(out), *options]


def start(words: list[str], **options: Any) -> subprocess.Popen[str]:
    """Begin a run in a process group of its own."""
    environment = {k: v for k, v in os.environ.items() if k != "THEOREMS_LEDGER"}
    return subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env=environment, **options,
    )  # fmt: skip


def finished(words: list[str], **options: Any) -> tuple[int, str]:
    """Exit status and error stream of a whole run."""
    process = start(words, **options)
    _, said = process.communicate(timeout=600)
    return process.returncode, said


def content(out: Path) -> bytes:
    """The JSON of a run without its times."""
    data = json.loads(out.read_text())
    del data["run"]["times"]
    return json.dumps(data).encode()


def repeated(ledger: Path) -> tuple[int, int]:
    """(finished tasks, those that were done more than once) in a ledger."""
    with sqlite3.connect(ledger) as db:
        (tasks,) = db.execute("SELECT count(*) FROM tasks").fetchone()
        (twice,) = db.execute("SELECT count(*) FROM (SELECT 1 FROM tasks GROUP BY key HAVING count(*) > 1)").fetchone()
    return int(tasks), int(twice)


def children(pid: int) -> list[int]:
    """Processes below a process."""
    found: list[int] = []
    todo = [pid]
    while todo:
        parent = todo.pop()
        for path in Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                below = [int(w) for w in path.read_text().split()]
            except OSError:
                continue  # it ended meanwhile
            found += below
            todo += below
    return found


def is_worker(pid: int) -> bool:
    """Whether a process is a worker of loky or Dask, and not a helper of them."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return b"LokyProcess" in words or (b"multiprocessing" in words and b"spawn_main" in words)
