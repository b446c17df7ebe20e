"""Conic programs solved numerically and bounded exactly.

Contents:
    linear: `lp`, exact linear programming (`simplex`: the pivots)
    certify: `certify`, proven bounds for a `ConicProblem` (`exact`, `repair`, `affine`, `faces`, `dual`,
        `numeric`)
    balls: the same for data given as balls
    cvxpy_model: `from_cvxpy`, `certify_cvxpy`
    rounding: `reconstruct`, the rational that a float coefficient was meant to be
"""

from solvers.conic.certify import certify
from solvers.conic.cvxpy_model import CertifiedModel, CvxpyModel, certify_cvxpy, from_cvxpy
from solvers.conic.linear import LinearSolution, lp
from solvers.conic.result import Certified
from solvers.conic.rounding import reconstruct

__all__ = [
    "Certified",
    "CertifiedModel",
    "CvxpyModel",
    "LinearSolution",
    "certify",
    "certify_cvxpy",
    "from_cvxpy",
    "lp",
    "reconstruct",
]
