"""Upper-confidence play as a sort, and the first stop of a test in chunks, against loops over time."""

import math

import numpy as np
import pytest

from solvers.bandits import first_stop, ucb, ucb_pulls


class Recorded:
    """A generator that keeps what it gives."""

    def __init__(self, seed):
        self.rng, self.given = np.random.default_rng(seed), []

    def standard_normal(self, size=None):
        x = self.rng.standard_normal(size)
        self.given.extend(np.atleast_1d(x).tolist())
        return x


def pulls_one_by_one(means, t, width, noise):
    """UCB as it is written in textbooks: look at all indices before every pull."""
    n, sums, order = [0] * len(means), [0.0] * len(means), []
    for _ in range(t):
        index = [
            math.inf if n[a] == 0 else means[a] + sums[a] / n[a] + math.sqrt(width * math.log(t) / n[a])
            for a in range(len(means))
        ]
        a = index.index(max(index))
        sums[a] += noise[a][n[a]]
        n[a] += 1
        order.append(a)
    return order


@pytest.mark.parametrize("seed", range(30))
def test_sorted_running_minima_are_the_greedy_order(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    K, t = int(rng.integers(1, 7)), int(rng.integers(1, 300))
    means = rng.normal(size=K) / 2
    recorders = []

    class Stream(ucb._Stream):
        def __init__(self, mean, bonus, _rng):
            recorders.append(Recorded(1000 * seed + len(recorders)))
            super().__init__(mean, bonus, recorders[-1])

    monkeypatch.setattr(ucb, "_Stream", Stream)
    got = ucb_pulls(means, t, 4.0, rng)
    noise = [[*r.given, *[math.nan] * 2] for r in recorders]
    assert got.tolist() == pulls_one_by_one(means.tolist(), t, 4.0, noise)


def test_every_arm_is_pulled_first_in_turn():
    assert ucb_pulls([0.0, 1.0, -1.0], 3, 4.0, np.random.default_rng(0)).tolist() == [0, 1, 2]


def test_more_arms_than_pulls_leaves_the_last_arms_alone():
    assert ucb_pulls([0.0] * 9, 4, 4.0, np.random.default_rng(0)).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("sign", [-1, 1])
def test_chunks_stop_where_a_loop_stops(seed, sign):
    mean, pulled, longest, S, w = 0.3, 7, 500, 0.2, 0.5
    recorder = Recorded(seed)
    got = first_stop(mean, pulled, longest, S, w, recorder, sign=sign)
    first, *noise = recorder.given
    total = pulled * mean + math.sqrt(pulled) * first
    stops = None
    for j, z in enumerate(noise, start=1):
        k = pulled + j
        total += mean + z
        if total / k + sign * math.sqrt(w * math.log(k) / k) < S:
            stops = j
            break
    assert got == stops


def test_a_test_that_cannot_stop_says_so():
    assert first_stop(100.0, 1000, 200, 0.0, 4.0, np.random.default_rng(0)) is None
    assert first_stop(0.0, 1, 0, 0.0, 4.0, np.random.default_rng(0)) is None


def test_gaussian_first_stop_has_the_law_of_normal_steps():
    """With w = 0 and no forced sampling but one, P(stop at the first test) = P(N(2m, 2) < 0)."""
    from scipy.stats import norm

    rng = np.random.default_rng(5)
    stops = np.array([first_stop(0.4, 1, 1, 0.0, 0.0, rng) == 1 for _ in range(4000)])
    p = norm.cdf(-0.8 / math.sqrt(2))
    assert abs(stops.mean() - p) < 4.5 * math.sqrt(p * (1 - p) / 4000)
