"""Without a chain the first step has no signal, whatever the feed-forward part; and no gradient knows the secret."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb
from typing import Any

import numpy as np
from flint import arb, fmpq

from solvers.boolean_cube import krawtchouk, points, walsh
from theorems import ByBudget, Choices, Given, Integers, Q, eq, le
from theorems.papers.cot_parity.paper import PAPER
from theorems.seeds import Words

LARGEST_N = 40
ONE = Q(1)


@PAPER.bound(
    source="abstract: exponential sample complexity without chain of thought; the core of its first step",
    fidelity="derived",
    evidence="certified",
    domain={
        "size": Choices((20, 10), (12, 6), (9, 4), (40, 20), (7, 7)),
        "g": Choices("Krawtchouk", "Krawtchouk + noise", "random", "majority"),
        "seed": ByBudget(quick=Integers(0, 3), full=Integers(0, 99)),
    },
    every=True,
    part="signal",
    method="integers: the identity of Krawtchouk sums for all k <= n <= 40, the conditional mean of a parity by enumeration for n <= 8, the bound for random "
    "functions and the extremal ones",
    rests_on=("Cauchy-Schwarz for sums over t with weights binom(n, t)",),
    not_established="attention that is not uniform (see `nocot-gradient-variance` for all weights)",
)
def nocot_any_ffn_signal(size, g, seed, *, factor=1, ambient=False) -> Iterator[Any]:
    r"""Let $s = \frac1n \sum_j x_j$ (uniform attention) and $|S| = k$. For every function $g$ of $s$ (any feed-forward part),
    $E[\chi_S(x) g(s)]^2 \le E[g(s)^2]/\binom nk$, with equality exactly for multiples of the Krawtchouk polynomial $K_k(t)$, $t$ the number of $-1$: $E[\chi_S | t] =
    K_k(t)/\binom nk$ and $2^{-n} \sum_t \binom nt (K_k(t)/\binom nk)^2 = 1/\binom nk$. For $k = n/2$ the squared signal is at most $2^{-n} \sqrt{2n} E[g^2]$.
    """
    n, k = size
    values = function_of_count(n, k, g, seed)
    signal = Q(sum(comb(n, t) * krawtchouk(n, k, t) * values[t] for t in range(n + 1)), comb(n, k))
    energy = sum(comb(n, t) * values[t] ** 2 for t in range(n + 1))
    share = Q(1, 2**n) if ambient else Q(1, factor * comb(n, k))
    yield "signal", le(signal**2, 2**n * energy * share)  # both sides times 4^n
    if 2 * k == n:
        yield "half", le(signal**4, 2 * n * energy**2)


def function_of_count(n: int, k: int, kind: str, seed: int) -> list[int]:
    """g as a function of t = 0..n."""
    words = Words(seed, "function of s", kind, n, k)
    if kind == "majority":
        return [(n - 2 * t > 0) - (n - 2 * t < 0) for t in range(n + 1)]
    if kind == "random":
        return [words.between(-9, 9) for _ in range(n + 1)]
    noise = 0 if kind == "Krawtchouk" else 1
    return [10 * krawtchouk(n, k, t) + noise * words.between(-3, 3) for t in range(n + 1)]


@nocot_any_ffn_signal.proof("identity", covers="all 1 <= k <= n, 2 <= n <= 40")
def _identity(*, level=0):
    for n in range(2, LARGEST_N + 1):
        sums, claimed = [], []
        for k in range(1, n + 1):
            K = [krawtchouk(n, k, t) for t in range(n + 1)]
            other = [krawtchouk(n, k + level, t) for t in range(n + 1)] if level else K
            sums.append(sum(comb(n, t) * a * b for t, (a, b) in enumerate(zip(K, other))))
            claimed.append(2**n * comb(n, k))
        yield eq(sums, claimed)


@nocot_any_ffn_signal.proof("conditional mean", covers="all 1 <= k <= n <= 8")
def _conditional():
    """sum of chi_S over the inputs with t entries -1, times binom(n, k), is K_k(t) binom(n, t)."""
    for n in range(1, 9):
        x = points(n)
        t = (x == -1).sum(axis=1)
        for k in range(1, n + 1):
            chi = x[:, :k].prod(axis=1)
            sums = [int(chi[t == c].sum()) * comb(n, k) for c in range(n + 1)]
            yield eq(sums, [krawtchouk(n, k, c) * comb(n, c) for c in range(n + 1)])


@nocot_any_ffn_signal.proof("exponential", covers="all even n <= 400")
def _exponential(*, root=2):
    """1/binom(n, n/2) <= 2^{-n} sqrt(2n)."""
    sizes = range(2, 401, 2)
    yield le([4**n for n in sizes], [root * n * comb(n, n // 2) ** 2 for n in sizes])


nocot_any_ffn_signal.mutant("half the bound", factor=2, breaks="signal")
nocot_any_ffn_signal.mutant("the bound 2^-n", ambient=True, breaks="signal")
nocot_any_ffn_signal.mutant("K_{k+1} for K_k", level=1, breaks="identity")
nocot_any_ffn_signal.mutant("sqrt(3n/2) for sqrt(2n)", root=Q(3, 2), breaks="exponential")


WIDTH = 6


def parameters(n: int, seed: int, scale: fmpq) -> dict[str, list[fmpq]]:
    """Random rational weights: logits of the given scale, values, and a ReLU network."""
    words = Words(seed, "weights", n, str(scale))

    def normal() -> fmpq:
        return Q(sum(words.between(-500, 500) for _ in range(12)), 1000)

    names = {"a0": n, "a1": n, "v": n, "b": n, "w": WIDTH, "c": WIDTH, "o": WIDTH}
    return {
        name: [normal() * (scale if name in ("a0", "a1") else 1) for _ in range(count)] for name, count in names.items()
    }


def derivatives(n: int, theta: dict[str, list[fmpq]]) -> list[list[arb]]:
    r"""The derivatives of $f = \sum_h o_h \mathrm{relu}(w_h s + c_h)$, $s = \sum_j A_j (v_j x_j + b_j)$, $A = \mathrm{softmax}(a_{0j} + a_{1j} x_j)$.

    Returns:
        For each parameter its derivative at all 2^n points (bit j set: x_j = -1), in balls.
    """
    rows: list[list[arb]] = []
    for x in points(n).tolist():
        weights = [(arb(p) + q * y).exp() for p, q, y in zip(theta["a0"], theta["a1"], x)]
        mass = sum(weights, arb(0))
        A = [w / mass for w in weights]
        values = [arb(v * y + b) for v, b, y in zip(theta["v"], theta["b"], x)]
        s = sum((a * v for a, v in zip(A, values)), arb(0))
        inner = [w * s + c for w, c in zip(theta["w"], theta["c"])]
        active = [decided_positive(u) for u in inner]
        slope = sum((o * w for o, w, on in zip(theta["o"], theta["w"], active) if on), arb(0))
        by_logit = [slope * a * (v - s) for a, v in zip(A, values)]
        by_value = [slope * a for a in A]
        rows.append(
            [
                *by_logit,
                *(d * y for d, y in zip(by_logit, x)),
                *(d * y for d, y in zip(by_value, x)),
                *by_value,
                *(o * s if on else arb(0) for o, on in zip(theta["o"], active)),
                *(arb(o) if on else arb(0) for o, on in zip(theta["o"], active)),
                *(u if on else arb(0) for u, on in zip(inner, active)),
            ]
        )
    return [list(column) for column in zip(*rows)]


def decided_positive(u: arb) -> bool:
    """Whether a ball is positive; one that contains 0 is refused."""
    if not (u > 0 or u < 0):
        raise ArithmeticError(f"the pre-activation {u} is not separated from 0")
    return bool(u > 0)


@PAPER.bound(
    source="the standard reason behind the exponential lower bound; a consequence for every gradient learner",
    fidelity="derived",
    evidence="certified",
    domain={
        "n": ByBudget(quick=Choices(8), full=Choices(8, 10)),
        "scale": Choices(Q(1, 10), Q(1), Q(3)),
        "seed": ByBudget(quick=Choices(0), full=Choices(0, 1, 2)),
    },
    every=True,
    part="average over secrets",
    method="all derivatives of the one-layer transformer at all inputs, and their Walsh-Hadamard transforms, in balls; levels k = 2, 3, n/2, n - 1; a function "
    "that attains the bound in integers",
    rests_on=("Parseval: the squared coefficients of a function sum to its mean square",),
    not_established="more layers (the inequality holds for any derivative whatever)",
)
def nocot_gradient_variance(n, scale, seed, *, ambient=False, each=False) -> Iterator[Any]:
    r"""For any weights of the one-layer transformer $f$ and each of its parameters $r$,
    $$\frac{1}{\binom nk} \sum_{|S| = k} \bigl(E_x[\chi_S \partial_r f]\bigr)^2 \le \frac{E[(\partial_r f)^2]}{\binom nk}:$$
    the population gradient depends on the secret by $O(\binom nk^{-1/2})$ for most secrets. There are functions with equality.
    """
    left: dict[int, list[arb]] = {}
    right: dict[int, list[arb]] = {}
    for g in derivatives(n, parameters(n, seed, scale)):
        coefficients = walsh(g)
        energy = sum((v * v for v in g), arb(0)) / 2**n
        for k in sorted({2, 3, n // 2, n - 1}):
            level = [(coefficients[S] / 2**n) * (coefficients[S] / 2**n) for S in range(2**n) if S.bit_count() == k]
            average = largest(level) if each else sum(level, arb(0)) / comb(n, k)
            left.setdefault(k, []).append(average)
            right.setdefault(k, []).append(energy / (2**n if ambient else comb(n, k)))
    for k, averages in left.items():
        kept = [(a, b) for a, b in zip(averages, right[k]) if not b.is_zero()]
        yield "average over secrets", le([a for a, _ in kept], [b for _, b in kept])


def largest(level: list[arb]) -> arb:
    """The largest of some balls."""
    top = level[0]
    for v in level[1:]:
        top = top.max(v)
    return top


@nocot_gradient_variance.check(
    "attained", domain={"n": Choices(5, 8), "k": Given(lambda n: Integers(1, n))}, every=True
)
def _attained(n, k, *, share=ONE):
    """A function whose only level is k, the Krawtchouk polynomial: both sides agree."""
    values = [krawtchouk(n, k, x.bit_count()) for x in range(2**n)]
    coefficients = walsh(values)
    level = sum(coefficients[S] ** 2 for S in range(2**n) if S.bit_count() == k)
    yield "attained", eq(level, share * 2**n * sum(v * v for v in values))


nocot_gradient_variance.mutant("2^n for the number of secrets", ambient=True, breaks="average over secrets")
nocot_gradient_variance.mutant("every single secret", each=True, breaks="average over secrets")
nocot_gradient_variance.mutant("nine tenths of the bound", share=Q(9, 10), breaks="attained")


@PAPER.bound(
    source="hardness theorem without chain of thought: hypothesis of the memory-sample trade-off",
    fidelity="recalled",
    evidence="certified",
    domain={
        "kind": Choices("subspaces", "random", "alternating"),
        "n": Choices(8, 6),
        "seed": ByBudget(quick=Integers(0, 9), full=Integers(0, 49)),
    },
    every=True,
    part="rectangles",
    method="the Gram matrix in integers for n <= 8; rectangles that are random, products of a subspace and its annihilator (equality), or found by alternating "
    "maximisation",
    rests_on=(
        "a matrix M with M M^T = 2^n I has all singular values 2^{n/2}, so |1_X^T M 1_S| <= 2^{n/2} |X|^{1/2} |S|^{1/2}",
    ),
    not_established="the theorem that memory o(n^2) and constantly many passes then need 2^{Omega(n)} samples (quoted)",
)
def parity_rectangle_bias(kind, n, seed, *, constant=ONE, exponent=1) -> Iterator[Any]:
    r"""Let $M(x, S) = (-1)^{\langle x, S \rangle}$, $x, S \in \{0,1\}^n$. Then $M M^T = 2^n I$, and for all sets $X'$, $S'$,
    $\bigl|\sum_{X' \times S'} M\bigr| \le \sqrt{2^n |X'| |S'|}$, with equality when $X'$ is a subspace and $S'$ its annihilator.
    """
    X, S = rectangle(kind, n, seed)
    total = sum((-1) ** (x & s).bit_count() for x in X for s in S)
    yield "rectangles", le(total**2, constant**2 * (2**n if exponent else 1) * len(X) * len(S))
    if kind == "subspaces":
        yield "attained", eq(total**2, constant**2 * 2**n * len(X) * len(S))


def rectangle(kind: str, n: int, seed: int) -> tuple[list[int], list[int]]:
    """A pair of sets of vectors."""
    words = Words(seed, "rectangle", kind, n)
    if kind == "subspaces":
        X = [0]
        for _ in range(words.between(1, n - 1)):
            v = words.below(2**n)
            X = sorted({*X, *(x ^ v for x in X)})
        return X, [s for s in range(2**n) if all((x & s).bit_count() % 2 == 0 for x in X)]
    X = sorted({words.below(2**n) for _ in range(words.between(1, 2 ** (n - 1)))})
    S = sorted({words.below(2**n) for _ in range(words.between(1, 2 ** (n - 1)))})
    if kind == "alternating":
        for _ in range(4):
            X = best_half(S, n, len(X))
            S = best_half(X, n, len(S))
    return X, S


def best_half(S: list[int], n: int, size: int) -> list[int]:
    """The vectors with the largest sums over S."""
    indicator = [0] * 2**n
    for s in S:
        indicator[s] = 1
    sums = walsh(indicator)
    return sorted(sorted(range(2**n), key=lambda x: (-sums[x], x))[:size])


@parity_rectangle_bias.proof("Gram matrix", covers="1 <= n <= 8, so all rectangles of these sizes")
def _gram(*, diagonal=2):
    """All products of two rows."""
    for n in range(1, 9):
        M = np.array([[(-1) ** (x & s).bit_count() for s in range(2**n)] for x in range(2**n)], dtype=np.int64)
        G = M @ M.T
        yield eq(sorted(set(np.diagonal(G).tolist())), [diagonal**n])
        off = G - np.diag(np.diagonal(G))
        yield eq([int(off.min()), int(off.max())], [0, 0])


parity_rectangle_bias.mutant("constant 1/2", constant=Q(1, 2), breaks="rectangles")
parity_rectangle_bias.mutant("constant 99/100", constant=Q(99, 100), breaks="rectangles")
parity_rectangle_bias.mutant("sqrt(|X'| |S'|)", exponent=0, breaks="rectangles")
parity_rectangle_bias.mutant("M M^T = 3^n I", diagonal=3, breaks="Gram matrix")
