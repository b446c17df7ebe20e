"""How continuous attention is in the context, and why no transformer finds a maximum among arbitrarily many tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from theorems import ByBudget, Choices, Integers, Q, le
from theorems.papers.universal_in_context.composition import context
from theorems.papers.universal_in_context.measures import (
    Context,
    HeadWeights,
    Matrix,
    Point,
    apply,
    attended,
    attention,
    evaluate,
    gaussian,
    matrix,
    random_head,
    random_layers,
)
from theorems.papers.universal_in_context.paper import PAPER
from theorems.seeds import Words

Atoms = list[tuple[fmpq, list[fmpq]]]  # weights sum to 1
PRECISION = 200
IDENTITY: Matrix = ((Q(1),),)


def norm(x: Sequence[arb]) -> arb:
    """The Euclidean norm."""
    return sum((v * v for v in x), arb(0)).sqrt()


def exactly(value: float, bits: int = 24) -> fmpq:
    """A rational near a double that was found by a search."""
    return fmpq(round(value * 2**bits), 2**bits)


def spectral_from_below(M: Matrix) -> arb:
    """||M v||/||v|| <= ||M||_2 at a vector v near the top singular one."""
    floats = np.array([[int(e.p) / int(e.q) for e in row] for row in M])
    v = [arb(exactly(c)) for c in np.linalg.svd(floats)[2][0].tolist()]
    return norm(apply(M, v)) / norm(v)


def wasserstein_from_below(mu: Atoms, nu: Atoms) -> arb:
    """A lower bound of W_1: on the line exactly, else a dual potential of the linear program, made 1-Lipschitz in balls."""
    signed = [(w, y) for w, y in mu] + [(-w, y) for w, y in nu]
    if len(signed[0][1]) == 1:
        ordered = sorted((y[0], w) for w, y in signed)
        total, height = fmpq(0), fmpq(0)
        for (y, w), (z, _) in pairwise(ordered):
            height += w
            total += abs(height) * (z - y)
        return arb(total)
    from scipy.optimize import linprog

    points = [y for _, y in signed]
    n = len(points)
    distance = [[norm([arb(a - b) for a, b in zip(p, q)]) for q in points] for p in points]
    rows, limits = [], []
    for i in range(n):
        for j in range(n):
            if i != j:
                row = np.zeros(n)
                row[i], row[j] = 1, -1
                rows.append(row)
                limits.append(float(distance[i][j].mid()))
    weights = np.array([int(w.p) / int(w.q) for w, _ in signed])
    found = linprog(-weights, A_ub=np.array(rows), b_ub=limits, bounds=[(-20, 20)] * n, method="highs")
    potential = [exactly(v) for v in found.x.tolist()]
    steepest = arb(1)
    for i in range(n):
        for j in range(n):
            gap = potential[i] - potential[j]
            if gap > 0 and points[i] != points[j]:
                steepest = steepest.max(arb(gap) / distance[i][j])
            elif gap > 0:
                return arb(0)  # equal points with different values: no potential at all
    return sum((arb(w * f) for (w, _), f in zip(signed, potential)), arb(0)) / steepest


def atoms_to_context(mu: Atoms) -> Context:
    """The same measure in balls."""
    return [(w, [arb(v) for v in y]) for w, y in mu]


def constant(r: arb, form: str) -> arb:
    """(1 + 2r) e^{2r}, or a mutant's factor."""
    return {
        "full": (1 + 2 * r) * (2 * r).exp(),
        "1 + 2r": 1 + 2 * r,
        "e^{2r}": (2 * r).exp(),
        "(1 + 2r) e^r": (1 + 2 * r) * r.exp(),
    }[form]


def steepness(head: HeadWeights, x: Point, R: fmpq) -> arb:
    """r = ||K^T Q x|| R / sqrt k."""
    q = apply(head.Q, x)
    transposed: Matrix = tuple(zip(*head.K))
    return norm(apply(transposed, q)) * R / head.root


def compared(head: HeadWeights, x: Point, R: fmpq, mu: Atoms, nu: Atoms, form: str) -> tuple[Any, Any]:
    """Both sides of the Lipschitz bound, for W the identity."""
    left = [a - b for a, b in zip(*(attended(head, atoms_to_context(m), x) for m in (mu, nu)))]
    return norm(left), spectral_from_below(head.V) * constant(steepness(head, x, R), form) * wasserstein_from_below(
        mu, nu
    )


def random_measure(words: Words, d: int, R: fmpq, count: int) -> Atoms:
    """Atoms in the ball of radius R."""
    sizes = [words.between(1, 9) for _ in range(count)]
    atoms: Atoms = []
    while len(atoms) < count:
        y = [R * fmpq(words.between(-100, 100), 100) for _ in range(d)]
        if sum((v * v for v in y), fmpq(0)) <= R * R:
            atoms.append((fmpq(sizes[len(atoms)], sum(sizes)), y))
    return atoms


