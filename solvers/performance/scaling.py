"""Rescalings of a program that doubles like better, with the way back for points and multipliers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from flint import fmpq

from solvers.certificates import ConicCertificate, ConicProblem, DualBound, Enclosure, Infeasibility
from solvers.conic.numeric import FloatProblem
from solvers.conic.rounding import dyadic, to_float

Point = tuple[fmpq, ...]


def balanced(problem: ConicProblem) -> tuple[ConicProblem, list[fmpq]]:
    """Equalities and inequalities multiplied by powers of two so that their largest coefficients are near 1."""
    rows, b, factors = list(problem.rows), list(problem.b), [fmpq(1)] * len(problem.b)
    for cone, block in problem.blocks():
        if cone.kind not in ("zero", "nonneg"):
            continue
        for i in range(block.start, block.stop):
            size = max((abs(to_float(value)) for _, value in rows[i]), default=1.0)
            if not 0.25 < size < 4 and np.isfinite(size) and size > 0:
                factors[i] = fmpq(2) ** -round(float(np.log2(size)))
                rows[i] = tuple((j, value * factors[i]) for j, value in rows[i])
                b[i] = b[i] * factors[i]
    return ConicProblem(problem.c, tuple(rows), tuple(b), problem.cones, None, problem.offset), factors


def translated(certificate: ConicCertificate | None, factors: list[fmpq]) -> ConicCertificate | None:
    """The certificate for the program whose rows were multiplied."""

    def original(y: Point) -> Point:
        return tuple(v * f for v, f in zip(y, factors))

    match certificate:
        case DualBound():
            return replace(certificate, y=original(certificate.y))
        case Enclosure(primal=primal, dual=dual):
            return Enclosure(primal, replace(dual, y=original(dual.y)))
        case Infeasibility():
            return replace(certificate, y=original(certificate.y))
    return certificate


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
