"""Polyhedra over the rationals, exactly: vertices, rays, faces, dimension, emptiness, optimal faces.

Contents:
    polyhedron: `Polyhedron`, `polyhedron`, and what exact linear programming answers (`is_empty`,
        `dimension`, ...)
    generators: `generators`, `vertices`, `rays`, `lines`, and back: `from_generators` (double description)
    faces: `faces`, `edges`, `optimal_face`
"""

from solvers.polyhedra.faces import Face, edges, faces, optimal_face
from solvers.polyhedra.generators import Generators, from_generators, generators, lines, rays, vertices
from solvers.polyhedra.polyhedron import (
    Polyhedron,
    contains,
    dimension,
    implicit_equalities,
    interior_point,
    irredundant,
    is_bounded,
    is_empty,
    maximum,
    polyhedron,
)

__all__ = [
    "Face",
    "Generators",
    "Polyhedron",
    "contains",
    "dimension",
    "edges",
    "faces",
    "from_generators",
    "generators",
    "implicit_equalities",
    "interior_point",
    "irredundant",
    "is_bounded",
    "is_empty",
    "lines",
    "maximum",
    "optimal_face",
    "polyhedron",
    "rays",
    "vertices",
]
