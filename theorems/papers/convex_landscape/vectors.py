"""Vector outputs: zero gap, few neurons, and a connected optimal set from width nc + 1 on."""

from __future__ import annotations

from flint import fmpq, fmpq_mat

from solvers.certificates import ReluProblem
from solvers.relu.exact import of_problem
from solvers.relu.paths import nonincreasing_path as path_to
from solvers.relu.pruning import Units
from solvers.relu.training import train_data
from solvers.relu.vector import VectorProblem, solve
from theorems import Arrays, Choices, Given, Integers, Q, Rationals, dyadic, eq, le, shared
from theorems.papers.convex_landscape import PAPER
from theorems.papers.convex_landscape.paths import listed
from theorems.papers.convex_landscape.polytope import UNIT, dot_q

TIGHT = Q(1, 10**8)


@shared
def vector_problem(X, Y, beta, bias):
    """Numerators over 32; with bias one input and a column of ones."""
    rows = [[fmpq(int(v), 32) for v in row] for row in X.tolist()]
    if bias:
        rows = [[row[0], Q(1)] for row in rows]
    return VectorProblem(
        tuple(map(tuple, rows)), tuple(tuple(fmpq(int(v), 32) for v in row) for row in Y.tolist()), beta
    )


@shared
def vector_solved(given):
    """The enclosed optimum."""
    return solve(given)


def full_rank(X, bias):
    """Whether the inputs span the plane."""
    rows = [[int(v) for v in row] for row in X.tolist()]
    return fmpq_mat([[row[0], 32] if bias else row for row in rows]).rank() == 2


VECTORS = PAPER.family(
    "vector-outputs",
    n=Integers(3, 5),
    c=Choices(2, 3),
    beta=Choices(Q(1, 4), Q(1, 2), Q(1)),
    bias=Choices(False, True),
    X=Given(lambda n: Arrays(Integers(-97, 97), (n, 2))),
    Y=Given(lambda n, c: Arrays(Integers(-97, 97), (n, c))),
    where=full_rank,
    quick=8,
    full=80,
)


@PAPER.bound(
    source="vector-output theorem of the paper (width nc + 1)",
    fidelity="paper",
    evidence="certified",
    family=VECTORS,
    method="primal networks with dyadic weights, dual points checked by exact copositivity on every arc; paths in exact rationals",
    not_established="two input dimensions, n <= 5, c <= 3; the gap is closed to a relative 1e-8",
    rests_on=("the atoms (Xu)_+ v^T span at most nc dimensions, so an optimum can be pruned to nc neurons",),
)
def vector_output_duality_connectivity(n, c, beta, bias, X, Y, *, decoupled=False):
    r"""Outputs in $\mathbb{R}^c$: $\min \frac12\|\sum_j (Xw_j)_+ v_j^\top - Y\|_F^2 + \frac\beta2\sum(\|w_j\|^2+\|v_j\|^2)$ equals $\max \langle Y, N\rangle
    - \frac12\|N\|_F^2$ subject to $\|N^\top (Xu)_+\| \le \beta$ on the unit ball; an optimum with at most $nc$ neurons exists; the optimal set is
    connected if $m \ge nc + 1$.
    """
    given = vector_problem(X, Y, beta, bias)
    found = vector_solved(given)
    value = _decoupled(given) if decoupled else found.lower
    yield "dual bound", le(dyadic(value), dyadic(found.upper))
    yield "zero gap", le(dyadic(found.upper - value), dyadic(found.upper * TIGHT))
    yield "number of neurons", le(len(found.neurons), n * c)


def _decoupled(given):
    """The sum of the lower bounds of the scalar problems, one per output."""
    total = fmpq(0)
    for k in range(len(given.Y[0])):
        total += train_data(of_problem(ReluProblem(given.X, tuple(row[k] for row in given.Y), given.beta))).lower
    return total


vector_output_duality_connectivity.mutant("outputs decoupled", decoupled=True, breaks="dual bound", anywhere=True)


def _positive(j):
    """A Pythagorean direction with entries >= 0."""
    q = [*UNIT[2], (Q(1), Q(0)), (Q(0), Q(1))]
    u = q[j % len(q)]
    return u if j % 2 == 0 else (u[1], u[0])


