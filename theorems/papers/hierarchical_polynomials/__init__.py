r"""Targets $g(p_1, \dots, p_r)$ of quadratic features $p_k(x) = x^\top A_kx$ of a Gaussian $x$: what one gradient step finds, and what kernels cannot.

$A_k$ symmetric, traceless, $2\,\mathrm{tr}(A_jA_k) = \delta_{jk}$, $\|A_k\|_{op} = O(d^{-1/2})$. One gradient step on the middle layer multiplies by the operator
$M(Q, Q') = \mathbb{E}[(f - \mathbb{E}f)\, x^\top Qx\; x^\top Q'x]$ on traceless symmetric matrices, which is close to $G^\top HG$ with
$G_k(Q) = 2\,\mathrm{tr}(A_kQ)$ and the expected Hessian $H$ of the link: its leading eigenspace is the span of the features.
"""

from theorems.papers.hierarchical_polynomials.kernels import kernel_needs_d2p
from theorems.papers.hierarchical_polynomials.operator import (
    approximate_stein,
    feature_gaussianity,
    population_operator_identity,
)
from theorems.papers.hierarchical_polynomials.paper import PAPER
from theorems.papers.hierarchical_polynomials.recovery import feature_space_recovery
from theorems.papers.hierarchical_polynomials.samples import finite_sample_recovery, one_step_d4
from theorems.papers.hierarchical_polynomials.transfer import link_transfer

__all__ = [
    "PAPER",
    "approximate_stein",
    "feature_gaussianity",
    "feature_space_recovery",
    "finite_sample_recovery",
    "kernel_needs_d2p",
    "link_transfer",
    "one_step_d4",
    "population_operator_identity",
]
