"""Closed forms of the estimation variance for Gaussian designs, through an exact chi-square law."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from flint import arb, fmpq, fmpq_mat

from solvers.designs import Reals, as_floats, autoregressive, gaussian
from solvers.enclosures import functions as F
from solvers.enclosures import gaussian_tail, integrate_half_line
from solvers.exact_linalg import verified_eigenvalues
from theorems import ByBudget, Choices, Q, eq, law, mean_eq
from theorems.papers.ridgeless_errors.paper import PAPER
from theorems.papers.ridgeless_errors.variance import noise_level

N = 10
OMEGA = autoregressive(N, Q(4, 5))
WITHIN = Q(1, 10**15)


def direction(p: int) -> Reals:
    """A fixed unit vector: the leading eigenvector of Omega for p > n, a generic one of R^p for p < n."""
    if p > N:
        return np.asarray(np.linalg.eigh(as_floats(OMEGA))[1][:, -1], dtype=np.float64)
    b = np.cos(np.arange(p, dtype=np.float64))
    return np.asarray(b / np.linalg.norm(b), dtype=np.float64)


def inverse_gram(rng: np.random.Generator, draws: int, p: int) -> tuple[Reals, Any]:
    """Gaussian designs (draws, n, p) and the inverses of their invertible Gram matrices X X^T or X^T X."""
    X = gaussian(rng, draws, N, np.ones(p))
    Xt = X.transpose(0, 2, 1)
    return X, np.linalg.inv(X @ Xt if p > N else Xt @ X)


@cache
def reciprocal_mean(m: int, bits: int) -> arb:
    """E[1/Y] for Y of the chi-square law with m >= 3 degrees of freedom, integrated rigorously.

    With Y = t^2 the integrand is 2 t^(m-3) exp(-t^2/2) / (2^(m/2) Gamma(m/2)), analytic at 0; for k = m - 3 >= 0,
    t^k exp(-t^2/2) <= (2k/e)^(k/2) exp(-t^2/4).
    """
    k = m - 3
    scale = 2 / (arb(2) ** (arb(m) / 2) * (arb(m) / 2).gamma())
    largest = (arb(2 * k) / arb(1).exp()) ** (arb(k) / 2) if k else arb(1)
    tail = gaussian_tail(scale * largest, fmpq(1, 4))
    return integrate_half_line(lambda t: scale * t**k * F.exp(-t * t / 2), 0, tail, tolerance_bits=bits)


def closed_form(p: int, Omega: fmpq_mat, noise: str, less: int) -> fmpq:
    """The stated E Var_I, or what a mutant makes of it."""
    total = noise_level(Omega, N, noise)
    return total / (p - N - less) if p > N else total * p / (N * (N - p - less))


WIDTHS = PAPER.family(
    "gaussian-designs",
    p=ByBudget(quick=Choices(5, 6, 14, 20), full=Choices(5, 6, 14, 20, 40)),
    draws=ByBudget(quick=2000, full=20_000),
    every=True,
)
FAR = PAPER.family(  # far from p = n, where the simulated variance has light enough tails for Student's interval
    "gaussian-designs-off-the-peak", p=Choices(2, 20, 40), draws=ByBudget(quick=1000, full=8000), every=True
)


@PAPER.identity(
    source="consequence of the variance theorem for Gaussian designs (inverse Wishart mean)",
    fidelity="derived",
    evidence="statistical",
    family=WIDTHS,
    method="the law of one quadratic form of the inverse Gram matrix against the chi-square law by the DKW inequality; the mean "
    "of its reciprocal by a rigorous integral, summed over the eigenvalues of Omega",
    hypotheses="n = 10, Omega = AR(1) with phi = 0.8, p as listed; for p in {n-1, n, n+1} the mean is infinite",
    rests_on=(
        "p > n: Var_I = sum_k omega_k a_k^T (X X^T)^{-1} a_k over eigenpairs of Omega, and every unit vector has the same law "
        "by left-sphericity; p < n: the same after the trace factorization, with Tr (X^T X)^{-1} = sum_b e_b^T (X^T X)^{-1} e_b",
    ),
    not_established="the chi-square law is seen to within the DKW radius on one direction for each p",
)
def gaussian_closed_form_risk(p, draws, *, freedom=0, less=1, noise="trace"):
    r"""Let $X \in \mathbb{R}^{n \times p}$ have independent $N(0,1)$ entries. If $p > n$, $1/(a^\top (XX^\top)^{-1} a)$ has the
    chi-square law with $p - n + 1$ degrees of freedom for every unit vector $a$; if $p < n$, $1/(b^\top (X^\top X)^{-1} b)$ has
    the one with $n - p + 1$. Since $\mathbb{E}[1/\chi^2_m] = 1/(m-2)$ for $m > 2$,
    $$\mathbb{E}\,\mathrm{Var}_I = \frac{\mathrm{Tr}\,\Omega}{p-n-1} \; (p > n+1), \qquad
    \mathbb{E}\,\mathrm{Var}_I = \frac{\mathrm{Tr}\,\Omega}{n} \cdot \frac{p}{n-p-1} \; (p < n-1),$$
    and the mean is infinite for $p \in \{n-1, n, n+1\}$, the double-descent peak.
    """
    from scipy.special import gammainc

    m = abs(p - N) + 1
    a = direction(p)

    def draw(rng):
        return 1 / (inverse_gram(rng, draws, p)[1] @ a @ a)

    yield "chi-square law", law(draw, lambda x: gammainc((m + freedom) / 2, np.maximum(x, 0) / 2), size=draws)

    def means():
        omega = sum(verified_eigenvalues(OMEGA), arb(0))
        summed = omega if p > N else omega * p / N
        return summed * reciprocal_mean(m, 60), closed_form(p, OMEGA, noise, less)

    yield "mean of the variance", eq(means, within=WITHIN)


@gaussian_closed_form_risk.crosscheck(
    "simulated variance",
    family=FAR,
)
def _simulated_variance(p, draws, *, less=1, noise="trace"):
    Omega = as_floats(OMEGA)

    def draw(rng):
        X, G = inverse_gram(rng, draws, p)
        if p > N:
            return np.trace(G @ Omega, axis1=1, axis2=2)
        Xp = G @ X.transpose(0, 2, 1)
        return np.trace(Xp @ Omega @ Xp.transpose(0, 2, 1), axis1=1, axis2=2)

    value = closed_form(p, OMEGA, noise, less)
    return mean_eq(draw, value, fixed=draws, within=value / 2)


gaussian_closed_form_risk.mutant("one degree of freedom more", freedom=1)
gaussian_closed_form_risk.mutant("one degree of freedom less", freedom=-1)
gaussian_closed_form_risk.mutant("p - n in place of p - n - 1", less=0, breaks="mean of the variance")
gaussian_closed_form_risk.mutant("1' Omega 1 in place of Tr Omega", noise="all entries", breaks="mean of the variance")
gaussian_closed_form_risk.mutant("p - n in the simulated mean", less=0, on="simulated variance")
