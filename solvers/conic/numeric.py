"""Floating-point side of the standard form: conversion, margins, and the pinned solver, Clarabel.

Everything returned here is a hint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from solvers.certificates.cones import Cone
from solvers.certificates.problem import ConicProblem, Row
from solvers.conic.dual import dual_problem

Floats: TypeAlias = NDArray[np.float64]
Entries: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32], Floats]


SMALL = 20_000
"""Entries up to which dense linear algebra is faster than sparse."""


@dataclass(frozen=True)
class FloatProblem:
    """The data of a `ConicProblem` in doubles.

    Attributes:
        exact: the program.
        known: A, where it is at hand.
    """

    exact: ConicProblem
    known: Floats | None = None

    @cached_property
    def c(self) -> Floats:
        """Objective."""
        return np.array([float(value) for value in self.exact.c])

    @cached_property
    def b(self) -> Floats:
        """Right-hand side."""
        return np.array([float(value) for value in self.exact.b])

    @cached_property
    def entries(self) -> Entries:
        """Rows, columns and values of the entries of A, row by row."""
        return _entries(self.exact.rows)

    @cached_property
    def A(self) -> Any:
        """A as a sparse matrix (CSR)."""
        return _sparse(self.entries, self.exact.shape)

    @cached_property
    def dense(self) -> Floats | None:
        """A as an array, or `None` if it has too many entries."""
        m, n = self.exact.shape
        if self.known is not None or m * n > SMALL:
            return self.known
        rows, columns, values = self.entries
        array = np.zeros((m, n))
        array[rows, columns] = values
        return array

    @cached_property
    def dual(self) -> FloatProblem:
        """The dual program (`solvers.conic.dual`)."""
        exact, A = dual_problem(self.exact), self.dense
        n, (rows, columns) = len(self.exact.c), exact.shape
        if A is None or self.exact.P is not None or rows * columns > SMALL:
            return FloatProblem(exact)
        known = np.zeros((rows, columns))
        known[:n] = A.T
        i, j, values = _entries(exact.rows[n:])
        known[n + i, j] = values
        return FloatProblem(exact, known)

    @cached_property
    def is_equality(self) -> NDArray[np.bool_]:
        """Which rows belong to zero cones."""
        return _equalities(self.exact.cones)

    @cached_property
    def identity(self) -> Floats:
        """An interior direction e of the cone: 1, (1, 0), the unit matrix, (-1, 1, 2); 0 on zero rows."""
        return _units(self.exact.cones)

    def slack(self, x: Floats) -> Floats:
        """b - A x."""
        image: Floats = (self.A if self.dense is None else self.dense) @ x
        return self.b - image


def _entries(rows: Sequence[Row]) -> Entries:
    values = np.array([float(value) for row in rows for _, value in row])
    columns = np.array([column for row in rows for column, _ in row], dtype=np.int32)
    return np.repeat(np.arange(len(rows), dtype=np.int32), [len(row) for row in rows]), columns, values


def _sparse(entries: Entries, shape: tuple[int, int]) -> Any:
    from scipy.sparse import csr_array

    rows, columns, values = entries
    return csr_array((values, columns, _starts(rows, shape[0])), shape=shape)


def _by_columns(entries: Entries, shape: tuple[int, int]) -> Any:
    """The form that Clarabel reads (CSC)."""
    from scipy.sparse import csc_matrix

    rows, columns, values = entries
    order = np.argsort(columns, kind="stable")
    return csc_matrix((values[order], rows[order], _starts(columns, shape[1])), shape=shape)


def _starts(indices: NDArray[np.int32], size: int) -> NDArray[np.int32]:
    starts = np.zeros(size + 1, dtype=np.int32)
    np.cumsum(np.bincount(indices, minlength=size), out=starts[1:])
    return starts


@lru_cache(maxsize=256)
def _equalities(cones: tuple[Cone, ...]) -> NDArray[np.bool_]:
    return _constant([np.full(cone.rows, cone.kind == "zero") for cone in cones] or [np.zeros(0, bool)])


@lru_cache(maxsize=256)
def _units(cones: tuple[Cone, ...]) -> Floats:
    return _constant([_identity(cone) for cone in cones] or [np.zeros(0)])


def _constant(parts: list[NDArray[Any]]) -> NDArray[Any]:
    whole = np.concatenate(parts)
    whole.flags.writeable = False
    return whole


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
    return s[_places(order)]


@cache
def _places(order: int) -> NDArray[np.intp]:
    """Where each entry of the symmetric matrix is in the triangle."""
    places = np.zeros((order, order), dtype=np.intp)
    rows, columns = _triangle(order)
    places[rows, columns] = places[columns, rows] = np.arange(len(rows))
    return places


@cache
def _triangle(order: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Row and column of each entry of the column-by-column upper triangle."""
    columns, rows = np.tril_indices(order)
    return rows, columns


