"""What a module depends on: a static closure over its imports inside the suite, those inside functions included.

The source is parsed, never run. Whatever cannot be followed by reading (an import whose name is computed) counts as
an import of everything, so that the closure is never too small.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import json
import sysconfig
from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

OWN = ("theorems", "solvers")
BY_KEY = "theorems.registry"  # imports papers by their key: the claim's own module is followed instead
CONTENTS = "theorems.papers"  # the `__init__` of a paper registers its modules; none of them depends on the others
_IMPORTS = ("import_module", "__import__", "run_module", "run_path")
_LONGEST_NAME = 200


@dataclass(frozen=True)
class Import:
    """One import as written: a module, and the name taken from it ("" for the module itself, "*" for everything)."""

    module: str
    name: str = ""
    bound: str = ""


@dataclass(frozen=True)
class Facts:
    """What the text of a file says about what it depends on.

    Attributes:
        imports: all imports, those inside functions and those named by string constants too.
        files: short string constants that may name a file.
        computed: whether it may import, or run, what its text does not name.
    """

    imports: tuple[Import, ...]
    files: tuple[str, ...]
    computed: bool

    def to_text(self) -> str:
        """As JSON."""
        return json.dumps([[[i.module, i.name, i.bound] for i in self.imports], list(self.files), self.computed])

    @classmethod
    def from_text(cls, text: str) -> Facts:
        """What `to_text` wrote.

        Raises:
            ValueError: for anything else.
        """
        data = json.loads(text)
        if not isinstance(data, list) or len(data) != 3 or not isinstance(data[2], bool):
            raise ValueError("three facts about a file are expected")
        triples, files, computed = data
        if not all(isinstance(t, list) and len(t) == 3 and all(isinstance(w, str) for w in t) for t in triples):
            raise ValueError("imports are triples of words")
        if not all(isinstance(f, str) for f in files):
            raise ValueError("files are words")
        return cls(tuple(Import(*t) for t in triples), tuple(files), computed)


class Source:
    """A Python file.

    Args:
        name: its dotted module name.
        path: where it is.
        known: facts about files by digest, as text, which spare their parsing; what is new is added.
    """

    def __init__(self, name: str, path: Path, known: MutableMapping[str, str] | None = None) -> None:
        self.name, self.path, self._known = name, path, known
        self.text = path.read_bytes()

    @property
    def package(self) -> bool:
        """Whether this is the `__init__` of a package."""
        return self.path.name == "__init__.py"

    @cached_property
    def facts(self) -> Facts:
        """What its text says."""
        if self._known is None:
            return self._read()
        label = f"{self.name} {self.package}\n".encode()
        digest = hashlib.sha256(label + self.text).hexdigest()
        if digest in self._known:
            try:
                return Facts.from_text(self._known[digest])
            except (ValueError, TypeError):
                return self._read()
        facts = self._read()
        self._known[digest] = facts.to_text()
        return facts

    def _read(self) -> Facts:
        try:
            nodes = list(ast.walk(ast.parse(self.text)))
        except (SyntaxError, ValueError):  # it cannot be imported either; its bytes still count
            return Facts((), (), False)
        words = {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}
        files = sorted(w for w in words if "." in w and 1 < len(w) <= _LONGEST_NAME and "\n" not in w and "\0" not in w)
        return Facts(tuple(self._found(nodes)), tuple(files), any(map(_computes, nodes)))

    def _found(self, nodes: list[ast.AST]) -> Iterator[Import]:
        for node in nodes:
            if isinstance(node, ast.Import):
                for a in node.names:
                    yield Import(a.name, "", a.asname or a.name.split(".")[0])
            elif isinstance(node, ast.ImportFrom):
                base = self._absolute(node)
                for a in node.names:
                    yield Import(base, a.name, a.asname or a.name)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                head, dot, _ = node.value.partition(".")
                if dot and head in OWN and all(w.isidentifier() for w in node.value.split(".")):
                    yield Import(node.value)

    def _absolute(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        parts = parts[: len(parts) - node.level + self.package]
        return ".".join([*parts, *(node.module.split(".") if node.module else ())])


def _computes(node: ast.AST) -> bool:
    """Whether a node imports or runs what is not a constant."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute):
        called = node.func.attr in _IMPORTS
    else:
        called = getattr(node.func, "id", "") in (*_IMPORTS, "exec", "eval")
    return called and not (node.args and isinstance(node.args[0], ast.Constant))


