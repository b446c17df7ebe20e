"""Exact numbers: conversion into FLINT rationals, and their one canonical spelling in files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

from flint import arb, fmpq, fmpz

Rational: TypeAlias = fmpq
Number: TypeAlias = fmpq | arb
"""An exact rational, or a ball that encloses the true value."""

MAX_DIGITS = 20_000
"""Longest numerator or denominator, in decimal digits, that a file may hold."""

_SPELLING = re.compile(r"-?(?:0|[1-9][0-9]*)(?:/[1-9][0-9]*)?")


def rational(value: object) -> fmpq:
    """Convert an exact number to a FLINT rational.

    Args:
        value: `int`, `fractions.Fraction`, `fmpz`, `fmpq`, or a string such as `"-3/7"` or `"0.1"`.

    Raises:
        TypeError: for anything else; a float in particular, because `0.1` is not 1/10.
        ValueError: for a string that is no number.
    """
    if isinstance(value, fmpq):
        return value
    if isinstance(value, bool):
        raise TypeError("a bool is not a number here; give an int or a rational")
    if isinstance(value, int | fmpz):
        return fmpq(value)
    if isinstance(value, str):
        value = Fraction(value)
    if isinstance(value, Fraction):
        return fmpq(value.numerator, value.denominator)
    raise TypeError(
        f"{value!r} of type {type(value).__name__} is not exact; give int, Fraction, fmpz, fmpq or a string "
        "like '1/10' (a float's intended value: solvers.conic.reconstruct)"
    )


def number(value: object) -> Number:
    """Convert to a rational, or pass a finite ball through; raises `TypeError` or `ValueError` otherwise."""
    if isinstance(value, fmpq):
        return value
    if isinstance(value, arb):
        if not value.is_finite():
            raise ValueError(f"the ball {value} is not finite")
        return value
    return rational(value)


def vector(values: Iterable[object]) -> tuple[Number, ...]:
    """Convert each entry with `number`."""
    return tuple(number(value) for value in values)


def dot(left: Sequence[Number], right: Sequence[Number]) -> Number:
    """The exact (or enclosed) inner product of two vectors of equal length."""
    if len(left) != len(right):
        raise ValueError(f"inner product of vectors of lengths {len(left)} and {len(right)}")
    total: Number = fmpq(0)
    for a, b in zip(left, right):
        total = total + a * b
    return total


def is_zero(value: Number) -> bool:
    """Whether the number is certainly zero.

    Never write `value != 0` instead: for a ball that means "certainly not zero", and is false of a ball
    around 0.
    """
    return bool(value == 0)


def spell(value: fmpq) -> str:
    """The canonical spelling: lowest terms, `p` or `p/q` with q > 1."""
    return str(value)


def parse_rational(text: object) -> fmpq:
    """Read the canonical spelling and nothing else.

    Raises:
        ValueError: for other types, other spellings (`2/4`, `+1`, `1.5`) or more than `MAX_DIGITS` digits.
    """
    if not isinstance(text, str):
        raise ValueError(f"expected an exact number as a string like '-3/7', got {type(text).__name__}")
    if len(text) > 2 * MAX_DIGITS + 2:
        raise ValueError(f"a number of {len(text)} characters; at most {MAX_DIGITS} digits are accepted")
    if not _SPELLING.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is not an exact number; expected a string like '-3/7' or '12'")
    numerator, _, denominator = text.partition("/")
    if max(len(numerator), len(denominator)) > MAX_DIGITS:
        raise ValueError(f"a number of more than {MAX_DIGITS} digits")
    value = fmpq(fmpz(numerator), fmpz(denominator or "1"))
    if spell(value) != text:
        raise ValueError(f"{text[:40]!r} is not in lowest terms; expected {spell(value)[:40]!r}")
    return value


def ball_endpoints(value: Number) -> tuple[fmpq, fmpq]:
    """Rationals `lower <= value <= upper`, equal when the number is exact."""
    if isinstance(value, fmpq):
        return value, value
    if not value.is_finite():
        raise ValueError(f"the ball {value} is not finite")
    return value.lower().fmpq(), value.upper().fmpq()
