"""From sympy expressions to fractions in a ring: roots, exponentials, logarithms, circular functions, moduli.

Each rule is an identity of real numbers that holds wherever both sides are real and defined:
`exp(a+b) = exp(a) exp(b)`, `log(p q) = log p + log q` and `(p q)**c = p**c q**c` for p > 0, and
`sqrt(r**2 s) = |r| sqrt(s)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flint import fmpq

from theorems.kernel.forms import MOST_EXPONENT, Form, Generator, Poly, Ring, TooLarge, domain_of
from theorems.kernel.outcome import KernelError
from theorems.kernel.symbols import NONNEGATIVE, POSITIVE, REAL, Domain, applied

MOST_SUMMANDS = 64  # in an exponent or an angle
MOST_MULTIPLE = 64  # of an angle
MOST_FACTORED = 4000  # terms
OTHER_FUNCTIONS = (
    "atan", "asin", "acos", "gamma", "loggamma", "erf", "erfc", "floor", "ceiling", "factorial",
)  # fmt: skip
PARTIAL = ("asin", "acos", "gamma", "loggamma", "factorial")  # not real or not defined everywhere


def convert(ring: Ring, expr: Any) -> Form:
    """The fraction of one expression in the ring.

    Raises:
        KernelError: for expressions that have no meaning here (relationals, Piecewise, unevaluated sums, `I`).
        TooLarge: when the fraction is too large.
    """
    import sympy

    if expr.is_Rational:
        return ring.constant(fmpq(int(expr.p), int(expr.q)))
    if expr.is_Symbol:
        k = ring.made(("symbol", expr), lambda: Generator(expr, expr.domain))
        return ring.gen(k), ring.one
    if expr.is_Add:
        return ring.total([ring.form(a) for a in expr.args])
    if expr.is_Mul:
        product = ring.constant(1)
        for factor in expr.args:
            product = ring.mul(product, ring.form(factor))
        return product
    if expr.is_Pow:
        return _pow(ring, expr)
    if expr is sympy.E:
        return exponential(ring, ring.constant(1))
    if expr is sympy.pi or expr is sympy.EulerGamma:
        low = fmpq(3) if expr is sympy.pi else fmpq(1, 2)
        bounds = Domain(low, low + 1, True, True)
        return ring.gen(ring.made(("constant", str(expr)), lambda: Generator(expr, bounds))), ring.one
    if expr is sympy.GoldenRatio:
        return ring.form((1 + sympy.sqrt(5)) / 2)
    return _function(ring, expr)


def _function(ring: Ring, expr: Any) -> Form:
    import sympy

    name = type(expr).__name__
    if name in ("Max", "Min"):
        return _extreme(ring, expr, 1 if name == "Max" else -1)
    undefined = applied(expr)
    if undefined is not None:
        a = ring.reduced(ring.form(undefined[2]))
        k = ring.made((*undefined[:2], _key(a)), lambda: Generator(expr, REAL))
        return ring.gen(k), ring.one
    if len(expr.args) != 1 or not isinstance(expr, sympy.Function):
        what = "the imaginary unit I" if expr is sympy.I else f"{name} in {str(expr)[:60]}"
        raise KernelError(
            f"{what} has no meaning in a proof: write sums and integrals out, split a Piecewise into cases, compare "
            "real and imaginary parts; accepted are +, *, powers, exp, log, sin, cos, tan, sinh, cosh, tanh, Abs, Max, "
            f"Min, asinh, acosh, atanh, {', '.join(OTHER_FUNCTIONS)}, and functions(...) of the kernel"
        )
    a = ring.reduced(ring.form(expr.args[0]))
    match name:
        case "exp":
            return exponential(ring, a)
        case "log":
            return logarithm(ring, a)
        case "sin":
            return _circular(ring, a)[0]
        case "cos":
            return _circular(ring, a)[1]
        case "tan":
            s, c = _circular(ring, a)
            return ring.mul(s, ring.inverse(c, f"cos({expr.args[0]})"))
        case "sinh" | "cosh" | "tanh":
            return _hyperbolic(ring, a, name)
        case "Abs":
            return modulus(ring, a)
        case "asinh" | "acosh":
            square = ring.add(ring.mul(a, a), ring.constant(1 if name == "asinh" else -1))
            return logarithm(ring, ring.add(a, root(ring, square, fmpq(1, 2))))
        case "atanh":
            below = ring.add(ring.constant(1), ring.neg(a))
            ratio = ring.mul(ring.add(ring.constant(1), a), ring.inverse(below, 1 - expr.args[0]))
            return ring.mul(logarithm(ring, ratio), ring.constant(fmpq(1, 2)))
    if name not in OTHER_FUNCTIONS:
        raise KernelError(f"the function {name} has no meaning in a proof; accepted are {', '.join(OTHER_FUNCTIONS)}")
    bounds = POSITIVE if name == "erfc" else REAL
    k = ring.made((name, _key(a)), lambda: Generator(type(expr)(_back(ring, a)), bounds))
    return ring.gen(k), ring.one


def _pow(ring: Ring, expr: Any) -> Form:
    base, exponent = expr.base, expr.exp
    if exponent.is_Integer:
        n = int(exponent)
        if abs(n) > MOST_EXPONENT:
            raise KernelError(f"the exponent {n} is too large for an exact comparison (at most {MOST_EXPONENT})")
        return ring.power(ring.form(base), n, base)
    e = ring.reduced(ring.form(exponent))
    b = ring.reduced(ring.form(base))
    if e[0].is_constant() and e[1].is_constant():
        return root(ring, b, rational_of(e))
    return exponential(ring, ring.mul(e, logarithm(ring, b)))


def rational_of(a: Form) -> fmpq:
    """The value of a constant fraction."""
    value: fmpq = a[0].leading_coefficient() / a[1].leading_coefficient() if not a[0].is_zero() else fmpq(0)
    return value


def _key(a: Form) -> tuple[str, str]:
    return str(a[0]), str(a[1])


def _back(ring: Ring, a: Form) -> Any:
    return ring.expression(a[0]) / ring.expression(a[1])


def factors(ring: Ring, a: Form) -> tuple[fmpq, list[tuple[Poly, int]]]:
    """A non-zero fraction as a rational number times powers of irreducible polynomials."""
    constant, found = fmpq(1), []
    for p, direction in ((a[0], 1), (a[1], -1)):
        if len(p) > MOST_FACTORED:
            raise TooLarge(f"factors of a polynomial with {len(p)} terms")
        content, parts = p.factor()
        for f, e in parts:
            if ring.sign(f) < 0:
                f, content = -f, content * (-1) ** int(e)
            found.append((f, direction * int(e)))
        constant = constant * fmpq(content) if direction > 0 else constant / fmpq(content)
    return constant, found


def root(ring: Ring, a: Form, exponent: fmpq) -> Form:
    """`a**exponent` for a rational exponent.

    Positive rational content is split into primes, factors known to be >= 0 are taken out, and of the other factors
    even powers, as moduli.
    """
    if exponent.q == 1:
        return ring.power(a, int(exponent.p), "a power")
    if a[0].is_zero():
        if exponent < 0:
            raise KernelError(f"0**({exponent}) is not defined")
        return ring.constant(0)
    constant, parts = factors(ring, a)
    result, rest = ring.constant(1), ring.constant(1 if constant > 0 else -1)
    for prime, e in _primes(abs(constant)):
        result = ring.mul(result, _power_of(ring, ring.context.constant(prime), exponent * e))
    for f, e in parts:
        if ring.sign(f) > 0:
            result = ring.mul(result, _power_of(ring, f, exponent * e))
            continue
        if e - e % 2:
            m = modulus(ring, (f, ring.one))
            result = ring.mul(result, _power_of(ring, m[0], exponent * (e - e % 2)))
        if e % 2:
            rest = ring.mul(rest, (f, ring.one))
    if rest[0] == 1:
        return result
    if rest[0].is_constant():
        raise KernelError(f"a power {exponent} of a negative number is not real; compare real and imaginary parts")
    return ring.mul(result, _power_of(ring, rest[0], exponent))


def _power_of(ring: Ring, base: Poly, exponent: fmpq) -> Form:
    """A rational power of a polynomial that is not factored further."""
    if exponent.q == 1:
        return ring.power((base, ring.one), int(exponent.p), "a power")
    single = _generator(ring, base)
    if single is not None and single.log is not None:
        return exponential(ring, ring.mul(single.log, ring.constant(exponent)))
    if single is not None and single.radicand is not None and single.inner is None and ring.sign(base) > 0:
        return root(ring, single.radicand, exponent / single.power)
    import sympy

    key = ("root", str(base))
    q = ring.refined(key, int(exponent.q))
    sign = ring.sign(base)
    expr = ring.expression(base) ** sympy.Rational(1, q)
    domain = POSITIVE if sign == 2 else NONNEGATIVE
    k = ring.made(key, lambda: Generator(expr, domain, q, (base, ring.one)))
    return ring.power((ring.gen(k), ring.one), int(exponent.p) * (q // int(exponent.q)), expr)


def _generator(ring: Ring, p: Poly) -> Generator | None:
    """The generator that a polynomial is, if it is one."""
    used = ring.used(p)
    if len(used) == 1 and p == ring.gen(used[0]):
        return ring.generators[used[0]]
    return None


def _primes(c: fmpq) -> Iterator[tuple[Any, int]]:
    for part, direction in ((c.p, 1), (c.q, -1)):
        if part.height_bits() > 160:
            yield part, direction
            continue
        for prime, e in part.factor():
            yield prime, direction * int(e)


def modulus(ring: Ring, a: Form) -> Form:
    """`|a|`, factor by factor."""
    if a[0].is_zero():
        return a
    constant, parts = factors(ring, a)
    result = ring.constant(abs(constant))
    for f, e in parts:
        if ring.sign(f) > 0 or e % 2 == 0:
            result = ring.mul(result, ring.power((f, ring.one), e, "a modulus"))
            continue
        if f.leading_coefficient() < 0:
            f = -f
        k = ring.made(("modulus", str(f)), lambda f=f: _modulus_generator(ring, f))
        result = ring.mul(result, ring.power((ring.gen(k), ring.one), e, "a modulus"))
    return result


def _modulus_generator(ring: Ring, f: Poly) -> Generator:
    import sympy

    return Generator(sympy.Abs(ring.expression(f)), NONNEGATIVE, 2, (f * f, ring.one), inner=f)


def _extreme(ring: Ring, expr: Any, direction: int) -> Form:
    """Max and Min: `max(a, b) = (a + b + |a - b|)/2`."""
    args = sorted(expr.args, key=str)
    value = ring.reduced(ring.form(args[0]))
    for arg in args[1:]:
        other = ring.reduced(ring.form(arg))
        gap = modulus(ring, ring.reduced(ring.add(value, ring.neg(other))))
        both = ring.add(ring.add(value, other), ring.mul(gap, ring.constant(direction)))
        value = ring.reduced(ring.mul(both, ring.constant(fmpq(1, 2))))
    return value


def _summands(ring: Ring, a: Form) -> list[tuple[fmpq, Form]] | None:
    """A fraction as a sum of rational multiples of monomials over one denominator; None when there are many."""
    if len(a[0]) > MOST_SUMMANDS:
        return None
    lead = a[1].leading_coefficient()
    below = a[1] / lead
    return [(fmpq(c) / lead, (ring.context.from_dict({m: 1}), below)) for m, c in a[0].to_dict().items()]


def exponential(ring: Ring, a: Form) -> Form:
    """`exp(a)` as a product over the summands of a."""
    a = ring.reduced(a)
    summands = _summands(ring, a)
    if summands is None:
        summands = [(fmpq(1), a)]
    result = ring.constant(1)
    for c, t in summands:
        single = _generator(ring, t[0]) if t[1] == 1 else None
        if single is not None and single.exp is not None:
            result = ring.mul(result, root(ring, single.exp, c))
            continue
        key = ("exp", _key(t))
        q = ring.refined(key, int(c.q))
        k = ring.made(key, lambda t=t, q=q: _exponential_generator(ring, t, q))
        n = int(c.p) * (q // int(c.q))
        result = ring.mul(result, ring.power((ring.gen(k), ring.one), n, "an exponential"))
    return result


def _exponential_generator(ring: Ring, t: Form, q: int) -> Generator:
    import sympy

    return Generator(sympy.exp(_back(ring, t) / q), POSITIVE, log=ring.mul(t, ring.constant(fmpq(1, q))))


def logarithm(ring: Ring, a: Form) -> Form:
    """`log(a)` as a sum over the factors of a that are known to be positive, and even powers of the others."""
    a = ring.reduced(a)
    if a[0].is_zero():
        raise KernelError("log(0) is not defined")
    constant, parts = factors(ring, a)
    terms = [ring.mul(_log_of(ring, ring.context.constant(p)), ring.constant(e)) for p, e in _primes(abs(constant))]
    rest = ring.constant(1 if constant > 0 else -1)
    for f, e in parts:
        if ring.sign(f) > 0:
            terms.append(ring.mul(_log_of(ring, f), ring.constant(e)))
            continue
        if e - e % 2:
            terms.append(ring.mul(_log_of(ring, modulus(ring, (f, ring.one))[0]), ring.constant(e - e % 2)))
        if e % 2:
            rest = ring.mul(rest, (f, ring.one))
    if rest[0].is_constant() and rest[0] != 1:
        raise KernelError("the logarithm of a negative number is not real")
    if rest[0] != 1:
        terms.append(_log_of(ring, rest[0]))
    return ring.total(terms)


def _log_of(ring: Ring, f: Poly) -> Form:
    import sympy

    single = _generator(ring, f)
    if single is not None and single.log is not None:
        return single.log
    if single is not None and single.radicand is not None and type(single.expr).__name__ != "Abs":
        return ring.mul(logarithm(ring, single.radicand), ring.constant(fmpq(1, single.power)))
    bounds = domain_of(ring.sign(f - 1))
    k = ring.made(("log", str(f)), lambda: Generator(sympy.log(ring.expression(f)), bounds, exp=(f, ring.one)))
    return ring.gen(k), ring.one


def _hyperbolic(ring: Ring, a: Form, name: str) -> Form:
    up = exponential(ring, a)
    down = ring.inverse(up, "an exponential")
    s, c = ring.add(up, ring.neg(down)), ring.add(up, down)
    if name == "tanh":
        return ring.mul(s, ring.inverse(c, "cosh"))
    return ring.mul(s if name == "sinh" else c, ring.constant(fmpq(1, 2)))


def _circular(ring: Ring, a: Form) -> tuple[Form, Form]:
    """sin(a) and cos(a) by the addition theorem over the summands of a."""
    summands = _summands(ring, a)
    angles: list[tuple[int, tuple[Form, Form]]] = []
    for c, t in summands or []:
        single = _generator(ring, t[0]) if t[1] == 1 else None
        if single is not None and str(single.expr) == "pi":
            quarter = 2 * c
            if quarter.q != 1:
                summands = None
                break
            angles.append((int(quarter.p) % 4, (ring.constant(1), ring.constant(0))))
            continue
        key = ("angle", _key(t))
        q = ring.refined(key, int(c.q))
        n = int(c.p) * (q // int(c.q))
        if abs(n) > MOST_MULTIPLE:
            summands = None
            break
        angles.append((n, _angle(ring, ring.mul(t, ring.constant(fmpq(1, q))))))
    if summands is None:
        angles = [(1, _angle(ring, a))]
    s, c_ = ring.constant(0), ring.constant(1)
    for n, (s1, c1) in angles:
        s1 = s1 if n >= 0 else ring.neg(s1)
        for _ in range(abs(n)):
            s, c_ = (
                ring.add(ring.mul(s, c1), ring.mul(c_, s1)),
                ring.add(ring.mul(c_, c1), ring.neg(ring.mul(s, s1))),
            )
    return ring.reduced(s), ring.reduced(c_)


def _angle(ring: Ring, a: Form) -> tuple[Form, Form]:
    """Generators for the sine and cosine of an angle, with `s**2 = 1 - c**2`."""
    import sympy

    unit = Domain(fmpq(-1), fmpq(1))
    angle = _back(ring, a)
    c = ring.made(("cos", _key(a)), lambda: Generator(sympy.cos(angle, evaluate=False), unit))
    square = (1 - ring.gen(c) ** 2, ring.one)
    s = ring.made(("sin", _key(a)), lambda: Generator(sympy.sin(angle, evaluate=False), unit, 2, square))
    return (ring.gen(s), ring.one), (ring.gen(c), ring.one)
