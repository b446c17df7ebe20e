"""Solution sets: polytopes, components by width, planted problems, pruning and paths."""

from itertools import product

import networkx
import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat

from solvers.enclosures import precision
from solvers.exact_linalg import identity
from solvers.relu import staircase as trained_staircase
from solvers.relu import train
from solvers.relu.paths import nonincreasing_path
from solvers.relu.planted import cayley, planted
from solvers.relu.polytope import polytope
from solvers.relu.pruning import Units, prune
from solvers.relu.staircase import placements, staircase

SQUARE = [[(1, 1, 0, 0)[(k - j) % 4] for k in range(4)] for j in range(4)]
HEXAGON = [[(2, 1, 0, 0, 0, 1)[(k - j) % 6] for k in range(6)] for j in range(6)]
OCTAHEDRON = [[int(s * t > 0) for s in signs for t in (1, -1)] for signs in product((1, -1), repeat=3)]


@pytest.mark.parametrize(
    ("atoms", "f", "least", "greatest", "steps"),
    [
        ([(2, 0), (0, 2), (1, 1)], (1, 1), 1, 2, [(0, 0, 0), (1, 1, 1), (2, 3, 2), (3, 1, 0)]),
        (SQUARE, [1] * 4, 2, 2, [(1, 0, 0), (2, 4, 4), (3, 2, 0), (4, 1, 0)]),
        (HEXAGON, [1] * 6, 3, 3, [(2, 0, 0), (3, 12, 12), (4, 2, 0), (5, 2, 0), (6, 1, 0)]),
        (OCTAHEDRON, [1] * 6, 2, 4, [(1, 0, 0), (2, 8, 8), (3, 4, 0), (4, 49, 48), (5, 1, 0)]),
    ],
    ids=["toy", "square", "hexagon", "octahedron"],
)
def test_components_by_width_are_the_known_ones(atoms, f, least, greatest, steps):
    P = polytope(atoms, f)
    assert (P.least, P.greatest) == (least, greatest)
    found = staircase(P.supports, [m for m, _, _ in steps])
    assert [(s.width, s.components, s.isolated) for s in found] == steps
    assert P.threshold == steps[-1][0]


def test_components_agree_with_networkx():
    P = polytope(SQUARE, [1] * 4)
    for m in (2, 3, 4):
        rows = [tuple(row) for row in placements(P.supports, m)]
        graph = networkx.Graph()
        graph.add_nodes_from(rows)
        graph.add_edges_from(
            (a, b) for a in rows for b in rows if a < b and all(x == y or not x or not y for x, y in zip(a, b))
        )
        (step,) = staircase(P.supports, [m])
        assert step.components == networkx.number_connected_components(graph)
        assert step.isolated == networkx.number_of_isolates(graph)


def test_large_configuration_graphs_are_refused():
    with pytest.raises(ValueError, match="60480 vertices"):
        staircase([(0, 1, 2, 3, 4, 5)], [9])


