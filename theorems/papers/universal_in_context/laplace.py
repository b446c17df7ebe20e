"""One family of elementary maps tells all measures apart: the slope of the log-Laplace transform."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flint import fmpq, fmpq_mat, fmpq_poly, fmpq_series

from theorems import ByBudget, Choices, Integers, Q, eq, le
from theorems.papers.universal_in_context.paper import PAPER
from theorems.seeds import Words

Atoms = tuple[tuple[fmpq, fmpq], ...]  # (weight, point), weights sum to 1


def random_atoms(m: int, seed: int) -> Atoms:
    """m different points of a rational grid in [-12/5, 12/5], weights proportional to 1..9."""
    words = Words(seed, "atoms", m)
    points: list[fmpq] = []
    while len(points) < m:
        p = Q(words.between(-24, 24), 10)
        if p not in points:
            points.append(p)
    sizes = [words.between(1, 9) for _ in points]
    return tuple((Q(s, sum(sizes)), p) for s, p in zip(sizes, sorted(points)))


def slope_series(atoms: Atoms, terms: int) -> list[fmpq]:
    """Taylor coefficients of order 0..terms - 1 of L(mu)(1, c) = (log E e^{cy})' at c = 0."""
    moments, factorial = [], fmpq(1)
    for j in range(terms + 1):
        factorial = factorial * max(j, 1)
        moments.append(sum((w * y**j for w, y in atoms), fmpq(0)) / factorial)
    M = fmpq_series(moments, prec=terms + 1)
    L = M.derivative() / M
    return [L[j] for j in range(terms)]


def recovered(coefficients: Sequence[fmpq], m: int) -> tuple[fmpq_poly, fmpq_mat]:
    """Prony: the monic polynomial whose roots are the atoms, and the moments 0..2m - 1 as a column."""
    K = fmpq_series(list(coefficients), prec=len(coefficients)).integral()
    M = K.exp()
    moments, factorial = [], fmpq(1)
    for j in range(2 * m):
        factorial = factorial * max(j, 1)
        moments.append(M[j] * factorial)
    H = fmpq_mat(m, m, [moments[i + j] for i in range(m) for j in range(m)])
    c = H.solve(fmpq_mat(m, 1, [-moments[m + i] for i in range(m)]))
    return fmpq_poly([*(c[i, 0] for i in range(m)), 1]), fmpq_mat(2 * m, 1, moments)


SINGLE: Atoms = ((Q(1), Q(0)),)
COIN: Atoms = ((Q(1, 2), Q(-1)), (Q(1, 2), Q(1)))
THREE: Atoms = ((Q(1, 8), Q(-2)), (Q(3, 4), Q(0)), (Q(1, 8), Q(2)))


@PAPER.construction(
    source="Lemma 1 (injectivity of the Laplace-like map)",
    fidelity="paper",
    evidence="certified",
    domain={"m": Integers(1, 5), "seed": ByBudget(quick=Integers(0, 11), full=Integers(0, 99))},
    every=True,
    part="atoms",
    method="rational power series, Prony's method; pairs of measures that agree as long as possible",
    not_established="measures with infinitely many atoms (there the moments of all orders are needed)",
)
def laplace_map_injective(m, seed) -> Iterator[Any]:
    r"""For a measure with $m$ atoms on the line the Taylor coefficients of order $0..2m-2$ of $L(\mu)(1, c) = \int e^{cy} y\, d\mu / \int e^{cz} d\mu = \frac{d}{dc} \log E e^{cy}$ at $c = 0$ give (by integration and
    exponential) the moments of order $0..2m-1$, and these (by Prony's method) the atoms and weights exactly. So $c \mapsto L(\mu)(1, c)$ determines $\mu$; in $d > 1$ dimensions all
    projections $\langle a, y \rangle$ do.
    """
    atoms = random_atoms(m, seed)
    polynomial, moments = recovered(slope_series(atoms, 2 * m - 1), m)
    expected = fmpq_poly([1])
    for _, y in atoms:
        expected *= fmpq_poly([-y, 1])
    yield "atoms", eq(polynomial, expected)
    V = fmpq_mat(m, m, [y**i for i in range(m) for _, y in atoms])
    weights = V.solve(fmpq_mat(m, 1, [moments[i, 0] for i in range(m)]))
    yield "weights", eq([weights[i, 0] for i in range(m)], [w for w, _ in atoms])


@laplace_map_injective.check("pairs", domain={"pair": Choices("one or two atoms", "two or three atoms")}, every=True)
def _pairs(pair, *, fewer=0):
    """Different measures with at most m atoms differ within the first 2m - 1 coefficients."""
    first, second, m = {"one or two atoms": (SINGLE, COIN, 2), "two or three atoms": (COIN, THREE, 3)}[pair]
    terms = max(1, 2 * m - 1 - fewer)
    a, b = slope_series(first, terms), slope_series(second, terms)
    yield "pairs", le(1, sum(x != y for x, y in zip(a, b)))


@laplace_map_injective.check("projections", domain={"terms": Integers(2, 5)}, every=True)
def _projections(terms, *, axes_only=False):
    """Uniform on (1,1), (-1,-1) and on (1,-1), (-1,1): some projection tells them apart."""
    half = Q(1, 2)
    directions = [(1, 0), (0, 1)] + ([] if axes_only else [(1, 1)])
    differences = 0
    for a in directions:
        series = [
            slope_series(tuple((half, Q(a[0] * p + a[1] * q)) for p, q in points), terms)
            for points in (((1, 1), (-1, -1)), ((1, -1), (-1, 1)))
        ]
        differences += sum(x != y for x, y in zip(*series))
    yield "projections", le(1, differences)


laplace_map_injective.mutant("uniform attention suffices", fewer=10, breaks="pairs")
laplace_map_injective.mutant("2m - 3 coefficients suffice", fewer=2, breaks="pairs")
laplace_map_injective.mutant("projections on the axes suffice", axes_only=True, breaks="projections")
