r"""The top-1 router and its experts in doubles, many runs at once: experts learn noise-free linear tasks, the gate learns by gradient steps.

A run has N tasks $w_n \sim N(0, 0.16 I)$ in R^d, orthonormal signals v_1, ..., v_N, and M experts that start at 0. With s = d - 1
columns, one of them beta_t v_{n_t} and the others N(0, sig^2 I), a batch enters a round in two ways only: by the sum of its columns
xb (the gate's input), and by the unit vector q orthogonal to all of them (the expert's error keeps its component along q and loses
the rest). Rotating the noise columns shows the law: xb = beta_t v + sig sqrt(s-1) g with g ~ N(0, I), and q is
uniform on the unit sphere orthogonal to v and g.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import ceil

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
DIMENSION, COLUMNS, TASKS = 10, 9, 3


@dataclass(frozen=True, repr=False)
class Gate:
    """The router's parameters, and what may be changed in it.

    Attributes:
        experts: M.
        step: eta.
        noise: lam, the width of the routing noise and the threshold of the gaps.
        feature_noise: sig.
        balance: alpha, the weight of the load-balancing loss.
        locality: whether the locality loss counts.
        stop: "flags" (early termination), "never", "first round", or "first admissible round" (T1 + 1).
        sticky: whether flags are kept once set.
        direction: 1, or -1 for a reward of the expert that was used.
    """

    experts: int = 12
    step: float = 2.0
    noise: float = 0.02
    feature_noise: float = 0.02
    balance: float = 0.5
    locality: bool = True
    stop: str = "flags"
    sticky: bool = True
    direction: int = 1

    def __repr__(self) -> str:
        changed = (f for f in fields(self) if getattr(self, f.name) != f.default)
        return f"Gate({', '.join(f'{f.name}={getattr(self, f.name)!r}' for f in changed)})"

    @property
    def earliest(self) -> int:
        """T1 = ceil(M/eta): rounds before gaps are looked at."""
        return ceil(self.experts / self.step) if self.step > 0 else 0


@dataclass(frozen=True)
class World:
    """What is drawn for R runs of T rounds, whatever the gate does.

    Attributes:
        w: tasks, (R, N, d).
        tasks: task of each round, (T, R).
        xb: gate inputs, (T, R, d).
        q: directions in which experts learn nothing, (T, R, d).
        uniform: routing noise before scaling, (T, R, M).
    """

    w: Floats
    tasks: Ints
    xb: Floats
    q: Floats
    uniform: Floats

    @property
    def gap(self) -> Floats:
        """The model gap D of each run, (R,)."""
        n = self.w.shape[1]
        gap: Floats = ((self.w[:, :, None] - self.w[:, None, :]) ** 2).sum(axis=(1, 2, 3)) / n**2
        return gap


def world(rng: np.random.Generator, runs: int, rounds: int, gate: Gate) -> World:
    """Draw R runs of T rounds."""
    d, n = DIMENSION, TASKS
    w = 0.4 * rng.standard_normal((runs, n, d))
    signals = np.linalg.qr(rng.standard_normal((runs, d, d)))[0].transpose(0, 2, 1)[:, :n]
    tasks = rng.integers(n, size=(rounds, runs))
    v = signals[np.arange(runs), tasks]
    g, q = rng.standard_normal((2, rounds, runs, d))
    beta = 0.8 + 0.4 * rng.random((rounds, runs, 1))
    xb = beta * v + gate.feature_noise * (COLUMNS - 1) ** 0.5 * g
    across = g - v * (v * g).sum(axis=-1, keepdims=True)
    across /= np.sqrt((across * across).sum(axis=-1, keepdims=True))
    q -= v * (v * q).sum(axis=-1, keepdims=True)
    q -= across * (across * q).sum(axis=-1, keepdims=True)
    q /= np.sqrt((q * q).sum(axis=-1, keepdims=True))
    return World(w, tasks, xb, q, rng.random((rounds, runs, gate.experts)))


@dataclass(frozen=True)
class Run:
    """What R runs did.

    Attributes:
        chosen: expert of each round, (T, R).
        experts: final weights, (R, M, d).
        stopped: round after which the gate was frozen, T + 1 where it never was, (R,).
    """

    chosen: Ints
    experts: Floats
    stopped: Ints


def train(world: World, gate: Gate, until_stopped: bool = False) -> Run:
    """Run the gate and its experts.

    A round chooses the expert (gate plus noise), updates it, updates the gate with the softmax of the same gate values, and sets
    flags by these values too; a gate whose flags are all set is frozen from the next round on. Freezing before the last
    update would leave a tie within the noise.

    Args:
        world: what was drawn.
        gate: the router.
        until_stopped: end as soon as all gates are frozen.
    """
    (T, R), M, d = world.tasks.shape, gate.experts, DIMENSION
    rows = np.arange(R)
    theta, experts = np.zeros((R, M, d)), np.zeros((R, M, d))
    used, flags = np.zeros((R, M)), np.zeros((R, M), dtype=bool)
    active = np.ones(R)
    stopped = np.full(R, T + 1)
    chosen = np.zeros((T, R), dtype=np.int64)
    for t in range(1, T + 1):
        x, q, n = world.xb[t - 1], world.q[t - 1], world.tasks[t - 1]
        h = np.matmul(theta, x[:, :, None])[:, :, 0]
        m = (h + gate.noise * world.uniform[t - 1]).argmax(axis=1)
        chosen[t - 1] = m
        used[rows, m] += 1
        before = experts[rows, m]
        gap = before - world.w[rows, n]
        after = world.w[rows, n] + q * (q * gap).sum(axis=1, keepdims=True)
        experts[rows, m] = after
        if gate.step > 0 and active.any():
            moved = np.sqrt(((after - before) ** 2).sum(axis=1)) if gate.locality else 0.0
            c = moved + gate.balance * M * used[rows, m] / t**2
            e = np.exp(h - h.max(axis=1, keepdims=True))
            pi = e / e.sum(axis=1, keepdims=True)
            slope = -pi
            slope[rows, m] += 1
            weight = gate.direction * gate.step * active * c * pi[rows, m]
            theta -= (weight[:, None] * slope)[:, :, None] * x[:, None, :]
            if gate.stop == "flags" and t > gate.earliest:
                near = np.abs(h - h[rows, m][:, None]) < gate.noise  # branch
                flags = flags | near if gate.sticky else near
            elif gate.stop == "first round" or (gate.stop == "first admissible round" and t > gate.earliest):
                flags[:] = True
            frozen = (active > 0) & flags.all(axis=1)  # branch
            stopped[frozen] = t
            active[frozen] = 0
        elif until_stopped:
            break
    return Run(chosen, experts, stopped)


def late_error(world: World, run: Run, last: int) -> Floats:
    """The mean over the last rounds of the final error on their tasks, in units of the model gap, (R,)."""
    rows = np.arange(world.w.shape[0])
    total = np.zeros(rows.size)
    for m, n in zip(run.chosen[-last:], world.tasks[-last:]):
        total += ((run.experts[rows, m] - world.w[rows, n]) ** 2).sum(axis=1)
    mean: Floats = total / last / world.gap
    return mean


def purity(world: World, run: Run, last: int) -> Floats:
    """The share of the last rounds whose task is the one that their expert meets most often, (R,)."""
    R, M, _ = run.experts.shape
    counts = np.zeros((R, M, TASKS))
    for m, n in zip(run.chosen[-last:], world.tasks[-last:]):
        counts[np.arange(R), m, n] += 1
    share: Floats = counts.max(axis=2).sum(axis=1) / last
    return share


def loads(run: Run) -> Floats:
    """M times the share of rounds routed to each expert, (R, M)."""
    T, M = run.chosen.shape[0], run.experts.shape[1]
    share: Floats = np.stack([(run.chosen == m).sum(axis=0) for m in range(M)], axis=1) * (M / T)
    return share
