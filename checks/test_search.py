"""Hypothesis looks for counterexamples where an example is cheap: finds none for a claim, one for a gross mutant."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given
from hypothesis import settings as hypothesis_settings
from hypothesis.errors import NoSuchExample

from theorems.claim import Check, Claim, Mutant
from theorems.family import Family, Instance
from theorems.kernel.outcome import Decision
from theorems.run import evaluate as running
from theorems.run.evaluate import Answered, Settings, evaluate

CHEAP = 0.02  # seconds an example
QUIET: dict[str, Any] = {
    "deadline": None,
    "database": None,
    "derandomize": True,
    "suppress_health_check": list(HealthCheck),
}


def _refuted(
    claim: Claim, check: Check, family: Family, values: Instance, knobs: Mapping[str, Any], settings: Settings
) -> str:
    """The first exactly refuted part on an instance, or ''."""
    level = settings.claim_level / running.tests_of(claim, settings)
    for item in evaluate(claim, check, values, knobs, settings, level=level, place=(family.id, "search")):
        if isinstance(item, Answered) and item.outcome.decision is Decision.AGAINST:
            return item.part
    return ""


def _searchable(claim: Claim, settings: Settings, domain: Mapping[str, Any]) -> Iterator[tuple[Check, Family]]:
    for check in claim.checks:
        if check.role != "check":
            continue
        for family in check.families:
            changes = {n: d for n, d in domain.items() if n in family.params}
            yield check, family.with_domain(changes).at(settings.budget)


def _seconds(claim: Claim, check: Check, family: Family, settings: Settings) -> float:
    draw = next((d for d in (family.instance(settings.seed, k) for k in range(family.count())) if d), None)
    if draw is None:
        return float("inf")
    started = time.perf_counter()
    _refuted(claim, check, family, draw.values, {}, settings)
    return time.perf_counter() - started


def _search(claim: Claim, check: Check, family: Family, settings: Settings, examples: int) -> None:
    """Draw instances of a family; fails with the simplest one on which a part is refuted."""

    @hypothesis_settings(max_examples=examples, **QUIET)
    @given(family.strategy())
    def search(values: Instance) -> None:
        part = _refuted(claim, check, family, values, {}, settings)
        assert not part, f"{part} is refuted at {values}"

    search()


def test_no_counterexample_is_found(
    claim: Claim, searched: bool, settings: Settings, pytestconfig: pytest.Config
) -> None:
    """Exact claims only: a statistical one has a fixed number of tests, and a search would spend its level."""
    cheap = 0
    for check, family in _searchable(claim, settings, {}):
        if _seconds(claim, check, family, settings) <= CHEAP:
            cheap += 1
            _search(claim, check, family, settings, pytestconfig.getoption("--examples"))
    if not cheap:
        pytest.skip(f"{claim.id}: no family whose examples cost at most {CHEAP * 1000:g} ms")


def test_mutants_that_die_anywhere_are_found_by_search(gross: Claim, settings: Settings) -> None:
    """Each mutant marked `anywhere` has a counterexample that a search over the family finds."""
    cheap = 0
    for mutant in (m for m in gross.mutants if m.anywhere):
        families = [
            (check, family)
            for check, family in _searchable(gross, settings, mutant.domain)
            if mutant.domain or any(k in check.knobs for k in mutant.knobs)
        ]
        families = [(c, f) for c, f in families if _seconds(gross, c, f, settings) <= CHEAP]
        cheap += bool(families)
        assert not families or any(_found(gross, c, f, mutant, settings) for c, f in families), mutant.name
    if not cheap:
        pytest.skip(f"{gross.id}: no family whose examples cost at most {CHEAP * 1000:g} ms")


def _found(claim: Claim, check: Check, family: Family, mutant: Mutant, settings: Settings) -> bool:
    """Whether a search finds an instance on which the mutant is refuted."""
    try:
        find(
            family.strategy(),
            lambda values: bool(_refuted(claim, check, family, values, mutant.knobs, settings)),
            settings=hypothesis_settings(max_examples=200, phases=[Phase.generate], **QUIET),
        )
    except NoSuchExample:
        return False
    return True
