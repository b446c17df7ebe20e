"""A chain of thought makes the dependence sparse: each token hangs on two others, and the gradient points at them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from solvers.boolean_cube import mask
from theorems import ByBudget, Choices, Given, Integers, Q, eq, lt, word
from theorems.papers.cot_parity.chain import Secret, all_inputs, gradient, parents, parity, random_secret, tokens
from theorems.papers.cot_parity.paper import PAPER

TWO = Q(2)


@PAPER.identity(
    source="abstract: chain of thought introduces sparse sequential dependencies that simplify learning",
    fidelity="derived",
    evidence="certified",
    domain={
        "n": ByBudget(quick=Choices(4, 6, 8), full=Choices(4, 6, 8, 9)),
        "k": Given(lambda n: Integers(2, n)),
        "seed": Choices(0, 1),
    },
    every=True,
    part="quadratic",
    method="all 2^n inputs in integers, every step i = 2..k; two random secrets for each n and k",
    hypotheses="one layer with position-only attention, uniform; correlation loss; n >= 4",
    not_established="training of the feed-forward part; later steps of training; n above 9",
)
def cot_population_gradient(n, k, seed, *, baseline=TWO, prefactor=TWO, shifted=False) -> Iterator[Any]:
    r"""Let $x$ be uniform on $\{-1, 1\}^n$, $s_1 < \dots < s_k$ secret, $c_i = \prod_{l \le i} x_{s_l}$; step $i$ sees the $m = n + i - 2$ tokens $u = (x_1, \dots,
    x_n, c_2, \dots, c_{i-1})$ and is to emit $c_i$; its parents are $c_{i-1}$ ($x_{s_1}$ if $i = 2$) and $x_{s_i}$. For $s = \sum_j A_j u_j$, $A =
    \mathrm{softmax}(a)$, output $s^2$ and loss $L = -E[c_i s^2]$, at $a = 0$
    $$-\partial_{a_j} L = \frac{2}{m^2} \Bigl(\mathbf 1[j \in \mathrm{parents}(i)] - \frac{2}{m}\Bigr).$$
    With output $|s|$ the two largest components are exactly the two parents. Without the chain, $k \ge 3$ and output $s^2$ the gradient is 0.
    """
    S, x = random_secret(n, k, seed), all_inputs(n)
    for i in range(2, k + 1):
        u, y = tokens(x, S, i), parity(x, S[:i])
        m = u.shape[1]
        both = parents(n, S, i)
        claimed = [(j + 1) % m for j in both] if shifted else both
        formula = [prefactor / m**2 * ((j in claimed) - baseline / m) for j in range(m)]
        yield "quadratic", eq(gradient(u, y, "quadratic"), formula)
        g = gradient(u, y, "ReLU")
        yield "ReLU", lt(max(v for j, v in enumerate(g) if j not in claimed), min(g[j] for j in claimed))


@cot_population_gradient.check(
    "without the chain",
    domain={"n": ByBudget(quick=Choices(4, 6, 8), full=Choices(4, 6, 8, 9)), "k": Given(lambda n: Integers(3, n))},
    every=True,
)
def _without(n, k, *, chain=False):
    S, x = random_secret(n, k, 0), all_inputs(n)
    u = tokens(x, S, k) if chain else x
    yield "no chain", eq(gradient(u, parity(x, S), "quadratic"), [0] * u.shape[1])


cot_population_gradient.mutant("1/m for 2/m", baseline=Q(1), breaks="quadratic")
cot_population_gradient.mutant("prefactor 1/m^2", prefactor=Q(1), breaks="quadratic")
cot_population_gradient.mutant("parents shifted by one, squared output", shifted=True, breaks="quadratic")
cot_population_gradient.mutant("parents shifted by one, |s|", shifted=True, breaks="ReLU")
cot_population_gradient.mutant("the gradient vanishes with the chain too", chain=True, breaks="no chain")


def token_masks(n: int, S: Secret, i: int, *, repeated: bool = False, skipped: bool = False) -> list[int]:
    """The tokens of step i as subsets of the inputs; with x_{s_1} as its own token, or without c_{i-1}, for mutants."""
    chain = [mask(S[:l]) for l in range(1 if repeated else 2, i)]
    return [1 << j for j in range(n)] + (chain[:-1] if skipped and i > 2 else chain)


@PAPER.identity(
    source="abstract: chain of thought simplifies learning by sparse sequential dependencies among the tokens",
    fidelity="paper",
    evidence="proved",
    domain={
        "n": ByBudget(quick=Integers(3, 6), full=Integers(3, 7)),
        "k": Given(lambda n: Integers(3, n)),
        "secret": Given(lambda n, k: Choices(*combinations(range(n), k))),
    },
    exhaustive=True,
    part="single tokens",
    method="tokens as subsets of the inputs; the mean of a product of tokens is 1 where their symmetric difference is empty, else 0; "
    "all secrets and all steps",
    not_established="n above 7 (the derivation holds for all n)",
)
def cot_dependence_is_sparse(n, k, secret, *, repeated=False, skipped=False, smaller=0) -> Iterator[Any]:
    r"""For every $S$ with $|S| = k \ge 3$ and every step $i$: no single token $u_j$ has $E[c_i u_j] \ne 0$; exactly one pair has $E[c_i u_j u_l] \ne 0$, the
    parents of $c_i$. Without the chain the smallest set $J$ of inputs with $E[\chi_S \prod_{j \in J} x_j] \ne 0$ has size $k$, and is $S$: the
    order of dependence drops from $k$ to 2. (Covered: all $n \le 7$, all secrets.)
    """
    for i in range(2, k + 1):
        u = token_masks(n, secret, i, repeated=repeated, skipped=skipped)
        target = mask(secret[:i])
        yield "single tokens", eq(sum(t == target for t in u), 0)
        pairs = [(j, l) for j, l in combinations(range(len(u)), 2) if u[j] ^ u[l] == target]
        yield "pairs", eq(word(pairs), word([parents(n, secret, i)]))
    for size in range(k + 1):
        correlated = [J for J in combinations(range(n), size) if mask(J) == mask(secret)]
        yield "without the chain", eq(word(correlated), word([secret] if size == k - smaller else []))


cot_dependence_is_sparse.mutant("the chain repeats x_{s_1} as a token", repeated=True, breaks="pairs")
cot_dependence_is_sparse.mutant("the last token of the chain is missing", skipped=True, breaks="pairs")
cot_dependence_is_sparse.mutant("order k - 1 suffices without the chain", smaller=1, breaks="without the chain")
