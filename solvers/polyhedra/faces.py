"""The faces of a polyhedron, from the incidences of its generators and inequalities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_mat

from solvers.certificates.rational import dot
from solvers.polyhedra.generators import Generators, generators
from solvers.polyhedra.polyhedron import Polyhedron, Vector, maximum


@dataclass(frozen=True)
class Face:
    """A nonempty face.

    Attributes:
        dimension: its dimension.
        vertices: indices into `generators.vertices`.
        rays: indices into `generators.rays`.
        tight: the inequalities that hold with equality on the whole face.
    """

    dimension: int
    vertices: tuple[int, ...]
    rays: tuple[int, ...]
    tight: tuple[int, ...]


def faces(P: Polyhedron, found: Generators | None = None) -> tuple[Face, ...]:
    """All nonempty faces of P, P itself included, by increasing dimension.

    Args:
        P: the polyhedron.
        found: its generators, if they are known already.

    Returns:
        The faces; their indices refer to `generators(P)`. The empty polyhedron has none.
    """
    g = generators(P) if found is None else found
    if not g.vertices:
        return ()
    v, r = len(g.vertices), len(g.rays)
    on_row = [_incidence(a, b, g) for a, b in zip(P.A, P.b)]
    every = (1 << (v + r)) - 1
    points = (1 << v) - 1
    known, frontier = {every}, [every]
    while frontier:
        face = frontier.pop()
        for mask in on_row:
            smaller = face & mask
            if smaller & points and smaller not in known:
                known.add(smaller)
                frontier.append(smaller)
    made = [_face(mask, v, r, on_row, g) for mask in known]
    return tuple(sorted(made, key=lambda face: (face.dimension, face.vertices, face.rays)))


def edges(P: Polyhedron, found: Generators | None = None) -> tuple[tuple[int, int], ...]:
    """The pairs of vertices joined by a bounded edge, as indices into `generators(P).vertices`."""
    pairs = (face.vertices for face in faces(P, found) if face.dimension == 1 and not face.rays)
    return tuple((pair[0], pair[1]) for pair in pairs if len(pair) == 2)


def optimal_face(P: Polyhedron, c: Sequence[object]) -> Polyhedron | None:
    """The set where c.x attains its maximum over P, as a polyhedron; `None` if there is no maximum."""
    best = maximum(P, c)
    if best.value is None:
        return None
    objective = tuple(-value for value in best.problem.c)
    return Polyhedron(P.n, P.A, P.b, (*P.E, objective), (*P.f, -best.value))


def _incidence(a: Vector, b: fmpq, g: Generators) -> int:
    """The generators on the hyperplane a.x = b (rays: parallel to it), as a bit mask: vertices, then rays."""
    mask = 0
    for k, vertex in enumerate(g.vertices):
        mask |= int(dot(a, vertex) == b) << k
    for k, ray in enumerate(g.rays):
        mask |= int(dot(a, ray) == 0) << (len(g.vertices) + k)
    return mask


def _face(mask: int, v: int, r: int, on_row: Sequence[int], g: Generators) -> Face:
    points = tuple(k for k in range(v) if mask >> k & 1)
    directions = tuple(k for k in range(r) if mask >> (v + k) & 1)
    first = g.vertices[points[0]]
    spanning = [tuple(x - y for x, y in zip(g.vertices[k], first)) for k in points[1:]]
    spanning += [g.rays[k] for k in directions] + list(g.lines)
    rank = _rank(spanning)
    return Face(rank, points, directions, tuple(i for i, row in enumerate(on_row) if mask & row == mask))


def _rank(rows: Sequence[Vector]) -> int:
    return int(fmpq_mat(len(rows), len(rows[0]), [value for row in rows for value in row]).rank()) if rows else 0
