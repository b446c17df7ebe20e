"""The staircase of connectivity: emptiness, finiteness, isolated points and connectedness of the optimal networks by width."""

from __future__ import annotations

from itertools import product
from math import factorial

from flint import fmpq

from solvers.relu.polytope import Polytope, polytope
from solvers.relu.quadratic import kernel
from solvers.relu.staircase import graph_size, staircase
from theorems import Arrays, Choices, Given, Integers, Q, Rationals, curve, eq, le, lt, record, shared
from theorems.papers.convex_landscape import PAPER
from theorems.papers.convex_landscape.chains import THIRTY, ZERO, Key, atoms_of, data_of_chain
from theorems.papers.convex_landscape.instances import problem, solved, training_problems
from theorems.papers.convex_landscape.polytope import plant

SQUARE = tuple(tuple((1, 1, 0, 0)[(k - j) % 4] for k in range(4)) for j in range(4))
HEXAGON = tuple(tuple((2, 1, 0, 0, 0, 1)[(k - j) % 6] for k in range(6)) for j in range(6))
OCTAHEDRON = tuple(tuple(max(s * t, 0) for s in signs for t in (1, -1)) for signs in product((1, -1), repeat=3))
SYSTEMS = {
    # name: atoms, fit, and what is known: m*, M*, ((m, components, isolated points), ...)
    "toy": (((2, 0), (0, 2), (1, 1)), (1, 1), 1, 2, ((1, 1, 1), (2, 3, 2), (3, 1, 0))),
    "square": (SQUARE, (1,) * 4, 2, 2, ((2, 4, 4), (3, 2, 0), (4, 1, 0))),
    "hexagon": (HEXAGON, (1,) * 6, 3, 3, ((3, 12, 12), (4, 2, 0), (5, 2, 0), (6, 1, 0))),
    "octahedron": (OCTAHEDRON, (1,) * 6, 2, 4, ((2, 8, 8), (3, 4, 0), (4, 49, 48), (5, 1, 0))),
}


@shared
def optimal_polytope(atoms, f):
    """P* of exact atoms."""
    return polytope(atoms, f)


@shared
def steps_of(supports, widths):
    """Components and isolated points by width."""
    return staircase(supports, widths)


def threshold(P, n):
    """min(m* + M*, n + 1)."""
    return min(P.least + P.greatest, n + 1)


def regimes(P, n, label="", *, connected=None, isolated=None, finite=0, largest=None, points=None):
    """The regimes of the staircase as comparisons.

    Args:
        P: the optimal polytope.
        n: number of samples.
        label: put before the parts' names.
        connected: width from which the optimal set is claimed to be connected (default: the theorem's).
        isolated: width at which an isolated point is claimed (default M*).
        finite: widths above m* at which the set is claimed to be finite.
        largest: what is taken for M*.
        points: claimed isolated points at M* (default: some).
    """
    m, M = P.least, largest(P) if largest else P.greatest
    thresholds = {threshold(P, n), P.threshold} if connected is None else {connected(P, n)}
    top = max(*thresholds, M + 1, m + 1)
    found = {s.width: s for s in steps_of(P.supports, tuple(range(m - 1, top + 1)))}
    yield f"{label}empty below m*", eq(found[m - 1].components, 0)
    yield f"{label}m* is attained", le(1, found[m].components)
    for width in range(m, m + finite + 1):
        yield f"{label}finite at m*", eq(found[width].isolated, found[width].vertices)
    for width in range(m + 1, top + 1):
        yield f"{label}a continuum above m*", lt(found[width].isolated, found[width].vertices)
    yield f"{label}isolated point at M*", le(1, found[M].isolated) if points is None else eq(found[M].isolated, points)
    for width in range(M + 1, top + 1):
        yield f"{label}no isolated point above M*", eq(found[width].isolated, 0)
    for width in sorted({*thresholds, *range(max(thresholds), top + 1)}):
        yield f"{label}connected from the threshold on", eq(found[width].components, 1)
    below = found.get(P.threshold - 1)
    yield record("thresholds", threshold=P.threshold, components_below=-1 if below is None else below.components)


def _affordable(P, n, cap=4000):
    top = max(threshold(P, n), P.threshold, P.greatest + 1, P.least + 1)
    return graph_size(P.supports, top) <= cap


FIXED = PAPER.family("named-systems", system=Choices(*SYSTEMS), every=True)


