"""Floating-point side of the standard form: conversion, margins, and the pinned solver, Clarabel.

Everything returned here is a hint.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solvers.certificates.cones import Cone
from solvers.certificates.problem import ConicProblem, Row
from solvers.conic.rounding import to_float

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class FloatProblem:
    """The data of a `ConicProblem` in doubles."""

    exact: ConicProblem

    @cached_property
    def c(self) -> Floats:
        """Objective."""
        return np.array([to_float(value) for value in self.exact.c])

    @cached_property
    def b(self) -> Floats:
        """Right-hand side."""
        return np.array([to_float(value) for value in self.exact.b])

    @cached_property
    def A(self) -> Any:
        """A as a sparse matrix (CSR)."""
        return _sparse(self.exact.rows, len(self.exact.c))

    @cached_property
    def P(self) -> Any:
        """P as a sparse matrix (CSR)."""
        n = len(self.exact.c)
        return _sparse(self.exact.P or ((),) * n, n)

    @cached_property
    def is_equality(self) -> NDArray[np.bool_]:
        """Which rows belong to zero cones."""
        return np.concatenate(
            [np.full(cone.rows, cone.kind == "zero") for cone in self.exact.cones] or [np.zeros(0, bool)]
        )

    @cached_property
    def identity(self) -> Floats:
        """An interior direction e of the cone: 1, (1, 0), the unit matrix, (-1, 1, 2); 0 on zero rows."""
        return np.concatenate([_identity(cone) for cone in self.exact.cones] or [np.zeros(0)])

    def slack(self, x: Floats) -> Floats:
        """b - A x."""
        image: Floats = np.asarray(self.A @ x)
        return self.b - image


def _sparse(rows: tuple[Row, ...], columns: int) -> Any:
    from scipy.sparse import csr_array

    values = np.array([to_float(value) for row in rows for _, value in row])
    indices = np.array([column for row in rows for column, _ in row], dtype=np.int32)
    starts = np.cumsum([0, *(len(row) for row in rows)])
    return csr_array((values, indices, starts), shape=(len(rows), columns))


def _identity(cone: Cone) -> Floats:
    e = np.zeros(cone.rows)
    match cone.kind:
        case "nonneg":
            e[:] = 1
        case "soc":
            e[0] = 1
        case "psd":
            e[[j * (j + 3) // 2 for j in range(cone.order)]] = 1
        case "exponential":
            e[:] = (-1, 1, 2)
    return e


def triangle_matrix(s: Floats, order: int) -> Floats:
    """The symmetric matrix of a triangle."""
    matrix = np.zeros((order, order))
    rows, columns = _triangle(order)
    matrix[rows, columns] = s
    matrix[columns, rows] = s
    return matrix


@cache
def _triangle(order: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Row and column of each entry of the column-by-column upper triangle."""
    columns, rows = np.tril_indices(order)
    return rows, columns


@np.errstate(over="ignore", invalid="ignore")
def cone_margin(cone: Cone, s: Floats) -> float:
    """How far inside (positive) or outside (negative) the cone a float vector is; infinite for zero cones."""
    match cone.kind:
        case "nonneg":
            return float(s.min())
        case "soc":
            return float(s[0] - np.linalg.norm(s[1:]))
        case "psd":
            return float(np.linalg.eigvalsh(triangle_matrix(s, cone.order))[0])
        case "exponential":
            x, y, z = s
            if y <= 0:
                return float(y)
            return float(min(y, z, z - y * np.exp(x / y)))
    return np.inf


def margin(problem: ConicProblem, s: Floats) -> float:
    """The least `cone_margin` over the cones."""
    return min((cone_margin(cone, s[block]) for cone, block in problem.blocks()), default=np.inf)


@dataclass(frozen=True)
class Numerical:
    """What Clarabel ended with.

    Attributes:
        status: `Solved`, `AlmostSolved`, `PrimalInfeasible`, `DualInfeasible`, ... as Clarabel spells it.
        x: variables, or a recession direction.
        y: multipliers for the unscaled triangle, or a Farkas multiplier.
    """

    status: str
    x: Floats
    y: Floats


def solve(floats: FloatProblem, max_iterations: int = 200) -> Numerical:
    """Run Clarabel at a tolerance of 1e-10 on one thread; no exception for a numerical failure."""
    import clarabel  # type: ignore[import-untyped]
    from scipy.sparse import csc_matrix, triu

    problem = floats.exact
    scale = clarabel_scale(problem.cones)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_iter = max_iterations
    settings.max_threads = 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    settings.chordal_decomposition_enable = False
    settings.presolve_enable = False
    solver = clarabel.DefaultSolver(
        csc_matrix(triu(floats.P)),
        floats.c,
        csc_matrix(floats.A * scale[:, None]),
        floats.b * scale,
        [_clarabel_cone(cone) for cone in problem.cones],
        settings,
    )
    solution = solver.solve()
    return Numerical(str(solution.status), np.array(solution.x), np.array(solution.z) * scale)


def clarabel_scale(cones: tuple[Cone, ...]) -> Floats:
    """The factor of each row in Clarabel's form: sqrt 2 off the diagonal of PSD triangles, else 1."""
    parts = []
    for cone in cones:
        scale = np.ones(cone.rows)
        if cone.kind == "psd":
            rows, columns = _triangle(cone.order)
            scale[rows != columns] = np.sqrt(2)
        parts.append(scale)
    return np.concatenate(parts or [np.zeros(0)])


def _clarabel_cone(cone: Cone) -> Any:
    import clarabel  # type: ignore[import-untyped]

    match cone.kind:
        case "zero":
            return clarabel.ZeroConeT(cone.order)
        case "nonneg":
            return clarabel.NonnegativeConeT(cone.order)
        case "soc":
            return clarabel.SecondOrderConeT(cone.order)
        case "psd":
            return clarabel.PSDTriangleConeT(cone.order)
    return clarabel.ExponentialConeT()
