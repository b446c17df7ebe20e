"""Numbers, rows and totals as they are printed."""

from __future__ import annotations

from fractions import Fraction

import pytest

from theorems.kernel.outcome import Decision, Evidence
from theorems.report import summary, table
from theorems.report.selection import choose
from theorems.report.terminal import Look, wrapped
from theorems.run.results import ClaimResult, MutantResult, Run, Shown, Tally, Verdict


@pytest.mark.parametrize(
    ("value", "up", "text"),
    [
        (None, False, "-"),
        (0.0, True, "0"),
        (0.12345, False, "0.123"),
        (0.12345, True, "0.124"),
        (-0.12345, False, "-0.124"),
        (1.0, False, "1"),
        (1234.5, False, "1.23e3"),
        (1.01e-30, True, "1.1e-30"),
        (1.99e-5, False, "1.9e-5"),
        (float("inf"), False, "inf"),
    ],
)
def test_a_number_is_never_rounded_to_the_better_side(value: float | None, up: bool, text: str) -> None:
    assert table.short(value, up=up) == text


@pytest.mark.parametrize("value", [3.3e-4, 0.777777, 12.3456, 987654.0, 1e-300])
def test_the_printed_resolution_is_at_least_the_resolution_and_the_printed_margin_at_most_the_margin(
    value: float,
) -> None:
    assert Fraction(table.short(value, up=True)) >= Fraction(value)
    assert Fraction(table.short(value)) <= Fraction(value)


def result(name: str, verdict: Verdict = Verdict.HOLDS, **changes: object) -> ClaimResult:
    """A result of a claim of good.py."""
    usual: dict[str, object] = {
        "id": f"goodclaims/{name}",
        "kind": "bound",
        "verdict": verdict,
        "reason": "",
        "evidence": Evidence.CERTIFIED,
        "aimed": Evidence.CERTIFIED,
        "fidelity": "derived",
        "instances": 40,
        "rejected": 0,
        "undecided": 0,
        "margin": 0.5,
        "resolution": 0.25,
        "parts": [],
        "mutants": [MutantResult("m", Verdict.REFUTED, True, "")],
        "counterexample": None,
    }
    return ClaimResult(**{**usual, **changes})  # type: ignore[arg-type]


@pytest.fixture
def report_of(files, monkeypatch):  # type: ignore[no-untyped-def]
    """A report of hand-made results."""
    monkeypatch.chdir(files)
    chosen = choose(["good.py"])

    def make(*claims: ClaimResult, **changes: object) -> summary.Report:
        usual: dict[str, object] = {
            "seed": 5,
            "budget": "quick",
            "instances": None,
            "alpha": 0.01,
            "versions": {},
            "seconds": 1.0,
        }
        return summary.Report(Run(**{**usual, "claims": list(claims), **changes}), chosen)  # type: ignore[arg-type]

    return make


def statistical(part: str, evidence: Evidence) -> Tally:
    return Tally(part, "check", "main", holds=1, evidence=evidence, level=1e-5)


def test_alpha_is_the_fixed_level_times_the_number_of_statistical_claims(report_of) -> None:  # type: ignore[no-untyped-def]
    report = report_of(
        result("bernoulli", parts=[statistical("a", Evidence.STATISTICAL), statistical("b", Evidence.STATISTICAL)]),
        result("squares", parts=[statistical("a", Evidence.EMPIRICAL)], evidence=Evidence.EMPIRICAL),
        result("halves"),
    )
    assert summary.alpha_used(report.run) == pytest.approx(0.01 / 128, rel=1e-15)
    line = summary.totals(report.run)
    assert "alpha used 7.8e-05 (1 statistical claim) + 1 empirical without a level" in line
    assert "3 claims: 3 hold; mutants 3/3 killed" in line
    assert "seed 5, quick; 1.0 s, 1 job" in line


def test_rejected_and_undecided_instances_are_shown_beside_what_they_qualify(report_of) -> None:  # type: ignore[no-untyped-def]
    text = table.render(report_of(result("bernoulli", rejected=25, undecided=2)), Look())
    assert "holds (2 undecided)" in text
    assert " 40/65 " in text


def test_a_terminal_of_100_columns_is_filled_and_never_exceeded(report_of) -> None:  # type: ignore[no-untyped-def]
    report = report_of(
        result("bernoulli", Verdict.INCONCLUSIVE, reason="r", evidence=None), result("squares", Verdict.ERROR)
    )
    for width in (80, 100, 200):
        lines = table.render(report, Look(pretty=True, width=width)).splitlines()
        assert all(len(line) <= width for line in lines)
        assert any("? inconclusive" in line for line in lines)
        assert any("! error" in line for line in lines)


def test_a_refutation_prints_the_statement_both_sides_and_a_command(report_of) -> None:  # type: ignore[no-untyped-def]
    shown = Shown(
        7,
        "bernoulli",
        {"x": "-4", "n": "3"},
        "-11",
        "-27",
        Decision.AGAINST,
        Evidence.CERTIFIED,
        -1.0,
        None,
        "",
        shrunk=True,
    )
    report = report_of(
        result("bernoulli", Verdict.REFUTED, counterexample=shown, counterexample_part="main"), instances=9
    )
    text = "\n".join(line for line, _ in summary.closing(report))
    assert "goodclaims/bernoulli is refuted in part 'main' (certified)" in text
    assert "(1 + x)ⁿ ≥ 1 + nx for x ≥ −1." in text
    assert "instance 7 of bernoulli, simplified: x = -4, n = 3" in text
    assert "left:  -11" in text
    assert "right: -27" in text
    assert (
        "$ python -m theorems.report good.py --reproduce goodclaims/bernoulli --instance 7 "
        "--seed 5 --budget quick --instances 9"
    ) in text


def test_survivors_are_listed_with_the_reason_and_interruptions_with_a_count(report_of) -> None:  # type: ignore[no-untyped-def]
    alive = [
        MutantResult("first", Verdict.HOLDS, False, "survived 4"),
        MutantResult("second", Verdict.HOLDS, False, "survived 5"),
    ]
    claim = result("bernoulli", Verdict.INCONCLUSIVE, reason="mutant 'first' was not killed: survived 4", mutants=alive)
    report = report_of(claim, interrupted=True, unfinished=["goodclaims/squares"])
    text = "\n".join(line for line, _ in summary.closing(report))
    assert "inconclusive: mutant 'first' was not killed: survived 4" in text
    assert "mutant 'second' survives: survived 5" in text
    assert "interrupted: 1 of 3 claims were not finished" in text


def test_reasons_lose_addresses_and_folders() -> None:
    text = "ImportError: f <function g at 0x7f00ab> (/home/me/lib/mod.py)\n next"
    assert summary.tidy(text) == "ImportError: f <function g> (mod.py) next"


def test_folded_lines_keep_their_indentation_and_commands_stay_whole() -> None:
    assert wrapped("    " + "word " * 30, 40)[1].startswith("        word")
    assert wrapped("    $ " + "x" * 90, 40) == ["    $ " + "x" * 90]
