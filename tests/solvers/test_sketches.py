"""Embedding constants against NumPy's eigenvalues; the tridiagonal Wishart model against Gaussian matrices and its mean."""

from __future__ import annotations

import numpy as np
import pytest
from flint import fmpq

from solvers.exact_linalg import identity, matrix
from solvers.sketches import (
    edge,
    embedding_constant,
    embeds,
    gaussian_sketch,
    gram,
    sketch_spectrum,
    wishart_root,
)

X = [[2, 1], [0, 3], [1, -2], [4, 1]]
P = [[1, 0, 1, -1], [2, -1, 0, 1], [0, 1, 1, 1]]


def test_embedding_constant_is_the_distance_of_the_sketched_basis_from_an_isometry() -> None:
    U = np.linalg.qr(np.array(X, dtype=float))[0]
    S = U.T @ np.array(P).T @ np.array(P) @ U
    ball = embedding_constant(gram(matrix(X)), gram(matrix(P) * matrix(X)))()
    assert abs(float(ball.mid()) - np.abs(np.linalg.eigvalsh(S - np.eye(2))).max()) < 1e-12


def test_embedding_constant_is_where_the_exact_test_changes() -> None:
    G, Gt = identity(2), matrix([[1, 0], [0, fmpq(3, 4)]])
    assert sketch_spectrum(G, Gt)[0].compare(fmpq(3, 4)) == 0
    assert embeds(G, Gt, fmpq(1, 4))
    assert not embeds(G, Gt, fmpq(2499, 10000))


def test_edges_of_marchenko_and_pastur() -> None:
    assert (edge(fmpq(1, 4)) - fmpq(9, 4)).contains(0)
    assert (edge(fmpq(1, 4), upper=False) - fmpq(1, 4)).contains(0)


def test_sturm_counts_agree_with_eigenvalues() -> None:
    T = gaussian_sketch(np.random.default_rng(1), 20, 30, 8)
    for k in range(20):
        off = np.sqrt(T.squares[k])
        values = np.linalg.eigvalsh(np.diag(T.diagonal[k]) + np.diag(off, 1) + np.diag(off, -1))
        for x in (0.3, 0.8, 1.5):
            assert T.count_below(x)[k] == (values < x).sum()


def test_tridiagonal_model_has_the_moments_of_the_wishart_law() -> None:
    """E Tr S = r and E Tr S^2 = r (m + r + 1) / m."""
    m, r, draws = 40, 6, 20_000
    T = gaussian_sketch(np.random.default_rng(2), draws, m, r)
    first, second = T.diagonal.sum(axis=1), (T.diagonal**2).sum(axis=1) + 2 * T.squares.sum(axis=1)
    for values, mean in ((first, r), (second, r * (m + r + 1) / m)):
        assert abs(values.mean() - mean) < 5 * values.std() / np.sqrt(draws)


def test_smallest_eigenvalue_has_the_law_of_a_gaussian_matrix() -> None:
    """Two-sample Kolmogorov-Smirnov distance at level 1e-6."""
    from scipy.stats import ks_2samp

    rng = np.random.default_rng(3)
    T = gaussian_sketch(rng, 2000, 20, 5)
    off = np.sqrt(T.squares)
    dense = np.zeros((2000, 5, 5))
    dense[:, range(5), range(5)] = T.diagonal
    dense[:, range(4), range(1, 5)] = dense[:, range(1, 5), range(4)] = off
    Z = rng.standard_normal((2000, 20, 5))
    W = Z.transpose(0, 2, 1) @ Z / 20
    R = wishart_root(rng, 2000, 20, 5)
    samples = [np.linalg.eigvalsh(A)[:, 0] for A in (W, dense, R.transpose(0, 2, 1) @ R)]
    assert ks_2samp(samples[0], samples[1]).pvalue > 1e-6
    assert ks_2samp(samples[0], samples[2]).pvalue > 1e-6


def test_fewer_rows_than_the_rank_are_refused() -> None:
    with pytest.raises(ValueError, match="m >= r"):
        gaussian_sketch(np.random.default_rng(0), 1, 3, 5)
