"""Training problems, random, degenerate and named; their certified solutions, shared by the claims; values in balls."""

from __future__ import annotations

from flint import arb, arb_mat, fmpq, fmpq_mat, fmpz_mat

from solvers.certificates import ReluProblem
from solvers.relu.exact import of_problem
from solvers.relu.training import train_data
from theorems import Arrays, Choices, Given, Integers, Q, shared
from theorems.papers.convex_landscape import PAPER

BITS = 256
UNIT_OF_DATA = 32  # data are numerators over it
NUMERATORS = Integers(-97, 97)
UNDECIDED = 0.04
"""Largest share of instances whose optimal set may stay undecided: about 1 % of degenerate data, and one named problem."""


@shared
def problem(X, y, beta, bias):
    """The training problem of a matrix of numerators over 32."""
    rows = tuple(tuple(fmpq(int(v), UNIT_OF_DATA) for v in row) + ((fmpq(1),) if bias else ()) for row in X.tolist())
    return ReluProblem(rows, tuple(fmpq(int(v), UNIT_OF_DATA) for v in y), fmpq(beta))


@shared
def solved(given):
    """The certified solution of a training problem."""
    return train_data(of_problem(given), bits=BITS)


def certificate(given):
    """What the kernel checks."""
    return solved(given).certificate


def decided(X, y, beta, bias):
    """True if the optimal set is certified; None, which counts the instance as undecided, if it is not."""
    return solved(problem(X, y, beta, bias)).structure.decided or None


def training_problems(name, sizes, betas, quick, full, **options):
    """A family of training problems with entries k / 32."""
    return PAPER.family(
        name,
        size=Choices(*sizes),
        beta=Choices(*betas),
        bias=Choices(False, True),
        X=Given(lambda size: Arrays(NUMERATORS, size)),
        y=Given(lambda size: Arrays(NUMERATORS, (size[0],))),
        quick=quick,
        full=full,
        **options,
    )


CHANGES = {"as drawn": None, "repeated": 1, "negated": -1, "doubled": 2, "zero": 0}


def altered(rows, change):
    """A degenerate variant: the last row repeats, negates or doubles the first or is zero; or the last column repeats."""
    rows = [list(row) for row in rows]
    if change == "rank drop":
        return [[*row[:-1], row[0]] if len(row) > 1 else row for row in rows]
    if CHANGES[change] is not None:
        rows[-1] = [CHANGES[change] * v for v in rows[0]]
    return rows


def degenerate_problems(name, quick, full, **options):
    """A family of training problems with few distinct integers: ties, repeated and zero rows, rank drops, n < d."""
    return PAPER.family(
        name,
        n=Integers(1, 6),
        d=Integers(1, 3),
        top=Integers(1, 3),
        drawn=Given(lambda n, d, top: Arrays(Integers(-top, top), (n, d))),
        change=Choices("as drawn", *CHANGES, "rank drop"),
        X=Given(lambda drawn, change: UNIT_OF_DATA * fmpz_mat(altered(drawn.tolist(), change))),
        targets=Given(lambda n: Arrays(Integers(-4, 4), (n,))),
        y=Given(lambda targets: tuple(UNIT_OF_DATA * int(v) for v in targets)),
        beta=Choices(Q(1, 4), Q(1, 16), Q(1), Q(2)),
        bias=False,
        where=decided,
        quick=quick,
        full=full,
        **options,
    )


AXES = ((1, 0), (0, 1))
NAMED = {
    # name: rows, targets, beta
    "beta at beta_max": (AXES, (3, 4), Q(5)),
    "beta just below beta_max": (AXES, (3, 4), 5 - Q(1, 10**6)),
    "beta just above beta_max": (AXES, (3, 4), 5 + Q(1, 10**6)),
    "no target": (((1, 2), (3, 1)), (0, 0), Q(1, 4)),
    "repeated rows": (((1, 2), (1, 2), (3, -1)), (1, 2, -1), Q(1, 4)),
    "repeated rows that cancel": (((1, 2), (1, 2)), (1, -1), Q(1, 4)),
    "a zero row": (((0, 0), (1, 1)), (1, 1), Q(1, 4)),
    "one sample in three dimensions": (((1, 2, 3),), (2,), Q(1, 4)),
    "two samples in three dimensions": (((1, 2, 3), (0, 1, -1)), (2, -1), Q(1, 4)),
    "the square": (((1, 0), (0, 1), (-1, 0), (0, -1)), (3, 4, 3, 4), Q(5, 2)),
    "a tight direction of weight 0": (((3, 1), (0, 1), (-3, 1)), (4, -2, 0), Q(1)),
    "another, nu = (3, -1/3, -1)": (((-1, 0), (0, -3), (-2, 1)), (3, -3, -3), Q(1)),
    "another, nu = (-1/12, 1, -1/4)": (((-3, 3), (0, 1), (1, 2)), (-4, 1, -1), Q(1, 4)),
    "an irrational tie": (((0, 1), (-1, 1), (0, 1)), (0, 1, -2), Q(1)),
    "four tight atoms of rank 3 in a plane": (((2, -3, 1), (3, 1, 1), (1, -1, 1)), (0, -4, 4), Q(1, 16)),
}


def named_problems(name, **options):
    """The named problems as a family: all of them, or with further random parameters."""
    return PAPER.family(
        name,
        case=Choices(*NAMED),
        X=Given(lambda case: UNIT_OF_DATA * fmpz_mat([list(row) for row in NAMED[case][0]])),
        y=Given(lambda case: tuple(UNIT_OF_DATA * v for v in NAMED[case][1])),
        beta=Given(lambda case: NAMED[case][2]),
        bias=False,
        where=decided,
        **options,
    )


HARD = named_problems("named-problems", every=True)


def balls(values):
    """Exact numbers or balls as balls."""
    return [v if isinstance(v, arb) else arb(v) for v in values]


def total(values):
    """A sum of balls or exact numbers."""
    return sum(values, arb(0))


def dot(a, b):
    """An inner product of balls or exact numbers."""
    return total(x * y for x, y in zip(a, b))


def norm(v):
    """A Euclidean length."""
    return dot(v, v).sqrt()


def features(X, w):
    """(X w)_+ for exact weights; for balls where no pre-activation is 0 to rounding."""
    images = [sum((x * v for x, v in zip(row, w)), fmpq(0)) for row in X]
    return [z if z > 0 else fmpq(0) for z in images]


def fit(weights, atoms, n):
    """sum_j c_j a_j, of length n."""
    return [dot(weights, [a[k] for a in atoms]) for k in range(n)]


def distinct_rows(X, y, beta, bias):
    """A problem without repeated rows; None where its optimal set is not certified."""
    return len({tuple(row) for row in X.tolist()}) == X.nrows() and decided(X, y, beta, bias)


def dual_optimum(given):
    """(nu*, f*, p*) in balls (or exact), from the certified structure."""
    structure = solved(given).structure
    nu = balls(structure.nu)
    weights = balls(structure.polytope.vertices[0])
    y = balls(given.y)
    return nu, [t - v for t, v in zip(y, nu)], dot(nu, nu) / 2 + arb(given.beta) * total(weights)


def rank(rows):
    """Rank of exact rows."""
    return int(fmpq_mat([list(row) for row in rows]).rank()) if rows else 0


def matrix(rows):
    """A ball matrix of exact rows."""
    return arb_mat(fmpq_mat([list(row) for row in rows]))
