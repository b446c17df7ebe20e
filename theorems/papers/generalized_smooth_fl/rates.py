r"""The recursion and the rate of the three methods, decided in balls at every step."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from flint import arb

from solvers.enclosures import precision
from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, Rationals, le, slope
from theorems.papers.generalized_smooth_fl.federation import federation, from_draws, quartic
from theorems.papers.generalized_smooth_fl.methods import (
    Rules,
    clerr,
    kappa,
    least,
    local_gd,
    rate_bound,
    recursion,
    rr_cli,
)
from theorems.papers.generalized_smooth_fl.paper import PAPER
from theorems.seeds import Words

BITS, LONG = 400, 4000  # LONG: runs of a hundred steps and more
METHOD = "balls of 400 bits; L0 for f and every component from the real roots of polynomials, infima likewise"
LOOSE = (
    "the bound is loose by a factor of about 7 on random federations; the 1/T is attained up to a constant on the ramp"
)


def unit(denominator=100):
    """Numbers in [0, 1]."""
    return Rationals(0, 1, denominator=denominator)


def half(points, coordinates):
    """Draws for `points` functions of `coordinates` variables."""
    return Arrays(unit(), (points, 4 * coordinates))


def functions(draws, spread):
    """The functions of a matrix of draws, four numbers a coordinate."""
    return [from_draws([row[4 * i : 4 * i + 4] for i in range(len(row) // 4)], spread) for row in draws.tolist()]


def compared(run, q, excess, T, *, power=1, dropped=False):
    """The two parts of each rate: the recursion and the bound on the least gradient."""
    excess = arb(0) if dropped else excess
    left, right = recursion(run, q, excess)
    return le(left, right), le(least(run), rate_bound(run, excess, T**power))


def order(words, n):
    """A uniform permutation of 0..n-1."""
    items = list(range(n))
    for i in range(n - 1, 0, -1):
        j = words.below(i + 1)
        items[i], items[j] = items[j], items[i]
    return items


COMMON: dict[str, Any] = {
    "d": Integers(1, 2),
    "L1": Choices(Q(1, 10), Q(1), Q(1, 3), Q(5)),
    "spread": Rationals(Q(1, 100), 2, denominator=100),
    "start": Arrays(Rationals(-30, 30, denominator=10), (2,)),
}

LOCAL = PAPER.family(
    "local-steps",
    **COMMON,
    M=Integers(2, 5),
    K=Integers(1, 8),
    T=ByBudget(quick=Integers(5, 15), full=Integers(5, 60)),
    draws=Given(lambda M, d: half(M, d)),
    quick=15,
    full=60,
)


@PAPER.bound(
    source="Theorem 1, Corollary 1",
    fidelity="derived",
    evidence="certified",
    family=LOCAL,
    part="random federations",
    method=METHOD,
    hypotheses="(L0, L1)-smooth f and clients (Hessian form), each bounded below; client step by our rule with q = 1/T",
    not_established=LOOSE,
)
def clip_localgdj_rate(d, L1, spread, start, M, K, T, draws):
    r"""Clip-LocalGDJ with accuracy $q = 1/T$ has for every $t$
    $$\delta_{t+1} \le (1 + q/2)\delta_t + (q/2)\Delta^* - \frac{|\nabla f(x_t)|^2}{4A_f(x_t)}, \qquad\text{hence}\qquad
    \min_{t<T}\frac{|\nabla f(x_t)|^2}{2A_f(x_t)} \le \frac{2\sqrt e\,\delta_0 + \Delta^*}{T},$$
    where $A_f = L_0 + L_1|\nabla f|$ and $\Delta^* = f^* - \frac1M\sum_m\inf f_m$; at $L_1 = 0$ this is $|\nabla f|^2 = O(L_0(\delta_0 + \Delta^*)/T)$. The
    power $1/T$ is attained up to its constant on a ramp.
    """
    with precision(BITS):
        fed = federation([[part] for part in functions(draws, spread)], L1)
        run = local_gd(fed, start[:d], K, T, Rules(Q(1, T)))
        steps, bound = compared(run, Q(1, T), fed.excess(fed.clients), T)
    yield "recursion", steps
    yield "rate", bound


@clip_localgdj_rate.check(
    "quadratic clients",
    family=PAPER.family(
        "quadratic-clients",
        M=Integers(2, 4),
        draws=Given(lambda M: Arrays(unit(), (M, 2))),
        start=Rationals(-20, 20, denominator=10),
        K=Integers(1, 8),
        T=Integers(5, 30),
        quick=12,
        full=40,
    ),
)
def _quadratics(M, draws, start, K, T):
    with precision(BITS):
        fed = federation([[(quartic(Q(0), 4 * a - 2, Q(1, 10) + h),)] for h, a in draws.tolist()], Q(0))
        run = local_gd(fed, [start], K, T, Rules(Q(1, T)))
        steps, bound = compared(run, Q(1, T), fed.excess(fed.clients), T)
    yield "L1 = 0: recursion", steps
    yield "L1 = 0: rate", bound


@clip_localgdj_rate.check("far start", domain={"x0": Choices(Q(30), Q(10))}, every=True)
def _far(x0, *, clipped=True):
    T = 12 if clipped else 3
    with precision(BITS):
        fed = federation([[(quartic(Q(1), Q(a), Q(0)),)] for a in (-1, 0, 2)], Q(1))
        run = local_gd(fed, [x0], 3, T, Rules(Q(1, T), clipped=clipped))
        steps, bound = compared(run, Q(1, T), fed.excess(fed.clients), T)
    yield "far start: recursion", steps
    yield "far start: rate", bound


def biased(alpha, K):
    """The fixed point of K local steps on 4 x^2 and (x - 6)^2/2."""
    weights = [(1 - (1 - alpha * h) ** K) / h * h for h in (8, 1)]
    return 6 * weights[1] / (weights[0] + weights[1])


@clip_localgdj_rate.check("biased fixed point", domain={"T": Choices(100)}, every=True)
def _fixed_point(T, *, alpha=None, dropped=False):
    K, q = 8, Q(1, T)
    with precision(LONG):
        fed = federation([[(quartic(Q(0), Q(0), Q(8)),)], [(quartic(Q(0), Q(6), Q(1)),)]], Q(0))
        k = kappa(shuffled=False)
        rule = (k / 2).min(arb(1)).min(arb(q).sqrt()) / (k * K * fed.L0) if alpha is None else arb(alpha)
        run = local_gd(fed, [biased(rule, K)], K, T, Rules(q, alpha=alpha))
        excess = fed.excess(fed.clients)
        steps, bound = compared(run, q, excess, T, dropped=dropped)
    yield "fixed point: recursion", steps
    yield "fixed point: rate", bound


@clip_localgdj_rate.check("ramp", domain={"sizes": Choices((50, 100, 200, 400, 800))}, every=True)
def _ramp(sizes, *, power=1):
    # f = g x - g^2/2 for x > g, x^2/2 below (L0 = 1, L1 = 0); delta_0 = 1 = T gamma g^2 with gamma = 1/2; K = 1
    values, bounds = [], []
    with precision(BITS):
        for T in sizes:
            g = (arb(2) / T).sqrt()
            x, best = 1 / g + g / 2, None
            for _ in range(T):
                s = x.min(g)
                best = s * s / 2 if best is None else best.min(s * s / 2)
                x = x - s / 2
            values.append(best)
            bounds.append(2 * arb(Q(1, 2)).exp() / arb(T) ** power)
    yield "ramp: rate", le(values, bounds)
    yield "ramp: power of T", slope(list(sizes), values, -1, within=Q(1, 20))


clip_localgdj_rate.mutant("server step without clipping", clipped=False, breaks="far start: recursion")
clip_localgdj_rate.mutant("fixed client step 0.1", alpha=Q(1, 10), breaks="fixed point: rate")
clip_localgdj_rate.mutant("Delta* dropped", dropped=True, breaks="fixed point: rate")
clip_localgdj_rate.mutant("rate 1/T^2", power=2, breaks="ramp: rate")


PASSES = PAPER.family(
    "reshuffling",
    **COMMON,
    n=Integers(2, 5),
    T=Integers(5, 15),
    fixed=Choices(False, True),
    seed=Integers(0, 10**6),
    draws=Given(lambda n, d: half(n, d)),
    quick=15,
    full=60,
)


@PAPER.bound(
    source="the theorem on CLERR",
    fidelity="derived",
    evidence="certified",
    family=PASSES,
    part="random orders",
    method=METHOD + "; all 120 orders of 5 components for one epoch",
    hypotheses="Delta* over data points; every order of every epoch",
    not_established=LOOSE,
)
def clerr_rate(d, L1, spread, start, n, T, fixed, seed, draws):
    r"""CLERR satisfies the recursion and the bound of clip-localgdj-rate, with $\Delta^* = f^* - \frac1n\sum_i\inf f_i$ over data points, for every permutation in
    every epoch, hence also in expectation under random reshuffling.
    """
    words = Words(seed, "orders")
    orders = [list(range(n)) if fixed else order(words, n) for _ in range(T)]
    with precision(BITS):
        fed = federation([functions(draws, spread)], L1)
        run = clerr(fed, start[:d], orders, Rules(Q(1, T)))
        steps, bound = compared(run, Q(1, T), fed.excess(fed.data[0]), T)
    yield "recursion", steps
    yield "rate", bound


@clerr_rate.check(
    "all orders",
    family=PAPER.family("five-components", **COMMON, draws=Given(lambda d: half(5, d)), quick=2, full=10),
)
def _all_orders(d, L1, spread, start, draws):
    q = Q(1, 10)
    with precision(BITS):
        fed = federation([functions(draws, spread)], L1)
        excess = fed.excess(fed.data[0])
        pairs = [recursion(clerr(fed, start[:d], [p], Rules(q)), q, excess) for p in permutations(range(5))]
    yield "every order", le([left[0] for left, _ in pairs], [right[0] for _, right in pairs])


@clerr_rate.check("far start", domain={"x0": Choices(Q(30), Q(10))}, every=True)
def _clerr_far(x0, *, clipped=True):
    T = 6 if clipped else 3
    with precision(BITS):
        fed = federation([[(quartic(Q(1), Q(a), Q(0)),) for a in (-1, 0, 2)]], Q(1))
        run = clerr(fed, [x0], [(0, 1, 2)] * T, Rules(Q(1, T), clipped=clipped))
        steps, bound = compared(run, Q(1, T), fed.excess(fed.data[0]), T)
    yield "far start: recursion", steps
    yield "far start: rate", bound


@clerr_rate.check("biased fixed point", domain={"T": ByBudget(quick=Choices(100), full=Choices(100, 1000))}, every=True)
def _clerr_fixed(T, *, alpha=None, dropped=False, long=False):
    T = 1000 if long else T
    q = Q(1, T)
    with precision(max(LONG, 10 * T)):
        parts = [(quartic(Q(0), Q(0), Q(8)),), (quartic(Q(0), Q(6), Q(1)),)]
        fed = federation([parts], Q(0))
        k = kappa(shuffled=True)
        rule = (k / 4).min(arb(1)).min(arb(q).sqrt()) / (k * 2 * fed.L0) if alpha is None else arb(alpha)
        # y_2 = (1 - alpha)(1 - 8 alpha) x + 6 alpha = x
        x = 6 * rule / (1 - (1 - rule) * (1 - 8 * rule))
        run = clerr(fed, [x], [(0, 1)] * T, Rules(q, alpha=alpha))
        steps, bound = compared(run, q, fed.excess(fed.data[0]), T, dropped=dropped)
    yield "fixed point: recursion", steps
    yield "fixed point: rate", bound


clerr_rate.mutant("fixed inner step 0.2", alpha=Q(1, 5), long=True, breaks="fixed point: rate")
clerr_rate.mutant("Delta* dropped", dropped=True, breaks="fixed point: rate")
clerr_rate.mutant("outer step without clipping", clipped=False, breaks="far start: recursion")


COHORTS = PAPER.family(
    "cohorts",
    **COMMON,
    n=Integers(1, 3),
    C=Choices(1, 2, 4),
    T=Integers(5, 12),
    seed=Integers(0, 10**6),
    draws=Given(lambda n, d: half(4 * n, d)),
    quick=12,
    full=40,
)


def cohorts(words, n, C):
    """One meta-epoch for four clients: cohorts of C clients in random order, each with a random order of its data."""
    clients = order(words, 4)
    return [[(m, order(words, n)) for m in clients[i : i + C]] for i in range(0, 4, C)]


@PAPER.bound(
    source="the theorem on Clipped RR-CLI",
    fidelity="derived",
    evidence="certified",
    family=COHORTS,
    part="random cohorts",
    method=METHOD,
    hypotheses="M = 4 clients, cohorts of 1, 2 or 4; Delta* over data points",
    not_established=LOOSE,
)
def rr_cli_rate(d, L1, spread, start, n, C, T, seed, draws):
    r"""Clipped RR-CLI with cohorts of size $C$ (partial participation, $N = nM/C$ inner steps a path) satisfies the recursion of clip-localgdj-rate at every
    meta-epoch and the bound on $\min_{t<T}|\nabla f(x_t)|^2/(2A_f(x_t))$, with $\Delta^*$ over data points.
    """
    words = Words(seed, "cohorts")
    epochs = [cohorts(words, n, C) for _ in range(T)]
    with precision(BITS):
        parts = functions(draws, spread)
        fed = federation([parts[n * m : n * m + n] for m in range(4)], L1)
        run = rr_cli(fed, start[:d], epochs, Rules(Q(1, T)))
        steps, bound = compared(run, Q(1, T), fed.excess(parts), T)
    yield "recursion", steps
    yield "rate", bound


@rr_cli_rate.check("different clients", domain={"x0": Choices(Q(30), Q(4))}, every=True)
def _different(x0, *, clipped=True, reshuffled=True):
    T = 100
    with precision(LONG):
        fed = federation([[(quartic(Q(1), Q(a), Q(0)),)] for a in (-6, -1, 2, 5)], Q(1))
        everyone = [[(m, (0,))] for m in range(4)] if reshuffled else [[(3, (0,))]] * 4
        T = T if clipped else 3
        run = rr_cli(fed, [x0], [everyone] * T, Rules(Q(1, T), clipped=clipped))
        steps, bound = compared(run, Q(1, T), fed.excess([part for points in fed.data for part in points]), T)
    yield "different clients: recursion", steps
    yield "different clients: rate", bound


rr_cli_rate.mutant(
    "the same cohort in every round",
    reshuffled=False,
    breaks=("different clients: recursion", "different clients: rate"),
)
rr_cli_rate.mutant("global step without clipping", clipped=False, breaks="different clients: recursion")
