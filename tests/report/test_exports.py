"""LaTeX, Markdown, JUnit and JSON of a run, each read by a program that is not ours where there is one."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from theorems.kernel.outcome import Evidence
from theorems.report import json_report, junit, latex, markdown
from theorems.run.results import MutantResult, Verdict

from . import pages

SCHEMA = Path(__file__).parents[2] / "docs" / "report.schema.json"
Report = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def validator() -> Any:
    jsonschema = pytest.importorskip("jsonschema", reason="needs jsonschema: pip install '.[test]'")
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_the_schema_names_the_version_that_reports_carry(validator: Any) -> None:
    assert validator.schema["$id"] == validator.schema["properties"]["schema"]["const"] == json_report.SCHEMA


@pytest.mark.parametrize("made", [pages.hostile, lambda: pages.large(30), lambda: pages.report([], [])])
def test_json_of_any_report_obeys_the_published_schema(validator: Any, made: Callable[[], Any]) -> None:
    validator.validate(json.loads(json_report.render(made())))


def test_json_and_junit_of_a_real_run_with_every_verdict(validator: Any, report: Report, files: Path) -> None:
    done = report("good.py", "bad.py", "--json", "all.json", "--junit", "all.xml", "--jobs", "1")
    assert done.returncode == 1, done.stderr
    data = json.loads((files / "all.json").read_text(encoding="utf-8"))
    validator.validate(data)
    assert {c["verdict"] for c in data["claims"]} == {"holds", "refuted", "inconclusive", "error"}
    root = ET.parse(files / "all.xml").getroot()
    ends = {c.get("name"): [e.tag for e in c if e.tag in ("failure", "error")] for c in root.iter("testcase")}
    assert ends == {
        "bernoulli": [], "squares": [], "halves": [], "wide": ["failure"], "survivor": ["failure"], "broken": ["error"],
    }  # fmt: skip
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("6", "2", "1")
    refuted = next(e for e in root.iter("failure") if e.get("type") == "refuted")
    assert "--reproduce badclaims/wide --instance" in (refuted.text or "")
    survivor = next(e for e in root.iter("failure") if e.get("type") == "inconclusive")
    assert "changes nothing either" in (survivor.text or "")


def test_a_schema_that_admits_anything_would_be_noticed(validator: Any) -> None:
    data = json.loads(json_report.render(pages.large(1)))
    data["claims"][0]["verdict"] = "probably"
    assert [e.json_path for e in validator.iter_errors(data)] == ["$.claims[0].verdict"]
    data = json.loads(json_report.render(pages.large(1)))
    data["claims"][0]["surprise"] = 1
    assert len(list(validator.iter_errors(data))) == 1


def test_junit_holds_characters_that_xml_cannot() -> None:
    made = pages.claim(pages.paper("control"), "one", "a\x00b\x0b]]>")
    text = junit.render(pages.report([made], [pages.result(made, Verdict.REFUTED, reason="\x1b[31m <&>\ud800")]))
    root = ET.fromstring(text.encode())
    (failure,) = root.iter("failure")
    assert failure.get("message") == "\ufffd[31m <&>\ufffd"
    assert "a\ufffdb\ufffd]]>" in (failure.text or "")


def test_junit_times_are_all_that_changes() -> None:
    made = pages.claim(pages.paper("timed"), "one")
    first, second = (junit.render(pages.report([made], [pages.result(made, seconds=s)], seconds=s)) for s in (1.0, 9.0))
    assert first != second
    assert re.sub(r'time="[\d.]+"', "", first) == re.sub(r'time="[\d.]+"', "", second)


def test_markdown_tables_have_as_many_cells_as_columns() -> None:
    text = markdown.render(pages.hostile())
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 4
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {9}
    assert pages.SCRIPT not in text.replace("    ", "")[: text.index("## Counterexample")]


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("50 % & $5 #1 a_b {x} ~ ^", r"50 \% \& \$5 \#1 a\_b \{x\} \textasciitilde{} \textasciicircum{}"),
        ("\\input{/etc/passwd}", r"\textbackslash{}input\{/etc/passwd\}"),
        ("λ ≤ ∞", r"\ensuremath{\lambda} \ensuremath{\le} \ensuremath{\infty}"),
        ("Erdős–Rényi “x”", "Erdős--Rényi ``x''"),
        ("❄", r"{\ttfamily U+2744}"),
    ],
)
def test_latex_prints_any_text_as_it_is(text: str, printed: str) -> None:
    assert latex.escaped(text) == printed or latex.escaped(text).replace(r"\leq", r"\le") == printed


@pytest.mark.parametrize(
    ("figure", "shown"),
    [
        ("-", "--"),
        ("0", "$0$"),
        ("1.5e-7", r"$1.5\cdot 10^{-7}$"),
        ("-3e20", r"$-3\cdot 10^{20}$"),
        ("inf", r"$\infty $"),
    ],
)
def test_latex_figures(figure: str, shown: str) -> None:
    assert latex._figure(figure) == shown


@pytest.mark.skipif(
    shutil.which("pdflatex") is None,
    reason="needs TeX: apt-get install --no-install-recommends texlive-latex-base texlive-latex-recommended",
)
def test_latex_tables_compile_with_booktabs_alone(tmp_path: Path) -> None:
    claims = [pages.claim(pages.paper("tex", "α_β ≤ γ & ∑ % “x” 証明 ❄"), n) for n in ("a_b^c", "\\x{", "λ→∞", "plain")]
    results = [
        pages.result(claims[0], margin=1e-30, resolution=float("inf")),
        pages.result(claims[1], Verdict.REFUTED, margin=-2.5e10, resolution=None),
        pages.result(claims[2], Verdict.ERROR, evidence=None, margin=None),
        pages.result(claims[3], evidence=Evidence.PROVED, mutants=[MutantResult("m", Verdict.HOLDS, False, "alive")]),
    ]
    (tmp_path / "table.tex").write_text(latex.render(pages.report(claims, results)), encoding="utf-8")
    (tmp_path / "main.tex").write_text(
        "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n\\input{table.tex}\n\\end{document}\n"
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "main.tex"],
        cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "main.pdf").stat().st_size > 5000