@PAPER.bound(
    source="the paper measures smoothness of in-context maps by weak* continuity; a Lipschitz form of it",
    fidelity="derived",
    evidence="certified",
    domain={
        "d": Choices(1, 2, 3),
        "near": Choices(False, True),
        "R": Choices(Q(3, 10), Q(1), Q(2)),
        "seed": ByBudget(quick=Integers(0, 2), full=Integers(0, 99)),
    },
    every=True,
    method="balls of 200 bits; the right side from below: a dual potential made 1-Lipschitz, a Rayleigh quotient for ||V||; the moving atom, whose ratio tends to 1",
    rests_on=(
        "the difference is a quotient of an integral against mu - nu of a function with Lipschitz constant e^{|a|R} ||V|| (1 + 2|a|R) by a mass of at least "
        "e^{-|a|R}, a = K^T Q x/sqrt k; Kantorovich duality",
    ),
    not_established="several layers (constants multiply)",
)
def attention_wasserstein_lipschitz(d, near, R, seed, *, form="full") -> Iterator[Any]:
    r"""For one head, contexts in the ball of radius $R$ and $r = \|K^T Q x\| R/\sqrt k$, the output $A(\mu, x)$ satisfies $\|A(\mu, x) - A(\nu, x)\| \le \|V\|_2 (1 + 2r) e^{2r}\, W_1(\mu, \nu)$, and the
    constant is sharp.
    """
    ctx.prec = PRECISION
    words = Words(seed, "lipschitz", d, int(near), str(R))
    k = 1 if words.below(2) else 4
    eye: Matrix = tuple(tuple(Q(1 if i == j else 0) for j in range(d)) for i in range(d))
    head = HeadWeights(matrix(words, k, d, Q(7, 10)), matrix(words, k, d, Q(7, 10)), matrix(words, d, d, Q(1)), eye)
    x = [arb(gaussian(words, Q(1))) for _ in range(d)]
    mu = random_measure(words, d, R, words.between(1, 5))
    if near:
        nu = [(w, [v * Q(99, 100) for v in y]) for w, y in mu]
    else:
        nu = random_measure(words, d, R, words.between(1, 5))
    left, right = compared(head, x, R, mu, nu, form)
    yield "main", le(left, right, within=Q(1, 10**40))  # equality at r = 0, where attention is uniform


@attention_wasserstein_lipschitz.check(
    "hard pairs",
    domain={"r": Choices(Q(1, 2), Q(1), Q(2), Q(4)), "kind": Choices("moving atom", "new atom")},
    every=True,
)
def _hard(r, kind, *, form="full"):
    """d = 1, R = V = 1: mass e on a far atom that moves by s (ratio near 1), or that appears."""
    ctx.prec = PRECISION
    e, s = Q(1, 10**7), Q(1, 10**5)
    head = HeadWeights(((Q(1),),), ((Q(1),),), IDENTITY, IDENTITY)
    one, x = Q(1), [arb(r)]
    mu: Atoms = [(1 - e, [-one]), (e, [one])]
    nu: Atoms = [(1 - e, [-one]), (e, [1 - s])] if kind == "moving atom" else [(one, [-one])]
    left, right = compared(head, x, one, mu, nu, form)
    yield "hard pairs", le(left, right)
    if kind == "moving atom":
        yield "sharp", le(Q(999, 1000) * right, left)


attention_wasserstein_lipschitz.mutant("without e^{2r}", form="1 + 2r", breaks="hard pairs")
attention_wasserstein_lipschitz.mutant("without 1 + 2r", form="e^{2r}", breaks="hard pairs")
attention_wasserstein_lipschitz.mutant("e^r for e^{2r}", form="(1 + 2r) e^r", breaks="hard pairs")


def ends(d: int, mass: fmpq) -> Atoms:
    """1 - mass on (-1, ..., -1) and mass on (1, ..., 1)."""
    return [(1 - mass, [Q(-1)] * d), (mass, [Q(1)] * d)]


