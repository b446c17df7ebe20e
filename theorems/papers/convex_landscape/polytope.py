"""The optimal set is a polytope over directions that are read off the dual optimum, whichever dual optimum is taken."""

from __future__ import annotations

from itertools import combinations

from flint import arb, fmpq

from solvers.certificates import ReluProblem
from solvers.enclosures import precision
from solvers.relu.arrangement import arrangement
from solvers.relu.exact import of_problem
from solvers.relu.geometry import Geometry
from solvers.relu.planted import cayley, planted
from solvers.relu.polytope import polytope
from solvers.relu.rational import exact_projection, exact_projections, tight_atoms
from theorems import Arrays, Choices, Given, Integers, Q, Rationals, eq, le, shared, word
from theorems.papers.convex_landscape import PAPER
from theorems.papers.convex_landscape.instances import (
    BITS,
    HARD,
    UNDECIDED,
    balls,
    decided,
    degenerate_problems,
    dot,
    dual_optimum,
    fit,
    norm,
    problem,
    solved,
    total,
    training_problems,
)

CLOSE = Q(1, 10**50)
THIRD = Q(1, 3)
UNIT = {
    2: ((Q(3, 5), Q(4, 5)), (Q(5, 13), Q(12, 13)), (Q(8, 17), Q(15, 17)), (Q(20, 29), Q(21, 29))),
    3: (
        (Q(1, 3), Q(2, 3), Q(2, 3)),
        (Q(2, 7), Q(3, 7), Q(6, 7)),
        (Q(4, 9), Q(4, 9), Q(7, 9)),
        (Q(6, 11), Q(6, 11), Q(7, 11)),
    ),
}


@shared
def plant(d, q, skew, rho, beta, weights):
    """A planted problem (see `solvers.relu.planted`)."""
    return planted(UNIT[d][q], weights, beta, rho, cayley(d, skew))


@shared
def geometry(given):
    """The cells and doubles of a problem."""
    return Geometry(of_problem(given), arrangement(given.X))


