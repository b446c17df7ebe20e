from theorems.papers.ddpm_rate.gaussian import gaussian_exact_tv_bound, gaussian_sharp_rate
from theorems.papers.ddpm_rate.paper import PAPER
from theorems.papers.ddpm_rate.schedule import schedule_lemma

__all__ = ["PAPER", "gaussian_exact_tv_bound", "gaussian_sharp_rate", "schedule_lemma"]
