"""Sequences of integer tokens with labels, the tokens that tell them apart, and weights that name sequences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from theorems.seeds import Words

Sequences = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Dataset:
    """N sequences of n tokens below V, pairwise different as multisets, with labels below C.

    Attributes:
        labels: one for each sequence.
    """

    sequences: Sequences
    labels: tuple[int, ...]
    V: int
    C: int

    @property
    def N(self) -> int:
        return len(self.sequences)

    @property
    def n(self) -> int:
        return len(self.sequences[0])


def random_sequences(N: int, n: int, V: int, words: Words) -> Sequences:
    """Uniform tokens, sequences equal as multisets left out."""
    chosen: dict[tuple[int, ...], tuple[int, ...]] = {}
    while len(chosen) < N:
        sequence = tuple(words.below(V) for _ in range(n))
        chosen.setdefault(tuple(sorted(sequence)), sequence)
    return tuple(chosen.values())


def star(N: int, n: int) -> Sequences:
    """(0, ..., 0), and N - 1 sequences with one 0 replaced by a token of their own."""
    return ((0,) * n, *((0,) * (k % n) + (k,) + (0,) * (n - 1 - k % n) for k in range(1, N)))


def dataset(kind: str, N: int, n: int, V: int, C: int, seed: int, *, least_label: int = 0) -> Dataset:
    """A data set: "random" or "star" sequences, labels uniform on least_label..C-1, or all C-1 ("... top")."""
    words = Words(seed, "memorisation", kind, N, n, V, C)
    sequences = star(N, n) if kind.startswith("star") else random_sequences(N, n, V, words)
    top = kind.endswith("top")
    labels = tuple(C - 1 if top else words.between(least_label, C - 1) for _ in range(N))
    return Dataset(sequences, labels, max(V, N if kind.startswith("star") else V), C)


def distinguishing(rows: Sequence[Sequence[int]] | Sequence[Counter[int]], tokens: Iterable[int]) -> list[int]:
    """Tokens whose counts alone tell all rows apart: while two rows share a class, one on which they differ is added.

    Args:
        rows: counts by token (sequences indexed by token, or counters), pairwise different.
        tokens: all tokens, in the order in which they are tried.
    """
    order = list(tokens)
    chosen: list[int] = []
    classes: list[Sequence[int]] = [range(len(rows))]
    while classes:
        members = classes[-1]
        first, second = rows[members[0]], rows[members[1]]
        token = next(t for t in order if first[t] != second[t])
        chosen.append(token)
        classes = [part for members in classes for part in _split(members, rows, token) if len(part) > 1]
    return chosen


def _split(
    members: Sequence[int], rows: Sequence[Sequence[int]] | Sequence[Counter[int]], token: int
) -> list[list[int]]:
    parts: dict[int, list[int]] = {}
    for k in members:
        parts.setdefault(rows[k][token], []).append(k)
    return list(parts.values())


def restricted(rows: Sequence[Sequence[int]] | Sequence[Counter[int]], tokens: Sequence[int]) -> int:
    """How many different rows there are when only these tokens are counted."""
    return len({tuple(row[t] for t in tokens) for row in rows})


def tokens_of(sequences: Sequences) -> list[int]:
    """The tokens that occur, in increasing order."""
    return sorted({t for s in sequences for t in s})


def distinguishing_tokens(sequences: Sequences) -> list[int]:
    """A set of at most N - 1 tokens whose counts tell the sequences apart."""
    return distinguishing([Counter(s) for s in sequences], tokens_of(sequences))


def naming_weights(sequences: Sequences, D: Sequence[int], words: Words) -> tuple[dict[int, int], list[int]]:
    """Weights in 1..N^2 for the tokens D such that the sums over sequences differ; and these sums."""
    N = len(sequences)
    while True:
        w = {t: words.between(1, N * N) for t in D}
        ids = [sum(w.get(t, 0) for t in s) for s in sequences]
        if len(set(ids)) == N:
            return w, ids
