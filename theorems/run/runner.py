"""The run itself: tasks go out, results come back in any order, verdicts are judged in index order."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from theorems.claim import Claim
from theorems.run.board import Board, Item
from theorems.run.doubt import AGAIN, Doubt, doubt
from theorems.run.evaluate import Settings
from theorems.run.keeper import Keeper
from theorems.run.pool import Pool, Serial
from theorems.run.results import BlockResult, ClaimResult, Run, Verdict
from theorems.run.versions import versions

if TYPE_CHECKING:
    from theorems.run.ledger import Ledger

__all__ = ["Event", "run_claims", "versions"]


@dataclass(frozen=True)
class Event:
    """Progress: `planned` once, `done` after each task, `claim` when a verdict is known, `waiting` in long silences."""

    kind: str
    total_tasks: int
    done_tasks: int
    claim: ClaimResult | None = None
    waiting: tuple[str, ...] = ()


def run_claims(
    claims: Sequence[tuple[str, Claim]],
    settings: Settings,
    *,
    jobs: int = 1,
    fail_fast: bool = False,
    watch: Callable[[Event], None] | None = None,
    executor: str = "processes",
    ledger: Ledger | None = None,
    cluster: str = "",
) -> Run:
    """Check claims and judge them.

    Args:
        claims: (paper key or path of the file, claim) pairs.
        settings: seed, budget, counts, guards.
        jobs: number of worker processes.
        fail_fast: end with the first claim, in the given order, that does not hold.
        watch: called with progress events.
        executor: "processes" (guarded, the default) or "serial" (in this process, without guards).
        cluster: address of a Dask scheduler, or "local:N"; it takes the place of the executor.
        ledger: where finished blocks are kept and found again; by default everything is computed and nothing is kept.

    Returns:
        The run; on Ctrl-C with `interrupted` set and the claims that were finished.
    """
    started = time.perf_counter()
    board = Board(claims, settings)
    workers = _workers(executor, cluster, jobs, settings, [source for source, _ in claims])
    keeper = Keeper(ledger, claims, settings)
    loop = _Loop(board, workers, keeper, fail_fast, watch or (lambda event: None))
    interrupted = False
    try:
        loop.go()
    except KeyboardInterrupt:
        interrupted = True
    finally:
        workers.kill()
    order = [claim.id for _, claim in claims[: board.last + 1]]
    run = Run(
        seed=settings.seed,
        budget=settings.budget,
        instances=settings.instances,
        alpha=settings.alpha,
        versions=versions(),
        claims=[loop.finished[i] for i in order if i in loop.finished],
        interrupted=interrupted,
        seconds=time.perf_counter() - started,
        jobs=workers.jobs,
        unfinished=[claim.id for _, claim in claims if claim.id not in order or claim.id not in loop.finished],
        reused=loop.reused,
        search=settings.search,
    )
    if not interrupted:
        keeper.finish(run.exit_status)
    return run


def _workers(executor: str, cluster: str, jobs: int, settings: Settings, sources: Sequence[str]) -> Pool | Serial:
    if cluster:
        from theorems.run import cluster as dask

        return dask.pool(cluster, settings, sources)
    return Pool(jobs, settings) if executor == "processes" else Serial(settings)


@dataclass
class _Loop:
    """Hands out tasks, keeps what comes back, and judges."""

    board: Board
    workers: Pool | Serial
    keeper: Keeper
    fail_fast: bool
    notify: Callable[[Event], None]
    finished: dict[str, ClaimResult] = field(default_factory=dict)
    done: int = 0
    reused: int = 0
    borrowed: set[int] = field(default_factory=set)  # claims of which something came from the ledger
    doubts: dict[int, Doubt] = field(default_factory=dict)
    again: deque[Item] = field(default_factory=deque)

    def go(self) -> None:
        """Until everything that counts is judged."""
        self.notify(Event("planned", self.board.total, 0))
        self.workers.waiting = lambda tasks: self.notify(
            Event("waiting", self.board.total, self.done, waiting=tuple(tasks))
        )
        while not self._ended():
            self._fill()
            if self._ended():
                break
            came = self.workers.wait()
            if not came:
                break
            self.keeper.keep([(item, result) for item, result in came if item.kind != AGAIN])
            for item, result in came:
                if item.kind == AGAIN:
                    self._confirm(item, result)
                else:
                    self._deliver(item, result)

    def _ended(self) -> bool:
        return self.fail_fast and self.board.settled() and not self.doubts

    def _fill(self) -> None:
        """Give idle workers what the ledger does not hold; what it holds is delivered at once."""
        while self.workers.free():
            if self.again:
                self.workers.submit([self.again.popleft()])
                continue
            chunk = self.board.take()
            if not chunk:
                return
            missing = []
            for item in chunk:
                known = self.keeper.find(item)
                if known is None:
                    missing.append(item)
                else:
                    self.reused += 1
                    self.borrowed.add(item.job)
                    self._deliver(item, known)
            if missing:
                self.workers.submit(missing)

    def _deliver(self, item: Item, result: BlockResult) -> None:
        self.done += 1
        self.notify(Event("done", self.board.total, self.done))
        verdict = self.board.store(item, result)
        if verdict is None:
            return
        if item.job in self.borrowed:
            source, claim = self.keeper.claims[item.job]
            held = doubt(item.job, source, claim, verdict)
            if held.items:
                self.doubts[item.job] = held
                self.again.extend(held.items)
                return
        self._finish(item.job, verdict)

    def _confirm(self, item: Item, result: BlockResult) -> None:
        """Compare what was evaluated again; a claim of which it comes out otherwise begins anew without the ledger."""
        held = self.doubts[item.job]
        if not held.seen(item, result):
            return
        del self.doubts[item.job]
        self.borrowed.discard(item.job)
        if not held.failed:
            self._finish(item.job, held.verdict)
            return
        self.keeper.distrust(item.job)
        self.board.restart(item.job)

    def _finish(self, place: int, verdict: ClaimResult) -> None:
        self.finished[verdict.id] = verdict
        self.keeper.judged(place, verdict)
        self.notify(Event("claim", self.board.total, self.done, verdict))
        if self.fail_fast and verdict.verdict is not Verdict.HOLDS:
            self.board.last = min(self.board.last, place)
