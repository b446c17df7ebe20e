"""The steps of robust accuracy: a width that fits all clean points makes only some of them robust."""

from __future__ import annotations

from itertools import combinations, pairwise

from flint import fmpq

from theorems import ByBudget, Choices, Given, Integers, Q, Rationals, bracket, curve, eq, le, lt, shared
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
from theorems.papers.expressive_generalization.robust import RADII


def cost(m, rho, R, c, combine="sum"):
    """cost(R) = sum_{j=1}^{m-2} (s_{j-1} + s_j); `combine` alters how two indicators act on s_j."""
    if combine == "proportional":  # linear interpolation between clean and robust
        clean, robust = (cost(m, rho, S, c) for S in ((), tuple(range(m))))
        return clean + (robust - clean) * Q(len(R), m)
    robust = [R.count(j) for j in range(m)]
    join = max if combine == "max" else (lambda a, b: a + b)
    s = [2 * c * (m - 1) / (1 - rho * join(a, b)) for a, b in pairwise(robust)]
    return sum((s[j - 1] + s[j] for j in range(1, m - 1)), fmpq(0))


def subsets(m):
    """All sets of points."""
    return [S for size in range(m + 1) for S in combinations(range(m), size)]


@shared
def steps(m: int, rho: fmpq, c: fmpq, combine: str) -> tuple[fmpq, ...]:
    """The least cost(R) with |R| = 0, ..., m."""
    return tuple(min(cost(m, rho, R, c, combine) for R in combinations(range(m), size)) for size in range(m + 1))


SETS = PAPER.family(
    "robust-sets",
    m=ByBudget(quick=Choices(3, 4, 5), full=Choices(3, 4, 5, 6)),
    rho=Choices(Q(9, 20), *RADII[:3]),
    c=Choices(Q(1, 7)),
    R=Given(lambda m: Choices(*subsets(m))),
    every=True,
)
RANDOM = PAPER.family(
    "robust-sets-at-random",
    m=Integers(3, 9),
    rho=Rationals(0, Q(1, 2), open="right"),
    c=Rationals(0, 3, open="left"),
    R=Given(lambda m: Choices(*subsets(m))),
    quick=40,
    full=2000,
)


@PAPER.transition(
    source="abstract: a width that fits all clean points may be unable to be robust; statement and constants derived",
    fidelity="derived",
    evidence="certified",
    part="primal and dual",
    family=(SETS, RANDOM),
    method="exact rationals: a network with one kink at each interior point, and the functional of alternating mean slopes, at most 1 on every extreme "
    "neuron; exact linear programs",
    hypotheses="n = 1, any offset (free bias)",
    not_established="what signs alone need: robustness is asked at the confidence c, of networks that have it at every clean point. Widths are measured by "
    "the sum of output weights; robust overfitting as a phenomenon of training is no subject of the theory",
    rests_on=("a functional of finitely many values is extreme over [-1, 1]^2 at an extreme neuron of these points",),
)
def robust_accuracy_staircase(m, rho, c, R, *, combine="sum"):
    r"""$m \ge 3$ points $x_j = jh$, $h = 1/(m-1)$, alternating labels, radius $\rho h$ with $0 \le \rho < 1/2$, confidence $c > 0$. Let $R$ be the set of
    points with $y_j F \ge c$ on all of $[x_j - \rho h, x_j + \rho h] \cap [0, 1]$, while $y_i F(x_i) \ge c$ at every point. The least $\sum_j |\alpha_j|$ of
    such a network with parameters $(w, b)$ in $[-1,1]$ and any offset is exactly
    $$\mathrm{cost}(R) = \sum_{j=1}^{m-2} (s_{j-1} + s_j), \qquad s_j = \frac{2c}{h\,(1 - \rho(1[j \in R] + 1[j+1 \in R]))}.$$
    Hence with $W_0 = \mathrm{cost}(\emptyset) = 4c(m-1)(m-2)$: for $W_0 \le W < W_0/(1 - 2\rho)$ a network of weight $W$ can have clean accuracy 1 at
    confidence $c$, but then the share of points that are robust at confidence $c$ is at most $\max\{|R| : \mathrm{cost}(R) \le W\}/m < 1$.
    """
    demand = Demand(m, rho, R, c)
    claimed = cost(m, rho, R, c, combine)
    F = kinked(demand)
    yield "the network is robust on R", le(c, demanded_values(demand, F))
    yield "weight of the network", eq(total_weight(F), claimed)
    points, coefficients = alternation(demand)
    signed = [y * v for y, v in zip(nearest_labels(demand, points), coefficients)]
    yield "the functional is at most 1 on neurons", le(on_extreme_neurons(points, coefficients), 1)
    yield "the functional ignores offsets and rewards margins", le([sum(coefficients), 0], [0, min(signed)])
    yield "lower bound", eq(c * sum(signed), claimed)


