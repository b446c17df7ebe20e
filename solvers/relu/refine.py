"""From doubles to any precision: Newton's method on the tightness equations of the active faces.

With nu = (I + sum_j g_j M_j)^-1 y the equations are F_j(g) = nu^T M_j nu - beta^2 = 0, one per active face, with
Jacobian -2 W^T (I + sum g M)^-1 W, W = [M_j nu]. When the atoms are independent it is nonsingular, and a few
steps double the digits each time.

The M_j = F_j N_j F_j^T have few columns F_j, so everything is done in their number. Let F = [F_j], K = F^T F and G the
block diagonal matrix of the g_j N_j. Then P = F^T nu solves (I + K G) P = F^T y, and nu = y - F G P.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat

from solvers.enclosures import precision
from solvers.relu.exact import Data
from solvers.relu.faces import ExactFace
from solvers.relu.geometry import Active

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Point:
    """The equations at one (g, b).

    Attributes:
        S: I + K G.
        G: the block diagonal matrix of the g_j N_j.
        P: F^T nu.
        V: the blocks N_j P_j, one column for each face, so that W = [F V, X_c].
        values: nu^T M_j nu - beta^2 for each face, then X_c^T nu.
    """

    S: arb_mat
    G: arb_mat
    P: arb_mat
    V: arb_mat
    values: list[arb]


class Equations:
    """The tightness equations of some faces in balls, with an optional free linear part X_c b, X_c^T nu = 0."""

    def __init__(self, data: Data, faces: Sequence[ExactFace], columns: Sequence[int] = ()) -> None:
        problem, n = data.problem, len(data.problem.y)
        self.k, self.beta_exact = len(faces), problem.beta
        self.owner = [j for j, f in enumerate(faces) for _ in range(f.F.ncols())]
        self.width = len(self.owner)
        scaled = [_scaled(f) for f in faces]
        rows = zip(*(F.tolist() for F, _ in scaled))
        self.F = fmpq_mat(n, self.width, [v for row in rows for part in row for v in part])
        self.N = _block_diagonal([N for _, N in scaled])
        self.X = fmpq_mat(n, len(columns), [row[j] for row in problem.X for j in columns])
        self.y = fmpq_mat(n, 1, list(problem.y))
        across, down = self.F.transpose(), self.X.transpose()
        self.K, self.FX, self.XX = across * self.F, across * self.X, down * self.X
        self.Fy, self.Xy = across * self.y, down * self.y

    def at(self, z: Sequence[arb], approximate: bool = False) -> Point:
        """Everything at (g, b); rigorous unless `approximate`."""
        k, w = self.k, self.width
        N = arb_mat(self.N)
        G = arb_mat(w, w, [v * z[self.owner[t % w]] if v != 0 else v for t, v in enumerate(N.entries())])
        S = arb_mat(self.K) * G + arb_mat(w, w, [int(i == j) for i in range(w) for j in range(w)])
        right, linear = arb_mat(self.Fy), arb_mat(self.Xy)
        if len(z) > k:
            b = arb_mat([[v] for v in z[k:]])
            right, linear = right - arb_mat(self.FX) * b, linear - arb_mat(self.XX) * b
        P = S.solve(right, algorithm="approx" if approximate else "precond")
        entries = P.entries()
        V = N * arb_mat(w, k, [entries[t] if j == self.owner[t] else 0 for t in range(w) for j in range(k)])
        beta2 = arb(self.beta_exact) * arb(self.beta_exact)
        values = [v - beta2 for v in (V.transpose() * P).entries()]
        if len(z) > k:
            values += (linear - arb_mat(self.FX).transpose() * (G * P)).entries()
        return Point(S, G, P, V, values)

    def dual(self, z: Sequence[arb], here: Point) -> arb_mat:
        """nu at (g, b)."""
        nu = arb_mat(self.y) - arb_mat(self.F) * (here.G * here.P)
        return nu - arb_mat(self.X) * arb_mat([[v] for v in z[self.k :]]) if len(z) > self.k else nu

    def values(self, z: Sequence[arb]) -> tuple[arb_mat, arb_mat, arb_mat, list[arb]]:
        """I + K G, nu, V and the values of all equations at (g, b), rigorously."""
        here = self.at(z)
        return here.S, self.dual(z, here), here.V, here.values

    def jacobian(self, here: Point, approximate: bool = False) -> arb_mat:
        """Partial derivatives of the equations: -2 W^T S^-1 W for the tightness, -W^T S^-1 W for X_c^T nu = 0.

        With Y = F^T W it is W^T W - Y^T G (I + K G)^-1 Y that stands for W^T (I + sum g M)^-1 W.
        """
        K, V, down = arb_mat(self.K), here.V, here.V.transpose()
        KV = K * V
        inner, Y = down * KV, KV
        if self.XX.nrows():
            FX, XX = arb_mat(self.FX), arb_mat(self.XX)
            mixed = down * FX
            inner = _blocks(inner, mixed, mixed.transpose(), XX)
            Y = arb_mat([[*a, *b] for a, b in zip(KV.tolist(), FX.tolist())])
        moved = here.S.solve(Y, algorithm="approx" if approximate else "precond")
        inner = inner - Y.transpose() * (here.G * moved)
        size = inner.nrows()
        return arb_mat(size, size, [v * (-2 if t < self.k * size else -1) for t, v in enumerate(inner.entries())])


def _scaled(face: ExactFace) -> tuple[fmpq_mat, fmpq_mat]:
    """F and N for the basis of the face with its vectors divided by powers of two, so that F has columns of size 1."""
    sizes = [
        max((v.p.bit_length() - v.q.bit_length() for v in column if v != 0), default=0)
        for column in zip(*face.F.tolist())
    ]
    k = len(sizes)
    powers = fmpq_mat(k, k, [fmpq(2) ** sizes[i] if i == j else fmpq(0) for i in range(k) for j in range(k)])
    return face.F * powers.inv(), powers * face.N * powers


def _block_diagonal(blocks: Sequence[fmpq_mat]) -> fmpq_mat:
    width = sum(B.nrows() for B in blocks)
    rows, at = [], 0
    for B in blocks:
        rows += [[fmpq(0)] * at + row + [fmpq(0)] * (width - at - B.nrows()) for row in B.tolist()]
        at += B.nrows()
    return fmpq_mat(rows) if rows else fmpq_mat(0, 0)


def _blocks(A: arb_mat, B: arb_mat, C: arb_mat, D: arb_mat) -> arb_mat:
    top = [[*a, *b] for a, b in zip(A.tolist(), B.tolist())]
    return arb_mat(top + [[*c, *d] for c, d in zip(C.tolist(), D.tolist())])


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
    for width in [*ladder[::-1], ladder[0], ladder[0]]:
        with precision(width):
            try:
                here = system.at(z, approximate=True)
                with precision(width // 2 + 16):  # the Jacobian needs only the digits that the step will gain
                    J = system.jacobian(here, approximate=True).mid()
                    right = arb_mat([[v.mid()] for v in here.values])
                    moves = J.solve(right, algorithm="approx").entries()
            except ZeroDivisionError:
                return None
            z = [(v - m).mid() for v, m in zip(z, moves)]
            if not all(v.is_finite() for v in z):
                return None
            # a step of relative size e leaves an error of about e^2
            if width == ladder[0] and all(abs(m) <= abs(v) * arb(2) ** (-bits // 2 - 16) for v, m in zip(z, moves)):
                break
    with precision(bits + 32):
        here = system.at(z, approximate=True)
        residual = max((float(abs(v.mid())) for v in here.values), default=0.0)
        scale = float(arb(system.beta_exact)) ** 2
        if not residual < 1e-20 * scale:
            return None
        return z, system.dual(z, here).mid(), residual / scale


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
