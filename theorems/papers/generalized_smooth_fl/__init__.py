"""Local steps and random reshuffling for generally smooth non-convex federated optimisation."""

from theorems.papers.generalized_smooth_fl.paper import PAPER
from theorems.papers.generalized_smooth_fl.rates import clerr_rate, clip_localgdj_rate, rr_cli_rate

__all__ = ["PAPER", "clerr_rate", "clip_localgdj_rate", "rr_cli_rate"]
