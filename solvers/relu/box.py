"""Vertices of a box cut by equations, in balls: the optimal polytope of antipodal pairs (type II)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

import numpy as np
from flint import arb, arb_mat, fmpq_mat

from solvers.relu.decide import Undecided

CANDIDATES = 6_000_000
VERTICES = 5_000
"""Choices of a basis and of bounds that are tried for the vertices of P* of type II."""


class TooLarge(Undecided):
    """The vertices would be too many to list."""


def box_vertices(
    shifts: Sequence[Sequence[arb]], target: Sequence[arb], gamma: Sequence[arb], spans: Sequence[fmpq_mat]
) -> list[tuple[list[arb], list[str]]]:
    """Vertices of {0 <= c <= gamma : sum_j c_j shifts_j = target}, with the state (low, basic, high) of each c_j.

    Args:
        shifts: k balls of vectors of length r.
        target: length r.
        gamma: k positive balls.
        spans: r x k_j rational matrices whose ranges contain the shifts.

    Raises:
        Undecided: where a basic value is 0 or gamma_j, or a determinant 0, to rounding.
        TooLarge: for too many candidates or vertices.
    """
    k, r = len(shifts), len(target)
    candidates = comb(k, r) * 2 ** (k - r)
    if candidates > CANDIDATES:
        raise TooLarge(f"{k} antipodal pairs give {candidates} candidates for vertices; at most {CANDIDATES} are tried")
    found = []
    for basis in combinations(range(k), r):
        U = arb_mat([[shifts[j][i] for j in basis] for i in range(r)])
        determinant = U.det()
        if determinant.contains(0):
            if joint_rank([spans[j] for j in basis]) < r:
                continue  # dependent whatever the directions within these faces: no basis
            raise Undecided("a choice of basic pairs is singular to rounding")
        inverse = U.inv()
        others = [j for j in range(k) if j not in basis]
        base = (inverse * arb_mat([[v] for v in target])).entries()
        moves = [(inverse * arb_mat([[v * gamma[j]] for v in shifts[j]])).entries() for j in others]
        for high in _possible(base, moves, [gamma[j] for j in basis]):
            basic = list(base)
            for move, up in zip(moves, high):
                if up:
                    basic = [v - m for v, m in zip(basic, move)]
            if any(v < 0 or v > gamma[j] for v, j in zip(basic, basis)):
                continue
            if not all(v > 0 and v < gamma[j] for v, j in zip(basic, basis)):
                raise Undecided("a vertex of P* is degenerate to rounding")
            point, state = [arb(0)] * k, ["low"] * k
            for v, j in zip(basic, basis):
                point[j], state[j] = v, "basic"
            for j, up in zip(others, high):
                if up:
                    point[j], state[j] = gamma[j], "high"
            found.append((point, state))
            if len(found) > VERTICES:
                raise TooLarge(f"P* has more than {VERTICES} vertices")
    if not found:
        raise Undecided("no vertex of P* was found")
    return found


def _possible(base: Sequence[arb], moves: Sequence[Sequence[arb]], tops: Sequence[arb]) -> Iterator[list[bool]]:
    """Choices of moves for which 0 <= base - sum of the chosen <= tops is not refuted by doubles with an error bound."""
    q, r = len(moves), len(base)
    start = np.array([float(v.mid()) for v in base])
    steps = np.array([[float(v.mid()) for v in move] for move in moves]).reshape(q, r)
    limit = np.array([float(v.mid()) for v in tops])
    radii = sum((float(v.rad()) for line in (base, *moves, tops) for v in line), 0.0)
    # every number is rounded once (2^-53), every sum of at most q + 1 terms q times more
    error = (q + 4) * 2.0**-52 * (np.abs(start) + np.abs(steps).sum(axis=0) + limit) + 2 * radii + 1e-290
    bits = np.arange(q)
    for first in range(0, 1 << q, 1 << 14):
        codes = np.arange(first, min(first + (1 << 14), 1 << q))
        chosen = (codes[:, None] >> bits) & 1
        values = start - chosen @ steps
        kept = ((values >= -error) & (values <= limit + error)).all(axis=1)
        yield from (line.astype(bool).tolist() for line in chosen[kept])


def joint_rank(spans: Sequence[fmpq_mat]) -> int:
    """The rank of all columns together."""
    rows = [row for B in spans for row in B.transpose().tolist()]
    return int(fmpq_mat(rows).rank()) if rows else 0