class Closure:
    """Finds the files that modules depend on.

    Args:
        roots: folders in which modules are looked for, in order; what is found in none of them is a library. The first
            holds the suite, and may hold libraries beside it (an installed suite does): of it, the suite alone counts.
            With further ones (a user's file), what Python finds outside of its libraries counts as well.
        known: facts about files by digest; see `Source`.
    """

    def __init__(self, roots: Sequence[Path], known: MutableMapping[str, str] | None = None) -> None:
        self.roots, self.known = list(roots), known
        self._sources: dict[str, Source | None] = {}
        self._developed: dict[str, Path | None] = {}

    def source(self, module: str) -> Source | None:
        """The file of a module, or None when it is not part of the suite."""
        if module not in self._sources:
            path = self._path(module)
            self._sources[module] = None if path is None else Source(module, path, self.known)
        return self._sources[module]

    def _path(self, module: str) -> Path | None:
        relative = Path(*module.split("."))
        for root in self._roots(module.partition(".")[0]):
            for path in (root / relative / "__init__.py", root / relative.with_suffix(".py")):
                if module and path.is_file():
                    return path
        return None

    def _roots(self, top: str) -> list[Path]:
        if top in OWN:
            return self.roots
        if len(self.roots) == 1:
            return []
        if top not in self._developed:
            self._developed[top] = developed(top)
        found = self._developed[top]
        return self.roots[1:] if found is None else [*self.roots[1:], found]

    def adopt(self, source: Source) -> None:
        """Know a file that no import would find by its name (a user's claim file)."""
        self._sources[source.name] = source

    def of(self, modules: Sequence[str]) -> dict[str, Source]:
        """Every file that some modules depend on, themselves included, by module name."""
        met: dict[str, Source] = {}
        done: set[tuple[str, str]] = set()
        todo = [(m, "") for m in modules]
        while todo:
            module, name = todo.pop()
            if (module, name) in done:
                continue
            done.add((module, name))
            source = self.source(module)
            if source is None:
                if "." in module:  # `import a.b.name` of something that is no module: its package is meant
                    todo.append((module.rpartition(".")[0], ""))
                continue
            met[module] = source
            parent = module.rpartition(".")[0]
            while parent:  # a package's own code runs first; what it imports for others is not followed
                above = self.source(parent)
                if above is not None:
                    met[parent] = above
                parent = parent.rpartition(".")[0]
            todo += self._followed(source, name)
        return met

    def _followed(self, source: Source, name: str) -> Iterator[tuple[str, str]]:
        """The imports that matter when `name` ("": anything) is taken from a module."""
        if source.package and name not in ("", "*"):
            if self.source(f"{source.name}.{name}") is not None:
                yield f"{source.name}.{name}", ""
                return
            binding = [i for i in source.facts.imports if i.name and i.bound == name]
            if binding:
                yield from ((i.module, i.name) for i in binding)
                return
        own = source.name + "."
        contents = source.package and source.name.rpartition(".")[0] == CONTENTS
        for i in source.facts.imports:
            if contents and (i.module + ".").startswith(own):
                continue
            yield (i.module, i.name)
        if source.facts.computed and source.name != BY_KEY:
            yield from ((m, "") for m in self._everything())

    def _everything(self) -> Iterator[str]:
        for root in self.roots:
            for top in OWN:
                for path in sorted((root / top).rglob("*.py")):
                    parts = path.relative_to(root).with_suffix("").parts
                    yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def developed(top: str) -> Path | None:
    """The folder of a module or package that is no library: on Python's path, or installed with `pip install -e`.

    Args:
        top: a name without dots. It is looked for and not imported.
    """
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    if spec.submodule_search_locations:
        folder = Path(next(iter(spec.submodule_search_locations))).parent
    elif spec.has_location and spec.origin:
        folder = Path(spec.origin).parent
    else:
        return None
    folder = folder.resolve()
    libraries = [Path(p).resolve() for name, p in sysconfig.get_paths().items() if "lib" in name]
    inside = any(folder.is_relative_to(p) for p in libraries)
    return None if inside or {"site-packages", "dist-packages"} & set(folder.parts) else folder
