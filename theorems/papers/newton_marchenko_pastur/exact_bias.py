"""Without regularisation the bias of a sketched inverse Hessian is known exactly, whatever the Hessian."""

from __future__ import annotations

from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from solvers.exact_linalg import inverse
from solvers.free_algebra import Polynomial, Word, letters, rewritten
from solvers.wishart import inverse_gram_column, reciprocal_mean
from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, eq, law, symbols
from theorems.papers.newton_marchenko_pastur.paper import PAPER

SIZES = ByBudget(quick=Choices((5, 12), (12, 30)), full=Choices((5, 12), (12, 30), (20, 44)))


@PAPER.identity(
    source="the case lambda = 0 of the debiasing (inverse Wishart mean)",
    fidelity="derived",
    evidence="proved",
    method="matrix identities of every size in free letters, the reciprocal mean by an integration by parts; cross-checks: integer "
    "sketches in exact rationals, the reciprocal mean by rigorous quadrature, the chi-square law in simulation",
    hypotheses="S has independent N(0, 1/m) entries, K is positive definite (of any condition number), m > d + 1",
    rests_on=(
        "E (G^T G)^{-1} is diagonal since G diag(+-1) has the law of G, and its diagonal entries are equal by exchangeability",
        "|(I - P) g|^2 for an independent projection P of rank d - 1 and g ~ N(0, I_m) has the chi-square law with m - d + 1 "
        "degrees of freedom",
        "x^a exp(-x/2) vanishes at 0 and at infinity for a > 0, so the integral of its derivative is 0",
    ),
)
def unregularised_exact_bias():
    r"""Let $K \in \mathbb{R}^{d \times d}$ be positive definite, $\hat K = K^{1/2} (G^\top G/m) K^{1/2}$ with $G \in \mathbb{R}^{m \times d}$
    of independent $N(0,1)$ entries, $m > d + 1$. Then $K^{1/2} \hat K^{-1} K^{1/2} = (G^\top G/m)^{-1}$ does not involve $K$, and
    $$\mathbb{E}\, \hat K^{-1} = \frac{m}{m-d-1} K^{-1}.$$ The relative bias of $\hat K^{-1}$ is $\frac{d+1}{m-d-1}$ in every direction, that of
    the Marchenko-Pastur-debiased $(1 - d/m) \hat K^{-1}$ exactly $\frac{1}{m-d-1}$.
    """


def size(p: Polynomial) -> int:
    """The sum of the squared coefficients, 0 for the polynomial 0 only."""
    return sum(c * c for c in p.coefficients())


@unregularised_exact_bias.proof(
    "invariance", covers="all sizes m and d, all invertible B with K = B B^T, all G of full rank"
)
def _invariance(*, transposed=True):
    B, Bt, Bi, Bti, W, Wi = letters("B Bt Bi Bti W Wi")  # W = G^T G / m; i: inverse, t: transpose
    rules: dict[Word, Any] = {
        ("B", "Bi"): 1,
        ("Bi", "B"): 1,
        ("Bt", "Bti"): 1,
        ("Bti", "Bt"): 1,
        ("W", "Wi"): 1,
        ("Wi", "W"): 1,
    }
    sketched, found = B * W * Bt, Bti * Wi * Bi
    yield "inverse", eq(size(rewritten(sketched * found - 1, rules)), 0)
    outer = Bt * found * B if transposed else B * found * Bt
    yield "invariance", eq(size(rewritten(outer - Wi, rules)), 0)


@unregularised_exact_bias.proof(
    "residual",
    covers="all sizes m and d: 1/[(G^T G)^{-1}]_11 is the squared residual of the first column on the others, of full rank",
)
def _residual(*, projected=True):
    first, others = inverse_gram_column(projected=projected)
    yield "first block", eq(first.coefficients(), [0])
    yield "other blocks", eq(others.coefficients(), [0])


