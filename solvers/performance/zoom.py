"""A solution refined by solving again, seen from an interior point near it.

Seen from an interior point the cone looks like its unit: inequalities are divided by their slack there, matrices by the factors of their
Cholesky decompositions. What the solver gets wrong by 1e-9 is then wrong by 1e-9 of a slack, which is small itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers.certificates import ConicProblem
from solvers.conic.numeric import FloatProblem, Floats, solve, triangle_matrix
from solvers.conic.rounding import bits_for, dyadic_point

Indices = NDArray[np.signedinteger[Any]]

AFFORDABLE = 400_000
"""Entries up to which the dense problem is solved."""


def zoomed(floats: FloatProblem, inside: Floats) -> tuple[Floats, Floats] | None:
    """Variables and multipliers, in doubles, more exact than the solver's first ones; `None` where it cannot be done.

    Args:
        floats: a program without equations.
        inside: variables with slack in the interior, whose loss against the optimum is small.
    """
    problem = floats.exact
    m, n = problem.shape
    if m * n > AFFORDABLE or np.any(floats.is_equality) or not np.all(np.isfinite(inside)):
        return None
    try:
        A, factors = _seen_from(floats, inside)
        Q, R = np.linalg.qr(A)
        c = np.linalg.solve(R.T, floats.c)
        size = float(np.max(np.abs(c)))
        found = solve(FloatProblem(_dense(Q, floats.identity, c / size, problem)))
        x = inside + np.linalg.solve(R, found.x)
    except (np.linalg.LinAlgError, ZeroDivisionError):
        return None
    y = _seen_again(floats, found.y * size, factors)
    return (x, y) if np.all(np.isfinite(x)) and np.all(np.isfinite(y)) else None


def _seen_from(floats: FloatProblem, inside: Floats) -> tuple[Floats, list[Floats]]:
    """A with each cone scaled so that the slack at the point is its unit, and the factors: slacks, inverse Cholesky factors."""
    A, slack = np.array(floats.A.toarray()), floats.slack(inside)
    factors: list[Floats] = []
    for cone, block in floats.exact.blocks():
        if cone.kind == "psd":
            inverse = np.linalg.inv(np.linalg.cholesky(triangle_matrix(slack[block], cone.order)))
            rows, columns = _triangle(cone.order)
            for j in np.flatnonzero(np.any(A[block] != 0, axis=0)):
                A[block, j] = (inverse @ triangle_matrix(A[block, j], cone.order) @ inverse.T)[rows, columns]
            factors.append(inverse)
        else:
            if float(slack[block].min()) <= 0:
                raise np.linalg.LinAlgError("not an interior point")
            A[block] /= slack[block][:, None]
            factors.append(slack[block])
    return A, factors


def _seen_again(floats: FloatProblem, y: Floats, factors: list[Floats]) -> Floats:
    """Multipliers for the cones as they are."""
    y = y.copy()
    for (cone, block), factor in zip(floats.exact.blocks(), factors):
        if cone.kind == "psd":
            rows, columns = _triangle(cone.order)
            half = np.where(rows == columns, 1.0, 0.5)
            Y = factor.T @ triangle_matrix(y[block] * half, cone.order) @ factor
            y[block] = Y[rows, columns] / half
        else:
            y[block] /= factor
    return y


def _triangle(order: int) -> tuple[Indices, Indices]:
    columns, rows = np.tril_indices(order)
    return rows, columns


def _dense(A: Floats, b: Floats, c: Floats, problem: ConicProblem) -> ConicProblem:
    """The program of doubles, as a hint for the solver."""
    bits = bits_for(A, 60)
    entries = (dyadic_point(row, bits) for row in np.where(np.abs(A) > 1e-17, A, 0.0))
    rows = tuple(tuple((j, v) for j, v in enumerate(row) if v != 0) for row in entries)
    return ConicProblem(dyadic_point(c, 60), rows, dyadic_point(b, 60), problem.cones)
