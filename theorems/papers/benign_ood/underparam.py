r"""With fewer coordinates than observations the bound's leading term is the exact rate."""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import fmpq_mat

from solvers.exact_linalg import inverse, trace
from solvers.free_algebra import Word, letters, rewritten
from solvers.wishart import inverse_gram_column, reciprocal_mean
from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, eq, law, mean_eq, symbols
from theorems.papers.benign_ood.paper import PAPER

N, P = 25, 6


@PAPER.identity(
    source="under-parameterised out-of-distribution rate as a special case; the exact constant is derived",
    fidelity="derived",
    evidence="proved",
    method="matrix identities of every size in free letters, the mean of a reciprocal chi-square by an integration by parts; cross-checks: integer "
    "designs in exact rationals, quadrature, the chi-square law and the mean variance in simulation",
    hypotheses="lambda = 0, p = k < n - 1, X = Z R with independent N(0, 1) entries of Z and Sigma_S = R^T R positive definite",
    rests_on=(
        "Tr(A B) = Tr(B A), so Tr((X^T X)^{-1} Sigma_T) = Tr((Z^T Z)^{-1} R^{-T} Sigma_T R^{-1}); E (Z^T Z)^{-1} is a multiple of I by the "
        "invariance of the law of Z under signs and permutations of its columns, and Tr(R^{-T} Sigma_T R^{-1}) = Tr(Sigma_S^{-1} Sigma_T)",
        "|(I - P) g|^2 for an independent projection P of rank p - 1 and g ~ N(0, I_n) has the chi-square law with n - p + 1 degrees of "
        "freedom; x^a exp(-x/2) vanishes at 0 and at infinity for a > 0, so the integral of its derivative is 0",
    ),
)
def underparam_specialisation():
    r"""Let $p = k < n - 1$, $\lambda = 0$ and the design Gaussian with covariance $\Sigma_S \succ 0$. Least squares has $B = 0$ and
    $$\mathbb{E} V = \frac{v^2\,\mathrm{Tr}(\Sigma_S^{-1}\Sigma_T)}{n - p - 1},$$ so that
    $n\,\mathbb{E}V / (v^2\,\mathrm{Tr}(\Sigma_S^{-1}\Sigma_T)) - 1 = \frac{p+1}{n-p-1} \to 0$: the leading term $v^2\,\mathrm{Tr}\,T/n$ of the
    instance bound is asymptotically exact.
    """


@underparam_specialisation.proof("change of variables", covers="all n and p, all invertible R, all Z of full rank")
def _variables(*, source=True):
    R, Rt, Ri, Rti, W, Wi = letters("R Rt Ri Rti W Wi")  # W = Z^T Z; t: transpose, i: inverse
    rules: dict[Word, Any] = {
        ("Rti", "Rt"): 1,
        ("Rt", "Rti"): 1,
        ("R", "Ri"): 1,
        ("Ri", "R"): 1,
        ("W", "Wi"): 1,
        ("Wi", "W"): 1,
    }
    gram, found = Rt * W * R, Ri * Wi * Rti if source else Wi
    yield "inverse", eq(len(rewritten(gram * found - 1, rules).terms), 0)
    yield "no bias", eq(len(rewritten(found * gram - 1, rules).terms), 0)  # (X^T X)^{-1} X^T X beta = beta


@underparam_specialisation.proof(
    "residual", covers="all n and p: 1/[(Z^T Z)^{-1}]_11 is the squared residual of the first column"
)
def _residual(*, projected=True):
    first, others = inverse_gram_column(projected=projected)
    yield "first block", eq(first.coefficients(), [0])
    yield "other blocks", eq(others.coefficients(), [0])


@underparam_specialisation.proof("mean", covers="all real n > p + 1 > 1")
def _mean(*, freedom=1, less=1):
    import sympy

    p, excess, x = symbols("p excess x", positive=True)
    n = p + 1 + excess  # excess > 0
    a = (n - p + freedom) / 2 - 1  # the chi-square density is x^a exp(-x/2), normalised
    yield "logarithmic derivative", eq((a * sympy.log(x) - x / 2).diff(x), a / x - sympy.Rational(1, 2))
    mean = 1 / (2 * a)  # of the reciprocal, since a E[1/Y] = 1/2
    yield "mean", eq(mean, 1 / (n - p - less))
    yield "leading term", eq(n * mean - 1, (p + 1) / (n - p - 1))


@underparam_specialisation.crosscheck(
    "integer designs",
    domain={
        "p": Integers(1, 4),
        "Z": Given(lambda p: Arrays(Integers(-4, 4), (7, p))),
        "R": Given(lambda p: Arrays(Integers(-4, 4), (p, p))),
        "B": Given(lambda p: Arrays(Integers(-3, 3), (p, 2))),
    },
    where=lambda Z, R: Z.rank() == Z.ncols() and R.rank() == R.ncols(),
    quick=12,
    full=300,
)
def _integers(Z, R, B, *, source=True):
    Z, R, Sigma_T = fmpq_mat(Z), fmpq_mat(R), fmpq_mat(B * B.transpose())
    X = Z * R
    direct = trace(inverse(X.transpose() * X) * Sigma_T)
    inside = inverse(R.transpose()) * Sigma_T * inverse(R) if source else Sigma_T
    yield "exact variance", eq(direct, trace(inverse(Z.transpose() * Z) * inside))


@underparam_specialisation.crosscheck(
    "simulation", tests=2, domain={"draws": ByBudget(quick=Choices(400), full=Choices(4000))}, every=True
)
def _simulation(draws, *, freedom=1, less=1, source=True):
    from scipy.special import gammainc

    k = N - P + freedom
    yield "quadrature", eq(lambda: reciprocal_mean(k), Q(1, N - P - 1), within=Q(1, 10**15))

    def designs(rng):
        Z = rng.standard_normal((draws, N, P))
        return np.linalg.inv(Z.transpose(0, 2, 1) @ Z)

    yield (
        "chi-square law",
        law(lambda rng: 1 / designs(rng)[:, 0, 0], lambda x: gammainc(k / 2, np.maximum(x, 0) / 2), size=draws),
    )
    spectrum = np.linspace(0.2, 5, P)
    root = np.cos(np.arange(P * P, dtype=np.float64)).reshape(P, P)
    target = root @ root.T
    T = target / np.sqrt(np.outer(spectrum, spectrum))
    value = float(np.trace(T if source else target)) / (N - P - less)

    def variance(rng):
        return (designs(rng) * T).sum(axis=(1, 2))

    yield "mean variance", mean_eq(variance, value, fixed=draws, within=value / 2)


underparam_specialisation.mutant("source covariance forgotten: Tr Sigma_T", source=False, breaks="inverse")
underparam_specialisation.mutant("Tr Sigma_T, exact", source=False, on="integer designs", breaks="exact variance")
underparam_specialisation.mutant("Tr Sigma_T, simulated", source=False, on="simulation", breaks="mean variance")
underparam_specialisation.mutant("n - p for n - p - 1", less=0, breaks="mean")
underparam_specialisation.mutant("one degree of freedom more", freedom=2, breaks="mean")
underparam_specialisation.mutant("Tr T/n, simulated", less=-P, on="simulation", breaks="mean variance")
underparam_specialisation.mutant("residual replaced by the column itself", projected=False, breaks="first block")
