r"""Bandit learning of stable matchings when preferences may be indifferent.

Players $i$ have utilities $\mu_{ij} \in [0, 1]$ for arms $j$, equal values allowed; arms rank players, ties allowed and known. A matching is weakly stable if
no pair strictly gains by leaving it; regret is measured against each player's *worst* stable partner, since with ties there need be no matching
that is best for all. AE-AGS: each round every player ranks the arms (among those that no remaining arm dominates by confidence bounds, the
least pulled first), and the arms propose.
"""

from theorems.papers.matching_bandits.blocking import blocking_pull_cap, unstable_rounds
from theorems.papers.matching_bandits.paper import PAPER
from theorems.papers.matching_bandits.regret import regret_rates, stable_regret_bound
from theorems.papers.matching_bandits.ties import no_player_optimal_with_ties, ties_adaptivity

__all__ = [
    "PAPER",
    "blocking_pull_cap",
    "no_player_optimal_with_ties",
    "regret_rates",
    "stable_regret_bound",
    "ties_adaptivity",
    "unstable_rounds",
]
