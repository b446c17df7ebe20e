"""Minkowski-Weyl conversion by the double description method, in exact integers.

P = conv(vertices) + cone(rays) + span(lines). P is homogenised to the cone {(t, x) : t >= 0, b t - A x >= 0,
f t - E x = 0}; its extreme rays with t > 0 are the vertices, those with t = 0 the rays. Constraints enter one
by one, and two rays on different sides of the new one are combined if they are adjacent (Motzkin et al. 1953;
Fukuda and Prodon 1996).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from flint import fmpq, fmpz

from solvers.certificates.rational import rational
from solvers.polyhedra.polyhedron import Polyhedron, Vector

Integers: TypeAlias = list[fmpz]


@dataclass(frozen=True)
class Generators:
    """conv(vertices) + cone(rays) + span(lines), each list sorted.

    Attributes:
        vertices: the vertices; if there are lines, one point of each minimal face. Empty exactly if the set
            is.
        rays: the extreme directions, as primitive integer vectors (modulo the lines).
        lines: a basis of the lineality space.
    """

    vertices: tuple[Vector, ...]
    rays: tuple[Vector, ...]
    lines: tuple[Vector, ...]


def generators(P: Polyhedron) -> Generators:
    """All vertices, extreme rays and lines of P, exactly.

    The number of generators can be exponential in the number of inequalities; the work is that number
    squared, per inequality.
    """
    equalities = [_integers([f, *(-e for e in row)]) for row, f in zip(P.E, P.f)]
    positive = [fmpz(1)] + [fmpz(0)] * P.n
    inequalities = [positive, *sorted((_integers([b, *(-a for a in row)]) for row, b in zip(P.A, P.b)), key=_key)]
    rays, lines = _extreme_rays(P.n + 1, equalities, inequalities)
    vertices = [tuple(fmpq(v, ray[0]) for v in ray[1:]) for ray in rays if ray[0] > 0]
    if not vertices:
        return Generators((), (), ())
    directions = [tuple(fmpq(v) for v in ray[1:]) for ray in rays if ray[0] == 0]
    through = [tuple(fmpq(v) for v in line[1:]) for line in lines]
    return Generators(tuple(sorted(vertices)), tuple(sorted(directions)), tuple(sorted(through)))


def vertices(P: Polyhedron) -> tuple[Vector, ...]:
    """The vertices of P, sorted.

    Raises:
        ValueError: if P contains a line, so that it has no vertices although it is not empty.
    """
    found = generators(P)
    if found.lines:
        raise ValueError(f"the polyhedron contains {len(found.lines)} independent lines and has no vertices")
    return found.vertices


def rays(P: Polyhedron) -> tuple[Vector, ...]:
    """The extreme directions of P (modulo its lines), as primitive integer vectors."""
    return generators(P).rays


def lines(P: Polyhedron) -> tuple[Vector, ...]:
    """A basis of the lineality space of P."""
    return generators(P).lines


def from_generators(
    vertices: Sequence[Sequence[object]],
    rays: Sequence[Sequence[object]] = (),
    lines: Sequence[Sequence[object]] = (),
) -> Polyhedron:
    """The irredundant inequalities and equalities of conv(vertices) + cone(rays) + span(lines).

    Args:
        vertices: at least one point (redundant ones are allowed).
        rays: directions.
        lines: directions of both signs.

    Raises:
        ValueError: without a point.
    """
    if not vertices:
        raise ValueError("a polyhedron given by generators needs at least one point")
    n = len(vertices[0])
    # (beta, a) with beta - a.v >= 0, -a.r >= 0, a.l = 0: a cone whose extreme rays are the facets
    points = [_integers([1, *(-rational(x) for x in v)]) for v in vertices]
    directions = [_integers([0, *(-rational(x) for x in r)]) for r in rays]
    through = [_integers([0, *(-rational(x) for x in l)]) for l in lines]
    facets, equalities = _extreme_rays(n + 1, through, [*points, *directions])
    kept = [facet for facet in facets if any(value != 0 for value in facet[1:])]  # not 1 >= 0
    return Polyhedron(
        n,
        tuple(tuple(fmpq(v) for v in facet[1:]) for facet in kept),
        tuple(fmpq(facet[0]) for facet in kept),
        tuple(tuple(fmpq(v) for v in row[1:]) for row in equalities),
        tuple(fmpq(row[0]) for row in equalities),
    )


def _extreme_rays(
    size: int, equalities: Iterable[Integers], inequalities: Iterable[Integers]
) -> tuple[list[Integers], list[Integers]]:
    """Extreme rays (modulo lines) and a basis of the lines of {z : a.z = 0, g.z >= 0}, primitive integer
    vectors.

    A ray's mask has bit k set when the ray satisfies constraint k with equality.
    """
    basis = [[fmpz(int(i == j)) for j in range(size)] for i in range(size)]
    found: list[tuple[Integers, int]] = []
    constraints = [(a, True) for a in equalities] + [(g, False) for g in inequalities]
    for k, (a, equality) in enumerate(constraints):
        bit, before = 1 << k, (1 << k) - 1
        crossing = next((i for i, line in enumerate(basis) if _dot(a, line) != 0), None)
        if crossing is not None:
            line = basis.pop(crossing)
            if _dot(a, line) < 0:
                line = [-v for v in line]
            height = _dot(a, line)
            basis = [_eliminated(other, line, _dot(a, other), height) for other in basis]
            found = [(_eliminated(ray, line, _dot(a, ray), height), mask | bit) for ray, mask in found]
            if not equality:
                found.append((line, before))
            continue
        sides = [(ray, mask, _dot(a, ray)) for ray, mask in found]
        kept = [(ray, mask | bit) for ray, mask, side in sides if side == 0]
        if not equality:
            kept += [(ray, mask) for ray, mask, side in sides if side > 0]
        found = kept + _combined(sides, bit, size - len(basis) - 2)
    return [ray for ray, _ in found], basis


def _combined(sides: list[tuple[Integers, int, fmpz]], bit: int, least: int) -> list[tuple[Integers, int]]:
    """One ray on the new hyperplane for each adjacent pair on different sides of it."""
    masks = [mask for _, mask, _ in sides]
    above = [entry for entry in sides if entry[2] > 0]
    below = [entry for entry in sides if entry[2] < 0]
    made = []
    for ray, mask, side in above:
        for other, other_mask, other_side in below:
            common = mask & other_mask
            if common.bit_count() < least or sum(common & m == common for m in masks) > 2:
                continue
            made.append((_primitive([side * v - other_side * u for u, v in zip(ray, other)]), common | bit))
    return made


def _eliminated(vector: Integers, line: Integers, side: fmpz, height: fmpz) -> Integers:
    """vector - (side / height) line, scaled by a positive factor (height > 0)."""
    return vector if side == 0 else _primitive([height * v - side * l for v, l in zip(vector, line)])


def _primitive(vector: Integers) -> Integers:
    divisor = fmpz(0)
    for value in vector:
        divisor = divisor.gcd(value)
    return vector if divisor <= 1 else [value // divisor for value in vector]


def _integers(row: Sequence[object]) -> Integers:
    """The primitive integer vector on the ray of a rational one."""
    values = [rational(value) for value in row]
    common = fmpz(1)
    for value in values:
        common = common.lcm(value.q)
    return _primitive([(value * common).p for value in values])


def _dot(a: Integers, z: Integers) -> fmpz:
    return sum((u * v for u, v in zip(a, z) if u != 0 and v != 0), fmpz(0))


def _key(vector: Integers) -> tuple[fmpz, ...]:
    return tuple(vector)
