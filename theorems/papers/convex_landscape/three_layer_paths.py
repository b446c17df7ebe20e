"""Connectivity of the optimal parallel three-layer networks, and paths along which their loss never increases."""

from __future__ import annotations

from itertools import pairwise

from flint import arb

from solvers.certificates import ReluProblem
from solvers.enclosures import precision
from solvers.relu.paths import nonincreasing_path as path_to
from solvers.relu.polytope import polytope
from solvers.relu.pruning import Units
from solvers.relu.three_layer import Unit, loss, output, penalty, weights
from theorems import Arrays, Choices, Given, Integers, Q, Rationals, dyadic, eq, le
from theorems.papers.convex_landscape import PAPER
from theorems.papers.convex_landscape.instances import BITS, solved
from theorems.papers.convex_landscape.paths import listed
from theorems.papers.convex_landscape.polytope import UNIT, dot_q, plant
from theorems.papers.convex_landscape.staircase import SYSTEMS, optimal_polytope, steps_of
from theorems.papers.convex_landscape.three_layers import GAP, STRICT, program


def _vector(d, row):
    """A Pythagorean vector of rational length, zero allowed, and its sign: from three small integers."""
    q = UNIT[d][int(row[0]) % 4]
    size = Q(int(row[2]) % 7, 3)
    z = tuple(size * (v if (int(row[1]) >> i) % 2 == 0 else -v) for i, v in enumerate(q))
    return z, size, 1 if (int(row[1]) >> d) % 2 == 0 else -1


UNITS = PAPER.family(
    "three-layer-starts",
    d=2,
    q=Integers(0, 3),
    skew=Arrays(Rationals(-2, 2, denominator=6), (1,)),
    rho=Choices(Q(1), Q(2)),
    beta=Choices(Q(1, 2), Q(1)),
    kind=Choices("generic", "repeated"),
    targets=Given(lambda kind: Arrays(Integers(0, 3) if kind == "repeated" else Rationals(0, 5, denominator=9), (4,))),
    rows=Arrays(Integers(0, 15), (10, 3)),
    outer=Arrays(Choices(1, -1), (5,)),
    where=lambda targets: any(targets),
    quick=10,
    full=500,
)


def start_units(P, rows, outer, kind):
    """Five three-layer units with rational lengths, and their outputs and costs."""
    units = []
    table = rows.tolist()
    for k in range(5):
        at = (k % 2 if kind == "repeated" else k) * 2
        first, size, s1 = _vector(2, [table[at][0], table[at][1], 1 + int(table[at][2]) % 6])
        second, other, s2 = _vector(2, table[at + 1])
        units.append((Unit((first, second), (s1, s2), outer[k]), size + other))
    return units


def network_of(P, c):
    """The units of a point of P*: its first hidden neuron carries the weight, the second is empty."""
    zero = (Q(0), Q(0))
    return [Unit((tuple(w * v for v in u), zero), (1, 1), 1) for w, u in zip(c, P.directions) if w != 0]


def in_units(P, first, second):
    """The loss in balls halfway between two optima in different units, each at half its weight."""
    return loss(P.problem, network_of(P, [w / 2 for w in first]) + network_of(P, [w / 2 for w in second]))


def in_weights(P, first, second):
    """The loss in balls halfway, in the weights, between two optima in the same units, the second in reverse order."""
    empty = ([[arb(0)] * 2] * 2, [arb(0)] * 2, arb(0))
    a, b = [[weights(u) for u in network_of(P, c)] for c in (first, second)]
    slots = max(len(a), len(b))
    a, b = a + [empty] * (slots - len(a)), (b + [empty] * (slots - len(b)))[::-1]
    total, fit = arb(0), [arb(0)] * len(P.nu)
    for (W, w, s), (V, v, t) in zip(a, b):
        mean = [[(x + z) / 2 for x, z in zip(p, q)] for p, q in zip(W, V)]
        out, scale = [(x + z) / 2 for x, z in zip(w, v)], (s + t) / 2
        total += penalty(mean, out, scale)
        for i, row in enumerate(P.problem.X):
            hidden = [sum((arb(x) * z for x, z in zip(row, r)), arb(0)).max(arb(0)) for r in mean]
            inner = sum((x * z for x, z in zip(out, hidden)), arb(0)).max(arb(0))
            fit[i] = fit[i] + scale * inner
    error = [f - y for f, y in zip(fit, P.problem.y)]
    return sum((e * e for e in error), arb(0)) / 2 + arb(P.problem.beta) * total


