"""Parameter domains: where the values of an instance come from.

One declaration serves three uses: seeded sampling with corners first, exhaustive enumeration where the domain is
finite, and a Hypothesis strategy. Every domain also knows which values are simpler, so that counterexamples shrink.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

from flint import arb, fmpq, fmpq_mat, fmpz, fmpz_mat

from theorems.kernel.values import rational
from theorems.seeds import Words

Exact: TypeAlias = Any  # int, fmpq, fmpz or Fraction; kept as fmpq


class DomainError(ValueError):
    """A domain that cannot be sampled; the message says what would be accepted."""


class Domain(Protocol):
    """What the suite asks of a domain."""

    def sample(self, words: Words) -> Any:
        """A random value."""
        ...

    def corners(self) -> Sequence[Any]:
        """The values tried first, in a fixed order: ends, 0, 1, -1, near-ends."""
        ...

    def size(self) -> int | None:
        """The number of values, or None when there is no exhaustive enumeration."""
        ...

    def values(self) -> Iterator[Any]:
        """All values of a finite domain, in a fixed order."""
        ...

    def contains(self, value: Any) -> bool:
        """Whether `value` belongs to the domain."""
        ...

    def simpler(self, value: Any) -> Iterator[Any]:
        """Simpler values of the domain, simplest first."""
        ...

    def strategy(self) -> Any:
        """The same domain as a Hypothesis strategy."""
        ...

    def __str__(self) -> str: ...


def _check_order(name: str, low: Any, high: Any) -> None:
    if low > high:
        raise DomainError(f"{name}({low}, {high}) is empty: the lower end exceeds the upper end")


def _exact_end(name: str, end: Any) -> fmpq:
    if isinstance(end, (bool, float)) or not isinstance(end, (int, fmpq, fmpz, Fraction)):
        raise DomainError(f"{name}: the end {end!r} is no exact number; use int, Fraction or Q(p, q)")
    return rational(end)


@dataclass(frozen=True)
class Integers:
    """The integers `low <= n <= high`."""

    low: int
    high: int

    def __post_init__(self) -> None:
        for end in (self.low, self.high):
            if isinstance(end, bool) or not isinstance(end, int):
                raise DomainError(f"Integers: the end {end!r} is no int")
        _check_order("Integers", self.low, self.high)

    def sample(self, words: Words) -> int:
        return words.between(self.low, self.high)

    def corners(self) -> list[int]:
        near = [self.low, self.high, 0, 1, -1, self.low + 1, self.high - 1]
        return list(dict.fromkeys(n for n in near if self.low <= n <= self.high))

    def size(self) -> int:
        return self.high - self.low + 1

    def values(self) -> Iterator[int]:
        return iter(range(self.low, self.high + 1))

    def contains(self, value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high

    def simpler(self, value: int) -> Iterator[int]:
        origin = min(max(0, self.low), self.high)
        seen = {value}
        for n in (origin, 1, -1, *_halfway(origin, value)):
            if n not in seen and self.low <= n <= self.high and abs(n - origin) < abs(value - origin):
                seen.add(n)
                yield n

    def strategy(self) -> Any:
        from hypothesis import strategies as st

        return st.integers(self.low, self.high)

    def __str__(self) -> str:
        return f"integers {self.low}..{self.high}"


def _halfway(origin: int, value: int) -> Iterator[int]:
    step = value - origin
    while abs(step) > 1:
        step = int(step / 2) if abs(step) < 2**50 else step // 2
        yield value - step
    for step in (2, 1):  # by two first: a counterexample may need its parity
        if abs(value - origin) >= step:
            yield value - (step if value > origin else -step)


@dataclass(frozen=True)
class Rationals:
    """The rationals `low <= x <= high` with denominator at most `denominator`; ends excluded where stated.

    The sampler takes small denominators often (half of the draws have denominator <= 12), which meets ties.
    """

    low: Exact
    high: Exact
    denominator: int = 1000
    open: str = ""

    def __post_init__(self) -> None:
        low, high = _exact_end("Rationals", self.low), _exact_end("Rationals", self.high)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        _check_order("Rationals", low, high)
        if self.denominator < 1:
            raise DomainError(f"Rationals: denominator={self.denominator}; at least 1 is expected")
        if self.open not in ("", "left", "right", "both"):
            raise DomainError(f"Rationals: open={self.open!r}; '', 'left', 'right' or 'both' is expected")
        if low == high and self.open:
            raise DomainError(f"Rationals({low}, {high}, open={self.open!r}) is empty")

    def _inside(self, x: fmpq) -> bool:
        if x == self.low and self.open in ("left", "both"):
            return False
        if x == self.high and self.open in ("right", "both"):
            return False
        return bool(self.low <= x <= self.high)

    def sample(self, words: Words) -> fmpq:
        small = words.below(2) == 0
        top = min(12, self.denominator) if small else self.denominator
        for _ in range(64):
            d = words.between(1, top)
            first, last = _ceil(self.low * d), _floor(self.high * d)
            if first <= last:
                x = fmpq(words.between(first, last), d)
                if self._inside(x):
                    return x
            top = self.denominator
        return self._between(words)

    def _between(self, words: Words) -> fmpq:
        """A value of a domain too narrow for the declared denominators: a proper mixture of its ends."""
        n = 2**20 - 3
        t = fmpq(words.between(1, n - 1), n)
        return self.low + t * (self.high - self.low)

    def corners(self) -> list[fmpq]:
        width = self.high - self.low
        step = width / self.denominator
        near = [
            self.low, self.high, fmpq(0), fmpq(1), fmpq(-1), (self.low + self.high) / 2,
            self.low + step, self.high - step,
        ]  # fmt: skip
        return list(dict.fromkeys(x for x in near if self._inside(x)))

    def size(self) -> int | None:
        return 1 if self.low == self.high else None

    def values(self) -> Iterator[fmpq]:
        if self.size() is None:
            raise DomainError(
                f"{self} cannot be enumerated; use Choices(...) or Integers(...) for an exhaustive family"
            )
        return iter([self.low])

    def contains(self, value: Any) -> bool:
        return isinstance(value, (int, fmpq, fmpz, Fraction)) and self._inside(rational(value))

    def simpler(self, value: fmpq) -> Iterator[fmpq]:
        size = _complexity(value)
        seen = set()
        d = int(value.q)
        candidates = [fmpq(0), fmpq(1), fmpq(-1), self.low, self.high]
        candidates += [fmpq(_floor(value)), fmpq(_ceil(value))]
        candidates += [fmpq(_floor(value * k), k) for k in (2, 3, 4, 6, 10, 12, 100) if k < d]
        candidates += [fmpq(_ceil(value * k), k) for k in (2, 3, 4, 6, 10, 12, 100) if k < d]
        for x in candidates:
            if x not in seen and self._inside(x) and _complexity(x) < size:
                seen.add(x)
                yield x

    def strategy(self) -> Any:
        from hypothesis import strategies as st

        low, high = Fraction(int(self.low.p), int(self.low.q)), Fraction(int(self.high.p), int(self.high.q))
        top = max(self.denominator, low.denominator, high.denominator)
        return (
            st.fractions(low, high, max_denominator=top)
            .map(rational)
            .filter(self._inside)
        )  # fmt: skip

    def __str__(self) -> str:
        left = "(" if self.open in ("left", "both") else "["
        right = ")" if self.open in ("right", "both") else "]"
        return f"rationals in {left}{self.low}, {self.high}{right}"


def _complexity(x: fmpq) -> tuple[int, int, int]:
    return int(x.q), abs(int(x.p)), int(x.p < 0)


def _floor(x: fmpq) -> int:
    return int(x.p) // int(x.q)


def _ceil(x: fmpq) -> int:
    return -(-int(x.p) // int(x.q))


@dataclass(frozen=True)
class Dyadics:
    """The numbers k / 2^bits in [low, high]: dyadic on purpose."""

    low: Exact
    high: Exact
    bits: int = 20

    def __post_init__(self) -> None:
        low, high = _exact_end("Dyadics", self.low), _exact_end("Dyadics", self.high)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        if self._range().size() == 0:
            raise DomainError(f"Dyadics({low}, {high}, bits={self.bits}) is empty")

    def _range(self) -> Integers:
        return Integers(_ceil(self.low * 2**self.bits), _floor(self.high * 2**self.bits))

    def sample(self, words: Words) -> fmpq:
        return fmpq(self._range().sample(words), 2**self.bits)

    def corners(self) -> list[fmpq]:
        scale = 2**self.bits
        ends = self._range()
        units = [n for n in (0, scale, -scale) if ends.contains(n)]
        return list(dict.fromkeys(fmpq(k, scale) for k in (*ends.corners(), *units)))

    def size(self) -> int:
        return self._range().size()

    def values(self) -> Iterator[fmpq]:
        return (fmpq(k, 2**self.bits) for k in self._range().values())

    def contains(self, value: Any) -> bool:
        if not isinstance(value, (int, fmpq, fmpz, Fraction)):
            return False
        x = rational(value) * 2**self.bits
        return int(x.q) == 1 and self._range().contains(int(x.p))

    def simpler(self, value: fmpq) -> Iterator[fmpq]:
        scale = 2**self.bits
        return (fmpq(k, scale) for k in self._range().simpler(int((value * scale).p)))

    def strategy(self) -> Any:
        return self._range().strategy().map(lambda k: fmpq(k, 2**self.bits))

    def __str__(self) -> str:
        return f"dyadics k/2^{self.bits} in [{self.low}, {self.high}]"


@dataclass(frozen=True)
class Reals:
    """Generic reals in [low, high], as exact rationals with about `digits` significant digits.

    `log=True` spreads them evenly over orders of magnitude (then 0 < low). A check that needs balls builds them inside
    its thunk, `arb(x)`, so that they sharpen with the precision.
    """

    low: Exact
    high: Exact
    log: bool = False
    digits: int = 9

    def __post_init__(self) -> None:
        low, high = _exact_end("Reals", self.low), _exact_end("Reals", self.high)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        _check_order("Reals", low, high)
        if self.log and low <= 0:
            raise DomainError(f"Reals({low}, {high}, log=True): the lower end must be positive")

    def sample(self, words: Words) -> fmpq:
        n = 10**self.digits
        t = fmpq(words.between(0, n), n)
        if not self.log or self.low == self.high:
            return self.low + t * (self.high - self.low)
        ratio = self.high / self.low
        x = self.low * _rounded((arb(ratio).log() * arb(t)).exp(), self.digits)
        return min(max(x, self.low), self.high)

    def corners(self) -> list[fmpq]:
        near = [self.low, self.high, fmpq(0), fmpq(1), fmpq(-1), (self.low + self.high) / 2]
        return list(dict.fromkeys(x for x in near if self.low <= x <= self.high))

    def size(self) -> int | None:
        return 1 if self.low == self.high else None

    def values(self) -> Iterator[fmpq]:
        if self.size() is None:
            raise DomainError(
                f"{self} cannot be enumerated; use Choices(...) or Integers(...) for an exhaustive family"
            )
        return iter([self.low])

    def contains(self, value: Any) -> bool:
        return isinstance(value, (int, fmpq, fmpz, Fraction)) and bool(self.low <= rational(value) <= self.high)

    def simpler(self, value: fmpq) -> Iterator[fmpq]:
        return Rationals(self.low, self.high, 10**self.digits).simpler(value)

    def strategy(self) -> Any:
        return Rationals(self.low, self.high, 10**self.digits).strategy()

    def __str__(self) -> str:
        return f"reals in [{self.low}, {self.high}]{' (log-uniform)' if self.log else ''}"


def _rounded(x: arb, digits: int) -> fmpq:
    """The rational with denominator 10^digits * 3 nearest to the midpoint of a ball of relative radius < 1e-12."""
    scale = 3 * 10**digits
    nearest = (x * scale + arb(fmpq(1, 2))).mid().floor()
    return fmpq(int(nearest.unique_fmpz()), scale)


class Choices:
    """A finite list of values, the first the simplest."""

    def __init__(self, *options: Any) -> None:
        if not options:
            raise DomainError("Choices() is empty: give at least one value")
        self.options = options

    def sample(self, words: Words) -> Any:
        return self.options[words.below(len(self.options))]

    def corners(self) -> Sequence[Any]:
        return self.options

    def size(self) -> int:
        return len(self.options)

    def values(self) -> Iterator[Any]:
        return iter(self.options)

    def contains(self, value: Any) -> bool:
        return any(value is o or (type(value) is type(o) and value == o) for o in self.options)

    def simpler(self, value: Any) -> Iterator[Any]:
        for option in self.options:
            if option is value or option == value:
                return
            yield option

    def strategy(self) -> Any:
        from hypothesis import strategies as st

        return st.sampled_from(self.options)

    def __str__(self) -> str:
        shown = ", ".join(str(o) for o in self.options[:8])
        return f"one of {shown}{', ...' if len(self.options) > 8 else ''}"


class Booleans(Choices):
    """False or True."""

    def __init__(self) -> None:
        super().__init__(False, True)


@dataclass(frozen=True)
class Arrays:
    """Arrays with entries from one domain: tuples in one dimension, FLINT matrices in two.

    Args:
        entry: domain of the entries (in two dimensions: Integers give an fmpz_mat, exact numbers an fmpq_mat, anything
            else a tuple of rows).
        shape: `(length,)` or `(rows, columns)`.
    """

    entry: Domain
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.shape) not in (1, 2) or any(n < 1 for n in self.shape):
            raise DomainError(f"Arrays: shape={self.shape}; (length,) or (rows, columns) of positive ints is expected")

    def _length(self) -> int:
        n = 1
        for size in self.shape:
            n *= size
        return n

    def _pack(self, entries: Sequence[Any]) -> Any:
        if len(self.shape) == 1:
            return tuple(entries)
        rows, cols = self.shape
        if isinstance(self.entry, Integers):
            return fmpz_mat(rows, cols, list(entries))
        if all(isinstance(e, (int, fmpq)) and not isinstance(e, bool) for e in entries):
            return fmpq_mat(rows, cols, list(entries))
        return tuple(tuple(entries[i * cols : (i + 1) * cols]) for i in range(rows))

    def _unpack(self, value: Any) -> list[Any]:
        if isinstance(value, fmpz_mat):
            return [int(e) for e in value.entries()]
        if isinstance(value, fmpq_mat):
            return list(value.entries())
        return list(value) if len(self.shape) == 1 else [e for row in value for e in row]

    def sample(self, words: Words) -> Any:
        return self._pack([self.entry.sample(words) for _ in range(self._length())])

    def corners(self) -> list[Any]:
        """Constant arrays, then (for numbers) the unit pattern: ones on the diagonal or in the first place."""
        corners = [self._pack([c] * self._length()) for c in self.entry.corners()[:4]]
        if self.entry.contains(0) and self.entry.contains(1):
            cols = self.shape[-1]
            zero, one = (0, 1) if isinstance(self.entry, Integers) else (fmpq(0), fmpq(1))
            unit = [one if k % cols == k // cols else zero for k in range(self._length())]
            corners.append(self._pack(unit))
        return corners

    def size(self) -> int | None:
        entry = self.entry.size()
        return None if entry is None else entry ** self._length()

    def values(self) -> Iterator[Any]:
        for entries in itertools.product(list(self.entry.values()), repeat=self._length()):
            yield self._pack(entries)

    def contains(self, value: Any) -> bool:
        try:
            entries = self._unpack(value)
        except TypeError:
            return False
        return len(entries) == self._length() and all(self.entry.contains(e) for e in entries)

    def simpler(self, value: Any) -> Iterator[Any]:
        entries = self._unpack(value)
        for k, e in enumerate(entries):
            for candidate in itertools.islice(self.entry.simpler(e), 4):
                yield self._pack([*entries[:k], candidate, *entries[k + 1 :]])

    def strategy(self) -> Any:
        from hypothesis import strategies as st

        n = self._length()
        return st.lists(self.entry.strategy(), min_size=n, max_size=n).map(self._pack)

    def __str__(self) -> str:
        return f"arrays of shape {self.shape} of {self.entry}"


class Given:
    """A domain that depends on parameters declared before it: `p=Given(lambda n: Integers(n + 1, 2 * n))`."""

    def __init__(self, build: Callable[..., Any]) -> None:
        self.build = build
        self.needs = tuple(inspect.signature(build).parameters)

    def resolve(self, instance: dict[str, Any]) -> Any:
        """The domain (or constant) for an instance whose earlier parameters are known."""
        return as_domain(self.build(**{name: instance[name] for name in self.needs}))

    def __str__(self) -> str:
        return f"given {', '.join(self.needs)}"


class ByBudget:
    """A domain (or constant) that depends on the budget: `n=ByBudget(quick=Integers(2, 5), full=Integers(2, 6))`."""

    def __init__(self, *, quick: Any, full: Any) -> None:
        self.quick, self.full = quick, full

    def at(self, budget: str) -> Any:
        """The domain for `quick` or `full`."""
        return self.quick if budget == "quick" else self.full


_DOMAIN_METHODS = ("sample", "corners", "size", "values", "contains", "simpler", "strategy")


def is_domain(value: Any) -> bool:
    """Whether `value` has the methods of a domain."""
    return all(hasattr(value, m) for m in _DOMAIN_METHODS)


def as_domain(value: Any) -> Any:
    """A domain as it is; any other value as the only choice."""
    if isinstance(value, Given) or is_domain(value):
        return value
    return Choices(value)
