"""What each example of PEPit says of its theoretical value: read in its documentation by a person, before anything is run.

`tight`: the documentation calls the value tight (proven, conjectured or found empirically). `upper`: it states a guarantee, which bounds
the worst case from above. `no value`: it states neither for the method and class that the file runs; whatever number
the file returns is then a comparison, not a claim. The words are those of the paragraph "Theoretical guarantee" (PEPit 0.5.1).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal, NamedTuple

Kind = Literal["tight", "upper", "no value"]


class Declared(NamedTuple):
    """What an example claims, and why it is read so."""

    kind: Kind
    reason: str


def _tight(reason: str) -> Declared:
    return Declared("tight", reason)


def _upper(reason: str) -> Declared:
    return Declared("upper", reason)


def _none(reason: str) -> Declared:
    return Declared("no value", reason)


UNKNOWN = _none("not in the table, which was read from PEPit 0.5.1")

_TABLE = {
    "adaptive_methods": {
        "polyak_steps_in_distance_to_optimum": _tight("'tight' [1, Proposition 1]"),
        "polyak_steps_in_function_value": _tight("'tight' [1, Proposition 2]"),
    },
    "composite_convex_minimization": {
        "accelerated_douglas_rachford_splitting": _none("a bound for quadratics only; 'no known guarantee' beyond"),
        "accelerated_proximal_gradient": _upper("'worst-case guarantee' [1, Theorem 4.4]"),
        "accelerated_proximal_gradient_simplified": _tight("'tight (empirical)' [1, Table 1]"),
        "bregman_proximal_point": _tight("'tight empirical guarantee'"),
        "douglas_rachford_splitting": _none("compared with numbers of PESTO, no theorem"),
        "douglas_rachford_splitting_contraction": _tight("'tight' [2, Theorem 2] for theta = 1"),
        "frank_wolfe": _upper("'upper guarantee' [2, Theorem 1]"),
        "improved_interior_algorithm": _upper("'upper bound' [1, Theorem 5.2]"),
        "no_lips_in_bregman_divergence": _tight("'empirically tight' [2, Proposition 4]"),
        "no_lips_in_function_value": _tight("'tight' [2, Theorem 1]"),
        "proximal_gradient": _tight("'tight' [1, Theorem 3.1]"),
        "proximal_gradient_quadratics": _tight("'tight' [1, Theorem 3.1]"),
        "three_operator_splitting": _none("no guarantee stated"),
    },
    "continuous_time_models": {
        "accelerated_gradient_flow_convex": _tight("'tight' [1, Section 2]"),
        "accelerated_gradient_flow_strongly_convex": _tight("'tight' [1, Appendix B], [3, Corollary 2.5]"),
        "gradient_flow_convex": _tight("'tight' [1, p. 7]"),
        "gradient_flow_strongly_convex": _tight("'tight' [1, Proposition 11]"),
    },
    "fixed_point_problems": {
        "halpern_iteration": _tight("'tight' [2, Theorem 2.1]"),
        "inconsistent_halpern_iteration": _upper("'worst-case guarantee' [1, Theorem 8]"),
        "krasnoselskii_mann_constant_step_sizes": _upper("'upper bound' [1, Theorem 4.9]"),
        "krasnoselskii_mann_increasing_step_sizes": _none("no guarantee stated"),
        "optimal_contractive_halpern_iteration": _tight("'tight' [1, Corollary 3.3, Theorem 4.1]"),
    },
    "inexact_proximal_methods": {
        "accelerated_inexact_forward_backward": _upper("'upper bound' [1, Corollary 3.5]"),
        "partially_inexact_douglas_rachford_splitting": _tight("'tight' [2, Theorem 5.1]"),
        "relatively_inexact_proximal_point_algorithm": _upper("'(empirical) upper bound' [1, Section 3.5.1]"),
    },
    "low_dimensional_worst_cases_scenarios": {
        "alternate_projections": _none("no guarantee stated"),
        "averaged_projections": _none("no guarantee stated"),
        "dykstra": _none("no guarantee stated"),
        "frank_wolfe": _upper("'upper guarantee' [2, Theorem 1]"),
        "gradient_descent": _tight("'empirically tight' [1, p. 190]"),
        "halpern_iteration": _tight("'tight' [1, Theorem 2.1]"),
        "inexact_gradient": _tight("'tight' [1, Theorem 5.3]"),
        "optimized_gradient": _tight("'tight' [2, Theorem 2]"),
        "proximal_point": _tight("'tight' [1, Section 4]"),
    },
    "monotone_inclusions_variational_inequalities": {
        "accelerated_proximal_point": _tight("'tight' [1, Theorem 4.1]"),
        "douglas_rachford_splitting": _tight("'tight contraction factors' [2, Theorem 4.3]"),
        "douglas_rachford_splitting_2": _tight("'tight contraction factors' [1, Theorem 4.1]"),
        "optimal_strongly_monotone_proximal_point": _tight("'tight' [1, Theorem 3.2, Corollary 4.2]"),
        "optimistic_gradient": _none("only an order, O(1/n)"),
        "optimistic_gradient_refined": _none("only an order, O(1/n)"),
        "optimistic_gradient_refined_cocoercive": _none("only an order, O(1/n)"),
        "past_extragradient": _none("only an order, O(1/n)"),
        "proximal_point": _tight("'tight' [1, Section 4]"),
        "three_operator_splitting": _none("no guarantee stated"),
    },
    "nonconvex_optimization": {
        "difference_of_convex_algorithm": _upper("'compared with [1, Theorem 3]'; tightness is not said"),
        "gradient_descent": _tight("'empirically tight' [1, p. 190]"),
        "gradient_descent_quadratic_lojasiewicz_expensive": _upper("'guarantees from [4, Theorem 3]'"),
        "gradient_descent_quadratic_lojasiewicz_intermediate": _upper("'guarantees from [4, Theorem 3]'"),
        "gradient_descent_quadratic_lojasiewicz_naive": _upper("'guarantees from [4, Theorem 3]'"),
        "no_lips_1": _tight("'tight' [1, Proposition 4.1]"),
        "no_lips_2": _tight("'empirically tight'"),
    },
    "online_learning": {
        "online_follow_leader": _none("'we do not compare to any guarantee'"),
        "online_follow_regularized_leader": _upper("'the bound' [1, Theorem 5.2]"),
        "online_frank_wolfe": _upper("the regret bound of [3, Theorem 2.1]"),
        "online_gradient_descent": _upper("the regret bound of [2, Section 2.1.2]"),
    },
    "potential_functions": {
        "accelerated_gradient_method": _upper("'worst-case guarantee' [2, Theorem 5.3]"),
        "gradient_descent_lyapunov_1": _upper("'guarantee' [1, Theorem 3.3]"),
        "gradient_descent_lyapunov_2": _upper("'guarantee' [1, Theorem 3]"),
    },
    "stochastic_and_randomized_convex_minimization": {
        "point_saga": _upper("'upper bound' [1, Theorem 5]"),
        "randomized_coordinate_descent_smooth_convex": _tight("'tight' [1, Theorem 16]"),
        "randomized_coordinate_descent_smooth_strongly_convex": _tight("'tight' [1, Theorem 17]"),
        "saga": _tight("'upper bound (empirically tight)' [1, Theorem 1]"),
        "sgd": _tight("'empirically tight' [1]"),
        "sgd_overparametrized": _tight("'empirically tight' [1]"),
    },
    "tutorials": {
        "gradient_descent_contraction": _tight("'tight on simple quadratic functions'"),
    },
    "unconstrained_convex_minimization": {
        "accelerated_gradient_convex": _upper("'worst-case guarantee' [2, Theorem 4.4]"),
        "accelerated_gradient_convex_simplified": _tight("'tight empirical guarantee' [2, Table 1] for mu = 0"),
        "accelerated_gradient_strongly_convex": _upper("'upper guarantee' [1, Corollary 4.15]"),
        "accelerated_proximal_point": _upper("'upper bound' [1, Theorem 2.3]"),
        "conjugate_gradient": _tight("'tight' [1], [2, Theorem 3]"),
        "conjugate_gradient_qg_convex": _tight("'tight' [2, Theorems 2.3 and 2.4]"),
        "cyclic_coordinate_descent": _none("no guarantee stated"),
        "epsilon_subgradient_method": _upper("'upper bound' [1, Lemma 2]"),
        "gradient_descent": _tight("'tight on some Huber loss functions' [1, Theorem 3.1]"),
        "gradient_descent_lc": _tight("'tight', conjectured [1, Conjecture 4.2]"),
        "gradient_descent_qg_convex": _none("a 'lower theoretical guarantee' only [1, Theorem 2.2]"),
        "gradient_descent_qg_convex_decreasing": _tight("'tight', conjectured [1, Conjecture A.3]"),
        "gradient_descent_quadratics": _tight("'tight', conjectured [1, Equation (4.17)]"),
        "gradient_descent_silver_stepsize_convex": _upper("'guarantee' [1, Theorem 1.1]"),
        "gradient_descent_silver_stepsize_strongly_convex": _upper("'guarantee' [1, Theorem 4.1]"),
        "gradient_exact_line_search": _tight("'tight' [1, Theorem 1.2]"),
        "heavy_ball_momentum": _upper("'upper guarantee' [2, Theorem 4]"),
        "heavy_ball_momentum_qg_convex": _tight("'tight' [2, Theorems 2.3 and 2.4]"),
        "inexact_accelerated_gradient": _none("the guarantee is for epsilon = 0, the file runs epsilon > 0"),
        "inexact_gradient_descent": _tight("'tight' [1, Theorem 5.3]"),
        "inexact_gradient_exact_line_search": _tight("'tight' [1, Theorem 5.1]"),
        "information_theoretic_exact_method": _tight("'tight' [1, Theorem 3]"),
        "optimized_gradient": _tight("'tight' [2, Theorem 2], [3, Theorem 3]"),
        "optimized_gradient_for_gradient": _tight("'tight' [1, Theorem 6.1]"),
        "proximal_point": _tight("'tight' [1, Theorem 4.1]"),
        "robust_momentum": _tight("'empirically tight' [1, Theorem 1]"),
        "subgradient_method": _tight("'tight' [1, Section 3.2.3], [3, Appendix A]"),
        "subgradient_method_rsi_eb": _tight("'tight' [1, Proposition 1, Theorem 2]"),
        "triple_momentum": _tight("'upper (empirically tight)' [1, Theorem 1]"),
    },
}

DECLARED = MappingProxyType({f"{group}.{name}": d for group, names in _TABLE.items() for name, d in names.items()})
"""By `package.module` below `PEPit.examples`."""


def declared(module: str) -> Declared:
    """What the documentation of an example claims; `UNKNOWN` for an example that the table does not hold.

    Args:
        module: dotted name, with or without `PEPit.examples`.
    """
    return DECLARED.get(module.removeprefix("PEPit.examples."), UNKNOWN)
