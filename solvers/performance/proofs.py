"""Proofs of a bound by multipliers known in closed form: no solver, no rounding.

Multipliers (lambda >= 0 on inequalities, any on equalities) prove metric <= value when metric - sum lambda_i e_i - value
is minus a sum of squares, for the hypotheses e_i <= 0. Everything but the multipliers follows: the matrix whose semidefiniteness is the
sum of squares, and the value. `proven` checks rational multipliers of a rational program, `proven_in_field` numbers of a real field
(`solvers.number_fields`); `slack` says what is left to be proved for symbolic ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flint import fmpq

from solvers.certificates import DualBound, InvalidCertificate, check, rational
from solvers.certificates.rational import dot
from solvers.performance.expressions import Scalar, exact, scalar
from solvers.performance.model import Performance
from solvers.performance.program import Program


def certificate(program: Program, multipliers: Mapping[Any, Any]) -> DualBound:
    """The dual certificate with these multipliers (unchecked).

    Args:
        program: of the problem.
        multipliers: {name of a constraint: exact multiplier}; left out: 0. Names are tuples (function, i, j), hypotheses
            ("h0",) or (name,), metrics ("metric", k).

    Raises:
        ValueError: for a name that is no constraint.
    """
    problem = program.problem
    place = {name: i for i, name in enumerate(program.names)}
    _known(multipliers, program.names)
    y = [fmpq(0)] * len(problem.b)
    for name, value in multipliers.items():
        y[place[name]] = rational(value)
    gradient = problem.gradient(None, y)
    triangle = len(program.vectors) * (len(program.vectors) + 1) // 2
    for k in range(triangle):  # rows -G: the slack matrix is what stationarity leaves
        y[len(y) - triangle + k] = gradient[len(problem.c) - triangle + k]
    return DualBound(tuple(y), problem.offset - dot(problem.b, y))


def proven(program: Program, multipliers: Mapping[Any, Any]) -> fmpq:
    """The upper bound of the worst case that the multipliers prove.

    Raises:
        InvalidCertificate: if they prove none (a negative one, unbalanced values, or no sum of squares).
    """
    verified = check(program.problem, certificate(program, multipliers))
    if verified.lower is None:
        raise InvalidCertificate("the multipliers bound nothing")
    return -verified.lower


def slack(pep: Performance, multipliers: Mapping[Any, Any]) -> Scalar:
    """sum lambda_i e_i - metric, so that metric <= -slack for multipliers lambda_i >= 0 (any sign on equalities).

    If the numbers cancel (`values` is empty, or its entries are zero) and the quadratic part is a sum of squares (`Scalar.form`
    is nonnegative), the worst case is at most minus the constant. Coefficients may be symbolic: then these are identities and
    inequalities to be proved.

    Args:
        pep: the problem.
        multipliers: as for `certificate`; of several metrics, the weights ("metric", k) have the sum 1.

    Raises:
        ValueError: for a name that is no constraint, or a problem without a metric.
    """
    if not pep.metrics:
        raise ValueError("nothing to maximise: call maximise(metric, ...)")
    constraints = {c.name: c.expression for c in pep.constraints()}
    if len(pep.metrics) == 1:
        total = -pep.metrics[0]
    else:
        constraints |= {("metric", k): -m for k, m in enumerate(pep.metrics)}
        total = scalar(0)
    _known(multipliers, list(constraints))
    for name, value in multipliers.items():
        total = total + constraints[name] * value
    return total


def proven_in_field(pep: Performance, multipliers: Mapping[Any, Any]) -> Any:
    """The upper bound of the worst case that multipliers in a real field prove: exact arithmetic with exact signs.

    Raises:
        InvalidCertificate: if they prove none; says which condition fails.
        ValueError: as `slack` does.
    """
    equal = {c.name for c in pep.constraints() if c.equality}
    for name, value in multipliers.items():
        if name not in equal and exact(value) < 0:
            raise InvalidCertificate(f"the multiplier {value} of the inequality {name} is negative")
    weights = [value for name, value in multipliers.items() if name[0] == "metric"]
    if len(pep.metrics) > 1 and sum(weights) != 1:
        raise InvalidCertificate(f"the weights of the metrics have the sum {sum(weights)}, not 1")
    left = slack(pep, multipliers)
    if left.values:
        k, value = next(iter(left.values.items()))
        raise InvalidCertificate(f"the unknown numbers do not cancel: number {k} is left with the factor {value}")
    order = 1 + max((j for _, j in left.products), default=-1)
    rows = [[exact(0)] * order for _ in range(order)]
    for (i, j), value in left.products.items():
        rows[i][j] = rows[j][i] = value if i == j else value / 2
    if not _is_psd(rows):
        raise InvalidCertificate("what the multipliers leave is no sum of squares")
    return -left.constant


def attained_in_field(pep: Performance, numbers: Mapping[int, Any], gram: Mapping[tuple[int, int], Any]) -> Any:
    """The metric at a point whose feasibility is decided exactly, so a lower bound of the worst case.

    Args:
        pep: the problem, with rational data or numbers of one real field.
        numbers: unknown numbers; left out: 0.
        gram: inner products of the unknown vectors i <= j; left out: 0.

    Raises:
        InvalidCertificate: if the point is not feasible; says which hypothesis fails.
    """

    def at(e: Scalar) -> Any:
        return (
            sum((v * gram.get(pair, 0) for pair, v in e.products.items()), exact(0))
            + sum((v * numbers.get(k, 0) for k, v in e.values.items()), exact(0))
            + e.constant
        )

    for constraint in pep.constraints():
        value = at(constraint.expression)
        if value > 0 or (constraint.equality and value != 0):
            raise InvalidCertificate(f"the point violates {constraint.name}")
    order = 1 + max((j for _, j in gram), default=-1)
    vectors = [[exact(gram.get((min(i, j), max(i, j)), 0)) for j in range(order)] for i in range(order)]
    required = [[[at(m[min(i, j)][max(i, j)]) for j in range(len(m))] for i in range(len(m))] for m in pep.matrices]
    if not all(_is_psd(rows) for rows in (vectors, *required)):
        raise InvalidCertificate("a matrix at the point is not positive semidefinite")
    return min(at(metric) for metric in pep.metrics)


def _is_psd(rows: list[list[Any]]) -> bool:
    """LDL^T elimination of a symmetric matrix in an ordered field."""
    n = len(rows)
    for k in range(n):
        pivot = rows[k][k]
        if pivot < 0:
            return False
        if pivot == 0:
            if any(rows[k][j] != 0 for j in range(k + 1, n)):
                return False
            continue
        for i in range(k + 1, n):
            factor = rows[k][i] / pivot
            for j in range(i, n):
                rows[i][j] = rows[j][i] = rows[i][j] - factor * rows[k][j]
    return True


def _known(multipliers: Mapping[Any, Any], names: Sequence[Any]) -> None:
    unknown = [name for name in multipliers if name not in set(names)]
    if unknown:
        known = ", ".join(map(str, names[:8]))
        raise ValueError(f"no constraint is named {unknown[0]}; there are {len(names)}: {known} ...")
