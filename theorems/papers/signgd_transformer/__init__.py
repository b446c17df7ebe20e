r"""A one-layer transformer trained by SignGD on sparse noise fits fast and generalises badly; Adam does as SignGD does, gradient descent does not.

Each sample has two patches, y mu and sparse Gaussian noise xi with supports of its own; f sums the attended values of both queries.
"""

from theorems.papers.signgd_transformer.outcomes import adam_mimics_signgd, constant_test_error, train_loss_exponential
from theorems.papers.signgd_transformer.paper import PAPER
from theorems.papers.signgd_transformer.stages import four_stage_order, softmax_decay
from theorems.papers.signgd_transformer.values import sign_vs_gd_threshold, value_path_closed_form

__all__ = [
    "PAPER",
    "adam_mimics_signgd",
    "constant_test_error",
    "four_stage_order",
    "sign_vs_gd_threshold",
    "softmax_decay",
    "train_loss_exponential",
    "value_path_closed_form",
]
