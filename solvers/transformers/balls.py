"""Evaluation in balls: every coordinate is enclosed, softmax and layer norm included."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from flint import arb, fmpq

from solvers.transformers.compiled import IndexedAttention, IndexedFeedForward, IndexedHead, IndexedNorm, Program, Row

Balls: TypeAlias = list[arb]


class Undecided(ArithmeticError):
    """A hardmax whose maximiser the balls do not decide; more precision may."""


def run_balls(program: Program, inputs: Sequence[Sequence[Any]]) -> list[Balls]:
    """Enclosures of the streams of all positions after the last part, at the current precision.

    Args:
        program: the compiled transformer.
        inputs: for each position, exact numbers or balls.

    Raises:
        Undecided: when balls do not separate the scores of a hardmax (equal exact scores are tied).
    """
    xs = [[*map(ball, x), *([arb(0)] * (program.width - program.inputs))] for x in inputs]
    for part in program.parts:
        if isinstance(part, IndexedAttention):
            results = [[_attended(head, xs, i, part.causal) for head in part.heads] for i in range(len(xs))]
            for x, values in zip(xs, results):
                for head, v in zip(part.heads, values):
                    _add(x, head.value.places, v)
        elif isinstance(part, IndexedFeedForward):
            for x in xs:
                units = x
                for rows in part.layers:
                    units = [v.max(arb(0)) for v in _affine(rows, units)]
                _add(x, part.output.places, _affine(part.output.rows, units))
        else:
            for x in xs:
                _add(x, part.writes, _normalised(part, x))
    return xs


def ball(value: Any) -> arb:
    """A ball about an int, a FLINT number, a Fraction, or a ball."""
    if isinstance(value, (arb, int, fmpq)):
        return arb(value)
    return arb(fmpq(value.numerator, value.denominator))


def _affine(rows: Sequence[Row], x: Balls) -> Balls:
    values = []
    for constant, terms in rows:
        total = arb(constant)
        for i, w in terms:
            total += w * x[i]
        values.append(total)
    return values


def _attended(head: IndexedHead, xs: Sequence[Balls], i: int, causal: bool) -> Balls:
    seen = xs[: i + 1] if causal else xs
    query = _affine(head.query, xs[i])
    scores = []
    for x in seen:
        score = arb(0)
        for q, k in zip(query, _affine(head.key, x)):
            score += q * k
        scores.append(-abs(score) if head.score == "distance" else score)
    values = [_affine(head.value.rows, x) for x in seen]
    if head.rule == "softmax":
        top = max(scores, key=lambda s: float(s.mid()))
        weights = [(s - top).exp() for s in scores]
        mass = sum(weights, arb(0))
        return [sum((w * v[k] for w, v in zip(weights, values)), arb(0)) / mass for k in range(len(values[0]))]
    chosen = _maximisers(scores)
    if head.rule != "average":
        return values[chosen[0] if head.rule == "first" else chosen[-1]]
    return [sum((values[j][k] for j in chosen), arb(0)) / len(chosen) for k in range(len(values[0]))]


def _maximisers(scores: Sequence[arb]) -> list[int]:
    best = max(range(len(scores)), key=lambda j: float(scores[j].mid()))
    chosen = []
    for j, s in enumerate(scores):
        if j == best or (s.is_exact() and scores[best].is_exact() and bool(s == scores[best])):
            chosen.append(j)
        elif not s < scores[best]:
            raise Undecided(
                f"the scores {s} and {scores[best]} of positions {j} and {best} overlap; raise the precision"
            )
    return chosen


def _normalised(part: IndexedNorm, x: Balls) -> Balls:
    z = [x[i] for i in part.reads]
    mean = sum(z, arb(0)) / len(z)
    z = [v - mean for v in z]
    root = (sum((v * v for v in z), arb(0)) / len(z) + part.epsilon).sqrt()
    return [v / root for v in z]


def _add(x: Balls, places: Sequence[int], values: Sequence[arb]) -> None:
    for i, v in zip(places, values):
        x[i] = x[i] + v
