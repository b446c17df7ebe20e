r"""A lower bound for ridge regression that no regularisation escapes."""

from __future__ import annotations

from math import isqrt

from flint import fmpq, fmpq_mat

from solvers.exact_linalg import identity
from solvers.ridge import ridge_risk
from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, le, symbols
from theorems.papers.benign_ood.family import extreme_eigenvalues, orthogonal_risk, pivots
from theorems.papers.benign_ood.paper import PAPER

ONE = Q(1)

DESIGNS = PAPER.family(
    "designs",
    n=ByBudget(quick=Integers(3, 5), full=Integers(3, 7)),
    p=Given(lambda n: Integers(n, 3 * n)),
    roots=Given(
        lambda p: Choices((4,) * p, tuple(1 + (5 * j) % 8 for j in range(p)))
    ),  # of the minor eigenvalues, in 16ths
    z=Given(lambda n, p: Arrays(Integers(-20, 20), (n, p))),
    x=Given(lambda n: Arrays(Integers(-20, 20), (n,))),
    scale=Choices(Q(1, 10), Q(1, 5), Q(4, 5)),
    b2=Choices(Q(1, 4), ONE, Q(2)),
    v2=Choices(ONE, Q(1, 8)),
    where=lambda z, x: z.rank() == z.nrows() and any(x),
    accept=0.5,
    quick=8,
    full=60,
)
LAMBDAS = Q(0), Q(1, 100), Q(1, 10), Q(1, 2), ONE, Q(2), Q(5), Q(10), Q(30), Q(100), Q(1000)
OPTIMAL = PAPER.family(
    "orthogonal-optimum",
    n=Choices(100, 10**4, 10**6, 10**8),
    tau=Choices(ONE, Q(1, 10), Q(10)),
    times=Choices(1, 1000),  # g = times * n
    place=Choices(ONE, Q(13, 10), Q(0)),  # s = lambda + tau in units of (tau g^2 n)^{1/4}; 0: lambda = 0
    every=True,
)


def compared(R, lam, a, c2, g, n, b2, v2, *, two=1, root=1, power=2, lost=1):
    """The pairs (lower bound, value) of the two forms."""
    two_terms = b2 * ((lam + a) / (lam + a + g)) ** 2 + v2 * a * (n - lost) / (lam + c2) ** 2
    square = b2 * v2 * a * (n - 1) * (a / c2) ** 2 / g**power
    return (two * two_terms, R), (root * root * min(b2 * b2 / 16, square), R * R)


@PAPER.bound(
    source="the instance-specific lower bound of order n^{-1/2} for ridge regression; this form is derived",
    fidelity="derived",
    evidence="certified",
    family=DESIGNS,
    method="exact rationals: the risk, the two-term bound and the squared form at eleven lambda for each design; the scalars a and c_2 verified by "
    "exact congruences; the orthogonal closed form next to its optimal lambda, where the two-term bound is tight",
    hypotheses="n in 3..7, n to 3n minor coordinates; the step from two terms to the minimum is proved for all values",
    rests_on=(
        "M = 1 + x^T A_m^{-1} x <= 1 + g/(lam + a); n - 1 eigenvalues of A are at most lam + c_2 by interlacing, Tr(A^{-1} G A^{-1}) >= a Tr A^{-2}",
    ),
)
def ridge_slow_rate_lower_bound(n, p, roots, z, x, scale, b2, v2, *, two=1, root=1, power=2):
    r"""Let $k = 1$, $\beta = (b, 0)$, $\Sigma_T = I$, $X = (x, X_m)$ any design of $n \ge 2$ rows with
    $aI \preceq G = X_mX_m^\top \preceq c_2I$, $a > 0$, and $g = |x|^2 > 0$. For every $\lambda \ge 0$ ridge regression has
    $$B + V \ge b^2\Big(\frac{\lambda + a}{\lambda + a + g}\Big)^2 + \frac{v^2a(n-1)}{(\lambda + c_2)^2} \ge
    \min\Big(\frac{b^2}{4}, \frac{|b| v \sqrt{a(n-1)}\,a}{c_2\,g}\Big).$$
    """
    X = fmpq_mat(n, p + 1)
    for i in range(n):
        X[i, 0] = scale * x[i]
        for j in range(p):
            X[i, j + 1] = fmpq(int(z[i, j]), 20) * roots[j] / 16
    X_m = fmpq_mat(n, p, [X[i, j] for i in range(n) for j in range(1, p + 1)])
    G = X_m * X_m.transpose()
    a, c2 = extreme_eigenvalues(G)
    yield "scalars", le(0, [*pivots(G - identity(n) * a), *pivots(identity(n) * c2 - G), a])
    g = sum((X[i, 0] ** 2 for i in range(n)), Q(0))
    beta = fmpq_mat(p + 1, 1, [Q(int(i == 0)) for i in range(p + 1)])
    pairs = []
    for lam in LAMBDAS:
        bias, variance = ridge_risk(X, lam, beta, identity(p + 1), v2)
        pairs.append(compared(b2 * bias + variance, lam, a, c2, g, n, b2, v2, two=two, root=root, power=power))
    yield "two terms", le([first[0] for first, _ in pairs], [first[1] for first, _ in pairs])
    yield "square root form", le([second[0] for _, second in pairs], [second[1] for _, second in pairs])


