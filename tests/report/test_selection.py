"""Words, globs and files select claims."""

from __future__ import annotations

from pathlib import Path

import pytest

from theorems.report.arguments import UsageError
from theorems.report.selection import choose, find, matches


@pytest.fixture(autouse=True)
def _in_folder(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)


def ids(*what: str, **filters: object) -> list[str]:
    return [c.claim.id for c in choose(what, **filters)]  # type: ignore[arg-type]


def test_a_file_selects_its_claims_in_order_and_workers_get_its_absolute_path(files: Path) -> None:
    chosen = choose(["good.py"])
    assert [c.claim.name for c in chosen] == ["bernoulli", "squares", "halves"]
    assert {c.source for c in chosen} == {str((files / "good.py").resolve())}
    assert {c.typed for c in chosen} == {"good.py"}


def test_several_files_and_repeated_words_select_each_claim_once() -> None:
    assert len(ids("good.py", "bad.py", "good.py")) == 6
    assert ids("good.py", "goodclaims/bern*", "squares") == [
        "goodclaims/bernoulli",
        "goodclaims/squares",
        "goodclaims/halves",
    ]


def test_filters_keep_claims_that_satisfy_all_of_them() -> None:
    assert ids("good.py", kinds=["identity"]) == ["goodclaims/squares", "goodclaims/halves"]
    assert ids("good.py", evidence=["certified"]) == ["goodclaims/bernoulli"]
    assert ids("good.py", kinds=["identity"], words="halv or bern") == ["goodclaims/halves"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("trace", True),
        ("TRACE", True),
        ("not trace", False),
        ("trace and bias", False),
        ("trace or bias", True),
        ("not (bias or trace)", False),
        ("bias or not bias and paper", True),
        ("not not trace", True),
    ],
)
def test_k_expression_matches(words: str, expected: bool) -> None:
    assert matches(words, "paper/variance-trace") is expected


@pytest.mark.parametrize("words", ["", "and", "a and", "(a", "a)", "a b", "not"])
def test_malformed_k_expression_is_refused(words: str) -> None:
    with pytest.raises(UsageError, match="well formed"):
        matches(words, "paper/claim")


def test_one_claim_is_found_by_id_or_by_name() -> None:
    assert find("halves", ["good.py"]).claim.id == "goodclaims/halves"
    assert find("goodclaims/halves", ["good.py", "bad.py"]).claim.id == "goodclaims/halves"
