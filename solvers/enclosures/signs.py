"""Enclosures of values and decisions of signs, at whatever precision they take up to a stated limit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flint import acb, arb, ctx

from solvers.enclosures.exact import to_ball
from solvers.enclosures.expressions import ball_function
from solvers.enclosures.precision import DEFAULT_LIMIT, NoEnclosure, attempt, is_finite, ladder, precision


@dataclass(frozen=True, slots=True)
class Decision:
    """A sign decided by a finite ball, or the last ball that left it open.

    Attributes:
        sign: -1, 0 (the ball is exactly {0}), 1, or None where undecided.
        bits: the working precision of `ball`.
        ball: enclosure of the value (NaN if none was found).
    """

    sign: int | None
    bits: int
    ball: arb

    @property
    def decided(self) -> bool:
        """Whether the sign is known."""
        return self.sign is not None


def thunk(f: Any, *arguments: Any) -> Callable[[], Any]:
    """The parameterless evaluation of a sympy expression or plain function at exact arguments.

    Args:
        f: a sympy expression (then `arguments` is at most one mapping symbol -> exact number or ball), or a
            plain function of the arguments, which reach it as balls of the precision of each call.
    """
    if callable(f) and not hasattr(f, "free_symbols"):
        return lambda: f(*[to_ball(x) for x in arguments])
    point: Mapping[Any, Any] = arguments[0] if arguments else {}
    g = ball_function(f, list(point))
    values = list(point.values())
    return lambda: g(*values)


def enclose(f: Any, *arguments: Any, bits: int | None = None, limit: int = DEFAULT_LIMIT) -> arb | acb:
    """A finite ball around the value with relative accuracy of at least `bits` (default: the current
    precision).

    Args:
        f, arguments: as for `thunk`: `enclose(expr, {x: Q})` or `enclose(function, a, b)`.
        bits: wanted relative accuracy. A value of exactly 0 that is not recognized as such never reaches it.
        limit: largest working precision in bits.

    Returns:
        The first ball that is accurate enough; at the limit whatever finite ball was found.

    Raises:
        NoEnclosure: if no finite ball was found up to the limit.
    """
    wanted = ctx.prec if bits is None else bits
    value = thunk(f, *arguments)
    ball = arb.nan()
    for p in ladder(wanted + 16, max(limit, wanted + 16)):
        ball = to_ball(attempt(value, p))
        if is_finite(ball) and ball.rel_accuracy_bits() >= wanted:
            return ball
    if not is_finite(ball):
        raise NoEnclosure(f"no finite ball at up to {limit} bits; check the domain, or raise `limit`")
    return ball


def sign(f: Any, *arguments: Any, start: int = 64, limit: int = DEFAULT_LIMIT) -> Decision:
    """The sign of a real value, with the precision doubled from `start` until it is decided or `limit` is
    reached.

    A value that is 0 without being the exact ball {0} stays undecided, honestly.

    Raises:
        TypeError: if the value is complex with an imaginary part that is not exactly 0 (return its real
            part).
    """
    value = thunk(f, *arguments)
    ball, bits = arb.nan(), start
    for bits in ladder(start, limit):
        ball = _real(attempt(value, bits))
        if is_finite(ball):
            with precision(bits):
                known = 1 if ball > 0 else -1 if ball < 0 else 0 if ball.is_zero() else None
            if known is not None:
                return Decision(known, bits, ball)
    return Decision(None, bits, ball)


def compare(f: Any, g: Any, *, start: int = 64, limit: int = DEFAULT_LIMIT) -> Decision:
    """The sign of f - g for two sympy constants, parameterless functions, exact numbers or balls."""
    left, right = (thunk(h) if callable(h) or hasattr(h, "free_symbols") else _constant(h) for h in (f, g))
    return sign(lambda: to_ball(left()) - to_ball(right()), start=start, limit=limit)


def _constant(x: Any) -> Callable[[], Any]:
    return lambda: to_ball(x)


def _real(x: Any) -> arb:
    x = to_ball(x)
    if isinstance(x, acb):
        if is_finite(x) and not x.imag.is_zero():
            raise TypeError(f"the sign of the complex value {x} was asked for; return its real part")
        return x.real
    return x