@PAPER.bound(
    source="why smoothness is measured by weak* continuity: the maximum over any number of tokens is not approximable",
    fidelity="derived",
    evidence="certified",
    domain={
        "d": Choices(1, 2, 3),
        "n": Choices(3, 40, 1000, 10**4, 10**6),
        "seed": ByBudget(quick=Integers(0, 3), full=Integers(0, 99)),
    },
    every=True,
    part="difference",
    method="balls of 200 bits, norms of matrices from below; for the deep companion n is doubled until the error is 0.95",
    rests_on=(
        "`attention-wasserstein-lipschitz` with W_1 = 2 sqrt(d)/n; the triangle inequality with |f(mu_n) - f(delta)| = 2",
    ),
    not_established="a rate in n for deep transformers (the companion only shows that some n <= 2^60 suffices)",
)
def continuity_is_necessary(d, n, seed, *, normalised=True, mass="1/n", form="full") -> Iterator[Any]:
    r"""Let $x_- = (-1, \dots, -1)$, $x_+ = -x_-$, $\mu_n = (1 - \frac1n) \delta_{x_-} + \frac1n \delta_{x_+}$ in $[-1, 1]^d$. One layer of attention with skip connection and heads $h$ satisfies
    $$\|\Gamma(\mu_n, x_-) - \Gamma(\delta_{x_-}, x_-)\| \le \frac{2 \sqrt d}{n} \sum_h \|W_h\| \|V_h\| (1 + 2 r_h) e^{2 r_h}, \qquad r_h = \|K_h^T Q_h x_-\| \sqrt d/\sqrt k.$$
    Once $n$ exceeds $4 \sqrt d$ times the sum, every 1-Lipschitz read-out misses the maximum ($-1$ on one context, $1$ on the other) by at least $3/4$ on one of them.
    """
    ctx.prec = PRECISION
    words = Words(seed, "necessary", d)
    heads = [random_head(words, d, 1 if words.below(2) else 4, 2, Q(7, 10)) for _ in range(2)]
    x = [arb(-1)] * d
    share = Q(1, n) if mass == "1/n" else Q(1, 2)
    mu, delta = atoms_to_context(ends(d, share)), atoms_to_context([(Q(1), [Q(-1)] * d)])
    if not normalised:
        mu, delta = [(w * n, y) for w, y in mu], [(w * n, y) for w, y in delta]
    near, far = (attention(heads, m, x, normalised=normalised) for m in (mu, delta))
    total = sum(
        (
            spectral_from_below(h.W) * spectral_from_below(h.V) * constant(steepness(h, x, Q(1)) * arb(d).sqrt(), form)
            for h in heads
        ),
        arb(0),
    )
    yield "difference", le(norm([a - b for a, b in zip(near, far)]), 2 * arb(d).sqrt() / n * total)


@continuity_is_necessary.check(
    "read-out misses",
    domain={"d": Choices(1, 2, 3), "seed": ByBudget(quick=Integers(0, 3), full=Integers(0, 49))},
    every=True,
)
def _misses(d, seed, *, short=1):
    """At n above 4 sqrt d times the sum the outputs differ by at most 1/2, so (2 - 1/2)/2 = 3/4 is missed."""
    ctx.prec = PRECISION
    words = Words(seed, "necessary", d)
    heads = [random_head(words, d, 1 if words.below(2) else 4, 2, Q(7, 10)) for _ in range(2)]
    x = [arb(-1)] * d
    factors = [
        spectral_from_below(h.W) * spectral_from_below(h.V) * constant(steepness(h, x, Q(1)) * arb(d).sqrt(), "full")
        for h in heads
    ]
    n = max(2, int((4 * arb(d).sqrt() * sum(factors, arb(0))).mid().floor().unique_fmpz()) + 2)
    n = max(2, n // short)
    mu, delta = atoms_to_context(ends(d, Q(1, n))), atoms_to_context([(Q(1), [Q(-1)] * d)])
    difference = norm([a - b for a, b in zip(*(attention(heads, m, x) for m in (mu, delta)))])
    yield "read-out misses", le(Q(3, 4), (2 - difference) / 2)


@continuity_is_necessary.check(
    "deep",
    domain={"d": Choices(1, 2), "depth": Choices(1, 2), "seed": ByBudget(quick=Integers(0, 2), full=Integers(0, 19))},
    every=True,
)
def _deep(d, depth, seed, *, most=60):
    """Doubling n reaches an error of 0.95 for one and two layers (entries of 0.4)."""
    ctx.prec = PRECISION
    layers = random_layers(Words(seed, "deep", d, depth), d, depth, 2, Q(4, 10))
    x = [arb(-1)] * d
    delta = evaluate(layers, context([[Q(-1)] * d], [1]), x)
    error = arb(0)
    for j in range(2, most + 1):
        out = evaluate(layers, atoms_to_context(ends(d, Q(1, 2**j))), x)
        error = 1 - norm([a - b for a, b in zip(out, delta)]) / 2
        if error > Q(95, 100):  # branch
            break
    yield "deep", le(Q(95, 100), error)


continuity_is_necessary.mutant("attention is a sum over tokens", normalised=False, breaks="difference")
continuity_is_necessary.mutant("half of the mass moves", mass="1/2", breaks="difference")
continuity_is_necessary.mutant("n smaller by a factor 100", short=100, breaks="read-out misses")
continuity_is_necessary.mutant("four tokens suffice", most=2, breaks="deep")
