"""The pytest plugin in repositories of its own: with claims, without, and beside other plugins' options."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.report.conftest import BAD, GOOD

ROOT = Path(__file__).parents[1]
INSTALLED = any(e.value == "theorems.pytest_plugin" for e in entry_points(group="pytest11"))


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """pytest in a folder, with the plugin as an installed package would bring it."""
    plugin = () if INSTALLED else ("-p", "theorems.pytest_plugin")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "COV_"))}
    return subprocess.run(
        [sys.executable, "-m", "pytest", *plugin, "-p", "no:cacheprovider", *words],
        cwd=folder, env={**environment, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    (folder / "claims_good.py").write_text(GOOD)
    (folder / "code").mkdir()
    (folder / "code" / "claims_bad.py").write_text(BAD)
    (folder / "test_code.py").write_text("def test_code():\n    pass\n")
    return folder


def test_the_package_registers_the_plugin() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"theorems": "theorems.pytest_plugin"}


def test_claims_that_hold_pass_beside_ordinary_tests(repository: Path) -> None:
    done = run(repository, "claims_good.py", "test_code.py", "-v", "-p", "no:randomly")
    assert done.returncode == 0, done.stdout
    assert "claims_good.py::goodclaims/bernoulli PASSED" in done.stdout
    assert "4 passed" in done.stdout
    assert "claims (seed 0, quick)" in done.stdout
    assert "goodclaims/halves: holds (proved), 10 instances" in done.stdout
    assert "3 of 3 claims hold" in done.stdout


def test_what_does_not_hold_fails_with_its_counterexample_command_and_mutants(repository: Path) -> None:
    done = run(repository, "code")
    assert done.returncode == 1
    assert "3 failed" in done.stdout
    assert re.search(r"_+ badclaims/wide _+", done.stdout)
    assert "counterexample to part 'main' (certified):" in done.stdout
    assert re.search(r"instance \d+ of wide, simplified: x = -\d", done.stdout)
    command = re.search(
        r"^ *(python -m theorems\.report code/claims_bad\.py --reproduce .*)$", done.stdout, re.MULTILINE
    )
    assert command is not None
    again = subprocess.run(
        [sys.executable, *command[1].split()[1:]], cwd=repository, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert again.returncode == 1
    assert "is refuted (certified)" in again.stdout
    assert "changes nothing either: " in done.stdout
    assert "ZeroDivisionError" in done.stdout  # of the check that broke
    assert "0 of 3 claims hold" in done.stdout
    assert "2 mutant(s); at least two" not in done.stdout
    assert "badclaims/wide has 1 mutant(s); at least two" in done.stdout  # a warning
    assert "pytest_plugin.py" not in done.stdout  # no traceback through the plugin


def test_seed_and_budget_reach_the_claims(repository: Path) -> None:
    words = ("claims_good.py", "-k", "bernoulli", "-v", "--theorems-budget", "full", "--theorems-seed", "5")
    done = run(repository, *words)
    assert "claims (seed 5, full)" in done.stdout
    assert "goodclaims/bernoulli: holds (certified), 500 instances" in done.stdout
    wrong = run(repository, "--theorems-seed", "-1")
    assert wrong.returncode == 4
    assert "a whole number of at least 0 is expected" in wrong.stderr


def test_a_repository_without_claims_notices_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_code.py").write_text("def test_code():\n    pass\n")
    (tmp_path / "claims_of_insurance.py").write_text("raise RuntimeError('imported')\n# import theorems\n")
    (tmp_path / "conftest.py").write_text(
        "def pytest_addoption(parser):\n"
        "    group = parser.getgroup('theorems')\n"
        "    group.addoption('--budget', default=1)\n"
        "    group.addoption('--seed', default=2)\n"
    )
    done = run(tmp_path, "-rA", "-W", "error")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
    assert "claim" not in done.stdout.replace("claims_of", "")


def test_a_file_of_claims_that_does_not_import_is_a_collection_error_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "claims_broken.py").write_text("import theorems\n\nundefined_name\n")
    done = run(tmp_path)
    assert done.returncode == 2
    assert "claims_broken.py:3 does not import: NameError" in done.stdout
