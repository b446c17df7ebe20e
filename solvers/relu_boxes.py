r"""Lower bounds of two-layer ReLU networks on boxes, in balls: f(z) = sum_j c_j relu(<v_j, z>) over |z_i - center_i| <= half_i.

A neuron whose sign is certain on the box is linear there, so that positive and negative neurons cancel before the minimum is taken. The
others are replaced by a linear function on the right side of relu: 0 or the identity below it, the chord above it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import arb, arb_mat


def lower_bound(V: arb_mat, c: Sequence[Any], center: Sequence[Any], half: Sequence[Any]) -> tuple[arb, arb]:
    """(A, B) with f >= A - B on the box: A is the linear minorant at the centre, B >= 0 its variation on the box.

    Args:
        V: rows v_j, (m, d).
        c: m output weights, exact numbers of certain sign.
        center, half: d numbers (exact or balls), half >= 0.

    Returns:
        balls; A - B is the minimum of f where no neuron changes its sign.
    """
    m, d = V.nrows(), V.ncols()
    if len(c) != m or len(center) != d or len(half) != d:
        raise ValueError(f"V is {m} x {d}: expected {m} output weights and boxes in dimension {d}")
    slope = [arb(0)] * d
    constant = arb(0)
    for j in range(m):
        if c[j] == 0:
            continue
        row = [V[j, i] for i in range(d)]
        middle = sum((v * x for v, x in zip(row, center)), arb(0))
        radius = sum((abs(v) * h for v, h in zip(row, half)), arb(0))
        s, k = _minorant(middle, radius, c[j] > 0)
        slope = [w + c[j] * s * v for w, v in zip(slope, row)]
        constant += c[j] * k
    at_center = sum((w * x for w, x in zip(slope, center)), constant)
    return at_center, sum((abs(w) * h for w, h in zip(slope, half)), arb(0))


def _minorant(middle: arb, radius: arb, below: bool) -> tuple[arb, arb]:
    """(s, k) with s t + k <= relu(t) (below) or >= relu(t) for |t - middle| <= radius."""
    low, high = middle - radius, middle + radius
    if low >= 0:
        return arb(1), arb(0)
    if high <= 0:
        return arb(0), arb(0)
    if below:
        return arb(1) if middle > 0 else arb(0), arb(0)
    left, right = low.lower().min(arb(0)).mid(), high.upper().max(arb(0)).mid()  # exact ends with left <= 0 <= right
    if not left < right:
        return arb(0), arb(0)
    s = right / (right - left)
    return s, -s * left
