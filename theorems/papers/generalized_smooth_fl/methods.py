"""The three methods, in balls: local gradient descent with jumping, one-pass reshuffling, and cohorts of clients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from flint import arb, fmpq

from theorems.papers.generalized_smooth_fl.federation import Coordinates, Federation, gradient, norm2

Vector = list[arb]


@dataclass(frozen=True)
class Rules:
    """What may be changed.

    Attributes:
        q: accuracy parameter of the client step.
        clipped: server step 1/(2 A_f(x)), or 1/(2 L0).
        alpha: a fixed client step in place of the rule.
    """

    q: fmpq
    clipped: bool = True
    alpha: fmpq | None = None


@dataclass
class Run:
    """delta_t, |grad f(x_t)|^2, A_f(x_t) for t = 0..T (the last two for t < T), and the last point."""

    delta: list[arb] = field(default_factory=list)
    slope2: list[arb] = field(default_factory=list)
    A: list[arb] = field(default_factory=list)
    x: Vector = field(default_factory=list)


def kappa(shuffled: bool) -> arb:
    """e - 1, or 1.23 e^(1.23/4) for the shuffled methods."""
    t = arb(fmpq(123, 100))
    return t * (t / 4).exp() if shuffled else arb(1).exp() - 1


def client_step(fed: Federation, x: Vector, parts: Sequence[Coordinates], N: int, rules: Rules, shuffled: bool) -> arb:
    """alpha: the rule with N inner steps a path, or the fixed one."""
    if rules.alpha is not None:
        return arb(rules.alpha)
    A = fed.size(gradient(fed.average, x))
    largest = arb(0)
    for part in parts:
        largest = largest.max(fed.size(gradient(part, x)))
    k = kappa(shuffled)
    first = k / ((4 if shuffled else 2) * largest)
    return first.min(A / largest**2).min((rules.q * A / largest**3).sqrt()) / (k * N)


def server(fed: Federation, x: Vector, g: Vector, rules: Rules, run: Run) -> Vector:
    """x - gamma g, noted in the run."""
    slope = gradient(fed.average, x)
    A = fed.size(slope)
    run.slope2.append(norm2(slope))
    run.A.append(A)
    gamma = 1 / (2 * (A if rules.clipped else fed.L0))
    after = [a - gamma * b for a, b in zip(x, g)]
    run.delta.append(fed.gap(after))
    return after


def started(fed: Federation, x0: Sequence[Any]) -> tuple[Run, Vector]:
    """An empty run at x_0."""
    x = [arb(t) for t in x0]
    return Run([fed.gap(x)]), x


def descend(parts: Sequence[Coordinates], x: Vector, alpha: arb) -> Vector:
    """y after a pass y <- y - alpha grad f_i(y) over the parts in order."""
    y = x
    for part in parts:
        y = [a - alpha * b for a, b in zip(y, gradient(part, y))]
    return y


def drift(x: Vector, y: Vector, alpha: arb, N: int) -> Vector:
    """(x - y)/(alpha N)."""
    return [(a - b) / (alpha * N) for a, b in zip(x, y)]


def averaged(vectors: Sequence[Vector]) -> Vector:
    """The mean of vectors."""
    return [sum(ts, arb(0)) / len(vectors) for ts in zip(*vectors)]


def local_gd(fed: Federation, x0: Sequence[Any], K: int, T: int, rules: Rules) -> Run:
    """Clip-LocalGDJ: K local steps at each client."""
    run, x = started(fed, x0)
    clients = fed.clients
    for _ in range(T):
        alpha = client_step(fed, x, clients, K, rules, shuffled=False)
        g = averaged([drift(x, descend([part] * K, x, alpha), alpha, K) for part in clients])
        x = server(fed, x, g, rules, run)
    run.x = x
    return run


def clerr(fed: Federation, x0: Sequence[Any], orders: Sequence[Sequence[int]], rules: Rules) -> Run:
    """CLERR: one pass over the data points of client 0 in each epoch, in the orders given."""
    run, x = started(fed, x0)
    parts = fed.data[0]
    for order in orders:
        alpha = client_step(fed, x, parts, len(parts), rules, shuffled=True)
        g = drift(x, descend([parts[i] for i in order], x, alpha), alpha, len(parts))
        x = server(fed, x, g, rules, run)
    run.x = x
    return run


Cohorts = Sequence[Sequence[tuple[int, Sequence[int]]]]
"""For one meta-epoch: the cohorts, each a list of (client, order of its data points)."""


def rr_cli(fed: Federation, x0: Sequence[Any], epochs: Sequence[Cohorts], rules: Rules) -> Run:
    """Clipped RR-CLI: cohorts one after the other, one pass at each client of a cohort."""
    run, x = started(fed, x0)
    parts = [part for points in fed.data for part in points]
    n = len(fed.data[0])
    for cohorts in epochs:
        alpha = client_step(fed, x, parts, n * len(cohorts), rules, shuffled=True)
        y, found = x, []
        for cohort in cohorts:
            passes = [descend([fed.data[m][i] for i in order], y, alpha) for m, order in cohort]
            step = averaged([drift(y, end, alpha, n) for end in passes])
            found.append(step)
            y = [a - alpha * n * b for a, b in zip(y, step)]
        x = server(fed, x, averaged(found), rules, run)
    run.x = x
    return run


def recursion(run: Run, q: fmpq, excess: arb) -> tuple[list[arb], list[arb]]:
    """Both sides of delta_{t+1} <= (1 + q/2) delta_t + (q/2) Delta* - |grad f|^2/(4 A_f)."""
    right = [(1 + q / 2) * d + q / 2 * excess - s / (4 * A) for d, s, A in zip(run.delta, run.slope2, run.A)]
    return run.delta[1:], right


def least(run: Run) -> arb:
    """min over t < T of |grad f(x_t)|^2/(2 A_f(x_t))."""
    values = [s / (2 * A) for s, A in zip(run.slope2, run.A)]
    best = values[0]
    for v in values[1:]:
        best = best.min(v)
    return best


def rate_bound(run: Run, excess: arb, T: int) -> arb:
    """(2 sqrt(e) delta_0 + Delta*)/T."""
    return (2 * arb(fmpq(1, 2)).exp() * run.delta[0] + excess) / T
