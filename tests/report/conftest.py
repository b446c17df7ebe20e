"""Claim files for the tests of the command line, written once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

GOOD = '''
from theorems import Integers, Paper, Q, Rationals, symbols

PAPER = Paper(key="goodclaims", title="True things", venue="Here 2025", arxiv="0000.00000")


@PAPER.bound(domain=dict(x=Rationals(-1, 5), n=Integers(0, 40)), source="Lemma 1", quick=30, full=500,
             hypotheses="$x \\\\ge -1$", method="exact powers", not_established="real exponents", rests_on="nothing")
def bernoulli(x, n, *, slope=1):
    r"""$(1 + x)^n \\ge 1 + nx$ for $x \\ge -1$."""
    return 1 + slope * n * x, (1 + x) ** n


bernoulli.mutant("slope 5 % too large", slope=Q(21, 20))
bernoulli.mutant("x down to -3", domain=dict(x=Rationals(-3, 5)))


@PAPER.identity(evidence="proved")
def squares():
    r"""$(a + b)^2 = a^2 + 2ab + b^2$."""


@squares.proof("expansion", covers="all real a, b")
def expansion(*, factor=2, sign=1):
    a, b = symbols("a b")
    return (a + b) ** 2, a**2 + factor * a * b + sign * b**2


squares.mutant("factor 3", factor=3)
squares.mutant("minus", sign=-1)


@PAPER.identity(domain=dict(n=Integers(0, 9)), exhaustive=True, evidence="proved")
def halves(n, *, shift=0, power=1):
    r"""$2 \\cdot n / 2 = n$ for $n \\le 9$."""
    return 2 * Q(n, 2) ** power + shift, n


halves.mutant("shifted", shift=1)
halves.mutant("squared", power=2)
'''

BAD = '''
from theorems import Integers, Paper, Q, Rationals

PAPER = Paper(key="badclaims", title="False things")


@PAPER.bound(domain=dict(x=Rationals(-5, -2), n=Integers(0, 40)))
def wide(x, n, *, slope=1):
    r"""$(1 + x)^n \\ge 1 + nx$ for $x \\ge -5$."""
    return 1 + slope * n * x, (1 + x) ** n


wide.mutant("slope 5 % too large", slope=Q(21, 20))


@PAPER.bound(domain=dict(n=Integers(0, 9)), quick=5)
def survivor(n, *, idle=0):
    r"""$n \\ge 0$."""
    return 0, n


survivor.mutant("changes nothing", idle=1)
survivor.mutant("changes nothing either", idle=2)


@PAPER.bound(domain=dict(n=Integers(0, 9)), quick=5)
def broken(n, *, top=1):
    r"""$1/n \\le 1$."""
    return Q(top, n), 1


broken.mutant("2", top=2)
broken.mutant("3", top=3)
'''


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with good.py (all hold), bad.py (refuted, survivor, error) and files that cannot be used."""
    folder = tmp_path_factory.mktemp("claims")
    (folder / "good.py").write_text(GOOD)
    (folder / "bad.py").write_text(BAD)
    (folder / "broken_import.py").write_text("import no_such_module_anywhere\n")
    (folder / "no_claim.py").write_text("x = 1\n")
    (folder / "notes.txt").write_text("nothing\n")
    return folder


@pytest.fixture(scope="session")
def report(files: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run `python -m theorems.report` in the folder of the claim files."""

    def run(*words: str, flags: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *flags, "-m", "theorems.report", *words],
            cwd=files,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


def environment(**more: str) -> dict[str, str]:
    """The environment of a child process that imports this work tree."""
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "PYTHONOPTIMIZE")}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8", **more}
