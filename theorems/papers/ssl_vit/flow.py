r"""The gradient flow of one masked local patch with mean visible counts, in balls.

By symmetry the k other local areas share one correlation. The independent variable is the log-odds $s = \log(A_n / (1 - A_n))$ of attention on the own area,
in which the flow to $A_n = 1/2$ ends at $s = 0$ after a length of about $\log(P/C)$, however long it takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from flint import arb, fmpq

from solvers.enclosures import NoEnclosure, flow_steps, precision
from solvers.enclosures import functions as F
from theorems.papers.ssl_vit.images import Areas

ATTEMPTS = ((36, 8), (44, 9), (64, 12))  # bits and Taylor order, cheap by trial
NARROW = fmpq(1, 500)  # radius of the correlations that ends the attempts
FINEST = 64  # parts of a step among which the end of Phase I is sought


@dataclass(frozen=True)
class Patch:
    """Visible counts of an image of exactly P patches: the global area, the own area (p is masked), k other local areas."""

    P: int
    k: int
    u1: fmpq
    un: fmpq
    uo: fmpq

    def balance(self, state: list[Any]) -> tuple[Any, Any, Any, Any]:
        """(g_1, g_n, g_o, ds/dt): minus the gradient, and the speed of the log-odds, at (phi_1, phi_o, t, s)."""
        phi1, phio, _, s = state
        W1, Wo = F.exp(phi1) * self.u1, F.exp(phio) * self.uo
        others = W1 + Wo * self.k
        An = 1 / (F.exp(-s) + 1)
        rest = 1 - An
        A1, Ao = W1 / others * rest, Wo / others * rest
        g1 = A1 * (Ao * Ao * self.k - rest * An - A1 * (1 - A1))
        gn = An * (rest * rest + A1 * A1 + Ao * Ao * self.k)
        go = Ao * (A1 * A1 + Ao * Ao * (self.k - 1) - rest * An - Ao * (1 - Ao))
        return g1, gn, go, gn - (W1 * g1 + Wo * go * self.k) / others

    def field(self, state: list[Any]) -> list[Any]:
        """The derivative of (phi_1, phi_o, t, s) by s."""
        g1, _, go, speed = self.balance(state)
        return [g1 / speed, go / speed, 1 / speed, arb(1) + 0 * state[3]]

    def excess(self, state: list[Any]) -> arb:
        """g_1 + g_n: negative while the global correlation falls faster than the own one grows (Phase I)."""
        g1, gn, _, _ = self.balance(state)
        return g1 + gn


def patch(x: Areas) -> Patch:
    """Mean counts when half of the patches is visible and p is masked; P is reduced to whole areas."""
    areas = (x.P - x.large) // x.small
    P = x.large + areas * x.small
    each = fmpq(P, 2 * (P - 1))
    return Patch(P, areas - 1, each * x.large, each * (x.small - 1), each * x.small)


@dataclass(frozen=True)
class Journey:
    """What happens on the way to A_n = 1/2.

    Attributes:
        P: the number of patches.
        start: g_1 + g_n at phi = 0.
        exit: phi_1 when g_1 + g_n vanishes first (0 when it starts positive).
        phi1, phin: the correlations with the global and the own area at A_n = 1/2.
        time: when A_n = 1/2.
    """

    P: int
    start: arb
    exit: arb
    phi1: arb
    phin: arb
    time: arb


@cache
def journey(x: Areas) -> Journey:
    """The flow from phi = 0 to A_n = 1/2, enclosed."""
    for bits, order in ATTEMPTS:
        with precision(bits):
            try:
                way = enclosed(x, order)
            except NoEnclosure:
                continue  # more bits may do
            if all(v.rad() < NARROW for v in (way.exit, way.phi1, way.phin)):
                return way
    raise NoEnclosure(f"no narrow enclosure of the flow at {x}")


def enclosed(x: Areas, order: int) -> Journey:
    """The flow at the current precision."""
    p = patch(x)
    s0 = (arb(p.un) / (p.u1 + p.k * p.uo)).log()
    length = fmpq(int((-s0 * 2**60).mid().floor().unique_fmpz()), 2**60)
    origin = [arb(0), arb(0), arb(0), s0]
    start = p.excess(origin)
    over = bool(start > 0)
    near: arb | None = arb(0) if over else None
    state = origin
    for step in flow_steps(p.field, origin, length, order=order):
        if not over and not p.excess(list(step.box)) < 0:
            near, over = crossing(p, list(step.start), step.h, near, order)
        state = list(step.end)
    if near is None or not over:
        raise NoEnclosure("the end of Phase I is lost in the radii")
    phi1, phio, time, _ = landed(p, state)
    phin = (phi1.exp() * p.u1 + phio.exp() * (p.k * p.uo)).log() - arb(p.un).log()
    return Journey(p.P, start, near, phi1, phin, time)


def landed(p: Patch, state: list[arb]) -> list[arb]:
    """The state at s = 0 exactly, from a state with s near 0: a first-order step over a box that holds the way."""
    box = [v + arb(0, fmpq(1, 2**30)) * (1 + abs(v)) for v in state]
    way = state[3].union(arb(0)) - state[3]
    between = [v + way * d for v, d in zip(state, p.field(box))]
    if not all(b.contains(v) for b, v in zip(box, between)):
        raise NoEnclosure(f"s = {state[3]} is not near enough to 0")
    return [v - state[3] * d for v, d in zip(state, p.field(box))]


def crossing(p: Patch, state: list[arb], h: fmpq, near: arb | None, order: int) -> tuple[arb | None, bool]:
    """One step in parts: the range of phi_1 where g_1 + g_n is not surely negative, and whether it ends surely positive.

    Its first zero lies where it is not surely negative; `near` is that range in earlier steps.
    """
    finest = h / FINEST
    parts = [h]
    while parts:
        h = parts.pop()
        box, end = state, state
        for step in flow_steps(p.field, state, h, order=order):
            box = [a.union(b) for a, b in zip(box, step.box)]
            end = list(step.end)
        if not p.excess(box) < 0:
            if h > finest:
                parts += [h / 2, h / 2]
                continue
            near = box[0] if near is None else near.union(box[0])
            if p.excess(end) > 0:
                return near, True
        state = end
    return near, False
