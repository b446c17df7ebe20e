"""Units in which the data of a program are of size 1, with the way back for what is proven.

Vectors, numbers and the objective measured in other units, and rows multiplied, are the same program in other variables: its Gram matrix
is D G D with D diagonal. All factors are powers of two, so nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from flint import fmpq

from solvers.certificates import (
    ConicCertificate,
    ConicProblem,
    DualBound,
    Enclosure,
    Infeasibility,
    PrimalPoint,
    Recession,
)
from solvers.certificates.cones import triangle_index
from solvers.conic import Certified
from solvers.conic.numeric import Floats
from solvers.conic.rounding import to_float

TAME = 12.0
"""Binary logarithm of coefficients (after multiplying rows) up to which vectors and numbers keep their units."""
BETTER = 0.5
"""Share of the largest logarithm to which other units have to bring it."""
FOUR = 2.0
"""Binary logarithm of the largest coefficient from which a row is multiplied."""
Entry = tuple[int, int, float]
"""A nonzero coefficient: row (the objective last), variable (1 last), binary logarithm of its modulus."""


@dataclass(frozen=True)
class Units:
    """Powers of two: x_j = 2^columns[j] x'_j; row i is multiplied by 2^rows[i], the objective by 2^objective."""

    columns: tuple[int, ...]
    rows: tuple[int, ...]
    objective: int = 0


def measured(problem: ConicProblem) -> tuple[ConicProblem, Units]:
    """The program in suitable units.

    Args:
        problem: exact, with linear objective; the last cone holds the Gram matrix itself, the last variables.
    """
    columns, objective = _units(problem)
    rows = tuple(tuple((j, _times(v, columns[j])) for j, v in row) for row in problem.rows)
    factors: list[int] = []
    for cone, block in problem.blocks():
        if block.stop == len(rows):  # rows -G_ij of the Gram matrix stay what they are
            factors += [-columns[row[0][0]] for row in rows[block]]
        elif cone.kind in ("zero", "nonneg"):
            factors += [_factor([row]) for row in rows[block]]
        else:
            factors += [_factor(list(rows[block])) if objective or any(columns) else 0] * cone.rows
    changed = ConicProblem(
        tuple(_times(v, k + objective) for v, k in zip(problem.c, columns)),
        tuple(tuple((j, _times(v, k)) for j, v in row) for row, k in zip(rows, factors)),
        tuple(_times(v, k) for v, k in zip(problem.b, factors)),
        problem.cones,
        None,
        _times(problem.offset, objective),
    )
    return changed, Units(columns, tuple(factors), objective)


def restored(found: Certified, problem: ConicProblem, units: Units) -> Certified:
    """What was proven of the program in these units, of the program given."""
    lower, upper = (None if v is None else _times(v, -units.objective) for v in (found.lower, found.upper))
    return replace(found, lower=lower, upper=upper, problem=problem, certificate=_restored(found.certificate, units))


def _restored(certificate: ConicCertificate | None, units: Units) -> ConicCertificate | None:
    def point(x: tuple[fmpq, ...]) -> tuple[fmpq, ...]:
        return tuple(_times(v, k) for v, k in zip(x, units.columns))

    def multipliers(y: tuple[fmpq, ...], k: int) -> tuple[fmpq, ...]:
        return tuple(_times(v, i + k) for v, i in zip(y, units.rows))

    def primal(p: PrimalPoint) -> PrimalPoint:
        return replace(p, x=point(p.x), bound=_times(p.bound, -units.objective))

    def dual(d: DualBound) -> DualBound:
        return replace(d, y=multipliers(d.y, -units.objective), bound=_times(d.bound, -units.objective))

    match certificate:
        case PrimalPoint():
            return primal(certificate)
        case DualBound():
            return dual(certificate)
        case Enclosure(primal=p, dual=d):
            return Enclosure(primal(p), dual(d))
        case Infeasibility():
            return replace(certificate, y=multipliers(certificate.y, 0))
        case Recession(direction=d, x=x):
            return Recession(point(d), None if x is None else point(x))
    return None


def _times(value: fmpq, k: int) -> fmpq:
    return value if k == 0 or value == 0 else value * fmpq(2) ** k


def _factor(rows: list[tuple[tuple[int, fmpq], ...]]) -> int:
    """k for which 2^k brings the largest coefficient near 1, if it is not near 1 already."""
    size = max((_logarithm(v) for row in rows for _, v in row), default=0.0)
    return -round(size) if abs(size) >= FOUR else 0


def _logarithm(value: fmpq) -> float:
    return float(np.log2(abs(to_float(value))))


def _units(problem: ConicProblem) -> tuple[tuple[int, ...], int]:
    """Logarithms of the units of all variables, and of the objective's factor: 0 unless others make the data much tamer.

    Wanted is log |a_ij| + row_i + column_j = 0 for all coefficients, in the sense of least squares, with the sum of two logarithms for
    the inner product of two vectors, and 0 for the constant 1.
    """
    n, m, order = len(problem.c), len(problem.b), problem.cones[-1].order
    numbers = n - order * (order + 1) // 2
    plain = (0,) * n, 0
    entries = list(_entries(problem))
    if not entries or _wildness(entries, np.zeros(n + 1)) <= TAME:
        return plain
    shares = np.zeros((n + 1, numbers + order))  # of units in the columns
    shares[range(numbers), range(numbers)] = 1
    for j in range(order):
        for i in range(j + 1):
            for vector in (i, j):
                shares[numbers + triangle_index(i, j), numbers + vector] += 1
    row, column, size = (np.array(part) for part in zip(*entries))
    system = np.zeros((len(entries), m + 1 + numbers + order))
    system[np.arange(len(entries)), row] = 1
    system[:, m + 1 :] = shares[column]
    units = np.rint(np.linalg.lstsq(system, -size, rcond=None)[0][m + 1 :])
    columns = shares @ units
    if _wildness(entries, columns) > BETTER * _wildness(entries, np.zeros(n + 1)):
        return plain
    largest = max(s + columns[j] for i, j, s in entries if i == m)
    return tuple(int(k) for k in columns[:n]), -round(largest)


def _entries(problem: ConicProblem) -> Iterator[Entry]:
    n, last = len(problem.c), problem.cones[-1].rows
    rows = [*zip(problem.rows, problem.b)][: len(problem.b) - last]
    for i, (row, right) in enumerate((*rows, (tuple(enumerate(problem.c)), fmpq(0)))):
        number = i if i < len(rows) else len(problem.b)
        yield from ((number, j, _logarithm(v)) for j, v in (*row, (n, right)) if v != 0)


def _wildness(entries: list[Entry], columns: Floats) -> float:
    """The largest distance of two logarithms in a row."""
    least: dict[int, float] = {}
    most: dict[int, float] = {}
    for i, j, size in entries:
        value = size + float(columns[j])
        least[i], most[i] = min(value, least.get(i, value)), max(value, most.get(i, value))
    return max(most[i] - least[i] for i in most)
