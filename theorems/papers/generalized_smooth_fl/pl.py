"""Two phases under the Polyak-Lojasiewicz condition: far out the number of steps grows like the root of the gap."""

from __future__ import annotations

from itertools import pairwise

from flint import arb, fmpq

from solvers.enclosures import precision
from theorems import Arrays, ByBudget, Choices, Given, Integers, Q, Rationals, le, shared, slope
from theorems.papers.generalized_smooth_fl.federation import federation, quartic
from theorems.papers.generalized_smooth_fl.methods import Rules, local_gd
from theorems.papers.generalized_smooth_fl.paper import PAPER

BITS = 2400
HALF = Q(1, 2)

CONVEX = PAPER.family(
    "strongly-convex",
    M=Integers(2, 4),
    L1=Choices(Q(1), Q(1, 5), Q(3)),
    K=Integers(1, 6),
    draws=Given(lambda M: Arrays(Rationals(0, 1, denominator=50), (M, 3))),
    start=Rationals(-15, 15, denominator=10),
    T=ByBudget(quick=Choices(25), full=Choices(80)),
    quick=10,
    full=25,
)


@PAPER.rate(
    source="the first analysis under the Polyak-Lojasiewicz condition in this setting",
    fidelity="derived",
    evidence="certified",
    family=CONVEX,
    part="federations",
    method="balls; counted steps decided one by one",
    hypotheses="|grad f|^2 >= 2 mu (f - f*); the count with exact gradients (q = 0)",
    not_established="the bound on the count is loose by a factor of about 4 on the quadratic; the corners are those listed",
)
def pl_two_phase(M, L1, K, draws, start, T):
    r"""If $|\nabla f|^2 \ge 2\mu(f - f^*)$, then Clip-LocalGDJ has
    $$\delta_{t+1} \le \Big[1 + \frac q2 - \frac{\mu}{2(L_0 + L_1\sqrt{2\mu\delta_t})}\Big]\delta_t + \frac q2\Delta^*.$$
    With exact gradients ($q = 0$), $T(\varepsilon) \le 1 + 8\sqrt2L_1\sqrt{\delta_0/\mu} + \frac{4L_0}{\mu}\ln_+\big(\min(\delta_0, L_0^2/(2\mu L_1^2))/\varepsilon\big)$.
    The constant of the first phase: for $f = \mu x^2/2$ declared with $L_0 = \mu$ and $L_1$, $T/(L_1\sqrt{\delta_0/\mu}) \to 2\sqrt2$ as $L_1^2\delta_0/\mu \to \infty$.
    """
    with precision(BITS):
        clients = [(quartic(a, 4 * b - 2, Q(1, 5) + c),) for a, b, c in draws.tolist()]
        fed = federation([[part] for part in clients], L1)
        mu = sum((Q(1, 5) + c for _, _, c in draws.tolist()), Q(0)) / M
        first = fed.gap([arb(start)])
        size = fed.L0 + L1 * (2 * mu * first).max(arb(0)).sqrt()
        q = fmpq(int((mu / (4 * size) * 10**9).lower().floor().unique_fmpz()), 10**9)
        run = local_gd(fed, [start], K, T, Rules(q))
        excess = fed.excess(clients)
        right = []
        for d in run.delta[:-1]:
            rate = mu / (2 * (fed.L0 + L1 * (2 * mu * abs(d)).sqrt()))
            right.append((1 + q / 2 - rate) * d + q / 2 * excess)
    yield "recursion", le(run.delta[1:], right, within=Q(1, 10**60))


@shared
def steps(delta0: fmpq, eps: tuple[fmpq, ...], L0: fmpq, L1: fmpq) -> tuple[int, ...]:
    """The numbers of steps of x <- x - x/(2 (L0 + L1 x)) from x^2/2 = delta_0 to x^2/2 <= eps (decreasing eps)."""
    with precision(200):
        x, n, found = (2 * arb(delta0)).sqrt(), 0, []
        for target in eps:
            limit = (2 * arb(target)).sqrt()
            while x > limit:
                x = x - x / (2 * (L0 + L1 * x))
                n += 1
            if not x <= limit:
                raise ArithmeticError("a step count is undecided at 200 bits")
            found.append(n)
    return tuple(found)


