"""How often claims of the library come out wrong over many seeds: the statistical and the empirical ones.

    python -m benchmarks.false_refutations --seeds 200 [CLAIM or PAPER ...]

A claim that does not hold, or a mutant that survives, is counted for each seed; the Clopper-Pearson upper bound (99 %) of
the rate is printed beside it. The docs quote the table.
"""

from __future__ import annotations

import argparse
import time

from theorems import registry
from theorems.kernel.outcome import Evidence
from theorems.kernel.sequences import clopper_pearson_upper
from theorems.run.evaluate import Settings
from theorems.run.results import Verdict
from theorems.run.runner import run_claims


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", help="papers or claims (default: every statistical or empirical claim)")
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first", type=int, default=1000, help="first seed")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    chosen = [c for c in registry.select(options.what, registry.load_library()) if c.evidence <= Evidence.STATISTICAL]
    failed = {c.id: 0 for c in chosen}
    survived = {c.id: 0 for c in chosen}
    started = time.perf_counter()
    claims = [(c.paper.key, c) for c in chosen]
    for seed in range(options.first, options.first + options.seeds):
        executor = "processes" if options.jobs > 1 else "serial"
        run = run_claims(claims, Settings(seed=seed), jobs=options.jobs, executor=executor)
        for c in run.claims:
            failed[c.id] += c.verdict is Verdict.REFUTED
            survived[c.id] += any(not m.killed for m in c.mutants) or c.verdict in (Verdict.INCONCLUSIVE, Verdict.ERROR)
    print(f"{options.seeds} seeds from {options.first}, quick budget, {time.perf_counter() - started:.0f} s\n")
    print("| claim | evidence | refuted | rate at most (99 %) | undecided, error or survivor |")
    print("|---|---|---|---|---|")
    for c in chosen:
        bound = clopper_pearson_upper(options.seeds, failed[c.id], 0.01)
        print(f"| {c.id} | {c.evidence} | {failed[c.id]} | {bound:.2%} | {survived[c.id]} |")


if __name__ == "__main__":
    main()
