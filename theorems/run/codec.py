"""Exact values as JSON-able data and back: how rows and instances travel between processes.

Balls and FLINT matrices do not pickle, and what comes from a file is never evaluated: every tag is matched by name.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from flint import arb, fmpq, fmpq_mat, fmpz, fmpz_mat

Encoded = Any


def encode(value: Any) -> Encoded:
    """A value as nested lists, dicts, strings, ints and bools.

    Raises:
        TypeError: for a value that has no exact text.
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return {"z": str(value)} if abs(value) >= 1 << 53 else value
    if isinstance(value, fmpz):
        return {"z": str(value)}
    if isinstance(value, (fmpq, Fraction)):
        return {"q": str(value)}
    if isinstance(value, float):
        return {"f": value.hex()}
    if isinstance(value, arb):
        return {"b": [*_dyadic(value.mid()), *_dyadic(value.rad())]}
    if isinstance(value, (fmpq_mat, fmpz_mat)):
        kind = "Q" if isinstance(value, fmpq_mat) else "Z"
        return {kind: [[str(e) for e in row] for row in value.tolist()]}
    if isinstance(value, (list, tuple)):
        return {"t": [encode(v) for v in value]}
    if isinstance(value, dict):
        return {"d": [[encode(k), encode(v)] for k, v in value.items()]}
    module = type(value).__module__.split(".")[0]
    if module == "numpy" and hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        return encode(value.item())
    if module == "mpmath" and hasattr(value, "_mpf_"):
        sign, mantissa, exponent, _ = value._mpf_
        return {"m": [str(-int(mantissa) if sign else int(mantissa)), int(exponent)]}
    raise TypeError(
        f"a {type(value).__name__} cannot be recorded; record exact numbers, balls, floats, strings, bools or tuples"
    )


def decode(data: Encoded) -> Any:
    """The value that `encode` was given (sequences come back as tuples).

    Raises:
        ValueError: for anything that `encode` does not write.
    """
    if data is None or isinstance(data, (bool, int, str)):
        return data
    if not isinstance(data, dict) or len(data) != 1:
        raise ValueError(f"not an encoded value: {str(data)[:60]}")
    ((tag, body),) = data.items()
    if tag == "z":
        return int(body)
    if tag == "q":
        p, _, q = str(body).partition("/")
        return fmpq(int(p), int(q or 1))
    if tag == "f":
        return float.fromhex(body)
    if tag == "b":
        return _ball(*body)
    if tag in ("Q", "Z"):
        rows = [[decode({"q": e}) if tag == "Q" else int(e) for e in row] for row in body]
        return fmpq_mat(rows) if tag == "Q" else fmpz_mat(rows)
    if tag == "t":
        return tuple(decode(v) for v in body)
    if tag == "d":
        return {decode(k): decode(v) for k, v in body}
    if tag == "m":
        import mpmath

        return mpmath.ldexp(mpmath.mpf(int(body[0])), int(body[1]))
    raise ValueError(f"not an encoded value: unknown tag {tag!r}")


def decode_rows(rows: Iterable[Encoded]) -> list[dict[str, Any]]:
    """Recorded rows as the overall check receives them."""
    return [decode(row) for row in rows]


def _dyadic(exact: arb) -> tuple[str, str]:
    mantissa, exponent = exact.man_exp()
    return str(mantissa), str(exponent)


def _ball(mid: str, mid_exp: str, rad: str, rad_exp: str) -> arb:
    from theorems.kernel.precision import working_precision

    bits = max(64, abs(int(mid)).bit_length() + 2)
    with working_precision(bits):
        return arb((fmpz(int(mid)), fmpz(int(mid_exp))), (fmpz(int(rad)), fmpz(int(rad_exp))))


def show(value: Any, limit: int = 400) -> str:
    """A value for people: exact where it is exact, shortened where it is long."""
    if isinstance(value, (fmpq_mat, fmpz_mat)):
        text = "[" + ", ".join("[" + ", ".join(map(str, row)) + "]" for row in value.tolist()) + "]"
    elif isinstance(value, (list, tuple)):
        text = "(" + ", ".join(show(v, limit) for v in value) + ("," if len(value) == 1 else "") + ")"
    elif isinstance(value, float):
        text = repr(value)
    elif callable(value) and hasattr(value, "__name__"):
        text = str(value.__name__)
    else:
        text = str(value)
    return text if len(text) <= limit else f"{text[: limit - 20]}... ({len(text)} characters)"
