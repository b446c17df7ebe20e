"""The configuration graph of optimal networks of width m: connected components and isolated points, exactly.

A network of width m over the tight atoms fills m slots; a slot holds a non-negative weight on one atom's ray, and
all rays are glued at 0. The optimal networks form a polyhedral complex. Its vertices are the pairs (vertex of P*,
injective placement of its support in the slots); two of them lie in a common cell exactly if, slot by slot, they
carry the same atom or one of them is empty. Components and isolated points of the optimal set are those of this
finite graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import perm

import numpy as np

CAP = 60_000


@dataclass(frozen=True)
class Step:
    """The optimal networks of one width.

    Attributes:
        width: m.
        components: number of connected components (0: no optimal network of this width).
        isolated: number of isolated points.
        vertices: number of vertices of the configuration graph.
    """

    width: int
    components: int
    isolated: int
    vertices: int

    @property
    def finite(self) -> bool:
        """Whether the optimal set is finite (the graph has no edge)."""
        return self.isolated == self.vertices


def graph_size(supports: Sequence[Sequence[int]], m: int) -> int:
    """Number of vertices of the configuration graph at width m."""
    return sum(perm(m, len(S)) for S in supports if len(S) <= m)


def staircase(supports: Sequence[Sequence[int]], widths: Iterable[int], cap: int = CAP) -> tuple[Step, ...]:
    """Components and isolated points at each width.

    Args:
        supports: the supports of the vertices of P* (see `Polytope.supports`).
        widths: the widths m >= 0.
        cap: largest configuration graph that is accepted.

    Raises:
        ValueError: where the graph would be larger (says how large), or a width is no whole number.
    """
    if not isinstance(widths, Iterable):
        raise ValueError(f"widths = {widths!r}; expected several, e.g. range(1, 6)")
    return tuple(_step([tuple(S) for S in supports], m, cap) for m in widths)


def _step(supports: list[tuple[int, ...]], m: int, cap: int) -> Step:
    if isinstance(m, bool) or not isinstance(m, (int, np.integer)) or m < 0:
        raise ValueError(f"the width {m!r}; expected whole numbers of neurons, at least 0")
    m = int(m)
    size = graph_size(supports, m)
    if size > cap:
        raise ValueError(f"the configuration graph of width {m} has {size} vertices; at most {cap} are accepted")
    table = np.array(list(placements(supports, m)), dtype=np.int16).reshape(size, m)
    if not size:
        return Step(m, 0, 0, 0)
    label = np.arange(size)
    unseen = np.ones(size, bool)
    components = isolated = 0
    for start in range(size):
        if not unseen[start]:
            continue
        components += 1
        unseen[start] = False
        frontier, members = [start], 1
        while frontier:
            here = table[frontier.pop()]
            rest = label[unseen]
            if not rest.size:
                break
            others = table[rest]
            joined = rest[((others == here) | (others == 0) | (here == 0)).all(axis=1)]
            unseen[joined] = False
            members += joined.size
            frontier.extend(joined.tolist())
        isolated += members == 1
    return Step(m, components, isolated, size)


def placements(supports: Sequence[Sequence[int]], m: int) -> Iterator[list[int]]:
    """The vertices of the configuration graph: for each slot the atom's index plus 1, or 0 for an empty slot."""
    for S in supports:
        for slots in permutations(range(m), len(S)):
            row = [0] * m
            for atom, slot in zip(S, slots):
                row[slot] = atom + 1
            yield row
