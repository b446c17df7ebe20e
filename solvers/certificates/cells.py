"""Cells of a central hyperplane arrangement: that a list of interior points misses none.

Distinct witnesses have distinct sign vectors, and their number is the number of cells, counted by deletion and
restriction. Cells come in antipodal pairs, and one witness is listed per pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, lcm

from flint import fmpq

from solvers.certificates.bounds import InvalidCertificate

Normal = tuple[int, ...]


def check_cells(X: Sequence[Sequence[fmpq]], cells: Sequence[Sequence[fmpq]]) -> list[bytes]:
    """The active samples at each witness (n bytes 0 or 1), once the witnesses are seen to represent all pairs of cells.

    The products of all samples with a witness are the digits of one long integer; with half the base minus 1 added to
    every digit, the leading bits of the digits are 1 exactly where the products are positive.

    Raises:
        InvalidCertificate: for a witness on a hyperplane, two witnesses of one pair, or a number of cells that
            is not the number of cells.
    """
    n, d = len(X), len(X[0])
    if {len(z) for z in cells} - {d} or not all(v.q == 1 for z in cells for v in z):
        raise InvalidCertificate(f"a witness of a cell is not an integer vector of length {d}")
    rows = [integer_row(row) for row in X]
    if not any(map(any, rows)):
        if cells:
            raise InvalidCertificate("all samples are zero: there is one cell, and none is to be listed")
        return []
    witnesses = [[int(v.p) for v in z] for z in cells]
    width = (d.bit_length() + _bits(rows) + _bits(witnesses)) // 8 + 1  # bytes of a digit: |x.z| < 2^(8 width - 1)
    ones, top = sum(1 << 8 * width * k for k in range(n)), 8 * width - 1
    half = ones * ((1 << top) - 1)
    columns = [sum(row[j] << 8 * width * k for k, row in enumerate(rows)) for j in range(d)]
    nonzero = sum(1 << 8 * width * k for k, row in enumerate(rows) if any(row))
    masks: list[bytes] = []
    seen: set[int] = set()
    for i, z in enumerate(witnesses):
        products = sum([a * v for a, v in zip(columns, z)])
        above, below = ((half + products) >> top & ones, (half - products) >> top & ones)
        if above | below != nonzero:
            raise InvalidCertificate(f"the witness of cell {i} lies on a hyperplane of a sample")
        if above in seen or below in seen:
            raise InvalidCertificate(f"cell {i} was listed before, as itself or as its antipode")
        seen.add(above)
        masks.append(above.to_bytes(n * width, "little")[::width])
    expected = _count(_distinct(rows), d)
    if 2 * len(cells) != expected:
        raise InvalidCertificate(f"{2 * len(cells)} cells are listed, and the arrangement has {expected}")
    return masks


def _bits(vectors: Sequence[Sequence[int]]) -> int:
    return max((max(map(abs, v)) for v in vectors), default=0).bit_length()


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
