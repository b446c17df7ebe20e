"""Cells of a central hyperplane arrangement: that a list of interior points misses none.

Distinct witnesses have distinct sign vectors, and their number is the number of cells, counted by deletion and
restriction. Cells come in antipodal pairs, and one witness is listed per pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, lcm
from typing import TYPE_CHECKING

from flint import fmpq

from solvers.certificates.bounds import InvalidCertificate

if TYPE_CHECKING:
    from solvers.certificates.words import Array

Normal = tuple[int, ...]


def check_cells(X: Sequence[Sequence[fmpq]], cells: Sequence[Sequence[fmpq]]) -> Array:
    """The active samples at each witness (pairs x n bools), once the witnesses represent all pairs of cells.

    Raises:
        InvalidCertificate: for a witness on a hyperplane, two witnesses of one pair, or a number of cells that
            is not the number of cells.
    """
    import numpy as np

    from solvers.certificates.words import signs

    d = len(X[0])
    if any(len(z) != d or any(v.q != 1 for v in z) for z in cells):
        raise InvalidCertificate(f"a witness of a cell is not an integer vector of length {d}")
    rows = [integer_row(row) for row in X]
    nonzero = [k for k, row in enumerate(rows) if any(row)]
    if not nonzero:
        if cells:
            raise InvalidCertificate("all samples are zero: there is one cell, and none is to be listed")
        return np.zeros((0, len(X)), bool)
    S = signs([[int(v.p) for v in z] for z in cells], [rows[k] for k in nonzero])
    touching = (S == 0).any(axis=1)
    if touching.any():
        raise InvalidCertificate(f"the witness of cell {touching.argmax()} lies on a hyperplane of a sample")
    seen: set[bytes] = set()
    for i, line in enumerate(np.packbits(S[:, :1] == S, axis=1)):  # the same for antipodes
        key = line.tobytes()
        if key in seen:
            raise InvalidCertificate(f"cell {i} was listed before, as itself or as its antipode")
        seen.add(key)
    expected = _count(_distinct(rows), d)
    if 2 * len(cells) != expected:
        raise InvalidCertificate(f"{2 * len(cells)} cells are listed, and the arrangement has {expected}")
    active = np.zeros((len(cells), len(X)), bool)
    active[:, nonzero] = S > 0
    return active


def integer_row(row: Sequence[fmpq]) -> Normal:
    """The primitive integer vector on the ray of a row."""
    common = lcm(*(int(v.q) for v in row))
    whole = [int(v.p) * (common // int(v.q)) for v in row]
    divisor = gcd(*whole)
    return tuple(v // divisor for v in whole) if divisor else tuple(whole)


def normals(X: Sequence[Sequence[fmpq]]) -> list[Normal]:
    """The distinct hyperplanes of the nonzero rows: primitive normals, first nonzero entry positive."""
    return _distinct([integer_row(row) for row in X])


def _distinct(rows: Sequence[Normal]) -> list[Normal]:
    return list(dict.fromkeys(_oriented(row) for row in rows if any(row)))


def count_cells(X: Sequence[Sequence[fmpq]]) -> int:
    """The number of cells of the arrangement of the rows' hyperplanes (Zaslavsky: deletion and restriction)."""
    return _count(normals(X), len(X[0]))


def _count(H: Sequence[Normal], d: int) -> int:
    if not H:
        return 1
    if d == 1:
        return 2
    if d == 2:
        return 2 * len(H)
    # r(h_1..h_k) = r(h_1..h_{k-1}) + r(h_1..h_{k-1} restricted to the hyperplane h_k = 0)
    return 1 + sum(_count(restrict(H[:k], h), d - 1) for k, h in enumerate(H))


def restrict(H: Sequence[Normal], h: Normal) -> list[Normal]:
    """The distinct traces of hyperplanes on h = 0, in the coordinates other than the first with h_p != 0."""
    p = next(i for i, v in enumerate(h) if v)
    lead, rest = h[p], [(j, v) for j, v in enumerate(h) if j != p]
    return list(dict.fromkeys([_oriented([lead * g[j] - g[p] * v for j, v in rest]) for g in H]))


def _oriented(v: Sequence[int]) -> Normal:
    """The primitive vector on the line of v, with its first nonzero entry positive."""
    divisor = gcd(*v)
    for x in v:
        if x:
            divisor = divisor if x > 0 else -divisor
            break
    return tuple(v) if divisor in (0, 1) else tuple([x // divisor for x in v])
