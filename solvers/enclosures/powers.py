"""Powers of balls that hold where FLINT's `**` gives NaN or a needlessly wide ball.

`x**2` of a real ball whose midpoint is 0 is NaN in `arb.__pow__` (it goes through the logarithm); here
integer powers are monotone images of end points where the ball is wide, and products where it is narrow.
"""

from __future__ import annotations

from typing import Any

from flint import acb, acb_series, arb, arb_series, fmpq

from solvers.enclosures.analytic import Analytic, integer_or_none, parameter
from solvers.enclosures.exact import to_ball

_WIDE = 24  # relative accuracy in bits below which end points are worth their price


def power(x: Any, y: Any) -> Any:
    """x^y of balls, series or integrand variables.

    Integer y: any x (x != 0 for negative y). Rational or real y: x >= 0 for real x (NaN otherwise), the
    principal branch for complex x.
    """
    n = integer_or_none(y)
    if isinstance(x, Analytic):
        return x ** (y if n is None else n)
    if isinstance(y, Analytic):
        return parameter(x) ** y
    if isinstance(x, (arb_series, acb_series)) or isinstance(y, (arb_series, acb_series)):
        return _series_power(x, y, n)
    x = to_ball(x)
    if isinstance(x, acb):
        return x**n if n is not None else x.pow(acb(to_ball(y)))
    if n is not None:
        return integer_power(x, n)
    if isinstance(y, acb):
        return acb(x).pow(y)
    return _real_power(x, parameter(y))


def integer_power(x: arb, n: int) -> arb:
    """x^n for a real ball and an integer n, tight for wide balls and for those that contain 0."""
    if n < 0:
        return 1 / integer_power(x, -n)
    if n == 0:
        return arb(1)
    if x.rel_accuracy_bits() >= _WIDE or not x.is_finite():
        return x**n if x.mid() != 0 else _product(x, n)
    if n % 2 == 1:
        return _product(x.lower(), n).union(_product(x.upper(), n))
    return _product(x.abs_lower(), n).union(_product(x.abs_upper(), n))


def _product(x: arb, n: int) -> arb:
    """x^n by binary powering with products only."""
    result = None
    while n:
        if n & 1:
            result = x if result is None else result * x
        n >>= 1
        if n:
            x = x * x
    return result


def _real_power(x: arb, y: Any) -> arb:
    """x^y for x >= 0 and y not an integer."""
    if isinstance(y, fmpq) and 1 < y.q <= 64:
        root = _nonnegative_root(x, int(y.q))
        return integer_power(root, int(y.p))
    y = to_ball(y)
    if x > 0:
        return x**y
    if x >= 0 and y > 0:  # x touches 0: increasing in x, so from 0 up to the upper end
        upper = x.upper()
        return arb(0) if upper == 0 else arb(0).union(upper**y)
    return arb.nan()


def _nonnegative_root(x: arb, q: int) -> arb:
    root = x.sqrt() if q == 2 else x.root(q)
    if root.is_finite() or not x >= 0:
        return root
    return arb(0).union(x.upper().root(q))


def _series_power(x: Any, y: Any, n: int | None) -> Any:
    if n is not None:
        return _product(x, n) if n > 0 else 1 / _product(x, -n) if n < 0 else 0 * x + 1
    if isinstance(y, fmpq) and y.q == 2:
        return _series_power(x.sqrt(), y, int(y.p))
    log = to_ball(x).log() if not isinstance(x, (arb_series, acb_series)) else x.log()
    return (log * parameter(y)).exp()
