"""Certificate files: JSON with exact numbers as strings, a strict reader, a canonical digest.

A file says which claim, part and instance it is about, so that the problem can be rebuilt *from the claim*;
the file holds no problem data, only the digest of the problem that it was made for. `check_file(file,
problem)` is the whole verification.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
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

SCHEMA = 1
MAX_CHARACTERS = 64_000_000
MAX_NAME = 500

Problem: TypeAlias = ConicProblem | PolynomialProblem | ReluProblem
Certificate: TypeAlias = ConicCertificate | SumOfSquares | ReluCertificate


@dataclass(frozen=True)
class CertificateFile:
    """The envelope.

    Attributes:
        claim: id of the claim, `paper/claim`.
        part: name of the part of the claim ("" for the only one).
        instance: index of the instance in its family.
        seed: root seed.
        family: name of the family of instances.
        budget: name of the budget (`quick`, `full`, or a count).
        statement: what is proven, in the words of `Verified.statement`.
        problem: digest of the problem, `problem_digest`; "" when its data are balls, which have no canonical
            spelling.
        certificate: the body.
    """

    claim: str
    part: str
    instance: int
    seed: int
    family: str
    budget: str
    statement: str
    problem: str
    certificate: Certificate


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


def certificate_file(
    problem: Problem,
    certificate: Certificate,
    *,
    claim: str,
    part: str,
    instance: int,
    seed: int,
    family: str,
    budget: str,
) -> CertificateFile:
    """The file of an accepted certificate: its statement is the one proven, its digest the problem's.

    Raises:
        InvalidCertificate: if the certificate is not one for the problem.
    """
    statement = check(problem, certificate).statement
    digest = problem_digest(problem)
    return CertificateFile(claim, part, instance, seed, family, budget, statement, digest, certificate)


def check_file(file: CertificateFile, problem: Problem) -> Verified:
    """Check the body against the problem rebuilt from the claim, and the statement against what was proven.

    Raises:
        InvalidCertificate: for another problem, a failing condition, or a statement that is not the one
            proven.
    """
    expected = problem_digest(problem)
    if file.problem != expected:
        raise InvalidCertificate(f"made for the problem {file.problem[:12]!r}, not for {expected[:12]!r}")
    verified = check(problem, file.certificate)
    if verified.statement != file.statement:
        raise InvalidCertificate(f"states {file.statement!r} and proves {verified.statement!r}")
    return verified


def problem_digest(problem: Problem) -> str:
    """SHA-256 of the canonical spelling of exact problem data, in hex; "" when the data are balls."""
    if isinstance(problem, ConicProblem) and not problem.is_exact:
        return ""
    return sha256_of({"type": type(problem).__name__, "data": schema.to_json(problem)})


def to_json(file: CertificateFile) -> str:
    """The canonical text of a file, its digest included."""
    body = _body(file)
    return canonical({**body, "digest": sha256_of(body)}, indent=1) + "\n"


def from_json(text: str) -> CertificateFile:
    """Read a file strictly.

    Raises:
        ValueError: if the text is not JSON, too long, has unknown, missing or repeated fields, numbers that
            are not canonical exact strings, an unknown schema or kind, or a digest that does not match.
    """
    data = parse_strict(text)
    names = {"schema", "kind", "digest", *(field.name for field in fields(CertificateFile))}
    schema.expect_fields("the file", data, names)
    if data["schema"] != SCHEMA or isinstance(data["schema"], bool):
        raise ValueError(f"schema {data['schema']!r}; this version reads {SCHEMA}")
    kind = schema.text("kind", data["kind"], MAX_NAME)
    if kind not in schema.KINDS:
        raise ValueError(f"unknown kind {kind!r}; expected one of {', '.join(sorted(schema.KINDS))}")
    file = CertificateFile(
        claim=schema.text("claim", data["claim"], MAX_NAME),
        part=schema.text("part", data["part"], MAX_NAME),
        instance=schema.integer("instance", data["instance"], 0, 1 << 62),
        seed=schema.integer("seed", data["seed"], 0, 1 << 128),
        family=schema.text("family", data["family"], MAX_NAME),
        budget=schema.text("budget", data["budget"], MAX_NAME),
        statement=schema.text("statement", data["statement"], MAX_CHARACTERS),
        problem=schema.text("problem", data["problem"], 64),
        certificate=schema.from_json(schema.KINDS[kind], data["certificate"], "certificate"),
    )
    digest = sha256_of(_body(file))
    if data["digest"] != digest:
        raise ValueError(f"the digest is {digest}, the file says {str(data['digest'])[:64]!r}")
    return file


def _body(file: CertificateFile) -> dict[str, Any]:
    data: dict[str, Any] = schema.to_json(file)
    return {"schema": SCHEMA, "kind": schema.kind_of(file.certificate), **data}


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
