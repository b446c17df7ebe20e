"""All cells of a central hyperplane arrangement, exactly, each with an integer interior point.

Every cell of an arrangement of full rank r is a pointed cone, so some extreme ray p lies on it, and around p it
looks like a cell of the hyperplanes through p. The enumeration visits all rays (r-1 normals determine one, a
generalised cross product), splits the zero signs at each into the cells of the local arrangement (all sign
patterns when r-1 hyperplanes meet there, a recursion otherwise), and merges equal sign vectors. The sum of the
rays found on a cell is an interior point of it. Completeness is not left to this argument: the number of cells
is compared with the count by deletion and restriction.

Signs are exact: leading bits decide where they can, Python integers elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from solvers.certificates.relu import count_cells
from solvers.relu.exact import Integers, primitive
from solvers.relu.signs import leading_signs

Array = np.ndarray[Any, Any]

MAX_CELLS = 60_000
MAX_RANK = 8
ROWS_PER_SECOND = 1.0e5
"""Local cells (rays times patterns) handled per second, a rough figure for predictions."""


class TooManyCells(ValueError):
    """The enumeration would be too large; says how large."""


@dataclass(frozen=True)
class Arrangement:
    """The cells of {w : x_k.w = 0}, k = 1..n, one of each antipodal pair.

    Attributes:
        n, d: rows and columns of the data.
        rank: rank of the data.
        normals: the distinct hyperplanes, primitive integer vectors.
        which: index of each row's hyperplane (-1 for a zero row).
        orientation: 1 or -1, whether the row points along its normal (0 for a zero row).
        witnesses: an integer interior point per pair of cells; none if all rows are zero.
        signs: sign of each normal at each witness, pairs x hyperplanes, entries 1 and -1.
    """

    n: int
    d: int
    rank: int
    normals: tuple[Integers, ...]
    which: tuple[int, ...]
    orientation: tuple[int, ...]
    witnesses: tuple[Integers, ...]
    signs: Array

    @property
    def count(self) -> int:
        """The number P of cells."""
        return 2 * len(self.witnesses) if self.normals else 1

    @cached_property
    def row_signs(self) -> Array:
        """Sign of x_k at each witness, pairs x n (0 for zero rows)."""
        columns = np.array(self.which)
        signs = np.array(self.orientation, dtype=np.int8)
        return self.signs[:, columns] * signs if len(self.witnesses) else np.zeros((0, self.n), np.int8)

    @cached_property
    def active(self) -> Array:
        """Active samples of all P cells as 0 and 1: first those of the witnesses, then their antipodes."""
        if not self.normals:
            return np.zeros((1, self.n), np.int8)
        return np.vstack([self.row_signs > 0, self.row_signs < 0]).astype(np.int8)

    @cached_property
    def points(self) -> Array:
        """Unit interior points of the P cells as doubles (the witnesses, then their negatives)."""
        if not self.normals:
            return np.eye(1, self.d)
        W = unit_vectors(self.witnesses)
        return np.vstack([W, -W])


def predicted_cells(h: int, r: int) -> int:
    """Cover's formula: the number of cells of h generic hyperplanes of rank r, and a bound for all others."""
    return 2 * sum(comb(h - 1, k) for k in range(r)) if h else 1


