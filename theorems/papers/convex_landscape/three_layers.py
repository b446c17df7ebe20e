"""Parallel three-layer networks: their convex program, and the connectivity of their optima."""

from __future__ import annotations

import numpy as np
from flint import arb, fmpq

from solvers.certificates import ReluProblem
from solvers.enclosures import precision
from solvers.enclosures.exact import dyadic as binary
from solvers.relu.exact import of_problem
from solvers.relu.paths import nonincreasing_path as path_to
from solvers.relu.pruning import Units
from solvers.relu.three_layer import Unit, loss, output, penalty, solve, weights
from theorems import Approx, Arrays, Choices, Given, Integers, Q, Rationals, dyadic, eq, le, lt, shared
from theorems.papers.convex_landscape import PAPER
from theorems.papers.convex_landscape.instances import BITS, solved
from theorems.papers.convex_landscape.paths import listed
from theorems.papers.convex_landscape.polytope import UNIT, dot_q, plant
from theorems.papers.convex_landscape.staircase import SYSTEMS, optimal_polytope, steps

GAP = Q(1, 10**8)
STRICT = ReluProblem(
    ((Q(0), Q(1)), (Q(-2), Q(1)), (Q(-3, 2), Q(1)), (Q(5, 2), Q(1))), (Q(-11, 4), Q(-5, 2), Q(-2), Q(-5, 4)), Q(1, 16)
)


@shared
def program(given, second_cone=True, noise=0):
    """The solved three-layer program."""
    return solve(given, second_cone=second_cone, noise=float(noise))


def three_layer_problem(case, beta, x, y):
    """The named data set, or one with inputs and targets in quarters and a bias column."""
    if case == "strict gain":
        return STRICT
    return ReluProblem(tuple((fmpq(int(v), 4), Q(1)) for v in x), tuple(fmpq(int(v), 4) for v in y), beta)


THREE = PAPER.family(
    "three-layers",
    case=Choices("random", "strict gain"),
    beta=Choices(Q(1, 8), Q(1, 4), Q(1, 16)),
    n=Choices(3, 3),
    x=Given(lambda n: Arrays(Integers(-12, 12), (n,))),
    y=Given(lambda n: Arrays(Integers(-12, 12), (n,))),
    where=lambda case, beta, n, x, y: len(set(x)) == n and any(y),
    quick=2,
    full=13,
)


def trained_loss(given, width, seed):
    """The loss in balls of a trained three-layer network of some units (dyadic weights)."""
    from scipy.optimize import minimize

    data = of_problem(given)
    n, d = data.X.shape
    size = 2 * d + 3
    rng = np.random.default_rng(seed)

    def parts(theta):
        rows = theta.reshape(width, size)
        return rows[:, : 2 * d].reshape(width, 2, d), rows[:, 2 * d : 2 * d + 2], rows[:, -1]

    def value(theta):
        W, w, a = parts(theta)
        Z = np.einsum("nd,khd->nkh", data.X, W)
        H = np.maximum(Z, 0)
        G = np.einsum("nkh,kh->nk", H, w)
        R = np.maximum(G, 0)
        r = R @ a - data.y
        sizes = [np.sqrt((W**2).sum(axis=(1, 2))), np.sqrt((w**2).sum(axis=1)), np.abs(a)]
        total = r @ r / 2 + data.beta / 3 * sum((s**3).sum() for s in sizes)
        back = (r[:, None] * a) * (G > 0)
        dw = np.einsum("nk,nkh->kh", back, H) + data.beta * sizes[1][:, None] * w
        dW = np.einsum("nk,kh,nkh,nd->khd", back, w, Z > 0, data.X) + data.beta * sizes[0][:, None, None] * W
        da = R.T @ r + data.beta * np.abs(a) * a
        return total, np.concatenate([dW.reshape(width, -1), dw, da[:, None]], axis=1).ravel()

    theta = minimize(value, rng.normal(size=width * size), jac=True, method="L-BFGS-B").x
    W, w, a = parts(theta)
    fit, total = [fmpq(0)] * n, arb(0)
    for k in range(width):
        hidden = [[binary(float(v)) for v in W[k, h]] for h in (0, 1)]
        outer = [binary(float(v)) for v in w[k]]
        scale = binary(float(a[k]))
        for i, row in enumerate(given.X):
            inner = sum((s * max(dot_q(row, z), Q(0)) for z, s in zip(hidden, outer)), Q(0))
            fit[i] += scale * max(inner, Q(0))
        total += penalty([[arb(v) for v in z] for z in hidden], [arb(v) for v in outer], arb(scale))
    error = [f - t for f, t in zip(fit, given.y)]
    return arb(dot_q(error, error)) / 2 + arb(given.beta) * total


