"""Symbols for proofs: real variables made by the kernel, which knows their exact domain.

A sympy symbol may carry assumptions that sympy uses silently (`zero=True` makes `x*y` vanish), so a proof accepts
only symbols that were made here: always real, perhaps integer, with exact bounds. The bounds are facts that the
positivity certificates may use, and the domain that a proof covers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from flint import fmpq, fmpz

from theorems.kernel.outcome import KernelError
from theorems.kernel.values import rational


@dataclass(frozen=True, slots=True)
class Domain:
    """An interval of the real line, or the integers in it.

    Attributes:
        lower, upper: exact ends, None where unbounded.
        lower_open, upper_open: whether the end itself is excluded.
        integer: whether only integers are meant.
    """

    lower: fmpq | None = None
    upper: fmpq | None = None
    lower_open: bool = False
    upper_open: bool = False
    integer: bool = False

    def contains(self, value: fmpq) -> bool:
        """Whether an exact number lies in the domain."""
        if self.integer and value.q != 1:
            return False
        if self.lower is not None and (value < self.lower or (self.lower_open and value == self.lower)):
            return False
        return self.upper is None or value < self.upper or (not self.upper_open and value == self.upper)

    def surely_contains(self, ball: Any) -> bool:
        """Whether a whole ball lies inside; never true of an integer domain."""
        if self.integer:
            return False
        above = self.lower is None or bool(ball > self.lower if self.lower_open else ball >= self.lower)
        below = self.upper is None or bool(ball < self.upper if self.upper_open else ball <= self.upper)
        return above and below

    def words(self, name: str) -> str:
        """The domain as people write it: `x > 0`, `0 <= u < 1`, `real x`."""
        kind = "integer " if self.integer else ""
        low = "" if self.lower is None else f"{self.lower} {'<' if self.lower_open else '<='} "
        high = "" if self.upper is None else f" {'<' if self.upper_open else '<='} {self.upper}"
        if low and not high:
            return f"{kind}{name} {'>' if self.lower_open else '>='} {self.lower}"
        return f"{kind}{low}{name}{high}" if high else f"{kind or 'real '}{name}"


REAL = Domain()
POSITIVE = Domain(lower=fmpq(0), lower_open=True)
NONNEGATIVE = Domain(lower=fmpq(0))


@cache
def _symbol_class() -> Any:
    import sympy

    class KernelSymbol(sympy.Symbol):  # type: ignore[misc]
        """A sympy symbol that knows its domain; symbols of different domain are different."""

        domain: Domain

        def __new__(cls, name: str, domain: Domain) -> Any:
            made = sympy.Symbol.__xnew__(cls, name, **_assumptions(domain))
            made.domain = domain
            return made

        def __getnewargs_ex__(self) -> Any:
            return (self.name, self.domain), {}

        def _hashable_content(self) -> Any:
            return (self.name, self.domain.words("."))

    return KernelSymbol


def _assumptions(domain: Domain) -> dict[str, bool]:
    """What sympy may know: it follows from the domain, and never more."""
    known = {"real": True}
    if domain.integer:
        known["integer"] = True
    if domain.lower is not None and domain.lower >= 0:
        known["positive" if domain.lower > 0 or domain.lower_open else "nonnegative"] = True
    elif domain.upper is not None and domain.upper <= 0:
        known["negative" if domain.upper < 0 or domain.upper_open else "nonpositive"] = True
    return known


def symbols(
    names: str,
    *,
    positive: bool = False,
    nonnegative: bool = False,
    integer: bool = False,
    lower: Any = None,
    upper: Any = None,
    above: Any = None,
    below: Any = None,
) -> Any:
    """Real symbols for a proof.

    Args:
        names: names separated by spaces or commas; `"x:5"` makes x0, ..., x4 (as in sympy).
        positive, nonnegative: shorthand for `above=0` and `lower=0`.
        integer: only integer values are meant.
        lower, upper: closed exact bounds.
        above, below: open exact bounds.

    Returns:
        One sympy symbol, or a tuple of them.

    Raises:
        KernelError: for a float as a bound, or a domain without interior (without an integer).
    """
    import sympy

    domain = _domain(positive, nonnegative, integer, lower, upper, above, below)
    kind = _symbol_class()
    return sympy.symbols(names, cls=lambda name, **_: kind(name, domain))


def matrix_symbols(name: str, rows: int, cols: int | None = None, *, symmetric: bool = False, **facts: Any) -> Any:
    """A matrix (rows, cols) of symbols `name_11`, `name_12`, ...

    Args:
        name: stem of the names of the entries.
        rows, cols: shape; square when `cols` is left out.
        symmetric: entry (i, j) and entry (j, i) are one symbol.
        **facts: what `symbols` takes, for every entry.
    """
    import sympy

    cols = rows if cols is None else cols
    if rows < 1 or cols < 1:
        raise KernelError(f"matrix_symbols({name!r}, {rows}, {cols}): at least one row and one column")
    if symmetric and rows != cols:
        raise KernelError(f"matrix_symbols({name!r}, {rows}, {cols}, symmetric=True): a symmetric matrix is square")
    gap = "_" if max(rows, cols) > 9 else ""

    def entry(i: int, j: int) -> Any:
        if symmetric and i > j:
            i, j = j, i
        return symbols(f"{name}_{i + 1}{gap}{j + 1}", **facts)

    return sympy.ImmutableMatrix(rows, cols, lambda i, j: entry(int(i), int(j)))


def functions(names: str) -> Any:
    """Undefined real functions of one real variable, as often differentiable as a proof asks.

    Args:
        names: names separated by spaces or commas; then `phi(x)`, `phi(x).diff(x)`, ... are values of one function.

    Returns:
        One sympy function, or a tuple of them.
    """
    import sympy

    made = tuple(sympy.Function(name, real=True) for name in names.replace(",", " ").split())
    return made[0] if len(made) == 1 else made


def applied(expr: Any) -> tuple[str, int, Any] | None:
    """`f(u)` or a derivative `f^(n)` at u of an undefined function: its name, n and u; None for anything else."""
    import sympy
    from sympy.core.function import AppliedUndef

    if isinstance(expr, AppliedUndef):
        name = type(expr).__name__
        if len(expr.args) != 1 or expr.func != sympy.Function(name, real=True):
            raise KernelError(f"the function {name} was not made by the kernel; write `{name} = functions({name!r})`")
        return name, 0, expr.args[0]
    at = None
    if isinstance(expr, sympy.Subs) and len(expr.variables) == 1:
        inner, variable, at = expr.expr, expr.variables[0], expr.point[0]
    elif isinstance(expr, sympy.Derivative):
        inner, variable = expr, expr.variables[0]
        at = variable
    if at is None or not isinstance(inner, sympy.Derivative) or len(inner.variable_count) != 1:
        return None
    found = applied(inner.expr)
    if found is None or found[1] != 0 or found[2] != variable or inner.variables[0] != variable:
        return None
    return found[0], int(inner.derivative_count), at


def _domain(positive: bool, nonnegative: bool, integer: bool, lower: Any, upper: Any, above: Any, below: Any) -> Domain:
    if (lower is not None) + (above is not None) + positive + nonnegative > 1:
        raise KernelError("one lower bound only: positive, nonnegative, lower= (closed) or above= (open)")
    if upper is not None and below is not None:
        raise KernelError("one upper bound only: upper= (closed) or below= (open)")
    low = fmpq(0) if positive or nonnegative else _bound("lower", lower if above is None else above)
    high = _bound("upper", upper if below is None else below)
    low_open, high_open = positive or above is not None, below is not None
    if integer:  # the ends become the first and the last integer
        if low is not None:
            low, low_open = fmpq(low.floor() + 1 if low_open else low.ceil()), False
        if high is not None:
            high, high_open = fmpq(high.ceil() - 1 if high_open else high.floor()), False
    domain = Domain(low, high, low_open, high_open, integer)
    if low is not None and high is not None and (low > high or (low == high and not integer)):
        raise KernelError(f"the domain {domain.words('x')} has no interior; write the constant instead of a symbol")
    return domain


def _bound(which: str, value: Any) -> fmpq | None:
    if value is None:
        return None
    if getattr(value, "is_Rational", False):
        return fmpq(int(value.p), int(value.q))
    if isinstance(value, bool) or not isinstance(value, (int, fmpz, fmpq, Fraction)):
        raise KernelError(f"{which} bound {value!r}: give an exact number, e.g. 0 or Fraction(1, 10)")
    return rational(value)


def symbolic(value: Any) -> Any:
    """An exact number for use in symbolic expressions (FLINT's rationals and sympy's symbols do not mix).

    Args:
        value: an int, a Fraction or an fmpq.

    Returns:
        The equal sympy rational.

    Raises:
        KernelError: for anything else.
    """
    import sympy

    if isinstance(value, bool) or not isinstance(value, (int, fmpz, fmpq, Fraction)):
        raise KernelError(f"symbolic({value!r}): give an exact number, e.g. Q(1, 2)")
    exact = rational(value)
    return sympy.Rational(int(exact.p), int(exact.q))


def is_kernel_symbol(symbol: Any) -> bool:
    """Whether a sympy symbol was made by the kernel."""
    return type(symbol) is _symbol_class()


def require_own(*expressions: Any) -> None:
    """Refuse symbols that the kernel did not make.

    Raises:
        KernelError: naming the foreign symbols, with advice.
    """
    foreign = sorted(
        {str(s) for e in expressions for s in e.free_symbols if not is_kernel_symbol(s)},
    )
    if foreign:
        raise KernelError(
            f"the symbols {', '.join(foreign[:8])} were not made by the kernel (their assumptions could decide by "
            'themselves); write `x, y = symbols("x y")` with theorems.kernel.symbols.symbols, where positive=True, '
            "lower=... and upper=... state the domain"
        )


def free_symbols(*expressions: Any) -> list[Any]:
    """The symbols of some expressions, in the order of their names."""
    found = {s for e in expressions for s in e.free_symbols}
    return sorted(found, key=lambda s: (s.name, s.domain.words(".")))


def domain_words(found: Iterable[Any]) -> str:
    """The domain of some symbols in words: `all real x, y; all z > 0`."""
    groups: dict[str, list[str]] = {}
    for s in found:
        groups.setdefault(s.domain.words("\0"), []).append(s.name)
    shown = []
    for pattern, names in groups.items():
        listed = ", ".join(names) if len(names) <= 12 else f"{names[0]}, ..., {names[-1]} ({len(names)} symbols)"
        shown.append("all " + pattern.replace("\0", listed))
    return "; ".join(shown)
