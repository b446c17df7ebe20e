"""Signed faces of the arrangement, exactly: spans, projectors and features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from flint import fmpq, fmpq_mat, fmpz_mat

from solvers.exact_linalg import identity, null_space
from solvers.relu.arrangement import Arrangement
from solvers.relu.exact import Data
from solvers.relu.geometry import Face


@dataclass(frozen=True)
class ExactFace:
    """A signed face with its linear algebra.

    Attributes:
        s: sign of the output weight.
        pattern: sign of each hyperplane's normal on the face.
        rows: sign of each sample on the face.
        B: integer basis of the span of the face, d x k.
        F: D_A X B, n x k: the features of a direction B t are F t.
        N: (B^T B)^-1.
    """

    s: int
    pattern: tuple[int, ...]
    rows: tuple[int, ...]
    B: fmpq_mat
    F: fmpq_mat
    N: fmpq_mat

    @property
    def zero(self) -> tuple[int, ...]:
        """The hyperplanes that contain the face."""
        return tuple(k for k, v in enumerate(self.pattern) if v == 0)

    @cached_property
    def M(self) -> fmpq_mat:
        """D_A X Q X^T D_A, with Q the orthogonal projector onto the span."""
        return self.F * self.N * self.F.transpose()

    def direction(self, nu: fmpq_mat) -> fmpq_mat:
        """s Q X^T D_A nu, d x 1."""
        return self.B * (self.N * (self.F.transpose() * nu)) * fmpq(self.s)


def exact_face(data: Data, cells: Arrangement, face: Face) -> ExactFace:
    """The linear algebra of a face; hyperplanes that contain its span are added to its zeros."""
    zero = [k for k, v in enumerate(face.pattern) if v == 0]
    B, pattern = identity(cells.d), face.pattern
    if zero:
        B = null_space(fmpq_mat(fmpz_mat([list(cells.normals[k]) for k in zero])))
        images = fmpq_mat(fmpz_mat([list(h) for h in cells.normals])) * B
        pattern = tuple(v if any(row) else 0 for v, row in zip(pattern, images.tolist()))
    rows = row_signs(cells, pattern)
    X = fmpq_mat([list(row) if sign > 0 else [fmpq(0)] * cells.d for row, sign in zip(data.problem.X, rows)])
    N = (B.transpose() * B).inv() if B.ncols() else fmpq_mat(0, 0)
    return ExactFace(face.s, pattern, rows, B, X * B, N)


def row_signs(cells: Arrangement, pattern: Sequence[int]) -> tuple[int, ...]:
    """Sign of each sample where the hyperplanes have the given signs."""
    return tuple(pattern[k] * o if k >= 0 else 0 for k, o in zip(cells.which, cells.orientation))
