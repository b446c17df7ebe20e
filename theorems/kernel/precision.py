"""Evaluation of the two sides of a comparison at a stated precision, with every global setting restored.

A side is a value or a thunk. Thunks are evaluated again at higher precision and never re-draw an instance: exact
values are exact at once; balls are evaluated at doubling precision; mpmath numbers at p and 2p digits, and the
distance of the two evaluations becomes the radius of a ball that is worth `numeric`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from flint import arb, ctx, fmpq, fmpz

from theorems.kernel.outcome import Evidence, KernelError
from theorems.kernel.values import POLYNOMIALS, Approx, Array, Numeric, admit


@contextmanager
def working_precision(bits: int, digits: int | None = None) -> Iterator[None]:
    """FLINT at `bits` bits and mpmath at `digits` digits (default: as many bits), both restored afterwards."""
    import mpmath

    before, mp_before = ctx.prec, mpmath.mp.prec
    ctx.prec = bits
    if digits is None:
        mpmath.mp.prec = bits
    else:
        mpmath.mp.dps = digits
    try:
        yield
    finally:
        ctx.prec, mpmath.mp.prec = before, mp_before


@contextmanager
def precision_kept() -> Iterator[None]:
    """Whatever happens inside, the global precisions of FLINT and mpmath are restored."""
    before = ctx.prec
    mp = sys.modules["mpmath"].mp if "mpmath" in sys.modules else None
    mp_before = mp.prec if mp is not None else 53
    try:
        yield
    finally:
        ctx.prec = before
        mp = sys.modules["mpmath"].mp if "mpmath" in sys.modules else None
        if mp is not None:
            mp.prec = mp_before


@dataclass(frozen=True, slots=True)
class Sides:
    """The two sides at one precision, and what they are worth."""

    lhs: Any
    rhs: Any
    evidence: Evidence


def evaluations(lhs: Any, rhs: Any, *, bits: int, max_bits: int, digits: int, symbolic: bool) -> Iterator[Sides]:
    """The two sides at growing precision; exact and plain values once.

    Args:
        lhs, rhs: values or thunks; `rhs` may be None when `lhs` is a thunk that returns both.
        bits, max_bits: first and last working precision for balls.
        digits: decimal digits p for mpmath numbers, evaluated at p and 2p.
        symbolic: whether symbolic expressions are admitted.
    """
    if not is_thunk(lhs) and not is_thunk(rhs):
        left, right = admit(lhs, symbolic=symbolic), admit(rhs, symbolic=symbolic)
        yield Sides(_settled(left), _settled(right), min(_worth(left), _worth(right)))
        return
    while bits <= max_bits:
        with working_precision(bits, digits):
            left, right = _evaluate(lhs, rhs, symbolic)
        if _holds(left, Numeric) or _holds(right, Numeric):
            with working_precision(2 * bits, 2 * digits):
                left2, right2 = _evaluate(lhs, rhs, symbolic)
                yield Sides(_agreed(left, left2, digits), _agreed(right, right2, digits), Evidence.NUMERIC)
            return
        with working_precision(bits, digits):
            yield Sides(_settled(left), _settled(right), min(_worth(left), _worth(right)))
        if not (_holds(left, arb) or _holds(right, arb)):
            return
        bits *= 2


def _evaluate(lhs: Any, rhs: Any, symbolic: bool) -> tuple[Any, Any]:
    if rhs is None:
        both = lhs()
        if not isinstance(both, tuple) or len(both) != 2:
            raise KernelError(f"a thunk for both sides must return (lhs, rhs), not {type(both).__name__}")
        return admit(both[0], symbolic=symbolic), admit(both[1], symbolic=symbolic)
    left = lhs() if is_thunk(lhs) else lhs
    right = rhs() if is_thunk(rhs) else rhs
    return admit(left, symbolic=symbolic), admit(right, symbolic=symbolic)


def is_thunk(side: Any) -> bool:
    """Whether a side is to be called; FLINT's polynomials are callable, and values."""
    return callable(side) and not isinstance(side, POLYNOMIALS)


def _holds(value: Any, kind: type) -> bool:
    if isinstance(value, Array):
        return any(isinstance(e, kind) for e in value.entries)
    return isinstance(value, kind)


def _worth(value: Any) -> Evidence:
    return Evidence.NUMERIC if _holds(value, Approx) else Evidence.CERTIFIED


def _settled(value: Any) -> Any:
    """Approximations become balls; a bare mpmath number has no second evaluation and is refused."""
    if isinstance(value, Array):
        return Array(value.shape, tuple(_settled(e) for e in value.entries))
    if isinstance(value, Approx):
        return arb(value.value, value.error)
    if isinstance(value, Numeric):
        raise KernelError(
            "a bare mpmath number has no error bound; return a thunk, e.g. `eq(lambda: mpmath.zeta(3), ...)`, so that "
            "it is evaluated at p and at 2p digits"
        )
    return value


def _agreed(first: Any, second: Any, digits: int) -> Any:
    """A ball about the value at 2p digits whose radius is twice the distance to the value at p digits."""
    if isinstance(second, Array):
        if not isinstance(first, Array) or first.shape != second.shape:
            raise KernelError("the thunk returned arrays of different shape at p and 2p digits")
        return Array(second.shape, tuple(_agreed(a, b, digits) for a, b in zip(first.entries, second.entries)))
    if not isinstance(second, Numeric):
        return _settled(second)
    if not isinstance(first, Numeric):
        raise KernelError("the thunk returned different kinds of number at p and 2p digits")
    low, high = _exact(first.value), _exact(second.value)
    distance = abs(low - high)
    scale = max(abs(high), fmpq(1, fmpz(10) ** digits))
    if distance * fmpz(10) ** (digits // 2) > scale:
        return arb(high) + arb(0, arb(2 * distance))  # honest and wide: the comparison will be undecided
    floor = scale / fmpz(10) ** (2 * digits - 3)
    return arb(high) + arb(0, arb(2 * distance + floor))


def _exact(x: Any) -> fmpq:
    negative, mantissa, exponent, _ = x._mpf_
    m = fmpz(-int(mantissa) if negative else int(mantissa))
    e = int(exponent)
    return fmpq(m << e) if e >= 0 else fmpq(m, fmpz(1) << -e)
