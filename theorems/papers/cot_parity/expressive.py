"""Parity is within reach of one layer: learning it is hard, not writing it down."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, product
from typing import Any

from solvers.transformers import (
    Attention,
    ExactRun,
    FeedForward,
    Head,
    Program,
    Transformer,
    compiled,
    constant,
    form,
    total,
)
from theorems import ByBudget, Choices, Given, Integers, eq
from theorems.papers.cot_parity.paper import PAPER


@lru_cache(maxsize=64)
def layer(width: int, multiplier: int, everywhere: bool) -> Program:
    """One hard-attention head and a ReLU network: z = multiplier * mean, relu(z) + sum_{0<t<width} 2 (-1)^t relu(z - t)."""
    key = constant(1) if everywhere else form("in S")
    head = Head((constant(1),), (key,), {"z": multiplier * form("bit")})
    units = {f"{t}": form("z") - t for t in range(width)}
    output = form("0") + total(2 * (-1) ** t * form(f"{t}") for t in range(1, width))
    return compiled(Transformer(("bit", "in S"), (Attention((head,)), FeedForward((units,), {"parity": output}))))


@PAPER.construction(
    source="one-layer representability theorem; abstract: the separation holds although the representation power suffices",
    fidelity="recalled",
    evidence="proved",
    domain={
        "n": ByBudget(quick=Integers(1, 6), full=Integers(1, 8)),
        "k": Given(lambda n: Integers(1, n)),
        "secret": Given(lambda n, k: Choices(*combinations(range(n), k))),
    },
    exhaustive=True,
    part="parity",
    method="exact rational evaluation of the transformer on all inputs, for all secrets",
    rests_on=("at z in 0..k the sum of ramps with slopes 1, -2, 2, ... is 0, 1, 0, 1, ...",),
    not_established="n above 8",
)
def nocot_parity_is_expressible(n, k, secret, *, units_dropped=0, everywhere=False) -> Iterator[Any]:
    r"""One hard-attention head that is uniform on $S$ and a ReLU network of width $k = |S|$ compute the parity of the bits in $S$ exactly: with $z = k \cdot
    \mathrm{average}$, the number of ones, the parity is $\mathrm{relu}(z) + \sum_{t=1}^{k-1} 2 (-1)^t \mathrm{relu}(z - t)$. (Covered: all $n \le 8$, all $S$,
    all inputs.)
    """
    size = n if everywhere else k
    program = layer(max(1, size - units_dropped), size, everywhere)
    inputs = list(product((0, 1), repeat=n))
    yield "parity", eq([answer(program, x, secret) for x in inputs], [sum(x[j] for j in secret) % 2 for x in inputs])


def answer(program: Program, x: tuple[int, ...], secret: tuple[int, ...]) -> Any:
    """The output at the last position."""
    run = ExactRun(program)
    stream: list[Any] = []
    for j, bit in enumerate(x):
        stream = run.push([bit, 1 if j in secret else 0])
    return stream[program.place("parity")]


nocot_parity_is_expressible.mutant("the last unit removed", units_dropped=1, breaks="parity")
nocot_parity_is_expressible.mutant("attention on all tokens", everywhere=True, breaks="parity")
