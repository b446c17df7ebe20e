"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from theorems.report.arguments import UsageError
from theorems.report.output import check_writable, write_whole


def test_a_file_is_replaced_and_no_other_is_left(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("old")
    path.chmod(0o640)
    check_writable(str(path))
    assert path.read_text() == "old"
    write_whole(str(path), "new ∑\n")
    assert path.read_bytes() == "new ∑\n".encode()
    assert os.listdir(tmp_path) == ["out.json"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_failure_while_writing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.json"
    path.write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="No space left"):
        write_whole(str(path), "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.json"]


def test_a_symbolic_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    write_whole(str(tmp_path / "link.json"), "new")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text() == "new"


def test_devices_are_written_to_and_never_replaced() -> None:
    check_writable(os.devnull)
    write_whole(os.devnull, "text")
    assert not stat.S_ISREG(os.stat(os.devnull).st_mode)


@pytest.mark.parametrize("name", ["missing/x.json", "."])
def test_what_cannot_be_written_is_refused_beforehand(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="cannot write"):
        check_writable(name)
    assert os.listdir(tmp_path) == []