@PAPER.identity(
    source="three-layer theorem of the paper; the regulariser is recalled",
    fidelity="recalled",
    evidence="certified",
    family=THREE,
    part="mapped network",
    method="the second-order cone program solved in doubles; its multipliers, clipped and taken as dyadic numbers, give an exact dual bound on "
    "all blocks; the network that is mapped back is evaluated in balls",
    not_established="data sets of 3 and 4 samples in one dimension with bias; the value is enclosed to 1e-8. Directions are compared in doubles",
    rests_on=(
        "AM-GM on the cubes, and |W|_F |w| >= sum_h |w_h| |W_h|",
        "the listed blocks contain every unit: pairs of different signed cells not both negative, and all non-zero second-layer patterns",
    ),
)
def parallel_three_layer_reformulation(case, beta, x, y, *, second_cone=True, power=3):
    r"""Let $f = \sum_k a_k ((XW_k)_+ w_k)_+$, $W_k \in \mathbb{R}^{d \times 2}$, with penalty $\frac\beta3\sum(\|W_k\|_F^3+\|w_k\|^3+|a_k|^3)$. The value
    $p_3$ of the training problem is that of the convex program over blocks $((i,s_1),(j,s_2),D',s)$: $z_1 \in K_i$, $z_2 \in K_j$, $(2D'-I)(s_1
    D_iXz_1+s_2 D_jXz_2)\ge 0$, feature $s D'(s_1 D_iXz_1+s_2 D_jXz_2)$, cost $\beta(\|z_1\|+\|z_2\|)$; there is no gap, $p_3 \le p_2$, and in each
    block each $z_h$ has one direction over all optima.
    """
    given = three_layer_problem(case, beta, x, y)
    found = program(given, second_cone)
    with precision(BITS):
        mapped = loss(given, found.units, power)
        yield "dual bound", le(dyadic(found.lower), mapped)
        yield "mapped network", le(mapped, dyadic(found.lower + GAP))
        yield "at most the two-layer value", le(mapped, dyadic(solved(given).upper + GAP))
        for seed in range(2):
            yield "no trained network is below", le(dyadic(found.lower), trained_loss(given, 4, seed))


parallel_three_layer_reformulation.mutant(
    "second-layer cones dropped", second_cone=False, breaks=("mapped network", "dual bound")
)
parallel_three_layer_reformulation.mutant("quadratic weight decay", power=2, breaks=("mapped network", "dual bound"))
parallel_three_layer_reformulation.mutant("two layers suffice", two_suffice=True, breaks="strictly below two layers")

GAIN = PAPER.family("strict-gain", case=Choices("strict gain"), every=True)


@parallel_three_layer_reformulation.check("data with a strict gain", family=GAIN)
def _strict_gain(case, *, two_suffice=False):
    with precision(BITS):
        mapped = loss(STRICT, program(STRICT).units)
        two = dyadic(solved(STRICT).lower)
        yield "strictly below two layers", le(two, mapped) if two_suffice else lt(mapped, two)


PERTURBED = PAPER.family(
    "three-layers-perturbed",
    case=Choices("random"),
    beta=Choices(Q(1, 8), Q(1, 4)),
    n=3,
    x=Given(lambda n: Arrays(Integers(-12, 12), (n,))),
    y=Given(lambda n: Arrays(Integers(-12, 12), (n,))),
    where=lambda case, beta, n, x, y: len(set(x)) == n and any(y),
    quick=1,
    full=12,
)


