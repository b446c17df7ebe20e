"""What certificate files are made of: the check of any certificate, the problem's digest, strict canonical JSON.

The envelope (which claim, which instance, what was said) belongs to `theorems.certificates`; it holds no problem data,
only the digest of the problem that each certificate was made for.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, NoReturn, TypeAlias

from solvers.certificates import schema
from solvers.certificates.bounds import (
    ConicCertificate,
    InvalidCertificate,
    Verified,
    check_conic,
)
from solvers.certificates.polynomials import PolynomialProblem, SumOfSquares, check_polynomial
from solvers.certificates.problem import ConicProblem
from solvers.certificates.relu import ReluCertificate, ReluProblem, check_relu

MAX_CHARACTERS = 64_000_000
MAX_NAME = 500

Problem: TypeAlias = ConicProblem | PolynomialProblem | ReluProblem
Certificate: TypeAlias = ConicCertificate | SumOfSquares | ReluCertificate


def check(problem: Problem, certificate: Certificate) -> Verified:
    """Check any certificate against a problem that the caller built.

    Raises:
        InvalidCertificate: with the condition that fails.
    """
    if isinstance(problem, PolynomialProblem) and isinstance(certificate, SumOfSquares):
        return check_polynomial(problem, certificate)
    if isinstance(problem, ReluProblem) and isinstance(certificate, ReluCertificate):
        return check_relu(problem, certificate)
    if isinstance(problem, ConicProblem) and not isinstance(certificate, SumOfSquares | ReluCertificate):
        return check_conic(problem, certificate)
    raise InvalidCertificate(f"a {type(certificate).__name__} says nothing about a {type(problem).__name__}")


def problem_digest(problem: Problem) -> str:
    """SHA-256 of the canonical spelling of exact problem data, in hex; "" when the data are balls."""
    if isinstance(problem, ConicProblem) and not problem.is_exact:
        return ""
    return sha256_of({"type": type(problem).__name__, "data": schema.to_json(problem)})


def canonical(data: object, indent: int | None = None) -> str:
    """The one spelling of JSON data: sorted keys, ASCII."""
    separators = (",", ":") if indent is None else (",", ": ")
    return json.dumps(data, sort_keys=True, ensure_ascii=True, separators=separators, indent=indent)


def sha256_of(data: object) -> str:
    """SHA-256 of the canonical spelling, in hex."""
    return hashlib.sha256(canonical(data).encode("ascii")).hexdigest()


def parse_strict(text: str) -> Any:
    """JSON data without floats or repeated fields; raises `ValueError` for anything else."""
    if not isinstance(text, str) or len(text) > MAX_CHARACTERS:
        raise ValueError(f"expected JSON text of at most {MAX_CHARACTERS} characters")
    try:
        return json.loads(text, parse_float=_no_float, parse_constant=_no_float, object_pairs_hook=_no_repetition)
    except RecursionError:
        raise ValueError("the JSON text is nested too deeply") from None


def _no_float(literal: str) -> NoReturn:
    raise ValueError(f"the number {literal[:40]}; exact numbers are strings like '-3/7'")


def _no_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        raise ValueError(f"a field occurs twice among {sorted(name for name, _ in pairs)}"[:MAX_NAME])
    return data
