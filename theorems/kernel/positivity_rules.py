"""The rules by which a positivity certificate is re-checked; each shows `expr >= 0` (or `> 0`) on a domain.

A rule returns JSON-able content (what was checked, with exact coefficients) or raises `NoMatch`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from flint import fmpq, fmpq_poly

from theorems.kernel.forms import Poly, Ring, exact_expr, ring_of, text
from theorems.kernel.identities import prove_zero
from theorems.kernel.outcome import KernelError
from theorems.kernel.positivity import Cases, Coefficients, Combination, Discriminant, Fact, Minimum, Univariate
from theorems.kernel.positivity_facts import NoMatch, holes, polynomial, sign_under
from theorems.kernel.real_roots import sign_on
from theorems.kernel.symbols import Domain

Content = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Goal:
    """What is to be shown: `expr >= 0` (`> 0` when strict) under hypotheses, modulo relations."""

    expr: Any
    strict: bool
    facts: tuple[Fact, ...] = ()
    relations: tuple[Any, ...] = ()


def prove(goal: Goal, by: Any) -> Content:
    """Check a certificate.

    Raises:
        NoMatch: when it does not prove the goal.
        KernelError: when it is none of the kernel's certificates, or holds inexact numbers.
    """
    match by:
        case None:
            return _default(goal)
        case Combination():
            return _combination(goal, by)
        case Coefficients():
            from theorems.kernel.positivity_shift import coefficients

            return coefficients(goal, by)
        case Univariate():
            return _univariate(goal, by)
        case Discriminant():
            return _discriminant(goal, by)
        case Cases():
            return _cases(goal, by)
        case Minimum():
            from theorems.kernel.positivity_minimum import minimum

            return minimum(goal, by)
    raise KernelError(
        f"by={type(by).__name__}: accepted are Combination, Coefficients, Univariate, Discriminant, Cases, Minimum "
        "(theorems.kernel.positivity), or None for the default attempts"
    )


def conditions(goal: Goal, *sides: Any) -> str:
    """Where the sides of an inequality are real and defined, as far as the hypotheses leave it open."""
    return " and ".join(holes(sides, goal.facts))


def _default(goal: Goal) -> Content:
    """Signs of factors, then coefficients, then Sturm for one variable, then discriminants."""
    sign = sign_under(goal.expr, goal.facts, goal.relations)
    if sign >= (2 if goal.strict else 1):
        return {"rule": "signs of factors", "expr": text(goal.expr, 4000)}
    ring, p, _ = polynomial(goal.expr, goal.facts, goal.relations)
    if ring.sign(p) >= (2 if goal.strict else 1):
        return {"rule": "coefficients", "expr": text(goal.expr, 4000), "polynomial": text(ring.expression(p), 20000)}
    used = ring.used(p)
    attempts: list[Any] = [Univariate(ring.generators[used[0]].expr)] if len(used) == 1 else []
    attempts += [Discriminant(ring.generators[k].expr) for k in used[:8] if ring.degree(p, k) == 2 and len(used) > 1]
    for attempt in attempts:
        try:
            return prove(goal, attempt)
        except NoMatch:
            continue
    raise NoMatch(
        "no certificate was given, and the default attempts (signs of factors, coefficients, Sturm's theorem, "
        f"discriminants) do not show {text(goal.expr)} {'>' if goal.strict else '>='} 0; give one as by="
    )


def _combination(goal: Goal, by: Combination) -> Content:
    total: Any = exact_expr(0)
    strict, listed, parts = False, [], []
    for term in by.terms:
        if not isinstance(term, (tuple, list)) or len(term) != 3:
            raise KernelError("a term of a Combination is a triple (c, s, (h1, h2, ...)): c * s**2 * h1 * h2 ...")
        c, s = exact_expr(term[0]), exact_expr(term[1])
        if not c.is_Rational or c < 0:
            raise KernelError(f"the coefficient {c} of a Combination must be a rational number >= 0")
        factors = [_certified(h, goal) for h in term[2]]
        product = c * s**2
        for h, _, _ in factors:
            product = product * h
        total = total + product
        parts += [s, *(h for h, _, _ in factors)]
        if c > 0 and all(sign == 2 for _, sign, _ in factors):
            strict = strict or abs(sign_under(s, goal.facts, goal.relations)) == 2
        listed.append({"coefficient": str(c), "square": str(s), "factors": [content for _, _, content in factors]})
    times, sign, content = _certified(by.times, goal)
    gaps = sorted(set(holes([*parts, times], goal.facts)) - set(holes([goal.expr], goal.facts)))
    dense = _dense(goal, times, *parts)
    if sign < 2 and not dense:
        raise NoMatch(f"the multiplier {text(times)} is not shown to be > 0")
    if gaps and not dense:
        raise NoMatch(f"the certificate is meant only where {'; '.join(gaps)}")
    if goal.strict and not (strict and sign == 2):
        raise NoMatch("the certificate shows >= but not >: it needs a term with c > 0, s != 0 and all h > 0")
    proof = prove_zero(times * goal.expr, total, goal.relations)
    if not proof.zero:
        ring, (residual,) = ring_of(times * goal.expr - total)
        shown = text(ring.expression(residual[0]) / ring.expression(residual[1]), 200)
        raise NoMatch(f"the certificate does not match: times*(rhs - lhs) - sum = {shown}")
    return {
        "rule": "combination", "expr": text(goal.expr, 4000), "times": content, "terms": listed,
        "by continuity": bool(dense and (sign < 2 or gaps)), "identity": proof.content,
    }  # fmt: skip


def _certified(h: Any, goal: Goal) -> tuple[Any, int, Content]:
    """A factor with its sign (1 or 2), shown by its own certificate or by facts, factors and coefficients."""
    if isinstance(h, (tuple, list)):
        if len(h) != 2:
            raise KernelError("a factor of a Combination is an expression, or a pair (expression, certificate)")
        expr = exact_expr(h[0])
        try:
            content = prove(Goal(expr, True, goal.facts, goal.relations), h[1])
            return expr, 2, {"factor": str(expr), "proof": content}
        except NoMatch:
            content = prove(Goal(expr, False, goal.facts, goal.relations), h[1])
            return expr, 1, {"factor": str(expr), "proof": content}
    expr = exact_expr(h)
    sign = sign_under(expr, goal.facts, goal.relations)
    if sign < 1:
        raise NoMatch(f"the factor {text(expr)} is not shown to be >= 0; give a hypothesis or (factor, certificate)")
    return expr, sign, {"factor": str(expr), "sign": sign}


def _dense(goal: Goal, times: Any, *parts: Any) -> bool:
    """Whether the points with `times > 0` are dense in a box on which the goal is continuous where defined."""
    if goal.strict or goal.facts or goal.relations:
        return False
    ring, forms = ring_of(goal.expr, times, *parts)
    inside = all(
        g.expr.is_Symbol and (g.domain.lower is None or g.domain.upper is None or g.domain.lower < g.domain.upper)
        for g in ring.generators
    )
    return inside and not forms[1][0].is_zero()


def _generator(ring: Ring, x: Any) -> int:
    """The number of the generator that an expression is."""
    n, d = ring.reduced(ring.form(x))
    used = ring.used(n)
    if d != 1 or len(used) != 1 or n != ring.gen(used[0]):
        raise NoMatch(f"{x} is no symbol (nor a root or function that stands for one) of the inequality")
    return used[0]


def _univariate(goal: Goal, by: Univariate) -> Content:
    x = exact_expr(by.x)
    ring, p, n = polynomial(goal.expr, goal.facts, goal.relations, x)
    k = _generator(ring, x)
    others = [str(ring.generators[j].expr) for j in ring.used(p, n) if j != k]
    if others:
        raise NoMatch(f"{text(goal.expr)} depends on {', '.join(others[:4])} as well as on {x}")
    domain = _interval(goal, x, ring.generators[k].domain, by)
    sign = sign_on(_one_variable(ring, p, k), domain)
    strict = sign == 2 or (sign == 1 and abs(sign_on(_one_variable(ring, n, k), domain)) == 2)
    if sign < 1 or (goal.strict and not strict):
        raise NoMatch(f"{text(goal.expr)} is not {'>' if goal.strict else '>='} 0 for all {domain.words(str(x))}")
    return {
        "rule": "sturm", "expr": text(goal.expr, 4000), "variable": str(x), "interval": domain.words(str(x)),
        "polynomial": [str(c) for c in _one_variable(ring, p, k).coeffs()],
    }  # fmt: skip


def _interval(goal: Goal, x: Any, domain: Domain, by: Univariate) -> Domain:
    """The domain of x cut to the ends that the hypotheses allow."""
    if by.low is not None:
        low = exact_expr(by.low)
        sign = sign_under(x - low, goal.facts, goal.relations)
        if sign < 1 or not low.is_Rational:
            raise NoMatch(f"{x} >= {low} is not known; the interval must contain the domain and have rational ends")
        domain = replace(domain, lower=fmpq(int(low.p), int(low.q)), lower_open=sign == 2)
    if by.high is not None:
        high = exact_expr(by.high)
        sign = sign_under(high - x, goal.facts, goal.relations)
        if sign < 1 or not high.is_Rational:
            raise NoMatch(f"{x} <= {high} is not known; the interval must contain the domain and have rational ends")
        domain = replace(domain, upper=fmpq(int(high.p), int(high.q)), upper_open=sign == 2)
    if domain.lower is not None and domain.upper is not None and domain.lower >= domain.upper:
        raise NoMatch(f"the interval {domain.words(str(x))} has no interior")
    return domain


def _one_variable(ring: Ring, p: Poly, k: int) -> fmpq_poly:
    """A polynomial in the k-th generator alone as a univariate one."""
    dense = [fmpq(0)] * (ring.degree(p, k) + 1) if not p.is_zero() else []
    for exponents, c in p.to_dict().items():
        dense[int(exponents[len(exponents) - 1 - k])] = fmpq(c)
    return fmpq_poly(dense)


def _discriminant(goal: Goal, by: Discriminant) -> Content:
    x = exact_expr(by.x)
    ring, p, _ = polynomial(goal.expr, goal.facts, goal.relations, x)
    k = _generator(ring, x)
    if ring.degree(p, k) != 2 or any(
        j != k and (ring.generators[j].expr.free_symbols & x.free_symbols) for j in ring.used(p)
    ):
        raise NoMatch(f"the numerator of {text(goal.expr)} is not a quadratic in {x}")
    c, b, a = (ring.expression(q) for q in _powers(ring, p, k))
    rest = Goal(4 * a * c - b**2, goal.strict, goal.facts, goal.relations)
    content: Content = {
        "rule": "discriminant",
        "expr": text(goal.expr, 4000),
        "variable": str(x),
        "a": str(a),
        "b": str(b),
        "c": str(c),
    }
    content["4ac - b^2"] = prove(rest, by.discriminant)
    try:
        content["a > 0"] = prove(replace(rest, expr=a, strict=True), by.leading)
    except NoMatch:
        if goal.strict:
            raise
        content["a >= 0"] = prove(replace(rest, expr=a, strict=False), by.leading)
        content["c >= 0"] = prove(replace(rest, expr=c, strict=False), None)
    return content


def _powers(ring: Ring, p: Poly, k: int) -> list[Poly]:
    """Coefficients of the powers of the k-th generator."""
    parts: list[dict[Any, Any]] = [{} for _ in range(ring.degree(p, k) + 1)]
    for exponents, c in p.to_dict().items():
        position = len(exponents) - 1 - k
        parts[int(exponents[position])][(*exponents[:position], 0, *exponents[position + 1 :])] = c
    return [ring.context.from_dict(part) for part in parts]


def _cases(goal: Goal, by: Cases) -> Content:
    on = exact_expr(by.on)
    gaps = sorted(set(holes([on], goal.facts)) - set(holes([goal.expr], goal.facts)))
    if gaps:
        raise NoMatch(f"the cases are meant only where {'; '.join(gaps)}")
    above = prove(replace(goal, facts=(*goal.facts, Fact(on))), by.above)
    below = prove(replace(goal, facts=(*goal.facts, Fact(-on, True))), by.below)
    return {"rule": "cases", "on": str(on), "on >= 0": above, "on < 0": below}
