"""Regularized two-layer ReLU training: certificates of the global optimum, and their exact checker.

    minimise over all networks  1/2 |sum_j a_j (X w_j)_+ - y|^2 + beta/2 sum_j (|w_j|^2 + a_j^2)

Lower bound: for every nu with |nu.(Xu)_+| <= beta on the unit ball, nu.y - |nu|^2/2 is at most the value of
every network of any width (Pilanci and Ergen 2020; weak duality needs nothing but |a| |w| <= (a^2 + |w|^2)/2).
The constraint is checked cell by cell: on the closed cone K of a cell with active samples D,
nu.(Xu)_+ = c.u with c = X^T D nu, and c.u <= |c + G^T lam| |u| for every lam >= 0, where G u >= 0 on K. Every u
lies in some closed cell; that the listed cells are all is certain because they are distinct and their number is
the number of cells, counted by deletion and restriction.

Upper bound: the value of one network with rational weights.

Cells come in antipodal pairs, and one witness is listed per pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import gcd, lcm

from flint import fmpq, fmpz, fmpz_mat

from solvers.certificates.bounds import InvalidCertificate, Verified

Normal = tuple[int, ...]


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


def check_cells(X: Sequence[Sequence[fmpq]], cells: Sequence[Sequence[fmpq]]) -> list[list[bool]]:
    """The active samples at each witness, once the witnesses are seen to represent all pairs of cells.

    Raises:
        InvalidCertificate: for a witness on a hyperplane, two witnesses of one pair, or a number of cells that
            is not the number of cells.
    """
    d = len(X[0])
    if any(len(z) != d or any(v.q != 1 for v in z) for z in cells):
        raise InvalidCertificate(f"a witness of a cell is not an integer vector of length {d}")
    nonzero = [k for k, row in enumerate(X) if any(v != 0 for v in row)]
    if not nonzero:
        if cells:
            raise InvalidCertificate("all samples are zero: there is one cell, and none is to be listed")
        return []
    H = fmpz_mat([[fmpz(v) for v in integer_row(X[k])] for k in nonzero])
    Z = fmpz_mat([[v.p for v in z] for z in cells]) if cells else fmpz_mat(0, d)
    products = (Z * H.transpose()).tolist() if cells else []
    masks: list[list[bool]] = []
    seen: set[tuple[bool, ...]] = set()
    for i, line in enumerate(products):
        if 0 in line:
            raise InvalidCertificate(f"the witness of cell {i} lies on a hyperplane of a sample")
        signs = [v > 0 for v in line]
        key = tuple(signs) if signs[0] else tuple(not v for v in signs)
        if key in seen:
            raise InvalidCertificate(f"cell {i} was listed before, as itself or as its antipode")
        seen.add(key)
        mask = [False] * len(X)
        for k, active in zip(nonzero, signs):
            mask[k] = active
        masks.append(mask)
    expected = count_cells(X)
    if 2 * len(masks) != expected:
        raise InvalidCertificate(f"{2 * len(masks)} cells are listed, and the arrangement has {expected}")
    return masks


def check_dual(problem: ReluProblem, certificate: ReluCertificate, masks: Sequence[Sequence[bool]]) -> None:
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
    problem: ReluProblem, certificate: ReluCertificate, masks: Sequence[Sequence[bool]], skip: fmpq
) -> Iterator[tuple[int, int, int, fmpz, fmpz]]:
    """Exact bounds |sign c + G^T lam|^2 = S / D of all signed cones with |c| > skip, as (cell, side, sign, S, D).

    Where no multiplier is given lam = 0.
    """
    if not masks:
        return
    X, nu = problem.X, certificate.nu
    n, d = len(X), len(X[0])
    # integers: X = A / p, nu = N / q, so c = C / (p q)
    p = lcm(*(int(v.q) for row in X for v in row))
    q = lcm(*(int(v.q) for v in nu))
    A = [[fmpz(v.p) * (p // int(v.q)) for v in row] for row in X]
    N = [fmpz(v.p) * (q // int(v.q)) for v in nu]
    weighted = fmpz_mat([[t * v for v in row] for t, row in zip(N, A)])
    total = [sum((weighted[k, j] for k in range(n)), fmpz(0)) for j in range(d)]
    C = (fmpz_mat([[int(v) for v in mask] for mask in masks]) * weighted).tolist()
    unit = fmpz(p * q) ** 2
    least = (skip * p * q) ** 2
    given = {(m.cell, m.side, m.sign): m for m in certificate.multipliers}
    if len(given) != len(certificate.multipliers):
        raise InvalidCertificate("two multipliers for one signed cone")
    lifted = [[q * v for v in row] for row in A]
    for i, c in enumerate(C):
        for side, vector in ((0, c), (1, [t - v for t, v in zip(total, c)])):
            size = sum([v * v for v in vector], fmpz(0))
            if least.q * size <= least.p:
                continue
            for sign in (1, -1):
                m = given.get((i, side, sign))
                if m is None:
                    yield i, side, sign, size, unit
                else:
                    square, h = _square(m, vector, lifted, masks[i])
                    yield i, side, sign, square, unit * h * h


def _square(
    m: Multiplier, vector: Sequence[fmpz], lifted: Sequence[Sequence[fmpz]], mask: Sequence[bool]
) -> tuple[fmpz, fmpz]:
    """(S, h) with |sign c + G^T lam|^2 = S / (h p q)^2; raises `InvalidCertificate` unless lam >= 0 on samples."""
    n = len(mask)
    if len(m.rows) != len(m.values) or len(set(m.rows)) != len(m.rows):
        raise InvalidCertificate("a multiplier with repeated or missing rows")
    h = fmpz(1)
    for value in m.values:
        if value < 0:
            raise InvalidCertificate("a negative multiplier")
        if h % value.q != 0:
            h = h.lcm(value.q)
    moved = [h * v for v in vector]
    for k, value in zip(m.rows, m.values):
        if not 0 <= k < n:
            raise InvalidCertificate(f"a multiplier of sample {k}; there are {n}")
        # G u >= 0 holds row by row: x_k.u >= 0 where active, -x_k.u >= 0 where not
        inside = mask[k] != bool(m.side)
        weight = value.p * (h // value.q)
        if inside != (m.sign > 0):
            weight = -weight
        moved = [v + weight * a for v, a in zip(moved, lifted[k])]
    return sum([v * v for v in moved], fmpz(0)), h


def network_value(problem: ReluProblem, network: Iterable[Neuron]) -> fmpq:
    """The exact objective of a network."""
    d = len(problem.X[0])
    fit = [fmpq(0)] * len(problem.X)
    penalty = fmpq(0)
    for neuron in network:
        if len(neuron.w) != d:
            raise InvalidCertificate(f"a neuron with {len(neuron.w)} input weights; expected {d}")
        penalty += sum((v * v for v in neuron.w), neuron.a * neuron.a)
        for k, row in enumerate(problem.X):
            z = sum((v * w for v, w in zip(row, neuron.w)), fmpq(0))
            if z > 0:
                fit[k] += neuron.a * z
    loss = sum(((f - t) ** 2 for f, t in zip(fit, problem.y)), fmpq(0))
    return loss / 2 + problem.beta * penalty / 2


def integer_row(row: Sequence[fmpq]) -> Normal:
    """The primitive integer vector on the ray of a row."""
    common = lcm(*(int(v.q) for v in row))
    whole = [int(v.p) * (common // int(v.q)) for v in row]
    divisor = gcd(*whole)
    return tuple(v // divisor for v in whole) if divisor else tuple(whole)


def normals(X: Sequence[Sequence[fmpq]]) -> list[Normal]:
    """The distinct hyperplanes of the nonzero rows: primitive normals, first nonzero entry positive."""
    return list(dict.fromkeys(_oriented(integer_row(row)) for row in X if any(v != 0 for v in row)))


def count_cells(X: Sequence[Sequence[fmpq]]) -> int:
    """The number of cells of the arrangement of the rows' hyperplanes (Zaslavsky: deletion and restriction)."""
    return _count(normals(X), len(X[0]))


def _count(H: Sequence[Normal], d: int) -> int:
    if not H:
        return 1
    if d == 1:
        return 2
    if d == 2:
        return 2 * len(H)
    # r(h_1..h_k) = r(h_1..h_{k-1}) + r(h_1..h_{k-1} restricted to the hyperplane h_k = 0)
    return 1 + sum(_count(restrict(H[:k], h), d - 1) for k, h in enumerate(H))


def restrict(H: Sequence[Normal], h: Normal) -> list[Normal]:
    """The distinct traces of hyperplanes on h = 0, in the coordinates other than the first with h_p != 0."""
    p = next(i for i, v in enumerate(h) if v)
    lead = h[p]
    rest = h[:p] + h[p + 1 :]
    traces: dict[Normal, None] = {}
    for g in H:
        t = g[p]
        traces[_oriented(tuple(lead * v - t * w for v, w in zip(g[:p] + g[p + 1 :], rest)))] = None
    return list(traces)


def _oriented(v: Normal) -> Normal:
    divisor = gcd(*v)
    if next((x for x in v if x), 1) < 0:
        divisor = -divisor
    return v if divisor == 1 else tuple(x // divisor for x in v)
