"""Worker processes with guards from outside: a worker that dies or overruns is replaced, its task is named.

FLINT can end its process on absurd sizes, and C code ignores Python's own time-outs, so tasks never run in the
runner's process. At most one chunk of tasks a worker is in flight, which makes the culprits of a crash few; suspects
are then tried again one by one.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Any

from theorems.run.board import Item
from theorems.run.evaluate import Settings
from theorems.run.results import BlockResult
from theorems.run.work import perform, perform_all

Finished = tuple[Item, BlockResult]
RETRIES = 2
HEARTBEAT = 30.0  # seconds of silence after which the runner says what it waits for
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "FLINT_NUM_THREADS"), "1"
)


class Serial:
    """Does tasks in this process, in order, without guards (for tests and profilers)."""

    jobs = 1

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.waiting: Callable[[list[str]], None] = lambda tasks: None
        self._done: list[Finished] = []

    def free(self) -> bool:
        """Whether more can be submitted."""
        return not self._done

    def submit(self, items: Sequence[Item]) -> None:
        """Do some tasks at once."""
        self._done += [(item, perform(item.task, self.settings)) for item in items]

    def wait(self) -> list[Finished]:
        """What was done since the last call; empty when nothing is left."""
        done, self._done = self._done, []
        return done

    def kill(self) -> None:
        """Nothing to end."""


def _prepare(memory: int, paths: list[str]) -> None:
    """In each worker: leave Ctrl-C to the runner, limit memory, and import from where the runner imports."""
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
    items: Sequence[Item]
    deadline: float
    tries: int


class Pool:
    """Worker processes behind the `concurrent.futures` interface, with guards from outside.

    Args:
        jobs: the number of workers.
        settings: the run's settings; its guards are enforced here.
        start: makes the executor; called again after its workers had to be killed.
        end: ends an executor and its workers at once.
        shared_fate: whether the death of one worker ends all; otherwise the executor itself tries again `RETRIES` times
            before it says that a worker died.
    """

    def __init__(
        self,
        jobs: int,
        settings: Settings,
        start: Callable[[int, Settings], Any] | None = None,
        end: Callable[[Any], None] | None = None,
        shared_fate: bool = True,
    ) -> None:
        self.jobs = jobs
        self.settings = settings
        self._make, self._end = start or _loky, end or _end_loky
        self._shared_fate = shared_fate
        self._executor: Any = None
        self.waiting: Callable[[list[str]], None] = lambda tasks: None
        self._running: dict[Future[list[BlockResult]], _Running] = {}
        self._again: deque[tuple[Item, int]] = deque()  # suspects of a crash with their tries, done one at a time

    def adopt(self, executor: Any) -> None:
        """Use an executor that is already there."""
        self._executor = executor

    def kill(self) -> None:
        """End all workers at once."""
        if self._executor is not None:
            self._end(self._executor)
            self._executor = None

    def free(self) -> bool:
        """Whether a worker is idle and no suspect waits to be tried alone."""
        return not self._again and len(self._running) < self.jobs

    def submit(self, items: Sequence[Item]) -> None:
        """Give some tasks to a worker, to be done one after the other."""
        self._submit(items, 0)

    def wait(self) -> list[Finished]:
        """Wait until something is finished; empty when nothing runs any more."""
        finished: list[Finished] = []
        while not finished:
            alone = bool(self._again) and not self._running
            if alone:
                item, tries = self._again.popleft()
                self._submit([item], tries)
            if not self._running:
                break
            left = max(0.0, min(r.deadline for r in self._running.values()) - time.monotonic())
            done, _ = wait(self._running, timeout=min(left, HEARTBEAT), return_when=FIRST_COMPLETED)
            if not done and left > HEARTBEAT:
                self.waiting([str(r.items[0].task) for r in self._running.values()])
                continue
            finished = self._collect(done, alone) if done else self._expired()
        return finished

    def _submit(self, items: Sequence[Item], tries: int) -> None:
        if self._executor is None:
            self._executor = self._make(self.jobs, self.settings)
        try:
            future = self._executor.submit(perform_all, [i.task for i in items], self.settings)
        except Exception as error:  # the workers died while nothing was waited for
            if not is_crash(error):
                raise
            self.kill()
            self._executor = self._make(self.jobs, self.settings)
            future = self._executor.submit(perform_all, [i.task for i in items], self.settings)
        self._running[future] = _Running(items, time.monotonic() + self.settings.seconds, tries)

    def _collect(self, done: Iterable[Future[list[BlockResult]]], alone: bool) -> list[Finished]:
        finished: list[Finished] = []
        crashed: list[_Running] = []
        for future in done:
            run = self._running.pop(future)
            try:
                finished += zip(run.items, future.result())
            except Exception as error:
                if is_crash(error):
                    crashed.append(run)
                else:
                    lost = BlockResult(error=f"{type(error).__name__}: {error}", lost=True)
                    finished += [(item, lost) for item in run.items]
        if crashed and not self._shared_fate:
            for run in crashed:
                if len(run.items) == 1:
                    finished.append((run.items[0], _died(RETRIES + 1)))
                else:
                    self._again.extend((item, 0) for item in run.items)
        elif crashed:
            crashed += self._running.values()
            self._running.clear()
            self.kill()
            finished += self._retry(crashed, alone)
        return finished

    def _expired(self) -> list[Finished]:
        """Kill the workers; a task that overran is inconclusive, the others (of a chunk: all) are done again."""
        now = time.monotonic()
        runs = list(self._running.values())
        self._running.clear()
        self.kill()
        finished: list[Finished] = []
        for run in runs:
            if run.deadline <= now and len(run.items) == 1:
                trouble = f"time: the task was stopped after {self.settings.seconds:g} s"
                result = BlockResult(trouble=trouble, seconds=self.settings.seconds, lost=True)
                finished.append((run.items[0], result))
            else:
                self._again.extend((item, run.tries) for item in run.items)
        return finished

    def _retry(self, crashed: list[_Running], alone: bool) -> list[Finished]:
        """Try suspects one by one; only a task that was alone when its worker died is charged with a try."""
        finished: list[Finished] = []
        suspects = sum(len(r.items) for r in crashed)
        for run in sorted(crashed, key=lambda r: (r.items[0].job, r.items[0].kind, r.items[0].order)):
            tries = run.tries + (1 if alone or suspects == 1 else 0)
            for item in run.items:
                if tries > RETRIES:
                    finished.append((item, _died(tries)))
                else:
                    self._again.append((item, tries))
        return finished


def _died(tries: int) -> BlockResult:
    error = f"the worker process died {tries} times on this task (memory, or a crash in C code)"
    return BlockResult(error=error, lost=True)


def _loky(jobs: int, settings: Settings) -> Any:
    from loky import ProcessPoolExecutor

    return ProcessPoolExecutor(
        max_workers=jobs,
        env=ONE_THREAD,
        initializer=_prepare,
        initargs=(settings.memory, [p for p in sys.path if p] + [os.getcwd()]),
        timeout=None,
    )


def _end_loky(executor: Any) -> None:
    executor.shutdown(wait=True, kill_workers=True)


def is_crash(error: BaseException) -> bool:
    """Whether an executor's error says that a worker ended, rather than that its task raised."""
    from concurrent.futures.process import BrokenProcessPool

    return isinstance(error, BrokenProcessPool) or type(error).__name__ in (
        "TerminatedWorkerError",
        "ShutdownExecutorError",
        "KilledWorker",
    )
