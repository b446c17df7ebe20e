r"""Sketching for convex and nonconvex regularised least squares with one fixed projection.

$X \in \mathbb{R}^{n \times d}$, $y \in \mathbb{R}^n$, a penalty $h$ and a sketch $P \in \mathbb{R}^{m \times n}$. The original problem has
the objective $\frac12|Xb|^2 - \langle y, Xb\rangle + h(b)$ and a stationary point $\beta^*$; sketching for regularised optimisation
(SRO) replaces $X$ by $PX$ in the quadratic term only, with a stationary point $\tilde\beta$; Iterative SRO sketches the Hessian and
keeps the exact gradient, with the same $P$ at every step. The embedding constant $\varepsilon$ is the least number with
$(1 - \varepsilon) X^\top X \preceq X^\top P^\top P X \preceq (1 + \varepsilon) X^\top X$.

Contents:
    convex: relative error of one sketch and one solve
    iterative: geometric decay with one fixed sketch, and the sketch size at which it stops
    nonconvex: relative error with a nonconvex penalty
    sizes: embedding constants of Gaussian sketches
    rates: statistical rates of the Lasso and of MCP in simulation
    sandwich: minimax lower bound and the Lasso's risk, between which Iterative SRO stays
"""

from theorems.papers.sketching_sro.convex import sro_convex_relative_error
from theorems.papers.sketching_sro.iterative import iterative_sro_geometric, iterative_sro_phase_transition
from theorems.papers.sketching_sro.nonconvex import sro_nonconvex_error
from theorems.papers.sketching_sro.paper import PAPER
from theorems.papers.sketching_sro.rates import lasso_minimax_rate, nonconvex_one_shot_rate
from theorems.papers.sketching_sro.sandwich import sparse_minimax_sandwich
from theorems.papers.sketching_sro.sizes import gaussian_embedding_size

__all__ = [
    "PAPER",
    "gaussian_embedding_size",
    "iterative_sro_geometric",
    "iterative_sro_phase_transition",
    "lasso_minimax_rate",
    "nonconvex_one_shot_rate",
    "sparse_minimax_sandwich",
    "sro_convex_relative_error",
    "sro_nonconvex_error",
]
