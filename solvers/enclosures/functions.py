"""Elementary and special functions of balls, by their mathematical names and argument order.

Each takes an exact number, a real or complex ball, a power series in balls (where FLINT has the series) or an
integrand variable, so that one plain function serves evaluation, differentiation and rigorous quadrature.
Parameters come before the argument, as in print: `bessel_j(nu, x)`, `hyp2f1(a, b, c, x)`, `gamma_upper(s,
x)`. A real ball that leaves the real domain of a function gives NaN (write `acb(x)` for the complex
function).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flint import acb_series, arb, arb_series

from solvers.enclosures.analytic import Analytic, apply
from solvers.enclosures.exact import to_ball
from solvers.enclosures.powers import power as power

Ball = Any  # arb, acb, arb_series, acb_series, Analytic, or an exact number


def _unary(method: str, statement: str, series: Callable[[Any], Any] | None = None) -> Callable[[Ball], Ball]:
    def function(x: Ball) -> Ball:
        if series is not None and isinstance(x, (arb_series, acb_series)) and not hasattr(x, method):
            return series(x)
        return apply(method, x)

    function.__name__ = function.__qualname__ = method
    function.__doc__ = statement
    return function


def _half(x: Any) -> Any:
    return x / 2


exp = _unary("exp", "e^x.")
expm1 = _unary("expm1", "e^x - 1 without cancellation.", lambda x: x.exp() - 1)
log = _unary("log", "Natural logarithm.")
log1p = _unary("log1p", "log(1 + x) without cancellation.", lambda x: (1 + x).log())
sqrt = _unary("sqrt", "Square root.")
rsqrt = _unary("rsqrt", "1 / sqrt(x).")
sin = _unary("sin", "Sine.")
cos = _unary("cos", "Cosine.")
tan = _unary("tan", "Tangent.")
cot = _unary("cot", "Cotangent.", lambda x: x.cos() / x.sin())
sec = _unary("sec", "Secant.", lambda x: 1 / x.cos())
csc = _unary("csc", "Cosecant.", lambda x: 1 / x.sin())
asin = _unary("asin", "Inverse sine.")
acos = _unary("acos", "Inverse cosine.")
atan = _unary("atan", "Inverse tangent.")
sinh = _unary("sinh", "Hyperbolic sine.", lambda x: _half(x.exp() - (-x).exp()))
cosh = _unary("cosh", "Hyperbolic cosine.", lambda x: _half(x.exp() + (-x).exp()))
tanh = _unary("tanh", "Hyperbolic tangent.", lambda x: 1 - 2 / ((2 * x).exp() + 1))
coth = _unary("coth", "Hyperbolic cotangent.", lambda x: 1 + 2 / ((2 * x).exp() - 1))
sech = _unary("sech", "Hyperbolic secant.", lambda x: 2 / (x.exp() + (-x).exp()))
csch = _unary("csch", "Hyperbolic cosecant.", lambda x: 2 / (x.exp() - (-x).exp()))
asinh = _unary("asinh", "Inverse hyperbolic sine.", lambda x: (x + (x * x + 1).sqrt()).log())
acosh = _unary("acosh", "Inverse hyperbolic cosine.", lambda x: (x + (x * x - 1).sqrt()).log())
atanh = _unary("atanh", "Inverse hyperbolic tangent.", lambda x: _half(((1 + x) / (1 - x)).log()))
sinc = _unary("sinc", "sin(x) / x, 1 at 0.")
erf = _unary("erf", "Error function.")
erfc = _unary("erfc", "1 - erf(x) without cancellation.")
erfi = _unary("erfi", "-i erf(i x).")
erfinv = _unary("erfinv", "Inverse of erf on (-1, 1).")
erfcinv = _unary("erfcinv", "Inverse of erfc on (0, 2).")
gamma = _unary("gamma", "Gamma function.")
rgamma = _unary("rgamma", "1 / Gamma(x), entire.")
loggamma = _unary("lgamma", "Logarithm of Gamma(x), x > 0 (complex: the principal branch).")
digamma = _unary("digamma", "Logarithmic derivative of Gamma.")
barnes_g = _unary("barnes_g", "Barnes G function.")
airy_ai = _unary("airy_ai", "Airy function Ai.")
airy_bi = _unary("airy_bi", "Airy function Bi.")
ei = _unary("ei", "Exponential integral Ei.")
li = _unary("li", "Logarithmic integral.")
si = _unary("si", "Sine integral.")
ci = _unary("ci", "Cosine integral.")
shi = _unary("shi", "Hyperbolic sine integral.")
chi = _unary("chi", "Hyperbolic cosine integral.")
fresnel_s = _unary("fresnel_s", "Fresnel integral of sin(pi t^2 / 2) from 0 to x.")
fresnel_c = _unary("fresnel_c", "Fresnel integral of cos(pi t^2 / 2) from 0 to x.")
elliptic_k = _unary("elliptic_k", "Complete elliptic integral of the first kind, parameter m < 1.")
elliptic_e = _unary("elliptic_e", "Complete elliptic integral of the second kind, parameter m <= 1.")


def _with_parameters(name: str, method: str, count: int, statement: str) -> Callable[..., Ball]:
    def function(*values: Ball) -> Ball:
        if len(values) != count + 1:
            raise TypeError(f"{name}: takes {count} parameter(s) and the argument, got {len(values)} values")
        *parameters, x = values
        return apply(method, x, *parameters)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = statement
    return function


bessel_j = _with_parameters("bessel_j", "bessel_j", 1, "J_nu(x).")
bessel_y = _with_parameters("bessel_y", "bessel_y", 1, "Y_nu(x).")
bessel_i = _with_parameters("bessel_i", "bessel_i", 1, "I_nu(x).")
bessel_k = _with_parameters("bessel_k", "bessel_k", 1, "K_nu(x).")
hyp0f1 = _with_parameters("hyp0f1", "hypgeom_0f1", 1, "0F1(; b; x).")
hyp1f1 = _with_parameters("hyp1f1", "hypgeom_1f1", 2, "Kummer's 1F1(a; b; x).")
hyp2f1 = _with_parameters("hyp2f1", "hypgeom_2f1", 3, "Gauss's 2F1(a, b; c; x).")
hyperu = _with_parameters("hyperu", "hypgeom_u", 2, "Tricomi's U(a, b, x).")
gamma_upper = _with_parameters("gamma_upper", "gamma_upper", 1, "Integral of t^(s-1) e^-t over t > x.")
gamma_lower = _with_parameters("gamma_lower", "gamma_lower", 1, "Integral of t^(s-1) e^-t over 0 < t < x.")
beta_lower = _with_parameters("beta_lower", "beta_lower", 2, "Integral of t^(a-1) (1-t)^(b-1) over 0 < t < x.")
expint = _with_parameters("expint", "expint", 1, "Generalized exponential integral E_s(x).")
polylog = _with_parameters("polylog", "polylog", 1, "Polylogarithm Li_s(x).")
polygamma = _with_parameters("polygamma", "polygamma", 1, "n-th derivative of the digamma function at x.")
hermite = _with_parameters("hermite", "hermite_h", 1, "Physicists' Hermite polynomial H_n(x).")
legendre = _with_parameters("legendre", "legendre_p", 1, "Legendre polynomial P_n(x).")
chebyshev_t = _with_parameters("chebyshev_t", "chebyshev_t", 1, "Chebyshev polynomial T_n(x).")
chebyshev_u = _with_parameters("chebyshev_u", "chebyshev_u", 1, "Chebyshev polynomial U_n(x).")
gegenbauer = _with_parameters("gegenbauer", "gegenbauer_c", 2, "Gegenbauer polynomial C_n^(m)(x).")
jacobi = _with_parameters("jacobi", "jacobi_p", 3, "Jacobi polynomial P_n^(a,b)(x).")


def hyper(a: Sequence[Ball], b: Sequence[Ball], x: Ball) -> Ball:
    """The generalized hypergeometric function pFq(a; b; x)."""
    return apply("hypgeom", x, list(a), list(b))


def laguerre(n: Ball, x: Ball, m: Ball = 0) -> Ball:
    """The (associated) Laguerre polynomial L_n^(m)(x)."""
    return apply("laguerre_l", x, n, m)


def gamma_upper_regularized(s: Ball, x: Ball) -> Ball:
    """Q(s, x), the survival function of the Gamma(s) law; of chi-square with k degrees at (k/2, t/2)."""
    return apply("gamma_upper", x, s, regularized=1)


def gamma_lower_regularized(s: Ball, x: Ball) -> Ball:
    """P(s, x), the distribution function of the Gamma(s) law."""
    return apply("gamma_lower", x, s, regularized=1)


def beta_lower_regularized(a: Ball, b: Ball, x: Ball) -> Ball:
    """I_x(a, b), the distribution function of the Beta(a, b) law."""
    return apply("beta_lower", x, a, b, regularized=1)


def zeta(s: Ball, a: Ball = 1) -> Ball:
    """Riemann's zeta(s), or Hurwitz's zeta(s, a)."""
    return apply("zeta", s) if isinstance(a, int) and a == 1 else apply("zeta", s, to_ball(a))


def beta(a: Ball, b: Ball) -> Ball:
    """Gamma(a) Gamma(b) / Gamma(a + b)."""
    return gamma(a) * gamma(b) * rgamma(a + b)


def lambertw(x: Ball, branch: int = 0) -> Ball:
    """The solution w of w e^w = x on this branch (0, or -1 for real x in [-1/e, 0))."""
    return apply("lambertw", x, branch) if branch else apply("lambertw", x)


def normal_pdf(x: Ball) -> Ball:
    """Density of the standard normal law."""
    return exp(-x * x / 2) / (2 * arb.pi()).sqrt()


def normal_cdf(x: Ball) -> Ball:
    """Distribution function of the standard normal law, accurate in both tails."""
    return erfc(-x / arb(2).sqrt()) / 2


def normal_quantile(p: Ball) -> Ball:
    """Quantile of the standard normal law at 0 < p < 1."""
    return -arb(2).sqrt() * erfcinv(2 * to_ball(p))


def absolute(x: Ball) -> Ball:
    """|x|; in integrands of real functions, continued from each side of the corner."""
    if isinstance(x, arb_series):
        constant = x[0]
        return x if constant > 0 else -x if constant < 0 else x * arb.nan()
    return abs(x) if isinstance(x, Analytic) else abs(to_ball(x))


def maximum(x: Ball, y: Ball) -> Ball:
    """The larger of two real numbers."""
    return _extremum("real_max", x, y)


def minimum(x: Ball, y: Ball) -> Ball:
    """The smaller of two real numbers."""
    return _extremum("real_min", x, y)


def _extremum(name: str, x: Ball, y: Ball) -> Ball:
    if isinstance(y, Analytic):
        x, y = y, x
    return apply(name, x, y if isinstance(y, Analytic) else to_ball(y))


def sign(x: Ball) -> Ball:
    """-1, 0 or 1; the ball [-1, 1] where the sign is not decided."""
    return apply("real_sgn", x)


def floor(x: Ball) -> Ball:
    """The largest integer not above x."""
    return apply("real_floor", x)


def ceiling(x: Ball) -> Ball:
    """The smallest integer not below x."""
    return apply("real_ceil", x)
