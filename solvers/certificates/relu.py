"""Regularized two-layer ReLU training: certificates of the global optimum, and their exact checker.

    minimise over all networks  1/2 |sum_j a_j (X w_j)_+ - y|^2 + beta/2 sum_j (|w_j|^2 + a_j^2)

Lower bound: for every nu with |nu.(Xu)_+| <= beta on the unit ball, nu.y - |nu|^2/2 is at most the value of
every network of any width (Pilanci and Ergen 2020; weak duality needs nothing but |a| |w| <= (a^2 + |w|^2)/2).
The constraint is checked cell by cell: on the closed cone K of a cell with active samples D,
nu.(Xu)_+ = c.u with c = X^T D nu, and c.u <= |c + G^T lam| |u| for every lam >= 0, where G u >= 0 on K. Every u
lies in some closed cell; `solvers.certificates.cells` sees that no cell is missing from the list. Most cones are far
from tight, and integers of 64 bits show it; the others are decided with all digits.

Upper bound: the value of one network with rational weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import lcm
from typing import TYPE_CHECKING

from flint import fmpq, fmpz, fmpz_mat

from solvers.certificates.bounds import InvalidCertificate, Verified
from solvers.certificates.cells import check_cells, count_cells, normals

if TYPE_CHECKING:
    from solvers.certificates.words import Array

__all__ = [
    "Multiplier",
    "Neuron",
    "ReluCertificate",
    "ReluProblem",
    "check_cells",
    "check_dual",
    "check_relu",
    "count_cells",
    "dual_bounds",
    "network_value",
    "normals",
]


@dataclass(frozen=True)
class ReluProblem:
    """Exact training data.

    Attributes:
        X: n rows of d entries.
        y: n targets.
        beta: positive weight of the regulariser.
    """

    X: tuple[tuple[fmpq, ...], ...]
    y: tuple[fmpq, ...]
    beta: fmpq

    def __post_init__(self) -> None:
        widths = {len(row) for row in self.X}
        if len(self.X) != len(self.y) or len(widths) != 1 or 0 in widths:
            raise ValueError(f"{len(self.X)} rows of lengths {sorted(widths)} and {len(self.y)} targets do not match")
        if self.beta <= 0:
            raise ValueError(f"beta = {self.beta}; expected a positive weight")


@dataclass(frozen=True)
class Multiplier:
    """lam >= 0 for one signed cone.

    Attributes:
        cell: index of the witness.
        side: 0 for the cell of the witness, 1 for the antipodal cell.
        sign: 1 or -1, the sign of the output weight.
        rows: indices of samples.
        values: their multipliers, of the inequalities (+-x_k).u >= 0 that hold on the cell.
    """

    cell: int
    side: int
    sign: int
    rows: tuple[int, ...]
    values: tuple[fmpq, ...]


@dataclass(frozen=True)
class Neuron:
    """One hidden neuron: input weights w (length d), output weight a."""

    w: tuple[fmpq, ...]
    a: fmpq


@dataclass(frozen=True)
class ReluCertificate:
    """An enclosure of the optimal value.

    Attributes:
        cells: integer interior points, one of each antipodal pair of cells.
        nu: a dual feasible point.
        multipliers: of the signed cones where |c| > beta.
        network: any network; its value is the upper bound.
    """

    cells: tuple[tuple[fmpq, ...], ...]
    nu: tuple[fmpq, ...]
    multipliers: tuple[Multiplier, ...]
    network: tuple[Neuron, ...]


def check_relu(problem: ReluProblem, certificate: ReluCertificate) -> Verified:
    """The enclosure that a certificate proves, in exact arithmetic throughout.

    Raises:
        InvalidCertificate: with the condition that fails.
    """
    n = len(problem.X)
    if len(certificate.nu) != n:
        raise InvalidCertificate(f"nu has {len(certificate.nu)} entries; expected {n}")
    active = check_cells(problem.X, certificate.cells)
    check_dual(problem, certificate, active)
    lower = sum((v * (t - v / 2) for v, t in zip(certificate.nu, problem.y)), fmpq(0))
    upper = network_value(problem, certificate.network)
    count = 2 * len(certificate.cells) if certificate.cells else 1
    return Verified(f"the optimum of all widths lies in the stated interval ({count} cells)", lower, upper)


def check_dual(problem: ReluProblem, certificate: ReluCertificate, active: Array) -> None:
    """Raise `InvalidCertificate` unless |nu.(Xu)_+| <= beta |u| is shown on all cells."""
    beta2 = problem.beta**2
    for i, side, sign, square, scale in dual_bounds(problem, certificate, active, problem.beta):
        if beta2.q * square > beta2.p * scale:
            missing = (
                ""
                if (i, side, sign) in {(m.cell, m.side, m.sign) for m in certificate.multipliers}
                else ", and no multiplier is given"
            )
            raise InvalidCertificate(f"the bound exceeds beta on cell {i} (side {side}, sign {sign}){missing}")


def dual_bounds(
    problem: ReluProblem, certificate: ReluCertificate, active: Array, limit: fmpq
) -> Iterator[tuple[int, int, int, fmpz, fmpz]]:
    """Exact bounds |sign c + G^T lam|^2 = S / D, as (cell, side, sign, S, D), of all signed cones but those with a
    bound that 64-bit integers show to be at most `limit`.

    Where no multiplier is given lam = 0.

    Args:
        problem, certificate: the data.
        active: the active samples at each witness, pairs x n bools.
        limit: positive.

    Raises:
        InvalidCertificate: for a multiplier of no cone or sample, repeated, or negative.
    """
    from solvers.certificates.words import shown

    X, nu, multipliers = problem.X, certificate.nu, certificate.multipliers
    cones = _cones(multipliers, *active.shape)
    listed = [(cone, k, v) for cone, m in zip(cones, multipliers) for k, v in zip(m.rows, m.values)]
    undecided = [index for index, done in enumerate(shown(X, nu, active, listed, limit)) if not done]
    if not undecided:
        return
    # X = A / p, nu = N / q, so c = C / (p q)
    A, p = _integers(X)
    [N], q = _integers([nu])
    weighted = fmpz_mat([[t * v for v in row] for t, row in zip(N, A)])
    sides = sorted({index // 2 for index in undecided})
    chosen = fmpz_mat([(active[side // 2] != bool(side % 2)).astype(int).tolist() for side in sides])
    C = dict(zip(sides, (chosen * weighted).tolist()))
    unit = fmpz(p * q) ** 2
    place = dict(zip(cones, multipliers))
    for index in undecided:
        i, side, sign, vector = index // 4, index // 2 % 2, -1 if index % 2 else 1, C[index // 2]
        m = place.get(index)
        if m is None:
            yield i, side, sign, sum([v * v for v in vector], fmpz(0)), unit
        else:
            square, h = _square(m, vector, A, q, active[i])
            yield i, side, sign, square, unit * h * h


def _cones(multipliers: Sequence[Multiplier], cells: int, n: int) -> list[int]:
    """The index 4 cell + 2 side + (sign < 0) of each multiplier's signed cone.

    Raises:
        InvalidCertificate: unless these are multipliers lam >= 0 of samples, at most one for a signed cone.
    """
    for m in multipliers:
        if not (0 <= m.cell < cells and m.side in (0, 1) and m.sign in (1, -1)):
            raise InvalidCertificate(f"a multiplier of cell {m.cell} (side {m.side}, sign {m.sign}); there are {cells}")
        if len(m.rows) != len(m.values):
            raise InvalidCertificate("a multiplier with missing rows or values")
    cones = [4 * m.cell + 2 * m.side + (m.sign < 0) for m in multipliers]
    if len(set(cones)) != len(cones):
        raise InvalidCertificate("two multipliers for one signed cone")
    for k in {k for m in multipliers for k in m.rows}:
        if not 0 <= k < n:
            raise InvalidCertificate(f"a multiplier of sample {k}; there are {n}")
    if any(v.p < 0 for m in multipliers for v in m.values):
        raise InvalidCertificate("a negative multiplier")
    return cones


def _square(
    m: Multiplier, vector: Sequence[fmpz], A: Sequence[Sequence[fmpz]], q: int, active: Array
) -> tuple[fmpz, fmpz]:
    """(S, h) with |sign c + G^T lam|^2 = S / (h p q)^2, where c = vector / (p q) and X = A / p."""
    h = fmpz(1)
    for value in m.values:
        if h % value.q != 0:
            h = h.lcm(value.q)
    moved = [h * v for v in vector]
    for k, value in zip(m.rows, m.values):
        # G u >= 0 holds row by row: x_k.u >= 0 where active, -x_k.u >= 0 where not
        inside = bool(active[k]) != bool(m.side)
        weight = q * value.p * (h // value.q)
        if inside != (m.sign > 0):
            weight = -weight
        moved = [v + weight * t for v, t in zip(moved, A[k])]
    return sum([v * v for v in moved], fmpz(0)), h


def network_value(problem: ReluProblem, network: Sequence[Neuron]) -> fmpq:
    """The exact objective of a network."""
    d = len(problem.X[0])
    for neuron in network:
        if len(neuron.w) != d:
            raise InvalidCertificate(f"a neuron with {len(neuron.w)} input weights; expected {d}")
    fit = [fmpq(0)] * len(problem.X)
    if network:
        X, p = _integers(problem.X)
        W, q = _integers([neuron.w for neuron in network])
        a, r = _integers([[neuron.a] for neuron in network])
        hidden = [[max(z, 0) for z in row] for row in (fmpz_mat(X) * fmpz_mat(W).transpose()).tolist()]
        fit = [fmpq(v, p * q * r) for v in (fmpz_mat(hidden) * fmpz_mat(a)).entries()]
    penalty = sum((v * v for neuron in network for v in (*neuron.w, neuron.a)), fmpq(0))
    loss = sum(((f - t) ** 2 for f, t in zip(fit, problem.y)), fmpq(0))
    return loss / 2 + problem.beta * penalty / 2


def _integers(rows: Sequence[Sequence[fmpq]]) -> tuple[list[list[fmpz]], int]:
    """Integers and a common denominator of the rows' entries."""
    common = lcm(*{int(v.q) for row in rows for v in row})
    return [[v.p * (common // v.q) for v in row] for row in rows], common
