"""Regularized two-layer ReLU training: certificates of the global optimum, and their exact checker.

    minimise over all networks  1/2 |sum_j a_j (X w_j)_+ - y|^2 + beta/2 sum_j (|w_j|^2 + a_j^2)

Lower bound: for every nu with |nu.(Xu)_+| <= beta on the unit ball, nu.y - |nu|^2/2 is at most the value of
every network of any width (Pilanci and Ergen 2020; weak duality needs nothing but |a| |w| <= (a^2 + |w|^2)/2).
The constraint is checked cell by cell: on the closed cone K of a cell with active samples D,
nu.(Xu)_+ = c.u with c = X^T D nu, and c.u <= |c + G^T lam| |u| for every lam >= 0, where G u >= 0 on K. Every u
lies in some closed cell; `solvers.certificates.cells` sees that no cell is missing from the list. Most cones are far
from tight, and the leading bits of the data show it; the others are decided with all digits.

Upper bound: the value of one network with rational weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from math import isqrt, lcm
from operator import mul

from flint import fmpq, fmpz, fmpz_mat

from solvers.certificates.bounds import InvalidCertificate, Verified
from solvers.certificates.cells import check_cells, count_cells, normals

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
LEADING = 24
"""Bits of the data that are tried before all of them."""


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
    masks = check_cells(problem.X, certificate.cells)
    check_dual(problem, certificate, masks)
    lower = sum((v * (t - v / 2) for v, t in zip(certificate.nu, problem.y)), fmpq(0))
    upper = network_value(problem, certificate.network)
    count = 2 * len(certificate.cells) if certificate.cells else 1
    return Verified(f"the optimum of all widths lies in the stated interval ({count} cells)", lower, upper)


def check_dual(problem: ReluProblem, certificate: ReluCertificate, masks: Sequence[bytes]) -> None:
    """Raise `InvalidCertificate` unless |nu.(Xu)_+| <= beta |u| is shown on all cells."""
    beta2 = problem.beta**2
    for i, side, sign, square, scale in dual_bounds(problem, certificate, masks, problem.beta):
        if beta2.q * square > beta2.p * scale:
            missing = (
                ""
                if (i, side, sign) in {(m.cell, m.side, m.sign) for m in certificate.multipliers}
                else ", and no multiplier is given"
            )
            raise InvalidCertificate(f"the bound exceeds beta on cell {i} (side {side}, sign {sign}){missing}")


def dual_bounds(
    problem: ReluProblem, certificate: ReluCertificate, masks: Sequence[bytes], limit: fmpq
) -> Iterator[tuple[int, int, int, fmpz, fmpz]]:
    """Exact bounds |sign c + G^T lam|^2 = S / D, as (cell, side, sign, S, D), of all signed cones but those with a
    bound that leading bits show to be at most `limit`.

    Where no multiplier is given lam = 0.

    Leading bits: X = (X' + e) / 2^a and nu = (N' + f) / 2^b with integers X', N' and entries of e and f in [0, 1), so
    2^(a+b) c differs from X'^T D N' by at most sum_k |X'_k| + |N'_k| + 1 in every component. Any lam >= 0 proves a bound,
    so L / 2^b serves, L the integer part of 2^b lam, and 2^(a+b) G^T lam differs from G'^T L by at most sum L. What
    differs by t in every component differs by at most t root in norm, root = ceil(sqrt d).

    Args:
        problem, certificate: the data.
        masks: the active samples at each witness, n bytes 0 or 1 (see `check_cells`).
        limit: positive.

    Raises:
        InvalidCertificate: for a multiplier of no cone or sample, repeated, or negative.
    """
    n, d = len(problem.X), len(problem.X[0])
    _refuse_malformed(certificate.multipliers, len(masks), n)
    given: list[Multiplier | None] = [None] * (4 * len(masks))
    for m in certificate.multipliers:
        given[4 * m.cell + 2 * m.side + (m.sign < 0)] = m
    a = LEADING - _magnitude([v for row in problem.X for v in row])
    b = LEADING - _magnitude(certificate.nu)
    X = [[_floor(v, a) for v in row] for row in problem.X]
    N = [_floor(v, b) for v in certificate.nu]
    root = isqrt(d - 1) + 1
    room = _floor(limit, a + b) - root * sum(max(map(abs, row)) + abs(t) + 1 for row, t in zip(X, N))
    columns = [[row[j] * t for row, t in zip(X, N)] for j in range(d)]
    total = [sum(column) for column in columns]
    exact = _Exact(problem, certificate, masks)
    for i, mask in enumerate(masks):
        c = [sum(compress(column, mask)) for column in columns]
        for side, vector in ((0, c), (1, [t - v for t, v in zip(total, c)])):
            if room >= 0 and sum(map(mul, vector, vector)) <= room * room:
                continue
            for sign in (1, -1):
                multiplier = given[4 * i + 2 * side + (sign < 0)]
                if multiplier is None:
                    yield i, side, sign, *exact.bound(i, side, sign, None)
                    continue
                moved, left, towards = vector, room, _towards(side, sign)
                for k, value in zip(multiplier.rows, multiplier.values):
                    L = int(value.p << b) // int(value.q) if b >= 0 else _floor(value, b)
                    left -= root * L
                    if mask[k] != towards:
                        L = -L
                    moved = [v + L * t for v, t in zip(moved, X[k])]
                if left < 0 or sum(map(mul, moved, moved)) > left * left:
                    yield i, side, sign, *exact.bound(i, side, sign, multiplier)


def _towards(side: int, sign: int) -> int:
    """The entry of a mask at which x_k has the coefficient lam_k in sign G^T lam; at the other it has -lam_k.

    G u >= 0 holds row by row: x_k.u >= 0 where active, -x_k.u >= 0 where not; on the antipodal side the other way round.
    """
    return int((side == 0) == (sign > 0))


class _Exact:
    """Bounds with all digits: X = A / p and nu = N / q, so c = C / (p q)."""

    def __init__(self, problem: ReluProblem, certificate: ReluCertificate, masks: Sequence[bytes]) -> None:
        self.problem, self.certificate, self.masks = problem, certificate, masks

    @cached_property
    def data(self) -> tuple[list[list[fmpz]], int, list[list[fmpz]], int]:
        """A, p, the rows N_k A_k, and q."""
        A, p = _integers(self.problem.X)
        [N], q = _integers([self.certificate.nu])
        return A, p, [[t * v for v in row] for t, row in zip(N, A)], q

    def bound(self, i: int, side: int, sign: int, m: Multiplier | None) -> tuple[fmpz, fmpz]:
        """(S, D) with |sign c + G^T lam|^2 = S / D."""
        A, p, weighted, q = self.data
        mask = self.masks[i]
        rows, values = (m.rows, m.values) if m else ((), ())
        h = lcm(*{int(v.q) for v in values})
        inside = compress(weighted, mask if side == 0 else (not active for active in mask))
        moved = [h * sum(column, fmpz(0)) for column in zip(*inside)] or [fmpz(0)] * len(A[0])
        for k, value in zip(rows, values):
            L = q * value.p * (h // value.q) * (1 if mask[k] == _towards(side, sign) else -1)
            moved = [v + L * t for v, t in zip(moved, A[k])]
        return sum([v * v for v in moved], fmpz(0)), fmpz(h * p * q) ** 2


def _refuse_malformed(multipliers: Sequence[Multiplier], cells: int, n: int) -> None:
    """Raise `InvalidCertificate` unless these are multipliers lam >= 0 of samples, at most one for a signed cone."""
    if len({(m.cell, m.side, m.sign) for m in multipliers}) != len(multipliers):
        raise InvalidCertificate("two multipliers for one signed cone")
    for m in multipliers:
        if not (0 <= m.cell < cells and 0 <= m.side <= 1 and (m.sign == 1 or m.sign == -1)):
            raise InvalidCertificate(f"a multiplier of cell {m.cell} (side {m.side}, sign {m.sign}); there are {cells}")
        if len(m.rows) != len(m.values):
            raise InvalidCertificate("a multiplier with missing rows or values")
    for k in {k for m in multipliers for k in m.rows}:
        if not 0 <= k < n:
            raise InvalidCertificate(f"a multiplier of sample {k}; there are {n}")
    if any(v.p < 0 for m in multipliers for v in m.values):
        raise InvalidCertificate("a negative multiplier")


def _magnitude(values: Sequence[fmpq]) -> int:
    """An e with |v| < 2^e for all values (0 if all are zero)."""
    return max((v.p.bit_length() - v.q.bit_length() + 1 for v in values if v.p != 0), default=0)


def _floor(v: fmpq, bits: int) -> int:
    """The integer part of 2^bits v."""
    p, q = int(v.p), int(v.q)
    return (p << bits) // q if bits >= 0 else p // (q << -bits)


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
