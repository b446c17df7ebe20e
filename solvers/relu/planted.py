"""Training problems whose dual optimum, tight directions and optimal polytope are rational and known.

Rows +-rho R e_i for a rational rotation R of Q^d, nu = beta q_i / rho at both rows of axis i, q a rational unit
vector without zeros. Then X^T D nu = beta R (sigma q) on the cell of signs sigma: all 2^d cells are tight with s = 1,
at the unit directions R (sigma q), and y = nu + sum_sigma w_sigma a_sigma for any weights w >= 0 has nu as its dual
optimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from flint import fmpq, fmpq_mat

from solvers.certificates.relu import ReluProblem
from solvers.enclosures.exact import to_fmpq
from solvers.exact_linalg import identity
from solvers.relu.exact import Vector


@dataclass(frozen=True)
class Planted:
    """A planted problem.

    Attributes:
        problem: the data.
        nu: its dual optimum.
        directions: the 2^d unit directions.
        atoms: their features (X u)_+, all with s = 1.
        weights: the planted weights, one optimum.
    """

    problem: ReluProblem
    nu: Vector
    directions: tuple[Vector, ...]
    atoms: tuple[Vector, ...]
    weights: Vector

    @property
    def fit(self) -> Vector:
        """f* = y - nu."""
        return tuple(t - v for t, v in zip(self.problem.y, self.nu))

    @property
    def value(self) -> fmpq:
        """The optimal value |nu|^2 / 2 + beta sum w."""
        return sum((v * v for v in self.nu), fmpq(0)) / 2 + self.problem.beta * sum(self.weights, fmpq(0))


def planted(
    q: Sequence[Any], weights: Sequence[Any], beta: Any, rho: Any = 1, rotation: fmpq_mat | None = None
) -> Planted:
    """Build a planted problem.

    Args:
        q: rational unit vector of length d, no entry 0.
        weights: 2^d weights >= 0, in the order of itertools.product((1, -1), repeat=d).
        beta, rho: positive rationals.
        rotation: d x d rational orthogonal matrix (see `cayley`); the identity by default.

    Raises:
        ValueError: if q is not a unit vector, or a size or sign does not fit.
    """
    unit = tuple(to_fmpq(v) for v in q)
    d = len(unit)
    w = tuple(to_fmpq(v) for v in weights)
    b, r = to_fmpq(beta), to_fmpq(rho)
    if sum((v * v for v in unit), fmpq(0)) != 1 or 0 in unit:
        raise ValueError(f"q = {unit}: expected a rational unit vector without zeros")
    if len(w) != 2**d or any(v < 0 for v in w) or b <= 0 or r <= 0:
        raise ValueError(f"expected {2**d} weights >= 0 and beta, rho > 0")
    R = identity(d) if rotation is None else rotation
    if R * R.transpose() != identity(d):
        raise ValueError("the rotation is not orthogonal")
    axes = [tuple(r * R[i, j] for i in range(d)) for j in range(d)]
    X = tuple(axes) + tuple(tuple(-v for v in axis) for axis in axes)
    nu = tuple(b * v / r for v in unit) * 2
    directions, atoms = [], []
    for sigma in product((1, -1), repeat=d):
        u = R * fmpq_mat(d, 1, [s * v for s, v in zip(sigma, unit)])
        directions.append(tuple(u.entries()))
        image = [sum((a * c for a, c in zip(row, u.entries())), fmpq(0)) for row in X]
        atoms.append(tuple(v if v > 0 else fmpq(0) for v in image))
    y = tuple(v + sum((c * a[k] for c, a in zip(w, atoms)), fmpq(0)) for k, v in enumerate(nu))
    return Planted(ReluProblem(X, y, b), nu, tuple(directions), tuple(atoms), w)


def cayley(d: int, entries: Sequence[Any]) -> fmpq_mat:
    """The rotation (I - S)(I + S)^-1 of the skew matrix S with d(d-1)/2 given rational entries above its diagonal."""
    if len(entries) != d * (d - 1) // 2:
        raise ValueError(f"{len(entries)} entries; a skew {d} x {d} matrix has {d * (d - 1) // 2}")
    S = fmpq_mat(d, d)
    places = [(i, j) for i in range(d) for j in range(i + 1, d)]
    for (i, j), v in zip(places, entries):
        S[i, j], S[j, i] = to_fmpq(v), -to_fmpq(v)
    return (identity(d) - S) * (identity(d) + S).inv()
