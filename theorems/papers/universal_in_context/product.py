"""Sums of products of elementary maps, computed by one transformer of fixed width."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flint import arb, ctx, fmpq

from theorems import ByBudget, Choices, Integers, Q, eq, le, slope
from theorems.papers.universal_in_context.measures import (
    Context,
    HeadWeights,
    Matrix,
    Point,
    attention,
    gaussian,
    random_point,
)
from theorems.papers.universal_in_context.paper import PAPER
from theorems.seeds import Words

PRECISION = 128
SEVEN, FIVE, ONE = Q(7, 10), Q(1, 2), Q(1)
Multiply = Callable[[arb, arb], arb]


@dataclass(frozen=True)
class Elementary:
    """gamma(mu, x) = s + int e^{c s u} v u dmu / int e^{c s u} dmu, s = <a, x> + b, u = <a, y> + b."""

    a: tuple[fmpq, ...]
    b: fmpq
    c: fmpq
    v: fmpq


Term = tuple[Elementary, ...]
Target = tuple[Term, ...]


def random_target(words: Words, d: int) -> Target:
    """2 or 3 terms of 1 to 3 factors."""
    return tuple(
        tuple(
            Elementary(
                tuple(gaussian(words, SEVEN) for _ in range(d)),
                gaussian(words, FIVE),
                gaussian(words, ONE),
                gaussian(words, ONE),
            )
            for _ in range(words.between(1, 3))
        )
        for _ in range(words.between(2, 3))
    )


def elementary(g: Elementary, mu: Context, x: Point) -> arb:
    """gamma(mu, x), directly."""

    def affine(y: Point) -> arb:
        return sum((a * v for a, v in zip(g.a, y)), arb(g.b))

    s = affine(x)
    us = [(w, affine(y)) for w, y in mu]
    weights = [w * (g.c * s * u).exp() for w, u in us]
    return s + g.v * sum((w * u for w, (_, u) in zip(weights, us)), arb(0)) / sum(weights, arb(0))


def value(target: Target, mu: Context, x: Point) -> arb:
    """The sum of products, directly."""
    total = arb(0)
    for term in target:
        product = arb(1)
        for g in term:
            product *= elementary(g, mu, x)
        total += product
    return total


@dataclass(frozen=True)
class Wrong:
    """What mutants change.

    Attributes:
        sum_slot: whether finished products are added up in a slot of their own (else the last one is kept).
        moving: whether attention reads the context that moved with the tokens.
        products: whether factors are multiplied (else added).
    """

    sum_slot: bool = True
    moving: bool = True
    products: bool = True


RIGHT = Wrong()


@dataclass
class Run:
    """Final streams, and the sizes that were used."""

    streams: list[Point]
    dimension: int
    most_heads: int
    depth: int


def run(targets: Sequence[Target], mu: Context, multiply: Multiply, wrong: Wrong = RIGHT) -> Run:
    """The deep transformer on tokens (x, S_1, P_1, G_1, ..., S_d', P_d', G_d').

    One layer per factor: a token-wise map writes G_i = <a, x> + b, one head per target with k = 1 replaces G_i by gamma,
    and a token-wise map multiplies P_i by G_i; at the end of a term it adds P_i to S_i.
    """
    d, count = len(mu[0][1]), len(targets)
    D = d + 3 * count
    tokens = [(w, [*y, *([arb(0), arb(1), arb(0)] * count)]) for w, y in mu]
    schedule = [[(g, l == len(term) - 1) for term in target for l, g in enumerate(term)] for target in targets]
    depth, most = max(map(len, schedule)), 0
    for layer in range(depth):
        active = {i: s[layer] for i, s in enumerate(schedule) if layer < len(s)}
        before = tokens
        tokens = [(w, written(z, d, count, active)) for w, z in tokens]
        heads = [head(g, d + 3 * i + 2, D) for i, (g, _) in active.items()]
        most = max(most, len(heads))
        seen = tokens if wrong.moving else before
        tokens = [(w, attention(heads, seen, z)) for w, z in tokens]
        tokens = [(w, combined(z, d, active, multiply, wrong)) for w, z in tokens]
    return Run([z for _, z in tokens], D, most, depth)


def written(z: Point, d: int, count: int, active: dict[int, tuple[Elementary, bool]]) -> Point:
    """G_i = <a, x> + b where target i is active, else 0."""
    z = list(z)
    for i in range(count):
        z[d + 3 * i + 2] = arb(0)
    for i, (g, _) in active.items():
        z[d + 3 * i + 2] = sum((a * v for a, v in zip(g.a, z[:d])), arb(g.b))
    return z


def head(g: Elementary, place: int, D: int) -> HeadWeights:
    """Q = c e^T, K = e^T, V = v e^T, W = e at one coordinate; the skip connection supplies s."""

    def row(scale: fmpq) -> Matrix:
        return (tuple(scale if j == place else Q(0) for j in range(D)),)

    unit: Matrix = tuple((Q(1) if j == place else Q(0),) for j in range(D))
    return HeadWeights(row(g.c), row(Q(1)), row(g.v), unit)


def combined(z: Point, d: int, active: dict[int, tuple[Elementary, bool]], multiply: Multiply, wrong: Wrong) -> Point:
    """P_i <- P_i G_i; at the end of a term S_i <- S_i + P_i and P_i <- 1."""
    z = list(z)
    for i, (_, last) in active.items():
        S, P, G = d + 3 * i, d + 3 * i + 1, d + 3 * i + 2
        z[P] = multiply(z[P], z[G]) if wrong.products else z[P] + z[G]
        if last:
            z[S] = z[S] + z[P] if wrong.sum_slot else z[P]
            z[P] = arb(1)
    return z


def ideal(p: arb, q: arb) -> arb:
    """The product itself."""
    return p * q


def relu_product(h: fmpq) -> Multiply:
    """(sq(p + q) - sq(p - q))/4 with sq the piecewise-linear interpolant of t^2 of mesh h."""

    def chord(t: arb, k: int) -> arb:
        left, right = k * h, (k + 1) * h
        return arb(left * left) + (t - left) * (left + right)

    def square(t: arb) -> arb:
        low, high = ((t.lower() / h).floor(), (t.upper() / h).floor())
        first, last = (int(b.mid().unique_fmpz()) for b in (low, high))
        result = chord(t, first)
        for k in range(first + 1, last + 1):
            result = result.max(chord(t, k))  # the interpolant of a convex function is the largest of its chords
        return result

    return lambda p, q: (square(p + q) - square(p - q)) / 4


def random_context(words: Words, d: int, count: int) -> Context:
    """Weighted atoms in [-1, 1]^d."""
    return [(Q(words.between(1, 50)), [arb(v) for v in random_point(words, d)]) for _ in range(count)]


@PAPER.construction(
    source="Lemmas 2 and 3: elementary maps, their algebra, and its realisation with fixed width",
    fidelity="derived",
    evidence="certified",
    domain={
        "d": Choices(1, 2, 3),
        "outputs": Choices(1, 2, 3),
        "tokens": ByBudget(quick=Choices(1, 6), full=Choices(1, 6, 40)),
        "seed": ByBudget(quick=Integers(0, 0), full=Integers(0, 5)),
    },
    every=True,
    part="values",
    method="a measure transformer with these matrices against the sum of products, in balls of 128 bits; products by ReLU interpolants of the square on meshes 0.4 "
    "to 0.05",
    not_established="density of the algebra (Stone-Weierstrass); networks that compute exact products (none do: ReLU products are approximate)",
)
def fixed_width_product_construction(d, outputs, tokens, seed, *, wrong=RIGHT) -> Iterator[Any]:
    r"""For $\gamma_{a,b,c,v}(\mu, x) = s + \int e^{c s u} v u\, d\mu / \int e^{c s u}\, d\mu$, $s = \langle a, x \rangle + b$, $u = \langle a, y \rangle + b$, and targets $T_i = \sum_j \prod_l \gamma_{\lambda_{ijl}}$, $i =
    1, \dots, d'$, a deep transformer of token dimension $d + 3d'$ with at most $d'$ heads of width $k = d_{head} = 1$ and as many layers as factors in the longest target computes $(T_1, \dots, T_{d'})$ at every token for
    every context. With ReLU products of mesh $h$ the error is of the order $h^2$, whatever the number of tokens.
    """
    ctx.prec = PRECISION
    words = Words(seed, "product", d, outputs, tokens)
    targets = [random_target(words, d) for _ in range(outputs)]
    mu = random_context(words, d, tokens)
    result = run(targets, mu, ideal, wrong)
    got = [[z[d + 3 * i] for i in range(outputs)] for z in result.streams]
    yield "values", eq(got, [[value(t, mu, y) for t in targets] for _, y in mu], within=Q(1, 10**20))
    yield "sizes", eq([result.dimension, result.depth], [d + 3 * outputs, max(sum(map(len, t)) for t in targets)])
    yield "heads", le(result.most_heads, outputs)


MESHES = (Q(2, 5), Q(1, 5), Q(1, 10), Q(1, 20))


@fixed_width_product_construction.check(
    "ReLU products", domain={"tokens": ByBudget(quick=Choices((1, 20)), full=Choices((1, 20, 100)))}, every=True
)
def _relu(tokens, *, order=2):
    """The largest error over fixed contexts of the stated sizes falls like h^2."""
    ctx.prec = PRECISION
    words = Words(0, "ReLU products")
    target = random_target(words, 2)
    contexts = [random_context(words, 2, n) for n in tokens]
    errors = []
    for h in MESHES:
        largest = arb(0)
        for mu in contexts:
            for (_, y), z in zip(mu, run([target], mu, relu_product(h)).streams):
                largest = largest.max(abs(z[2] - value(target, mu, y)))
        errors.append(largest)
    yield "order", slope(list(MESHES), errors, order, within=Q(2, 10), drift=None)


fixed_width_product_construction.mutant("no slot for the sum", wrong=Wrong(sum_slot=False), breaks="values")
fixed_width_product_construction.mutant("attention reads the old context", wrong=Wrong(moving=False), breaks="values")
fixed_width_product_construction.mutant("sums for products", wrong=Wrong(products=False), breaks="values")
fixed_width_product_construction.mutant("order 3", order=3, breaks="order")
