"""Finite samples: the accuracy bound, exact laws of how much of a distribution is seen, and the network that is wrong elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb

from flint import arb, fmpq, fmpz

from solvers.shallow_relu import ShallowNetwork, interpolating, replicated
from theorems import Q
from theorems.papers.expressive_generalization.paper import copies, loss

CONFIDENCE = Q(1, 10)  # delta


# Two clusters of four points, W0 = 1, c = 7/20; in the cases (N, W) the bound is above 0.
POINTS = tuple(Q(i, 20) for i in (0, 1, 2, 3, 17, 18, 19, 20))
LABELS = (-1, -1, -1, -1, 1, 1, 1, 1)
MASSES = tuple(Q(i, 100) for i in (30, 10, 8, 2, 2, 8, 10, 30))
CASES = ((200_000, 64), (200_000, 16), (2_000_000, 16), (2_000_000, 64))


def accuracy_bound(
    N: int, W: int, W0: int, c: fmpq, delta: fmpq, capacity: int = 1, root: bool = False, chance: int = 1
) -> Callable[[], arb]:
    """The right side of (c) for n = 1 as a thunk; `capacity`, `root`, `chance` alter the two terms that depend on N."""
    kc = copies(W, W0) * c

    def bound() -> arb:
        width = arb(W).sqrt() if root else arb(W)
        term = capacity * 4 * (4 * width + 1) / (kc * arb(N).sqrt())
        return 1 - loss(kc) / loss(kc / 2) - term - chance * ((1 / arb(delta)).log() / (2 * N)).sqrt()

    return bound


def few_seen(m: int, N: int, bound: Callable[[], arb]) -> arb:
    """P(fewer than `bound` m of m equally likely points occur among N), bound < 1: one rounding of an exact number."""
    needed = m * bound()
    favourable = fmpz(0)
    for d in range(1, m):
        if needed <= d:
            break
        if not needed > d:
            raise ArithmeticError(f"the bound times m = {m} agrees with {d} to all digits seen")
        onto = sum((fmpz((-1) ** (d - i) * comb(d, i)) * fmpz(i) ** N for i in range(1, d + 1)), fmpz(0))
        favourable += comb(m, d) * onto
    return arb(favourable) / arb(fmpz(m) ** N)


def deviation(N: int, mass: fmpq, kc: fmpq) -> arb:
    """An upper bound of P(B ln 2 <= N l(kc)) for B binomial(N, mass): Chernoff's."""
    t = loss(kc) / arb(2).log()
    if not t < mass:
        return arb(1)
    p = arb(mass)
    divergence = t * (t / p).log() + ((1 - t) * ((1 - t) / (1 - p)).log() if mass < 1 else arb(0))
    return (-N * divergence).exp() if mass < 1 else arb(0)


def fitting_network(labels: Sequence[int], W: int) -> ShallowNetwork:
    """k copies of the network of width m - 1 with values labels/(4(m-1)) at the points j/(m-1), of width W."""
    m = len(labels)
    F = interpolating([Q(j, m - 1) for j in range(m)], [Q(y, 4 * (m - 1)) for y in labels])
    return replicated(F, copies(W, m - 1), W)