@PAPER.transition(
    source="Theorem 2",
    fidelity="paper",
    evidence="certified",
    family=FIXED,
    part="counts",
    method="exact vertices of P*; the finite graph of (vertex, placement in slots) by breadth-first search",
    undecided=0.02,
    hypotheses="f* is not 0; of random training data, those whose certified optimal set has antipodal pairs (undecided if it is not "
    "certified); configuration graphs of at most 4000 vertices (6000 for training data, 60000 for the named systems)",
    not_established="that the stated threshold is the smallest one: it is attained on a part of the instances only (recorded)",
    rests_on=(
        "Theta*(m) is a polyhedral complex whose cells are labelled slot by slot, so its components and isolated points are those of the "
        "finite graph",
    ),
)
def staircase_of_connectivity(system, *, connected=None, finite=0, largest=None, points=None):
    r"""Let $f^* \ne 0$ and let $\Theta^*(m)$ be the optimal networks of width $m$. It is empty iff $m < m^*$. (i) $m = m^*$: finite. (ii) $m \ge m^*+1$:
    some component is a continuum. (iii) $m = M^*$: some point is isolated. (iv) $m \ge M^*+1$: no point is isolated. (v) $m \ge \min(m^*+M^*,
    n+1)$: connected; even from $\min(m^* + M^*, \mathrm{rank}\{a_j\} + 1)$ on.
    """
    atoms, f, least, greatest, known = SYSTEMS[system]
    P = optimal_polytope(atoms, f)
    yield "m* and M*", eq((P.least, P.greatest), (least, greatest))
    found = steps_of(P.supports, tuple(m for m, _, _ in known))
    yield "components and isolated points", eq([(s.width, s.components, s.isolated) for s in found], known)
    yield from regimes(P, len(f), connected=connected, finite=finite, largest=largest, points=points)
    if system == "octahedron":
        yield from drawn(found)


def drawn(found):
    """The staircase as curves."""
    title = "optimal networks of the octahedron's atoms by width"
    widths, components = [s.width for s in found], [s.components for s in found]
    yield curve(title, widths, components, series="components", axes=("width m", "of the optimal set"))
    yield curve(title, widths, components, series="components", mark="dots")
    yield curve(title, widths, [s.isolated for s in found], series="isolated points", mark="rings")


@shared
def _system(n, N, span, points, weights):
    """Distinct atoms in the simplex and a nonzero fit; with span <= n all lie in the span of the first ones."""
    rows = [[fmpq(int(v)) for v in row] for row in points.tolist()]
    if span <= n and span < N:
        for k in range(span, N):
            i, j = k % span, (k * k + 1) % span
            rows[k] = [a * (k - span + 1) + b for a, b in zip(rows[i], rows[j])]
    atoms: dict[tuple[fmpq, ...], None] = {}
    kept = []
    for row, w in zip(rows, weights):
        size = sum(row, fmpq(0))
        if size != 0:
            a = tuple(v / size for v in row)
            if a not in atoms:
                atoms[a] = None
                kept.append(w)
    if len(atoms) < 2 or not any(kept):
        return None
    columns = tuple(atoms)
    f = tuple(sum((w * a[k] for w, a in zip(kept, columns)), fmpq(0)) for k in range(n))
    P = optimal_polytope(columns, f)
    return (P, n) if _affordable(P, n) else None


ABSTRACT = PAPER.family(
    "abstract-systems",
    n=Integers(2, 5),
    N=Integers(2, 7),
    span=Given(lambda n: Integers(1, n + 1)),
    points=Given(lambda n, N: Arrays(Integers(0, 2), (N, n))),
    weights=Given(lambda N: Arrays(Choices(0, 1, 1, 2), (N,))),
    where=lambda n, N, span, points, weights: _system(n, N, span, points, weights) is not None,
    accept=0.02,
    quick=60,
    full=1000,
)


@staircase_of_connectivity.check("abstract systems of atoms", family=ABSTRACT)
def _abstract(n, N, span, points, weights, *, connected=None, finite=0, largest=None):
    P, samples = _system(n, N, span, points, weights)
    yield from regimes(P, samples, "abstract: ", connected=connected, finite=finite, largest=largest)