@parallel_three_layer_reformulation.crosscheck("one direction in each block", family=PERTURBED)
def _directions(case, beta, x, y):
    given = three_layer_problem(case, beta, x, y)
    first, second = program(given), program(given, True, Q(1, 10**5))
    gaps = [
        1 - float(first.directions[k][1] @ second.directions[k][1])
        for k in first.directions
        if k in second.directions and min(first.directions[k][0], second.directions[k][0]) > 1e-3  # branch
    ]
    yield "cosine", le(Approx(max(gaps, default=0.0), 1e-9), Approx(1e-5, 0.0))


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
def parallel_three_layer_connectivity(q, skew, rho, beta, kind, targets, rows, outer, *, straight=False):
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
    zero = (Q(0), Q(0))
    optimum = [Unit((tuple(w * v for v in P.directions[j]), zero), (1, 1), 1) for j, w in target.items()]
    with precision(BITS):
        yield "cubic loss of the optimum", eq(loss(P.problem, optimum), arb(P.value), within=Q(1, 10**50))
        yield "other networks are not below", le(P.value, loss(P.problem, [u for u, _ in started]))
        if straight and len(optimum) > 1:
            yield "straight line in weight space", le(_middle(P, optimum), P.value)


def _middle(P, optimum):
    """The loss in balls halfway, in the weights, between an optimal network and the same with its units in reverse order."""
    first = [weights(u) for u in optimum]
    total, fit = arb(0), [arb(0)] * len(P.nu)
    for (W, w, a), (V, v, b) in zip(first, first[::-1]):
        mean = [[(s + t) / 2 for s, t in zip(r, z)] for r, z in zip(W, V)]
        out, scale = [(s + t) / 2 for s, t in zip(w, v)], (a + b) / 2
        total += penalty(mean, out, scale)
        for i, row in enumerate(P.problem.X):
            hidden = [sum((arb(x) * z for x, z in zip(row, r)), arb(0)) for r in mean]
            inner = sum((s * (z if z > 0 else arb(0)) for s, z in zip(out, hidden)), arb(0))
            fit[i] = fit[i] + scale * inner
    error = [f - t for f, t in zip(fit, P.problem.y)]
    return sum((e * e for e in error), arb(0)) / 2 + arb(P.problem.beta) * total


KNOWN = {
    "toy": ((1, 3, 2), (2, 1, 0)),
    "square": ((1, 4, 4), (2, 1, 0)),
    "hexagon": ((1, 0, 0), (2, 2, 0), (3, 1, 0)),
    "octahedron": ((1, 8, 8), (2, 49, 48), (3, 1, 0)),
}
SYSTEM_WIDTHS = PAPER.family("three-layer-systems", system=Choices(*KNOWN), every=True)


@parallel_three_layer_connectivity.check("named systems at twice the width", family=SYSTEM_WIDTHS)
def _systems(system, *, slots=2, earlier=0, needs=False):
    atoms, f, *_ = SYSTEMS[system]
    P = optimal_polytope(atoms, f)
    widths = tuple(m for m, _, _ in KNOWN[system])
    found = steps(P.supports, tuple(slots * m for m in widths))
    yield (
        "components and isolated points",
        eq([(m, s.components, s.isolated) for m, s in zip(widths, found)], KNOWN[system]),
    )
    first = -(-P.threshold // 2) - earlier
    (step,) = steps(P.supports, (2 * first,))
    yield "connected from half the threshold on", eq(step.components, 1)
    if needs:
        (step,) = steps(P.supports, (2 * first,))
        yield "n + 1 units are needed", lt(1, step.components)


POSITIVE = PAPER.family("positive-dual", beta=Choices(Q(1), Q(1, 2)), every=True)


@parallel_three_layer_connectivity.check("values agree when nu > 0", family=POSITIVE)
def _values(beta, *, mixed=False):
    # rows (1, 0), (0, 1) and positive targets: nu > 0; or data with nu of mixed signs
    given = STRICT if mixed else ReluProblem(((Q(1), Q(0)), (Q(0), Q(1))), (Q(8, 5), Q(9, 5)), beta)
    with precision(BITS):
        found = program(given)
        yield (
            "p3 = p2",
            le(dyadic(solved(given).lower - GAP), dyadic(found.lower + GAP) if not mixed else loss(given, found.units)),
        )


parallel_three_layer_connectivity.mutant(
    "straight line between optima", straight=True, breaks="straight line in weight space"
)
parallel_three_layer_connectivity.mutant(
    "counted like two layers", slots=1, breaks="components and isolated points", anywhere=True
)
parallel_three_layer_connectivity.mutant(
    "n + 1 units are needed", needs=True, breaks="n + 1 units are needed", anywhere=True
)
parallel_three_layer_connectivity.mutant(
    "connected one unit earlier", earlier=1, breaks="connected from half the threshold on", anywhere=True
)
parallel_three_layer_connectivity.mutant("nu of mixed signs", mixed=True, breaks="p3 = p2")
