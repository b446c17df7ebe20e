"""The sign of a polynomial read off its coefficients, once every generator is measured from an end of its domain.

A generator x with x >= l is replaced by l + t, one with l <= x <= u by (l + u t)/(1 + t) (Bernstein form: the
coefficients are those of the powers of u - x and x - l), with t >= 0. When all coefficients are >= 0, so is the polynomial.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from flint import fmpq

if TYPE_CHECKING:
    from theorems.kernel.forms import Poly, Ring

MOST_TERMS = 20_000


def sign(ring: Ring, p: Poly) -> int:
    """What the coefficients say about the sign of p on the domain of its generators.

    Returns:
        2 positive, 1 non-negative, 0 unknown, -1 non-positive, -2 negative.
    """
    if p.is_constant():
        return 1 if p.is_zero() else 2 if p.leading_coefficient() > 0 else -2
    return nonnegative(ring, p) or -nonnegative(ring, -p)


def nonnegative(ring: Ring, p: Poly) -> int:
    """2 if the coefficients show that p > 0, 1 for p >= 0, else 0."""
    moved, ends = from_an_end(ring, p)
    found = read(ring, moved, ends, {})
    between = [k for k in ring.used(p) if _two_sided(ring, k)]
    if found == 2 or not between:
        return found
    degrees = {k: ring.degree(p, k) for k in between}
    if len(p) * prod((d + 1) ** 2 for d in degrees.values()) > MOST_TERMS:
        return found
    moved, ends = from_an_end(ring, bernstein(ring, p, degrees), fixed=set(between))
    return max(found, read(ring, moved, ends, degrees))


def _two_sided(ring: Ring, k: int) -> bool:
    domain = ring.generators[k].domain
    return domain.lower is not None and domain.upper is not None


def from_an_end(ring: Ring, p: Poly, fixed: set[int] | None = None) -> tuple[Poly, dict[int, bool]]:
    """Each bounded generator measured from one end (of two, the one that its linear term asks for).

    Returns:
        The polynomial in the measured generators, and for each of these whether it is > 0 (else only >= 0).
    """
    images: dict[int, Any] = {}
    ends: dict[int, bool] = {}
    for k in ring.used(p):
        domain = ring.generators[k].domain
        if k in (fixed or ()) or (domain.lower is None and domain.upper is None):
            continue
        falling = domain.lower is None or (domain.upper is not None and _linear(ring, p, k) < 0)
        ends[k] = domain.upper_open if falling else domain.lower_open
        if falling:
            images[k] = domain.upper - ring.gen(k)
        elif domain.lower != 0:
            images[k] = ring.gen(k) + domain.lower
    return ring.substituted(p, images), ends


def _linear(ring: Ring, p: Poly, k: int) -> Any:
    exponents = [0] * len(ring.context.names())
    exponents[len(exponents) - 1 - k] = 1
    return p.to_dict().get(tuple(exponents), 0)


def bernstein(ring: Ring, p: Poly, degrees: dict[int, int]) -> Poly:
    """`prod (1 + t_k)**d_k` times p at `x_k = (l + u t_k)/(1 + t_k)`; the generator x_k stands for t_k afterwards."""
    for k, d in degrees.items():
        domain, t = ring.generators[k].domain, ring.gen(k)
        if domain.lower is None or domain.upper is None:
            continue
        total = ring.zero
        position = len(ring.context.names()) - 1 - k
        parts: dict[int, dict[Any, Any]] = {}
        for exponents, c in p.to_dict().items():
            rest = (*exponents[:position], 0, *exponents[position + 1 :])
            parts.setdefault(int(exponents[position]), {})[rest] = c
        for e, part in parts.items():
            total = total + ring.context.from_dict(part) * (domain.lower + domain.upper * t) ** e * (1 + t) ** (d - e)
        p = total
    return p


def read(ring: Ring, p: Poly, ends: dict[int, bool], degrees: dict[int, int]) -> int:
    """The sign shown by coefficients; `degrees` names the generators in Bernstein form."""
    size = len(ring.context.names())
    faces: dict[tuple[tuple[int, int], ...], list[dict[int, int]]] = {}
    for exponents, c in p.to_dict().items():
        if fmpq(c) < 0:
            return 0
        powers = {size - 1 - i: int(e) for i, e in enumerate(exponents) if e}
        outside = {k: e for k, e in powers.items() if k not in degrees}
        if any(e % 2 for k, e in outside.items() if k not in ends):
            return 0
        if all(ends.get(k, False) for k in outside):
            inside = {k: powers.get(k, 0) for k in degrees}
            faces.setdefault(tuple(sorted(outside.items())), []).append(inside)
    everywhere = prod(d + 1 for d in degrees.values())
    for inside_powers in faces.values():
        if len(inside_powers) == everywhere or any(_interior(ring, i, degrees) for i in inside_powers):
            return 2
    return 1


def _interior(ring: Ring, powers: dict[int, int], degrees: dict[int, int]) -> bool:
    """Whether `prod (u-x)**(d-j) (x-l)**j` is positive on the whole domain."""
    domains = {k: ring.generators[k].domain for k in degrees}
    return all(
        (powers[k] == 0 or domains[k].lower_open) and (powers[k] == d or domains[k].upper_open)
        for k, d in degrees.items()
    )
