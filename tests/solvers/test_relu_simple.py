"""m* and M* without the list of vertices: against the exact double description, and against the list where it can be made."""

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat

from solvers.enclosures import precision
from solvers.polyhedra import polyhedron, vertices
from solvers.relu import UndecidedStructure, structure, train
from solvers.relu.box import TooLarge
from solvers.relu.decide import Undecided
from solvers.relu.simple import common_width


def box(seed, small):
    """Random integer columns, bounds, and 7 times a target."""
    rng = np.random.default_rng(seed)
    k, r = int(rng.integers(2, 7)), int(rng.integers(1, 4))
    r = min(r, k - 1)
    size = 2 if small else 99
    A = rng.integers(-size, size + 1, (r, k))
    gamma = rng.integers(1, size + 2, k)
    return A, gamma, A @ (gamma * rng.integers(1, 7, k))


def exact_vertices(A, gamma, t):
    k = len(gamma)
    identity = np.eye(k, dtype=int)
    rows = [list(map(int, row)) for row in np.vstack([-identity, identity])]
    right = [0] * k + [int(v) for v in gamma]
    return vertices(polyhedron(rows, right, [list(map(int, row)) for row in A], [fmpq(int(v), 7) for v in t]))


@pytest.mark.parametrize("small", [True, False], ids=["ties", "generic"])
def test_the_common_width_is_that_of_every_vertex(small):
    decided = tied = 0
    for seed in range(60):
        A, gamma, t = box(seed, small)
        k, r = len(gamma), len(A)
        found = exact_vertices(A, gamma, t)
        inside = {sum(0 < c < int(g) for c, g in zip(v, gamma)) for v in found}
        columns = [[arb(int(v)) for v in A[:, j]] for j in range(k)]
        spans = [fmpq_mat(r, 1, [int(v) for v in A[:, j]]) for j in range(k)]
        with precision(128):
            target = [arb(fmpq(int(v), 7)) for v in t]
            try:
                width = common_width(columns, target, [arb(int(g)) for g in gamma], spans)
            except Undecided:
                tied += 1
                continue
        decided += 1
        assert inside == {r}
        assert width == k + r
    assert decided >= (20 if small else 50)
    assert tied >= (5 if small else 0)


def test_a_degenerate_vertex_is_never_passed_over():
    # c_1 + c_2 = 1 with both bounds 1: the vertices (1, 0) and (0, 1) have no basic coordinate
    one = [arb(1)]
    with pytest.raises(Undecided, match="degenerate"):
        common_width([one, one], one, one * 2, [fmpq_mat([[1]])] * 2)
    # with the bounds 1 and 2 only (1, 0) is left, and with the target 1/2 none
    with pytest.raises(Undecided, match="degenerate"):
        common_width([one, one], one, [arb(1), arb(2)], [fmpq_mat([[1]])] * 2)
    assert common_width([one, one], [arb(0.5)], [arb(1), arb(2)], [fmpq_mat([[1]])] * 2) == 3


def test_sums_too_many_are_refused_with_their_number():
    with pytest.raises(Undecided, match="60 antipodal pairs would need 64424509440 partial sums"):
        common_width([[arb(1), arb(j)] for j in range(60)], [arb(1)] * 2, [arb(1)] * 60, [fmpq_mat(2, 1)] * 60)


def gaussian(seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(40, 2)), rng.normal(size=40)


def test_listed_vertices_have_the_common_width(monkeypatch):
    X, y = gaussian(0)
    listed = train(X, y, fmpq(1, 16))
    assert (listed.structure.kind, listed.structure.width) == ("II", None)
    monkeypatch.setattr(structure, "box_vertices", refuse)
    counted = train(X, y, fmpq(1, 16))
    assert (counted.m_star, counted.M_star) == (listed.m_star, listed.M_star)


def refuse(*_):
    raise TooLarge("refused by the test")


def test_a_polytope_too_large_to_list_still_gives_the_widths():
    s = train(*gaussian(0), fmpq(1, 100))
    assert (s.structure.kind, s.structure.width, s.m_star, s.M_star) == ("II", 20, 20, 20)
    assert "18 antipodal pairs give 10027008 candidates" in s.structure.reason
    with pytest.raises(UndecidedStructure, match="not listed"):
        _ = s.optimal_polytope
