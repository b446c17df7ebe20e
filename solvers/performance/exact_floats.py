"""Doubles that remember the rational number that they stand for.

PEPit computes its coefficients in doubles. A sum of products that cancels exactly in the mathematics then leaves 1e-17, and a worst case
can become infinite by it. Here the same code is run on doubles that carry an exact rational along: literals get the rational that they
were meant to be (`solvers.conic.reconstruct`), sums, products and quotients are exact. A square root is a double again, and stands for itself:
a dyadic number, so that sums of such numbers stay short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite
from typing import Any, TypeGuard

from flint import fmpq

from solvers.conic import reconstruct

SIMPLE, DECIMAL = 1 << 20, 10**15
"""Rationals of denominators up to the first, or dividing the second, are what was meant; other doubles stand for themselves."""
Operation = Callable[[Any, Any], Any]


class Exact(float):
    """A double with the rational `exact` that it stands for."""

    exact: fmpq

    def __new__(cls, value: float, exact: fmpq | None = None) -> Exact:
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


def rational(value: int | float) -> fmpq:
    """The rational that a finite number stands for."""
    if isinstance(value, Exact):
        return value.exact
    if isinstance(value, int):
        return fmpq(int(value))
    meant = reconstruct(float(value))
    simple = meant.q <= SIMPLE or DECIMAL % meant.q == 0
    return meant if simple else fmpq(*float(value).as_integer_ratio())


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


@contextmanager
def exact_expressions() -> Iterator[None]:
    """PEPit's points and expressions with exact coefficients, inside the block."""
    from PEPit.expression import Expression
    from PEPit.point import Point

    originals = [(Point, "__rmul__"), (Expression, "__rmul__"), (Expression, "__add__")]
    kept = [(owner, name, getattr(owner, name)) for owner, name in originals]

    def on_exact(method: Operation) -> Operation:
        return lambda self, other: method(self, Exact(other) if _is_finite(other) else other)

    for owner, name, method in kept:
        setattr(owner, name, on_exact(method))
    try:
        yield
    finally:
        for owner, name, method in kept:
            setattr(owner, name, method)
