"""The ledger: finished blocks are found again, nothing else changes, and a broken file costs no verdict."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.claim_files import HEADER, Write, load
from theorems.report import json_report
from theorems.report.selection import Chosen
from theorems.report.summary import Report
from theorems.run import ledger_file
from theorems.run.evaluate import Settings
from theorems.run.ledger import Ledger, LedgerError, open_ledger
from theorems.run.results import Run
from theorems.run.runner import run_claims

CLAIMS = """
from flint import arb
@PAPER.bound(quick=64, domain=dict(x=Rationals(-1, 5), n=Integers(0, 40)))
def exact(x, n, *, factor=1):
    "Bernoulli"
    return 1 + factor * n * x, (1 + x) ** n
exact.mutant("5 %", factor=Q(21, 20))
@PAPER.bound(quick=32, domain=dict(x=Rationals(-3, -2, open="right"), n=Integers(3, 40)))
def refuted(x, n):
    "Bernoulli on the wrong domain"
    return 1 + n * x, (1 + x) ** n
@PAPER.bound(quick=8, domain=dict(x=Reals(1, 9)))
def balls(x):
    "log x <= x - 1, undecided at 1"
    return lambda: arb(x).log(), lambda: arb(x) - 1
@PAPER.bound(evidence="statistical", quick=4, domain=dict(p=Choices(Q(1, 4), Q(1, 2))))
def statistical(p):
    "the mean of Bernoulli draws"
    return mean_eq(lambda rng: (rng.random(64) < float(p.p) / float(p.q)) * 1.0, p, support=(0, 1), within=Q(1, 5))
@PAPER.rate(quick=6, every=True, domain=dict(n=Choices(10, 20, 40, 80, 160, 320)))
def recorded(n, *, power=2):
    "squares have the exponent 2"
    yield record("squares", n=n, y=n**power)
@recorded.overall
def exponent(tables):
    rows = tables["squares"]
    return slope([r["n"] for r in rows], [r["y"] for r in rows], 2, within=Q(1, 100))
@PAPER.bound(domain=dict(x=Integers(0, 3)))
def broken(x):
    "raises"
    return 0.5, 1
