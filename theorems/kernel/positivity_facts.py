"""Signs that follow from hypotheses: of an expression as a whole, or factor by factor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from flint import fmpq

from theorems.kernel.atoms import MOST_FACTORED, PARTIAL, factors
from theorems.kernel.forms import Form, Poly, Ring, ring_of, text
from theorems.kernel.relations import divided


class NoMatch(Exception):
    """A certificate does not prove its inequality; the message says why."""


def polynomial(expr: Any, facts: Sequence[Any], relations: Sequence[Any], *also: Any) -> tuple[Ring, Poly, Poly]:
    """A polynomial with the sign of an expression wherever that is defined, and its numerator.

    The denominator d is dropped when its sign is known, and else multiplied on: `n/d >= 0` if `n*d >= 0`.

    Args:
        expr: the expression.
        facts, relations: hypotheses; relations reduce the result.
        also: further expressions that the ring must hold.
    """
    ring, forms = ring_of(expr, *relations, *(f.expr for f in facts), *also)
    known, (n, d), ideal = _prepared(ring, forms, facts, relations)
    sign = _factorwise(ring, (d, ring.one), known)
    p = n if sign == 2 else -n if sign == -2 else n * d
    return ring, divided(p, ideal)[1], n


def sign_under(expr: Any, facts: Sequence[Any], relations: Sequence[Any] = ()) -> int:
    """The sign of an expression wherever it is defined, under hypotheses: 2, 1, 0 (unknown), -1, -2.

    Args:
        expr: sympy expression.
        facts: hypotheses (`expr`, `strict`).
        relations: expressions that vanish.
    """
    ring, forms = ring_of(expr, *relations, *(f.expr for f in facts))
    known, (n, d), ideal = _prepared(ring, forms, facts, relations)
    n = divided(n, ideal)[1]
    if n.is_zero():
        return 1
    return _known_sign(ring, known, n * d) or _factorwise(ring, (n, d), known)


def _prepared(
    ring: Ring, forms: Sequence[Form], facts: Sequence[Any], relations: Sequence[Any]
) -> tuple[dict[str, int], Form, list[Poly]]:
    """What the facts say, the first form and the relations, in generators without redundancy.

    A generator x with a root r, r**q = x, is written as r**q; a modulus |f| as f or -f where the facts know the sign.
    """
    first = 1 + len(relations)
    rest = forms[first : first + len(facts)]
    steps: list[dict[int, Poly]] = []
    for k, g in enumerate(ring.generators):
        if g.radicand is not None and g.inner is None and g.radicand[1] == 1:
            base = ring.used(g.radicand[0])
            if len(base) == 1 and g.radicand[0] == ring.gen(base[0]):
                steps.append({base[0]: ring.gen(k) ** g.power})
    known = _known(ring, [_rewritten(ring, f, steps) for f in rest], facts)
    _tighten(ring, [_rewritten(ring, f, steps) for f in rest], facts)
    _tighten_functions(ring, known, steps)
    for k, g in enumerate(ring.generators):
        if g.inner is not None:
            inner = _rewritten(ring, (g.inner, ring.one), steps)[0]
            sign = _known_sign(ring, known, inner)
            if sign:
                steps.append({k: inner if sign > 0 else -inner})
    known = _known(ring, [_rewritten(ring, f, steps) for f in rest], facts)
    ideal = [_rewritten(ring, f, steps)[0] for f in forms[1:first]]
    return known, _rewritten(ring, forms[0], steps), ideal


def _tighten(ring: Ring, forms: Sequence[Form], facts: Sequence[Any]) -> None:
    """Bounds on single generators become their domains (the ring serves one question only)."""
    for (n, d), fact in zip(forms, facts):
        used = ring.used(n)
        if len(used) != 1 or not d.is_constant() or n.total_degree() != 1:
            continue
        k = used[0]
        coefficients = (n / d.leading_coefficient()).to_dict()
        slope = next(fmpq(c) for exponents, c in coefficients.items() if any(exponents))
        end = -sum((fmpq(c) for exponents, c in coefficients.items() if not any(exponents)), fmpq(0)) / slope
        domain = ring.generators[k].domain
        if slope > 0 and (domain.lower is None or (end, fact.strict) > (domain.lower, domain.lower_open)):
            tighter = replace(domain, lower=end, lower_open=fact.strict)
        elif slope < 0 and (domain.upper is None or (-end, fact.strict) > (-domain.upper, domain.upper_open)):
            tighter = replace(domain, upper=end, upper_open=fact.strict)
        else:
            continue
        if tighter.lower is None or tighter.upper is None or tighter.lower < tighter.upper:
            ring.generators[k].domain = tighter


def _tighten_functions(ring: Ring, known: dict[str, int], steps: Sequence[dict[int, Poly]]) -> None:
    """exp(t) >= 1 for t >= 0 (<= 1 for t <= 0), log(b) >= 0 for b >= 1, and roots of b >= 1 are >= 1."""
    for g in ring.generators:
        argument, end = g.log, fmpq(1)
        if g.exp is not None:
            argument, end = (g.exp[0] - g.exp[1], g.exp[1]), fmpq(0)
        elif g.radicand is not None and g.inner is None and g.domain.lower == 0:
            argument = (g.radicand[0] - g.radicand[1], g.radicand[1])
        if argument is None:
            continue
        n, d = _rewritten(ring, argument, steps)
        sign = _known_sign(ring, known, n * d)
        if sign > 0:
            g.domain = replace(g.domain, lower=end, lower_open=sign == 2)
        elif sign < 0 and g.domain.lower != end:
            g.domain = replace(g.domain, upper=end, upper_open=sign == -2)


def _rewritten(ring: Ring, a: Form, steps: Sequence[dict[int, Poly]]) -> Form:
    n, d = a
    for images in steps:
        n, d = ring.substituted(n, images), ring.substituted(d, images)
    return n, d


def _known(ring: Ring, forms: Sequence[Form], facts: Sequence[Any]) -> dict[str, int]:
    """Polynomials (up to positive factors) with the signs that the facts give them."""
    known: dict[str, int] = {}
    for (n, d), fact in zip(forms, facts):
        s = ring.sign(d)
        p = n if s == 2 else -n if s == -2 else n * d
        if not p.is_constant():
            key = _normal(p)
            known[key] = max(known.get(key, 0), 2 if fact.strict else 1)
    return known


def _normal(p: Poly) -> str:
    return str(p / abs(p.leading_coefficient()))


def _known_sign(ring: Ring, known: dict[str, int], p: Poly) -> int:
    """Sign of a polynomial by its coefficients or by a fact."""
    by_coefficients = ring.sign(p)
    if abs(by_coefficients) == 2 or p.is_constant() or not known:
        return by_coefficients
    return max(by_coefficients, known.get(_normal(p), 0)) or min(by_coefficients, -known.get(_normal(-p), 0))


def _factorwise(ring: Ring, a: Form, known: dict[str, int]) -> int:
    """The product of the signs of the factors of a fraction; what a denominator is, it is without zeros."""
    if len(a[0]) > MOST_FACTORED or len(a[1]) > MOST_FACTORED:
        return 0
    constant, parts = factors(ring, a)
    sign, strict = (1 if constant > 0 else -1), True
    for f, e in parts:
        s = _known_sign(ring, known, f)
        if e % 2 and s == 0:
            return 0
        strict = strict and (abs(s) == 2 or e < 0)
        sign *= 1 if e % 2 == 0 or s > 0 else -1
    return sign * (2 if strict else 1)


def holes(exprs: Sequence[Any], facts: Sequence[Any] = ()) -> list[str]:
    """Conditions for some expressions to be real and defined, as far as the facts leave them open."""
    ring, _ = ring_of(*exprs)
    found = [
        f"{text(what)} is not 0" for d, what in ring.denominators if abs(sign_under(ring.expression(d), facts)) < 2
    ]
    for g in ring.generators:
        name = type(g.expr).__name__
        root = g.radicand is not None and name not in ("Abs", "sin") and sign_under(g.expr**g.power, facts) < 1
        log = g.exp is not None and sign_under(ring.expression(g.exp[0]), facts) < 2
        if root or log or name in PARTIAL:
            found.append(f"{text(g.expr)} is real")
    return list(dict.fromkeys(found))
