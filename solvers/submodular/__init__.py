"""Monotone submodular maximisation in exact arithmetic, under the fairness matroid and its extensions.

Contents:
    coverage: `Coverage`, probabilistic coverage functions with their multilinear extension
    fairness: `FairnessMatroid`, lower and upper bounds on the counts of groups
    exchange: Hall's condition for sequences of counts
    discrete: greedy and threshold greedy, exhaustive optimum
    continuous: continuous greedy over the matroid polytope, pipage rounding

Elements are numbered from 0; ties go to the smallest number. Every value is an exact rational.
"""

from solvers.submodular.continuous import continuous_greedy, filled_up, pipage
from solvers.submodular.coverage import Coverage, Point
from solvers.submodular.discrete import completed, counts_of, greedy, optimum, threshold_greedy
from solvers.submodular.exchange import exchange_slack, growing_groups
from solvers.submodular.fairness import FairnessMatroid, arrangements

__all__ = [
    "Coverage",
    "FairnessMatroid",
    "Point",
    "arrangements",
    "completed",
    "continuous_greedy",
    "counts_of",
    "exchange_slack",
    "filled_up",
    "greedy",
    "growing_groups",
    "optimum",
    "pipage",
    "threshold_greedy",
]
