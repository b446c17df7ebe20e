"""Vector outputs in two input dimensions: the optimum between a network and an exactly checked dual point.

    minimise 1/2 |sum_j (X w_j)_+ v_j^T - Y|_F^2 + beta/2 sum_j (|w_j|^2 + |v_j|^2),   Y of n x c.

Dual: max <Y, N> - |N|_F^2 / 2 subject to |N^T (X u)_+| <= beta on the unit ball. On a cell, a cone of two rays in the
plane, |N^T (X u)_+|^2 = u.G u with G = X^T D N N^T D X, and u.G u <= tau |u|^2 there exactly if tau I - G is copositive
on the cone: with p, s, q its values at (r1, r1), (r2, r2), (r1, r2), p >= 0, s >= 0, and q >= 0 or q^2 <= p s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from solvers.enclosures.exact import dyadic
from solvers.relu.arrangement import Arrangement, arrangement
from solvers.relu.exact import Vector, to_float
from solvers.relu.lasso import nonnegative_quadratic

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class VectorProblem:
    """Exact data: X of n x 2 with rank 2, Y of n x c, beta > 0."""

    X: tuple[Vector, ...]
    Y: tuple[Vector, ...]
    beta: fmpq

    def __post_init__(self) -> None:
        if len(self.X) != len(self.Y) or any(len(row) != 2 for row in self.X):
            raise ValueError("expected n rows of two features and n rows of targets")
        if self.beta <= 0:
            raise ValueError(f"beta = {self.beta}; expected a positive weight")


@dataclass(frozen=True)
class VectorSolution:
    """An enclosure of the optimum.

    Attributes:
        lower, upper: proven bounds; `upper` is the objective of `neurons`.
        neurons: pairs (w, v) of dyadic weights.
        N: the dual point before scaling.
    """

    lower: fmpq
    upper: fmpq
    neurons: tuple[tuple[Vector, Vector], ...]
    N: tuple[Vector, ...]


def cones(cells: Arrangement) -> list[tuple[Array, tuple[tuple[int, int], tuple[int, int]]]]:
    """Each cell in the plane: its active samples and its two bounding integer rays."""
    if cells.d != 2 or cells.rank != 2:
        raise ValueError(f"data of rank {cells.rank} in {cells.d} dimensions; expected rank 2 in 2")
    found = []
    signs = np.vstack([cells.signs, -cells.signs])
    for active, line in zip(cells.active, signs.tolist()):
        rays = []
        for h in cells.normals:
            for ray in ((h[1], -h[0]), (-h[1], h[0])):
                if all(s * (g[0] * ray[0] + g[1] * ray[1]) >= 0 for s, g in zip(line, cells.normals)):
                    rays.append(ray)
        if len(rays) != 2:
            raise ArithmeticError(f"a cell in the plane with {len(rays)} bounding rays")
        found.append((active > 0, (rays[0], rays[1])))
    return found


def solve(problem: VectorProblem, rounds: int = 200) -> VectorSolution:
    """Solve by a working set of directions in doubles; both bounds are exact."""
    cells = arrangement(problem.X)
    arcs = cones(cells)
    X = np.array([[to_float(v) for v in row] for row in problem.X])
    Y = np.array([[to_float(v) for v in row] for row in problem.Y])
    beta = to_float(problem.beta)
    U: list[Array] = []
    g = np.zeros(0)
    N = Y.copy()
    for _ in range(rounds):
        fresh = []
        for active, rays in arcs:
            C = (active[:, None] * X).T @ N
            u = _longest(C @ C.T, rays)
            if np.linalg.norm(C.T @ u) > beta * (1 + 1e-12):
                fresh.append(u)
        if not fresh:
            break
        U, g = _merged(U, g, fresh)
        g, N = _weights(np.maximum(X @ np.array(U).T, 0.0), Y, beta, g)
    neurons = []
    for u, t in zip(U, g):
        if t > 1e-14:
            V = t * (N.T @ np.maximum(X @ u, 0.0))
            root = np.sqrt(np.linalg.norm(V))
            if root > 0:
                neurons.append((_exact(root * u), _exact(V / root)))
    exact = tuple(_exact(row) for row in N)
    return VectorSolution(lower_bound(problem, exact, arcs), objective(problem, neurons), tuple(neurons), exact)


def _exact(v: Array) -> Vector:
    return tuple(dyadic(float(x)) for x in v)


def _longest(G: Array, rays: Sequence[Sequence[int]]) -> Array:
    """The unit vector of a planar cone with the largest u.G u."""
    ends = [np.array(r, dtype=float) / np.hypot(float(r[0]), float(r[1])) for r in rays]
    top = np.linalg.eigh(G)[1][:, -1]
    a, b = np.linalg.solve(np.array(ends).T, top)
    if a >= 0 and b >= 0:
        return np.asarray(top)
    if a <= 0 and b <= 0:
        return np.asarray(-top)
    return max(ends, key=lambda u: float(u @ G @ u))


def _merged(U: list[Array], g: Array, fresh: list[Array]) -> tuple[list[Array], Array]:
    """The directions in use and the new ones that differ from them."""
    keep = [k for k in range(len(U)) if g[k] > 0]
    kept = [U[k] for k in keep]
    new: list[Array] = []
    for u in fresh:
        if all(float(u @ v) < 1 - 1e-15 for v in [*kept, *new]):
            new.append(u)
    return kept + new, np.concatenate([g[keep], np.zeros(len(new))])


def _weights(A: Array, Y: Array, beta: float, g: Array) -> tuple[Array, Array]:
    """Newton's method for 1/2 tr Y^T (I + sum g a a^T)^-1 Y + beta^2/2 sum g over g >= 0."""
    n = len(Y)

    def state(g: Array) -> tuple[Array, Array, float]:
        inverse = np.linalg.inv(np.eye(n) + (A * g) @ A.T)
        N = inverse @ Y
        return inverse, N, float((Y * N).sum() + beta**2 * g.sum()) / 2

    inverse, N, value = state(g)
    for _ in range(80):
        P = A.T @ N
        gradient = (beta**2 - (P * P).sum(axis=1)) / 2
        hessian = (A.T @ inverse @ A) * (P @ P.T)
        hessian += np.eye(len(g)) * (1e-13 * np.trace(hessian) / len(g) + 1e-300)
        step = nonnegative_quadratic(hessian, hessian @ g - gradient, g) - g
        t = 1.0
        while True:
            trial = state(g + t * step)
            if trial[2] <= value + 1e-15 * abs(value) or t < 1e-8:
                break
            t /= 2
        moved = np.abs(t * step).max(initial=0.0)
        g = g + t * step
        inverse, N, value = trial
        if moved <= 1e-15 * np.abs(g).max(initial=0.0):
            break
    return g, N


