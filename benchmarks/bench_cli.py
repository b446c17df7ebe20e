"""Answers that people wait for: `--help` and `--list` within half a second of processor time.

pytest benchmarks/bench_cli.py --benchmark-columns=min,median,rounds
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize("words", [["--help"], ["--list"]], ids=lambda w: w[0])
def test_time_of_light_commands(benchmark, words) -> None:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}

    def answer() -> None:
        done = subprocess.run([sys.executable, "-m", "theorems.report", *words], capture_output=True, env=environment)
        assert done.returncode == 0
        assert done.stdout

    benchmark.extra_info["goal, seconds"] = 0.5
    benchmark.pedantic(answer, rounds=5, warmup_rounds=1)
