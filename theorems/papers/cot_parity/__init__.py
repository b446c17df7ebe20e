r"""Parity of k secret bits: with its partial products as a chain of thought it is learned from few samples, without them from no
fewer than exponentially many.

Inputs are uniform on {-1, 1}^n, the label is the product of the secret coordinates. One layer: position-only attention, a function of the attended mean.
"""

from theorems.papers.cot_parity.dependence import cot_dependence_is_sparse, cot_population_gradient
from theorems.papers.cot_parity.expressive import nocot_parity_is_expressible
from theorems.papers.cot_parity.one_step import cot_one_step_learns_parity
from theorems.papers.cot_parity.paper import PAPER
from theorems.papers.cot_parity.queries import statistical_query_separation
from theorems.papers.cot_parity.samples import cot_sample_complexity, nocot_sample_complexity_exponential
from theorems.papers.cot_parity.signal import nocot_any_ffn_signal, nocot_gradient_variance, parity_rectangle_bias

__all__ = [
    "PAPER",
    "cot_dependence_is_sparse",
    "cot_one_step_learns_parity",
    "cot_population_gradient",
    "cot_sample_complexity",
    "nocot_any_ffn_signal",
    "nocot_gradient_variance",
    "nocot_parity_is_expressible",
    "nocot_sample_complexity_exponential",
    "parity_rectangle_bias",
    "statistical_query_separation",
]
