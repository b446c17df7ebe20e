"""Few tokens tell sequences apart, and one averaging head with random weights names the sequences."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from theorems import ByBudget, Choices, Integers, Q, dyadic, eq, le, prob_le, shared
from theorems.papers.transformer_memorization.datasets import (
    Sequences,
    distinguishing,
    distinguishing_tokens,
    random_sequences,
    restricted,
    star,
    tokens_of,
)
from theorems.papers.transformer_memorization.paper import PAPER
from theorems.seeds import Words

SIZES = {"N - 1": lambda N: N - 1, "N - 2": lambda N: N - 2, "log2 N": lambda N: (N - 1).bit_length()}


@PAPER.bound(
    source="the lemma behind the independence of the input length: parameters are shared by positions",
    fidelity="derived",
    evidence="certified",
    domain={
        "N": Choices(2, 40, 12, 3, 25, 7),
        "n": Choices(1, 12, 5, 2),
        "V": Choices(60, 3, 20),
        "seed": Integers(0, 2**40),
    },
    where=lambda N, n, V: V**n >= 8 * N and (n == 1) <= (V >= 2 * N) and (V > 3 or n > 9 or N < 4),
    quick=100,
    full=1000,
    method="the greedy set of tokens: sampled data, all sets of 2 to 4 different rows of two small kinds (exhausted), and all subsets of "
    "tokens of the star family",
    not_established="that the greedy set is the smallest one (it need not be)",
)
def bondy_distinguishing_tokens(N, n, V, seed, *, size="N - 1") -> Iterator[Any]:
    r"""Any $N \ge 2$ pairwise different multisets of tokens have a set $D$ of at most $N - 1$ token values whose counts alone tell all of
    them apart; $N - 1$ is sometimes necessary (a constant sequence, and $N - 1$ that replace one token by a fresh one).
    """
    sequences = random_sequences(N, n, V, Words(seed, "multisets"))
    D = distinguishing_tokens(sequences)
    yield "size", le(len(D), SIZES[size](N))
    yield "told apart", eq(restricted([Counter(s) for s in sequences], D), N)


@bondy_distinguishing_tokens.proof(
    "small rows",
    covers="all sets of N = 2, 3, 4 different rows over {0, 1, 2}^3 and over {0, 1}^4",
)
def _small(*, size="N - 1"):
    for alphabet, length in ((range(3), 3), (range(2), 4)):
        rows = list(itertools.product(alphabet, repeat=length))
        for N in (2, 3, 4):
            largest, fewest = 0, N
            for chosen in itertools.combinations(rows, N):
                D = distinguishing(chosen, range(length))
                largest, fewest = max(largest, len(D)), min(fewest, restricted(chosen, D))
            yield le(largest, SIZES[size](N))
            yield eq(fewest, N)


@bondy_distinguishing_tokens.proof("necessary", covers="the star family with N <= 12, all subsets of tokens")
def _necessary(*, size="N - 1"):
    """No smaller set of tokens tells the star apart."""
    for N in range(2, 13):
        sequences = star(N, 3)
        rows = [Counter(s) for s in sequences]
        subsets = itertools.combinations(tokens_of(sequences), N - 2)
        yield eq(sum(restricted(rows, D) == N for D in subsets), 0)
        yield le(len(distinguishing_tokens(sequences)), SIZES[size](N))


bondy_distinguishing_tokens.mutant("N - 2 tokens", size="N - 2", breaks="necessary")
bondy_distinguishing_tokens.mutant("N - 2 tokens, on small rows", size="N - 2", breaks="small rows")
bondy_distinguishing_tokens.mutant("log2 N tokens", size="log2 N", breaks="necessary")


RANGES = {"N^2": lambda N: N * N, "N^2/2": lambda N: N * N // 2, "N/4": lambda N: max(1, N // 4), "1": lambda N: 1}
DRAWS = ByBudget(quick=Choices(200), full=Choices(2000))
BLOCK = 50


@PAPER.construction(
    source="abstract: one self-attention layer identifies input sequences; the averaging head",
    fidelity="derived",
    evidence="statistical",
    domain={
        "kind": Choices("star", "short random", "long random"),
        "N": Choices(20, 60),
        "draws": DRAWS,
    },
    every=True,
    method="the star family exactly, by a product of rationals, for N <= 200; frequencies of equal ids with exact binomial bounds",
    not_established="data other than the three kinds; the union bound itself is classical",
)
def sequence_id_averaging(kind, N, draws, *, K="N^2") -> Iterator[Any]:
    r"""Let $D$ tell $N$ multisets of $n$ tokens apart and let the weights $w(t)$, $t \in D$, be independent and uniform on $\{1, \dots, N^2\}$ (0
    outside $D$). The ids $\sum_{i} w(t_i)$ (one averaging head, times $n$) are pairwise different with probability at least
    $1 - (N-1)/(2N) > 1/2$, so two tries are expected at most; they are at most $n N^2$.
    """
    sequences, counts = weighted_tokens(kind, N)
    top = RANGES[K](N)
    yield "collision", prob_le(collision(counts, N, top), Q(1, 2), fixed=draws, within=Q(2, 5))
    n = len(sequences[0])
    yield "size of ids", le(max(sum(row) for row in counts) * top, n * N * N)


@shared
def weighted_tokens(kind: str, N: int) -> tuple[Sequences, tuple[tuple[int, ...], ...]]:
    """The sequences, and how often each of the distinguishing tokens occurs in them."""
    if kind == "star":
        sequences, D = star(N, 6), list(range(1, N))
    else:
        n, V = {"short random": (8, 100), "long random": (64, 10**6)}[kind]
        sequences = random_sequences(N, n, V, Words(N, kind))
        D = distinguishing_tokens(sequences)
    return sequences, tuple(tuple(s.count(t) for t in D) for s in sequences)


def collision(counts: tuple[tuple[int, ...], ...], N: int, top: int) -> Any:
    """The event that two ids are equal."""
    rows = np.array(counts, dtype=np.int64)

    def event(rng: Any) -> Any:
        ids = np.sort(rng.integers(1, top + 1, size=(BLOCK, rows.shape[1])) @ rows.T, axis=1)
        return (ids[:, 1:] == ids[:, :-1]).any(axis=1)  # event

    return event


@sequence_id_averaging.proof(
    "star family",
    covers="the star family, 3 <= N <= 200",
    rests_on=("on the star with D the fresh tokens the ids are 0 and N - 1 independent uniform weights",),
)
def _star(*, K="N^2", lowered=False):
    """The chance of equal ids is 1 - prod_{i<=N-2} (1 - i/K), at most (N - 1)/(2N)."""
    exact, claimed = [], []
    for N in range(3, 201):
        different = Q(1)
        for i in range(1, N - 1):
            different *= max(1 - Q(i, RANGES[K](N)), Q(0))
        exact.append(1 - different)
        claimed.append(Q(N - 1, 2 * N))
    yield le(dyadic(exact), [c * Q(3, 4) for c in claimed] if lowered else claimed)


sequence_id_averaging.mutant("weights up to N^2/2", K="N^2/2", breaks="star family")
sequence_id_averaging.mutant("3/4 of the union bound", lowered=True, breaks="star family")
sequence_id_averaging.mutant("weights up to N/4", K="N/4", breaks="collision")
sequence_id_averaging.mutant("all weights 1", K="1", breaks="collision")
