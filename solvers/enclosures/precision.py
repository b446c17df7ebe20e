"""The working precision, and the error of an enclosure that could not be computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import mpmath
from flint import acb, arb, ctx

DEFAULT_LIMIT = 4096


class NoEnclosure(ArithmeticError):
    """No finite ball was reached within the stated work; says what would help."""


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Set the precision of FLINT's balls and of mpmath for the body, and restore both, whatever happens.

    Args:
        bits: working precision in bits, at least 2. It is global to the thread of execution (no threads
            here).
    """
    if bits < 2:
        raise ValueError(f"precision: {bits} bits; at least 2 are needed")
    flint_bits, mpmath_bits = ctx.prec, mpmath.mp.prec
    try:
        ctx.prec = bits
        mpmath.mp.prec = bits
        yield
    finally:
        ctx.prec = flint_bits
        mpmath.mp.prec = mpmath_bits


def ladder(start: int, limit: int) -> Iterator[int]:
    """Working precisions start, 2 start, 4 start, ..., the last one being `limit`."""
    if not 2 <= start <= limit:
        raise ValueError(f"precision ladder from {start} to {limit} bits; expected 2 <= start <= limit")
    bits = start
    while bits < limit:
        yield bits
        bits *= 2
    yield limit


def is_finite(x: Any) -> bool:
    """Whether the ball `x` (real or complex) is finite. A NaN ball contains every number, and says so."""
    return bool(x.is_finite()) if isinstance(x, (arb, acb)) else True


def finite(x: Any, what: str) -> Any:
    """`x` itself if it is a finite ball. Raises NoEnclosure, naming `what`, if not."""
    if not is_finite(x):
        raise NoEnclosure(f"{what} has no finite enclosure at {ctx.prec} bits")
    return x


def attempt(f: Callable[[], Any], bits: int) -> Any:
    """f() at this precision, or a NaN ball where the enclosure failed (an exact pole included)."""
    with precision(bits):
        try:
            return f()
        except (NoEnclosure, ZeroDivisionError):
            return arb.nan()
