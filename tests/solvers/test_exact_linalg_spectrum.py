"""Eigenvalues, singular values, square roots and exponentials against closed forms and mpmath."""

import random

import mpmath
import pytest
from flint import acb_mat, arb, arb_mat, fmpq, fmpq_mat

from solvers import exact_linalg as la
from solvers.enclosures import NoEnclosure, precision


def rotation(rng, n):
    """An exactly orthogonal rational matrix (Cayley transform of a skew matrix)."""
    K = fmpq_mat(n, n, [rng.randint(-3, 3) for _ in range(n * n)])
    K = K - K.transpose()
    return (la.identity(n) - K) * la.inverse(la.identity(n) + K)


def with_spectrum(rng, values):
    Q = rotation(rng, len(values))
    return Q * la.diagonal(values) * Q.transpose()


@pytest.mark.parametrize("seed", range(4))
def test_exact_eigenvalues_recover_a_planted_spectrum_with_its_multiplicities(seed):
    values = [-2, -2, 0, fmpq(1, 3), fmpq(1, 3), fmpq(1, 3), 5]
    found = la.eigenvalues(with_spectrum(random.Random(seed), values))
    assert [r.multiplicity for r in found] == [2, 1, 3, 1]
    assert [r.compare(q) for r, q in zip(found, [-2, 0, fmpq(1, 3), 5], strict=True)] == [0, 0, 0, 0]


def test_eigenvalues_ten_to_the_minus_sixty_apart_are_told_apart_exactly():
    values = [1, 1, 1 + fmpq(1, 10**60), 2]
    A = with_spectrum(random.Random(1), values)
    found = la.eigenvalues(A)
    assert [r.multiplicity for r in found] == [2, 1, 1]
    assert found[1].compare(1) == 1
    with precision(128):
        assert [count for _, count in la.eigenvalue_clusters(A)] == [3, 1]
    with precision(400):
        assert [count for _, count in la.eigenvalue_clusters(A)] == [2, 1, 1]


def test_path_graph_laplacian_has_its_cosine_spectrum():
    """Eigenvalues 2 - 2 cos(pi k / n), k = 0..n-1."""
    n = 9
    L = fmpq_mat(n, n)
    for i in range(n - 1):
        L[i, i] += 1
        L[i + 1, i + 1] += 1
        L[i, i + 1] = L[i + 1, i] = -1
    exact, balls = la.eigenvalues(L), la.verified_eigenvalues(L)
    for k in range(n):
        truth = 2 - 2 * (arb.pi() * k / n).cos()
        assert exact[k].ball().overlaps(truth)
        assert balls[k].overlaps(truth)
        assert balls[k].rad() < 1e-12


def test_eigenvalue_counts_are_those_of_the_exact_spectrum():
    A = with_spectrum(random.Random(5), [-1, 0, 2, 2, 7])
    assert la.eigenvalue_counts(A, 2) == (1, 2, 2)
    assert la.eigenvalue_counts(A, fmpq(199, 100)) == (3, 0, 2)


@pytest.mark.parametrize("bits", [53, 128, 700])
def test_verified_eigenvalues_contain_the_exact_ones_and_are_tight(bits):
    rng = random.Random(bits)
    G = fmpq_mat(12, 12, [rng.randint(-9, 9) for _ in range(144)])
    A = G + G.transpose()
    with precision(bits):
        balls = la.verified_eigenvalues(A)
    exact = [r.ball(1500) for r in la.eigenvalues(A)]
    assert all(b.contains(e) for b, e in zip(balls, exact, strict=True))
    assert max(b.rad() for b in balls) < arb(2) ** (12 - bits)


@pytest.mark.parametrize("bits", [53, 200])
def test_clusters_and_multiplicities_do_not_widen_the_balls(bits):
    values = [1, 1, 1, 1 + fmpq(1, 2**40), 1 + fmpq(1, 2**90), -3, -3, 10**6]
    A = with_spectrum(random.Random(3), values)
    with precision(bits):
        balls = la.verified_eigenvalues(A)
        for ball, q in zip(balls, sorted(values), strict=True):
            assert ball.contains(q)
            assert ball.rad() < arb(2) ** (30 - bits)


def test_verified_eigenvalues_hold_for_every_matrix_within_the_balls():
    rng = random.Random(11)
    S = with_spectrum(rng, [1, 1, 2, 4])
    radius = arb(fmpq(1, 1000))
    wide = arb_mat([[arb(x) + arb(0, radius) for x in line] for line in S.tolist()])
    balls = la.verified_eigenvalues(wide)
    for _ in range(30):
        E = fmpq_mat(4, 4, [fmpq(rng.randint(-500, 500), 10**6) for _ in range(16)])
        for ball, root in zip(balls, spectrum_of(S + E + E.transpose()), strict=True):
            assert ball.overlaps(root)
    assert all(ball.rad() < 0.0041 for ball in balls)  # four times the radius of the entries


def spectrum_of(A):
    return [r.ball() for r in la.eigenvalues(A) for _ in range(r.multiplicity)]


