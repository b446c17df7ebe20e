"""Paths of networks along which the loss never increases, and pruning to irreducible networks, in exact rationals."""

from __future__ import annotations

from itertools import pairwise
from math import isqrt

from flint import fmpq

from solvers.relu.paths import nonincreasing_path as path_to
from solvers.relu.polytope import polytope
from solvers.relu.pruning import Units, prune
from theorems import Arrays, Choices, Given, Integers, Q, Rationals, curve, eq, le, shared, symbols
from theorems.papers.convex_landscape import PAPER
from theorems.papers.convex_landscape.instances import rank
from theorems.papers.convex_landscape.polytope import UNIT, dot_q, plant, planted_family
from theorems.papers.convex_landscape.staircase import SYSTEMS, optimal_polytope, steps_of

NEURON = Arrays(Integers(0, 11), (7, 3))  # direction, signs of its entries, sign of the output weight


def _direction(d, row):
    """A Pythagorean direction and a sign from three small integers."""
    q = UNIT[d][int(row[0]) % 4]
    shifted = q[int(row[0]) % d :] + q[: int(row[0]) % d]
    u = [v if (int(row[1]) >> i) % 2 == 0 else -v for i, v in enumerate(shifted)]
    return u, 1 if int(row[2]) % 2 == 0 else -1


@shared
def start_network(P, d, neurons, sizes, kind):
    """Units (atoms of P first, then n + 1 start neurons) and the start's weights."""
    n = len(P.nu)
    outputs, weights = list(P.atoms), {}
    for k in range(n + 1):
        u, sign = _direction(d, neurons.tolist()[k % 2 if kind == "repeated" else k])
        image = [sum((a * b for a, b in zip(row, u)), fmpq(0)) for row in P.problem.X]
        outputs.append(tuple(sign * v if v > 0 else fmpq(0) for v in image))
        weights[len(P.atoms) + k] = sizes[k]
    if kind == "one atom":
        # a stationary point of one atom: the best weight on a tight direction
        a = P.atoms[0]
        best = (dot_q(P.problem.y, a) - P.problem.beta) / dot_q(a, a)
        weights = {0: best}
    return Units(tuple(outputs), (fmpq(1),) * len(outputs)), weights


def _target(P):
    return {j: w for j, w in enumerate(P.weights) if w != 0}


def _problem_of(d, q, skew, rho, beta, weights):
    return plant(d, q, tuple(skew), rho, beta, tuple(weights))


def _fits(d, weights):
    """The target fits into n + 1 = 2 d + 1 slots and is not zero."""
    return 0 < sum(w != 0 for w in weights) <= 2 * d + 1


