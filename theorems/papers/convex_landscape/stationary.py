"""Stationary points are optima of the convex program restricted to their own blocks."""

from __future__ import annotations

from itertools import combinations

from flint import arb, fmpq, fmpq_mat

from solvers.certificates import ReluProblem
from solvers.certificates.relu import Neuron, network_value
from solvers.enclosures import precision
from theorems import Arrays, Choices, Given, Integers, Q, eq, le, lt, optimum, symbols
from theorems.papers.convex_landscape import PAPER
from theorems.papers.convex_landscape.instances import BITS, balls, certificate, dot, features, norm, problem, total
from theorems.papers.convex_landscape.polytope import dot_q
from theorems.papers.convex_landscape.stationary_points import (
    MATCH,
    all_blocks,
    blocks,
    is_stationary,
    multipliers,
    stationary_point,
    steepest,
)

CLOSE = Q(1, 10**30)  # the tightness equations may be ill conditioned
HALF = Q(1, 2)
UNSETTLED = 0.05  # largest share of instances for which no stationary point is proven


TRAINED = PAPER.family(
    "trained-networks",
    size=Choices((5, 2), (6, 3), (8, 3)),
    beta=Choices(Q(1, 4), Q(1)),
    X=Given(lambda size: Arrays(Integers(-97, 97), size)),
    y=Given(lambda size: Arrays(Integers(-97, 97), (size[0],))),
    width=Choices(1, 2, 3, 5),
    seed=Integers(0, 10**6),
    where=is_stationary,
    quick=12,
    full=250,
)


@PAPER.identity(
    source="the abstract (all stationary points); sub-sampled programs are the companion papers'",
    fidelity="derived",
    evidence="certified",
    family=TRAINED,
    part="own blocks",
    method="training in doubles only proposes faces; interval Newton proves the exact point; its multipliers on all its blocks in balls; "
    "exact rationals for the examples",
    undecided=UNSETTLED,
    hypotheses="theta is directionally stationary: training in doubles (an active-set method on kinks) ended within 1e-6 in loss of a proven "
    "root of the tightness equations of its faces; where no root is proven the instance counts as undecided",
    not_established="a finite sample of stationary points proves (a) on those points only",
    rests_on=(
        "a network of blocks with dual feasible residual has the value of the restricted program (weak duality)",
    ),
)
def stationary_subsampled_convex(size, beta, X, y, width, seed, *, over=blocks):
    r"""(a) If $\theta$ is directionally stationary, it is an optimum of the convex program restricted to the signed blocks $(i, s)$ whose closed
    cone contains one of its non-zero neurons of that sign. (b) If it is Clarke stationary, the same holds with generalised patterns, entry $t_k \in
    [0, 1]$ at samples on a kink, and no cone there. (c) The converse of (a) fails. (d) A local minimum with an empty slot is global: for stationary
    $\theta$ and unit $u$ with $M = s\nu^\top(Xu)_+ > \beta$, adding $(eu, se)$ changes the loss by exactly $-(M-\beta)e^2 + \|(Xu)_+\|^2 e^4/2$.
    """
    given = problem(X, y, beta, False)
    point = stationary_point(given, width, seed)
    with precision(BITS):
        nu = list(point.nu)
        value = dot(nu, nu) / 2 + arb(beta) ** 2 * total(point.g)
        dual = dot(nu, balls(given.y)) - dot(nu, nu) / 2
        yield "value of its own program", eq(value, dual, within=CLOSE)
        for face, p in zip(point.faces, point.directions):
            yield "length of the directions", eq(dot(p.entries(), p.entries()), arb(beta) ** 2, within=CLOSE)
            for lam in multipliers(given, point, face):
                yield "multipliers on its own blocks", le(0, lam, within=CLOSE)
        yield "loss of the trained network", le(abs(value - arb(point.trained)), MATCH)
        yield "not below the optimum", le(optimum(given, certificate), value + arb(CLOSE))
        for s, i in over(given, point):
            u = steepest(given, point, s, i)
            yield (
                "no direction of its blocks descends",
                le(s * dot(nu, features(given.X, u)), arb(beta) * norm(balls(u))),
            )


stationary_subsampled_convex.mutant(
    "stationary implies global", over=all_blocks, breaks="no direction of its blocks descends"
)


KINK = PAPER.family("kink-examples", example=Choices("Clarke", "converse", "empty slot"), exhaustive=True)
CORNER = ((Q(1), Q(-1)), (Q(0), Q(1)))  # the rows of the first two examples, with the neuron w = (1, 0), a = 1
TOY = ((Q(2), Q(0)), (Q(0), Q(2)), (Q(1), Q(1)))  # the tight atoms of the toy, each of cost 1


