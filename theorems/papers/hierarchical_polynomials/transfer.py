"""With the features known, a new link costs a number of samples that does not depend on the dimension."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from math import comb
from typing import Any

from flint import arb, fmpq, fmpq_mat, fmpz_mat

from solvers.quadratic_forms import diagonal_cumulant
from theorems import Arrays, Choices, Given, Integers, Q, eq, le
from theorems.papers.hierarchical_polynomials.paper import PAPER
from theorems.papers.hierarchical_polynomials.setting import exponents, monomial

D = 8
SETS = 3
SIGNS = (
    (1, 1, 1, 1, -1, -1, -1, -1),
    (1, 1, -1, -1, 1, 1, -1, -1),
    (1, -1, 1, -1, 1, -1, 1, -1),
    (1, -1, -1, 1, 1, -1, -1, 1),
)
"""Two features and two directions of noise; 2 tr A^2 = 16, so x^T A x / 4 has variance 1."""
LINK = {(3, 0): fmpq(1), (1, 1): fmpq(-2), (0, 2): fmpq(1), (1, 0): fmpq(1)}
TARGET, NOISE = (0, 1), (2, 3)


@PAPER.construction(
    source="the abstract: transfer learning with a different link",
    fidelity="derived",
    evidence="certified",
    domain={
        "size": Choices((2, 2), (2, 3), (3, 2)),
        "A": Given(lambda size: Arrays(Integers(-3, 3), (size[0], 36))),
        "x": Given(lambda size: Arrays(Integers(-99, 99), (SETS * comb(sum(size), size[1]), D))),
    },
    where=lambda A, x: independent(A, x),
    accept=0.3,
    part="enough samples",
    quick=12,
    full=120,
    method="ranks of the matrices of monomials at integer inputs; for features off by an angle, the population least-squares error in rationals",
    hypotheses="`size` = (r, q): links of degree q in r features of x in R^8; the features are independent (their gradients are, at the first input), the inputs differ; "
    "generic: for some of three sets of inputs, hence for all outside of a hypersurface",
)
def link_transfer(size, A, x, *, fewer=0, unstructured=False):
    r"""Once the span of the $r$ features is known, a link of degree $q$ is determined exactly by $\binom{r+q}{q}$ generic samples, whatever $d$; with features off by an
    angle $\delta$ the least-squares error of the new link is $O(\delta^2)$.
    """
    r, degree = size
    ranks = []
    for k in range(SETS):
        each = x.nrows() // SETS
        inputs = [[int(c) for c in point] for point in x.tolist()[k * each : (k + 1) * each - fewer]]
        if unstructured:
            seen, unknowns = inputs, exponents(D, 2 * degree)
        else:
            seen, unknowns = [[quadratic(row, v) for row in A.tolist()] for v in inputs], exponents(r, degree)
        ranks.append(fmpz_mat([[monomial(z, e) for e in unknowns] for z in seen]).rank())
    yield "enough samples", eq(max(ranks), len(unknowns))


def independent(A: Any, x: Any) -> bool:
    """Whether inputs differ (up to sign), and the gradients 2 A_k v of the features are independent at the first one."""
    if len({max(tuple(map(int, row)), tuple(-int(c) for c in row)) for row in x.tolist()}) < x.nrows():
        return False
    v = [int(c) for c in x.tolist()[0]]
    gradients = [
        [
            quadratic(row, [a + (k == j) for k, a in enumerate(v)])
            - quadratic(row, v)
            - quadratic(row, [int(k == j) for k in range(D)])
            for j in range(D)
        ]
        for row in A.tolist()
    ]
    return fmpq_mat(gradients).rank() == len(gradients)


def quadratic(row: Sequence[Any], v: Sequence[int]) -> int:
    """v^T A v for the symmetric A of these entries on and above the diagonal."""
    total, above = 0, iter(row)
    for i in range(D):
        for j in range(i, D):
            total += int(next(above)) * v[i] * v[j] * (1 if i == j else 2)
    return total


@cache
def mean(word: tuple[int, ...]) -> fmpq:
    """E of a product of the unit forms x^T diag(signs) x / 4, by the recursion over the block of the first one."""
    if not word:
        return fmpq(1)
    first, rest = word[0], word[1:]
    total = fmpq(0)
    for code in range(2 ** len(rest)):
        inside = tuple(v for k, v in enumerate(rest) if code >> k & 1)
        outside = tuple(v for k, v in enumerate(rest) if not code >> k & 1)
        value = diagonal_cumulant([[fmpq(s, 4) for s in SIGNS[k]] for k in (first, *inside)])
        if value != 0:
            total += value * mean(outside)
    return total


def product_mean(factors: Sequence[dict[int, fmpq]]) -> fmpq:
    """E of a product of linear combinations of the unit forms."""
    terms: dict[tuple[int, ...], fmpq] = {(): fmpq(1)}
    for factor in factors:
        found: dict[tuple[int, ...], fmpq] = {}
        for word, c in terms.items():
            for k, v in factor.items():
                if v != 0:
                    key = tuple(sorted((*word, k)))
                    found[key] = found.get(key, fmpq(0)) + c * v
        terms = found
    return sum((c * mean(word) for word, c in terms.items()), fmpq(0))


@lru_cache(maxsize=64)
def relative_error(t: fmpq, known: int = 2) -> fmpq:
    """The population error of least squares on the cubic monomials of `known` features, off by the angle with sine 2t/(1+t^2)."""
    cosine, sine = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
    seen = [{TARGET[k]: cosine, NOISE[k]: sine} for k in range(known)]
    true = [{k: fmpq(1)} for k in TARGET]
    monomials = exponents(known, 3)

    def factors(e: Sequence[int], forms: Any) -> list[dict[int, fmpq]]:
        return [f for f, k in zip(forms, e) for _ in range(k)]

    gram = fmpq_mat([[product_mean(factors(a, seen) + factors(b, seen)) for b in monomials] for a in monomials])
    cross = fmpq_mat(
        [
            [sum((c * product_mean(factors(a, seen) + factors(e, true)) for e, c in LINK.items()), fmpq(0))]
            for a in monomials
        ]
    )
    second = sum(
        (c * k * product_mean(factors(e, true) + factors(g, true)) for e, c in LINK.items() for g, k in LINK.items()),
        fmpq(0),
    )
    first = sum((c * product_mean(factors(e, true)) for e, c in LINK.items()), fmpq(0))
    return (second - (cross.transpose() * gram.solve(cross))[0, 0]) / (second - first * first)


@link_transfer.check("angles", domain={"t": Choices(Q(1, 50), Q(1, 100), Q(1, 200))}, every=True)
def _angles(t, *, order=2, known=2):
    """The slope of the error in the angle, and the error at angle 0."""
    yield "known features", eq(relative_error(Q(0), known), 0)

    def slope() -> arb:
        sines = [2 * s / (1 + s * s) for s in (t, t / 2)]
        return (arb(relative_error(t)) / arb(relative_error(t / 2))).log() / (arb(sines[0]) / arb(sines[1])).log()

    yield "order of the error", le(lambda: (slope(), order + arb(Q(1, 50))))
    yield "order of the error", le(lambda: (order - arb(Q(1, 50)), slope()))


link_transfer.mutant("one sample fewer", fewer=1, breaks="enough samples")
link_transfer.mutant("as few samples for a polynomial of degree 2q in x", unstructured=True, breaks="enough samples")
link_transfer.mutant("one feature missing", known=1, breaks="known features")
link_transfer.mutant("an error of order delta", order=1, breaks="order of the error")
