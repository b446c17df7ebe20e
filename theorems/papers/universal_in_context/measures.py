"""Transformers that act on measures: weighted atoms, in-context composition with push-forward, in balls.

A context is a list of atoms (weight, point); weights need not sum to 1, since attention normalises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flint import arb, fmpq

from solvers.transformers import Attention, FeedForward, Form, Head, Part, Transformer, constant, form, total
from theorems.seeds import Words

Matrix = tuple[tuple[fmpq, ...], ...]
Point = list[arb]
Context = list[tuple[fmpq, Point]]


@dataclass(frozen=True)
class HeadWeights:
    """Q, K (k x d), V (h x d), W (d x h); k is 1 or 4, so that sqrt k is rational."""

    Q: Matrix
    K: Matrix
    V: Matrix
    W: Matrix

    @property
    def root(self) -> int:
        """sqrt k."""
        return {1: 1, 4: 2}[len(self.Q)]


@dataclass(frozen=True)
class Network:
    """x + C relu(A x + b)."""

    A: Matrix
    b: tuple[fmpq, ...]
    C: Matrix


@dataclass(frozen=True)
class Layer:
    """Heads with a skip connection, then a network with a skip connection."""

    heads: tuple[HeadWeights, ...]
    network: Network


def gaussian(words: Words, scale: fmpq) -> fmpq:
    """A sum of twelve uniform rationals, of about the given standard deviation."""
    return scale * fmpq(sum(words.between(-50, 50) for _ in range(12)), 100)


def matrix(words: Words, rows: int, columns: int, scale: fmpq) -> Matrix:
    """Random entries."""
    return tuple(tuple(gaussian(words, scale) for _ in range(columns)) for _ in range(rows))


def random_head(words: Words, d: int, k: int, h: int, scale: fmpq) -> HeadWeights:
    """A random head."""
    return HeadWeights(*(matrix(words, *shape, scale) for shape in ((k, d), (k, d), (h, d), (d, h))))


def random_layers(words: Words, d: int, depth: int, heads: int, scale: fmpq, width: int = 5) -> tuple[Layer, ...]:
    """A random deep transformer."""
    return tuple(
        Layer(
            tuple(random_head(words, d, 1 if words.below(2) else 4, 2, scale) for _ in range(heads)),
            Network(
                matrix(words, width, d, scale),
                tuple(gaussian(words, scale) for _ in range(width)),
                matrix(words, d, width, scale),
            ),
        )
        for _ in range(depth)
    )


def random_point(words: Words, d: int) -> list[fmpq]:
    """A point of [-1, 1]^d."""
    return [fmpq(words.between(-20, 20), 20) for _ in range(d)]


def apply(M: Matrix, x: Sequence[arb]) -> Point:
    """M x."""
    return [sum((m * v for m, v in zip(row, x)), arb(0)) for row in M]


def inner(x: Sequence[arb], y: Sequence[arb]) -> arb:
    """<x, y>."""
    return sum((a * b for a, b in zip(x, y)), arb(0))


def attended(head: HeadWeights, mu: Context, x: Point, *, normalised: bool = True) -> Point:
    """W times the attended average of V y; scores are shifted by their largest midpoint first."""
    q = apply(head.Q, x)
    scores = [inner(q, apply(head.K, y)) / head.root for _, y in mu]
    top = max(scores, key=lambda s: float(s.mid())) if normalised else arb(0)
    weights = [w * (s - top).exp() for (w, _), s in zip(mu, scores)]
    mass = sum(weights, arb(0)) if normalised else arb(1)
    values = [apply(head.V, y) for _, y in mu]
    mean = [sum((w * v[r] for w, v in zip(weights, values)), arb(0)) / mass for r in range(len(head.V))]
    return apply(head.W, mean)


def attention(heads: Sequence[HeadWeights], mu: Context, x: Point, *, normalised: bool = True) -> Point:
    """Gamma(mu, x): the skip connection and all heads."""
    out = list(x)
    for head in heads:
        out = [a + b for a, b in zip(out, attended(head, mu, x, normalised=normalised))]
    return out


def pointwise(network: Network, x: Point) -> Point:
    """F(x)."""
    hidden = [(u + b).max(arb(0)) for u, b in zip(apply(network.A, x), network.b)]
    return [v + u for v, u in zip(x, apply(network.C, hidden))]


def evaluate(
    layers: Sequence[Layer],
    mu: Context,
    x: Point,
    *,
    pushed: bool = True,
    normalised: bool = True,
    context_order: str = "attention first",
) -> Point:
    """The deep transformer at (mu, x), by in-context composition.

    Args:
        pushed: whether later layers see the moved context.
        normalised: whether attention divides by its mass.
        context_order: "network first" composes the context's maps in the wrong order.
    """
    for layer in layers:
        y = pointwise(layer.network, attention(layer.heads, mu, x, normalised=normalised))
        if pushed:
            moved = []
            for w, z in mu:
                if context_order == "network first":
                    z = attention(layer.heads, mu, pointwise(layer.network, z), normalised=normalised)
                else:
                    z = pointwise(layer.network, attention(layer.heads, mu, z, normalised=normalised))
                moved.append((w, z))
            mu = moved
        x = y
    return x


def described(layers: Sequence[Layer], d: int, *, causal: bool = False) -> Transformer:
    """The same transformer as an ordinary one on tokens."""
    names = tuple(f"x{r}" for r in range(d))
    parts: list[Part] = []

    def rows(M: Matrix, inputs: Sequence[str]) -> list[Form]:
        return [total(m * form(n) for m, n in zip(row, inputs)) for row in M]

    for layer in layers:
        heads = []
        for h in layer.heads:
            values = rows(h.V, names)
            mixed = {n: total(w * v for w, v in zip(row, values)) for n, row in zip(names, h.W)}
            query = tuple(q / h.root for q in rows(h.Q, names))
            heads.append(Head(query, tuple(rows(h.K, names)), mixed, rule="softmax"))
        parts.append(Attention(tuple(heads), causal))
        hidden = {
            f"h{k}": f + constant(b) for k, (f, b) in enumerate(zip(rows(layer.network.A, names), layer.network.b))
        }
        parts.append(FeedForward((hidden,), dict(zip(names, rows(layer.network.C, tuple(hidden))))))
    return Transformer(names, tuple(parts))


def log_laplace_slope(atoms: Sequence[tuple[fmpq, arb]], c: arb) -> arb:
    """L(mu)(1, c) = int e^{cy} y dmu / int e^{cy} dmu: one attention head."""
    weights = [w * (c * y).exp() for w, y in atoms]
    return sum((w * y for w, (_, y) in zip(weights, atoms)), arb(0)) / sum(weights, arb(0))


def integrated(f: Callable[[arb], arb], end: arb, nodes: int = 24, panels: int = 1) -> arb:
    """Gauss-Legendre quadrature of f over [0, end]: a weighted sum of that many heads (no bound of its error)."""
    result = arb(0)
    step = end / panels
    for p in range(panels):
        for k in range(nodes):
            node, weight = arb.legendre_p_root(nodes, k, True)
            result += weight * step / 2 * f(step * (p + (node + 1) / 2))
    return result
