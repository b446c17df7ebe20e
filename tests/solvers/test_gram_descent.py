"""Descent through the Gram matrix, against descent on the weights themselves and against closed forms."""

import numpy as np
import pytest

from solvers.gram_descent import Start, after, descent

LR, DECAY = 0.1, 0.2


def drawn(n=12, p=30, m=4, N=7, seed=0):
    rng = np.random.default_rng(seed)
    X, T = rng.normal(size=(n, p)) / np.sqrt(p), rng.normal(size=(N, p)) / np.sqrt(p)
    W, a = rng.normal(size=(p, m)), 0.5 * rng.normal(size=m)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    return X, T, W, a, y


def start_of(X, T, W, a, y):
    return Start(X @ X.T, y, X @ W, a, T @ X.T, T @ W)


def risk(X, y, W, a):
    return np.exp(-y * (np.maximum(X @ W, 0) @ a)).mean()


def numerical_gradient(f, theta, h=1e-6):
    g = np.zeros_like(theta)
    for k in np.ndindex(theta.shape):
        step = np.zeros_like(theta)
        step[k] = h
        g[k] = (f(theta + step) - f(theta - step)) / (2 * h)
    return g


@pytest.mark.parametrize("train_outputs", [True, False])
def test_steps_are_those_of_difference_quotients_of_the_risk_with_weight_decay(train_outputs):
    X, T, W, a, y = drawn()
    start = start_of(X, T, W, a, y)
    for state in descent(start, LR, DECAY, train_outputs=train_outputs):
        assert np.allclose(state.outputs, np.maximum(X @ W, 0) @ a, atol=1e-6)
        assert np.allclose(state.outputs_at(start), np.maximum(T @ W, 0) @ a, atol=1e-6)
        if state.t == 5:
            break
        gW = numerical_gradient(lambda V, a=a: risk(X, y, V, a), W)
        ga = numerical_gradient(lambda b, W=W: risk(X, y, W, b), a)
        W = (1 - LR * DECAY) * W - LR * gW
        if train_outputs:
            a = (1 - LR * DECAY) * a - LR * ga


def test_weights_are_recovered_from_the_initial_ones_and_the_inputs():
    X, T, W, a, y = drawn(seed=3)
    start = start_of(X, T, W, a, y)
    state = after(start, LR, DECAY, 40)
    final = state.kept * W + X.T @ state.B
    assert np.allclose(X @ final, state.Z)
    assert np.allclose(np.maximum(T @ final, 0) @ state.a, state.outputs_at(start))


def test_runs_in_a_batch_do_not_mix():
    singles = [start_of(*drawn(seed=s)) for s in (1, 2)]
    batch = Start(*(np.stack([getattr(s, f) for s in singles]) for f in ("gram", "y", "Z", "a", "cross", "test")))
    together = after(batch, LR, DECAY, 25)
    for k, single in enumerate(singles):
        alone = after(single, LR, DECAY, 25)
        assert np.allclose(together.outputs[k], alone.outputs, rtol=1e-10)
        assert np.allclose(together.outputs_at(batch)[k], alone.outputs_at(single), rtol=1e-10)


def test_one_neuron_on_one_point_rests_where_weight_decay_balances_the_pull():
    # w = s x/|x|: s and a have the same steps, so s = a r ends at decay = |x| exp(-|x| s^2) when s = a.
    start = Start(np.array([[1.0]]), np.array([1.0]), np.array([[0.5]]), np.array([0.5]))
    state = after(start, LR, DECAY, 4000)
    assert state.Z[0, 0] == pytest.approx(np.sqrt(-np.log(DECAY)), abs=1e-9)
    assert state.a[0] == pytest.approx(state.Z[0, 0], abs=1e-9)


def test_a_dead_neuron_only_decays():
    start = Start(np.array([[1.0]]), np.array([1.0]), np.array([[-1.0]]), np.array([1.0]))
    state = after(start, LR, DECAY, 10)
    assert state.Z[0, 0] == pytest.approx(-((1 - LR * DECAY) ** 10))
    assert state.outputs[0] == 0


def test_single_precision_stays_single():
    X, T, W, a, y = (v.astype(np.float32) for v in drawn())
    state = after(start_of(X, T, W, a, y), LR, DECAY, 3)
    assert state.Z.dtype == state.a.dtype == state.B.dtype == np.float32


@pytest.mark.parametrize(("lr", "decay"), [(0.0, 0.1), (-1.0, 0.0), (1.0, 1.0), (0.1, -0.1)])
def test_steps_that_make_no_sense_are_refused(lr, decay):
    with pytest.raises(ValueError, match="lr > 0"):
        next(descent(start_of(*drawn()), lr, decay))


def test_test_outputs_need_test_points():
    start = Start(np.eye(1), np.ones(1), np.ones((1, 1)), np.ones(1))
    with pytest.raises(ValueError, match="cross="):
        after(start, LR, DECAY, 1).outputs_at(start)