@stationary_subsampled_convex.check("examples", family=KINK)
def _examples(example, *, t=HALF, turns=(1,), opened=1, slots=1):
    if example == "Clarke":
        # y = (2, 2), beta = 1: nu = (1, 2), sample 2 on the kink
        p = (Q(1), -1 + 2 * t)
        yield "generalised pattern", le(p[0] ** 2 + p[1] ** 2, 1)
        yield "generalised pattern gives the direction", eq(p[0], 1)
    if example == "converse":
        # y = (2, 1/2): optimal in the block of pattern (1, 1), where c = (1, -1/2) projects to (1, 0)
        given = ReluProblem(CORNER, (Q(2), HALF), Q(1))
        value = network_value(given, [Neuron((Q(1), Q(0)), Q(1))])
        yield "loss of the block's optimum", eq(value, Q(13, 8))
        needed = (0 - Q(-1)) / HALF  # beta u = (1, -1) + t nu_2 (0, 1) with nu_2 = 1/2
        yield "the pattern that it needs", lt(1, needed)
        yield "not the optimum", lt(optimum(given, certificate), value)
        for turn in turns:  # w = (1, +e) stays in the block, w = (1, -e) leaves it
            for e in (Q(1, 10), Q(1, 100), Q(1, 1000)):
                moved = network_value(given, [Neuron((Q(1), turn * e), Q(1))])
                yield "no turn of the neuron descends", le(value, moved)
    if example == "empty slot":
        # toy, y = (1, 1), beta = 1/10: one neuron on the atom (2, 0) with weight 19/40; nu = (1/20, 1)
        nu, beta = (Q(1, 20), Q(1)), Q(1, 10)
        here = (nu[0] ** 2 + nu[1] ** 2) / 2 + beta * Q(19, 40)
        best = least_value(TOY, (Q(1), Q(1)), beta)
        yield "loss", eq(here, Q(54875, 100000))
        yield "least value", eq(best, Q(975, 10000))
        yield "value of the program over its blocks", eq(here, least_value(TOY[:opened], (Q(1), Q(1)), beta))
        M, square = 2 * nu[1], Q(4)  # the atom (0, 2)
        yield "what an empty slot gains", eq(slots * (M - beta) ** 2 / (2 * square), here - best)


def least_value(atoms, y, beta):
    """min |sum c a - y|^2 / 2 + beta sum c over c >= 0, exact: the best stationary point over independent supports."""
    best = dot_q(y, y) / 2
    for size in range(1, len(y) + 1):
        for chosen in combinations(atoms, size):
            A = fmpq_mat([list(a) for a in chosen])
            gram = A * A.transpose()
            if gram.det() != 0:
                c = gram.solve(A * fmpq_mat(len(y), 1, list(y)) - fmpq_mat(size, 1, [beta] * size)).entries()
                if min(c) >= 0:
                    error = [dot_q(c, column) - t for column, t in zip(zip(*chosen), y)]
                    best = min(best, dot_q(error, error) / 2 + beta * sum(c, fmpq(0)))
    return best


stationary_subsampled_convex.mutant("binary pattern at a Clarke point", t=Q(1), breaks="generalised pattern")
stationary_subsampled_convex.mutant("the other binary pattern", t=Q(0), breaks="generalised pattern")
stationary_subsampled_convex.mutant("converse of (a)", turns=(1, -1), breaks="no turn of the neuron descends")
stationary_subsampled_convex.mutant(
    "zero neurons counted in (a)", opened=3, breaks="value of the program over its blocks"
)
stationary_subsampled_convex.mutant("(d) without the empty slot", slots=0, breaks="what an empty slot gains")


@stationary_subsampled_convex.proof(
    "adding a neuron to an empty slot", covers="three samples, all data; more samples add equal terms"
)
def _added_neuron(*, fourth=HALF):
    y, f, h = symbols("y1 y2 y3"), symbols("f1 f2 f3"), symbols("h1 h2 h3")
    e, beta = symbols("e beta", nonnegative=True)
    before = sum((a - b) ** 2 for a, b in zip(f, y)) * HALF
    after = sum((a + e**2 * c - b) ** 2 for a, b, c in zip(f, y, h)) * HALF + beta * (e**2 + e**2) * HALF
    M = sum((b - a) * c for a, b, c in zip(f, y, h))
    yield eq(after - before, -(M - beta) * e**2 + sum(c**2 for c in h) * e**4 * fourth)


stationary_subsampled_convex.mutant("quartic term without 1/2", fourth=Q(1), breaks="adding a neuron to an empty slot")