"""


class Said(list[str]):
    """What a ledger had to say."""


def opened(path: Path, said: Said | None = None, **options: bool) -> Ledger:
    ledger = open_ledger(path, tell=(said if said is not None else Said()).append, **options)
    assert ledger is not None
    return ledger


def run_with(path: Path, ledger: Ledger | None, **settings: Any) -> Run:
    claims = [(str(path), c) for c in load(path).claims.values()]
    return run_claims(claims, Settings(**settings), executor="serial", ledger=ledger)


def bytes_of(path: Path, run: Run) -> bytes:
    report = Report(run, [Chosen(str(path), c) for c in load(path).claims.values()])
    data = json.loads(json_report.render(report))
    del data["run"]["times"]
    return json.dumps(data).encode()


def test_the_json_of_a_run_does_not_depend_on_what_the_ledger_held(write: Write, tmp_path: Path) -> None:
    path = write(CLAIMS)
    plain = run_with(path, None)
    ledger = opened(tmp_path / "l.sqlite")
    first, second = run_with(path, ledger), run_with(path, ledger)
    ledger.close()
    assert (first.reused, second.reused > 20) == (0, True)
    assert bytes_of(path, plain) == bytes_of(path, first) == bytes_of(path, second)
    verdicts = {c.id.split("/")[1]: str(c.verdict) for c in second.claims}
    assert verdicts["refuted"] == "refuted"
    assert verdicts["broken"] == "error"


def test_an_error_is_never_taken_from_the_ledger(write: Write, tmp_path: Path) -> None:
    path = write(CLAIMS)
    ledger = opened(tmp_path / "l.sqlite")
    run_with(path, ledger)
    rows = ledger._rows("SELECT DISTINCT claim FROM tasks", ())
    ledger.close()
    assert not [c for (c,) in rows if c.endswith("/broken")]


def test_more_instances_reuse_the_blocks_of_fewer_but_not_where_levels_are_split(write: Write, tmp_path: Path) -> None:
    path = write(CLAIMS)
    ledger = opened(tmp_path / "l.sqlite")
    run_with(path, ledger, instances=32)
    mark = max(i for (i,) in ledger._rows("SELECT id FROM tasks", ()))
    more = run_with(path, ledger, instances=64)
    again = ledger._rows("SELECT claim, start FROM tasks WHERE id > ? AND variant = 'main'", (mark,))
    ledger.close()
    assert more.reused > 0
    assert min(s for c, s in again if c.endswith("/exact")) == 32
    assert min(s for c, s in again if c.endswith("/statistical")) == 0
    assert bytes_of(path, more) == bytes_of(path, run_with(path, None, instances=64))


@pytest.mark.parametrize("setting", [{"seed": 1}, {"budget": "full", "instances": 20}])
def test_another_seed_or_budget_reuses_nothing(setting: dict[str, Any], write: Write, tmp_path: Path) -> None:
    path = write(CLAIMS)
    ledger = opened(tmp_path / "l.sqlite")
    run_with(path, ledger, instances=20)
    other = run_with(path, ledger, **{"instances": 20, **setting})
    ledger.close()
    assert other.reused == 0


def test_a_certified_run_finds_its_certificates_again(write: Write, tmp_path: Path) -> None:
    path = write(CLAIMS)
    ledger = opened(tmp_path / "l.sqlite")
    first = run_with(path, ledger, certificates=True)
    second = run_with(path, ledger, certificates=True)
    ledger.close()
    found = [p.certificates for c in first.claims for p in c.parts]
    assert any(found)
    assert found == [p.certificates for c in second.claims for p in c.parts]


def test_a_changed_body_is_noticed_and_computed_again(write: Write, tmp_path: Path) -> None:
    path = write(CLAIMS)
    said = Said()
    ledger = opened(tmp_path / "l.sqlite", said)
    run_with(path, ledger)
    with sqlite3.connect(tmp_path / "l.sqlite") as db:
        db.execute("UPDATE outcomes SET body = replace(body, '\"instances\":', '\"instances\":1')")
    again = run_with(path, ledger)
    assert again.reused == 0
    with sqlite3.connect(tmp_path / "l.sqlite") as db:  # with a checksum that fits, strict reading is what remains
        import zlib

        for key, body in db.execute("SELECT key, body FROM outcomes").fetchall():
            body = body.replace('"instances":', '"instances":-')
            db.execute("UPDATE outcomes SET body = ?, crc = ? WHERE key = ?", (body, zlib.crc32(body.encode()), key))
    third = run_with(path, ledger)
    ledger.close()
    assert third.reused <= 10  # those with 0 instances: "-0" is 0
    assert "unreadable" in said[0]
    assert bytes_of(path, third) == bytes_of(path, run_with(path, None))


def test_a_second_writer_is_told_who_writes_and_may_read(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    first = opened(path)
    first.begin((), {}, seed=0, budget="quick", instances=None, versions={})
    with pytest.raises(LedgerError, match=rf"being written by process {os.getpid()}"):
        open_ledger(path)
    said = Said()
    reader = opened(path, said, needed=False)
    assert not reader.writable
    assert "keeps nothing" in said[0]
    first.close()
    assert opened(path).writable


def test_a_damaged_file_is_set_aside_and_named(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    opened(path).close()
    path.write_bytes(b"no database" * 1000)
    said = Said()
    ledger = opened(path, said)
    assert ledger.writable
    (aside,) = tmp_path.glob("l.sqlite.damaged-*")
    assert aside.read_bytes() == b"no database" * 1000
    assert str(aside) in said[0]
    ledger.close()


def test_a_truncated_ledger_is_set_aside(write: Write, tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    ledger = opened(path)
    run_with(write(CLAIMS), ledger)
    ledger.close()
    size = path.stat().st_size
    os.truncate(path, size // 2)
    said = Said()
    opened(path, said).close()
    assert "damaged" in said[0]
    (aside,) = tmp_path.glob("l.sqlite.damaged-*")
    assert aside.stat().st_size == size // 2


def test_a_newer_schema_is_refused_and_untouched(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    opened(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(LedgerError, match=r"newer version.*schema 99"):
        open_ledger(path)
    assert path.exists()


def test_an_older_schema_is_migrated_with_its_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "l.sqlite"
    ledger = opened(path)
    ledger.begin(("--seed", "7"), {}, seed=7, budget="quick", instances=None, versions={})
    ledger.close()
    more = (*ledger_file.MIGRATIONS, "ALTER TABLE runs ADD COLUMN host TEXT;")
    monkeypatch.setattr(ledger_file, "MIGRATIONS", more)
    ledger = opened(path)
    assert ledger._rows("SELECT seed, host FROM runs", ()) == [("7", None)]
    ledger.close()


def test_other_peoples_files_are_left_alone(tmp_path: Path) -> None:
    claims = tmp_path / "claims.py"
    claims.write_text("PAPER = 1\n")
    with pytest.raises(LedgerError, match="no ledger"):
        open_ledger(claims)
    foreign = tmp_path / "other.sqlite"
    with sqlite3.connect(foreign) as db:
        db.execute("CREATE TABLE t (x)")
    with pytest.raises(LedgerError, match="another program's"):
        open_ledger(foreign)
    with pytest.raises(LedgerError, match="does not exist"):
        open_ledger(tmp_path / "nowhere" / "l.sqlite")
    with pytest.raises(LedgerError, match="directory"):
        open_ledger(tmp_path)
    assert claims.read_text() == "PAPER = 1\n"


def test_a_removed_ledger_costs_no_verdict(write: Write, tmp_path: Path) -> None:
    path = write(CLAIMS)
    folder = tmp_path / "kept"
    folder.mkdir()
    said = Said()
    ledger = opened(folder / "l.sqlite", said)
    for file in folder.iterdir():
        file.unlink()
    run = run_with(path, ledger)
    assert "was removed" in said[0]
    assert len(said) == 1
    assert bytes_of(path, run) == bytes_of(path, run_with(path, None))


def test_a_full_disk_costs_no_verdict(write: Write, tmp_path: Path) -> None:
    path = write(CLAIMS)
    said = Said()
    ledger = opened(tmp_path / "l.sqlite", said)
    assert ledger._db is not None
    (pages,) = ledger._db.execute("PRAGMA page_count").fetchone()
    ledger._db.execute(f"PRAGMA max_page_count = {pages + 2}")  # SQLite's own way to run out of space
    run = run_with(path, ledger)
    assert "full" in said[0]
    assert bytes_of(path, run) == bytes_of(path, run_with(path, None))


def test_history_lists_verdicts_oldest_first(write: Write, tmp_path: Path) -> None:
    path = write(CLAIMS)
    ledger = opened(tmp_path / "l.sqlite")
    for seed in (3, 4):
        ledger.run = 0
        run_with(path, ledger, seed=seed)
    entries = ledger.history(f"{path.stem}/exact")
    ledger.close()
    assert [e["seed"] for e in entries] == ["3", "4"]
    assert {e["verdict"] for e in entries} == {"holds"}


SLOW = """
import time
@PAPER.bound(quick=64, domain=dict(a=Integers(0, 10**6)))
def slow(a, *, k=1):
    "some seconds in all"
    time.sleep(0.05)
    return a, k * 10**6