@pytest.mark.parametrize("seed", range(6))
def test_planted_optima_are_found_with_their_polytope(seed):
    rng = np.random.default_rng(seed)
    d = 2 + seed % 2
    q = [(fmpq(3, 5), fmpq(4, 5)), (fmpq(1, 3), fmpq(2, 3), fmpq(2, 3))][d - 2]
    rotation = cayley(d, [fmpq(int(v), 4) for v in rng.integers(-5, 6, d * (d - 1) // 2)])
    assert rotation * rotation.transpose() == identity(d)
    P = planted(q, [int(v) for v in rng.integers(0, 4, 2**d)], fmpq(1, 2), 2, rotation)
    s = train(P.problem.X, P.problem.y, P.problem.beta)
    assert s.lower <= P.value <= s.upper
    assert s.structure.kind in ("R", "I")
    if s.structure.kind == "R":
        assert s.structure.nu == P.nu
        assert {a.u for a in s.structure.atoms} == set(P.directions)
        assert s.optimal_polytope.least == polytope(P.atoms, P.fit).least


def test_training_the_rational_square_gives_its_staircase():
    P = planted((fmpq(3, 5), fmpq(4, 5)), [1, 1, 1, 1], fmpq(1, 2))
    s = train(P.problem.X, P.problem.y, P.problem.beta)
    assert (s.m_star, s.M_star, len(s.structure.atoms)) == (2, 2, 4)
    found = trained_staircase(s, range(1, 5))
    assert [(t.width, t.components, t.isolated) for t in found] == [(1, 0, 0), (2, 4, 4), (3, 2, 0), (4, 1, 0)]


@pytest.mark.parametrize("seed", range(4))
def test_vertices_of_antipodal_problems_carry_the_optimal_fit(seed):
    for offset in range(0, 400, 4):  # about half of such data have antipodal pairs
        rng = np.random.default_rng(seed + offset)
        X, y = rng.integers(-97, 98, (6, 1)), rng.integers(-97, 98, 6)
        s = train(X, y, fmpq(2), bias=True)
        if s.structure.kind == "II":
            break
    assert s.structure.kind == "II"
    atoms = [a.vector for a in s.structure.atoms]
    with precision(256):
        for c, support in zip(s.optimal_polytope.vertices, s.optimal_polytope.supports):
            assert [j for j, v in enumerate(c) if v > 0] == list(support)
            for k, (target, v) in enumerate(zip(s.problem.y, s.structure.nu)):
                gap = sum((w * a[k] for w, a in zip(c, atoms)), arb(0)) - (target - v)
                assert abs(gap) < arb(1) / 10**50


def random_network(P, seed):
    rng = np.random.default_rng(seed)
    outputs, costs, start = list(P.atoms), [fmpq(1)] * len(P.atoms), {}
    for _ in range(len(P.nu) + 1):
        u = [int(s) * v for s, v in zip(rng.choice((1, -1), 2), (fmpq(5, 13), fmpq(12, 13)))]
        sign = int(rng.choice((1, -1)))
        image = [sum((a * b for a, b in zip(row, u)), fmpq(0)) for row in P.problem.X]
        outputs.append(tuple(sign * v if v > 0 else fmpq(0) for v in image))
        costs.append(fmpq(1))
        start[len(outputs) - 1] = fmpq(int(rng.integers(1, 9)), 3)
    return Units(tuple(outputs), tuple(costs)), start


@pytest.mark.parametrize("seed", range(12))
def test_paths_never_rise_and_end_at_the_prescribed_optimum(seed):
    weights = [1, 1, 1, 1] if seed % 2 else [2, 0, 1, 3]
    P = planted((fmpq(3, 5), fmpq(4, 5)), weights, fmpq(1, 2), 1, cayley(2, [fmpq(seed, 7)]))
    units, start = random_network(P, seed)
    target = {j: w for j, w in enumerate(P.weights) if w != 0}
    path = nonincreasing_path(units, start, target, P.nu, P.problem.beta)
    here = start
    for piece in path:
        assert piece.start == here
        assert len(piece.used) <= len(P.nu) + 1
        before, after = units.fit(piece.start), units.fit(piece.end)
        # the loss is a convex quadratic on the piece, so its slope at the end is the largest
        slope = sum(((b - t) * (b - a) for a, b, t in zip(before, after, P.problem.y)), fmpq(0))
        assert slope + P.problem.beta * (units.cost(piece.end) - units.cost(piece.start)) <= 0
        here = piece.end
    assert here == target


def test_pruning_keeps_fit_and_cost_of_an_optimal_network_and_ends_irreducible():
    P = planted((fmpq(1, 3), fmpq(2, 3), fmpq(2, 3)), [1] * 8, 1)
    split = [fmpq(1, 2), fmpq(1, 3), fmpq(1, 6)]
    units = Units(tuple(a for a in P.atoms for _ in split), (fmpq(1),) * 24)
    path = prune(units, {3 * j + i: t for j in range(8) for i, t in enumerate(split)})
    last = sorted(path[-1])
    assert units.fit(path[-1]) == P.fit
    assert units.cost(path[-1]) == 8
    assert fmpq_mat([list(units.outputs[j]) for j in last]).rank() == len(last)
    P_star = polytope(P.atoms, P.fit)
    assert P_star.least <= len(last) <= P_star.greatest
