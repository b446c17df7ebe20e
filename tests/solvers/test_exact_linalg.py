"""Exact linear algebra against sympy (oracle) and defining identities."""

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
import sympy
from flint import arb, fmpq, fmpq_mat, fmpz, fmpz_mat

from solvers import exact_linalg as la


def random_matrix(rng, m, n, *, rank=None, height=5):
    def entries(a, b):
        return la.matrix(
            [[Fraction(rng.randint(-height, height), rng.randint(1, height)) for _ in range(b)] for _ in range(a)]
        )

    return entries(m, n) if rank is None else entries(m, rank) * entries(rank, n)


def to_sympy(A):
    return sympy.Matrix(A.nrows(), A.ncols(), [sympy.Rational(int(x.p), int(x.q)) for x in A.entries()])


@pytest.mark.parametrize(
    "x",
    [Fraction(3, 7), sympy.Rational(3, 7), fmpq(3, 7), "3/7"],
    ids=["Fraction", "sympy", "fmpq", "text"],
)
def test_to_fmpq_takes_every_exact_rational_type(x):
    assert la.to_fmpq(x) == fmpq(3, 7)


@pytest.mark.parametrize("x", [5, fmpz(5), np.int64(5), sympy.Integer(5)])
def test_to_fmpq_takes_every_integer_type(x):
    assert la.to_fmpq(x) == 5


@pytest.mark.parametrize("x", [0.5, np.float64(0.5), sympy.Float(0.5), arb(1), None, 1j])
def test_to_fmpq_refuses_what_is_not_exactly_rational(x):
    with pytest.raises(TypeError, match="not an exact rational"):
        la.to_fmpq(x)


def test_dyadic_is_the_binary_value_of_the_double():
    assert la.dyadic(0.1) == fmpq(3602879701896397, 2**55)
    with pytest.raises(ValueError, match="not finite"):
        la.dyadic(float("nan"))


def test_matrix_takes_arrays_and_refuses_ragged_rows_floats_and_vectors():
    assert la.matrix(np.array([[1, 2], [3, 4]])) == fmpz_mat([[1, 2], [3, 4]])
    assert la.matrix(sympy.Matrix([[1, 2], [3, 4]])) == fmpz_mat([[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="different lengths"):
        la.matrix([[1, 2], [3]])
    with pytest.raises(ValueError, match="two-dimensional"):
        la.matrix(np.arange(3))
    with pytest.raises(TypeError, match="not an exact rational"):
        la.matrix(np.eye(2))


def test_empty_matrices_have_rank_zero_and_empty_certificates():
    assert la.rank(la.matrix([])) == 0
    assert la.ldlt(la.matrix([])).inertia == (0, 0, 0)


@pytest.mark.parametrize("seed", range(6))
def test_solve_inverse_and_determinant_agree_with_sympy(seed):
    rng = random.Random(seed)
    A, B = random_matrix(rng, 5, 5), random_matrix(rng, 5, 2)
    S = to_sympy(A)
    assert to_sympy(la.solve(A, B)) == S.LUsolve(to_sympy(B))
    assert to_sympy(la.inverse(A)) == S.inv()
    assert to_sympy(la.matrix([[la.determinant(A)]]))[0] == S.det()


def test_solve_of_a_singular_system_says_the_rank():
    with pytest.raises(ValueError, match="singular \\(rank 1\\)"):
        la.solve(la.matrix([[1, 2], [2, 4]]), la.column([1, 1]))


@pytest.mark.parametrize("shape", [(4, 4, 4), (5, 3, 3), (3, 5, 3), (5, 4, 2), (4, 6, 1), (3, 4, 0)])
def test_pinv_satisfies_the_four_penrose_equations_at_any_rank(shape):
    m, n, r = shape
    A = random_matrix(random.Random(sum(shape)), m, n, rank=r) if r else fmpq_mat(m, n)
    assert la.rank(A) == r
    X = la.pinv(A)
    assert (X.nrows(), X.ncols()) == (n, m)
    assert A * X * A == A
    assert X * A * X == X
    assert la.is_symmetric(A * X)
    assert la.is_symmetric(X * A)
    assert to_sympy(X) == to_sympy(A).pinv()


def test_pinv_of_the_column_1_2_is_the_row_one_fifth_two_fifths():
    assert la.pinv(la.column([1, 2])) == la.row([Fraction(1, 5), Fraction(2, 5)])


@pytest.mark.parametrize("seed", range(5))
def test_null_space_has_the_dimension_of_rank_nullity_and_is_annihilated(seed):
    A = random_matrix(random.Random(seed), 4, 7, rank=3)
    X = la.null_space(A)
    assert X.ncols() == la.rank(X) == 4
    assert fmpq_mat(4, 4) == A * X
    assert len(to_sympy(A).nullspace()) == 4


def test_solve_consistent_decides_solvability_exactly():
    A = la.matrix([[1, 2], [2, 4]])
    X = la.solve_consistent(A, la.column([1, 2]))
    assert la.column([1, 2]) == A * X
    assert la.solve_consistent(A, la.column([1, 3])) is None


def test_projection_is_symmetric_idempotent_and_fixes_the_range():
    A = random_matrix(random.Random(3), 6, 4, rank=2)
    P = la.projection(A)
    assert la.is_symmetric(P)
    assert P * P == P
    assert P * A == A
    assert la.trace(P) == 2


@pytest.mark.parametrize("r", [1, 3, 4])
def test_gram_schmidt_without_roots_reproduces_the_matrix(r):
    A = random_matrix(random.Random(r), 6, 4, rank=r)
    Q, R, d = la.gram_schmidt(A)
    assert Q * R == A
    assert Q.transpose() * Q == la.diagonal(d)
    assert [next(x for x in line if x != 0) for line in R.tolist()] == [1] * r
    expected = sympy.GramSchmidt([to_sympy(A).col(j) for j in la.pivots(A)])
    assert [to_sympy(la.column([Q[i, j] for i in range(6)])) for j in range(r)] == expected


def test_kronecker_products_multiply_factor_by_factor():
    rng = random.Random(8)
    A, B, C, D = (random_matrix(rng, *s) for s in [(2, 3), (3, 2), (3, 2), (2, 2)])
    assert la.kronecker(A, B) * la.kronecker(C, D) == la.kronecker(A * C, B * D)
    assert to_sympy(la.kronecker(A, B)) == sympy.kronecker_product(to_sympy(A), to_sympy(B))


def test_stacking_and_submatrices_are_inverse_to_each_other():
    A, B = random_matrix(random.Random(1), 3, 2), random_matrix(random.Random(2), 3, 4)
    C = la.hstack(A, B)
    assert la.submatrix(C, range(3), range(2)) == A
    assert la.vstack(A.transpose(), B.transpose()) == C.transpose()
    with pytest.raises(ValueError, match="hstack"):
        la.hstack(A, B.transpose())


def symmetric_with_signs(rng, signs):
    n = len(signs)
    G = random_matrix(rng, n, n)
    while la.rank(G) < n:
        G = random_matrix(rng, n, n)
    return G * la.diagonal(signs) * G.transpose()


@pytest.mark.parametrize("seed", range(12))
def test_inertia_of_a_congruent_diagonal_is_its_signs(seed):
    rng = random.Random(seed)
    signs = [rng.choice([-1, 0, 1]) for _ in range(6)]
    A = symmetric_with_signs(rng, signs)
    certificate = la.ldlt(A)
    assert certificate.proves(A)
    assert certificate.inertia == (signs.count(1), signs.count(0), signs.count(-1))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([[0, 1], [1, 0]], (1, 0, 1)),
        ([[0, 0, 0], [0, 0, 5], [0, 5, 0]], (1, 1, 1)),
        ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], (1, 0, 2)),
        ([[0, 0], [0, 0]], (0, 2, 0)),
        ([[1, 1, 0], [1, 1, 1], [0, 1, 0]], (2, 0, 1)),
        ([[0, 0, 0], [0, 1, 2], [0, 2, 4]], (1, 2, 0)),
    ],
)
def test_inertia_survives_zero_pivots_and_zero_diagonals(rows, expected):
    A = la.matrix(rows)
    assert la.ldlt(A).proves(A)
    assert la.inertia(A) == expected