def test_verified_eigenvalues_overlap_flints_general_eigenvalues():
    rng = random.Random(2)
    G = fmpq_mat(10, 10, [rng.randint(-9, 9) for _ in range(100)])
    A = G * G.transpose()
    with precision(120):
        theirs = sorted((z.real for z in acb_mat(arb_mat(A)).eig(multiple=True)), key=lambda t: t.mid())
        assert all(a.overlaps(b) for a, b in zip(la.verified_eigenvalues(A), theirs, strict=True))


def test_unsymmetric_or_infinite_matrices_have_no_symmetric_spectrum():
    with pytest.raises(ValueError, match="symmetric"):
        la.eigenvalues(la.matrix([[1, 2], [3, 4]]))
    with pytest.raises(ValueError, match="symmetric"):
        la.verified_eigenvalues(la.matrix([[1, 2], [3, 4]]))
    with pytest.raises(NoEnclosure, match="finite"):
        la.verified_eigenvalues(arb_mat([[arb.nan(), 0], [0, 1]]))


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (4, 4)])
def test_singular_values_agree_with_mpmath(shape):
    rng = random.Random(sum(shape))
    m, n = shape
    A = fmpq_mat(m, n, [rng.randint(-5, 5) for _ in range(m * n)])
    with precision(150):
        theirs = mpmath.svd_r(mpmath.matrix([[int(x.p) for x in line] for line in A.tolist()]), compute_uv=False)
        exact = [r.ball() for r in la.singular_values(A) for _ in range(r.multiplicity)]
        for ours, ball, s in zip(exact, la.verified_singular_values(A), theirs, strict=True):
            assert abs(ours - arb(mpmath.nstr(s, 40))) < arb(10) ** -35
            assert ball.overlaps(ours)
        assert la.verified_norm(A).overlaps(exact[0])


def test_singular_values_of_a_deficient_matrix_carry_an_exact_zero():
    found = la.singular_values(la.matrix([[3, 0, 0], [0, 3, 0], [0, 0, 0]]))
    assert [(r.multiplicity, r.compare(q)) for r, q in zip(found, [3, 0], strict=True)] == [(2, 0), (1, 0)]


def test_a_tiny_singular_value_is_not_lost_by_squaring():
    tiny = fmpq(1, 10**20)
    Q, P = rotation(random.Random(4), 3), rotation(random.Random(6), 3)
    with precision(100):
        ball = la.verified_singular_values(Q * la.diagonal([5, 1, tiny]) * P)[-1]
        assert ball.contains(tiny)
        assert ball.rad() < 1e-28


def test_square_roots_square_to_the_matrix_and_are_the_planted_ones():
    rng = random.Random(9)
    for values in ([1, 2, 3, 4], [0, 0, fmpq(1, 3), 7], [0, 0, 0, 0], [1, 1, 1, fmpq(1, 10**12)]):
        root = with_spectrum(rng, values)
        with precision(200):
            X = la.verified_sqrt(root * root)
            assert X.contains(root)
            assert max(x.rad() for x in X.entries()) < arb(10) ** -40
    with pytest.raises(ValueError, match="positive semidefinite"):
        la.verified_sqrt(la.matrix([[0, 1], [1, 0]]))
    with pytest.raises(NoEnclosure, match="definiteness"):
        la.verified_sqrt(arb_mat([[1, 1], [1, 1]]))


def test_square_root_of_balls_holds_for_the_matrices_within():
    S = with_spectrum(random.Random(9), [1, 2, 3])
    square = S * S
    wide = arb_mat([[arb(x) + arb(0, 1e-6) for x in line] for line in square.tolist()])
    X = la.verified_sqrt(wide)
    assert X.contains(S)
    assert la.verified_sqrt(square + fmpq(1, 2 * 10**6) * la.identity(3)).overlaps(X)


def test_exponentials_of_a_rotation_generator_and_of_a_nilpotent_matrix():
    E = la.verified_exp(la.matrix([[0, -1], [1, 0]]))
    assert E[0, 0].overlaps(arb(1).cos())
    assert E[1, 0].overlaps(arb(1).sin())
    assert la.verified_exp(la.matrix([[0, 1, 0], [0, 0, 1], [0, 0, 0]])).contains(
        la.matrix([[1, 1, fmpq(1, 2)], [0, 1, 1], [0, 0, 1]])
    )


def test_verified_solutions_contain_the_exact_ones():
    H, b = fmpq_mat.hilbert(8, 8), la.column(range(8))
    with precision(128):
        assert la.verified_solve(H, b).contains(la.solve(H, b))
        assert la.verified_inverse(H).contains(la.inverse(H))
        assert la.verified_determinant(H).contains(la.determinant(H))
        for A in (la.matrix([[1, 2], [3, 4], [5, 7]]), la.matrix([[1, 2, 3], [4, 5, 7]])):
            assert la.verified_pinv(A).contains(la.pinv(A))


def test_singular_systems_have_no_enclosure():
    A = la.matrix([[1, 2], [2, 4]])
    for attempt in (
        lambda: la.verified_solve(A, A),
        lambda: la.verified_inverse(A),
        lambda: la.verified_pinv(A),
    ):
        with pytest.raises(NoEnclosure, match="rank deficient"):
            attempt()
