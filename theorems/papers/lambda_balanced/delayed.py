"""Delayed rich: a funnel with a large first layer first learns what its rows allow, and rotates them much later."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from flint import arb, arb_mat, fmpq, fmpq_mat

from solvers.enclosures import NoEnclosure, precision
from solvers.linear_networks import (
    Blocks,
    Task,
    Weights,
    aligned_values,
    blocks,
    closed_form,
    kernel_distance,
    limit,
    loss,
)
from theorems import Q, slope
from theorems.papers.lambda_balanced.kernel import ntk_regimes
from theorems.papers.lambda_balanced.networks import BITS, HALF, rotations

LAMBDAS = (100, 300, 1000, 3000)
SIGMA = HALF  # the singular value of the initial product
ONE = fmpq_mat(1, 1, [fmpq(1)])


def crossing(f: Callable[[fmpq], arb], low: fmpq, high: fmpq, halvings: int = 44) -> arb:
    """A ball that holds a zero of a continuous f with f(low) > 0 > f(high).

    Raises:
        NoEnclosure: if the signs at the ends are others, or not decided.
    """
    if not (f(low) > 0 and f(high) < 0):
        raise NoEnclosure(f"crossing: f({low}) = {f(low)} and f({high}) = {f(high)} are not positive and negative")
    for _ in range(halvings):
        middle = (low + high) / 2
        value = f(middle)
        if value > 0:
            low = middle
        elif value < 0:
            high = middle
        else:
            break
    return arb(low).union(arb(high))


def cosine(V: fmpq_mat) -> fmpq:
    """The cosine of the angle between the first unit vector (row space of W_1(0)) and the first column of V (that of Sigma)."""
    return V[0, 0]


def oblique(V) -> bool:
    """Neither nearly aligned nor nearly orthogonal, and the first plateau is not the starting point."""
    c = cosine(V)
    return bool(Q(1, 5) <= abs(c) <= Q(4, 5) and abs(SIGMA - c) >= Q(1, 10))


class Run:
    """A network of shape (4, 1, 1) with balance -size and W_2 W_1(0) = SIGMA e_1^T, trained on Sigma = (first column of V)^T."""

    def __init__(self, V: fmpq_mat, size) -> None:
        a1, a2 = aligned_values(SIGMA, -size)
        self.task, self.lam, self.c = Task(V, ONE, (Q(1),)), -size, cosine(V)
        self.weights = Weights(arb_mat([[a1, 0, 0, 0]]), arb_mat([[a2]]))

    def at(self, t) -> Blocks:
        return blocks(closed_form(self.weights, self.task, self.lam, t), 4)

    def loss(self, t) -> arb:
        return loss(self.at(t).product, self.task.Sigma)

    @property
    def plateau(self) -> fmpq:
        return (1 - self.c * self.c) / 2

    def half_loss(self) -> arb:
        """When the excess of the loss over the plateau has halved."""
        first = self.loss(Q(0)) - self.plateau
        return crossing(lambda t: self.loss(t) - self.plateau - first / 2, Q(0), Q(2, -self.lam))

    def half_rotation(self) -> arb:
        """When the kernel has gone half of its way, in the distance S to its limit."""
        end = limit(self.task, self.lam)
        whole = kernel_distance(self.at(Q(0)), end)
        return crossing(lambda t: kernel_distance(self.at(t), end) - whole / 2, Q(-self.lam, 100), Q(-self.lam * 4))


@ntk_regimes.check("delayed rich", domain={"V": rotations(4)}, where=oblique, accept=0.2, quick=1, full=12)
def delayed_rich(V, *, rotation=1, halving=2, angle="(1 + c^2)/c^2", outside=1):
    runs = cache(lambda size: Run(V, size))

    def over_sizes(f):
        def thunk():
            with precision(BITS):
                return [f(runs(size), size) for size in LAMBDAS]

        return thunk

    losses, rotations_at = cache(lambda r: r.half_loss()), cache(lambda r: r.half_rotation())
    ln2 = cache(lambda: arb(2).log())
    c2 = cosine(V) * cosine(V)
    ratio = (1 + c2) / c2 if angle == "(1 + c^2)/c^2" else 1 / c2
    yield "loss halves at 1/|lambda|", slope(LAMBDAS, over_sizes(lambda r, x: losses(r)), -1, within=Q(1, 50))
    yield (
        "constant of the first drop",
        slope(
            LAMBDAS,
            over_sizes(lambda r, x: abs(losses(r) * x - ln2() / halving)),
            -2,
            within=Q(1, 5),
            side="upper",
        ),
    )
    yield (
        "plateau",
        slope(LAMBDAS, over_sizes(lambda r, x: abs(r.loss(Q(1)) - r.plateau * outside)), -1, within=Q(1, 20)),
    )
    yield (
        "kernel rotates at |lambda|",
        slope(LAMBDAS, over_sizes(lambda r, x: rotations_at(r)), rotation, within=Q(1, 100)),
    )
    yield (
        "constant of the rotation",
        slope(
            LAMBDAS,
            over_sizes(lambda r, x: abs(rotations_at(r) / x - arb(ratio).log() / 2)),
            -2,
            within=Q(1, 5),
            side="upper",
        ),
    )


ntk_regimes.mutant("kernel rotates at 1/|lambda|", rotation=-1, breaks="kernel rotates at |lambda|")
ntk_regimes.mutant("excess halves at ln 2/|lambda|", halving=1, breaks="constant of the first drop")
ntk_regimes.mutant("half rotation at |lambda| ln(1/c^2)/2", angle="1/c^2", breaks="constant of the rotation")
ntk_regimes.mutant("plateau of half the height", outside=HALF, breaks="plateau")
