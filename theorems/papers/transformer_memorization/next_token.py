"""Next-token memorisation: exact on every data set, with about sqrt(N) parameters, whatever the length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from solvers.transformers import Transformer, compiled, form, run
from theorems import ByBudget, Choices, Q, eq, le, lt, shared, slope
from theorems.papers.transformer_memorization.datasets import dataset
from theorems.papers.transformer_memorization.memoriser import Memoriser, memoriser
from theorems.papers.transformer_memorization.networks import (
    CONSTANT,
    TRUE_DESIGN,
    Built,
    Design,
    log2,
    next_token,
    one_bound,
    outputs,
)
from theorems.papers.transformer_memorization.paper import PAPER
from theorems.seeds import Words

TINY, SMALL, STAR = ("random", 8, 4, 20, 2), ("random", 16, 8, 1000, 3), ("star", 32, 6, 32, 2)
EVALUATED = PAPER.family(
    "evaluated",
    shape=ByBudget(
        quick=Choices(TINY, SMALL, STAR, ("random top", 64, 4, 200, 5)),
        full=Choices(
            TINY,
            SMALL,
            STAR,
            ("random top", 64, 4, 200, 5),
            ("random", 64, 12, 10**6, 4),
            ("random", 200, 10, 10**4, 2),
        ),
    ),
    seed=ByBudget(quick=Choices(0), full=Choices(0, 1)),
    every=True,
)
COUNTED = PAPER.family(
    "counted",
    shape=Choices(
        ("random", 200, 10, 2**40, 2),
        ("random", 200, 10, 10**4, 2),
        ("random", 128, 64, 10**6, 2),
        ("star", 150, 4, 150, 17),
        ("random", 60, 30, 2**100, 2),
    ),
    seed=ByBudget(quick=Choices(0), full=Choices(*range(12))),
    every=True,
)


@PAPER.construction(
    source="abstract: O~(sqrt N) parameters suffice for next-token prediction, with little influence of the input length",
    fidelity="derived",
    evidence="certified",
    family=EVALUATED,
    part="labels",
    method="exact integers through a layer-by-layer evaluator that knows nothing of the construction; data sets with random labels and with "
    "labels C - 1 only, shuffled copies; parameters counted",
    hypotheses="tokens are integers below V, sequences pairwise different as multisets",
    not_established="real tokens (a finite separated set is first mapped to integers, which is not done here); that 32 is the least "
    "constant (29 is met by a single memoriser)",
)
def next_token_memorization(shape, seed, *, design=TRUE_DESIGN) -> Iterator[Any]:
    r"""For $N$ sequences of $n$ integer tokens in $[0, V)$, pairwise different as multisets, and any labels in $[0, C)$ there is a transformer of
    width 8 (a ReLU network at each position, one head that averages uniformly, a second network) that outputs the label at
    the last position, for every order of the tokens, with at most
    $$W \le 32 \sqrt{N (\log_2 V + 2 \log_2 N + 4)} + 32 \sqrt{N (\log_2 (n N^2) + \log_2 C + 4)}$$
    nonzero weights and biases, all integers. (One memoriser of N keys below K with C labels: at most $32 \sqrt{N (\log_2 K + \log_2 C + 4)}$.)
    """
    kind, N, n, V, C = shape
    data = dataset(kind, N, n, V, C, seed, least_label=min(1, C - 1))
    built = next_token(data, seed, design)
    required = list(data.labels)
    yield "labels", eq([outputs(built, s)[-1] for s in data.sequences], required)
    words = Words(seed, "orders")
    chosen = [words.below(N) for _ in range(10)]
    yield (
        "orders",
        eq([outputs(built, shuffled(data.sequences[k], words))[-1] for k in chosen], [data.labels[k] for k in chosen]),
    )
    yield "width", le(max(built.F1.network.width, built.F2.network.width), 8)


def shuffled(sequence: tuple[int, ...], words: Words) -> tuple[int, ...]:
    """The tokens in another order."""
    rest = list(sequence)
    return tuple(rest.pop(words.below(len(rest))) for _ in sequence)


@next_token_memorization.check("counts", family=(EVALUATED, COUNTED))
def _counts(shape, seed, *, factor=CONSTANT, token_range=True, every_token=False):
    kind, N, n, V, C = shape
    built = next_token(dataset(kind, N, n, V, C, seed), seed, Design(every_token=every_token))
    yield "parameters", le(built.W, lambda: whole_bound(built, factor, token_range))


def whole_bound(built: Built, factor: int, token_range: bool) -> Any:
    """The bound on W; without the logarithm of the token range for the mutant."""
    data = built.data
    N = data.N
    first = log2(data.V) if token_range else log2(1)
    return one_bound(N, first, N * N, factor) + one_bound(N, log2(data.n * N * N), data.C, factor)


@next_token_memorization.check(
    "other inputs", domain={"N": Choices(5, 40), "C": Choices(2, 3, 5), "top": Choices(60, 300)}, every=True
)
def _others(N, C, top, *, offset_bits_dropped=0):
    """The memoriser itself at every integer from 0 to beyond its largest key: labels at keys, 0 elsewhere."""
    words = Words(N, "other inputs", C, top)
    labels = {k: words.between(1, C - 1) for k in sample(top, N, words)}
    F = memoriser(labels, C, reads=form("x"), offset_bits_dropped=offset_bits_dropped)
    program = compiled(Transformer(("x",), (F.network,)))
    place = program.place("label")
    inputs = range(top + 20)
    yield "other inputs", eq([run(program, [[x]])[0][place] for x in inputs], [labels.get(x, 0) for x in inputs])


@next_token_memorization.check(
    "one memoriser",
    domain={
        "N": ByBudget(quick=Choices(1000, 3, 150), full=Choices(1000, 3, 150, 1, 17, 64, 400)),
        "logK": Choices(80, 10, 30),
        "C": Choices(2, 17),
        "seed": ByBudget(quick=Choices(0), full=Choices(*range(5))),
    },
    where=lambda N, logK: 2**logK >= 2 * N,
    every=True,
)
def _one(N, logK, C, seed, *, factor=CONSTANT):
    words = Words(seed, "keys", N, logK, C)
    keys: set[int] = set()
    while len(keys) < N:
        keys.add(words.below(2**logK))
    F = memoriser({k: words.below(C) for k in sorted(keys)}, C, reads=form("x"))
    yield "one memoriser", le(F.W, lambda: one_bound(N, log2(2**logK), C, factor))


next_token_memorization.mutant("the top offset bit dropped", design=Design(offset_bits_dropped=1), breaks="labels")
next_token_memorization.mutant(
    "the top offset bit dropped, on one memoriser", offset_bits_dropped=1, breaks="other inputs"
)
next_token_memorization.mutant("24 for 32", factor=24, breaks="parameters")
next_token_memorization.mutant("28 for 32, on one memoriser", factor=28, breaks="one memoriser")
next_token_memorization.mutant("the token range does not matter", token_range=False, breaks="parameters")
next_token_memorization.mutant("every token is hashed", every_token=True, breaks="parameters", on="counted")


CENTRE = Q(54, 100)  # of [0.48, 0.6]
ALL = Q(1)
KEY_SETS = ("random", "consecutive", "even", "both ends")


@shared
def rate_memoriser(N: int, keys: str, labels: str, seed: int = 0) -> Memoriser:
    """F on N keys below 2N with binary labels, random, all 0 or all 1."""
    words = Words(seed, "rate", N, keys, labels)
    chosen = {
        "consecutive": lambda: range(N),
        "even": lambda: range(0, 2 * N, 2),
        "both ends": lambda: [*range(N // 2), *range(2 * N - (N - N // 2), 2 * N)],
        "random": lambda: sample(2 * N, N, words),
    }[keys]()
    return memoriser({k: words.below(2) if labels == "random" else int(labels) for k in chosen}, 2, reads=form("x"))


def sample(top: int, N: int, words: Words) -> list[int]:
    """N different integers below top (Floyd)."""
    chosen: set[int] = set()
    for j in range(top - N, top):
        k = words.below(j + 1)
        chosen.add(j if k in chosen else k)
    return sorted(chosen)


@PAPER.rate(
    source="abstract: O~(sqrt N) parameters, little influence of the input length",
    fidelity="derived",
    evidence="certified",
    domain={
        "log": ByBudget(quick=Choices(*range(4, 11)), full=Choices(*range(4, 17))),
        "keys": Choices(*KEY_SETS),
        "labels": Choices("random", "0", "1"),
    },
    every=True,
    part="range",
    method="networks built and their nonzero parameters counted; random, consecutive, even and two-ended key sets, labels random or constant",
    not_established="other key sets (the constants 16 and 30 are those of the worst among these, rounded away)",
)
def next_token_rate(log, keys, labels, *, low=16, high=30, flat=False) -> Iterator[Any]:
    r"""The memoriser on $N$ keys in $[0, 2N)$ with binary labels has $16 \le W / \sqrt{N \log_2 N} \le 30$ for $N = 2^4, \dots, 2^{16}$; for random keys
    the exponent of $W$ over a factor 4 in $N$ lies in $[0.48, 0.6]$ from $N = 2^8$ on, and $W < N$ from $N = 2^{14}$ on. At fixed $N$
    the whole transformer grows by at most a factor 1.2 when the length $n$ goes from 4 to 1024.
    """
    N = 2**log
    W = rate_memoriser(N, keys, labels).W
    yield "range", le(low**2 * N * log, W**2)
    yield "range", le(W**2, 20**2 * N if flat else high**2 * N * log)


@next_token_rate.check(
    "exponents", domain={"log": ByBudget(quick=Choices(8, 10), full=Choices(8, 10, 12, 14))}, every=True
)
def _exponents(log, *, exponent=CENTRE):
    N = [2**log, 2 ** (log + 2)]
    W = [rate_memoriser(n, "random", "random").W for n in N]
    yield "exponent", slope(N, W, exponent, within=Q(6, 100), fewest=2)


@next_token_rate.check(
    "fewer parameters than samples", domain={"log": ByBudget(quick=Choices(14), full=Choices(14, 15, 16))}, every=True
)
def _fewer(log, *, below=ALL):
    yield "W < N", lt(rate_memoriser(2**log, "random", "random").W, below * 2**log)


@next_token_rate.check(
    "length",
    domain={
        "kind": Choices("random", "star"),
        "lengths": ByBudget(quick=Choices((4, 16, 64)), full=Choices((4, 16, 64, 256, 1024))),
    },
    every=True,
)
def _length(kind, lengths, *, every_token=False):
    W = [next_token(dataset(kind, 128, n, 10**6, 2, 0), 0, Design(every_token=every_token)).W for n in lengths]
    yield "length", le(W, Q(6, 5) * W[0])


next_token_rate.mutant("W = Theta(N)", exponent=Q(1), breaks="exponent")
next_token_rate.mutant("W = Theta(N^(1/3))", exponent=Q(1, 3), breaks="exponent")
next_token_rate.mutant("no logarithm, constant 20", flat=True, breaks="range")
next_token_rate.mutant("lower constant 20", low=20, breaks="range")
next_token_rate.mutant("upper constant 29", high=29, breaks="range")
next_token_rate.mutant("every token is hashed", every_token=True, breaks="length")
next_token_rate.mutant("W < N/2 at 2^14", below=Q(1, 2), breaks="W < N")
