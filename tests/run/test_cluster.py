"""A Dask cluster gives the same results as this process, and workers that differ are refused."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.claim_files import HEADER, Write, load
from tests.run.test_ledger import CLAIMS, bytes_of
from theorems.run import cluster
from theorems.run.errors import ClusterError
from theorems.run.evaluate import Settings
from theorems.run.runner import run_claims

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def scheduler() -> Iterator[Any]:
    """A cluster of two workers that somebody else has started; its scheduler gives a task up at the first death."""
    import dask

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as started,
    ):
        yield started


def test_a_cluster_gives_the_same_json_as_this_process(scheduler: Any, write: Write) -> None:
    path = write(CLAIMS)
    claims = [(str(path), c) for c in load(path).claims.values()]
    here = run_claims(claims, Settings(), executor="serial")
    there = run_claims(claims, Settings(), cluster=scheduler.scheduler_address)
    assert there.jobs == 2
    assert bytes_of(path, there) == bytes_of(path, here)


def test_a_task_that_kills_its_worker_ends_as_error_and_the_others_finish(scheduler: Any, write: Write) -> None:
    path = write("""
    import os, signal
    @PAPER.bound(quick=4, domain=dict(a=Integers(0, 3)), every=True)
    def dies(a):
        "kills its worker"
        os.kill(os.getpid(), signal.SIGKILL)
        return a, 7
    @PAPER.bound(quick=8, domain=dict(a=Integers(0, 7)), every=True)
    def lives(a):
        "holds"
        return a, 7
    """)
    claims = [(str(path), c) for c in load(path).claims.values()]
    run = run_claims(claims, Settings(), cluster=scheduler.scheduler_address)
    assert [str(c.verdict) for c in run.claims] == ["error", "holds"]
    assert "worker process died" in run.claims[0].reason


@pytest.mark.parametrize("item", ["numpy", "sources"])
def test_a_worker_with_another_version_or_fingerprint_is_refused(
    item: str, scheduler: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "about_here", lambda: {**here, item: "another"})
    here = {**cluster.versions(), "sources": "s"}
    with pytest.raises(ClusterError, match=r"the worker tcp://\S+ is refused: .*another here"):
        cluster.pool(scheduler.scheduler_address, Settings(), [])


def test_a_worker_with_threads_is_refused() -> None:
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0", silence_logs=50
        ) as threaded,
        pytest.raises(ClusterError, match=r"2 threads in one process.*--nthreads 1"),
    ):
        cluster.pool(threaded.scheduler_address, Settings(), [])


def test_an_address_where_nobody_answers_is_wrong_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    with pytest.raises(ClusterError, match=r"cannot reach the cluster tcp://127\.0\.0\.1:9"):
        cluster.pool("tcp://127.0.0.1:9", Settings(), [])
    for address in ("local:0", "local:many"):
        with pytest.raises(ClusterError, match="a number of workers"):
            cluster.pool(address, Settings(), [])


def test_the_command_line_runs_on_a_local_cluster(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        HEADER.format(key="on_a_cluster")
        + '@PAPER.bound(domain=dict(a=Integers(0, 9)))\ndef f(a, *, k=9):\n    "a <= 9"\n    return a, k\nf.mutant("8", k=8)\n'
    )
    command = [sys.executable, "-m", "theorems.report", str(path)]
    texts = []
    for name, option in (("a", ["--cluster", "local:1"]), ("b", ["--jobs", "1"])):
        done = subprocess.run(
            [*command, *option, "--json", str(tmp_path / name)], capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        data = json.loads((tmp_path / name).read_text())
        del data["run"]["times"]
        texts.append(data)
    assert texts[0] == texts[1]
    both = subprocess.run([*command, "--cluster", "local:2", "--jobs", "2"], capture_output=True, text=True, timeout=60)
    assert both.returncode == 2
    assert "--jobs does not go with --cluster" in both.stderr
