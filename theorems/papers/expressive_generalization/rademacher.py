"""The Rademacher complexity of a class of width W: linear in W, so that W cancels against the margin kc."""

from __future__ import annotations

from itertools import product

import numpy as np
from flint import arb, fmpq

from solvers.conic import lp
from solvers.shallow_relu import Neuron, Point, extreme_neurons, extreme_neurons_on_line, neuron_values
from theorems import Arrays, Choices, Given, Integers, Q, eq, le, shared
from theorems.papers.expressive_generalization.paper import PAPER, hull, on_grid

CELLS = 20
WIDTHS = (1, 4, 16, 64)
CORNERS = tuple(((fmpq(s),), fmpq(t)) for s, t in product((1, -1), repeat=2))


def sign_sums(neurons: tuple[Neuron, ...], points: list[Point], scale: int) -> np.ndarray:
    """|sum_i sigma_i relu(w x_i + b)| times an integer scale that clears denominators: a row for each sign vector, exact integers."""
    entries = [[v * scale for v in row] for row in neuron_values(neurons, points).tolist()]
    table = np.array([[int(v.p) for v in row] for row in entries], dtype=np.int64)
    if any(v.q != 1 for row in entries for v in row) or abs(table).max() >= 2**40:
        raise ArithmeticError(f"the scale {scale} leaves denominators or large integers in the neurons' values")
    signs = np.array(list(product((1, -1), repeat=len(points))), dtype=np.int64)
    return np.abs(signs @ table)


def means(neurons: tuple[Neuron, ...], points: list[Point], scale: int) -> tuple[fmpq, fmpq]:
    """E max over neurons of |sum_i sigma_i phi(x_i)| and E|sum_i sigma_i|, exactly."""
    N = len(points)
    best = int(sign_sums(neurons, points, scale).max(axis=1).sum())
    offset = sum(abs(sum(s)) for s in product((1, -1), repeat=N))
    return Q(best, scale * 2**N), Q(offset, 2**N)


@shared
def complexity(places: tuple[int, ...]) -> tuple[fmpq, fmpq]:
    """The two means on the line."""
    points = on_grid(places, CELLS)
    return means(extreme_neurons_on_line(points), [(x,) for x in points], CELLS)


def bound(n, N, contraction, root, share):
    """The right sides (2 W (n+1) + 1)/sqrt N for the widths."""

    def right():
        wide = [arb(W).sqrt() if root else arb(W) for W in WIDTHS]
        return [(share * contraction * w * (n + 1) + 1) / arb(N).sqrt() for w in wide]

    return right


ON_A_LINE = PAPER.family(
    "points-on-a-line",
    N=Choices(2, 4, 6, 8, 10, 12, 1, 3),
    places=Given(lambda N: Arrays(Integers(0, CELLS), (N,))),
    quick=48,
    full=400,
)
ALL_ONES = PAPER.family(
    "all-points-at-1",
    N=Choices(1, 2, 3, 4, 6, 8, 10, 12),
    places=Given(lambda N: Choices((CELLS,) * N)),
    every=True,
)


@PAPER.bound(
    source="step of the generalization theorem: the complexity term is independent of W once divided by kc",
    fidelity="derived",
    evidence="certified",
    family=(ALL_ONES, ON_A_LINE),
    part="n = 1",
    method="all 2^N signs, the inner maximum over the extreme neurons in exact integers, right sides in balls; the maximum against an exact "
    "linear program over the relaxed class and against other neurons",
    hypotheses="N <= 12 for n = 1, N <= 5 for n = 2",
    not_established="the bound for n > 2 and for larger N; the largest ratio of both sides is 3/5, at N = 1",
    rests_on=(
        "each neuron chooses (w_j, b_j) and the sign of its output weight for itself, so that the supremum is W times that of one neuron, plus that of the bias "
        "(by linear programs for n = 1)",
        "a convex function of (w, b) that is linear on the cells of the lines w x_i + b = 0 is largest at a vertex of their arrangement in the box",
    ),
)
def rademacher_linear_in_width(N, places, *, contraction=2, root=False, share=1):
    r"""For points $x_1, \dots, x_N \in [0,1]^n$ and independent signs $\sigma$ the empirical Rademacher complexity of $H_W(n)$ (width $W$, parameters in
    $[-1,1]$) is
    $$\mathrm{Rad}_N(H_W) = \frac1N E_\sigma\Bigl[W \max_{|w_j|, |b| \le 1} \bigl|\sum_i \sigma_i \mathrm{relu}(w \cdot x_i + b)\bigr| + \bigl|\sum_i
    \sigma_i\bigr|\Bigr] \le \frac{2W(n+1) + 1}{\sqrt N},$$
    exactly linear in $W$ up to the bias term. For $n = 1$ the maximum is attained at $(\pm1, \pm1)$, $(1, -x_i)$ or $(-1, x_i)$.
    """
    inner, offset = complexity(places)
    yield "bound, n = 1", le([(W * inner + offset) / N for W in WIDTHS], bound(1, N, contraction, root, share))


