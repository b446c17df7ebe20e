r"""Exact learning dynamics of two-layer linear networks from lambda-balanced initializations: from lazy to rich.

$\hat y = W_2 W_1 x$ with $W_1 \in \mathbb{R}^{N_h \times N_i}$, $W_2 \in \mathbb{R}^{N_o \times N_h}$, whitened inputs, input-output
correlation $\Sigma$, loss $\ell = \frac12 \|\Sigma - W_2 W_1\|_F^2$; gradient flow $\dot W_1 = W_2^\top (\Sigma - W_2 W_1)$,
$\dot W_2 = (\Sigma - W_2 W_1) W_1^\top$. The weights are lambda-balanced: $W_2^\top W_2 - W_1 W_1^\top = \lambda I$ ($\lambda > 0$: the second
layer is larger), $N_h = \min(N_i, N_o)$. Thin singular value decomposition $\Sigma = \tilde U \tilde S \tilde V^\top$ of rank $N_h$, complements
$\tilde U_\perp, \tilde V_\perp$; $S_\lambda = \sqrt{\tilde S^2 + \lambda^2/4}$; $Q = [W_1^\top; W_2]$.

Contents:
    riccati: balance is conserved, Q Q^T obeys a Riccati equation
    exact_solution: the solution in closed form
    representation: the limits of the layers, rich and lazy
    modes, mode_limits: weights aligned with the task, mode by mode
    kernel, delayed: the neural tangent kernel by architecture and sign of lambda
    reversal: reversal of a task, continual learning
    obstruction: what is never learned without balance
    transfer: a new readout on the learned representation
"""

from theorems.papers.lambda_balanced.delayed import delayed_rich
from theorems.papers.lambda_balanced.exact_solution import exact_qqt_solution
from theorems.papers.lambda_balanced.kernel import ntk_regimes
from theorems.papers.lambda_balanced.mode_limits import aligned_mode_dynamics_limits
from theorems.papers.lambda_balanced.modes import aligned_mode_dynamics
from theorems.papers.lambda_balanced.obstruction import zero_balance_determinant_obstruction
from theorems.papers.lambda_balanced.paper import PAPER
from theorems.papers.lambda_balanced.representation import limiting_representation
from theorems.papers.lambda_balanced.reversal import reversal_and_continual
from theorems.papers.lambda_balanced.riccati import riccati_reduction
from theorems.papers.lambda_balanced.transfer import transfer_generalisation

__all__ = [
    "PAPER",
    "aligned_mode_dynamics",
    "aligned_mode_dynamics_limits",
    "delayed_rich",
    "exact_qqt_solution",
    "limiting_representation",
    "ntk_regimes",
    "reversal_and_continual",
    "riccati_reduction",
    "transfer_generalisation",
    "zero_balance_determinant_obstruction",
]
