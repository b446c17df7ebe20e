"""The exact sign of a rational polynomial on an interval, by Sturm's theorem (Basu, Pollack, Roy 2006, theorem 2.50)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from flint import fmpq, fmpq_poly

from theorems.kernel.symbols import Domain


def sturm_chain(p: fmpq_poly) -> list[fmpq_poly]:
    """p, p', and the negated remainders of Euclid's algorithm, for a squarefree p."""
    chain = [p, p.derivative()]
    while chain[-1].degree() > 0:
        chain.append(-(chain[-2] % chain[-1]))
    return [f for f in chain if f.degree() >= 0]


def _variations(values: list[Any]) -> int:
    signs = [v > 0 for v in values if v != 0]
    return sum(a != b for a, b in pairwise(signs))


def _at(chain: list[fmpq_poly], x: fmpq | None, direction: int) -> int:
    """Sign variations at x, or at -inf / +inf (direction -1 / 1) when x is None."""
    if x is not None:
        return _variations([f(x) for f in chain])
    return _variations([f.leading_coefficient() * direction ** int(f.degree()) for f in chain])


def count_roots(p: fmpq_poly, low: fmpq | None, high: fmpq | None) -> int:
    """Number of different real roots in the open interval (low, high); None is infinity.

    Args:
        p: polynomial, not zero.
        low, high: exact ends, low < high.
    """
    if p.degree() < 1:
        return 0
    p = p / p.gcd(p.derivative())
    for end in (low, high):  # a root at an end is no root inside
        if end is not None and p(end) == 0:
            p = p / fmpq_poly([-end, 1])
    chain = sturm_chain(p)
    return _at(chain, low, -1) - _at(chain, high, 1)


def sign_on(p: fmpq_poly, domain: Domain) -> int:
    """The sign of a polynomial on an interval: 2 positive, 1 non-negative, -1, -2, 0 if it changes.

    Args:
        p: polynomial with rational coefficients.
        domain: interval; its `integer` is ignored.
    """
    if p.degree() < 0:
        return 1
    low, high = domain.lower, domain.upper
    _, factors = p.factor()
    inside = touched = False
    for f, e in factors:
        roots = count_roots(f, low, high)
        if roots and e % 2:
            return 0
        inside = inside or roots > 0
        touched = touched or (low is not None and not domain.lower_open and f(low) == 0)
        touched = touched or (high is not None and not domain.upper_open and f(high) == 0)
    value = p(_regular_point(p, low, high))
    strict = not (inside or touched)
    return (2 if strict else 1) * (1 if value > 0 else -1)


def _regular_point(p: fmpq_poly, low: fmpq | None, high: fmpq | None) -> fmpq:
    """A rational point inside the interval that is no root of p (which has finitely many)."""
    for n in range(1, int(p.degree()) + 3):
        if low is not None and high is not None:
            x = low + (high - low) / (n + 1)
        else:
            x = low + n if low is not None else high - n if high is not None else fmpq(n)
        if p(x) != 0:
            return x
    raise ArithmeticError(f"{p} has more roots than its degree")
