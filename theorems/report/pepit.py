"""The table of PEPit's examples: what is declared, what is certified, and on which side PEPit's own number lies."""

from __future__ import annotations

import fnmatch
import json
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from itertools import groupby
from pathlib import Path
from time import perf_counter
from typing import Any

from theorems import registry
from theorems.report.arguments import UsageError

STATUS = {"holds": 0, "refuted": 1, "error": 4, "inconclusive": 3}
WORST = (0, 3, 4, 1)  # exit statuses, each of which yields to the next
HEAD = ("declared", "theory", "certified from", "to", "PEPit", "side", "verdict", "mutants")
WIDTHS = (8, 12, 14, 12, 12, 6, 12, 7)
NARROW = 1e-6
SCHEMA = "theorems-pepit/1"


@dataclass
class Row:
    """One example.

    Attributes:
        path: `package.module` below `PEPit.examples`.
        declared: `tight`, `upper` or `no value`,
        why: and why.
        theory: the theoretical value, PEPit's number, and the certified ends of the worst case, as far as there are any.
        verdict: on the claim; empty where nothing is claimed.
        remark: what is not certified, and why.
    """

    path: str
    declared: str
    why: str
    theory: float | None = None
    pepit: float | None = None
    low: Any = None
    high: Any = None
    verdict: str = ""
    mutants: str = ""
    remark: str = ""
    seconds: float = field(default=0.0, compare=False)

    @property
    def side(self) -> str:
        """`below` the certified worst case, `safe` above it, `within` its enclosure, or unknown."""
        if self.pepit is None:
            return "-"
        value = Decimal(self.pepit)
        if self.low is not None and value < _decimal(self.low, up=False):
            return "below"
        return "?" if self.high is None else "safe" if value >= _decimal(self.high, up=True) else "within"

    @property
    def width(self) -> float | None:
        """(to - from) relative to the larger modulus; absolute where the theoretical value is 0."""
        if self.low is None or self.high is None:
            return None
        size = 1 if self.theory == 0 else max(abs(self.low), abs(self.high))
        return float((self.high - self.low) / size) if size != 0 else 0.0


def main(glob: str, seed: int = 0, json_file: str | None = None) -> int:
    """Run the examples that a glob selects, print the table, and return the exit status.

    Args:
        glob: over `package.module` or the bare name of the function (`wc_gradient_descent`).
        seed: root seed of the run.
        json_file: where to write the table as JSON, too.

    Raises:
        UsageError: without PEPit, or if nothing is selected.
    """
    from theorems.report.output import check_writable, write_whole

    claims, file = _library()
    chosen = _chosen(glob, [m.removeprefix(claims.PREFIX) for m in claims.MODULES])
    if json_file:
        check_writable(json_file)
    name = max(map(len, (p.rsplit(".", 1)[-1] for p in chosen)))
    rows: list[Row] = []
    for package, paths in groupby(chosen, key=lambda p: p.rsplit(".", 1)[0]):
        print(f"\n# {package}\n{_line(name, 'example', HEAD, 'why')}")
        for path in paths:
            rows.append(_row(claims, file, path, seed))
            for line in _lines(name, rows[-1]):
                print(line, flush=True)
    print("\n" + "\n".join(_summary(rows)))
    status = max((STATUS.get(r.verdict, 4) for r in rows if r.verdict), key=WORST.index, default=0)
    if json_file:
        write_whole(json_file, _as_json(rows, seed, status))
    return status


def _library() -> tuple[Any, str]:
    """The module of claims and its file."""
    try:
        import PEPit  # noqa: F401
    except ImportError:
        raise UsageError("--pepit needs PEPit: pip install PEPit") from None
    warnings.filterwarnings("ignore")
    file = str(Path(__file__).parent.parent / "pepit_claims.py")
    (paper,) = registry.load_file(file)
    return sys.modules[paper.module], file


def _chosen(glob: str, paths: Sequence[str]) -> list[str]:
    bare = {path: "wc_" + path.rsplit(".", 1)[-1] for path in paths}
    chosen = [p for p in paths if fnmatch.fnmatchcase(p, glob) or fnmatch.fnmatchcase(bare[p], glob)]
    if not chosen:
        near = registry.suggestion(glob.strip("*"), [*paths, *bare.values()])
        raise UsageError(f"no example of PEPit matches {glob!r}{near or '; try --pepit ' + repr('*gradient*')}")
    return chosen


