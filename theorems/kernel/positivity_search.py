"""Exact points of a domain where an inequality is tight or fails.

The points are rational (or balls, where relations force a root), satisfy every hypothesis for certain, and are moved
towards small slack by a pattern search. They refute false inequalities, confirm proved ones, and their smallest slack
is the resolution of a proof: a distortion by more than it is refuted at the same point.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from flint import arb, fmpq

from theorems.kernel.forms import ring_of
from theorems.kernel.identities import domain_points
from theorems.kernel.points import Point, Undefined, Value, value_at
from theorems.kernel.relations import plan, solved

MOST_CANDIDATES = 3000
MOST_POINTS = 150
MOST_MOVES = 400
_STEPS = (fmpq(1), fmpq(1, 4), fmpq(1, 16), fmpq(1, 128), fmpq(1, 1024))


@dataclass(frozen=True, slots=True)
class Seen:
    """An inequality at one point: the values of its sides and its slack relative to the larger of them."""

    point: Point
    lhs: Value
    rhs: Value
    slack: Value
    scale: Value

    @property
    def relative(self) -> float:
        """The relative slack as a float, for ordering points only."""
        return float(arb(self.slack / self.scale).mid())


class Search:
    """The points of a domain: rational candidates, moved onto the relations, that satisfy the hypotheses."""

    def __init__(
        self, left: Any, right: Any, facts: Sequence[Any], relations: Sequence[Any], symbols: Sequence[Any]
    ) -> None:
        self.left, self.right, self.facts, self.symbols = left, right, facts, list(symbols)
        self.relations = list(relations)
        self._order: Any = ()
        if relations:
            self._ring, forms = ring_of(*relations)
            self._order = plan(self._ring, [f[0] for f in forms])

    def seen(self, point: Point) -> Seen | None:
        """The inequality at a point of the domain; None outside of it or where a side is undefined."""
        memo: dict[Any, Value] = {}
        try:
            for fact in self.facts:
                value = value_at(fact.expr, point, memo)
                if not (value > 0 if fact.strict else value >= 0):
                    return None
            a, b = value_at(self.left, point, memo), value_at(self.right, point, memo)
        except Undefined:
            return None
        return Seen(point, a, b, b - a, scale_of(a, b))

    def moved(self, start: Point) -> Point | None:
        """A point moved onto the relations; None when that leaves the domain."""
        if any(not s.domain.contains(start[s]) for s in self.symbols if isinstance(start[s], fmpq)):
            return None
        if not self._order:
            return None if self.relations else start
        return next(solved(self._ring, self._order, iter([start])), None)

    def sampled(self, witness: Mapping[Any, Any] | None) -> Iterator[Seen]:
        """Points in a fixed order: the witness, a grid of simple values, random and multi-scale ones."""
        stream = domain_points(self.symbols, self.relations, witness, MOST_CANDIDATES)
        for point in stream:
            found = self.seen(point)
            if found is not None:
                yield found

    def tightest(self, witness: Mapping[Any, Any] | None) -> list[Seen]:
        """Points in order of relative slack, after a pattern search from the best ones."""
        found = list(islice(self.sampled(witness), MOST_POINTS))
        found.sort(key=lambda s: s.relative)
        if not found or fails(found[0]):
            return found
        best = found[0]
        for start in found[:3]:
            reached = self._descended(start)
            if reached.relative < best.relative:
                best = reached
        return found if best is found[0] else [best, *found]

    def _descended(self, start: Seen) -> Seen:
        best, moves = start, 0
        for step in _STEPS:
            improved = True
            while improved and moves < MOST_MOVES and not fails(best):
                improved = False
                for move in self._moves(best.point, step):
                    moves += 1
                    point = self.moved(move)
                    reached = self.seen(point) if point is not None else None
                    if reached is not None and reached.relative < best.relative:
                        best, improved = reached, True
                        break
        return best

    def _moves(self, point: Point, step: fmpq) -> Iterator[Point]:
        for s in self.symbols[:40]:
            x = point[s]
            if not isinstance(x, fmpq):
                continue
            if s.domain.integer:
                if step == 1:
                    yield {**point, s: x + 1}
                    yield {**point, s: x - 1}
                continue
            if x.height_bits() > 200:
                continue
            yield {**point, s: x + step}
            yield {**point, s: x - step}
            yield {**point, s: x * (1 + step)}
            yield {**point, s: x / (1 + step)}


def scale_of(a: Value, b: Value) -> Value:
    """A positive exact number: the larger modulus of two values, 1 when both may be 0."""
    if isinstance(a, fmpq) and isinstance(b, fmpq):
        return max(abs(a), abs(b)) or fmpq(1)
    size = arb(a).abs_upper().max(arb(b).abs_upper())
    return size if size > 0 else fmpq(1)


def fails(seen: Seen, strict: bool = False, shift: fmpq | None = None) -> bool:
    """Whether the inequality fails for certain at a point, after a shift in units of its scale."""
    slack = seen.slack if not shift else seen.slack - shift * seen.scale
    return bool(slack <= 0 if strict else slack < 0)
