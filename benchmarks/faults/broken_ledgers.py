"""Ledgers that cannot be kept: what the runner says, its exit status, and whether its JSON is the undisturbed one.

python -m benchmarks.faults.broken_ledgers
"""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.faults.common import command, content, finished, start, write_claims

Case = tuple[str, int, str, Path]


def _limited() -> None:
    """Files of at most 96 kB: what a full disk looks like to SQLite."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (96 << 10, 96 << 10))


def cases(folder: Path, claims: Path) -> Iterator[Case]:
    """(name, exit status, first line said about the ledger, JSON) of each case."""

    def run(name: str, *options: str, **more: object) -> Case:
        out = folder / f"{name.replace(' ', '-')}.json"
        status, said = finished(command(claims, out, "--jobs", "2", *options), **more)
        about = [line for line in said.splitlines() if "] faults/" not in line]
        return name, status, about[0] if about else "", out

    def prepared(name: str, change: Callable[[Path], object]) -> str:
        copy = folder / f"{name}.sqlite"
        shutil.copy(good, copy)
        change(copy)
        return str(copy)

    good = folder / "good.sqlite"
    yield run("first run", "--ledger", str(good))
    yield run("reused", "--ledger", str(good))
    yield run("truncated", "--ledger", prepared("truncated", lambda p: os.truncate(p, p.stat().st_size // 2)))
    yield run("emptied", "--ledger", prepared("emptied", lambda p: os.truncate(p, 0)))
    yield run("garbage", "--ledger", prepared("garbage", lambda p: p.write_bytes(os.urandom(20_000))))
    yield run("page overwritten", "--ledger", prepared("page", _scribble))
    yield run("newer schema", "--ledger", prepared("newer", _newer))
    yield run("folder missing", "--ledger", str(folder / "nowhere" / "l.sqlite"))
    yield run("read-only folder, named", "--ledger", "/proc/l.sqlite")
    yield run("read-only folder, default", cwd="/proc")
    yield run("disk full", "--ledger", str(folder / "full.sqlite"), preexec_fn=_limited)
    yield _second(folder, claims)
    yield _removed(folder, claims)


def _scribble(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(3 * 4096)
        file.write(os.urandom(4096))


def _newer(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")


def _second(folder: Path, claims: Path) -> Case:
    """Two runs on one ledger at the same time."""
    ledger, out = folder / "shared.sqlite", folder / "shared.json"
    first = start(command(claims, out, "--jobs", "1", "--ledger", str(ledger)))
    time.sleep(2.5)
    status, said = finished(command(claims, folder / "second.json", "--jobs", "1", "--ledger", str(ledger)))
    first.communicate()
    return "second writer", status, said.splitlines()[0], out


def _removed(folder: Path, claims: Path) -> Case:
    """The ledger's folder is removed while the run goes on."""
    place, out = folder / "removed", folder / "removed.json"
    place.mkdir()
    process = start(command(claims, out, "--jobs", "2", "--ledger", str(place / "l.sqlite")))
    time.sleep(2.5)
    shutil.rmtree(place)
    _, said = process.communicate()
    about = [line for line in said.splitlines() if "ledger" in line]
    return "removed in the middle", process.returncode, about[0] if about else "", out


def main() -> int:
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        claims = write_claims(folder)
        finished(command(claims, folder / "plain.json", "--jobs", "2", "--no-cache"))
        expected = content(folder / "plain.json")
        print("case | exit | JSON | said")
        for case, status, said, out in cases(folder, claims):
            same = "none" if not out.exists() else "same" if content(out) == expected else "OTHER"
            bad += same == "OTHER"
            print(f"{case} | {status} | {same} | {said.replace(name, '...')}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
