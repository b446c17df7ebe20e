"""Hostile parameters are refused from what is declared, before the check starts."""

from __future__ import annotations

import time

import pytest

from tests.claim_files import Write, only, run
from theorems.run.results import Verdict

CALLED = """
@PAPER.bound({options})
def f(n):
    "never called"
    raise RuntimeError("the check was started")
"""


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("domain=dict(n=Integers(1, 10**9))", "n may be 10^9, more than 10^8"),
        ("domain=dict(n=10**9)", "n may be 10^9"),
        ("domain=dict(n=Choices(3, 2 * 10**9))", "n may be 2.0e9"),
        ("domain=dict(n=Integers(0, 10**10_000))", "about 10000 digits, more than 4932"),
        ("domain=dict(n=Rationals(0, 1, 10**10_000))", "about 10000 digits"),
        ("domain=dict(n=Q(1, 10**10_000))", "about 10000 digits"),
        ("domain=dict(n=Reals(0, 1, digits=10_000))", "10000 digits"),
        ("domain=dict(n=Dyadics(0, 1, bits=40_000))", "40000 bits"),
        ("domain=dict(n=Arrays(Integers(0, 1), (10**5, 10**5)))", "100000 x 100000 entries"),
        ("domain=dict(n=Arrays(Rationals(0, 1, 10**10_000), (2,)))", "about 10000 digits"),
        ("domain=dict(m=3, n=Given(lambda m: Integers(10**9, 10**9)))", "n may be 10^9"),
        ("domain=dict(n=Integers(-10**12, 10**12), m=Integers(0, 9)), exhaustive=True", "points, more than 10^10"),
        ("domain=dict(n=Integers(10**5, 10**6)), cost=lambda n: n**3", "cost: about"),
        ("domain=dict(m=Integers(1, 2000), n=Given(lambda m: Integers(1, m))), every=True", "its grid has more than"),
    ],
)
def test_what_nobody_can_afford_is_inconclusive_with_the_reason(options: str, reason: str, write: Write) -> None:
    started = time.monotonic()
    result = only(write(CALLED.format(options=options)))
    assert result.verdict is Verdict.INCONCLUSIVE, result.traceback
    assert reason in result.reason
    assert result.instances == 0
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    "options",
    [
        "domain=dict(n=Integers(1, 10**9)), cost=lambda n: 1",
        "domain=dict(n=Integers(0, 10**40))",
        "domain=dict(n=Arrays(Integers(0, 10**9), (2,)))",
        "domain=dict(n=Rationals(0, 1, 10**9))",
    ],
)
def test_large_numbers_that_are_no_sizes_are_checked(options: str, write: Write) -> None:
    body = f'@PAPER.identity(quick=8, {options})\ndef f(n):\n    "n = n"\n    return n, n\n'
    assert only(write(body)).verdict is Verdict.HOLDS


def test_a_mutant_with_a_hostile_domain_survives_with_the_reason_and_the_others_go_on(write: Write) -> None:
    done = run(
        write("""
        @PAPER.bound(quick=8, domain=dict(n=Integers(0, 9)))
        def f(n, *, k=0):
            "n <= 9"
            return n + k, 9
        f.mutant("hostile", domain=dict(n=Integers(0, 10**9)))
        f.mutant("shifted", k=1)
        @PAPER.bound(domain=dict(n=10**9))
        def g(n):
            "hostile itself"
            return n, n
        """)
    )
    first, second = done.claims
    assert [m.killed for m in first.mutants] == [False, True]
    assert "n may be 10^9" in first.mutants[0].reason
    assert second.verdict is Verdict.INCONCLUSIVE


def test_a_cost_names_parameters_of_its_family(write: Write) -> None:
    from tests.claim_files import load
    from theorems.claim import ClaimError

    with pytest.raises(ClaimError, match="its cost names m, no parameter"):
        load(write('@PAPER.bound(domain=dict(n=3), cost=lambda m: m)\ndef f(n):\n    "s"\n    return n, n\n'))
