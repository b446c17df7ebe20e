"""Throughput of two Dask workers against two of loky at tasks of half a second.

    python benchmarks/executors.py

Tasks sleep, so that what is measured is what the executors add. Seconds are counted from the first finished task to the last.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from theorems import registry
from theorems.run.evaluate import Settings
from theorems.run.runner import Event, run_claims

CLAIMS = '''
"""Half a second for each block of four instances."""
import time
from theorems import *

PAPER = Paper(key="executors", title="Tasks of half a second")

for number in range(6):

    @PAPER.bound(name=f"sleep-{number}", quick=32, domain=dict(a=Integers(0, 10**6)))
    def sleep(a):
        """An eighth of a second an instance."""
        time.sleep(0.125)
        return a, 10**6
'''


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "executors.py"
        path.write_text(CLAIMS)
        (paper,) = registry.load_file(path)
        claims = [(str(path), c) for c in paper.claims.values()]
        spent = {}
        for name, options in (("loky", {"jobs": 2}), ("dask", {"cluster": "local:2"})):
            moments: list[float] = []

            def watch(event: Event, moments: list[float] = moments) -> None:
                if event.kind == "done":
                    moments.append(time.perf_counter())

            began = time.perf_counter()
            run = run_claims(claims, Settings(), watch=watch, **options)  # type: ignore[arg-type]
            whole = time.perf_counter() - began
            spent[name] = moments[-1] - moments[0]
            rate = (len(moments) - 1) / spent[name]
            print(
                f"{name}: {len(moments)} tasks, {rate:.2f} tasks/s (4 would be perfect), {whole:.1f} s with the start"
            )
            if any(str(c.verdict) != "holds" for c in run.claims):
                raise SystemExit("a claim does not hold")
        print(f"dask takes {spent['dask'] / spent['loky']:.3f} times as long as loky")


if __name__ == "__main__":
    main()
