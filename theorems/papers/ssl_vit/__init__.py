r"""Masked reconstruction learns global and local features of images alike; contrastive learning ends on the largest area.

An image consists of patches in areas, one of them (area 1) global and larger than the others. One softmax attention layer has the patches' contents as values;
what is trained are the correlations phi of positions with features.
"""

from theorems.papers.ssl_vit.contrastive import cl_global_monotone, cl_masked_limit
from theorems.papers.ssl_vit.gradients import mae_decoupling_phase_transition, mae_fp_gradient_closed_form
from theorems.papers.ssl_vit.paper import PAPER

__all__ = [
    "PAPER",
    "cl_global_monotone",
    "cl_masked_limit",
    "mae_decoupling_phase_transition",
    "mae_fp_gradient_closed_form",
]
