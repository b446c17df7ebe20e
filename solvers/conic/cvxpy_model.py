"""cvxpy problems as exact conic programs.

cvxpy hands out doubles, so "the" exact program is a decision. Each coefficient of the canonical form is read by
`solvers.conic.reconstruct` (1/10 for 0.1, 1/3 for 1/3), after the factor sqrt 2 of Clarabel's PSD triangles has been
divided out. What is certified is the program with those rationals; the result says so, with the largest change. Give
`certify` exact data where the coefficients are not simple rationals or short decimals.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq

from solvers.certificates import ConicProblem, exponential, nonneg, psd, soc, zero
from solvers.certificates.cones import Cone
from solvers.certificates.problem import Row
from solvers.conic.certify import certify
from solvers.conic.numeric import clarabel_scale
from solvers.conic.result import Certified
from solvers.conic.rounding import reconstruct


@dataclass(frozen=True)
class CvxpyModel:
    """The rational program read off a cvxpy problem.

    Attributes:
        problem: standard form; for a maximisation its objective is the negated one.
        maximise: whether the cvxpy problem maximises.
        largest_change: largest relative difference between a coefficient of cvxpy and the rational used.
    """

    problem: ConicProblem
    maximise: bool
    largest_change: float

    @property
    def note(self) -> str:
        """What was certified, in one sentence."""
        return (
            "certified for the program whose coefficients are the simplest rationals near cvxpy's doubles "
            f"(largest relative change {self.largest_change:.1e})"
        )


@dataclass(frozen=True)
class CertifiedModel:
    """Bounds of a cvxpy problem's optimum, in its own sense.

    Attributes:
        lower: proven lower bound, or `None`.
        upper: proven upper bound, or `None`.
        certified: the result for `model.problem`, with certificate and reason.
        model: the rational program.
    """

    lower: fmpq | None
    upper: fmpq | None
    certified: Certified
    model: CvxpyModel

    @property
    def note(self) -> str:
        """What was certified, and what is weak or missing."""
        return "; ".join(part for part in (self.model.note, self.certified.reason) if part)


def certify_cvxpy(problem: Any) -> CertifiedModel:
    """`from_cvxpy`, then `certify`, with the bounds in the sense of the problem.

    Raises:
        ValueError: for integer variables or cones outside LP, QP, SOCP, SDP and the exponential cone.
    """
    model = from_cvxpy(problem)
    result = certify(model.problem)
    lower, upper = result.lower, result.upper
    if model.maximise:
        lower, upper = (None if upper is None else -upper), (None if lower is None else -lower)
    return CertifiedModel(lower, upper, result, model)


def from_cvxpy(problem: Any) -> CvxpyModel:
    """Read the canonical form of a cvxpy problem and rationalise its coefficients.

    Raises:
        ValueError: for integer variables or unsupported cones.
    """
    import cvxpy

    if problem.is_mixed_integer():
        raise ValueError("the problem has integer variables; only convex programs can be certified")
    data, _, inverse = problem.get_problem_data(cvxpy.CLARABEL)
    cones = _cones(data["dims"])
    A, b, c = data["A"].tocsr(), np.asarray(data["b"]), np.asarray(data["c"])
    if sum(cone.rows for cone in cones) != len(b):
        raise ValueError("the problem uses a cone other than zero, nonneg, soc, psd and exponential")
    reading = _Reading()
    scale = clarabel_scale(tuple(cones))
    exact = ConicProblem(
        tuple(reading.rational(value) for value in c),
        reading.rows(A, scale),
        tuple(reading.rational(value / factor) for value, factor in zip(b, scale)),
        tuple(cones),
        reading.rows(data["P"].tocsr(), np.ones(len(c))) if data.get("P") is not None and data["P"].nnz else None,
        reading.rational(float(np.asarray(inverse[-1]["offset"]).reshape(-1)[0])),
    )
    return CvxpyModel(exact, isinstance(problem.objective, cvxpy.Maximize), reading.largest_change)


def _cones(dims: Any) -> list[Cone]:
    cones = [zero(dims.zero)] if dims.zero else []
    cones += [nonneg(dims.nonneg)] if dims.nonneg else []
    cones += [soc(rows) for rows in dims.soc]
    cones += [psd(order) for order in dims.psd]
    return cones + [exponential()] * dims.exp


class _Reading:
    """Rationalises coefficients and remembers the largest relative change."""

    def __init__(self) -> None:
        self.largest_change = 0.0

    def rational(self, value: float) -> fmpq:
        exact = reconstruct(float(value))
        if value != 0:
            change = Fraction(int(exact.p), int(exact.q)) / Fraction(float(value)) - 1
            self.largest_change = max(self.largest_change, abs(float(change)))
        return exact

    def rows(self, matrix: Any, scale: np.typing.NDArray[np.float64]) -> tuple[Row, ...]:
        rows = []
        for i in range(matrix.shape[0]):
            places = slice(matrix.indptr[i], matrix.indptr[i + 1])
            total: dict[int, float] = {}
            for j, value in zip(matrix.indices[places], matrix.data[places]):
                total[int(j)] = total.get(int(j), 0.0) + float(value)
            entries = ((j, self.rational(value / scale[i])) for j, value in sorted(total.items()))
            rows.append(tuple((j, value) for j, value in entries if value != 0))
        return tuple(rows)
