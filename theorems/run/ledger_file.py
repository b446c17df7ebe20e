"""The file of a ledger: its schema and migrations, its one writer, and what is done about a damaged file."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from theorems.run.errors import LedgerError

APPLICATION = 0x7468_6D73  # "thms"
MAGIC = b"SQLite format 3\0"
SMALL = 256 << 20  # bytes: files up to this size are checked page by page when they are opened
_SUFFIXES = ("", "-wal", "-shm")
_NAMES = (".sqlite", ".sqlite3", ".db")

MIGRATIONS = (
    """
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY, started TEXT NOT NULL, finished TEXT, process INTEGER NOT NULL, starts INTEGER NOT NULL,
        argv TEXT NOT NULL, options TEXT NOT NULL, seed TEXT NOT NULL, budget TEXT NOT NULL, instances INTEGER,
        versions TEXT NOT NULL, exit_status INTEGER
    );
    CREATE TABLE outcomes (
        key BLOB NOT NULL, level REAL NOT NULL, body TEXT NOT NULL, crc INTEGER NOT NULL, PRIMARY KEY (key, level)
    ) WITHOUT ROWID;
    CREATE TABLE tasks (
        id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs, key BLOB NOT NULL, level REAL NOT NULL,
        claim TEXT NOT NULL, variant TEXT NOT NULL, family TEXT NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL,
        seconds REAL NOT NULL
    );
    CREATE TABLE certificates (
        key BLOB NOT NULL, level REAL NOT NULL, part TEXT NOT NULL, number INTEGER NOT NULL, body TEXT NOT NULL,
        crc INTEGER NOT NULL, PRIMARY KEY (key, level, part, number)
    ) WITHOUT ROWID;
    CREATE TABLE verdicts (
        run INTEGER NOT NULL REFERENCES runs, claim TEXT NOT NULL, at TEXT NOT NULL, verdict TEXT NOT NULL,
        evidence TEXT NOT NULL, reason TEXT NOT NULL, instances INTEGER NOT NULL, margin TEXT, resolution TEXT,
        killed INTEGER NOT NULL, mutants INTEGER NOT NULL, seconds REAL NOT NULL, fingerprint TEXT NOT NULL,
        PRIMARY KEY (run, claim)
    );
    CREATE INDEX verdicts_of_claim ON verdicts (claim, run);
    """,
    """
    CREATE TABLE sources (digest TEXT PRIMARY KEY, facts TEXT NOT NULL) WITHOUT ROWID;
    """,
)  # script n leads from schema n to schema n + 1


class Damaged(Exception):
    """The file is a ledger's, and cannot be read."""


def check_name(path: Path) -> None:
    """Refuse a path that could not be a ledger, so that nobody's file is taken for a damaged one.

    Raises:
        LedgerError: for a folder, a file of another kind, or a folder that does not exist.
    """
    if path.is_dir():
        raise LedgerError(f"{path} is a directory; a ledger is one file")
    if not path.parent.is_dir():
        raise LedgerError(f"{path}: the folder {path.parent} does not exist")
    if path.is_file() and path.suffix not in _NAMES and not _head(path).startswith(MAGIC) and path.stat().st_size:
        raise LedgerError(f"{path} is no ledger, and is left alone")


def connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """Open a file and bring its schema up to date.

    Raises:
        Damaged: when it is no sound database.
        LedgerError: when another program or a newer version wrote it, or it cannot be opened.
    """
    if path.is_file() and path.stat().st_size > 0 and not _head(path).startswith(MAGIC):
        raise Damaged("it does not begin as a database does")
    try:
        db = _opened(path, write)
    except sqlite3.OperationalError as error:
        raise LedgerError(f"cannot open {path}: {error}") from None
    try:
        _prepare(db, path, write)
    except sqlite3.OperationalError as error:
        db.close()
        if "malformed" in str(error):
            raise Damaged(str(error)) from None
        raise LedgerError(f"cannot use {path}: {error}") from None
    except sqlite3.DatabaseError as error:
        db.close()
        raise Damaged(str(error)) from None
    except BaseException:
        db.close()
        raise
    return db


def _opened(path: Path, write: bool) -> sqlite3.Connection:
    if write:
        return sqlite3.connect(path, timeout=10, isolation_level=None)
    uri = path.resolve().as_uri() + "?mode=ro"
    db = sqlite3.connect(uri, timeout=10, isolation_level=None, uri=True)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:  # a folder in which no reader can note itself: the file as it lies there
        db.close()
        db = sqlite3.connect(uri + "&immutable=1", timeout=10, isolation_level=None, uri=True)
    return db


def _prepare(db: sqlite3.Connection, path: Path, write: bool) -> None:
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != APPLICATION and (application or tables or version):
        raise LedgerError(f"{path} is another program's database, and is left alone")
    if version > len(MIGRATIONS):
        raise LedgerError(
            f"{path} was written by a newer version (schema {version}; this one reads up to {len(MIGRATIONS)}); "
            "use another --ledger FILE, or --no-cache"
        )
    if tables and path.stat().st_size <= SMALL:
        (answer,) = db.execute("PRAGMA quick_check(1)").fetchone()
        if answer != "ok":
            raise Damaged(" ".join(str(answer).split()))
    if not write:
        if version < len(MIGRATIONS):
            raise LedgerError(
                f"{path} has the older schema {version} and cannot be brought up to date: it is read-only"
            )
        return
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    for number in range(version, len(MIGRATIONS)):
        db.executescript(
            f"BEGIN IMMEDIATE; {MIGRATIONS[number]} PRAGMA application_id = {APPLICATION}; "
            f"PRAGMA user_version = {number + 1}; COMMIT;"
        )


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(MAGIC))


def set_aside(path: Path) -> Path:
    """Rename a damaged file (with what belongs to it) and return its new name; nothing is deleted."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    target = path.with_name(f"{path.name}.damaged-{stamp}")
    number = 1
    while target.exists():
        number += 1
        target = path.with_name(f"{path.name}.damaged-{stamp}-{number}")
    for suffix in _SUFFIXES:
        old = path.with_name(path.name + suffix)
        if old.exists():
            os.replace(old, target.with_name(target.name + suffix))
    return target


def writer_lock(path: Path) -> Callable[[], None] | None:
    """Become the only writer; None when there is one already. The system gives the lock up when the process ends.

    Returns:
        a function that gives the lock up.

    Raises:
        OSError: when the folder cannot be written into.
    """
    lock = path.with_name(path.name + "-writer")
    lock.touch()
    db = sqlite3.connect(lock, timeout=0, isolation_level=None)
    try:
        db.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        db.close()
        if "locked" in str(error):
            return None
        raise OSError(str(error)) from None
    return db.close
