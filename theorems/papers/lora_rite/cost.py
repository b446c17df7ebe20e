"""What a step costs: flops and memory, counted on the code that the other claims run."""

from __future__ import annotations

from functools import partial

from flint import arb

from theorems import Choices, Q, eq, le
from theorems.papers.lora_rite.algebra import Shapes
from theorems.papers.lora_rite.paper import PAPER
from theorems.papers.lora_rite.rates import between
from theorems.papers.lora_rite.rite import RITE, State, side_step


def counted(m: int, n: int, r: int, explicit: bool = False) -> Shapes:
    """The operations of one step (not the first) on both factors; `explicit` forms the gradient of Z as an m x n matrix."""
    ops = Shapes()
    if explicit:
        ops.mul((m, r), (r, n))
    for rows, columns in ((m, n), (n, m)):
        before = State((columns, r), (r, r), 0, (rows, r))
        side_step(ops, (rows, r), (columns, r), before, RITE, "qr")
    return ops


def shampoo(m: int, n: int, r: int) -> Shapes:
    """Shampoo with full preconditioners on both factors."""
    ops = Shapes()
    for rows in (m, n):
        ops.mul((rows, r), (r, rows))
        left = ops.inverse_root((rows, rows))
        ops.mul(left, (rows, r))
        ops.mul((r, rows), (rows, r))
        ops.inverse_root((r, r))
        ops.mul((rows, r), (r, r))
    return ops


@PAPER.rate(
    source="the abstract: the method remains computationally efficient; counts derived",
    fidelity="derived",
    evidence="certified",
    domain={"m": Choices(8, 33), "n": Choices(7, 50), "r": Choices(1, 2, 5, 16)},
    every=True,
    part="affine",
    method="the step of the other claims run on shapes alone: second differences, symmetry, slopes and largest array in integers",
    hypotheses="2abc flops a product, 2qr^2 a QR, 25r^3 a small factorisation, 3 operations an entry of a combination; the gradients of the factors "
    "are given",
)
def linear_cost(m, n, r, *, slope=3, constant=208, explicit=False):
    r"""The flops of one step are $F = (m + n)\alpha(r) + \beta(r)$ with $\alpha(r) = 14r^2 + 3r \le 20r^2$ and $\beta(r) = 208r^3 + 6r^2 + 2r \le 250r^3$, and no
    array exceeds $\max(m, n)\,r$ entries (for $r \le \min(m, n)$). Shampoo with full preconditioners is cubic in time and quadratic in memory.
    """

    def F(a: int, b: int) -> int:
        return counted(a, b, r, explicit).flops

    yield "affine", eq([F(m + 2, n) - 2 * F(m + 1, n) + F(m, n), F(m, n + 2) - 2 * F(m, n + 1) + F(m, n)], [0, 0])
    yield "mixed difference", eq(F(m + 1, n + 1) - F(m + 1, n) - F(m, n + 1) + F(m, n), 0)
    yield "symmetric", eq(F(m, n), F(n, m))
    alpha = F(m + 1, n) - F(m, n)
    yield "slope", eq(alpha, 14 * r**2 + slope * r)
    yield "constant", eq(F(m, n) - (m + n) * alpha, constant * r**3 + 6 * r**2 + 2 * r)
    if r <= min(m, n):
        yield "largest array", le(counted(m, n, r, explicit).largest, max(m, n) * r)


@linear_cost.check("exponents", domain={"r": Choices(16)}, every=True)
def _exponents(r, *, rite=1, theirs=3, memory=2):
    """Two-point exponents between m = n = 2^12 and 2^16."""

    def exponent(low: int, high: int) -> arb:
        return (arb(high) / low).log() / arb(16).log()

    ours, theirs_ = ((of(2**12, 2**12, r), of(2**16, 2**16, r)) for of in (counted, shampoo))
    figures = {
        "time": (ours[0].flops, ours[1].flops, rite),
        "memory": (ours[0].largest, ours[1].largest, 1),
        "time of Shampoo": (theirs_[0].flops, theirs_[1].flops, theirs),
        "memory of Shampoo": (theirs_[0].largest, theirs_[1].largest, memory),
    }
    for name, (low, high, goal) in figures.items():
        for side in between(partial(exponent, low, high), goal, Q(1, 50)):
            yield name, side


linear_cost.mutant("the gradient of Z formed as an m x n matrix", explicit=True, breaks="largest array")
linear_cost.mutant("14 r^2 + 2 r flops a row", slope=2, breaks="slope")
linear_cost.mutant("a constant of 200 r^3 + 6 r^2 + 2 r", constant=200, breaks="constant")
linear_cost.mutant("quadratic time", rite=2, breaks="time")
linear_cost.mutant("Shampoo is quadratic in time", theirs=2, breaks="time of Shampoo")
