"""Integers of 64 bits that decide most of what a certificate would otherwise need long integers for.

Every function proves what it says: leading bits stand for a number, and what they leave out is bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from flint import fmpq

Array = np.ndarray[Any, Any]
WORD = 62
"""No sum or product here exceeds 2^62 in magnitude by more than its bounded error."""


def signs(P: Sequence[Sequence[int]], H: Sequence[Sequence[int]]) -> Array:
    """The signs of p.h for all integer vectors p of P and h of H, exactly: int8, one row per p."""
    found, unknown = leading_signs(P, H)
    for i, k in np.argwhere(unknown).tolist():
        exact = sum(int(a) * int(b) for a, b in zip(P[i], H[k]))
        found[i, k] = (exact > 0) - (exact < 0)
    return found


def leading_signs(P: Any, H: Any) -> tuple[Array, Array]:
    """The signs of p.h where the leading bits decide them, and where they do not (there the sign is meaningless).

    With p = 2^s (p' + e) and h = 2^t (h' + f), entries of e and f in [0, 1), the product p.h / 2^(s+t) differs from
    p'.h' by less than sum |h'| + sum |p'| + r; without the first term if s = 0, without the second if t = 0.
    """
    r = len(H[0])
    room = WORD - r.bit_length()
    size_p, size_h = _bit_lengths(P), _bit_lengths(H)
    room_p = max(room // 2, room - int(size_h.max(initial=0)))
    A, cut_a = _leading(P, size_p, room_p)
    B, cut_b = _leading(H, size_h, room - min(int(size_p.max(initial=0)), room_p))
    A, cut_a = A.reshape(-1, r), cut_a[:, None]
    value = A @ B.T
    error = cut_a * np.abs(B).sum(axis=1) + cut_b * np.abs(A).sum(axis=1)[:, None] + (cut_a & cut_b) * r
    return np.sign(value).astype(np.int8), np.abs(value) < error


def _bit_lengths(vectors: Any) -> Array:
    return np.array([max(map(abs, v)).bit_length() for v in vectors], dtype=np.int64)


def _leading(vectors: Any, sizes: Array, room: int) -> tuple[Array, Array]:
    """Each vector's leading bits, `room` of them, and whether others are left out."""
    shifts = np.maximum(sizes - room, 0)
    if not shifts.any():
        return np.array(vectors, dtype=np.int64), shifts > 0
    cut = np.array([[v >> s for v in vector] for vector, s in zip(vectors, shifts.tolist())], dtype=np.int64)
    return cut, shifts > 0


def shown(
    X: Sequence[Sequence[fmpq]],
    nu: Sequence[fmpq],
    active: Array,
    multipliers: Sequence[tuple[int, int, fmpq]],
    limit: fmpq,
) -> list[bool]:
    """Which signed cones have a bound |sign c + G^T lam| that 62-bit integers show to be at most `limit`.

    Here c = X^T D nu; the cone 4 i + 2 side + (sign < 0) is that of the active samples D of row i, or of the others
    (side 1), and G has the rows x_k for k in D, -x_k for the others.

    X = (X' + e) / 2^a and nu = (N' + f) / 2^b with integers X', N' of B bits, and entries of e and f in [0, 1). So
    2^(a+b) c differs from X'^T D N' by at most sum_k |X'_k| + |N'_k| + 1 in every component. Any lam >= 0 proves a
    bound, so L / 2^b serves, L the integer part of 2^b lam, cut off where it is huge; then 2^(a+b) G^T lam differs
    from G'^T L by at most sum L. What is left of a component is cut to s bits less, upwards.

    Args:
        X, nu: n x d, n.
        active: pairs of cells x n bools.
        multipliers: (cone, k, lam_k >= 0), with k in 0..n-1; what is not listed is 0.
        limit: positive.
    """
    n, d = active.shape[1], len(X[0])
    B = (WORD - 8 - n.bit_length()) // 2
    a = B - _magnitude([v for row in X for v in row])
    b = B - _magnitude(nu)
    x = np.array([[_floor(v, a) for v in row] for row in X], dtype=np.int64)
    N = np.array([_floor(v, b) for v in nu], dtype=np.int64)
    weighted = x * N[:, None]
    on = active.astype(np.int64)
    C = np.stack([on @ weighted, (1 - on) @ weighted], axis=1)  # at most n 2^(2 B) <= 2^(WORD - 8)
    V = np.stack([C, -C], axis=2).reshape(-1, d)
    error = np.full(len(V), (np.abs(x).max(axis=1) + np.abs(N) + 1).sum())
    if multipliers:
        cone, rows = np.array([(cone, k) for cone, k, _ in multipliers]).T
        top = (1 << (WORD - 2 - B)) // int(np.bincount(cone).max())  # so that sum L |x| is at most 2^(WORD - 2)
        whole = [int(v.p << b) // int(v.q) if b >= 0 else _floor(v, b) for _, _, v in multipliers]
        L = np.array([v if v < top else top for v in whole], dtype=np.int64)
        inside = active[cone // 4, rows] != (cone // 2 % 2 == 1)
        np.add.at(V, cone, np.where(inside, L, -L)[:, None] * x[rows])
        np.add.at(error, cone, L)
    half = (WORD - d.bit_length()) // 2
    s = min(max(a + b + _magnitude([limit]) - half, 0), WORD)
    T = np.minimum(((np.abs(V) + error[:, None]) >> s) + 1, 1 << half)
    bound = limit * limit * fmpq(2) ** (2 * (a + b - s))
    found: list[bool] = ((T * T).sum(axis=1) < min(int(bound.floor()), 1 << (2 * half))).tolist()
    return found


def _magnitude(values: Iterable[fmpq]) -> int:
    """An e with |v| < 2^e for all values (0 if all are zero)."""
    return max((v.p.bit_length() - v.q.bit_length() + 1 for v in values if v.p != 0), default=0)


def _floor(v: fmpq, bits: int) -> int:
    """The integer part of 2^bits v."""
    return int((v.p << bits) // v.q if bits >= 0 else v.p // (v.q << -bits))
