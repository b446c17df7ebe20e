"""Minimum-norm interpolants in several dimensions are not unique, even with a free skip connection."""

from __future__ import annotations

from itertools import combinations
from math import isqrt

from flint import fmpq, fmpq_mat

from solvers.certificates import ReluProblem
from solvers.exact_linalg import pinv
from theorems import Arrays, Choices, Given, Integers, Q, Rationals, eq, le, lt
from theorems.papers.convex_landscape import PAPER
from theorems.papers.convex_landscape.polytope import dot_q, geometry, squares

SHORTENED = Q(9, 10)


def pythagorean(t):
    """(A, B) on the unit circle."""
    return (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)


def centred(d, entries):
    """d - 1 vectors of Q^{d-2} with sum 0; none if d < 3."""
    k = max(d - 2, 0)
    rows = [list(entries)[i * k : (i + 1) * k] for i in range(d - 1)]
    means = [sum(column, Q(0)) / (d - 1) for column in zip(*rows)]
    return [[x - m for x, m in zip(row, means)] for row in rows]


def size(e):
    """E, half the sum of the entries' absolute values: no partial sum of the e_j is longer."""
    return sum((abs(x) for row in e for x in row), Q(0)) / 2


def limit2(d, t):
    """The square of the bound on E."""
    _, B = pythagorean(t)
    return min(4 * B * B * Q(d - 2, (d - 1) ** 2), 1 - 4 * B * B)


def offsets(d, t, share, whole):
    """e_1..e_{d-1} with sum 0 and E equal to a share of its bound (up to 1e-9)."""
    e = centred(d, whole)
    if d < 3 or size(e) == 0:
        return e
    scale = 10**9
    bound = fmpq(isqrt(int((limit2(d, t) * scale * scale).floor())), scale)
    return [[x * share * bound / size(e) for x in row] for row in e]


def admissible(d, t, share, whole, nu, y):
    """B < 1/2, the e_j span, the size condition, and S is not 0."""
    _, B = pythagorean(t)
    e = offsets(d, t, share, whole)
    spans = d < 3 or fmpq_mat([list(row) for row in e]).rank() == d - 2
    return 2 * B < 1 and spans and (d < 3 or size(e) ** 2 < limit2(d, t)) and dot_q(nu, y) != 0


NEAR = Q(999, 1000)
SKIPS = PAPER.family(
    "skip-connections",
    d=Choices(2, 3, 4),
    t=Rationals(0, Q(267, 1000), denominator=60, open="left"),
    share=Choices(NEAR, Q(1, 2), Q(1, 1000)),
    whole=Given(lambda d: Arrays(Integers(-9, 9), (max((d - 1) * (d - 2), 1),))),
    nu=Given(lambda d: Arrays(Rationals(Q(1, 5), 4, denominator=6), (d + 1,))),
    y=Given(lambda d: Arrays(Rationals(-3, 3, denominator=6), (d + 1,))),
    where=admissible,
    accept=0.1,
    quick=20,
    full=400,
)


@PAPER.construction(
    source="the paper's counterexample in several dimensions, reconstructed",
    fidelity="derived",
    evidence="certified",
    family=SKIPS,
    method="exact rationals: all subset sums, all cells by exact projections, exact interpolation",
    not_established="d = 2, 3, 4",
    rests_on=("weak duality: nu.y is a lower bound of the norm when X^T nu = 0 and |nu.(Xu)_+| <= 1 on the unit ball",),
)
def interpolator_nonunique_skip_multidim(d, t, share, whole, nu, y, *, shorten=1, enlarge=1):
    r"""Input dimension $d \ge 2$, free linear skip connection: the minimum-norm interpolant need not be unique, with and without penalised bias.
    With $A^2 + B^2 = 1$, $B < \frac12$, $v_{1,2} = (\pm A, B, 0)$, $r_j = (0, -2B/(d-1), e_j)$, $\sum e_j = 0$ small and spanning, and $x_i =
    v_i/\nu_i$, all subset sums of the $v_i$ have norm at most 1, with equality exactly for $\{1\}$, $\{2\}$ and their complements. For $S = \nu
    \cdot y \ne 0$ both $S (v_k \cdot x)_+ + b_k \cdot x$, $k = 1, 2$, interpolate with the least norm $|S|$.
    """
    A, B = pythagorean(t)
    v = [[shorten * A, shorten * B, *[Q(0)] * (d - 2)][:d], [-A, B, *[Q(0)] * (d - 2)][:d]]
    for row in offsets(d, t, share, whole) if d > 1 else []:
        v.append([Q(0), -2 * B / (d - 1), *(enlarge * x for x in row)])
    n = d + 1
    sums = []
    for size in range(n + 1):
        for chosen in combinations(range(n), size):
            z = [sum((v[i][j] for i in chosen), Q(0)) for j in range(d)]
            sums.append(dot_q(z, z))
    yield "subset sums", le(sums, 1)
    yield "four maximal subsets", eq(sum(x == 1 for x in sums), 4)
    X = [[x / w for x in row] for row, w in zip(v, nu)]
    yield "X^T nu = 0", eq([dot_q(nu, column) for column in zip(*X)], (0,) * d)
    S = dot_q(nu, y)
    functions = []
    for k in (0, 1):
        image = [dot_q(row, v[k]) for row in X]
        rest = [target - S * (z if z > 0 else 0) for target, z in zip(y, image)]
        b = pinv(fmpq_mat(X)) * fmpq_mat(n, 1, rest)
        yield "interpolates", eq(fmpq_mat(X) * b, fmpq_mat(n, 1, rest))
        functions.append((v[k], b.entries()))
    points = [[s * x for x in row] for row in v for s in (1, -1)] + [
        [Q(int(i == j)) for j in range(d)] for i in range(d)
    ]
    gap = Q(0)
    for x in points:
        first, second = (S * max(dot_q(x, u), Q(0)) + dot_q(x, b) for u, b in functions)
        gap += (first - second) ** 2
    yield "two functions", lt(0, gap)
    # with penalised bias: the point 0 is added with the multiplier -sum nu
    extended = ReluProblem(tuple((*map(fmpq, row), Q(1)) for row in [*X, [Q(0)] * d]), (*y, Q(0)), Q(1))
    weights = (*nu, -sum(nu, Q(0)))
    found = squares(geometry(extended), weights)
    yield "feasible with penalised bias", le(found, 1)
    yield "maximum 1 with penalised bias", eq(max(found), 1)


interpolator_nonunique_skip_multidim.mutant(
    "one of the two vectors 10 % shorter", shorten=SHORTENED, breaks="four maximal subsets", anywhere=True
)
interpolator_nonunique_skip_multidim.mutant("size condition on e dropped", enlarge=Q(5, 2), breaks="subset sums")
interpolator_nonunique_skip_multidim.mutant(
    "d = 1", domain={"d": Choices(1), "t": Choices(Q(0))}, breaks="two functions"
)
