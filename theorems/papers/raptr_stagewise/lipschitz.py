"""The loss after dropping a random block differs by at most the gap of the outputs."""

from __future__ import annotations

from typing import Any

from flint import acb, arb, arb_mat, fmpq, fmpq_mat

from theorems import Arrays, Choices, Given, Integers, Q, le
from theorems.papers.raptr_stagewise.paper import PAPER

ONE = Q(1)
SCALES = (Q(1), Q(1, 50), Q(50))


def outputs(d: int, weights: Any, start: Any, scale: fmpq) -> list[arb_mat]:
    """Unit outputs of the full network, then without each block."""
    blocks = [
        arb_mat(fmpq_mat(d, d, [fmpq(int(v)) for v in weights.tolist()[l]]) * scale) for l in range(weights.nrows())
    ]
    y0 = arb_mat(d, 1, [arb(int(v)) for v in start])
    found = []
    for dropped in (None, *range(len(blocks))):
        y = y0
        for l, W in enumerate(blocks):
            if l != dropped:
                y = y + W * unit(y) * arb(d).sqrt()
        found.append(unit(y))
    return found


def norm(y: arb_mat) -> arb:
    """|y|, also where y may vanish."""
    length = arb(0)
    for v in y.entries():
        length = abs(acb(length, v))
    return length


def unit(y: arb_mat) -> arb_mat:
    """y / |y|."""
    return y * (1 / norm(y))


def head_of(d: int, kind: str, axis: Any) -> arb_mat:
    """A head of operator norm at most 1: the identity, a Householder reflection, or a projection on d - 1 coordinates."""
    eye = fmpq_mat(d, d, [fmpq(int(i == j)) for i in range(d) for j in range(d)])
    if kind == "reflection":
        v = fmpq_mat(d, 1, [fmpq(int(x)) for x in axis])
        size = (v.transpose() * v)[0, 0]
        return arb_mat(eye - v * v.transpose() * (2 / size))
    if kind == "projection":
        eye[d - 1, d - 1] = 0
    return arb_mat(eye)


@PAPER.bound(
    source="form of the stability theorem: the loss of a random (L-1)-layer subnetwork against the full loss",
    fidelity="derived",
    evidence="certified",
    domain={
        "d": Choices(3, 8, 5, 16),
        "L": Integers(2, 8),
        "weights": Given(lambda d, L: Arrays(Integers(-9, 9), (L, d * d))),
        "start": Given(lambda d: Arrays(Integers(1, 9), (d,))),
        "scale": Choices(*SCALES),
        "head": Choices("identity", "reflection", "projection"),
        "target": Choices("full output", "random", "far"),
        "goal": Given(lambda d: Arrays(Integers(-9, 9), (d,))),
    },
    quick=24,
    full=200,
    method="networks in balls; with the full output as target and an isometric head the bound is an equality, met to within 1e-20",
    hypotheses="mu = 1: losses |h - t|; heads of operator norm 1; outputs of unit norm",
    not_established="Lipschitz losses other than distances to a target",
)
def loss_gap_lipschitz(d, L, weights, start, scale, head, target, goal, *, constant=ONE, average="mean"):
    r"""For any weights, any loss that is $\mu$-Lipschitz in the head's output and any head of operator norm at most 1,
    $$\Big|\ell(F) - \frac1L\sum_{l} \ell(F^{-l})\Big| \le \mu \Psi, \qquad \Psi = \frac1L\sum_l \big\|\mathrm{LN}(y_L) - \mathrm{LN}(y_L^{-l})\big\|/\sqrt d.$$
    """

    def sides() -> tuple[arb, arb]:
        full, *dropped = outputs(d, weights, start, scale)
        H = head_of(d, head, start)
        far = 100 if target == "far" else 1
        t = H * full if target == "full output" else arb_mat(d, 1, [arb(far * int(v)) for v in goal])
        losses = [norm(H * y - t) for y in dropped]
        apart = [norm(full - y) for y in dropped]
        psi = sum(apart, arb(0)) / L if average == "mean" else smallest(apart)
        loss = arb(0) if target == "full output" else norm(H * full - t)
        return abs(loss - sum(losses, arb(0)) / L), arb(constant) * psi

    yield "loss gap", le(sides, within=Q(1, 10**20))


def smallest(values: list[arb]) -> arb:
    """The least of some balls."""
    least = values[0]
    for v in values[1:]:
        least = least.min(v)
    return least


loss_gap_lipschitz.mutant("constant 0.9", constant=Q(9, 10))
loss_gap_lipschitz.mutant("constant 0.99", constant=Q(99, 100))
loss_gap_lipschitz.mutant("the least gap in place of their mean", average="least")
