"""Sequence-to-sequence memorisation: every position has its label, for about sqrt(nN) parameters, nearly all in the second network."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flint import arb

from theorems import ByBudget, Choices, Q, eq, le, slope
from theorems.papers.transformer_memorization.datasets import Dataset, dataset
from theorems.papers.transformer_memorization.networks import CONSTANT, Built, log2, one_bound, outputs, seq2seq
from theorems.papers.transformer_memorization.paper import PAPER

MANY = 64  # sequences in the counts that vary n
HALF = Q(1, 2)


def distinct(N: int, n: int, V: int) -> Dataset:
    """All nN tokens different."""
    return Dataset(tuple(tuple(range(k * n, (k + 1) * n)) for k in range(N)), (0,) * N, V, 2)


def data_of(shape: tuple[str, int, int, int]) -> Dataset:
    """The data set of a shape (kind, N, n, V), with binary labels."""
    kind, N, n, V = shape
    return distinct(N, n, V) if kind == "distinct" else dataset(kind, N, n, V, 2, 0)


@PAPER.construction(
    source="abstract: O~(sqrt(nN)) parameters suffice for sequence-to-sequence; the feed-forward network is the bottleneck",
    fidelity="derived",
    evidence="certified",
    domain={
        "shape": ByBudget(
            quick=Choices(("random", 6, 4, 30), ("distinct", 5, 4, 20), ("random", 12, 6, 200)),
            full=Choices(
                ("random", 6, 4, 30), ("distinct", 5, 4, 20), ("random", 12, 6, 200), ("random", 24, 10, 10**4),
                ("distinct", 16, 8, 128),
            ),
        )
    },
    every=True,
    part="labels",
    method="exact integers at all positions of all sequences; networks for larger data built and their nonzero parameters counted",
    hypotheses="as for next-token memorisation; one label for each pair of a sequence and one of its tokens",
    not_established="that the tokens' positions may carry different labels (equal tokens of a sequence share a label here)",
)  # fmt: skip
def seq2seq_memorization(shape) -> Iterator[Any]:
    r"""For $N$ sequences of $n$ integer tokens in $[0, V)$ and labels in $[0, C)$ of the $M \le nN$ pairs (sequence, token), the transformer whose
    second network reads $V \cdot \mathrm{id} + \mathrm{token}$ is right at all $nN$ positions, with
    $$W \le 32 \sqrt{N (\log_2 V + 2 \log_2 N + 4)} + 32 \sqrt{M (\log_2(n N^2 V) + \log_2 C + 4)}.$$
    For $V$ polynomial in $nN$ this is $O(\sqrt{nN \log(nN)})$, and the share of the second network tends to 1: for $N = 64$, $V = 4n$ the first
    part's share is at most $1/(2 \sqrt n)$.
    """
    built, pairs = seq2seq(data_of(shape))
    for k, sequence in enumerate(built.data.sequences):
        yield "labels", eq(outputs(built, sequence), [pairs[k, t] for t in sequence])


@seq2seq_memorization.check(
    "counts",
    domain={
        "shape": ByBudget(
            quick=Choices(("random", 24, 10, 2**40), ("random", 6, 4, 30), ("distinct", 20, 10, 200)),
            full=Choices(
                ("random", 24, 10, 2**40), ("random", 6, 4, 30), ("distinct", 20, 10, 200), ("random", 100, 10, 2**100),
                ("random", 100, 10, 2**300), ("distinct", 200, 16, 3200),
            ),
        )
    },
    every=True,
)  # fmt: skip
def _counts(shape, *, factor=CONSTANT, form="with the token range"):
    built, _ = seq2seq(data_of(shape))
    yield "parameters", le(built.W, lambda: whole_bound(built, factor, form))


def whole_bound(built: Built, factor: int, form: str) -> Any:
    """The bound on W, or a mutant's."""
    data, M = built.data, built.keys
    N, n, V = data.N, data.n, data.V
    if form == "60 sqrt(M log M)":
        return 60 * (M * log2(M)).sqrt()
    if form == "60 sqrt(N log N)":
        return 60 * (N * log2(N)).sqrt()
    return one_bound(N, log2(V), N * N, factor) + one_bound(M, log2(n * N * N * V), data.C, factor)


@seq2seq_memorization.check(
    "growth",
    domain={"lengths": ByBudget(quick=Choices((4, 16, 64, 256)), full=Choices((4, 16, 64, 256, 1024)))},
    every=True,
)
def _growth(lengths, *, exponent=HALF, factor=CONSTANT, form="with the token range", share=HALF):
    """N = 64, V = 4n."""
    all_built = [seq2seq(data_of(("random", MANY, n, 4 * n)))[0] for n in lengths]
    W = [b.W for b in all_built]
    yield "growing length", le(W, lambda: [arb(whole_bound(b, factor, form)) for b in all_built])
    yield "exponent in M", slope([b.keys for b in all_built], W, exponent, within=Q(6, 100))
    first = [1 - Q(b.F2.W, b.W) for b in all_built]
    yield "share of the first part", le([f * f * n for f, n in zip(first, lengths)], share * share)


seq2seq_memorization.mutant("a bound without the token range", form="60 sqrt(M log M)", breaks="parameters")
seq2seq_memorization.mutant("24 for 32", factor=24, breaks=("growing length", "parameters"))
seq2seq_memorization.mutant("the next-token bound", form="60 sqrt(N log N)", breaks="growing length")
seq2seq_memorization.mutant("exponent 1/4 in M", exponent=Q(1, 4), breaks="exponent in M")
seq2seq_memorization.mutant("exponent 0.4 in M", exponent=Q(2, 5), breaks="exponent in M")
seq2seq_memorization.mutant("a share of 1/(4 sqrt n)", share=Q(1, 4), breaks="share of the first part")
