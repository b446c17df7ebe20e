"""The lower tail of the maximum of equicorrelated normals: the asymptotic value, bounds at every size, the exponent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, fmpq

from solvers.gaussian_maxima import equicorrelated_below
from theorems import Choices, Q, Rationals, curve, eq, le, slope
from theorems.papers.weak_to_strong.paper import PAPER

BITS = 24
SIZES = (10, 20, 50, 10**2, 10**3, 2000, 10**4, 10**6, 10**12, 10**30, 10**50)
PAIRS = tuple((Q(a, 10), Q(b, 10)) for a, b in ((5, 5), (5, 0), (3, 5), (7, 3), (2, 8), (5, 9), (8, 5)))
UPPER_CONSTANT, WIDER_CONSTANT, INNER_CONSTANT = Q(101, 100), Q(12, 100), Q(2, 5)
LARGEST = 10**6  # decades: N = 10^(10^6)


def kappa(rho: Any, delta: Any) -> Any:
    """(1 - delta)(1 - rho)/rho."""
    return (1 - delta) * (1 - rho) / rho


def rate(rho: Any, delta: Any) -> Any:
    """The power of N in A_N: (1 - rho)(1 - delta)^2/rho."""
    return (1 - rho) * (1 - delta) ** 2 / rho


def log_asymptotic(L: arb, rho: fmpq, delta: fmpq, *, powers: bool = True, pi: int = 4) -> arb:
    """log A_N for log N = L."""
    k, r = arb(kappa(rho, delta)), arb(rho)
    logs = (k - 1) / 2 * L.log() if powers else 0
    constant = k / 2 * (pi * arb.pi()).log() + k.lgamma() + ((1 - r) / r).log() / 2 - (4 * arb.pi()).log() / 2
    return -arb(rate(rho, delta)) * L + logs + constant


def level(L: arb, rho: Any, delta: Any) -> arb:
    """delta sqrt(2(1 - rho) log N)."""
    return arb(delta) * (2 * (1 - arb(rho)) * L).sqrt()


def ratio(N: Any, rho: fmpq, delta: fmpq, **wrong: Any) -> Callable[[], arb]:
    """P_N/A_N as a thunk; N an int, or the number of decades as a string."""

    def ball() -> arb:
        many = arb(10) ** int(N) if isinstance(N, str) else arb(N)
        L = many.log()
        return equicorrelated_below(
            many, rho, level(L, rho, delta), log_unit=log_asymptotic(L, rho, delta, **wrong), bits=BITS
        )

    return ball


def tails(name: str, hard: Any, rho: Any, delta: Any, sizes: Any, quick: int, full: int) -> tuple[Any, Any]:
    """Hard instances, and random ones of which some have delta = 0."""
    return (
        PAPER.family(
            f"{name}, hard",
            at=Choices(*hard),
            every=True,
        ),
        PAPER.family(
            name,
            rho=Rationals(*rho),
            zero=Choices(*(k < 3 for k in range(10))),
            some=Rationals(*delta),
            N=Choices(*sizes),
            quick=quick,
            full=full,
        ),
    )


LARGE = SIZES[3:]
UPPER_HARD, UPPER = tails(
    "upper",
    [(Q(14, 25), Q(0), 2000), (Q(27, 50), Q(0), 500), (Q(3, 5), Q(0), 10**4), (Q(3, 20), Q(0), 10**50)]
    + [(*pair, N) for pair in PAIRS for N in (10, 10**4)],
    (Q(3, 20), Q(17, 20)),
    (Q(0), Q(9, 10)),
    SIZES,
    150,
    2000,
)
WIDER_HARD, WIDER = tails(
    "wider range",
    [(Q(3, 20), Q(11, 50), 100), (Q(3, 20), Q(1, 5), 100), (Q(17, 20), Q(9, 10), 100)],
    (Q(3, 20), Q(17, 20)),
    (Q(0), Q(9, 10)),
    LARGE,
    75,
    500,
)
INNER_HARD, INNER = tails(
    "inner range", [(Q(7, 10), Q(4, 5), 100)], (Q(3, 10), Q(7, 10)), (Q(0), Q(4, 5)), LARGE, 75, 500
)


@PAPER.bound(
    source="lower tail of the maximum of correlated Gaussians (abstract: tight lower tail inequality); constants derived",
    fidelity="derived",
    evidence="certified",
    part="upper",
    family=UPPER_HARD,
    method="P_N/A_N by rigorous integration of exp(-z^2/2 + N log(1 - tail))/A_N about its peak, remainders enclosed; log1p keeps 64 bits "
    "enough at N = 10^50 and at N = 10^(10^6)",
    hypotheses="0 < rho < 1, 0 <= delta < 1, all correlations equal to rho; general correlations: slepian-domination",
    not_established="bounds between the sampled (rho, delta, N); the limit is seen at N = 10^(10^6), where all seven ratios are within 10^-4 of 1",
)
def equicorrelated_lower_tail(at, *, constant=UPPER_CONSTANT):
    r"""Standard normals $g_1, \dots, g_N$ with all correlations $\rho \in (0, 1)$, $0 \le \delta < 1$, $L = \log N$, $\kappa = (1 - \delta)(1 - \rho)/\rho$,
    $P_N = \Pr[\max_i g_i \le \delta\sqrt{2(1 - \rho) L}]$ and
    $$A_N = N^{-(1-\rho)(1-\delta)^2/\rho} L^{(\kappa-1)/2} \frac{(4\pi)^{\kappa/2}\,\Gamma(\kappa)}{2\sqrt\pi}\sqrt{\frac{1-\rho}{\rho}}.$$
    Then $P_N/A_N \to 1$. Upper bound: $P_N \le 1.01 A_N$ for $\rho \in [0.15, 0.85]$, $\delta \in [0, 0.9]$, $N \ge 10$. Tightness for $N \ge 100$:
    $P_N \ge 0.12 A_N$ on that range, $P_N \ge 0.4 A_N$ for $\rho \in [0.3, 0.7]$, $\delta \in [0, 0.8]$. For $\delta = 0$, $\rho = \frac12$:
    $P_N = 1/(N + 1)$ and $A_N = 1/N$.
    """
    rho, delta, N = at
    return le(ratio(N, rho, delta), constant)


@equicorrelated_lower_tail.check("upper, random", family=UPPER)
def _upper(rho, zero, some, N, *, constant=UPPER_CONSTANT):
    return le(ratio(N, rho, Q(0) if zero else some), constant)


@equicorrelated_lower_tail.check("lower, wider range", family=WIDER_HARD)
def _wider_hard(at, *, wider=WIDER_CONSTANT):
    rho, delta, N = at
    return le(wider, ratio(N, rho, delta))


@equicorrelated_lower_tail.check("lower, wider range, random", family=WIDER)
def _wider(rho, zero, some, N, *, wider=WIDER_CONSTANT):
    return le(wider, ratio(N, rho, Q(0) if zero else some))


@equicorrelated_lower_tail.check("lower, inner range", family=INNER_HARD)
def _inner_hard(at, *, inner=INNER_CONSTANT):
    rho, delta, N = at
    return le(inner, ratio(N, rho, delta))


@equicorrelated_lower_tail.check("lower, inner range, random", family=INNER)
def _inner(rho, zero, some, N, *, inner=INNER_CONSTANT):
    return le(inner, ratio(N, rho, Q(0) if zero else some))


@equicorrelated_lower_tail.check("limit", domain={"pair": Choices(*PAIRS)}, every=True)
def _limit(pair, *, powers=True, pi=4):
    rho, delta = pair
    seen = ratio(str(LARGEST), rho, delta, powers=powers, pi=pi)
    near = Q(1, 10**4)

    def ends() -> tuple[list[Any], list[Any]]:
        value = seen()
        return [1 - near, value], [value, 1 + near]

    yield "limit", le(ends)
    decades = (1, 2, 4, 10, 30, 100, 1000, 10**4, 10**5)
    values = [ratio(str(k), rho, delta)() for k in decades]
    axes = ("decades of N", "P_N / A_N")
    yield curve(
        "Lower tail over its asymptotic value", decades, values, series=f"rho = {rho}, delta = {delta}", axes=axes
    )


@equicorrelated_lower_tail.check("exponent", domain={"pair": Choices(*PAIRS)}, every=True)
def _exponent(pair, *, claimed="(1 - rho)(1 - delta)^2/rho", more=0, logs=True):
    rho, delta = pair
    powers = {
        "(1 - rho)(1 - delta)^2/rho": rate(rho, delta),
        "(1 - rho)(1 - delta^2)/rho": (1 - rho) * (1 - delta**2) / rho,
        "(1 - delta)^2/rho": (1 - delta) ** 2 / rho,
    }
    decades = (100, 130, 160, 200)
    sizes = [10**k for k in decades]

    def values() -> list[arb]:
        return [ratio(str(k), rho, delta)() * log_asymptotic(arb(10**k).log(), rho, delta).exp() for k in decades]

    power = (kappa(rho, delta) - 1) / 2 if logs else 0
    yield "exponent", slope(sizes, values, -powers[claimed] - more, within=Q(1, 1000), logs=power)


@equicorrelated_lower_tail.check("half", domain={"N": Choices(10**6, 2, 10, 100, 10**50)}, every=True)
def _half(N, *, shift=1):
    def value() -> arb:
        return equicorrelated_below(N, Q(1, 2), 0, log_unit=-arb(N + shift).log(), bits=44)

    yield "1/(N + 1)", eq(value, 1, within=Q(1, 10**12))
    yield (
        "A_N = 1/N",
        eq(lambda: (log_asymptotic(arb(N).log(), Q(1, 2), Q(0)) + arb(N).log()).exp(), 1, within=Q(1, 10**12)),
    )


TAIL = equicorrelated_lower_tail
TAIL.mutant("upper constant 1.005", constant=Q(1005, 1000), on="upper, hard", breaks="upper")
TAIL.mutant(
    "lower constant 0.13 on the wider range", wider=Q(13, 100), on="wider range, hard", breaks="lower, wider range"
)
TAIL.mutant("lower constant 1/2 on the inner range", inner=Q(1, 2), on="inner range, hard", breaks="lower, inner range")
TAIL.mutant("1 - delta^2 in the exponent", claimed="(1 - rho)(1 - delta^2)/rho", breaks="exponent")
TAIL.mutant("factor 1 - rho dropped from the exponent", claimed="(1 - delta)^2/rho", breaks="exponent")
TAIL.mutant("exponent 1/500 larger", more=Q(1, 500), breaks="exponent")
TAIL.mutant("no power of log N, in the exponent", logs=False, breaks="exponent")
TAIL.mutant("no power of log N", powers=False, breaks="limit")
TAIL.mutant("3 pi in place of 4 pi", pi=3, breaks="limit")
TAIL.mutant("1/(N + 2)", shift=2, breaks="1/(N + 1)")
