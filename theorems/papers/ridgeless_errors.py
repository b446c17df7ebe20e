r"""Prediction and estimation risk of the ridgeless least squares estimator under general regression errors.

Data $y = X\beta + \varepsilon$ with $X \in \mathbb{R}^{n \times p}$, $\mathbb{E}\varepsilon = 0$,
$\mathbb{E}\varepsilon\varepsilon^\top = \Omega$ of any off-diagonal structure; the estimator is $\hat\beta = X^+ y$. For a PSD
weight $S$ the variance given $X$ is $\mathrm{Var}_S(X) = \mathrm{Tr}(X^+ \Omega X^{+\top} S)$: prediction for $S = \Sigma$,
estimation for $S = I$. A design is left-spherical when $OX$ has the law of $X$ for every orthogonal $O$.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from flint import fmpq, fmpq_mat, fmpz_mat

from solvers.exact_linalg import identity, pinv, trace
from theorems import Arrays, ByBudget, Choices, Given, Integers, Paper, eq, le

PAPER = Paper(
    key="ridgeless_errors",
    title="Prediction Risk and Estimation Risk of the Ridgeless Least Squares Estimator under General Assumptions on "
    "Regression Errors",
    authors=("Sungyoon Lee", "Sokbae Lee"),
    venue="ICLR 2025",
    arxiv="2305.12883",
)

ENTRIES = Integers(-4, 4)


def full_rank(X: fmpz_mat) -> bool:
    """The design has full rank min(n, p)."""
    return bool(X.rank() == min(X.nrows(), X.ncols()))


def gram_plus_identity(B: fmpz_mat) -> fmpq_mat:
    """$BB^\\top + I$, a rational SPD matrix."""
    return fmpq_mat(B * B.transpose()) + identity(B.nrows())


def signed_cyclic_group(n: int, *, shifts: bool = True, signs: bool = True) -> Iterator[fmpq_mat]:
    """The $n 2^n$ matrices (cyclic shift) * diag(+-1), or one of the two factors alone."""
    for k in range(n) if shifts else (0,):
        for s in itertools.product((1, -1), repeat=n) if signs else ((1,) * n,):
            P = fmpq_mat(n, n)
            for i in range(n):
                P[i, (i + k) % n] = s[i]
            yield P


SQUARES = PAPER.family(
    "rotated-designs",
    n=ByBudget(quick=Integers(2, 5), full=Integers(2, 6)),
    p=Given(lambda n: Choices(*sorted({max(n - 1, 1), n + 1, n + 3, 2 * n}))),
    X0=Given(lambda n, p: Arrays(ENTRIES, (n, p))),
    B=Given(lambda p: Arrays(ENTRIES, (p, p))),
    C=Given(lambda n: Arrays(ENTRIES, (n, n))),
    where=lambda X0: full_rank(X0),
    quick=24,
    full=300,
)

NOISE_LEVELS = {
    "trace": trace,
    "all entries": lambda Omega: sum(Omega.entries(), fmpq(0)),
    "first entry": lambda Omega: Omega.nrows() * Omega[0, 0],
}


@PAPER.identity(
    source="main finite-sample variance theorems (prediction and estimation)",
    fidelity="paper",
    evidence="certified",
    family=SQUARES,
    method="the expectation over a left-spherical law is first taken over the orbit of a finite orthogonal group, where "
    "the identity holds pointwise: pseudo-inverses of every rotated design from scratch, in exact rationals",
)
def variance_trace_factorization(X0, B, C, *, shifts=True, signs=True, noise="trace"):
    r"""For every left-spherical $X$ of full rank, SPD $\Omega$ and PSD $S$,
    $$\mathbb{E}_X[\mathrm{Var}_S(X)] = \frac{\mathrm{Tr}\,\Omega}{n}\, \mathbb{E}_X[\mathrm{Tr}((X^\top X)^+ S)],$$
    so that the dependence between errors (the off-diagonal of $\Omega$) is irrelevant.
    """
    n = X0.nrows()
    X, S, Omega = fmpq_mat(X0), gram_plus_identity(B), gram_plus_identity(C)
    total, order = fmpq(0), 0
    for P in signed_cyclic_group(n, shifts=shifts, signs=signs):
        Xp = pinv(P * X)
        total += trace(Xp * Omega * Xp.transpose() * S)
        order += 1
    right = NOISE_LEVELS[noise](Omega) * trace(pinv(X.transpose() * X) * S) / n
    return total / order, right


@variance_trace_factorization.proof(
    "orbit average",
    covers="n in {2, 3, 4}; every p, every weight and every full-rank X0 (through the symmetric matrix M), every Omega",
    rests_on=(
        "(P X0)^+ = X0^+ P^T for orthogonal P, so Var_S(P X0) = Tr(P M P^T Omega) with M = X0^{+T} S X0^+",
        "a left-spherical law is invariant under the signed cyclic group, so the orbit average passes to the expectation",
    ),
)
def _orbit_average(*, shifts=True, signs=True, noise="trace") -> Iterator[Any]:
    from theorems import matrix_symbols

    for n in (2, 3, 4):
        M, Omega = matrix_symbols("M", n, n, symmetric=True), matrix_symbols("Omega", n, n, symmetric=True)
        total, order = 0, 0
        for P in signed_cyclic_group(n, shifts=shifts, signs=signs):
            rows = [[int(e) for e in row] for row in P.tolist()]
            rotated = M.__class__(rows) * M * M.__class__(rows).T
            total += sum(rotated[i, j] * Omega[i, j] for i in range(n) for j in range(n))
            order += 1
        level = {"trace": Omega.trace(), "all entries": sum(Omega), "first entry": n * Omega[0, 0]}[noise]
        yield eq(total / order, M.trace() * level / n)


variance_trace_factorization.mutant(
    "rows exchangeable instead of left-spherical (no signs)", signs=False, anywhere=True
)
variance_trace_factorization.mutant("independent signs only (no shifts)", shifts=False, anywhere=True)
variance_trace_factorization.mutant("dependence counted: 1' Omega 1 for Tr Omega", noise="all entries", breaks="main")
variance_trace_factorization.mutant("n Omega_11 for Tr Omega", noise="first entry", breaks="orbit average")


BIASES = PAPER.family(
    "wide-designs",
    n=Integers(2, 4),
    p=Given(lambda n: Integers(n + 1, 8)),
    X=Given(lambda n, p: Arrays(ENTRIES, (n, p))),
    B=Given(lambda p: Arrays(Integers(-2, 2), (p, p))),
    near=Choices(fmpq(0), fmpq(1, 1000), fmpq(1)),
    where=lambda X: full_rank(X),
    quick=40,
    full=1000,
)
R2 = fmpq(7, 3)


@PAPER.identity(
    source="bias under random effects; exact forms derived",
    fidelity="derived",
    evidence="certified",
    family=BIASES,
    method="the prior enters by its second moment only, so beta runs over the 2p points +- r e_j whose average outer product "
    "is (r^2/p) I; squared bias norms averaged in exact rationals",
)
def bias_random_effects(X, B, near, *, complement=True, oblique_excess=True):
    r"""Let $N = I - X^+X$ with $X$ of rank $n < p$. (a) If $\mathbb{E}\beta\beta^\top = (r^2/p) I$, the estimation bias is
    $r^2(1 - n/p)$ for **every** $X$ and the prediction bias is $(r^2/p)\mathrm{Tr}(N\Sigma)$. (b) If
    $\mathbb{E}\beta\beta^\top = (r^2/p)\Sigma^{-1}$, the prediction bias is
    $(r^2/p)\mathrm{Tr}(\Sigma^{-1} N \Sigma N) \ge r^2(1 - n/p)$, with equality iff $N$ commutes with $\Sigma$.
    """
    n, p = X.nrows(), X.ncols()
    Xq = fmpq_mat(X)
    N = identity(p) - pinv(Xq) * Xq
    Sigma = identity(p) + fmpq_mat(B * B.transpose()) * near
    estimation = prediction = fmpq(0)
    for j in range(p):
        beta = fmpq_mat(p, 1)
        beta[j, 0] = 1
        bias = N * beta  # the two signs give the same squared norms
        estimation += R2 * (bias.transpose() * bias)[0, 0] / p
        prediction += R2 * (bias.transpose() * Sigma * bias)[0, 0] / p
    share = 1 - fmpq(n, p) if complement else fmpq(n, p)
    yield "estimation bias", eq(estimation, R2 * share)
    yield "prediction bias", eq(prediction, R2 * trace(N * Sigma) / p)
    oblique = R2 * trace(Sigma.inv() * N * Sigma * N) / p
    floor = R2 * (1 - fmpq(n, p))
    yield "prediction bias under the inverse prior", le(floor, oblique) if oblique_excess else eq(oblique, floor)
    commutator = N * Sigma - Sigma * N
    defect = trace(commutator.transpose() * commutator)
    # equality iff N commutes with Sigma: the excess and the squared commutator norm vanish together
    yield "equality iff N and Sigma commute", eq(sign(oblique - floor), sign(defect))


def sign(x: fmpq) -> int:
    """The exact sign of a rational."""
    return (x > 0) - (x < 0)


bias_random_effects.mutant("n/p in place of 1 - n/p", complement=False, breaks="estimation bias", anywhere=True)
bias_random_effects.mutant(
    "equality also under the inverse prior", oblique_excess=False, breaks="prediction bias under the inverse prior"
)
