"""The two transformers: a memoriser names tokens, one averaging head sums the names, a second memoriser answers."""

from __future__ import annotations

from dataclasses import dataclass

from flint import arb

from solvers.transformers import Attention, Form, Head, Transformer, compiled, form, parameters, run
from theorems import shared
from theorems.papers.transformer_memorization.datasets import (
    Dataset,
    distinguishing_tokens,
    naming_weights,
    tokens_of,
)
from theorems.papers.transformer_memorization.memoriser import Memoriser, memoriser
from theorems.seeds import Words

CONSTANT = 32


@dataclass(frozen=True)
class Design:
    """What may be changed.

    Attributes:
        every_token: F1 hashes every token that occurs, not only the distinguishing ones.
        offset_bits_dropped: bits by which offsets are stored too short in F2.
    """

    every_token: bool = False
    offset_bits_dropped: int = 0


TRUE_DESIGN = Design()


@dataclass(frozen=True)
class Built:
    """A transformer with its two memorisers; `keys` labels what F2 memorises."""

    data: Dataset
    F1: Memoriser
    F2: Memoriser
    transformer: Transformer
    keys: int

    @property
    def W(self) -> int:
        """Nonzero weights and biases of all parts."""
        return len(parameters(self.transformer))


def assembled(data: Dataset, labels: dict[int, int], w: dict[int, int], C2: int, reads: Form, design: Design) -> Built:
    """F1, the averaging head (softmax or hardmax with zero scores: its weight n undoes the mean), F2."""
    F1 = memoriser(w, data.N**2 + 1, reads=form("token"), writes="name")
    mean = Attention((Head((), (), {"id": data.n * form("name")}),), causal=False)
    F2 = memoriser(labels, C2, reads=reads, offset_bits_dropped=design.offset_bits_dropped)
    return Built(data, F1, F2, Transformer(("token",), (F1.network, mean, F2.network)), len(labels))


def named(data: Dataset, design: Design, seed: int) -> tuple[dict[int, int], list[int]]:
    """Token weights and ids."""
    D = tokens_of(data.sequences) if design.every_token else distinguishing_tokens(data.sequences)
    return naming_weights(data.sequences, D, Words(seed, "names"))


@shared
def next_token(data: Dataset, seed: int = 0, design: Design = TRUE_DESIGN) -> Built:
    """The transformer that gives each sequence its label."""
    w, ids = named(data, design, seed)
    return assembled(data, dict(zip(ids, data.labels)), w, data.C, form("id"), design)


@shared
def seq2seq(data: Dataset, seed: int = 0, design: Design = TRUE_DESIGN) -> tuple[Built, dict[tuple[int, int], int]]:
    """The transformer that gives each (sequence, token) pair its label; and these labels, by sequence and token."""
    w, ids = named(data, design, seed)
    words = Words(seed, "pair labels")
    pairs = {(k, t): words.below(data.C) for k, s in enumerate(data.sequences) for t in sorted(set(s))}
    keys = {ids[k] * data.V + t: label for (k, t), label in pairs.items()}
    return assembled(data, keys, w, data.C, data.V * form("id") + form("token"), design), pairs


def outputs(built: Built, sequence: tuple[int, ...]) -> list[int]:
    """The labels at all positions, by exact evaluation of the description."""
    program = compiled(built.transformer)
    place = program.place("label")
    return [int(x[place]) for x in run(program, [[t] for t in sequence])]


def one_bound(N: int, log2_K: arb, C: int, factor: int = CONSTANT) -> arb:
    """factor sqrt(N (log2 K + log2 C + 4))."""
    return factor * (N * (log2_K + log2(C) + 4)).sqrt()


def log2(n: int) -> arb:
    """log2 of a positive integer."""
    return arb(n).log() / arb(2).log()
