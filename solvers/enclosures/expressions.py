"""sympy expressions as functions of balls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flint import acb, arb, fmpq

from solvers.enclosures import functions as F
from solvers.enclosures.analytic import Analytic
from solvers.enclosures.exact import to_ball

_UNARY: dict[str, Callable[..., Any]] = {
    "exp": F.exp, "log": F.log, "sin": F.sin, "cos": F.cos, "tan": F.tan, "cot": F.cot, "sec": F.sec,
    "csc": F.csc, "asin": F.asin, "acos": F.acos, "atan": F.atan, "sinh": F.sinh, "cosh": F.cosh,
    "tanh": F.tanh, "coth": F.coth, "sech": F.sech, "csch": F.csch, "asinh": F.asinh, "acosh": F.acosh,
    "atanh": F.atanh, "sinc": F.sinc, "erf": F.erf, "erfc": F.erfc, "erfi": F.erfi, "erfinv": F.erfinv,
    "erfcinv": F.erfcinv, "gamma": F.gamma, "loggamma": F.loggamma, "digamma": F.digamma, "Ei": F.ei,
    "li": F.li, "Si": F.si, "Ci": F.ci, "Shi": F.shi, "Chi": F.chi, "airyai": F.airy_ai, "airybi": F.airy_bi,
    "fresnels": F.fresnel_s, "fresnelc": F.fresnel_c, "elliptic_k": F.elliptic_k, "Abs": F.absolute,
    "sign": F.sign, "floor": F.floor, "ceiling": F.ceiling,
    "factorial": lambda n: F.gamma(n + 1),
}  # fmt: skip
_SEVERAL: dict[str, Callable[..., Any]] = {
    "besselj": F.bessel_j, "bessely": F.bessel_y, "besseli": F.bessel_i, "besselk": F.bessel_k,
    "hyper": F.hyper, "uppergamma": F.gamma_upper, "lowergamma": F.gamma_lower, "beta": F.beta,
    "zeta": F.zeta, "polylog": F.polylog, "expint": F.expint, "polygamma": F.polygamma,
    "LambertW": lambda x, k=0: F.lambertw(x, k if isinstance(k, int) else int(k.unique_fmpz())),
    "legendre": F.legendre, "hermite": F.hermite, "chebyshevt": F.chebyshev_t, "chebyshevu": F.chebyshev_u,
    "laguerre": F.laguerre, "assoc_laguerre": lambda n, a, x: F.laguerre(n, x, a), "jacobi": F.jacobi,
    "gegenbauer": F.gegenbauer, "elliptic_e": F.elliptic_e,
    "binomial": lambda n, k: F.gamma(n + 1) * F.rgamma(k + 1) * F.rgamma(n - k + 1),
    "harmonic": lambda n: F.digamma(n + 1) + arb.const_euler(),
    "RisingFactorial": lambda x, k: F.gamma(x + k) / F.gamma(x),
}  # fmt: skip
_CONSTANTS: dict[str, Callable[[], Any]] = {
    "Pi": arb.pi, "Exp1": arb.const_e, "EulerGamma": arb.const_euler, "Catalan": arb.const_catalan,
    "GoldenRatio": lambda: (1 + arb(5).sqrt()) / 2, "ImaginaryUnit": lambda: acb(0, 1),
}  # fmt: skip


def ball_function(expression: Any, variables: Sequence[Any]) -> Callable[..., Any]:
    """The function of balls that evaluates a sympy expression at the precision of each call.

    Args:
        expression: sympy expression over `variables` in elementary and special functions, Piecewise, Min
            and Max, with exact constants. sympy Floats are refused: they are 53-bit values in disguise.
        variables: the symbols, in the order of the arguments.

    Returns:
        A function of len(variables) numbers (exact numbers, balls, series or integrand variables). Its value
        contains the exact one for every point of the argument balls; NaN where the expression is not defined.

    Raises:
        TypeError: for Floats, unknown functions and symbols that are not variables, when called here, not
            later.
    """
    import sympy

    expression = sympy.sympify(expression)
    place: dict[Any, int] = {v: i for i, v in enumerate(variables)}
    steps: list[tuple[Callable[..., Any], tuple[int, ...]]] = []

    def visit(e: Any) -> int:
        if e not in place:
            operation, operands = _step(e)
            indices = tuple(visit(x) for x in operands)
            steps.append((operation, indices))
            place[e] = len(variables) + len(steps) - 1
        return place[e]

    last = visit(expression)

    def f(*arguments: Any) -> Any:
        if len(arguments) != len(variables):
            raise TypeError(f"expected values for {list(variables)}, got {len(arguments)}")
        values = [x if isinstance(x, Analytic) or hasattr(x, "valuation") else to_ball(x) for x in arguments]
        for operation, indices in steps:
            values.append(operation(*[values[i] for i in indices]))
        return values[last]

    return f


def derivative(expression: Any, variable: Any) -> Any:
    """The symbolic derivative of a continuous expression.

    Raises:
        TypeError: for Piecewise, whose jumps the symbolic derivative ignores (a root would be "proved" at a
            jump).
    """
    import sympy

    if expression.has(sympy.Piecewise):
        raise TypeError(f"{expression} may jump where its pieces meet; treat the pieces one by one")
    return expression.diff(variable)


def _step(e: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The operation at the head of e, and its operands."""
    name = e.func.__name__
    if e.is_Float:
        raise TypeError(f"the sympy Float {e} is a rounded number; use sympy.Rational")
    if e.is_Integer:
        n = int(e)
        return (lambda: arb(n)), ()
    if e.is_Rational:
        q = fmpq(int(e.p), int(e.q))
        return (lambda: arb(q)), ()
    if name in _CONSTANTS:
        return _CONSTANTS[name], ()
    if e.is_Add:
        return (lambda *xs: sum(xs[1:], xs[0])), e.args
    if e.is_Mul:
        return _product, e.args
    if e.is_Pow:
        return _power_step(e)
    if name in {"Max", "Min"}:
        pair = F.maximum if name == "Max" else F.minimum
        return (lambda *xs: _fold(pair, xs)), e.args
    if name == "hyper":
        p = len(e.args[0])
        return (lambda *xs: F.hyper(xs[:p], xs[p:-1], xs[-1])), (*e.args[0], *e.args[1], e.args[2])
    if name == "Piecewise":
        return _piecewise_step(e)
    if name in {"StrictGreaterThan", "GreaterThan", "StrictLessThan", "LessThan"}:
        return _RELATIONS[name], e.args
    if name in {"BooleanTrue", "BooleanFalse"}:
        return (lambda: name == "BooleanTrue"), ()
    operation: Callable[..., Any] | None = _UNARY.get(name) if len(e.args) == 1 else None
    operation = operation or _SEVERAL.get(name)
    if operation is None:
        raise TypeError(f"no ball evaluation for {name} in {e}; known: {sorted({*_UNARY, *_SEVERAL})}")
    return operation, e.args


