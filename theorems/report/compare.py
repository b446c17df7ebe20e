"""`--compare OLD.json`: what changed since an earlier run, claim by claim."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from theorems.report.arguments import UsageError
from theorems.report.json_report import SCHEMA, render
from theorems.report.summary import Report
from theorems.report.table import seconds, short
from theorems.report.terminal import Line

SLOWER = 2.0  # a time is worth a line when it grew or fell by this factor ...
LEAST = 1.0  # ... and by this many seconds
CLOSE = 1e-9  # relative difference below which two resolutions are the same

Before = dict[str, Any]


def read(name: str) -> Before:
    """An earlier run.

    Raises:
        UsageError: when the file is not what `--json` writes.
    """
    try:
        with open(name, encoding="utf-8") as file:
            data = json.load(file)
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name} is not JSON: {error}") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        found = data.get("schema") if isinstance(data, dict) else None
        raise UsageError(f"{name} is no report that can be compared: schema {found!r}; {SCHEMA!r} is expected")
    try:
        for claim in data["claims"]:
            for key in ("id", "verdict", "evidence", "resolution", "mutants"):
                claim[key]
        dict(data["run"]["times"]["claims"])
    except (KeyError, TypeError, ValueError):
        raise UsageError(f"{name} says that it is {SCHEMA}, but parts of it are missing") from None
    return data


def lines(before: Before, report: Report, name: str) -> Iterator[Line]:
    """What changed, as lines with styles; one line says so when nothing did."""
    after = json.loads(render(report))
    changes = list(differences(before, after))
    yield "", ""
    said = f"{len(changes)} difference{'' if len(changes) == 1 else 's'}" if changes else "no difference"
    yield f"compared with {name} ({_about(before, after)}): {said}", "bold"
    for text, worse in changes:
        yield f"  {text}", "yellow" if worse else ""


def differences(before: Before, after: Before) -> Iterator[tuple[str, bool]]:
    """(text, whether it is a change for the worse) for each change between two runs as JSON data."""
    old = {c["id"]: c for c in before["claims"]}
    new = {c["id"]: c for c in after["claims"]}
    for claim_id, claim in new.items():
        if claim_id not in old:
            yield f"{claim_id}: new, {claim['verdict']}", claim["verdict"] != "holds"
            continue
        for text, worse in _of_claim(old[claim_id], claim):
            yield f"{claim_id}: {text}", worse
        was, now = (r["run"]["times"]["claims"].get(claim_id) for r in (before, after))
        if _moved(was, now):
            yield f"{claim_id}: time {seconds(was)} -> {seconds(now)}", now > was
    gone = [i for i in old if i not in new]
    papers = {i.split("/", 1)[0] for i in new}
    for claim_id in gone:
        if claim_id.split("/", 1)[0] in papers:
            yield f"{claim_id}: no longer among the claims (was {old[claim_id]['verdict']})", True
    others = {i.split("/", 1)[0] for i in gone} - papers
    if others:
        yield f"not run this time: {', '.join(sorted(others))}", False


def _about(before: Before, after: Before) -> str:
    """What the two runs do not have in common, since it may explain the rest."""
    found = []
    for key in ("seed", "budget", "instances"):
        was, now = before["run"].get(key), after["run"].get(key)
        if was != now:
            found.append(f"{key} {was} -> {now}")
    was, now = before["run"].get("versions", {}), after["run"]["versions"]
    found += [f"{n} {was.get(n)} -> {now[n]}" for n in now if was.get(n) != now[n]]
    return ", ".join(found) or "same seed, budget and versions"


def _of_claim(old: Before, new: Before) -> Iterator[tuple[str, bool]]:
    strength = ("empirical", "statistical", "numeric", "certified", "proved")
    if old["verdict"] != new["verdict"]:
        reason = f" ({new['reason']})" if new["reason"] else ""
        yield f"{old['verdict']} -> {new['verdict']}{reason}", new["verdict"] != "holds"
    if old["evidence"] != new["evidence"]:
        ranks = [strength.index(e) if e in strength else -1 for e in (old["evidence"], new["evidence"])]
        yield f"evidence {old['evidence'] or 'none'} -> {new['evidence'] or 'none'}", ranks[1] < ranks[0]
    was, now = _number(old["resolution"]), _number(new["resolution"])
    if (was is None) != (now is None) or (was is not None and now is not None and not _same(was, now)):
        worse = was is not None and (now is None or now > was)
        yield f"resolution {short(was, up=True)} -> {short(now, up=True)}", worse
    before, after = ({m["name"]: m["killed"] for m in c["mutants"]} for c in (old, new))
    for mutant, killed in after.items():
        if mutant not in before:
            yield f"new mutant {mutant!r}, {'killed' if killed else 'alive'}", not killed
        elif killed != before[mutant]:
            yield f"mutant {mutant!r} {'is killed now' if killed else 'survives now'}", not killed
    for mutant in before:
        if mutant not in after:
            yield f"mutant {mutant!r} is gone", True


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _same(a: float, b: float) -> bool:
    return a == b or math.isclose(a, b, rel_tol=CLOSE)


def _moved(was: float | None, now: float | None) -> bool:
    if was is None or now is None or abs(now - was) < LEAST:
        return False
    return max(was, now) >= SLOWER * min(was, now)
