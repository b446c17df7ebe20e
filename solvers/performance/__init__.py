"""Worst cases over classes of functions and operators, as semidefinite programs with exact data and proven bounds.

Contents:
    expressions: `Vector`, `Scalar`, `inner`, `squared`
    functions: classes of functions by their interpolation conditions
    operators: classes of operators
    model: `Performance`, the problem as a user writes it
    program: its semidefinite program
    bounds: `enclose`, rigorous bounds on both sides, for data of any size (`sides`, `interior`, `zoom`, `scaling`, `units`)
    faces, implicit: programs whose multipliers or points have no interior (`polish`, `subspaces`)
    proofs: bounds by multipliers in closed form: rational, in a real number field, or symbolic
    pepit: problems of PEPit (an extra) with exact data (`exact_floats`, `pepit_roots`, `pepit_table`)
"""

from solvers.performance.bounds import enclose
from solvers.performance.expressions import ORIGIN, Scalar, Vector, inner, squared
from solvers.performance.functions import (
    Curved,
    Lipschitz,
    Sample,
    SampleClass,
    convex,
    convex_indicator,
    convex_lipschitz,
    smooth,
    smooth_convex,
    smooth_strongly_convex,
    strongly_convex,
)
from solvers.performance.model import Performance, Sampled
from solvers.performance.operators import (
    LipschitzOperator,
    Monotone,
    WeakMinty,
    cocoercive,
    lipschitz,
    monotone,
    monotone_lipschitz,
    strongly_monotone,
    weak_minty,
)
from solvers.performance.program import Program
from solvers.performance.proofs import attained_in_field, certificate, proven, proven_in_field, slack
from solvers.performance.result import WorstCase

__all__ = [
    "ORIGIN",
    "Curved",
    "Lipschitz",
    "LipschitzOperator",
    "Monotone",
    "Performance",
    "Program",
    "Sample",
    "SampleClass",
    "Sampled",
    "Scalar",
    "Vector",
    "WeakMinty",
    "WorstCase",
    "attained_in_field",
    "certificate",
    "cocoercive",
    "convex",
    "convex_indicator",
    "convex_lipschitz",
    "enclose",
    "inner",
    "lipschitz",
    "monotone",
    "monotone_lipschitz",
    "proven",
    "proven_in_field",
    "slack",
    "smooth",
    "smooth_convex",
    "smooth_strongly_convex",
    "squared",
    "strongly_convex",
    "strongly_monotone",
    "weak_minty",
]
