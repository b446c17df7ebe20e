"""Options and shared results of the suite over every claim: one serial run of each claim serves all its tests."""

from __future__ import annotations

import functools

import pytest

from theorems import registry
from theorems.claim import Claim
from theorems.kernel.outcome import Evidence
from theorems.run.evaluate import Settings
from theorems.run.results import ClaimResult
from theorems.run.runner import run_claims


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("theorems")
    group.addoption("--budget", choices=("quick", "full"), default="quick", help="size of the checks (default: quick)")
    group.addoption("--seed", type=int, default=0, help="root seed of all instances and draws (default: 0)")
    group.addoption("--examples", type=int, default=60, help="Hypothesis examples per cheap claim (default: 60)")


@pytest.fixture(scope="session")
def settings(pytestconfig: pytest.Config) -> Settings:
    return Settings(seed=pytestconfig.getoption("--seed"), budget=pytestconfig.getoption("--budget"))


@functools.cache
def _result(claim_id: str, settings: Settings) -> ClaimResult:
    claim = registry.find(claim_id)
    run = run_claims([(claim.paper.key, claim)], settings, executor="serial")
    return run.claims[0]


@pytest.fixture
def result(claim: Claim, settings: Settings) -> ClaimResult:
    """The verdict on a claim, computed once a session."""
    return _result(claim.id, settings)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Under xdist all tests of a claim share a worker (and its one run): `-n 2 --dist loadgroup`."""
    for item in items:
        claim = getattr(item, "callspec", None) and (
            item.callspec.params.get("claim") or item.callspec.params.get("gross")
        )  # type: ignore[attr-defined]
        if claim is not None:
            item.add_marker(pytest.mark.xdist_group(claim.id))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    papers = registry.load_library()
    claims = [c for p in papers for c in p.claims.values()]
    if "mutant" in metafunc.fixturenames:
        pairs = [(c, i) for c in claims for i in range(len(c.mutants))]
        metafunc.parametrize(("claim", "mutant"), pairs, ids=[f"{c.id}-{c.mutants[i].name}" for c, i in pairs])
    elif "searched" in metafunc.fixturenames:
        exact = [c for c in claims if c.evidence >= Evidence.NUMERIC and any(k.role == "check" for k in c.checks)]
        metafunc.parametrize(("claim", "searched"), [(c, True) for c in exact], ids=[c.id for c in exact])
    elif "gross" in metafunc.fixturenames:
        marked = [c for c in claims if any(m.anywhere for m in c.mutants)]
        metafunc.parametrize("gross", marked, ids=[c.id for c in marked])
    elif "claim" in metafunc.fixturenames:
        metafunc.parametrize("claim", claims, ids=[c.id for c in claims])
