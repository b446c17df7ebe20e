"""Submodular cover without a fairness constraint: the greedy guarantee that the continuous algorithm matches."""

from __future__ import annotations

from flint import arb, fmpq

from solvers.enclosures import precision
from solvers.submodular import Coverage, FairnessMatroid, greedy, optimum
from theorems import Arrays, ByBudget, Choices, Given, Integers, Minimum, Q, dyadic, eq, le, lt, shared, symbols
from theorems.papers.fair_submodular_cover.instances import ENTRIES
from theorems.papers.fair_submodular_cover.paper import PAPER

ALL = Q(1)
EPS = (Q(1, 4), Q(1, 10), Q(1, 100))
RANDOM_COVER = PAPER.family(
    "unconstrained-coverage",
    kind=Choices(*ENTRIES),
    items=Integers(6, 8),
    weights=Given(lambda items: Arrays(Integers(1, 5), (items,))),
    rows=Given(lambda kind, items: Arrays(ENTRIES[kind], (12, items))),
    kappa=Integers(2, 3),
    eps=Choices(*EPS),
    where=lambda rows: any(rows.entries()),
    accept=0.5,
    quick=60,
    full=1500,
)
PRODUCT_COVER = PAPER.family(
    "product-cover",
    kappa=ByBudget(quick=Choices(2, 3, 4, 5, 8), full=Choices(2, 3, 4, 5, 8, 12, 20)),
    eps=Choices(*EPS),
    every=True,
)
LARGE = PAPER.family(
    "large-kappa", kappa=Choices(2, 10, 10**2, 10**3, 10**4, 10**6), eps=Choices(*EPS, Q(1, 10**6)), every=True
)


def steps_of(kappa: int, eps: fmpq, share: fmpq = ALL) -> int:
    """ceil(share kappa ln(1/eps)); the logarithm is irrational, so that the ball ends in an integer's neighbourhood only."""
    with precision(128):
        return int((arb(share * kappa) * -arb(eps).log()).ceil().unique_fmpz())


def least_steps(kappa: int, eps: fmpq) -> int:
    """The least T with (1 - 1/kappa)^T <= eps: the real solution in balls, and exactly where that may be an integer."""
    left = 1 - Q(1, kappa)
    with precision(128):
        T = arb(eps).log() / arb(left).log()
        nearest = (T + arb(Q(1, 2))).floor().unique_fmpz()
        if nearest is not None and T.contains(nearest):
            return int(nearest) if left ** int(nearest) <= eps else int(nearest) + 1
        return int(T.ceil().unique_fmpz())


def one_group(size: int) -> FairnessMatroid:
    """No constraint but the size."""
    return FairnessMatroid((0,), (size,), size)


@shared
def product_cover(kappa: int, decoys: int, decoys_last: bool) -> Coverage:
    """kappa unit items; decoys that hit every item with probability 1/kappa, and kappa elements that cover one item each."""
    decoy = [{i: Q(1, kappa) for i in range(kappa)}] * decoys
    own = [{i: 1} for i in range(kappa)]
    return Coverage.of([1] * kappa, own + decoy if decoys_last else decoy + own)