@PAPER.transition(
    source="the abstract: connectivity extends to parallel three-layer networks",
    fidelity="derived",
    evidence="certified",
    family=UNITS,
    part="paths",
    method="(a) exact rationals, as for two layers, with units in place of neurons; mapped weights in balls. (b) exact vertices and the finite "
    "graph at twice the width",
    hypotheses="(b) nu* > 0",
    not_established="planted data, n = 4; the named systems of atoms",
    rests_on=(
        "for nu* > 0 the negative hidden signs may be dropped, so p3 = p2 and each non-zero z_h lies on a tight ray: two independent slots a unit",
    ),
)
def parallel_three_layer_connectivity(q, skew, rho, beta, kind, targets, rows, outer, *, halfway=in_units):
    r"""Networks of $m$ parallel three-layer units of two hidden neurons. (a) If $m \ge n + 1$, a path with non-increasing loss leads from any network to
    any prescribed global optimum; so the optimal set is connected. (b) If $\nu^* > 0$ for the two-layer problem, then $p_3 = p_2$, and components
    and isolated points of the optimal set at $m$ are those of the two-layer staircase at $2m$; connected from $\lceil \min(m^* + M^*,
    \mathrm{rank} + 1)/2 \rceil$ on.
    """
    P = plant(2, q, tuple(skew), rho, beta, tuple(targets))
    started = start_units(P, rows, outer, kind)
    outputs = tuple(P.atoms) + tuple(tuple(output(P.problem.X, u)) for u, _ in started)
    units = Units(outputs, (Q(1),) * 4 + tuple(k for _, k in started))
    start = {4 + k: Q(1) for k in range(5)}
    target = {j: w for j, w in enumerate(P.weights) if w != 0}
    pieces = path_to(units, start, target, P.nu, P.problem.beta)
    here = start
    for piece in pieces:
        before, after = units.fit(piece.start), units.fit(piece.end)
        moved = dot_q([f - t for f, t in zip(after, P.problem.y)], [b - a for a, b in zip(before, after)])
        yield "continuous", eq(listed(piece.start), listed(here))
        yield "loss does not increase", le(moved + beta * (units.cost(piece.end) - units.cost(piece.start)), 0)
        yield "units in use", le(len(piece.used), 5)
        here = piece.end
    yield "ends at the prescribed optimum", eq(listed(here), listed(target))
    with precision(BITS):
        yield (
            "cubic loss of the optimum",
            eq(loss(P.problem, network_of(P, P.weights)), arb(P.value), within=Q(1, 10**50)),
        )
        yield "other networks are not below", le(P.value, loss(P.problem, [u for u, _ in started]))
        for first, second in pairwise(polytope(P.atoms, P.fit).vertices):
            yield "halfway between two optima", eq(halfway(P, first, second), arb(P.value), within=Q(1, 10**50))


KNOWN = {
    "toy": ((1, 3, 2), (2, 1, 0)),
    "square": ((1, 4, 4), (2, 1, 0)),
    "hexagon": ((1, 0, 0), (2, 2, 0), (3, 1, 0)),
    "octahedron": ((1, 8, 8), (2, 49, 48), (3, 1, 0)),
}
SYSTEM_WIDTHS = PAPER.family("three-layer-systems", system=Choices(*KNOWN), every=True)


def half_threshold(P, n):
    """Half of min(m* + M*, rank + 1), rounded up."""
    return -(-P.threshold // 2)


@parallel_three_layer_connectivity.check("named systems at twice the width", family=SYSTEM_WIDTHS)
def _systems(system, *, slots=2, earlier=0, needed=half_threshold):
    atoms, f, *_ = SYSTEMS[system]
    P = optimal_polytope(atoms, f)
    widths = tuple(m for m, _, _ in KNOWN[system])
    found = steps_of(P.supports, tuple(slots * m for m in widths))
    yield (
        "components and isolated points",
        eq([(m, s.components, s.isolated) for m, s in zip(widths, found)], KNOWN[system]),
    )
    (step,) = steps_of(P.supports, (2 * (half_threshold(P, len(f)) - earlier),))
    yield "connected from half the threshold on", eq(step.components, 1)
    apart = [m for m, s in zip(widths, found) if s.components != 1]
    yield "units that these systems need", eq(1 + max(apart), needed(P, len(f)))


POSITIVE = PAPER.family("positive-dual", beta=Choices(Q(1), Q(1, 2)), every=True)


@parallel_three_layer_connectivity.check("values agree when nu > 0", family=POSITIVE)
def _values(beta, *, data=None):
    # rows (1, 0), (0, 1) and positive targets: nu > 0
    given = data or ReluProblem(((Q(1), Q(0)), (Q(0), Q(1))), (Q(8, 5), Q(9, 5)), beta)
    two = dyadic(solved(given).lower - GAP)
    with precision(BITS):
        found = program(given)
        yield "p3 is not below p2", le(two, dyadic(found.lower + GAP))
        yield "a three-layer network is not below p2", le(two, loss(given, found.units))


parallel_three_layer_connectivity.mutant(
    "straight line in weight space between optima", halfway=in_weights, breaks="halfway between two optima"
)
parallel_three_layer_connectivity.mutant(
    "counted like two layers", slots=1, breaks="components and isolated points", anywhere=True
)
parallel_three_layer_connectivity.mutant(
    "n + 1 units are needed", needed=lambda P, n: n + 1, breaks="units that these systems need", anywhere=True
)
parallel_three_layer_connectivity.mutant(
    "connected one unit earlier", earlier=1, breaks="connected from half the threshold on", anywhere=True
)
parallel_three_layer_connectivity.mutant(
    "nu of mixed signs", data=STRICT, breaks="a three-layer network is not below p2"
)
