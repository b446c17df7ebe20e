r"""One modality helping another without paired labels: when a mixture of two representations is better than either.

An ideal representation $r^\star$ is seen by modalities as $r_i = r^\star + e_i$; mixtures $\sum_i \lambda_i r_i$ have the error
$\lambda^\top S \lambda$ with $S_{ij} = \mathbb{E}\langle e_i, e_j\rangle$. The training loss mixes a task loss with the distance to the embedding of
a *randomly permuted* class prompt, which is a shrinkage towards the mean of the texts. No theorem of the paper is
quoted: the statements are derived, and encode what its abstract asserts.
"""

from theorems.papers.modality_synergy.interpolation import interpolation_iff, many_modalities_iff
from theorems.papers.modality_synergy.paper import PAPER
from theorems.papers.modality_synergy.regression import unpaired_regression_risk
from theorems.papers.modality_synergy.sphere import high_dimensional_synergy
from theorems.papers.modality_synergy.unpaired import (
    class_text_vs_unpaired,
    unpaired_objective_minimiser,
    unpaired_shrinkage_window,
)

__all__ = [
    "PAPER",
    "class_text_vs_unpaired",
    "high_dimensional_synergy",
    "interpolation_iff",
    "many_modalities_iff",
    "unpaired_objective_minimiser",
    "unpaired_regression_risk",
    "unpaired_shrinkage_window",
]
