"""Minimum-norm interpolants in one dimension: uniqueness needs the free skip connection."""

from __future__ import annotations

from itertools import pairwise

from flint import arb, arb_mat, fmpq, fmpq_mat

from solvers.certificates import ReluProblem
from solvers.enclosures import precision
from solvers.relu.quadratic import Quadratic, kernel
from solvers.relu.skip import constraints, interpolate
from theorems import Arrays, Choices, Given, Integers, Q, Rationals, eq, le, lt, shared
from theorems.papers.convex_landscape import PAPER
from theorems.papers.convex_landscape.chains import (
    THIRTY,
    ZERO,
    Key,
    activation_sets,
    atoms_of,
    combined,
    data_of_chain,
    determinant,
    largest,
    positive,
    rounded,
)
from theorems.papers.convex_landscape.instances import BITS

ZERO_BALL = arb(0)
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


@PAPER.construction(
    source="the paper's one-dimensional example; (b) Boursier and Flammarion 2023",
    fidelity="derived",
    evidence="certified",
    family=CHAINS,
    method="(a) exact arithmetic in Q(sqrt 3), with a rational rotation for each angle; (b) interval Newton on (nu, g, b), all cells in balls",
    undecided=0.12,
    hypotheses="(b): targets that are not affine in the inputs (else no neuron is needed); where interval Newton proves no root near the "
    "numerical optimum, the instance counts as undecided",
    not_established="(a) n <= 8; (b) n <= 7, random data, and data of (a) that are not within 1e-3 of each other",
)
def interpolator_1d_uniqueness_needs_skip(n, spread, steps, weights, *, first=THIRTY, pull=1, off_data=True):
    r"""One-dimensional inputs, penalised bias, minimise $\sum|a_j|\|w_j\|$ subject to $f_\theta = y$. (a) Without skip connection: for unit vectors
    $s_1 = (\sqrt3/2, 1/2)$, $s_k = \mathrm{Rot}(\phi_k) s_1$ with $0 < \phi_2 < \dots < \phi_{n-1} < 60^\circ$, $s_n = (0, 1)$ and $v_n = s_1$,
    $v_{n-k+1} = s_k - s_{k-1}$, $\nu_i = v_{i,2}$, $x_i = v_{i,1}/v_{i,2}$, exactly $n+1$ directions are tight, $s_1, \dots, s_n$ and $s_n - s_1$;
    their atoms have a one-dimensional kernel with zero coefficient sum, so for every positive combination $y = \sum g_j a_j$ there is a continuum of
    minimum-norm interpolants, as functions too, of norm $\sum g_j$. (a') With targets $y + \beta\nu$ the regularised problem has the dual optimum
    $\beta\nu$ and the same polytope, and value $\beta^2\|\nu\|^2/2 + \beta\sum g_j$. (b) With a free linear skip
    connection the minimum-norm interpolant is unique, up to $u \to -u$ in its neurons.
    """
    v, nu, directions = data_of_chain(n, spread if first is THIRTY else "narrow", steps, first)
    with precision(BITS):
        yield "nu is positive", lt(0, [x.exact() for x in nu])
        bounds = [largest(v, active) for active in activation_sets(v)]
        yield "dual feasible", le([b.exact() for b, _, _ in bounds], 1)
        tight = [u for b, u, inside in bounds if (b - 1).sign() == 0]
        yield "number of tight directions", eq(len(tight), n + 1)
        yield "not on a boundary ray", eq(sum(inside for b, _, inside in bounds if (b - 1).sign() == 0), len(tight))
        listed = {(x.p, x.q, z.p, z.q) for x, z in tight}
        yield "the tight directions", eq(sum((x.p, x.q, z.p, z.q) in listed for x, z in directions), n + 1)
    atoms = atoms_of(v, nu, directions)
    null = kernel(atoms)
    yield "one relation between the atoms", eq(len(null), 1)
    if not null:
        return
    relation = null[0]
    with precision(BITS):
        yield "coefficients add up to zero", eq(sum(relation, ZERO).exact(), 0)
        signs = [x.sign() for x in relation]
        counts = sorted((signs.count(1), signs.count(-1)))
        yield "signs of the relation", eq(counts, sorted((n // 2 + 1, (n + 1) // 2)))
        y = combined(weights, atoms)
        yield "norm", eq(sum((w * t for w, t in zip(nu, y)), ZERO).exact(), sum(weights, Q(0)))
        beta = Q(1, 3)
        targets = [t + pull * beta * w for t, w in zip(y, nu)]
        squares = sum((w * w for w in nu), ZERO) * beta * beta * Q(1, 2)
        dual = sum((beta * w * t for w, t in zip(nu, targets)), ZERO) - squares
        primal = squares + beta * sum(weights, Q(0))
        yield "value of the regularised problem", eq((dual - primal).exact(), 0)
        yield "other functions", lt(0, _difference(v, nu, relation, directions, off_data).exact())


def _difference(v, nu, relation, directions, off_data):
    """The sum of squared differences, at points off (or on) the data, of interpolants one kernel vector apart."""
    inputs = sorted((x[0] / w for x, w in zip(v, nu)), key=Key)
    points = [inputs[0] - 1, inputs[-1] + 1, *((a + b) * Q(1, 2) for a, b in pairwise(inputs))]
    total = ZERO
    for x in points if off_data else inputs:
        gap = sum((c * positive(u[0] * x + u[1]) for c, u in zip(relation, directions)), ZERO)
        total = total + gap * gap
    return total


interpolator_1d_uniqueness_needs_skip.mutant(
    "first partial sum 53 in place of 60 degrees from the last",
    first=(Quadratic(Q(4, 5), Q(0)), Quadratic(Q(3, 5), Q(0))),
    breaks="number of tight directions",
    anywhere=True,
)
interpolator_1d_uniqueness_needs_skip.mutant(
    "one function, as far as the data show", off_data=False, breaks="other functions", anywhere=True
)
interpolator_1d_uniqueness_needs_skip.mutant(
    "targets moved 5 % too far", pull=Q(21, 20), breaks="value of the regularised problem", anywhere=True
)


@shared
def with_skip(x, y):
    """The certified interpolant with skip connection: inputs x with a column of ones."""
    given = ReluProblem(tuple((fmpq(v), Q(1)) for v in x), tuple(map(fmpq, y)), Q(1))
    with precision(BITS):
        return interpolate(given, BITS)


def proven(x, y):
    """False for targets that are affine in the inputs; True if interval Newton proves a root; None, undecided, if not."""
    if fmpq_mat([[1, a, b] for a, b in zip(x, y)]).rank() < 3:
        return False
    return with_skip(x, y)[1] is not None or None


POINTS = PAPER.family(
    "points-with-skip",
    n=Integers(4, 7),
    first=Rationals(-3, 0, denominator=16),
    gaps=Given(lambda n: Arrays(Rationals(Q(1, 16), 2, denominator=16), (n - 1,))),
    x=Given(lambda first, gaps: tuple(first + sum(gaps[:k], Q(0)) for k in range(len(gaps) + 1))),
    y=Given(lambda n: Arrays(Rationals(-3, 3, denominator=16), (n,))),
    where=proven,
    accept=0.1,
    quick=6,
    full=100,
)


def unique(geo, found):
    """What makes a proven root with skip connection the only optimum, as comparisons."""
    yield "Jacobian is nonsingular", lt(0, abs(found.determinant))
    yield "weights are positive", lt(0, list(found.g))
    for kind, value in constraints(geo, found):
        if kind == "multiplier":
            yield "multipliers", le(0, value, within=Q(1, 10**40))
        else:
            yield "other cells", lt(value, 1)


@interpolator_1d_uniqueness_needs_skip.check("uniqueness with a free skip connection", family=POINTS)
def _unique_with_skip(x, y):
    with precision(BITS):
        yield from unique(*with_skip(x, y))


def rounded_chain(n, steps, weights):
    """Inputs and targets of (a), rounded to multiples of 2^-20."""
    v, nu, directions = data_of_chain(n, "spread", steps, THIRTY)
    inputs = tuple(rounded(x[0] / w) for x, w in zip(v, nu))
    return inputs, tuple(map(rounded, combined(weights, atoms_of(v, nu, directions))))


ROUNDED = PAPER.family(
    "rounded-chains",
    n=Integers(2, 7),
    steps=Given(lambda n: Arrays(Rationals(Q(1, 20), 1, denominator=40), (max(n - 2, 1),))),
    weights=Given(lambda n: Arrays(Rationals(Q(1, 5), 4, denominator=7), (n + 1,))),
    x=Given(lambda n, steps, weights: rounded_chain(n, steps, weights)[0]),
    y=Given(lambda n, steps, weights: rounded_chain(n, steps, weights)[1]),
    where=proven,
    quick=3,
    full=40,
)


@interpolator_1d_uniqueness_needs_skip.check("uniqueness on the data of (a)", family=ROUNDED)
def _unique_on_chain(n, steps, x, y, *, skip=True):
    with precision(BITS):
        if skip:
            geo, found = with_skip(x, y)
            yield from unique(geo, found)
            atoms = arb_mat([_atom(geo.data.problem.X, f, p) for f, p in zip(found.faces, found.directions)])
            linear = arb_mat(fmpq_mat([[fmpq(1)] * n, list(x)]))
            spanned = arb_mat([*atoms.tolist(), *linear.tolist()])
            volume = (spanned * spanned.transpose()).det()
        else:  # the problem of (a), whose tight atoms are known exactly
            atoms = atoms_of(*data_of_chain(n, "spread", steps, THIRTY))
            gram = [[sum((p * q for p, q in zip(a, b)), ZERO) for b in atoms] for a in atoms]
            volume = determinant(gram).exact()
        yield "independent atoms", lt(0, volume)


def _atom(X, face, p):
    """The atom of a unit direction in balls."""
    heights = (arb_mat(fmpq_mat([list(row) for row in X])) * p).entries()
    return [h * face.s if sign > 0 else ZERO_BALL for h, sign in zip(heights, face.rows)]


interpolator_1d_uniqueness_needs_skip.mutant(
    "skip connection dropped in (b)", skip=False, on="rounded-chains", breaks="independent atoms", anywhere=True
)
