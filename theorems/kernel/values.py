"""Values at the kernel's door: what a comparison may be made of, and what is refused with advice.

Admitted are exact numbers (one type inside: FLINT's rationals), algebraic numbers with an exact sign, words (strings
and tuples of exact symbols), finite balls, high-precision numbers inside thunks, floats with a stated error bound,
stated infinities, and rectangular arrays of these. Everything else is refused: a bare float carries no error
bound, and a bool is a verdict that the check has made by itself.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

from flint import acb, acb_mat, arb, arb_mat, fmpq, fmpq_mat, fmpq_mpoly, fmpq_poly, fmpz, fmpz_mat

from theorems.kernel.outcome import KernelError

DISGUISED_FROM = 31  # mantissas of 31 to 53 bits at a higher working precision look like doubles
DOUBLE_BITS = 53
_SHORT_DENOMINATOR = 1 << 30
LONGEST_END = 40  # characters of an end of an enclosure that is shown as a fraction

POLYNOMIALS = (fmpq_poly, fmpq_mpoly)  # elements of an exact ring: equal or not

_RETURN_INSTEAD = (
    "return exact numbers (int, Fraction, flint.fmpq), a finite flint.arb ball, a thunk of mpmath numbers, "
    "or Approx(value, error) for a float with a stated error bound"
)


@dataclass(frozen=True, slots=True)
class Dyadic:
    """A rational that is dyadic on purpose: its power-of-two denominator is no disguise of a double."""

    value: fmpq


@dataclass(frozen=True, slots=True)
class Approx:
    """A float with a stated absolute error bound; worth `numeric`.

    Args:
        value: a finite double.
        error: bound on the distance to the true value, >= 0.
    """

    value: float
    error: float

    def __post_init__(self) -> None:
        for name, x in (("value", self.value), ("error", self.error)):
            if not float("-inf") < float(x) < float("inf"):
                raise KernelError(f"Approx({name}={x!r}): finite numbers only")
        if self.error < 0:
            raise KernelError(f"Approx(error={self.error!r}): the error bound must be >= 0")


@dataclass(frozen=True, slots=True)
class Word:
    """A finite sequence of exact symbols (tokens, tape cells, states). Words of different length are unequal."""

    symbols: tuple[Any, ...]

    def __str__(self) -> str:
        return "⟨" + ", ".join(str(s) for s in self.symbols) + "⟩"


@dataclass(frozen=True, slots=True)
class Infinity:
    """A stated infinite value. Computations that overflow are refused; a theorem may say 'infinite'."""

    sign: int = 1

    def __str__(self) -> str:
        return "∞" if self.sign > 0 else "-∞"


INFINITY = Infinity(1)
MINUS_INFINITY = Infinity(-1)


@dataclass(frozen=True, slots=True)
class Enclosed:
    """A number between proven rational ends (None: no proven end); `reason` says what is missing."""

    lower: fmpq | None
    upper: fmpq | None
    reason: str = ""

    def __str__(self) -> str:
        if self.lower is not None and self.lower == self.upper and len(str(self.lower)) <= LONGEST_END:
            return str(self.lower)
        return f"[{_end(self.lower, ROUND_FLOOR)}, {_end(self.upper, ROUND_CEILING)}]"


@dataclass(frozen=True, slots=True)
class Algebraic:
    """A real number given as an exact sympy expression without free symbols."""

    expr: Any

    def __str__(self) -> str:
        return str(self.expr)


@dataclass(frozen=True, slots=True)
class Numeric:
    """A high-precision mpmath real; two of them, at p and 2p digits, make a numeric value."""

    value: Any

    def __str__(self) -> str:
        import mpmath

        return str(mpmath.nstr(self.value, 20))


@dataclass(frozen=True, slots=True)
class Array:
    """A rectangular array of admitted values: a shape and the entries in row-major order."""

    shape: tuple[int, ...]
    entries: tuple[Any, ...]

    def __str__(self) -> str:
        shown = ", ".join(str(e) for e in self.entries[:12])
        return f"array{self.shape}[{shown}{', ...' if len(self.entries) > 12 else ''}]"


def dyadic(value: Any) -> Dyadic | tuple[Any, ...]:
    """Declare a rational (or a nested list or matrix of rationals) dyadic on purpose.

    Args:
        value: int, Fraction or fmpq, or a (nested) sequence or matrix of them.
    """
    if isinstance(value, (fmpq_mat, fmpz_mat)):
        return tuple(dyadic(row) for row in value.tolist())
    if isinstance(value, (list, tuple)):
        return tuple(dyadic(v) for v in value)
    if isinstance(value, bool) or not isinstance(value, (int, fmpz, fmpq, Fraction)):
        raise KernelError(f"dyadic({value!r}): an int, Fraction or fmpq is expected, not {type(value).__name__}")
    return Dyadic(rational(value))


def word(symbols: Any) -> Word:
    """A sequence of exact symbols (ints, strings, rationals, nested tuples) compared as a whole.

    Args:
        symbols: a string or an iterable of exact symbols.
    """
    return Word(tuple(_symbol(s) for s in symbols))


def rational(x: int | fmpz | fmpq | Fraction) -> fmpq:
    """The FLINT rational equal to an exact number."""
    if isinstance(x, fmpq):
        return x
    if isinstance(x, Fraction):
        return fmpq(x.numerator, x.denominator)
    return fmpq(x)


def admit(value: Any, *, symbolic: bool = False) -> Any:
    """The kernel's own form of a value that a check returned.

    Args:
        value: what the check returned for one side of a comparison.
        symbolic: True inside proofs, where sympy expressions with kernel symbols are admitted.

    Returns:
        fmpq, arb, acb, `Algebraic`, `Numeric`, `Approx`, `Word`, `Infinity` or `Array`, or (in proofs) a sympy
        expression.

    Raises:
        KernelError: for everything else, with advice.
    """
    kind = type(value)
    if kind is int or kind is fmpz:
        return fmpq(value)
    if kind is fmpq or kind is Fraction:
        return _undisguised(rational(value))
    if kind is Dyadic:
        return value.value
    if kind is arb:
        return _finite_ball(value)
    if kind is acb:
        _finite_ball(value.real, undisguised=False), _finite_ball(value.imag, undisguised=False)
        return value
    if kind in (Approx, Word, Infinity) or kind in POLYNOMIALS:
        return value
    if kind is bool:
        raise KernelError(
            "a bool is a verdict made inside the check; return the two sides, e.g. `return lhs, rhs` or `eq(a, b)`"
        )
    if kind is str:
        return Word(tuple(value))
    if kind in (fmpq_mat, fmpz_mat, arb_mat, acb_mat):
        return Array((value.nrows(), value.ncols()), tuple(admit(e) for e in value.entries()))
    if isinstance(value, (tuple, list)):
        return _sequence(value, symbolic)
    if kind is float:
        raise KernelError(f"a bare float ({value!r}) has no error bound; {_RETURN_INSTEAD}")
    if kind is complex:
        raise KernelError(f"a bare complex ({value!r}) has no error bound; return a flint.acb ball")
    return _foreign(value, symbolic)


_dyadic_instance = False


@contextmanager
def dyadic_instance(dyadic: bool) -> Iterator[None]:
    """Admit rationals with large power-of-two denominators while an instance with dyadic parameters is answered."""
    global _dyadic_instance
    before, _dyadic_instance = _dyadic_instance, dyadic
    try:
        yield
    finally:
        _dyadic_instance = before


def has_dyadic(value: Any) -> bool:
    """Whether a parameter (or an entry of it) is a proper dyadic fraction, whose powers are dyadic on purpose."""
    if isinstance(value, (fmpq, Fraction)):
        d = int(rational(value).q)
        return d > 1 and d & (d - 1) == 0
    if isinstance(value, (tuple, list)):
        return any(has_dyadic(v) for v in value)
    if isinstance(value, fmpq_mat):
        return any(has_dyadic(v) for v in value.entries())
    return False


def _undisguised(q: fmpq) -> fmpq:
    d = q.q
    if d <= _SHORT_DENOMINATOR:
        return q
    d = int(d)
    if d & (d - 1) == 0 and not _dyadic_instance:
        raise KernelError(
            f"the rational {_short(q)} has the power-of-two denominator 2^{d.bit_length() - 1}: it looks like a "
            "double in disguise; compute with exact numbers from the start, or wrap it in dyadic(...) if it is "
            "dyadic on purpose"
        )
    return q


def _finite_ball(ball: arb, *, undisguised: bool = True) -> arb:
    if not ball.is_finite():
        raise KernelError(
            f"a ball that is not finite ({ball}) says nothing (a NaN ball 'contains 0'); "
            "write x*x for x**2 when x may contain 0, and return a thunk so that precision can grow"
        )
    if undisguised and ball.is_exact() and not _dyadic_instance:
        bits = ball.mid().man_exp()[0]
        length = int(abs(bits)).bit_length()
        if DISGUISED_FROM <= length <= DOUBLE_BITS:
            raise KernelError(
                f"the ball {ball} has radius 0 and a mantissa of {length} bits: a double in disguise; build the "
                "ball from exact numbers, or return dyadic(Fraction(...)) if it is exact on purpose"
            )
    return ball


def _sequence(value: Any, symbolic: bool) -> Array | Word:
    if any(isinstance(v, str) for v in value):
        return word(value)
    entries = [admit(v, symbolic=symbolic) for v in value]
    if entries and all(type(e) is fmpq for e in entries):
        return Array((len(entries),), tuple(entries))
    inner = {e.shape if isinstance(e, Array) else () for e in entries}
    if any(isinstance(e, Word) for e in entries):
        return word(value)
    if len(inner) > 1:
        raise KernelError(
            f"a ragged array: rows have the shapes {sorted(inner)}; use word(...) for sequences of symbols"
        )
    shape = next(iter(inner)) if inner else ()
    flat: list[Any] = []
    for e in entries:
        flat.extend(e.entries if isinstance(e, Array) else (e,))
    return Array((len(entries), *shape), tuple(flat))


def _symbol(s: Any) -> Any:
    if isinstance(s, bool) or s is None:
        raise KernelError(f"{s!r} is no exact symbol; use ints, strings, rationals or tuples of them")
    if isinstance(s, (int, fmpz, fmpq, Fraction)):
        return rational(s)
    if isinstance(s, str):
        return s
    if isinstance(s, (Word,)):
        return s
    if isinstance(s, (tuple, list)):
        return tuple(_symbol(x) for x in s)
    raise KernelError(f"{s!r} ({type(s).__name__}) is no exact symbol; use ints, strings, rationals or tuples of them")


def _foreign(value: Any, symbolic: bool) -> Any:
    """Values of libraries that are looked at only if they are loaded already."""
    module = str(type(value).__module__).split(".")[0]
    if module == "numpy":
        return _numpy(value, symbolic)
    if module == "mpmath":
        return _mpmath(value)
    if "sympy" in sys.modules:
        import sympy

        if isinstance(value, (sympy.Basic, sympy.MatrixBase)):
            return _sympy(value, symbolic)
    if module == "theorems":
        from theorems.kernel.programs import Optimum, enclosed

        if isinstance(value, Optimum):
            return enclosed(value)
    raise KernelError(f"a value of type {type(value).__name__} is not admitted; {_RETURN_INSTEAD}")


def _numpy(value: Any, symbolic: bool) -> Any:
    import numpy as np

    if isinstance(value, np.ndarray) and value.dtype == object:
        return admit(value.tolist(), symbolic=symbolic)
    what = f"a NumPy {value.dtype} {'array' if isinstance(value, np.ndarray) else 'scalar'}"
    if np.issubdtype(value.dtype, np.integer):
        raise KernelError(f"{what} may have wrapped around; convert on purpose with int(x) or x.tolist()")
    if np.issubdtype(value.dtype, np.bool_):
        raise KernelError(f"{what} is a verdict made inside the check; return the two sides instead")
    raise KernelError(f"{what} has no error bound; {_RETURN_INSTEAD}")


def _mpmath(value: Any) -> Numeric:
    import mpmath

    if isinstance(value, mpmath.iv.mpf) or "iv" in type(value).__name__:
        raise KernelError("mpmath.iv can miss the true value (its elementary functions round wrongly); use flint.arb")
    if not isinstance(value, mpmath.mpf):
        raise KernelError(f"an mpmath {type(value).__name__} is not admitted; compare real parts, or use flint.acb")
    if not mpmath.isfinite(value):
        raise KernelError(f"the mpmath number {value} is not finite; a theorem that says 'infinite' returns INFINITY")
    _, mantissa, _, bits = value._mpf_
    if mantissa and DISGUISED_FROM <= bits <= DOUBLE_BITS and mpmath.mp.prec > DOUBLE_BITS:
        raise KernelError(
            f"the mpmath number {mpmath.nstr(value, 17)} has a mantissa of {bits} bits at {mpmath.mp.prec} bits of "
            "working precision: a double in disguise; compute with mpf from exact numbers or strings"
        )
    return Numeric(value)


def _sympy(value: Any, symbolic: bool) -> Any:
    import sympy
    from sympy.core.relational import Relational
    from sympy.logic.boolalg import Boolean

    if isinstance(value, sympy.MatrixBase):
        rows, cols = value.shape
        return Array((rows, cols), tuple(admit(e, symbolic=symbolic) for e in value))
    if isinstance(value, (Relational, Boolean)) and not isinstance(value, sympy.Symbol):
        raise KernelError(
            f"the relational {value} is decided by sympy's simplifier, which is not trusted; return its two sides"
        )
    if value.has(sympy.Float):
        raise KernelError(f"the expression {_short(value)} contains a sympy Float; use Rational or Integer")
    if value.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo):
        raise KernelError(f"{_short(value)} is not a finite number; a theorem that says 'infinite' returns INFINITY")
    if value.is_Rational:
        return _undisguised(fmpq(int(value.p), int(value.q)))
    if value.free_symbols:
        if symbolic:
            return value
        raise KernelError(
            f"the expression {_short(value)} has free symbols; symbols belong in a proof (`@claim.proof(...)`)"
        )
    if value.is_extended_real is False:
        raise KernelError(f"the number {_short(value)} is not real; compare real and imaginary parts")
    return Algebraic(value)


def _end(x: fmpq | None, rounding: str) -> str:
    """An end of an enclosure; a long fraction to 20 digits, rounded outwards."""
    if x is None:
        return "?"
    text = str(x)
    if len(text) <= LONGEST_END:
        return text
    return str(Context(prec=20, rounding=rounding).divide(Decimal(int(x.p)), Decimal(int(x.q))))


def _short(x: Any, width: int = 60) -> str:
    text = str(x)
    return text if len(text) <= width else text[: width - 3] + "..."
