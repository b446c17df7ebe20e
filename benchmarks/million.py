"""A million instances of closed-form claims: instances a second and core, and the memory of the runner.

    python benchmarks/million.py [INSTANCES ...]

One claim each: a bound, an identity, an exhaustive enumeration. Rates are instances over the seconds that workers spent on
them, mutants included; memory is the largest resident size of the runner's process and of one worker.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

CLAIMS = '''
"""Closed-form claims on columns."""
from theorems import *

PAPER = Paper(key="million", title="Closed forms")


@PAPER.bound(vectorize=True, domain=dict(x=Rationals(-1, 5), n=Integers(0, 40)))
def bernoulli(x, n, *, factor=1):
    """$(1+x)^n \\\\ge 1 + nx$, with powers of up to 400 bits."""
    return 1 + factor * n * x, (1 + x) ** n


bernoulli.mutant("constant 5 % too large", factor=Q(21, 20))


@PAPER.bound(vectorize=True, domain=dict(a=Rationals(0, 5), b=Rationals(0, 5)))
def means(a, b, *, factor=4):
    """$4ab \\\\le (a+b)^2$."""
    return factor * a * b, (a + b) ** 2


means.mutant("constant 4.01", factor=Q(401, 100))


@PAPER.identity(vectorize=True, domain=dict(a=Integers(-(10**6), 10**6), b=Integers(-(10**6), 10**6)))
def square(a, b, *, two=2):
    """$(a+b)^2 = a^2 + 2ab + b^2$."""
    return (a + b) ** 2, a * a + two * a * b + b * b


square.mutant("3 for 2", two=3)


@PAPER.identity(vectorize=True, evidence="proved", exhaustive=True, domain=dict(a=Integers(0, 1999), b=Integers(1, 500)))
def division(a, b, *, one=1):
    """$a = \\\\lfloor a/b \\\\rfloor b + (a \\\\bmod b)$."""
    return a, (a // b) * b + one * (a % b)


division.mutant("no remainder", one=0)
'''


def _measure(path: str, name: str, instances: int) -> tuple[str, ...]:
    """One run in a process of its own, so that its largest memory is its own."""
    from theorems import registry
    from theorems.run.evaluate import Settings
    from theorems.run.runner import run_claims

    (paper,) = registry.load_file(path)
    started = time.perf_counter()
    run = run_claims([(path, paper.claims[f"million/{name}"])], Settings(instances=instances), jobs=1)
    seconds = time.perf_counter() - started
    (claim,) = run.claims
    here, workers = (
        resource.getrusage(who).ru_maxrss >> 10 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    rate = claim.instances / claim.seconds / 1000
    return (
        name, str(claim.verdict), str(claim.evidence), f"{claim.instances}", f"{seconds:.1f} s", f"{rate:.0f} k/s",
        f"{here} MB", f"{workers} MB",
    )  # fmt: skip


def main() -> None:
    counts = [int(w) for w in sys.argv[1:]] or [10_000, 100_000, 1_000_000]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "million.py"
        path.write_text(CLAIMS)
        print("claim | verdict | evidence | instances | wall | rate | runner | worker")
        for count in counts:
            for name in ("bernoulli", "means", "square", "division"):
                with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as alone:
                    print(" | ".join(alone.submit(_measure, str(path), name, count).result()), flush=True)


if __name__ == "__main__":
    main()
