"""Signs of many products of integer vectors: leading bits in 64-bit integers, all bits where these do not decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
WORD = 62
"""Bits of an integer whose sums do not leave 64 bits."""


def signs(P: Sequence[Sequence[int]], H: Sequence[Sequence[int]]) -> Array:
    """The signs of p.h for all integer vectors p of P and h of H, exactly: int8, one row per p."""
    found, unknown = leading_signs(P, H)
    for i, k in np.argwhere(unknown).tolist():
        exact = sum(int(a) * int(b) for a, b in zip(P[i], H[k]))
        found[i, k] = (exact > 0) - (exact < 0)
    return found


def leading_signs(P: Any, H: Any) -> tuple[Array, Array]:
    """The signs of p.h where the leading bits decide them, and where they do not (there the sign is meaningless).

    P and H are rows of Python integers, or arrays of 64-bit integers of magnitude below 2^63.

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
    """Upper bounds of the bit lengths of the entries of each vector."""
    if isinstance(vectors, np.ndarray):
        exponents: Array = np.frexp(np.abs(vectors).max(axis=1).astype(float))[1]
        return exponents.astype(np.int64)
    return np.array([max(map(abs, v)).bit_length() for v in vectors], dtype=np.int64)


def _leading(vectors: Any, sizes: Array, room: int) -> tuple[Array, Array]:
    """Each vector's leading bits, `room` of them, and whether others are left out."""
    shifts = np.maximum(sizes - room, 0)
    if not shifts.any():
        return np.array(vectors, dtype=np.int64), shifts > 0
    if isinstance(vectors, np.ndarray):
        return vectors >> shifts[:, None], shifts > 0
    cut = np.array([[v >> s for v in vector] for vector, s in zip(vectors, shifts.tolist())], dtype=np.int64)
    return cut, shifts > 0
