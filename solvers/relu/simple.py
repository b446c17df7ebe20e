r"""m* and M* of type II where P* has too many vertices to list: one number, k + r, if no vertex is degenerate.

P* = {0 <= c <= gamma : A c = t} with A of k columns a_j and rank r (see `solvers.relu.structure`). A pair of directions has two
neurons where 0 < c_j < gamma_j and one neuron otherwise, so a vertex with f coordinates strictly between their bounds has k + f neurons.

Theorem. Let A have rank r. Suppose that for every independent set B of r - 1 columns, with n a normal of their span, no subset H of the
other columns has sum_{j in H} gamma_j n.a_j = n.t. Then every vertex has k + r neurons, so m* = M* = k + r.

Proof. At a vertex c the columns with 0 < c_j < gamma_j are independent: F, f <= r of them. If f < r, extend F by columns of A to an
independent set B of r - 1 (a matroid of rank r allows it). All columns outside F are at a bound, so with H those outside B at gamma_j,
t - sum_{j in H} gamma_j a_j is a combination of the columns in B, and n is orthogonal to it: a subset H that is excluded.

There are C(k, r - 1) sets B, and whether one has a subset H is a subset sum, decided by meeting in the middle: two sorted lists of
2^((k-r+1)/2) sums instead of C(k, r) 2^(k-r) candidates. Sums that doubles (with a bound on their error) do not tell from n.t are
decided in balls; an equality matters only where the c_j of B can lie within their bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq_mat

from solvers.relu.box import joint_rank
from solvers.relu.decide import Undecided

Array = np.ndarray[Any, Any]
SUMS = 50_000_000
"""Partial sums that are made at most."""
HITS = 1_000
"""Sums decided in balls at most, for one set of columns."""


def common_width(
    shifts: Sequence[Sequence[arb]], target: Sequence[arb], gamma: Sequence[arb], spans: Sequence[fmpq_mat]
) -> int:
    """The number of neurons at every vertex of {0 <= c <= gamma : sum_j c_j shifts_j = target}, two where c_j is strictly inside.

    Args:
        shifts: k balls of vectors of length r.
        target: length r.
        gamma: k positive balls.
        spans: r x k_j rational matrices whose ranges contain the shifts.

    Raises:
        Undecided: if the set is not shown to have an interior point, if a vertex may be degenerate, or if k is too large.
    """
    k, r = len(shifts), len(target)
    q = k - r + 1
    work = comb(k, r - 1) * 2 ** ((q + 1) // 2)
    if work > SUMS:
        raise Undecided(f"{k} antipodal pairs would need {work} partial sums; at most {SUMS} are made")
    _show_interior_point(shifts, target, gamma)
    for B in combinations(range(k), r - 1):
        n = _normal([shifts[j] for j in B], r)
        if all(v.contains(0) for v in n):
            if joint_rank([spans[j] for j in B]) < r - 1:
                continue  # dependent whatever the directions within these faces
            raise Undecided("a choice of pairs is dependent to rounding")
        others = [j for j in range(k) if j not in B]
        steps = [gamma[j] * _dot(n, shifts[j]) for j in others]
        for H in _close_sums(steps, _dot(n, target)):
            rest = list(target)
            for j in (others[i] for i in H):
                rest = [v - gamma[j] * a for v, a in zip(rest, shifts[j])]
            if not _outside([shifts[j] for j in B], rest, n, [gamma[j] for j in B]):
                raise Undecided("a vertex of P* is degenerate to rounding")
    return k + r


def _show_interior_point(shifts: Sequence[Sequence[arb]], target: Sequence[arb], gamma: Sequence[arb]) -> None:
    """Raise `Undecided` unless some 0 < c < gamma solves the equations, and the shifts span: found in doubles, shown in balls."""
    from scipy.optimize import linprog

    k, r = len(shifts), len(target)
    A = np.array([[float(v.mid()) for v in a] for a in shifts]).T
    top, t = np.array([float(v.mid()) for v in gamma]), np.array([float(v.mid()) for v in target])
    # c = top x with room <= x <= 1 - room, the most room
    equal = np.column_stack([A * top, np.zeros(r)])
    room = np.vstack([np.column_stack([-np.eye(k), np.ones(k)]), np.column_stack([np.eye(k), np.ones(k)])])
    found = linprog(np.eye(k + 1)[k] * -1, room, [0.0] * k + [1.0] * k, equal, t, bounds=(0, 1))
    if found.status != 0:
        raise Undecided("no point of P* was found")
    basis = _independent(A * top)
    rest = list(target)
    for j in set(range(k)) - set(basis):
        rest = [v - arb(float(top[j] * found.x[j])) * a for v, a in zip(rest, shifts[j])]
    try:
        solved = arb_mat([[shifts[j][i] for j in basis] for i in range(r)]).solve(arb_mat([[v] for v in rest]))
    except ZeroDivisionError:
        raise Undecided("the directions of the pairs may not span") from None
    inside = all(v > 0 and v < gamma[j] for v, j in zip(solved.entries(), basis))
    if not inside or not all(top[j] * x > 0 and arb(float(top[j] * x)) < gamma[j] for j, x in enumerate(found.x[:k])):
        raise Undecided("P* may have no interior point")


def _independent(A: Array) -> list[int]:
    """Columns that span, the longest first, by Gram-Schmidt orthogonalisation."""
    rest, chosen = A.copy(), []
    for _ in range(len(A)):
        j = int((rest * rest).sum(axis=0).argmax())
        chosen.append(j)
        unit = rest[:, j] / max(float(np.linalg.norm(rest[:, j])), 1e-300)
        rest = rest - np.outer(unit, unit @ rest)
    return chosen


def _normal(vectors: Sequence[Sequence[arb]], r: int) -> list[arb]:
    """The generalised cross product of r - 1 vectors; nonzero exactly if they are independent."""
    if r == 1:
        return [arb(1)]
    minors = ([[v[j] for j in range(r) if j != i] for v in vectors] for i in range(r))
    return [arb_mat(minor).det() * (-1) ** i for i, minor in enumerate(minors)]


def _dot(a: Sequence[arb], b: Sequence[arb]) -> arb:
    return sum((v * w for v, w in zip(a, b)), arb(0))


def _close_sums(steps: Sequence[arb], goal: arb) -> Iterator[list[int]]:
    """Every subset of the steps whose sum is not shown to differ from the goal."""
    scale = max(float(abs(v).upper()) for v in (*steps, goal)) or 1.0
    w, tau = np.array([float(v.mid()) for v in steps]) / scale, float(goal.mid()) / scale
    radii = sum(float(v.rad()) for v in (*steps, goal)) / scale
    # every number is rounded twice (2^-53 each), and a sum once more for every step
    error = (len(w) + 6) * 2.0**-52 * (abs(tau) + np.abs(w).sum()) + 2 * radii
    cut = len(w) // 2
    left, right = _subset_sums(w[:cut]), _subset_sums(w[cut:])
    order = right.argsort()
    ranked = right[order]
    first = np.searchsorted(ranked, tau - left - error)
    last = np.searchsorted(ranked, tau - left + error, side="right")
    if (last - first).sum() > HITS:
        raise Undecided("too many vertices of P* are degenerate to rounding")
    for i in np.flatnonzero(last > first).tolist():
        for place in range(int(first[i]), int(last[i])):
            code = i + (int(order[place]) << cut)
            H = [j for j in range(len(w)) if code >> j & 1]
            if (sum((steps[j] for j in H), arb(0)) - goal).contains(0):
                yield H


def _subset_sums(w: Array) -> Array:
    """The sums of all subsets; bit j of the index says whether w_j is in."""
    sums = np.zeros(1)
    for v in w:
        sums = np.concatenate([sums, sums + v])
    return sums


def _outside(vectors: Sequence[Sequence[arb]], rest: Sequence[arb], n: Sequence[arb], tops: Sequence[arb]) -> bool:
    """Whether rest = sum c_j v_j, if it holds, needs a c_j below 0 or above its top."""
    if not vectors:
        return False
    skip = next(i for i, v in enumerate(n) if not v.contains(0))
    rows = [i for i in range(len(rest)) if i != skip]
    c = arb_mat([[v[i] for v in vectors] for i in rows]).solve(arb_mat([[rest[i]] for i in rows])).entries()
    return any(v < 0 or v > top for v, top in zip(c, tops))