@rademacher_linear_in_width.check(
    "n = 2",
    domain={"N": Integers(1, 5), "places": Given(lambda N: Arrays(Integers(0, 4), (2 * N,)))},
    quick=6,
    full=60,
)
def _in_the_plane(N, places, *, contraction=2, root=False, share=1):
    points = [(Q(places[2 * i], 4), Q(places[2 * i + 1], 4)) for i in range(N)]
    neurons = extreme_neurons(points)
    values = neuron_values(neurons, points).entries()
    scale = 1
    for v in values:
        scale *= int((v * scale).q)
    inner, offset = means(neurons, points, scale)
    yield "bound, n = 2", le([(W * inner + offset) / N for W in WIDTHS], bound(2, N, contraction, root, share))


@rademacher_linear_in_width.check(
    "supremum",
    domain={
        "N": Choices(2, 3),
        "places": Given(lambda N: Arrays(Integers(0, CELLS), (N,))),
        "W": Choices(1, 4, 16),
    },
    where=lambda places: len(set(places)) == len(places),
    accept=0.5,
    quick=6,
    full=100,
)
def _supremum(N, places, W, *, bias=True):
    """E sup over the relaxed class of sum_i sigma_i F(x_i), by linear programs, against W times the first mean plus the second."""
    inner, offset = complexity(places)
    points = on_grid(places, CELLS)
    total = sum((correlation(points, s, W) for s in product((1, -1), repeat=N)), fmpq(0))
    yield "linear in W", eq(total / 2**N, W * inner + (offset if bias else 0))


def correlation(points, signs, W):
    """max over R_W of sum_i sigma_i F(x_i)."""
    R = hull(points)
    columns = [sum((s * v for s, v in zip(signs, column)), fmpq(0)) for column in zip(*R.table)]
    K = len(columns)
    cost = [*(-v for v in columns), *columns, -sum(signs)]
    bounds: list[tuple[int, int | None]] = [(0, None)] * (2 * K) + [(-1, 1)]
    found = lp(cost, [[1] * (2 * K) + [0]], [W], bounds=bounds)
    return -sum((a * v for a, v in zip(cost, found.x)), fmpq(0))


NEURONS = PAPER.family(
    "neurons",
    N=Choices(6, 4),
    places=Given(lambda N: Arrays(Integers(0, CELLS), (N,))),
    slope=Choices(50, -50, 37, -41),
    shift=Integers(-50, 50),
    quick=40,
    full=2000,
)
INNER_HINGE = PAPER.family(
    "hinge-between-points",
    places=Choices((0, 4, 8, 12, 16, 20)),
    slope=Choices(50, -50),
    shift=Choices(-30, 30),
    every=True,
)


@rademacher_linear_in_width.check("other neurons", family=(INNER_HINGE, NEURONS))
def _other_neurons(places, slope, shift, *, kinks=True):
    """No neuron relu(w x + b) exceeds the extreme ones, whatever the signs."""
    points = on_grid(places, CELLS)
    columns, scale = [(x,) for x in points], 50 * CELLS
    extreme = sign_sums(extreme_neurons_on_line(points) if kinks else CORNERS, columns, scale).max(axis=1)
    other = sign_sums((((Q(slope, 50),), Q(shift, 50)),), columns, scale)[:, 0]
    yield "no other neuron does better", le(other.tolist(), extreme.tolist())


rademacher_linear_in_width.mutant("sqrt(W) in place of W", root=True, breaks="bound, n = 1")
rademacher_linear_in_width.mutant("right side with W (n+1)/8", share=Q(1, 16), breaks="bound, n = 1")
rademacher_linear_in_width.mutant(
    "contraction factor 0.95 in place of 2", contraction=Q(19, 20), on="all-points-at-1", breaks="bound, n = 1"
)
rademacher_linear_in_width.mutant("without the bias term", bias=False, breaks="linear in W")
rademacher_linear_in_width.mutant(
    "corners of the box only", kinks=False, on="hinge-between-points", breaks="no other neuron does better"
)
