"""Equality and order of exact numbers, balls and high-precision numbers, entry by entry for arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from flint import acb, arb, fmpq, fmpz

from theorems.kernel import exact, programs
from theorems.kernel.outcome import Context, Decision, Evidence, KernelError, Outcome, up
from theorems.kernel.precision import Sides, evaluations, working_precision
from theorems.kernel.values import POLYNOMIALS, Algebraic, Array, Enclosed, Infinity, Word, rational

_FIRST_BITS = 64


@dataclass(frozen=True, slots=True)
class Eq:
    """`lhs = rhs`; balls and high-precision numbers are equal to within `within` (absolute)."""

    lhs: Any
    rhs: Any
    within: fmpq | None = None
    modulo: tuple[Any, ...] = ()
    witness: Any = None


@dataclass(frozen=True, slots=True)
class Le:
    """`lhs <= rhs`, or `lhs < rhs` when strict; a tight ball inequality holds to within `within` if that is declared."""

    lhs: Any
    rhs: Any
    strict: bool = False
    within: fmpq | None = None
    given: tuple[Any, ...] = ()
    by: Any = None
    modulo: tuple[Any, ...] = ()
    witness: Any = None


def eq(lhs: Any, rhs: Any = None, *, within: Any = None, modulo: Any = (), witness: Any = None) -> Eq:
    """The comparison `lhs = rhs`.

    Args:
        lhs, rhs: values or thunks; a single thunk may return both sides.
        within: for balls and high-precision numbers, the absolute radius to which equality is meant
            (defaults: 1e-20 for balls, half the digits for high-precision numbers). Exact numbers are equal or not.
        modulo: in proofs, polynomials known to vanish (`r**2 - x` introduces r as a root of x).
        witness: in proofs, an exact point {symbol: rational} where the relations hold, if none is found unaided.
    """
    return Eq(lhs, rhs, _radius(within), tuple(modulo), witness)


def le(
    lhs: Any,
    rhs: Any = None,
    *,
    within: Any = None,
    given: Any = (),
    by: Any = None,
    modulo: Any = (),
    witness: Any = None,
) -> Le:
    """The comparison `lhs <= rhs`.

    Args:
        lhs, rhs: values or thunks; a single thunk may return both sides.
        within: for balls only: a tight inequality holds to within this absolute radius.
        given: in proofs, hypotheses: expressions that are >= 0, or inequalities such as `p > q`.
        by: in proofs, a positivity certificate for `rhs - lhs` (see `theorems.kernel.positivity`).
        modulo: in proofs, expressions that vanish.
        witness: in proofs, an exact point {symbol: rational} of the domain, tried first.
    """
    return Le(lhs, rhs, False, _radius(within), tuple(given), by, tuple(modulo), witness)


def lt(lhs: Any, rhs: Any = None, *, given: Any = (), by: Any = None, modulo: Any = (), witness: Any = None) -> Le:
    """The comparison `lhs < rhs`; arguments as for `le`."""
    return Le(lhs, rhs, True, None, tuple(given), by, tuple(modulo), witness)


def _radius(within: Any) -> fmpq | None:
    if within is None:
        return None
    if isinstance(within, (bool, float)):
        raise KernelError(f"within={within!r}: give an exact radius, e.g. Q(1, 10**20)")
    radius = rational(within)
    if radius < 0:
        raise KernelError(f"within={within}: a radius is >= 0")
    return radius


def answer_eq(c: Eq, context: Context) -> Outcome:
    """Decide an equality; see `Eq`."""
    _only_in_proofs(context, modulo=c.modulo, witness=c.witness)
    return _answer(c, context, _equal)


def answer_le(c: Le, context: Context) -> Outcome:
    """Decide an inequality; see `Le`."""
    _only_in_proofs(context, given=c.given, by=c.by, modulo=c.modulo, witness=c.witness)
    return _answer(c, context, _ordered)


def _only_in_proofs(context: Context, **options: Any) -> None:
    used = [name for name, value in options.items() if value not in (None, ())]
    if used and not context.proving:
        raise KernelError(f"{', '.join(used)} belong in a proof (`@claim.proof(...)`); on instances, compare values")


def _answer(c: Any, context: Context, entry: Any) -> Outcome:
    outcome: Outcome | None = None
    bits = _FIRST_BITS
    for sides in evaluations(
        c.lhs, c.rhs, bits=bits, max_bits=context.max_bits, digits=context.digits, symbolic=context.proving
    ):
        with working_precision(max(bits, 4 * context.digits)):
            outcome = _decide(c, sides, context, entry)
        if outcome.decision is not Decision.UNDECIDED:
            return outcome
        bits *= 2
    if outcome is None:
        raise KernelError(f"max_bits={context.max_bits} is below the first working precision of {_FIRST_BITS} bits")
    return outcome


def _decide(c: Any, sides: Sides, context: Context, entry: Any) -> Outcome:
    left, right = sides.lhs, sides.rhs
    if not isinstance(left, Array) and not isinstance(right, Array):
        return _graded(entry(c, left, right, sides.evidence, context), context)
    if isinstance(left, Array) and not isinstance(right, Array) and isinstance(c, Le):
        right = Array(left.shape, (right,) * len(left.entries))
    elif isinstance(right, Array) and not isinstance(left, Array) and isinstance(c, Le):
        left = Array(right.shape, (left,) * len(right.entries))
    if not isinstance(left, Array) or not isinstance(right, Array) or left.shape != right.shape:
        raise KernelError(
            f"mismatched shapes: {getattr(left, 'shape', 'a scalar')} against {getattr(right, 'shape', 'a scalar')}; "
            "compare arrays of equal shape, or word(...) for sequences of symbols"
        )
    if not left.entries:
        raise KernelError("an empty array compares nothing; return at least one entry")
    return _graded(_combined(c, left, right, sides.evidence, context, entry), context)


def _combined(c: Any, left: Array, right: Array, evidence: Evidence, context: Context, entry: Any) -> Outcome:
    """All entries hold, or one is refuted, or one is undecided; the tightest entry stands for the array."""
    if isinstance(c, Eq) and left.entries == right.entries and context.shift == 0 and _all_rational(left.entries):
        return Outcome(Decision.FOR, evidence, left, right, 0.0, 0.0)
    worst: Outcome | None = None
    resolution = 0.0
    rank = {Decision.AGAINST: 0, Decision.UNDECIDED: 1, Decision.FOR: 2}
    where = 0
    contents: list[Any] = []
    domains: dict[str, None] = {}
    for k, (a, b) in enumerate(zip(left.entries, right.entries)):
        o = entry(c, a, b, evidence, context)
        contents.append(o.certificate)
        if o.covered:
            domains.setdefault(o.covered)
        resolution = max(resolution, o.resolution or 0.0)
        if worst is None or (rank[o.decision], o.margin if o.margin is not None else 0.0) < (
            rank[worst.decision],
            worst.margin if worst.margin is not None else 0.0,
        ):
            worst, where = o, k
    if worst is None:
        raise KernelError("an empty array compares nothing; return at least one entry")
    index = _index(where, left.shape)
    return replace(
        worst,
        resolution=resolution if isinstance(c, Eq) else worst.resolution,
        reason=f"{worst.reason or 'tightest'} at entry {index}",
        covered="; ".join(domains) if len(domains) < 4 else f"{max(domains, key=len)} (and {len(domains) - 1} more)",
        certificate=contents if worst.decision is Decision.FOR and any(contents) else worst.certificate,
    )


def _all_rational(entries: tuple[Any, ...]) -> bool:
    return all(type(e) is fmpq for e in entries)


def _index(k: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    out: list[int] = []
    for size in reversed(shape):
        k, r = divmod(k, size)
        out.append(r)
    return tuple(reversed(out))


def _graded(o: Outcome, context: Context) -> Outcome:
    """In a proof without instances an exactly decided comparison covers its whole domain."""
    if context.proving and o.evidence is Evidence.CERTIFIED and not o.reason.startswith("equal to within"):
        return Outcome(o.decision, Evidence.PROVED, o.lhs, o.rhs, o.margin, o.resolution, o.reason, o.covered, o.steps)
    return o


def _equal(c: Eq, a: Any, b: Any, evidence: Evidence, context: Context) -> Outcome:
    if context.proving and (_symbolic(a) or _symbolic(b) or c.modulo):
        from theorems.kernel.identities import answer_identity

        return answer_identity(a, b, c.modulo, c.witness, context)
    shift = context.shift
    if type(a) is fmpq and type(b) is fmpq:
        difference = a - b + shift
        if difference == 0:
            return Outcome(Decision.FOR, evidence, a, b, 0.0, 0.0)
        return Outcome(Decision.AGAINST, evidence, a, b, -_relative(abs(difference), a, b))
    if isinstance(a, (Word, Infinity)) or isinstance(b, (Word, Infinity)):
        same = type(a) is type(b) and a == b and shift == 0
        reason = "" if same else "the symbols differ" if isinstance(a, Word) else "not equal"
        return Outcome(Decision.FOR if same else Decision.AGAINST, evidence, a, b, None, 0.0, reason)
    if isinstance(a, POLYNOMIALS) or isinstance(b, POLYNOMIALS):
        same = bool(a - b + shift == 0)
        return Outcome(Decision.FOR if same else Decision.AGAINST, evidence, a, b, None, 0.0 if same else None)
    if isinstance(a, acb) or isinstance(b, acb):
        return _equal_complex(c, acb(_ball(a)), acb(_ball(b)), evidence, context)
    if isinstance(a, (Algebraic, fmpq)) and isinstance(b, (Algebraic, fmpq)):
        s = exact.sign(_expr(a) - _expr(b) + _expr(shift), context.max_bits)
        if s is None:
            return Outcome(Decision.UNDECIDED, evidence, a, b, reason=_too_close(context))
        return Outcome(Decision.FOR if s == 0 else Decision.AGAINST, evidence, a, b, 0.0 if s == 0 else None, 0.0)
    if isinstance(a, Enclosed) or isinstance(b, Enclosed):
        radius = c.within if c.within is not None else _default_radius(evidence, context)
        return programs.equal(radius, _interval(a), _interval(b), evidence, context)
    difference = _ball(a) - _ball(b)
    if not difference.is_finite():
        return Outcome(Decision.UNDECIDED, evidence, a, b, reason="the difference is not a finite ball")
    if shift != 0:
        difference = difference + arb(shift) if difference.mid() >= 0 else difference - arb(shift)
    return _equal_ball(c, difference, a, b, evidence, context)


def _equal_ball(c: Eq, difference: arb, a: Any, b: Any, evidence: Evidence, context: Context) -> Outcome:
    radius = c.within if c.within is not None else _default_radius(evidence, context)
    reach = difference.abs_upper()
    numeric = evidence is Evidence.NUMERIC
    if (difference > 0 or difference < 0) and not (numeric and reach <= arb(radius)):
        clear = abs(difference) > arb(radius) if numeric else True
        if clear:
            gap = float(abs(difference).mid())
            return Outcome(Decision.AGAINST, evidence, a, b, -gap, reason=f"the sides differ by {gap:.6g}")
    elif reach <= arb(radius):
        r = _ball_up(reach if not numeric else arb(radius))
        return Outcome(
            Decision.FOR, evidence, a, b, float(arb(radius).mid()) - float(reach.mid()), r, f"equal to within {r:.3g}"
        )
    return Outcome(
        Decision.UNDECIDED, evidence, a, b,
        reason=f"the difference is only known to lie within {float(reach.mid()):.3g} of 0 (declared: {_sci(radius)})",
    )  # fmt: skip


def _equal_complex(c: Eq, a: acb, b: acb, evidence: Evidence, context: Context) -> Outcome:
    difference = a - b + acb(arb(context.shift))
    if not (difference.real.is_finite() and difference.imag.is_finite()):
        return Outcome(Decision.UNDECIDED, evidence, a, b, reason="the difference is not a finite ball")
    re, im = difference.real, difference.imag
    if re > 0 or re < 0 or im > 0 or im < 0:
        return Outcome(Decision.AGAINST, evidence, a, b, -float(abs(difference).mid()))
    radius = c.within if c.within is not None else _default_radius(evidence, context)
    reach = (re.abs_upper() + im.abs_upper()).abs_upper()
    if reach <= arb(radius):
        r = _ball_up(reach)
        return Outcome(Decision.FOR, evidence, a, b, 0.0, r, f"equal to within {r:.3g}")
    return Outcome(Decision.UNDECIDED, evidence, a, b, reason="the difference ball is wider than declared")


def _ordered(c: Le, a: Any, b: Any, evidence: Evidence, context: Context) -> Outcome:
    if context.proving and (_symbolic(a) or _symbolic(b) or c.by is not None or c.given or c.modulo):
        from theorems.kernel.positivity import answer_inequality

        return answer_inequality(c, a, b, context)
    if isinstance(a, Word) or isinstance(b, Word):
        raise KernelError("words have no order; compare them with eq(...)")
    if isinstance(a, acb) or isinstance(b, acb) or isinstance(a, POLYNOMIALS) or isinstance(b, POLYNOMIALS):
        raise KernelError(f"{type(a).__name__} and {type(b).__name__} have no order; compare real numbers")
    if isinstance(a, Infinity) or isinstance(b, Infinity):
        return _ordered_infinite(c, a, b, evidence)
    if type(a) is fmpq and type(b) is fmpq:
        scale = max(abs(a), abs(b))
        slack = b - a - context.shift * (scale if scale != 0 else 1)
        holds = slack > 0 or (slack == 0 and not c.strict)
        relative = _relative(abs(slack), a, b)
        if holds:
            return Outcome(Decision.FOR, evidence, a, b, relative, relative)
        return Outcome(Decision.AGAINST, evidence, a, b, -relative)
    if isinstance(a, (Algebraic, fmpq)) and isinstance(b, (Algebraic, fmpq)):
        return _ordered_algebraic(c, a, b, evidence, context)
    if isinstance(a, Enclosed) or isinstance(b, Enclosed):
        return programs.ordered(c.strict, _interval(a), _interval(b), evidence, context)
    x, y = _ball(a), _ball(b)
    difference = y - x
    if not difference.is_finite():
        return Outcome(Decision.UNDECIDED, evidence, a, b, reason="the difference is not a finite ball")
    scale_ball = _scale(x, y)
    difference = difference - arb(context.shift) * scale_ball
    if difference > 0 or (not c.strict and difference >= 0):
        margin = _ball_up(difference.abs_upper() / scale_ball)
        return Outcome(Decision.FOR, evidence, a, b, float((difference / scale_ball).mid()), margin)
    if difference < 0 or (c.strict and difference <= 0):
        return Outcome(Decision.AGAINST, evidence, a, b, float((difference / scale_ball).mid()))
    reach = difference.abs_upper()
    if c.within is not None and reach <= arb(c.within):
        r = _ball_up(reach / scale_ball)
        return Outcome(Decision.FOR, evidence, a, b, 0.0, r, f"equal to within {_ball_up(reach):.3g}")
    return Outcome(Decision.UNDECIDED, evidence, a, b, reason=_too_close(context))


def _ordered_infinite(c: Le, a: Any, b: Any, evidence: Evidence) -> Outcome:
    order = {True: 1, False: -1}
    x = order[a.sign > 0] if isinstance(a, Infinity) else 0
    y = order[b.sign > 0] if isinstance(b, Infinity) else 0
    holds = x < y or (x == y and not c.strict)
    return Outcome(Decision.FOR if holds else Decision.AGAINST, evidence, a, b, None, None, "an infinite side")


def _ordered_algebraic(c: Le, a: Any, b: Any, evidence: Evidence, context: Context) -> Outcome:
    x, y = _ball(a), _ball(b)
    scale = _scale(x, y)
    gap = _expr(b) - _expr(a)
    relative = float(((y - x) / scale).mid())
    s = exact.sign(gap, context.max_bits) if context.shift == 0 else None
    if s is None and context.shift != 0:
        moved = y - x - arb(context.shift) * scale
        s = 1 if moved > 0 else -1 if moved < 0 else None
    if s is None:
        return Outcome(Decision.UNDECIDED, evidence, a, b, reason=_too_close(context))
    if s > 0 or (s == 0 and not c.strict):
        tight = 0.0 if s == 0 else _ball_up(abs((y - x) / scale))
        return Outcome(Decision.FOR, evidence, a, b, 0.0 if s == 0 else relative, tight)
    return Outcome(Decision.AGAINST, evidence, a, b, relative)


def _symbolic(value: Any) -> bool:
    """Whether an admitted value is a sympy expression with symbols (only proofs admit those)."""
    return hasattr(value, "free_symbols")


def _interval(value: Any) -> Enclosed:
    return programs.as_interval(_ball(value) if isinstance(value, Algebraic) else value)


def _scale(x: arb, y: arb) -> arb:
    """A positive exact number near max(|x|, |y|), or 1 when both may be 0."""
    size = max(float(x.abs_upper().mid()), float(y.abs_upper().mid()))
    return arb(size) if 0 < size < float("inf") else arb(1)


def _relative(distance: fmpq, a: fmpq, b: fmpq) -> float:
    scale = max(abs(a), abs(b))
    return up(distance / scale) if scale != 0 else up(distance)


def _default_radius(evidence: Evidence, context: Context) -> fmpq:
    return fmpq(1, fmpz(10) ** (context.digits // 2 if evidence is Evidence.NUMERIC else 20))


def _ball(value: Any) -> Any:
    if isinstance(value, (arb, acb)):
        return value
    if isinstance(value, fmpq):
        return arb(value)
    if isinstance(value, Algebraic):
        return exact.ball(value.expr)
    raise KernelError(f"a {type(value).__name__} cannot be compared with a ball")


def _expr(value: Any) -> Any:
    import sympy

    return value.expr if isinstance(value, Algebraic) else sympy.Rational(int(value.p), int(value.q))


def _ball_up(ball: arb) -> float:
    """A double at least the upper end of a non-negative ball."""
    import math

    top = float(ball.upper())
    return math.nextafter(top, math.inf) if top > 0 else 5e-324 if not ball.is_zero() else 0.0


def _too_close(context: Context) -> str:
    return f"undecided within {context.max_bits} bits: the sides agree to all digits seen (return a thunk so that precision can grow)"


def _sci(q: fmpq) -> str:
    return f"{float(int(q.p) / int(q.q)):.3g}"
