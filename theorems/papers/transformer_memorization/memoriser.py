r"""A ReLU network of constant width that stores N labels in about $\sqrt N$ integer weights.

Keys are cut into groups of m consecutive ones. The first layers find a key's group and load two integers that pack the group's offsets
and labels; the others unpack them bit by bit, and keep the label whose offset is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isqrt

from solvers.transformers import FeedForward, Form, bits, constant, form, parameters


@dataclass(frozen=True)
class Memoriser:
    """The network and its layout.

    Attributes:
        network: reads the coordinate named when it was built, writes the label.
        m, groups: keys in a group, number of groups.
        rho, c: bits of an offset and of a label.
    """

    network: FeedForward
    m: int
    groups: int
    rho: int
    c: int

    @cached_property
    def numbers(self) -> list[int]:
        """The nonzero weights and biases."""
        return [int(v) for v in parameters(self.network)]

    @property
    def W(self) -> int:
        """How many there are."""
        return len(self.numbers)

    @property
    def bits(self) -> int:
        """Bits that write them."""
        return sum(bits(v) for v in self.numbers)

    @property
    def largest(self) -> int:
        """Bits of the largest."""
        return max(abs(v).bit_length() for v in self.numbers)


def memoriser(
    labels: Mapping[int, int], C: int, *, reads: Form, writes: str = "label", offset_bits_dropped: int = 0
) -> Memoriser:
    """Memorise labels of integer keys; every other integer input >= 0 is given 0.

    Args:
        labels: key >= 0 -> label in 0..C-1.
        C: number of labels.
        reads: the form of the stream that holds the input.
        writes: the coordinate that receives the label.
        offset_bits_dropped: bits by which offsets are stored too short (0: as they should be).
    """
    keys = sorted(labels)
    c = max(1, (C - 1).bit_length())
    m = group_size(keys, c)
    rho = offset_bits(keys, m) - offset_bits_dropped
    starts = keys[::m]
    chain = Chain({"x": reads})
    packed = [_packed(keys[k : k + m], labels, m, rho, c) for k in range(0, len(keys), m)]
    for a, (U, L), (a0, (U0, L0)) in zip(starts, packed, [(0, (0, 0)), *zip(starts, packed)]):
        x = chain.state["x"]
        p, q = chain.layer(p=x - a + 1, q=x - a)
        chain.add(U=(U - U0) * (p - q), L=(L - L0) * (p - q), s=(a - a0) * (p - q))
    chain.state["r"] = chain.state.pop("x") - chain.state.pop("s", constant(0))
    for slot in range(m):
        left = m - slot
        for what, into, width in (("U", "e", rho), ("L", "l", c)):
            for bit in range(width):
                threshold = 2 ** (left * width - bit - 1)
                value = chain.state.get(what, constant(0))
                p, q = chain.layer(p=value - threshold + 1, q=value - threshold)
                chain.add(**{what: -threshold * (p - q)})
                chain.state[into] = 2 * chain.state.get(into, constant(0)) + p - q
        z = chain.state["r"] - chain.state.pop("e", constant(0))
        above, at, below = chain.layer(above=z + 1, at=z, below=z - 1)
        hit = above - 2 * at + below
        (found,) = chain.layer(found=chain.state.pop("l") - C + C * hit)
        chain.add(y=found)
    return Memoriser(FeedForward(tuple(chain.layers), {writes: chain.state["y"]}), m, len(starts), rho, c)


class Chain:
    """Hidden layers in the making; the state is a form of the last layer for each variable that is carried on."""

    def __init__(self, state: dict[str, Form]) -> None:
        self.layers: list[dict[str, Form]] = []
        self.state = state

    def layer(self, **units: Form) -> list[Form]:
        """Add a layer that carries the state and holds further units; returns these units as forms."""
        carried = {name: f for name, f in self.state.items() if f.terms or f.constant != 0}
        self.layers.append({**carried, **units})
        self.state = {name: form(name) for name in carried}
        return [form(name) for name in units]

    def add(self, **changes: Form) -> None:
        """Change variables (0 where they are not carried yet)."""
        for name, change in changes.items():
            self.state[name] = self.state.get(name, constant(0)) + change


def group_size(keys: Sequence[int], c: int) -> int:
    """The m that makes the network shallowest: g + m (rho + c + 2) hidden layers."""
    N = len(keys)
    return min(range(1, min(N, 4 * isqrt(N) + 2) + 1), key=lambda m: -(-N // m) + m * (offset_bits(keys, m) + c + 2))


def offset_bits(keys: Sequence[int], m: int) -> int:
    """Bits that hold all offsets within groups of m, and the pattern of ones that marks an empty slot."""
    longest = max(keys[min(k + m, len(keys)) - 1] - keys[k] for k in range(0, len(keys), m))
    return max(1, (longest + 1).bit_length())


def _packed(group: Sequence[int], labels: Mapping[int, int], m: int, rho: int, c: int) -> tuple[int, int]:
    """Offsets and labels of a group, the first element in the top bits; empty slots have all ones and label 0."""
    U = L = 0
    for slot in range(m):
        used = slot < len(group)
        offset = (group[slot] - group[0]) % 2**rho if used else 2**rho - 1
        U = U << rho | offset
        L = L << c | (labels[group[slot]] if used else 0)
    return U, L
