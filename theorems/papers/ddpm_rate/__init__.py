r"""How fast the DDPM sampler converges: O(d/T) up to logarithms, without smoothness and without second moments.

Forward $X_t = \sqrt{1 - \beta_t} X_{t-1} + \sqrt{\beta_t} W_t$ from $X_0 \sim p_{data}$; $\alpha_t = 1 - \beta_t$, $\bar\alpha_t = \prod_{i \le t} \alpha_i$. Reverse
$Y_{t-1} = (Y_t + \beta_t s_t(Y_t) + \sqrt{\beta_t} Z_t)/\sqrt{\alpha_t}$ from $Y_T \sim N(0, I)$, for $t = T, \ldots, 2$; the error is
$\mathrm{TV}(p_{X_1}, p_{Y_1})$. Exact scores are $s_t^* = \nabla \log p_{X_t}$.

Contents:
    schedule: the noise schedule
    gaussian: Gaussian targets, exactly
    pinsker: against the divergence of whole paths
    telescoping: the error of one step, and their sum
    nongaussian: atoms, Cantor-like laws, heavy tails, mixtures
    scores, perturbed: errors of the scores, without and with dependence on the state
    jacobian: the energy of the Jacobian
    low_dimension: noise that adapts to the target's dimension
    sampler, targets, chains: the sampler in balls, and its densities on the line
"""

from theorems.papers.ddpm_rate.gaussian import gaussian_exact_tv_bound, gaussian_sharp_rate
from theorems.papers.ddpm_rate.jacobian import jacobian_energy_sum
from theorems.papers.ddpm_rate.low_dimension import low_dimensional_adaptation
from theorems.papers.ddpm_rate.nongaussian import nongaussian_tv_rate
from theorems.papers.ddpm_rate.paper import PAPER
from theorems.papers.ddpm_rate.perturbed import state_dependent_score_error
from theorems.papers.ddpm_rate.pinsker import tv_rate_beats_pinsker_route
from theorems.papers.ddpm_rate.schedule import schedule_lemma
from theorems.papers.ddpm_rate.scores import score_error_stability
from theorems.papers.ddpm_rate.telescoping import one_step_error_telescopes

__all__ = [
    "PAPER",
    "gaussian_exact_tv_bound",
    "gaussian_sharp_rate",
    "jacobian_energy_sum",
    "low_dimensional_adaptation",
    "nongaussian_tv_rate",
    "one_step_error_telescopes",
    "schedule_lemma",
    "score_error_stability",
    "state_dependent_score_error",
    "tv_rate_beats_pinsker_route",
]
