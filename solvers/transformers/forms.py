"""Linear forms in named coordinates: how weights are written down so that a network reads like its paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from flint import fmpq, fmpz

Exact: TypeAlias = int | fmpq


@dataclass(frozen=True, slots=True)
class Form:
    """`constant + sum of weight * coordinate`; sums, differences and exact multiples of forms are forms.

    Attributes:
        terms: (coordinate, nonzero weight), each coordinate once.
        constant: the bias.
    """

    terms: tuple[tuple[str, Exact], ...] = ()
    constant: Exact = 0

    def __add__(self, other: Form | Exact | Fraction) -> Form:
        if not isinstance(other, Form):
            return Form(self.terms, exact(self.constant + exact(other)))
        weights = dict(self.terms)
        for name, w in other.terms:
            weights[name] = weights.get(name, 0) + w
        return Form(_nonzero(weights), exact(self.constant + other.constant))

    __radd__ = __add__

    def __neg__(self) -> Form:
        return self * -1

    def __sub__(self, other: Form | Exact | Fraction) -> Form:
        return self + (other * -1 if isinstance(other, Form) else Form((), exact(-other)))

    def __rsub__(self, other: Exact | Fraction) -> Form:
        return (-self).__add__(other)

    def __mul__(self, scalar: Exact | Fraction) -> Form:
        s = exact(scalar)
        return Form(_nonzero({name: w * s for name, w in self.terms}), exact(self.constant * s))

    __rmul__ = __mul__

    def __truediv__(self, scalar: int) -> Form:
        return self.__mul__(fmpq(1, scalar))

    def reads(self) -> Iterable[str]:
        """The coordinates with a nonzero weight."""
        return (name for name, _ in self.terms)

    def numbers(self) -> tuple[Exact, ...]:
        """The parameters: weights in order, then the bias if it is not 0."""
        return (*(w for _, w in self.terms), *((self.constant,) if self.constant != 0 else ()))

    def changed(self, change: Callable[[Exact], Exact]) -> Form:
        """The form with every parameter (as in `numbers`) replaced, in order."""
        weights = {name: change(w) for name, w in self.terms}
        constant = change(self.constant) if self.constant != 0 else 0
        return Form(_nonzero(weights), exact(constant))


Units: TypeAlias = Mapping[str, Form]


def form(name: str) -> Form:
    """The coordinate itself."""
    return Form(((name, 1),))


def constant(value: Exact | Fraction) -> Form:
    """A form without coordinates."""
    return Form((), exact(value))


def total(forms: Iterable[Form]) -> Form:
    """The sum of forms (0 for none)."""
    result = Form()
    for f in forms:
        result = result + f
    return result


def exact(value: int | fmpz | fmpq | Fraction) -> Exact:
    """An exact number as a Python int where it is one, else as a FLINT rational.

    Raises:
        TypeError: for anything inexact.
    """
    if type(value) is int:
        return value
    if isinstance(value, fmpq):
        return int(value.p) if value.q == 1 else value
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else fmpq(value.numerator, value.denominator)
    if isinstance(value, fmpz):
        return int(value)
    raise TypeError(f"{value!r} is no exact number; weights are int, Fraction or fmpq")


def bits(value: Exact) -> int:
    """Bits that write a parameter: a sign, and the bit lengths of numerator and (if it is not 1) denominator."""
    if isinstance(value, int):
        return 1 + abs(value).bit_length()
    return 1 + abs(int(value.p)).bit_length() + (int(value.q).bit_length() if value.q != 1 else 0)


def _nonzero(weights: Mapping[str, Exact]) -> tuple[tuple[str, Exact], ...]:
    return tuple((name, exact(w)) for name, w in weights.items() if w != 0)
