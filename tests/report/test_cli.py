"""The command line as users meet it, in processes of its own."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.interrupts import interruptible

from .conftest import environment

Report = Callable[..., "subprocess.CompletedProcess[str]"]
HEAVY = ("cvxpy", "sympy", "scipy.stats", "PEPit", "dask", "matplotlib", "hypothesis", "pandas", "loky", "rich")


def test_claims_that_hold_exit_with_0_and_a_plain_table(report: Report) -> None:
    done = report("good.py", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert not re.search(r"[\x1b─━│┃╭]", done.stdout)
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("goodclaims/")]
    assert [r[:5] for r in rows] == [
        ["goodclaims/bernoulli", "holds", "certified", "derived", "30"],
        ["goodclaims/squares", "holds", "proved", "derived", "0"],
        ["goodclaims/halves", "holds", "proved", "derived", "10"],
    ]
    assert all(r[7] == "2/2" for r in rows)
    assert "# goodclaims: True things (Here 2025, arXiv 0000.00000)" in done.stdout
    assert "    proved for all real a, b" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("3 claims: 3 hold; mutants 6/6 killed; alpha used 0; seed 0, quick;")
    assert len(done.stderr.splitlines()) == 3  # plain progress: a line a claim


def test_refuted_claims_exit_with_1_and_the_printed_command_reproduces_them(report: Report) -> None:
    done = report("bad.py", "--jobs", "1", "--seed", "3", "--instances", "60")
    assert done.returncode == 1
    assert "badclaims/survivor: mutant 'changes nothing either' survives" in done.stdout
    assert "warning" in done.stdout
    assert "badclaims/broken: error: ZeroDivisionError" in done.stdout
    command = next(line.strip()[2:] for line in done.stdout.splitlines() if line.strip().startswith("$ "))
    assert command.startswith("python -m theorems.report bad.py --reproduce badclaims/wide --instance ")
    again = report(*command.split()[3:])
    assert again.returncode == 1
    left, right = (line for line in done.stdout.splitlines() if line.strip().startswith(("left:", "right:")))
    assert left.strip() in again.stdout
    assert right.strip() in again.stdout


def test_an_error_without_refutation_exits_with_4_and_a_survivor_with_1(report: Report) -> None:
    assert report("bad.py", "-k", "broken", "--jobs", "1").returncode == 4
    assert report("bad.py", "-k", "survivor", "--jobs", "1").returncode == 1


def test_json_has_the_same_bytes_for_any_number_of_jobs_apart_from_times(report: Report, tmp_path: Path) -> None:
    texts = []
    for jobs in ("1", "2"):
        out = tmp_path / f"{jobs}.json"
        report("good.py", "bad.py", "--jobs", jobs, "--json", str(out))
        data = json.loads(out.read_text())
        times = data["run"].pop("times")
        assert set(times["claims"]) == {c["id"] for c in data["claims"]}
        texts.append(json.dumps(data))
    assert texts[0] == texts[1]
    assert str(tmp_path) not in texts[0]
    assert os.listdir(tmp_path) == ["1.json", "2.json"] or sorted(os.listdir(tmp_path)) == ["1.json", "2.json"]


def test_the_starter_file_runs_as_it_is(report: Report) -> None:
    assert report("--new", "my-first claims.py").returncode == 0
    done = report("my-first claims.py", "--jobs", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 claims: 5 hold; mutants 10/10 killed; alpha used 7.8e-05 (1 statistical claim)" in done.stdout
    assert "warning" not in done.stdout
    assert "my_first_claims/bernoulli" in done.stdout
    for word in ("certified", "proved", "statistical"):
        assert word in done.stdout


def test_O_changes_no_verdict_and_OO_is_refused(report: Report) -> None:
    done = report("good.py", "--jobs", "1", flags=("-O",))
    assert done.returncode == 0
    assert "3 claims: 3 hold; mutants 6/6 killed" in done.stdout
    refused = report("good.py", flags=("-OO",))
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "docstring" in refused.stderr


@pytest.mark.parametrize("words", [["--help"], ["--list"]])
def test_help_and_list_load_no_heavy_library(words: list[str], files: Path) -> None:
    code = (
        "import sys\nfrom theorems.report.cli import main\n"
        f"try:\n    main({words!r})\nexcept SystemExit:\n    pass\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), cwd=files, capture_output=True, text=True, timeout=60
    )
    assert done.stderr.splitlines()[-1] == "[]"


def test_a_broken_pipe_is_silent(files: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "theorems.report", "good.py", "--list"],
        env=environment(),
        cwd=files,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    assert child.stderr.read() == ""
    child.stderr.close()
    assert child.wait(60) == 0


def test_an_interrupt_prints_what_is_finished_and_exits_with_130(files: Path) -> None:
    (files / "slow.py").write_text(
        "import time\nfrom theorems import Integers, Paper\nPAPER = Paper(key='slowclaims', title='Slow')\n"
        "@PAPER.bound(domain=dict(n=Integers(0, 3)), quick=2)\ndef quick(n, *, z=4):\n    '''n'''\n    return n, z\n"
        "quick.mutant('a', z=-1)\nquick.mutant('b', z=-2)\n"
        "@PAPER.bound(domain=dict(n=Integers(0, 3)), quick=2)\ndef slow(n, *, z=4):\n    '''n'''\n    time.sleep(60)\n    return n, z\n"
        "slow.mutant('a', z=-1)\nslow.mutant('b', z=-2)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-m", "theorems.report", "slow.py", "--jobs", "2", "--json", "slow.json"],
        preexec_fn=interruptible,
        env=environment(),
        cwd=files,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stderr is not None
    assert "slowclaims/quick holds" in child.stderr.readline()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert child.returncode == 130
    assert "slowclaims/quick" in out
    assert "interrupted: 1 of 2 claims were not finished" in out
    assert "Traceback" not in err
    assert json.loads((files / "slow.json").read_text())["run"]["unfinished"] == ["slowclaims/slow"]


@pytest.mark.parametrize("no_colour", [False, True])
def test_a_terminal_gets_glyphs_and_colour_unless_NO_COLOR_is_set(no_colour: bool, files: Path) -> None:
    ours, theirs = pty.openpty()
    extra = {"TERM": "xterm-256color", "COLUMNS": "100", **({"NO_COLOR": "1"} if no_colour else {})}
    child = subprocess.Popen(
        [sys.executable, "-m", "theorems.report", "good.py", "bad.py", "--jobs", "1"],
        env=environment(**extra),
        cwd=files,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    text = b""
    while chunk := _read(ours):
        text += chunk
    os.close(ours)
    assert child.wait(60) == 1
    shown = text.decode()
    assert "✓ holds" in shown
    assert "✗ refuted" in shown
    assert ("\x1b[" in shown) is not no_colour
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    assert all(len(line) <= 100 for line in plain if "$ python" not in line)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other side is closed
        return b""
