"""Faces, facets and normals of an arrangement in doubles: what guides the solver, and is trusted by nobody."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from solvers.relu.arrangement import Arrangement, unit_vectors
from solvers.relu.exact import Data
from solvers.relu.projection import cones_of

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Face:
    """A signed face of the arrangement.

    Attributes:
        s: sign of the output weight.
        pattern: sign of each hyperplane's normal on the face, 0 on those that contain it.
    """

    s: int
    pattern: tuple[int, ...]


@dataclass(frozen=True)
class Active:
    """A face that carries weight.

    Attributes:
        face: the signed face.
        u: unit direction, length d.
        weight: c > 0.
    """

    face: Face
    u: Array
    weight: float


class Geometry:
    """Doubles of an arrangement that every round uses.

    Attributes:
        data, cells: the problem and its arrangement.
        active: active samples of all P cells, 0.0 and 1.0.
        H: unit normals, h x d.
        signs: of the normals, P x h.
        points: unit interior points, P x d.
        which, orientation: of the samples (see `Arrangement`).
        facets, facet_signs, neighbours: see `facet_table`; `cones`, the cells as cones.
        samples: the first sample on each hyperplane, and `lengths`, its norm.
    """

    def __init__(self, data: Data, cells: Arrangement) -> None:
        self.data, self.cells = data, cells
        self.active = cells.active.astype(float)
        self.H = unit_vectors(cells.normals) if cells.normals else np.zeros((0, cells.d))
        self.signs = np.vstack([cells.signs, -cells.signs]).astype(np.int8)
        self.points = cells.points
        self.which = np.array(cells.which)
        self.orientation = np.array(cells.orientation)
        self.facets, self.facet_signs, self.neighbours = facet_table(self.signs)
        first = {h: k for k, h in reversed(list(enumerate(cells.which))) if h >= 0}
        self.samples = np.array([first[h] for h in range(len(first))], dtype=int)
        self.lengths = np.linalg.norm(data.X[self.samples], axis=1)
        self.cones = cones_of(self.facets, self.facet_signs, self.H)
        self._matrices: dict[tuple[int, ...], tuple[Array, Array]] = {}

    def face_rows(self, pattern: Array) -> Array:
        """Sign of every sample on a face (0 on it, and for zero rows)."""
        return np.where(self.which >= 0, pattern[self.which] * self.orientation, 0)

    def matrix(self, face: Face) -> tuple[Array, Array]:
        """(B, F): an orthonormal basis of the face's span and F = D_A X B."""
        found = self._matrices.get(face.pattern)
        if found is None:
            pattern = np.array(face.pattern)
            B = null_basis(self.H[pattern == 0], self.data.X.shape[1])
            found = B, (self.face_rows(pattern) > 0)[:, None] * (self.data.X @ B)
            self._matrices[face.pattern] = found
        return found


def facet_table(signs: Array) -> tuple[Array, Array, Array]:
    """Facets of all P cells, padded: hyperplanes (-1: none), the cell's signs there, and the cells beyond.

    A hyperplane is a facet of a cell if flipping its sign gives a cell. The sign vectors are compared by a 64-bit
    hash (additive, so that a flip is one addition); facets serve as hints only.
    """
    P, h = signs.shape
    if not h:
        return np.full((P, 1), -1), np.zeros((P, 1), np.int8), np.full((P, 1), -1)
    keys = _keys(h)
    half = P // 2
    code = (signs[:half] > 0).astype(np.uint64) @ keys
    every = np.concatenate([code, keys.sum(dtype=np.uint64) - code])
    order = np.argsort(every)
    ranked = every[order]
    flipped = code[:, None] - keys * signs[:half].astype(np.int64).astype(np.uint64)
    place = np.minimum(np.searchsorted(ranked, flipped), P - 1)
    hit = ranked[place] == flipped
    widest = int(hit.sum(axis=1).max(initial=1))
    which = np.argsort(~hit, axis=1, kind="stable")[:, :widest]
    present = np.take_along_axis(hit, which, axis=1)
    facets = np.where(present, which, -1)
    beyond = np.where(present, order[np.take_along_axis(place, which, axis=1)], -1)
    mine = np.take_along_axis(signs[:half], which, axis=1)
    opposite = np.where(present, (beyond + half) % P, -1)
    return np.vstack([facets, facets]), np.vstack([mine, -mine]), np.vstack([beyond, opposite])


@cache
def _keys(h: int) -> Array:
    return np.random.default_rng(20240229).integers(0, 1 << 63, h, dtype=np.uint64)


def null_basis(Z: Array, d: int) -> Array:
    """An orthonormal basis (columns) of {u : Z u = 0}."""
    if not len(Z):
        return np.eye(d)
    _, values, rows = np.linalg.svd(Z, full_matrices=True)
    rank = int((values > 1e-9 * values[0]).sum())
    return np.asarray(rows[rank:].T)
