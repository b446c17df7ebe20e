"""Parallel three-layer networks f = sum_k a_k ((X W_k)_+ w_k)_+ with two hidden neurons a unit, and cubic weight decay.

The training problem with penalty beta/3 sum_k (|W_k|_F^3 + |w_k|^3 + |a_k|^3) is a convex program over blocks
((i, s1), (j, s2), D', s): z_1 in K_i, z_2 in K_j with (2D' - I)(s1 D_i X z_1 + s2 D_j X z_2) >= 0, feature
s D'(s1 D_i X z_1 + s2 D_j X z_2), cost beta (|z_1| + |z_2|).

Lower bound for every nu: on a block, s nu.D'(..) is at most the sum over h of |p_h| |z_h| with
p_h = s s_h X^T D_h D' nu + G_h^T lam_h + s_h X^T D_h (2D' - I) mu, lam_h, mu >= 0. If all |p_h| <= M, then
(beta/M) nu is dual feasible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import isqrt
from typing import Any

import numpy as np
from flint import arb, fmpq, fmpz

from solvers.certificates.relu import ReluProblem
from solvers.enclosures.exact import dyadic
from solvers.relu.arrangement import arrangement
from solvers.relu.exact import of_problem

Array = np.ndarray[Any, Any]
Ball = Any


@dataclass(frozen=True)
class Block:
    """A block of the convex program.

    Attributes:
        cells: the two cells, by index.
        signs: s1, s2.
        outer: D', active samples of the second layer.
        s: sign of the output weight.
    """

    cells: tuple[int, int]
    signs: tuple[int, int]
    outer: tuple[int, ...]
    s: int


@dataclass(frozen=True)
class Unit:
    """A unit: hidden directions with norms (exact or balls), their signs and the output sign.

    Attributes:
        z: the two vectors z_1, z_2 (zero if a hidden neuron is missing).
        signs: s1, s2.
        s: output sign.
    """

    z: tuple[tuple[Any, ...], tuple[Any, ...]]
    signs: tuple[int, int]
    s: int


@dataclass(frozen=True)
class ThreeLayer:
    """A solved program.

    Attributes:
        lower: proven lower bound of the optimal value (exact).
        units: the units of the solution with positive norm, dyadic.
        value: the solver's value, a double.
        directions: for each used (block, h) the norm and unit direction, in doubles.
    """

    lower: fmpq
    units: tuple[Unit, ...]
    value: float
    directions: dict[tuple[Block, int], tuple[float, Array]]


def blocks(P: int, n: int) -> Iterator[Block]:
    """All blocks that can matter: unordered pairs of different signed cells, not both negative."""
    signed = [(i, s) for s in (1, -1) for i in range(P)]
    ones = (1,) * n
    for a, first in enumerate(signed):
        for second in signed[a + 1 :]:
            if first[1] < 0 and second[1] < 0:
                continue
            both = first[1] > 0 and second[1] > 0
            for outer in [ones] if both else product((0, 1), repeat=n):
                if any(outer):
                    for s in (1, -1):
                        yield Block((first[0], second[0]), (first[1], second[1]), tuple(outer), s)


def solve(problem: ReluProblem, *, second_cone: bool = True, noise: float = 0.0) -> ThreeLayer:
    """Solve the program (Clarabel) and bound it below, exactly.

    Args:
        problem: rows, targets, beta; small: the number of blocks grows like cells^2 2^n.
        second_cone: False drops the constraints of the second layer (then `lower` bounds that relaxation).
        noise: relative size of a fixed pseudo-random perturbation of the costs.
    """
    import clarabel  # type: ignore[import-untyped]
    from scipy import sparse

    data = of_problem(problem)
    n, d = data.X.shape
    active = arrangement(problem.X).active.astype(float)
    listed = list(blocks(len(active), n))
    columns = n + 2 * (d + 1) * len(listed)
    rows: list[Array] = []
    cols: list[Array] = []
    vals: list[Array] = []
    at = n

    def put(r: int, c: int, M: Array) -> None:
        i, j = np.nonzero(M)
        rows.append(i + r)
        cols.append(j + c)
        vals.append(M[i, j])

    put(0, 0, np.eye(n))
    soc, positive = [], []
    for b in listed:
        D = np.array(b.outer, dtype=float)
        for h in (0, 1):
            soc.append(at)
            put(0, at + 1, -b.s * b.signs[h] * (D * active[b.cells[h]])[:, None] * data.X)
            at += d + 1
    top = n
    for c in soc:
        put(top, c, -np.eye(d + 1))
        top += d + 1
    starts = []
    for k, b in enumerate(listed):
        D = np.array(b.outer, dtype=float)
        for h in (0, 1):
            put(top + h * n, soc[2 * k + h] + 1, -(2 * active[b.cells[h]] - 1)[:, None] * data.X)
            if second_cone:
                M = b.signs[h] * ((2 * D - 1) * active[b.cells[h]])[:, None] * data.X
                put(top + 2 * n, soc[2 * k + h] + 1, -M)
        starts.append(top)
        top += (3 if second_cone else 2) * n
        positive.append((3 if second_cone else 2) * n)
    A = sparse.csc_matrix((np.concatenate(vals), (np.concatenate(rows), np.concatenate(cols))), shape=(top, columns))
    right = np.zeros(top)
    right[:n] = -data.y
    costs = np.zeros(columns)
    costs[soc] = data.beta * (1 + noise * np.random.default_rng(1).normal(size=len(soc)))
    P = sparse.csc_matrix((np.ones(n), (np.arange(n), np.arange(n))), shape=(columns, columns))
    cones = [clarabel.ZeroConeT(n)] + [clarabel.SecondOrderConeT(d + 1) for _ in soc]
    cones.append(clarabel.NonnegativeConeT(sum(positive)))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    result = clarabel.DefaultSolver(P, costs, A, right, cones, settings).solve()
    x, dual = np.array(result.x), np.array(result.z)
    directions: dict[tuple[Block, int], tuple[float, Array]] = {}
    units = []
    for k, b in enumerate(listed):
        z = [x[soc[2 * k + h] + 1 : soc[2 * k + h] + 1 + d] for h in (0, 1)]
        for h in (0, 1):
            size = float(np.linalg.norm(z[h]))
            if size > 1e-9:
                directions[b, h] = (size, z[h] / size)
        if max(np.linalg.norm(v) for v in z) > 1e-9:
            pair = tuple(tuple(dyadic(float(v)) for v in vector) for vector in z)
            units.append(Unit((pair[0], pair[1]), b.signs, b.s))
    multipliers = [np.maximum(dual[starts[k] : starts[k] + positive[k]], 0.0) for k in range(len(listed))]
    nu = [dyadic(float(v)) for v in -x[:n]]
    lower = _lower_bound(problem, listed, active, nu, multipliers)
    return ThreeLayer(lower, tuple(units), float(result.obj_val), directions)


def _lower_bound(
    problem: ReluProblem, listed: Sequence[Block], active: Array, nu: Sequence[fmpq], multipliers: Sequence[Array]
) -> fmpq:
    """The dual objective at nu scaled by the largest exact bound."""
    X = problem.X
    n, d = len(X), len(X[0])
    largest = fmpq(0)
    for b, given in zip(listed, multipliers):
        lam = [[dyadic(float(np.round(v, 14))) for v in given[i * n : (i + 1) * n]] for i in range(len(given) // n)]
        mu = lam[2] if len(lam) > 2 else [fmpq(0)] * n
        for h in (0, 1):
            on = active[b.cells[h]]
            p = [fmpq(0)] * d
            for k in range(n):
                weight = fmpq(0)
                if on[k]:
                    weight += b.signs[h] * (mu[k] if b.outer[k] else -mu[k]) + lam[h][k]
                    if b.outer[k]:
                        weight += b.s * b.signs[h] * nu[k]
                else:
                    weight -= lam[h][k]
                if weight != 0:
                    p = [v + weight * x for v, x in zip(p, X[k])]
            square = sum((v * v for v in p), fmpq(0))
            largest = max(largest, square)
    scale = fmpq(1)
    if largest > problem.beta**2:
        shift = 80
        ratio = problem.beta**2 / largest
        scale = fmpq(isqrt(int((ratio * (fmpz(1) << (2 * shift))).floor())), fmpz(1) << shift)
    return sum((scale * v * t - scale * scale * v * v / 2 for v, t in zip(nu, problem.y)), fmpq(0))


def output(X: Sequence[Sequence[fmpq]], unit: Unit) -> list[fmpq]:
    """s (sum_h s_h (X z_h)_+)_+ for exact z."""
    result = []
    for row in X:
        total = fmpq(0)
        for z, s in zip(unit.z, unit.signs):
            value = sum((a * b for a, b in zip(row, z)), fmpq(0))
            total += s * value if value > 0 else 0
        result.append(unit.s * total if total > 0 else fmpq(0))
    return result


def weights(unit: Unit) -> tuple[list[list[Ball]], list[Ball], Ball]:
    """(W, w, a) of a unit in balls: W_h = z_h |z_h|^{-1/2} C^{-1/6}, w_h = s_h |z_h|^{1/2} C^{-1/6}, a = s C^{1/3}."""
    lengths = [sum((arb(v) * arb(v) for v in z), arb(0)).sqrt() for z in unit.z]
    C = sum(lengths, arb(0))
    sixth, third = C.root(6), C.root(3)
    W, w = [], []
    for z, s, length in zip(unit.z, unit.signs, lengths):
        if length > 0:
            root = length.sqrt()
            W.append([arb(v) / root / sixth for v in z])
            w.append(root / sixth * s)
        else:
            W.append([arb(0) for _ in z])
            w.append(arb(0))
    return W, w, third * unit.s


def penalty(W: Sequence[Sequence[Ball]], w: Sequence[Ball], a: Ball, power: int = 3) -> Ball:
    """(|W|_F^p + |w|^p + |a|^p) / p."""
    sizes = [
        sum((v * v for row in W for v in row), arb(0)).nonnegative_part().sqrt(),
        sum((v * v for v in w), arb(0)).nonnegative_part().sqrt(),
        abs(arb(a)),
    ]
    total = arb(0)
    for size in sizes:
        term = arb(1)
        for _ in range(power):
            term = term * size
        total = total + term
    return total / power


def loss(problem: ReluProblem, units: Sequence[Unit], power: int = 3) -> Ball:
    """The training loss of the network of some exact units, in balls: exact outputs, penalties of the mapped weights."""
    fit = [fmpq(0)] * len(problem.y)
    total = arb(0)
    for unit in units:
        if any(v != 0 for z in unit.z for v in z):
            fit = [f + v for f, v in zip(fit, output(problem.X, unit))]
            total = total + penalty(*weights(unit), power=power)
    error = sum(((f - t) ** 2 for f, t in zip(fit, problem.y)), fmpq(0))
    return arb(error) / 2 + arb(problem.beta) * total
