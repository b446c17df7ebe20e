"""Evaluation of whole sequences in doubles: fast, with the smallest gap of every hardmax recorded, or in fixed point.

Doubles decide nothing. With `places=p` every stored coordinate, average and score is rounded to a multiple of 2^-p. Where
weights are integers or halves, and one of the two factors in every product of a score is an integer, the arithmetic between the
roundings is exact, so that this is fixed-point arithmetic and not an approximation of it; numbers that leave 50 bits are
refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from solvers.transformers.compiled import (
    IndexedAttention,
    IndexedFeedForward,
    IndexedHead,
    IndexedNorm,
    Program,
    Row,
)
from solvers.transformers.exact import to_float

Floats: TypeAlias = NDArray[np.float64]
TIE = 1e-10  # scores nearer than this are tied (0 in fixed point)


@dataclass(frozen=True)
class Evaluated:
    """Streams of all positions, and how clearly the hardmax heads chose.

    Attributes:
        streams: shape (positions, coordinates), after the last part.
        gap: the smallest distance of a best score to the best score that lost.
    """

    streams: Floats
    gap: float


def run_floats(program: Program, inputs: Floats, *, places: int | None = None) -> Evaluated:
    """Evaluate all positions in doubles.

    Args:
        program: the compiled transformer.
        inputs: shape (positions, inputs).
        places: round stored coordinates, averages and scores to multiples of 2^-places; None: no rounding.
    """
    x = np.zeros((len(inputs), program.width))
    x[:, : program.inputs] = inputs
    x = rounded(x, places)
    gap = inf
    for part in program.parts:
        if isinstance(part, IndexedAttention):
            results = [attention(head, x, part.causal, places) for head in part.heads]
            for head, (values, g) in zip(part.heads, results):
                x[:, list(head.value.places)] += values
                gap = min(gap, g)
        elif isinstance(part, IndexedFeedForward):
            units = x
            for rows in part.layers:
                units = rounded(np.maximum(affine(rows, units), 0), places)
            x[:, list(part.output.places)] += rounded(affine(part.output.rows, units), places)
        else:
            x[:, list(part.writes)] += rounded(_normalised(part, x), places)
    return Evaluated(x, gap)


def rounded(x: Floats, places: int | None) -> Floats:
    """Multiples of 2^-places nearest to x (ties to even)."""
    if places is None:
        return x
    scale = 2.0**places
    if x.size and float(np.abs(x).max()) * scale >= 2.0**50:
        raise ArithmeticError(f"{places} binary places of numbers up to {np.abs(x).max():g} need more than 50 bits")
    grid: Floats = np.rint(x * scale) / scale
    return grid


def affine(rows: tuple[Row, ...], x: Floats) -> Floats:
    """Values of affine rows: shape (positions, rows)."""
    out = np.empty((len(x), len(rows)))
    for k, (constant, terms) in enumerate(rows):
        column = np.full(len(x), to_float(constant))
        for i, w in terms:
            column += to_float(w) * x[:, i]
        out[:, k] = column
    return out


def attention(head: IndexedHead, x: Floats, causal: bool, places: int | None) -> tuple[Floats, float]:
    """Attended values (positions, values) of one head, and its smallest gap (infinite for softmax)."""
    scores = affine(head.query, x) @ affine(head.key, x).T
    if head.score == "distance":
        scores = -np.abs(scores)
    scores = rounded(scores, places)
    if causal:
        scores[~np.tri(len(x), dtype=bool)] = -inf
    top = scores.max(axis=1, keepdims=True)
    values = affine(head.value.rows, x)
    if head.rule == "softmax":
        weights = np.exp(scores - top)
        return rounded(weights @ values / weights.sum(axis=1, keepdims=True), places), inf
    tied = scores >= top - (TIE if places is None else 0)
    gap = float((top - np.where(tied, -inf, scores).max(axis=1, keepdims=True)).min(initial=inf))
    if head.rule == "average":
        return rounded((tied @ values) / tied.sum(axis=1, keepdims=True), places), gap
    pick = tied.argmax(axis=1) if head.rule == "first" else tied.shape[1] - 1 - tied[:, ::-1].argmax(axis=1)
    return values[pick], gap


def _normalised(part: IndexedNorm, x: Floats) -> Floats:
    z = x[:, list(part.reads)]
    z = z - z.mean(axis=1, keepdims=True)
    normal: Floats = z / np.sqrt((z * z).mean(axis=1, keepdims=True) + to_float(part.epsilon))
    return normal