@unregularised_exact_bias.proof("mean", covers="all real m > d + 1 > 1")
def _mean(*, freedom=1, shrink=0, bias=1):
    import sympy

    d, excess, x = symbols("d excess x", positive=True)
    m = d + 1 + excess  # excess > 0
    a = (
        m - d + freedom
    ) / 2 - 1  # the chi-square density with m - d + 1 degrees of freedom is x^a exp(-x/2), normalised
    # 0 = integral of (x^a e^{-x/2})' = integral of (a/x - 1/2) x^a e^{-x/2}, so that a E[1/Y] = 1/2
    yield "logarithmic derivative", eq((a * sympy.log(x) - x / 2).diff(x), a / x - sympy.Rational(1, 2))
    mean = 1 / (2 * a)
    yield "mean", eq(m * mean, m / (m - d - 1))
    yield "bias of the plain estimate", eq(m * mean - 1, (d + 1) / (m - d - 1))
    yield "bias of the debiased estimate", eq((1 - (d + shrink) / m) * m * mean - 1, bias / (m - d - 1))


@unregularised_exact_bias.crosscheck(
    "integer sketches",
    domain={
        "d": Integers(1, 4),
        "G": Given(lambda d: Arrays(Integers(-4, 4), (8, d))),
        "B": Given(lambda d: Arrays(Integers(-5, 5), (d, d))),
    },
    where=lambda G, B: G.rank() == G.ncols() and B.rank() == B.ncols(),
    quick=20,
    full=400,
)
def _integers(d, G, B, *, transposed=True, projected=True):
    G, B = fmpq_mat(G), fmpq_mat(B)
    gram = G.transpose() * G
    found = inverse(B * gram * B.transpose())
    yield "exact invariance", eq(B.transpose() * found * B if transposed else B * found * B.transpose(), inverse(gram))
    g = fmpq_mat(8, 1, [G[i, 0] for i in range(8)])
    residual = g
    if projected and d > 1:
        V = fmpq_mat(8, d - 1, [G[i, j] for i in range(8) for j in range(1, d)])
        residual = g - V * (V.transpose() * V).solve(V.transpose() * g)
    yield "exact residual", eq(1 / inverse(gram)[0, 0], sum((t * t for t in residual.entries()), fmpq(0)))


@unregularised_exact_bias.crosscheck(
    "simulation", domain={"size": SIZES, "draws": ByBudget(quick=1000, full=6000)}, every=True
)
def _simulation(size, draws, *, freedom=1):
    from scipy.special import gammainc

    d, m = size
    k = m - d + freedom
    yield "quadrature", eq(lambda: reciprocal_mean(k), Q(1, m - d - 1), within=Q(1, 10**15))

    def draw(rng):
        G = rng.standard_normal((draws, m, d))
        return 1 / np.linalg.inv(G.transpose(0, 2, 1) @ G)[:, 0, 0]

    yield "chi-square law", law(draw, lambda x: gammainc(k / 2, np.maximum(x, 0) / 2), size=draws)


unregularised_exact_bias.mutant("B (B G^T G B^T)^{-1} B^T for B^T (...)^{-1} B", transposed=False, breaks="invariance")
unregularised_exact_bias.mutant("the residual replaced by the column itself", projected=False, breaks="first block")
unregularised_exact_bias.mutant("m/(m - d): one degree of freedom more", freedom=2, breaks="mean")
unregularised_exact_bias.mutant("m/(m - d), seen in the law", freedom=2, on="simulation", breaks="quadrature")
unregularised_exact_bias.mutant(
    "two degrees more, seen in the law", freedom=3, on="simulation", breaks="chi-square law"
)
unregularised_exact_bias.mutant("debiased estimate unbiased", bias=0, breaks="bias of the debiased estimate")
unregularised_exact_bias.mutant(
    "factor 1 - (d + 1)/m with the same bias", shrink=1, breaks="bias of the debiased estimate"
)