def cone_margin(cone: Cone, s: Floats) -> float:
    """How far inside (positive) or outside (negative) the cone a float vector is; infinite for zero cones."""
    match cone.kind:
        case "psd":
            return float(np.linalg.eigvalsh(s[_places(cone.order)])[0])
        case "nonneg":
            return float(s.min())
        case "soc" | "exponential":
            return _curved_margin(cone, s)
    return np.inf


@np.errstate(over="ignore", invalid="ignore")
def _curved_margin(cone: Cone, s: Floats) -> float:
    if cone.kind == "soc":
        return float(s[0] - np.linalg.norm(s[1:]))
    x, y, z = s
    return float(y) if y <= 0 else float(min(y, z, z - y * np.exp(x / y)))


def margin(problem: ConicProblem, s: Floats) -> float:
    """The least `cone_margin` over the cones."""
    return min([cone_margin(cone, s[block]) for cone, block in problem.blocks() if cone.kind != "zero"], default=np.inf)


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


BROKE_OFF = "Panicked"
"""Status where the solver broke off in its own code, without an answer."""


def solve(floats: FloatProblem, max_iterations: int = 200) -> Numerical:
    """Run Clarabel at a tolerance of 1e-10 on one thread; no exception for a numerical failure.

    Where Clarabel panics (an eigenvalue that its LAPACK does not find, say), the status is `BROKE_OFF` and the numbers are NaN: a
    panic reaches Python as a `BaseException` whose class has no public name.
    """
    import clarabel  # type: ignore[import-untyped]

    problem = floats.exact
    scale = clarabel_scale(problem.cones)
    rows, columns, values = floats.entries
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_iter = max_iterations
    settings.max_threads = 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    settings.chordal_decomposition_enable = False
    settings.presolve_enable = False
    solver = clarabel.DefaultSolver(
        _upper_triangle(floats),
        floats.c,
        _by_columns((rows, columns, values * scale[rows]), problem.shape),
        floats.b * scale,
        [_clarabel_cone(cone) for cone in problem.cones],
        settings,
    )
    try:
        solution = solver.solve()
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        m, n = problem.shape
        return Numerical(BROKE_OFF, np.full(n, np.nan), np.full(m, np.nan))
    return Numerical(str(solution.status), np.array(solution.x), np.array(solution.z) * scale)


def _upper_triangle(floats: FloatProblem) -> Any:
    n = len(floats.exact.c)
    if floats.exact.P is None:
        return _empty(n)
    rows, columns, values = _entries(floats.exact.P)
    kept = rows <= columns
    return _by_columns((rows[kept], columns[kept], values[kept]), (n, n))


@lru_cache(maxsize=256)
def _empty(n: int) -> Any:
    from scipy.sparse import csc_matrix

    return csc_matrix((n, n))


@lru_cache(maxsize=256)
def clarabel_scale(cones: tuple[Cone, ...]) -> Floats:
    """The factor of each row in Clarabel's form: sqrt 2 off the diagonal of PSD triangles, else 1."""
    parts = []
    for cone in cones:
        scale = np.ones(cone.rows)
        if cone.kind == "psd":
            rows, columns = _triangle(cone.order)
            scale[rows != columns] = np.sqrt(2)
        parts.append(scale)
    return _constant(parts or [np.zeros(0)])


def _clarabel_cone(cone: Cone) -> Any:
    import clarabel

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
