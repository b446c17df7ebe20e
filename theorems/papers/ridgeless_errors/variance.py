"""Only the trace of the error covariance enters the variance of the ridgeless estimator, on average over the design."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat, fmpz_mat

from solvers.designs import (
    Reals,
    as_floats,
    autoregressive,
    clusters,
    gaussian,
    heteroskedastic,
    rotated,
    scale_mixture,
)
from solvers.exact_linalg import identity, pinv, trace
from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, eq, matrix_symbols, mean_eq
from theorems.papers.ridgeless_errors.paper import PAPER

ENTRIES = Integers(-4, 4)


def full_rank(X: fmpz_mat) -> bool:
    """The design has full rank min(n, p)."""
    return bool(X.rank() == min(X.nrows(), X.ncols()))


def signed_cyclic_group(n: int, *, shifts: bool = True, signs: bool = True) -> Iterator[fmpq_mat]:
    """The $n 2^n$ matrices (cyclic shift) * diag(+-1), or one of the two factors alone."""
    for k in range(n) if shifts else (0,):
        for s in itertools.product((1, -1), repeat=n) if signs else ((1,) * n,):
            P = fmpq_mat(n, n)
            for i in range(n):
                P[i, (i + k) % n] = s[i]
            yield P


def noise_level(Omega: Any, n: int, which: str) -> Any:
    """$\\mathrm{Tr}\\,\\Omega$, or what a mutant takes for it; for exact and for symbolic matrices."""
    places: dict[str, list[tuple[int, int]]] = {
        "trace": [(i, i) for i in range(n)],
        "all entries": [(i, j) for i in range(n) for j in range(n)],
        "first entry": [(0, 0)] * n,
    }
    first, *others = places[which]
    return sum((Omega[place] for place in others), Omega[first])


SQUARES = PAPER.family(
    "rotated-designs",
    n=ByBudget(quick=Integers(2, 5), full=Integers(2, 6)),
    p=Given(lambda n: Choices(*sorted({max(n - 1, 1), n, n + 1, n + 3, 2 * n}))),
    X0=Given(lambda n, p: Arrays(ENTRIES, (n, p))),
    B=Given(lambda p: Arrays(ENTRIES, (p, p))),
    ridge=Choices(1, 0),
    C=Given(lambda n: Arrays(ENTRIES, (n, n))),
    where=lambda X0: full_rank(X0),
    quick=20,
    full=300,
)


@PAPER.identity(
    source="main finite-sample variance theorems (prediction and estimation)",
    fidelity="paper",
    evidence="certified",
    family=SQUARES,
    method="the expectation over a left-spherical law is first taken over the orbit of a finite orthogonal group, where "
    "the identity holds pointwise: pseudo-inverses of every rotated design from scratch, in exact rationals",
    hypotheses="X of full rank min(n, p) almost surely and left-spherical; both expectations finite (p = n has infinite ones "
    "for Gaussian designs, the pointwise identity over the orbit holds there too)",
)
def variance_trace_factorization(X0, B, ridge, C, *, shifts=True, signs=True, noise="trace"):
    r"""For every left-spherical $X \in \mathbb{R}^{n \times p}$ of full rank, every SPD $\Omega$ and PSD $S$,
    $$\mathbb{E}_X[\mathrm{Var}_S(X)] = \frac{\mathrm{Tr}\,\Omega}{n}\, \mathbb{E}_X[\mathrm{Tr}((X^\top X)^+ S)],$$
    for $S = I$ equal to $\frac{\mathrm{Tr}\,\Omega}{np}\, \mathbb{E}_X[\mathrm{Tr}(\Lambda^+)]$ with $\Lambda$ the eigenvalues of
    $X X^\top / p$. So the dependence between errors (the off-diagonal of $\Omega$) is irrelevant. The average over the
    signed cyclic shifts $P X_0$ of one fixed design satisfies both equations already.
    """
    n, p = X0.nrows(), X0.ncols()
    X, S = fmpq_mat(X0), fmpq_mat(B * B.transpose()) + identity(p) * ridge
    Omega = fmpq_mat(C * C.transpose()) + identity(n)
    prediction = estimation = fmpq(0)
    order = 0
    for P in signed_cyclic_group(n, shifts=shifts, signs=signs):
        Xp = pinv(P * X)
        covariance = Xp * Omega * Xp.transpose()
        prediction += trace(covariance * S)
        estimation += trace(covariance)
        order += 1
    level = noise_level(Omega, n, noise)
    yield "prediction variance", eq(prediction / order, level * trace(pinv(X.transpose() * X) * S) / n)
    yield "estimation variance", eq(estimation / order, level * trace(pinv(X * X.transpose() / p)) / (n * p))


@variance_trace_factorization.proof(
    "orbit average",
    covers="n in {2, 3, 4}; every p, every weight S and every full-rank X0 (through the symmetric matrix M), every Omega",
    rests_on=(
        "(P X0)^+ = X0^+ P^T for orthogonal P, so Var_S(P X0) = Tr(P M P^T Omega) with M = X0^{+T} S X0^+, and "
        "Tr M = Tr((X0^T X0)^+ S)",
        "a left-spherical law is invariant under the signed cyclic group, so the orbit average passes to the expectation",
    ),
)
def _orbit_average(*, shifts=True, signs=True, noise="trace"):
    import sympy

    for n in (2, 3, 4):
        M, Omega = matrix_symbols("M", n, symmetric=True), matrix_symbols("Omega", n, symmetric=True)
        total, order = sympy.Integer(0), 0
        for P in signed_cyclic_group(n, shifts=shifts, signs=signs):
            P = sympy.Matrix(n, n, [int(e) for e in P.entries()])
            rotated_M = P * M * P.T
            total += sum(rotated_M[i, j] * Omega[i, j] for i in range(n) for j in range(n))
            order += 1
        yield eq(total / order, M.trace() * noise_level(Omega, n, noise) / n)


variance_trace_factorization.mutant(
    "rows exchangeable instead of left-spherical (no signs)", signs=False, anywhere=True
)
variance_trace_factorization.mutant("independent signs only (no shifts)", shifts=False, anywhere=True)
variance_trace_factorization.mutant(
    "dependence counted: 1' Omega 1 for Tr Omega", noise="all entries", breaks="prediction variance"
)
variance_trace_factorization.mutant(
    "n Omega_11 for Tr Omega", noise="first entry", breaks=("estimation variance", "orbit average")
)


# Simulation: designs that are left-spherical, and designs that are not.

N, P = 12, 30
SIGMA = np.linspace(0.2, 4, P)
SCALES = np.sqrt(SIGMA)
WEIGHTS = {"prediction": SIGMA, "estimation": np.ones(P)}
ERRORS = {
    "AR(0.9)": autoregressive(N, Q(9, 10)),
    "clusters of 5": clusters(N, 5, Q(3, 5)),
    "heteroskedastic": heteroskedastic([2 * (N - 1) + 28 * i for i in range(N)]),  # linear from 0.2 to 3 before scaling
    "AR(-0.9)": autoregressive(N, Q(-9, 10)),
}


def fixed_design() -> Reals:
    """A fixed design (N, P) with one weak direction, (1, ..., 1), so that the variance given X depends much on Omega."""
    i, j = np.arange(N)[:, None], np.arange(P)[None, :]
    X = np.cos(3.0 * i * i + 5.0 * i * j + 2.0 * j) * SCALES
    return np.asarray(X - 0.75 * X.mean(axis=0), dtype=np.float64)


LAWS = {
    "gaussian": lambda rng, draws: gaussian(rng, draws, N, SCALES),
    "common scale": lambda rng, draws: scale_mixture(rng, draws, N, SCALES),
    "rotated": lambda rng, draws: rotated(rng, draws, fixed_design()),
}


def spoiled(X: Reals, how: str, rng: np.random.Generator) -> Reals:
    """A design that is no longer left-spherical (or the design itself)."""
    if how == "row scales":
        return X * np.linspace(0.3, 3, N)[:, None]
    if how == "mild row scales":
        return X * np.linspace(0.8, 1.2, N)[:, None]
    if how == "intercept":
        return np.concatenate([np.full((len(X), N, 1), 3.0), X[:, :, 1:]], axis=2)
    if how == "common shock":
        return X + SCALES * rng.standard_normal((len(X), 1, P))
    return X


def relative_excess(X: Reals, weights: Reals, Omega: Reals) -> Reals:
    """U = D / max(hi - c, c - lo) for each design of a batch (draws, N, P); between -1 and 1 for certain.

    c = Tr Omega Tr M / n with M = X^{+T} S X^+, and lo <= Tr(M Omega) <= hi are von Neumann's bounds: the sums of
    products of the eigenvalues of M and Omega, in opposite and in equal order.
    """
    Xt = X.transpose(0, 2, 1)
    G = np.linalg.inv(X @ Xt)
    M = G @ (X * weights) @ Xt @ G
    m, o = np.linalg.eigvalsh(M), np.linalg.eigvalsh(Omega)
    c = o.mean() * m.sum(axis=1)
    D = (M * Omega).sum(axis=(1, 2)) - c
    return D / np.maximum(m @ o - c, c - m @ o[::-1])


LEFT_SPHERICAL = PAPER.family(
    "left-spherical-laws",
    errors=Choices(*ERRORS),
    law=Choices(*LAWS),
    weight=Choices(*WEIGHTS),
    draws=ByBudget(quick=600, full=6000),
    every=True,
)


@PAPER.identity(
    source="main finite-sample variance theorems; the left-spherical laws",
    fidelity="paper",
    evidence="statistical",
    family=LEFT_SPHERICAL,
    method="D is constant in law on the orbit {O X} and von Neumann's trace inequality bounds it there, so that "
    "U = D / max(hi - c, c - lo) lies in [-1, 1] and has mean 0 whatever the moments of X; a betting interval at fixed size",
    not_established="mean zero is a necessary condition on the tested (law, Omega, S); the interval cannot see a mean of U "
    "below the stated resolution. Left-spherical is sufficient, not necessary (rows with independent signs will do), so the "
    "mutants are designs that break the identity, not all that are not left-spherical",
    hypotheses=f"n = {N}, p = {P}, Sigma diagonal from 0.2 to 4, Omega of trace n",
)
def left_spherical_monte_carlo(errors, law, weight, draws, *, spoil="nothing"):
    r"""Let $D(X) = \mathrm{Var}_S(X) - \frac{\mathrm{Tr}\,\Omega}{n} \mathrm{Tr}((X^\top X)^+ S)$. For $S \in \{\Sigma, I\}$ and for
    AR(1), clustered and heteroskedastic $\Omega$, $\mathbb{E}_X[D(X)/w(X)] = 0$ for every $w > 0$ that is constant on the orbits
    $\{OX\}$ (and large enough for the mean to exist) when $X$ is Gaussian, a Gaussian design times one common random scale, or $O X_0$ with $O$ of the Haar law; and
    not in general for designs that are not left-spherical.
    """
    weights, Omega = WEIGHTS[weight], as_floats(ERRORS[errors])

    def draw(rng):
        X = spoiled(LAWS[law](rng, draws), spoil, rng)
        return relative_excess(X, weights, Omega)

    return mean_eq(draw, 0, support=(-1, 1), fixed=draws, within=Q(1, 5))


left_spherical_monte_carlo.mutant(
    "rows multiplied by fixed scales from 0.3 to 3", spoil="row scales", domain={"errors": Choices("heteroskedastic")}
)
left_spherical_monte_carlo.mutant(
    "rows multiplied by fixed scales from 0.8 to 1.2",
    spoil="mild row scales",
    domain={"errors": Choices("heteroskedastic")},
)
left_spherical_monte_carlo.mutant("a constant column (an intercept of 3)", spoil="intercept")
left_spherical_monte_carlo.mutant(
    "a constant column, clustered errors", spoil="intercept", domain={"errors": Choices("clusters of 5")}
)
left_spherical_monte_carlo.mutant("exchangeable rows: a random shock common to all rows", spoil="common shock")
