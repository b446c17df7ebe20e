"""Results of tasks as JSON text and back, strictly: what is read is checked field by field and never evaluated."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from theorems.kernel.outcome import Decision, Evidence
from theorems.run.codec import decode
from theorems.run.results import BlockResult, Searched, Shown, Tally

FORMAT = 1  # part of every key: results in another format are not looked for
LONGEST = 256_000_000

_SHOWN = {f.name for f in fields(Shown)}
_TALLY = {f.name for f in fields(Tally)} - {"part", "certificates"}
_BLOCK = ("instances", "rejected", "excluded", "unsure", "trouble", "seconds", "killed_part")


def to_text(result: BlockResult) -> str:
    """A result without its certificates (which are kept apart) as canonical JSON."""
    data: dict[str, Any] = {name: getattr(result, name) for name in _BLOCK}
    data["seconds"] = round(result.seconds, 6)
    data["tallies"] = [[name, _tally(t)] for name, t in result.tallies.items()]
    data["records"] = result.records
    data["killed_by"] = _shown(result.killed_by)
    data["searched"] = [[s.part, s.check, s.family, s.evaluations, _shown(s.shown)] for s in result.searched]
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def from_text(text: str) -> BlockResult:
    """The result that `to_text` was given.

    Raises:
        ValueError: for anything that `to_text` does not write.
    """
    if len(text) > LONGEST:
        raise ValueError(f"{len(text)} characters; at most {LONGEST} are read")
    try:
        data = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from None
    _expect(data, {*_BLOCK, "tallies", "records", "killed_by", "searched"})
    result = BlockResult(
        instances=_count(data["instances"]),
        rejected=_count(data["rejected"]),
        excluded=_count(data["excluded"]),
        unsure=_count(data["unsure"]),
        trouble=_text(data["trouble"]),
        seconds=_number(data["seconds"]),
        killed_part=_text(data["killed_part"]),
        killed_by=_read_shown(data["killed_by"]),
        searched=[_read_searched(entry) for entry in _list(data["searched"])],
        tallies=dict(_read_part(pair) for pair in _list(data["tallies"])),
        records=[_read_record(pair) for pair in _list(data["records"])],
    )
    if len(result.tallies) != len(data["tallies"]):
        raise ValueError("a part stands there twice")
    return result


def _shown(shown: Shown | None) -> dict[str, Any] | None:
    if shown is None:
        return None
    data = {name: getattr(shown, name) for name in _SHOWN}
    return {**data, "decision": str(shown.decision), "evidence": str(shown.evidence), **_doubles(data)}


def _doubles(data: dict[str, Any]) -> dict[str, Any]:
    return {name: _double(data[name]) for name in ("margin", "resolution")}


def _tally(tally: Tally) -> dict[str, Any]:
    data = {name: getattr(tally, name) for name in _TALLY}
    data["evidence"] = None if tally.evidence is None else str(tally.evidence)
    data["level"] = _double(tally.level)
    data |= {name: _shown(getattr(tally, name)) for name in ("tightest", "smallest", "doubtful")}
    data["points"] = [[name, [[_double(x) for x in row] for row in rows]] for name, rows in tally.points]
    data["margins"] = [[k, _double(m)] for k, m in tally.margins]
    return data


def _double(x: float | None) -> float | str | None:
    """A double as JSON writes it (shortest text that reads back the same), or a word."""
    return None if x is None else float(x) if math.isfinite(x) else str(float(x))


def _refuse(word: str) -> Any:
    raise ValueError(f"the constant {word}")


def _expect(data: Any, names: set[str]) -> None:
    if not isinstance(data, dict) or set(data) != names:
        raise ValueError(f"the fields {sorted(data)[:20] if isinstance(data, dict) else type(data).__name__}")


def _of(kind: type, what: str) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise ValueError(f"{str(value)[:60]!r} is no {what}")
        return value

    return read


_text, _list, _flag, _integer = _of(str, "text"), _of(list, "list"), _of(bool, "bool"), _of(int, "integer")


def _count(value: Any) -> int:
    if _integer(value) < 0:
        raise ValueError(f"the count {value}")
    return int(value)


def _number(value: Any) -> float:
    if type(value) in (int, float) or value in ("inf", "-inf", "nan"):
        return float(value)
    raise ValueError(f"{str(value)[:60]!r} is no number")


def _perhaps(value: Any) -> float | None:
    return None if value is None else _number(value)


def _pair(value: Any) -> list[Any]:
    if len(_list(value)) != 2:
        raise ValueError("a pair is expected")
    return list(value)


def _read_shown(data: Any) -> Shown | None:
    if data is None:
        return None
    _expect(data, _SHOWN)
    if not isinstance(data["instance"], dict):
        raise ValueError("an instance is expected")
    return Shown(
        index=_count(data["index"]),
        family=_text(data["family"]),
        instance={n: _text(v) for n, v in data["instance"].items()},
        lhs=_text(data["lhs"]),
        rhs=_text(data["rhs"]),
        decision=Decision(_text(data["decision"])),
        evidence=Evidence.parse(_text(data["evidence"])),
        margin=_perhaps(data["margin"]),
        resolution=_perhaps(data["resolution"]),
        reason=_text(data["reason"]),
        samples=_count(data["samples"]),
        shrunk=_flag(data["shrunk"]),
        check=_text(data["check"]),
        found=_text(data["found"]),
    )


def _read_searched(entry: Any) -> Searched:
    if len(_list(entry)) != 5:
        raise ValueError("five entries of a search are expected")
    shown = _read_shown(entry[4])
    if shown is None:
        raise ValueError("a search without an outcome")
    return Searched(_text(entry[0]), _text(entry[1]), _text(entry[2]), _count(entry[3]), shown)


def _read_part(pair: Any) -> tuple[str, Tally]:
    name, data = _pair(pair)
    _expect(data, _TALLY)
    tally = Tally(
        part=_text(name),
        role=_text(data["role"]),
        check=_text(data["check"]),
        holds=_count(data["holds"]),
        refuted=_count(data["refuted"]),
        undecided=_count(data["undecided"]),
        samples=_count(data["samples"]),
        evidence=None if data["evidence"] is None else Evidence.parse(_text(data["evidence"])),
        level=_number(data["level"]),
        tightest=_read_shown(data["tightest"]),
        smallest=_read_shown(data["smallest"]),
        doubtful=_read_shown(data["doubtful"]),
        covered=_text(data["covered"]),
        steps=tuple(_text(s) for s in _list(data["steps"])),
        points=tuple(
            (_text(n), tuple(tuple(_number(x) for x in _list(row)) for row in _list(rows)))
            for n, rows in map(_pair, _list(data["points"]))
        ),
        margins=[(_count(k), _number(m)) for k, m in map(_pair, _list(data["margins"]))],
    )
    if (tally.refuted > 0) != (tally.smallest is not None) or (tally.holds + tally.refuted > 0) != (
        tally.evidence is not None
    ):
        raise ValueError(f"the counts of the part {name[:40]!r} contradict its outcomes")
    return name, tally


def _read_record(pair: Any) -> tuple[str, Any]:
    table, row = _pair(pair)
    try:
        if not isinstance(decode(row), dict):
            raise ValueError("a recorded row is expected")
    except (TypeError, KeyError, IndexError, OverflowError) as error:
        raise ValueError(f"a recorded row: {error}") from None
    return _text(table), row
