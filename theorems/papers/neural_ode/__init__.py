r"""Neural ODEs with one weight matrix for all times: well-posedness, gradients, kernels of infinite width, global convergence.

$\dot h = \frac{\sigma_w}{\sqrt n} W \varphi(h)$ on $[0, T]$ from $h_0 = \frac{\sigma_u}{\sqrt d} U x$, with output
$f(x) = \frac{\sigma_v}{\sqrt n} v^\top \varphi(h_T)$ and independent $N(0, 1)$ weights; its residual network of depth $L$ is the explicit Euler
discretisation. All layers share $W$, so that in the limit of width all pairs of layers correlate.

Contents:
    stability: Lipschitz activations, forwards and backwards
    gradients: backpropagation against the adjoint equation
    linear: the identity activation in closed form
    limits: kernels of networks of finite width
    positive: strict positive definiteness of the kernels, at every depth and in the limit
    descent: linear convergence of gradient descent
    networks, simulated: networks in balls and in doubles
"""

from theorems.papers.neural_ode.descent import gd_linear_convergence
from theorems.papers.neural_ode.gradients import adjoint_gradient_rate
from theorems.papers.neural_ode.limits import nngp_ntk_limit
from theorems.papers.neural_ode.linear import linear_kernel_closed_form
from theorems.papers.neural_ode.paper import PAPER
from theorems.papers.neural_ode.positive import kernel_strictly_pd, kernel_strictly_pd_in_depth_limit
from theorems.papers.neural_ode.stability import forward_backward_stability

__all__ = [
    "PAPER",
    "adjoint_gradient_rate",
    "forward_backward_stability",
    "gd_linear_convergence",
    "kernel_strictly_pd",
    "kernel_strictly_pd_in_depth_limit",
    "linear_kernel_closed_form",
    "nngp_ntk_limit",
]
