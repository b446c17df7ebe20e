"""`--pepit`: the table of PEPit's examples."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from flint import fmpq

from theorems.report.cli import main

pytest.importorskip("PEPit")

from theorems.report.pepit import Row, _end, _library

CONTRACTION = "tutorials.gradient_descent_contraction"


def test_a_tight_value_holds_with_both_mutants_killed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """0.81 = (1 - 1/10)^2: gradient descent contracts by max(1 - mu, 0)^2 at step 1/L."""
    file = tmp_path / "pepit.json"
    assert main(["--pepit", CONTRACTION, "--json", str(file)]) == 0
    text = capsys.readouterr().out
    (line,) = (row for row in text.splitlines() if row.startswith("gradient_descent_contraction"))
    assert line.split()[1:3] == ["tight", "0.81"]
    assert line.split()[7:9] == ["holds", "2/2"]
    assert "1 tight: 1 holds" in text
    assert "relative width at most 1e-06 on 1 of 1 tight ones" in text
    data = json.loads(file.read_text())
    (example,) = data["examples"]
    assert example["example"] == CONTRACTION
    assert Fraction(example["certified"]["from"]) <= Fraction(81, 100) <= Fraction(example["certified"]["to"])
    assert data["run"]["exit_status"] == 0


def test_examples_are_found_by_their_bare_name_and_no_value_is_no_claim(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--pepit", "wc_krasnoselskii_mann_increasing_step_sizes"]) == 0
    text = capsys.readouterr().out
    assert "no value" in text
    assert "1 without value: 1 enclosed" in text


def test_what_is_not_certified_is_inconclusive_with_reason_and_suggestion(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its root rounded this example has no exact multipliers."""
    claims, _ = _library()
    monkeypatch.setattr(claims, "PROOFS", {})
    assert main(["--pepit", "*.robust_momentum"]) == 3
    text = capsys.readouterr().out
    assert "inconclusive" in text
    assert "no certified upper end" in text
    assert "try rational parameters" in text


@pytest.mark.parametrize(
    ("name", "value"),
    [("robust_momentum", (0.98 - 0.08 * 10**0.5) ** 2), ("accelerated_gradient_method", 0.0)],
)
def test_examples_with_a_square_root_are_enclosed_as_they_are(
    name: str, value: float, capsys: pytest.CaptureFixture[str]
) -> None:
    """rho^2 with rho = 49/50 - 4 sqrt(10)/50 (Cyrus, Hu, Van Scoy, Lessard, 2018), and a potential that never grows."""
    assert main(["--pepit", f"*.{name}"]) == 0
    (line,) = (row for row in capsys.readouterr().out.splitlines() if row.startswith(name))
    low, high = map(float, line.split()[3:5])
    assert line.split()[7:9] == ["holds", "2/2"]
    assert low - 1e-9 <= value <= high + 1e-9
    assert high - low <= 2e-9


def test_an_unknown_example_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--pepit", "wc_gradint_descent"]) == 2
    assert "did you mean 'wc_gradient_descent'?" in capsys.readouterr().err


def test_without_pepit_the_installation_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "PEPit", None)
    assert main(["--pepit"]) == 2
    assert "pip install PEPit" in capsys.readouterr().err


def test_ends_are_rounded_outwards() -> None:
    assert _end(fmpq(2, 3), up=False) == "0.666666666"
    assert _end(fmpq(2, 3), up=True) == "0.666666667"
    assert _end(fmpq(-2, 3), up=False) == "-0.666666667"


@pytest.mark.parametrize(("value", "side"), [(0.2, "below"), (0.26, "within"), (0.3, "safe"), (None, "-")])
def test_the_side_of_a_number_is_read_off_the_certified_ends(value: float | None, side: str) -> None:
    assert Row("a.b", "tight", "", pepit=value, low=fmpq(1, 4), high=fmpq(27, 100)).side == side
