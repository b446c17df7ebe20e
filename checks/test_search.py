"""Hypothesis looks for counterexamples where an example is cheap: finds none for a claim, one for a gross mutant."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, find, given
from hypothesis import settings as hypothesis_settings
from hypothesis.errors import NoSuchExample

from theorems import registry
from theorems.claim import Check, Claim
from theorems.family import Family, Instance
from theorems.kernel.outcome import Decision, Evidence
from theorems.run.evaluate import Answered, Settings, evaluate, tests_of
from theorems.run.results import ClaimResult

CHEAP = 0.02  # seconds an example


def _refuted(
    claim: Claim, check: Check, family: Family, values: Instance, knobs: Mapping[str, Any], settings: Settings
) -> str:
    """The first exactly refuted part on an instance, or ''."""
    level = settings.claim_level / tests_of(claim, settings)
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


def test_no_counterexample_is_found(
    claim: Claim, result: ClaimResult, settings: Settings, pytestconfig: pytest.Config
) -> None:
    if result.evidence is None or result.evidence < Evidence.NUMERIC:
        pytest.skip("statistical claims have a fixed number of tests; a search would spend their level")
    searched = 0
    for check, family in _searchable(claim, settings, {}):
        if _seconds(claim, check, family, settings) > CHEAP:
            continue
        searched += 1

        @hypothesis_settings(
            max_examples=pytestconfig.getoption("--examples"), deadline=None, database=None, derandomize=True,
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(family.strategy())
        def search(values: Instance, check: Check = check, family: Family = family) -> None:
            part = _refuted(claim, check, family, values, {}, settings)
            assert not part, f"{part} is refuted at {values}"

        search()
    if not searched:
        pytest.skip("no family with cheap examples: proofs only, or more than 20 ms an example")


ANYWHERE = [
    (c, i) for p in registry.load_library() for c in p.claims.values() for i, m in enumerate(c.mutants) if m.anywhere
]


@pytest.mark.parametrize(("which", "index"), ANYWHERE, ids=[f"{c.id}-{c.mutants[i].name}" for c, i in ANYWHERE])
def test_a_mutant_that_dies_anywhere_is_found_by_search(which: Claim, index: int, settings: Settings) -> None:
    mutant = which.mutants[index]
    for check, family in _searchable(which, settings, mutant.domain):
        if not any(k in check.knobs for k in mutant.knobs) and not mutant.domain:
            continue
        try:
            values = find(
                family.strategy(),
                lambda v, check=check, family=family: bool(_refuted(which, check, family, v, mutant.knobs, settings)),
                settings=hypothesis_settings(max_examples=200, deadline=None, database=None, derandomize=True,
                                             suppress_health_check=list(HealthCheck)),
            )  # fmt: skip
        except NoSuchExample:
            continue
        assert _refuted(which, check, family, values, mutant.knobs, settings)
        return
    pytest.fail(f"no counterexample to the mutant {mutant.name!r} was found")
