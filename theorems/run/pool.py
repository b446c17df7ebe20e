"""Worker processes with guards from outside: a worker that dies or overruns is replaced, its task is named.

FLINT can end its process on absurd sizes, and C code ignores Python's own time-outs, so tasks never run in the
runner's process. At most one task a worker is in flight, which makes the culprit of a crash known up to the number
of workers; suspects are then tried again one by one.
"""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Any

from theorems.run.evaluate import Settings
from theorems.run.results import BlockResult
from theorems.run.work import Task, perform

RETRIES = 2
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "FLINT_NUM_THREADS"), "1"
)


def serial(tasks: Iterable[tuple[int, Task]], settings: Settings) -> Iterator[tuple[int, BlockResult]]:
    """Do tasks in this process, in order, without guards (for tests and profilers)."""
    for index, task in tasks:
        yield index, perform(task, settings)


def _prepare(memory: int, paths: list[str]) -> None:
    """In each worker: leave Ctrl-C to the runner, limit memory, and import from where the runner imports."""
    import sys

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for path in paths:
        if path not in sys.path:
            sys.path.append(path)
    try:
        import resource
    except ImportError:  # not on this platform: the operating system's own limits remain
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


@dataclass
class _Running:
    index: int
    task: Task
    deadline: float
    tries: int


class Pool:
    """Loky workers behind one generator: `results(tasks)` yields (index, result) as tasks finish."""

    def __init__(self, jobs: int, settings: Settings) -> None:
        self.jobs = jobs
        self.settings = settings
        self._executor: Any = None

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        """End all workers at once."""
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=True)
            self._executor = None

    def _start(self) -> Any:
        if self._executor is None:
            import sys

            from loky import ProcessPoolExecutor

            self._executor = ProcessPoolExecutor(
                max_workers=self.jobs,
                env=_ONE_THREAD,
                initializer=_prepare,
                initargs=(self.settings.memory, [p for p in sys.path if p] + [os.getcwd()]),
                timeout=None,
            )
        return self._executor

    def results(self, tasks: Iterator[tuple[int, Task]]) -> Iterator[tuple[int, BlockResult]]:
        """Do tasks; `tasks` may be extended by the caller between yields (it is read lazily).

        Args:
            tasks: (index, task) pairs; the iterator is read again after each yield until it is exhausted and nothing
                runs.
        """
        running: dict[Future[BlockResult], _Running] = {}
        again: deque[tuple[int, Task, int]] = deque()  # suspects of a crash, tried alone
        while True:
            alone = bool(again) and not running
            if alone:
                index, task, tries = again.popleft()
                self._submit(running, index, task, tries)
            elif not again:
                while len(running) < self.jobs:
                    following = next(tasks, None)
                    if following is None:
                        break
                    self._submit(running, *following, 0)
            if not running:
                if again:
                    continue
                return
            soonest = min(r.deadline for r in running.values())
            done, _ = wait(running, timeout=max(0.0, soonest - time.monotonic()), return_when=FIRST_COMPLETED)
            if not done:
                yield from self._expired(running, again)
                continue
            crashed: list[_Running] = []
            for future in done:
                item = running.pop(future)
                try:
                    yield item.index, future.result()
                except Exception as error:
                    if not _is_crash(error):
                        yield item.index, BlockResult(error=f"{type(error).__name__}: {error}")
                    else:
                        crashed.append(item)
            if crashed:
                crashed += running.values()
                running.clear()
                self.kill()
                yield from self._retry(crashed, again, alone)

    def _submit(self, running: dict[Future[BlockResult], _Running], index: int, task: Task, tries: int) -> None:
        future = self._start().submit(perform, task, self.settings)
        running[future] = _Running(index, task, time.monotonic() + self.settings.seconds, tries)

    def _expired(
        self, running: dict[Future[BlockResult], _Running], again: deque[tuple[int, Task, int]]
    ) -> Iterator[tuple[int, BlockResult]]:
        """Kill the workers; what overran is inconclusive, the innocent are done again."""
        now = time.monotonic()
        items = list(running.values())
        running.clear()
        self.kill()
        for item in items:
            if item.deadline <= now:
                limit = f"{self.settings.seconds:g} s"
                yield (
                    item.index,
                    BlockResult(trouble=f"time: the task was stopped after {limit}", seconds=self.settings.seconds),
                )
            else:
                again.append((item.index, item.task, item.tries))

    def _retry(
        self, crashed: list[_Running], again: deque[tuple[int, Task, int]], alone: bool
    ) -> Iterator[tuple[int, BlockResult]]:
        """Try suspects one by one; only a task that was alone when its worker died is charged with a try."""
        for item in sorted(crashed, key=lambda r: r.index):
            tries = item.tries + (1 if alone or len(crashed) == 1 else 0)
            if tries > RETRIES:
                yield (
                    item.index,
                    BlockResult(
                        error=f"the worker process died {tries} times on this task (memory, or a crash in C code)"
                    ),
                )
            else:
                again.append((item.index, item.task, tries))


def _is_crash(error: BaseException) -> bool:
    from concurrent.futures.process import BrokenProcessPool

    return isinstance(error, BrokenProcessPool) or type(error).__name__ in (
        "TerminatedWorkerError",
        "ShutdownExecutorError",
    )
