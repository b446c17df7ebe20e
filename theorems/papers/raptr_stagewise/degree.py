"""What a subnetwork of few blocks cannot compute: Walsh components of high degree."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from flint import fmpq

from solvers.boolean_cube import points, walsh
from theorems import Arrays, Choices, Integers, Q, eq, le
from theorems.papers.raptr_stagewise.paper import PAPER

WIDTH = 3
DEPTH = 3
Block = tuple[Any, Any, Any]


def network(x: Any, embed: Any, blocks: Sequence[Block], readout: Any) -> list[Any]:
    """Values on all points of y <- y + C((A y) * (B y)) over some blocks (A, B, C), acting on rows; exact numbers."""
    y = x.astype(object) @ embed
    for A, B, C in blocks:
        y = y + ((y @ A) * (y @ B)) @ C
    return list(y @ readout)


def matrix(numbers: Any, rows: int, columns: int) -> Any:
    """An array of exact integers."""
    import numpy as np

    return np.array([int(v) for v in numbers], dtype=object).reshape(rows, columns)


def picks(places: Sequence[tuple[int, int]], rows: int, columns: int) -> Any:
    """The array that is 1 in some places."""
    found = matrix([0] * (rows * columns), rows, columns)
    for place in places:
        found[place] = 1
    return found


def degree_of(values: Sequence[int]) -> int:
    """The largest |S| with a Walsh coefficient other than 0."""
    return max((S.bit_count() for S, c in enumerate(walsh(values)) if c != 0), default=0)


@PAPER.bound(
    source="progressive subnetworks learn functions of increasing complexity (the abstract); residual blocks of products",
    fidelity="derived",
    evidence="certified",
    domain={
        "n": Choices(9, 6),
        "embed": Arrays(Integers(-2, 2), (9, WIDTH)),
        "blocks": Arrays(Integers(-1, 1), (DEPTH, 27)),
        "readout": Arrays(Integers(-2, 2), (WIDTH,)),
        "target": Arrays(Integers(-50, 50), (512,)),
    },
    quick=6,
    full=60,
    method="exact Walsh transforms of all subnetworks of random integer networks; degree 2^p attained by iterated squares of the sum; the "
    "two-block network of the statement run block by block",
    not_established="n > 9, more than three blocks, widths other than 3 for the bounds",
    hypotheses="x uniform on {-1, 1}^n; linear input and readout",
)
def subnetwork_degree(n, embed, blocks, readout, target, *, degree="2^p"):
    r"""Let blocks be $y \leftarrow y + C((Ay) \odot (By))$ with a linear input and readout on $x \in \{-1, 1\}^n$. A subnetwork of $p$ blocks computes a function
    of Walsh degree at most $2^p$, and this is attained; hence its square loss on $f^\star = \sum_S c_S\chi_S$ is at least $\sum_{|S| > 2^p} c_S^2$. A last stage with
    $p < L$ cannot fit degrees above $2^p$: $c_2 x_1x_2 + c_4x_1x_2x_3x_4$ is fitted exactly by two blocks, and the best single block has the loss $c_4^2$.
    """
    x = points(n)
    size = 2**n
    goal = [int(v) for v in target][:size]
    spectrum = [fmpq(int(v), size) for v in walsh(goal)]
    inputs = matrix([v for row in embed.tolist()[:n] for v in row], n, WIDTH)
    parts = [
        tuple(matrix(row[9 * k : 9 * k + 9], WIDTH, WIDTH) for k in range(3)) for row in blocks.tolist()
    ]  # (A, B, C) of each block
    outputs = matrix(readout, WIDTH, 1).ravel()
    for p in range(DEPTH + 1):
        reach = allowed(p, degree)
        floor = sum((c * c for S, c in enumerate(spectrum) if S.bit_count() > reach), fmpq(0))
        for subset in combinations(parts, p):
            values = network(x, inputs, subset, outputs)
            yield "degree", le(degree_of(values), reach)
            loss = sum((f - g) ** 2 for f, g in zip(goal, values))
            yield "loss", le(floor, fmpq(loss, size))


def allowed(p: int, degree: str) -> int:
    """The claimed bound of the degree."""
    return {"2^p": 2**p, "2p": max(2 * p, 1), "2^p - 1": 2**p - 1 if p else 1}[degree]


@subnetwork_degree.check("attained", domain={"p": Choices(3, 0, 1, 2), "n": Choices(8, 9)}, every=True)
def _attained(p, n, *, degree="2^p"):
    """Blocks y <- y + y^2 on the sum of the inputs: the coefficient of 2^p of them is (2^p)!."""
    one = picks([(0, 0)], 1, 1)
    values = network(points(n), matrix([1] * n, n, 1), [(one, one, one)] * p, one.ravel())
    yield "attained", eq(degree_of(values), allowed(p, degree))


@subnetwork_degree.check(
    "two components", domain={"c2": Choices(Q(3), Q(1), Q(-5, 2)), "c4": Choices(Q(2), Q(1, 3), Q(-4))}, every=True
)
def _two_components(c2, c4, *, best="c4^2"):
    """On the state (x1, x2, x3, x4, u, v, w), block 1 adds x1 x2 to u and x3 x4 to v, block 2 adds u v to w; c2 u + c4 w is read."""
    import numpy as np

    x = points(4)
    goal = [c2 * int(a * b) + c4 * int(a * b * c * d) for a, b, c, d in x.tolist()]
    first = (picks([(0, 0), (2, 1)], 7, 2), picks([(1, 0), (3, 1)], 7, 2), picks([(0, 4), (1, 5)], 2, 7))
    second = (picks([(4, 0)], 7, 1), picks([(5, 0)], 7, 1), picks([(0, 6)], 1, 7))
    embed = picks([(k, k) for k in range(4)], 4, 7)
    readout = np.array([fmpq(0)] * 4 + [c2, fmpq(0), c4], dtype=object)

    def loss(*blocks: Block) -> fmpq:
        return square_loss(network(x, embed, blocks, readout), goal)

    yield "fitted by both", eq(loss(first, second), 0)
    least = min(loss(first), loss(second))  # no block does better: components of degree 4 stay
    yield "best single block", eq(least, {"c4^2": c4**2, "zero": fmpq(0), "|c4|": abs(c4)}[best])


def square_loss(f: list[Any], g: list[Any]) -> fmpq:
    """The mean squared difference."""
    return sum(((a - b) ** 2 for a, b in zip(f, g)), fmpq(0)) / len(f)


subnetwork_degree.mutant("degree at most 2p", degree="2p", breaks="degree")
subnetwork_degree.mutant("degree at most 2^p - 1", degree="2^p - 1", breaks="degree")
subnetwork_degree.mutant("one block reaches zero loss", best="zero", breaks="best single block")
subnetwork_degree.mutant("best loss |c4|", best="|c4|", breaks="best single block")
