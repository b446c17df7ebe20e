"""Measures or tokens: the same transformer, whatever the number of tokens, masked or not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flint import arb, ctx, fmpq

from solvers.transformers import compiled, run_balls
from theorems import ByBudget, Choices, Integers, Q, eq, le
from theorems.papers.universal_in_context.measures import (
    Context,
    Layer,
    Point,
    attention,
    described,
    evaluate,
    pointwise,
    random_layers,
    random_point,
)
from theorems.papers.universal_in_context.paper import PAPER
from theorems.seeds import Words

PRECISION = 160
RADIUS = Q(1, 10**30)
SCALE = Q(7, 10)


@PAPER.identity(
    source="the same transformer acts on any number of tokens; definition of in-context composition",
    fidelity="paper",
    evidence="certified",
    domain={
        "d": Choices(1, 2, 3, 4),
        "depth": Choices(2, 3),
        "heads": Choices(1, 3),
        "seed": ByBudget(quick=Integers(0, 0), full=Integers(0, 19)),
    },
    every=True,
    part="tokens",
    method="balls of 160 bits: in-context composition on weighted atoms against a row-softmax transformer evaluated layer by layer on all tokens",
    not_established="contexts that are not finite (the statement for them is by weak* continuity)",
)
def composition_consistency(
    d, depth, heads, seed, *, pushed=True, normalised=True, context_order="attention first"
) -> Iterator[Any]:
    r"""For $\Gamma(\mu, x) = x + \sum_h W_h \int e^{\langle Q_h x, K_h y \rangle/\sqrt k} V_h y\, d\mu(y) / \int e^{\langle Q_h x, K_h z \rangle/\sqrt k} d\mu(z)$, token-wise networks $F$ and $(G_2 \diamond
    G_1)(\mu, x) = G_2(G_1(\mu, \cdot)_\# \mu, G_1(\mu, x))$, the deep transformer $F_L \diamond \Gamma_L \diamond \dots \diamond F_1 \diamond \Gamma_1$ at an empirical measure equals the ordinary softmax
    transformer, token by token, and replicating every token changes nothing.
    """
    ctx.prec = PRECISION
    words = Words(seed, "composition", d, depth, heads)
    layers = random_layers(words, d, depth, heads, SCALE)
    points = [random_point(words, d) for _ in range(words.between(2, 4))]
    counts = [words.between(1, 3) for _ in points]
    flags = {"pushed": pushed, "normalised": normalised, "context_order": context_order}
    mu = context(points, counts)
    by_measure = [evaluate(layers, mu, y, **flags) for _, y in mu]
    tokens = [p for p, m in zip(points, counts) for _ in range(m)]
    by_tokens = run_balls(compiled(described(layers, d)), tokens)
    first = [sum(counts[:j]) for j in range(len(points))]
    yield "tokens", eq(by_measure, [by_tokens[j] for j in first], within=RADIUS)
    tripled = context(points, [3 * m for m in counts])
    yield "replicated", eq([evaluate(layers, tripled, y, **flags) for _, y in tripled], by_measure, within=RADIUS)


def context(points: list[list[fmpq]], counts: list[int]) -> Context:
    """Atoms with multiplicities as weights."""
    return [(fmpq(m), [arb(v) for v in p]) for p, m in zip(points, counts)]


composition_consistency.mutant("the context is not moved", pushed=False, breaks="tokens")
composition_consistency.mutant("attention is not normalised", normalised=False, breaks="replicated")
composition_consistency.mutant("the context's maps in the wrong order", context_order="network first", breaks="tokens")


def lifted(
    layers: tuple[Layer, ...], tokens: list[tuple[fmpq, Point]], *, masked: bool = True, encoded: bool = False
) -> list[Point]:
    """The space-time transformer: at time t attention integrates over times <= t; atoms (time, point) move together.

    Args:
        masked: False: over all times.
        encoded: whether the time is added to the first coordinate (then time is no longer hidden).
    """
    if encoded:
        tokens = [(t, [x[0] + t, *x[1:]]) for t, x in tokens]
    for layer in layers:
        moved = []
        for t, x in tokens:
            seen: Context = [(fmpq(1), y) for u, y in tokens if u <= t or not masked]
            moved.append((t, pointwise(layer.network, attention(layer.heads, seen, x))))
        tokens = moved
    return [x for _, x in tokens]


@PAPER.identity(
    source="set-up of Theorem 2 (masked attention, causality) and necessity of identifiability",
    fidelity="paper",
    evidence="certified",
    domain={
        "d": Choices(1, 2, 3),
        "depth": Choices(1, 2, 3),
        "m": Choices(3, 5),
        "seed": ByBudget(quick=Integers(0, 0), full=Integers(0, 29)),
    },
    every=True,
    part="tokens",
    method="balls of 160 bits; constancy on constant contexts, futures replaced by others",
    not_established="contexts with infinitely many times",
)
def causal_lifting_identifiability(d, depth, m, seed, *, masked=True, encoded=False) -> Iterator[Any]:
    r"""(i) The space-time lifted masked transformer on tokens $(x_i, t_i)$ equals the token-by-token causal transformer, and its output at time $t$ does not depend on later tokens. (ii)
    Every masked transformer on spatial tokens is identifiable: where the masked spatial contexts do not change with $t$, its output does not. Hence the non-identifiable target $\Lambda(\mu, x, t) = t$ is missed by
    at least $1/2$ somewhere by each of them.
    """
    ctx.prec = PRECISION
    words = Words(seed, "lifting", d, depth, m)
    layers = random_layers(words, d, depth, 2, SCALE)
    points = [random_point(words, d) for _ in range(m)]
    times = [Q(i, m - 1) for i in range(m)]

    def outputs(xs: list[list[fmpq]], **flags: Any) -> list[Point]:
        return lifted(layers, [(t, [arb(v) for v in x]) for t, x in zip(times, xs)], **flags)

    flags = {"masked": masked, "encoded": encoded}
    now = outputs(points, masked=masked)
    yield "tokens", eq(now, run_balls(compiled(described(layers, d, causal=True)), points), within=RADIUS)
    j = m // 2
    others = points[:j] + [random_point(words, d) for _ in range(m - j)]
    yield "future", eq(outputs(others, masked=masked)[:j], now[:j], within=RADIUS)
    constant = outputs([points[0]] * m, **flags)
    yield "constancy", eq(constant, [constant[0]] * m, within=RADIUS)
    errors = [abs(x[0] - t) for x, t in zip(constant, times)]
    yield "missed", le(Q(1, 2), errors[0].max(errors[-1]), within=RADIUS)


causal_lifting_identifiability.mutant("attention is not masked", masked=False, breaks="future")
causal_lifting_identifiability.mutant("attention is not masked, against tokens", masked=False, breaks="tokens")
causal_lifting_identifiability.mutant("time is written into the tokens", encoded=True, breaks="constancy")
