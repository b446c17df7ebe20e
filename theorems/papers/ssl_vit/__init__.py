r"""Masked reconstruction teaches every patch its own area, contrastive learning teaches all patches the largest one.

Images are cut into one large (global) area and many small (local) ones; a position's softmax attention sees the visible patches.
"""

from theorems.papers.ssl_vit.contrast import mae_local_cl_global
from theorems.papers.ssl_vit.contrastive import cl_global_monotone
from theorems.papers.ssl_vit.decoupling import mae_decoupling_phase_transition
from theorems.papers.ssl_vit.gradient import mae_fp_gradient_closed_form
from theorems.papers.ssl_vit.paper import PAPER
from theorems.papers.ssl_vit.phases import mae_phase1_global_drop
from theorems.papers.ssl_vit.reconstruction import mae_learns_both
from theorems.papers.ssl_vit.two_views import cl_masked_limit

__all__ = [
    "PAPER",
    "cl_global_monotone",
    "cl_masked_limit",
    "mae_decoupling_phase_transition",
    "mae_fp_gradient_closed_form",
    "mae_learns_both",
    "mae_local_cl_global",
    "mae_phase1_global_drop",
]
