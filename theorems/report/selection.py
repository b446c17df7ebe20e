"""From words on the command line to claims: papers, ids, globs, a user's own files, and filters."""

from __future__ import annotations

import fnmatch
import importlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from theorems import registry
from theorems.claim import Claim, ClaimError, Paper
from theorems.report.arguments import UsageError


@dataclass(frozen=True)
class Chosen:
    """A selected claim.

    Attributes:
        source: paper key of the library, or absolute path of a user's file (what workers load).
        claim: the claim.
        typed: the file as the user typed it; empty for a claim of the library.
    """

    source: str
    claim: Claim
    typed: str = ""


def choose(
    what: Sequence[str],
    *,
    words: str | None = None,
    kinds: Sequence[str] | None = None,
    evidence: Sequence[str] | None = None,
    check: bool = True,
) -> list[Chosen]:
    """The claims that a command line selects, in a fixed order; only the modules that can match are imported.

    Args:
        what: papers, ids, names, globs and files; everything in the library if empty.
        words: `-k` expression over ids.
        kinds, evidence: kept are claims of one of these kinds, aiming at one of these.
        check: whether the definitions of the library's claims are validated too.

    Raises:
        UsageError: for an unknown name (with the nearest one), a file that cannot be used, or an empty selection.
    """
    from_files = [c for name in what if name.endswith(".py") for c in load_file(name)]
    chosen: dict[str, Chosen] = {}
    for name in what:
        if name.endswith(".py"):
            hits = [c for c in from_files if c.typed == name]
        else:
            hits = _matching(name, from_files, check)
        chosen.update((c.claim.id, c) for c in hits)
    if not what:
        chosen.update((c.claim.id, c) for c in library(check=check))
    kept = [
        c
        for c in chosen.values()
        if (not kinds or c.claim.kind in kinds)
        and (not evidence or str(c.claim.evidence) in evidence)
        and (words is None or matches(words, c.claim.id))
    ]
    if not kept:
        filters = [f"-k {words!r}"] if words is not None else []
        filters += [f"--kind {','.join(kinds)}"] if kinds else []
        filters += [f"--evidence {','.join(evidence)}"] if evidence else []
        which = f"none of {len(chosen)} claims matches {' '.join(filters)}" if chosen else "the library holds no claim"
        raise UsageError(f"nothing is selected: {which}")
    return kept


def find(name: str, what: Sequence[str]) -> Chosen:
    """One claim by id or by a unique name, looked for in what is selected (the whole library by default).

    Raises:
        UsageError: for an unknown or ambiguous name.
    """
    pool = choose(what) if what else []
    name = name.replace("_", "-") if "/" not in name and not name.endswith(".py") else name
    hits = [c for c in pool if name in (c.claim.id, c.claim.name)]
    if not hits and not what:
        hits = [c for c in _matching(name, [], check=True) if name in (c.claim.id, c.claim.name)]
    if not hits:
        known = [c.claim.id for c in pool]
        if not what and name in registry.library_keys():
            raise UsageError(f"{name!r} is a paper; its claims are {', '.join(c.claim.id for c in library([name]))}")
        if name.endswith(".py"):
            raise UsageError(
                f"{name!r} is a claim file; name one of its claims: {name} --show CLAIM (--list lists them)"
            )
        where = f" in {', '.join(what)}" if what else ""
        raise UsageError(f"unknown claim {name!r}{where}{registry.suggestion(name, known)}")
    if len(hits) > 1:
        raise UsageError(f"several claims are named {name!r}: {', '.join(c.claim.id for c in hits)}; give the whole id")
    return hits[0]


def load_file(name: str) -> list[Chosen]:
    """The claims of a user's file."""
    path = Path(name)
    if not path.exists():
        raise UsageError(f"{name}: no such file")
    if not path.is_file():
        raise UsageError(f"{name} is not a file")
    try:
        papers = registry.load_file(path)
    except (ClaimError, OSError) as error:
        raise UsageError(one_line(error)) from None
    return [Chosen(str(path.resolve()), c, name) for p in papers for c in p.claims.values()]


