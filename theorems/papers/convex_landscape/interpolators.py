"""Minimum-norm interpolants: in one dimension uniqueness needs the free skip connection, in more dimensions it fails with it."""

from __future__ import annotations

from itertools import combinations, pairwise

from flint import fmpq, fmpq_mat

from solvers.certificates import ReluProblem
from solvers.enclosures import precision
from solvers.exact_linalg import pinv
from solvers.relu.quadratic import Quadratic, kernel
from solvers.relu.rational import exact_projections
from solvers.relu.skip import constraints, interpolate
from theorems import Arrays, Choices, Given, Integers, Q, Rationals, eq, le, lt, shared
from theorems.papers.convex_landscape import PAPER
from theorems.papers.convex_landscape.instances import BITS
from theorems.papers.convex_landscape.polytope import dot_q, geometry

ROOT3 = Quadratic(Q(0), Q(1))
SHORTENED = Q(9, 10)


def chain(angles, first):
    """The vectors v_1..v_n with partial sums s_1 = first, s_k = Rot(phi_k) s_1, s_n = (0, 1); and the s_k."""
    s = [first]
    for t in angles:
        c, d = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
        s.append((first[0] * c - first[1] * d, first[0] * d + first[1] * c))
    s.append((Quadratic(Q(0), Q(0)), Quadratic(Q(1), Q(0))))
    v = [s[0]] + [(a[0] - b[0], a[1] - b[1]) for a, b in zip(s[1:], s)]
    return v[::-1], s


def inner(a, b):
    """a . b in the field."""
    return a[0] * b[0] + a[1] * b[1]


class _Key:
    """Exact order of field elements."""

    def __init__(self, x):
        self.x = x

    def __lt__(self, other):
        return (self.x - other.x).sign() < 0


def in_cone(v, active, u):
    """Whether u is in the closed cone of the cell with these active samples."""
    chosen = set(active)
    return all((inner(x, u).sign() >= 0) if i in chosen else (inner(x, u).sign() <= 0) for i, x in enumerate(v))


def largest(v, active):
    """(|Pi_K(c)|^2, the direction) for c the sum of the active v_i over the closed cone, in two dimensions."""
    zero = Quadratic(Q(0), Q(0))
    c = (sum((v[i][0] for i in active), zero), sum((v[i][1] for i in active), zero))
    if in_cone(v, active, c):
        return inner(c, c), c, True
    best = (zero, (zero, zero), False)
    for x in v:
        for ray in ((x[1], -x[0]), (-x[1], x[0])):
            if in_cone(v, active, ray) and inner(c, ray).sign() > 0:
                square = inner(c, ray) * inner(c, ray) / inner(ray, ray)
                if (square - best[0]).sign() > 0:
                    best = (square, ray, False)
    return best


def activation_sets(v):
    """All activation sets of n distinct one-dimensional inputs: suffixes and prefixes in the order of the inputs."""
    n = len(v)
    order = sorted(range(n), key=lambda i: _Key(v[i][0] / v[i][1]))
    return [order[k:] for k in range(n)] + [order[:k] for k in range(n)]


CHAINS = PAPER.family(
    "chains",
    n=Integers(2, 8),
    spread=Choices("spread", "near 0", "near 60 degrees"),
    steps=Given(
        lambda n, spread: Arrays(
            Rationals(Q(1, 20), 1, denominator=40) if spread == "spread" else Rationals(Q(1, 3), 1, denominator=40),
            (max(n - 2, 1),),
        )
    ),
    weights=Given(lambda n: Arrays(Rationals(Q(1, 5), 4, denominator=7), (n + 1,))),
    quick=10,
    full=200,
)
TAN30 = Q(577, 1000)  # just below tan(30 degrees), the tangent of half of 60 degrees


