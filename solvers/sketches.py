"""Sketches P of a matrix X: the embedding constant, exactly, and Gaussian sketches by their tridiagonal model.

With an orthonormal basis U of col(X), S = U^T P^T P U; the embedding constant is |S - I|. For a Gaussian sketch with m rows
of variance 1/m and rank r, m S is a Wishart matrix, and S has the eigenvalues of B B^T / m for a bidiagonal B with
independent chi variables chi_m, ..., chi_{m-r+1} on the diagonal and chi_{r-1}, ..., chi_1 below it (I. Dumitriu and A. Edelman,
Matrix models for beta ensembles, J. Math. Phys. 2002).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from flint import arb, fmpq, fmpq_mat
from numpy.typing import NDArray

from solvers.enclosures import RealRoot, real_roots, to_fmpq
from solvers.exact_linalg import inverse, is_positive_semidefinite

Reals = NDArray[np.float64]


def gram(X: fmpq_mat) -> fmpq_mat:
    """X^T X."""
    return X.transpose() * X


def sketch_spectrum(G: fmpq_mat, Gt: fmpq_mat) -> tuple[RealRoot, ...]:
    """The distinct eigenvalues of S, increasing, as algebraic numbers.

    Args:
        G: X^T X, symmetric positive definite, d x d.
        Gt: X^T P^T P X.
    """
    return real_roots((inverse(G) * Gt).charpoly())


def embedding_constant(G: fmpq_mat, Gt: fmpq_mat) -> Callable[[], arb]:
    """The least eps with (1 - eps) G <= Gt <= (1 + eps) G, as a function that encloses it at the current precision."""
    spectrum = sketch_spectrum(G, Gt)

    def ball() -> arb:
        return (1 - spectrum[0].ball()).max(spectrum[-1].ball() - 1)

    return ball


def embeds(G: fmpq_mat, Gt: fmpq_mat, eps: object) -> bool:
    """Whether (1 - eps) G <= Gt <= (1 + eps) G, decided exactly for a rational eps."""
    e = to_fmpq(eps)
    return is_positive_semidefinite(Gt - G * (1 - e)) and is_positive_semidefinite(G * (1 + e) - Gt)


@dataclass(frozen=True)
class Tridiagonal:
    """A batch of symmetric tridiagonal matrices: `diagonal` (draws, r) and squares of the off-diagonal (draws, r - 1)."""

    diagonal: Reals
    squares: Reals

    def count_below(self, x: float) -> NDArray[np.int64]:
        """The numbers of eigenvalues below x, by Sylvester's law of inertia; shape (draws,).

        In doubles: exact for matrices within a few units in the last place of these (Kahan).
        """
        pivot = self.diagonal[:, 0] - x
        count = (pivot < 0).astype(np.int64)
        for k in range(1, self.diagonal.shape[1]):
            pivot = np.where(pivot == 0, 1e-300, pivot)
            pivot = self.diagonal[:, k] - x - self.squares[:, k - 1] / pivot
            count += pivot < 0
        return count


def gaussian_sketch(rng: np.random.Generator, draws: int, m: int, r: int) -> Tridiagonal:
    """Tridiagonal matrices with the eigenvalues of S for Gaussian sketches with m >= r rows of a matrix of rank r.

    Raises:
        ValueError: if m < r (then S is singular and the embedding constant is at least 1).
    """
    if m < r:
        raise ValueError(f"gaussian_sketch: m >= r is expected, got m = {m}, r = {r}")
    a = rng.chisquare(m - np.arange(r), (draws, r)) / m
    below = rng.chisquare(np.arange(r - 1, 0, -1), (draws, r - 1)) / m if r > 1 else np.zeros((draws, 0))
    diagonal = a.copy()
    diagonal[:, 1:] += below
    return Tridiagonal(diagonal, a[:, :-1] * below)


def edge(ratio: object, *, upper: bool = True) -> arb:
    """The Marchenko-Pastur edge (1 +- sqrt(r/m))^2 for r/m -> ratio <= 1, an exact rational."""
    root = arb(fmpq(to_fmpq(ratio))).sqrt()
    return (1 + root) * (1 + root) if upper else (1 - root) * (1 - root)


def wishart_root(rng: np.random.Generator, draws: int, m: int, d: int) -> Reals:
    """Upper triangular T with T^T T in law Z^T Z / m for Z of m >= d Gaussian rows (Bartlett); shape (draws, d, d)."""
    T = np.triu(rng.standard_normal((draws, d, d)), 1)
    T[:, np.arange(d), np.arange(d)] = np.sqrt(rng.chisquare(m - np.arange(d), (draws, d)))
    return np.asarray(T / np.sqrt(m), dtype=np.float64)
