"""Exact evaluation over the rationals, position by position, with remembered keys and values.

Scores are first computed in doubles with a proven error bound; only the positions that may be maximal are compared exactly. Positions
with equal keys are remembered together, so that a uniform head costs the same at every length.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isqrt
from typing import Any, TypeAlias

import numpy as np
from flint import fmpq

from solvers.transformers.compiled import (
    IndexedAttention,
    IndexedFeedForward,
    IndexedHead,
    IndexedNorm,
    Program,
    Row,
)
from solvers.transformers.forms import Exact, exact

Vector: TypeAlias = list[Exact]
ROUNDING = 2.0**-53
FILTER_FROM = 4  # below this number of different keys, exact comparison is as fast as the filter


def evaluate(row: Row, x: Sequence[Any]) -> Any:
    """The value of an affine row."""
    total, terms = row
    for i, w in terms:
        v = x[i]
        if v:
            total = total + w * v
    return total


class Memory:
    """Keys and values of one head, remembered by different keys.

    For the rule "average" a key remembers how many positions have it and the sum of their values; for "first" and "last"
    the values of the first or the last of them and its position.
    """

    def __init__(self, head: IndexedHead) -> None:
        if head.rule == "softmax":
            raise ValueError("softmax has irrational weights: evaluate it in balls or floats")
        self.head = head
        self.slots: dict[tuple[Exact, ...], int] = {}
        self.keys: list[tuple[Exact, ...]] = []
        self.counts: list[int] = []
        self.values: list[list[Exact]] = []
        self.positions: list[int] = []
        self.length = 0
        self.floats = np.zeros((16, len(head.key)))
        self.finite = True

    def push(self, x: Sequence[Exact]) -> None:
        """Remember a position's key and values."""
        head = self.head
        key = tuple([evaluate(r, x) for r in head.key])
        slot = self.slots.get(key)
        position = self.length
        self.length += 1
        if slot is None:
            self.slots[key] = len(self.keys)
            self._append_float(key)
            self.keys.append(key)
            self.counts.append(1)
            self.values.append([evaluate(r, x) for r in head.value.rows])
            self.positions.append(position)
            return
        self.counts[slot] += 1
        if head.rule == "average":
            sums = self.values[slot]
            for k, r in enumerate(head.value.rows):
                v = evaluate(r, x)
                if v:
                    sums[k] = sums[k] + v
        elif head.rule == "last":
            self.values[slot] = [evaluate(r, x) for r in head.value.rows]
            self.positions[slot] = position

    def attend(self, x: Sequence[Exact]) -> list[Exact]:
        """The attended values for a position with stream `x`; exact."""
        head = self.head
        if len(self.keys) == 1:
            chosen = [0]
        else:
            query = [evaluate(r, x) for r in head.query]
            chosen = self._best(query)
        if head.rule != "average":
            pick = min if head.rule == "first" else max
            return self.values[pick(chosen, key=self.positions.__getitem__)]
        count = sum(self.counts[s] for s in chosen)
        if count == 1:
            return self.values[chosen[0]]
        sums = self.values[chosen[0]]
        for s in chosen[1:]:
            sums = [a + b for a, b in zip(sums, self.values[s])]
        return [exact(fmpq(1, count) * v) if v else 0 for v in sums]

    def _best(self, query: Sequence[Exact]) -> list[int]:
        distance = self.head.score == "distance"
        best: Exact | None = None
        chosen: list[int] = []
        for s in self._candidates(query, distance):
            score: Any = 0
            for q, k in zip(query, self.keys[s]):
                if q and k:
                    score = score + q * k
            if distance and score > 0:
                score = -score
            if best is None or score > best:
                best, chosen = score, [s]
            elif score == best:
                chosen.append(s)
        return chosen

    def _candidates(self, query: Sequence[Exact], distance: bool) -> Iterable[int]:
        """The slots whose score may be maximal, by doubles with an error bound (Higham, Accuracy and Stability, section 3.1)."""
        n = len(self.keys)
        if n < FILTER_FROM or not self.finite:
            return range(n)
        q = np.array([to_float(v) for v in query])
        K = self.floats[:n]
        scores = K @ q
        if distance:
            scores = -np.abs(scores)
        error = (np.abs(K) @ np.abs(q)) * (4 * (q.size + 3) * ROUNDING) + 1e-290
        reach = (scores - error).max()
        if not np.isfinite(reach):
            return range(n)
        found: list[int] = np.flatnonzero(scores + error >= reach).tolist()
        return found

    def _append_float(self, key: tuple[Exact, ...]) -> None:
        n = len(self.keys)
        if n == len(self.floats):
            self.floats = np.concatenate([self.floats, np.zeros_like(self.floats)])
        row = [to_float(v) for v in key]
        self.finite = self.finite and all(abs(v) < 1e100 for v in row)
        self.floats[n] = row


