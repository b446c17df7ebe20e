r"""On the crucial role of initialisation for matrix factorisation: ScaledGD from the Nystrom initialisation.

Symmetric: $\min_X \frac14 \|XX^\top - A\|_F^2$, $A \succeq 0$ of rank $r_A$, $X \in \mathbb{R}^{m \times r}$;
$X_{t+1} = X_t - \eta(X_tX_t^\top - A)X_t(X_t^\top X_t)^\dagger$. Asymmetric: $\min \frac12 \|XY^\top - A\|_F^2$,
$X_{t+1} = X_t - \eta E_tY_t(Y_t^\top Y_t)^\dagger$, $Y_{t+1} = Y_t - \eta E_t^\top X_t(X_t^\top X_t)^\dagger$ with $E_t = X_tY_t^\top - A$,
both at once. The Nystrom initialisation is $X_0 = A\Omega$ with a Gaussian $\Omega$ (and $Y_0 = 0$): $X_0$ starts in the range of $A$.

Contents:
    recursion: the exact recursion of the error
    quadratic: quadratic convergence from the first iterate on
    transition: what lies outside the range of A makes convergence linear, however small it is
    asymmetric: one step, or one universal number
    under: too few columns
    nora: low-rank adaptation from the Nystrom initialisation
    letters, instances: matrices of every size as letters; exact problems
"""

from theorems.papers.nystrom_init.asymmetric import asym_one_step, asym_scalar_reduction
from theorems.papers.nystrom_init.nora import nora_first_step
from theorems.papers.nystrom_init.paper import PAPER
from theorems.papers.nystrom_init.quadratic import sym_quadratic_global
from theorems.papers.nystrom_init.recursion import sym_error_recursion
from theorems.papers.nystrom_init.transition import init_order_transition
from theorems.papers.nystrom_init.under import under_param_linear_rate

__all__ = [
    "PAPER",
    "asym_one_step",
    "asym_scalar_reduction",
    "init_order_transition",
    "nora_first_step",
    "sym_error_recursion",
    "sym_quadratic_global",
    "under_param_linear_rate",
]
