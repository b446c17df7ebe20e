"""Fingerprints change with everything that a claim depends on, and with nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from theorems import registry
from theorems.run.fingerprint import Fingerprints
from theorems.run.imports import Closure

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small suite: a paper of two modules, solvers used lazily, by name, and not at all."""
    files = {
        "theorems/__init__.py": "from theorems.claim import Paper\n",
        "theorems/claim.py": "",
        "theorems/papers/__init__.py": "",
        "theorems/papers/p/__init__.py": "from theorems import Paper\nPAPER = 1\nfrom theorems.papers.p import a, b\n",
        "theorems/papers/p/a.py": "from theorems.papers.p import PAPER\ndef f():\n    from solvers import lazy\n",
        "theorems/papers/p/b.py": "from solvers.many import second\nfrom . import c\n",
        "theorems/papers/p/c.py": "",
        "solvers/__init__.py": "",
        "solvers/lazy.py": "import solvers.deep.inner\n",
        "solvers/deep/__init__.py": "",
        "solvers/deep/inner.py": "",
        "solvers/many/__init__.py": "from solvers.many.one import first\nfrom solvers.many.two import second\n",
        "solvers/many/one.py": "first = 1\n",
        "solvers/many/two.py": "second = 2\n",
        "solvers/named.py": "",
        "solvers/strings.py": "import importlib\nimportlib.import_module('solvers.named')\n",
        "solvers/computed.py": "import importlib\ndef f(x):\n    return importlib.import_module('solvers.' + x)\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_imports_inside_functions_count(tree: Path) -> None:
    met = Closure([tree]).of(["theorems.papers.p.a"])
    assert {"solvers.lazy", "solvers.deep.inner", "theorems.claim"} <= set(met)


def test_modules_of_one_paper_do_not_depend_on_each_other(tree: Path) -> None:
    closure = Closure([tree])
    assert "theorems.papers.p.b" not in closure.of(["theorems.papers.p.a"])
    assert "theorems.papers.p.c" in closure.of(["theorems.papers.p.b"])


def test_a_name_taken_from_a_package_leads_to_the_module_that_defines_it(tree: Path) -> None:
    met = Closure([tree]).of(["theorems.papers.p.b"])
    assert "solvers.many.two" in met
    assert "solvers.many.one" not in met


def test_modules_named_by_strings_count_and_computed_names_mean_everything(tree: Path) -> None:
    assert "solvers.named" in Closure([tree]).of(["solvers.strings"])
    assert "theorems.papers.p.c" in Closure([tree]).of(["solvers.computed"])


def test_libraries_installed_beside_the_suite_are_not_followed(tree: Path) -> None:
    (tree / "numpy").mkdir()
    (tree / "numpy" / "__init__.py").write_text("import numpy.core\n")
    (tree / "numpy" / "core.py").write_text("from theorems.papers.p import c\n")
    (tree / "solvers" / "lazy.py").write_text("import numpy\n")
    assert set(Closure([tree]).of(["solvers.lazy"])) == {"solvers", "solvers.lazy"}
    mine = tree / "mine"
    mine.mkdir()
    (mine / "claims_mine.py").write_text("import helper, numpy, solvers.lazy\n")
    (mine / "helper.py").write_text("")
    assert set(Closure([tree, mine]).of(["claims_mine"])) == {"claims_mine", "helper", "solvers", "solvers.lazy"}


def test_an_edit_of_a_package_elsewhere_on_the_path_changes_the_fingerprint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "src" / "paper_code_of_mine"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from paper_code_of_mine.constants import K\n")
    (package / "constants.py").write_text("K = 1\n")
    (tmp_path / "src" / "single_of_mine.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path / "src")
    (tmp_path / "claims_k.py").write_text(
        "from theorems import Integers, Paper\nPAPER = Paper(key='elsewhere', title='t')\n\n\n"
        "@PAPER.bound(domain=dict(n=Integers(0, 5)))\ndef f(n):\n    'n <= K n'\n"
        "    import numpy, single_of_mine\n    from paper_code_of_mine import K\n    return n, K * n\n"
    )
    file = str(tmp_path / "claims_k.py")
    try:
        (paper,) = registry.load_file(file)
        (claim,) = paper.claims.values()
        prints = Fingerprints()
        first = prints.of(file, claim)
        names = {path.name for path in prints._files[claim.id]}
        assert {"constants.py", "single_of_mine.py", "claims_k.py"} <= names
        assert not any(
            "site-packages" in path.parts for path in prints._files[claim.id] if "theorems" not in path.parts
        )
        (package / "constants.py").write_text("K = 0\n")
        assert Fingerprints().of(file, claim) != first
    finally:
        registry._PAPERS.pop("elsewhere", None)


def test_every_module_that_a_paper_really_loads_is_in_its_closure() -> None:
    """Oracle: what Python itself has loaded of `solvers` after the import of the paper's module."""
    registry.load_paper("ridgeless_errors")
    for claim in registry._PAPERS["ridgeless_errors"].claims.values():
        closure = Closure([ROOT]).of([claim.module])
        tree = ast.parse(Path(__import__("sys").modules[claim.module].__file__ or "").read_text())
        direct = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module}
        assert {m for m in direct if m.startswith("solvers")} <= set(closure)


def test_an_edit_of_the_file_its_neighbours_or_its_data_changes_the_fingerprint(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from pathlib import Path\nfrom theorems import Paper\nPAPER = Paper(key='fingerprinted', title='x')\n"
        "@PAPER.identity(domain=dict(a=1))\ndef f(a):\n    'one'\n    import neighbour\n"
        "    Path(__file__).with_name('numbers.csv').read_text()\n    return a, 1\n"
    )
    (tmp_path / "neighbour.py").write_text("x = 1\n")
    (tmp_path / "numbers.csv").write_text("1\n")
    (tmp_path / "unrelated.py").write_text("x = 1\n")
    (paper,) = registry.load_file(path)
    (claim,) = paper.claims.values()
    try:
        before = Fingerprints().of(str(path), claim)
        (tmp_path / "unrelated.py").write_text("x = 2\n")
        assert Fingerprints().of(str(path), claim) == before
        for name in ("neighbour.py", "numbers.csv", "mine.py"):
            kept = (tmp_path / name).read_text()
            (tmp_path / name).write_text(kept + "\n# edited\n")
            assert Fingerprints().of(str(path), claim) != before, name
            (tmp_path / name).write_text(kept)
        assert Fingerprints().of(str(path), claim) == before
        assert Fingerprints(environment="another Python").of(str(path), claim) != before
        taken = Fingerprints()
        taken.of(str(path), claim)
        assert taken.unchanged(claim.id)
        (tmp_path / "neighbour.py").write_text("x = 3  # while the run goes on\n")
        assert not taken.unchanged(claim.id)
    finally:
        registry._PAPERS.pop("fingerprinted", None)


def test_what_is_known_of_a_source_spares_its_parsing_and_changes_nothing(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known: dict[str, str] = {}
    first = Closure([tree], known).of(["theorems.papers.p.b", "solvers.strings"])
    assert len(known) >= 4
    monkeypatch.setattr(ast, "parse", None)  # parsing again would fail
    assert set(Closure([tree], known).of(["theorems.papers.p.b", "solvers.strings"])) == set(first)


def test_a_file_that_does_not_parse_still_counts(tree: Path) -> None:
    (tree / "solvers/lazy.py").write_text("def (\n")
    assert "solvers.lazy" in Closure([tree]).of(["theorems.papers.p.a"])
