r"""Evolving decision trees with guided variation operators: what selection guarantees, and what guidance gains.

Trees have binary features and depth at most $h$; fitness is training accuracy. Crossover draws parents by fitness and asks a generator for offspring
of fitness $f^\star = f_{\max} + \alpha(f_{\max} - f_{\min})$; mutation keeps unlikely candidates. Here an exact sampler over the enumerated space of trees
stands for the language model: $w(o) \propto \mathrm{prior}(o)\exp(-(\mathrm{fit}(o) - f^\star)^2/(2s^2))$, so the claims are about the operators.
"""

from theorems.papers.llego_trees.efficiency import prior_hitting_time, search_efficiency
from theorems.papers.llego_trees.invariants import elitist_invariants, hypervolume_archive
from theorems.papers.llego_trees.operators import diversity_guided_mutation, fitness_guided_crossover
from theorems.papers.llego_trees.optimum import exact_optimum_vs_greedy, search_space_growth
from theorems.papers.llego_trees.paper import PAPER

__all__ = [
    "PAPER",
    "diversity_guided_mutation",
    "elitist_invariants",
    "exact_optimum_vs_greedy",
    "fitness_guided_crossover",
    "hypervolume_archive",
    "prior_hitting_time",
    "search_efficiency",
    "search_space_growth",
]
