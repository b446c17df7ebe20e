r"""Transformers act on contexts of any number of tokens, as maps of measures, and approximate every continuous one.

A context is a probability measure mu; attention is a quotient of integrals against it. The claims cover the steps of the proof: consistency and continuity, injectivity
of the elementary maps, their products with fixed width, explicit functionals, and the masked versions.
"""

from theorems.papers.universal_in_context.composition import causal_lifting_identifiability, composition_consistency
from theorems.papers.universal_in_context.functionals import causal_prefix_functional, universal_mean_functional
from theorems.papers.universal_in_context.laplace import laplace_map_injective
from theorems.papers.universal_in_context.lipschitz import attention_wasserstein_lipschitz, continuity_is_necessary
from theorems.papers.universal_in_context.paper import PAPER
from theorems.papers.universal_in_context.product import fixed_width_product_construction
from theorems.papers.universal_in_context.statistics import in_context_regression, max_of_n_tokens

__all__ = [
    "PAPER",
    "attention_wasserstein_lipschitz",
    "causal_lifting_identifiability",
    "causal_prefix_functional",
    "composition_consistency",
    "continuity_is_necessary",
    "fixed_width_product_construction",
    "in_context_regression",
    "laplace_map_injective",
    "max_of_n_tokens",
    "universal_mean_functional",
]
