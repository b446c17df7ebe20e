"""Tight directions on the circle: the dual constraint of samples on a line, in every direction (part of the optimal polytope's claim)."""

from __future__ import annotations

from math import pi

from flint import fmpq

from solvers.certificates import ReluProblem
from solvers.enclosures import precision
from solvers.relu.circle import dual_constraint
from theorems import Choices, Q, curve, eq, le
from theorems.papers.convex_landscape import PAPER
from theorems.papers.convex_landscape.instances import BITS, balls, dot, features, solved
from theorems.papers.convex_landscape.polytope import CLOSE, optimal_polytope_fixed_directions


def _line(x, y):
    """Samples x on a line with bias, beta = 1/4."""
    return ReluProblem(tuple((fmpq(v), fmpq(1)) for v in x), tuple(fmpq(v) for v in y), Q(1, 4))


LINES = PAPER.family("samples-on-a-line", y=Choices((2, 0, -1, 0, 1, 3), (0, 1, 0, -1, 0, 2)), every=True)
HALF_TURN = tuple(Q(k, 24) for k in range(-24, 25))


@optimal_polytope_fixed_directions.check("over the circle", family=LINES)
def _circle(y, *, stretch=1):
    # rational directions u = s ((1 - t^2), 2 t) / (1 + t^2), |t| <= 1, s = 1 and -1, go around the circle
    given = _line(range(-2, 4), y)
    solution = solved(given)
    atoms = solution.structure.atoms
    with precision(BITS):
        nu = [v * stretch for v in balls(solution.structure.nu)]
        for s in (1, -1):
            for t in HALF_TURN:
                u = (s * (1 - t * t) / (1 + t * t), s * 2 * t / (1 + t * t))
                yield "on the circle", le(abs(dot(nu, features(given.X, u))), given.beta)
        for a in atoms:
            yield "reached", eq(a.s * dot(nu, [abs(v) for v in balls(a.vector)]), given.beta, within=CLOSE)
    seen = dual_constraint(solution)
    title = f"the dual constraint over the circle of directions, y = {tuple(y)}"
    turns = [v / pi for v in seen.angles.tolist()]
    yield curve(title, turns, seen.values.tolist(), series="constraint", axes=("angle / pi", "dual constraint"))
    yield curve(title, [0], [seen.beta], series="bounds", mark="across")
    yield curve(title, [0], [-seen.beta], series="bounds", mark="across")
    yield curve(
        title, [v / pi for v, _ in seen.tight], [s * seen.beta for _, s in seen.tight], series="tight", mark="rings"
    )


optimal_polytope_fixed_directions.mutant(
    "dual optimum 5 % longer", stretch=Q(21, 20), breaks=("on the circle", "reached")
)