@ridge_slow_rate_lower_bound.check("orthogonal optimum", family=OPTIMAL)
def _optimal(n, tau, times, place, *, two=1, root=1, power=2, lost=1):
    g = times * n
    unit = Q(
        isqrt(isqrt(int((tau * 10**8).floor()) * g * g * n)), 100
    )  # near (tau g^2 n)^{1/4}, where the optimum tends to
    s = max(place * unit, tau)
    R = orthogonal_risk(n, 1, g, s, tau, ONE, ONE, ONE)
    first, second = compared(R, s - tau, tau, tau, Q(g), n, ONE, ONE, two=two, root=root, power=power, lost=lost)
    yield "two terms at the optimum", le(*first)
    yield "square root form at the optimum", le(*second)


@ridge_slow_rate_lower_bound.proof(
    "two terms to the minimum", covers="all b, v, g > 0, q = sqrt(a (n - 1)) > 0, lambda >= 0, 0 < a <= c_2; |b| for b"
)
def _minimum(*, quarter=4):
    b, v, g, q, a = symbols("b v g q a", positive=True)
    lam, more = symbols("lambda more", nonnegative=True)
    s = lam + a
    yield "s >= g", le(b**2 / quarter, b**2 * (s / (s + g)) ** 2, given=[s - g])
    yield "s <= g", le(b**2 * s**2 / (quarter * g**2), b**2 * (s / (s + g)) ** 2, given=[g - s])
    r = symbols("r", positive=True)  # s
    w = symbols("w", positive=True)  # lambda + c_2
    yield "arithmetic and geometric mean", le(b * v * q * r / (g * w), b**2 * r**2 / (4 * g**2) + v**2 * q**2 / w**2)
    yield "ratio", le(a / (a + more), s / (s + more))  # c_2 = a + more


ridge_slow_rate_lower_bound.mutant(
    "1/sqrt(g) for 1/g", power=1, breaks=("square root form", "square root form at the optimum")
)
ridge_slow_rate_lower_bound.mutant("square root form doubled", root=2, breaks="square root form at the optimum")
ridge_slow_rate_lower_bound.mutant("square root form times 8/5", root=Q(8, 5), breaks="square root form at the optimum")
ridge_slow_rate_lower_bound.mutant("two terms 1 % larger", two=Q(101, 100), breaks="two terms at the optimum")
ridge_slow_rate_lower_bound.mutant("n for n - 1", lost=0, breaks="two terms at the optimum")
ridge_slow_rate_lower_bound.mutant("b^2/3 for b^2/4", quarter=3, breaks=("s >= g", "s <= g"))
