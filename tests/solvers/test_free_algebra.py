"""Polynomials in non-commuting letters against products of integer matrices."""

from __future__ import annotations

import random

import pytest
from flint import fmpz_mat

from solvers.free_algebra import Polynomial, derivative, letters, polynomial, rewritten, transposed

A, B = letters("A B")


def random_matrix(rng: random.Random, n: int = 3) -> fmpz_mat:
    return fmpz_mat(n, n, [rng.randint(-5, 5) for _ in range(n * n)])


def value(p: Polynomial, at: dict[str, fmpz_mat]) -> fmpz_mat:
    n = next(iter(at.values())).nrows()
    total = fmpz_mat(n, n)
    for w, c in p.terms.items():
        product = fmpz_mat([[int(i == j) for j in range(n)] for i in range(n)])
        for x in w:
            product = product * at[x]
        total = total + product * c
    return total


def test_letters_do_not_commute() -> None:
    assert (A * B - B * A).coefficients() == [1, -1]
    assert Polynomial({}) == (A + B) * (A - B) - (A * A - A * B + B * A - B * B)


def test_scalars_act_from_both_sides() -> None:
    assert polynomial(1) == 2 * A + 1 - A * 2
    assert (1 - A).terms == {(): 1, ("A",): -1}
    assert (A - A).coefficients() == [0]


@pytest.mark.parametrize("seed", range(5))
def test_products_agree_with_matrices(seed: int) -> None:
    rng = random.Random(seed)
    at = {"A": random_matrix(rng), "B": random_matrix(rng)}
    p, q = A * B * 2 + B * 3 - 1, B * A - A * A * 5
    assert value(p * q, at) == value(p, at) * value(q, at)
    assert value(p + q, at) == value(p, at) + value(q, at)


def test_transposition_reverses_words() -> None:
    rng = random.Random(1)
    M = random_matrix(rng)
    at = {"A": M, "At": M.transpose(), "B": (N := random_matrix(rng)) + N.transpose()}
    p = A * B * 2 + B * letters("At")[0] * A
    assert value(transposed(p, {"A": "At"}), at) == value(p, at).transpose()


def test_derivative_obeys_the_product_rule() -> None:
    """Oracle: the coefficient of h in p(A + h D) for integer matrices, by exact differences of a quadratic."""
    rng = random.Random(2)
    M, D, N = (random_matrix(rng) for _ in range(3))
    p = A * B * A + A * 4
    (d,) = letters("D")
    plus, minus = value(p, {"A": M + D, "B": N}), value(p, {"A": M - D, "B": N})
    assert value(derivative(p, {"A": d}), {"A": M, "B": N, "D": D}) * 2 == plus - minus


def test_rewriting_reaches_a_normal_form() -> None:
    rules = {("B", "A"): A * B + 1}  # [B, A] = 1
    assert rewritten(B * B * A, rules) == A * B * B + B * 2


def test_rules_that_do_not_end_are_refused() -> None:
    with pytest.raises(ValueError, match="go on for ever"):
        rewritten(A * B, {("A", "B"): B * A, ("B", "A"): A * B})