def count_bound(delta0, eps, L0, L1, one=1, positive=True, phases=2):
    """The bound on T(eps) for mu = 1."""
    with precision(200):
        least = arb(delta0) if L1 == 0 else arb(delta0).min(arb(L0 * L0 / (2 * L1 * L1)))
        if phases == 1:
            return 4 * L0 * (arb(delta0) / eps).log()
        logarithm = (least / eps).log()
        if positive:
            logarithm = logarithm.max(arb(0))
        return one + 8 * arb(2).sqrt() * L1 * arb(delta0).sqrt() + 4 * L0 * logarithm


@pl_two_phase.check(
    "corners",
    domain={
        "L0": Choices(Q(1), Q(3, 2), Q(3)),
        "L1": Choices(Q(0), Q(1, 1000), Q(1, 10), Q(1), Q(10), Q(100)),
        "delta0": ByBudget(
            quick=Choices(Q(1, 10**8), Q(1, 10**4), Q(1), Q(100)), full=Choices(*(Q(10) ** k for k in range(-8, 5)))
        ),
        "ratio": Choices(Q(10001, 10000), Q(101, 100), Q(2), Q(1000)),
    },
    every=True,
)
def _corners(L0, L1, delta0, ratio, *, one=1, positive=True, phases=2):
    eps = delta0 / ratio
    yield (
        "number of steps",
        le(steps(delta0, (eps,), L0, L1)[0], count_bound(delta0, eps, L0, L1, one, positive, phases)),
    )


LARGE = (Q(10**4), Q(10**5), Q(10**6))


@pl_two_phase.check("first phase", domain={"eps": Choices(Q(1, 1000))}, every=True)
def _first_phase(eps, *, constant=None, power=HALF, dependence=1):
    L1s = [Q(1), Q(2), Q(4), Q(8)]
    yield (
        "power of delta_0",
        slope(list(LARGE), [steps(d, (eps,), Q(1), Q(3))[0] for d in LARGE], power, within=Q(1, 50), drift=Q(1, 50)),
    )
    yield (
        "power of L1",
        slope(L1s, [steps(LARGE[0], (eps,), Q(1), L)[0] for L in L1s], dependence, within=Q(1, 10), drift=Q(1, 10)),
    )
    with precision(200):
        c = 2 * arb(2).sqrt() if constant is None else arb(constant)
        ratio = steps(LARGE[-1], (eps,), Q(1), Q(3))[0] / (c * 3 * arb(LARGE[-1]).sqrt())
    yield "constant, from above", le(ratio, Q(101, 100))
    yield "constant, from below", le(Q(99, 100), ratio)


@pl_two_phase.check("second phase", domain={"delta0": Choices(Q(1), Q(100))}, every=True)
def _second_phase(delta0):
    eps = tuple(Q(1, 10**k) for k in range(3, 12))
    counts = steps(delta0, eps, Q(1), Q(1))
    increments = [b - a for a, b in pairwise(counts)]
    yield "steps for each decade", le(max(increments) - min(increments), 1)


pl_two_phase.mutant("the 1 dropped", one=0, breaks="number of steps")
pl_two_phase.mutant("ln in place of ln_+, without the 1", one=0, positive=False, breaks="number of steps")
pl_two_phase.mutant("a single linear phase", phases=1, breaks="number of steps")
pl_two_phase.mutant("constant 2.9 in place of 2 sqrt(2)", constant=Q(29, 10), breaks="constant, from below")
pl_two_phase.mutant("power 1 in delta_0", power=Q(1), breaks="power of delta_0")
pl_two_phase.mutant("no dependence on L1", dependence=0, breaks="power of L1")
