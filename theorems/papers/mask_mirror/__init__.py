r"""Mask in the mirror: gradient flow in a mask and a weight has an implicit penalty that passes from L2 to L1.

$x = m \odot w \in \mathbb{R}^n$; gradient flow in $(m, w)$ of $f(m \odot w) + \alpha_t(\|m\|^2 + \|w\|^2)$:
$\dot m = -w \odot g - 2\alpha_t m$, $\dot w = -m \odot g - 2\alpha_t w$ with $g = \nabla f(x_t)$. The balance is
$a_t = \frac12|m_t^2 - w_t^2| = a_0 e^{-4\int_0^t \alpha}$, by coordinates, and the potential
$R_a(x) = \frac12 \sum_i [x_i \operatorname{arcsinh}(x_i/a_i) - \sqrt{x_i^2 + a_i^2}]$.

Contents:
    mirror: a mirror flow with a potential that changes in time
    lyapunov: the Bregman divergence of the moving potential
    penalty: from L2 to L1
    optimality: the convex problem that the flow solves in underdetermined regression
    endpoints: rates at the L2 end and at the L1 end
    convergence: to an interpolator without penalty, to the LASSO solution under a constant one
    sign_flip: why masks and weights should not start equal
    instances: domains and enclosed flows
"""

from theorems.papers.mask_mirror.convergence import constant_decay_lasso, linear_convergence
from theorems.papers.mask_mirror.endpoints import l1_l2_endpoint_rates
from theorems.papers.mask_mirror.lyapunov import time_dependent_lyapunov
from theorems.papers.mask_mirror.mirror import mirror_flow_identity
from theorems.papers.mask_mirror.optimality import kkt_optimality
from theorems.papers.mask_mirror.paper import PAPER
from theorems.papers.mask_mirror.penalty import penalty_interpolation
from theorems.papers.mask_mirror.sign_flip import sign_flip

__all__ = [
    "PAPER",
    "constant_decay_lasso",
    "kkt_optimality",
    "l1_l2_endpoint_rates",
    "linear_convergence",
    "mirror_flow_identity",
    "penalty_interpolation",
    "sign_flip",
    "time_dependent_lyapunov",
]
