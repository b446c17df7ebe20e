"""Variance, ridge regression and the maximum, computed within the context by a few heads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flint import arb, ctx, fmpq

from theorems import ByBudget, Choices, Integers, Q, le, slope
from theorems.papers.universal_in_context.measures import integrated, log_laplace_slope
from theorems.papers.universal_in_context.paper import PAPER
from theorems.seeds import Words

PRECISION = 160
ONE, THIRD = Q(1), Q(1, 3)
Weighted = list[tuple[fmpq, arb]]


def line_measure(words: Words, kind: str) -> list[tuple[fmpq, fmpq]]:
    """2 to 7 atoms in [-1, 1], uniform or near the ends."""
    count = words.between(2, 7)
    sizes = [words.between(1, 20) for _ in range(count)]
    points = []
    for _ in range(count):
        if kind == "ends":
            points.append((1 - 2 * words.below(2)) * (1 - Q(words.below(40), 1000)))
        else:
            points.append(Q(words.between(-1000, 1000), 1000))
    return [(Q(s, sum(sizes)), p) for s, p in zip(sizes, points)]


COIN = [(Q(1, 2), Q(-1)), (Q(1, 2), Q(1))]


def variance(atoms: list[tuple[fmpq, fmpq]]) -> fmpq:
    """Var(mu)."""
    mean = sum((w * y for w, y in atoms), fmpq(0))
    return sum((w * y * y for w, y in atoms), fmpq(0)) - mean * mean


def two_heads(atoms: list[tuple[fmpq, fmpq]], c: fmpq, heads: int = 2) -> arb:
    """(L(c) - L(-c))/(2c), or (L(c) - L(0))/c with one head."""
    mu: Weighted = [(w, arb(y)) for w, y in atoms]
    if heads == 1:
        return (log_laplace_slope(mu, arb(c)) - log_laplace_slope(mu, arb(0))) / c
    return (log_laplace_slope(mu, arb(c)) - log_laplace_slope(mu, arb(-c))) / (2 * c)


@PAPER.bound(
    source="abstract: in-context learning as regression within the context; explicit heads",
    fidelity="derived",
    evidence="certified",
    domain={
        "kind": Choices("uniform", "ends"),
        "c": Choices(Q(1, 30), Q(1, 4), Q(1), Q(3)),
        "seed": ByBudget(quick=Integers(0, 24), full=Integers(0, 999)),
    },
    every=True,
    part="variance",
    method="balls of 160 bits; the fair coin for sharpness; ridge regression on contexts of 2 to 60 tokens (1000 at full), its exponent as a slope of balls",
    rests_on=(
        "Taylor: the error is (c^2/6) K''''(xi) and the fourth cumulant of a measure on [-1, 1] lies in [-2, 4/3]",
    ),
    not_established="regression in more than one dimension",
)
def in_context_regression(kind, c, seed, *, factor=THIRD) -> Iterator[Any]:
    r"""(a) For every $\mu$ on $[-1, 1]$ and $c > 0$, two heads give $|(L(c) - L(-c))/(2c) - \mathrm{Var}(\mu)| \le c^2/3$, sharp as $c \to 0$. (b) For tokens $(x, y)$ with $x, y \in [-1, 1]$ the ridge coefficient
    $w = E[xy]/(E[x^2] + \lambda)$, with $E[x^2] = \mathrm{Var}\, x + (E x)^2$ and $E[xy] = \mathrm{Var}\frac{x+y}2 - \mathrm{Var}\frac{x-y}2 + E x\, E y$ estimated by two heads per variance, is found up to
    $(2c^2/3 + |w| c^2/3)/(E[x^2] + \lambda - c^2/3)$ for every number of tokens; the error is of the order $c^2$.
    """
    ctx.prec = PRECISION
    atoms = line_measure(Words(seed, "variance", kind), kind)
    yield "variance", le(abs(two_heads(atoms, c) - variance(atoms)), factor * c * c)


@in_context_regression.check("coin", domain={"c": Choices(Q(1, 50), Q(1, 200))}, every=True)
def _coin(c, *, factor=THIRD, heads=2):
    """The fair coin: tanh(c)/c - 1 = -c^2/3 + ..."""
    ctx.prec = PRECISION
    error = abs(two_heads(COIN, c) - 1)
    yield "coin", le(error, factor * c * c)
    yield "sharp", le(Q(999, 1000) * c * c / 3, error)
    asymmetric = [(Q(1, 4), Q(-1)), (Q(3, 4), Q(1))]
    steps = [c, c / 2, c / 4, c / 8]
    errors = [abs(two_heads(asymmetric, h, heads) - variance(asymmetric)) for h in steps]
    yield "order", slope(steps, errors, 2, within=Q(1, 10))


def regression_context(tokens: int, seed: int) -> list[tuple[fmpq, fmpq]]:
    """Tokens (x, y), y = theta x + noise, clipped to [-1, 1]."""
    words = Words(seed, "regression", tokens)
    theta = Q(words.between(-150, 150), 100)
    pairs = []
    for _ in range(tokens):
        x = Q(words.between(-1000, 1000), 1000)
        noise = Q(sum(words.between(-100, 100) for _ in range(12)), 1000) / 5 * 2
        pairs.append((x, max(Q(-1), min(Q(1), theta * x + noise))))
    return pairs


def ridge(pairs: list[tuple[fmpq, fmpq]], c: fmpq | None, lam: fmpq, *, means: bool = True) -> tuple[Any, Any]:
    """The coefficient and E[x^2] + lam; with heads at scale c, or exactly for c = None."""
    n = len(pairs)
    weight = Q(1, n)

    def var(values: list[fmpq]) -> Any:
        atoms = [(weight, v) for v in values]
        return variance(atoms) if c is None else two_heads(atoms, c)

    xs, ys = [p[0] for p in pairs], [p[1] for p in pairs]
    mx, my = sum(xs, fmpq(0)) / n, sum(ys, fmpq(0)) / n
    second = var(xs) + mx * mx
    cross = var([(x + y) / 2 for x, y in pairs]) - var([(x - y) / 2 for x, y in pairs]) + (mx * my if means else 0)
    return cross / (second + lam), second + lam


@in_context_regression.check(
    "ridge",
    domain={
        "tokens": ByBudget(quick=Choices(2, 10, 60), full=Choices(2, 10, 300, 1000)),
        "seed": ByBudget(quick=Integers(0, 4), full=Integers(0, 9)),
    },
    every=True,
)
def _ridge(tokens, seed, *, means=True, order=2):
    ctx.prec = PRECISION
    pairs, lam = regression_context(tokens, seed), Q(1, 10)
    w, denominator = ridge(pairs, None, lam)
    scales = [Q(2, 5), Q(1, 5), Q(1, 10), Q(1, 20)]
    errors = []
    for c in scales:
        error = abs(ridge(pairs, c, lam, means=means)[0] - w)
        errors.append(error)
        if denominator > c * c / 3:
            yield "ridge", le(error, (Q(2, 3) + abs(w) / 3) * c * c / (denominator - c * c / 3))
    yield "ridge order", slope(scales[1:], errors[1:], order, within=Q(3, 10), drift=None, fewest=3)


in_context_regression.mutant("1/4 for 1/3", factor=Q(1, 4), breaks="coin")
in_context_regression.mutant("one head", heads=1, breaks="order")
in_context_regression.mutant("the product of means is dropped", means=False, breaks="ridge")
in_context_regression.mutant("order 1", order=1, breaks="ridge order")
in_context_regression.mutant("order 3", order=3, breaks="ridge order")


def tokens_of(kind: str, n: int, seed: int) -> list[fmpq]:
    """n tokens in [-1, 1]."""
    words = Words(seed, "maximum", kind, n)
    if kind == "equal":
        return [Q(words.between(-1000, 1000), 1000)] * n
    if kind == "one above":
        return [Q(1)] + [Q(-1)] * (n - 1)
    if kind == "clustered":
        noise = [Q(sum(words.between(-100, 100) for _ in range(12)), 4000) for _ in range(n)]
        return [min(Q(1), Q(9, 10) + v) for v in noise]
    return [Q(words.between(-1000, 1000), 1000) for _ in range(n)]


@PAPER.bound(
    source="abstract: approximation of permutation-invariant maps of a fixed number of tokens",
    fidelity="derived",
    evidence="certified",
    domain={
        "kind": Choices("equal", "one above", "uniform", "clustered"),
        "n": Choices(3, 2, 5, 10, 50),
        "c": Choices(Q(2), Q(8), Q(32), Q(128)),
        "seed": ByBudget(quick=Integers(0, 0), full=Integers(0, 24)),
    },
    every=True,
    part="maximum",
    method="log-sum-exp in balls of 160 bits; Gauss-Legendre heads against it",
    rests_on=("int_0^c L = log E e^{cx}",),
    not_established="that an inverse temperature of order log n/epsilon is necessary",
)
def max_of_n_tokens(kind, n, c, seed, *, centred=True, factor=ONE, logarithm="n") -> Iterator[Any]:
    r"""For $n$ tokens in $[-1, 1]$, $\mu$ uniform on them and $c > 0$, $M_c(\mu) = \frac1c \int_0^c L(\mu)(1, s)\, ds + \frac{\ln n}{2c}$ satisfies $|M_c(\mu) - \max_i x_i| \le \frac{\ln n}{2c}$, and both ends are attained in
    the limit: the maximum of a fixed number of tokens is approximated by averaged heads.
    """
    ctx.prec = PRECISION
    xs = tokens_of(kind, n, seed)
    top = max(xs)
    mean = sum(((c * arb(x - top)).exp() for x in xs), arb(0)) / n
    centre = arb(n if logarithm == "n" else 2).log() / (2 * c)
    off = mean.log() / c + (centre if centred else 0)  # M_c - max
    tolerance = factor * centre
    yield "maximum", le(abs(off), tolerance, within=Q(1, 10**30))


@max_of_n_tokens.check(
    "quadrature",
    domain={"kind": Choices("one above", "uniform"), "n": Choices(3, 10), "c": Choices(Q(2), Q(8), Q(32))},
    every=True,
)
def _quadrature(kind, n, c, *, nodes=24):
    """24 Gauss-Legendre heads on each of max(1, c/4) panels against the logarithm."""
    ctx.prec = PRECISION
    xs = tokens_of(kind, n, 0)
    mu: Weighted = [(Q(1, n), arb(x)) for x in xs]
    heads = integrated(lambda s: log_laplace_slope(mu, s), arb(c), nodes, max(1, int(c.p) // 4))
    exact = (sum(((c * arb(x)).exp() for x in xs), arb(0)) / n).log()
    yield "quadrature", le(abs(heads - exact), Q(1, 10**12))


max_of_n_tokens.mutant("not centred", centred=False, breaks="maximum")
max_of_n_tokens.mutant("nine tenths of the bound", factor=Q(9, 10), breaks="maximum")
max_of_n_tokens.mutant("ln 2 for ln n", logarithm="2", breaks="maximum")
max_of_n_tokens.mutant("three nodes a panel", nodes=3, breaks="quadrature")
