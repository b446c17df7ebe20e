"""Identities in symbols: decided in an exact ring, and confirmed or refuted at exact points.

An equation is proved when the numerator of the difference of its sides vanishes in the ring of `kernel.forms`, or
leaves the remainder 0 on division by the relations that it assumes. Then both sides agree wherever they are real and
defined; the outcome says where that is. Every proof is confirmed at exact points by evaluating the two sides
separately, without the ring. An equation is refuted only by an exact point of its domain at which the sides differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from flint import arb, fmpq

from theorems.kernel.forms import Form, Poly, Ring, TooLarge, as_expr, exact_expr, ring_of, text
from theorems.kernel.outcome import Context, Decision, Evidence, KernelError, Outcome
from theorems.kernel.points import Point, Value, candidates, shown, value_at, values_of
from theorems.kernel.positivity_facts import holes
from theorems.kernel.precision import working_precision
from theorems.kernel.relations import divided, groebner, plan, solved
from theorems.kernel.symbols import domain_words, free_symbols, require_own

CONFIRMATIONS = 5
MOST_POINTS = 120
POINT_BITS = 320
LONGEST_CERTIFICATE = 100_000  # characters


class Disagreement(RuntimeError):
    """The canonical form and the evaluation at a point contradict each other: a defect of the kernel."""


def is_symbolic(value: Any) -> bool:
    """Whether an admitted value is a sympy expression with symbols."""
    return hasattr(value, "free_symbols") and hasattr(value, "xreplace")


def answer_identity(
    lhs: Any, rhs: Any, modulo: Sequence[Any], witness: Mapping[Any, Any] | None, context: Context
) -> Outcome:
    """Decide `lhs = rhs` for all values of the symbols that satisfy `modulo`.

    Args:
        lhs, rhs: sympy expressions in kernel symbols, or exact numbers.
        modulo: expressions that vanish.
        witness: an exact point (symbol -> rational) that satisfies `modulo`, tried first.
        context: `shift` is added to the left side.
    """
    left, right = as_expr(lhs), as_expr(rhs)
    relations = [exact_expr(m) for m in modulo]
    for value in (left, right):
        if not is_symbolic(value):
            raise KernelError(f"a {type(value).__name__} has no place in an identity of symbols; use exact numbers")
    require_own(left, right)
    with working_precision(POINT_BITS):
        try:
            proof: Proof | TooLarge = prove_zero(left, right, relations)
        except TooLarge as error:
            proof = error
        return _answer(left, right, relations, proof, witness, context)


@dataclass(frozen=True, slots=True)
class Proof:
    """What the ring says about a difference.

    Attributes:
        zero: whether it vanishes identically.
        where: conditions under which the sides are defined, in words.
        content: JSON-able certificate.
    """

    zero: bool
    where: str
    content: dict[str, Any] | None


def prove_zero(left: Any, right: Any, relations: Sequence[Any]) -> Proof:
    """Whether `left - right` vanishes in the ring, modulo the relations.

    Raises:
        KernelError: when a denominator vanishes identically.
        TooLarge: when the forms are unaffordable.
    """
    ring, forms = ring_of(left, right, left - right, *relations)
    ideal = [f[0] for f in forms[3:]]
    n = forms[2][0]
    quotients, remainder = divided(n, ideal)
    basis: list[Poly] | None = None
    if not remainder.is_zero() and ideal:
        basis = groebner(ring, ideal)
        if basis is not None:
            remainder = divided(n, basis)[1]
    for d, what in ring.denominators:
        if divided(d, ideal if basis is None else basis)[1].is_zero():
            raise KernelError(f"the denominator {text(what)} is identically zero (modulo the relations)")
    zero = bool(remainder.is_zero())
    content = _content(ring, forms, ideal, quotients, basis) if zero else None
    return Proof(zero, " and ".join(holes([left, right])) if zero else "", content)


def covered(exprs: Sequence[Any], relations: Sequence[Any], where: str, given: Sequence[str] = ()) -> str:
    """The domain that a proof covers, in words."""
    parts = [domain_words(free_symbols(*exprs, *relations)) or "constants"]
    assumed = [f"{text(r)} = 0" for r in relations] + list(given)
    if assumed:
        parts.append("with " + ", ".join(assumed))
    if where:
        parts.append("where " + where)
    return " ".join(parts)


def domain_points(
    symbols: Sequence[Any], relations: Sequence[Any], witness: Mapping[Any, Any] | None, count: int
) -> Iterator[Point]:
    """Exact points of the domain of some symbols that satisfy the relations; a witness comes first."""
    if witness:
        yield from _witnessed(symbols, relations, witness)
    if not relations:
        yield from candidates(symbols, count)
        return
    ring, forms = ring_of(*relations)
    order = plan(ring, [f[0] for f in forms])
    if order is not None:
        yield from solved(ring, order, candidates(symbols, 4 * count))


def _witnessed(symbols: Sequence[Any], relations: Sequence[Any], witness: Mapping[Any, Any]) -> Iterator[Point]:
    from theorems.kernel.values import rational

    by_name = {str(k): rational(v) for k, v in witness.items()}
    missing = [s.name for s in symbols if s.name not in by_name]
    if missing:
        raise KernelError(f"the witness gives no value for {', '.join(missing)}; it needs one for every symbol")
    point = {s: by_name[s.name] for s in symbols}
    for s, v in point.items():
        if not s.domain.contains(v):
            raise KernelError(f"the witness has {s.name} = {v}, outside {s.domain.words(s.name)}")
    memo: dict[Any, Value] = {}
    for r in relations:
        value = value_at(r, point, memo)
        if not (isinstance(value, fmpq) and value == 0):
            raise KernelError(f"the relation {r} = 0 is not satisfied exactly by the witness (value {value})")
    yield point


def _answer(
    left: Any,
    right: Any,
    relations: Sequence[Any],
    proof: Proof | TooLarge,
    witness: Mapping[Any, Any] | None,
    context: Context,
) -> Outcome:
    evidence = Evidence.PROVED
    symbols = free_symbols(left, right, *relations)
    zero = isinstance(proof, Proof) and proof.zero
    seen = 0
    stream = values_of([left, right], domain_points(symbols, relations, witness, MOST_POINTS))
    for point, (a, b) in islice(stream, CONFIRMATIONS if zero else MOST_POINTS):
        difference = a - b
        if zero and _differs(difference):
            raise Disagreement(
                f"{text(left)} = {text(right)} is zero in the ring, but at {shown(point)} the sides differ"
            )
        seen += 1
        moved = difference + context.shift
        if _differs(moved):
            return Outcome(
                Decision.AGAINST, evidence, a, b, -_size(moved),
                reason=f"at {shown(point, left, right)}" if point else "the constants differ",
                certificate={"kind": "point", "point": {str(s): str(v) for s, v in point.items()}, "lhs": str(a),
                             "rhs": str(b), "left": text(left, 2000), "right": text(right, 2000)},
            )  # fmt: skip
    if isinstance(proof, TooLarge):
        reason = f"the canonical form is too large ({proof}), and the sides agree at {seen} exact points"
    elif not zero:
        reason = (
            f"the difference is not zero in the ring of its generators, yet no exact point refutes it ({seen} points "
            "tried): a relation between them may be missing (modulo=...)"
        )
    elif not seen:
        reason = (
            "no exact point of the domain was found at which both sides are defined; give one as "
            "witness={symbol: rational, ...}"
        )
    elif context.shift != 0:
        reason = "the shifted sides do not differ at the points seen"
    else:
        return Outcome(
            Decision.FOR, evidence, text(left, 300), text(right, 300), 0.0, 0.0,
            covered=covered([left, right], relations, proof.where), certificate=proof.content,
        )  # fmt: skip
    return Outcome(Decision.UNDECIDED, evidence, text(left, 300), text(right, 300), reason=reason)


def _differs(difference: Value) -> bool:
    if isinstance(difference, fmpq):
        return bool(difference != 0)
    return bool(difference > 0 or difference < 0)


def _size(value: Value) -> float:
    return float(abs(arb(value)).mid())


def fraction_words(a: Form) -> dict[str, str]:
    """A fraction as strings with exact coefficients."""
    return {"numerator": str(a[0]), "denominator": str(a[1])}


def ring_words(ring: Ring) -> dict[str, Any]:
    """The generators and the relations of a ring as strings."""
    return {
        "generators": {f"g{k}": str(g.expr) for k, g in enumerate(ring.generators)},
        "relations": {
            f"g{k}^{g.power}": fraction_words(g.radicand)
            for k, g in enumerate(ring.generators)
            if g.radicand is not None
        },
    }


def affordable(content: dict[str, Any]) -> dict[str, Any] | None:
    """A certificate, or None when it is too long to be kept."""
    return content if len(str(content)) <= LONGEST_CERTIFICATE else None


def _content(
    ring: Ring, forms: Sequence[Form], ideal: Sequence[Poly], quotients: Sequence[Poly], basis: Sequence[Poly] | None
) -> dict[str, Any] | None:
    """lhs and rhs as fractions in the generators, and the combination of relations that their difference is."""
    if sum(len(f[0]) + len(f[1]) for f in forms) > LONGEST_CERTIFICATE // 8:
        return None
    content = {
        "kind": "identity",
        **ring_words(ring),
        "lhs": fraction_words(forms[0]),
        "rhs": fraction_words(forms[1]),
        "difference": fraction_words(forms[2]),
        "modulo": [str(p) for p in ideal],
    }
    if basis is None:
        content["cofactors"] = [str(q) for q in quotients]
    else:
        content["basis"] = [str(p) for p in basis]
    return affordable(content)
