"""Tasks are handed out in chunks of measured cost, and no result depends on how."""

from __future__ import annotations

import pytest

from tests.claim_files import Write, load, run
from theorems.run.board import CHECK, CHUNK_SECONDS, LARGEST_CHUNK, Board, _Pace
from theorems.run.evaluate import Settings
from theorems.run.results import BlockResult, Verdict

CHEAP = """
@PAPER.bound(quick=200, domain=dict(a=Integers(0, 199)), every=True)
def cheap(a):
    "holds"
    return a, 199
"""


@pytest.mark.parametrize(("each", "expected"), [(8.0, 1), (0.5, 1), (0.125, 4), (1 / 32, 16), (1e-9, LARGEST_CHUNK)])
def test_a_chunk_takes_about_half_a_second(each: float, expected: int) -> None:
    pace = _Pace()
    assert pace.fitting(4) == 1  # nothing is known yet
    pace.add(each * 3, 12)
    assert pace.fitting(4) == expected
    assert expected == 1 or expected * each <= CHUNK_SECONDS + 1e-9


def test_results_are_merged_in_index_order_however_they_come(write: Write) -> None:
    paper = load(write(CHEAP))
    board = Board([("x", c) for c in paper.claims.values()], Settings())
    items = []
    while chunk := board.take():
        items += chunk
    assert [i.order for i in items] == list(range(board.jobs[0].total))
    verdict = None
    for item in reversed(items):
        assert item.kind == CHECK
        verdict = board.store(item, BlockResult(instances=1, trouble=f"block {item.order}"))
    assert verdict is not None
    assert verdict.instances == len(items)
    assert verdict.reason == "block 0"


def test_in_a_chunk_only_the_block_that_kills_its_worker_is_lost(write: Write) -> None:
    body = CHEAP.replace(
        "    return", "    import os, signal\n    if a == 150:\n        os.kill(os.getpid(), 9)\n    return"
    )
    (result,) = run(write(body), executor="processes", jobs=1).claims
    assert result.verdict is Verdict.ERROR
    assert result.instances == 200 - 32  # the block 128..159


def test_in_a_chunk_only_the_block_that_overruns_is_inconclusive(write: Write) -> None:
    body = CHEAP.replace("    return", "    import time\n    if a == 150:\n        time.sleep(1000)\n    return")
    (result,) = run(write(body), executor="processes", jobs=1, seconds=2.0).claims
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "stopped after 2 s" in result.reason
    assert result.instances == 200 - 32
