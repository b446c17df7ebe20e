r"""Newton's method with sketched, Marchenko-Pastur-debiased and averaged inverse Hessians.

The Hessian is $H = K + \lambda I$ with $K = A^\top A$ of eigenvalues $k_i$ and effective dimension $d_\lambda = \sum_i k_i/(k_i + \lambda)$. A worker
sees $\hat K = A^\top S^\top S A$ for a Gaussian sketch $S$ with $m$ rows of variance $1/m$, in law $K^{1/2} (G^\top G/m) K^{1/2}$, and returns the
plain $(\hat K + \lambda I)^{-1}$ or the debiased $\hat H^{-1} = \varphi (\hat K + \lambda\varphi I)^{-1}$, $\varphi = 1 - d_\lambda/m$; $q$ workers are averaged. The
relative error is $\mathrm{Err} = H^{1/2} \hat H^{-1} H^{1/2} - I$. Why: $\tilde\lambda(\hat K + \tilde\lambda I)^{-1}$ is close to $\kappa(K + \kappa I)^{-1}$ when
$\kappa(1 - d_\kappa/m) = \tilde\lambda$, and $\tilde\lambda = \lambda\varphi$ makes $\kappa = \lambda$.

Contents:
    exact_bias: without regularisation, the bias of an inverse Hessian exactly
    bias_rate: bias of order 1/m after debiasing, whatever the spectrum
    averaging: the error of an average of q workers
    feasibility: when the debiased regulariser can be found from one sketch, and how well
    selection: the sketch size by doubling
    newton_step: one full step with a noisy inverse Hessian
    iterations: damped steps, full steps, and their number
    distributed: the whole scheme on logistic regression
"""

from theorems.papers.newton_marchenko_pastur.averaging import averaged_error_scaling
from theorems.papers.newton_marchenko_pastur.bias_rate import mp_debias_bias_rate
from theorems.papers.newton_marchenko_pastur.distributed import distributed_newton_end_to_end
from theorems.papers.newton_marchenko_pastur.exact_bias import unregularised_exact_bias
from theorems.papers.newton_marchenko_pastur.feasibility import debias_feasibility_threshold
from theorems.papers.newton_marchenko_pastur.iterations import noisy_newton_iteration_count
from theorems.papers.newton_marchenko_pastur.newton_step import noisy_newton_decrement
from theorems.papers.newton_marchenko_pastur.paper import PAPER
from theorems.papers.newton_marchenko_pastur.selection import sketch_size_selection

__all__ = [
    "PAPER",
    "averaged_error_scaling",
    "debias_feasibility_threshold",
    "distributed_newton_end_to_end",
    "mp_debias_bias_rate",
    "noisy_newton_decrement",
    "noisy_newton_iteration_count",
    "sketch_size_selection",
    "unregularised_exact_bias",
]