FACTORS = PAPER.family(
    "completely-positive",
    beta=Choices(Q(1), Q(1, 2)),
    parts=Arrays(Integers(0, 11), (5,)),
    sizes=Arrays(Choices(Q(1), Q(0), Q(2), Q(5, 3), Q(1, 2)), (5,)),
    rows=Arrays(Integers(0, 15), (5, 3)),
    weights=Arrays(Rationals(Q(1, 5), 3, denominator=6), (5,)),
    where=lambda sizes: any(sizes),
    quick=8,
    full=200,
)


def _outer(w, v, X=((1, 0), (0, 1))):
    """vec((X w)_+ v^T)."""
    hidden = [max(sum((Q(x) * y for x, y in zip(row, w)), Q(0)), Q(0)) for row in X]
    return tuple(h * y for h in hidden for y in v)


@vector_output_duality_connectivity.check("paths to completely positive factorisations", family=FACTORS)
def _factorisations(beta, parts, sizes, rows, weights):
    # X = I, N = beta I, Y = N + F with F = sum g u u^T, u >= 0: the optimal networks are the factorisations of F
    target_units = [_positive(int(j)) for j in parts]
    target = {k: g for k, g in enumerate(sizes) if g != 0}
    outputs = [_outer(u, u) for u in target_units]
    for row in rows.tolist():
        w, v = list(UNIT[2][int(row[0]) % 4]), list(UNIT[2][int(row[1]) % 4])
        w = [x if (int(row[0]) >> (2 + i)) % 2 == 0 else -x for i, x in enumerate(w)]
        v = [x if (int(row[1]) >> (2 + i)) % 2 == 0 else -x for i, x in enumerate(v)]
        outputs.append(_outer(w, v))
    units = Units(tuple(outputs), (Q(1),) * len(outputs))
    nu = (beta, Q(0), Q(0), beta)
    y = [t + f for t, f in zip(nu, units.fit(target))]
    start = {5 + k: weights[k] for k in range(5)}
    here = start
    for piece in path_to(units, start, target, nu, beta):
        before, after = units.fit(piece.start), units.fit(piece.end)
        moved = dot_q([f - t for f, t in zip(after, y)], [b - a for a, b in zip(before, after)])
        yield "continuous", eq(listed(piece.start), listed(here))
        yield "loss does not increase", le(moved + beta * (units.cost(piece.end) - units.cost(piece.start)), 0)
        yield "neurons in use", le(len(piece.used), 5)
        here = piece.end
    yield "ends at the prescribed optimum", eq(listed(here), listed(target))


ROTATIONS = PAPER.family("rotations", t=Choices(Q(1, 7), Q(1, 20), Q(-1, 15)), exhaustive=True)


@vector_output_duality_connectivity.check("optima of least width", family=ROTATIONS)
def _least_width(t, *, freedom=1, components=2):
    # F = [[5, 4], [4, 5]] has no factorisation of width 1; W = [[2, 1], [1, 2]] R for small rotations R are a continuum of width 2
    F, W = fmpq_mat([[5, 4], [4, 5]]), fmpq_mat([[2, 1], [1, 2]])
    c, s = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
    V = W * fmpq_mat([[c, s], [-s, c]])
    swapped = fmpq_mat([[1, 2], [2, 1]])
    factors = (W, V, swapped)
    yield "rank of F", eq(F.rank(), 2)
    yield "factorisations", eq([U * U.transpose() for U in factors], [F] * 3)
    yield "non-negative", le(0, [v for U in factors for v in U.entries()])
    # H with H V^T + V H^T = 0: the directions in which the factorisation may move
    units = [fmpq_mat(2, 2, [int(i == j) for j in range(4)]) for i in range(4)]
    moves = fmpq_mat([(H * V.transpose() + V * H.transpose()).entries() for H in units])
    yield "degrees of freedom of a factorisation", eq(4 - moves.rank(), freedom)
    # det U = +-3 for every factorisation of width 2, so that the sign of det U is constant on a component
    yield "determinants", eq([U.det() ** 2 for U in factors], [F.det()] * 3)
    yield "components of width 2", eq(len({bool(U.det() > 0) for U in factors}), components)


vector_output_duality_connectivity.mutant(
    "finite at m = m*", freedom=0, breaks="degrees of freedom of a factorisation", anywhere=True
)
vector_output_duality_connectivity.mutant(
    "connected at m = m*", components=1, breaks="components of width 2", anywhere=True
)
