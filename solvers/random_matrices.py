"""Limits of spectral statistics of sample covariance matrices, in balls.

Let X be n x p with independent Gaussian rows of covariance Sigma, p/n -> gamma, and let H be the limit of the spectrum of
Sigma. The companion Stieltjes transform v(z) = lim (1/n) Tr (X X^T / n - z)^{-1} is, for z <= 0, the positive solution of

    1/v = -z + gamma * E[tau / (1 + tau v)],   tau ~ H

(J. W. Silverstein and Z. D. Bai, On the empirical distribution of eigenvalues of a class of large dimensional random
matrices, J. Multivariate Anal. 1995). Written as  -z v + gamma E[tau v / (1 + tau v)] = 1, the left side increases from
0 at v = 0 to infinity (z < 0) or to gamma H(tau > 0) (z = 0), so that the solution is unique, and exists at z = 0 exactly
when gamma H(tau > 0) > 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from flint import arb, fmpq, fmpq_poly

from solvers.enclosures import RealRoot, real_roots, to_arb, to_fmpq


@dataclass(frozen=True, slots=True)
class Spectrum:
    """The law H = sum_k weights[k] delta_{atoms[k]} of the eigenvalues of a covariance matrix.

    Attributes:
        atoms: exact rationals >= 0.
        weights: exact rationals > 0 of sum 1.
    """

    atoms: tuple[fmpq, ...]
    weights: tuple[fmpq, ...]

    def mean(self, f: Any) -> Any:
        """E f(tau), for f on exact rationals (with values of any kind that adds and multiplies)."""
        return sum((f(t) * w for t, w in zip(self.atoms[1:], self.weights[1:])), f(self.atoms[0]) * self.weights[0])


def spectrum(atoms: Sequence[Any], weights: Sequence[Any]) -> Spectrum:
    """A discrete spectral law.

    Args:
        atoms: distinct exact rationals >= 0, at least one of them.
        weights: as many exact rationals > 0 of sum 1.

    Raises:
        ValueError: otherwise.
    """
    places, masses = tuple(map(to_fmpq, atoms)), tuple(map(to_fmpq, weights))
    if not places or len(places) != len(masses) or len(set(places)) < len(places):
        raise ValueError(f"spectrum: as many distinct atoms as weights are expected, got {places} and {masses}")
    if any(t < 0 for t in places) or any(w <= 0 for w in masses) or sum(masses, fmpq(0)) != 1:
        raise ValueError(f"spectrum: atoms >= 0 and weights > 0 of sum 1 are expected, got {places} and {masses}")
    return Spectrum(places, masses)


def companion_root(gamma: Any, H: Spectrum, z: Any = 0) -> RealRoot:
    """The companion Stieltjes transform v(z) as an algebraic number.

    Args:
        gamma: limit of p/n, an exact rational > 0.
        H: spectral law.
        z: exact rational <= 0.

    Returns:
        The unique positive root, which gives balls of any precision and exact comparisons.

    Raises:
        ValueError: if z > 0 or gamma <= 0, or if z = 0 and gamma H(tau > 0) <= 1, when there is no root (the
            underparameterised case: v(z) tends to infinity as z increases to 0).
    """
    return _companion_root(to_fmpq(gamma), H, to_fmpq(z))


@lru_cache(maxsize=256)
def _companion_root(gamma: fmpq, H: Spectrum, z: fmpq) -> RealRoot:
    if z > 0 or gamma <= 0:
        raise ValueError(f"companion_root: z <= 0 and gamma > 0 are expected, got z = {z}, gamma = {gamma}")
    positive = sum((w for t, w in zip(H.atoms, H.weights) if t > 0), fmpq(0))
    if z == 0 and gamma * positive <= 1:
        raise ValueError(
            f"companion_root: no root at z = 0, since gamma H(tau > 0) = {gamma * positive} is not above 1"
        )
    factors = [fmpq_poly([1, t]) for t in H.atoms]
    product = fmpq_poly([1])
    for f in factors:
        product *= f
    equation = fmpq_poly([-1, -z]) * product
    for t, w, f in zip(H.atoms, H.weights, factors):
        equation += gamma * w * fmpq_poly([0, t]) * (product // f)
    (root,) = (r for r in real_roots(equation) if r.sign() > 0)
    return root


def companion_stieltjes(gamma: Any, H: Spectrum, z: Any = 0) -> arb:
    """v(z) as a ball at the current precision; arguments and errors as for `companion_root`."""
    return companion_root(gamma, H, z).ball()


def companion_slope(gamma: Any, H: Spectrum, z: Any = 0) -> arb:
    """The derivative v'(z) > 0 as a ball at the current precision; arguments and errors as for `companion_root`.

    With q = 1/v^2 - gamma E[tau^2 / (1 + tau v)^2] the implicit function theorem gives v' = 1/q, and the equation of v gives
    q = -z/v + gamma E[tau / (v (1 + tau v)^2)], a sum of non-negative terms, which is evaluated here.
    """
    v = companion_stieltjes(gamma, H, z)
    q = (to_arb(gamma) * H.mean(lambda t: to_arb(t) / (1 + to_arb(t) * v) ** 2) - to_arb(z)) / v
    return 1 / q
