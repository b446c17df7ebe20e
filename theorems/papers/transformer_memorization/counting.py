"""What no transformer can do with fewer parameters: counting sign patterns, and counting bits."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from math import comb
from typing import Any

from flint import arb, fmpq

from solvers.transformers import FeedForward, form
from solvers.transformers.forms import Units
from theorems import ByBudget, Choices, Integers, Q, eq, le
from theorems.papers.transformer_memorization.datasets import dataset
from theorems.papers.transformer_memorization.memoriser import memoriser
from theorems.papers.transformer_memorization.networks import Built, log2, next_token, seq2seq
from theorems.papers.transformer_memorization.next_token import KEY_SETS, rate_memoriser
from theorems.papers.transformer_memorization.paper import PAPER

Layer = tuple[int, int, int, int]  # points, units, degree in the parameters, parameters so far


def layers_of(network: FeedForward, points: int, degree: int, before: int) -> list[Layer]:
    """The layers of a network for the bound; the output decides a sign too."""
    layers, W = [], before
    stages: list[Units] = [*network.layers, network.output]
    for i, units in enumerate(stages):
        W += sum(len(f.numbers()) for f in units.values())
        layers.append((points, len(units), degree + i, W))
    return layers


def transformer_layers(built: Built, points: int) -> list[Layer]:
    """F1 at all positions that differ, the averaging head (degree 2, one weight), F2 at the points with labels."""
    tokens = len({t for s in built.data.sequences for t in s})
    first = layers_of(built.F1.network, tokens, 1, 0)
    return first + layers_of(built.F2.network, points, first[-1][2] + 3, first[-1][3] + 1)


def counted_layers(N: int) -> list[Layer]:
    """Upper bounds for the memoriser of N consecutive keys, without building it: depth, width 8, at most 16 parameters a layer."""
    m = min(range(1, 4 * int(N**0.5) + 2), key=lambda m: -(-N // m) + m * (m.bit_length() + 3))
    depth = -(-N // m) + m * (m.bit_length() + 3) + 1
    return [(N, 8, i + 1, 16 * (i + 1) + 2) for i in range(depth)]


def log2_growth(layers: Sequence[Layer]) -> arb:
    r"""$\sum_i 1 + W_i \log_2(2 e M_i k_i D_i / W_i)$, the term being $M_i k_i$ where that is less than $W_i$."""
    total = arb(0)
    two_e = 2 * arb.const_e()
    scale = 1 / arb(2).log()
    for M, k, D, W in layers:
        total += M * k if M * k < W else 1 + W * (two_e * M * k * D / W).log() * scale
    return total


CASES = (
    "memoriser 2^4",
    "memoriser 2^8",
    "memoriser 2^10",
    "memoriser 2^14",
    "next-token",
    "seq-to-seq",
    "formula 2^24",
)


def case(name: str) -> tuple[int, list[Layer]]:
    """Labels that are realised, and the layers that realise them."""
    kind, _, size = name.partition(" ")
    N = 2 ** int(size[2:]) if size else 0
    if kind == "memoriser":
        return N, layers_of(rate_memoriser(N, "random", "random").network, N, 1, 0)
    if kind == "formula":
        return N, counted_layers(N)
    if kind == "next-token":
        return 64, transformer_layers(next_token(dataset("random", 64, 12, 10**6, 2, 0)), 64)
    built, _ = seq2seq(dataset("random", 64, 16, 64, 2, 0))
    return built.keys, transformer_layers(built, built.keys)


@PAPER.bound(
    source="abstract: sqrt N parameters are necessary, sqrt(nN) for sequence-to-sequence with hardmax",
    fidelity="derived",
    evidence="certified",
    domain={"network": ByBudget(quick=Choices(*CASES), full=Choices(*CASES, "memoriser 2^16", "formula 2^28"))},
    every=True,
    part="growth",
    method="the bound in balls at the layers of constructed networks (all labellings are realised by one architecture when the layout is "
    "fixed); the counting step itself by enumeration and in exact integers",
    rests_on=(
        "Warren: s polynomials of degree at most D in W variables have at most 2 (2 e s D/W)^W sign patterns, W <= s; layer by layer, "
        "a fixed pattern of the layers before makes the pre-activations polynomials",
    ),
    not_established="the growth bound is far from tight: log2 Gamma/M is 200 to 12000 here, so errors of such factors would not be noticed; the "
    "counting step and `bit-budget` are the informative parts. Hardmax heads with an argmax are not built here",
)
def counting_lower_bound(network, *, growth="layers") -> Iterator[Any]:
    r"""An architecture that realises every labelling of $M$ points with $C$ labels satisfies
    $$M \log_2 C \le \log_2 \Gamma := \sum_i \Bigl[1 + W_i \log_2 \frac{2 e M_i k_i D_i}{W_i}\Bigr]$$
    (the term is $M_i k_i$ where $M_i k_i < W_i$), layer $i$ having $k_i$ units at $M_i$ different points, degree $D_i$ in the parameters (1 + the
    number of layers before it; an averaging or argmax head adds 2), and $W_i$ parameters up to it. With at most $W$ layers this gives
    $W^2 \log = \Omega(M)$: $W = \tilde\Omega(\sqrt N)$ for next-token and $\tilde\Omega(\sqrt{nN})$ for sequence-to-sequence. The counting step: $P(M, W) =
    2 \sum_{i<W} \binom{M-1}{i}$ patterns of polynomials of degree below $W$ on $M$ points satisfy $\log_2 P \le 1 + W \log_2(2eM/W)$.
    """
    M, layers = case(network)
    yield "growth", le(M, lambda: bound_of(growth, M, layers))


def bound_of(growth: str, M: int, layers: Sequence[Layer]) -> Any:
    """log2 Gamma, or a mutant's bound in terms of the number of parameters."""
    W = layers[-1][3]
    return {"W": lambda: arb(W), "W log2 M": lambda: W * log2(M), "layers": lambda: log2_growth(layers)}[growth]()


