"""Claim files that tests write and load: loaded papers are forgotten afterwards."""

from __future__ import annotations

import hashlib
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from theorems import registry
from theorems.claim import Paper
from theorems.run.evaluate import Settings
from theorems.run.results import ClaimResult, Run
from theorems.run.runner import run_claims

HEADER = """
from theorems import *
from fractions import Fraction
PAPER = Paper(key={key!r}, title="A paper")
"""

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Write]:
    """Write a claim file: `write(body)` puts the imports and a paper with a key of its own before it.

    The key, and with it every instance, depends on the test's name alone, not on which tests ran before.
    """
    keys: list[str] = []
    name = hashlib.sha256(request.node.name.encode()).hexdigest()[:8]

    def writer(body: str, *, header: bool = True) -> Path:
        key = f"written_{name}_{len(keys)}"
        keys.append(key)
        path = tmp_path / f"{key}.py"
        path.write_text((HEADER.format(key=key) if header else "") + textwrap.dedent(body))
        return path

    yield writer
    for key in keys:
        registry._PAPERS.pop(key, None)


def load(path: Path) -> Paper:
    """The only paper of a file."""
    (paper,) = registry.load_file(path)
    return paper


def run(path: Path, *, executor: str = "serial", jobs: int = 1, **settings: object) -> Run:
    """Run all claims of a file."""
    paper = load(path)
    claims = [(str(path), c) for c in paper.claims.values()]
    return run_claims(claims, Settings(**settings), executor=executor, jobs=jobs)  # type: ignore[arg-type]


def only(path: Path, **options: object) -> ClaimResult:
    """The result of a file's only claim."""
    (result,) = run(path, **options).claims  # type: ignore[arg-type]
    return result
