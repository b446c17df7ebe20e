r"""The two variance terms of the bound are of the right size from both sides."""

from __future__ import annotations

import numpy as np

from theorems import ByBudget, Choices, Q, prob_le
from theorems.papers.benign_ood.family import source_gram
from theorems.papers.benign_ood.paper import PAPER

K = 4
TENTH, ONE, LOW, HIGH = Q(1, 10), Q(1), Q(2, 5), Q(8, 5)
SPREADS = ("isotropic", "concentrated")
EXTREME, INSTANCES = (
    [(alpha, lam, spread) for alpha in alphas for lam in (0, 1, 10) for spread in SPREADS]
    for alphas in ((1.3, 2.0), (1.3, 1.6, 2.0))
)

SMALL = PAPER.family(
    "small-designs",
    n=ByBudget(quick=Choices(25), full=Choices(25, 50)),
    instance=ByBudget(quick=Choices(*EXTREME), full=Choices(*INSTANCES)),
    means=ByBudget(quick=30, full=40),
    averaged=ByBudget(quick=5, full=8),
    every=True,
)
LARGE = PAPER.family(
    "large-designs",
    n=ByBudget(quick=Choices(100), full=Choices(100, 200, 400)),
    instance=ByBudget(quick=Choices((1.3, 0, "concentrated"), (2.0, 10, "isotropic")), full=Choices(*INSTANCES)),
    means=30,
    averaged=2,
    every=True,
)


def variance(rng, n, alpha, lam, spread):
    """V for a Gaussian design with k = 4, p_m = n^alpha, tau = 1, target minor trace 1, T = I, v2 = 1; and p_m."""
    p = round(n**alpha)
    X = rng.standard_normal((n, K))
    G, N = source_gram(rng, n, p, n // 2 if spread == "concentrated" else p)
    inverse = np.linalg.inv(X @ X.T + G + lam * np.eye(n))
    H = inverse @ X
    return (H * H).sum() + (inverse * (N @ inverse)).sum(), p


@PAPER.bound(
    source="sharpness of the variance bound (claimed by specialisation; no matching lower bound is stated)",
    fidelity="derived",
    evidence="statistical",
    family=(SMALL, LARGE),
    tests=2,
    part="two-sided",
    method="Gaussian designs by Bartlett's decomposition, events decided by exact binomial bounds at a fixed number of averages",
    hypotheses="k = 4, isotropic minor block of trace 1 with p_m = n^alpha, alpha in {1.3, 1.6, 2}, lambda in {0, 1, 10}, n in 25..400, T = I",
    not_established="an event of probability below about 0.4 (full, n >= 100: 1/2) passes for one below 1/10; anisotropic minor blocks",
)
def variance_two_sided_sharpness(
    n, instance, means, averaged, *, second=ONE, rows=ONE, exponent=ONE, low=LOW, high=HIGH
):
    r"""On the isotropic-minor family ($k = 4$ unit major directions, $p_m = n^\alpha$, minor trace $\tau = 1$, $s = \lambda + \tau$,
    $\Sigma_{T,k} = I$, target minor trace 1 spread evenly or over $n/2$ coordinates), the average of $V$ over a few designs (five, full: eight, at $n < 100$; else two)
    satisfies, with probability at least 9/10 from below and from above,
    $$0.4 \le \frac{V}{v^2\big[\mathrm{Tr}\,T/n + n\,\mathrm{Tr}(\Sigma_{S,m}\Sigma_{T,m})/s^2\big]} \le 1.6.$$
    """
    alpha, lam, spread = instance

    def ratio(rng):
        found = [variance(rng, n, alpha, lam, spread) for _ in range(averaged)]
        V, p = sum(v for v, _ in found) / averaged, found[0][1]
        scale = K / n ** float(exponent) + float(second) * n ** float(rows) / (p * (1 + lam) ** 2)
        return V / scale

    yield "at least 0.4", prob_le(lambda rng: ratio(rng) < float(low), TENTH, fixed=means)  # event
    yield "at most 1.6", prob_le(lambda rng: ratio(rng) > float(high), TENTH, fixed=means)  # event


WIDE = {"n": Choices(100), "instance": Choices((2.0, 10, "isotropic"))}  # where the first term dominates
variance_two_sided_sharpness.mutant("second term dropped", second=0, on="large-designs", breaks="at most 1.6")
variance_two_sided_sharpness.mutant(
    "sqrt(n) for n in the second term", rows=Q(1, 2), on="large-designs", breaks="at most 1.6"
)
variance_two_sided_sharpness.mutant(
    "1/n^{23/20} in the first term", exponent=Q(23, 20), on="large-designs", breaks="at most 1.6", domain=WIDE
)
variance_two_sided_sharpness.mutant(
    "1/n^{4/5} in the first term", exponent=Q(4, 5), on="large-designs", breaks="at least 0.4", domain=WIDE
)
variance_two_sided_sharpness.mutant(
    "ratio at least 0.95", low=Q(19, 20), on="large-designs", breaks="at least 0.4", domain=WIDE
)
