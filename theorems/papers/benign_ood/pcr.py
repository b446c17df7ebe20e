r"""Principal component regression with the major directions has risk of order $1/n$ where ridge regression is slow."""

from __future__ import annotations

import math

import numpy as np
from flint import fmpq_mat

from solvers.exact_linalg import identity
from solvers.ridge import linear_risk
from theorems import ByBudget, Choices, Q, eq, le, prob_le, slope
from theorems.papers.benign_ood.family import orthogonal_design, orthogonal_risk, source_gram
from theorems.papers.benign_ood.paper import PAPER

ONE, TENTH = Q(1), Q(1, 10)
AVERAGED = 8  # Gaussian designs in a mean
SIZES = (10**2, 10**3, 10**4, 10**5, 10**6)

FORMS = PAPER.family(
    "orthogonal-designs-pcr",
    n=ByBudget(quick=Choices(4, 8), full=Choices(4, 8, 12, 16)),
    k=Choices(1, 2, 3),
    root=Choices(ONE, Q(1, 3), Q(3, 2)),
    b=Choices(ONE, Q(2, 7)),
    v2=Choices(ONE, Q(1, 5)),
    every=True,
)


@PAPER.rate(
    source="PCR with the right number of components reaches O(1/n) where ridge regression cannot",
    fidelity="paper",
    evidence="statistical",
    family=FORMS,
    part="closed form",
    method="the closed form of orthogonal designs against exact principal component regression, its rate and limit in exact rationals; Gaussian "
    "designs against it, means over eight of them, by exact binomial bounds at a fixed number of means",
    hypotheses="k in {1, 3} known, l_1 = ... = l_k = 1, minor block isotropic with p_m = n^2 and trace tau, Sigma_T = I, beta_m = 0",
    not_established="a choice of k from the data; an event of probability below about 0.4 passes for one below 1/10; for Gaussian "
    "designs an exponent closer to -1 than about 0.2",
)
def pcr_fast_rate(n, k, root, b, v2, *, leak=1):
    r"""Let $\Sigma_T = I$, the major eigenvalues be 1, the minor block isotropic with trace $\tau$, and $\beta_{-k} = 0$, $|\beta| = b$. When
    $X_k^\top X_k = gI$ and $G = \tau I$, regression on the $k$ leading eigenvectors of $XX^\top$ has excess risk
    $$\frac{\tau^2b^2 + v^2kg + \tau(gb^2 + v^2k)}{(g+\tau)^2},$$ so that for $g = n$ the risk is $\Theta(1/n)$, $n(B + V) \to v^2k + \tau b^2$.
    For Gaussian designs with $p_m = n^2$, $\tau = 1$, $b = v = 1$ the mean over eight of them is within $2/\sqrt n$ of it (relative) with probability at
    least 9/10, for $k = 1$ and $k = 3$.
    """
    X = orthogonal_design(n, k, root)
    tau = root * root
    Xk = fmpq_mat(n, k, [X[i, j] for i in range(n) for j in range(k)])
    M = Xk * Xk.transpose() * (1 / (n * (n + tau)))  # U D^{-1} U^T with U = X_k/sqrt n, D = n + tau
    beta = fmpq_mat([[b if i == 0 else Q(0)] for i in range(k + n)])
    components = [(Xk.transpose() * Xk).entries(), (X * X.transpose() * Xk).entries()]
    yield "leading eigenvectors", eq(components[0], (identity(k) * n).entries())
    yield "leading eigenvectors", eq(components[1], (Xk * (n + tau)).entries())
    direct = linear_risk(X, M, beta, identity(k + n), v2).total
    yield "closed form", eq(direct, orthogonal_risk(n, k, n, tau, tau, ONE, b * b, v2, components=True, leak=leak))


@pcr_fast_rate.check("limit", domain={"k": Choices(1, 3), "tau": Choices(TENTH, ONE, Q(10))}, every=True)
def _limit(k, tau, *, exponent=-1, unseen=0, interpolating=False, factor=ONE):
    risks = [orthogonal_risk(n, k, n, tau, tau, ONE, ONE, ONE, components=not interpolating) + unseen for n in SIZES]
    yield "rate", slope(SIZES[2:], risks[2:], exponent, within=Q(1, 500))
    limit = (k + tau) * factor
    yield "constant", le([abs(n * r / limit - 1) for n, r in zip(SIZES, risks)], [2 * (1 + tau) / n for n in SIZES])


RANDOM = PAPER.family(
    "random-designs-pcr",
    n=ByBudget(quick=Choices(25, 100), full=Choices(25, 50, 100, 200, 400)),
    k=Choices(1, 3),
    means=30,
    every=True,
)


def random_risk(rng, n, k, components):
    """The risk of PCR with so many components for a Gaussian design with p_m = n^2, tau = 1, b = v = 1."""
    X = rng.standard_normal((n, k))
    G, _ = source_gram(rng, n, n * n, n * n)
    e, U = np.linalg.eigh(X @ X.T + G)
    e, U = e[n - components :], U[:, n - components :]
    w = U.T @ X.sum(axis=1) / math.sqrt(k)
    return float((1 / e).sum() + 1 - (w * w / e).sum())


@pcr_fast_rate.check("random designs", family=RANDOM)
def _random(n, k, means, *, fewer=0, everything=False, hidden=0.0, fitted=ONE):
    """`fitted`: minus the exponent, with the value at n = 25 kept."""
    value = float(orthogonal_risk(n, k, n, 1, 1, 1, 1, 1, components=True)) * (n / 25) ** float(1 - fitted)
    used = n if everything else k - fewer

    def far(rng):
        risk = sum(random_risk(rng, n, k, used) for _ in range(AVERAGED)) / AVERAGED + hidden
        return abs(risk / value - 1) > 2 / math.sqrt(n)  # event

    yield "random designs", prob_le(far, TENTH, fixed=means)


pcr_fast_rate.mutant(
    "target energy 1/5 outside of the major block, closed form", unseen=Q(1, 5), on="limit", breaks="rate"
)
pcr_fast_rate.mutant("no bias on the minor block", leak=0, breaks="closed form", anywhere=True)
pcr_fast_rate.mutant("all components (interpolation), closed form", interpolating=True, breaks="rate")
pcr_fast_rate.mutant("rate -0.95", exponent=Q(-19, 20), breaks="rate")
pcr_fast_rate.mutant("limit 1 % larger", factor=Q(101, 100), breaks="constant")
pcr_fast_rate.mutant(
    "k - 1 components", fewer=1, on="random designs", breaks="random designs", domain={"k": Choices(3)}
)
pcr_fast_rate.mutant("all components", everything=True, on="random designs", breaks="random designs")
pcr_fast_rate.mutant(
    "target energy 1/5 outside of the major block", hidden=0.2, on="random designs", breaks="random designs"
)
pcr_fast_rate.mutant(
    "rate -0.75, random designs, matched at n = 25",
    fitted=Q(3, 4),
    on="random designs",
    breaks="random designs",
    domain={"n": Choices(100), "k": Choices(3)},
)