@counting_lower_bound.check(
    "sequence-to-sequence",
    domain={"log": ByBudget(quick=Choices(8, 12, 16), full=Choices(8, 12, 16, 20, 24))},
    every=True,
)
def _seq2seq(log, *, budget="of nN keys"):
    """N = 64 sequences of length n = 2^log, all tokens labelled."""
    N, n = 64, 2**log
    M = n * N
    if budget == "of nN keys":
        layers = [(M, 8, i + 1, 16 * (i + 1) + 2) for i in range(2 * int((M * 10) ** 0.5))]
    else:
        built = next_token(dataset("random", N, 12, 10**6, 2, 0))
        layers = [(M, k, D, W) for _, k, D, W in transformer_layers(built, N)]
    yield "budget", le(M, lambda: log2_growth(layers))


@counting_lower_bound.check(
    "layers of the formula",
    domain={"log": Choices(4, 8, 10), "keys": Choices("consecutive", "random")},
    every=True,
)
def _formula(log, keys, *, per_layer=16):
    F = rate_memoriser(2**log, keys, "random")
    yield "parameters a layer", le(F.W, per_layer * F.network.depth + 2)


def patterns(M: int, W: int) -> int:
    """2 sum_{i<W} binom(M-1, i)."""
    return 2 * sum(comb(M - 1, i) for i in range(W))


@counting_lower_bound.proof("patterns", covers="polynomials of degree below W <= 3 on M <= 8 points of the line")
def _patterns():
    """Sign changes in at most W - 1 gaps: each such pattern is met by a polynomial with roots there, others are not."""
    for M in range(1, 9):
        for W in range(1, 4):
            met = set()
            for i in range(W):
                for gaps in itertools.combinations(range(1, M), i):
                    values = [product(2 * x + 1 - 2 * g for g in gaps) for x in range(M)]
                    met |= {tuple(v > 0 for v in values), tuple(v < 0 for v in values)}
            few = sum(sum(a != b for a, b in itertools.pairwise(s)) < W for s in itertools.product((0, 1), repeat=M))
            yield eq(len(met), patterns(M, W))
            yield eq(few, patterns(M, W))


def product(factors: Any) -> int:
    """The product of integers."""
    result = 1
    for f in factors:
        result *= f
    return result