def arrangement(X: Sequence[Sequence[fmpq]], *, max_cells: int = MAX_CELLS, check: bool = True) -> Arrangement:
    """Enumerate the cells of the rows' hyperplanes.

    Args:
        X: n rows of d rationals; zero, parallel and dependent rows are welcome.
        max_cells: refuse if Cover's bound exceeds this.
        check: compare the number of cells with the count by deletion and restriction (which certificates
            repeat).

    Raises:
        TooManyCells: with the predicted number of cells and time.
        ArithmeticError: if the count disagrees (an error of this module).
    """
    n, d = len(X), len(X[0])
    rows = [primitive(row) for row in X]
    index: dict[Integers, int] = {}
    which, orientation = [], []
    for row in rows:
        lead = next((v for v in row if v), 0)
        sign = (lead > 0) - (lead < 0)
        which.append(index.setdefault(tuple(sign * v for v in row), len(index)) if sign else -1)
        orientation.append(sign)
    normals = tuple(index)
    if not normals:
        return Arrangement(n, d, 0, (), tuple(which), tuple(orientation), (), np.zeros((0, 0), np.int8))
    pivots = pivot_columns(normals)
    r, h = len(pivots), len(normals)
    refuse_if_large(h, r, max_cells)
    signs, inner = _cells([tuple(v[p] for p in pivots) for v in normals])
    place = {p: i for i, p in enumerate(pivots)}
    witnesses = tuple(tuple(w[place[j]] if j in place else 0 for j in range(d)) for w in inner)
    if check and 2 * len(witnesses) != count_cells(X):
        raise ArithmeticError(f"{2 * len(witnesses)} cells enumerated, {count_cells(X)} counted")
    return Arrangement(n, d, r, normals, tuple(which), tuple(orientation), witnesses, signs)


def refuse_if_large(h: int, r: int, max_cells: int = MAX_CELLS) -> None:
    """Raise `TooManyCells` when h hyperplanes of rank r may have more than `max_cells` cells."""
    bound = predicted_cells(h, r)
    if bound > max_cells or r > MAX_RANK:
        seconds = comb(h, r - 1) * 2 ** (r - 1) / ROWS_PER_SECOND
        raise TooManyCells(
            f"{h} distinct hyperplanes of rank {r} may have {bound} cells, at most {max_cells} cells of rank at most "
            f"{MAX_RANK} are accepted; their enumeration alone would take about {seconds:.3g} s. Use fewer samples or "
            "features"
        )


def pivot_columns(rows: Sequence[Sequence[Any]]) -> tuple[int, ...]:
    """The first columns that are independent of those before them."""
    R, r = fmpq_mat([[fmpq(v) for v in row] for row in rows]).rref()
    columns, j = [], 0
    for i in range(r):
        while R[i, j] == 0:
            j += 1
        columns.append(j)
    return tuple(columns)


def _cells(H: list[Integers]) -> tuple[Array, list[Integers]]:
    """Sign vectors (one per antipodal pair, first entry 1) and witnesses, for normals of full rank r."""
    _h, r = len(H), len(H[0])
    if r == 1:
        return np.ones((1, 1), np.int8), [(1 if H[0][0] > 0 else -1,)]
    rays, S = _rays(H)
    zeros = (S == 0).sum(axis=1)
    patterns, owners = [], []
    simple = np.flatnonzero(zeros == r - 1)
    if simple.size:
        local = np.array(list(product((1, -1), repeat=r - 1)), dtype=np.int8)
        filled = np.repeat(S[simple], len(local), axis=0)
        filled[filled == 0] = np.tile(local, (simple.size, 1)).ravel()
        patterns.append(filled)
        owners.append(np.repeat(simple, len(local)))
    for i in np.flatnonzero(zeros > r - 1):
        Z = np.flatnonzero(S[i] == 0)
        local = _local_cells([H[z] for z in Z])
        filled = np.repeat(S[i : i + 1], len(local), axis=0)
        filled[:, Z] = local
        patterns.append(filled)
        owners.append(np.full(len(local), i))
    signs, owner = np.vstack(patterns), np.concatenate(owners)
    side = signs[:, 0].copy()
    signs *= side[:, None]
    packed = np.packbits(signs > 0, axis=1)
    keys = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, label = np.unique(keys, return_index=True, return_inverse=True)
    cells = np.ascontiguousarray(signs[first])
    return cells, _witnesses(H, rays, cells, owner, side, label.ravel())


def _local_cells(H: list[Integers]) -> Array:
    """All cells (both of each pair) of the hyperplanes through a ray."""
    pivots = pivot_columns(H)
    half, _ = _cells([tuple(v[p] for p in pivots) for v in H])
    return np.vstack([half, -half])


