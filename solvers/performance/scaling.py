"""Programs near a program: the right-hand side multiplied, the cone shrunk."""

from __future__ import annotations

import numpy as np
from flint import fmpq

from solvers.certificates import ConicProblem
from solvers.conic.numeric import FloatProblem
from solvers.conic.rounding import dyadic


def scale(optimum: float) -> fmpq:
    """The power of two that brings the optimum near 1, or 1 where that is needless or hopeless."""
    size = abs(optimum)
    if not np.isfinite(size) or size < 1e-9 or size > 1e9 or 0.25 < size < 4:
        return fmpq(1)
    return dyadic(2.0 ** -round(float(np.log2(size))), 40)


def scaled(problem: ConicProblem, scale: fmpq) -> ConicProblem:
    """The program with its right-hand side multiplied: points and optimum are multiplied too, multipliers are not."""
    b = tuple(value * scale for value in problem.b)
    return ConicProblem(problem.c, problem.rows, b, problem.cones, None, problem.offset * scale)


def shifted(problem: ConicProblem, floats: FloatProblem, delta: float) -> ConicProblem:
    """min (c + delta A^T e) x subject to b - delta e - A x in K."""
    share = dyadic(delta, 60)
    e = [share * int(v) for v in floats.identity]
    c = list(problem.c)
    for row, unit in zip(problem.rows, e):
        if unit != 0:
            for j, value in row:
                c[j] += unit * value
    b = tuple(value - unit for value, unit in zip(problem.b, e))
    return ConicProblem(tuple(c), problem.rows, b, problem.cones, None, problem.offset)
