"""Exact Bayes play on the mirrored pair, and first passage of confidence tests, against closed forms and enumeration."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from flint import arb, fmpq

from solvers.bandits import (
    central_term,
    confidence_boundary,
    even_majority_error,
    inverse_squares,
    least_wrong_pulls,
    majority_error,
    majority_errors,
    majority_errors_sum,
    polynomial_programme,
    survival,
)

DELTAS = [fmpq(1, 10), fmpq(1, 4), fmpq(2, 5), fmpq(49, 100)]


def value_of_policy(policy, p, horizon):
    """Expected wrong pulls of a deterministic policy, averaged over the pair, by enumerating all outcome sequences."""
    q = 1 - p
    total = fmpq(0)
    for better in (0, 1):
        for outcomes in product((0, 1), repeat=horizon):
            weight, history, wrong = fmpq(1, 2), (), 0
            for x in outcomes:
                arm = policy(history)
                mean = p if arm == better else q
                weight *= mean if x else 1 - mean
                wrong += arm != better
                history += ((arm, x),)
            total += weight * wrong
    return total


def majority(history):
    votes = sum(1 if (arm == 0) == bool(x) else -1 for arm, x in history)
    return 0 if votes >= 0 else 1


@pytest.mark.parametrize("Delta", DELTAS)
@pytest.mark.parametrize("T", [0, 1, 2, 5])
def test_least_number_of_wrong_pulls_is_that_of_majority_play(Delta, T):
    p = fmpq(1, 2) + Delta
    assert least_wrong_pulls(p, T) == value_of_policy(majority, p, T)


def test_every_other_policy_is_at_least_as_bad():
    p = fmpq(7, 10)
    for policy in (lambda h: 0, lambda h: len(h) % 2, lambda h: h[-1][0] if h and h[-1][1] else 1):
        assert value_of_policy(policy, p, 4) >= least_wrong_pulls(p, 4)


@pytest.mark.parametrize("T", [1, 2, 3, 7, 10])
def test_polynomial_programme_has_the_value_of_the_exact_one(T):
    programme = polynomial_programme(T)
    assert programme.after_arm1 == programme.after_arm2
    for Delta in DELTAS:
        p, q = fmpq(1, 2) + Delta, fmpq(1, 2) - Delta
        value = sum((int(c) * p ** int(i) * q ** int(j) for (i, j), c in programme.value.to_dict().items()), fmpq(0))
        assert value / 2 == least_wrong_pulls(p, T)


@pytest.mark.parametrize("t", range(12))
def test_majority_error_is_a_binomial_tail_with_half_the_tie(t):
    from scipy.stats import binom

    tail = binom.cdf((t - 1) // 2, t, 0.7) if t else 0.0
    tie = binom.pmf(t // 2, t, 0.7) if t % 2 == 0 else 0.0
    assert float(arb(majority_error(t, fmpq(7, 10))).mid()) == pytest.approx(tail + tie / 2, abs=1e-14)


@pytest.mark.parametrize("Delta", DELTAS)
def test_recursion_and_incomplete_beta_enclose_the_exact_errors(Delta):
    p = fmpq(1, 2) + Delta
    for t, e in enumerate(majority_errors(41, Delta)):
        exact = majority_error(t, p)
        assert e.contains(exact)
        assert e.rad() < arb(10) ** -12
        if t % 2 == 0:
            assert even_majority_error(t // 2, Delta).contains(exact)


@pytest.mark.parametrize("Delta", DELTAS)
@pytest.mark.parametrize("T", [0, 1, 2, 9, 10, 64])
def test_closed_form_of_the_sum_encloses_the_sum(Delta, T):
    exact = sum((majority_error(t, fmpq(1, 2) + Delta) for t in range(T)), fmpq(0))
    assert majority_errors_sum(T, Delta).contains(exact)


@pytest.mark.parametrize("m", [0, 1, 5, 63, 64, 200])
def test_central_term_encloses_the_binomial_term(m):
    x = fmpq(1, 4) - fmpq(1, 100)
    assert central_term(m, fmpq(1, 10)).contains(comb(2 * m, m) * x**m)


def exact_survival(p, forced, boundary):
    """The same dynamic programme in Fractions, on a dictionary."""
    law, out = {0: Fraction(1)}, []
    for k in range(1, forced + len(boundary) + 1):
        new = {}
        for s, w in law.items():
            new[s] = new.get(s, 0) + w * (1 - p)
            new[s + 1] = new.get(s + 1, 0) + w * p
        law = new
        if k > forced:
            law = {s: w for s, w in law.items() if s >= boundary[k - forced - 1]}
            out.append(sum(law.values()))
    return out


@pytest.mark.parametrize("p", [Fraction(1, 3), Fraction(9999, 20000), Fraction(1), Fraction(0)])
def test_survival_bounds_enclose_the_exact_law_tightly(p):
    boundary = confidence_boundary(3, 60, fmpq(-2, 5), fmpq(1))
    kept = survival(fmpq(p.numerator, p.denominator), 3, boundary)
    for k, exact in enumerate(exact_survival(p, 3, boundary), start=4):
        ball = kept.enclosure(k)
        assert ball.contains(fmpq(exact.numerator, exact.denominator))
        assert ball.rad() < arb(10) ** -8


def test_survival_above_zero_is_the_ballot_number():
    """Staying at or above 0 for 2n steps of a fair walk has probability C(2n, n)/4^n (Feller, III.3)."""
    n = 20
    boundary = [-(-k // 2) for k in range(1, 2 * n + 1)]
    assert survival(fmpq(1, 2), 0, boundary).enclosure(2 * n).contains(fmpq(comb(2 * n, n), 4**n))


def test_boundary_is_the_least_count_that_passes():
    for upper in (False, True):
        for k, j in enumerate(confidence_boundary(1, 80, fmpq(1, 5), fmpq(4), upper=upper), start=2):
            bonus = np.sqrt(4 * np.log(k) / k) * (1 if upper else -1)
            assert (2 * j - k) / k + bonus >= 0.2 - 1e-12
            assert (2 * (j - 1) - k) / k + bonus < 0.2


def test_boundary_without_bonus_keeps_ties():
    assert confidence_boundary(0, 4, fmpq(0), fmpq(0)) == (1, 1, 2, 2)


def test_survival_refuses_what_is_no_probability():
    with pytest.raises(ValueError, match=r"a probability in \[0, 1\]"):
        survival(fmpq(3, 2), 0, [0])


@pytest.mark.parametrize(("first", "last"), [(1, 1), (2, 30), (5, 4)])
def test_inverse_squares_are_summed_exactly(first, last):
    assert inverse_squares(first, last) == sum((fmpq(1, k * k) for k in range(first, last + 1)), fmpq(0))
