"""Positivity by a minimum: `f(a) >= 0`, and f falls before a and rises after it.

By the mean value theorem, `(x - a) f'(x) >= 0` for all x of an interval gives `f(x) >= f(a)` there. The derivative is
sympy's; functions that jump or have kinks (floor, Abs, Max) are refused, since their derivatives have no sign here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from theorems.kernel.forms import exact_expr, ring_of, text
from theorems.kernel.outcome import KernelError
from theorems.kernel.positivity_facts import NoMatch, holes, sign_under
from theorems.kernel.symbols import is_kernel_symbol

if TYPE_CHECKING:
    from theorems.kernel.positivity import Minimum
    from theorems.kernel.positivity_rules import Goal

_NOT_CONTINUOUS = ("floor", "ceiling", "gamma", "loggamma", "factorial")


def minimum(goal: Goal, by: Minimum) -> dict[str, Any]:
    """Check the certificate `Minimum`.

    For fixed values of the others the symbol ranges over an interval: hypotheses must be affine in it, and no relation
    may mention it.

    Raises:
        NoMatch: when the point may lie outside the closed interval, or a sign is not shown.
    """
    import sympy

    from theorems.kernel.positivity_rules import prove

    x, at = by.x, exact_expr(by.at)
    if not is_kernel_symbol(x) or x in at.free_symbols or x.domain.integer:
        raise KernelError(f"Minimum({x}, at={at}): x is a kernel symbol (not an integer one), and `at` is free of it")
    if any(x in r.free_symbols for r in goal.relations):
        raise NoMatch(f"a relation mentions {x}")
    jumps = [str(a) for a in goal.expr.atoms(sympy.Function) if type(a).__name__ in _NOT_CONTINUOUS and a.has(x)]
    if jumps:
        raise NoMatch(f"{text(jumps[0])} is not continuous everywhere")
    without = replace(goal, facts=tuple(f for f in goal.facts if x not in f.expr.free_symbols))
    _require_inside(goal, without, x, at)
    slope, value = sympy.diff(goal.expr, x), goal.expr.xreplace({x: at})
    gaps = [*holes([goal.expr, slope], goal.facts), *holes([value], without.facts)]
    if gaps:
        raise NoMatch(f"the function and its derivative must be defined everywhere, but {'; '.join(gaps)} is assumed")
    outside = abs(sign_under(x - at, goal.facts, goal.relations)) == 2
    rising = replace(goal, expr=(x - at) * slope, strict=goal.strict and outside)
    return {
        "rule": "minimum", "expr": text(goal.expr, 4000), "variable": str(x), "at": str(at), "derivative": str(slope),
        "value >= 0": prove(replace(without, expr=value, strict=goal.strict and not outside), by.value),
        "(x - at) derivative >= 0": prove(rising, by.derivative),
    }  # fmt: skip


def _require_inside(goal: Goal, without: Goal, x: Any, at: Any) -> None:
    """The point lies in the closed interval that the domain and the hypotheses leave to x."""
    import sympy

    bounds = [
        side * (x - sympy.Rational(int(end.p), int(end.q)))
        for end, side in ((x.domain.lower, 1), (x.domain.upper, -1))
        if end is not None
    ]
    for fact in goal.facts:
        if x in fact.expr.free_symbols:
            slope = sympy.diff(fact.expr, x)
            ring, forms = ring_of(slope, x)
            if any(x in ring.generators[k].expr.free_symbols for k in ring.used(*forms[0])):
                raise NoMatch(f"the hypothesis {fact} is not affine in {x}")
            bounds.append(fact.expr)
    for bound in bounds:
        if sign_under(bound.xreplace({x: at}), without.facts, without.relations) < 1:
            raise NoMatch(f"the point {at} is not shown to satisfy {text(bound)} >= 0")
