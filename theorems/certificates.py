"""Certificate files: one outcome each, re-checked from the claim's id and the seed.

A file holds no problem and no instance: both are rebuilt. It holds what was found (multipliers, points) and what
was said (decision, evidence, both sides, margin, resolution); the first is checked exactly against the rebuilt
problem, the second is recomputed and compared. A digest over the whole content catches accidents; it protects against
nobody who can recompute it, and need not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any

from solvers.certificates import InvalidCertificate, schema
from solvers.certificates.files import canonical, parse_strict, sha256_of
from theorems.claim import Claim
from theorems.run.evaluate import Answered, Settings, evaluate, tests_of
from theorems.run.results import ClaimResult, Tally

SCHEMA = "theorems-certificate/1"
LONGEST = 64_000_000  # characters of a file
LONGEST_TEXT = 200_000
LARGEST_COUNT = 10**9
DEEPEST = 40


@dataclass(frozen=True)
class File:
    """The content of a certificate file.

    Attributes:
        claim, part, check, ordinal: which comparison of which claim.
        family, instance, seed, budget, instances: which instance (`instances` is the run's --instances, 0 if unset;
            the level of a claim's statistical parts depends on it).
        decision, evidence, lhs, rhs, margin, resolution: what the run said; recomputed and compared.
        programs: problem digest, statement, kind and body of each certificate of an optimum, in order.
        proof: content of a proof, recomputed and compared; None where there is none.
    """

    claim: str
    part: str
    check: str
    ordinal: int
    family: str
    instance: int
    seed: int
    budget: str
    instances: int
    decision: str
    evidence: str
    lhs: str
    rhs: str
    margin: str
    resolution: str
    programs: tuple[dict[str, Any], ...]
    proof: Any


_TEXTS = ("claim", "part", "check", "family", "budget", "decision", "evidence", "lhs", "rhs", "margin", "resolution")
_COUNTS = ("ordinal", "instance", "instances")
_PROGRAM = {"problem", "statement", "kind", "certificate"}


def files_of(result: ClaimResult, settings: Settings) -> Iterator[File]:
    """The certificate files of a finished claim (run with `certificates=True`)."""
    for part in result.parts:
        for kept in part.certificates:
            yield _file(result.id, part, kept, settings)


def _file(claim: str, part: Tally, kept: dict[str, Any], settings: Settings) -> File:
    return File(
        claim=claim,
        part=part.part,
        check=part.check,
        seed=settings.seed,
        budget=settings.budget,
        instances=settings.instances or 0,
        **{**kept, "programs": tuple(kept["programs"])},
    )


def name_of(file: File) -> str:
    """The name of a certificate file: claim, part, family, instance and ordinal, safe on every file system."""
    words = [file.claim, file.part, file.family, str(file.instance), str(file.ordinal)]
    safe = "--".join("".join(c if c.isalnum() or c in "-_." else "_" for c in w) for w in words if w)
    if len(safe) > 180:
        safe = f"{safe[:150]}-{sha256_of(words)[:16]}"
    return f"{safe}.json"


def to_text(file: File) -> str:
    """The canonical text of a file with its digest."""
    body = {"schema": SCHEMA, **asdict(file), "programs": list(file.programs)}
    return canonical({**body, "digest": sha256_of(body)}, indent=1) + "\n"


def from_text(text: str) -> File:
    """Read a file strictly.

    Raises:
        ValueError: for anything but a well-formed file whose digest matches; says what is wrong.
    """
    if len(text) > LONGEST:
        raise ValueError(f"{len(text)} characters; at most {LONGEST} are read")
    data = parse_strict(text)
    _plain("the file", data, 0)
    schema.expect_fields("the file", data, {"schema", "digest", *(f.name for f in fields(File))})
    if data["schema"] != SCHEMA:
        raise ValueError(f"schema {str(data['schema'])[:60]!r}; this version reads {SCHEMA!r}")
    for name in _TEXTS:
        schema.text(name, data[name], LONGEST_TEXT)
    for name in _COUNTS:
        schema.integer(name, data[name], 0, LARGEST_COUNT)
    schema.integer("seed", data["seed"], 0, 1 << 128)
    if data["budget"] not in ("quick", "full"):
        raise ValueError(f"budget {data['budget'][:40]!r}; 'quick' or 'full' is expected")
    if not isinstance(data["programs"], list) or len(data["programs"]) > 1000:
        raise ValueError("programs: a list of at most 1000 certificates is expected")
    for i, program in enumerate(data["programs"]):
        schema.expect_fields(f"programs[{i}]", program, _PROGRAM)
    digest = data.pop("digest")
    if digest != sha256_of(data):
        raise ValueError("the digest does not match the content: the file was changed or damaged")
    del data["schema"]
    return File(**{**data, "programs": tuple(data["programs"])})


def _plain(where: str, data: Any, depth: int) -> None:
    """Refuse content that is nested too deeply to be spelled and compared."""
    if depth > DEEPEST:
        raise ValueError(f"{where}: nested more than {DEEPEST} levels deep")
    if isinstance(data, dict):
        for value in data.values():
            _plain(where, value, depth + 1)
    elif isinstance(data, list):
        for value in data:
            _plain(where, value, depth + 1)


def recheck(file: File, claim: Claim) -> str:
    """Rebuild the instance and the problem, check the certificates against it, and compare everything that was said.

    Args:
        file: a file that was read.
        claim: the claim that it names.

    Returns:
        what is established, in one sentence.

    Raises:
        InvalidCertificate: with the reason.
    """
    settings = Settings(seed=file.seed, budget=file.budget, instances=file.instances or None)
    certificates = tuple(_program(i, p) for i, p in enumerate(file.programs))
    answered = _answered(file, claim, settings, certificates)
    _compare(file, answered)
    proven = "; ".join(p["statement"] for p in file.programs)
    where = f" at {file.family}[{file.instance}]" if file.family else ""
    verb = "holds" if file.decision == "for" else "is refuted"
    return f"{file.claim} [{file.part}] {verb}{where}, {file.evidence}{': ' + proven if proven else ''}"


def _program(i: int, data: dict[str, Any]) -> Any:
    try:
        return schema.read(data["kind"], data["certificate"], f"programs[{i}].certificate")
    except ValueError as error:
        raise InvalidCertificate(str(error)) from None


def _answered(file: File, claim: Claim, settings: Settings, certificates: tuple[Any, ...]) -> Answered:
    check = next((c for c in claim.checks if c.name == file.check), None)
    if check is None or check.role == "overall":
        raise InvalidCertificate(f"{claim.id} has no check {file.check[:60]!r} that can be repeated by itself")
    values: dict[str, Any] = {}
    place: tuple[Any, ...] = ()
    if check.families:
        family = next((f for f in check.families if f.id.split("/", 1)[1] == file.family), None)
        if family is None:
            raise InvalidCertificate(f"{claim.id} ({check.name}) has no family {file.family[:60]!r}")
        family = family.at(file.budget)
        if family.grid and file.instance >= family.grid_size:
            raise InvalidCertificate(f"the family {file.family} has {family.grid_size} instances, not {file.instance}")
        draw = family.instance(file.seed, file.instance)
        if draw is None or not family.satisfied(draw.values):
            raise InvalidCertificate(f"the hypotheses exclude {file.family}[{file.instance}]")
        values, place = draw.values, (family.id, file.instance)
    elif file.family or file.instance:
        raise InvalidCertificate("a proof has no instance")
    level = settings.claim_level / tests_of(claim, settings)
    items = evaluate(
        claim, check, values, {}, settings, level=level, place=place, only=file.ordinal, certificates=certificates
    )
    for item in items:
        if isinstance(item, Answered):
            return item
    raise InvalidCertificate(f"{claim.id} ({check.name}) makes no comparison with the ordinal {file.ordinal}")


def _compare(file: File, answered: Answered) -> None:
    from theorems.run.work import kept

    said = {
        "part": file.part,
        **{n: getattr(file, n) for n in ("decision", "evidence", "lhs", "rhs", "margin", "resolution")},
    }
    again = {"part": answered.part, **kept(answered, None, 0)}
    for name, value in said.items():
        if again[name] != value:
            raise InvalidCertificate(
                f"{name}: the file says {value[:80]!r}, recomputed it is {str(again[name])[:80]!r}"
            )
    for i, (theirs, ours) in enumerate(zip(file.programs, again["programs"], strict=False)):
        for name in ("problem", "statement"):
            if theirs[name] != ours[name]:
                raise InvalidCertificate(
                    f"programs[{i}].{name}: the file says {str(theirs[name])[:80]!r}, recomputed it is {str(ours[name])[:80]!r}"
                )
    if len(file.programs) != len(again["programs"]):
        raise InvalidCertificate(f"{len(file.programs)} certificates; the comparison uses {len(again['programs'])}")
    if canonical({"proof": file.proof}) != canonical({"proof": again["proof"]}):
        raise InvalidCertificate("proof: the content is not the one that the claim's proof gives")
