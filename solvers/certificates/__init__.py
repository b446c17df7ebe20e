"""Certificates of bounds and their exact checkers: the trusted part of `solvers`.

Imports FLINT and the standard library only. `check(problem, certificate)` answers what the certificate proves
about *that* problem, or raises `InvalidCertificate`. `schema` spells certificates as JSON values and reads them
strictly; the files that hold them are `theorems.certificates`.
"""

from solvers.certificates.bounds import (
    ConicCertificate,
    DualBound,
    Enclosure,
    Infeasibility,
    InvalidCertificate,
    PrimalPoint,
    Recession,
    Solved,
    Verified,
)
from solvers.certificates.cones import Cone, exponential, in_cone, in_dual_cone, nonneg, psd, soc, zero
from solvers.certificates.files import Certificate, Problem, check, problem_digest
from solvers.certificates.polynomials import (
    PolynomialProblem,
    SumOfSquares,
    WeightedSquare,
    polynomial,
)
from solvers.certificates.problem import ConicProblem, conic_problem
from solvers.certificates.psd import is_psd
from solvers.certificates.rational import rational
from solvers.certificates.relu import ReluCertificate, ReluProblem

__all__ = [
    "Certificate",
    "Cone",
    "ConicCertificate",
    "ConicProblem",
    "DualBound",
    "Enclosure",
    "Infeasibility",
    "InvalidCertificate",
    "PolynomialProblem",
    "PrimalPoint",
    "Problem",
    "Recession",
    "ReluCertificate",
    "ReluProblem",
    "Solved",
    "SumOfSquares",
    "Verified",
    "WeightedSquare",
    "check",
    "conic_problem",
    "exponential",
    "in_cone",
    "in_dual_cone",
    "is_psd",
    "nonneg",
    "polynomial",
    "problem_digest",
    "psd",
    "rational",
    "soc",
    "zero",
]
