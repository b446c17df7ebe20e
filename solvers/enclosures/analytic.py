"""Complex balls that know where a function is holomorphic, for rigorous quadrature.

FLINT's integrator asks, on complex balls around the path, for values of f and for a promise that f is
holomorphic there; a branch cut that is crossed silently gives a wrong integral with a tiny radius. An
`Analytic` number keeps
that promise by construction: it knows each method's cuts, answers NaN where one is touched, and refuses
whatever it does not know (comparisons included).
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Rational
from typing import Any

from flint import acb, acb_series, arb, arb_series, fmpq, fmpz

from solvers.enclosures.exact import to_ball, to_fmpq

# Meromorphic in the argument: FLINT answers NaN on balls that touch a pole.
MEROMORPHIC = frozenset({
    "exp", "expm1", "sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth", "sech", "csch",
    "sin_pi", "cos_pi", "tan_pi", "cot_pi", "sinc", "sinc_pi", "exp_pi_i", "erf", "erfc", "erfi", "gamma",
    "rgamma", "digamma", "si", "shi", "fresnel_s", "fresnel_c", "airy_ai", "airy_bi", "zeta", "barnes_g",
    "hypgeom_0f1", "hypgeom_1f1",
})  # fmt: skip
# FLINT's own flag: NaN where the function is not holomorphic (real_*: continued from each side of the
# corner).
FLAGGED = frozenset(["sqrt", "rsqrt", "log", "real_abs", "real_sgn", "real_max", "real_min", "real_floor", "real_ceil"])
# Entire in the argument when the first parameter is an integer; cut (-oo, 0] if not.
INTEGER_ORDER = frozenset(["bessel_j", "bessel_i"])
POLYNOMIAL_ORDER = frozenset({
    "hermite_h", "legendre_p", "chebyshev_t", "chebyshev_u", "laguerre_l", "gegenbauer_c", "jacobi_p",
})  # fmt: skip


def _meets_left(z: acb, end: int = 0) -> bool:
    """Whether z may touch the half-line (-oo, end]."""
    return not (z.real > end or z.imag > 0 or z.imag < 0)


def _meets_right(z: acb) -> bool:
    """Whether z may touch [1, oo)."""
    return _meets_left(1 - z)


def _meets_outside(z: acb) -> bool:
    """Whether z may touch (-oo, -1] or [1, oo)."""
    return _meets_left(1 + z) or _meets_right(z)


def _meets_outside_imaginary(z: acb) -> bool:
    """Whether z may touch the imaginary axis from i upwards or from -i downwards."""
    return _meets_outside(acb(z.imag, -z.real))


CUTS: dict[str, Callable[[acb], bool]] = {
    **dict.fromkeys(["lgamma", "bessel_j", "bessel_i", "bessel_k", "bessel_y", "ei", "ci", "chi"], _meets_left),
    **dict.fromkeys(["expint", "gamma_upper", "gamma_lower", "hypgeom_u"], _meets_left),
    "li": lambda z: _meets_left(z, 1),
    "log1p": lambda z: _meets_left(1 + z),
    "asin": _meets_outside,
    "acos": _meets_outside,
    "atanh": _meets_outside,
    "atan": _meets_outside_imaginary,
    "asinh": _meets_outside_imaginary,
    "acosh": lambda z: _meets_left(z, 1),
    "hypgeom_2f1": _meets_right,
    "polylog": _meets_right,
    "elliptic_k": _meets_right,
    "elliptic_e": _meets_right,
    "hypgeom": _meets_right,  # for p = q + 1; entire for p <= q
    "lambertw": lambda z: _meets_left(z * arb(1).exp(), -1),
}


class Analytic:
    """A complex ball and the question whether values must be holomorphic on all of it."""

    __slots__ = ("analytic", "z")

    def __init__(self, z: acb, analytic: bool) -> None:
        self.z = z
        self.analytic = analytic

    def __add__(self, other: Any) -> Analytic:
        return Analytic(self.z + _raw(other), self.analytic)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Analytic:
        return Analytic(self.z * _raw(other), self.analytic)

    __rmul__ = __mul__

    def __sub__(self, other: Any) -> Analytic:
        return Analytic(self.z - _raw(other), self.analytic)

    def __rsub__(self, other: Any) -> Analytic:
        return Analytic(_raw(other) - self.z, self.analytic)

    def __truediv__(self, other: Any) -> Analytic:
        return Analytic(self.z / _raw(other), self.analytic)

    def __rtruediv__(self, other: Any) -> Analytic:
        return Analytic(_raw(other) / self.z, self.analytic)

    def __neg__(self) -> Analytic:
        return Analytic(-self.z, self.analytic)

    def __pos__(self) -> Analytic:
        return self

    def __abs__(self) -> Analytic:
        return _apply_analytic("real_abs", self, [], {})

    def __pow__(self, exponent: Any) -> Analytic:
        n = integer_or_none(exponent)
        if n is not None:
            return Analytic(self.z**n, self.analytic)
        return Analytic(acb(self.z).pow(acb(_raw(exponent)), analytic=self.analytic), self.analytic)

    def __rpow__(self, base: Any) -> Analytic:
        return Analytic((self.z * acb(_raw(base)).log()).exp(), self.analytic)

    def __getattr__(self, name: str) -> Callable[..., Analytic]:
        if not known(name):
            methods = ", ".join(sorted({*MEROMORPHIC, *FLAGGED, *CUTS, *POLYNOMIAL_ORDER}))
            raise AttributeError(
                f"{name!r} is not known to be holomorphic, so it cannot appear in a rigorous integrand; "
                f"known are arithmetic, powers, {methods}"
            )
        return lambda *args, **options: apply(name, self, *args, **options)


def _raw(x: Any) -> Any:
    return x.z if isinstance(x, Analytic) else parameter(x)


def known(name: str) -> bool:
    """Whether the region of holomorphy of this method is known here."""
    return name in MEROMORPHIC or name in FLAGGED or name in CUTS or name in POLYNOMIAL_ORDER


def integer_or_none(x: Any) -> int | None:
    """The int that `x` exactly is, or None."""
    if isinstance(x, (int, fmpz)):
        return int(x)
    if isinstance(x, fmpq):
        return int(x.p) if x.q == 1 else None
    if isinstance(x, Rational):
        return int(x.numerator) if x.denominator == 1 else None
    if isinstance(x, arb) and x.is_exact() and x.is_integer():
        return int(x.unique_fmpz())
    return None


def parameter(x: Any) -> Any:
    """A parameter as FLINT takes it: balls, integers and fmpq pass, rationals convert, lists entrywise."""
    if isinstance(x, (int, fmpz, fmpq, arb, acb, arb_series, acb_series)):
        return x
    if isinstance(x, (list, tuple)):
        return [parameter(y) for y in x]
    return to_fmpq(x)


def apply(name: str, z: Any, *args: Any, **options: Any) -> Any:
    """The FLINT method `name` of the number `z`, whatever kind of ball, series or integrand variable z is."""
    parameters = [parameter(x) if not isinstance(x, Analytic) else x for x in args]
    if isinstance(z, Analytic):
        return _apply_analytic(name, z, parameters, options)
    if not isinstance(z, (arb, acb, arb_series, acb_series)):
        z = to_ball(z)
    if isinstance(z, arb):
        if name.startswith("real_"):
            name = name.removeprefix("real_")
            return abs(z) if name == "abs" else getattr(z, name)(*parameters)
        if any(isinstance(x, acb) for x in parameters):
            z = acb(z)
        elif not hasattr(z, name):
            w = getattr(acb(z), name)(*parameters, **options)
            return w.real if w.imag.contains(0) else arb.nan()
    if not hasattr(z, name):
        raise TypeError(f"{name} is not available for arguments of type {type(z).__name__}")
    return getattr(z, name)(*parameters, **options)


def _apply_analytic(name: str, z: Analytic, args: list[Any], options: dict[str, Any]) -> Analytic:
    if name in {"real_max", "real_min"}:
        args = [acb(_raw(x)) for x in args]
    elif any(isinstance(x, Analytic) for x in args):
        raise TypeError(f"{name}: only the argument may depend on the variable of integration, not a parameter")
    if not known(name):
        raise TypeError(f"{name} is not known to be holomorphic, so it cannot appear in a rigorous integrand")
    if name in FLAGGED:
        return Analytic(getattr(z.z, name)(*args, analytic=z.analytic), z.analytic)
    entire = (
        name in MEROMORPHIC
        or (name in INTEGER_ORDER | POLYNOMIAL_ORDER and integer_or_none(args[0]) is not None)
        or (name == "hypgeom" and len(args[0]) <= len(args[1]))
    )
    if name == "hypgeom" and len(args[0]) > len(args[1]) + 1:
        raise TypeError(f"hypgeom: {len(args[0])} over {len(args[1])} parameters define no holomorphic function")
    if name == "lambertw" and (args or options):
        raise TypeError("lambertw: an integrand may use the principal branch only")
    if not entire and name in POLYNOMIAL_ORDER:
        raise TypeError(f"{name}: an integrand may have integer degrees only, got {args[0]!r}")
    if z.analytic and not entire and CUTS[name](z.z):
        return Analytic(acb(arb.nan(), arb.nan()), z.analytic)
    return Analytic(getattr(z.z, name)(*args, **options), z.analytic)
