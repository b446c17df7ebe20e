"""Rigorous integrals: FLINT's adaptive Gauss-Legendre quadrature with complex error bounds, and improper
ones.

Method: F. Johansson, Numerical integration in arbitrary-precision ball arithmetic (2018).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import acb, arb, ctx

from solvers.enclosures import functions as F
from solvers.enclosures.analytic import Analytic
from solvers.enclosures.exact import to_arb, to_ball
from solvers.enclosures.expressions import ball_function
from solvers.enclosures.precision import NoEnclosure, finite


def integrate_complex(f: Any, a: Any, b: Any, *, tolerance_bits: int | None = None, work: int = 0) -> acb:
    """An enclosure of the integral of f along the straight path from a to b.

    Args:
        f: sympy expression in one symbol, or a plain function of one argument written with arithmetic and the
            functions of `solvers.enclosures.functions`. It receives `Analytic` balls, which refuse what is
            not known to be holomorphic, so that a crossed branch cut cannot give a wrong value.
        a, b: end points: exact numbers or balls.
        tolerance_bits: relative and absolute goal 2^-tolerance_bits (default: the current precision).
        work: bound on the evaluations of f (0: FLINT's default, about 1000 p + p^2).

    Raises:
        NoEnclosure: if no finite ball was reached, as for singular end points (see `integrate_improper`).
    """
    g = _one_variable(f)
    goal = arb(2) ** (-(ctx.prec if tolerance_bits is None else tolerance_bits))

    failures: list[Exception] = []

    def integrand(z: acb, analytic: bool) -> acb:
        if failures:
            return acb(arb.nan(), arb.nan())
        try:
            value = g(Analytic(z, analytic))
            return acb(value.z if isinstance(value, Analytic) else to_ball(value))
        except Exception as failure:  # no exception passes through FLINT's C code; it is raised again below
            failures.append(failure)
            return acb(arb.nan(), arb.nan())

    options = {"eval_limit": work} if work else {}
    value = acb.integral(integrand, acb(to_ball(a)), acb(to_ball(b)), rel_tol=goal, abs_tol=goal, **options)
    if failures:
        raise failures[0]
    return finite(value, "the integral")


def integrate(f: Any, a: Any, b: Any, *, tolerance_bits: int | None = None, work: int = 0) -> arb:
    """An enclosure of the integral over [a, b] of a function that is real on it; arguments as
    `integrate_complex`.

    Corners (`absolute`, `maximum`, `sign`) are allowed: they are bisected, at a cost that grows with the
    precision.
    """
    value = integrate_complex(f, to_arb(a), to_arb(b), tolerance_bits=tolerance_bits, work=work)
    if not value.imag.contains(0):
        raise ValueError(f"the integrand is not real on the interval: the integral is {value}")
    return value.real


def integrate_improper(
    f: Any,
    pieces: Callable[[int], tuple[Any, Any, Any]],
    *,
    tolerance_bits: int | None = None,
    attempts: int = 64,
) -> arb:
    """An improper integral as a proper one plus a ball around 0 for what is left out.

    Args:
        f: as for `integrate`.
        pieces: for k = 0, 1, 2, ... returns (a_k, b_k, tail_k) where tail_k >= |integral outside [a_k,
            b_k]| is a rigorous bound; `exponential_tail`, `gaussian_tail` and `power_tail` make such bounds.
        tolerance_bits: the first k with tail_k < 2^-tolerance_bits is used (default: the current precision).
        attempts: largest number of k that are tried.

    Raises:
        NoEnclosure: if no tail is small enough.
    """
    bits = ctx.prec if tolerance_bits is None else tolerance_bits
    for k in range(attempts):
        a, b, tail = pieces(k)
        tail = to_arb(tail)
        if tail < 0:
            raise ValueError(f"integrate_improper: the tail bound {tail} is negative")
        if tail.is_finite() and tail < arb(2) ** -bits:
            return integrate(f, a, b, tolerance_bits=bits) + arb(0, tail.abs_upper())
    raise NoEnclosure(f"integrate_improper: no tail bound below 2^-{bits} in {attempts} attempts")


def integrate_half_line(f: Any, a: Any, tail: Callable[[arb], arb], *, tolerance_bits: int | None = None) -> arb:
    """The integral over [a, oo), where tail(R) >= |integral over [R, oo)| for R = a + 1, a + 2, a + 4, ..."""

    def pieces(k: int) -> tuple[Any, Any, Any]:
        end = to_arb(a) + 2**k
        return a, end, tail(end)

    return integrate_improper(f, pieces, tolerance_bits=tolerance_bits)


def integrate_line(f: Any, tail: Callable[[arb], arb], *, tolerance_bits: int | None = None) -> arb:
    """The integral over the real line, where tail(R) bounds |integral| over each of [R, oo), (-oo, -R]."""

    def pieces(k: int) -> tuple[Any, Any, Any]:
        return -(2**k), 2**k, 2 * tail(arb(2**k))

    return integrate_improper(f, pieces, tolerance_bits=tolerance_bits)


def integrate_rational(expression: Any, a: Any, *, tolerance_bits: int | None = None) -> arb:
    """The integral over [a, oo), a > 0, of a sympy expression whose image under x = 1/u is analytic at u = 0.

    The substitution is made symbolically and cancelled (rational functions decaying like x^-2 or faster),
    so that no tail bound is needed.
    """
    import sympy

    (x,) = expression.free_symbols
    u = sympy.Symbol("u")
    image = sympy.cancel(expression.subs(x, 1 / u) / u**2)
    if not to_arb(a) > 0:
        raise ValueError(f"integrate_rational: the lower end must be positive, got {a}")
    return integrate(ball_function(image, [u]), 0, 1 / to_arb(a), tolerance_bits=tolerance_bits)


def exponential_tail(C: Any, rate: Any) -> Callable[[arb], arb]:
    """R -> integral of C e^(-rate x) over [R, oo), for |f(x)| <= C e^(-rate x) there; rate > 0."""
    if not to_arb(rate) > 0:
        raise ValueError(f"exponential_tail: the rate must be positive, got {rate}")
    return lambda R: to_arb(C) * F.exp(-to_arb(rate) * R) / to_arb(rate)


def gaussian_tail(C: Any, rate: Any) -> Callable[[arb], arb]:
    """R -> bound on the integral of C e^(-rate x^2) over [R, oo), for |f(x)| <= C e^(-rate x^2) there."""

    if not to_arb(rate) > 0:
        raise ValueError(f"gaussian_tail: the rate must be positive, got {rate}")

    def tail(R: arb) -> arb:
        root = to_arb(rate).sqrt()
        return to_arb(C) * F.erfc(root * R) * arb.pi().sqrt() / (2 * root)

    return tail


def power_tail(C: Any, p: Any) -> Callable[[arb], arb]:
    """R -> C R^(1-p) / (p - 1), for |f(x)| <= C x^-p on [R, oo); p > 1 and R > 0 (infinite elsewhere)."""
    if not to_arb(p) > 1:
        raise ValueError(f"power_tail: the exponent must exceed 1, got {p}")

    def tail(R: arb) -> arb:
        return to_arb(C) * F.power(R, 1 - to_arb(p)) / (to_arb(p) - 1) if R > 0 else arb.pos_inf()

    return tail


def _one_variable(f: Any) -> Callable[[Any], Any]:
    if not hasattr(f, "free_symbols"):
        return f  # type: ignore[no-any-return]
    symbols = sorted(f.free_symbols, key=str)
    if len(symbols) > 1:
        raise ValueError(f"the integrand has the symbols {symbols}; substitute all but one")
    return ball_function(f, symbols) if symbols else lambda _: ball_function(f, [])()