@robust_accuracy_staircase.check(
    "linear programs",
    domain={
        "m": ByBudget(quick=Choices(3, 4), full=Choices(3, 4, 5, 6)),
        "rho": Choices(Q(9, 20), *RADII[:3]),
        "R": Given(lambda m: Choices(*subsets(m))),
    },
    every=True,
)
def _linear_programs(m, rho, R, *, combine="sum"):
    """The least weight over the relaxed class."""
    c = Q(1, 7)
    yield "linear programs", eq(least_program(Demand(m, rho, R, c)), cost(m, rho, R, c, combine))


@robust_accuracy_staircase.check(
    "staircase",
    domain={"m": ByBudget(quick=Choices(3), full=Choices(3, 4, 5)), "rho": Choices(Q(9, 20), *RADII[:3])},
    every=True,
)
def _staircase(m, rho, *, full_at="W0/(1 - 2 rho)"):
    """Robust accuracy by linear programs over all sets, as the weight passes W0/(1 - 2 rho)."""
    c = Q(1, 7)
    W0 = 4 * c * (m - 1) * (m - 2)
    last = W0 / (1 - 2 * rho)
    weights = {R: least_program(Demand(m, rho, R, c)) for R in subsets(m)}

    def accuracy(W):
        return Q(max(len(R) for R, w in weights.items() if w <= W), m)

    predicted = {"W0/(1 - 2 rho)": last, "W0": W0, "W0/(1 - rho)": W0 / (1 - rho)}[full_at]
    controls = [W0, (W0 + last) / 2, last * Q(999, 1000), last * Q(1001, 1000), 2 * last]
    yield "robust accuracy 1", bracket(predicted, controls, accuracy, level=1 - Q(1, 2 * m))
    yield "clean accuracy 1 at W0", eq(weights[()], W0)


TABLE = {
    Q(1, 4): (Q(25, 24), Q(13, 12), Q(5, 4), Q(17, 12), Q(5, 3), 2),
    Q(2, 5): (Q(13, 12), Q(7, 6), Q(3, 2), Q(25, 12), Q(10, 3), 5),
}


@robust_accuracy_staircase.check("critical widths", domain={"m": Choices(6), "rho": Choices(*TABLE)}, every=True)
def _critical_widths(m, rho, *, combine="sum"):
    """Steps for six points in units of W0, and the picture."""
    found = steps(m, rho, fmpq(1), combine)
    yield "critical widths for m = 6", eq([w / found[0] for w in found[1:]], TABLE[rho])
    yield "robust accuracy below 1 until the last step", lt(found[:-1], found[0] / (1 - 2 * rho))
    corners = [(w / found[0], size) for size, w in enumerate(found)]
    x = [v for (a, _), (b, _) in pairwise(corners) for v in (a, b)] + [corners[-1][0]]
    y = [Q(size, m) for size in range(m) for _ in range(2)] + [fmpq(1)]
    yield curve("Robust accuracy of six points", x, y, series=f"rho = {rho}", axes=("W/W0", "robust accuracy"))


robust_accuracy_staircase.mutant(
    "cost proportional to |R|",
    combine="proportional",
    breaks=("lower bound", "linear programs", "critical widths for m = 6"),
)
robust_accuracy_staircase.mutant(
    "the larger of the two indicators in s_j", combine="max", breaks=("lower bound", "linear programs")
)
robust_accuracy_staircase.mutant("robust accuracy 1 at W0", full_at="W0", breaks="robust accuracy 1")
robust_accuracy_staircase.mutant(
    "robust accuracy 1 at W0/(1 - rho)", full_at="W0/(1 - rho)", breaks="robust accuracy 1"
)
