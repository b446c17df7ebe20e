"""All claims by id, and how modules that define claims are loaded and validated."""

from __future__ import annotations

import difflib
import fnmatch
import gc
import hashlib
import importlib
import importlib.util
import pkgutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from theorems.claim import Claim, Paper, Where

_PAPERS: dict[str, Paper] = {}
_VALIDATED: set[str] = set()


def add_paper(paper: Paper, place: Where) -> None:
    """Register a paper; its key must be new (the same file loaded again replaces it)."""
    from theorems.claim import ClaimError

    taken = _PAPERS.get(paper.key)
    if taken is not None and taken.module != paper.module:
        raise ClaimError(f"{place}: the paper key {paper.key!r} is taken by {taken.title!r} ({taken.module})")
    _PAPERS[paper.key] = paper


def library_keys() -> list[str]:
    """Keys of the papers that ship with the package, in alphabetical order."""
    import theorems.papers

    return sorted(m.name for m in pkgutil.iter_modules(theorems.papers.__path__) if not m.name.startswith("_"))


def load_library() -> list[Paper]:
    """Import every paper module of the package and validate its claims."""
    collecting = gc.isenabled()
    gc.disable()  # nothing that an import makes is garbage, and the collector walks all of it again and again
    try:
        return [load_paper(key) for key in library_keys()]
    finally:
        if collecting:
            gc.enable()


def load_paper(key: str) -> Paper:
    """Import one paper of the package by its key."""
    from theorems.claim import ClaimError

    module = f"theorems.papers.{key}"
    importlib.import_module(module)
    paper = _PAPERS.get(key)
    if paper is None or paper.module.split(".")[:3] != module.split("."):
        raise ClaimError(f"{module} defines no paper with the key {key!r}")
    validate([paper], strict=True)
    return paper


def load_file(path: str | Path) -> list[Paper]:
    """Load a user's claim file and validate its claims.

    Raises:
        ClaimError: when the file does not import, defines no claim, or a claim is not well defined.
    """
    from theorems.claim import ClaimError

    file = Path(path).resolve()
    name = "claims_" + hashlib.sha256(str(file).encode()).hexdigest()[:12]
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, file)
        if spec is None or spec.loader is None:
            raise ClaimError(f"{path}: not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except ClaimError:
            _forget(name)
            raise
        except (Exception, SystemExit) as error:
            _forget(name)
            raise ClaimError(f"{path}{_line(error, file)} does not import: {type(error).__name__}: {error}") from error
    papers = [p for p in _PAPERS.values() if p.module == name]
    taken = [p.key for p in papers if p.key in library_keys()]
    if taken:
        _forget(name)
        raise ClaimError(f"{path}: the paper key {taken[0]!r} belongs to a paper of the library; choose another key")
    if not any(p.claims for p in papers):
        raise ClaimError(f"{path} defines no claim: decorate a function with @PAPER.bound(...) or the like")
    validate(papers, strict=False)
    return papers


def _forget(module: str) -> None:
    sys.modules.pop(module, None)
    for key in [k for k, p in _PAPERS.items() if p.module == module]:
        del _PAPERS[key]


def _line(error: BaseException, file: Path) -> str:
    """`:line` of the file on which loading it failed, or nothing."""
    if isinstance(error, SyntaxError):
        return f":{error.lineno}"
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(file):
            line = trace.tb_lineno
        trace = trace.tb_next
    return f":{line}" if line is not None else ""


def validate(papers: list[Paper], *, strict: bool) -> None:
    """Check the definitions of all claims of some papers once.

    Args:
        papers: what to validate.
        strict: whether weak definitions (fewer than two mutants) are errors, as in the library.
    """
    from theorems.claim import ClaimError
    from theorems.lint import verdicts_inside

    for paper in papers:
        for claim in paper.claims.values():
            if claim.id in _VALIDATED:
                continue
            problems = claim.problems() + verdicts_inside(claim)
            if strict:
                problems += claim.warnings()
            if problems:
                raise ClaimError(problems[0] + (f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""))
            _VALIDATED.add(claim.id)


def claims() -> dict[str, Claim]:
    """All registered claims by id, in order of definition within each paper."""
    return {c.id: c for p in _PAPERS.values() for c in p.claims.values()}


def find(claim_id: str) -> Claim:
    """The claim with an id.

    Raises:
        KeyError: with the nearest known id as a suggestion.
    """
    known = claims()
    if claim_id in known:
        return known[claim_id]
    paper, _, name = claim_id.partition("/")
    hyphened = f"{paper}/{name.replace('_', '-')}"
    if hyphened in known:
        return known[hyphened]
    raise KeyError(f"unknown claim {claim_id!r}{suggestion(claim_id, list(known))}")


def suggestion(word: str, known: list[str]) -> str:
    """`; did you mean ...?` for the nearest known word, or nothing."""
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.4)
    if not near:
        tails = {k.split("/", 1)[-1]: k for k in known}
        near = [tails[t] for t in difflib.get_close_matches(word.split("/", 1)[-1], list(tails), n=1, cutoff=0.5)]
    return f"; did you mean {near[0]!r}?" if near else ""


def select(patterns: list[str], papers: list[Paper]) -> list[Claim]:
    """Claims of some papers that match any of the patterns (paper keys, ids, globs over ids or names); all if none."""
    everything = [c for p in papers for c in p.claims.values()]
    if not patterns:
        return everything
    chosen: dict[str, Claim] = {}
    for pattern in patterns:
        hits = [
            c
            for c in everything
            if pattern in (c.paper.key, c.id, c.name, c.own_name)
            or fnmatch.fnmatchcase(c.id, pattern)
            or fnmatch.fnmatchcase(c.name, pattern)
        ]
        if not hits:
            known = [c.id for c in everything] + [p.key for p in papers]
            raise KeyError(f"unknown paper or claim {pattern!r}{suggestion(pattern, known)}")
        chosen.update((c.id, c) for c in hits)
    return list(chosen.values())