def test_every_symmetric_matrix_of_order_three_with_entries_of_size_one_has_descartes_inertia():
    """Oracle: a real-rooted polynomial has as many positive roots as sign changes (Descartes)."""
    x = [-1, 0, 1]
    for a, b, c, d, e, f in np.stack(np.meshgrid(x, x, x, x, x, x), -1).reshape(-1, 6).tolist():
        A = la.matrix([[a, b, c], [b, d, e], [c, e, f]])
        coefficients = [k for k in A.charpoly().coeffs() if k != 0]
        changes = sum(s * t < 0 for s, t in itertools.pairwise(coefficients))
        found = la.inertia(A)
        assert found.positive == changes
        assert found.zero == 3 - la.rank(A)


def test_a_tampered_congruence_proves_nothing():
    A = la.matrix([[2, 1], [1, 2]])
    good = la.ldlt(A)
    assert not la.Congruence(good.L, (good.d[0], good.d[1] + fmpq(1, 10**30))).proves(A)
    wide = la.Congruence(la.matrix([[1, 1, 0], [0, 0, 1]]), (fmpq(2), fmpq(-1), fmpq(1)))
    assert not wide.proves(la.identity(2))  # the product is right, the rank is not


@pytest.mark.parametrize("seed", range(8))
def test_indefinite_matrices_come_with_a_direction_of_negative_form(seed):
    A = symmetric_with_signs(random.Random(seed), [1, 1, -1, 0, 1])
    witness = la.definiteness(A)
    assert isinstance(witness, la.NegativeDirection)
    assert witness.proves(A)
    assert la.quadratic_form(A, witness.v) < 0


def test_semidefinite_is_not_definite_and_the_null_vector_says_so():
    A = la.matrix([[1, 1], [1, 1]])
    assert la.is_positive_semidefinite(A)
    assert not la.is_positive_definite(A)
    witness = la.definiteness(A, strict=True)
    assert isinstance(witness, la.NegativeDirection)
    assert witness.proves(A, strict=True)
    assert not witness.proves(A)


def test_hilbert_matrix_is_definite_until_its_corner_is_lowered_by_the_schur_complement():
    """The exact smallest value of the corner is known from the inverse: 1 / (H^-1)[n-1, n-1]."""
    n = 12
    H = fmpq_mat.hilbert(n, n)
    assert la.is_positive_definite(H)
    corner = la.inverse(H)[n - 1, n - 1]
    lowered = la.matrix(H.tolist())
    lowered[n - 1, n - 1] -= 1 / corner
    assert la.is_positive_semidefinite(lowered)
    assert not la.is_positive_definite(lowered)
    lowered[n - 1, n - 1] -= fmpq(1, 10**40)
    assert not la.is_positive_semidefinite(lowered)


def test_ldlt_refuses_unsymmetric_matrices():
    with pytest.raises(ValueError, match="not symmetric"):
        la.ldlt(la.matrix([[1, 2], [3, 4]]))
