"""Certificates of worst cases over function classes go through files and are re-checked without a solver."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CLAIMS = '''
from solvers.performance import Performance, smooth_convex, squared
from theorems import Choices, Paper, Q, eq, optimum

PAPER = Paper(key="worst_case_files", title="Gradient descent")


def enclose(problem):
    from solvers.performance import enclose

    return enclose(problem)


@PAPER.identity(source="Drori, Teboulle (2014)", evidence="certified", domain=dict(N=Choices(1, 2, 3)), every=True)
def rate(N, *, shift=0):
    """f(x_N) - f* <= 1/(4 N + 2)."""
    pep = Performance()
    f = pep.function(smooth_convex(1))
    best, x = f.minimiser(), pep.vector()
    pep.require(squared(x - best.x), 1)
    for _ in range(N):
        x = x - f(x).g
    pep.maximise(f(x).f - best.f)
    yield "worst case", eq(optimum(pep.program().problem, enclose, maximum=True), Q(1, 4 * N + 2) + shift, within=Q(1, 10**7))


rate.mutant("larger", shift=Q(1, 10**5))
rate.mutant("smaller", shift=-Q(1, 10**5))
'''
VERIFY = """
import runpy, sys
try:
    runpy.run_module("theorems.verify", run_name="__main__", alter_sys=True)
except SystemExit as done:
    print("exit", done.code)
print("loaded", [m for m in ("clarabel", "cvxpy", "scipy", "highspy") if m in sys.modules])
"""


def run(*words: str) -> str:
    return subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    ).stdout


def test_worst_cases_are_rechecked_from_files_without_a_solver(tmp_path: Path) -> None:
    claims, folder = tmp_path / "claims.py", tmp_path / "certificates"
    claims.write_text(CLAIMS, encoding="utf-8")
    report = run("-m", "theorems.report", str(claims), "--certificates", str(folder), "--no-cache", "--jobs", "1")
    assert "1 holds" in report
    files = sorted(folder.glob("*.json"))
    assert len(files) == 3
    said = run("-c", VERIFY, "--claims", str(claims), *map(str, files))
    assert "3 valid, 0 invalid" in said
    assert said.endswith("exit 0\nloaded []\n")
