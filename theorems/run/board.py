"""All tasks of a run: planned lazily, handed out in chunks, merged in index order.

What is kept does not grow with the number of instances: each claim hands out at most `WINDOW` blocks beyond the last
one that is merged.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from theorems.claim import Claim
from theorems.run import plan
from theorems.run.account import Account
from theorems.run.codec import Encoded, decode_rows
from theorems.run.evaluate import Settings
from theorems.run.judge import judge
from theorems.run.results import BlockResult, ClaimResult
from theorems.run.work import Task

WINDOW = 256  # blocks of a claim that may be out or waiting for an earlier one
CHUNK_SECONDS = 0.5  # what a worker is given at a time: so many blocks as take about this long ...
LARGEST_CHUNK = 64  # ... and at most this many

CHECK, MUTANT, OVERALL, SEARCH = "check", "mutant", "overall", "search"


@dataclass(frozen=True)
class Item:
    """A task and where its result belongs.

    Attributes:
        job: place of the claim in the run.
        kind: "check", "mutant", "overall" or "search".
        order: number of the task among those of its kind.
        task: what is to be done.
    """

    job: int
    kind: str
    order: int
    task: Task


@dataclass
class _Pace:
    """Measured cost of some tasks."""

    seconds: float = 0.0
    amount: int = 0

    def add(self, seconds: float, amount: int) -> None:
        self.seconds += seconds
        self.amount += amount

    def fitting(self, amount: int) -> int:
        """How many tasks of that size take about `CHUNK_SECONDS`; one as long as nothing is known."""
        if not self.amount:
            return 1
        each = self.seconds / self.amount * max(amount, 1)
        return max(1, min(LARGEST_CHUNK, int(CHUNK_SECONDS / max(each, 1e-6))))


@dataclass(eq=False)
class Job:
    """One claim on its way."""

    source: str
    claim: Claim
    place: int
    checks: Iterator[Task]
    total: int  # check tasks
    left: int  # all tasks whose results are still to come
    handed: int = 0
    merged: int = 0
    early: dict[int, tuple[int, BlockResult]] = field(default_factory=dict)
    account: Account = field(default_factory=Account)
    mutants: dict[int, BlockResult] = field(default_factory=dict)
    mutants_handed: int = 0
    overall: dict[int, tuple[int, BlockResult]] = field(default_factory=dict)
    searches: list[Task] = field(default_factory=list)
    searches_handed: int = 0
    searched: dict[int, tuple[int, BlockResult]] = field(default_factory=dict)
    paces: dict[tuple[int, int], _Pace] = field(default_factory=dict)
    peeked: Task | None = None

    def peek(self) -> Task | None:
        """The next check task, which stays the next."""
        if self.peeked is None:
            self.peeked = next(self.checks, None)
        return self.peeked

    def pace(self, task: Task) -> _Pace:
        """The measured cost of tasks like this one."""
        place = (-1, -1) if task.mutant >= 0 else (task.check, task.family)
        return self.paces.setdefault(place, _Pace())


class Board:
    """The state of a run.

    Args:
        claims: (paper key or path of the file, claim) pairs.
        settings: the run's settings.
    """

    def __init__(self, claims: Sequence[tuple[str, Claim]], settings: Settings) -> None:
        self.settings = settings
        self.jobs = [self._job(place, source, claim) for place, (source, claim) in enumerate(claims)]
        self.total = sum(job.left for job in self.jobs)
        self.last = len(self.jobs)  # claims past this place in the order are not started any more
        self._open = deque(self.jobs)
        self._urgent: deque[Item] = deque()

    def _job(self, place: int, source: str, claim: Claim) -> Job:
        total = plan.number_of_tasks(claim, self.settings)
        searches = plan.search_tasks(source, claim, self.settings)
        left = total + len(claim.mutants) + sum(c.role == "overall" for c in claim.checks) + len(searches)
        tasks = plan.check_tasks(source, claim, self.settings)
        return Job(source, claim, place, tasks, total, left, searches=searches)

    def take(self) -> list[Item]:
        """Tasks for one worker, of one claim and family; empty when nothing can be started now."""
        if self._urgent:
            return [self._urgent.popleft()]
        for job in list(self._open):
            if job.place > self.last:
                return []
            items = self._blocks(job) or self._mutants(job) or self._searches(job)
            if items:
                return items
            if (
                job.handed == job.total
                and job.searches_handed == len(job.searches)
                and job.mutants_handed == len(job.claim.mutants)
            ):
                self._open.remove(job)
        return []

    def restart(self, place: int) -> None:
        """Begin a claim anew."""
        old = self.jobs[place]
        self.jobs[place] = self._job(place, old.source, old.claim)
        self.total += self.jobs[place].left
        self._open.appendleft(self.jobs[place])

    def _blocks(self, job: Job) -> list[Item]:
        items: list[Item] = []
        most = 1
        while (task := job.peek()) is not None and job.handed - job.merged < WINDOW:
            if not items:
                most = job.pace(task).fitting(task.stop - task.start)
            elif len(items) >= most or job.pace(task) is not job.pace(items[0].task):
                break
            job.peeked = None
            items.append(Item(job.place, CHECK, job.handed, task))
            job.handed += 1
        return items

    def _mutants(self, job: Job) -> list[Item]:
        first = job.mutants_handed
        most = job.paces.get((-1, -1), _Pace()).fitting(1)
        job.mutants_handed = min(first + most, len(job.claim.mutants))
        return [
            Item(job.place, MUTANT, m, Task(job.source, job.claim.id, mutant=m))
            for m in range(first, job.mutants_handed)
        ]

    def _searches(self, job: Job) -> list[Item]:
        order = job.searches_handed
        job.searches_handed = min(order + 1, len(job.searches))
        return [Item(job.place, SEARCH, order, task) for task in job.searches[order : order + 1]]

    def settled(self) -> bool:
        """Whether every claim that still counts is finished."""
        return all(job.left == 0 for job in self.jobs[: self.last + 1])

    def store(self, item: Item, result: BlockResult) -> ClaimResult | None:
        """Take a result in; returns the verdict when it was the claim's last."""
        job = self.jobs[item.job]
        job.left -= 1
        if item.kind in (CHECK, MUTANT):
            job.pace(item.task).add(result.seconds, 1 if item.kind == MUTANT else item.task.stop - item.task.start)
        if item.kind == MUTANT:
            job.mutants[item.order] = result
        elif item.kind == OVERALL:
            job.overall[item.order] = (item.task.check, result)
        elif item.kind == SEARCH:
            job.searched[item.order] = (item.task.check, result)
        else:
            job.early[item.order] = (item.task.check, result)
            while job.merged in job.early:
                job.account.add(*job.early.pop(job.merged))
                job.merged += 1
            if job.merged == job.total:
                self._add_overall(job)
        return self._verdict(job) if job.left == 0 else None

    def _add_overall(self, job: Job) -> None:
        tables: dict[str, list[Encoded]] = job.account.records
        checks = [i for i, c in enumerate(job.claim.checks) if c.role == "overall"]
        for order, i in reversed(list(enumerate(checks))):
            task = Task(job.source, job.claim.id, check=i, tables=tables)
            self._urgent.appendleft(Item(job.place, OVERALL, order, task))

    def _verdict(self, job: Job) -> ClaimResult:
        for order in sorted(job.overall):
            job.account.add(*job.overall[order])
        for order in sorted(job.searched):
            job.account.add(*job.searched[order])
        mutants = [job.mutants.get(m) for m in range(len(job.claim.mutants))]
        result = judge(job.claim, job.account, mutants, self.settings)
        result.records = {table: decode_rows(rows) for table, rows in job.account.records.items()}
        job.account = Account()
        job.mutants.clear()
        return result
