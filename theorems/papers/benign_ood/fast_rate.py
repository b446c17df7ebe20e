r"""Under a benign shift minimum-norm interpolation has excess risk of order $1/n$."""

from __future__ import annotations

import math

import numpy as np
from flint import fmpq_mat

from solvers.ridge import ridge_risk
from theorems import ByBudget, Choices, Q, curve, eq, le, prob_le, slope, symbols
from theorems.papers.benign_ood.family import orthogonal_design, orthogonal_risk, source_gram, target
from theorems.papers.benign_ood.paper import PAPER

K = 3
AVERAGED = 4  # Gaussian designs in a mean
ONE, TENTH = Q(1), Q(1, 10)
SIZES = (10**2, 10**3, 10**4, 10**5, 10**6)

FORMS = PAPER.family(
    "orthogonal-designs",
    n=ByBudget(quick=Choices(4, 8), full=Choices(4, 8, 12, 16)),
    k=Choices(1, 2, 3),
    root=Choices(ONE, Q(1, 3)),
    lam=Choices(Q(0), Q(2)),
    theta=Choices(Q(1, 16), ONE, Q(5, 2)),
    every=True,
)


def interpolation_risk(n, t0, p, v2=ONE):
    """The risk of interpolation on the orthogonal design with k = 3, g = n, tau = 1, b = 1 and target minor trace t0 over p coordinates."""
    return orthogonal_risk(n, K, n, ONE, ONE, Q(t0) / p, ONE, v2)


@PAPER.rate(
    source="upper bound of order 1/n when the minor part of the target is small in total; the family and its constants are derived",
    fidelity="paper",
    evidence="statistical",
    family=FORMS,
    part="closed form",
    method="the closed form of orthogonal designs against exact interpolation, its rate and limit in exact rationals up to n = 10^6; Gaussian "
    "designs (Bartlett) against (k + t0)/n, means over four of them, by exact binomial bounds at a fixed number of means",
    hypotheses="k = 3 unit major directions, p_m = n^2, minor trace 1, T = I, beta on the major block, v2 = 1, lambda = 0",
    not_established="an event of probability below about 0.4 passes for one below 1/10; for Gaussian designs an exponent closer to -1 than about 0.1, "
    "and that their bias alone is O(1/n^2); other major spectra",
)
def benign_shift_fast_rate(n, k, root, lam, theta, *, leak=1):
    r"""Let $k$ be fixed, the major eigenvalues of $\Sigma_S$ and $\Sigma_T$ be 1, the minor block of $\Sigma_S$ isotropic with $p_m = n^2$
    coordinates and trace 1, the minor block of $\Sigma_T$ of trace $t_0 = O(1)$, isotropic or concentrated on $n/2$ coordinates,
    $\beta = (1, \ldots, 1)/\sqrt k$ on the major block and 0 elsewhere. Minimum-norm interpolation ($\lambda = 0$) has excess risk
    $B + V = \Theta(1/n)$, $n(B + V) \to v^2(k + t_0)$: $V$ is $\mathrm{Tr}\,T/n + n\,\mathrm{Tr}(\Sigma_{S,m}\Sigma_{T,m})/s^2$ times $v^2$, and
    $B = O(1/n^2)$. When $X_k^\top X_k = nI$ and $G = \tau I$ the risk is
    $\frac{s^2b^2 + v^2kn + \theta\tau(nb^2 + v^2k)}{(s+n)^2} + \frac{v^2\theta\tau(n-k)}{s^2}$ with $s = \lambda + \tau$ and
    $\Sigma_{T,m} = \theta I$. Gaussian designs: the mean of $B+V$ over four of them satisfies $|n(B+V)/(k+t_0) - 1| \le \frac{3}{2\sqrt n}$ with
    probability at least 9/10.
    """
    X = orthogonal_design(n, k, root)
    tau = root * root
    beta = [[Q(1 if i < k else 0)] for i in range(k + n)]  # |beta|^2 = k
    direct = ridge_risk(X, lam, fmpq_mat(beta), target(k, n, theta), ONE).total
    yield "closed form", eq(direct, orthogonal_risk(n, k, n, lam + tau, tau, theta, k, ONE, leak=leak))


@benign_shift_fast_rate.check("limit", domain={"t0": Choices(1, 5)}, every=True)
def _limit(t0, *, exponent=-1, growing=False, coordinates="n^2", dropped=0):
    def risk(n, v2=ONE):
        return interpolation_risk(n, n * t0 if growing else t0, {"n^2": n * n, "2 n": 2 * n}[coordinates], v2)

    risks = [risk(n) for n in SIZES]
    yield "rate", slope(SIZES, risks, exponent, within=Q(1, 100))
    limit = K + t0 - dropped
    yield "constant", le([abs(n * r / limit - 1) for n, r in zip(SIZES, risks)], [Q(3) / n for n in SIZES])
    yield "bias of order 1/n^2", le([n * n * risk(n, Q(0)) for n in SIZES], 1 + Q(t0))