def lower_bound(
    problem: VectorProblem, N: Sequence[Vector], arcs: Sequence[tuple[Array, tuple[tuple[int, int], tuple[int, int]]]]
) -> fmpq:
    """The dual objective at (1 - eps/2) N for the least eps = 2^-k (or growing powers) that is proven feasible."""
    grams = []
    for active, rays in arcs:
        C = [
            [
                sum((problem.X[k][i] * N[k][j] for k in np.flatnonzero(active).tolist()), fmpq(0))
                for j in range(len(N[0]))
            ]
            for i in (0, 1)
        ]
        G = [[sum((a * b for a, b in zip(C[i], C[j])), fmpq(0)) for j in (0, 1)] for i in (0, 1)]
        grams.append((G, rays))
    feasible = fmpq(1)
    for k in range(1, 60):
        eps = fmpq(1, 2**k)
        if not all(copositive(G, rays, problem.beta**2 * (1 + eps)) for G, rays in grams):
            break
        feasible = eps
    if feasible == 1:  # far from feasible: any scale will do
        return fmpq(0)
    t = 1 - feasible / 2
    inner = sum((a * b for r, s in zip(problem.Y, N) for a, b in zip(r, s)), fmpq(0))
    square = sum((a * a for r in N for a in r), fmpq(0))
    return t * inner - t * t * square / 2


def copositive(G: Sequence[Sequence[fmpq]], rays: Sequence[Sequence[int]], tau: fmpq) -> bool:
    """Whether tau |u|^2 - u.G u >= 0 on the cone of two rays, exactly."""

    def form(u: Sequence[int], v: Sequence[int]) -> fmpq:
        total = tau * (u[0] * v[0] + u[1] * v[1])
        return total - sum((G[i][j] * u[i] * v[j] for i in (0, 1) for j in (0, 1)), fmpq(0))

    p, s, q = form(rays[0], rays[0]), form(rays[1], rays[1]), form(rays[0], rays[1])
    return bool(p >= 0 and s >= 0 and (q >= 0 or q * q <= p * s))


def objective(problem: VectorProblem, neurons: Sequence[tuple[Vector, Vector]]) -> fmpq:
    """The exact objective of a network."""
    fit = [[fmpq(0)] * len(problem.Y[0]) for _ in problem.Y]
    penalty = fmpq(0)
    for w, v in neurons:
        penalty += sum((x * x for x in (*w, *v)), fmpq(0))
        for k, row in enumerate(problem.X):
            z = row[0] * w[0] + row[1] * w[1]
            if z > 0:
                fit[k] = [f + z * x for f, x in zip(fit[k], v)]
    error = sum(((a - b) ** 2 for r, s in zip(fit, problem.Y) for a, b in zip(r, s)), fmpq(0))
    return error / 2 + problem.beta * penalty / 2
