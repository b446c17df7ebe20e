"""Exact polyhedra against closed forms, SciPy's Qhull, and enumeration of all bases."""

import itertools
import random
from math import comb, factorial

import pytest
from flint import fmpq, fmpq_mat

from solvers.conic.rounding import to_float
from solvers.polyhedra import (
    contains,
    dimension,
    edges,
    faces,
    from_generators,
    generators,
    implicit_equalities,
    interior_point,
    irredundant,
    is_bounded,
    is_empty,
    maximum,
    optimal_face,
    polyhedron,
    rays,
    vertices,
)


def cube(n):
    return polyhedron([[sign * int(j == k) for j in range(n)] for k in range(n) for sign in (1, -1)], [1] * (2 * n))


def cross_polytope(n):
    return polyhedron([list(signs) for signs in itertools.product((1, -1), repeat=n)], [1] * 2**n)


def simplex(n):
    return polyhedron([[-int(j == k) for j in range(n)] for k in range(n)], [0] * n, [[1] * n], [1])


def birkhoff(n):
    A = [[-int(k == q) for k in range(n * n)] for q in range(n * n)]
    E = [[int(k // n == i) for k in range(n * n)] for i in range(n)]
    E += [[int(k % n == i) for k in range(n * n)] for i in range(n)]
    return polyhedron(A, [0] * (n * n), E, [1] * (2 * n))


@pytest.mark.parametrize("n", [1, 2, 5])
def test_cube_cross_polytope_and_simplex_have_their_vertices(n):
    signs = sorted(itertools.product((fmpq(-1), fmpq(1)), repeat=n))
    assert list(vertices(cube(n))) == signs
    assert len(vertices(cross_polytope(n))) == 2 * n
    assert len(vertices(simplex(n))) == n
    assert dimension(simplex(n)) == n - 1


@pytest.mark.parametrize("n", [3, 4])
def test_faces_of_the_cube_number_binomial_times_two_powers(n):
    counted = [sum(face.dimension == d for face in faces(cube(n))) for d in range(n + 1)]
    assert counted == [comb(n, d) * 2 ** (n - d) for d in range(n + 1)]
    assert len(edges(cube(n))) == n * 2 ** (n - 1)


@pytest.mark.parametrize("n", [3, 4])
def test_birkhoff_polytope_has_the_permutation_matrices_as_vertices(n):
    found = vertices(birkhoff(n))
    assert len(found) == factorial(n)
    assert all(set(v) <= {fmpq(0), fmpq(1)} for v in found)
    assert dimension(birkhoff(n)) == (n - 1) ** 2


def test_permutohedron_of_order_four_has_the_ordered_partitions_as_faces():
    # faces of dimension d are the ordered partitions of {1..4} into 4 - d blocks: 24, 36, 14, 1
    points = [list(p) for p in itertools.permutations(range(1, 5))]
    P = from_generators(points)
    assert dimension(P) == 3
    assert [sum(face.dimension == d for face in faces(P)) for d in range(4)] == [24, 36, 14, 1]


def random_polyhedron(rng, bounded):
    n, m = rng.randint(2, 4), rng.randint(3, 8)
    A = [[rng.randint(-4, 4) for _ in range(n)] for _ in range(m)]
    b = [fmpq(rng.randint(-2, 9), rng.randint(1, 4)) for _ in range(m)]
    if bounded:
        box = cube(n)
        A, b = A + [list(row) for row in box.A], [*b, *(5 * v for v in box.b)]
    return polyhedron(A, b)


def vertices_by_bases(P):
    """Oracle: every regular choice of n tight rows whose solution is feasible."""
    found = set()
    for rows in itertools.combinations(range(len(P.b)), P.n):
        square = fmpq_mat(P.n, P.n, [v for i in rows for v in P.A[i]])
        if square.det() == 0:
            continue
        x = tuple(square.solve(fmpq_mat(P.n, 1, [P.b[i] for i in rows])).entries())
        if contains(P, x):
            found.add(x)
    return sorted(found)


@pytest.mark.parametrize("bounded", [True, False])
def test_vertices_are_the_feasible_basic_solutions(bounded):
    rng, nonempty = random.Random(3), 0
    for _ in range(25):
        P = random_polyhedron(rng, bounded)
        found = generators(P)
        if found.lines:
            continue
        nonempty += bool(found.vertices)
        assert list(found.vertices) == vertices_by_bases(P)
        assert is_empty(P) == (not found.vertices)
        assert is_bounded(P) == (not found.rays)
    assert nonempty >= 10


def test_facets_agree_with_qhull():
    from scipy.spatial import ConvexHull

    rng = random.Random(8)
    for n in (2, 3, 4):
        points = [[rng.randint(-9, 9) for _ in range(n)] for _ in range(15)]
        hull = ConvexHull(points)
        P = from_generators(points)
        ours = {tuple(round(to_float(v) / to_float(b), 9) for v in row) for row, b in zip(P.A, P.b) if b != 0}
        qhull = {tuple(round(float(-v / e[-1]), 9) for v in e[:-1]) for e in hull.equations if abs(e[-1]) > 1e-9}
        assert ours == qhull
        corners = {tuple(float(x) for x in points[k]) for k in hull.vertices}
        assert {tuple(to_float(x) for x in v) for v in vertices(P)} == corners


def test_converting_twice_gives_the_same_set():
    rng = random.Random(21)
    for _ in range(15):
        found = generators(random_polyhedron(rng, bounded=False))
        if found.vertices:
            again = generators(from_generators(found.vertices, found.rays, found.lines))
            if not found.lines:  # representatives of minimal faces are not unique when there are lines
                assert again == found
            assert len(again.vertices) == len(found.vertices)
            assert len(again.lines) == len(found.lines)


def test_total_variation_ball_in_the_simplex_has_moves_of_mass_epsilon_as_vertices():
    # around the centre of the triangle, radius 1/6: the hexagon of moves of 1/6 from one token to another
    third, eps = fmpq(1, 3), fmpq(1, 6)
    signs = [list(s) for s in itertools.product((1, -1), repeat=3)]
    A = [[-int(j == k) for j in range(3)] for k in range(3)] + signs
    b = [fmpq(0)] * 3 + [2 * eps + sum((s * third for s in row), fmpq(0)) for row in signs]
    moves = [(i, j) for i in range(3) for j in range(3) if i != j]
    expected = sorted(tuple(third + eps * ((k == i) - (k == j)) for k in range(3)) for i, j in moves)
    assert list(vertices(polyhedron(A, b, [[1, 1, 1]], [1]))) == expected


def test_unbounded_sets_have_their_rays_and_lines():
    quadrant = polyhedron([[-1, 0], [0, -1], [-1, -1]], [0, 0, -2])
    assert vertices(quadrant) == ((fmpq(0), fmpq(2)), (fmpq(2), fmpq(0)))
    assert rays(quadrant) == ((fmpq(0), fmpq(1)), (fmpq(1), fmpq(0)))
    halfspace = polyhedron([[-1, 0, 0]], [0])
    assert len(generators(halfspace).lines) == 2
    assert generators(polyhedron(n=2)).vertices == ((fmpq(0), fmpq(0)),)
    with pytest.raises(ValueError, match="contains 2 independent lines"):
        vertices(halfspace)


def test_emptiness_dimension_and_implicit_equalities_are_exact():
    segment = polyhedron([[1, 1], [-1, -1], [1, 0], [-1, 0]], [1, -1, 1, 0])
    assert implicit_equalities(segment) == (0, 1)
    assert dimension(segment) == 1
    inside = interior_point(segment)
    assert sum(inside) == 1
    assert 0 < inside[0] < 1
    sliver = fmpq(1, 10**30)
    assert dimension(polyhedron([[1], [-1]], [sliver, 0])) == 1
    assert dimension(polyhedron([[1], [-1]], [0, 0])) == 0
    assert dimension(polyhedron([[1], [-1]], [-sliver, 0])) == -1
    assert is_empty(polyhedron([[1], [-1]], [-sliver, 0]))
    assert generators(polyhedron([[1], [-1]], [-sliver, 0])).vertices == ()
    assert faces(polyhedron([[1], [-1]], [-sliver, 0])) == ()


def test_redundant_inequalities_are_removed_and_only_those():
    square = cube(2)
    padded = polyhedron([*square.A, [1, 1], [1, 1], [1, 0]], [*square.b, 2, fmpq(3, 2), 1])
    kept = irredundant(padded)
    assert len(kept.b) == 5
    assert vertices(kept) == vertices(padded)


def test_optimal_face_of_a_degenerate_program_is_found_exactly():
    face = optimal_face(cube(3), [1, 1, 0])
    assert dimension(face) == 1
    assert vertices(face) == ((fmpq(1), fmpq(1), fmpq(-1)), (fmpq(1), fmpq(1), fmpq(1)))
    assert maximum(cube(3), [1, 1, 0]).value == -2
    assert optimal_face(polyhedron([[-1]], [0]), [1]) is None


def test_floats_and_misfits_are_refused_with_a_reason():
    with pytest.raises(TypeError, match="not exact"):
        polyhedron([[0.5]], [1])
    with pytest.raises(ValueError, match="lengths"):
        polyhedron([[1, 2], [1]], [1, 1])
    with pytest.raises(ValueError, match="right-hand sides"):
        polyhedron([[1, 2]], [1, 1])
    with pytest.raises(ValueError, match="at least one point"):
        from_generators([])
