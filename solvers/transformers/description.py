"""One description of a transformer: heads, feed-forward networks and the order in which they act on the residual stream.

The stream of a position is a vector with named coordinates, 0 until something is written there. Every part reads linear
forms of it and adds its result to it. Nothing here computes; `exact`, `balls` and `floats` evaluate the same
description.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from solvers.transformers.forms import Exact, Form, Units, bits

SCORES = ("product", "distance")
RULES = ("average", "first", "last", "softmax")


@dataclass(frozen=True)
class Head:
    """An attention head.

    Attributes:
        query, key: forms of equal number; the score of position j for position i is <q_i, k_j> ("product") or
            -|<q_i, k_j>| ("distance").
        value: coordinate -> form; the attended average of the form is added to the coordinate.
        score: "product" or "distance".
        rule: hardmax that averages over all maximisers ("average"), takes the first or the last of them ("first", "last"),
            or "softmax".
    """

    query: tuple[Form, ...]
    key: tuple[Form, ...]
    value: Units
    score: str = "product"
    rule: str = "average"

    def __post_init__(self) -> None:
        if len(self.query) != len(self.key):
            raise ValueError(
                f"a head with {len(self.query)} query and {len(self.key)} key coordinates; equal numbers fit"
            )
        if self.score not in SCORES or self.rule not in RULES:
            raise ValueError(f"score={self.score!r}, rule={self.rule!r}; accepted: {SCORES} and {RULES}")


@dataclass(frozen=True)
class Attention:
    """Heads side by side; causal heads see positions up to their own, others see all."""

    heads: tuple[Head, ...]
    causal: bool = True


@dataclass(frozen=True)
class FeedForward:
    """A ReLU network at each position.

    Attributes:
        layers: hidden layers, unit -> form; the first reads the stream, each later one the layer before it.
        output: coordinate -> form of the last layer (of the stream where there is none), added to the stream.
    """

    layers: tuple[Units, ...]
    output: Units

    @property
    def depth(self) -> int:
        """Number of affine maps: hidden layers and the output."""
        return len(self.layers) + 1

    @property
    def width(self) -> int:
        """Units of the widest hidden layer."""
        return max((len(units) for units in self.layers), default=0)


@dataclass(frozen=True)
class LayerNorm:
    """Each named coordinate, minus the mean of all named ones, over the root of their mean square deviation plus `epsilon`.

    The results are added to the coordinates with the names in `writes`.
    """

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    epsilon: Exact = 0


Part: TypeAlias = Attention | FeedForward | LayerNorm


@dataclass(frozen=True)
class Transformer:
    """Parts in the order in which they act, on streams that start with the coordinates `inputs`."""

    inputs: tuple[str, ...]
    parts: tuple[Part, ...]

    @property
    def layers(self) -> int:
        """Number of attention layers."""
        return sum(isinstance(p, Attention) for p in self.parts)


def relu(units: Units) -> FeedForward:
    """Each coordinate receives the positive part of a form."""
    return FeedForward((units,), {name: Form(((name, 1),)) for name in units})


def linear(units: Units) -> FeedForward:
    """Each coordinate receives a form."""
    return FeedForward((), units)


def parameters(part: Part | Transformer) -> list[Exact]:
    """The nonzero weights and biases in a fixed order, as papers count them."""
    return [number for f in _forms(part) for number in f.numbers()]


def parameter_bits(part: Part | Transformer) -> int:
    """Bits that write all parameters; see `forms.bits`."""
    return sum(bits(number) for number in parameters(part))


def with_parameter(transformer: Transformer, index: int, change: Callable[[Exact], Exact]) -> Transformer:
    """The transformer with one parameter (in the order of `parameters`) changed.

    Raises:
        IndexError: when there is no parameter of that index.
    """
    if not 0 <= index < len(parameters(transformer)):
        raise IndexError(f"parameter {index} of {len(parameters(transformer))}")
    count = iter(range(1 << 62))
    return _mapped(transformer, lambda number: change(number) if next(count) == index else number)


def _forms(part: Part | Transformer) -> Iterator[Form]:
    if isinstance(part, Transformer):
        for p in part.parts:
            yield from _forms(p)
    elif isinstance(part, Attention):
        for head in part.heads:
            yield from (*head.query, *head.key, *head.value.values())
    elif isinstance(part, FeedForward):
        for units in (*part.layers, part.output):
            yield from units.values()


def _mapped(transformer: Transformer, change: Callable[[Exact], Exact]) -> Transformer:
    def units(old: Units) -> Units:
        return {name: f.changed(change) for name, f in old.items()}

    def forms(old: tuple[Form, ...]) -> tuple[Form, ...]:
        return tuple(f.changed(change) for f in old)

    def part(old: Part) -> Part:
        if isinstance(old, Attention):
            heads = (replace(h, query=forms(h.query), key=forms(h.key), value=units(h.value)) for h in old.heads)
            return replace(old, heads=tuple(heads))
        if isinstance(old, FeedForward):
            return FeedForward(tuple(units(u) for u in old.layers), units(old.output))
        return old

    return replace(transformer, parts=tuple(part(p) for p in transformer.parts))
