"""The runner against a bare loop over the same check, and two workers against one.

    pytest benchmarks/bench_runner.py --benchmark-columns=min,median,rounds

The overhead ratio is what the kernel, the sampling of instances and the tallies cost beside a check of about a
millisecond; the speed-up is wall time of one worker over wall time of two on the same tasks.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from flint import fmpq_mat

from theorems import registry
from theorems.run.evaluate import Settings
from theorems.run.runner import run_claims

CLAIMS = '''
"""Two claims whose checks cost a stated time."""
from flint import fmpq_mat
from theorems import *

PAPER = Paper(key="bench", title="Checks of known cost")

def hilbert_product(n, shift):
    H = fmpq_mat(n, n, [Q(1, i + j + 1 + shift) for i in range(n) for j in range(n)])
    return (H.inv() * H).entries()

@PAPER.identity(quick=400, full=400, domain=dict(shift=Integers(0, 10**6)))
def millisecond(shift):
    """The inverse of a shifted Hilbert matrix is its inverse (about a millisecond)."""
    return sum(hilbert_product(15, shift)), 15

@PAPER.identity(quick=400, full=400, domain=dict(shift=Integers(0, 10**6)))
def entries(shift):
    """The same, compared entry by entry (196 entries)."""
    return tuple(hilbert_product(14, shift)), tuple(int(i == j) for i in range(14) for j in range(14))

@PAPER.identity(quick=60, full=60, domain=dict(shift=Integers(0, 10**6)))
def second(shift):
    """The same, larger (about half a second)."""
    total = sum(sum(hilbert_product(40, shift + k)) for k in range(24))
    return total, 24 * 40
'''


@pytest.fixture(scope="module")
def claims(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, object]]:
    path: Path = tmp_path_factory.mktemp("bench") / "bench_claims.py"
    path.write_text(CLAIMS)
    (paper,) = registry.load_file(path)
    return str(path), dict(paper.claims)


@pytest.mark.parametrize("name", ["millisecond", "entries"])
def test_overhead_of_the_runner_over_a_bare_loop(benchmark, claims, name) -> None:
    source, table = claims
    claim = table[f"bench/{name}"]
    function, family = claim.checks[0].function, claim.checks[0].families[0].at("quick")
    values = [family.instance(0, k).values["shift"] for k in range(family.count())]

    def bare() -> int:
        return sum(left == right for left, right in map(function, values))

    def ours() -> object:
        return run_claims([(source, claim)], Settings(), executor="serial")

    assert bare() == len(values)
    best = {bare: float("inf"), ours: float("inf")}
    for _ in range(5):  # interleaved, so that a change of the machine's pace meets both
        for f in best:
            started = time.perf_counter()
            f()
            best[f] = min(best[f], time.perf_counter() - started)
    benchmark.extra_info["bare loop, seconds"] = best[bare]
    benchmark.extra_info["ours, seconds"] = best[ours]
    benchmark.extra_info["ratio ours / bare"] = best[ours] / best[bare]
    benchmark.extra_info["milliseconds a check"] = 1000 * best[bare] / len(values)
    benchmark.pedantic(ours, rounds=3)


def test_speed_up_on_two_workers(benchmark, claims) -> None:
    source, table = claims
    claim = table["bench/second"]
    seconds = {}
    for jobs in (1, 2):
        started = time.perf_counter()
        run = run_claims([(source, claim)], Settings(), jobs=jobs)
        seconds[jobs] = time.perf_counter() - started
        assert run.claims[0].instances == 60
    benchmark.extra_info["one worker, seconds"] = seconds[1]
    benchmark.extra_info["two workers, seconds"] = seconds[2]
    benchmark.extra_info["speed-up"] = seconds[1] / seconds[2]
    benchmark.pedantic(lambda: None, rounds=1)


def test_the_bare_check_is_right() -> None:
    assert (fmpq_mat(2, 2, [1, 2, 3, 4]).inv() * fmpq_mat(2, 2, [1, 2, 3, 4])).entries() == [1, 0, 0, 1]
