"""Balls that certainly contain the value: expressions, signs, integrals, sums, roots and flows.

Contents:
    exact: `to_fmpq`, `to_arb`, `dyadic`, `interval`
    precision: `precision(bits)`, `NoEnclosure`, `is_finite`, `finite`
    functions: elementary and special functions by name (`functions.bessel_j(nu, x)`), `powers.power`
    expressions: `ball_function` (sympy to balls)
    signs: `enclose`, `sign`, `compare`: precision doubled until decided, or honestly undecided
    integrals: `integrate` and improper integrals with tail bounds
    sums: `sum_with_tail` and tails
    polynomials: `real_roots` of exact polynomials, compared exactly
    roots, systems: `isolate_roots`, `krawczyk`, `enclose_solution`
    flows: `flow`, validated solutions of ordinary differential equations
    numeric: `twice`, `flow_twice`, for what balls cannot do

A NaN ball "contains" every number and answers False to every order test; functions here test finiteness
first and raise `NoEnclosure` or answer "undecided".
"""

from solvers.enclosures import functions
from solvers.enclosures.exact import dyadic, interval, to_arb, to_ball, to_fmpq, to_fraction
from solvers.enclosures.expressions import ball_function
from solvers.enclosures.flows import FlowStep, flow, flow_steps
from solvers.enclosures.integrals import (
    exponential_tail,
    gaussian_tail,
    integrate,
    integrate_complex,
    integrate_half_line,
    integrate_improper,
    integrate_line,
    integrate_rational,
    power_tail,
)
from solvers.enclosures.numeric import Agreement, flow_twice, twice
from solvers.enclosures.polynomials import RealRoot, count_real_roots, real_roots
from solvers.enclosures.powers import power
from solvers.enclosures.precision import NoEnclosure, finite, is_finite, precision
from solvers.enclosures.roots import Isolation, isolate_roots
from solvers.enclosures.signs import Decision, compare, enclose, sign
from solvers.enclosures.sums import (
    alternating_tail,
    geometric_tail,
    power_sum_tail,
    ratio_tail,
    sum_with_tail,
)
from solvers.enclosures.systems import enclose_solution, krawczyk, system_of

__all__ = [
    "Agreement",
    "Decision",
    "FlowStep",
    "Isolation",
    "NoEnclosure",
    "RealRoot",
    "alternating_tail",
    "ball_function",
    "compare",
    "count_real_roots",
    "dyadic",
    "enclose",
    "enclose_solution",
    "exponential_tail",
    "finite",
    "flow",
    "flow_steps",
    "flow_twice",
    "functions",
    "gaussian_tail",
    "geometric_tail",
    "integrate",
    "integrate_complex",
    "integrate_half_line",
    "integrate_improper",
    "integrate_line",
    "integrate_rational",
    "interval",
    "is_finite",
    "isolate_roots",
    "krawczyk",
    "power",
    "power_sum_tail",
    "power_tail",
    "precision",
    "ratio_tail",
    "real_roots",
    "sign",
    "sum_with_tail",
    "system_of",
    "to_arb",
    "to_ball",
    "to_fmpq",
    "to_fraction",
    "twice",
]
