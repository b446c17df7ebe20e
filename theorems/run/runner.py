"""The run itself: tasks go out, results come back in any order, verdicts are judged in index order."""

from __future__ import annotations

import importlib.metadata
import platform
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from theorems.claim import Claim
from theorems.run import plan
from theorems.run.codec import Encoded
from theorems.run.evaluate import Settings
from theorems.run.judge import judge
from theorems.run.pool import Pool, serial
from theorems.run.results import BlockResult, ClaimResult, Run, Verdict
from theorems.run.work import Task, decode_rows

_VERSIONED = ("theorems", "python-flint", "sympy", "mpmath", "numpy", "scipy", "cvxpy", "clarabel", "highspy")


@dataclass(frozen=True)
class Event:
    """Progress: `planned` once, `done` after each task, `claim` when a verdict is known."""

    kind: str
    total_tasks: int
    done_tasks: int
    claim: ClaimResult | None = None


@dataclass
class _Job:
    """One claim on its way: its tasks by global index and what they returned."""

    source: str
    claim: Claim
    place: int
    tasks: list[int] = field(default_factory=list)
    mutants: list[int] = field(default_factory=list)
    overall: list[tuple[int, int]] = field(default_factory=list)  # (global index, check)
    waiting: int = 0  # check tasks still out
    left: int = 0  # all tasks still out


class _Board:
    """All tasks of a run; overall checks are added when the rows that they need are known."""

    def __init__(self, claims: Sequence[tuple[str, Claim]], settings: Settings) -> None:
        self.settings = settings
        self.tasks: list[Task] = []
        self.owner: list[_Job] = []
        self.results: dict[int, BlockResult] = {}
        self.jobs = [_Job(source, claim, place) for place, (source, claim) in enumerate(claims)]
        self.ready: deque[int] = deque()
        self.last = len(self.jobs)  # claims past this place in the order are not started any more
        for job in self.jobs:
            for task in plan.check_tasks(job.source, job.claim, settings):
                job.tasks.append(self._add(job, task))
            for task in plan.mutant_tasks(job.source, job.claim):
                job.mutants.append(self._add(job, task))
            job.waiting = len(job.tasks)
            job.left = job.waiting + len(job.mutants)
            job.left += sum(c.role == "overall" for c in job.claim.checks)
        self.total = len(self.tasks) + sum(c.role == "overall" for j in self.jobs for c in j.claim.checks)

    def _add(self, job: _Job, task: Task) -> int:
        index = len(self.tasks)
        self.tasks.append(task)
        self.owner.append(job)
        self.ready.append(index)
        return index

    def stream(self) -> Iterator[tuple[int, Task]]:
        """Tasks that can be started now; asked again, it goes on with what was added meanwhile."""
        while self.ready:
            index = self.ready.popleft()
            if self.owner[index].place <= self.last:
                yield index, self.tasks[index]

    def settled(self) -> bool:
        """Whether every claim that still counts is finished."""
        return all(job.left == 0 for job in self.jobs[: self.last + 1])

    def store(self, index: int, result: BlockResult) -> _Job | None:
        """Keep a result; returns the job when it was its last."""
        job = self.owner[index]
        self.results[index] = result
        job.left -= 1
        if self.tasks[index].mutant < 0 and job.claim.checks[self.tasks[index].check].role != "overall":
            job.waiting -= 1
            if job.waiting == 0:
                self._add_overall(job)
        return job if job.left == 0 else None

    def _add_overall(self, job: _Job) -> None:
        tables: dict[str, list[Encoded]] = {}
        for index in job.tasks:
            for table, row in self.results[index].records:
                tables.setdefault(table, []).append(row)
        for i, check in enumerate(job.claim.checks):
            if check.role == "overall":
                added = self._add(job, Task(job.source, job.claim.id, check=i, tables=tables))
                self.ready.remove(added)
                self.ready.appendleft(added)
                job.overall.append((added, i))

    def verdict(self, job: _Job) -> ClaimResult:
        """Judge a job from what is known (tasks that were never done are missing, not passed)."""
        blocks = [(self.tasks[i].check, self.results[i]) for i in job.tasks if i in self.results]
        blocks += [(check, self.results[i]) for i, check in job.overall if i in self.results]
        result = judge(job.claim, blocks, [self.results.get(i) for i in job.mutants], self.settings)
        for _, block in blocks:
            for table, row in block.records:
                result.records.setdefault(table, []).extend(decode_rows([row]))
        return result


def run_claims(
    claims: Sequence[tuple[str, Claim]],
    settings: Settings,
    *,
    jobs: int = 1,
    fail_fast: bool = False,
    watch: Callable[[Event], None] | None = None,
    executor: str = "processes",
) -> Run:
    """Check claims and judge them.

    Args:
        claims: (paper key or path of the file, claim) pairs.
        settings: seed, budget, counts, guards.
        jobs: number of worker processes.
        fail_fast: end with the first claim, in the given order, that does not hold.
        watch: called with progress events.
        executor: "processes" (guarded, the default) or "serial" (in this process, without guards).

    Returns:
        The run; on Ctrl-C with `interrupted` set and the claims that were finished.
    """
    started = time.perf_counter()
    board = _Board(claims, settings)
    notify = watch or (lambda event: None)
    finished: dict[str, ClaimResult] = {}
    interrupted = False
    done = 0
    notify(Event("planned", board.total, 0))
    pool = Pool(jobs, settings) if executor == "processes" else None
    try:
        tasks = _Reader(board)
        results = pool.results(tasks) if pool is not None else serial(tasks, settings)
        for index, result in results:
            done += 1
            notify(Event("done", board.total, done))
            job = board.store(index, result)
            if job is not None:
                verdict = finished[job.claim.id] = board.verdict(job)
                notify(Event("claim", board.total, done, verdict))
                if fail_fast and verdict.verdict is not Verdict.HOLDS:
                    board.last = min(board.last, job.place)
                if fail_fast and board.settled():
                    break
    except KeyboardInterrupt:
        interrupted = True
    finally:
        if pool is not None:
            pool.kill()
    order = [claim.id for _, claim in claims[: board.last + 1]]
    return Run(
        seed=settings.seed,
        budget=settings.budget,
        instances=settings.instances,
        alpha=settings.alpha,
        versions=versions(),
        claims=[finished[i] for i in order if i in finished],
        interrupted=interrupted,
        seconds=time.perf_counter() - started,
        jobs=jobs,
        unfinished=[claim.id for _, claim in claims if claim.id not in order or claim.id not in finished],
    )


class _Reader(Iterator[tuple[int, Task]]):
    """An iterator over the board that may run dry and fill again."""

    def __init__(self, board: _Board) -> None:
        self._board = board

    def __next__(self) -> tuple[int, Task]:
        for item in self._board.stream():
            return item
        raise StopIteration


def versions() -> dict[str, str]:
    """Versions of Python and the libraries that results depend on."""
    found = {"python": platform.python_version()}
    for name in _VERSIONED:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found
