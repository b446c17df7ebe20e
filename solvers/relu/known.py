"""Values of linear forms of the dual optimum that are known exactly although the optimum itself is not.

nu = (I + sum_j g_j M_j)^-1 (y - X b), with an unknown g > 0, X b the free linear part if there is one. Two facts
need no knowledge of g:

    a form alpha that vanishes on every M_j V has alpha.nu = alpha.y, V the least space that contains y (and X) and is
    mapped into itself by all M_j: nu lies in V, and y - X b - nu in the sum of the M_j V;
    on a ray, a face of dimension one spanned by b, tightness |Q X^T D nu| = beta says F.nu = +-beta |b|.

A form that is a sum of both kinds is a sum of square roots (`solvers.relu.surds`), whose sign is decided, zero included.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from flint import arb_mat, fmpq, fmpq_mat

from solvers.relu.arrangement import pivot_columns
from solvers.relu.faces import ExactFace
from solvers.relu.surds import Surds, combine, rational, root, sign

MOST_ENTRIES = 400
"""Samples times faces for which V is computed; for more, the span of all features takes the place of the M_j V."""


class Known:
    """Linear forms of nu* = y - f* with exact values.

    Args:
        y: the targets.
        beta: the weight of the regulariser.
        faces: the active faces, each with a positive g_j at least once.
        nu: the dual optimum in balls, n x 1.
        linear: the columns of the free linear part.
    """

    def __init__(
        self,
        y: Sequence[fmpq],
        beta: fmpq,
        faces: Sequence[ExactFace],
        nu: arb_mat,
        linear: Sequence[Sequence[fmpq]] = (),
    ) -> None:
        self.y, self.beta, self.faces, self.nu, self.linear = tuple(y), beta, tuple(faces), nu, tuple(map(list, linear))

    def unmoved(self, form: Sequence[fmpq]) -> fmpq | None:
        """l.nu* = l.y if l vanishes on X and on all features of the active faces, else None."""
        return None if any(v != 0 for v in _images(form, self._features)) else _dot(form, self.y)

    def nonnegative(self, form: Sequence[fmpq]) -> bool:
        """Whether l.nu* >= 0 is known; False also where nothing is known."""
        value = self.surds(form)
        return value is not None and sign(value) >= 0

    def rational(self, form: Sequence[fmpq]) -> fmpq | None:
        """l.nu* if it is known and rational."""
        value = self.surds(form)
        return None if value is None or value.keys() - {1} else value.get(1, fmpq(0))

    def surds(self, form: Sequence[fmpq]) -> Surds | None:
        """l.nu* as a sum of square roots, where it is known; no terms for 0."""
        rest = _images(form, self._moved)
        t: Sequence[fmpq] = ()
        if any(v != 0 for v in rest):
            found = _combination([_images(ray, self._moved) for ray, _ in self._rays], rest)
            if found is None:
                return None
            t = found
        for scale, (ray, _) in zip(t, self._rays):
            form = [a - scale * b for a, b in zip(form, ray)]
        return combine([fmpq(1), *t], [rational(_dot(form, self.y)), *(value for _, value in self._rays)])

    @cached_property
    def _features(self) -> fmpq_mat:
        return _columns([*self.linear, *(v for f in self.faces for v in f.F.transpose().tolist())], len(self.y))

    @cached_property
    def _moved(self) -> fmpq_mat:
        """Columns that span the linear part and all M_j V (or more, where that takes long)."""
        n = len(self.y)
        if n * len(self.faces) > MOST_ENTRIES:
            return self._features
        space = _independent([list(self.y), *self.linear])
        while True:
            V = _columns(space, n)
            images = [v for f in self.faces for v in (f.M * V).transpose().tolist()]
            larger = _independent([*space, *images])
            if len(larger) == len(space):
                return _columns([*self.linear, *images], n)
            space = larger

    @cached_property
    def _rays(self) -> list[tuple[list[fmpq], Surds]]:
        """F and F.nu of each ray."""
        found = ((f, _on_ray(f, self.beta, self.nu)) for f in self.faces if f.F.ncols() == 1)
        return [(f.F.entries(), value) for f, value in found if value is not None]


def _images(form: Sequence[fmpq], columns: fmpq_mat) -> list[fmpq]:
    found: list[fmpq] = (fmpq_mat([list(form)]) * columns).entries()
    return found


def _columns(vectors: Sequence[Sequence[fmpq]], n: int) -> fmpq_mat:
    return fmpq_mat([list(v) for v in vectors]).transpose() if vectors else fmpq_mat(n, 0)


def _independent(vectors: Sequence[list[fmpq]]) -> list[list[fmpq]]:
    """The first maximal independent vectors."""
    if not vectors:
        return []
    places = pivot_columns([list(row) for row in zip(*vectors)])
    return [vectors[p] for p in places]


def _combination(rows: Sequence[Sequence[fmpq]], goal: Sequence[fmpq]) -> list[fmpq] | None:
    """t with sum_j t_j rows_j = goal, or None; dependent rows get 0."""
    chosen = pivot_columns([list(column) for column in zip(*rows, goal)])
    if len(rows) in chosen:
        return None
    A = fmpq_mat([list(rows[j]) for j in chosen])
    solved = (A * A.transpose()).solve(A * fmpq_mat(len(goal), 1, list(goal))).entries()
    found = [fmpq(0)] * len(rows)
    for j, v in zip(chosen, solved):
        found[j] = v
    return found


def _on_ray(face: ExactFace, beta: fmpq, nu: arb_mat) -> Surds | None:
    """F.nu = +-beta |b| of a face spanned by one integer vector b; None if out of reach."""
    value = (arb_mat(face.F).transpose() * nu)[0, 0]
    length = root((face.B.transpose() * face.B)[0, 0])
    if length is None or value.contains(0):
        return None
    return combine([beta if value > 0 else -beta], [length])


def _dot(a: Sequence[fmpq], b: Sequence[fmpq]) -> fmpq:
    return sum((v * w for v, w in zip(a, b)), fmpq(0))