@shared
def _planted_polytope(d, q, weights):
    P = plant(d, q, (0,) * (d * (d - 1) // 2), Q(1), Q(1), weights)
    return optimal_polytope(P.atoms, P.fit)


PLANTED_SYSTEMS = PAPER.family(
    "planted-systems",
    d=Choices(2, 3),
    q=Integers(0, 3),
    weights=Given(lambda d: Arrays(Integers(0, 2), (2**d,))),
    where=lambda d, q, weights: any(weights) and _affordable(_planted_polytope(d, q, weights), 2 * d),
    quick=8,
    full=100,
)


@staircase_of_connectivity.check("planted data", family=PLANTED_SYSTEMS)
def _planted_stairs(d, q, weights):
    yield from regimes(_planted_polytope(d, q, weights), 2 * d, "planted: ")


def _antipodal(X, y, beta, bias):
    """A problem with antipodal pairs and an affordable graph; None where its optimal set is not certified."""
    found = solved(problem(X, y, beta, bias)).structure
    if not found.decided:
        return None
    return found.kind == "II" and _affordable(found.polytope, len(y), 6000)


RANDOM = training_problems("antipodal", ((6, 1), (5, 2)), (Q(1, 16),), 2, 100, where=_antipodal, accept=0.02)


@staircase_of_connectivity.check("trained data with antipodal pairs", family=RANDOM)
def _trained_stairs(X, y, beta, bias):
    yield from regimes(solved(problem(X, y, beta, bias)).structure.polytope, len(y), "antipodal: ")


CHAIN_SYSTEMS = PAPER.family(
    "chain-systems",
    n=Integers(2, 5),
    kind=Choices("generic weights", "weights as in the relation"),
    steps=Given(lambda n: Arrays(Rationals(Q(1, 20), 1, denominator=40), (max(n - 2, 1),))),
    weights=Given(lambda n: Arrays(Rationals(Q(1, 5), 4, denominator=7), (n + 1,))),
    quick=6,
    full=40,
)


@shared
def chain_polytope(n, kind, steps, weights):
    """P* of the one-dimensional example: the weights plus multiples of the one relation between the atoms."""
    (relation,) = kernel(atoms_of(*data_of_chain(n, "spread", steps, THIRTY)))
    g = [x if x.sign() > 0 else -x for x in relation] if kind != "generic weights" else [ZERO + w for w in weights]
    low = max((-a / r for a, r in zip(g, relation) if r.sign() > 0), key=Key)
    high = min((-a / r for a, r in zip(g, relation) if r.sign() < 0), key=Key)
    vertices = [tuple(a + t * r for a, r in zip(g, relation)) for t in (low, high)]
    supports = [tuple(j for j, x in enumerate(v) if x.sign() != 0) for v in vertices]
    return Polytope(n + 1, n, tuple(vertices), tuple(supports))


@staircase_of_connectivity.check("chains of the one-dimensional example", family=CHAIN_SYSTEMS)
def _chain_stairs(n, kind, steps, weights, *, connected=None):
    P = chain_polytope(n, kind, steps, weights)
    if P.least == n:
        (step,) = steps_of(P.supports, (n,))
        yield "chain: 2 n! isolated networks of width n", eq((step.components, step.isolated), (2 * factorial(n),) * 2)
    yield from regimes(P, n, "chain: ", connected=connected)


def largest_support(P):
    """The largest support of any optimum, irreducible or not."""
    return len({j for S in P.supports for j in S})


staircase_of_connectivity.mutant(
    "connected one width earlier",
    connected=lambda P, n: P.threshold - 1,
    on="named-systems",
    breaks="connected from the threshold on",
)
staircase_of_connectivity.mutant(
    "connected from M* + 1 on",
    connected=lambda P, n: P.greatest + 1,
    on="named-systems",
    breaks="connected from the threshold on",
)
staircase_of_connectivity.mutant("no isolated point at M*", points=0, on="named-systems", breaks="isolated point at M*")
staircase_of_connectivity.mutant("finite at m* + 1", finite=1, on="named-systems", breaks="finite at m*")
staircase_of_connectivity.mutant(
    "M* as the largest support of any optimum",
    largest=largest_support,
    on="named-systems",
    breaks="isolated point at M*",
)
staircase_of_connectivity.mutant(
    "n in place of n + 1 on the chain",
    connected=lambda P, n: n,
    on="chain-systems",
    breaks="chain: connected from the threshold on",
)
staircase_of_connectivity.mutant(
    "n in place of n + 1",
    connected=lambda P, n: min(P.least + P.greatest, n),
    on="named-systems",
    breaks="connected from the threshold on",
)
