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
    "kernel_strictly_pd",
    "kernel_strictly_pd_in_depth_limit",
    "linear_kernel_closed_form",
    "nngp_ntk_limit",
]
