"""The ledger: runs, finished tasks, verdicts and certificates in one SQLite file with many readers and one writer.

A finished task is durable before it counts, so that a run killed at any moment goes on without it. The ledger never makes a
verdict: what it returns is decoded strictly and judged again, and a ledger that fails in the middle of a run costs
nothing but what it would have saved.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theorems.run import ledger_file
from theorems.run.errors import LedgerError
from theorems.run.ledger_file import Damaged

__all__ = ["DEFAULT", "Ledger", "LedgerError", "Row", "Started", "open_ledger"]

DEFAULT = Path(".theorems") / "ledger.sqlite"
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Row:
    """A finished task.

    Attributes:
        key: digest of everything that its result depends on, but for the level of statistical comparisons.
        level: that level, or 0 where the result does not depend on it.
        claim, variant, family, start, stop: what was done, for people.
        seconds: how long it took.
        body: the result as text.
        certificates: (part, number, text) of each certificate.
    """

    key: bytes
    level: float
    claim: str
    variant: str
    family: str
    start: int
    stop: int
    seconds: float
    body: str
    certificates: tuple[tuple[str, int, str], ...] = ()


@dataclass(frozen=True)
class Started:
    """A run in the ledger: when it began, and the words of its command line."""

    id: int
    started: str
    argv: tuple[str, ...]


def warn(message: str) -> None:
    """Say something on the error stream."""
    print(f"theorems: {message}", file=sys.stderr)


def open_ledger(path: Path, *, needed: bool = True, write: bool = True, tell: Tell = warn) -> Ledger | None:
    """Open a ledger, or make one.

    Args:
        path: the file.
        needed: whether the user asked for this very file, so that not being able to keep results is an error; otherwise
            it is said, and what can be read is.
        write: False for readers.
        tell: receives one line about anything unusual.

    Returns:
        The ledger; None where there is nothing to read and nothing can be kept.

    Raises:
        LedgerError: when the file cannot be used as asked.
    """
    if write and not needed and path.parent.name == DEFAULT.parent.name:
        try:
            path.parent.mkdir(exist_ok=True)
        except OSError as error:
            tell(f"no ledger is kept: cannot make {path.parent}: {error.strerror}")
            return None
    ledger_file.check_name(path)
    if not write:
        return _reader(path, tell) if path.exists() else None
    try:
        release = ledger_file.writer_lock(path)
    except (OSError, sqlite3.Error) as error:
        why = f"cannot write {path}: {getattr(error, 'strerror', None) or error}"
        if needed:
            raise LedgerError(f"{why}; use another --ledger FILE, or --no-cache") from None
        tell(f"{why}; results are not kept")
        return _reader(path, tell) if path.exists() else None
    if release is None:
        who = _writer(path)
        if needed:
            raise LedgerError(
                f"{path} is being written by {who}; wait for it, use another --ledger FILE, or --no-cache"
            )
        tell(f"{path} is being written by {who}; this run reads it and keeps nothing")
        return _reader(path, tell) if path.exists() else None
    try:
        try:
            db = ledger_file.connect(path, write=True)
        except Damaged as error:
            aside = ledger_file.set_aside(path)
            tell(f"the ledger {path} is damaged ({error}); it was set aside as {aside}, and a new one is begun")
            db = ledger_file.connect(path, write=True)
    except (LedgerError, Damaged, OSError) as error:
        release()
        if isinstance(error, LedgerError):
            raise
        raise LedgerError(f"cannot use {path}: {error}") from None
    return Ledger(path, db, release, tell)


def _reader(path: Path, tell: Tell) -> Ledger | None:
    try:
        return Ledger(path, ledger_file.connect(path, write=False), None, tell)
    except Damaged as error:
        tell(f"the ledger {path} is damaged ({error}) and is not read")
        return None


def _writer(path: Path) -> str:
    """The run that writes a ledger now, in words."""
    try:
        db = ledger_file.connect(path, write=False)
        found = db.execute("SELECT process, started FROM runs WHERE finished IS NULL ORDER BY id DESC").fetchone()
        db.close()
    except (sqlite3.Error, Damaged, LedgerError):
        found = None
    return f"process {found[0]} (a run begun {found[1]})" if found else "another run"


class Ledger:
    """An open ledger.

    Attributes:
        path: the file.
        writable: whether finished tasks are kept.
        run: id of the present run, 0 before `begin`.
    """

    def __init__(self, path: Path, db: sqlite3.Connection, release: Callable[[], None] | None, tell: Tell) -> None:
        self.path, self.run, self.tell = path, 0, tell
        self._db: sqlite3.Connection | None = db
        self._release = release
        self._inode = os.stat(path).st_ino

    @property
    def writable(self) -> bool:
        """Whether finished tasks are kept."""
        return self._db is not None and self._release is not None

    def close(self) -> None:
        """Let go of the file; the next writer may come."""
        if self._db is not None:
            self._db.close()
            self._db = None
        if self._release is not None:
            self._release()
            self._release = None

    def find(self, key: bytes, level: float) -> tuple[str, list[tuple[str, str]]] | None:
        """The text of a result and (part, text) of its certificates, or None where it is not known."""
        if self._db is None:
            return None
        try:
            rows = self._db.execute(
                "SELECT level, body, crc FROM outcomes WHERE key = ? AND level IN (0, ?)", (key, level)
            ).fetchall()
            if not rows:
                return None
            at, body, crc = rows[0]
            extra = self._db.execute(
                "SELECT part, body, crc FROM certificates WHERE key = ? AND level = ? ORDER BY part, number", (key, at)
            ).fetchall()
        except sqlite3.Error as error:
            self._fail("cannot be read", error)
            return None
        if not all(
            isinstance(t, str) and zlib.crc32(t.encode()) == c for t, c in [(body, crc), *(r[1:] for r in extra)]
        ):
            return None
        return body, [(part, text) for part, text, _ in extra]

    def keep(self, rows: Iterable[Row]) -> None:
        """Make finished tasks durable, all of them or none."""
        rows = list(rows)
        if rows and self.writable and self._there():
            self._write(lambda db: _insert(db, self.run, rows))

    def begin(
        self, argv: Iterable[str], options: dict[str, Any], *, seed: int, budget: str, instances: int | None,
        versions: dict[str, str], resume: int = 0,
    ) -> None:  # fmt: skip
        """Note that a run begins, or goes on (`resume`: its id)."""

        def note(db: sqlite3.Connection) -> None:
            if resume:
                db.execute("UPDATE runs SET process = ?, starts = starts + 1 WHERE id = ?", (os.getpid(), resume))
                self.run = resume
                return
            words = json.dumps(list(argv)), json.dumps(options, sort_keys=True)
            values = (_now(), os.getpid(), 1, *words, str(seed), budget, instances, json.dumps(versions))
            self.run = (
                db.execute(
                    "INSERT INTO runs (started, process, starts, argv, options, seed, budget, instances, versions) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    values,
                ).lastrowid
                or 0
            )

        if self.writable:
            self._write(note)

    def sources(self) -> dict[str, str]:
        """What is known about source files, by digest."""
        return dict(self._rows("SELECT digest, facts FROM sources", ()))

    def learn(self, facts: dict[str, str]) -> None:
        """Keep what was found in source files."""
        if facts and self.writable and self._there():
            self._write(lambda db: db.executemany("INSERT OR REPLACE INTO sources VALUES (?, ?)", list(facts.items())))

    def verdict(self, claim: str, **facts: Any) -> None:
        """Note the verdict on a claim."""
        if self.writable and self._there():
            values = {"run": self.run, "claim": claim, "at": _now(), **facts}
            marks = ", ".join(f":{name}" for name in values)
            command = f"INSERT OR REPLACE INTO verdicts ({', '.join(values)}) VALUES ({marks})"
            self._write(lambda db: db.execute(command, values))

    def finish(self, exit_status: int) -> None:
        """Note that the run is finished."""
        if self.writable and self._there():
            self._write(
                lambda db: db.execute(
                    "UPDATE runs SET finished = ?, exit_status = ? WHERE id = ?", (_now(), exit_status, self.run)
                )
            )

    def unfinished(self, options: dict[str, Any] | None = None) -> Started | None:
        """The last unfinished run (with the same options, where given)."""
        command = "SELECT id, started, argv FROM runs WHERE finished IS NULL"
        values: tuple[Any, ...] = ()
        if options is not None:
            command, values = command + " AND options = ?", (json.dumps(options, sort_keys=True),)
        found = self._rows(command + " ORDER BY id DESC LIMIT 1", values)
        if not found:
            return None
        number, started, argv = found[0]
        words = json.loads(argv)
        if not isinstance(words, list) or not all(isinstance(w, str) for w in words):
            raise LedgerError(f"{self.path}: the command line of run {number} is unreadable")
        return Started(number, started, tuple(words))

    def history(self, claim: str) -> list[dict[str, Any]]:
        """The verdicts on a claim, oldest first."""
        names = ("at", "verdict", "evidence", "reason", "instances", "margin", "resolution", "killed", "mutants",
                 "seconds", "fingerprint")  # fmt: skip
        columns = ", ".join(f"v.{n}" for n in names)
        rows = self._rows(
            f"SELECT v.run, r.seed, r.budget, {columns} FROM verdicts v JOIN runs r ON r.id = v.run "
            "WHERE v.claim = ? ORDER BY v.at, v.run",
            (claim,),
        )
        return [dict(zip(("run", "seed", "budget", *names), row)) for row in rows]

    def claims(self) -> list[str]:
        """Ids of all claims with a verdict."""
        return [c for (c,) in self._rows("SELECT DISTINCT claim FROM verdicts ORDER BY claim", ())]

    def _rows(self, command: str, values: tuple[Any, ...]) -> list[Any]:
        if self._db is None:
            return []
        try:
            return self._db.execute(command, values).fetchall()
        except sqlite3.Error as error:
            raise LedgerError(f"cannot read {self.path}: {error}") from None

    def _write(self, change: Callable[[sqlite3.Connection], Any]) -> None:
        """One transaction: durable when this returns."""
        if self._db is None:
            return
        try:
            self._db.execute("BEGIN IMMEDIATE")
            change(self._db)
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            self._fail("cannot be written", error)

    def _there(self) -> bool:
        """Whether the file is still in its place; what is written to a removed file would be lost unseen."""
        try:
            there = os.stat(self.path).st_ino == self._inode
        except OSError:
            there = False
        if not there:
            self._fail("was removed or replaced", None)
        return there

    def _fail(self, what: str, error: Exception | None) -> None:
        why = f" ({error})" if error is not None else ""
        self.tell(f"the ledger {self.path} {what}{why}; the run goes on, and what it finds from now on is not kept")
        db, self._db = self._db, None
        try:
            if db is not None:
                db.close()
        except sqlite3.Error as closing:
            self.tell(f"closing it failed too ({closing})")


def _insert(db: sqlite3.Connection, run: int, rows: list[Row]) -> None:
    for r in rows:
        db.execute(
            "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?)", (r.key, r.level, r.body, zlib.crc32(r.body.encode()))
        )
        db.execute(
            "INSERT INTO tasks (run, key, level, claim, variant, family, start, stop, seconds) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (run, r.key, r.level, r.claim, r.variant, r.family, r.start, r.stop, r.seconds),
        )
        db.execute("DELETE FROM certificates WHERE key = ? AND level = ?", (r.key, r.level))
        db.executemany(
            "INSERT INTO certificates VALUES (?, ?, ?, ?, ?, ?)",
            [(r.key, r.level, part, n, text, zlib.crc32(text.encode())) for part, n, text in r.certificates],
        )


def _now() -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S")