def _product(*xs: Any) -> Any:
    return _fold(lambda x, y: x * y, xs)


def _fold(pair: Callable[[Any, Any], Any], xs: Sequence[Any]) -> Any:
    value = xs[0]
    for x in xs[1:]:
        value = pair(value, x)
    return value


def _power_step(e: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    base, exponent = e.args
    if exponent.is_Rational:
        q = fmpq(int(exponent.p), int(exponent.q))
        if q == fmpq(-1, 2):
            return F.rsqrt, (base,)
        return (lambda x: F.power(x, q)), (base,)
    return F.power, (base, exponent)


# True and False are decided; None is not (a ball that meets the other side, or NaN).
_RELATIONS: dict[str, Callable[[Any, Any], bool | None]] = {
    "StrictGreaterThan": lambda x, y: True if x > y else False if x <= y else None,
    "GreaterThan": lambda x, y: True if x >= y else False if x < y else None,
    "StrictLessThan": lambda x, y: True if x < y else False if x >= y else None,
    "LessThan": lambda x, y: True if x <= y else False if x > y else None,
}


def _piecewise_step(e: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Branches in order; the union of those that an undecided condition leaves open."""
    operands = [x for piece in e.args for x in (piece.expr, piece.cond)]

    def choose(*xs: Any) -> Any:
        hull = None
        for value, condition in zip(xs[::2], xs[1::2]):
            if isinstance(value, Analytic):
                raise TypeError("Piecewise cannot be integrated in one piece; split the integral at its breaks")
            if condition is False:
                continue
            hull = value if hull is None else hull.union(value)
            if condition is True:
                return hull
        return arb.nan()

    return choose, tuple(operands)
