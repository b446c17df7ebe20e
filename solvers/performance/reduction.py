r"""Directions that a problem cannot see, removed exactly before it is solved.

Two kinds occur. A vector n with A n = 0 for every quadratic form A (translations) leaves the principal submatrices on the other vectors;
data that were doubles satisfy this up to rounding, and are completed to satisfy it exactly. A vector d with d^T A d = 0 for every A but
A d != 0 (gradients g_i + p of one function and h_i - p of another) makes the Gram matrix unbounded along d d^T: then no multipliers have
an interior. With p_i = q_i + d_i q_d the inner products <q_i, q_d> are free numbers, and <q_d, q_d> does not occur: the program in the
Gram matrix of the q_i and these numbers has the same optimum (any numbers are approached with large q_d), and multipliers of it are
multipliers of the original.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from solvers.conic import numeric
from solvers.conic.numeric import FloatProblem, triangle_matrix
from solvers.conic.rounding import small_rational, to_float
from solvers.performance.expressions import Pair, Scalar
from solvers.performance.model import Constraint, Performance

NULL = 1e-12
"""Relative size of a pivot below which a form, given in doubles, does not see a vector."""
MAX_DIRECTIONS = 6


def aligned(pep: Performance) -> Performance:
    """The problem without the vectors that its forms, up to rounding, do not see."""
    forms = [_matrix(e, pep.vectors) for e in _expressions(pep) if e.products]
    total = np.sum([A @ A / max(1e-300, float(np.sum(A * A))) for A in forms], axis=0) if forms else np.zeros((0, 0))
    kept, rest = [], total.copy()
    for j in range(len(total)):  # elimination from the left: a vector is kept if it is independent of those kept before
        if rest[j, j] > NULL**1.5 * max(1.0, float(total[j, j])):
            kept.append(j)
            rest = rest - np.outer(rest[:, j], rest[j]) / rest[j, j]

    def without(e: Scalar) -> Scalar:
        return Scalar({p: v for p, v in e.products.items() if p[0] in kept and p[1] in kept}, e.values, e.constant)

    return _mapped(pep, without)


def faced(pep: Performance, *, rounding: float = 0.0) -> Performance:
    """The problem on the smallest face found: free numbers in place of unbounded directions of the Gram matrix.

    Args:
        pep: the problem.
        rounding: for data that were doubles, the relative size up to which a form is meant to vanish along a direction
            (the data are completed so that it does).
    """
    for _ in range(MAX_DIRECTIONS):
        d = _unbounded_direction(pep, rounding)
        if d is None:
            return pep
        pep = _along(pep, d)
    return pep


def _expressions(pep: Performance) -> list[Scalar]:
    entries = [e for matrix in pep.matrices for row in matrix for e in row]
    return [*(c.expression for c in pep.constraints()), *pep.metrics, *entries]


def _mapped(pep: Performance, change: Callable[[Scalar], Scalar]) -> Performance:
    """The problem with every expression changed; classes are spelled out as constraints."""
    new = Performance()
    new.vectors, new.numbers = pep.vectors, pep.numbers
    new.required = [Constraint(c.name, change(c.expression), c.equality) for c in pep.constraints()]
    new.matrices = [[[change(e) for e in row] for row in matrix] for matrix in pep.matrices]
    new.metrics = tuple(change(m) for m in pep.metrics)
    return new


def _matrix(e: Scalar, n: int) -> NDArray[np.float64]:
    A = np.zeros((n, n))
    for (i, j), value in e.products.items():
        A[i, j] = A[j, i] = to_float(value) / (1 if i == j else 2)
    return A


def _unbounded_direction(pep: Performance, rounding: float) -> dict[int, fmpq] | None:
    """A rational d with d^T A d = 0 for every form, not seen as such by all, near the range of a numerical recession."""
    homogeneous = _mapped(pep, lambda e: Scalar(e.products, e.values))
    vectors = pep.program().vectors
    if not vectors:
        return None
    size = Scalar({(i, i): fmpq(1) for i in vectors})
    floor = sum(homogeneous.metrics, Scalar()) if len(pep.metrics) == 1 else None
    if floor is not None:
        homogeneous.require(-floor, name="objective")
    homogeneous.require(size, 1, name="size")
    homogeneous.maximise(size)
    program = homogeneous.program()
    problem = program.problem
    found = numeric.solve(FloatProblem(problem))
    if not np.all(np.isfinite(found.x)) or float(-FloatProblem(problem).c @ found.x) < 0.5:
        return None
    order = len(program.vectors)
    G = triangle_matrix(found.x[len(found.x) - order * (order + 1) // 2 :], order)
    values, columns = np.linalg.eigh(G)
    span = columns[:, values > 1e-4 * values[-1]]
    for d in _simple_vectors(span):
        direction = {program.vectors[k]: v for k, v in enumerate(d) if v != 0}
        if all(_vanishes(e, direction, rounding) for e in _expressions(pep)):
            return direction
    return None


def _simple_vectors(span: NDArray[np.float64]) -> list[list[fmpq]]:
    """Rational vectors near an echelon basis of a subspace, and their sum."""
    from scipy.linalg import qr

    _, _, order = qr(span.T, mode="economic", pivoting=True)
    pivots = order[: span.shape[1]]
    try:
        basis = np.linalg.solve(span[pivots].T, span.T)
    except np.linalg.LinAlgError:
        return []
    found = []
    for row in basis:
        d = [small_rational(float(v), 1e-4, 50) for v in row]
        if all(v is not None for v in d):
            found.append([v for v in d if v is not None])
    return found


def _form(e: Scalar, d: dict[int, fmpq]) -> fmpq:
    zero = fmpq(0)
    return sum((v * d.get(i, zero) * d.get(j, zero) for (i, j), v in e.products.items()), zero)


def _vanishes(e: Scalar, d: dict[int, fmpq], rounding: float) -> bool:
    value = _form(e, d)
    if value == 0 or rounding == 0:
        return bool(value == 0)
    size = max(abs(to_float(v)) for v in e.products.values())
    return abs(to_float(value)) <= rounding * size


def _along(pep: Performance, d: dict[int, fmpq]) -> Performance:
    """p_i = q_i + d_i q_d, q_k = 0 for one k with d_k != 0, and <q_i, q_d> a new number."""
    k = max(d)
    first = pep.numbers

    def change(e: Scalar) -> Scalar:
        products: dict[Pair, fmpq] = {}
        values = dict(e.values)
        for (i, j), v in e.products.items():
            if i != k and j != k:
                products[i, j] = products.get((i, j), fmpq(0)) + v
            for a, b in ((i, j), (j, i)):  # d_b <q_a, q_d>
                if a != k and b in d:
                    values[first + a] = values.get(first + a, fmpq(0)) + v * d[b]
        return Scalar(products, {i: v for i, v in values.items() if v != 0}, e.constant)

    new = _mapped(pep, change)
    new.numbers = first + pep.vectors
    return new
