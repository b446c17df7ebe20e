"""Cells of arrangements: against Cover's formula, linear programs over all sign vectors, and the trusted counter."""

from itertools import product

import numpy as np
import pytest
from flint import fmpq
from scipy.optimize import linprog

from solvers.certificates.bounds import InvalidCertificate
from solvers.certificates.relu import check_cells, count_cells
from solvers.relu import TooManyCells, arrangement, predicted_cells
from solvers.relu.signs import signs as exact_signs


def rational(rows):
    return [[fmpq(int(v)) for v in row] for row in rows]


def degenerate(seed):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(1, 8), rng.integers(1, 5)
    X = rng.integers(-2, 3, (n, d))
    X[-1] = [X[0], -X[0], 2 * X[0], 0 * X[0]][seed % 4]
    if d > 1 and seed % 3 == 0:
        X[:, -1] = X[:, 0]
    return X


@pytest.mark.parametrize(("n", "d"), [(1, 1), (5, 2), (9, 3), (8, 4), (9, 5), (7, 6)])
def test_cell_count_of_generic_arrangement_is_the_cover_formula(n, d):
    X = np.random.default_rng(n * d).integers(-999, 1000, (n, d))
    assert arrangement(rational(X)).count == predicted_cells(n, d) == count_cells(rational(X))


@pytest.mark.parametrize("seed", range(24))
def test_cells_are_the_sign_vectors_that_linear_programs_find(seed):
    X = degenerate(seed)
    cells = arrangement(rational(X))
    H = np.array(cells.normals, dtype=float).reshape(-1, X.shape[1])
    found = {tuple(s) for s in np.vstack([cells.signs, -cells.signs]).tolist()}
    feasible = set()
    for signs in product((1, -1), repeat=len(H)):
        if (
            len(H)
            and linprog(
                np.zeros(H.shape[1]), -np.array(signs)[:, None] * H, -np.ones(len(H)), bounds=(None, None)
            ).success
        ):
            feasible.add(signs)
    assert found == feasible
    assert cells.count == max(len(feasible), 1)


@pytest.mark.parametrize("seed", range(24))
def test_witnesses_lie_strictly_inside_their_cells(seed):
    X = degenerate(seed)
    cells = arrangement(rational(X))
    for w, signs in zip(cells.witnesses, cells.signs):
        assert [int(np.sign(sum(a * b for a, b in zip(h, w)))) for h in cells.normals] == signs.tolist()


def test_huge_and_tiny_numbers_are_handled_exactly():
    X = [[fmpq(10) ** 40, fmpq(1)], [fmpq(10) ** 40 + 1, fmpq(1)], [fmpq(1), fmpq(1, 10**50)]]
    cells = arrangement(X)
    assert cells.count == 6
    check_cells(X, [[fmpq(v) for v in w] for w in cells.witnesses])


def test_signs_are_exact_where_doubles_round_to_zero():
    big = 3**60
    assert exact_signs([(big, -big - 1)], [(big + 1, big)]).tolist() == [[0]]
    assert exact_signs([(big, -big - 1)], [(big + 1, big - 1)]).tolist() == [[1]]


def test_a_missing_repeated_or_boundary_witness_is_rejected():
    X = rational([[1, 0], [0, 1], [1, 1]])
    cells = [[fmpq(v) for v in w] for w in arrangement(X).witnesses]
    check_cells(X, cells)
    with pytest.raises(InvalidCertificate, match="the arrangement has 6"):
        check_cells(X, cells[1:])
    with pytest.raises(InvalidCertificate, match="listed before"):
        check_cells(X, [*cells[1:], [-v for v in cells[1]]])
    with pytest.raises(InvalidCertificate, match="hyperplane"):
        check_cells(X, [*cells[1:], [fmpq(0), fmpq(1)]])


def test_too_large_enumerations_are_refused_with_the_predicted_count():
    X = np.random.default_rng(0).normal(size=(300, 6))
    with pytest.raises(TooManyCells, match=str(predicted_cells(300, 6))):
        arrangement([[fmpq(*v.as_integer_ratio()) for v in row] for row in X.tolist()])
