"""The fingerprint of a claim: a digest of everything that its results depend on.

Sources of the claim's modules and of all that they import inside the suite, of the kernel and of the code that evaluates,
data files beside those sources, the versions of Python and the numeric libraries, and the kind of machine.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path

from theorems.claim import Claim
from theorems.run.imports import Closure, Source
from theorems.run.versions import versions

BASE = ("theorems.run.work", "theorems.kernel.answer")  # what evaluates any claim
_ROOT = Path(__file__).resolve().parents[2]
_NO_DATA = (".py", ".pyc", ".pyi", ".typed", ".so", ".pyd", ".md")


@dataclass
class Fingerprints:
    """Fingerprints of claims, and whether the files behind them are still what they were.

    Attributes:
        environment: versions and machine, as text.
        known: facts about files by digest, which spare their parsing; what is new is added.
    """

    environment: str = field(default_factory=lambda: environment())
    known: MutableMapping[str, str] | None = None
    _closures: dict[str, Closure] = field(default_factory=dict)
    _digests: dict[Path, str] = field(default_factory=dict)
    _stamps: dict[Path, tuple[int, int]] = field(default_factory=dict)
    _files: dict[str, list[Path]] = field(default_factory=dict)
    _known: dict[str, str] = field(default_factory=dict)

    def of(self, source: str, claim: Claim) -> str:
        """The fingerprint of a claim.

        Args:
            source: paper key of the library, or path of a user's file.
            claim: the claim.
        """
        if claim.id not in self._known:
            files = self._dependencies(source, claim)
            digest = hashlib.sha256(self.environment.encode())
            for name, path in files:
                digest.update(f"\n{name} {self._digest(path)}".encode())
            self._known[claim.id] = digest.hexdigest()
            self._files[claim.id] = [path for _, path in files]
        return self._known[claim.id]

    def unchanged(self, claim_id: str) -> bool:
        """Whether no file behind a claim was touched since its fingerprint was taken."""
        return all(_stamp(path) == self._stamps[path] for path in self._files.get(claim_id, ()))

    def _dependencies(self, source: str, claim: Claim) -> list[tuple[str, Path]]:
        closure = self._closure(source)
        modules = {c.function.__module__ for c in claim.checks} | {claim.paper.module, *BASE}
        if source.endswith(".py"):
            own = Source(next(m for m in modules if m.startswith("claims_")), Path(source))
            closure.adopt(own)
        met = closure.of(sorted(modules))
        for m in claim.mutants:  # mutants may be declared in a module of their own
            extra = next((s for s in _loaded(m.place.file)), "")
            if extra and extra not in met:
                met |= closure.of([extra])
        files = {name: s.path for name, s in met.items()}
        for s in met.values():
            files |= {f"data {p.name} of {s.name}": p for p in _data(s, library=not source.endswith(".py"))}
        return sorted(files.items())

    def _closure(self, source: str) -> Closure:
        """One closure for the library, one for each user's file (whose neighbours it may import)."""
        user = source.endswith(".py")
        key = source if user else ""
        if key not in self._closures:
            near = [Path(source).resolve().parent, Path.cwd()] if user else []
            self._closures[key] = Closure([_ROOT, *near], self.known)
        return self._closures[key]

    def _digest(self, path: Path) -> str:
        if path not in self._digests:
            self._stamps[path] = _stamp(path)
            self._digests[path] = hashlib.sha256(path.read_bytes()).hexdigest()
        return self._digests[path]


def environment() -> str:
    """Versions and kind of machine, as text."""
    found = sorted(versions().items())
    return f"{found} {sys.implementation.name} {sys.platform} {platform.machine()}"


def _stamp(path: Path) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return (0, -1)
    return status.st_mtime_ns, status.st_size


def _loaded(file: str) -> Iterable[str]:
    return (n for n, m in list(sys.modules.items()) if getattr(m, "__file__", None) == file and n != "__main__")


def _data(source: Source, *, library: bool) -> list[Path]:
    """Data files that a source may read: those of its package, and those that its strings name."""
    folder = source.path.parent
    found = [folder / w for w in source.facts.files if not w.endswith(_NO_DATA)]
    found = [p for p in found if p.is_file()]
    if library and source.package:
        found += [
            p for p in folder.rglob("*") if p.is_file() and p.suffix not in _NO_DATA and "__pycache__" not in p.parts
        ]
    return sorted(set(found))
