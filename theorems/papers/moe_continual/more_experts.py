"""More experts for the same task: slower, and no better."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import comb

from theorems import eq, lt, symbols
from theorems.papers.moe_continual.paper import PAPER


@PAPER.bound(
    source="adding experts needs more rounds and does not improve the error (abstract); form derived",
    fidelity="derived",
    evidence="proved",
    method="the mean over all routes and all sequences of coordinate subsets as a quadratic form in w; monotonicity by positivity certificates",
    hypotheses="one task w, experts chosen uniformly and independently, isotropic projections",
    rests_on=(
        "the expert of a round has made 1 + Bin(T-1, 1/M) updates by round T, each of which multiplies its expected error by r",
        "x -> x^{T-1} increases on x > 0 for T > 1",
    ),
)
def more_experts_no_better():
    r"""$M$ experts serve one task $w$ and are chosen uniformly each round; $\bar W = |w|^2$, $r = 1 - s/d$. Then
    $\mathbb{E} G_T = \bar W r \bigl(1 - \frac{1-r}M\bigr)^{T-1}$. For $0 < r < 1$ and $T > 1$ this increases strictly in real $M \ge 1$, with
    $$\frac{d}{dM} \log \mathbb{E} G_T = \frac{(T-1)(1-r)}{M(M - 1 + r)} > 0.$$
    """


SIZES = ((2, 4, 2, 1), (3, 3, 3, 1), (3, 3, 3, 2))


@more_experts_no_better.proof("every route", covers="(M, T, d, s) = (2, 4, 2, 1), (3, 3, 3, 1), (3, 3, 3, 2), all w")
def _every_route(*, late=0):
    """An expert's error is the sum of w_i^2 over the coordinates that it has not been given."""
    for M, T, d, s in SIZES:
        w = symbols(f"w:{d}")
        subsets = [set(S) for S in combinations(range(d), s)]
        missing = [0] * d
        for route in product(range(M), repeat=T):
            for drawn in product(subsets, repeat=T):
                given = [set().union(*(S for S, m in zip(drawn, route) if m == k)) for k in range(M)]
                for m in route:
                    for i in range(d):
                        missing[i] += i not in given[m]
        total = M**T * len(subsets) ** T * T
        measured = sum(Fraction(n, total) * x**2 for n, x in zip(missing, w))
        r = 1 - Fraction(s, d)
        yield "every route", eq(measured, r * (1 - (1 - r) / M) ** (T - 1 + late) * sum(x**2 for x in w))


@more_experts_no_better.proof("mixture of powers", covers="T = 1, ..., 7, all r and M")
def _mixture(*, late=0):
    """E r^{1 + Bin(T-1, 1/M)} = r (1 - (1-r)/M)^{T-1}; `late` counts a round too many."""
    r = symbols("r", above=0, below=1)
    M = symbols("M", lower=1)
    for T in range(1, 8):
        n = T - 1 + late
        mean = sum(comb(n, k) * (1 / M) ** k * (1 - 1 / M) ** (n - k) * r ** (k + 1) for k in range(n + 1))
        yield "mixture of powers", eq(mean, r * (1 - (1 - r) / M) ** (T - 1))


@more_experts_no_better.proof("increasing", covers="all M >= 1, h > 0, r in (0, 1)")
def _increasing(*, claimed="increases", power=1):
    """1 - (1-r)/M increases in M, and the logarithmic derivative of the power is positive."""
    import sympy

    r = symbols("r", above=0, below=1)
    M = symbols("M", lower=1)
    h, rounds = symbols("h n", positive=True)  # rounds = T - 1
    base, after = 1 - (1 - r) / M, 1 - (1 - r) / (M + h)
    yield (
        "the base increases",
        lt(*{"increases": (base, after), "decreases": (after, base), "still": (base, base)}[claimed]),
    )
    slope = sympy.diff(rounds * sympy.log(base), M)
    yield "logarithmic derivative", eq(slope, rounds * (1 - r) / (M**power * (M - 1 + r)))
    yield "positive", lt(0, rounds * (1 - r) / (M * (M - 1 + r)))


more_experts_no_better.mutant("decreasing in M", claimed="decreases", breaks="the base increases")
more_experts_no_better.mutant("independent of M", claimed="still", breaks="the base increases")
more_experts_no_better.mutant("derivative with M^2", power=2, breaks="logarithmic derivative")
more_experts_no_better.mutant("Bin(T, 1/M) updates after the first", late=1, breaks="mixture of powers")
more_experts_no_better.mutant("exponent T", late=1, breaks="every route")
