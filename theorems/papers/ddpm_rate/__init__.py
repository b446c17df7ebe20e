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
