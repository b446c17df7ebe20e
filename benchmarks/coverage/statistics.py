"""How often true statistical statements are refuted, over many seeds: one Markdown row a statement.

    python -m benchmarks.coverage.statistics [seeds]

A sequence asked for a width that it does not reach is followed to its limit, so the share that is not refuted is the
simultaneous coverage over all sample sizes. Every statement is true with equality, the case in which errors are largest.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from theorems.kernel.events import Probability, answer_probability, prob_eq, prob_le
from theorems.kernel.laws import Law, SameLaw, answer_law, answer_same_law, law, same_law
from theorems.kernel.means import Mean, answer_mean, mean_eq, mean_le
from theorems.kernel.outcome import Context, Decision
from theorems.kernel.sequences import clopper_pearson_lower, clopper_pearson_upper

LEVEL = 0.05
SEEDS = 2000
LIMIT = 2000
NEVER = Fraction(1, 1000)  # a width that is not reached

Draw = Callable[[np.random.Generator], Any]
Row = tuple[str, str, Any]


def context(seed: int) -> Context:
    """Substreams of one seed at the level of the table."""
    return Context(level=LEVEL, stream=lambda j: np.random.Generator(np.random.Philox(key=[seed, j])))


def uniform(rng: np.random.Generator) -> Any:
    return rng.random(LIMIT)


def coin(p: float) -> Draw:
    return lambda rng: (rng.random(LIMIT) < p).astype(float)


def arcsine(rng: np.random.Generator) -> Any:
    return rng.beta(0.5, 0.5, LIMIT)


def gauss(rng: np.random.Generator) -> Any:
    return rng.standard_normal(LIMIT)


def signs(rng: np.random.Generator) -> Any:
    return 2.0 * (rng.random(LIMIT) < 0.5) - 1


def exponential(rng: np.random.Generator) -> Any:
    return rng.exponential(size=LIMIT)


def lognormal(rng: np.random.Generator) -> Any:
    return rng.lognormal(0.0, 1.5, LIMIT)


def event(p: float) -> Draw:
    return lambda rng: rng.random(LIMIT) < p


def dice(rng: np.random.Generator) -> Any:
    return rng.integers(1, 7, LIMIT).astype(float)


def normal_cdf(x: Any) -> Any:
    from scipy.special import ndtr

    return ndtr(x)


def rows() -> Iterator[Row]:
    """Method, draws, and the true statement about them."""
    bounded: list[tuple[str, Draw, Fraction, float]] = [
        ("uniform", uniform, Fraction(1, 2), 0.03),
        ("coin 1/2", coin(0.5), Fraction(1, 2), 0.055),
        ("coin 1/100", coin(0.01), Fraction(1, 100), 0.01),
        ("arcsine", arcsine, Fraction(1, 2), 0.04),
    ]
    for name, draw, mean, missed in bounded:  # widths that are nearly reached
        yield "betting, all sizes", name, mean_eq(draw, mean, support=(0, 1), within=missed, limit=LIMIT)
        yield "betting, stopped at width 0.1", name, mean_eq(draw, mean, support=(0, 1), within=0.1, limit=LIMIT)
        yield "betting, fixed size", name, mean_eq(draw, mean, support=(0, 1), within=NEVER, fixed=LIMIT)
        yield "betting, one-sided", name, mean_le(draw, mean, support=(0, 1), within=0.1, limit=LIMIT)
    for name, draw in (("normal", gauss), ("signs", signs)):
        yield "Gaussian mixture, all sizes", name, mean_eq(draw, 0, scale=1, within=NEVER, limit=LIMIT)
        yield "Gaussian mixture, stopped at width 0.2", name, mean_eq(draw, 0, scale=1, within=0.2, limit=LIMIT)
        yield "Gaussian mixture, one-sided", name, mean_le(draw, 0, scale=1, within=0.2, limit=LIMIT)
        yield "Chernoff, fixed size", name, mean_eq(draw, 0, scale=1, within=1, fixed=LIMIT)
    skewed: list[tuple[str, Draw, float]] = [
        ("normal", gauss, 0.0),
        ("exponential", exponential, 1.0),
        ("lognormal, sigma 1.5", lognormal, math.exp(1.125)),
    ]
    for name, draw, mean in skewed:
        for n in (30, 300):
            yield f"Student, n = {n}", name, mean_eq(draw, mean, within=1, fixed=n)
    for p in (0.5, 0.1, 0.01):
        yield "beta-binomial, all sizes", f"event {p}", prob_eq(event(p), p, within=NEVER, limit=LIMIT)
        yield "beta-binomial, stopped at width 0.1", f"event {p}", prob_eq(event(p), p, limit=LIMIT)
        yield "beta-binomial, one-sided", f"event {p}", prob_le(event(p), p, within=NEVER, limit=LIMIT)
        yield "Clopper-Pearson, n = 300", f"event {p}", prob_eq(event(p), p, fixed=300)
    yield "DKW, n = 300", "normal", law(gauss, normal_cdf, size=300)
    yield "DKW, n = 300", "dice", law(dice, {k: Fraction(1, 6) for k in range(1, 7)}, size=300)
    yield "two samples, n = 300", "normal", same_law(gauss, gauss, size=300)
    yield "two samples, n = 300", "dice", same_law(dice, dice, size=300)


def refuted(statement: Any, seed: int) -> bool:
    """Whether the kernel refutes the statement at this seed."""
    answers: dict[type, Callable[[Any, Context], Any]] = {
        Mean: answer_mean,
        Probability: answer_probability,
        Law: answer_law,
        SameLaw: answer_same_law,
    }
    return answers[type(statement)](statement, context(seed)).decision is Decision.AGAINST


def main(seeds: int = SEEDS) -> None:
    """Print the table."""
    print(f"Level {LEVEL}, {seeds} seeds, at most {LIMIT} draws.\n")
    print("| method | draws | refuted (%) | 99 % interval of the rate |\n|---|---|---|---|")
    for method, draws, statement in rows():
        count = sum(refuted(statement, seed) for seed in range(seeds))
        low = 100 * clopper_pearson_lower(seeds, count, 0.005)
        high = 100 * clopper_pearson_upper(seeds, count, 0.005)
        print(f"| {method} | {draws} | {100 * count / seeds:.2f} | {low:.2f} to {high:.2f} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS)
