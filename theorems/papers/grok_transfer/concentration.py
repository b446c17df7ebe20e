"""How far an embedded point strays from its centre: the exact law against the sub-Gaussian bound."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

import numpy as np
from flint import arb, fmpq

from solvers.boolean_cube import points
from theorems import Arrays, ByBudget, Choices, Integers, Q, le, symbols
from theorems.papers.grok_transfer.paper import PAPER

ENTRIES = Integers(-6, 6)


@PAPER.bound(
    source="Lemma A.3",
    fidelity="paper",
    evidence="certified",
    domain={"k": Choices(6, 12, 24, 48, 96, 192)},
    every=True,
    part="equal entries",
    method="equal entries: binomial tails as integers against balls at all thresholds; small dimensions: the exact law of U^T x - nu(mu) over all noise signs; "
    "for all delta, eps and t: the moment generating function of a sign, coefficient by coefficient",
    rests_on=(
        "U^T x - nu(mu) = delta^T x_noise, and all statements depend on delta and t/eps alone",
        "Chernoff's bound for a sum of independent terms with E exp(lam X) <= exp(lam^2 c^2 / 2), and the union over three coordinates and two signs",
    ),
)
def embedding_concentration(k, *, exponent=1):
    r"""Let $U$ have columns $u_l = (\text{signal part}; \delta_l)$, $\nu(\mu)$ the embedded centre. For $x$ given $x_{signal} = \mu$ and all $t > 0$:
    $P(|\langle\delta_l, x_{noise}\rangle| \ge t) \le 2\exp(-t^2/(2\varepsilon^2\|\delta_l\|^2))$ for each $l$, and $P(\|U^\top x - \nu(\mu)\|_{\max} > t) \le 6\exp(-t^2/(2\varepsilon^2\|\delta\|_F^2))$.
    Hard case: $\delta_l$ has $k$ equal entries, $\langle\delta_l, x_{noise}\rangle$ a multiple of the sum of $k$ signs.
    """
    tails = counts_of_sign_sums(k)
    return le(tails, lambda: [arb(2) ** (k + 1) * (-arb(Q(t * t, 2 * k)) * exponent).exp() for t in range(1, k + 1)])


def counts_of_sign_sums(k: int) -> list[int]:
    """2^k P(|S| >= t) for t = 1, ..., k, S a sum of k independent signs."""
    found, total = [], 0
    for t in range(k, 0, -1):
        if (k + t) % 2 == 0:
            total += 2 * comb(k, (k + t) // 2)
        found.append(total)
    return found[::-1]


@embedding_concentration.check(
    "three coordinates",
    domain={
        "delta": ByBudget(
            quick=Arrays(ENTRIES, (6, 3)),
            full=Arrays(ENTRIES, (10, 3)),
        )
    },
    where=lambda delta: any(e != 0 for e in delta.entries()),
    quick=10,
    full=200,
)
def _three(delta, *, exponent=1):
    """Any delta of integers: what is exceeded with P(|.| >= v) for all values v that are taken (the bound is continuous)."""
    yield from _small([[int(e) for e in row] for row in delta.tolist()], exponent, 1)


@embedding_concentration.check(
    "one feature carries the noise",
    domain={"column": Choices((1, 1, 1, 1, 1, 1), (3, 2, 1, 1, 0, 0), (1, 0, 0, 0, 0, 0)), "l": Integers(0, 2)},
    every=True,
)
def _one_feature(column, l, *, exponent=1, share=1):
    """delta_l alone is not 0: ||delta_l|| = ||delta||_F."""
    yield from _small([[e if j == l else 0 for j in range(3)] for e in column], exponent, share)


def _small(delta: list[list[int]], exponent: Any, share: Any) -> Any:
    """Both bounds for integers delta (d rows) that are not all 0, for columns that are not 0; `share` of ||delta||_F^2 in place of ||delta_l||^2 where it is not 1."""
    noise = points(len(delta)) @ np.array(delta, dtype=np.int64)
    squares = [sum(row[l] ** 2 for row in delta) for l in range(3)]
    total = sum(squares)
    for l in range(3):
        if squares[l] != 0:
            scale = squares[l] if share == 1 else share * total
            yield "one coordinate", _tail(np.abs(noise[:, l]), 2, scale, exponent)
    yield "largest coordinate", _tail(np.abs(noise).max(axis=1), 6, total, exponent)


def _tail(sizes: Any, prefactor: int, scale: fmpq | int, exponent: Any) -> Any:
    """P(size >= v) <= prefactor exp(-v^2 / (2 scale)) at all values v > 0 that sizes take, in counts."""
    values = [int(v) for v in np.unique(sizes) if v != 0]
    counts = [int((sizes >= v).sum()) for v in values]
    return le(counts, lambda: bounds(values, prefactor * len(sizes), scale, exponent))


def bounds(values: Sequence[int], prefactor: int, scale: fmpq | int, exponent: Any) -> list[arb]:
    """prefactor exp(-exponent v^2 / (2 scale)) for each v."""
    return [prefactor * (-arb(Q(v * v) * exponent / (2 * scale))).exp() for v in values]


@embedding_concentration.proof("moment generating function", covers="all coefficients of cosh(s) <= exp(s^2/2), s real")
def _coefficients(*, exponent=1):
    """1/(2n)! <= 1/(2^n n!): equality at n = 0, and a step multiplies the left side by 1/((2n+1)(2n+2)), the right by 1/(2(n+1))."""
    n = symbols("n", nonnegative=True, integer=True)
    yield le(2 * exponent * (n + 1), (2 * n + 1) * (2 * n + 2))


embedding_concentration.mutant("exponent doubled", exponent=Q(2), breaks="equal entries")
embedding_concentration.mutant("exponent 25 % too large", exponent=Q(5, 4), breaks="equal entries")
embedding_concentration.mutant("exponent 10 % too large", exponent=Q(11, 10), breaks="moment generating function")
embedding_concentration.mutant(
    "a third of ||delta||_F^2 in place of ||delta_l||^2", share=Q(1, 3), breaks="one coordinate"
)
embedding_concentration.mutant(
    "exponent tripled for the largest coordinate", exponent=Q(3), breaks="largest coordinate"
)
