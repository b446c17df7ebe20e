"""Sums of squares and nonnegative combinations: exact proofs that a polynomial is bounded below.

The statement proved is

    p(x) >= bound   wherever   g_1(x), ..., g_k(x) >= 0   and   h_1(x) = ... = h_l(x) = 0,

by the identity  p - bound = sum_t g_{i(t)} z_t^T G_t z_t + sum_j h_j q_j  with PSD matrices G_t, monomial
vectors z_t (g_0 = 1) and arbitrary polynomials q_j. A combination of products with constants is the case z_t
= (1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from flint import fmpq

from solvers.certificates.bounds import InvalidCertificate, Verified
from solvers.certificates.psd import is_psd
from solvers.certificates.rational import rational

Monomial: TypeAlias = tuple[int, ...]
Polynomial: TypeAlias = tuple[tuple[Monomial, fmpq], ...]
"""Nonzero terms (exponents, coefficient), sorted by exponents; make it with `polynomial`."""


@dataclass(frozen=True)
class PolynomialProblem:
    """p on {g >= 0, h = 0}, in polynomials of `variables` variables."""

    variables: int
    p: Polynomial
    inequalities: tuple[Polynomial, ...] = ()
    equalities: tuple[Polynomial, ...] = ()

    def __post_init__(self) -> None:
        for q in (self.p, *self.inequalities, *self.equalities):
            _check_terms(q, self.variables)


@dataclass(frozen=True)
class WeightedSquare:
    """The term g_i(x) z^T G z.

    Attributes:
        weight: index i of the inequality, or `None` for the weight 1.
        monomials: z, as exponents.
        gram: G, symmetric, one row per monomial.
    """

    weight: int | None
    monomials: tuple[Monomial, ...]
    gram: tuple[tuple[fmpq, ...], ...]


@dataclass(frozen=True)
class SumOfSquares:
    """The identity above: `bound`, the weighted squares, and one multiplier q_j per equality."""

    bound: fmpq
    squares: tuple[WeightedSquare, ...]
    multipliers: tuple[Polynomial, ...] = ()


def polynomial(terms: Mapping[Monomial, object]) -> Polynomial:
    """Sorted nonzero terms with exact coefficients; raises `TypeError` for a float."""
    converted = {tuple(exponents): rational(value) for exponents, value in terms.items()}
    return tuple(sorted((exponents, value) for exponents, value in converted.items() if value != 0))


def check_polynomial(problem: PolynomialProblem, certificate: SumOfSquares) -> Verified:
    """Expand the identity exactly and decide every Gram matrix.

    Raises:
        InvalidCertificate: when the identity or a Gram matrix fails.
    """
    n = problem.variables
    one: Monomial = (0,) * n
    if not isinstance(certificate.bound, fmpq):
        raise InvalidCertificate("the bound is no FLINT rational")
    if len(certificate.multipliers) != len(problem.equalities):
        raise InvalidCertificate(f"{len(certificate.multipliers)} multipliers for {len(problem.equalities)} equalities")
    difference = dict(problem.p)
    _add(difference, ((one, -certificate.bound),), fmpq(1))
    for square in certificate.squares:
        _add(difference, _expand(problem, square), fmpq(-1))
    for h, q in zip(problem.equalities, certificate.multipliers):
        try:
            _check_terms(q, n)
        except ValueError as error:
            raise InvalidCertificate(str(error)) from None
        _add(difference, multiply(h, q), fmpq(-1))
    left_over = {exponents: value for exponents, value in difference.items() if value != 0}
    if left_over:
        exponents, value = min(left_over.items())
        raise InvalidCertificate(f"the identity fails by {value} at the monomial with exponents {exponents}")
    return Verified(f"p >= {certificate.bound}", lower=certificate.bound)


def multiply(left: Polynomial, right: Polynomial) -> Polynomial:
    """The exact product."""
    product: dict[Monomial, fmpq] = {}
    for a, u in left:
        _add(product, tuple((tuple(i + j for i, j in zip(a, b)), v) for b, v in right), u)
    return polynomial(product)


def _expand(problem: PolynomialProblem, square: WeightedSquare) -> Polynomial:
    n, z, gram = problem.variables, square.monomials, square.gram
    if any(len(m) != n or any(isinstance(e, bool) or not isinstance(e, int) or e < 0 for e in m) for m in z):
        raise InvalidCertificate(f"a monomial is not {n} nonnegative exponents")
    if len(gram) != len(z) or any(len(row) != len(z) for row in gram):
        raise InvalidCertificate(f"a Gram matrix does not fit its {len(z)} monomials")
    if not all(isinstance(value, fmpq) for row in gram for value in row):
        raise InvalidCertificate("a Gram matrix holds a number that is no FLINT rational")
    try:
        positive = is_psd(gram)
    except ValueError:
        raise InvalidCertificate("a Gram matrix is not symmetric") from None
    if not positive:
        raise InvalidCertificate("a Gram matrix is not positive semidefinite")
    total: dict[Monomial, fmpq] = {}
    for a, row in zip(z, gram):
        _add(total, tuple((tuple(i + j for i, j in zip(a, b)), value) for b, value in zip(z, row)), fmpq(1))
    if square.weight is None:
        return polynomial(total)
    if not 0 <= square.weight < len(problem.inequalities):
        raise InvalidCertificate(f"weight {square.weight} of {len(problem.inequalities)} inequalities")
    return multiply(problem.inequalities[square.weight], polynomial(total))


def _add(total: dict[Monomial, fmpq], terms: Polynomial, factor: fmpq) -> None:
    for exponents, value in terms:
        total[exponents] = total.get(exponents, fmpq(0)) + factor * value


def _check_terms(q: Polynomial, variables: int) -> None:
    for exponents, coefficient in q:
        if not isinstance(coefficient, fmpq):
            raise ValueError(f"a coefficient of type {type(coefficient).__name__}; build it with polynomial")
        if len(exponents) != variables or any(e < 0 for e in exponents):
            raise ValueError(f"exponents {exponents}; expected {variables} nonnegative integers")
