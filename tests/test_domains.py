"""Domains: one declaration, a seeded sampler, a Hypothesis strategy, and simpler values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from flint import fmpq, fmpq_mat
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from theorems.domains import (
    Arrays,
    Booleans,
    Choices,
    DomainError,
    Dyadics,
    Given,
    Integers,
    Rationals,
    Reals,
)
from theorems.seeds import Words, key

DOMAINS: dict[str, Any] = {
    "integers": Integers(-7, 12),
    "huge integers": Integers(-(10**40), 10**40),
    "one integer": Integers(3, 3),
    "rationals": Rationals(-1, 5),
    "open rationals": Rationals(0, 1, open="both"),
    "narrow rationals": Rationals(Fraction(1, 7), Fraction(1, 7) + Fraction(1, 10**9), denominator=5),
    "dyadics": Dyadics(0, 1, bits=12),
    "reals": Reals(-2, Fraction(5, 3)),
    "log reals": Reals(Fraction(1, 1000), 1000, log=True),
    "choices": Choices("a", "b", "c"),
    "booleans": Booleans(),
    "vectors": Arrays(Integers(-3, 3), (4,)),
    "matrices": Arrays(Rationals(-1, 1), (2, 3)),
    "integer matrices": Arrays(Integers(-3, 3), (3, 2)),
}


@pytest.mark.parametrize("name", DOMAINS)
def test_samples_and_corners_belong_to_the_domain(name: str) -> None:
    domain = DOMAINS[name]
    for k in range(200):
        assert domain.contains(domain.sample(Words(1, name, k)))
    corners = domain.corners()
    assert corners
    assert all(domain.contains(c) for c in corners)


@pytest.mark.parametrize("name", DOMAINS)
def test_the_same_words_give_the_same_value(name: str) -> None:
    domain = DOMAINS[name]
    assert str(domain.sample(Words(5, "k"))) == str(domain.sample(Words(5, "k")))


@pytest.mark.parametrize("name", DOMAINS)
def test_the_strategy_draws_from_the_domain(name: str) -> None:
    domain = DOMAINS[name]

    @settings(max_examples=40, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(domain.strategy())
    def drawn(value: Any) -> None:
        assert domain.contains(value)

    drawn()


@pytest.mark.parametrize("name", DOMAINS)
def test_simplifying_ends_inside_the_domain(name: str) -> None:
    domain = DOMAINS[name]
    value = domain.sample(Words(3, name))
    for _ in range(500):
        simpler = next(iter(domain.simpler(value)), None)
        if simpler is None:
            return
        assert domain.contains(simpler)
        value = simpler
    pytest.fail("simplifying never ends")


@pytest.mark.parametrize("name", ["integers", "dyadics", "choices", "booleans", "vectors"])
def test_finite_domains_enumerate_each_value_once(name: str) -> None:
    domain = DOMAINS[name] if name != "vectors" else Arrays(Integers(-1, 1), (3,))
    values = list(domain.values())
    assert len(values) == domain.size() == len({str(v) for v in values})


@pytest.mark.parametrize(
    "build",
    [
        lambda: Integers(3, 2),
        lambda: Integers(0.5, 2),
        lambda: Integers(False, 2),
        lambda: Rationals(0.1, 1),
        lambda: Rationals(2, 1),
        lambda: Rationals(1, 1, open="both"),
        lambda: Rationals(0, 1, open="inner"),
        lambda: Reals(0, 1, log=True),
        lambda: Choices(),
        lambda: Dyadics(Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**9), bits=4),
        lambda: Arrays(Integers(0, 1), (0, 2)),
        lambda: Arrays(Integers(0, 1), (1, 2, 3)),
    ],
)
def test_empty_and_inexact_domains_are_refused(build: Any) -> None:
    with pytest.raises(DomainError):
        build()


def test_rationals_meet_ties_and_generic_values() -> None:
    drawn = [Rationals(-1, 5).sample(Words(9, k)) for k in range(400)]
    small = sum(int(x.q) <= 12 for x in drawn)
    assert 150 < small < 320
    assert max(int(x.q) for x in drawn) > 900


def test_log_reals_spread_over_the_orders_of_magnitude() -> None:
    drawn = [DOMAINS["log reals"].sample(Words(2, k)) for k in range(600)]
    below = sum(x < 1 for x in drawn)
    assert 240 < below < 360


def test_matrices_are_flint_matrices() -> None:
    assert isinstance(Arrays(Rationals(0, 1), (2, 2)).sample(Words(0)), fmpq_mat)
    unit = Arrays(Integers(-1, 1), (2, 3)).corners()[-1]
    assert unit.tolist() == [[1, 0, 0], [0, 1, 0]]


def test_dependent_domains_see_earlier_parameters() -> None:
    d = Given(lambda n, m: Integers(n, n + m))
    assert d.needs == ("n", "m")
    assert d.resolve({"n": 3, "m": 4, "x": 0}) == Integers(3, 7)


@given(st.integers(1, 10**30))
@settings(max_examples=50, database=None, derandomize=True)
def test_below_is_in_range(n: int) -> None:
    w = Words(0, n)
    assert all(0 <= w.below(n) < n for _ in range(10))


def test_below_is_uniform() -> None:
    from scipy.stats import chisquare

    w = Words(11, "uniform")
    counts = [0] * 7
    for _ in range(7000):
        counts[w.below(7)] += 1
    assert chisquare(counts).pvalue > 1e-4


def test_keys_depend_on_kinds_and_lengths_of_labels() -> None:
    keys = {key(0, "a", "b"), key(0, "ab"), key(0, "a", "b", ""), key(0, 1), key(0, "1"), key(1, "a", "b"), key(0)}
    assert len(keys) == 7


def test_the_first_words_are_fixed_for_ever() -> None:
    import hashlib

    from numpy.random import Philox

    labels = b"".join(len(t).to_bytes(8, "big") + t for t in (b"i7", b"sname", b"i3"))
    seed = int.from_bytes(hashlib.sha256(labels).digest()[:16], "big")
    assert Words(7, "name", 3).word() == int(Philox(key=seed).random_raw())


def test_shrinking_reaches_small_fractions() -> None:
    x = fmpq(497, 500)
    d = Rationals(-1, 5)
    while (y := next(iter(d.simpler(x)), None)) is not None:
        x = y
    assert x == 0
