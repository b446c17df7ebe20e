"""What robustness costs in width: every slope between two intervals grows, and the least width with it."""

from __future__ import annotations

from flint import fmpq

from theorems import ByBudget, Choices, Integers, Q, curve, eq, le
from theorems.papers.expressive_generalization.alternating import (
    Demand,
    alternation,
    demanded_values,
    kinked,
    least_program,
    nearest_labels,
    on_extreme_neurons,
    total_weight,
)
from theorems.papers.expressive_generalization.paper import PAPER

RADII = (Q(1, 10), Q(1, 4), Q(2, 5), Q(9, 20))


@PAPER.identity(
    source="robust fitting needs more expressive power (section on robustness); statement and constants derived",
    fidelity="derived",
    evidence="certified",
    part="primal and dual",
    domain={"m": Integers(3, 8), "rho": Choices(Q(9, 20), *RADII[:3], Q(0), Q(499, 1000))},
    every=True,
    method="exact rationals: a network with one kink at each interior point, and the functional of alternating mean slopes, at most 1 on every extreme "
    "neuron; exact linear programs",
    hypotheses="n = 1, any offset (free bias)",
    not_established="widths are measured by the sum of output weights: a network with parameters in [-1, 1] needs at least so many neurons, and at most "
    "m - 1 more",
    rests_on=("a functional of finitely many values is extreme over [-1, 1]^2 at an extreme neuron of these points",),
)
def robust_width_inflation(m, rho, *, factor=2, base=4):
    r"""$m \ge 3$ points $x_j = jh$, $h = 1/(m-1)$, with alternating labels and perturbation radius $\rho < h/2$ (in code $\rho/h$). The least $\sum_j
    |\alpha_j|$ of $F = \sum_j \alpha_j \phi_j + c_0$ ($\phi_j$ neurons with parameters in $[-1,1]$, any offset) with $yF \ge 1$ on all
    $[x_j - \rho, x_j + \rho] \cap [0, 1]$ equals $\frac{h}{h - 2\rho}$ times the least one for $\rho = 0$, which is $4(m-1)(m-2)$: 8, 24, ... The width for
    robust confidence 1 diverges as $\rho \to h/2$.
    """
    demand = Demand(m, rho, tuple(range(m)), fmpq(1))
    claimed = base * (m - 1) * (m - 2) / (1 - factor * rho)
    F = kinked(demand)
    yield "the network is robust", le(1, demanded_values(demand, F))
    yield "weight of the network", eq(total_weight(F), claimed)
    points, coefficients = alternation(demand)
    signed = [y * v for y, v in zip(nearest_labels(demand, points), coefficients)]
    yield "the functional is at most 1 on neurons", le(on_extreme_neurons(points, coefficients), 1)
    yield "the functional ignores offsets and rewards margins", le([sum(coefficients), 0], [0, min(signed)])
    yield "lower bound", eq(sum(signed), claimed)
    if rho > 0:
        yield curve(
            "Robust width",
            [rho],
            [claimed / (base * (m - 1) * (m - 2))],
            series=f"m = {m}",
            mark="dots",
            axes=("rho/h", "inflation"),
        )


@robust_width_inflation.check(
    "linear program",
    domain={"m": ByBudget(quick=Integers(3, 4), full=Integers(3, 8)), "rho": Choices(Q(9, 20), *RADII[:3], Q(0))},
    every=True,
)
def _linear_program(m, rho, *, factor=2, base=4):
    """The least weight over the relaxed class at the ends of the intervals."""
    least = least_program(Demand(m, rho, tuple(range(m)), fmpq(1)))
    yield "linear program", eq(least, base * (m - 1) * (m - 2) / (1 - factor * rho))


robust_width_inflation.mutant("inflation h/(h - rho)", factor=1, breaks=("lower bound", "linear program"))
robust_width_inflation.mutant("no inflation", factor=0, breaks=("lower bound", "linear program"))
robust_width_inflation.mutant("inflation h/(h - 1.9 rho)", factor=Q(19, 10), breaks=("lower bound", "linear program"))
robust_width_inflation.mutant(
    "clean weight 5 % larger", base=Q(21, 5), breaks=("weight of the network", "linear program")
)
