"""Positivity by non-negative coefficients after moving the domain to the non-negative orthant (Polya, Handelman)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from theorems.kernel.forms import Poly, Ring, exact_expr, ring_of, text, times
from theorems.kernel.outcome import KernelError
from theorems.kernel.positivity_facts import NoMatch, holes, polynomial, sign_under
from theorems.kernel.signs import from_an_end, read
from theorems.kernel.symbols import is_kernel_symbol, symbols

if TYPE_CHECKING:
    from theorems.kernel.positivity import Coefficients
    from theorems.kernel.positivity_rules import Goal

MOST_POWER = 64


def coefficients(goal: Goal, by: Coefficients) -> dict[str, Any]:
    """Check the certificate `Coefficients`.

    For symbol -> (low, high) the symbol becomes `(low + high t)/(1 + t)`. With s = high - x and t = x - low, the
    coefficients are those of `(high - low)**d p(x) = sum c_j s**(d-j) t**j`, so p >= 0 on the closed interval, and at
    low = high too, where p(x) = c_0.

    Raises:
        NoMatch: when a symbol is not shown to lie where it is moved from, or a coefficient is negative.
    """
    if not isinstance(by.power, int) or isinstance(by.power, bool) or not 0 <= by.power <= MOST_POWER:
        raise KernelError(f"power={by.power!r}: the exponent of the multiplier is an int from 0 to {MOST_POWER}")
    ring, p, _ = polynomial(goal.expr, goal.facts, goal.relations)
    expr, moves = ring.expression(p), []
    order = _in_order(by.shift)
    taken = expr.free_symbols.union(goal.expr.free_symbols, *(f.expr.free_symbols for f in goal.facts))
    for x, image in order:
        others = taken.union(*(_mentioned(other) for y, other in order if y is not x))
        value = (_between if isinstance(image, (tuple, list)) else _affine)(goal, x, image, others)
        taken = taken | value.free_symbols
        for k in ring.used(p):
            g = ring.generators[k].expr
            if not g.is_Symbol and x in g.free_symbols:
                raise NoMatch(f"{x} occurs inside {text(g)}, so it cannot be moved")
        expr = expr.xreplace({x: value})
        moves.append(f"{x} = {value}")
    unmoved = [f for f in goal.facts if not f.expr.free_symbols & {x for x, _ in order}]
    moved_ring, moved, _ = polynomial(expr, unmoved, ())
    if by.power:
        multiplied, sign = _multiplied(moved_ring, moved, by.power, goal.strict)
    else:
        multiplied, sign = moved, moved_ring.sign(moved)
    if sign < (2 if goal.strict else 1):
        worst = text(moved_ring.expression(multiplied), 200)
        raise NoMatch(f"after the shift not all coefficients show {'>' if goal.strict else '>='} 0: {worst}")
    return {
        "rule": "coefficients", "expr": text(goal.expr, 4000), "shift": moves, "power": by.power,
        "polynomial": text(moved_ring.expression(multiplied), 20000),
    }  # fmt: skip


def _in_order(shift: Any) -> list[tuple[Any, Any]]:
    """The entries of a shift, those first whose images mention other shifted symbols."""
    left = dict(shift)
    if not all(is_kernel_symbol(x) for x in left):
        raise KernelError("the keys of a shift are kernel symbols")
    ordered: list[tuple[Any, Any]] = []
    while left:
        free = [x for x in left if not any(x in _mentioned(image) for y, image in left.items() if y is not x)]
        if not free:
            raise KernelError(f"the shifts of {', '.join(map(str, left))} refer to each other in a circle")
        ordered.append((free[0], left.pop(free[0])))
    return ordered


def _mentioned(image: Any) -> set[Any]:
    parts = image if isinstance(image, (tuple, list)) else (image,)
    return {s for part in parts for s in exact_expr(part).free_symbols}


def _affine(goal: Goal, x: Any, image: Any, known: set[Any]) -> Any:
    """`x = a + b t` for a new symbol t >= 0, once `(x - a)/b` is known to be >= 0."""
    image = exact_expr(image)
    new = [t for t in image.free_symbols if t not in known]
    if len(new) != 1:
        raise KernelError(
            f"the image {image} of {x} needs exactly one new symbol t >= 0 of its own, e.g. {{{x}: 1 + t}}"
        )
    t = new[0]
    if t.domain.lower != 0 or t.domain.upper is not None or t.domain.integer:
        raise KernelError(f"the new symbol {t} must have the domain {t} >= 0 or {t} > 0 (nonnegative=True)")
    a = image.xreplace({t: exact_expr(0)})
    ring, forms = ring_of(image - a, t)
    n, d = ring.mul(forms[0], (forms[1][1], forms[1][0]))
    b = ring.expression(n) / ring.expression(d)
    if t in b.free_symbols or x in image.free_symbols:
        raise KernelError(f"the image {image} of {x} must be affine in {t} and free of {x}")
    sign = sign_under((x - a) / b, goal.facts, goal.relations)
    if abs(sign_under(b, goal.facts, goal.relations)) < 2 or holes([a], goal.facts):
        raise NoMatch(f"{x} = {image} is not solvable for {t} everywhere: the coefficient {b} may vanish")
    if sign < (2 if t.domain.lower_open else 1):
        raise NoMatch(
            f"{text((x - a) / b)} {'>' if t.domain.lower_open else '>='} 0 does not follow from the hypotheses"
        )
    return image


def _between(goal: Goal, x: Any, image: Any, known: set[Any]) -> Any:
    """`x = (low + high t)/(1 + t)`, once `low <= x <= high` is known (`x < high` for a strict inequality)."""
    if len(image) != 2:
        raise KernelError(f"the image of {x} is an expression in a new symbol, or a pair (low, high)")
    low, high = exact_expr(image[0]), exact_expr(image[1])
    if x in low.free_symbols | high.free_symbols:
        raise KernelError(f"the ends ({low}, {high}) for {x} must be free of {x}")
    above = sign_under(x - low, goal.facts, goal.relations)
    below = sign_under(high - x, goal.facts, goal.relations)
    if above < 1 or below < (2 if goal.strict else 1) or holes([low, high], goal.facts):
        relation = "<" if goal.strict else "<="
        raise NoMatch(f"{low} <= {x} {relation} {high} does not follow from the hypotheses")
    name = f"t_{x}"
    while name in {s.name for s in known}:
        name += "'"
    t = symbols(name, positive=above == 2, nonnegative=above < 2)
    return (low + high * t) / (1 + t)


def _multiplied(ring: Ring, p: Poly, power: int, strict: bool) -> tuple[Poly, int]:
    """p in measured symbols, times a power of their sum (and 1, unless p is homogeneous of positive degree); its sign.

    The sum vanishes at most at the origin, where a homogeneous p of positive degree is 0, so >= is unharmed.
    """
    moved, ends = from_an_end(ring, p)
    used = ring.used(moved)
    if any(k not in ends for k in used):
        raise NoMatch("a multiplier needs symbols with a bound")
    total = sum((ring.gen(k) for k in used), ring.zero)
    degrees = {sum(int(e) for e in m) for m in moved.monoms()}
    homogeneous = len(degrees) == 1 and 0 not in degrees and (not strict or any(ends[k] for k in used))
    multiplied = times(moved, (total if homogeneous else total + 1) ** power)
    return multiplied, read(ring, multiplied, ends, {})
