"""Means of arbitrary continuous functions over the context, by exponentials of averaged heads; causal ones for every prefix."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from theorems import ByBudget, Choices, Integers, Q, le, lt, shared
from theorems.papers.universal_in_context.lipschitz import exactly
from theorems.papers.universal_in_context.measures import integrated, log_laplace_slope
from theorems.papers.universal_in_context.paper import PAPER
from theorems.seeds import Words

PRECISION = 160
SPACING = Q(7, 10)
SLACK = Q(1, 10**8)
ORDER, CELLS = 12, 80
KINK = {"|y|": Q(0), "max(y - 0.3, 0)": Q(3, 10)}
CLAIMED = {  # sup errors, rounded up
    "|y|": {1: Q(129, 1000), 2: Q(70, 1000), 4: Q(36, 1000), 6: Q(24, 1000)},
    "max(y - 0.3, 0)": {1: Q(79, 1000), 2: Q(44, 1000), 4: Q(195, 10000), 6: Q(125, 10000)},
}


def h_of(name: str, y: fmpq) -> fmpq:
    """The function."""
    return abs(y) if name == "|y|" else max(y - KINK[name], fmpq(0))


@shared
def coefficients(name: str, J: int) -> tuple[fmpq, ...]:
    """Near-minimax alpha_j for nodes c_j = 0.7 j, |j| <= J, by a linear program on a Chebyshev grid (a search)."""
    from scipy.optimize import linprog

    kink = float(int(KINK[name].p) / int(KINK[name].q))
    y = np.unique(np.concatenate([np.cos(np.linspace(0, np.pi, 240)), np.linspace(kink - 0.05, kink + 0.05, 41)]))
    values = np.abs(y) if name == "|y|" else np.maximum(y - kink, 0)
    basis = np.exp(0.7 * np.outer(y, np.arange(-J, J + 1)))
    q, r = np.linalg.qr(basis)
    n, m = q.shape
    one = np.ones((n, 1))
    found = linprog(
        np.r_[np.zeros(m), 1],
        A_ub=np.block([[q, -one], [-q, -one]]),
        b_ub=np.r_[values, -values],
        bounds=[(None, None)] * m + [(0, None)],
        method="highs",
    )
    return tuple(exactly(v, 30) for v in np.linalg.solve(r, found.x[:-1]).tolist())


def node(j: int) -> fmpq:
    """c_j."""
    return SPACING * j


@lru_cache(maxsize=32)
def sup_error(name: str, J: int) -> tuple[arb, arb, fmpq]:
    """Rigorous lower and upper bounds of sup |h - sum alpha_j e^{c_j y}| on [-1, 1], and a rational point near the maximum.

    On each cell h is linear (the kink is a cell's end); Taylor's formula of order 12 bounds the error on it, and cells whose bound exceeds the lower bound by
    more than 1 in 1000 are halved.
    """
    ctx.prec = PRECISION
    low, worst = arb(0), Q(0)
    for i in range(CELLS + 1):
        for y in (Q(2 * i, CELLS) - 1, KINK[name]):
            error = abs(remainder(name, J, y, 0, fmpq(0))[0])
            if error > low:
                low, worst = error, y
    high = low
    cuts = sorted({*(Q(2 * i, CELLS) - 1 for i in range(CELLS + 1)), KINK[name]})
    cells = list(pairwise(cuts))
    while cells:
        left, right = cells.pop()
        middle, half = (left + right) / 2, (right - left) / 2
        steep = (h_of(name, right) - h_of(name, left)) / (right - left)
        derivatives = remainder(name, J, middle, ORDER, steep)
        bound, factor = arb(0), arb(1)
        for k, d in enumerate(derivatives[:-1]):
            bound += abs(d) * factor
            factor = factor * half / (k + 1)
        bound += derivatives[-1] * factor
        if bound > low * Q(1001, 1000) and half > Q(1, 10**5):  # branch
            cells += [(left, middle), (middle, right)]
        else:
            high = high.max(bound)
    return low, high, worst


def remainder(name: str, J: int, y: fmpq, order: int, steep: fmpq) -> list[arb]:
    """The derivatives of h - sum at y up to order - 1, and a bound of the next one within 1/CELLS of y; of order 0, the value."""
    nodes = [node(j) for j in range(-J, J + 1)]
    powers = [a * (arb(c) * y).exp() for a, c in zip(coefficients(name, J), nodes)]
    result = []
    for k in range(max(order, 1)):
        exact = h_of(name, y) if k == 0 else steep if k == 1 else fmpq(0)
        result.append(exact - sum(powers, arb(0)))
        powers = [p * c for p, c in zip(powers, nodes)]
    return [*result, sum((abs(p) * (abs(arb(c)) / CELLS).exp() for p, c in zip(powers, nodes)), arb(0))]


def transformer_map(
    name: str, J: int, mu: Sequence[tuple[fmpq, arb]], quadrature: int = 24, *, linear: bool = False
) -> arb:
    """sum_j alpha_j exp(int_0^{c_j} L(mu)(1, s) ds), every integral a weighted sum of heads."""
    total = arb(0)
    for a, j in zip(coefficients(name, J), range(-J, J + 1)):
        K = integrated(lambda s: log_laplace_slope(mu, s), arb(node(j)), quadrature) if j else arb(0)
        total += a * (1 + K if linear else K.exp())
    return total


def tokens(kind: str, n: int, name: str, J: int, seed: int) -> list[fmpq]:
    """n tokens in [-1, 1]; "worst": all at the largest error of the approximation."""
    words = Words(seed, "mean functional", kind, n)
    if kind == "worst":
        return [sup_error(name, J)[2]] * n
    if kind == "clustered":
        centre = Q(words.between(-900, 900), 1000)
        return [centre + Q(words.between(-100, 100), 1000) for _ in range(n)]
    return [Q(words.between(-1000, 1000), 1000) for _ in range(n)]


def mean(name: str, xs: Sequence[fmpq]) -> fmpq:
    """The mean of h."""
    return sum((h_of(name, x) for x in xs), fmpq(0)) / len(xs)


@PAPER.bound(
    source="Theorem 1, an explicit instance that is uniform in the number of tokens",
    fidelity="derived",
    evidence="certified",
    domain={
        "h": Choices("|y|", "max(y - 0.3, 0)"),
        "J": ByBudget(quick=Choices(4, 6), full=Choices(1, 2, 4, 6)),
        "kind": Choices("worst", "uniform", "clustered"),
        "n": ByBudget(quick=Choices(1, 3, 20), full=Choices(1, 3, 50, 200)),
        "seed": ByBudget(quick=Integers(0, 0), full=Integers(0, 1)),
    },
    where=lambda kind, n: kind != "worst" or n < 100,
    every=True,
    part="context",
    method="balls of 160 bits; the sup error from above by Taylor's formula on cells, from below at points; coefficients by a linear program (any coefficients would do)",
    rests_on=("exp(int_0^c L) = E e^{cy}, and the right side is linear in mu",),
    not_established="minimality of the coefficients; a bound for the quadrature error (its effect is below the stated slack of 1e-8 wherever it was run)",
)
def universal_mean_functional(h, J, kind, n, seed, *, quadrature=24, linear=False) -> Iterator[Any]:
    r"""For continuous $h$ on $[-1, 1]$, coefficients $\alpha_j$ and nodes $c_j = 0.7 j$, $|j| \le J$, the map $\mu \mapsto \sum_j \alpha_j \exp(\int_0^{c_j} L(\mu)(1, s)\, ds)$ (heads, averaged, then a token-wise map) satisfies
    $$\Bigl| \sum_j \alpha_j \exp \int_0^{c_j} L(\mu)(1, s)\, ds - \int h\, d\mu \Bigr| \le \sup_y \Bigl| h(y) - \sum_j \alpha_j e^{c_j y} \Bigr|$$ for every $\mu$ on $[-1, 1]$, whatever the number of tokens, and the right side tends to 0 as
    $J$ grows: for $|y|$ at most $.129, .070, .036, .024$ and for $\max(y - .3, 0)$ at most $.079, .044, .0195, .0125$ at $J = 1, 2, 4, 6$.
    """
    ctx.prec = PRECISION
    xs = tokens(kind, n, h, J, seed)
    mu = [(Q(1, n), arb(x)) for x in xs]
    error = abs(transformer_map(h, J, mu, quadrature, linear=linear) - mean(h, xs))
    yield "context", le(error, sup_error(h, J)[1] + SLACK)


@universal_mean_functional.check("sup errors", domain={"h": Choices(*KINK)}, every=True)
def _sup(h, *, optimistic=False):
    claimed = dict(CLAIMED[h]) | ({1: Q(2, 100)} if optimistic else {})
    bounds = {J: sup_error(h, J) for J in claimed}
    yield "sup errors", le([bounds[J][1] for J in claimed], [claimed[J] for J in claimed])
    yield "reached at points", le([bounds[J][0] for J in claimed], [claimed[J] for J in claimed])
    order = sorted(claimed)
    yield "decreasing", lt([bounds[b][1] for b in order[1:]], [bounds[a][0] for a in order[:-1]])


universal_mean_functional.mutant("J = 1 reaches 0.02", optimistic=True, breaks="reached at points")
universal_mean_functional.mutant("one node", quadrature=1, breaks="context")
universal_mean_functional.mutant("three nodes", quadrature=3, breaks="context")
universal_mean_functional.mutant("1 + K for exp(K)", linear=True, breaks="context")


MASKS: dict[str, Callable[[int, int], int]] = {
    "causal": lambda i, t: 1,
    "proportional": lambda i, t: i + 1,
}


@PAPER.bound(
    source="Theorem 2, an explicit instance: masked attention, uniform in the length of the prefix",
    fidelity="derived",
    evidence="certified",
    domain={
        "h": Choices(*KINK),
        "order": Choices("worst", "increasing", "random"),
        "length": ByBudget(quick=Choices(2, 10), full=Choices(1, 2, 5, 20)),
        "seed": ByBudget(quick=Integers(0, 0), full=Integers(0, 1)),
    },
    every=True,
    method="as for `universal-mean-functional`, J = 4, at every position of a sequence",
    rests_on=("`universal-mean-functional`",),
    not_established="causal maps that are not means of a function",
)
def causal_prefix_functional(h, order, length, seed, *, mask="causal") -> Iterator[Any]:
    r"""With the coefficients of `universal-mean-functional` and masked heads, at every position $t$ of a sequence in $[-1, 1]$ the value $\sum_j \alpha_j \exp(\int_0^{c_j} L(\mu_t)(1, s)\, ds)$, $\mu_t$ uniform on
    $x_1, \dots, x_t$, is within $\sup_y |h(y) - \sum_j \alpha_j e^{c_j y}|$ of the running mean $\frac1t \sum_{i \le t} h(x_i)$: one causal transformer for all prefix lengths.
    """
    ctx.prec = PRECISION
    J = 4
    xs = tokens("worst" if order == "worst" else "uniform", length, h, J, seed)
    if order == "increasing":
        xs = sorted(xs)
    errors = []
    for t in range(1, length + 1):
        seen = {"all": xs, "strict": xs[: max(1, t - 1)]}.get(mask, xs[:t])
        weight = MASKS.get(mask, MASKS["causal"])
        mu = [(Q(weight(i, t)), arb(x)) for i, x in enumerate(seen)]
        errors.append(abs(transformer_map(h, J, mu) - mean(h, xs[:t])))
    yield "main", le(errors, sup_error(h, J)[1] + SLACK)


causal_prefix_functional.mutant("heads are not masked", mask="all")
causal_prefix_functional.mutant("the mask is strict", mask="strict")
causal_prefix_functional.mutant("weights proportional to the position", mask="proportional")
