"""Code blocks of the README and the docs run as they stand; commands are commands that exist; the site builds."""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from theorems import registry
from theorems.report import arguments
from theorems.report.selection import find, library
from theorems.run.evaluate import Settings
from theorems.run.runner import run_claims

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_EXPECTED = re.compile(r"# expected: (\w+)\n")


def blocks(page: Path, language: str) -> list[str]:
    return [body for kind, body in _BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]


def programs() -> Iterator[object]:
    """One program a page, its blocks in order; a block that says what is expected of it is a program of its own."""
    for page in PAGES:
        name = str(page.relative_to(ROOT))
        together = [b for b in blocks(page, "python") if not _EXPECTED.match(b)]
        alone = [b for b in blocks(page, "python") if _EXPECTED.match(b)]
        if together:
            yield pytest.param("\n\n".join(together), "holds", id=name)
        for k, body in enumerate(alone):
            match = _EXPECTED.match(body)
            assert match is not None
            yield pytest.param(body, match[1], id=f"{name}-{match[1]}-{k}")


@pytest.mark.parametrize(("program", "expected"), list(programs()))
def test_python_blocks_run_and_their_claims_end_as_the_page_says(tmp_path: Path, program: str, expected: str) -> None:
    path = tmp_path / "claims_of_the_page.py"
    path.write_text(program, encoding="utf-8")
    if "Paper(" not in program:
        subprocess.run([sys.executable, str(path)], check=True, capture_output=True, timeout=60, cwd=ROOT)
        return
    papers = registry.load_file(path)
    try:
        claims = [(str(path), c) for p in papers for c in p.claims.values()]
        run = run_claims(claims, Settings(), executor="serial")
        assert [(c.id, str(c.verdict), c.reason) for c in run.claims if c.verdict != expected] == []
        assert expected != "holds" or all(m.killed for c in run.claims for m in c.mutants)
        assert [w for _, c in claims for w in c.warnings()] == []
    finally:
        for paper in papers:
            registry._PAPERS.pop(paper.key, None)


def commands() -> list[object]:
    found = []
    for page in PAGES:
        lines = [line for body in blocks(page, "sh") for line in body.splitlines()]
        for line in lines:
            words = shlex.split(line, comments=True)
            if "theorems.report" in words:
                where = f"{page.relative_to(ROOT)}: {line}"
                found.append(pytest.param(words[words.index("theorems.report") + 1 :], id=where))
    return found


@pytest.mark.parametrize("words", commands())
def test_commands_use_options_and_claims_that_exist(words: list[str]) -> None:
    options = arguments.parse(words)
    named = [name for name in (options.show, options.reproduce) if name]
    own_file = any(w.endswith(".py") for w in options.what)
    if named and not own_file:
        assert find(named[0], options.what).claim.name in named[0]


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:")[1]
    pages = {str(p.relative_to(ROOT / "docs")) for p in PAGES[1:]}
    assert set(re.findall(r"[\w/]+\.md", navigation)) == pages


def test_pictures_are_what_their_script_draws() -> None:
    spec = importlib.util.spec_from_file_location("pictures", ROOT / "docs" / "pictures.py")
    assert spec is not None
    assert spec.loader is not None
    pictures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pictures)
    drawn = dict(pictures.pictures())
    assert {p.name: p.read_text(encoding="utf-8") for p in (ROOT / "docs" / "img").iterdir()} == drawn
    assert all(len(text.encode()) < 5000 for text in drawn.values())


def test_the_gallery_shows_every_claim_of_the_registry() -> None:
    spec = importlib.util.spec_from_file_location("gallery", ROOT / "docs" / "gallery.py")
    assert spec is not None
    assert spec.loader is not None
    gallery = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gallery)
    text = gallery.on_page_markdown(f"# Gallery\n\n{gallery.MARK}\n")
    for chosen in library(check=False):
        assert f"### {chosen.claim.name}\n" in text
    assert text.count("<div>") == text.count("</div>") == len(library(check=False))
    assert "<math" in text


@pytest.mark.skipif(
    importlib.util.find_spec("material") is None or importlib.util.find_spec("mkdocstrings") is None,
    reason="needs mkdocs-material and mkdocstrings: pip install '.[docs]'",
)
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "run_claims" in (tmp_path / "site" / "api" / "index.html").read_text(encoding="utf-8")
    assert "<math" in (tmp_path / "site" / "gallery" / "index.html").read_text(encoding="utf-8")
