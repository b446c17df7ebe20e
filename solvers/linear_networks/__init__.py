r"""Two-layer linear networks under gradient flow: exact lambda-balanced weights, and the solution in closed form.

Setting: y = W2 W1 x with W1 of N_h x N_i and W2 of N_o x N_h, whitened inputs, input-output correlation Sigma of N_o x N_i,
loss |Sigma - W2 W1|_F^2 / 2, gradient flow W1' = W2^T (Sigma - W2 W1), W2' = (Sigma - W2 W1) W1^T. The weights are
lambda-balanced when W2^T W2 - W1 W1^T = lambda I (conserved). With Q = [W1^T; W2] the matrix Q Q^T solves a Riccati equation.

Matrices are exact (fmpq_mat) where a function says so, else balls at the current precision.

Contents:
    weights: Cayley matrices, exact balanced weights
    series: Taylor coefficients of Q Q^T over the rationals
    riccati: the Riccati form, for any Sigma
    closed_form: the closed form for Sigma of full rank, stable for large times, and its limit
    tangent: the neural tangent kernel

Sources: C. Domine et al., From lazy to rich: exact learning dynamics in deep linear networks (2025); L. Braun et al., Exact
learning dynamics of deep linear networks with prior knowledge (2022); the closed form for N_i != N_o is derived here.
"""

from solvers.linear_networks.closed_form import (
    Blocks,
    Spectrum,
    Task,
    ball_diagonal,
    blocks,
    closed_form,
    inner,
    limit,
    loss,
    spectrum,
    starting_matrices,
)
from solvers.linear_networks.riccati import coupling, integrated_exponential, riccati, riccati_of_gram
from solvers.linear_networks.series import flow_series, riccati_series
from solvers.linear_networks.tangent import jacobian, kernel_distance, tangent_kernel
from solvers.linear_networks.weights import Weights, aligned_values, balanced, balanced_values, block, cayley, columns

__all__ = [
    "Blocks",
    "Spectrum",
    "Task",
    "Weights",
    "aligned_values",
    "balanced",
    "balanced_values",
    "ball_diagonal",
    "block",
    "blocks",
    "cayley",
    "closed_form",
    "columns",
    "coupling",
    "flow_series",
    "inner",
    "integrated_exponential",
    "jacobian",
    "kernel_distance",
    "limit",
    "loss",
    "riccati",
    "riccati_of_gram",
    "riccati_series",
    "spectrum",
    "starting_matrices",
    "tangent_kernel",
]
