r"""SELECT, simulated: an oracle's run, a candidate drawn from its pulls, forced sampling, a confidence test; and again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from solvers.bandits import first_stop, ucb_pulls

Floats = NDArray[np.float64]
Oracle = Callable[[int, np.random.Generator], Floats]  # (t, rng) -> means of the t arms pulled, in order
Segment = tuple[Floats, int]  # means of arms pulled in order, and how often the sequence is repeated
WIDTH = 4.0  # of sqrt(WIDTH ln k / k), in the test and in the oracle's index


@dataclass(frozen=True)
class Rules:
    """What may be changed in SELECT.

    Attributes:
        test: "lower" (the paper's confidence bound), "upper", or "none": the first candidate is kept for ever.
        forced: whether candidates are sampled T_i times before the test, or once.
    """

    test: str = "lower"
    forced: bool = True


PAPERS_RULES = Rules()


@dataclass(frozen=True)
class Schedule:
    """Lengths of round i: t_i pulls of the oracle, T_i forced samples."""

    oracle: Callable[[int], int]
    forced: Callable[[int], int]


HALF = Schedule(lambda i: 4**i, lambda i: 4**i)  # alpha = 1/2: finitely many arms
TWO_THIRDS = Schedule(lambda i: isqrt(8**i - 1) + 1, lambda i: 2**i)  # alpha = 2/3: Lipschitz in one dimension


def select(
    oracle: Oracle, schedule: Schedule, S: float, horizon: int, rng: np.random.Generator, rules: Rules = PAPERS_RULES
) -> Iterator[Segment]:
    """The means of the arms that SELECT pulls, until `horizon` pulls have been made (the last segment may go beyond)."""
    time, i = 0, 0
    while time < horizon:
        i += 1
        t = schedule.oracle(i)
        pulled = oracle(t, rng)
        yield pulled, 1
        time += t
        candidate = pulled[rng.integers(t) :][:1]
        T = schedule.forced(i) if rules.forced else 1
        left = max(horizon - time - T, 0)
        tested: int | None = None
        if rules.test != "none":
            sign = -1 if rules.test == "lower" else 1
            tested = first_stop(float(candidate[0]), T, left, S, WIDTH, rng, sign=sign)
        yield candidate, T + (left if tested is None else tested)
        time += T + (left if tested is None else tested)


def arms(means: Sequence[float]) -> Oracle:
    """The UCB oracle on finitely many arms of these means."""
    r = np.array(means)
    return lambda t, rng: r[ucb_pulls(r, t, WIDTH, rng)]


def discretised(r: Callable[[Floats], Floats]) -> Oracle:
    """The UCB oracle on [0, 1]: a randomly shifted grid of ceil(t^{1/3}) arms of means r(x)."""

    def run(t: int, rng: np.random.Generator) -> Floats:
        M = 1
        while t > M**3:
            M += 1
        means = r((np.arange(M) + rng.random()) / M)
        return means[ucb_pulls(means, t, WIDTH, rng)]

    return run


def losses(segments: Iterable[Segment], level: float, checkpoints: Sequence[int], *, satisficing: bool) -> Floats:
    """The regret up to each checkpoint: sum of level - r (satisficing: of its positive part) over the pulls so far."""
    at = np.array(checkpoints)
    total = np.zeros(at.size)
    time = 0
    for means, repeats in segments:
        loss = level - means
        if satisficing:
            loss = np.maximum(loss, 0)
        since = np.clip(at - time, 0, means.size * repeats)
        if repeats == 1:
            total += np.concatenate([[0.0], np.cumsum(loss)])[since]
        else:
            total += loss[0] * since
        time += means.size * repeats
    return total
