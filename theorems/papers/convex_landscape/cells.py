"""The enumeration of all cells: completeness is what makes every later certificate rigorous."""

from __future__ import annotations

from itertools import combinations
from math import comb

from flint import arb, fmpq, fmpq_mat, fmpz_mat

from solvers.certificates.relu import count_cells, normals
from solvers.relu import arrangement
from theorems import Arrays, Choices, Given, Integers, Rationals, eq, le
from theorems.papers.convex_landscape import PAPER
from theorems.papers.convex_landscape.instances import CHANGES, altered

SMALL = 7  # hyperplanes up to which all subsets are looked at

GENERIC = PAPER.family(
    "generic-rows",
    n=Integers(1, 14),
    d=Integers(1, 5),
    X=Given(lambda n, d: Arrays(Rationals(-99, 99, denominator=32), (n, d))),
    change=Choices("as drawn", "as drawn", "rank drop"),
    quick=20,
    full=250,
)
DEGENERATE = PAPER.family(
    "few-distinct-integers",
    n=Integers(1, 14),
    d=Integers(1, 5),
    top=Integers(1, 3),
    X=Given(lambda n, d, top: Arrays(Integers(-top, top), (n, d))),
    change=Choices(*CHANGES, "rank drop"),
    quick=20,
    full=250,
)
DEFICIENT = PAPER.family(
    "rank-deficient",
    n=Integers(6, 12),
    d=Integers(3, 5),
    X=Given(lambda n, d: Arrays(Rationals(-99, 99, denominator=32), (n, d))),
    change=Choices("rank drop"),
    where=lambda X, d, change: len(normals([[fmpq(v) for v in row] for row in altered(X.tolist(), change)])) > d,
    quick=6,
    full=74,
)


def cover(h, r):
    """2 sum_{k < r} C(h - 1, k)."""
    return 2 * sum(comb(h - 1, k) for k in range(r)) if h else 1


def complete(X):
    """All cells."""
    return arrangement(X, check=False)


def sampled(X):
    """The cells met by 1000 random gates (a fixed pseudo-random sequence)."""
    import numpy as np

    full = arrangement(X, check=False)
    H = np.array([[float(v) for v in h] for h in full.normals])
    gates = np.random.default_rng(0).normal(size=(1000, H.shape[1])) @ H.T
    met = {tuple(row) for row in np.sign(np.vstack([gates, -gates])).astype(int).tolist()}
    keep = [i for i, row in enumerate(full.signs.tolist()) if tuple(row) in met]  # branch
    return type(full)(
        full.n,
        full.d,
        full.rank,
        full.normals,
        full.which,
        full.orientation,
        tuple(full.witnesses[i] for i in keep),
        full.signs[keep],
    )


def whitney(normals, d):
    """The number of cells by Whitney's theorem: the sum of (-1)^(|B| - rank B) over all sets B of hyperplanes."""
    total = 0
    for size in range(len(normals) + 1):
        for B in combinations(normals, size):
            rank = fmpz_mat([list(h) for h in B]).rank() if B else 0
            total += (-1) ** (size - rank)
    return total


def is_generic(cells):
    """Whether every r of the normals are independent in their span of dimension r."""
    H = fmpq_mat(fmpz_mat([list(h) for h in cells.normals]))
    _, r = H.rref()
    basis = H.transpose().rref()[0].transpose()  # coordinates in a basis of rows
    rows = [row[:r] for row in basis.tolist()]
    return all(fmpq_mat([rows[i] for i in B]).det() != 0 for B in combinations(range(len(rows)), r))


@PAPER.identity(
    source="the paper and its predecessors sum over all activation patterns; the bound on their number is classical (Cover)",
    fidelity="derived",
    evidence="certified",
    family=(GENERIC, DEGENERATE, DEFICIENT),
    method="exact integers: signs at the witnesses; counts by deletion and restriction and, for at most 7 hyperplanes, by Whitney's "
    "sum over all subsets",
    not_established="n <= 14, d <= 5",
)
def arrangement_enumeration_exact(X, d, change, *, shift=1, use_rank=True, enumerate=complete):
    r"""The enumerator returns every cell of the arrangement exactly once, each with a rational interior point. For $h \ge 1$ pairwise
    non-parallel non-zero rows of rank $r$ the number $P$ of cells satisfies $P \le 2 \sum_{k<r} \binom{h-1}{k}$, with equality iff every $r$ of
    the normals are independent; $P \le 2r (e(h-1)/r)^r$ if $h - 1 \ge r$, and $P \le 2 (e(h-1)/(r-1))^{r-1}$ if $2 \le r \le h$.
    """
    rows = [[fmpq(v) for v in row] for row in altered(X.tolist(), change)]
    cells = enumerate(rows)
    H, h, r = cells.normals, len(cells.normals), cells.rank
    signs = [[(v > 0) - (v < 0) for v in line] for line in _products(cells.witnesses, H)]
    both = {tuple(s) for s in signs} | {tuple(-v for v in s) for s in signs}
    strict = sum(0 not in s for s in signs)
    yield "witnesses", eq((strict, len(both)), (len(signs), 2 * len(signs)))
    yield "number of cells", eq(cells.count, count_cells(rows))
    if h <= SMALL:
        yield "number of cells, by Whitney's sum", eq(cells.count, whitney(H, d))
    bound = cover(h + 1 - shift, r if use_rank else d)
    if h and is_generic(cells):
        yield "generic normals", eq(cells.count, bound)
    elif h:
        yield "dependent normals", le(cells.count, bound - 1)
    if h - 1 >= r >= 1:
        yield "published bound", le(cells.count, lambda: 2 * r * (arb.const_e() * (h - 1) / r) ** r)
    if 2 <= r <= h:
        yield "sharper bound", le(cells.count, lambda: 2 * (arb.const_e() * (h - 1) / (r - 1)) ** (r - 1))


def _products(Z, H):
    return (fmpz_mat([list(z) for z in Z]) * fmpz_mat([list(h) for h in H]).transpose()).tolist() if Z else []


TWENTY = PAPER.family(
    "twenty-rows",
    n=20,
    d=3,
    X=Given(lambda n, d: Arrays(Rationals(-99, 99, denominator=32), (n, d))),
    where=lambda X: len(normals([[fmpq(v) for v in row] for row in X.tolist()])) == 20,
    quick=2,
    full=4,
)


@arrangement_enumeration_exact.check("twenty rows in three dimensions", family=TWENTY)
def _twenty(X, *, enumerate=complete):
    yield "number of cells of twenty rows", eq(enumerate(X.tolist()).count, count_cells(X.tolist()))


arrangement_enumeration_exact.mutant(
    "n in place of n - 1", shift=0, on="generic-rows", breaks="generic normals", anywhere=True
)
arrangement_enumeration_exact.mutant(
    "d in place of the rank", use_rank=False, on="rank-deficient", breaks="generic normals"
)
arrangement_enumeration_exact.mutant(
    "random gates find all cells", enumerate=sampled, on="twenty-rows", breaks="number of cells of twenty rows"
)