def _rays(H: list[Integers]) -> tuple[list[Integers], Array]:
    """The rays (primitive, one of each antipodal pair) and the signs of all normals at them."""
    h, r = len(H), len(H[0])
    subsets = np.array(list(combinations(range(h), r - 1)), dtype=np.int64).reshape(-1, r - 1)
    P = _cross_products(H, subsets)
    g = np.gcd.reduce(P, axis=1)
    keep = np.flatnonzero(g != 0)
    P = P[keep] // g[keep][:, None]
    rays: list[Integers] = [tuple(row) for row in P.tolist()]
    S, unknown = leading_signs(rays, H)
    place = np.arange(len(rays))[:, None]
    S[place, subsets[keep]], unknown[place, subsets[keep]] = 0, False  # a ray lies on the hyperplanes that make it
    for i, k in np.argwhere(unknown).tolist():
        exact = sum(a * b for a, b in zip(rays[i], H[k]))
        S[i, k] = (exact > 0) - (exact < 0)
    if keep.size < len(subsets) or ((S == 0).sum(axis=1) > r - 1).any():
        unique: dict[Integers, int] = {}
        for i, ray in enumerate(rays):
            lead = next(v for v in ray if v)
            unique.setdefault(ray if lead > 0 else tuple(-v for v in ray), i)
        chosen = list(unique.values())
        rays, S = [rays[i] for i in chosen], S[chosen]
    return rays, S


def _cross_products(H: list[Integers], subsets: Array) -> Array:
    """Generalised cross products of r-1 normals each, rows of integers (Laplace expansion)."""
    r = len(H[0])
    largest = max(abs(v) for row in H for v in row)
    factorial = 1
    for k in range(2, r):
        factorial *= k
    small = factorial * largest ** (r - 1) < 1 << 62
    A = np.array(H, dtype=np.int64 if small else object)[subsets]  # subsets x (r-1) x r
    minors: dict[tuple[int, ...], Array] = {(j,): A[:, 0, j] for j in range(r)}
    for k in range(2, r):
        grown: dict[tuple[int, ...], Array] = {}
        for columns in combinations(range(r), k):
            total: Any = 0
            for i, j in enumerate(columns):
                term = A[:, k - 1, j] * minors[columns[:i] + columns[i + 1 :]]
                term = term if (k - 1 + i) % 2 == 0 else -term
                total = total + term
            grown[columns] = np.asarray(total)
        minors = grown
    every = tuple(range(r))
    return np.stack([(-1) ** j * minors[every[:j] + every[j + 1 :]] for j in range(r)], axis=1)


def _witnesses(
    H: list[Integers], rays: list[Integers], cells: Array, owner: Array, side: Array, label: Array
) -> list[Integers]:
    """Short integer interior points: the rounded sum of a cell's unit rays where that is inside, else exact."""
    r = len(H[0])
    units = unit_vectors(rays)
    total = np.zeros((len(cells), r))
    np.add.at(total, label, units[owner] * side[:, None])
    total /= np.abs(total).max(axis=1, keepdims=True)
    found: list[Integers | None] = [None] * len(cells)
    todo = np.arange(len(cells))
    for bits in (10, 16, 26, 40, 52):
        if not todo.size:
            break
        trial = np.rint(total[todo] * 2.0**bits).astype(np.int64)
        signs, unknown = leading_signs(trial, H)
        good = ((signs == cells[todo]) & ~unknown).all(axis=1)
        for place, point in zip(todo[good].tolist(), trial[good].tolist()):
            found[place] = tuple(point)
        todo = todo[~good]
    for i in todo:
        weighted = [0] * r
        for j in np.flatnonzero(label == i):
            ray = rays[owner[j]]
            weight = int(side[j]) * ((1 << 64) // max(abs(v) for v in ray) + 1)
            weighted = [a + weight * v for a, v in zip(weighted, ray)]
        found[i] = primitive(weighted)
    return [w for w in found if w is not None]


def unit_vectors(vectors: Sequence[Integers]) -> Array:
    """The vectors in doubles, scaled to norm 1."""
    try:
        units = np.array(vectors, dtype=float)
        units /= np.abs(units).max(axis=1, keepdims=True)
    except OverflowError:
        units = np.array([[x / scale for x in v] for v in vectors for scale in [max(map(abs, v))]])
    return np.asarray(units / np.linalg.norm(units, axis=1, keepdims=True))