slow.mutant("too small", k=Q(1, 10**9))
"""


def test_a_killed_run_goes_on_without_repeating_a_finished_task(tmp_path: Path) -> None:
    path = tmp_path / "slow.py"
    path.write_text(HEADER.format(key="slow_claims") + SLOW)
    ledger = tmp_path / "l.sqlite"
    command = [sys.executable, "-m", "theorems.report", str(path), "--jobs", "2", "--json"]
    child = subprocess.Popen(
        [*command, str(tmp_path / "killed.json"), "--ledger", str(ledger)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and _tasks(ledger) < 4:
        time.sleep(0.05)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    kept = _tasks(ledger)
    assert kept >= 4
    resumed = subprocess.run(
        [sys.executable, "-m", "theorems.report", "--resume", "--ledger", str(ledger)],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert resumed.returncode == 0, resumed.stderr
    assert "going on with" in resumed.stderr
    assert f"{kept} finished tasks were found" in resumed.stderr
    subprocess.run([*command, str(tmp_path / "plain.json"), "--no-cache"], check=True, capture_output=True, timeout=120)
    killed, plain = (json.loads((tmp_path / f"{n}.json").read_text()) for n in ("killed", "plain"))
    del killed["run"]["times"], plain["run"]["times"]
    assert killed == plain
    with sqlite3.connect(ledger) as db:
        assert db.execute("SELECT count(*), count(DISTINCT key) FROM tasks").fetchone()[0] == _tasks(ledger)
        assert db.execute("SELECT max(n) FROM (SELECT count(*) n FROM tasks GROUP BY key)").fetchone() == (1,)
        assert db.execute("SELECT starts, exit_status FROM runs").fetchall() == [(2, 0)]


def _tasks(ledger: Path) -> int:
    try:
        with sqlite3.connect(f"{ledger.as_uri()}?mode=ro", uri=True) as db:
            return int(db.execute("SELECT count(*) FROM tasks").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def test_resume_without_a_ledger_begins_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from theorems.report.arguments import parse
    from theorems.report.keeping import taken_up

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("THEOREMS_LEDGER", raising=False)
    options = parse(["--resume"])
    assert taken_up(options) is options


def test_what_does_not_come_out_again_is_not_believed(write: Write, tmp_path: Path) -> None:
    import zlib

    path = write(CLAIMS)
    said = Said()
    ledger = opened(tmp_path / "l.sqlite", said)
    run_with(path, ledger)
    with sqlite3.connect(tmp_path / "l.sqlite") as db:  # another left side, with a checksum that fits
        rows = db.execute(
            "SELECT o.key, o.body FROM outcomes o JOIN tasks t ON t.key = o.key WHERE t.claim LIKE '%/exact'"
        )
        for key, body in rows.fetchall():
            body = body.replace('"lhs":"1"', '"lhs":"2"')
            db.execute("UPDATE outcomes SET body = ?, crc = ? WHERE key = ?", (body, zlib.crc32(body.encode()), key))
    again = run_with(path, ledger)
    assert said == [f"what the ledger holds of {path.stem}/exact does not come out again; the claim is computed anew"]
    assert bytes_of(path, again) == bytes_of(path, run_with(path, None))
    said.clear()
    healed = run_with(path, ledger)
    ledger.close()
    assert not said
    assert bytes_of(path, healed) == bytes_of(path, again)