def to_float(value: Exact) -> float:
    """The nearest double (infinite for huge integers)."""
    try:
        return float(value) if isinstance(value, int) else int(value.p) / int(value.q)
    except OverflowError:
        return float("inf")


class ExactRun:
    """A causal transformer that reads positions one by one.

    Args:
        program: the compiled transformer; every attention layer is causal.
    """

    def __init__(self, program: Program) -> None:
        for part in program.parts:
            if isinstance(part, IndexedAttention) and not part.causal:
                raise ValueError(
                    "positions can be read one by one only where every attention layer is causal; use `run`"
                )
        self.program = program
        self.memories = [
            [Memory(h) for h in part.heads] if isinstance(part, IndexedAttention) else [] for part in program.parts
        ]

    def push(self, inputs: Sequence[Exact]) -> Vector:
        """Read a position; its stream after the last part."""
        x: Vector = [*inputs, *([0] * (self.program.width - self.program.inputs))]
        for part, memories in zip(self.program.parts, self.memories):
            if isinstance(part, IndexedAttention):
                for memory in memories:
                    memory.push(x)
                found = [memory.attend(x) for memory in memories]
                for memory, values in zip(memories, found):
                    _add(x, memory.head.value.places, values)
            else:
                _pointwise(part, x)
        return x


def run(program: Program, inputs: Sequence[Sequence[Exact]]) -> list[Vector]:
    """The streams of all positions after the last part, exactly; layer by layer, causal or not."""
    xs: list[Vector] = [[*x, *([0] * (program.width - program.inputs))] for x in inputs]
    for part in program.parts:
        if isinstance(part, IndexedAttention):
            for i, values in enumerate(_attended(part, xs)):
                for head, v in zip(part.heads, values):
                    _add(xs[i], head.value.places, v)
        else:
            for x in xs:
                _pointwise(part, x)
    return xs


def _attended(part: IndexedAttention, xs: Sequence[Vector]) -> list[list[list[Exact]]]:
    memories = [Memory(h) for h in part.heads]
    if part.causal:
        found = []
        for x in xs:
            for memory in memories:
                memory.push(x)
            found.append([list(memory.attend(x)) for memory in memories])
        return found
    for x in xs:
        for memory in memories:
            memory.push(x)
    return [[list(memory.attend(x)) for memory in memories] for x in xs]


def network(part: IndexedFeedForward, x: Sequence[Exact]) -> list[Exact]:
    """The outputs of a feed-forward network on a stream."""
    units: Sequence[Exact] = x
    for rows in part.layers:
        values = [evaluate(r, units) for r in rows]
        units = [v if v > 0 else 0 for v in values]
    return [evaluate(r, units) for r in part.output.rows]


def _pointwise(part: IndexedFeedForward | IndexedNorm | IndexedAttention, x: Vector) -> None:
    if isinstance(part, IndexedFeedForward):
        _add(x, part.output.places, network(part, x))
    elif isinstance(part, IndexedNorm):
        _add(x, part.writes, _normalised([x[i] for i in part.reads], part.epsilon))


def _normalised(values: Sequence[Exact], epsilon: Exact) -> list[Exact]:
    n = len(values)
    mean = fmpq(1, n) * sum(values, fmpq(0))
    square = fmpq(1, n) * sum(((v - mean) ** 2 for v in values), fmpq(0)) + epsilon
    p, q = int(square.p), int(square.q)
    root = fmpq(isqrt(p), isqrt(q)) if p > 0 else fmpq(0)
    if root == 0 or root * root != square:
        raise ValueError(
            f"layer norm divides by the root of {square}, which is no positive rational; use balls or floats"
        )
    return [exact((v - mean) / root) for v in values]


def _add(x: Vector, places: Sequence[int], values: Sequence[Exact]) -> None:
    for i, v in zip(places, values):
        if v:
            x[i] = x[i] + v if x[i] else v
