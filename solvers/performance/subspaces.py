"""Exact linear algebra of a change of basis in a Gram matrix: ranges, congruences, sparse combinations of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flint import fmpq, nmod_mat

from solvers.certificates.cones import triangle_index
from solvers.certificates.problem import Row
from solvers.conic.numeric import Floats
from solvers.conic.rounding import small_rational

Combination = tuple[tuple[int, fmpq], ...]
"""Rows of a program and their coefficients."""
Sparse = dict[int, fmpq]

POSITIVE = 1e-4
"""Eigenvalues, of a matrix of size 1, from which they count as positive."""
SIMPLE = ((1e-6, 1000), (1e-4, 64), (3e-3, 16))
"""Distances within which a number of at most that denominator is meant."""
PRIME = (1 << 61) - 1
"""Ranks are taken modulo a prime: right for all but unlucky data, and only a hint."""


def echelon(S: Floats) -> tuple[list[int], list[list[fmpq]]] | None:
    """The range of S as [I; F]: rows of the identity, and for each other row its line of F; `None` if it is not simple."""
    from scipy.linalg import qr

    values, vectors = np.linalg.eigh(S)
    X = vectors[:, values > POSITIVE]
    n, r = X.shape
    if r == 0:
        return [], [[] for _ in range(n)]
    _, _, order = qr(X.T, mode="economic", pivoting=True)
    pivots = sorted(int(i) for i in order[:r])
    F = X @ np.linalg.inv(X[pivots])
    lines: list[list[fmpq]] = []
    for i in range(n):
        if i not in pivots:
            line = [_simple(float(v)) for v in F[i]]
            simple = [v for v in line if v is not None]
            if len(simple) < r:
                return None
            lines.append(simple)
    return pivots, lines


def _simple(value: float) -> fmpq | None:
    near = (small_rational(value, distance, largest) for distance, largest in SIMPLE)
    return next((v for v in near if v is not None), None)


def complement(n: int, pivots: list[int], lines: list[list[fmpq]]) -> list[Sparse]:
    """The columns of V: e_a - sum_p F_ap e_p for each a that is no pivot."""
    others = [i for i in range(n) if i not in pivots]
    return [
        {a: fmpq(1)} | {p: -value for p, value in zip(pivots, line) if value != 0} for a, line in zip(others, lines)
    ]


def congruence(u: Sparse, v: Sparse, first: int) -> Combination:
    """u^T M v in the rows of the triangle of M."""
    total: Sparse = {}
    for i, p in u.items():
        for j, q in v.items():
            k = first + triangle_index(min(i, j), max(i, j))
            total[k] = total.get(k, fmpq(0)) + p * q
    return tuple(sorted((k, value) for k, value in total.items() if value != 0))


def change_of_variables(n: int, order: int, pivots: list[int], lines: list[list[fmpq]]) -> list[Sparse]:
    """Each variable in the new ones: the others, the entries of G at pivots, then the triangle of V^T G V."""
    first = n - order * (order + 1) // 2
    others = [i for i in range(order) if i not in pivots]
    pairs = [(i, j) for j in range(order) for i in range(j + 1)]
    free = [pair for pair in pairs if pair[0] in pivots or pair[1] in pivots]
    place = {pair: first + k for k, pair in enumerate(free)}
    place |= {pair: first + len(free) + k for k, pair in enumerate(p for p in pairs if p not in place)}
    line = dict(zip(others, lines))
    change = [{j: fmpq(1)} for j in range(first)]
    for i, j in pairs:
        total = {place[i, j]: fmpq(1)}
        if (i, j) not in free:  # G_ij = H_ij + sum F_ip G_pj + sum F_jp G_ip - sum F_ip F_jq G_pq
            terms = [((p, j), f) for p, f in zip(pivots, line[i])] + [((p, i), f) for p, f in zip(pivots, line[j])]
            terms += [((p, q), -f * g) for p, f in zip(pivots, line[i]) for q, g in zip(pivots, line[j])]
            for (a, b), value in terms:
                if value != 0:
                    k = place[min(a, b), max(a, b)]
                    total[k] = total.get(k, fmpq(0)) + value
        change.append(total)
    return change


def combined(rows: Sequence[Row], combination: Combination) -> Sparse:
    total: Sparse = {}
    for i, factor in combination:
        for j, value in rows[i]:
            total[j] = total.get(j, fmpq(0)) + factor * value
    return total


def image(row: Sparse, change: list[Sparse]) -> Sparse:
    total: Sparse = {}
    for j, value in row.items():
        if value != 0:
            for k, factor in change[j].items():
                total[k] = total.get(k, fmpq(0)) + value * factor
    return total


def sparse(entries: Sparse) -> Row:
    return tuple(sorted((j, value) for j, value in entries.items() if value != 0))


def independent(rows: list[Sparse], objective: Sparse, free: int) -> list[int]:
    """Variables, of the first `free`, whose columns (with their objective) the other columns are combinations of."""
    lines = [row for row in (*rows, objective) if row]
    matrix = nmod_mat(len(lines), free, PRIME)
    for i, row in enumerate(lines):
        for j, value in row.items():
            if j < free and value != 0:
                matrix[i, j] = int(value.p) * pow(int(value.q), -1, PRIME) % PRIME
    reduced, rank = matrix.rref()
    found, i = [], 0
    for j in range(free):
        if i < rank and int(reduced[i, j]) != 0:
            found.append(j)
            i += 1
    return found
