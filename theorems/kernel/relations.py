"""Relations that a proof assumes (`modulo=`): reduction by them, and exact points where they hold.

A polynomial that leaves the remainder 0 on division by relations is a combination of them, so it vanishes wherever
they do. Points come from solving the relations one after the other, each for a symbol that no later one needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flint import arb, fmpq, fmpz_mpoly_ctx, fmpz_mpoly_vec, fmpz_poly

from theorems.kernel.forms import Poly, Ring
from theorems.kernel.points import Point, Undefined, Value, nth_root, power_at

_ROUNDS = 40
_LIMITS = (60, 4000, 4000)  # polynomials, terms of each, bits: a larger Groebner basis is not sought


def divided(p: Poly, relations: Sequence[Poly]) -> tuple[list[Poly], Poly]:
    """Quotients q_i and a remainder r with `p = sum q_i relations_i + r`.

    Only r = 0 says something: a non-zero remainder may still lie in the ideal.
    """
    zero = p.context().constant(0)
    quotients = [zero for _ in relations]
    for _ in range(_ROUNDS):
        before = p
        for i, relation in enumerate(relations):
            if not relation.is_zero():
                q, p = divmod(p, relation)
                quotients[i] = quotients[i] + q
        if p.is_zero() or p == before:
            break
    return quotients, p


def groebner(ring: Ring, relations: Sequence[Poly]) -> list[Poly] | None:
    """A Groebner basis of the relations together with the ring's own; None beyond the limits."""
    generators = [r for r in relations if not r.is_zero()]
    for k, g in enumerate(ring.generators):
        if g.radicand is not None:
            n, d = g.radicand
            generators.append(d * ring.gen(k) ** g.power - n)
    integers = fmpz_mpoly_ctx.get(ring.context.names(), ring.context.ordering())
    cleared = [
        integers.from_dict({m: int((c * _denominator(p)).p) for m, c in p.to_dict().items()}) for p in generators
    ]
    found = fmpz_mpoly_vec(cleared, integers).buchberger_naive(limits=_LIMITS)
    basis, complete = found if isinstance(found, tuple) else (found, True)
    if not complete:
        return None
    return [ring.context.from_dict({m: fmpq(c) for m, c in b.to_dict().items()}) for b in basis]


def _denominator(p: Poly) -> int:
    from math import lcm

    return lcm(*(int(c.q) for c in p.coeffs()))


Plan = list[tuple[Poly, int]]


def plan(ring: Ring, relations: Sequence[Poly]) -> Plan | None:
    """Which symbol each relation is solved for, in the order of solving; None when no such order was found."""
    left = [r for r in relations if not r.is_zero()]
    order: Plan = []
    while left:
        best: tuple[int, int, Poly] | None = None
        for r in left:
            for k in ring.used(r):
                if ring.generators[k].expr.is_Symbol and not any(k in ring.used(o) for o in left if o is not r):
                    rank = ring.degree(r, k)
                    if best is None or (rank, k) < best[:2]:
                        best = (rank, k, r)
        if best is None:
            return None
        order.append((best[2], best[1]))
        left = [r for r in left if r is not best[2]]
    order.reverse()
    solved = [k for _, k in order]
    for i, (r, _) in enumerate(order):
        used = ring.used(r)
        if any(k in used for k in solved[i + 1 :]) or not all(ring.generators[k].expr.is_Symbol for k in used):
            return None
    return order


def solved(ring: Ring, order: Plan, points: Iterator[Point]) -> Iterator[Point]:
    """Points moved onto the relations; those that leave the domain are dropped."""
    for number, start in enumerate(points):
        point = dict(start)
        try:
            for relation, k in order:
                symbol = ring.generators[k].expr
                coefficients = _coefficients(ring, relation, k, point)
                if all(isinstance(c, fmpq) and c == 0 for c in coefficients):
                    continue  # the relation holds already, whatever the symbol is
                choices = _roots(coefficients)
                inside = [v for v in choices if _inside(symbol, v)]
                if not inside:
                    raise Undefined("no root in the domain")
                point[symbol] = inside[number % len(inside)]
        except Undefined:
            continue
        yield point


def _inside(symbol: Any, v: Value) -> bool:
    return bool(symbol.domain.contains(v) if isinstance(v, fmpq) else symbol.domain.surely_contains(v))


def _coefficients(ring: Ring, p: Poly, k: int, point: Point) -> list[Value]:
    """Coefficients of a polynomial in one generator, the symbols replaced by their values."""
    totals: list[Value] = [fmpq(0)] * (ring.degree(p, k) + 1)
    size = len(ring.context.names())
    for exponents, c in p.to_dict().items():
        term: Value = c
        for i, e in enumerate(exponents):
            j = size - 1 - i
            if e and j != k:
                term = term * power_at(point[ring.generators[j].expr], fmpq(e))
        n = int(exponents[size - 1 - k])
        totals[n] = totals[n] + term
    return totals


def _roots(c: list[Value]) -> list[Value]:
    """Real roots of a polynomial with the coefficients c_0, c_1, ...; balls hold exactly one root each."""
    while c and isinstance(c[-1], fmpq) and c[-1] == 0:
        c = c[:-1]
    if len(c) < 2:
        return []
    if isinstance(c[-1], arb) and not (c[-1] > 0 or c[-1] < 0):
        return []
    if len(c) == 2:
        return [-c[0] / c[1]]
    if len(c) == 3:
        discriminant = c[1] * c[1] - 4 * c[2] * c[0]
        if not discriminant >= 0:
            return []
        r = nth_root(discriminant, 2)
        return [(-c[1] + r) / (2 * c[2]), (-c[1] - r) / (2 * c[2])]
    if not all(isinstance(x, fmpq) for x in c):
        return []
    from math import lcm

    scale = lcm(*(int(x.q) for x in c))
    roots = fmpz_poly([int((x * scale).p) for x in c]).complex_roots()
    rational = [r for r, _ in fmpz_poly([int((x * scale).p) for x in c]).roots()]
    return [fmpq(r) for r in rational] + [z.real for z, _ in roots if z.imag == 0]
