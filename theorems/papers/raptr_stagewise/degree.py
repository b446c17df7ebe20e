"""What a subnetwork of few blocks cannot compute: Walsh components of high degree."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from flint import fmpq

from solvers.boolean_cube import points, walsh
from theorems import Arrays, Choices, Integers, Q, eq, le
from theorems.papers.raptr_stagewise.paper import PAPER

WIDTH = 3
DEPTH = 3


def network(x: Any, embed: Any, blocks: Any, readout: Any, subset: tuple[int, ...]) -> list[int]:
    """Values on all points of y <- y + C((A y) * (B y)) over the blocks of a subset; exact integers."""
    import numpy as np

    def matrix(numbers: Any, rows: int, columns: int) -> Any:
        return np.array([int(v) for v in numbers], dtype=object).reshape(rows, columns)

    y = x.astype(object) @ matrix([v for row in embed.tolist() for v in row], x.shape[1], WIDTH)
    for b in subset:
        numbers = blocks.tolist()[b]
        A, B, C = (matrix(numbers[9 * k : 9 * k + 9], WIDTH, WIDTH) for k in range(3))
        y = y + ((y @ A) * (y @ B)) @ C
    return list((y @ matrix(readout, WIDTH, 1)).ravel())


def bits(S: int) -> int:
    """|S|."""
    return S.bit_count()


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
    method="exact Walsh transforms of all subnetworks of random integer networks; generic weights attain the degree 2^p",
    hypotheses="x uniform on {-1, 1}^n; linear input and readout",
)
def subnetwork_degree(n, embed, blocks, readout, target, *, degree="2^p"):
    r"""Let blocks be $y \leftarrow y + C((Ay) \odot (By))$ with a linear input and readout on $x \in \{-1, 1\}^n$. A subnetwork of $p$ blocks computes a function
    of Walsh degree at most $2^p$, and this is attained; hence its square loss on $f^\star = \sum_S c_S\chi_S$ is at least $\sum_{|S| > 2^p} c_S^2$. A last stage with
    $p < L$ cannot fit degrees above $2^p$: $c_2 x_1x_2 + c_4x_1x_2x_3x_4$ is fitted exactly by two blocks, and the best single block has the loss $c_4^2$.
    """
    from flint import fmpz_mat

    x = points(n)
    size = 2**n
    goal = [int(v) for v in target][:size]
    spectrum = [fmpq(int(v), size) for v in walsh(goal)]
    inputs = fmpz_mat(embed.tolist()[:n])
    for p in range(DEPTH + 1):
        reach = allowed(p, degree)
        floor = sum((c * c for S, c in enumerate(spectrum) if bits(S) > reach), fmpq(0))
        for subset in combinations(range(DEPTH), p):
            values = network(x, inputs, blocks, readout, subset)
            degrees = [bits(S) for S, c in enumerate(walsh(values)) if c != 0]
            yield "degree", le(max(degrees, default=0), reach)
            loss = sum((f - g) ** 2 for f, g in zip(goal, values))
            yield "loss", le(floor, fmpq(loss, size))


def allowed(p: int, degree: str) -> int:
    """The claimed bound of the degree."""
    return {"2^p": 2**p, "2p": max(2 * p, 1), "2^p - 1": 2**p - 1 if p else 1}[degree]


@subnetwork_degree.check(
    "two components", domain={"c2": Choices(Q(3), Q(1), Q(-5, 2)), "c4": Choices(Q(2), Q(1, 3), Q(-4))}, every=True
)
def _two_components(c2, c4, *, best="c4^2"):
    """Block 1 makes x1 x2, block 2 multiplies it by x3 x4 ... in the state (x1, x2, x3, x4, u, v, out)."""
    x = points(4).tolist()
    goal = [c2 * a * b + c4 * a * b * c * d for a, b, c, d in x]
    both, first, second = [], [], []
    for a, b, c, d in x:
        u, v = a * b, c * d  # block 1
        both.append(c2 * u + c4 * u * v)  # block 2 adds c4 u v to the readout c2 u
        first.append(c2 * u)
        second.append(fmpq(0))  # without block 1, u = v = 0
    yield "fitted by both", eq(square_loss(both, goal), 0)
    least = min(square_loss(first, goal), square_loss(second, goal))
    yield "best single block", eq(least, {"c4^2": c4**2, "zero": fmpq(0), "|c4|": abs(c4)}[best])


def square_loss(f: list[Any], g: list[Any]) -> fmpq:
    """The mean squared difference."""
    return sum(((a - b) ** 2 for a, b in zip(f, g)), fmpq(0)) / len(f)


subnetwork_degree.mutant("degree at most 2p", degree="2p", breaks=("degree", "loss"))
subnetwork_degree.mutant("degree at most 2^p - 1", degree="2^p - 1", breaks=("degree", "loss"))
subnetwork_degree.mutant("one block reaches zero loss", best="zero", breaks="best single block")
subnetwork_degree.mutant("best loss |c4|", best="|c4|", breaks="best single block")
