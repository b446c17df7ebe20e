"""The same run on a Dask cluster: `--cluster ADDRESS`, or `--cluster local:N` for a try on this machine.

Tasks travel by name. A worker needs the same version of the package and of the numeric libraries, and one thread a
process (precision is a property of the process); any other is refused before it does anything. A user's claim file is sent
along.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from theorems.run.errors import ClusterError
from theorems.run.evaluate import Settings
from theorems.run.fingerprint import environment
from theorems.run.pool import ONE_THREAD, RETRIES, Pool
from theorems.run.versions import versions

PATIENCE = 20  # seconds for a scheduler to answer
_ROOT = Path(__file__).resolve().parents[2]


def pool(address: str, settings: Settings, sources: Sequence[str]) -> Pool:
    """Workers of a cluster behind the interface of the runner's own.

    Args:
        address: of a scheduler (tcp://host:8786), or "local:N" for N workers on this machine.
        settings: the run's settings.
        sources: what the claims come from; files among them are sent to the workers.

    Raises:
        ClusterError: when there is no such cluster, no Dask, or a worker that does not match.
    """
    files = {s: Path(s).read_bytes() for s in dict.fromkeys(sources) if s.endswith(".py")}
    cluster = _Cluster(address, files, settings)
    executor = cluster.start(0, settings)
    workers = Pool(cluster.threads, settings, cluster.start, cluster.end, shared_fate=False)
    workers.adopt(executor)
    return workers


class _Cluster:
    """Connects, checks the workers, and ends what was started."""

    def __init__(self, address: str, files: dict[str, bytes], settings: Settings) -> None:
        self.address, self.files, self.settings = address, files, settings
        self.threads = 0
        self._client: Any = None
        self._local: Any = None

    def start(self, jobs: int, settings: Settings) -> Any:
        """An executor of the cluster (again after `end`)."""
        try:
            import dask
            from distributed import Client, LocalCluster
        except ImportError:
            raise ClusterError("--cluster needs Dask: pip install dask distributed") from None
        dask.config.set({"distributed.scheduler.allowed-failures": RETRIES})
        try:
            if self.address.startswith("local:"):
                self._local = LocalCluster(  # type: ignore[no-untyped-call]
                    n_workers=_number(self.address), threads_per_worker=1, processes=True, dashboard_address=None,
                    memory_limit=settings.memory, env=dict(ONE_THREAD), silence_logs=50,
                )  # fmt: skip
            self._client = Client(self._local or self.address, timeout=PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            self.end(None)
            raise ClusterError(f"cannot reach the cluster {self.address}: {error}") from None
        try:
            self._check()
        except ClusterError:
            self.end(None)
            raise
        return self._client.get_executor(pure=False)

    def _check(self) -> None:
        """Refuse a cluster with a worker that differs, and send it the users' files."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        if not workers:
            raise ClusterError(f"the cluster {self.address} has no workers; start some with `dask worker --nthreads 1`")
        for address, about in workers.items():
            if about["nthreads"] != 1:
                raise ClusterError(
                    f"the worker {address} runs {about['nthreads']} threads in one process, and precision is a property of "
                    "the process; start it with --nthreads 1"
                )
        self.threads = len(workers)
        try:
            answers = self._client.run(prepare, self.files)
        except Exception as error:  # whatever a worker without the package raises
            raise ClusterError(f"a worker of {self.address} cannot load the package: {error}") from None
        mine = about_here()
        for address, theirs in answers.items():
            difference = differing(mine, theirs)
            if difference:
                raise ClusterError(f"the worker {address} is refused: {difference}")

    def end(self, executor: Any) -> None:
        """End the workers of a local cluster; of another one restart those that are busy with this run's tasks."""
        client, local = self._client, self._local
        self._client = self._local = None
        if client is not None and local is None and executor is not None:
            busy = [w for w, keys in client.processing().items() if any("perform_all" in str(k) for k in keys)]
            if busy:
                client.restart_workers(busy, raise_for_error=False)
        if client is not None:
            client.close()
        if local is not None:
            local.close()


def _number(address: str) -> int:
    text = address.partition(":")[2]
    if not text.isdigit() or not 1 <= int(text) <= 1024:
        raise ClusterError(f"--cluster {address}: local:N with a number of workers from 1 to 1024 is expected")
    return int(text)


@cache
def about_here() -> dict[str, str]:
    """What this process would compute with."""
    digest = hashlib.sha256()
    for top in ("solvers", "theorems"):
        for path in sorted((_ROOT / top).rglob("*.py")):
            digest.update(f"{path.relative_to(_ROOT)} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return {**versions(), "machine": environment().rpartition("]")[2].strip(), "sources": digest.hexdigest()[:16]}


def differing(mine: dict[str, str], theirs: dict[str, str]) -> str:
    """How another process differs, in words; empty when it does not."""
    for name, value in mine.items():
        other = theirs.get(name, "nothing")
        if other != value:
            what = "the sources of theorems and solvers" if name == "sources" else name
            return f"{what}: {other} there, {value} here; install the same there"
    return ""


def prepare(files: dict[str, bytes]) -> dict[str, str]:
    """On a worker: take in the users' files, and tell what would be computed with."""
    from theorems.run import work

    for name in ONE_THREAD:
        os.environ.setdefault(name, "1")
    for source, content in files.items():
        folder = Path(tempfile.mkdtemp(prefix="theorems-"))
        copy = folder / Path(source).name
        copy.write_bytes(content)
        work.PLACES[source] = str(copy)
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
    return about_here()
