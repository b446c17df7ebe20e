"""The run as JUnit XML: a suite a paper, a case a claim, so that CI systems show what does not hold and why."""

from __future__ import annotations

import re
from itertools import groupby
from xml.etree import ElementTree as ET

from theorems.report.explain import explained
from theorems.report.selection import heading
from theorems.report.summary import Report, notes, tidy
from theorems.run.results import ClaimResult, Verdict

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML 1.0 cannot hold


def render(report: Report) -> str:
    """The report as XML text; only the `time` attributes change between runs with the same seed.

    A claim that is refuted, inconclusive or has a surviving mutant is a failure, a broken check an error: nothing but
    `holds` passes.
    """
    run = report.run
    root = ET.Element("testsuites", name="theorems", time=_time(run.seconds))
    said: dict[str, list[str]] = {}
    for claim_id, text in notes(report):
        said.setdefault(claim_id, []).append(tidy(text))
    for key, results in groupby(run.claims, lambda r: report.of(r).claim.paper.key):
        found = list(results)
        suite = ET.SubElement(root, "testsuite", name=_text(key))
        properties = ET.SubElement(suite, "properties")
        facts = {"paper": heading(report.of(found[0]).claim.paper), "seed": str(run.seed), "budget": run.budget}
        for name, value in {**facts, **run.versions}.items():
            ET.SubElement(properties, "property", name=name, value=_text(value))
        for result in found:
            _case(suite, report, result, said.get(result.id, []))
        _count(suite, found)
    _count(root, run.claims)
    for claim_id in run.unfinished:
        suite = ET.SubElement(root, "testsuite", name="unfinished", tests="1", failures="0", errors="0", skipped="1")
        case = ET.SubElement(suite, "testcase", classname="unfinished", name=_text(claim_id), time="0")
        ET.SubElement(case, "skipped", message="the run ended before this claim was finished")
    ET.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _count(element: ET.Element, results: list[ClaimResult]) -> None:
    broken = sum(r.verdict is Verdict.ERROR for r in results)
    element.set("tests", str(len(results)))
    element.set("failures", str(sum(r.verdict is not Verdict.HOLDS for r in results) - broken))
    element.set("errors", str(broken))
    element.set("skipped", "0")
    element.set("time", _time(sum(r.seconds for r in results)))


def _case(suite: ET.Element, report: Report, result: ClaimResult, said: list[str]) -> None:
    claim = report.of(result).claim
    case = ET.SubElement(
        suite, "testcase", classname=_text(claim.paper.key), name=_text(claim.name), time=_time(result.seconds)
    )
    if result.verdict is not Verdict.HOLDS:
        kind = "error" if result.verdict is Verdict.ERROR else "failure"
        wrong = ET.SubElement(case, kind, type=str(result.verdict), message=_text(tidy(result.reason)))
        wrong.text = _text(explained(report, result))
    evidence = "none" if result.evidence is None else str(result.evidence)
    facts = [f"evidence {evidence}", f"mutants {result.killed}/{len(result.mutants)} killed", *said]
    ET.SubElement(case, "system-out").text = _text("\n".join(facts))


def _time(seconds: float) -> str:
    return f"{seconds:.3f}"


def _text(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
