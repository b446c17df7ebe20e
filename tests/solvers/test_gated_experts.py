"""Gated experts against a plain loop, numpy's least squares and explicit batches."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solvers.gated_experts import COLUMNS, DIMENSION, TASKS, Gate, World, late_error, loads, purity, train, world


def plain(drawn: World, gate: Gate, run: int) -> tuple[list[int], np.ndarray, int, np.ndarray]:
    """One run, round by round, expert by expert: chosen experts, their weights, the freezing round, the gate."""
    T, M = drawn.tasks.shape[0], gate.experts
    theta, experts = np.zeros((M, DIMENSION)), np.zeros((M, DIMENSION))
    used, flags, frozen, chosen = [0] * M, [False] * M, T + 1, []
    for t in range(1, T + 1):
        xb, q, w = drawn.xb[t - 1, run], drawn.q[t - 1, run], drawn.w[run, drawn.tasks[t - 1, run]]
        h = [float(theta[m] @ xb) for m in range(M)]
        m = max(range(M), key=lambda k: h[k] + gate.noise * drawn.uniform[t - 1, run, k])
        chosen.append(m)
        used[m] += 1
        P = np.eye(DIMENSION) - np.outer(q, q)
        after = experts[m] + P @ (w - experts[m])
        moved = math.dist(after, experts[m])
        experts[m] = after
        if frozen <= T:
            continue
        c = (moved if gate.locality else 0) + gate.balance * M * used[m] / t**2
        total = sum(map(math.exp, h))
        pi = [math.exp(x) / total for x in h]
        for k in range(M):
            theta[k] -= gate.direction * gate.step * c * pi[m] * ((k == m) - pi[k]) * xb
        if gate.stop == "flags" and t > math.ceil(M / gate.step):
            near = [abs(x - h[m]) < gate.noise for x in h]
            flags = [a or b for a, b in zip(flags, near)] if gate.sticky else near
            if all(flags):
                frozen = t
    return chosen, experts, frozen, theta


@pytest.mark.parametrize(
    "gate",
    [Gate(experts=4), Gate(experts=3, sticky=False), Gate(experts=6, stop="never", locality=False), Gate(direction=-1)],
)
def test_training_agrees_with_a_plain_loop(gate: Gate) -> None:
    drawn = world(np.random.default_rng(3), 5, 60, gate)
    done = train(drawn, gate)
    for run in range(5):
        chosen, experts, frozen, _ = plain(drawn, gate, run)
        assert done.chosen[:, run].tolist() == chosen
        assert done.stopped[run] == frozen
        np.testing.assert_allclose(done.experts[run], experts, atol=1e-10)


def test_the_gates_weights_sum_to_zero() -> None:
    gate = Gate(experts=5, stop="never")
    *_, theta = plain(world(np.random.default_rng(4), 1, 80, gate), gate, 0)
    assert np.abs(theta.sum(axis=0)).max() < 1e-12


def batch(rng: np.random.Generator, v: np.ndarray, noise: float) -> np.ndarray:
    """Features of one round, written out: a signal column and s - 1 columns of noise."""
    columns = noise * rng.standard_normal((DIMENSION, COLUMNS))
    columns[:, 0] = (0.8 + 0.4 * rng.random()) * v
    return columns


def test_an_update_along_q_is_the_least_change_that_fits_the_batch() -> None:
    """Oracle: numpy's minimum-norm least squares."""
    rng = np.random.default_rng(5)
    v = np.eye(DIMENSION)[0]
    X = batch(rng, v, 0.02)
    q = np.linalg.svd(X)[0][:, -1]
    w, start = rng.standard_normal((2, DIMENSION))
    change = np.linalg.lstsq(X.T, X.T @ (w - start), rcond=None)[0]
    np.testing.assert_allclose(start + change, w + q * (q @ (start - w)), atol=1e-9)


def test_inputs_and_directions_have_the_law_of_explicit_batches() -> None:
    """Moments of (xb, q) along a fixed direction: explicit batches with random signals, their null vectors by numpy's SVD."""
    rng = np.random.default_rng(6)
    gate, n = Gate(feature_noise=0.5), 20_000
    v = rng.standard_normal((n, DIMENSION))
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    X = 0.5 * rng.standard_normal((n, DIMENSION, COLUMNS))
    X[:, :, 0] = (0.8 + 0.4 * rng.random((n, 1))) * v
    explicit = X.sum(axis=2), np.linalg.svd(X)[0][:, :, -1]
    drawn = world(rng, n, 1, gate)
    ours = drawn.xb[0], drawn.q[0]
    for xb, q in (explicit, ours):
        assert np.abs((q * q).sum(axis=1) - 1).max() < 1e-9
        assert np.abs((q * xb).sum(axis=1)).max() < 1e-9  # q is orthogonal to every column
    u = np.ones(DIMENSION)
    for power_x, power_q in ((2, 0), (0, 2), (0, 4), (2, 2)):
        a, b = ((xb @ u) ** power_x * (q @ u) ** power_q for xb, q in (explicit, ours))
        error = math.sqrt((a.var() + b.var()) / n)
        assert abs(a.mean() - b.mean()) < 4 * error


def test_errors_and_loads_of_a_perfect_split() -> None:
    w = np.arange(TASKS * DIMENSION, dtype=float).reshape(1, TASKS, DIMENSION)
    tasks = np.array([[0], [1], [2], [0]])
    empty = np.zeros((4, 1, DIMENSION))
    drawn = World(w, tasks, empty, empty, np.zeros((4, 1, 3)))
    done = train(drawn, Gate(experts=3, step=0.0, noise=0.0))
    done = type(done)(tasks, w.copy(), done.stopped)  # task n at expert n, learned exactly
    assert late_error(drawn, done, 4).tolist() == [0.0]
    assert purity(drawn, done, 4).tolist() == [1.0]
    assert loads(done).tolist() == [[1.5, 0.75, 0.75]]
