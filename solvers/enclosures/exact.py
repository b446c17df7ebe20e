"""Exact numbers in FLINT's types, and balls around them.

One exact rational type is used inside, `flint.fmpq`. Floats are refused: whoever means the binary value of a
double says so with `dyadic`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Rational
from typing import Any

from flint import acb, arb, fmpq, fmpz


def to_fmpq(x: Any) -> fmpq:
    """The exact rational number `x` as an `fmpq`.

    Args:
        x: int, Fraction, fmpz, fmpq, sympy Integer or Rational, NumPy integer, or text such as "3/7".

    Raises:
        TypeError: for floats, balls and everything else that is not exactly rational.
    """
    if isinstance(x, fmpq):
        return x
    if isinstance(x, (int, fmpz)):
        return fmpq(x)
    if isinstance(x, Rational):  # Fraction, sympy.Rational and NumPy integers are registered here
        return fmpq(int(x.numerator), int(x.denominator))
    if isinstance(x, str):
        value = Fraction(x)
        return fmpq(value.numerator, value.denominator)
    raise TypeError(
        f"to_fmpq: {x!r} of type {type(x).__name__} is not an exact rational; pass an int, Fraction, fmpz, "
        "fmpq, sympy Rational or text like '3/7' (for the binary value of a double: dyadic(x))"
    )


def dyadic(x: float) -> fmpq:
    """The exact binary value of a finite double, said on purpose."""
    if not math.isfinite(x):
        raise ValueError(f"dyadic: {x!r} is not finite")
    numerator, denominator = float(x).as_integer_ratio()
    return fmpq(numerator, denominator)


def to_fraction(x: Any) -> Fraction:
    """`x` (as `to_fmpq` takes it) as a `fractions.Fraction`."""
    q = to_fmpq(x)
    return Fraction(int(q.p), int(q.q))


def to_arb(x: Any) -> arb:
    """A ball around the exact number `x` at the current precision; balls pass, floats are refused."""
    return x if isinstance(x, arb) else arb(to_fmpq(x))


def to_ball(x: Any) -> arb | acb:
    """`x` as a real or complex ball at the current precision; balls pass, floats are refused."""
    return x if isinstance(x, (arb, acb)) else to_arb(x)


def interval(lower: Any, upper: Any) -> arb:
    """A ball that contains the whole interval between two exact numbers or balls."""
    return to_arb(lower).union(to_arb(upper))