@counting_lower_bound.check(
    "counting step",
    domain={"M": ByBudget(quick=Integers(3, 64), full=Integers(3, 256))},
    exhaustive=True,
)
def _step(M, *, base=None, halved=False):
    """P(M, W) <= 2 (2 e M/W)^W for 2 <= W < M."""
    Ws = range(2, M)
    yield (
        "counting step",
        le([patterns(M, W) for W in Ws], lambda: [2 * (constant_of(base) * M / W) ** exponent(W, halved) for W in Ws]),
    )


def constant_of(base: Any) -> arb:
    """2e, or a mutant's constant."""
    return 2 * arb.const_e() if base is None else arb(base)


def exponent(W: int, halved: bool) -> arb:
    """W, or half of it for the mutant."""
    return arb(fmpq(W, 2)) if halved else arb(W)


counting_lower_bound.mutant("M <= W", growth="W", breaks="growth")
counting_lower_bound.mutant("M <= W log2 M", growth="W log2 M", breaks="growth")
counting_lower_bound.mutant("seq-to-seq with next-token parameters", budget="of N keys", breaks="budget")
counting_lower_bound.mutant("13 parameters a layer", per_layer=13, breaks="parameters a layer")
counting_lower_bound.mutant("(M/W)^W patterns", base=1, breaks="counting step")
counting_lower_bound.mutant("exponent W/2", halved=True, breaks="counting step")


@PAPER.bound(
    source="discussion of bit complexity: O~(sqrt N) weights of O~(sqrt N) bits each, O~(N) bits in all",
    fidelity="derived",
    evidence="certified",
    domain={
        "log": ByBudget(quick=Choices(*range(4, 11)), full=Choices(*range(4, 17))),
        "keys": Choices(*KEY_SETS),
        "labels": Choices("random", "0", "1"),
    },
    every=True,
    part="bits",
    method="networks built, the bits of their parameters counted (a sign and the bit length of each); all labellings of 8 keys",
    rests_on=("2^N labellings need 2^N different vectors of parameters, so at least N bits",),
    not_established="other encodings of the parameters (theirs differ by constants)",
)
def bit_budget(log, keys, labels, *, total="N log^2 N", floor="N") -> Iterator[Any]:
    r"""The memoriser of $N$ keys in $[0, 2N)$ with binary labels satisfies $N \le \mathrm{bits} \le 2.5 N \log_2^2 N$, and its largest parameter has
    between $0.25$ and $0.9 \sqrt{N \log_2 N}$ bits (random keys and labels: at least $3/8$). All labellings of the same 8 keys have
    different parameters.
    """
    N = 2**log
    F = rate_memoriser(N, keys, labels)
    yield "bits", le({"N": N, "N log2 N": 3 * N * log}[floor], F.bits)
    yield "bits", le(F.bits, {"N log^2 N": Q(5, 2) * N * log**2, "20 N": 20 * N}[total])
    least = Q(3, 8) if keys == labels == "random" else Q(1, 4)
    yield "largest parameter", le(least**2 * N * log, F.largest**2)
    yield "largest parameter", le(F.largest**2, Q(81, 100) * N * log)


@bit_budget.check("long weights", domain={"log": ByBudget(quick=Choices(10, 14), full=Choices(10, 14, 16))}, every=True)
def _long(log, *, weight="sqrt"):
    N = 2**log
    F = rate_memoriser(N, "random", "random")
    top = {"sqrt": Q(81, 100) * N * log, "log": (10 * log) ** 2}[weight]
    yield "long weights", le(F.largest**2, top)


@bit_budget.proof("labellings", covers="all 256 labellings of the keys 0, 2, 3, 5, 8, 9, 12, 15")
def _labellings(*, forgetful=False):
    keys = (0, 2, 3, 5, 8, 9, 12, 15)
    vectors = set()
    for labels in itertools.product((0, 1), repeat=8):
        F = memoriser(dict(zip(keys, (*labels[:7], 0) if forgetful else labels)), 2, reads=form("x"))
        vectors.add(str(F.network))  # all weights with their places, zeros left out
    yield eq(len(vectors), 256)


bit_budget.mutant("20 N bits", total="20 N", breaks="bits")
bit_budget.mutant("at least 3 N log2 N bits", floor="N log2 N", breaks="bits")
bit_budget.mutant("weights of 10 log2 N bits", weight="log", breaks="long weights")
bit_budget.mutant("the last label is not stored", forgetful=True, breaks="labellings")
