"""Any correlations at most rho: the maximum is stochastically at least that of equicorrelated normals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

from flint import arb

from solvers.gaussian_maxima import one_factor_below
from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, Rationals, eq, le
from theorems.papers.weak_to_strong.lower_tail import UPPER_CONSTANT, level, log_asymptotic
from theorems.papers.weak_to_strong.paper import PAPER

ALL, LIMIT = Q(1), Q(97, 100)
CLOSE = Q(1, 10**8)


def correlations(loadings: Sequence[Any]) -> list[Any]:
    """The correlations a_i a_j, i < j."""
    return [a * b for a, b in combinations(loadings, 2)]


def largest(loadings: Sequence[Any]) -> Any:
    """The largest correlation."""
    return max(correlations(loadings))


def usable(loadings: Sequence[Any]) -> bool:
    """0 <= rho <= 0.97."""
    return bool(0 <= largest(loadings) <= LIMIT)


def below(loadings: Sequence[Any], t: Any) -> Callable[[], arb]:
    """P[max g_i <= t] for these loadings, equal ones counted together."""
    groups = [(a, loadings.count(a)) for a in dict.fromkeys(loadings)]
    return lambda: one_factor_below(groups, t)


def equal_below(N: int, rho: Any, t: Any) -> Callable[[], arb]:
    """P[max g_i <= t] for N normals with all correlations rho."""
    return lambda: one_factor_below([(arb(rho).sqrt(), N)], t)


ENTRY = Rationals(Q(-9, 10), Q(9, 10), denominator=100, open="both")
LEVEL = Rationals(Q(-1), Q(5, 2), denominator=20)
RANDOM = PAPER.family(
    "loadings",
    N=ByBudget(quick=Integers(2, 9), full=Integers(2, 29)),
    strongest=Choices(*(k < 3 for k in range(10))),
    rest=Given(lambda N: Arrays(ENTRY, (N,))),
    a=Given(lambda strongest, rest: (Q(19, 20), *rest[1:]) if strongest else rest),
    t=LEVEL,
    where=lambda a: usable(a),
    accept=0.3,
    quick=60,
    full=300,
)
NEAR = PAPER.family(
    "near equality",
    a=Choices(
        (Q(1, 2),) * 4,
        (Q(1, 2),) * 3 + (Q(49, 100),),
        (Q(9, 10),) * 9 + (Q(89, 100),),
        (Q(-1, 2),) * 20,
        (Q(3, 4),) * 2,
        (Q(9, 10), Q(1, 10), Q(1, 10)),
    ),
    t=Choices(Q(0), Q(1), Q(-1)),
    every=True,
)
MANY = PAPER.family(
    "many variables",
    groups=Choices(
        ((Q(3, 4), 2000),),
        ((Q(3, 4), 1000), (Q(7, 10), 1000)),
        ((Q(3, 5), 99), (Q(-3, 5), 1)),
        ((Q(1, 2), 5), (Q(9, 10), 5)),
    ),
    delta=Choices(Q(0), Q(1, 2)),
    every=True,
)


@PAPER.bound(
    source="lower tail for general correlations; by Slepian's comparison",
    fidelity="paper",
    evidence="certified",
    part="domination",
    family=RANDOM,
    method="both sides as rigorous integrals over the common factor of products of normal distribution functions, which are entire",
    hypotheses="one-factor vectors (correlations a_i a_j), rho = max a_i a_j in [0, 0.97]; three variables at level 0: any correlations",
    not_established="correlation matrices of more than three variables without a common factor",
)
def slepian_domination(a, t, *, of=max, share=ALL):
    r"""If $g_1, \dots, g_N$ are jointly normal with unit variances and $\mathbb{E} g_i g_j \le \rho$ for all $i \ne j$, $\rho \ge 0$, then
    $\Pr[\max_i g_i \le t]$ is at most its value for normals with all correlations equal to $\rho$; hence at most $1.01 A_N$ at
    $t = \delta\sqrt{2(1-\rho)\log N}$, for $\rho \in [0.15, 0.85]$, $\delta \in [0, 0.9]$, $N \ge 10$ (equicorrelated-lower-tail).
    """
    rho = share * max(of(correlations(a)), Q(0))
    return le(below(a, t), equal_below(len(a), rho, t), within=CLOSE)


@slepian_domination.check("near equality", family=NEAR)
def _near(a, t, *, of=max, share=ALL):
    rho = share * max(of(correlations(a)), Q(0))
    left, right = below(a, t), equal_below(len(a), rho, t)
    yield "near equality", le(left, right, within=CLOSE)
    if len(set(a)) == 1:
        yield "equality", eq(left, right, within=CLOSE)


@slepian_domination.check("lower tail", family=MANY)
def _lower_tail(groups, delta, *, constant=UPPER_CONSTANT, of=max):
    N = sum(count for _, count in groups)
    pairs = correlations([a for a, _ in groups]) + [a * a for a, count in groups if count > 1]
    rho = of(pairs)

    def sides() -> tuple[arb, arb]:
        L = arb(N).log()
        return one_factor_below(groups, level(L, rho, delta)), constant * log_asymptotic(L, rho, delta).exp()

    yield "at most 1.01 A_N", le(sides)


def orthant(correlation: Sequence[Any]) -> arb:
    """P[g_1, g_2, g_3 <= 0] for three correlations: 1/8 + (sum of their arcsines)/(4 pi)."""
    angles: arb = sum((arb(c).asin() for c in correlation), arb(0))
    return arb(1) / 8 + angles / (4 * arb.pi())


THREE = PAPER.family(
    "three variables",
    c=Arrays(Rationals(-1, 1, denominator=20, open="both"), (3,)),
    where=lambda c: max(c) >= 0 and 1 + 2 * c[0] * c[1] * c[2] - c[0] ** 2 - c[1] ** 2 - c[2] ** 2 > 0,
    quick=24,
    full=500,
)


@slepian_domination.check("three variables", family=THREE)
def _three(c, *, of=max, share=ALL):
    rho = share * max(of(c), Q(0))
    yield "any three correlations, t = 0", le(lambda: orthant(c), lambda: orthant([rho] * 3), within=Q(1, 10**20))


@slepian_domination.crosscheck("closed form at level 0", domain={"a": Arrays(ENTRY, (3,))}, quick=4, full=40)
def _closed_form(a):
    return eq(below(a, 0), lambda: orthant(correlations(a)), within=CLOSE)


def mean(values: Sequence[Any]) -> Any:
    """The arithmetic mean."""
    return sum(values, Q(0)) / len(values)


slepian_domination.mutant("rho the mean correlation", of=mean, breaks="domination", anywhere=True)
slepian_domination.mutant("rho the least correlation", of=min, breaks="domination", anywhere=True)
slepian_domination.mutant("rho 1 % smaller", share=Q(99, 100), on="near equality", breaks="near equality")
slepian_domination.mutant("rho 1/1000 smaller, equality", share=Q(999, 1000), on="near equality", breaks="equality")
slepian_domination.mutant(
    "rho the mean of three correlations",
    of=mean,
    on="three variables",
    breaks="any three correlations, t = 0",
    anywhere=True,
)
slepian_domination.mutant(
    "rho 10 % smaller for three variables", share=Q(9, 10), on="three variables", breaks="any three correlations, t = 0"
)
slepian_domination.mutant("constant 1.005", constant=Q(1005, 1000), on="many variables", breaks="at most 1.01 A_N")
slepian_domination.mutant("A_N at the least correlation", of=min, on="many variables", breaks="at most 1.01 A_N")