def _row(claims: Any, file: str, path: str, seed: int) -> Row:
    from solvers.performance.pepit_table import declared
    from theorems.run.evaluate import Settings
    from theorems.run.runner import run_claims

    started = perf_counter()
    kind, why = declared(path)
    row = Row(path, kind, why)
    module = claims.PREFIX + path
    try:
        found = claims.example(module)
        row.theory, row.pepit = found.theory, found.value
        row.low, row.high, reason = claims.bounds(module)
        row.remark = _missing(row, reason)
    except Exception as error:  # an example that PEPit itself cannot run is a row of the table
        row.remark = f"PEPit did not run it: {type(error).__name__}: {error}"
    claim = claims.PAPER.claims.get(f"pepit/{path}")
    if claim is not None:
        result = run_claims([(file, claim)], Settings(seed=seed), executor="serial").claims[0]
        row.verdict = str(result.verdict)
        row.mutants = f"{result.killed}/{len(result.mutants)}"
        if row.verdict != "holds" and not row.remark:
            row.remark = result.reason
    row.seconds = perf_counter() - started
    return row


def _missing(row: Row, reason: str) -> str:
    """What is not certified, and why."""
    missing = [side for side, end in (("lower", row.low), ("upper", row.high)) if end is None]
    if missing:
        return f"no certified {' or '.join(missing)} end: {reason}"
    return f"wide, {row.width:.0e}: {reason}" if row.width is not None and row.width > NARROW else ""


def _line(name: int, first: str, cells: Sequence[str], last: str) -> str:
    return "  ".join([first.ljust(name), *(c.ljust(w) for c, w in zip(cells, WIDTHS)), last]).rstrip()


def _lines(name: int, row: Row) -> Iterator[str]:
    cells = (
        row.declared,
        _text(row.theory),
        _end(row.low, up=False),
        _end(row.high, up=True),
        _text(row.pepit),
        row.side,
        row.verdict or "-",
        row.mutants or "-",
    )
    yield _line(name, row.path.rsplit(".", 1)[-1], cells, row.why + (f"; {row.remark}" if row.remark else ""))


def _summary(rows: Sequence[Row]) -> Iterator[str]:
    for kind in ("tight", "upper"):
        of_kind = [r for r in rows if r.declared == kind]
        counts = Counter(r.verdict for r in of_kind)
        said = ", ".join(f"{counts[v]} {'hold' if v == 'holds' and counts[v] != 1 else v}" for v in STATUS if counts[v])
        yield f"{len(of_kind)} {kind}" + (f": {said}" if said else "")
    without = [r for r in rows if r.declared == "no value"]
    yield f"{len(without)} without value: {sum(r.width is not None for r in without)} enclosed"
    tight = [r for r in rows if r.declared == "tight"]
    narrow = sum(r.width is not None and r.width <= NARROW for r in tight)
    yield f"relative width at most {NARROW:.0e} on {narrow} of {len(tight)} tight ones"
    yield f"PEPit's number lies below the certified worst case on {sum(r.side == 'below' for r in rows)} of {len(rows)}"
    slowest = max(rows, key=lambda r: r.seconds)
    yield f"{sum(r.seconds for r in rows):.0f} s, at most {slowest.seconds:.0f} s ({slowest.path})"


def _as_json(rows: Sequence[Row], seed: int, status: int) -> str:
    data = {
        "schema": SCHEMA,
        "run": {
            "seed": seed,
            "exit_status": status,
            "times": {"seconds": round(sum(r.seconds for r in rows), 3)}
            | {"examples": {r.path: round(r.seconds, 3) for r in rows}},
        },
        "examples": [
            {
                "example": r.path,
                "declared": r.declared,
                "why": r.why,
                "theory": r.theory,
                "certified": {
                    "from": None if r.low is None else str(r.low),
                    "to": None if r.high is None else str(r.high),
                },
                "width": r.width,
                "pepit": r.pepit,
                "side": r.side,
                "verdict": r.verdict or None,
                "mutants": r.mutants or None,
                "remark": r.remark,
            }
            for r in rows
        ],
    }
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _text(x: float | None) -> str:
    return "-" if x is None else f"{x:.9g}"


def _end(x: Any, *, up: bool) -> str:
    """Nine digits, rounded outwards."""
    return "-" if x is None else f"{float(_decimal(x, up=up, digits=9)):.9g}"


def _decimal(x: Any, *, up: bool, digits: int = 40) -> Decimal:
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return context.divide(Decimal(int(x.p)), Decimal(int(x.q)))
