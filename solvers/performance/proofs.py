"""Proofs of a bound by multipliers known in closed form: no solver, no rounding.

Multipliers (lambda >= 0 on inequalities, any on equalities) prove metric <= value when metric - sum lambda_i e_i - value
is minus a sum of squares, for the hypotheses e_i <= 0. Everything but the multipliers follows: the matrix whose semidefiniteness is the
sum of squares, and the value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flint import fmpq

from solvers.certificates import DualBound, InvalidCertificate, check, rational
from solvers.certificates.rational import dot
from solvers.performance.model import Program


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
    unknown = [name for name in multipliers if name not in place]
    if unknown:
        known = ", ".join(map(str, program.names[:8]))
        raise ValueError(f"no constraint is named {unknown[0]}; there are {len(place)}: {known} ...")
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
