"""A description with numbered coordinates: what the evaluators run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from solvers.transformers.description import Attention, FeedForward, Head, LayerNorm, Transformer
from solvers.transformers.forms import Exact, Form, Units

Row: TypeAlias = tuple[Exact, tuple[tuple[int, Exact], ...]]  # bias, (coordinate, weight)


@dataclass(frozen=True)
class Target:
    """Coordinates that receive the values of rows."""

    places: tuple[int, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class IndexedHead:
    """A head with numbered coordinates."""

    query: tuple[Row, ...]
    key: tuple[Row, ...]
    value: Target
    score: str
    rule: str


@dataclass(frozen=True)
class IndexedAttention:
    """An attention layer with numbered coordinates."""

    heads: tuple[IndexedHead, ...]
    causal: bool


@dataclass(frozen=True)
class IndexedFeedForward:
    """A feed-forward network: rows of each hidden layer in terms of the one before."""

    layers: tuple[tuple[Row, ...], ...]
    output: Target


@dataclass(frozen=True)
class IndexedNorm:
    """A layer norm."""

    reads: tuple[int, ...]
    writes: tuple[int, ...]
    epsilon: Exact


IndexedPart: TypeAlias = IndexedAttention | IndexedFeedForward | IndexedNorm


@dataclass(frozen=True)
class Program:
    """Numbered coordinates and parts."""

    index: dict[str, int]
    inputs: int
    parts: tuple[IndexedPart, ...]

    @property
    def width(self) -> int:
        """Coordinates of the stream."""
        return len(self.index)

    def place(self, name: str) -> int:
        """The number of a coordinate."""
        return self.index[name]


def compiled(transformer: Transformer) -> Program:
    """Number the coordinates: the inputs first, then what is written, in the order of writing.

    Raises:
        ValueError: when a part reads a coordinate that nothing before it has written.
    """
    index = {name: k for k, name in enumerate(transformer.inputs)}

    def row(f: Form, names: dict[str, int]) -> Row:
        unknown = [n for n in f.reads() if n not in names]
        if unknown:
            raise ValueError(f"a form reads {', '.join(unknown)}, which is no coordinate there ({', '.join(names)})")
        return f.constant, tuple((names[n], w) for n, w in f.terms)

    def target(units: Units, names: dict[str, int]) -> Target:
        rows = tuple(row(f, names) for f in units.values())
        return Target(tuple(index.setdefault(n, len(index)) for n in units), rows)

    def head(h: Head, seen: dict[str, int]) -> IndexedHead:
        query, key = tuple(row(f, seen) for f in h.query), tuple(row(f, seen) for f in h.key)
        return IndexedHead(query, key, target(h.value, seen), h.score, h.rule)

    parts: list[IndexedPart] = []
    for part in transformer.parts:
        seen = dict(index)
        if isinstance(part, Attention):
            parts.append(IndexedAttention(tuple(head(h, seen) for h in part.heads), part.causal))
        elif isinstance(part, FeedForward):
            layers = []
            for units in part.layers:
                layers.append(tuple(row(f, seen) for f in units.values()))
                seen = {name: k for k, name in enumerate(units)}
            parts.append(IndexedFeedForward(tuple(layers), target(part.output, seen)))
        elif isinstance(part, LayerNorm):
            places = tuple(index.setdefault(n, len(index)) for n in part.writes)
            parts.append(IndexedNorm(tuple(seen[n] for n in part.reads), places, part.epsilon))
    return Program(index, len(transformer.inputs), tuple(parts))
