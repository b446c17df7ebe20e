"""Workers that die, hang or are interrupted: the claim is named, the rest goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.claim_files import Write, run
from tests.interrupts import interruptible
from theorems.run.results import Verdict

DIES = """
import os, signal, time
@PAPER.bound(quick=8, domain=dict(a=Integers(0, 7)), every=True)
def dies(a):
    "kills its worker"
    if a == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return a, 7
@PAPER.bound(quick=8, domain=dict(a=Integers(0, 7)), every=True)
def lives(a):
    "holds"
    return a, 7
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_task_that_kills_its_worker_ends_as_error_and_the_others_finish(jobs: int, write: Write) -> None:
    done = run(write(DIES), executor="processes", jobs=jobs)
    assert {c.id.split("/")[1]: c.verdict for c in done.claims} == {"dies": Verdict.ERROR, "lives": Verdict.HOLDS}
    assert "worker process died" in done.claims[0].reason


def test_flint_aborting_on_an_absurd_size_is_contained(write: Write) -> None:
    body = """
    from flint import fmpz_mat
    @PAPER.bound(quick=4, domain=dict(a=Integers(0, 3)), every=True)
    def absurd(a):
        "asks FLINT for more memory than there is"
        fmpz_mat(1 << 20, 1 << 20)
        return a, 7
    @PAPER.bound(quick=4, domain=dict(a=Integers(0, 3)), every=True)
    def lives(a):
        "holds"
        return a, 7
    """
    done = run(write(body), executor="processes", jobs=1, memory=2 << 30)
    assert [c.verdict for c in done.claims] == [Verdict.ERROR, Verdict.HOLDS]


def test_what_overruns_its_clock_is_inconclusive(write: Write) -> None:
    body = """
    import time
    @PAPER.bound(quick=4, domain=dict(a=Integers(0, 3)), every=True)
    def hangs(a):
        "never ends"
        time.sleep(1000)
        return a, 7
    @PAPER.bound(quick=4, domain=dict(a=Integers(0, 3)), every=True)
    def lives(a):
        "holds"
        return a, 7
    """
    done = run(write(body), executor="processes", jobs=2, seconds=10.0)
    assert [c.verdict for c in done.claims] == [Verdict.INCONCLUSIVE, Verdict.HOLDS]
    assert "stopped after 10 s" in done.claims[0].reason


def test_workers_run_one_thread_each(write: Write) -> None:
    body = """
    import os
    @PAPER.identity(quick=4, domain=dict(a=Integers(0, 3)), every=True)
    def threads(a):
        "one thread"
        return os.environ.get("OMP_NUM_THREADS", ""), "1"
    """
    assert run(write(body), executor="processes").claims[0].verdict is Verdict.HOLDS


def test_interruption_reports_what_is_finished(write: Write) -> None:
    path = write(
        """
        import time
        @PAPER.bound(quick=4, domain=dict(a=Integers(0, 3)), every=True)
        def first(a):
            "holds"
            return a, 7
        @PAPER.bound(quick=4, domain=dict(a=Integers(0, 3)), every=True)
        def slow(a):
            "sleeps"
            time.sleep(60)
            return a, 7
        """
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "theorems.report", str(path), "--jobs", "1"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=interruptible,
    )  # fmt: skip
    time.sleep(5)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, (out, err)
    assert "first" in out
    assert "Traceback" not in err