def planted_family(name, quick, full, weights, **options):
    """Planted problems in d = 2 and 3."""
    return PAPER.family(
        name,
        d=Choices(2, 3),
        q=Integers(0, 3),
        skew=Given(lambda d: Arrays(Rationals(-2, 2, denominator=6), (d * (d - 1) // 2,))),
        rho=Choices(Q(1), Q(2), Q(1, 3)),
        beta=Choices(Q(1), Q(1, 2), Q(1, 16)),
        weights=Given(lambda d: Arrays(weights, (2**d,))),
        quick=quick,
        full=full,
        **options,
    )


CERTIFIED = training_problems(
    "small-beta", ((5, 2), (6, 2), (6, 3), (7, 3)), (Q(1, 16), Q(1, 4)), 12, 150, where=decided
)
DEGENERATE = degenerate_problems("degenerate-optimal-sets", 12, 200)
PLANTED = planted_family("planted", 20, 300, Integers(0, 4), where=lambda weights: any(weights))


@PAPER.identity(
    source="Theorem 1",
    fidelity="paper",
    evidence="certified",
    family=(CERTIFIED, HARD, DEGENERATE),
    undecided=UNDECIDED,
    part="fixed directions",
    method="tight directions certified in balls or rationals (interval Newton, exact multipliers on every cell); exact vertices of P*",
    hypotheses="none; an instance whose optimal set is not certified counts as undecided",
    not_established="n <= 7, d <= 4 for random data; planted data in d = 2, 3",
    rests_on=(
        "zero duality gap makes every bracket of the excess vanish, and a linear form that is positive somewhere on a cone has one "
        "maximiser on its intersection with the ball",
    ),
)
def optimal_polytope_fixed_directions(X, y, beta, bias, *, projected=True, replaced=False):
    r"""Let the loss be strictly convex. The fit $f^*$ is the same for all optima. With $u_i^*$ the direction of the projection of $X^\top D_i \nu^*$
    onto $K_i$ if its norm is $\beta$, and $0$ otherwise ($v_i^*$ likewise with $-\nu^*$), $(u_i, v_i)$ is optimal iff $u_i = c_i u_i^*$, $v_i = d_i
    v_i^*$ with $c, d \ge 0$ and $\sum_i D_i X (u_i - v_i) = f^*$. This polytope does not depend on the dual optimum that is taken.
    """
    given = problem(X, y, beta, bias)
    solution = solved(given)
    with precision(BITS):
        nu, target, p = dual_optimum(given)
        atoms = solution.structure.atoms
        H = solution.cells.normals
        vectors = [balls(a.vector) for a in atoms]
        for a, vector in zip(atoms, vectors):
            direction = balls(a.u) if projected else _unprojected(solution, nu, a)
            yield "unit", eq(norm(direction), 1, within=CLOSE)
            yield "tight", eq(dot(nu, vector), arb(given.beta), within=CLOSE)
            for h, sign in zip(H, a.pattern):
                height = dot(h, direction)
                yield "in its cone", eq(height, 0, within=CLOSE) if sign == 0 else le(0, sign * height)
        for weights in solution.optimal_polytope.vertices:
            used = [balls(v) for v in vectors]
            if replaced and atoms:
                used[solution.optimal_polytope.supports[0][0]] = balls(
                    _shifted(given, atoms[solution.optimal_polytope.supports[0][0]])
                )
            output = fit(balls(weights), used, len(y))
            error = [t - f for t, f in zip(balls(given.y), output)]
            yield "same fit", eq(output, target, within=CLOSE)
            yield "same objective", eq(dot(error, error) / 2 + arb(given.beta) * total(weights), p, within=CLOSE)


def _unprojected(solution, nu, atom):
    """c / |c| on the first cell that contains the direction."""
    geo = solution.geometry
    cell = next(  # branch
        i for i, signs in enumerate(geo.signs.tolist()) if all(t in (0, s) for s, t in zip(signs, atom.pattern))
    )
    X = solution.problem.X
    on = [v if active else arb(0) for v, active in zip(nu, geo.active[cell])]
    c = [atom.s * dot(column, on) for column in zip(*X)]
    length = norm(c)
    return [v / length for v in c]


def _shifted(given, atom):
    """The atom of a unit direction close to a tight one."""
    u = balls(atom.u)
    moved = [u[0] + arb(1) / 8, *u[1:]]
    length = norm(moved)
    images = [dot(row, moved) / length for row in given.X]
    return [atom.s * z if z > 0 else arb(0) for z in images]


optimal_polytope_fixed_directions.mutant(
    "direction c_i / |c_i| without projection", projected=False, breaks="in its cone"
)
optimal_polytope_fixed_directions.mutant(
    "an atom replaced by a direction nearby", replaced=True, breaks=("same fit", "same objective")
)


@optimal_polytope_fixed_directions.check("planted", family=PLANTED)
def _planted(d, q, skew, rho, beta, weights, *, mixture=THIRD, replaced=False):
    P = plant(d, q, skew, rho, beta, weights)
    geo = geometry(P.problem)
    atoms = tight_atoms(geo, P.nu) or ()
    yield (
        "planted directions are the tight ones",
        eq(_set((a.s, a.u) for a in atoms), _set((1, u) for u in P.directions)),
    )
    yield "planted dual is feasible", le(squares(geo, P.nu), beta * beta)
    found = polytope([a.vector for a in atoms], P.fit)
    points = [list(v) for v in found.vertices]
    first, last = points[0], points[-1]
    points.append([mixture * s + (1 - mixture) * t for s, t in zip(first, last)])
    for c in points:
        output = [dot_q(c, column) for column in zip(*[a.vector for a in atoms])]
        error = [t - f for t, f in zip(P.problem.y, output)]
        yield "planted objective", eq(dot_q(error, error) / 2 + beta * sum(c), P.value)


def squares(geo, nu):
    """The squared lengths of the exact projections of +-c_i onto all cells, for a rational nu."""
    found = []
    for s, i, u in exact_projections(geo, nu, 0.0):
        u = _projection(geo, nu, s, i) if u is None else u
        found.append(dot_q(u, u))
    return found


def _projection(geo, nu, s, i):
    """The exact projection of s c_i onto cell i, over all sets of its facets: where doubles guess a wrong set."""
    X = geo.data.problem.X
    on = [v if active else fmpq(0) for v, active in zip(nu, geo.active[i])]
    c = [s * dot_q(column, on) for column in zip(*X)]
    facets = [int(k) for k in geo.facets[i] if k >= 0]
    normals = [[int(v) for v in h] for h in geo.cells.normals]
    for size in range(len(c) + 1):
        for support in combinations(facets, size):
            u = exact_projection(c, normals, geo.signs[i].tolist(), support)
            if u is not None:
                return u
    raise ArithmeticError(f"no set of facets of cell {i} gives the projection of {c}")


def dot_q(a, b):
    """An exact inner product."""
    return sum((x * y for x, y in zip(a, b)), fmpq(0))


def _set(pairs):
    """A set of signed rational directions as a word."""
    return word(tuple(sorted(f"{s}:{','.join(map(str, u))}" for s, u in pairs)))


PATTERNS = ((1, 0, 0, 0), (1, 1, 0, 0), (1, 0, 2, 0), (0, 3, 0, 1), (0, 0, 1, 1), (0, 0, 0, 2))
DUALS = PAPER.family(
    "several-dual-optima",
    q=Integers(0, 3),
    skew=Arrays(Rationals(-2, 2, denominator=6), (1,)),
    rho=Choices(Q(1), Q(2), Q(1, 3)),
    pattern=Choices(*PATTERNS),
    scale=Choices(Q(1), Q(5, 7)),
    quick=10,
    full=300,
)
TIMES = (Q(1), Q(1, 2), Q(0), Q(-1, 2), Q(-1))


@optimal_polytope_fixed_directions.check("choice of the dual optimum", family=DUALS)
def _dual_choice(q, skew, rho, pattern, scale, *, times=TIMES, idle=False):
    P = plant(2, q, skew, rho, Q(1), tuple(scale * w for w in pattern))
    fitted = P.fit  # the interpolation problem: min sum |a| |w| with f = y
    given = ReluProblem(P.problem.X, fitted, Q(1))
    geo = geometry(given)
    reference = None
    for t in times:
        nu = tuple(v * t if target == 0 else v for v, target in zip(P.nu, fitted))
        yield "value", eq(dot_q(nu, fitted), sum(scale * w for w in pattern))
        yield "feasible", le(squares(geo, nu), 1)
        atoms = tight_atoms(geo, nu)
        if atoms is None:
            raise ArithmeticError("a projection onto a cell was not found exactly")
        found = polytope([a.vector for a in atoms], fitted)
        vertices = sorted(_vertex(atoms, c, idle) for c in found.vertices)
        reference = reference or word(tuple(vertices))
        yield "same polytope", eq(word(tuple(vertices)), reference)


def _vertex(atoms, weights, idle):
    """A vertex of P* as a text: its signed directions with their weights; `idle`: also those of weight 0."""
    used = [(a, c) for a, c in zip(atoms, weights) if idle or c != 0]
    return ";".join(sorted(f"{a.s}:{','.join(map(str, a.u))}={c}" for a, c in used))


optimal_polytope_fixed_directions.mutant(
    "the tight list does not depend on the dual optimum", idle=True, breaks="same polytope"
)
optimal_polytope_fixed_directions.mutant(
    "dual optimum scaled by 11/10 where y = 0", times=(Q(1), Q(11, 10)), breaks="feasible"
)


GRID = PAPER.family("one-sample", g=Choices(*(Q(k, 8) for k in range(17))), exhaustive=True)


@optimal_polytope_fixed_directions.check("uniqueness needs a strictly convex loss", family=GRID)
def _strict(g, *, power=2):
    # n = 1, x = 1, y = 1, beta = 1: the fit is g >= 0 at cost g; strictly convex loss: only g = 0 has the least value
    def value(g):
        error = abs(g - 1)
        return (error * error / 2 if power == 2 else error) + g

    yield "unique fit", le(0 if g == 0 else Q(1, 10**6), value(g) - value(Q(0)))


optimal_polytope_fixed_directions.mutant("loss |f - y|, merely convex", power=1, breaks="unique fit")
