"""Exact stationary points of penalised least squares: l1, ridge and elastic net, weighted l1, and MCP.

The objective is b^T G b / 2 - c^T b + sum_j h_j(b_j) with G symmetric positive semidefinite. Coordinate descent in doubles
proposes on which piece of its penalty each coordinate lies; the linear system of these pieces is solved and the
stationarity of the result is checked in exact rationals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_mat

from solvers.exact_linalg import dyadic, solve, submatrix

SWEEPS = 5000
ZERO = fmpq(0)


@dataclass(frozen=True)
class Penalty:
    """h_j(t) = weights[j] |t| + ridge t^2 / 2, or MCP.

    Attributes:
        weights: one exact rational >= 0 for each coordinate.
        ridge: exact rational >= 0.
        width: None, or b > 0 for MCP: weights[j] |t| - t^2/(2b) for |t| <= b weights[j] and constant beyond (C.-H. Zhang, Nearly
            unbiased variable selection under minimax concave penalty, Ann. Statist. 2010); its weak convexity is 1/b.
    """

    weights: tuple[fmpq, ...]
    ridge: fmpq = ZERO
    width: fmpq | None = None

    def curvature(self, piece: int) -> fmpq:
        """The second derivative on a piece: 0 at zero, +-1 next to it, +-2 beyond the width."""
        return self.ridge - (1 / self.width if self.width is not None and abs(piece) == 1 else 0)

    def slope(self, j: int, piece: int) -> fmpq:
        """The derivative of h_j on a piece is `slope` + `curvature` times t."""
        return fmpq(0) if abs(piece) == 2 else self.weights[j] * piece

    def piece(self, j: int, t: fmpq) -> int:
        """The piece on which t lies: 0, +-1 or +-2."""
        sign = int(t > 0) - int(t < 0)
        flat = self.width is not None and abs(t) > self.width * self.weights[j]
        return 2 * sign if flat else sign


def subgradient_gap(G: fmpq_mat, c: fmpq_mat, b: fmpq_mat, penalty: Penalty) -> list[fmpq]:
    """Distance of c - G b from the (Clarke) subdifferential of h, coordinate by coordinate; all 0 iff b is stationary.

    Args:
        G: symmetric, d x d.
        c, b: columns of d.
    """
    residual = c - G * b
    gaps = []
    for j in range(b.nrows()):
        t, r = b[j, 0], residual[j, 0]
        if t == 0:
            gaps.append(max(fmpq(0), abs(r) - penalty.weights[j]))
        else:
            piece = penalty.piece(j, t)
            gaps.append(abs(r - penalty.slope(j, piece) - penalty.curvature(piece) * t))
    return gaps


def stationary_point(G: fmpq_mat, c: fmpq_mat, penalty: Penalty) -> fmpq_mat:
    """An exact stationary point (the minimiser, when the objective is convex).

    Args:
        G: symmetric positive semidefinite with positive diagonal, d x d; for MCP with G[j, j] > 1/width.
        c: column of d.
        penalty: d weights.

    Raises:
        ArithmeticError: if the proposed pieces have no consistent solution (coordinate descent did not converge, or the
            data are degenerate beyond doubles).
    """
    d = c.nrows()
    found = _on_pieces(G, c, penalty, _proposed(G, c, penalty))
    if found is None or any(subgradient_gap(G, c, found, penalty)):
        raise ArithmeticError(f"stationary_point: no stationary point of the {d}-dimensional problem was found")
    return found


def _on_pieces(G: fmpq_mat, c: fmpq_mat, penalty: Penalty, pieces: Sequence[int]) -> fmpq_mat | None:
    support = [j for j, piece in enumerate(pieces) if piece]
    b = fmpq_mat(c.nrows(), 1)
    if support:
        A = submatrix(G, support, support)
        right = fmpq_mat(len(support), 1)
        for k, j in enumerate(support):
            A[k, k] += penalty.curvature(pieces[j])
            right[k, 0] = c[j, 0] - penalty.slope(j, pieces[j])
        try:
            values = solve(A, right)
        except ValueError:
            return None
        for k, j in enumerate(support):
            b[j, 0] = values[k, 0]
    return b


def _proposed(G: fmpq_mat, c: fmpq_mat, penalty: Penalty) -> list[int]:
    """Pieces of the limit of coordinate descent in doubles."""
    d = c.nrows()
    A = [[_double(x) for x in row] for row in G.tolist()]
    y = [_double(x) for x in c.entries()]
    weights, ridge = [_double(w) for w in penalty.weights], _double(penalty.ridge)
    concave = _double(1 / penalty.width) if penalty.width is not None else 0.0
    b = [0.0] * d
    for _ in range(SWEEPS):
        moved = 0.0
        for j in range(d):
            z = y[j] - sum(A[j][k] * b[k] for k in range(d) if k != j)
            t = max(abs(z) - weights[j], 0.0) / (A[j][j] + ridge - concave)
            if concave and t * concave > weights[j]:
                t = abs(z) / (A[j][j] + ridge)
            new = t if z > 0 else -t
            moved = max(moved, abs(new - b[j]))
            b[j] = new
        if moved <= 1e-14 * max(1e-300, max(map(abs, b))):
            break
    size = max(map(abs, b))
    return [penalty.piece(j, dyadic(t)) if abs(t) > 1e-11 * size else 0 for j, t in enumerate(b)]


def _double(q: fmpq) -> float:
    return int(q.p) / int(q.q)
