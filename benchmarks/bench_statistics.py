"""Statistical comparisons on 100,000 draws, and the confidence sequences beside those of `ville`.

    pytest benchmarks/bench_statistics.py --benchmark-columns=min,median,rounds

The kernel looks at a sequence at geometrically spaced sizes, `ville` at every size on a grid of candidate means; both
end with the same interval (to the grid), which is asserted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from theorems.kernel import sequences
from theorems.kernel.answer import answer
from theorems.kernel.events import prob_eq, prob_le
from theorems.kernel.laws import answer_law, law
from theorems.kernel.means import mean_eq, mean_le
from theorems.kernel.outcome import Context

N = 100_000
X = np.random.Generator(np.random.Philox(key=11)).random(N) ** 2


def context() -> Context:
    return Context(level=1e-6, stream=lambda j: np.random.Generator(np.random.Philox(key=[1, j])))


def draws(rng: np.random.Generator) -> Any:
    return rng.random(1000)


def events(rng: np.random.Generator) -> Any:
    return rng.random(1000) < 0.1


WHOLE = {
    "mean_eq, betting": mean_eq(draws, 0.5, support=(0, 1), within=0.001, limit=N),
    "mean_le, betting": mean_le(draws, 0.5, support=(0, 1), within=0.001, limit=N),
    "mean_eq, betting, single draws": mean_eq(lambda rng: rng.random(), 0.5, support=(0, 1), within=0.03, limit=N),
    "mean_eq, Gaussian mixture": mean_eq(lambda rng: rng.standard_normal(1000), 0, scale=1, within=0.001, limit=N),
    "prob_le, beta-binomial": prob_le(events, 0.1, within=0.001, limit=N),
    "prob_eq, Clopper-Pearson": prob_eq(events, 0.1, fixed=N),
}


@pytest.mark.parametrize("name", WHOLE)
def test_comparison_of_a_hundred_thousand_draws(benchmark: Any, name: str) -> None:
    outcome = benchmark(answer, WHOLE[name], context())
    assert outcome.samples > 5000


def test_law_of_a_hundred_thousand_draws(benchmark: Any) -> None:
    comparison = law(draws, lambda x: np.clip(x, 0, 1), size=N)
    assert benchmark(answer_law, comparison, context()).samples == N


def _betting() -> tuple[float, float]:
    low, high = 0.0, 1.0
    for n in sequences.check_times(N):
        low, high = sequences.betting_interval(X[:n], 5e-7, low, high)
    return low, high


def test_betting_sequence_here(benchmark: Any) -> None:
    low, high = benchmark(_betting)
    assert low < X.mean() < high


def test_betting_sequence_ville(benchmark: Any) -> None:
    ville = pytest.importorskip("ville", reason="the peer of this benchmark, test extra")
    theirs = benchmark.pedantic(lambda: ville.BettingCS(alpha=1e-6, grid=10_000).fit(X), rounds=1)
    assert theirs.interval() == pytest.approx(_betting(), abs=3e-4)
