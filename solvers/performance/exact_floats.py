"""Doubles that remember the rational number that they stand for.

PEPit computes its coefficients in doubles. A sum of products that cancels exactly in the mathematics then leaves 1e-17, and a worst case
can become infinite by it. Here the same code is run on doubles that carry an exact rational along: literals get the rational that they
were meant to be (`solvers.conic.reconstruct`), sums, products and quotients are exact. An irrational square root is a double that stands
for itself, a dyadic number; or, if asked for, the generator of its real quadratic field (`solvers.number_fields`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite
from typing import Any, TypeGuard

import numpy as np
from flint import fmpq

from solvers.conic import reconstruct
from solvers.number_fields import Irrational, root_of

LONG, GRID, SMALL = 192, 96, 1e-9
"""Bits from which a coefficient is rounded to multiples of 2^-96, unless it is small."""
BELOW = 52
"""Bits after the point of a root rounded down."""
Operation = Callable[[Any, Any], Any]


class Exact(float):
    """A double with the rational (or number of a real field) `exact` that it stands for."""

    exact: Any

    def __new__(cls, value: float, exact: Any = None) -> Exact:
        if exact is None and isinstance(value, Exact):
            return value
        made = super().__new__(cls, value)
        made.exact = rational(value) if exact is None else exact
        return made

    def __eq__(self, other: object) -> bool:
        return self.exact == rational(other) if _is_finite(other) else float(self) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = float.__hash__

    def __neg__(self) -> Exact:
        return Exact(-float(self), -self.exact)

    def __pow__(self, power: Any, modulus: None = None) -> Any:
        if isinstance(power, int) and abs(power) <= 64 and not (power < 0 and self.exact == 0):
            return Exact(float(self) ** power, self.exact**power)
        return float(self) ** power

    def __reduce__(self) -> tuple[Any, ...]:
        return Exact, (float(self), self.exact)


def _is_finite(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and isfinite(value)


def exactly(value: Any) -> Any:
    """A finite double with its rational; anything else as it is."""
    return Exact(value) if isinstance(value, float) and isfinite(value) else value


def rational(value: int | float) -> Any:
    """The exact number, mostly a rational, that a finite number stands for."""
    if isinstance(value, Exact):
        return value.exact
    return fmpq(int(value)) if isinstance(value, int) else reconstruct(float(value))


def root(x: Any) -> Any:
    """The square root of a number: exact if it is rational, else the double; of anything else what NumPy makes of it."""
    return _root(x, lambda near, of: fmpq(*near.as_integer_ratio()))


def field_root(x: Any) -> Any:
    """The square root of a rational number, exactly in its quadratic field; of anything else what NumPy makes of it."""
    return _root(x, lambda near, of: root_of(of))


def root_below(x: Any) -> Any:
    """The square root of a rational number, rounded down to a multiple of 2^-52 if it is irrational; else as `root`."""
    return _root(x, lambda near, of: fmpq(((of.p << (2 * BELOW)) // of.q).isqrt(), 1 << BELOW))


def _root(x: Any, irrational: Callable[[float, fmpq], Any]) -> Any:
    if not _is_finite(x) or x < 0:
        return np.sqrt(x)
    of = rational(x)
    if isinstance(of, Irrational):
        raise ValueError(f"the square root of the irrational number {of} lies in no quadratic field")
    p, q = of.p.isqrt(), of.q.isqrt()
    near = float(np.sqrt(float(x)))
    return Exact(near, fmpq(p, q) if fmpq(p, q) ** 2 == of else irrational(near, of))


def _shortened(x: Exact) -> Exact:
    """The same number; a long one, which descends from roots, on a grid (where b and 1 - b still add up to 1)."""
    if isinstance(x.exact, Irrational):
        return x
    p, q = x.exact.p, x.exact.q
    if max(p.bit_length(), q.bit_length()) <= LONG or abs(float(x)) < SMALL:
        return x
    return Exact(float(x), fmpq(((p << (GRID + 1)) + q) // (2 * q)) / fmpq(2) ** GRID)


def _operation(name: str, compute: Operation, flipped: bool) -> Callable[[Exact, Any], Any]:
    plain = getattr(float, name)

    def method(self: Exact, other: Any) -> Any:
        result = plain(self, other)
        if not (_is_finite(other) and _is_finite(result)):
            return result
        a, b = (rational(other), self.exact) if flipped else (self.exact, rational(other))
        return Exact(result, compute(a, b))

    return method


for _name, _compute in {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "truediv": lambda a, b: a / b,
}.items():
    setattr(Exact, f"__{_name}__", _operation(f"__{_name}__", _compute, flipped=False))
    setattr(Exact, f"__r{_name}__", _operation(f"__r{_name}__", _compute, flipped=True))


class _Numpy:
    """NumPy with another square root of scalars."""

    def __init__(self, sqrt: Callable[[Any], Any]) -> None:
        self.sqrt = sqrt

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


@contextmanager
def exact_roots(module: Any, sqrt: Callable[[Any], Any] = root) -> Iterator[None]:
    """The module's `sqrt` and `np.sqrt` replaced by `root` or `field_root`, inside the block."""
    kept = {name: getattr(module, name) for name in ("sqrt", "np") if hasattr(module, name)}
    for name in kept:
        setattr(module, name, sqrt if name == "sqrt" else _Numpy(sqrt))
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(module, name, value)


@contextmanager
def exact_expressions(shorten: bool = True) -> Iterator[None]:
    """PEPit's points and expressions with exact coefficients (long ones shortened, if asked for), inside the block."""
    from PEPit.expression import Expression
    from PEPit.point import Point

    originals = [(Point, "__rmul__"), (Expression, "__rmul__"), (Expression, "__add__")]
    kept = [(owner, name, getattr(owner, name)) for owner, name in originals]

    def on_exact(method: Operation) -> Operation:
        kept_as = _shortened if shorten else Exact
        return lambda self, other: method(self, kept_as(Exact(other)) if _is_finite(other) else other)

    for owner, name, method in kept:
        setattr(owner, name, on_exact(method))
    try:
        yield
    finally:
        for owner, name, method in kept:
            setattr(owner, name, method)