STARTS = PAPER.family(
    "starts",
    d=Choices(2, 3),
    q=Integers(0, 3),
    skew=Given(lambda d: Arrays(Rationals(-2, 2, denominator=6), (d * (d - 1) // 2,))),
    rho=Choices(Q(1), Q(2), Q(1, 3)),
    beta=Choices(Q(1, 2), Q(1), Q(1, 16)),
    kind=Choices("generic", "one atom", "repeated"),
    weights=Given(
        lambda d, kind: Arrays(Integers(0, 3) if kind == "repeated" else Rationals(0, 5, denominator=9), (2**d,))
    ),
    neurons=NEURON,
    sizes=Arrays(Rationals(Q(1, 9), 6, denominator=9), (7,)),
    where=_fits,
    quick=12,
    full=300,
)


def loss(P, units, q):
    """The exact loss."""
    error = [f - t for f, t in zip(units.fit(q), P.problem.y)]
    return dot_q(error, error) / 2 + P.problem.beta * units.cost(q)


def slope_at_end(P, units, piece):
    """The derivative of the loss along a segment at its end: the largest, since the loss is convex on it."""
    before, after = units.fit(piece.start), units.fit(piece.end)
    moved = dot_q([f - t for f, t in zip(after, P.problem.y)], [b - a for a, b in zip(before, after)])
    return moved + P.problem.beta * (units.cost(piece.end) - units.cost(piece.start))


def in_atoms(P, first, second):
    """The loss halfway between two optima in the weights of their atoms, exact."""
    half = [(a + b) / 2 for a, b in zip(first, second)]
    error = [dot_q(half, column) - y for column, y in zip(zip(*P.atoms), P.problem.y)]
    return dot_q(error, error) / 2 + P.problem.beta * sum(half, fmpq(0))


def in_weights(P, first, second):
    """The loss of the midpoint in (w, a) of two networks, slot k holding atom k of both supports, w = g u and a = g with g^2 = c.

    Roots of the weights are rounded to rationals: the ends are then networks close to the optima, and the middle is exact.
    """
    d = len(P.directions[0])
    slots = max(sum(c != 0 for c in v) for v in (first, second))

    def network(c):
        used = [(P.directions[j], _root(c[j])) for j in range(len(c)) if c[j] != 0]
        used += [((fmpq(0),) * d, fmpq(0))] * (slots - len(used))
        return [([g * v for v in u], g) for u, g in used]

    neurons = [
        ([(a + b) / 2 for a, b in zip(w, x)], (g + h) / 2)
        for (w, g), (x, h) in zip(network(first), network(second)[::-1])
    ]
    f = [fmpq(0)] * len(P.nu)
    penalty = fmpq(0)
    for w, g in neurons:
        penalty += dot_q(w, w) + g * g
        for k, row in enumerate(P.problem.X):
            z = dot_q(row, w)
            f[k] += g * z if z > 0 else 0
    error = [a - b for a, b in zip(f, P.problem.y)]
    return dot_q(error, error) / 2 + P.problem.beta * penalty / 2


def _root(c):
    """A rational close to a square root."""
    scale = 10**12
    return fmpq(isqrt(int((c * scale * scale).floor())), scale)


@PAPER.construction(
    source="the paper's path result; the width n + 1 is recalled",
    fidelity="paper",
    evidence="certified",
    family=STARTS,
    method="exact rationals throughout: directions of rational length, simplex pivots, and the slope of the loss at the end of each segment",
    hypotheses="the loss is the squared one, the target any global optimum (not only a vertex of P*)",
    not_established="planted data with n = 4, 6; starts are balanced networks (balancing keeps the fit and lowers the penalty)",
    rests_on=(
        "a segment in weights over balanced units is a continuous path of networks, and slots are permuted through a free slot",
    ),
)
def nonincreasing_path(d, q, skew, rho, beta, kind, weights, neurons, sizes, *, halfway=in_atoms, mixing=False):
    r"""Let $m \ge n + 1$. From every network of width $m$ a continuous path leads to any prescribed global optimum along which the loss never
    increases. It prunes the start, lowers the cost at fixed fit, moves the fit straight to $f^*$ at least cost, and moves inside the optimal set;
    at most $n + 1$ neurons are non-zero at any time.
    """
    P = _problem_of(d, q, skew, rho, beta, weights)
    units, start = start_network(P, d, neurons, sizes, kind)
    target = _target(P)
    n = len(P.nu)
    pieces = path_to(units, start, target, P.nu, P.problem.beta)
    if mixing:
        pieces = [type(pieces[0])(start, target, 1)] if pieces else []
    here = start
    for piece in pieces:
        yield "continuous", eq(listed(piece.start), listed(here))
        yield "loss does not increase", le(slope_at_end(P, units, piece), 0)
        yield "neurons in use", le(len(piece.used), n + 1)
        here = piece.end
    yield "ends at the prescribed optimum", eq(listed(here), listed(target))
    yield "final loss", eq(loss(P, units, here), P.value)
    for first, second in pairwise(polytope(P.atoms, P.fit).vertices):
        yield "halfway between two optima", le(halfway(P, first, second), P.value)
    if kind == "generic":
        yield drawn(P, units, start, pieces)


def drawn(P, units, start, pieces):
    """The excess loss along the path as a curve: 1 at the start, a segment a unit of time, four points a segment."""
    excess = [loss(P, units, start) - P.value]
    for piece in pieces:
        for t in (Q(1, 4), Q(1, 2), Q(3, 4), Q(1)):
            used = {j: (1 - t) * piece.start.get(j, 0) + t * piece.end.get(j, 0) for j in piece.used}
            excess.append(loss(P, units, used) - P.value)
    return curve(
        "the excess loss along paths from random networks to prescribed optima",
        [k / max(1, len(excess) - 1) for k in range(len(excess))],
        [v / excess[0] if excess[0] else v for v in excess],
        axes=("time", "excess loss / excess of the start"),
    )


def listed(q):
    """Weights by unit as an exact array, opened by the empty unit -1."""
    return ((-1, fmpq(0)), *((j, q[j]) for j in sorted(q)))


nonincreasing_path.mutant(
    "straight line in weight space between two optima", halfway=in_weights, breaks="halfway between two optima"
)
nonincreasing_path.mutant("mixing start and target directly", mixing=True, breaks="neurons in use")


WIDE = PAPER.family("wide-systems", system=Choices(*SYSTEMS), more=Choices(0, 1), every=True)


@nonincreasing_path.check("optimal networks of the named systems are connected", family=WIDE)
def _wide(system, more, *, needed=lambda P, n: n + 1):
    # a path between two optima along which the loss never increases stays in the optimal set
    atoms, f, *_ = SYSTEMS[system]
    P = optimal_polytope(atoms, f)
    (step,) = steps_of(P.supports, (needed(P, len(f)) + more,))
    yield "one component of optima", eq(step.components, 1)


nonincreasing_path.mutant("m = n suffices", needed=lambda P, n: n, breaks="one component of optima")
nonincreasing_path.mutant("m = m* suffices", needed=lambda P, n: P.least, breaks="one component of optima")


@nonincreasing_path.proof(
    "one neuron in the cell of the trap",
    covers="the toy, y = (1, 1), beta = 1/10: all networks of one neuron that is active on the first sample only",
    rests_on=(
        "x_1 = (-sqrt 3, 1) has length 2, so with z = a w.x_1 >= 0 the penalty (|w|^2 + a^2) / 20 is at least z / 20; to leave the "
        "cell, z must vanish or w turn away from x_1, at a loss above that of the trap",
    ),
)
def _one_neuron():
    z = symbols("z", nonnegative=True)
    loss_of_one = ((z - 1) ** 2 + 1) * Q(1, 2) + z * Q(1, 20)
    yield eq(loss_of_one, Q(54875, 100000) + (z - Q(19, 20)) ** 2 * Q(1, 2))


TRAP = PAPER.family("trap", width=Choices(3, 4), every=True)


@nonincreasing_path.check("out of the trap of the toy", family=TRAP)
def _trap(width, *, missing=0):
    # one neuron on the atom (2, 0), weight 19/40, is optimal in its cell; each further neuron may enter another cell
    units = Units(((Q(2), Q(0)), (Q(0), Q(2)), (Q(1), Q(1))), (Q(1),) * 3)
    best = {0: Q(19, 40), 1: Q(19, 40)}
    reached = {j: w for j, w in best.items() if j < width - missing}
    error = [f - 1 for f in units.fit(reached)]
    yield "loss reached from the trap", eq(dot_q(error, error) / 2 + units.cost(reached) / 10, Q(39, 400))


nonincreasing_path.mutant("one neuron leaves the trap", missing=2, breaks="loss reached from the trap")


SPLIT = planted_family("split-optima", 20, 500, Rationals(0, 5, denominator=9), where=lambda weights: any(weights))
TIES = planted_family("split-optima-with-ties", 20, 500, Integers(0, 2), where=lambda weights: any(weights))


@PAPER.construction(
    source="pruning of the companion paper (Mishkin and Pilanci 2023)",
    fidelity="derived",
    evidence="certified",
    family=(SPLIT, TIES),
    method="exact rationals: null vectors of the atoms in use",
    not_established="planted data in d = 2, 3",
)
def minimal_network_pruning(d, q, skew, rho, beta, weights, *, how="null vectors", most=lambda P: P.greatest):
    r"""From any optimal network, moving along null vectors of the atoms in use until a weight vanishes yields, with loss unchanged, an irreducible
    network; its size lies in $[m^*, M^*]$ and is at most the rank of the atoms, so at most $n$.
    """
    P = _problem_of(d, q, skew, rho, beta, weights)
    units = Units(tuple(a for a in P.atoms for _ in range(3)), (fmpq(1),) * (3 * len(P.atoms)))
    start = {
        3 * j + i: w * t for j, w in enumerate(P.weights) if w != 0 for i, t in enumerate((Q(1, 2), Q(1, 3), Q(1, 6)))
    }
    last = prune(units, start)[-1]
    if how == "magnitude":
        last = dict(sorted(start.items(), key=lambda item: -item[1])[: len(last)])
    if how == "deletion":
        last = {j: start[j] for j in last}
    found = polytope(P.atoms, P.fit)
    yield "loss", eq(loss(P, units, last), P.value)
    yield "fit", eq(units.fit(last), P.fit)
    yield "independent", eq(rank([units.outputs[j] for j in last]), len(last))
    yield "size", le((found.least, len(last), len(last)), (len(last), most(found), rank(P.atoms)))


minimal_network_pruning.mutant("pruning by magnitude to the same size", how="magnitude", breaks=("loss", "fit"))
minimal_network_pruning.mutant("deletion without compensation", how="deletion", breaks=("loss", "fit"))
minimal_network_pruning.mutant("pruning reaches m*", most=lambda P: P.least, breaks="size")
