"""`kill -9` of one worker in three at random moments of a run, with loky and with Dask.

    python -m benchmarks.faults.kill_workers [RUNS [KILLS]]

Each run has three workers, one of which is killed KILLS times (3) while it lasts; its JSON is compared with the undisturbed one.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.faults.common import children, command, content, finished, is_worker, start, write_claims


def disturbed(words: list[str], kills: int, chance: random.Random) -> tuple[int, float]:
    """(kills, seconds) of a run whose workers are killed now and then."""
    began = time.monotonic()
    process = start(words)
    done = 0
    while process.poll() is None:
        time.sleep(chance.uniform(0.5, 2.0))
        workers = [pid for pid in children(process.pid) if is_worker(pid)]
        if done < kills and len(workers) >= 3 and process.poll() is None:
            os.kill(chance.choice(workers), signal.SIGKILL)
            done += 1
    process.communicate()
    return done, time.monotonic() - began


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    chance = random.Random(11)
    bad = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        claims = write_claims(folder)
        finished(command(claims, folder / "plain.json", "--jobs", "1", "--no-cache"))
        expected = content(folder / "plain.json")
        for executor in (["--jobs", "3"], ["--cluster", "local:3"]):
            for number in range(runs):
                out = folder / f"{number}.json"
                done, seconds = disturbed(command(claims, out, "--no-cache", *executor), kills, chance)
                same = content(out) == expected
                bad += not same
                print(
                    f"{' '.join(executor)}: {done} kills, {seconds:.1f} s, {'same' if same else 'OTHER'} JSON",
                    flush=True,
                )
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
