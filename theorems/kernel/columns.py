"""Columns: one exact number an instance, for closed-form checks that take a whole batch at once.

A column holds integers over a common or an own denominator, as NumPy int64 while every entry is proven to fit and as Python
integers from then on. The proof is a bound on the magnitude of all entries, an exact integer that each operation
updates: nothing wraps around, and nothing is rounded. Floats never enter.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import fmpq, fmpz

from theorems.kernel.order import Eq, Le
from theorems.kernel.outcome import KernelError
from theorems.kernel.values import rational

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[Any]
    Mask = NDArray[np.bool_]

WORD = 1 << 62  # magnitudes below this are safe in int64, sums of two included
LONGEST = 1 << 20  # bits of an entry: larger powers are refused


@dataclass(frozen=True, slots=True)
class Whole:
    """Integers with a bound on their magnitude."""

    entries: Ints
    bound: int

    def _wide(self, bound: int) -> Ints:
        """The entries in a form that holds results of magnitude `bound`."""
        if bound < WORD or self.entries.dtype == object:
            return self.entries
        return self.entries.astype(object)

    def __add__(self, other: Whole) -> Whole:
        bound = self.bound + other.bound
        return Whole(self._wide(bound) + other._wide(bound), bound)

    def __sub__(self, other: Whole) -> Whole:
        bound = self.bound + other.bound
        return Whole(self._wide(bound) - other._wide(bound), bound)

    def __mul__(self, other: Whole) -> Whole:
        bound = self.bound * other.bound
        return Whole(self._wide(bound) * other._wide(bound), bound)

    def __neg__(self) -> Whole:
        return Whole(-self.entries, self.bound)

    def magnitude(self) -> Whole:
        """Absolute values."""
        return Whole(abs(self.entries), self.bound)

    def power(self, exponent: Whole) -> Whole:
        """Powers with exponents >= 0."""
        bits = self.bound.bit_length() * exponent.bound
        if bits > LONGEST:
            raise KernelError(f"a power of a column may have {bits} bits; at most {LONGEST} are computed")
        bound = max(self.bound, 1) ** exponent.bound
        base, top = self._wide(bound), exponent.entries
        return Whole(base ** (top if base.dtype != object else top.astype(object)), bound)


def whole(entries: Any) -> Whole:
    """Integers from an int64 array or a sequence of Python integers."""
    import numpy as np

    if isinstance(entries, np.ndarray) and entries.dtype == np.int64:
        bound = max(-int(entries.min(initial=0)), int(entries.max(initial=0)))
    else:
        values = [int(e) for e in entries]
        bound = max(map(abs, values), default=0)
        entries = np.array(values, dtype=np.int64 if bound < WORD else object)
    return Whole(entries if bound < WORD else entries.astype(object), bound)


class Column:
    """Exact rationals p/q, one an instance.

    `+ - * /`, `abs`, `**` with integer exponents, and for integers `//` and `%`, give columns; comparisons give NumPy masks, to be
    joined by `&`, `|` and `~`. A column has no truth value of its own.
    """

    __slots__ = ("p", "q")
    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # NumPy must not take a column apart

    def __init__(self, p: Whole, q: Whole | None = None) -> None:
        self.p, self.q = p, q

    def __len__(self) -> int:
        return len(self.p.entries)

    def at(self, row: int) -> fmpq:
        """One entry."""
        return fmpq(int(self.p.entries[row]), 1 if self.q is None else int(self.q.entries[row]))

    def kept(self, rows: Any) -> Column:
        """Some rows (indices or a mask)."""
        q = None if self.q is None else Whole(self.q.entries[rows], self.q.bound)
        return Column(Whole(self.p.entries[rows], self.p.bound), q)

    def __repr__(self) -> str:
        return f"column of {len(self)} {'integers' if self.q is None else 'rationals'}"

    def __bool__(self) -> bool:
        raise KernelError("a column has no truth value; compare columns to get masks, and join masks with & | ~")

    def __neg__(self) -> Column:
        return Column(-self.p, self.q)

    def __pos__(self) -> Column:
        return self

    def __abs__(self) -> Column:
        return Column(self.p.magnitude(), self.q)

    def __add__(self, other: Any) -> Column:
        o = column(other, len(self))
        if self.q is o.q:
            return Column(self.p + o.p, self.q)
        (a, b), q = _common(self, o)
        return Column(a + b, q)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Column:
        return self + -column(other, len(self))

    def __rsub__(self, other: Any) -> Column:
        return column(other, len(self)) + -self

    def __mul__(self, other: Any) -> Column:
        o = column(other, len(self))
        q = o.q if self.q is None else self.q if o.q is None else self.q * o.q
        return Column(self.p * o.p, q)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Column:
        return self * column(other, len(self)).inverse()

    def __rtruediv__(self, other: Any) -> Column:
        return column(other, len(self)) * self.inverse()

    def inverse(self) -> Column:
        """1 / x; no entry may be 0."""
        import numpy as np

        if (self.p.entries == 0).any():
            raise KernelError("a column is divided by a column with an entry 0")
        sign = np.where(self.p.entries < 0, -1, 1).astype(np.int64)
        one = whole(sign)
        return Column(one if self.q is None else self.q * one, self.p.magnitude())

    def __pow__(self, exponent: Any) -> Column:
        if isinstance(exponent, int) and not isinstance(exponent, bool) and exponent < 0:
            return self.inverse() ** -exponent
        n = column(exponent, len(self))
        if n.q is not None or (n.p.entries < 0).any():
            raise KernelError("a power of a column takes integer exponents, and a column of them none below 0")
        return Column(self.p.power(n.p), None if self.q is None else self.q.power(n.p))

    def __rpow__(self, base: Any) -> Column:
        return column(base, len(self)) ** self

    def __floordiv__(self, other: Any) -> Column:
        a, b = self._integers(other)
        return Column(Whole(a.entries // b._wide(a.bound), a.bound))

    def __mod__(self, other: Any) -> Column:
        a, b = self._integers(other)
        return Column(Whole(a._wide(b.bound) % b._wide(a.bound), b.bound))

    def _integers(self, other: Any) -> tuple[Whole, Whole]:
        o = column(other, len(self))
        if self.q is not None or o.q is not None:
            raise KernelError("// and % are for columns of integers")
        if (o.p.entries == 0).any():
            raise KernelError("a column is divided by a column with an entry 0")
        return self.p, o.p

    def _sides(self, other: Any) -> tuple[Ints, Ints]:
        (a, b), _ = _common(self, column(other, len(self)))
        return a.entries, b.entries

    def __eq__(self, other: object) -> Any:
        a, b = self._sides(other)
        return _mask(a == b)

    def __ne__(self, other: object) -> Any:
        return ~self.__eq__(other)

    def __lt__(self, other: Any) -> Any:
        a, b = self._sides(other)
        return _mask(a < b)

    def __le__(self, other: Any) -> Any:
        a, b = self._sides(other)
        return _mask(a <= b)

    def __gt__(self, other: Any) -> Any:
        return ~self.__le__(other)

    def __ge__(self, other: Any) -> Any:
        return ~self.__lt__(other)


def _mask(compared: Any) -> Mask:
    import numpy as np

    return np.asarray(compared, dtype=bool)


def column(value: Any, rows: int) -> Column:
    """A column as it is, or an exact number in every row.

    Raises:
        KernelError: for anything else, with advice.
    """
    if isinstance(value, Column):
        if len(value) != rows:
            raise KernelError(f"a column of {len(value)} rows stands beside one of {rows}")
        return value
    if isinstance(value, (int, fmpz, fmpq, Fraction)) and not isinstance(value, bool):
        import numpy as np

        x = rational(value)
        parts = []
        for n in (int(x.p), int(x.q)):
            kind: Any = np.int64 if abs(n) < WORD else object
            parts.append(Whole(np.full(rows, n, dtype=kind), abs(n)))
        return Column(parts[0], None if int(x.q) == 1 else parts[1])
    raise KernelError(
        f"a {type(value).__name__} meets a column of exact numbers; with vectorize=True compute with the columns themselves and "
        "with int, Fraction or Q(p, q)"
    )


def _common(a: Column, b: Column) -> tuple[tuple[Whole, Whole], Whole | None]:
    """Numerators over one (positive) denominator."""
    if a.q is b.q:
        return (a.p, b.p), a.q
    if a.q is None:
        return (a.p * b.q, b.p), b.q  # type: ignore[operator]
    if b.q is None:
        return (a.p, b.p * a.q), a.q
    return (a.p * b.q, b.p * a.q), a.q * b.q


@dataclass(frozen=True, slots=True)
class Rows:
    """The kernel's answer to one comparison on a batch.

    Attributes:
        lhs, rhs: both sides.
        holds: row by row, whether the comparison was decided in favour (else it was decided against).
        slack: relative slacks as doubles, for finding the tightest row and for plots; they decide nothing.
    """

    lhs: Column
    rhs: Column
    holds: Mask
    slack: NDArray[np.float64]


def answer_rows(comparison: Any, rows: int) -> Rows:
    """Decide a comparison in every row.

    Args:
        comparison: `eq`, `le` or `lt` of columns and exact numbers.
        rows: the number of rows.

    Raises:
        KernelError: for other comparisons, or sides that are no columns.
    """
    import numpy as np

    if not isinstance(comparison, (Eq, Le)) or callable(comparison.lhs) or comparison.within is not None:
        raise KernelError("with vectorize=True a check yields eq, le or lt of columns, without thunks and within=")
    lhs, rhs = column(comparison.lhs, rows), column(comparison.rhs, rows)
    (a, b), _ = _common(lhs, rhs)
    if isinstance(comparison, Eq):
        return Rows(lhs, rhs, _mask(a.entries == b.entries), np.zeros(rows))
    holds = _mask(a.entries < b.entries if comparison.strict else a.entries <= b.entries)
    scale = np.maximum(abs(a.entries), abs(b.entries))
    scale = np.where(scale == 0, 1, scale)
    return Rows(lhs, rhs, holds, np.asarray((b - a).entries / scale, dtype=float))
