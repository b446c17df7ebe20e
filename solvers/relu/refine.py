"""From doubles to any precision: Newton's method on the tightness equations of the active faces.

With nu = (I + sum_j g_j M_j)^-1 y the equations are F_j(g) = nu^T M_j nu - beta^2 = 0, one per active face, with
Jacobian -2 W^T (I + sum g M)^-1 W, W = [M_j nu]. When the atoms are independent it is nonsingular, and a few
steps double the digits each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq_mat

from solvers.enclosures import precision
from solvers.relu.exact import Data
from solvers.relu.faces import ExactFace
from solvers.relu.geometry import Active

Array = np.ndarray[Any, Any]


class Equations:
    """The tightness equations of some faces in balls, with an optional free linear part X_c b, X_c^T nu = 0."""

    def __init__(self, data: Data, faces: Sequence[ExactFace], columns: Sequence[int] = ()) -> None:
        self.n = len(data.problem.y)
        self.faces = tuple(faces)
        self.columns = tuple(columns)
        self.sizes = [f.F.ncols() for f in faces]
        total = sum(self.sizes)
        F, N = fmpq_mat(self.n, total), fmpq_mat(total, total)
        at = 0
        for f in faces:
            for i in range(self.n):
                for j in range(f.F.ncols()):
                    F[i, at + j] = f.F[i, j]
            for i in range(f.F.ncols()):
                for j in range(f.F.ncols()):
                    N[at + i, at + j] = f.N[i, j]
            at += f.F.ncols()
        self.F_exact, self.FN_exact = F, F * N
        self.y_exact = fmpq_mat(self.n, 1, list(data.problem.y))
        self.X_exact = fmpq_mat(self.n, len(self.columns), [row[j] for row in data.problem.X for j in self.columns])
        self.beta_exact = data.problem.beta
        self.owner = [j for j, size in enumerate(self.sizes) for _ in range(size)]

    def values(self, z: Sequence[arb], approximate: bool = False) -> tuple[arb_mat, arb_mat, arb_mat, list[arb]]:
        """S = I + sum g M, nu, W and the values of all equations at (g, b); rigorous unless `approximate`."""
        k, r, n = len(self.faces), len(self.columns), self.n
        F, FN, y = arb_mat(self.F_exact), arb_mat(self.FN_exact), arb_mat(self.y_exact)
        width = len(self.owner)
        S = FN * arb_mat([[z[self.owner[t]] if t == u else arb(0) for u in range(width)] for t in range(width)])
        S = S * F.transpose() + arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
        X = arb_mat(self.X_exact) if r else None
        right = y - X * arb_mat([[v] for v in z[k:]]) if X is not None else y
        nu = S.solve(right, algorithm="approx") if approximate else S.solve(right)
        P = (F.transpose() * nu).entries()
        W = FN * arb_mat(width, k, [P[t] if j == self.owner[t] else arb(0) for t in range(width) for j in range(k)])
        if X is not None:
            W = arb_mat([[*a, *b] for a, b in zip(W.tolist(), X.tolist())])
        beta2 = arb(self.beta_exact) * arb(self.beta_exact)
        squares = (W.transpose() * nu).entries()
        return S, nu, W, [v - beta2 if j < k else v for j, v in enumerate(squares)]

    def jacobian(self, S: arb_mat, W: arb_mat, approximate: bool = False) -> arb_mat:
        """Partial derivatives of the equations: -2 W^T S^-1 W for the tightness, -W^T S^-1 W for X_c^T nu = 0."""
        k = len(self.faces)
        inner = W.transpose() * (S.solve(W, algorithm="approx") if approximate else S.solve(W))
        size = inner.nrows()
        return arb_mat(size, size, [v * (-2 if t < k * size else -1) for t, v in enumerate(inner.entries())])


def refine(
    data: Data,
    faces: Sequence[ExactFace],
    weights: Sequence[float],
    bits: int,
    b: Sequence[float] = (),
    columns: Sequence[int] = (),
) -> tuple[list[arb], arb_mat, float] | None:
    """Newton's method from doubles, the precision doubled along the way.

    Args:
        data: the training data.
        faces: active faces with independent atoms.
        weights: their g_j.
        bits: final working precision.
        b, columns: the free linear part and its independent columns, if any.

    Returns:
        The unknowns (g, b) as exact balls, nu, and the last residual; None where the Jacobian is singular or the
        iteration fails.
    """
    system = Equations(data, faces, columns)
    z = [arb(float(v)) for v in (*weights, *b)]
    ladder, width = [], bits + 32
    while width > 110:
        ladder.append(width)
        width = width // 2 + 10
    nu, values = None, [arb(1)]
    for width in [*ladder[::-1], ladder[0], ladder[0]]:
        with precision(width):
            try:
                S, nu, W, values = system.values(z, approximate=True)
                values = [v.mid() for v in values]
                with precision(width // 2 + 16):  # the Jacobian needs only the digits that the step will gain
                    J = system.jacobian(S, W, approximate=True).mid()
                    moves = J.solve(arb_mat([[v] for v in values]), algorithm="approx").entries()
            except ZeroDivisionError:
                return None
            z = [(v - m).mid() for v, m in zip(z, moves)]
            if not all(v.is_finite() for v in z):
                return None
    with precision(bits + 32):
        nu, values = system.values(z, approximate=True)[1::2]
        residual = max((float(abs(v).upper()) for v in values), default=0.0)
    scale = (int(system.beta_exact.p) / int(system.beta_exact.q)) ** 2
    if not residual < 1e-20 * scale:
        return None
    return z, nu.mid(), residual / scale


def prune_dependent(atoms: Array, active: Sequence[Active]) -> list[int]:
    """Indices of an independent subset of atoms that still carries the fit (Caratheodory's reduction, doubles)."""
    keep = [j for j, a in enumerate(active) if a.weight > 0]
    c = np.array([a.weight for a in active])
    while keep:
        block = atoms[:, keep] / np.maximum(np.linalg.norm(atoms[:, keep], axis=0), 1e-300)
        _, values, rows = np.linalg.svd(block, full_matrices=True)
        rank = int((values > 1e-9 * values[0]).sum())
        if rank == len(keep):
            break
        v = rows[-1] / np.maximum(np.linalg.norm(atoms[:, keep], axis=0), 1e-300)
        if v.min() >= 0 or -v.min() < v.max():
            v = -v
        ratio = np.where(v < 0, c[keep] / np.maximum(-v, 1e-300), np.inf)
        out = int(ratio.argmin())
        c[keep] = np.maximum(c[keep] + ratio[out] * v, 0.0)
        c[keep[out]] = 0.0
        keep = [j for j in keep if c[j] > 0]
    return keep


def atoms_of(active: Sequence[Active], geo: Any) -> Array:
    """The atoms s (X u)_+ of active directions, n x k doubles."""
    columns = []
    for a in active:
        rows = geo.face_rows(np.array(a.face.pattern)) > 0
        columns.append(a.face.s * (geo.data.X @ a.u) * rows)
    return np.array(columns).T.reshape(len(geo.data.y), -1)
