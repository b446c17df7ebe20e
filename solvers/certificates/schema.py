"""Strict conversion between certificate dataclasses and JSON values, driven by the field types.

Allowed field types: `fmpq` (a canonical string), `int`, `str`, `T | None`, `tuple[T, ...]`, `tuple[S, T]`,
and dataclasses of these. Reading never evaluates anything, accepts no unknown, missing or coerced value, and
counts entries.
"""

from __future__ import annotations

import types
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from flint import fmpq

from solvers.certificates.bounds import DualBound, Enclosure, Infeasibility, PrimalPoint, Recession
from solvers.certificates.polynomials import SumOfSquares
from solvers.certificates.rational import parse_rational, spell
from solvers.certificates.relu import ReluCertificate

MAX_ENTRIES = 1_000_000
MAX_INTEGER = 1 << 62

KINDS: dict[str, type[Any]] = {
    "primal-point": PrimalPoint,
    "dual-bound": DualBound,
    "enclosure": Enclosure,
    "infeasibility": Infeasibility,
    "recession": Recession,
    "sum-of-squares": SumOfSquares,
    "relu-optimum": ReluCertificate,
}


def kind_of(certificate: object) -> str:
    """The name of a certificate's type in files."""
    for name, cls in KINDS.items():
        if type(certificate) is cls:
            return name
    raise TypeError(f"{type(certificate).__name__} is no certificate type; expected one of {', '.join(KINDS)}")


def read(kind: object, data: Any, where: str) -> Any:
    """The certificate of a named kind.

    Raises:
        ValueError: for an unknown kind, and for anything that `from_json` refuses.
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"{where}: unknown kind {str(kind)[:40]!r}; known: {', '.join(KINDS)}")
    return from_json(KINDS[kind], data, where)


def to_json(value: object) -> Any:
    """A dataclass tree as JSON values; raises `TypeError` for a ball or a float, which have no spelling."""
    if isinstance(value, fmpq):
        return spell(value)
    if value is None or (isinstance(value, str | int) and not isinstance(value, bool)):
        return value
    if isinstance(value, tuple):
        return [to_json(entry) for entry in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    raise TypeError(f"a {type(value).__name__} has no exact spelling in a certificate file")


def from_json(expected: Any, data: Any, where: str) -> Any:
    """Read a value of the expected type; raises `ValueError` naming the place otherwise."""
    if expected is fmpq:
        try:
            return parse_rational(data)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
    if expected is int:
        return integer(where, data, -MAX_INTEGER, MAX_INTEGER)
    if expected is str:
        return text(where, data, MAX_ENTRIES)
    if isinstance(expected, type) and is_dataclass(expected):
        types_of = _field_types(expected)
        expect_fields(where, data, set(types_of))
        return expected(**{name: from_json(kind, data[name], f"{where}.{name}") for name, kind in types_of.items()})
    origin, arguments = get_origin(expected), get_args(expected)
    if origin in (Union, types.UnionType):
        (inner,) = [argument for argument in arguments if argument is not type(None)]
        return None if data is None else from_json(inner, data, where)
    if origin is tuple:
        return _tuple_from_json(arguments, data, where)
    raise TypeError(f"{where}: fields of type {expected} cannot be read")


def _tuple_from_json(arguments: tuple[Any, ...], data: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(data, list):
        raise ValueError(f"{where}: expected a list, got {type(data).__name__}")
    if len(data) > MAX_ENTRIES:
        raise ValueError(f"{where}: {len(data)} entries; at most {MAX_ENTRIES} are accepted")
    if arguments[-1] is Ellipsis:
        return tuple(from_json(arguments[0], entry, f"{where}[{i}]") for i, entry in enumerate(data))
    if len(data) != len(arguments):
        raise ValueError(f"{where}: {len(data)} entries, expected {len(arguments)}")
    return tuple(from_json(kind, entry, f"{where}[{i}]") for i, (kind, entry) in enumerate(zip(arguments, data)))


@cache
def _field_types(cls: type[Any]) -> dict[str, Any]:
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in fields(cls)}


def expect_fields(where: str, data: Any, names: set[str]) -> None:
    """Raise `ValueError` unless `data` is an object with exactly these fields."""
    if not isinstance(data, dict):
        raise ValueError(f"{where}: expected an object, got {type(data).__name__}")
    missing, unknown = sorted(names - set(data)), sorted(set(data) - names)
    if missing or unknown:
        raise ValueError(f"{where}: missing fields {missing}, unknown fields {unknown}")


def integer(where: str, data: Any, low: int, high: int) -> int:
    """Read an integer of [low, high]."""
    if isinstance(data, bool) or not isinstance(data, int) or not low <= data <= high:
        raise ValueError(f"{where}: expected an integer from {low} to {high}, got {str(data)[:40]!r}")
    return data


def text(where: str, data: Any, longest: int) -> str:
    """Read a string of bounded length."""
    if not isinstance(data, str) or len(data) > longest:
        raise ValueError(f"{where}: expected a string of at most {longest} characters")
    return data