@benign_shift_fast_rate.proof("orthogonal limit", covers="k = 3, all real n >= 6, t0 >= 0, v2 = b = 1")
def _symbols(*, dropped=0):
    n, t0 = symbols("n", lower=6), symbols("t0", nonnegative=True)
    risk = orthogonal_risk(n, K, n, 1, 1, t0 / n**2, 1, 1)
    limit = K + t0 - dropped
    yield "n risk at most (k + t0) (1 + 3/n)", le(n * risk, limit * (1 + 3 / n))
    yield "n risk at least (k + t0) (1 - 3/n)", le(limit * (1 - 3 / n), n * risk)


RANDOM = PAPER.family(
    "random-designs",
    n=ByBudget(quick=Choices(25, 50, 100), full=Choices(25, 50, 100, 200, 400)),
    t0=Choices(1, 5),
    spread=Choices("concentrated", "isotropic"),
    means=30,
    every=True,
)


def random_risk(rng, n, t0, spread, growing=False, p=None):
    """B + V of interpolation for a Gaussian design with k = 3 and p_m = p (n^2 unless stated)."""
    p = n * n if p is None else p
    X = rng.standard_normal((n, K))
    G, N = source_gram(rng, n, p, n // 2 if spread == "concentrated" else p)
    N = N * (t0 * n if growing else t0)
    inverse = np.linalg.inv(X @ X.T + G)
    H = inverse @ X
    w = H.sum(axis=1) / math.sqrt(K)
    r = X.T @ w - 1 / math.sqrt(K)
    return (H * H).sum() + (inverse * (N @ inverse)).sum() + r @ r + w @ N @ w


@benign_shift_fast_rate.check("random designs", family=RANDOM)
def _random(n, t0, spread, means, *, growing=False, wide=True, dropped=0, fitted=ONE):
    value = (K + t0 - dropped) / n * (n / 25) ** float(1 - fitted)

    def far(rng):
        p = n * n if wide else 2 * n
        risk = sum(random_risk(rng, n, t0, spread, growing, p) for _ in range(AVERAGED)) / AVERAGED
        return abs(risk / value - 1) > 1.5 / math.sqrt(n)  # event

    if n == 25:
        yield _picture(t0, spread)
    yield "random designs", prob_le(far, TENTH, fixed=means)


def _picture(t0, spread):
    sizes = [2**j for j in range(4, 11)]
    rng = np.random.default_rng(0)
    drawn = [25, 35, 50, 71, 100]
    if spread == "isotropic":
        return curve(
            "Excess risk of interpolation",
            np.log10(sizes),
            np.log10([(K + t0) / n for n in sizes]),
            series=f"(k + t0)/n, t0 = {t0}",
            axes=("log10 of n", "log10 of the risk"),
        )
    return curve(
        "Excess risk of interpolation",
        np.log10(drawn),
        np.log10([random_risk(rng, n, t0, spread) for n in drawn]),
        series=f"one design each, t0 = {t0}",
        mark="dots",
        axes=("log10 of n", "log10 of the risk"),
    )


benign_shift_fast_rate.mutant("no bias on the minor block", leak=0, breaks="closed form", anywhere=True)
benign_shift_fast_rate.mutant("rate -0.95", exponent=Q(-19, 20), breaks="rate")
benign_shift_fast_rate.mutant("target minor trace growing like n", growing=True, on="limit", breaks="rate")
benign_shift_fast_rate.mutant("p_m = 2 n", coordinates="2 n", breaks="rate")
benign_shift_fast_rate.mutant(
    "limit k + t0 - 1/20",
    dropped=Q(1, 20),
    on=("limit", "orthogonal limit"),
    breaks=("constant", "n risk at most (k + t0) (1 + 3/n)"),
)
benign_shift_fast_rate.mutant(
    "target minor trace growing like n, random designs", growing=True, on="random designs", breaks="random designs"
)
benign_shift_fast_rate.mutant("p_m = 2 n, random designs", wide=False, on="random designs", breaks="random designs")
benign_shift_fast_rate.mutant(
    "limit k + t0 - 2, random designs",
    dropped=2,
    on="random designs",
    breaks="random designs",
    domain={"t0": Choices(5)},
)
benign_shift_fast_rate.mutant(
    "rate -0.85, random designs, matched at n = 25",
    fitted=Q(17, 20),
    on="random designs",
    breaks="random designs",
    domain={"n": Choices(100), "t0": Choices(5)},
)