def library(keys: Iterable[str] | None = None, *, check: bool = True) -> list[Chosen]:
    """The claims of some papers of the library (all by default)."""
    found = []
    for key in registry.library_keys() if keys is None else keys:
        found += [Chosen(key, c) for c in _paper(key, check).claims.values()]
    return found


def _paper(key: str, check: bool) -> Paper:
    try:
        if check:
            return registry.load_paper(key)
        importlib.import_module(f"theorems.papers.{key}")
    except Exception as error:
        name = "" if isinstance(error, ClaimError) else f"the paper {key} does not import: {type(error).__name__}: "
        raise UsageError(name + one_line(error)) from None
    papers = {c.paper.key: c.paper for c in registry.claims().values()}
    return papers[key] if key in papers else registry.load_paper(key)


def _matching(pattern: str, others: list[Chosen], check: bool) -> list[Chosen]:
    """Claims that a pattern names: of the user's files, or else of the library."""
    hits = [c for c in others if _named(pattern, c.claim)]
    if hits:
        return hits  # a user's own claims come before the library's
    keys = registry.library_keys()
    head, slash, _ = pattern.partition("/")
    wanted = [k for k in keys if fnmatch.fnmatchcase(k, head)] if slash or head in keys else keys
    found, failure = _importable(wanted, check)
    hits = [c for c in found if _named(pattern, c.claim)]
    if hits and failure:
        raise failure  # claims of that paper may match too
    if hits:
        return hits
    if Path(pattern).is_file() and not pattern.endswith(".py"):
        raise UsageError(f"{pattern} is not a Python file: a claim file ends in .py")
    if head in wanted and failure:
        raise failure
    known = [c.claim.id for c in [*others, *_importable(keys, check=False)[0]]]
    near = registry.suggestion(pattern, [*known, *keys])
    raise UsageError(f"unknown paper or claim {pattern!r}{near or f'; {len(known)} claims are known (--list)'}")


def _importable(keys: Sequence[str], check: bool) -> tuple[list[Chosen], UsageError | None]:
    """Claims of those papers that can be loaded, and why the first of the others cannot."""
    found: list[Chosen] = []
    failure = None
    for key in keys:
        try:
            found += library([key], check=check)
        except UsageError as error:
            failure = failure or error
    return found, failure


def _named(pattern: str, claim: Claim) -> bool:
    names = (claim.id, claim.name, claim.paper.key)
    return any(pattern == n or fnmatch.fnmatchcase(n, pattern) for n in names)


def heading(paper: Paper) -> str:
    """A paper on one line."""
    where = ", ".join(x for x in (paper.venue, f"arXiv {paper.arxiv}" if paper.arxiv else "") if x)
    return f"{paper.key}: {paper.title}" + (f" ({where})" if where else "")


def one_line(error: object) -> str:
    """The text of an error on one line."""
    return " ".join(str(error).split())


def matches(expression: str, text: str) -> bool:
    """Whether a `-k` expression (words joined by and, or, not, parentheses) matches a text; case does not count.

    Raises:
        UsageError: for an expression that is not well formed.
    """
    tokens = re.findall(r"[()]|[^\s()]+", expression.lower())
    text = text.lower()

    def fail() -> UsageError:
        return UsageError(
            f"-k {expression!r} is not well formed; words joined by 'and', 'or', 'not' and parentheses are expected"
        )

    def any_of() -> bool:
        value = all_of()
        while tokens[:1] == ["or"]:
            tokens.pop(0)
            other = all_of()
            value = value or other
        return value

    def all_of() -> bool:
        value = single()
        while tokens[:1] == ["and"]:
            tokens.pop(0)
            other = single()
            value = value and other
        return value

    def single() -> bool:
        if not tokens:
            raise fail()
        token = tokens.pop(0)
        if token == "not":
            return not single()
        if token == "(":
            value = any_of()
            if tokens[:1] != [")"]:
                raise fail()
            tokens.pop(0)
            return value
        if token in (")", "and", "or"):
            raise fail()
        return token in text

    value = any_of()
    if tokens:
        raise fail()
    return value
