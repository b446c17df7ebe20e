"""The semidefinite program of a performance estimation problem, in as few variables as carry it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flint import fmpq, fmpq_mat

from solvers.certificates import ConicProblem, nonneg, psd, zero
from solvers.certificates.cones import triangle_index
from solvers.certificates.problem import Row
from solvers.exact_linalg import pivots
from solvers.performance.expressions import Scalar

if TYPE_CHECKING:
    from solvers.performance.model import Performance


@dataclass(frozen=True)
class Program:
    """The conic program of a performance estimation problem: minimise minus the metric.

    Variables: the numbers kept, t if there are several metrics, then the triangle of the Gram matrix of the vectors kept.
    Rows: equalities, inequalities, the metrics (t - metric <= 0), the required matrices, the Gram matrix.

    Attributes:
        problem: exact data.
        names: name of each constraint row, in order (metrics: ("metric", k)).
        vectors: unknown vectors whose Gram matrix is a variable; all others are combinations of them as far as the problem
            can see.
        numbers: unknown numbers that are variables; the others are 0 (adding a constant changes nothing).
    """

    problem: ConicProblem
    names: tuple[tuple[Any, ...], ...]
    vectors: tuple[int, ...]
    numbers: tuple[int, ...]


def assembled(pep: Performance) -> Program:
    """The program of a problem, on the quotient by the common null space of its forms.

    Raises:
        TypeError: for coefficients that are no rational numbers.
        ValueError: if nothing is unknown, or an unknown belongs to another problem.
    """
    constraints = pep.constraints()
    kept = [c for c in constraints if c.expression.products or c.expression.values or c.expression.constant != 0]
    entries = [[m[i][j] for j in range(len(m)) for i in range(j + 1)] for m in pep.matrices]
    expressions = [*(c.expression for c in kept), *pep.metrics, *(e for triangle in entries for e in triangle)]
    _rational_only(expressions)
    vectors, numbers = _vectors(expressions, pep.vectors), _numbers(expressions, pep.numbers)
    at = {j: k for k, j in enumerate(vectors)}
    column = {j: k for k, j in enumerate(numbers)}
    several = len(pep.metrics) > 1
    shift = len(numbers) + several
    triangle = len(vectors) * (len(vectors) + 1) // 2
    if not vectors and not numbers:
        raise ValueError("neither the metric nor a hypothesis contains an unknown; there is nothing to maximise over")

    def row(e: Scalar, extra: Row = ()) -> Row:
        entries = {column[k]: v for k, v in e.values.items() if k in column}
        entries |= {shift + triangle_index(at[i], at[j]): v for (i, j), v in e.products.items() if i in at and j in at}
        return tuple(sorted([*entries.items(), *extra]))

    equal = [c for c in kept if c.equality]
    ordered = [c for c in kept if not c.equality]
    rows = [row(c.expression) for c in (*equal, *ordered)]
    right = [-c.expression.constant for c in (*equal, *ordered)]
    names = [c.name for c in (*equal, *ordered)]
    objective = [fmpq(0)] * (shift + triangle)
    offset = fmpq(0)
    if several:
        objective[len(numbers)] = fmpq(-1)
        for k, m in enumerate(pep.metrics):
            rows.append(row(-m, ((len(numbers), fmpq(1)),)))
            right.append(m.constant)
            names.append(("metric", k))
    else:
        for j, value in row(pep.metrics[0]):
            objective[j] = -value
        offset = -pep.metrics[0].constant
    count = len(rows) - len(equal)
    cones = [zero(len(equal))] if equal else []
    cones += [nonneg(count)] if count else []
    for matrix, triangle_entries in zip(pep.matrices, entries):
        rows += [row(-e) for e in triangle_entries]
        right += [e.constant for e in triangle_entries]
        cones.append(psd(len(matrix)))
    if vectors:
        rows += [((shift + k, fmpq(-1)),) for k in range(triangle)]
        right += [fmpq(0)] * triangle
        cones.append(psd(len(vectors)))
    problem = ConicProblem(tuple(objective), tuple(rows), tuple(right), tuple(cones), None, offset)
    return Program(problem, tuple(names), vectors, numbers)


def _rational_only(expressions: list[Scalar]) -> None:
    for e in expressions:
        for value in e.coefficients():
            if not isinstance(value, fmpq):
                raise TypeError(
                    f"the coefficient {value} is a {type(value).__name__} where a program needs a rational such as Q(1, 3); "
                    "with multipliers in closed form, proven_by(multipliers) proves a bound (numbers of a real field), or slack(...) states it (symbols)"
                )


def _vectors(expressions: list[Scalar], n: int) -> tuple[int, ...]:
    """Vectors whose span modulo the common null space of all quadratic forms is everything.

    sum A_k^2 has exactly the common null space of the symmetric matrices A_k. With R the reduced echelon form and P its
    pivot columns, A_k = R^T A_k[P, P] R: the principal submatrices at P carry the whole problem.
    """
    total = fmpq_mat(n, n)
    for e in expressions:
        if e.products:
            if max(j for _, j in e.products) >= n:
                raise ValueError(
                    f"an expression contains an unknown vector that is none of the {n} of this problem; it belongs to another one"
                )
            A = fmpq_mat(n, n)
            for (i, j), value in e.products.items():
                A[i, j] = A[j, i] = value if i == j else value / 2
            total = total + A * A
    return pivots(total) if n else ()


def _numbers(expressions: list[Scalar], n: int) -> tuple[int, ...]:
    """Numbers that the others follow from, up to directions along which nothing changes."""
    rows = [e.values for e in expressions if e.values]
    if not rows:
        return ()
    return pivots(fmpq_mat(len(rows), n, [values.get(k, fmpq(0)) for values in rows for k in range(n)]))
