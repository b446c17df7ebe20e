r"""Without a benign shift: ridge regression is at best of order $n^{-1/2}$ when the target sees the minor directions."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from flint import arb, fmpq, fmpq_mat, fmpq_poly

from solvers.enclosures import precision, real_roots
from solvers.exact_linalg import identity
from solvers.ridge import ridge_risk
from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, Rationals, curve, eq, le, prob_le, slope, symbols
from theorems.papers.benign_ood.family import one_direction, orthogonal_risk, source_gram
from theorems.papers.benign_ood.paper import PAPER

BITS = 200
AVERAGED = 6  # Gaussian designs in a mean
ONE, TENTH, MINUS_HALF, THREE_QUARTERS = Q(1), Q(1, 10), Q(-1, 2), Q(3, 4)


@cache
def optimum(n: int, tau: fmpq, shifted: bool) -> tuple[arb, arb]:
    """The least risk over lambda >= 0 on the orthogonal design with k = 1, g = n, b = v = 1, and its s = lambda + tau.

    Candidates are s = tau and the critical points beyond, roots of the numerator of the derivative; all of them in balls.
    """
    with precision(BITS):
        s, g = fmpq_poly([0, 1]), fmpq_poly([n])
        theta = 1 if shifted else 0
        upper = s**2 + n + theta * tau * (n + 1)  # the risk is upper / (s + g)^2 + minor / s^2
        minor = theta * tau * (n - 1)
        # derivative times (s + g)^3 s^3 / 2: (s (s + g) - upper) s^3 - minor (s + g)^3
        slope_of = (s * (s + g) - upper) * s**3 - minor * (s + g) ** 3
        places = [arb(tau)] + [r.ball() for r in real_roots(slope_of) if r.compare(tau) > 0]
        values = [orthogonal_risk(n, 1, n, p, tau, theta, 1, 1) for p in places]
        best = 0
        for j, value in enumerate(values):
            if value < values[best]:
                best = j
        least = values[0]
        for value in values[1:]:
            least = least.min(value)
        return least, places[best]


FORMS = PAPER.family(
    "one-direction-designs",
    n=Integers(2, 7),
    x=Given(lambda n: Arrays(Rationals(-3, 3, 8), (n,))),
    root=Choices(ONE, Q(1, 4), Q(3)),
    lam=Choices(Q(0), Q(1, 2), Q(7)),
    b=Rationals(-2, 2, 6),
    v2=Choices(ONE, Q(1, 5)),
    where=lambda x: any(x),
    quick=12,
    full=200,
)


@PAPER.rate(
    source="the instance where ridge regression with any regularisation has excess risk of order n^{-1/2} at least; constants derived",
    fidelity="derived",
    evidence="statistical",
    family=FORMS,
    part="closed form",
    method="the closed form against exact ridge regression; its minimum over lambda in balls, from all critical points; random designs against "
    "the closed form, means over six of them, by exact binomial bounds at a fixed number of means",
    hypotheses="k = 1, l_1 = 1, p_m = n^2 in the random designs (Bartlett), p_m = n in the orthogonal ones; tau in {1/10, 1, 10}, n up to 10^20",
    not_established="an event of probability below about 0.4 passes for one below 1/10; for Gaussian designs an exponent closer to -1/2 than about 0.15",
    rests_on=(
        "s = sigma n^{3/4} in the closed form with g = n: sqrt(n) risk -> b^2 sigma^2 + v2 tau/sigma^2 as n -> infinity",
    ),
)
def ridge_slow_rate(n, x, root, lam, b, v2, *, visible=1, leak=1):
    r"""Let $k = 1$, $l_1 = 1$, the minor block isotropic with trace $\tau$, $\beta = b e_1$ and $\Sigma_T = I$. When $G = \tau I$ and
    $g = |X_k|^2$, ridge regression has with $s = \lambda + \tau$ the risk
    $$\frac{s^2b^2 + v^2(g + \tau) + \tau g b^2}{(s + g)^2} + \frac{v^2 \tau (n-1)}{s^2}.$$ For $g = n$, $b = v = 1$ its least value over
    $\lambda \ge 0$ lies between $2\sqrt{\tau/n}\,(1 - (\tau/n)^{1/4})$ and $2\sqrt{\tau/n}$, at
    $s = \tau^{1/4}n^{3/4}(1 + \theta (\tau/n)^{1/4})$ with $|\theta| \le 4/3$: no regularisation is faster than $n^{-1/2}$. For Gaussian
    designs with $p_m = n^2$, $\tau = 1$ the mean of the least risk over six of them is within $\frac{3}{2\sqrt n}$ of this value (relative) with probability at least 9/10. Under the source's own covariance
    ($\Sigma_T = \Sigma_S$, minor eigenvalues $\tau/n^2$) interpolation ($\lambda = 0$) has risk of order $1/n$.
    """
    tau = root * root
    X = one_direction(x, root)
    g = sum((t * t for t in x), Q(0))
    beta = [[b]] + [[Q(0)]] * n
    direct = ridge_risk(X, lam, fmpq_mat(beta), identity(n + 1), v2).total
    yield "closed form", eq(direct, orthogonal_risk(n, 1, g, lam + tau, tau, Q(visible), b * b, v2, leak=leak))


@ridge_slow_rate.check(
    "least risk",
    domain={
        "tau": Choices(ONE, TENTH, Q(10)),
        "digits": ByBudget(quick=(4, 8, 12, 16, 20), full=(2, 4, 6, 8, 10, 12, 14, 16, 18, 20)),
    },
    every=True,
)
def _least(
    tau, digits, *, exponent=MINUS_HALF, constant=ONE, regularisation=THREE_QUARTERS, shifted=True, correction=ONE
):
    sizes = [10**k for k in digits]
    found = [optimum(n, tau, shifted) for n in sizes]
    with precision(BITS):
        scaled = [value / (2 * constant * (arb(tau) / n).sqrt()) for n, (value, _) in zip(sizes, found)]
        small = [(arb(tau) / n).root(4) for n in sizes]
        places = [s / (arb(tau).root(4) * arb(n) ** arb(regularisation)) for n, (_, s) in zip(sizes, found)]
    yield "least risk from above", le(scaled, 1)
    yield "least risk from below", le([1 - correction * r for r in small], scaled)
    yield "where it is attained", le([abs(s - 1) for s in places], [r * Q(4, 3) for r in small])
    large = [j for j, k in enumerate(digits) if k >= 8]
    yield "rate", slope([sizes[j] for j in large], [found[j][0] for j in large], exponent, within=Q(1, 200))
    if tau == 1:
        n = 10**4
        grid = [Q(10) ** j * m for j in range(0, 5) for m in (1, 2, 3, 5, 7)]
        yield curve(
            "Risk of ridge regression at n = 10^4",
            [arb(s).log() / arb(10).log() for s in grid],
            [arb(orthogonal_risk(n, 1, n, s, tau, Q(1), 1, 1)).log() / arb(10).log() for s in grid],
            series="shifted target",
            axes=("log10 of lambda + tau", "log10 of the risk"),
        )
        yield curve(
            "Risk of ridge regression at n = 10^4",
            [arb(s).log() / arb(10).log() for s in grid],
            [arb(orthogonal_risk(n, 1, n, s, tau, tau / Q(n) ** 2, 1, 1)).log() / arb(10).log() for s in grid],
            series="target = source",
        )


@ridge_slow_rate.check("in distribution", domain={"tau": Choices(ONE, TENTH, Q(10))}, every=True)
def _in_distribution(tau, *, theta="source", exponent_inside=-1):
    sizes = [10**k for k in (4, 6, 8, 10)]
    risks = [orthogonal_risk(n, 1, n, tau, tau, tau / Q(n) ** 2 if theta == "source" else Q(1), 1, 1) for n in sizes]
    yield "benign in distribution", slope(sizes, risks, exponent_inside, within=Q(1, 50))


RANDOM = PAPER.family(
    "random-designs",
    n=ByBudget(quick=Choices(25, 100), full=Choices(25, 50, 100, 200, 400)),
    means=30,
    every=True,
)


def least_random_risk(rng, n, shifted):
    """The least risk over lambda of a Gaussian design with k = 1, p_m = n^2, tau = 1, b = v = 1, on a grid of 301 lambdas."""
    x = rng.standard_normal(n)
    G, _ = source_gram(rng, n, n * n, n * n)
    e, Q_ = np.linalg.eigh(G + np.outer(x, x))
    w = (Q_.T @ x) ** 2
    lam = np.concatenate([[0.0], np.geomspace(1e-2, 1e5, 300)])[:, None]
    f = 1 / (e + lam)
    if shifted:  # Sigma_T = I
        return float(((f * f * e).sum(axis=1) + (f * f * e * w).sum(axis=1) - 2 * (f * w).sum(axis=1) + 1).min())
    return float(((f * f * w).sum(axis=1) + (1 - (f * w).sum(axis=1)) ** 2).min())  # the first coordinate only


@ridge_slow_rate.check("random designs", family=RANDOM)
def _random(n, means, *, seen=True, larger=ONE, fitted=-MINUS_HALF):
    """`fitted`: minus the exponent, with the value at n = 25 kept."""
    value = float(optimum(n, Q(1), True)[0].mid()) * float(larger) * (n / 25) ** float(-MINUS_HALF - fitted)

    def far(rng):
        risk = sum(least_random_risk(rng, n, seen) for _ in range(AVERAGED)) / AVERAGED
        return abs(risk / value - 1) > 1.5 / math.sqrt(n)  # event

    yield "random designs", prob_le(far, TENTH, fixed=means, within=Q(3, 5))


@ridge_slow_rate.proof("limit", covers="all b, v, tau, sigma > 0")
def _limit(*, factor=2):
    import sympy

    b, v, root, sigma = symbols("b v root sigma", positive=True)  # tau = root^2
    value = b**2 * sigma**2 + v**2 * root**2 / sigma**2
    yield "least value of the limit", le(factor * b * v * root, value)
    attained = value.subs(sigma, sympy.sqrt(v * root / b))
    yield "attained at sigma^2 = v sqrt(tau)/b", eq(attained, factor * b * v * root)


ridge_slow_rate.mutant("target invisible beyond the first coordinate", visible=0, breaks="closed form", anywhere=True)
ridge_slow_rate.mutant("no bias on the minor block", leak=0, breaks="closed form", anywhere=True)
ridge_slow_rate.mutant("rate -1", exponent=-1, breaks="rate")
ridge_slow_rate.mutant("rate -0.55", exponent=Q(-11, 20), breaks="rate")
ridge_slow_rate.mutant("target in distribution", shifted=False, breaks="rate")
ridge_slow_rate.mutant("constant 5 % larger", constant=Q(21, 20), breaks="least risk from below")
ridge_slow_rate.mutant("constant 1 % smaller", constant=Q(99, 100), breaks="least risk from above")
ridge_slow_rate.mutant("correction halved", correction=Q(1, 2), breaks="least risk from below")
ridge_slow_rate.mutant("lambda of order n^{1/2}", regularisation=Q(1, 2), breaks="where it is attained")
ridge_slow_rate.mutant("lambda of order n^{0.8}", regularisation=Q(4, 5), breaks="where it is attained")
ridge_slow_rate.mutant("interpolation benign under the shift", theta="shifted", breaks="benign in distribution")
ridge_slow_rate.mutant("random designs, target in distribution", seen=False, breaks="random designs")
ridge_slow_rate.mutant(
    "random designs, rate -0.65, matched at n = 25",
    fitted=Q(13, 20),
    breaks="random designs",
    domain={"n": Choices(100)},
    on="random-designs",
)
ridge_slow_rate.mutant(
    "random designs, 30 % more",
    larger=Q(13, 10),
    breaks="random designs",
    domain={"n": Choices(100)},
    on="random-designs",
)
ridge_slow_rate.mutant("limit 2.1 b v sqrt(tau)", factor=Q(21, 10), breaks="least value of the limit")
