"""Every learner that sees noisy expectations: exponentially many queries without the chain, a square number with it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from solvers.boolean_cube import Integers as Array
from solvers.boolean_cube import mask, points, subsets, walsh_integers
from theorems import ByBudget, Choices, Given, Integers, Q, eq, le, word
from theorems.papers.cot_parity.dependence import token_masks
from theorems.papers.cot_parity.paper import PAPER
from theorems.seeds import Words

HALF, QUARTER, EIGHTH = Q(1, 2), Q(1, 4), Q(1, 8)
FUNCTIONS = ("quadruple", "random signs", "majority", *(f"sign of {m} parities" for m in (2, 3, 5, 9, 20, 39)))


def bounded_function(kind: str, n: int, k: int) -> Array:
    """A function b with values in [-1, 1] (0 where a sum vanishes), at all 2^n points."""
    words = Words(0, "query", kind, n, k)
    x = points(n)
    if kind == "random signs":
        return np.array([1 - 2 * words.below(2) for _ in range(2**n)])
    if kind == "majority":
        signs: Array = np.sign(x.sum(axis=1))
        return signs
    if kind == "quadruple":  # four parities of size k, the last the product of the others
        chi = [x[:, list(S)].prod(axis=1) for S in quadruple(k)]
        halves: Array = (chi[0] + chi[1] + chi[2] - chi[3]) // 2
        return halves
    count = int(kind.split()[2])
    level = list(combinations(range(n), k))
    total = sum((x[:, list(level[words.below(len(level))])].prod(axis=1) for _ in range(count)), np.zeros(2**n, int))
    chosen: Array = np.sign(total)
    return chosen


def quadruple(k: int) -> list[tuple[int, ...]]:
    """A, B, C and A xor B xor C of size k: {1,2}, {2,3}, {3,4}, {1,4} with k - 2 common elements."""
    common = tuple(range(4, 2 + k))
    return [(*pair, *common) for pair in ((0, 1), (1, 2), (2, 3), (0, 3))]


@PAPER.bound(
    source="abstract: polynomial sample complexity with chain of thought, exponential without; for every learner driven by noisy expectations",
    fidelity="derived",
    evidence="certified",
    domain={
        "n": ByBudget(quick=Choices(6, 8), full=Choices(6, 8, 10)),
        "k": Given(lambda n: Choices(*sorted({2, 3, n // 2, n - 2}))),
        "tau": Choices(HALF, QUARTER, EIGHTH),
        "b": Choices(*FUNCTIONS),
    },
    every=True,
    part="candidates lost",
    method="Walsh-Hadamard transforms in integers, coefficients compared with tau exactly; the learner with the chain on all secrets",
    rests_on=(
        "Bessel's inequality; an oracle that answers E[a] whenever it may loses at most 1/tau^2 candidates a query, so q queries leave "
        "more than one secret unless q >= (binom(n, k) - 1) tau^2",
    ),
    not_established="learners that look at single samples otherwise than by expectations",
)
def statistical_query_separation(n, k, tau, b, *, factor=1, power=2) -> Iterator[Any]:
    r"""A query is a function $h(x, y) = a(x) + y\, b(x)$, $|b| \le 1$, answered within tolerance $\tau$. Without the chain ($y = \chi_S(x)$), for every $b$,
    $$\#\{S : |S| = k, |E[b \chi_S]| \ge \tau\} \le E[b^2]/\tau^2,$$
    so identifying $S$ takes $q \ge (\binom nk - 1) \tau^2$ (adaptive) queries; the bound is attained at $\tau = 1/2$. With the chain, asking at step $i$ for
    $E[c_i u_l u_j]$ of all pairs with any $\tau < 1/2$ finds the parents, hence $S$, for every $|S| \ge 3$, in $\sum_{i=2}^k \binom{n+i-2}{2} \le
    k (n+k)^2/2$ queries.
    """
    values = bounded_function(b, n, k)
    coefficients = walsh_integers(values)
    level = [abs(int(coefficients[S])) for S in subsets(n, k)]
    count = sum(v * int(tau.q) >= int(tau.p) * 2**n for v in level)
    energy = Q(int((values * values).sum()), 2**n)
    yield "candidates lost", le(count, energy / (factor * tau**power))
    if b == "quadruple" and tau == HALF:
        yield "attained", eq(count, energy / (factor * tau**power))


@statistical_query_separation.check(
    "learner",
    domain={
        "n": ByBudget(quick=Integers(4, 6), full=Integers(4, 8)),
        "k": Given(lambda n: Integers(3, n)),
        "secret": Given(lambda n, k: Choices(*combinations(range(n), k))),
    },
    exhaustive=True,
)
def _learner(n, k, secret, *, chain=True, inputs_only=False):
    found, queries = learned(n, secret, chain=chain, inputs_only=inputs_only)
    yield "secret found", eq(word(found), word(secret))
    yield "queries", le(queries, Q(k * (n + k) ** 2, 2))


def learned(n: int, secret: tuple[int, ...], *, chain: bool, inputs_only: bool) -> tuple[list[int], int]:
    """What the pair-query learner finds, and how many queries it asks; E[c_i u_l u_j] is 1 or 0."""
    found: set[int] = set()
    queries = 0
    for i in range(2, len(secret) + 1) if chain else (len(secret),):
        u = token_masks(n, secret, i) if chain and not inputs_only else [1 << j for j in range(n)]
        target = mask(secret[:i])
        for l, j in combinations(range(len(u)), 2):
            queries += 1
            if u[l] ^ u[j] == target:
                found |= {p for p in (l, j) if p < n}
    return sorted(found), queries


statistical_query_separation.mutant("half the bound", factor=2, breaks="candidates lost")
statistical_query_separation.mutant("1/tau for 1/tau^2", power=1, breaks="candidates lost")
statistical_query_separation.mutant("the pair learner without the chain", chain=False, breaks="secret found")
statistical_query_separation.mutant("the chain learner on pairs of inputs", inputs_only=True, breaks="secret found")
