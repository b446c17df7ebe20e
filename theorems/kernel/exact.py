"""Signs of exact sympy constants: balls of growing precision, and an algebraic test for zero."""

from __future__ import annotations

from typing import Any

from flint import arb, ctx, fmpq

from theorems.kernel.outcome import KernelError

_UNARY = {
    "exp": "exp", "log": "log", "sin": "sin", "cos": "cos", "tan": "tan", "atan": "atan", "asin": "asin",
    "acos": "acos", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "gamma": "gamma", "loggamma": "lgamma",
    "erf": "erf", "erfc": "erfc", "floor": "floor", "ceiling": "ceil", "Abs": "__abs__",
}  # fmt: skip


def ball(expr: Any) -> arb:
    """A ball around the value of a sympy expression without free symbols, at the current precision.

    Args:
        expr: sums, products, rational and integer powers, pi, E, and the functions in the table above.

    Raises:
        KernelError: for a function that has no rigorous evaluation here.
    """
    import sympy

    if expr.is_Rational:
        return arb(fmpq(int(expr.p), int(expr.q)))
    if expr is sympy.pi:
        return arb.pi()
    if expr is sympy.E:
        return arb.const_e()
    if expr is sympy.EulerGamma:
        return arb.const_euler()
    if expr is sympy.GoldenRatio:
        return (arb(5).sqrt() + 1) / 2
    if expr.is_Add:
        total = arb(0)
        for term in expr.args:
            total += ball(term)
        return total
    if expr.is_Mul:
        product = arb(1)
        for factor in expr.args:
            product *= ball(factor)
        return product
    if expr.is_Pow:
        return _power(expr.base, expr.exp)
    if isinstance(expr, (sympy.Max, sympy.Min)):
        values = [ball(a) for a in expr.args]
        result = values[0]
        for v in values[1:]:
            result = result.max(v) if isinstance(expr, sympy.Max) else result.min(v)
        return result
    method = _UNARY.get(type(expr).__name__)
    if method is not None and len(expr.args) == 1:
        return getattr(ball(expr.args[0]), method)()
    raise KernelError(f"no rigorous evaluation of {type(expr).__name__} in {expr}; return a flint.arb ball instead")


def _power(base: Any, exponent: Any) -> arb:
    if exponent.is_Integer:
        n = int(exponent)
        if abs(n) > 1 << 20:
            raise KernelError(f"the exponent {n} is too large for an exact comparison")
        b = ball(base)
        result = arb(1)
        for bit in bin(abs(n))[2:]:  # binary powering by products: x**2 of a ball containing 0 would be NaN
            result = result * result
            if bit == "1":
                result = result * b
        return result if n >= 0 else 1 / result
    b = ball(base)
    if exponent.is_Rational and int(exponent.q) == 2:
        return _power_of_ball(b.sqrt(), int(exponent.p))
    return b ** ball(exponent)


def _power_of_ball(b: arb, n: int) -> arb:
    result = arb(1)
    for _ in range(abs(n)):
        result = result * b
    return result if n >= 0 else 1 / result


def sign(expr: Any, max_bits: int = 4096) -> int | None:
    """The exact sign of a real sympy constant: -1, 0, 1, or None when undecided within `max_bits`.

    Zero is answered only for algebraic numbers whose minimal polynomial is x.
    """
    before = ctx.prec
    try:
        bits = 64
        while bits <= max_bits:
            ctx.prec = bits
            value = ball(expr)
            if value.is_finite():
                if value > 0:
                    return 1
                if value < 0:
                    return -1
            if bits == 256 and is_zero_algebraic(expr):
                return 0
            bits *= 2
    finally:
        ctx.prec = before
    return None


def is_zero_algebraic(expr: Any) -> bool:
    """True only when `expr` is an algebraic number whose minimal polynomial over the rationals is x."""
    import sympy

    if not expr.is_algebraic:
        expanded = sympy.expand(expr)
        if not expanded.is_algebraic:
            return bool(expanded == 0)
        expr = expanded
    x = sympy.Dummy("x")
    try:
        return bool(sympy.minimal_polynomial(expr, x) == x)
    except (NotImplementedError, sympy.polys.polyerrors.BasePolynomialError):
        return False
