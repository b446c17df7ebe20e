"""Certificates of bounds and their exact checkers: the trusted part of `solvers`.

Imports FLINT and the standard library only. `check(problem, certificate)` answers what the certificate proves
about *that* problem, or raises `InvalidCertificate`; `to_json`, `from_json` and `check_file` are the same for
files.
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
from solvers.certificates.files import (
    Certificate,
    CertificateFile,
    Problem,
    certificate_file,
    check,
    check_file,
    from_json,
    problem_digest,
    to_json,
)
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
    "CertificateFile",
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
    "certificate_file",
    "check",
    "check_file",
    "conic_problem",
    "exponential",
    "from_json",
    "in_cone",
    "in_dual_cone",
    "is_psd",
    "nonneg",
    "polynomial",
    "problem_digest",
    "psd",
    "rational",
    "soc",
    "to_json",
    "zero",
]
