"""Inequalities in symbols: proved by positivity certificates that are re-checked exactly, refuted at exact points.

A certificate shows that `rhs - lhs` is >= 0 (or > 0) on the domain of its symbols, under the hypotheses `given`. It may
come from anywhere (a sum-of-squares program, a computer algebra system, by hand): nothing in it is believed.

    le(4*x*y, (x + y)**2, by=Combination([(1, x - y, ())]))                       # (x+y)^2 - 4xy = (x-y)^2
    le(u*(m - u)**2, m + 1, given=[...], by=Cases(m - u, above=..., below=...))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from flint import arb, fmpq

from theorems.kernel.forms import TooLarge, as_expr, exact_expr, text
from theorems.kernel.identities import POINT_BITS, Disagreement, affordable, covered, is_symbolic
from theorems.kernel.outcome import Context, Decision, Evidence, KernelError, Outcome, up
from theorems.kernel.points import shown
from theorems.kernel.positivity_search import Search, Seen, fails
from theorems.kernel.precision import working_precision
from theorems.kernel.symbols import free_symbols, require_own


@dataclass(frozen=True, slots=True)
class Combination:
    """`times * (rhs - lhs) = sum c_i s_i**2 prod_j h_ij`: sums of squares, Farkas, Handelman, Positivstellensatz.

    Attributes:
        terms: triples (c, s, (h1, h2, ...)): c >= 0 rational, s any expression, each h a factor that is >= 0: a hypothesis,
            an expression whose sign its factors and coefficients show (`x`, `upper - x`, `1 + x**2`), or a pair
            (h, certificate).
        times: a factor > 0, or a pair (factor, certificate). It may vanish somewhere if it is >= 0, the inequality is not
            strict and there are no hypotheses: then the inequality follows by continuity.
    """

    terms: Sequence[Any]
    times: Any = 1


@dataclass(frozen=True, slots=True)
class Coefficients:
    """All coefficients of the numerator of `rhs - lhs` are >= 0 once the domain is moved to the non-negative orthant.

    Symbols with constant bounds are moved by themselves.

    Attributes:
        shift: symbol -> an expression affine in one new symbol that is >= 0 (`{x: 1 + t}`), or symbol -> (low, high). That
            the new symbol is >= 0 on the domain, or that low <= symbol <= high, must follow from the hypotheses.
        power: exponent of the multiplier of Polya, the sum of the moved symbols (and 1, unless homogeneous).
    """

    shift: Mapping[Any, Any] = field(default_factory=dict)
    power: int = 0


@dataclass(frozen=True, slots=True)
class Univariate:
    """The exact sign of a rational function of one symbol on an interval, by Sturm's theorem.

    Attributes:
        x: the symbol (or a root, exponential ... of symbols in which both sides are rational).
        low, high: exact ends, when hypotheses make the interval smaller than the domain of x.
    """

    x: Any
    low: Any = None
    high: Any = None


@dataclass(frozen=True, slots=True)
class Discriminant:
    """A quadratic `a x**2 + b x + c` with a > 0 and `4 a c - b**2 >= 0` (or a, c >= 0 in place of a > 0).

    Attributes:
        x: the symbol in which the numerator is quadratic.
        leading, discriminant: certificates for a and for `4 a c - b**2`, when the default does not find them.
    """

    x: Any
    leading: Any = None
    discriminant: Any = None


@dataclass(frozen=True, slots=True)
class Cases:
    """A split by the sign of an expression: its own certificate where `on >= 0`, and where `on < 0`.

    Attributes:
        on: the expression; in the two cases `on` and `-on` are hypotheses.
        above, below: certificates for the cases (None: the default attempts).
    """

    on: Any
    above: Any = None
    below: Any = None


@dataclass(frozen=True, slots=True)
class Minimum:
    """`f = rhs - lhs` is >= 0 at a point, falls before it and rises after it: for logarithms and exponentials.

    Attributes:
        x: the symbol; hypotheses that mention it must be affine in it.
        at: the point, in the closed interval of x; it may depend on the other symbols.
        derivative, value: certificates for `(x - at) df/dx >= 0` and for `f(at) >= 0`.
    """

    x: Any
    at: Any
    derivative: Any = None
    value: Any = None


@dataclass(frozen=True, slots=True)
class Fact:
    """A hypothesis: `expr >= 0`, or `expr > 0` when strict."""

    expr: Any
    strict: bool = False

    def __str__(self) -> str:
        return f"{text(self.expr)} {'>' if self.strict else '>='} 0"


def facts_of(given: Sequence[Any]) -> tuple[Fact, ...]:
    """Hypotheses as facts: expressions that are >= 0, or inequalities as sympy writes them (`p > q`).

    Raises:
        KernelError: for equations (use `modulo=`), and for inequalities that sympy has decided by itself.
    """
    from sympy.core.relational import GreaterThan, LessThan, StrictGreaterThan, StrictLessThan

    found = []
    for g in given:
        if isinstance(g, Fact):
            found.append(Fact(exact_expr(g.expr), bool(g.strict)))
        elif isinstance(g, (GreaterThan, LessThan, StrictGreaterThan, StrictLessThan)):
            strict = isinstance(g, (StrictGreaterThan, StrictLessThan))
            found.append(Fact(exact_expr(g.gts) - exact_expr(g.lts), strict))
        elif str(g) in ("True", "False"):
            raise KernelError(
                f"a hypothesis in given= is {g}: sympy has decided it from the domains of the symbols; drop it"
            )
        elif type(g).__name__ in ("Equality", "Unequality"):
            raise KernelError(f"the hypothesis {g} is no inequality; give equations as modulo=[lhs - rhs]")
        else:
            found.append(Fact(exact_expr(g)))
    return tuple(found)


def answer_inequality(c: Any, lhs: Any, rhs: Any, context: Context) -> Outcome:
    """Decide `lhs <= rhs` (or `<`) for all values of the symbols under the hypotheses.

    Args:
        c: the comparison: `given`, `modulo`, `by`, `witness`, `strict`.
        lhs, rhs: sympy expressions in kernel symbols, or exact numbers.
        context: `shift` is in units of the larger side. The resolution of a proof is the smallest relative slack at
            the exact points that were tried: an inequality distorted by more fails at that point.
    """
    from theorems.kernel.positivity_facts import NoMatch
    from theorems.kernel.positivity_rules import Goal, conditions, prove

    left, right = as_expr(lhs), as_expr(rhs)
    for value in (left, right):
        if not is_symbolic(value):
            raise KernelError(f"a {type(value).__name__} has no place in an inequality of symbols; use exact numbers")
    require_own(left, right)
    facts = facts_of(c.given)
    relations = tuple(exact_expr(m) for m in c.modulo)
    symbols = free_symbols(left, right, *relations, *(f.expr for f in facts))
    with working_precision(POINT_BITS):
        content, where, failure = None, "", "the shifted inequality holds at the points seen"
        goal = Goal(right - left, c.strict, facts, relations)
        if context.shift == 0:
            try:
                content = prove(goal, c.by)
                where = conditions(goal, left, right)
            except (NoMatch, TooLarge) as error:
                failure = str(error)
        found = Search(left, right, facts, relations, symbols).tightest(c.witness)
        against = [s for s in found if fails(s, c.strict, context.shift)]
        if against and content is not None:
            raise Disagreement(
                f"{text(left)} <= {text(right)} has a certificate, but fails at {shown(against[0].point)}"
            )
        if against:
            return _refuted(min(against, key=_complexity), left, right, context)
        if not found:
            failure = (
                "no exact point of the domain was found that satisfies the hypotheses and where both sides are defined; "
                "give one as witness={symbol: rational, ...}"
            )
        elif content is not None:
            return _proved(found, c, facts, relations, content, where, left, right)
    return Outcome(Decision.UNDECIDED, Evidence.PROVED, text(left, 300), text(right, 300), reason=failure)


def _refuted(seen: Seen, left: Any, right: Any, context: Context) -> Outcome:
    return Outcome(
        Decision.AGAINST, Evidence.PROVED, seen.lhs, seen.rhs, seen.relative - float(arb(context.shift).mid()),
        reason=f"at {shown(seen.point, left, right)}" if seen.point else "",
        certificate={"kind": "point", "point": {str(s): str(v) for s, v in seen.point.items()}, "lhs": str(seen.lhs),
                     "rhs": str(seen.rhs), "left": text(left, 300), "right": text(right, 300)},
    )  # fmt: skip


def _proved(
    found: Sequence[Seen],
    c: Any,
    facts: Sequence[Fact],
    relations: Sequence[Any],
    content: dict[str, Any],
    where: str,
    left: Any,
    right: Any,
) -> Outcome:
    tightest = found[0]
    resolution = min(_upper(s) for s in islice(found, 4))
    certificate = {
        "kind": "inequality", "lhs": text(left, 4000), "rhs": text(right, 4000), "strict": c.strict,
        "symbols": {s.name: s.domain.words(s.name) for s in free_symbols(left, right, *(f.expr for f in facts))},
        "given": [str(f) for f in facts], "modulo": [str(r) for r in relations], "proof": content,
    }  # fmt: skip
    return Outcome(
        Decision.FOR, Evidence.PROVED, text(left, 300), text(right, 300), max(0.0, tightest.relative), resolution,
        reason=f"tightest at {shown(tightest.point)}" if tightest.point else "",
        covered=covered([left, right, *(f.expr for f in facts)], relations, where, [str(f) for f in facts]),
        certificate=affordable(certificate),
    )  # fmt: skip


def _complexity(seen: Seen) -> int:
    """Bits needed to write a point down, so that the simplest counterexample is shown."""
    return sum(v.height_bits() if isinstance(v, fmpq) else 10_000 for v in seen.point.values())


def _upper(seen: Seen) -> float:
    """A double at least the relative slack of a point."""
    import math

    ratio = seen.slack / seen.scale
    if isinstance(ratio, fmpq):
        return up(ratio)
    return math.nextafter(float(arb(ratio).abs_upper().upper()), math.inf)