@PAPER.rate(
    source="abstract: the guarantee of submodular cover without a fairness constraint",
    fidelity="derived",
    evidence="certified",
    family=RANDOM_COVER,
    part="random instances",
    method="the algorithm and the best kappa elements by enumeration in exact rationals; the tight family, whose least number of "
    "steps is compared in exact rationals; logarithms in balls",
    not_established="random functions other than probabilistic coverage, and kappa > 3 for them",
    rests_on=("the best of the kappa elements closes at least the share 1/kappa of the gap to tau (submodularity)",),
)
def unconstrained_greedy_cover(kind, items, weights, rows, kappa, eps, *, share=ALL):
    r"""If some $\kappa$ elements have $f \ge \tau$, the greedy algorithm with $T = \lceil\kappa\ln(1/\epsilon)\rceil$ elements (or all
    there are) reaches $f \ge (1 - \epsilon)\tau$. This is tight: on product coverage with one group ($\kappa$ unit items, enough decoys that hit every item with
    probability $1/\kappa$, listed first, and $\kappa$ elements that cover one item each) exactly the fraction $(1 - 1/\kappa)^T$ is
    left after $T$ steps, so that greedy needs $T_{\min} = \lceil\ln\epsilon/\ln(1 - 1/\kappa)\rceil$ elements, and
    $$1 - \frac1\kappa \le \frac{T_{\min}}{\kappa\ln(1/\epsilon)} \le 1 + \frac{1}{\kappa\ln(1/\epsilon)}.$$
    """
    f = Coverage.of(weights, rows.tolist())
    group = (0,) * f.size
    tau, _ = optimum(f, group, one_group(kappa))
    S = greedy(f, group, one_group(f.size), steps=steps_of(kappa, eps, share))
    yield "random instances", le((1 - eps) * tau, f.value(S))


@unconstrained_greedy_cover.check("product cover", family=PRODUCT_COVER)
def _product_cover(kappa, eps, *, share=ALL, decoys_last=False, fewer=0):
    T = steps_of(kappa, eps)
    needed = least_steps(kappa, eps)
    f = product_cover(kappa, T, decoys_last)
    S = greedy(f, (0,) * f.size, one_group(f.size), steps=T)
    left = [1 - f.value(S[:t]) / kappa for t in range(T + 1)]
    yield "fraction left", eq(dyadic(left), dyadic([(1 - Q(1, kappa)) ** t for t in range(T + 1)]))
    if not decoys_last:
        yield "T steps suffice", le(dyadic(left[steps_of(kappa, eps, share)]), eps)
        yield "T_min steps suffice", le(dyadic(left[needed - fewer]), eps)
        yield "T_min - 1 steps do not", lt(eps, dyadic(left[needed - 1]))


@unconstrained_greedy_cover.check("rate", family=LARGE)
def _rate(kappa, eps, *, share=ALL):
    needed = least_steps(kappa, eps)

    def log_term():
        return -kappa * arb(eps).log()

    yield "T_min from below", le(lambda: ((1 - Q(1, kappa)) * log_term(), needed))
    yield "T_min from above", le(lambda: (needed, share * log_term() + 1))


@unconstrained_greedy_cover.proof("steps", covers="all real kappa > 1")
def _steps(*, share=1):
    import sympy

    s = symbols("s", above=0, below=1)  # 1/kappa
    # s <= -log(1 - s) <= s/(1 - s): (1 - s)^T <= eps at T = kappa log(1/eps), and not below (kappa - 1) log(1/eps)
    yield "contraction per step", le(s, -share * sympy.log(1 - s), by=Minimum(s, 0))
    yield "no faster", le(-sympy.log(1 - s), s / (1 - s), by=Minimum(s, 0))


unconstrained_greedy_cover.mutant(
    "T = ceil(.9 kappa ln(1/eps)): kappa = 8",
    share=Q(9, 10),
    domain={"kappa": Choices(8), "eps": Choices(Q(1, 10), Q(1, 100))},
    on="product-cover",
    breaks="T steps suffice",
)
unconstrained_greedy_cover.mutant(
    "T = ceil(kappa/2 ln(1/eps))", share=Q(1, 2), on="product-cover", breaks="T steps suffice"
)
unconstrained_greedy_cover.mutant("decoys listed last", decoys_last=True, breaks="fraction left")
unconstrained_greedy_cover.mutant("T_min - 1 elements", fewer=1, breaks="T_min steps suffice")
unconstrained_greedy_cover.mutant("rate .99 kappa ln(1/eps)", share=Q(99, 100), breaks="T_min from above")
unconstrained_greedy_cover.mutant("contraction .95/kappa per step", share=Q(19, 20), breaks="contraction per step")
