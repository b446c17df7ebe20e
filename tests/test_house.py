"""The house rules that a machine can check: arrows of imports, weight of imports, verdicts outside the kernel."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from theorems.lint import float_comparisons

ROOT = Path(__file__).parent.parent
HEAVY = ("cvxpy", "sympy", "scipy", "PEPit", "dask", "matplotlib", "hypothesis", "rich", "loky")


def sources(*folders: str) -> list[Path]:
    return sorted(p for f in folders for p in (ROOT / f).rglob("*.py"))


def imported(path: Path, *, top_level: bool = False) -> Iterator[str]:
    tree = ast.parse(path.read_text())
    for node in tree.body if top_level else ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def ids(paths: list[Path]) -> list[str]:
    return [str(p.relative_to(ROOT)) for p in paths]


SOLVERS = sources("solvers")
PAPERS = sources("theorems/papers")
KERNEL = sources("theorems/kernel")
EVERYTHING = sources("solvers", "theorems")


@pytest.mark.parametrize("path", SOLVERS, ids=ids(SOLVERS))
def test_solvers_know_nothing_of_theorems(path: Path) -> None:
    assert not [m for m in imported(path) if m.split(".")[0] == "theorems"]


@pytest.mark.parametrize("path", sources("solvers/certificates"), ids=ids(sources("solvers/certificates")))
def test_certificates_import_flint_and_the_standard_library_only(path: Path) -> None:
    allowed = sys.stdlib_module_names | {"flint"}
    for module in imported(path):
        assert module.split(".")[0] in allowed or module.startswith("solvers.certificates"), module


@pytest.mark.parametrize("path", KERNEL, ids=ids(KERNEL))
def test_the_kernel_imports_itself_and_certificates_only(path: Path) -> None:
    for module in imported(path):
        if module.split(".")[0] in ("theorems", "solvers"):
            assert module.startswith(("theorems.kernel", "solvers.certificates")), module


@pytest.mark.parametrize("path", PAPERS, ids=ids(PAPERS))
def test_papers_never_import_each_other(path: Path) -> None:
    relative = path.relative_to(ROOT / "theorems/papers")
    own = f"theorems.papers.{relative.parts[0].removesuffix('.py')}"
    for module in imported(path):
        if module.startswith("theorems.papers"):
            assert module == own or module.startswith(own + "."), module


@pytest.mark.parametrize("path", PAPERS, ids=ids(PAPERS))
def test_papers_leave_verdicts_to_the_kernel(path: Path) -> None:
    found = [f"{path}:{line}: {what}" for line, what in float_comparisons(path.read_text())]
    assert not found, found


@pytest.mark.parametrize("path", EVERYTHING, ids=ids(EVERYTHING))
def test_heavy_libraries_are_imported_inside_functions(path: Path) -> None:
    assert not [m for m in imported(path, top_level=True) if m.split(".")[0] in HEAVY]


@pytest.mark.parametrize("path", EVERYTHING, ids=ids(EVERYTHING))
def test_assert_decides_nothing_outside_tests(path: Path) -> None:
    lines = [n.lineno for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Assert)]
    assert not lines, f"{path}: assert at lines {lines}"


@pytest.mark.parametrize("path", EVERYTHING, ids=ids(EVERYTHING))
def test_no_exception_is_swallowed(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ExceptHandler):
            assert not all(isinstance(s, ast.Pass) for s in node.body), f"{path}:{node.lineno}"


@pytest.mark.parametrize(
    "command",
    [["theorems.report", "--list"], ["theorems.report", "--help"], ["theorems.verify", "--help"]],
    ids=lambda c: " ".join(c),
)
def test_light_commands_load_no_heavy_library(command: list[str]) -> None:
    module, *words = command
    code = f"""
import runpy, sys
sys.argv = {[module, *words]!r}
try:
    runpy.run_module({module!r}, run_name="__main__", alter_sys=True)
except SystemExit:
    pass
loaded = [m for m in {HEAVY!r} if m in sys.modules]
print("LOADED", loaded, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "LOADED []" in done.stderr, done.stderr[-600:]
