"""A canonical form for expressions: fractions of FLINT polynomials in generators with known relations.

Every kernel symbol is a generator, and so is every root, logarithm, exponential, sine or other function of an
expression (of its canonical form). Generators are treated as independent except for relations that always hold:
`g**q = b` for a root, `s**2 + c**2 = 1`, `|b|**2 = b**2`; sums in exponents become products, products in logarithms of
positive factors become sums. An equation that holds in this ring therefore holds wherever both sides are real and
defined. The converse is not claimed: a difference that is not zero here refutes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, lcm
from typing import Any, TypeAlias

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from theorems.kernel.outcome import KernelError
from theorems.kernel.signs import sign
from theorems.kernel.symbols import NONNEGATIVE, POSITIVE, REAL, Domain, require_own
from theorems.kernel.values import Algebraic, admit

MOST_TERMS = 2_000_000
MOST_PRODUCTS = 200_000_000
MOST_EXPONENT = 1 << 16
MOST_RESTARTS = 64
MOST_PRINTED = 3000  # nodes of an expression

Poly: TypeAlias = Any  # flint.fmpq_mpoly
Form: TypeAlias = tuple[Poly, Poly]  # numerator and denominator


class TooLarge(Exception):
    """The canonical form would need more terms than are affordable."""


class _Restart(Exception):
    """A generator has to be refined (x**(1/2) to x**(1/6)), or there are more of them than expected."""


@dataclass(slots=True)
class Generator:
    """One generator of the ring.

    Attributes:
        expr: the sympy expression that it stands for.
        domain: bounds on its value, wherever it is real.
        power, radicand: the relation `g**power = radicand`, if power > 0.
        log: its logarithm, for exponentials.
        exp: its exponential, for logarithms.
        inner: the polynomial whose modulus it is.
    """

    expr: Any
    domain: Domain
    power: int = 0
    radicand: Form | None = None
    log: Form | None = None
    exp: Form | None = None
    inner: Poly | None = None


class Ring:
    """The ring in which some expressions are compared; made by `ring_of`."""

    def __init__(self, slots: int, finer: dict[Any, int]) -> None:
        names = tuple(f"g{slots - 1 - i}" for i in range(slots))
        self.context = fmpq_mpoly_ctx.get(names, Ordering.degrevlex)
        self._slots = slots
        self._unused = list(reversed(self.context.gens()))
        self._index: dict[Any, int] = {}
        self._memo: dict[Any, Form] = {}
        self._tower: list[int] = []
        self.finer = finer
        self.generators: list[Generator] = []
        self.denominators: list[tuple[Poly, Any]] = []
        self.one = self.context.constant(1)
        self.zero = self.context.constant(0)

    # Generators

    def gen(self, k: int) -> Poly:
        """The k-th generator (in the order in which they were made) as a polynomial."""
        return self._unused[k]

    def made(self, key: Any, make: Any) -> int:
        """The number of the generator with this key; `make()` describes it when it is new."""
        k = self._index.get(key)
        if k is None:
            description = make()
            k = len(self.generators)
            if k >= self._slots:
                raise _Restart
            self._index[key] = k
            self.generators.append(description)
            if description.power:
                self._tower.append(k)
        return k

    def refined(self, key: Any, q: int) -> int:
        """A denominator of exponents for this key that q divides; restarts when the known one is too coarse."""
        have = self.finer.get(key)
        if have is None:
            self.finer[key] = q
            return q
        if have % q:
            self.finer[key] = lcm(have, q)
            raise _Restart
        return have

    def degree(self, p: Poly, k: int) -> int:
        """Degree of a polynomial in the k-th generator."""
        return int(p.degrees()[self._slots - 1 - k])

    def used(self, *polynomials: Poly) -> list[int]:
        """The generators that occur in some polynomials."""
        found: set[int] = set()
        for p in polynomials:
            found.update(self._slots - 1 - i for i, d in enumerate(p.degrees()) if d > 0)
        return sorted(found)

    # Arithmetic of fractions

    def constant(self, value: fmpq | int) -> Form:
        """A rational number as a fraction."""
        return self.context.constant(value), self.one

    def add(self, a: Form, b: Form) -> Form:
        """The sum of two fractions."""
        if a[1] == b[1]:
            return self._cancelled(a[0] + b[0], a[1])
        g = a[1].gcd(b[1])
        da, db = a[1] / g, b[1] / g
        return self._cancelled(times(a[0], db) + times(b[0], da), times(a[1], db), g)

    def mul(self, a: Form, b: Form) -> Form:
        """The product of two fractions."""
        n1, d2 = self._cancelled(a[0], b[1])
        n2, d1 = self._cancelled(b[0], a[1])
        return self.reduced((times(n1, n2), times(d1, d2)))

    def neg(self, a: Form) -> Form:
        """The negative of a fraction."""
        return -a[0], a[1]

    def inverse(self, a: Form, what: Any = None) -> Form:
        """The inverse; the denominator is remembered.

        Raises:
            KernelError: when it is identically zero.
        """
        if a[0].is_zero():
            raise KernelError(f"the denominator {text(what)} is identically zero")
        if not a[0].is_constant():
            self.denominators.append((a[0], what))
        return a[1], a[0]

    def power(self, a: Form, n: int, what: Any = None) -> Form:
        """An integer power of a fraction."""
        if n < 0:
            a, n = self.inverse(a, what), -n
        return self.reduced((_power(a[0], n), _power(a[1], n)))

    def _cancelled(self, n: Poly, d: Poly, within: Poly | None = None) -> Form:
        if n.is_zero():
            return n, self.one
        if d.is_constant():
            return (n, self.one) if d == 1 else (n / d, self.one)
        g = n.gcd(d if within is None else within)
        return (n, d) if g.is_constant() else (n / g, d / g)

    def reduced(self, a: Form) -> Form:
        """The fraction with every power of a root below its degree.

        Raises:
            KernelError: when the denominator turns out to be zero.
        """
        if not self._tower:
            return a
        (n, below), (d, above) = self._lowered(a[0]), self._lowered(a[1])
        if d.is_zero():
            raise KernelError(
                "a denominator is identically zero (by a relation such as sqrt(x)**2 = x or |x|**2 = x**2)"
            )
        return self._cancelled(times(n, above), times(d, below))

    def _lowered(self, p: Poly) -> Form:
        """A polynomial rewritten by the relations, newest first, as a fraction."""
        denominator = self.one
        for k in reversed(self._tower):
            q, radicand = self.generators[k].power, self.generators[k].radicand
            if radicand is None or self.degree(p, k) < q:
                continue
            parts: dict[int, dict[Any, Any]] = {}
            position = self._slots - 1 - k
            for exponents, c in p.to_dict().items():
                j, rest = divmod(int(exponents[position]), q)
                low = (*exponents[:position], rest, *exponents[position + 1 :])
                parts.setdefault(j, {})[low] = c
            top = max(parts)
            n, d = radicand
            p = self.zero
            for j, part in parts.items():
                p = p + times(times(self.context.from_dict(part), _power(n, j)), _power(d, top - j))
            denominator = times(denominator, _power(d, top))
        return p, denominator

    def total(self, terms: list[Form]) -> Form:
        """The sum of many fractions, by halves."""
        while len(terms) > 1:
            pairs = [self.add(terms[i], terms[i + 1]) for i in range(0, len(terms) - 1, 2)]
            terms = pairs + terms[2 * len(pairs) :]
        return terms[0] if terms else self.constant(0)

    # Signs

    def sign(self, p: Poly) -> int:
        """What the coefficients say about the sign: 2 positive, 1 non-negative, -1, -2, or 0 for nothing."""
        return sign(self, p)

    def substituted(self, p: Poly, images: dict[int, Poly]) -> Poly:
        """The polynomial with some generators replaced by polynomials."""
        if not images:
            return p
        everything = [images.get(self._slots - 1 - i, self.gen(self._slots - 1 - i)) for i in range(self._slots)]
        return p.compose(*everything, ctx=self.context)

    # Back to sympy

    def expression(self, p: Poly) -> Any:
        """A polynomial as a sympy expression in what the generators stand for."""
        import sympy

        terms = []
        for exponents, c in p.to_dict().items():
            factors = [self.generators[self._slots - 1 - i].expr ** int(e) for i, e in enumerate(exponents) if e]
            terms.append(sympy.Mul(sympy.Rational(int(c.p), int(c.q)), *factors))
        return sympy.Add(*terms)

    def form(self, expr: Any) -> Form:
        """The fraction of an expression; see `theorems.kernel.atoms.convert`."""
        known = self._memo.get(expr)
        if known is None:
            from theorems.kernel.atoms import convert

            known = self._memo[expr] = convert(self, expr)
        return known


def ring_of(*expressions: Any) -> tuple[Ring, list[Form]]:
    """A ring for some expressions, and their fractions.

    Args:
        expressions: sympy expressions in kernel symbols, or FLINT rationals.

    Raises:
        KernelError: for foreign symbols, denominators that are identically zero, functions without meaning here.
        TooLarge: when the fractions would be too large to write down.
    """
    import sympy

    exprs = [as_expr(e) for e in expressions]
    require_own(*exprs)
    slots = 4 + len({n for e in exprs for n in sympy.preorder_traversal(e) if _makes_generator(n)})
    finer: dict[Any, int] = {}
    for _ in range(MOST_RESTARTS):
        ring = Ring(slots, finer)
        try:
            return ring, [ring.reduced(ring.form(e)) for e in exprs]
        except _Restart:
            if len(ring.generators) >= slots:
                slots *= 2
    raise TooLarge("the exponents have no common denominator of moderate size")


def _makes_generator(node: Any) -> bool:
    return not (node.is_Number or node.is_Add or node.is_Mul or (node.is_Pow and node.exp.is_Integer))


def exact_expr(value: Any) -> Any:
    """What a user wrote (a number, an expression in kernel symbols) as a sympy expression, admitted at the door.

    Raises:
        KernelError: for floats, relationals, arrays and foreign symbols.
    """
    expr = as_expr(admit(value, symbolic=True))
    if not hasattr(expr, "free_symbols"):
        raise KernelError(f"{text(value)}: an exact scalar expression is expected here")
    require_own(expr)
    return expr


def as_expr(value: Any) -> Any:
    """An admitted exact value as a sympy expression."""
    import sympy

    if isinstance(value, fmpq):
        return sympy.Rational(int(value.p), int(value.q))
    return value.expr if isinstance(value, Algebraic) else value


def times(a: Poly, b: Poly) -> Poly:
    """A product of polynomials, refused when it would be unaffordable."""
    if len(a) * len(b) > MOST_PRODUCTS:
        raise TooLarge(f"a product of polynomials with {len(a)} and {len(b)} terms")
    return a * b


def _power(p: Poly, n: int) -> Poly:
    if n <= 1 or p == 1:
        return p if n == 1 else p.context().constant(1)
    terms = len(p)
    if n > MOST_EXPONENT:
        raise KernelError(f"the exponent {n} is too large for an exact comparison (at most {MOST_EXPONENT})")
    if terms > 1 and comb(n + terms - 1, min(n, terms - 1)) * (1 + n // 64) > MOST_TERMS:
        raise TooLarge(f"the power {n} of a polynomial with {terms} terms")
    return p**n


def domain_of(sign: int) -> Domain:
    """The domain that a sign (2, 1, 0) leaves."""
    return POSITIVE if sign == 2 else NONNEGATIVE if sign == 1 else REAL


def text(expr: Any, width: int = 80) -> str:
    """An expression in words, cut to a width; large ones are counted, not printed (sympy sorts while it prints)."""
    from itertools import islice

    import sympy

    if isinstance(expr, sympy.Basic):
        nodes = sum(1 for _ in islice(sympy.preorder_traversal(expr), MOST_PRINTED + 1))
        if nodes > MOST_PRINTED:
            return f"(an expression in {len(expr.free_symbols)} symbols)"
    shown = str(expr)
    return shown if len(shown) <= width else shown[: width - 3] + "..."
