"""The two phases of masked reconstruction: the global correlation falls first, then the own one grows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from theorems import ByBudget, Choices, Q, le, lt, slope
from theorems.papers.ssl_vit.decoupling import gap
from theorems.papers.ssl_vit.flow import journey
from theorems.papers.ssl_vit.images import Areas, rounded
from theorems.papers.ssl_vit.paper import PAPER

HALF, LATEST = Q(1, 2), Q(3, 2)
QUICK = ((Q(9, 10), Q(3, 10)), (Q(11, 20), Q(2, 5)))
FULL = (*QUICK, (Q(19, 20), Q(1, 5)), (Q(4, 5), Q(1, 5)), (Q(3, 5), Q(3, 10)))


@PAPER.rate(
    source="masked reconstruction in two phases: Phase I decouples the correlation with the global area, Phase II grows the own one",
    fidelity="derived",
    evidence="certified",
    domain={
        "pair": ByBudget(quick=Choices(*QUICK), full=Choices(*FULL)),
        "scale": ByBudget(quick=Choices(((5, 6, 7), Q(1, 20))), full=Choices(((6, 7, 8), Q(3, 100)))),
    },
    every=True,
    part="end of Phase I",
    method="the gradient flow with mean visible counts, by validated Taylor steps in balls, the log-odds of attention on the own area as independent variable; "
    "slopes over P = 10^5, 10^6, 10^7 (10^6 to 10^8 in the full budget)",
    hypotheses="z = 1; mean visible counts in place of random ones; C_1 = P^kappa_c / 4, C = 2 P^kappa_s (rounded), P reduced to whole areas",
    not_established="the asymptotics beyond the sizes; gaps between 0 and 2/5, where sizes below 10^8 are not asymptotic",
)
def mae_phase1_global_drop(
    pair, scale, *, share=HALF, clipped=True, growth=0, clock="C", latest=LATEST
) -> Iterator[Any]:
    r"""Gradient flow of a masked local patch from $Q = 0$, $\Delta$ the information gap, $\alpha_1$ and $\alpha_n$ minus the gradient by the correlations $\phi_1$ with the
    global and $\phi_n$ with the own area. Phase I ends when first $-\alpha_1 = \alpha_n$; there $\phi_1 = -\frac{\Delta}{2} \log P + O(1)$ if $\Delta > 0$, and it is empty
    if $\Delta < 0$. When the attention on the own area is $1/2$, at a time $t_{1/2}$, $\phi_1 = -\frac{\max(\Delta, 0)}{2} \log P + O(1)$ and $\phi_n = (1 - \kappa_s) \log P +
    O(1)$. Moreover $0.85 \le t_{1/2} C/P \le 1.5$.
    """
    (kc, ks), (digits, within) = pair, scale
    images = [Areas(10**d, rounded(Q(1, 4), d, kc), rounded(Q(2), d, ks)) for d in digits]
    ways = [journey(x) for x in images]
    P, delta = [w.P for w in ways], gap(kc, ks)
    fall = -share * (max(delta, Q(0)) if clipped else delta)
    if delta > 0:
        yield "end of Phase I", line(P, [w.exit for w in ways], fall, within)
    else:
        yield "empty Phase I", lt(0, [w.start for w in ways])
    yield "global correlation", line(P, [w.phi1 for w in ways], fall, within)
    yield "own correlation", line(P, [w.phin for w in ways], 1 - ks + growth, within)
    clocks = [w.time * (x.small if clock == "C" else x.large) / w.P for w, x in zip(ways, images)]
    yield "not before", le(Q(17, 20), clocks)
    yield "not after", le(clocks, latest)


def line(P: list[int], values: list[Any], claimed: Any, within: Any) -> Any:
    """The values change by `claimed` times log P."""
    return slope(P, values, claimed, within=within, axes="semilogx")


mae_phase1_global_drop.mutant("-Delta log P at the end of Phase I", share=Q(1), breaks="end of Phase I")
mae_phase1_global_drop.mutant("-Delta log P at half attention", share=Q(1), breaks="global correlation")
mae_phase1_global_drop.mutant("-(3/8) Delta log P for -(1/2) Delta log P", share=Q(3, 8), breaks="end of Phase I")
mae_phase1_global_drop.mutant("no drop", share=Q(0), breaks="global correlation")
mae_phase1_global_drop.mutant("a drop for Delta < 0 as well", clipped=False, breaks="global correlation")
mae_phase1_global_drop.mutant("(1 - kappa_s + 1/10) log P", growth=Q(1, 10), breaks="own correlation")
mae_phase1_global_drop.mutant("time measured by the global area", clock="C_1", breaks="not after")
mae_phase1_global_drop.mutant("t_1/2 C/P at most 1", latest=Q(1), breaks="not after")