def tangents(n, spread, steps):
    """Increasing half-angle tangents t_2 < .. < t_{n-1} in (0, tan 30)."""
    if n == 2:
        return []
    used = list(steps)[: n - 2]
    total = sum(used, Q(0)) + Q(1, 3)
    sums, at = [], Q(0)
    for h in used:
        at += h
        sums.append(at / total)
    if spread == "near 0":
        return [x / 10**5 for x in sums]
    if spread == "near 60 degrees":
        return [TAN30 - (1 - x) * Q(4, 10**4) for x in sums]
    return [x * TAN30 for x in sums]


@PAPER.construction(
    source="the paper's one-dimensional example; (b) Boursier and Flammarion 2023",
    fidelity="derived",
    evidence="certified",
    family=CHAINS,
    method="(a) exact arithmetic in Q(sqrt 3), with a rational rotation for each angle; (b) interval Newton on (nu, g, b), all cells in balls",
    hypotheses="(b): interval Newton proves a root near the numerical optimum",
    not_established="(a) n <= 8; (b) n <= 7, random data",
)
def interpolator_1d_uniqueness_needs_skip(n, spread, steps, weights, *, first="30 degrees", unique=False):
    r"""One-dimensional inputs, penalised bias, minimise $\sum|a_j|\|w_j\|$ subject to $f_\theta = y$. (a) Without skip connection: for unit vectors
    $s_1 = (\sqrt3/2, 1/2)$, $s_k = \mathrm{Rot}(\phi_k) s_1$ with $0 < \phi_2 < \dots < \phi_{n-1} < 60^\circ$, $s_n = (0, 1)$ and $v_n = s_1$,
    $v_{n-k+1} = s_k - s_{k-1}$, $\nu_i = v_{i,2}$, $x_i = v_{i,1}/v_{i,2}$, exactly $n+1$ directions are tight, $s_1, \dots, s_n$ and $s_n - s_1$;
    their atoms have a one-dimensional kernel with zero coefficient sum, so for every positive combination $y = \sum g_j a_j$ there is a continuum of
    minimum-norm interpolants, as functions too, of norm $\sum g_j$. (a') With targets $y + \beta\nu$ the regularised problem has the dual optimum
    $\beta\nu$ and the same polytope, and value $\beta^2\|\nu\|^2/2 + \beta\sum g_j$. (b) With a free linear skip
    connection the minimum-norm interpolant is unique, up to $u \to -u$ in its neurons.
    """
    half = Q(1, 2)
    start = (ROOT3 * half, Quadratic(half, Q(0)))
    if first == "another angle":
        start = (Quadratic(Q(4, 5), Q(0)), Quadratic(Q(3, 5), Q(0)))
        angles = [t * half for t in tangents(n, "spread", steps)]
    else:
        angles = tangents(n, spread, steps)
    v, s = chain(angles, start)
    nu = [x[1] for x in v]
    directions = [*s, (s[-1][0] - s[0][0], s[-1][1] - s[0][1])]
    with precision(BITS):
        yield "nu is positive", lt(0, [x.exact() for x in nu])
        bounds = [largest(v, active) for active in activation_sets(v)]
        yield "dual feasible", le([b.exact() for b, _, _ in bounds], 1)
        tight = [u for b, u, inside in bounds if (b - 1).sign() == 0]
        yield "number of tight directions", eq(len(tight), n + 1)
        yield "not on a boundary ray", eq(sum(inside for b, _, inside in bounds if (b - 1).sign() == 0), len(tight))
        listed = {(x.p, x.q, z.p, z.q) for x, z in tight}
        yield "the tight directions", eq(sum((x.p, x.q, z.p, z.q) in listed for x, z in directions), n + 1)
    atoms = [[_positive(inner(x, u)) / w for x, w in zip(v, nu)] for u in directions]
    null = kernel(atoms)
    yield "one relation between the atoms", eq(len(null), 1)
    if not null:
        return
    relation = null[0]
    with precision(BITS):
        yield "coefficients add up to zero", eq(sum(relation, Quadratic(Q(0), Q(0))).exact(), 0)
        signs = [x.sign() for x in relation]
        counts = sorted((signs.count(1), signs.count(-1)))
        yield "signs of the relation", eq(counts, sorted((n // 2 + 1, (n + 1) // 2)))
        y = [sum((g * a[i] for g, a in zip(weights, atoms)), Quadratic(Q(0), Q(0))) for i in range(n)]
        value = sum((w * t for w, t in zip(nu, y)), Quadratic(Q(0), Q(0)))
        yield "norm", eq(value.exact(), sum(weights, Q(0)))
        beta = Q(1, 3)
        targets = [t + beta * w for t, w in zip(y, nu)]
        dual = sum((beta * w * t for w, t in zip(nu, targets)), Quadratic(Q(0), Q(0)))
        squares = sum((w * w for w in nu), Quadratic(Q(0), Q(0)))
        yield (
            "value of the regularised problem",
            eq(
                (
                    dual - squares * beta * beta * half - squares * beta * beta * half - beta * sum(weights, Q(0))
                ).exact(),
                0,
            ),
        )
        yield (
            "other functions",
            lt(0, _difference(v, nu, relation, directions).exact())
            if not unique
            else eq(_difference(v, nu, relation, directions).exact(), 0),
        )


def _positive(x):
    return x if x.sign() > 0 else Quadratic(Q(0), Q(0))


def _difference(v, nu, relation, directions):
    """The sum of squared differences, at points off the data, between interpolants one kernel vector apart."""
    inputs = sorted((x[0] / w for x, w in zip(v, nu)), key=_Key)
    points = [inputs[0] - 1, inputs[-1] + 1, *((a + b) * Q(1, 2) for a, b in pairwise(inputs))]
    total = Quadratic(Q(0), Q(0))
    for x in points:
        gap = sum((c * _positive(u[0] * x + u[1]) for c, u in zip(relation, directions)), Quadratic(Q(0), Q(0)))
        total = total + gap * gap
    return total


interpolator_1d_uniqueness_needs_skip.mutant(
    "first partial sum not 60 degrees from the last",
    first="another angle",
    breaks="number of tight directions",
    anywhere=True,
)
interpolator_1d_uniqueness_needs_skip.mutant(
    "the interpolant is unique", unique=True, breaks="other functions", anywhere=True
)


@shared
def with_skip(x, y):
    """The certified interpolant with skip connection: inputs x with a column of ones."""
    given = ReluProblem(tuple((fmpq(v), Q(1)) for v in x), tuple(map(fmpq, y)), Q(1))
    with precision(BITS):
        return interpolate(given, BITS)


def proven(x, y):
    """Whether the inputs are distinct and interval Newton proves a root near the numerical optimum."""
    return len(set(x)) == len(x) and with_skip(x, y)[1] is not None


POINTS = PAPER.family(
    "points-with-skip",
    n=Integers(4, 7),
    x=Given(lambda n: Arrays(Rationals(-3, 3, denominator=16), (n,))),
    y=Given(lambda n: Arrays(Rationals(-3, 3, denominator=16), (n,))),
    where=proven,
    accept=0.1,
    quick=10,
    full=100,
)


@interpolator_1d_uniqueness_needs_skip.check("uniqueness with a free skip connection", family=POINTS)
def _unique_with_skip(n, x, y, *, skip_unique=True):
    geo, found = with_skip(x, y)
    with precision(BITS):
        yield (
            "Jacobian is nonsingular",
            lt(0, abs(found.determinant)) if skip_unique else eq(found.determinant, 0, within=Q(1, 10**20)),
        )
        yield "weights are positive", lt(0, list(found.g))
        for kind, value in constraints(geo, found):
            if kind == "multiplier":
                yield "multipliers", le(0, value, within=Q(1, 10**40))
            else:
                yield "other cells", lt(value, 1)


interpolator_1d_uniqueness_needs_skip.mutant(
    "not unique with skip", skip_unique=False, on="points-with-skip", breaks="Jacobian is nonsingular", anywhere=True
)


def pythagorean(t):
    """(A, B) on the unit circle."""
    return (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)


def centred(d, entries):
    """d - 1 vectors of Q^{d-2} with sum 0."""
    k = d - 2
    rows = [list(entries)[i * k : (i + 1) * k] for i in range(d - 1)]
    means = [sum(column, Q(0)) / (d - 1) for column in zip(*rows)]
    return [[x - m for x, m in zip(row, means)] for row in rows]


def small_enough(d, t, entries):
    """B < 1/2, the e_j span, and the size condition."""
    _, B = pythagorean(t)
    if not Q(1, 2) > B:
        return False
    if d == 2:
        return True
    e = centred(d, entries)
    E = sum((abs(x) for row in e for x in row), Q(0)) / 2
    spans = fmpq_mat([list(row) for row in e]).rank() == d - 2
    return bool(spans and 4 * B * B * Q(d - 2, (d - 1) ** 2) > E * E and E * E < 1 - 4 * B * B)


SKIPS = PAPER.family(
    "skip-connections",
    d=Choices(2, 3, 4),
    t=Rationals(Q(1, 40), Q(3, 4), denominator=60),
    scale=Choices(Q(1, 100), Q(1, 1000), Q(1, 10000)),
    whole=Given(lambda d: Arrays(Integers(-9, 9), ((d - 1) * max(d - 2, 1),))),
    nu=Given(lambda d: Arrays(Rationals(Q(1, 5), 4, denominator=6), (d + 1,))),
    y=Given(lambda d: Arrays(Rationals(-3, 3, denominator=6), (d + 1,))),
    where=lambda d, t, scale, whole, nu, y: small_enough(d, t, [scale * int(v) for v in whole]) and dot_q(nu, y) != 0,
    accept=0.05,
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
def interpolator_nonunique_skip_multidim(d, t, scale, whole, nu, y, *, shorten=1, enlarge=1, unique=False):
    r"""Input dimension $d \ge 2$, free linear skip connection: the minimum-norm interpolant need not be unique, with and without penalised bias.
    With $A^2 + B^2 = 1$, $B < \frac12$, $v_{1,2} = (\pm A, B, 0)$, $r_j = (0, -2B/(d-1), e_j)$, $\sum e_j = 0$ small and spanning, and $x_i =
    v_i/\nu_i$, all subset sums of the $v_i$ have norm at most 1, with equality exactly for $\{1\}$, $\{2\}$ and their complements. For $S = \nu
    \cdot y \ne 0$ both $S (v_k \cdot x)_+ + b_k \cdot x$, $k = 1, 2$, interpolate with the least norm $|S|$.
    """
    A, B = pythagorean(t)
    e = [[enlarge * x for x in row] for row in centred(d, [scale * int(v) for v in whole])] if d > 2 else [[]]
    v = [[shorten * A, shorten * B, *[Q(0)] * (d - 2)], [-A, B, *[Q(0)] * (d - 2)]]
    v += [[Q(0), -2 * B / (d - 1), *row] for row in e]
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
    yield "two functions", eq(gap, 0) if unique else lt(0, gap)
    # with penalised bias: the point 0 is added with the multiplier -sum nu
    extended = ReluProblem(tuple((*map(fmpq, row), Q(1)) for row in [*X, [Q(0)] * d]), (*y, Q(0)), Q(1))
    weights = (*nu, -sum(nu, Q(0)))
    squares = [
        dot_q(u, u) if u is not None else Q(2) for _, _, u in exact_projections(geometry(extended), weights, 0.0)
    ]
    yield "feasible with penalised bias", le(squares, 1)
    yield "maximum 1 with penalised bias", eq(max(squares), 1)


interpolator_nonunique_skip_multidim.mutant(
    "one of the two vectors 10 % shorter", shorten=SHORTENED, breaks="four maximal subsets", anywhere=True
)
interpolator_nonunique_skip_multidim.mutant("size condition on e dropped", enlarge=3000, breaks="subset sums")
interpolator_nonunique_skip_multidim.mutant(
    "the interpolant is unique", unique=True, breaks="two functions", anywhere=True
)
