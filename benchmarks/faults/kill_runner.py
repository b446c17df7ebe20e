"""`kill -9` of the runner at random moments, then the same command again with `--resume`, until the run is finished.

    python -m benchmarks.faults.kill_runner [KILLS]

A run that is finished is compared with the undisturbed one, and a new ledger is begun, until there were KILLS kills (50).
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.faults.common import command, content, finished, repeated, start, write_claims


def main() -> int:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    chance = random.Random(7)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        claims = write_claims(folder)
        began = time.monotonic()
        finished(command(claims, folder / "plain.json", "--jobs", "2", "--no-cache"))
        whole = time.monotonic() - began
        expected = content(folder / "plain.json")
        kills = runs = same = tasks = twice = 0
        while kills < wanted:
            ledger, out = folder / f"{runs}.sqlite", folder / f"{runs}.json"
            words = command(claims, out, "--jobs", "2", "--ledger", str(ledger), "--resume")
            while True:
                process = start(words)
                if kills < wanted:
                    try:
                        process.wait(timeout=chance.uniform(0.1, whole))
                    except subprocess.TimeoutExpired:
                        os.kill(process.pid, signal.SIGKILL)
                        process.wait()
                        kills += 1
                        continue
                process.wait()
                break
            runs += 1
            same += content(out) == expected
            done, again = repeated(ledger)
            tasks, twice = tasks + done, twice + again
            print(
                f"{kills} kills, {runs} runs, {same} with the same JSON, {tasks} tasks, {twice} done twice", flush=True
            )
    return 0 if same == runs and not twice else 1


if __name__ == "__main__":
    raise SystemExit(main())
