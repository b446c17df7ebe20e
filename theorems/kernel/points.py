"""Exact points of a domain, and the value of an expression at a point, without any canonical form.

This is the independent witness of a proof: sides are evaluated separately by rational arithmetic, and by balls where
a root or a function leaves the rationals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

from flint import arb, fmpq, fmpz

from theorems.kernel.outcome import KernelError
from theorems.kernel.symbols import Domain, applied

Value = Any  # fmpq or arb
Point = dict[Any, Value]

MOST_BITS = 10_000_000
_BALL_METHODS = {
    "exp": "exp", "log": "log", "sin": "sin", "cos": "cos", "tan": "tan", "atan": "atan", "asin": "asin",
    "acos": "acos", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "asinh": "asinh", "acosh": "acosh",
    "atanh": "atanh", "gamma": "gamma", "loggamma": "lgamma", "erf": "erf", "erfc": "erfc", "floor": "floor",
    "ceiling": "ceil",
}  # fmt: skip
_EXACT_VALUES = {"exp": (0, 1), "log": (1, 0), "sin": (0, 0), "cos": (0, 1), "tan": (0, 0), "sinh": (0, 0),
                 "cosh": (0, 1), "tanh": (0, 0), "atan": (0, 0), "asinh": (0, 0), "erf": (0, 0)}  # fmt: skip


class Undefined(Exception):
    """The expression has no real value at the point (or none was found at this precision)."""


def value_at(expr: Any, point: Point, memo: dict[Any, Value] | None = None) -> Value:
    """The value of an expression at a point: a rational where rational arithmetic suffices, else a ball.

    Args:
        expr: sympy expression.
        point: symbol -> fmpq or arb.
        memo: values of subexpressions at the same point, shared between calls.

    Raises:
        Undefined: at a pole, at a root of a negative number, or where a ball is not finite.
    """
    memo = {} if memo is None else memo
    if expr in memo:
        return memo[expr]
    if expr.is_Rational:
        value: Value = fmpq(int(expr.p), int(expr.q))
    elif expr.is_Symbol:
        value = point[expr]
    elif expr.is_Add:
        value = fmpq(0)
        for a in expr.args:
            value = value + value_at(a, point, memo)
    elif expr.is_Mul:
        value = fmpq(1)
        for a in expr.args:
            value = value * value_at(a, point, memo)
    elif expr.is_Pow:
        value = power_at(value_at(expr.base, point, memo), value_at(expr.exp, point, memo))
    else:
        value = _other(expr, point, memo)
    if isinstance(value, arb) and not value.is_finite():
        raise Undefined(f"{type(expr).__name__} is not finite")
    memo[expr] = value
    return value


def _other(expr: Any, point: Point, memo: dict[Any, Value]) -> Value:
    name = str(expr) if expr.is_Atom else type(expr).__name__
    if name == "pi":
        return arb.pi()
    if name == "E":
        return arb.const_e()
    if name == "EulerGamma":
        return arb.const_euler()
    if name == "GoldenRatio":
        return (arb(5).sqrt() + 1) / 2
    undefined = applied(expr)
    if undefined is not None:
        return _drawn(*undefined[:2], value_at(undefined[2], point, memo))
    args = [value_at(a, point, memo) for a in expr.args]
    if name == "Abs":
        return abs(args[0])
    if name in ("Max", "Min"):
        return _extreme(args, 1 if name == "Max" else -1)
    if name == "factorial":
        args, name = [args[0] + 1], "gamma"
    method = _BALL_METHODS.get(name)
    if method is None or len(args) != 1:
        raise KernelError(f"no exact evaluation of {name}")
    x = args[0]
    if isinstance(x, fmpq):
        at, result = _EXACT_VALUES.get(name, (None, 0))
        if at is not None and x == at:
            return fmpq(result)
        if name in ("floor", "ceiling"):
            return fmpq(-((-x.p) // x.q) if name == "ceiling" else x.p // x.q)
        x = arb(x)
    return getattr(x, method)()


def _drawn(name: str, order: int, at: Value) -> fmpq:
    """The value of the order-th derivative of an undefined function at a rational point.

    Some polynomial takes all the values drawn in a run (Hermite interpolation), so they are those of a function.
    """
    if not isinstance(at, fmpq):
        raise Undefined(f"{name} at a point that is not rational")
    rng = Random(f"{name} {order} {at}")
    return fmpq(rng.randint(-12, 12), rng.randint(1, 5))


def _extreme(values: list[Value], direction: int) -> Value:
    best = values[0]
    for v in values[1:]:
        if isinstance(best, fmpq) and isinstance(v, fmpq):
            best = max(best, v) if direction > 0 else min(best, v)
        else:
            best = arb(best).max(arb(v)) if direction > 0 else arb(best).min(arb(v))
    return best


def power_at(base: Value, exponent: Value) -> Value:
    """A power of numbers; Undefined at poles and for roots of negative numbers."""
    if isinstance(exponent, fmpq) and exponent.q == 1:
        n = int(exponent.p)
        if n < 0 and (base == 0 if isinstance(base, fmpq) else not (base > 0 or base < 0)):
            raise Undefined("division by zero")
        if isinstance(base, fmpq):
            if abs(n) * base.height_bits() > MOST_BITS:
                raise Undefined("an astronomically large power")
            return base**n
        return _by_products(base, n)
    if isinstance(exponent, fmpq):
        if not (base >= 0):
            raise Undefined("a root of a negative number")
        return power_at(nth_root(base, int(exponent.q)), fmpq(exponent.p))
    if not (base > 0):
        raise Undefined("a real power of a number that is not positive")
    return (arb(exponent) * arb(base).log()).exp()


def _by_products(b: arb, n: int) -> arb:
    result = arb(1)
    for bit in bin(abs(n))[2:]:
        result = result * result
        if bit == "1":
            result = result * b
    return result if n >= 0 else 1 / result


def nth_root(x: Value, n: int) -> Value:
    """The n-th root of a number >= 0: rational if it is rational, else a ball."""
    if isinstance(x, fmpq):
        p, q = fmpz(x.p).root(n), fmpz(x.q).root(n)
        if p**n == x.p and q**n == x.q:
            return fmpq(p, q)
        x = arb(x)
    return x.sqrt() if n == 2 else x.root(n)


# Points

_SIMPLE = (fmpq(1), fmpq(0), fmpq(-1), fmpq(2), fmpq(1, 2), fmpq(3), fmpq(-2), fmpq(-1, 2), fmpq(1, 3), fmpq(5))


def candidates(symbols: Sequence[Any], count: int, seed: int = 0) -> Iterator[Point]:
    """Rational points in the domains of some symbols: all equal, then simple, random and multi-scale ones.

    Args:
        symbols: kernel symbols.
        count: number of points.
        seed: of the stream (Mersenne Twister on integers, equal on every machine).
    """
    rng = Random(1_000_003 * seed + 17)
    equal = [v for v in _SIMPLE if all(s.domain.contains(v) for s in symbols)]
    for v in equal[:count]:
        yield dict.fromkeys(symbols, v)
    for k in range(max(0, count - len(equal))):
        yield {s: _draw(s.domain, rng, k % 4) for s in symbols}


def _draw(domain: Domain, rng: Random, style: int) -> fmpq:
    for _ in range(40):
        value = _raw(domain, rng, style)
        if domain.contains(value):
            return value
        style = (style + 1) % 4
    low, high = domain.lower, domain.upper
    if low is not None:
        return fmpq(low.floor()) + 1 if domain.integer else low + 1 if high is None else (low + high) / 2
    return fmpq(high.ceil()) - 1 if domain.integer and high is not None else (high or fmpq(0)) - 1


def _raw(domain: Domain, rng: Random, style: int) -> fmpq:
    low, high = domain.lower, domain.upper
    if domain.integer:
        if low is not None and high is not None:
            return fmpq(rng.randint(int(low.ceil()), int(high.floor())))
        step = rng.randint(0, (3, 12, 60, 1000)[style])
        if low is not None:
            return fmpq(low.ceil()) + step
        return fmpq(high.floor()) - step if high is not None else fmpq(step * rng.choice((-1, 1)))
    if low is not None and high is not None:
        n = (2, 7, 24, 1009)[style]
        return low + (high - low) * fmpq(rng.randint(0, n), n)
    if style == 3:
        size = fmpq(rng.randint(1, 9), rng.randint(1, 9)) * fmpq(10) ** rng.randint(-4, 4)
    else:
        size = fmpq(rng.randint(0, (3, 12, 97)[style]), (1, rng.randint(1, 9), rng.randint(1, 40))[style])
    if low is not None:
        return low + size
    return high - size if high is not None else size * rng.choice((-1, 1))


def values_of(
    exprs: Sequence[Any], points: Iterator[Point], accept: Callable[[Point], bool] = lambda p: True
) -> Iterator[tuple[Point, list[Value]]]:
    """The values of some expressions at those points where all of them are defined."""
    for point in points:
        memo: dict[Any, Value] = {}
        try:
            if accept(point):
                yield point, [value_at(e, point, memo) for e in exprs]
        except Undefined:
            continue


def shown(point: Point, *exprs: Any) -> str:
    """A point in words: `x = 1/2, y = 3`, with the values of undefined functions in some expressions there."""
    memo: dict[Any, Value] = {}
    nodes = sorted({n for e in exprs for n in e.atoms(*_function_types()) if n.free_symbols <= set(point)}, key=str)
    nodes = [n for n in nodes if applied(n) is not None]
    parts = [f"{s} = {_shown_value(v)}" for s, v in sorted(point.items(), key=lambda item: item[0].name)]
    parts = [*parts[:12], f"... ({len(parts)} symbols)"] if len(parts) > 12 else parts
    return ", ".join([*parts, *(f"{n} = {value_at(n, point, memo)}" for n in nodes[:12])])


def _function_types() -> tuple[Any, ...]:
    import sympy
    from sympy.core.function import AppliedUndef

    return AppliedUndef, sympy.Derivative, sympy.Subs


def _shown_value(v: Value) -> str:
    return str(v) if isinstance(v, fmpq) else v.str(20, radius=False) + "..."
