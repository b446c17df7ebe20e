"""Rationals near doubles: dyadic rounding, the simplest rational of an interval, intended values."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from flint import arb, fmpq, fmpz

from solvers.certificates.rational import Number

SIMPLE = 1 << 20
SHORT_DECIMAL = 15


def to_float(value: Number) -> float:
    """The double nearest to a rational or to a ball's midpoint; raises `OverflowError` beyond the range."""
    if isinstance(value, arb):
        return float(value.mid())
    return float(value)


def dyadic(value: float, bits: int) -> fmpq:
    """The multiple of 2^-bits nearest to a finite double (bits may be negative; |value| 2^bits within the range)."""
    numerator = fmpz(round(math.ldexp(value, bits)))
    return fmpq(numerator, fmpz(1) << bits) if bits >= 0 else fmpq(numerator << -bits)


def dyadic_point(x: np.typing.NDArray[np.float64], bits: int) -> tuple[fmpq, ...]:
    """`dyadic` of each entry."""
    if bits < 0:
        return tuple([dyadic(value, bits) for value in x.tolist()])
    denominator = 1 << bits
    return tuple([fmpq(int(value), denominator) for value in np.rint(np.ldexp(x, bits)).tolist()])


def bits_for(x: np.typing.NDArray[np.float64], relative: int = 48) -> int:
    """How many binary digits after the point keep `relative` significant bits of the largest entry."""
    largest = float(np.max(np.abs(x), initial=0.0))
    return relative if largest == 0 else relative - math.ceil(math.log2(largest))


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The rational of smallest denominator in [low, high], by the common start of continued fractions."""
    if low > high:
        raise ValueError(f"the interval [{low}, {high}] is empty")
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest_between(-high, -low)
    return Fraction(*_simplest(low.numerator, low.denominator, high.numerator, high.denominator))


def _simplest(a: int, b: int, c: int, d: int) -> tuple[int, int]:
    """Numerator and denominator of the simplest rational in [a/b, c/d], for 0 < a/b <= c/d."""
    whole, rest = divmod(a, b)
    if rest == 0:
        return whole, 1
    if (whole + 1) * d <= c:
        return whole + 1, 1
    p, q = _simplest(d, c - whole * d, b, rest)
    return whole * p + q, p


def small_rational(value: float, tolerance: float, largest: int) -> fmpq | None:
    """The simplest rational within `tolerance`, or `None` if its denominator exceeds `largest`."""
    (p, q), (t, u) = abs(value).as_integer_ratio(), tolerance.as_integer_ratio()
    low, high, below = p * u - t * q, p * u + t * q, q * u
    if low <= 0:
        return fmpq(0)
    numerator, denominator = _simplest(low, below, high, below)
    if denominator > largest:
        return None
    return fmpq(numerator if value > 0 else -numerator, denominator)


def reconstruct(value: float) -> fmpq:
    """The rational that a double was probably meant to be: 1/10 for 0.1, 1/3 for 1/3, 10^-30 for 1e-30.

    That is the simplest rational within 2^-50 |value| (about four units in the last place) if its denominator is at
    most 2^20; else the shortest decimal that prints the double, if it has at most 15 digits; else the simplest rational
    again. A choice of meaning, not an enclosure: sqrt(2) becomes some rational. A result that rests on it says so.

    Raises:
        ValueError: for NaN and infinities.
    """
    if not math.isfinite(value):
        raise ValueError(f"{value} has no rational value")
    exact = Fraction(value)
    width = abs(exact) / 2**50
    found = simplest_between(exact - width, exact + width)
    if found.denominator > SIMPLE:
        decimal = repr(value)
        digits = decimal.partition("e")[0].replace(".", "").replace("-", "").strip("0")
        found = Fraction(decimal) if len(digits) <= SHORT_DECIMAL else found
    return fmpq(found.numerator, found.denominator)
